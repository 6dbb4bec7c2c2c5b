/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /mutate/workloads and /mutate/pods. The one idea: a fault of ours is never the workload's: it is
 * let through with a warning, unless whoever runs the server asked for the opposite.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "karta/engine.h"

bool admission_excludes(const struct admission_config *config, const char *ns)
{
    for (size_t i = 0; i < config->excluded_namespace_count; i++)
        if (strcmp(config->excluded_namespaces[i], ns) == 0)
            return true;
    return false;
}

static struct karta_mutate_options options_of(const struct admission_config *config,
                                              const struct review *review)
{
    const json_t *request = json_object_get(review->root, "request");
    return (struct karta_mutate_options){
        .profile = config->profile,
        .ns = review->ns,
        .uid = review->uid,
        .default_queue = config->default_queue,
        .gang_all = config->gang_all,
        .excluded_kinds = config->excluded_kinds,
        .excluded_kind_count = config->excluded_kind_count,
        .user_info = json_object_get(request, "userInfo"),
        .dry_run = json_is_true(json_object_get(request, "dryRun")),
        .follows = config->follows,
        .follows_arg = config->follows_arg,
        .deadline_ms = config->deadline_ms > 0 ? karta_engine_now_ms() + config->deadline_ms : 0};
}

static int deny(struct response *response, unsigned code, const char *reason, const char *message)
{
    response->allowed = false;
    response->code = code;
    response->reason = reason;
    response->message = strdup(message);
    return response->message != NULL ? 0 : KARTA_ERR_NOMEM;
}

/* The mutation failed: --on-error answers. */
static int failed(const struct admission_config *config, const struct karta_mutation *mutation,
                  const struct karta_error *err, struct response *response,
                  struct admission_record *record)
{
    snprintf(record->detail, sizeof record->detail, "%s", err->message);
    snprintf(record->verdict, sizeof record->verdict, "failed");
    if (config->deny_on_error) {
        KARTA_AUTO_TEXT message = mem_format("cannot be ganged: %s", err->message);
        return deny(response, 500, "InternalError", message != NULL ? message : err->message);
    }
    char text[256];
    bool ganged = mutation->patch != NULL;
    snprintf(text, sizeof text, "%s: %.200s", ganged ? "its gang stays as it was" : "not ganged",
             err->message);
    response->patch = ganged ? json_incref(mutation->patch) : NULL;
    response->warnings = json_pack("[s]", text);
    return response->warnings != NULL ? 0 : KARTA_ERR_NOMEM;
}

static int take(struct karta_mutation *mutation, struct response *response,
                struct admission_record *record)
{
    response->warnings = json_incref(mutation->warnings);
    if (mutation->denial != NULL)
        return deny(response, 422, "Invalid", mutation->denial);
    response->patch = mutation->patch != NULL ? json_incref(mutation->patch) : NULL;
    response->audit = json_incref(mutation->audit);
    if (mutation->patch != NULL && mutation->profile != NULL)
        snprintf(record->profile, sizeof record->profile, "%s", mutation->profile);
    return 0;
}

static int mutate(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                  const struct review *review, const struct karta_mutate_options *options,
                  struct karta_mutation *mutation, struct karta_error *err)
{
    bool create = strcmp(review->operation, "CREATE") == 0;
    if (endpoint == ADMISSION_MUTATE_PODS)
        return karta_mutate_pod(snapshot, review->object, options, mutation, err);
    if (create)
        return karta_mutate_create(snapshot, review->object, options, mutation, err);
    return karta_mutate_update(snapshot, review->object, review->old_object, options, mutation,
                               err);
}

/* Pods are completed when they are made; of them nothing later can be changed. */
static bool is_mutated(enum admission_endpoint endpoint, const struct review *review)
{
    bool create = strcmp(review->operation, "CREATE") == 0;
    bool update = strcmp(review->operation, "UPDATE") == 0;
    return review->sub_resource[0] == '\0' &&
           (create || (update && endpoint == ADMISSION_MUTATE_WORKLOADS));
}

/* The first of its kind pays for compiling, not with its own time; what fails here fails there. */
static void prepare(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                    const struct admission_config *config, const struct review *review)
{
    const struct karta_definition *definition =
        endpoint == ADMISSION_MUTATE_WORKLOADS
            ? karta_snapshot_find(snapshot, review->group, review->version, review->kind)
            : NULL;
    if (definition != NULL)
        karta_snapshot_prepare(snapshot, definition, config->profile, NULL);
}

int handle_mutation(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                    const struct admission_config *config, const struct review *review,
                    struct response *response, struct admission_record *record)
{
    response->allowed = true;
    if (!is_mutated(endpoint, review) || admission_excludes(config, review->ns))
        return 0;
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    prepare(endpoint, snapshot, config, review);
    const struct karta_mutate_options options = options_of(config, review);
    int code = mutate(endpoint, snapshot, review, &options, &mutation, &err);
    code = code == 0 ? take(&mutation, response, record)
                     : failed(config, &mutation, &err, response, record);
    karta_mutation_dispose(&mutation);
    return code;
}
