/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object read through its definition: which instances each component has, where their
 * templates stand, how many of each there are. A fault in one component stays with it.
 */
#ifndef KARTA_RESOLVE_H
#define KARTA_RESOLVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "definition.h"

struct count {
    bool said;
    int64_t value; /* 0 where nothing is said */
};

/* A map or a field that we may write: where it is, and what stands there. */
struct spot {
    char *path;          /* JSON pointer; NULL: the definition has no place for it */
    const json_t *value; /* borrowed from the object; NULL: absent or null */
};

struct instance {
    char *id; /* "" for the one instance of a component without ids */
    struct count replicas, min_replicas, max_replicas;
    char *path; /* JSON pointer to the pod template or pod spec; NULL: none, or in fragments */
    struct spot labels, annotations, scheduler, priority_class; /* the last two: names */
    struct spot spec;                                           /* the whole pod spec */
    const json_t *metadata, *pod_spec;                          /* to read; borrowed; NULL: none */
    json_t *assembled; /* owned: what fragments were put together to */
    bool late;
};

struct resolved_component {
    const struct component *definition;
    struct instance *instances;
    size_t count;
    char error[512]; /* "": resolved */
};

struct resolved {
    const struct karta_definition *definition; /* borrowed */
    const json_t *object;                      /* borrowed */
    struct resolved_component *components;     /* in the definition's order */
    size_t count;
    struct count *minimums; /* of each pod group of the definition: min-member-path's */
    char minimum_error[512];
    struct jq_input *input; /* the object as expressions read it */
    int64_t deadline_ms;
};

/*
 * Resolves `object`, which both borrow and outlive the result. *resolved is new (resolved_free).
 * KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT, KARTA_ERR_NOMEM: nothing is resolved then.
 */
int resolve(const struct karta_definition *definition, const json_t *object, int64_t deadline_ms,
            struct resolved **resolved, struct karta_error *err);
void resolved_free(struct resolved *resolved);

/* True where no component has an error. */
bool resolved_complete(const struct resolved *resolved);

/* The instance of component `c` with that id, or NULL. */
struct instance *resolved_instance(const struct resolved *resolved, size_t c, const char *id);

/* True when both components have the same ids in the same order, and at least one. */
bool resolved_same_ids(const struct resolved *resolved, size_t a, size_t b);

/* Records an error of the component (the first one wins); always returns 0. */
int resolved_component_error(struct resolved_component *component, const char *format, ...)
    KARTA_PRINTF(2, 3);

/*
 * The JSON pointer (new) of a path that jq gave, negative indexes standing for the element they
 * read; *value is what stands there (borrowed), NULL where it is absent or null.
 */
int resolve_pointer(const json_t *object, const json_t *path, char **pointer, const json_t **value,
                    struct karta_error *err);

/* True when the instance has a template, in whichever form. */
bool instance_has_template(const struct instance *instance);

/* Reads a count that jq gave; false and a sentence in `reason` where it is none. */
bool count_read(const json_t *value, struct count *count, char *reason, size_t reason_size);

#endif
