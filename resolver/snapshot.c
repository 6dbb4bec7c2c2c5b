/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions and profiles in force together. The one idea: filled once, then never changed, so
 * that readers need no lock; a change is another snapshot.
 */
#include "snapshot.h"

#include <string.h>

#include "base/mem.h"
#include "document_validate.h"
#include "karta/document.h"
#include "schema.h"

struct karta_snapshot *karta_snapshot_new(void)
{
    struct karta_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (snapshot != NULL)
        atomic_init(&snapshot->references, 1);
    return snapshot;
}

struct karta_snapshot *karta_snapshot_ref(struct karta_snapshot *snapshot)
{
    atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    return snapshot;
}

static void entry_dispose(struct snapshot_entry *entry)
{
    definition_free(entry->definition);
    profile_free(entry->profile);
    policy_free(entry->policy);
    karta_problems_free(entry->problems);
    free(entry->name);
    free(entry->origin);
}

void karta_snapshot_unref(struct karta_snapshot *snapshot)
{
    if (snapshot == NULL ||
        atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < snapshot->entry_count; i++)
        entry_dispose(&snapshot->entries[i]);
    free(snapshot->entries);
    free(snapshot->definitions);
    free(snapshot->profiles);
    free(snapshot->policies);
    free(snapshot);
}

/* Room for one more entry and, so that no later step can fail, one more of each index. */
static int make_room(struct karta_snapshot *snapshot)
{
    if (snapshot->entry_count < snapshot->entry_room)
        return 0;
    size_t room = snapshot->entry_room * 2 + 16;
    struct snapshot_entry *entries = realloc(snapshot->entries, room * sizeof *entries);
    if (entries == NULL)
        return KARTA_ERR_NOMEM;
    snapshot->entries = entries;
    struct karta_definition **definitions =
        realloc(snapshot->definitions, room * sizeof(struct karta_definition *));
    if (definitions == NULL)
        return KARTA_ERR_NOMEM;
    snapshot->definitions = definitions;
    struct karta_profile **profiles =
        realloc(snapshot->profiles, room * sizeof(struct karta_profile *));
    if (profiles == NULL)
        return KARTA_ERR_NOMEM;
    snapshot->profiles = profiles;
    struct karta_policy **policies =
        realloc(snapshot->policies, room * sizeof(struct karta_policy *));
    if (policies == NULL)
        return KARTA_ERR_NOMEM;
    snapshot->policies = policies;
    snapshot->entry_room = room;
    return 0;
}

static struct snapshot_entry *add_entry(struct karta_snapshot *snapshot, const char *name,
                                        const char *origin)
{
    if (make_room(snapshot) != 0)
        return NULL;
    struct snapshot_entry *entry = &snapshot->entries[snapshot->entry_count];
    *entry = (struct snapshot_entry){.name = strdup(name),
                                     .origin = strdup(origin),
                                     .kind = "Karta",
                                     .problems = karta_problems_new()};
    if (entry->name == NULL || entry->origin == NULL || entry->problems == NULL) {
        entry_dispose(entry);
        return NULL;
    }
    snapshot->entry_count++;
    return entry;
}

static void mark_shadowed(struct karta_snapshot *snapshot, const void *loser)
{
    for (size_t i = 0; i < snapshot->entry_count; i++)
        if (snapshot->entries[i].definition == loser || snapshot->entries[i].profile == loser ||
            snapshot->entries[i].policy == loser)
            snapshot->entries[i].shadowed = true;
}

/* The later definition of a kind takes the earlier one's place. */
static void put_definition(struct karta_snapshot *snapshot, struct karta_definition *definition)
{
    const struct gvk *gvk = definition_gvk(definition);
    for (size_t i = 0; i < snapshot->definition_count; i++) {
        const struct gvk *other = definition_gvk(snapshot->definitions[i]);
        if (!gvk_is(other, gvk->group, gvk->version, gvk->kind))
            continue;
        mark_shadowed(snapshot, snapshot->definitions[i]);
        snapshot->definitions[i] = definition;
        return;
    }
    snapshot->definitions[snapshot->definition_count++] = definition;
}

static void put_profile(struct karta_snapshot *snapshot, struct karta_profile *profile)
{
    for (size_t i = 0; i < snapshot->profile_count; i++) {
        if (strcmp(snapshot->profiles[i]->name, profile->name) != 0)
            continue;
        mark_shadowed(snapshot, snapshot->profiles[i]);
        snapshot->profiles[i] = profile;
        return;
    }
    snapshot->profiles[snapshot->profile_count++] = profile;
}

/* By name, so that whatever several policies say comes in one order. */
static void put_policy(struct karta_snapshot *snapshot, struct karta_policy *policy)
{
    size_t at = 0;
    while (at < snapshot->policy_count && strcmp(snapshot->policies[at]->name, policy->name) < 0)
        at++;
    if (at < snapshot->policy_count && strcmp(snapshot->policies[at]->name, policy->name) == 0) {
        mark_shadowed(snapshot, snapshot->policies[at]);
        snapshot->policies[at] = policy;
        return;
    }
    memmove(&snapshot->policies[at + 1], &snapshot->policies[at],
            (snapshot->policy_count - at) * sizeof(struct karta_policy *));
    snapshot->policies[at] = policy;
    snapshot->policy_count++;
}

/* Copies an entry's problems to the caller's list, each path with its origin. */
static void report(const struct snapshot_entry *entry, struct karta_problems *problems)
{
    for (size_t i = 0; i < karta_problems_count(entry->problems); i++) {
        const char *path = karta_problem_path(entry->problems, i);
        KARTA_AUTO_TEXT located =
            mem_format("%s%s%s", entry->origin, path[0] != '\0' ? ": " : "", path);
        karta_problems_add(problems, karta_problem_severity(entry->problems, i),
                           located != NULL ? located : path, "%s",
                           karta_problem_message(entry->problems, i));
    }
}

static int load_document(struct karta_snapshot *snapshot, const json_t *document,
                         const char *origin, struct karta_problems *problems)
{
    const json_t *metadata = json_object_get(document, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    struct snapshot_entry *entry = add_entry(snapshot, name != NULL ? name : "", origin);
    if (entry == NULL)
        return KARTA_ERR_NOMEM;
    switch (document_kind(document, entry->problems)) {
    case DOCUMENT_KARTA:
        entry->definition = definition_new(document, origin, entry->problems);
        break;
    case DOCUMENT_PROFILE:
        entry->kind = "GangProfile";
        entry->profile = profile_new(document, origin, entry->problems);
        break;
    case DOCUMENT_POLICY:
        entry->kind = "WorkloadPolicy";
        entry->policy = policy_new(document, origin, entry->problems);
        break;
    case DOCUMENT_UNKNOWN:
        break;
    }
    if (entry->definition != NULL)
        put_definition(snapshot, entry->definition);
    if (entry->profile != NULL)
        put_profile(snapshot, entry->profile);
    if (entry->policy != NULL)
        put_policy(snapshot, entry->policy);
    report(entry, problems);
    return 0;
}

/* Bytes that could not be read at all are an entry too, so that lists show the failure. */
static int load_failed(struct karta_snapshot *snapshot, const char *origin,
                       struct karta_problems *problems, const struct karta_error *err)
{
    struct snapshot_entry *entry = add_entry(snapshot, "", origin);
    if (entry == NULL)
        return err->code;
    if (err->line > 0)
        karta_problems_add(entry->problems, KARTA_REFUSAL, "", "line %d: %s", err->line,
                           err->message);
    else
        karta_problems_add(entry->problems, KARTA_REFUSAL, "", "%s", err->message);
    report(entry, problems);
    return err->code;
}

int karta_snapshot_load(struct karta_snapshot *snapshot, const char *bytes, size_t size,
                        const char *origin, struct karta_problems *problems,
                        struct karta_error *err)
{
    struct karta_error own = {0};
    json_auto_t *documents = NULL;
    int code = karta_documents_parse(bytes, size, &documents, &own);
    if (code != 0) {
        karta_error_set_at(err, code, own.line, own.column, "%s", own.message);
        return load_failed(snapshot, origin, problems, &own);
    }
    for (size_t i = 0; code == 0 && i < json_array_size(documents); i++)
        code = load_document(snapshot, json_array_get(documents, i), origin, problems);
    return code == 0 ? 0 : karta_error_set(err, code, "out of memory");
}

const struct karta_definition *karta_snapshot_find(const struct karta_snapshot *snapshot,
                                                   const char *group, const char *version,
                                                   const char *kind)
{
    for (size_t i = 0; i < snapshot->definition_count; i++)
        if (gvk_is(definition_gvk(snapshot->definitions[i]), group, version, kind))
            return snapshot->definitions[i];
    return NULL;
}

const struct karta_definition *karta_snapshot_find_for(const struct karta_snapshot *snapshot,
                                                       const json_t *object)
{
    struct gvk gvk = {0};
    if (gvk_of_object(object, &gvk, NULL) != 0)
        return NULL;
    const struct karta_definition *definition =
        karta_snapshot_find(snapshot, gvk.group, gvk.version, gvk.kind);
    gvk_dispose(&gvk);
    return definition;
}

const struct karta_definition *karta_snapshot_find_name(const struct karta_snapshot *snapshot,
                                                        const char *name)
{
    for (size_t i = 0; i < snapshot->definition_count; i++)
        if (strcmp(snapshot->definitions[i]->name, name) == 0)
            return snapshot->definitions[i];
    return NULL;
}

const struct karta_profile *karta_snapshot_profile(const struct karta_snapshot *snapshot,
                                                   const char *name)
{
    for (size_t i = 0; i < snapshot->profile_count; i++)
        if (strcmp(snapshot->profiles[i]->name, name) == 0)
            return snapshot->profiles[i];
    return NULL;
}

static const char *state_of(const struct snapshot_entry *entry)
{
    if (entry->definition == NULL && entry->profile == NULL && entry->policy == NULL)
        return "failed";
    return entry->shadowed ? "shadowed" : "active";
}

static json_t *entry_problems(const struct snapshot_entry *entry)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(entry->problems); i++) {
        const char *path = karta_problem_path(entry->problems, i);
        bool warning = karta_problem_severity(entry->problems, i) == KARTA_WARNING;
        json_array_append_new(list, json_sprintf("%s%s%s%s", warning ? "warning: " : "", path,
                                                 path[0] != '\0' ? ": " : "",
                                                 karta_problem_message(entry->problems, i)));
    }
    return list;
}

static json_t *entry_json(const struct snapshot_entry *entry)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", entry->name, "kind", entry->kind, "origin",
                  entry->origin, "state", state_of(entry), "problems", entry_problems(entry));
    if (entry->definition == NULL)
        return object;
    const struct gvk *gvk = definition_gvk(entry->definition);
    json_object_set_new(object, "for",
                        json_pack("{s:s, s:s, s:s}", "group", gvk->group, "version", gvk->version,
                                  "kind", gvk->kind));
    json_object_set_new(object, "gang", json_boolean(karta_definition_gangs(entry->definition)));
    return object;
}

json_t *karta_snapshot_list(const struct karta_snapshot *snapshot)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < snapshot->entry_count; i++)
        json_array_append_new(list, entry_json(&snapshot->entries[i]));
    return list;
}

size_t karta_snapshot_count(const struct karta_snapshot *snapshot, const char *state)
{
    size_t count = 0;
    for (size_t i = 0; i < snapshot->entry_count; i++)
        count += strcmp(state_of(&snapshot->entries[i]), state) == 0;
    return count;
}

static int warm(struct jq_program *program, const char *name, struct karta_error *err)
{
    if (program == NULL)
        return 0;
    int code = jq_program_compile(program, NULL, err);
    return code == 0 ? 0 : karta_error_wrap(err, code, "%s", name);
}

static int warm_profile(const struct karta_profile *profile, struct karta_error *err)
{
    int code = warm(profile->program, profile->name, err);
    for (size_t i = 0; code == 0 && i < profile->workload_count; i++)
        code = warm(profile->workload[i].program, profile->name, err);
    return code;
}

static int warm_policy(const struct karta_policy *policy, struct karta_error *err)
{
    int code = policy_compile(policy, err);
    return code == 0 ? 0 : karta_error_wrap(err, code, "%s", policy->name);
}

static int warm_definition(const struct karta_definition *definition, struct karta_error *err)
{
    int code = warm(definition->structure, definition->name, err);
    if (code == 0)
        code = warm(definition->status, definition->name, err);
    return code == 0 ? warm(definition->pods, definition->name, err) : code;
}

int karta_snapshot_warm_entry(const struct karta_snapshot *snapshot, size_t index,
                              struct karta_error *err)
{
    if (index >= snapshot->entry_count)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no entry %zu", index);
    const struct snapshot_entry *entry = &snapshot->entries[index];
    if (entry->shadowed)
        return 0;
    int code = entry->definition != NULL ? warm_definition(entry->definition, err) : 0;
    if (code == 0 && entry->profile != NULL)
        code = warm_profile(entry->profile, err);
    return code == 0 && entry->policy != NULL ? warm_policy(entry->policy, err) : code;
}

int karta_snapshot_warm(const struct karta_snapshot *snapshot, struct karta_error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < snapshot->entry_count; i++)
        code = karta_snapshot_warm_entry(snapshot, i, err);
    return code;
}

const char *karta_definition_name(const struct karta_definition *definition)
{
    return definition->name;
}

const char *karta_definition_origin(const struct karta_definition *definition)
{
    return definition->origin;
}

const json_t *karta_definition_document(const struct karta_definition *definition)
{
    return definition->document;
}

const char *karta_definition_plural(const struct karta_definition *definition)
{
    return definition->plural;
}

int karta_definition_gangs(const struct karta_definition *definition)
{
    return definition->group_count > 0;
}

const char *karta_profile_name(const struct karta_profile *profile)
{
    return profile->name;
}
