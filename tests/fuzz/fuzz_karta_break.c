/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults for good Kartas. The one idea: a fault is put at a field that is found by its name, so the
 * path at which it must be reported is known.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_karta.h"
#include "fuzz_support.h"
#include "schema.h"

/* A field of the document. */
struct spot {
    json_t *container;
    const char *key; /* NULL: an element */
    size_t index;
    json_t *value;
    char *path;
};

struct spots {
    struct spot *list;
    size_t count;
};

typedef bool spot_test(const struct spot *spot);

static void add_spot(struct spots *spots, const struct spot *spot, spot_test *test)
{
    if (!test(spot)) {
        free(spot->path);
        return;
    }
    spots->list = reallocarray(spots->list, spots->count + 1, sizeof *spots->list);
    spots->list[spots->count++] = *spot;
}

static void collect(struct spots *spots, json_t *value, const struct at *at, spot_test *test)
{
    const char *key;
    json_t *child;
    json_object_foreach(value, key, child)
    {
        const struct at here = {at, key, 0};
        add_spot(spots, &(struct spot){value, key, 0, child, at_path(&here, NULL)}, test);
        collect(spots, child, &here, test);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const struct at here = {at, NULL, i};
        child = json_array_get(value, i);
        add_spot(spots, &(struct spot){value, NULL, i, child, at_path(&here, NULL)}, test);
        collect(spots, child, &here, test);
    }
}

/* A random field that passes the test, its path given away to *path; false where there is none. */
static bool find(json_t *karta, uint64_t *seed, spot_test *test, struct spot *spot, char **path)
{
    struct spots spots = {0};
    collect(&spots, karta, NULL, test);
    size_t chosen = spots.count > 0 ? fuzz_random(seed, (uint32_t)spots.count) : 0;
    for (size_t i = 0; i < spots.count; i++)
        if (i != chosen)
            free(spots.list[i].path);
    if (spots.count > 0) {
        *spot = spots.list[chosen];
        *path = spot->path;
    }
    free(spots.list);
    return *path != NULL;
}

static void set(const struct spot *spot, json_t *value)
{
    if (spot->key != NULL)
        json_object_set_new(spot->container, spot->key, value);
    else
        json_array_set_new(spot->container, spot->index, value);
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
}

static bool is_in_spec(const struct spot *spot)
{
    return strncmp(spot->path, "spec", 4) == 0;
}

static bool is_written(const struct spot *spot)
{
    static const char *const names[] = {"podTemplateSpecPath", "podSpecPath", "metadataPath",
                                        "schedulerNamePath",   "labelsPath",  NULL};
    return spot->key != NULL &&
           (is_one_of(spot->key, names) ||
            (strstr(spot->path, "Actions[") != NULL && strcmp(spot->key, "path") == 0));
}

static bool is_expression(const struct spot *spot)
{
    static const char *const names[] = {"path", "expression", NULL};
    if (!is_in_spec(spot) || !json_is_string(spot->value))
        return false;
    return spot->key == NULL || ends_with(spot->key, "Path") || is_one_of(spot->key, names);
}

static bool is_needed(const struct spot *spot)
{
    static const char *const names[] = {
        "name",    "ownerRef",      "path",          "expression",          "componentName",
        "value",   "idPath",        "type",          "topologyName",        "subGroups",
        "members", "resumeActions", "rootComponent", "structureDefinition", NULL};
    bool of_root = strstr(spot->path, "rootComponent.kind.") != NULL ||
                   ends_with(spot->path, "rootComponent.statusDefinition");
    bool of_selector = spot->key != NULL && strcmp(spot->key, "value") == 0 &&
                       strstr(spot->path, "componentTypeSelector") != NULL;
    bool in_spec = is_in_spec(spot) && spot->key != NULL && !of_selector;
    return in_spec && (of_root || is_one_of(spot->key, names));
}

static bool is_needed_text(const struct spot *spot)
{
    return is_needed(spot) && json_is_string(spot->value) && strcmp(spot->key, "value") != 0;
}

static bool is_action_value(const struct spot *spot)
{
    return strstr(spot->path, "Actions[") != NULL && ends_with(spot->path, ".value");
}

static bool is_name(const struct spot *spot)
{
    static const char *const names[] = {"ownerRef", "componentName", NULL};
    return spot->key != NULL && is_one_of(spot->key, names);
}

static bool is_owner(const struct spot *spot)
{
    return spot->key != NULL && strcmp(spot->key, "ownerRef") == 0;
}

static bool is_child_name(const struct spot *spot)
{
    return strstr(spot->path, "childComponents[") != NULL && ends_with(spot->path, "].name");
}

static bool is_template(const struct spot *spot)
{
    return spot->key != NULL && strcmp(spot->key, "specDefinition") == 0;
}

static bool is_ids(const struct spot *spot)
{
    static const char *const names[] = {"instanceIdPath", "componentInstanceSelector", NULL};
    return spot->key != NULL && is_one_of(spot->key, names);
}

static bool is_members(const struct spot *spot)
{
    static const char *const names[] = {"subGroups", "members", NULL};
    return spot->key != NULL && is_one_of(spot->key, names);
}

static bool is_topology(const struct spot *spot)
{
    return spot->key != NULL && strcmp(spot->key, "topology") == 0;
}

static bool is_mappings(const struct spot *spot)
{
    return spot->key != NULL && strcmp(spot->key, "statusMappings") == 0;
}

static bool is_matcher(const struct spot *spot)
{
    return spot->key == NULL && strstr(spot->path, "statusMappings.") != NULL &&
           strstr(spot->path, ".by") == NULL;
}

static bool is_actions(const struct spot *spot)
{
    return spot->key != NULL && ends_with(spot->key, "Actions");
}

static bool is_status(const struct spot *spot)
{
    return spot->key != NULL && strcmp(spot->key, "statusDefinition") == 0 &&
           json_object_get(spot->value, "phaseDefinition") != NULL;
}

static bool is_annotations(const struct spot *spot)
{
    return strcmp(spot->path, "metadata.annotations") == 0;
}

static bool is_root(const struct spot *spot)
{
    return ends_with(spot->path, "rootComponent");
}

/* The faults: each changes the field that was found for it. */

static void wrong_type(const struct spot *spot, uint64_t *seed)
{
    static const char *const values[] = {"7", "true", "2.5"};
    bool scalar = fuzz_random(seed, 2) == 0 || json_is_object(spot->value);
    set(spot, scalar ? json_loads(FUZZ_PICK(seed, values), JSON_DECODE_ANY, NULL)
                     : (json_is_array(spot->value) ? json_object() : json_array()));
}

static void bad_expression(const struct spot *spot, uint64_t *seed)
{
    static const char *const texts[] = {"",
                                        " \n",
                                        "spec.x",
                                        ".a.[0]",
                                        "env",
                                        "$ENV",
                                        "$ ENV.x",
                                        "..",
                                        "def f: 1; f",
                                        "import \"a\" as a; .",
                                        "range(3)",
                                        "[.a",
                                        ".a) , (.b",
                                        "\"abc",
                                        ".a = 1",
                                        "del(.a)",
                                        ".a | index(\"x\")",
                                        "if . then 1 end",
                                        "reduce .[] as $x (0; . + $x)",
                                        "input",
                                        "[debug]",
                                        "\"\\(now)\"",
                                        "1 +",
                                        "| .",
                                        "$x",
                                        "# only",
                                        ".a | splits(\",\")",
                                        "{a: walk(.)}",
                                        "recurse",
                                        "foo(.a)",
                                        "\x01",
                                        ".a\r",
                                        ". as [$x] | $y"};
    set(spot, json_string(FUZZ_PICK(seed, texts)));
}

static void no_path(const struct spot *spot, uint64_t *seed)
{
    static const char *const texts[] = {"{}",    "1",           ".a // {}",      ".a | length",
                                        "[.a]",  ".a + .b",     ".a | tostring", ".a[1:2]",
                                        "\"x\"", ". as $x | $x"};
    set(spot, json_string(FUZZ_PICK(seed, texts)));
}

static void left_out(const struct spot *spot, uint64_t *seed)
{
    if (fuzz_random(seed, 2) == 0)
        json_object_del(spot->container, spot->key);
    else
        set(spot, json_null());
}

static void empty_text(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    set(spot, json_string(""));
}

static void no_json(const struct spot *spot, uint64_t *seed)
{
    static const char *const texts[] = {"on",  "{a: 1}", "'x'", "[1,]", "1 2", "{\"a\":1,\"a\":2}",
                                        "True"};
    set(spot, json_string(FUZZ_PICK(seed, texts)));
}

static void unknown_name(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    set(spot, json_string("nobody"));
}

static void own_owner(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    set(spot, json_incref(json_object_get(spot->container, "name")));
}

static void repeated_name(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    set(spot, json_string("thing"));
}

static void two_forms(const struct spot *spot, uint64_t *seed)
{
    bool whole = json_object_get(spot->value, "podTemplateSpecPath") != NULL;
    if (fuzz_random(seed, 2) == 0)
        json_object_clear(spot->value);
    else
        json_object_set_new(spot->value, whole ? "podSpecPath" : "podTemplateSpecPath",
                            json_string(".spec.x"));
}

static void empty_list(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    json_array_clear(spot->value);
}

static void member_twice(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    json_array_append(spot->value, json_array_get(spot->value, 0));
}

static void no_levels(const struct spot *spot, uint64_t *seed)
{
    const char *key = fuzz_random(seed, 2) == 0 ? "topologyName" : "requiredTopologyLevel";
    json_object_set_new(spot->value, key, json_string(""));
    if (strcmp(key, "topologyName") != 0)
        json_object_del(spot->value, "preferredTopologyLevel");
}

static void unknown_status(const struct spot *spot, uint64_t *seed)
{
    static const char *const names[] = {"Running", "done", "complete", "pending", ""};
    json_object_set_new(spot->value, FUZZ_PICK(seed, names), json_array());
}

static void states_nothing(const struct spot *spot, uint64_t *seed)
{
    json_object_clear(spot->value);
    if (fuzz_random(seed, 2) == 0)
        json_object_set_new(spot->value, "byConditions", json_array());
}

static void needs_phase(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    json_t *mappings = json_object_get(spot->value, "statusMappings");
    json_object_set_new(mappings, "running", json_pack("[{s:s}]", "byPhase", "x"));
    json_object_del(spot->value, "phaseDefinition");
}

static void bad_annotation(const struct spot *spot, uint64_t *seed)
{
    static const char *const names[] = {"workloadmap.dev/starts-later",
                                        "workloadmap.dev/min-member-path",
                                        "workloadmap.dev/constant-keys"};
    static const char *const texts[] = {
        "[\".metadata.name\"]",      "{\"nobody\": \".x\"}", "{", "7", "[[]]",
        "{\"thing\": 1, \"all\": 2}"};
    json_object_set_new(spot->value, FUZZ_PICK(seed, names), json_string(FUZZ_PICK(seed, texts)));
}

static void root_owner(const struct spot *spot, uint64_t *seed)
{
    (void)seed;
    json_object_set_new(spot->value, "ownerRef", json_string("thing"));
}

/* A name that is gone or repeated is missed where it is mentioned too, so that has no one place. */
static const struct {
    const char *name;
    spot_test *test;
    void (*change)(const struct spot *spot, uint64_t *seed);
} faults[] = {
    {"wrong type", is_in_spec, wrong_type},
    {"bad expression", is_expression, bad_expression},
    {"no path to write to", is_written, no_path},
    {"needed, left out", is_needed, left_out},
    {"needed, empty", is_needed_text, empty_text},
    {"no JSON", is_action_value, no_json},
    {"unknown name", is_name, unknown_name},
    {"owns itself", is_owner, own_owner},
    {"repeated name", is_child_name, repeated_name},
    {"no form or two", is_template, two_forms},
    {"ids without selector", is_ids, left_out},
    {"no members", is_members, empty_list},
    {"member twice", is_members, member_twice},
    {"bad topology", is_topology, no_levels},
    {"unknown status", is_mappings, unknown_status},
    {"empty matcher", is_matcher, states_nothing},
    {"phase without definition", is_status, needs_phase},
    {"no actions", is_actions, empty_list},
    {"bad annotation", is_annotations, bad_annotation},
    {"root with owner", is_root, root_owner},
};

/* Where only one of two sides can be named, or the fault is inside what is named. */
static bool has_one_place(const char *name)
{
    static const char *const others[] = {"ids without selector",
                                         "no form or two",
                                         "bad topology",
                                         "unknown status",
                                         "phase without definition",
                                         "bad annotation",
                                         "root with owner",
                                         "member twice",
                                         NULL};
    return !is_one_of(name, others);
}

const char *fuzz_karta_break(json_t *karta, uint64_t *seed, char **path)
{
    struct spot spot;
    size_t chosen;
    *path = NULL;
    do
        chosen = fuzz_random(seed, sizeof faults / sizeof faults[0]);
    while (!find(karta, seed, faults[chosen].test, &spot, path));
    faults[chosen].change(&spot, seed);
    if (!has_one_place(faults[chosen].name)) {
        free(*path);
        *path = NULL;
    }
    return faults[chosen].name;
}
