/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl check: what the policies would say of a workload. It is asked about as the server would
 * store it, so first it is ganged where a server would gang it.
 */
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "check.h"
#include "exit_code.h"
#include "input.h"
#include "karta/mutate.h"
#include "karta/patch.h"
#include "karta/policy.h"
#include "message.h"
#include "output.h"
#include "ticker.h"

#define DEFAULT_PROFILE "kai"

struct checking {
    const struct karta_snapshot *catalog;
    const struct arguments *arguments;
    json_t *results;  /* array, one a covered workload */
    size_t uncovered; /* objects that no definition covers */
};

static const char *namespace_of(const struct checking *checking, const json_t *object)
{
    const char *own = input_text(json_object_get(object, "metadata"), "namespace");
    const char *given = checking->arguments->value[FLAG_NAMESPACE];
    return *own != '\0' ? own : (given != NULL ? given : "default");
}

/* As mutation leaves it; as it is where mutation fails, since the server lets it through then. */
static json_t *mutated(const struct checking *checking, const struct input_document *document,
                       json_t *object)
{
    const char *const *value = checking->arguments->value;
    const struct karta_mutate_options options = {
        .profile = value[FLAG_PROFILE] != NULL ? value[FLAG_PROFILE] : DEFAULT_PROFILE,
        .ns = namespace_of(checking, object),
        .uid = "",
        .default_queue = value[FLAG_QUEUE],
        .deadline_ms = ticker_deadline()};
    struct karta_mutation mutation = {0};
    json_t *after = NULL;
    if (karta_mutate_create(checking->catalog, object, &options, &mutation, NULL) == 0 &&
        mutation.patch != NULL)
        karta_patch_apply(object, mutation.patch, &after, NULL);
    for (size_t i = 0; i < json_array_size(mutation.warnings); i++)
        cli_warn("%s: %s", document->label,
                 json_string_value(json_array_get(mutation.warnings, i)));
    karta_mutation_dispose(&mutation);
    return after != NULL ? after : json_incref(object);
}

/* What no server is asked about, unless it was told otherwise. */
static bool is_excluded(const char *ns)
{
    return strcmp(ns, "kube-system") == 0 || strcmp(ns, "kube-node-lease") == 0;
}

static int ask(struct checking *checking, const struct input_document *document, json_t *object)
{
    json_auto_t *after = mutated(checking, document, object);
    const char *ns = namespace_of(checking, object);
    /* no operation concerns no policy */
    const struct karta_request request = {.operation = is_excluded(ns) ? "" : "CREATE",
                                          .ns = ns,
                                          .object = after,
                                          .budget_ms = ticker_budget_ms()};
    struct karta_verdict verdict = {0};
    struct karta_error err = {0};
    int code = CLI_DONE;
    if (karta_policies_ask(checking->catalog, &request, &verdict, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), document->label, &err);
    else if (json_array_append_new(checking->results,
                                   check_result(document, after, ns, &verdict)) != 0)
        code = cli_fail(CLI_FAILED, "out of memory");
    else if ((verdict.actions & KARTA_POLICY_DENY) != 0)
        code = CLI_INVALID;
    karta_verdict_dispose(&verdict);
    return code;
}

static int check_one(struct checking *checking, const struct input_document *document)
{
    json_auto_t *object = catalog_read_as(checking->catalog, document->value, document->label);
    checking->uncovered += object == NULL;
    return object != NULL ? ask(checking, document, object) : CLI_DONE;
}

static int check_all(struct checking *checking, const struct input *input)
{
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    for (size_t i = 0; i < input->count; i++)
        code = cli_first(code, check_one(checking, &input->documents[i]));
    ticker_stop(&ticker);
    if (code == CLI_DONE && input->count > 0 && json_array_size(checking->results) == 0)
        code =
            cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", input->documents[0].label,
                     input_text(input->documents[0].value, "apiVersion"),
                     input_text(input->documents[0].value, "kind"));
    return code;
}

static int print(const struct checking *checking)
{
    const char *format = checking->arguments->format;
    bool github = strcmp(format, "github") == 0;
    if (!github && strcmp(format, "text") != 0)
        return output_items(format, checking->results);
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(checking->results); i++)
        (github ? check_print_github : check_print_text)(json_array_get(checking->results, i),
                                                         &buf);
    if (!github && checking->uncovered > 0)
        strbuf_addf(&buf, "not asked about: %zu of kinds that no definition covers\n",
                    checking->uncovered);
    return output_text(&buf);
}

static int check_usage(const struct arguments *arguments)
{
    if (arguments->words.count > 0)
        return cli_fail(CLI_USAGE, "check: unexpected \"%s\"; give files with -f",
                        arguments->words.items[0]);
    if (arguments->files.count == 0)
        return cli_fail(CLI_USAGE, "check: give a file with -f, or - for standard input");
    return CLI_DONE;
}

/* Definitions, profiles and at least one policy. */
static int load(const struct arguments *arguments, struct karta_snapshot **catalog)
{
    int code = catalog_load(&arguments->definitions, catalog);
    if (code == CLI_DONE)
        code = catalog_add_policies(*catalog, &arguments->policies);
    if (code == CLI_DONE)
        code = catalog_check_profile(*catalog, arguments->value[FLAG_PROFILE]);
    if (code == CLI_DONE && karta_policy_count(*catalog) == 0)
        code = cli_fail(CLI_USAGE, "check: there are no policies: give a file with --policy");
    return code;
}

static int check(const struct arguments *arguments)
{
    struct karta_snapshot *catalog = NULL;
    struct input input = {0};
    struct checking checking = {.arguments = arguments, .results = json_array()};
    int code = check_usage(arguments);
    if (code == CLI_DONE)
        code = load(arguments, &catalog);
    if (code == CLI_DONE) {
        checking.catalog = catalog;
        code = input_read(&arguments->files, &input);
        code = cli_first(code, input_keep_objects(&input));
        code = cli_first(code, check_all(&checking, &input));
        if (json_array_size(checking.results) > 0)
            code = cli_first(code, print(&checking));
    }
    input_dispose(&input);
    json_decref(checking.results);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command check_command = {
    .name = "check",
    .run = check,
    .summary = "what the policies would say of a workload",
    .usage = "check -f FILE [--policy FILE] [-n NS] [-o FORMAT] [--profile NAME] [--queue NAME]\n\n"
             "Asks the policies of --policy and --definitions, as a cluster with them would at\n"
             "CREATE, and says for each rule whether it passes. -o github annotates a pull\n"
             "request. Exit code 5: something is denied; 4: no definition covers any of it.",
    .example = "  kartactl check --policy manifests/policies/gpu-limit.yaml -f jobset.yaml\n"
               "  kustomize build . | kartactl check --policy policies/ -f -\n"
               "  kartactl check --policy policies/ -f deploy/ -o github\n",
    .flags = 1U << FLAG_FILE | 1U << FLAG_NAMESPACE | 1U << FLAG_OUTPUT | 1U << FLAG_PROFILE |
             1U << FLAG_QUEUE | 1U << FLAG_DEFINITIONS | 1U << FLAG_POLICY,
    .formats = "text|json|yaml|github",
};
