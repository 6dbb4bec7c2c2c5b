/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner walk. The one idea: whole kinds are listed, round by round, instead of owners one by
 * one: a thousand pods have a handful of kinds above them.
 */
#include "owners.h"

#include <string.h>

#include "base/mem.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"

/* the deepest chain known has five: pods, set, clique, scaling group, set of cliques */
#define ROUNDS 8
#define DEPTH 16

bool owners_init(struct owners *owners)
{
    *owners = (struct owners){json_object(), json_object()};
    return owners->by_uid != NULL && owners->asked != NULL;
}

void owners_dispose(struct owners *owners)
{
    json_decref(owners->by_uid);
    json_decref(owners->asked);
}

static const json_t *references_of(const json_t *object)
{
    return json_object_get(json_object_get(object, "metadata"), "ownerReferences");
}

static const char *uid_of(const json_t *object)
{
    return input_text(json_object_get(object, "metadata"), "uid");
}

bool owners_add(struct owners *owners, const json_t *objects)
{
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i), *references = references_of(object);
        json_t *known =
            json_is_array(references) ? json_incref((json_t *)references) : json_array();
        if (*uid_of(object) == '\0')
            json_decref(known);
        else if (json_object_set_new(owners->by_uid, uid_of(object), known) != 0)
            return false;
    }
    return true;
}

/* Adds the kind of a reference to `types` where it must be asked for. */
static void want(struct owners *owners, const struct live *live, const json_t *reference,
                 const struct karta_snapshot *stop, struct strbuf *types)
{
    const char *api_version = input_text(reference, "apiVersion");
    const char *kind = input_text(reference, "kind");
    if (json_object_get(owners->by_uid, input_text(reference, "uid")) != NULL ||
        (stop != NULL && live_is_covered(stop, api_version, kind)))
        return;
    const struct api_resource *resource = api_resources_of(&live->resources, api_version, kind);
    if (resource == NULL || json_object_get(owners->asked, resource->address) != NULL)
        return;
    if (json_object_set_new(owners->asked, resource->address, json_true()) != 0)
        types->failed = KARTA_ERR_NOMEM;
    strbuf_addf(types, "%s%s", types->size > 0 ? "," : "", resource->address);
}

static void want_all(struct owners *owners, const struct live *live,
                     const struct karta_snapshot *stop, struct strbuf *types)
{
    const char *uid;
    json_t *references;
    json_object_foreach(owners->by_uid, uid, references)
    {
        for (size_t i = 0; i < json_array_size(references); i++)
            want(owners, live, json_array_get(references, i), stop, types);
    }
}

static int ask(struct owners *owners, const struct live *live, bool everywhere, const char *types)
{
    struct live_request request = {.types = types, .everywhere = everywhere};
    int code = live_get(live, &request, 1);
    if (code == CLI_DONE) {
        live_warn(&request);
        if (!owners_add(owners, request.items))
            code = cli_fail(CLI_FAILED, "out of memory");
    }
    live_request_dispose(&request);
    return code;
}

int owners_complete(struct owners *owners, const struct live *live, bool everywhere,
                    const struct karta_snapshot *stop)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        KARTA_AUTO_STRBUF types;
        strbuf_init(&types, OUTPUT_BYTES);
        want_all(owners, live, stop, &types);
        if (types.failed != 0)
            return cli_fail(CLI_FAILED, "out of memory");
        if (types.size == 0)
            return CLI_DONE;
        int code = ask(owners, live, everywhere, types.text);
        if (code != CLI_DONE)
            return code;
    }
    return CLI_DONE;
}

static bool lead_to(const struct owners *owners, const json_t *references, const char *uid,
                    int depth)
{
    for (size_t i = 0; i < json_array_size(references) && depth > 0; i++) {
        const char *owner = input_text(json_array_get(references, i), "uid");
        if (strcmp(owner, uid) == 0 ||
            lead_to(owners, json_object_get(owners->by_uid, owner), uid, depth - 1))
            return true;
    }
    return false;
}

bool owners_lead_to(const struct owners *owners, const json_t *object, const char *uid)
{
    if (*uid == '\0')
        return false;
    return strcmp(uid_of(object), uid) == 0 || lead_to(owners, references_of(object), uid, DEPTH);
}

static bool are_covered(const struct owners *owners, const json_t *references,
                        const struct karta_snapshot *catalog, int depth)
{
    for (size_t i = 0; i < json_array_size(references) && depth > 0; i++) {
        const json_t *reference = json_array_get(references, i);
        if (live_is_covered(catalog, input_text(reference, "apiVersion"),
                            input_text(reference, "kind")) ||
            are_covered(owners, json_object_get(owners->by_uid, input_text(reference, "uid")),
                        catalog, depth - 1))
            return true;
    }
    return false;
}

bool owners_are_covered(const struct owners *owners, const json_t *object,
                        const struct karta_snapshot *catalog)
{
    return are_covered(owners, references_of(object), catalog, DEPTH);
}
