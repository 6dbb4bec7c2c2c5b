/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Good Kartas by a grammar. The one idea: every choice is the author's to make, so whatever comes
 * out is valid and must be accepted.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_karta.h"
#include "fuzz_support.h"

#define CHILDREN 6

static const char *const counts[] = {
    ".spec.replicas // 1",
    ".spec.bare",
    "[.spec.items[]? | (.n // 1)] | add // 0",
    ".spec | (.x // 1)",
    ".spec.n | if . == null then 1 else . end",
    "(.spec.a // 1) * (.spec.b // 1)",
    ".metadata.annotations[\"example.com/n\"] // \"1\"",
};
static const char *const places[] = {
    ".spec.template",
    ".spec.roles.worker | select(. != null) | .template",
    ".spec.list[0].template",
    ".spec[\"x y\"].template",
    "first(.spec.list[]) | .template",
    "if .spec.a then .spec.b else .spec.c end",
    ".spec.a // .spec.b",
    "getpath([\"spec\", \"t\"])",
    ".spec as $s | .spec.template",
    ".spec.list[-1].template",
};
static const char *const projections[] = {
    ".spec.resources",
    "{requests: {cpu: .spec.cpu}}",
    ".spec.repository + \":\" + .spec.tag",
    ".spec.containers[0]?.image",
};
static const char *const status_texts[] = {
    ".status.phase // \"\"",
    "[.status.conditions[]? | .type] | any(. == \"Ready\")",
    ".status.ready == true",
    ".status | if . == null then \"\" else (.state // \"\") end",
};
static const char *const pod_texts[] = {
    ".metadata.labels.role",
    ".metadata.labels[\"example.com/role\"]",
    ".metadata.annotations[\"x\"] // \"0\"",
    ".metadata.name | split(\"-\") | last",
};

const char *fuzz_pick(uint64_t *seed, const char *const *words, size_t count)
{
    return words[fuzz_random(seed, (uint32_t)count)];
}

static bool chance(uint64_t *seed, uint32_t in)
{
    return fuzz_random(seed, in) == 0;
}

static void put(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

static json_t *make_fragments(uint64_t *seed)
{
    json_t *fragments = json_object();
    put(fragments, "labelsPath", FUZZ_PICK(seed, places));
    if (chance(seed, 2))
        put(fragments, "schedulerNamePath", ".spec.schedulerName");
    if (chance(seed, 2))
        put(fragments, "resourcesPath", FUZZ_PICK(seed, projections));
    if (chance(seed, 2))
        put(fragments, "imagePath", FUZZ_PICK(seed, projections));
    return json_pack("{s:o}", "fragmentedPodSpecDefinition", fragments);
}

static json_t *make_template(uint64_t *seed, bool ids)
{
    if (ids)
        return json_pack("{s:s}", "podTemplateSpecPath", ".spec.groups[].template");
    switch (fuzz_random(seed, 4)) {
    case 0:
        return make_fragments(seed);
    case 1:
        return json_pack("{s:s, s:s}", "podSpecPath", FUZZ_PICK(seed, places), "metadataPath",
                         FUZZ_PICK(seed, places));
    default:
        return json_pack("{s:s}", "podTemplateSpecPath", FUZZ_PICK(seed, places));
    }
}

static json_t *make_scale(uint64_t *seed, bool ids)
{
    json_t *scale = json_object();
    put(scale, "replicasPath", ids ? ".spec.groups[] | (.replicas // 1)" : FUZZ_PICK(seed, counts));
    if (chance(seed, 3))
        put(scale, "minReplicasPath", FUZZ_PICK(seed, counts));
    if (chance(seed, 3))
        put(scale, "maxReplicasPath", FUZZ_PICK(seed, counts));
    return scale;
}

static json_t *make_matcher(uint64_t *seed)
{
    json_t *matcher = json_object();
    if (chance(seed, 2))
        put(matcher, "byPhase", "Running");
    if (chance(seed, 2))
        json_object_set_new(matcher, "byConditions",
                            json_pack("[{s:s}, {s:s, s:s, s:s}]", "type", "Ready", "type", "Done",
                                      "status", "True", "reason", "Finished"));
    if (json_object_size(matcher) == 0 || chance(seed, 2))
        json_object_set_new(matcher, "byExpression",
                            json_pack("{s:s, s:s}", "expression", FUZZ_PICK(seed, status_texts),
                                      "expectedResult", chance(seed, 3) ? "" : "true"));
    return matcher;
}

static json_t *make_status(uint64_t *seed)
{
    static const char *const names[] = {"initializing", "running",   "completed",  "failed",
                                        "degraded",     "suspended", "suspending", "resuming"};
    json_t *mappings = json_object();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (chance(seed, 2))
            continue;
        json_t *list = json_pack("[o]", make_matcher(seed));
        if (chance(seed, 3))
            json_array_append_new(list, make_matcher(seed));
        json_object_set_new(mappings, names[i], list);
    }
    json_t *status = json_pack("{s:{s:s}, s:{s:s}, s:o}", "phaseDefinition", "path",
                               FUZZ_PICK(seed, status_texts), "conditionsDefinition", "path",
                               ".status.conditions", "statusMappings", mappings);
    if (chance(seed, 3))
        put(json_object_get(status, "conditionsDefinition"), "typeFieldName", "kind");
    return status;
}

static json_t *make_suspend(void)
{
    return json_pack("{s:[{s:s, s:s}, {s:s, s:s}], s:[{s:s, s:s}]}", "suspendActions", "path",
                     ".spec.suspend", "value", "true", "path", ".metadata.annotations.state",
                     "value", "\"off\"", "resumeActions", "path", ".spec.suspend", "value",
                     "false");
}

/* Distinct for distinct names. */
static json_t *make_selector(uint64_t *seed, const char *name, bool ids)
{
    json_t *selector =
        chance(seed, 2)
            ? json_pack("{s:{s:s, s:s}}", "componentTypeSelector", "keyPath",
                        FUZZ_PICK(seed, pod_texts), "value", name)
            : json_pack("{s:{s:{s:s}}}", "componentTypeSelector", "matchLabels", "role", name);
    if (ids)
        json_object_set_new(selector, "componentInstanceSelector",
                            json_pack("{s:s}", "idPath", FUZZ_PICK(seed, pod_texts)));
    if (chance(seed, 4))
        json_object_set_new(selector, "replicaSelector",
                            json_pack("{s:s}", "keyPath", FUZZ_PICK(seed, pod_texts)));
    return selector;
}

static void add_parts(uint64_t *seed, json_t *component, const char *name)
{
    bool ids = chance(seed, 3);
    if (ids)
        put(component, "instanceIdPath", ".spec.groups[].name");
    if (!chance(seed, 4))
        json_object_set_new(component, "specDefinition", make_template(seed, ids));
    if (!chance(seed, 4))
        json_object_set_new(component, "scaleDefinition", make_scale(seed, ids));
    if (chance(seed, 4))
        json_object_set_new(component, "suspendDefinition", make_suspend());
    json_object_set_new(component, "podSelector", make_selector(seed, name, ids));
}

static json_t *make_child(uint64_t *seed, const char *name, const char *owner)
{
    json_t *child = json_pack("{s:s, s:s}", "name", name, "ownerRef", owner);
    if (chance(seed, 2))
        json_object_set_new(
            child, "kind",
            json_pack("{s:s, s:s, s:s}", "group", "", "version", "v1", "kind", "Pod"));
    if (chance(seed, 4))
        json_object_set_new(child, "statusDefinition", make_status(seed));
    add_parts(seed, child, name);
    return child;
}

static json_t *make_topology(uint64_t *seed)
{
    bool required = chance(seed, 2);
    return json_pack("{s:s, s:s, s:s}", "topologyName", "racks", "requiredTopologyLevel",
                     required ? "zone" : "", "preferredTopologyLevel",
                     required && chance(seed, 2) ? "" : "host");
}

static json_t *make_member(uint64_t *seed, const char *name, bool older)
{
    json_t *member = json_pack("{s:s}", "componentName", name);
    if (older && chance(seed, 2))
        json_object_set_new(
            member, "groupByKeyPaths",
            json_pack("[s, s]", FUZZ_PICK(seed, pod_texts), ".metadata.labels.job"));
    if (older && chance(seed, 2))
        json_object_set_new(member, "filters", json_pack("[s]", ".metadata.labels.x == \"y\""));
    if (!older && chance(seed, 3))
        json_object_set_new(member, "topology", make_topology(seed));
    return member;
}

static json_t *make_gang(uint64_t *seed, char names[][16], size_t count)
{
    bool older = chance(seed, 2);
    json_t *members = json_array();
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || chance(seed, 2))
            json_array_append_new(members, make_member(seed, names[i], older));
    json_t *group =
        json_pack("{s:s, s:o}", "name", "all", older ? "members" : "subGroups", members);
    if (older)
        return json_pack("{s:{s:[o]}}", "gangScheduling", "podGroups", group);
    if (chance(seed, 2))
        json_object_set_new(group, "topology", make_topology(seed));
    return json_pack("{s:{s:o}}", "gangScheduling", "podGroup", group);
}

static json_t *make_metadata(uint64_t *seed, const char *component, bool gang)
{
    json_t *annotations = json_pack("{s:s}", "workloadmap.dev/plural", "things");
    char text[96];
    snprintf(text, sizeof text, "{\"%s\": \".spec.late == true\"}", component);
    if (chance(seed, 3))
        put(annotations, "workloadmap.dev/starts-later", text);
    if (chance(seed, 3))
        put(annotations, "workloadmap.dev/constant-keys",
            "[\".metadata.labels[\\\"example.com/job\\\"]\"]");
    if (gang && chance(seed, 3))
        put(annotations, "workloadmap.dev/min-member-path", "{\"all\": \".spec.minAvailable\"}");
    return json_pack("{s:s, s:o}", "name", "fuzz-thing-v1", "annotations", annotations);
}

json_t *fuzz_karta_make(uint64_t *seed)
{
    char names[CHILDREN + 1][16] = {"thing"};
    size_t count = 1 + fuzz_random(seed, CHILDREN + 1);
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s, s:s}, s:o}", "name", names[0], "kind", "group", "example.com",
                  "version", "v1", "kind", "Thing", "statusDefinition", make_status(seed));
    add_parts(seed, root, names[0]);
    json_t *children = json_array();
    for (size_t i = 1; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s-%zu", chance(seed, 8) ? "Role" : "role", i);
        const char *owner = names[fuzz_random(seed, (uint32_t)i)];
        json_array_append_new(children, make_child(seed, names[i], owner));
    }
    json_t *structure = json_pack("{s:o, s:o}", "rootComponent", root, "childComponents", children);
    if (chance(seed, 3))
        json_object_set_new(
            structure, "additionalChildKinds",
            json_pack("[{s:s, s:s, s:s}]", "group", "batch", "version", "v1", "kind", "Job"));
    json_t *spec = json_pack("{s:o}", "structureDefinition", structure);
    bool gang = !chance(seed, 3);
    if (gang)
        json_object_set_new(spec, "optimizationInstructions", make_gang(seed, names, count));
    return json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", "run.ai/v1alpha1", "kind", "Karta",
                     "metadata", make_metadata(seed, names[count - 1], gang), "spec", spec);
}
