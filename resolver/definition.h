/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A definition (Karta) as the resolver reads it: typed, checked, immutable after load. Its
 * expressions are parts of two programs: structure (templates, ids, counts: what a mutation needs)
 * and status (phases, conditions, suspension: what only a view needs).
 */
#ifndef KARTA_DEFINITION_H
#define KARTA_DEFINITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "gvk.h"
#include "jq/jq_program.h"
#include "karta/problem.h"

/* One jq text, and which part of its program it is. */
struct expression {
    struct jq_expression *jq; /* NULL: the field is absent, or was refused */
    size_t part;
    enum jq_part_kind kind; /* as it is run: for its values, or for where it points */
};

/* A list of counted, owned things, as every list below. */
struct topology {
    char *name, *required, *preferred; /* "" for the level that isn't given */
};

enum template_form {
    TEMPLATE_NONE,
    TEMPLATE_POD_TEMPLATE, /* podTemplateSpecPath */
    TEMPLATE_POD_SPEC,     /* podSpecPath and metadataPath */
    TEMPLATE_FRAGMENTS     /* fragmentedPodSpecDefinition */
};

enum fragment {
    FRAGMENT_SCHEDULER_NAME,
    FRAGMENT_LABELS,
    FRAGMENT_ANNOTATIONS,
    FRAGMENT_RESOURCES,
    FRAGMENT_RESOURCE_CLAIMS,
    FRAGMENT_POD_AFFINITY,
    FRAGMENT_NODE_AFFINITY,
    FRAGMENT_CONTAINERS,
    FRAGMENT_CONTAINER,
    FRAGMENT_PRIORITY_CLASS,
    FRAGMENT_IMAGE,
    FRAGMENTS
};

/* In the order in which statuses are reported. */
enum status_name {
    STATUS_RESUMING,
    STATUS_SUSPENDING,
    STATUS_SUSPENDED,
    STATUS_RUNNING,
    STATUS_FAILED,
    STATUS_COMPLETED,
    STATUS_INITIALIZING,
    STATUS_DEGRADED,
    STATUSES
};

struct condition_match {
    char *type, *status, *reason; /* status and reason: NULL where not stated */
};

struct matcher {
    char *phase; /* NULL: not stated */
    struct condition_match *conditions;
    size_t condition_count;
    struct expression expression;
    char *expected;
};

struct status_rule {
    struct matcher *matchers;
    size_t count;
};

struct status_definition {
    bool present;
    struct expression phase, conditions;
    char *type_field, *status_field, *message_field, *reason_field;
    struct status_rule rules[STATUSES];
};

struct action {
    struct expression path;
    json_t *value;
};

struct pod_selector {
    bool present, has_type;
    struct jq_expression *type_key;    /* on the pod; NULL where absent, as the next ones */
    char *type_value;                  /* NULL: the key must exist */
    json_t *match_labels;              /* NULL: none */
    struct jq_expression *instance_id; /* componentInstanceSelector.idPath */
    struct jq_expression *replica_key; /* replicaSelector.keyPath */
};

struct component {
    char *name;
    struct gvk kind; /* all NULL where a child states none */
    char *owner_ref; /* NULL on the root */
    size_t owner;    /* index of the parent; the root's is its own */
    enum template_form form;
    struct expression template; /* podTemplateSpecPath, or podSpecPath */
    struct expression metadata; /* metadataPath */
    struct expression fragments[FRAGMENTS];
    struct expression replicas, min_replicas, max_replicas;
    struct expression ids;
    struct expression late; /* workloadmap.dev/starts-later */
    struct status_definition status;
    struct action *suspend, *resume;
    size_t suspend_count, resume_count;
    struct pod_selector selector;
};

/* A label or annotation of a pod, by its name. */
struct metadata_key {
    const char *where; /* static: "labels" or "annotations" */
    char *key;
};

/* A component that is listed in a gang. */
struct member {
    size_t component;
    char *component_name;
    struct topology *topology;   /* NULL: none */
    struct jq_expression **keys; /* groupByKeyPaths of the older form */
    size_t key_count;
    struct jq_expression **filters;
    size_t filter_count;
    size_t first_filter; /* part of the pods program; the others follow */
};

struct pod_group {
    char *name;
    struct member *members;
    size_t count;
    struct topology *topology; /* NULL: none */
    struct expression minimum; /* workloadmap.dev/min-member-path */
};

struct karta_definition {
    char *name, *origin, *plural; /* plural: NULL where not annotated */
    json_t *document;
    struct component *components; /* the root first, then the children in document order */
    size_t component_count;
    struct pod_group *groups;
    size_t group_count;
    bool older_gang;                /* the podGroups form: members with keys and filters */
    struct metadata_key *constants; /* workloadmap.dev/constant-keys: one value a workload */
    size_t constant_count;
    struct jq_program *structure, *status;
    struct jq_program *pods; /* the members' filters, run on one pod */
};

/*
 * Reads and checks one Karta document; every problem goes to `problems`. New, or NULL where there
 * was a refusal. Any thread.
 */
struct karta_definition *definition_new(const json_t *document, const char *origin,
                                        struct karta_problems *problems);
void definition_free(struct karta_definition *definition);

const struct gvk *definition_gvk(const struct karta_definition *definition);

/* True when it has pods of its own: a template in one of the forms. */
bool component_is_leaf(const struct component *component);

/* The index of the component called `name`, or component_count. */
size_t definition_component(const struct karta_definition *definition, const char *name);

/* True when `ancestor` is `component` or stands above it. Bounded, also on a cycle. */
bool definition_is_below(const struct karta_definition *definition, size_t component,
                         size_t ancestor);

/*
 * True when pods of leaf `component` can be in a gang: it is listed, or stands below what is; or
 * the definition lists nothing, which is then every leaf.
 */
bool definition_in_gang(const struct karta_definition *definition, size_t component);

/* The steps of definition_new, each in a file of its own. */
int definition_parse(struct karta_definition *definition, struct karta_problems *problems);
void definition_validate(struct karta_definition *definition, struct karta_problems *problems);
int definition_programs(struct karta_definition *definition, struct karta_error *err);

extern const char *const status_names[STATUSES + 1];    /* "Running", ...; NULL ends it */
extern const char *const fragment_names[FRAGMENTS + 1]; /* "labelsPath", ...; NULL ends it */

#endif
