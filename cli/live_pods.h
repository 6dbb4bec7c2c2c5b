/* SPDX-License-Identifier: Apache-2.0 */
/* Live pods as people read them. Pure functions. */
#ifndef KARTA_CLI_LIVE_PODS_H
#define KARTA_CLI_LIVE_PODS_H

#include <jansson.h>

/*
 * What a pod is like now: {name, component, instance, replica (of `match`), status (kubectl's
 * STATUS), ready, healthy, node (null before it has one), message (why it isn't scheduled or
 * running; null where nothing says)}. New; NULL when memory is out.
 */
json_t *live_pod(const json_t *pod, const json_t *match);

/* A new array of the same pods, unhealthy ones first, then by name with numbers in their order. */
json_t *live_pods_sorted(const json_t *pods);

#endif
