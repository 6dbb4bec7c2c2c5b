/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl audit: which workloads should start together and don't, and what would mend it. The one
 * idea: each object is put through the webhook's own functions again, once as if it were created
 * now and once as if it were applied again, and what they would do is what is missing.
 */
#include "audit.h"

#include <string.h>

#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "karta/mutate.h"
#include "message.h"
#include "metadata.h"
#include "ticker.h"
#include "workloads.h"

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

static bool is_ganged(const json_t *object)
{
    return metadata_annotation(object, KEY_GANG) != NULL &&
           metadata_label(object, KEY_PROFILE) != NULL;
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
    karta_mutation_dispose(&mutation);
    return code;
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
        code = add(audit, object, AUDIT_NOT_OPTED_IN, "re-create",
                   "it names no queue, and has no label " KEY_INJECT "=true");
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

static int judge(struct audit *audit, const json_t *document, const char *label)
{
    json_auto_t *object = catalog_read_as(audit->catalog, document, label);
    if (object == NULL)
        return CLI_DONE; /* a Service in a list: nothing starts with it */
    audit->covered++;
    if (is_excluded(audit, object) || (is_part(audit, object) && !audit->named))
        return CLI_DONE;
    return is_ganged(object) ? judge_ganged(audit, object, label) : judge_other(audit, object);
}

static int audit_files(struct audit *audit, struct karta_snapshot **catalog)
{
    struct input input = {0};
    int code = catalog_load(&audit->arguments->definitions, catalog);
    audit->catalog = *catalog;
    if (code == CLI_DONE)
        code = catalog_check_profile(*catalog, audit->arguments->value[FLAG_PROFILE]);
    if (code != CLI_DONE)
        return code;
    code = input_read(&audit->arguments->files, &input);
    code = cli_first(code, input_keep_objects(&input));
    for (size_t i = 0; i < input.count; i++)
        code = cli_first(code, judge(audit, input.documents[i].value, input.documents[i].label));
    if (code == CLI_DONE && input.count > 0 && audit->covered == 0)
        code =
            cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", input.documents[0].label,
                     input_text(input.documents[0].value, "apiVersion"),
                     input_text(input.documents[0].value, "kind"));
    input_dispose(&input);
    return code;
}

static int audit_named(struct audit *audit, struct karta_snapshot **catalog)
{
    struct workloads_named named = {0};
    int code = workloads_get("audit", audit->arguments, catalog, &named);
    audit->named = true;
    audit->catalog = *catalog;
    for (size_t i = 0; i < named.count; i++)
        code = cli_first(code, judge(audit, named.items[i].object, named.items[i].label));
    workloads_named_dispose(&named);
    return code;
}

static int audit_listed(struct audit *audit, struct karta_snapshot **catalog)
{
    json_auto_t *objects = NULL;
    bool partial = false;
    int code =
        workloads_asked("audit", audit->arguments, WORKLOADS_ALL, catalog, &objects, &partial);
    audit->catalog = *catalog;
    for (size_t i = 0; i < json_array_size(objects) && *catalog != NULL; i++) {
        const json_t *object = json_array_get(objects, i);
        KARTA_AUTO_TEXT label = mem_format("%s/%s", input_text(object, "kind"),
                                           input_text(json_object_get(object, "metadata"), "name"));
        code = cli_first(code, judge(audit, object, label != NULL ? label : "?"));
    }
    /* what wasn't seen may be what is wrong */
    return cli_first(code, partial ? CLI_CLUSTER : CLI_DONE);
}

static int audit_any(struct audit *audit, struct karta_snapshot **catalog)
{
    const struct text_list *words = &audit->arguments->words;
    bool all = audit->arguments->value[FLAG_ALL_TYPES] != NULL;
    if (audit->arguments->files.count > 0 && (words->count > 0 || all))
        return cli_fail(CLI_USAGE, "audit: give either files or what is in a cluster");
    if (audit->arguments->files.count > 0)
        return audit_files(audit, catalog);
    bool named = words->count > 1 || (words->count == 1 && strchr(words->items[0], '/') != NULL);
    return named && !all ? audit_named(audit, catalog) : audit_listed(audit, catalog);
}

static int audit_run(const struct arguments *arguments)
{
    struct audit audit = {.arguments = arguments, .findings = json_array()};
    struct karta_snapshot *catalog = NULL;
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    code = audit_any(&audit, &catalog);
    ticker_stop(&ticker);
    if (catalog != NULL)
        code = cli_first(code, audit_print(&audit));
    json_decref(audit.findings);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command audit_command = {
    .name = "audit",
    .run = audit_run,
    .summary = "why workloads don't start together: which should be ganged and aren't",
    .usage = "audit TYPE/NAME | TYPE | --all-types | -f FILE [-n NS | -A] [-l SELECTOR]\n"
             "                      [--profile NAME] [-o table|json|yaml]",
    .about =
        "Puts each workload through the webhook's own functions again and says what is missing:\n"
        "  ganged        its pods start together\n"
        "  not opted in  it would be ganged if it named a queue, or had the label\n"
        "                workloadmap.dev/inject=true, when it is created\n"
        "  not ganged    it opted in and isn't; REASON says why\n"
        "  incomplete    keys of its gang were lost\n"
        "  no gang       its kind has none, or it is one pod; of a kind that makes another,\n"
        "                it is that of what it makes\n"
        "MENDED-BY is re-apply (kubectl apply the manifest again), re-create (delete it first) or\n"
        "no. --profile names the scheduler that the server writes for, where that isn't the\n"
        "default. Ends with 5 where something is not ganged or incomplete.\n",
    .example = "  kartactl audit jobset/train -n ml\n"
               "  kartactl audit --all-types -A\n"
               "  kubectl get jobsets -A -o json | kartactl audit -f -\n",
    .flags = FLAGS_LIVE | 1U << FLAG_FILE | 1U << FLAG_ALL_NAMESPACES | 1U << FLAG_ALL_TYPES |
             1U << FLAG_SELECTOR | 1U << FLAG_OUTPUT | 1U << FLAG_PROFILE | 1U << FLAG_QUEUE |
             1U << FLAG_DEFINITIONS,
    .formats = "table|json|yaml",
};
