/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A WorkloadPolicy: whom it concerns, what must be true of their views, and what is filled in for
 * them. Immutable after load.
 */
#ifndef KARTA_POLICY_MODEL_H
#define KARTA_POLICY_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "jq/jq_program.h"
#include "karta/policy.h"
#include "karta/problem.h"
#include "parse_common.h"

struct policy_texts {
    char **items;
    size_t count;
};

/* NULL: any. */
struct policy_kind {
    char *group, *kind;
};

enum label_operator { LABEL_IN, LABEL_NOT_IN, LABEL_EXISTS, LABEL_DOES_NOT_EXIST };

struct label_rule {
    char *key;
    enum label_operator how;
    struct policy_texts values; /* of In and NotIn */
};

enum { POLICY_CREATE = 1, POLICY_UPDATE = 2 }; /* operations */

/* What expressions read: the view and the request, by the place in policy_input_names. */
extern const char *const policy_input_names[];

/* A match condition or a validation. */
struct policy_check {
    char *name; /* of a condition; NULL: a validation */
    struct jq_expression *jq;
    char *message;                    /* NULL: none is stated */
    struct jq_expression *message_jq; /* NULL: none; else wins over `message` */
    size_t message_part;              /* of message_jq in the policy's `messages` */
};

struct karta_policy {
    char *name, *origin;
    json_t *document;
    struct policy_texts namespaces, excluded_namespaces; /* globs; none: every namespace */
    struct policy_kind *kinds;                           /* none: every kind */
    size_t kind_count;
    unsigned operations;
    struct label_rule *labels; /* all must hold */
    size_t label_count;
    struct policy_texts exempt_users; /* globs */
    bool ignore_failures;             /* failurePolicy: Ignore */
    unsigned actions;                 /* KARTA_POLICY_... */
    struct policy_check *checks;      /* conditions first, then validations */
    size_t condition_count, check_count;
    struct jq_program *program;    /* parts in the checks' order; NULL where there are no checks */
    struct jq_program *messages;   /* run only where a validation fails; NULL: there are none */
    unsigned reads, messages_read; /* a bit for each of policy_input_names */
    char *queue, *priority_class;  /* defaults; NULL: none */
};

/* As definition_new. */
struct karta_policy *policy_new(const json_t *document, const char *origin,
                                struct karta_problems *problems);
void policy_free(struct karta_policy *policy);

/* Compiles what every request runs; messages that were not warmed are compiled when needed. */
int policy_compile(const struct karta_policy *policy, struct karta_error *err);

/* Whether an expression of its reads that name of policy_input_names, or may read it. */
bool policy_reads(const struct karta_policy *policy, const char *name);

struct karta_request;
/* Whether the policy is asked about this request, for an object of this group and kind. */
bool policy_concerns(const struct karta_policy *policy, const struct karta_request *request,
                     const char *group, const char *kind);
/* What the readers share. */
struct policy_parse {
    struct parse base;
    struct karta_policy *policy;
};
void policy_parse_match(struct policy_parse *parse, const struct at *at, const json_t *spec);
void policy_parse_checks(struct policy_parse *parse, const struct at *at, const json_t *spec);

/* A list of patterns in which '*' stands for any text; `names` says what else one may hold. */
enum glob_of { GLOB_NAMESPACE, GLOB_USER };
void policy_parse_globs(struct policy_parse *parse, const struct at *at, const json_t *object,
                        const char *key, enum glob_of what, struct policy_texts *list);

#endif
