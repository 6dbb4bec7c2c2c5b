/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile: what one gang scheduler wants to find on pods, as jq over one place of a plan.
 * Immutable after load.
 */
#ifndef KARTA_PROFILE_H
#define KARTA_PROFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jq/jq_program.h"
#include "karta/problem.h"

/* One thing that is written: below "labels", "annotations" or the pod spec. */
enum key_place { KEY_LABEL, KEY_ANNOTATION, KEY_FIELD };

struct profile_key {
    enum key_place place;
    char *key; /* a label's or annotation's name; of a field the JSON pointer below the spec */
    struct jq_expression *jq;
    bool identity; /* one of identityKeys: another value of a user's is respected */
};

struct kind_match {
    char *group, *kind, *reason; /* reason: of an exclusion; may be NULL */
};

/* Keys for the workload itself, for some kinds. */
struct workload_keys {
    struct kind_match *kinds;
    size_t kind_count; /* 0: every kind */
    struct profile_key *keys;
    size_t key_count;
    struct jq_program *program; /* parts in the keys' order */
};

struct karta_profile {
    char *name, *origin;
    json_t *document;
    char *scheduler_name; /* NULL: left as it is */
    char *queue_label;    /* NULL: none */
    struct kind_match *kinds, *excluded;
    size_t kind_count, excluded_count;
    bool late_join, require_gang;
    struct profile_key *keys;
    size_t key_count;
    struct jq_program *program; /* parts in the keys' order; NULL where there are no keys */
    bool reads_template, reads_workload, reads_groups, reads_roles;
    bool
        names_groups; /* what is written depends on the pod group; else it is the same everywhere */
    struct jq_expression *refuse; /* gives why a workload is left alone; NULL: none is */
    struct jq_program *refuse_program;
    struct workload_keys *workload;
    size_t workload_count;
    struct jq_expression **objects;
    size_t object_count;
    struct jq_program *object_program; /* parts in the objects' order; NULL where there are none */
};

/* As definition_new. */
struct karta_profile *profile_new(const json_t *document, const char *origin,
                                  struct karta_problems *problems);
void profile_free(struct karta_profile *profile);

/* NULL when the profile takes the kind, else a new sentence that says why not. */
char *profile_refuses(const struct karta_profile *profile, const char *group, const char *kind);

/*
 * Runs `program` (of `count` keys) on `input`: *values is a new array with, for each key in order,
 * what is to be written, or null. KARTA_ERR_EXPRESSION names the key; KARTA_ERR_SCHEMA too, where
 * it gave text that no label can hold.
 */
int profile_evaluate(const struct profile_key *keys, size_t count, struct jq_program *program,
                     const struct jq_input *input, int64_t deadline_ms, json_t **values,
                     struct karta_error *err);

#endif
