/* SPDX-License-Identifier: Apache-2.0 */
/* The two tables of names: what may be called, and what is known but refused. */
#ifndef KARTA_JQ_BUILTIN_H
#define KARTA_JQ_BUILTIN_H

#include <stddef.h>

/* An allowed builtin of one arity. */
struct jq_builtin {
    const char *name; /* with its arity: "map/1" */
    const char *form; /* what is written for it: %1 and %2 stand for the arguments */
};

/* The entry, or NULL. */
const struct jq_builtin *jq_builtin_find(const char *name, size_t arity);

/* Entry `index` of the table, or NULL past its end. */
const struct jq_builtin *jq_builtin_at(size_t index);

/* The allowed entry whose name is at most two edits away, or NULL. */
const struct jq_builtin *jq_builtin_nearest(const char *name);

/* A name that jq knows and we refuse. */
struct jq_refusal {
    const char *name;
    const char *reason;  /* "it runs without bound" */
    const char *instead; /* NULL: nothing comes near */
};

/* The refusal of `name`, or NULL for a name that jq does not know. */
const struct jq_refusal *jq_refusal_find(const char *name);

#endif
