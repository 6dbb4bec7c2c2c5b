/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pods ask for, as the scheduler counts it (kubernetes/pkg/api/v1/resource, PodRequests):
 * the larger of all containers with the restartable init containers, and the largest point of
 * initialisation; plus overhead; pod-level resources win where they are stated.
 */
#ifndef KARTA_RESOURCES_H
#define KARTA_RESOURCES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "quantity.h"

struct resource {
    char *name;
    struct quantity quantity;
};

struct resources {
    struct resource *list;
    size_t count;
};

/* Of one pod with this spec (NULL: nothing). *resources starts zeroed, is the caller's to
 * dispose. KARTA_ERR_SCHEMA names a quantity that is none. */
int resources_of_pod(const json_t *pod_spec, struct resources *resources, struct karta_error *err);
void resources_dispose(struct resources *resources);

/* *sum += other * factor. KARTA_ERR_LIMIT on overflow. */
int resources_add(struct resources *sum, const struct resources *other, int64_t factor,
                  struct karta_error *err);

/* New object, name -> canonical text, names in byte order; NULL when memory is out. */
json_t *resources_json(const struct resources *resources);

/* Whole GPUs and slices: every resource that is a GPU by its name. */
double resources_gpus(const struct resources *resources);

#endif
