/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads for property tests: real manifests, changed at random as people might write them. */
#ifndef KARTA_TEST_GANG_MAKE_H
#define KARTA_TEST_GANG_MAKE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* xorshift; the state is never 0. */
struct dice {
    uint64_t state;
};

/* From 0 to below `sides`; 0 where there are none. */
size_t roll(struct dice *dice, size_t sides);
bool chance(struct dice *dice, size_t one_in);

/* New array of the objects that are to be changed: conformance cases and the examples. */
json_t *make_corpus(void);

/* New: a copy of `object` under another name, with other metadata and templates. */
json_t *make_workload(struct dice *dice, const json_t *object);

/* Changes counts and lists of instances in place: more, fewer, in another order. */
void change_instances(struct dice *dice, json_t *object);

/* A new name, at most 63 characters, sometimes one that no DNS label can hold. */
char *make_name(struct dice *dice);

#endif
