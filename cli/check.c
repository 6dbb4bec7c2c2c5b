/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl check: what the policies would say of a workload. It is asked about as the server would
 * store it, so first it is ganged where a server would gang it.
 */
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
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
    json_t *results; /* array, one a covered workload */
};

static const char *namespace_of(const struct checking *checking, const json_t *object)
{
    const char *own = input_text(json_object_get(object, "metadata"), "namespace");
    const char *given = checking->arguments->value[FLAG_NAMESPACE];
    return *own != '\0' ? own : (given != NULL ? given : "default");
}

/* As mutation leaves it; as it is where mutation fails, since the server lets it through then. */
static json_t *mutated(const struct checking *checking, json_t *object)
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
    karta_mutation_dispose(&mutation);
    return after != NULL ? after : json_incref(object);
}

static json_t *result_json(const json_t *object, const char *ns,
                           const struct karta_verdict *verdict)
{
    const json_t *metadata = json_object_get(object, "metadata");
    json_t *policies = json_array();
    for (size_t i = 0; i < verdict->decision_count; i++)
        json_array_append_new(policies,
                              json_string(karta_policy_name(verdict->decisions[i].policy)));
    return json_pack("{s:{s:s, s:s, s:s, s:s}, s:b, s:o, s:O}", "workload", "apiVersion",
                     input_text(object, "apiVersion"), "kind", input_text(object, "kind"),
                     "namespace", ns, "name", input_text(metadata, "name"), "allowed",
                     (verdict->actions & KARTA_POLICY_DENY) == 0, "policies", policies, "findings",
                     verdict->findings);
}

static int ask(struct checking *checking, const struct input_document *document, json_t *object)
{
    json_auto_t *after = mutated(checking, object);
    const struct karta_request request = {.operation = "CREATE",
                                          .ns = namespace_of(checking, object),
                                          .object = after,
                                          .budget_ms = ticker_budget_ms()};
    struct karta_verdict verdict = {0};
    struct karta_error err = {0};
    int code = CLI_DONE;
    if (karta_policies_ask(checking->catalog, &request, &verdict, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), document->label, &err);
    else if (json_array_append_new(checking->results, result_json(after, request.ns, &verdict)) !=
             0)
        code = cli_fail(CLI_FAILED, "out of memory");
    else if ((verdict.actions & KARTA_POLICY_DENY) != 0)
        code = CLI_INVALID;
    karta_verdict_dispose(&verdict);
    return code;
}

static int check_one(struct checking *checking, const struct input_document *document)
{
    json_auto_t *object = catalog_read_as(checking->catalog, document->value, document->label);
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

static void print_finding(const json_t *finding, struct strbuf *buf)
{
    const json_t *actions = json_object_get(finding, "actions");
    for (size_t i = 0; i < json_array_size(actions); i++)
        strbuf_addf(buf, "%s%s", i > 0 ? "," : "  ", json_string_value(json_array_get(actions, i)));
    strbuf_addf(buf, " %s: %s\n", input_text(finding, "policy"), input_text(finding, "message"));
}

static void print_result(const json_t *result, struct strbuf *buf)
{
    const json_t *workload = json_object_get(result, "workload");
    const json_t *findings = json_object_get(result, "findings");
    size_t asked = json_array_size(json_object_get(result, "policies"));
    strbuf_addf(buf, "%s/%s: ", input_text(workload, "kind"), input_text(workload, "name"));
    if (asked == 0)
        strbuf_adds(buf, "allowed, no policy concerns it\n");
    else
        strbuf_addf(buf, "%s, asked %zu polic%s\n",
                    json_is_true(json_object_get(result, "allowed")) ? "allowed" : "denied", asked,
                    asked == 1 ? "y" : "ies");
    for (size_t i = 0; i < json_array_size(findings); i++)
        print_finding(json_array_get(findings, i), buf);
}

static int print(const struct checking *checking)
{
    if (strcmp(checking->arguments->format, "text") != 0)
        return output_items(checking->arguments->format, checking->results);
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(checking->results); i++)
        print_result(json_array_get(checking->results, i), &buf);
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
    .usage = "check -f FILE [--policy FILE] [-n NS] [--profile NAME] [--queue Q] [-o text|json]",
    .example = "  kartactl check --policy manifests/policies/gpu-limit.yaml -f jobset.yaml\n"
               "  kustomize build . | kartactl check --policy policies/ -f -\n",
    .flags = 1U << FLAG_FILE | 1U << FLAG_NAMESPACE | 1U << FLAG_OUTPUT | 1U << FLAG_PROFILE |
             1U << FLAG_QUEUE | 1U << FLAG_DEFINITIONS | 1U << FLAG_POLICY,
    .formats = "text|json|yaml",
};
