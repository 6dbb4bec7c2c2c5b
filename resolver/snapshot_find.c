/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot answers: which definition covers a kind, what was loaded, what is compiled. */
#include "snapshot.h"

#include <string.h>

#include "base/mem.h"

const struct karta_definition *karta_snapshot_find(const struct karta_snapshot *snapshot,
                                                   const char *group, const char *version,
                                                   const char *kind)
{
    if (snapshot->slot_count == 0)
        return NULL;
    size_t slot = *snapshot_slot(snapshot, group, version, kind);
    return slot != 0 ? snapshot->definitions[slot - 1] : NULL;
}

size_t karta_snapshot_definitions(const struct karta_snapshot *snapshot)
{
    return snapshot->definition_count;
}

const struct karta_definition *karta_snapshot_definition(const struct karta_snapshot *snapshot,
                                                         size_t index)
{
    return index < snapshot->definition_count ? snapshot->definitions[index] : NULL;
}

const struct karta_problems *karta_snapshot_problems(const struct karta_snapshot *snapshot,
                                                     const char *origin)
{
    for (size_t i = 0; i < snapshot->entry_count; i++)
        if (strcmp(snapshot->entries[i].document->origin, origin) == 0)
            return snapshot->entries[i].document->problems;
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
    const struct snapshot_document *document = entry->document;
    if (document->definition == NULL && document->profile == NULL && document->policy == NULL)
        return "failed";
    return entry->shadowed ? "shadowed" : "active";
}

static json_t *problems_json(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *path = karta_problem_path(problems, i);
        bool warning = karta_problem_severity(problems, i) == KARTA_WARNING;
        json_array_append_new(list, json_sprintf("%s%s%s%s", warning ? "warning: " : "", path,
                                                 path[0] != '\0' ? ": " : "",
                                                 karta_problem_message(problems, i)));
    }
    return list;
}

static json_t *entry_json(const struct snapshot_entry *entry)
{
    const struct snapshot_document *document = entry->document;
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", document->name, "kind",
                               document->kind, "origin", document->origin, "state", state_of(entry),
                               "problems", problems_json(document->problems));
    if (document->definition == NULL)
        return object;
    const struct gvk *gvk = definition_gvk(document->definition);
    json_object_set_new(object, "for",
                        json_pack("{s:s, s:s, s:s}", "group", gvk->group, "version", gvk->version,
                                  "kind", gvk->kind));
    json_object_set_new(object, "gang", json_boolean(karta_definition_gangs(document->definition)));
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
    int code = warm(policy->program, policy->name, err);
    return code == 0 ? warm(policy->messages, policy->name, err) : code;
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
    const struct snapshot_document *document = entry->document;
    int code = document->definition != NULL ? warm_definition(document->definition, err) : 0;
    if (code == 0 && document->profile != NULL)
        code = warm_profile(document->profile, err);
    return code == 0 && document->policy != NULL ? warm_policy(document->policy, err) : code;
}

int karta_snapshot_prepare(const struct karta_snapshot *snapshot,
                           const struct karta_definition *definition, const char *profile,
                           struct karta_error *err)
{
    const struct karta_profile *writes = karta_snapshot_profile(snapshot, profile);
    int code = warm(definition->structure, definition->name, err);
    if (code == 0)
        code = warm(definition->pods, definition->name, err);
    return code == 0 && writes != NULL ? warm_profile(writes, err) : code;
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

const char *karta_definition_group(const struct karta_definition *definition)
{
    return definition_gvk(definition)->group;
}

const char *karta_definition_version(const struct karta_definition *definition)
{
    return definition_gvk(definition)->version;
}

const char *karta_definition_kind(const struct karta_definition *definition)
{
    return definition_gvk(definition)->kind;
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

/* A kind that the profile excludes may have been ganged under another: it is kept as it is. */
int karta_profile_sees(const struct karta_profile *profile,
                       const struct karta_definition *definition)
{
    const struct gvk *gvk = definition_gvk(definition);
    if (karta_definition_gangs(definition))
        return 1;
    if (profile == NULL || profile->require_gang)
        return 0;
    KARTA_AUTO_TEXT refusal = profile_refuses(profile, gvk->group, gvk->kind);
    return refusal == NULL;
}

size_t karta_profile_objects(const struct karta_profile *profile)
{
    return profile->object_count;
}

const json_t *karta_profile_document(const struct karta_profile *profile)
{
    return profile->document;
}

const struct karta_profile *karta_snapshot_profile_at(const struct karta_snapshot *snapshot,
                                                      size_t index)
{
    return index < snapshot->profile_count ? snapshot->profiles[index] : NULL;
}

const char *karta_profile_name(const struct karta_profile *profile)
{
    return profile->name;
}

const char *karta_profile_origin(const struct karta_profile *profile)
{
    return profile->origin;
}
