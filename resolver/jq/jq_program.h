/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: checked when a definition is written, compiled once, run under a deadline.
 * Nothing outside resolver/jq knows libjq. Rules and reasons: docs/expressions.md.
 *
 * The idea: our own parser reads the whole text into a tree, the allow-list judges the tree, and
 * what libjq compiles is text written anew from that tree. So nothing can hide in a corner of jq's
 * grammar, and no two engines read one expression differently.
 */
#ifndef KARTA_JQ_PROGRAM_H
#define KARTA_JQ_PROGRAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karta/error.h"

/* One checked expression: its tree. Immutable after parsing, so any thread may read it. */
struct jq_expression;

/*
 * Parses and judges `text` (NUL-terminated). *expression is new. KARTA_ERR_EXPRESSION with
 * err->column (1-based, in bytes) and a sentence that says what is refused, why, and what would be
 * right; it does not quote the expression (the caller does). Any thread.
 */
int jq_expression_parse(const char *text, struct jq_expression **expression,
                        struct karta_error *err);
void jq_expression_free(struct jq_expression *expression);

/* The text as it was given. */
const char *jq_expression_text(const struct jq_expression *expression);

/*
 * 0 when the expression is a write path (docs/expressions.md: syntactically a path), else
 * KARTA_ERR_EXPRESSION with the column and the reason.
 */
int jq_expression_check_path(const struct jq_expression *expression, struct karta_error *err);

/*
 * True when the expression is exactly a path to one label or annotation of a pod
 * (.metadata.labels["k"], .metadata.labels.k, .metadata.annotations."k"): *where is "labels" or
 * "annotations" (static text) and *key the key (borrowed).
 */
bool jq_expression_metadata_key(const struct jq_expression *expression, const char **where,
                                const char **key);

/* True when the expression is one string literal without interpolation; *text is borrowed. */
bool jq_expression_constant(const struct jq_expression *expression, const char **text);

/* True when the expression is a bare path, without `//` or any call (a warning where a default is
 * due). */
bool jq_expression_is_bare_path(const struct jq_expression *expression);

/*
 * True when the expression reads top-level field `name` of its input, or may (it uses `.` whole,
 * .[] or a computed index on it). Lets callers leave out input that nobody reads.
 */
bool jq_expression_reads(const struct jq_expression *expression, const char *name);

/*
 * The first field that is read of the input's field `parent` (NULL: of the input itself) and that
 * `names` (NULL-terminated) doesn't list, borrowed; NULL where none is, as far as can be told.
 */
const char *jq_expression_reads_other(const struct jq_expression *expression, const char *parent,
                                      const char *const *names);

/* A program: up to LIMIT_PROGRAM_PARTS expressions that are run together on one input. */
struct jq_program;

enum jq_part_kind {
    JQ_VALUES, /* what the expression yields */
    JQ_PATHS   /* where it points: JSON arrays of keys and non-negative or negative indexes */
};

struct jq_part {
    const struct jq_expression *expression; /* borrowed for the program's life */
    enum jq_part_kind kind;                 /* JQ_PATHS only for write paths */
};

/*
 * New program of `count` parts; `parts` is copied. Nothing is compiled yet. KARTA_ERR_LIMIT above
 * the cap, KARTA_ERR_NOMEM. Any thread may run it at any time afterwards.
 */
int jq_program_new(const struct jq_part *parts, size_t count, struct jq_program **program,
                   struct karta_error *err);
/* Frees it and its compiled states. No run may be under way. */
void jq_program_free(struct jq_program *program);

/*
 * Compiles it now if no state of it exists. KARTA_ERR_EXPRESSION with *failed_part (may be NULL)
 * set to the index of the part that libjq itself refuses: found by compiling each alone.
 */
int jq_program_compile(struct jq_program *program, size_t *failed_part, struct karta_error *err);

/*
 * An object made ready for expressions: converted once, keys in byte order, used by one thread.
 * KARTA_ERR_LIMIT: an array or an object above 65,536 elements, a string above 1 MiB, deeper than
 * 256, or more than 64 keys of one object that share a hash (made on purpose: libjq takes quadratic
 * time for them).
 */
struct jq_input;
int jq_input_new(const json_t *object, struct jq_input **input, struct karta_error *err);
void jq_input_free(struct jq_input *input);

/*
 * The input `base`, an object, with the members of `members` in place of its own: what they share
 * is converted once. *input is new; same thread as `base`, which may be freed first.
 */
int jq_input_derive(const struct jq_input *base, const json_t *members, struct jq_input **input,
                    struct karta_error *err);

/* What one part gave: either an error text, or its results in order. */
struct jq_result {
    json_t *values; /* array, possibly empty; NULL where error is set */
    char *error;    /* NULL where values is set: one line, lower case where it is ours */
};

struct jq_results {
    size_t count; /* as many as the program has parts */
    struct jq_result *parts;
};

/*
 * Runs the program on `input`. *results is the caller's to dispose. A failing expression is its
 * part's error alone; "Cannot iterate over null (null)" is no results. More than 1,000 results of
 * one part are that part's error ("more than 1000 results").
 * KARTA_ERR_TIMEOUT: `deadline_ms` (of karta_engine_now_ms; 0: none) passed, nothing is given;
 * KARTA_ERR_LIMIT (results too large), KARTA_ERR_EXPRESSION (does not compile), KARTA_ERR_NOMEM.
 */
int jq_program_run(struct jq_program *program, const struct jq_input *input, int64_t deadline_ms,
                   struct jq_results *results, struct karta_error *err);
void jq_results_dispose(struct jq_results *results);

/* The table of allowed builtins: "name/arity" of entry `index`, or NULL past the end. */
const char *jq_builtin_name(size_t index);

#endif
