/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an audit says of one object. The one idea: it is put through the webhook's own functions
 * again, once as if it were created now and once as if it were applied again, and what they would
 * do is what is missing.
 */
#include <string.h>

#include "audit_objects.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "karta/mutate.h"
#include "message.h"
#include "metadata.h"
#include "profile.h"
#include "ticker.h"

#define DEFAULT_PROFILE "kai"

static const char *namespace_of(const struct audit *audit, const json_t *object)
{
    const char *own = input_text(json_object_get(object, "metadata"), "namespace");
    const char *given = audit->arguments->value[FLAG_NAMESPACE];
    return *own != '\0' ? own : (given != NULL ? given : "default");
}

static struct karta_mutate_options options_for(const struct audit *audit, const json_t *object,
                                               bool opted_in)
{
    const char *const *value = audit->arguments->value;
    return (struct karta_mutate_options){
        .profile = value[FLAG_PROFILE] != NULL ? value[FLAG_PROFILE] : DEFAULT_PROFILE,
        .ns = namespace_of(audit, object),
        .uid = "",
        .default_queue = value[FLAG_QUEUE],
        .opted_in = opted_in,
        .deadline_ms = ticker_deadline()};
}

/* Namespaces that no server touches unless it is told to. */
static bool is_excluded(const struct audit *audit, const json_t *object)
{
    const char *ns = namespace_of(audit, object);
    return strcmp(ns, "kube-system") == 0 || strcmp(ns, "kube-node-lease") == 0;
}

/* Whether its pods are in the gang of what made it. */
static bool is_part(const struct audit *audit, const json_t *object)
{
    const json_t *owner = metadata_controller(object);
    const struct karta_definition *definition =
        owner != NULL ? karta_snapshot_find_for(audit->catalog, owner) : NULL;
    return definition != NULL && karta_definition_gangs(definition) != 0;
}

/* Whether it is in the cluster already, where an update gangs nothing that isn't. */
static bool is_stored(const json_t *object)
{
    return metadata_text(object, "resourceVersion") != NULL;
}

static const char *first_warning(const struct karta_mutation *mutation)
{
    static const char prefix[] = "not ganged: ";
    for (size_t i = 0; i < json_array_size(mutation->warnings); i++) {
        const char *text = json_string_value(json_array_get(mutation->warnings, i));
        if (text != NULL && strncmp(text, prefix, sizeof prefix - 1) == 0)
            return text + sizeof prefix - 1;
    }
    return NULL;
}

static int add(struct audit *audit, const json_t *object, const char *state, const char *mended,
               const char *reason)
{
    json_t *finding =
        json_pack("{s:{s:s, s:s, s:s, s:s}, s:s, s:s?, s:s}", "workload", "apiVersion",
                  input_text(object, "apiVersion"), "kind", input_text(object, "kind"), "namespace",
                  namespace_of(audit, object), "name",
                  input_text(json_object_get(object, "metadata"), "name"), "state", state, "mended",
                  mended, "reason", reason);
    return json_array_append_new(audit->findings, finding) == 0
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "out of memory");
}

/* The queue that a gang was given by a default; new, NULL for none. */
static char *remembered_queue(const json_t *object)
{
    const char *text = metadata_annotation(object, KEY_GANG);
    json_auto_t *memory = json_loads(text, 0, NULL);
    const char *queue = input_text(memory, "queue");
    return *queue != '\0' ? mem_format("%s", queue) : NULL;
}

static int add_ganged(struct audit *audit, const json_t *object, const char *profile)
{
    KARTA_AUTO_TEXT reason = mem_format("by profile %s", profile);
    return reason != NULL ? add(audit, object, AUDIT_GANGED, NULL, reason)
                          : cli_fail(CLI_FAILED, "out of memory");
}

/* Whether applying it again would put something back. */
static bool update_mends(const struct audit *audit, const json_t *object,
                         const struct karta_mutate_options *options)
{
    struct karta_mutation mutation = {0};
    bool mends =
        karta_mutate_update(audit->catalog, object, object, options, &mutation, NULL) == 0 &&
        json_array_size(mutation.patch) > 0;
    karta_mutation_dispose(&mutation);
    return mends;
}

/* Ganged: complete where creating it would add nothing to what it carries. */
static int judge_ganged(struct audit *audit, const json_t *object, const char *label)
{
    KARTA_AUTO_TEXT queue = remembered_queue(object);
    struct karta_mutate_options options = options_for(audit, object, true);
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    int code = CLI_DONE;
    options.profile = metadata_label(object, KEY_PROFILE);
    if (options.default_queue == NULL)
        options.default_queue = queue;
    if (karta_mutate_create(audit->catalog, object, &options, &mutation, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), label, &err);
    else if (json_array_size(mutation.patch) > 0)
        code = add(audit, object, AUDIT_INCOMPLETE,
                   update_mends(audit, object, &options) ? "re-apply" : "re-create",
                   "keys of its gang are missing or out of date");
    else
        code = add_ganged(audit, object, options.profile);
    if (code == CLI_DONE && json_array_size(mutation.patch) == 0)
        code = audit_objects_want(audit, object, label);
    karta_mutation_dispose(&mutation);
    return code;
}

/* Names the label by which this scheduler's users name their queue. */
static int add_not_opted_in(struct audit *audit, const json_t *object, const char *profile)
{
    const struct karta_profile *writes = karta_snapshot_profile(audit->catalog, profile);
    const char *label =
        writes != NULL && writes->queue_label != NULL ? writes->queue_label : KEY_QUEUE;
    KARTA_AUTO_TEXT reason =
        mem_format("it names no queue (label %s), and has no label " KEY_INJECT "=true", label);
    return reason != NULL ? add(audit, object, AUDIT_NOT_OPTED_IN, "re-create", reason)
                          : cli_fail(CLI_FAILED, "out of memory");
}

/* What somebody who has not opted in would get by it; nothing is said where that is nothing. */
static int judge_not_opted_in(struct audit *audit, const json_t *object)
{
    struct karta_mutate_options options = options_for(audit, object, true);
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    const char *inject = metadata_either(object, KEY_INJECT);
    int code = CLI_DONE;
    if (inject != NULL && strcmp(inject, "false") == 0)
        code =
            add(audit, object, AUDIT_NOT_OPTED_IN, NULL, "it opted out: " KEY_INJECT " is false");
    else if (karta_mutate_create(audit->catalog, object, &options, &mutation, &err) == 0 &&
             json_array_size(mutation.patch) > 0)
        code = add_not_opted_in(audit, object, options.profile);
    else if (audit->named && first_warning(&mutation) != NULL)
        code = add(audit, object, AUDIT_NO_GANG, NULL, first_warning(&mutation));
    karta_mutation_dispose(&mutation);
    return code;
}

static int judge_other(struct audit *audit, const json_t *object)
{
    struct karta_mutate_options options = options_for(audit, object, false);
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    int code = CLI_DONE;
    int fault = karta_mutate_create(audit->catalog, object, &options, &mutation, &err);
    const char *why = fault == 0 ? first_warning(&mutation) : err.message;
    if (fault == 0 && mutation.denial != NULL)
        code = add(audit, object, AUDIT_NOT_GANGED, "no", mutation.denial);
    else if (why != NULL)
        code = add(audit, object, AUDIT_NOT_GANGED, "no", why);
    else if (json_array_size(mutation.patch) > 0 && is_stored(object))
        code = add(audit, object, AUDIT_NOT_GANGED, "re-create",
                   "the webhook was not asked when it was created; an update never gangs");
    else if (json_array_size(mutation.patch) > 0)
        code = add(audit, object, AUDIT_NOT_GANGED, "re-apply", "the webhook has not seen it yet");
    else
        code = judge_not_opted_in(audit, object);
    karta_mutation_dispose(&mutation);
    return code;
}

int audit_judge(struct audit *audit, const json_t *document, const char *label)
{
    json_auto_t *object = catalog_read_as(audit->catalog, document, label);
    if (object == NULL)
        return CLI_DONE; /* a Service in a list: nothing starts with it */
    audit->covered++;
    if (is_excluded(audit, object) || (is_part(audit, object) && !audit->named))
        return CLI_DONE;
    return metadata_ganged(object) ? judge_ganged(audit, object, label)
                                   : judge_other(audit, object);
}
