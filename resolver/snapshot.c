/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions and profiles in force together. The one idea: filled once, then never changed, so
 * that readers need no lock; a change is another snapshot, which shares what stays the same.
 */
#include "snapshot.h"

#include <string.h>

#include "base/mem.h"
#include "document_validate.h"
#include "karta/document.h"
#include "schema.h"

/* FNV-1a; each text with its end, so that joined ones differ. */
static size_t mix_text(size_t sum, const char *text)
{
    do
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3U;
    while (*text++ != '\0');
    return sum;
}

size_t *snapshot_slot(const struct karta_snapshot *snapshot, const char *group, const char *version,
                      const char *kind)
{
    size_t at = mix_text(mix_text(mix_text(0xcbf29ce484222325U, group), version), kind);
    for (;; at++) {
        size_t *slot = &snapshot->slots[at & (snapshot->slot_count - 1)];
        if (*slot == 0 ||
            gvk_is(definition_gvk(snapshot->definitions[*slot - 1]), group, version, kind))
            return slot;
    }
}

/* Slots for `room` definitions, the present ones in their places. */
static int make_slots(struct karta_snapshot *snapshot, size_t room)
{
    size_t count = 64;
    while (count < 2 * room)
        count *= 2;
    size_t *slots = mem_array(count, sizeof *slots);
    if (slots == NULL)
        return KARTA_ERR_NOMEM;
    free(snapshot->slots);
    snapshot->slots = slots;
    snapshot->slot_count = count;
    for (size_t i = 0; i < snapshot->definition_count; i++) {
        const struct gvk *gvk = definition_gvk(snapshot->definitions[i]);
        *snapshot_slot(snapshot, gvk->group, gvk->version, gvk->kind) = i + 1;
    }
    return 0;
}

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

static void document_unref(struct snapshot_document *document)
{
    if (document == NULL ||
        atomic_fetch_sub_explicit(&document->references, 1, memory_order_acq_rel) != 1)
        return;
    definition_free(document->definition);
    profile_free(document->profile);
    policy_free(document->policy);
    karta_problems_free(document->problems);
    free(document->name);
    free(document->origin);
    free(document);
}

void karta_snapshot_unref(struct karta_snapshot *snapshot)
{
    if (snapshot == NULL ||
        atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < snapshot->entry_count; i++)
        document_unref(snapshot->entries[i].document);
    free(snapshot->entries);
    free(snapshot->definitions);
    free(snapshot->slots);
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
    if (make_slots(snapshot, room) != 0)
        return KARTA_ERR_NOMEM;
    snapshot->entry_room = room;
    return 0;
}

static struct snapshot_document *document_new(const char *name, const char *origin)
{
    struct snapshot_document *document = calloc(1, sizeof *document);
    if (document == NULL)
        return NULL;
    atomic_init(&document->references, 1);
    document->name = strdup(name);
    document->origin = strdup(origin);
    document->kind = "Karta";
    document->problems = karta_problems_new();
    if (document->name != NULL && document->origin != NULL && document->problems != NULL)
        return document;
    document_unref(document);
    return NULL;
}

static struct snapshot_document *add_document(struct karta_snapshot *snapshot, const char *name,
                                              const char *origin)
{
    if (make_room(snapshot) != 0)
        return NULL;
    struct snapshot_document *document = document_new(name, origin);
    if (document != NULL)
        snapshot->entries[snapshot->entry_count++] = (struct snapshot_entry){.document = document};
    return document;
}

static void mark_shadowed(struct karta_snapshot *snapshot, const void *loser)
{
    for (size_t i = 0; i < snapshot->entry_count; i++) {
        const struct snapshot_document *document = snapshot->entries[i].document;
        if (document->definition == loser || document->profile == loser ||
            document->policy == loser)
            snapshot->entries[i].shadowed = true;
    }
}

/* The later definition of a kind takes the earlier one's place. */
static void put_definition(struct karta_snapshot *snapshot, struct karta_definition *definition)
{
    const struct gvk *gvk = definition_gvk(definition);
    size_t *slot = snapshot_slot(snapshot, gvk->group, gvk->version, gvk->kind);
    if (*slot != 0) {
        mark_shadowed(snapshot, snapshot->definitions[*slot - 1]);
        snapshot->definitions[*slot - 1] = definition;
        return;
    }
    snapshot->definitions[snapshot->definition_count++] = definition;
    *slot = snapshot->definition_count;
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

/* Into force, each in its index. */
static void put(struct karta_snapshot *snapshot, const struct snapshot_document *document)
{
    if (document->definition != NULL)
        put_definition(snapshot, document->definition);
    if (document->profile != NULL)
        put_profile(snapshot, document->profile);
    if (document->policy != NULL)
        put_policy(snapshot, document->policy);
}

/* Copies a document's problems to the caller's list, each path with its origin. */
static void report(const struct snapshot_document *document, struct karta_problems *problems)
{
    for (size_t i = 0; i < karta_problems_count(document->problems); i++) {
        const char *path = karta_problem_path(document->problems, i);
        KARTA_AUTO_TEXT located =
            mem_format("%s%s%s", document->origin, path[0] != '\0' ? ": " : "", path);
        karta_problems_add(problems, karta_problem_severity(document->problems, i),
                           located != NULL ? located : path, "%s",
                           karta_problem_message(document->problems, i));
    }
}

static int load_document(struct karta_snapshot *snapshot, const json_t *json, const char *origin,
                         struct karta_problems *problems)
{
    const char *name =
        json_string_value(json_object_get(json_object_get(json, "metadata"), "name"));
    struct snapshot_document *document = add_document(snapshot, name != NULL ? name : "", origin);
    if (document == NULL)
        return KARTA_ERR_NOMEM;
    switch (document_kind(json, document->problems)) {
    case DOCUMENT_KARTA:
        document->definition = definition_new(json, origin, document->problems);
        break;
    case DOCUMENT_PROFILE:
        document->kind = "GangProfile";
        document->profile = profile_new(json, origin, document->problems);
        break;
    case DOCUMENT_POLICY:
        document->kind = "WorkloadPolicy";
        document->policy = policy_new(json, origin, document->problems);
        break;
    case DOCUMENT_UNKNOWN:
        break;
    }
    put(snapshot, document);
    report(document, problems);
    return 0;
}

/* Bytes that could not be read at all are an entry too, so that lists show the failure. */
static int load_failed(struct karta_snapshot *snapshot, const char *origin,
                       struct karta_problems *problems, const struct karta_error *err)
{
    struct snapshot_document *document = add_document(snapshot, "", origin);
    if (document == NULL)
        return err->code;
    if (err->line > 0)
        karta_problems_add(document->problems, KARTA_REFUSAL, "", "line %d: %s", err->line,
                           err->message);
    else
        karta_problems_add(document->problems, KARTA_REFUSAL, "", "%s", err->message);
    report(document, problems);
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

/* Another snapshot's document, as if it had been loaded here. */
static int adopt(struct karta_snapshot *snapshot, struct snapshot_document *document)
{
    if (make_room(snapshot) != 0)
        return KARTA_ERR_NOMEM;
    atomic_fetch_add_explicit(&document->references, 1, memory_order_relaxed);
    snapshot->entries[snapshot->entry_count++] = (struct snapshot_entry){.document = document};
    put(snapshot, document);
    return 0;
}

int karta_snapshot_adopt(struct karta_snapshot *snapshot, const struct karta_snapshot *other,
                         karta_snapshot_wants *wants, void *arg, struct karta_error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < other->entry_count; i++) {
        struct snapshot_document *document = other->entries[i].document;
        if (wants == NULL || wants(arg, document->origin))
            code = adopt(snapshot, document);
    }
    return code == 0 ? 0 : karta_error_set(err, code, "out of memory");
}

int karta_snapshot_adopt_origin(struct karta_snapshot *snapshot, const struct karta_snapshot *other,
                                const char *origin, size_t *from)
{
    size_t count = other->entry_count, at = 0, steps = 0;
    while (steps < count &&
           strcmp(other->entries[at = (*from + steps) % count].document->origin, origin) != 0)
        steps++;
    if (steps == count)
        return 0;
    int adopted = 0;
    for (; at < count && strcmp(other->entries[at].document->origin, origin) == 0; at++) {
        if (adopt(snapshot, other->entries[at].document) != 0)
            return KARTA_ERR_NOMEM;
        adopted++;
    }
    *from = at;
    return adopted;
}
