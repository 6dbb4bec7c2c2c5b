/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl webhook-config: the two webhook configurations for who installs them by hand, with the
 * same bytes in the rules as the server itself writes where it may.
 */
#include <string.h>

#include "arguments.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "catalog.h"
#include "configurations.h"
#include "exit_code.h"
#include "karta/policy.h"
#include "message.h"
#include "output.h"

#define DEFAULT_PROFILE "kai"
#define CA_BYTES (1U << 20)

struct rules {
    struct configurations_resource *workloads, *ignored, *failed;
    size_t workload_count, ignored_count, failed_count;
};

static int check_usage(const struct arguments *arguments)
{
    const char *const *value = arguments->value;
    if (arguments->words.count > 0)
        return cli_fail(CLI_USAGE, "webhook-config: unexpected \"%s\"", arguments->words.items[0]);
    if (value[FLAG_CA_FILE] == NULL)
        return cli_fail(CLI_USAGE, "webhook-config: give the CA's certificate with --ca-file");
    if ((value[FLAG_SERVICE] != NULL) == (value[FLAG_URL] != NULL))
        return cli_fail(CLI_USAGE, "webhook-config: give either --service or --url");
    if (value[FLAG_URL] != NULL && strncmp(value[FLAG_URL], "https://", 8) != 0)
        return cli_fail(CLI_USAGE, "webhook-config: --url takes an https:// address, not \"%s\"",
                        value[FLAG_URL]);
    const char *slash = value[FLAG_SERVICE] != NULL ? strchr(value[FLAG_SERVICE], '/') : NULL;
    if (value[FLAG_SERVICE] != NULL && (slash == NULL || slash == value[FLAG_SERVICE] ||
                                        slash[1] == '\0' || strchr(slash + 1, '/') != NULL))
        return cli_fail(CLI_USAGE, "webhook-config: --service takes NAMESPACE/NAME, not \"%s\"",
                        value[FLAG_SERVICE]);
    return CLI_DONE;
}

static int read_ca(const char *path, char **pem)
{
    struct karta_error err = {0};
    size_t size = 0;
    if (file_read(path, CA_BYTES, pem, &size, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    if (strstr(*pem, "-----BEGIN CERTIFICATE-----") == NULL)
        return cli_fail(CLI_INVALID, "%s: holds no PEM certificate", path);
    if (strstr(*pem, "PRIVATE KEY-----") != NULL)
        return cli_fail(CLI_INVALID, "%s: holds a private key, which nobody else may see", path);
    return CLI_DONE;
}

/* Whether a policy, of those that fail or that don't, is for that kind. */
static bool is_policed(const struct karta_snapshot *catalog,
                       const struct karta_definition *definition, int fails)
{
    for (size_t p = 0; p < karta_policy_count(catalog); p++) {
        const struct karta_policy *policy = karta_policy_at(catalog, p);
        if ((karta_policy_fails(policy) != 0) != (fails != 0))
            continue;
        size_t kinds = karta_policy_kind_count(policy);
        bool found = kinds == 0;
        for (size_t k = 0; k < kinds && !found; k++) {
            const char *group, *kind;
            karta_policy_kind(policy, k, &group, &kind);
            found = (group == NULL || strcmp(group, karta_definition_group(definition)) == 0) &&
                    (kind == NULL || strcmp(kind, karta_definition_kind(definition)) == 0);
        }
        if (found)
            return true;
    }
    return false;
}

static void add_definition(struct rules *rules, const struct karta_snapshot *catalog,
                           const struct karta_profile *profile,
                           const struct karta_definition *definition)
{
    const char *plural = karta_definition_plural(definition);
    const struct configurations_resource resource = {karta_definition_group(definition),
                                                     karta_definition_version(definition), plural};
    bool sees = karta_profile_sees(profile, definition) != 0;
    bool ignored = is_policed(catalog, definition, 0), failed = is_policed(catalog, definition, 1);
    if (plural == NULL && (sees || ignored || failed))
        cli_warn("%s: is left out: it has no annotation workloadmap.dev/plural",
                 karta_definition_name(definition));
    if (plural == NULL)
        return;
    if (sees)
        rules->workloads[rules->workload_count++] = resource;
    if (ignored)
        rules->ignored[rules->ignored_count++] = resource;
    if (failed)
        rules->failed[rules->failed_count++] = resource;
}

static void rules_dispose(struct rules *rules)
{
    free(rules->workloads);
    free(rules->ignored);
    free(rules->failed);
}

static int collect(const struct arguments *arguments, const struct karta_snapshot *catalog,
                   struct rules *rules)
{
    const char *name = arguments->value[FLAG_PROFILE];
    const struct karta_profile *profile =
        karta_snapshot_profile(catalog, name != NULL ? name : DEFAULT_PROFILE);
    size_t count = karta_snapshot_definitions(catalog);
    rules->workloads = mem_array(count + 1, sizeof *rules->workloads);
    rules->ignored = mem_array(count + 1, sizeof *rules->ignored);
    rules->failed = mem_array(count + 1, sizeof *rules->failed);
    if (profile == NULL || rules->workloads == NULL || rules->ignored == NULL ||
        rules->failed == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    for (size_t i = 0; i < count; i++)
        add_definition(rules, catalog, profile, karta_snapshot_definition(catalog, i));
    return CLI_DONE;
}

static int print(const struct configurations_options *options, const struct rules *rules,
                 const char *format)
{
    static const struct configurations_resource definitions[] = {{"run.ai", "v1alpha1", "kartas"}};
    static const struct configurations_resource others[] = {
        {"workloadmap.dev", "v1alpha1", "gangprofiles"},
        {"workloadmap.dev", "v1alpha1", "workloadpolicies"}};
    const struct configurations_input input = {
        .workloads = {rules->workloads, rules->workload_count},
        .definitions = {definitions, 1},
        .others = {others, 2},
        .policed_ignore = {rules->ignored, rules->ignored_count},
        .policed_fail = {rules->failed, rules->failed_count}};
    struct karta_error err = {0};
    json_auto_t *mutating = NULL, *validating = NULL;
    if (configurations_mutating(options, &input, &mutating, &err) != 0 ||
        configurations_validating(options, &input, &validating, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    json_auto_t *items = json_pack("[O, O]", mutating, validating);
    if (strcmp(format, "yaml") == 0)
        return output_items(format, items);
    json_auto_t *list =
        json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items", items);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

static int configure(const struct arguments *arguments, const struct karta_snapshot *catalog)
{
    const char *service = arguments->value[FLAG_SERVICE];
    KARTA_AUTO_TEXT pem = NULL;
    KARTA_AUTO_TEXT ns =
        mem_format("%.*s", service != NULL ? (int)strcspn(service, "/") : 0, service);
    struct rules rules = {0};
    int code = ns != NULL ? read_ca(arguments->value[FLAG_CA_FILE], &pem)
                          : cli_fail(CLI_FAILED, "out of memory");
    if (code == CLI_DONE)
        code = collect(arguments, catalog, &rules);
    const char *excluded[] = {"kube-system", "kube-node-lease", ns};
    const struct configurations_options options = {
        .url = arguments->value[FLAG_URL],
        .service_namespace = service != NULL ? ns : NULL,
        .service_name = service != NULL ? strchr(service, '/') + 1 : NULL,
        .ca_bundle = pem,
        .excluded_namespaces = excluded,
        .excluded_namespace_count = service != NULL ? 3 : 2};
    if (code == CLI_DONE)
        code = print(&options, &rules, arguments->format);
    rules_dispose(&rules);
    return code;
}

static int webhook_config(const struct arguments *arguments)
{
    struct karta_snapshot *catalog = NULL;
    int code = check_usage(arguments);
    if (code == CLI_DONE)
        code = catalog_load(&arguments->definitions, &catalog);
    if (code == CLI_DONE)
        code = catalog_add_policies(catalog, &arguments->policies);
    if (code == CLI_DONE)
        code = catalog_check_profile(catalog, arguments->value[FLAG_PROFILE]);
    if (code == CLI_DONE)
        code = configure(arguments, catalog);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command webhook_config_command = {
    .name = "webhook-config",
    .run = webhook_config,
    .summary = "the webhook configurations to install, with rules from the definitions",
    .usage = "webhook-config --ca-file FILE --service NS/NAME | --url URL [--profile NAME]\n"
             "                               [--policy FILE]... [-o yaml|json]",
    .about =
        "Prints the MutatingWebhookConfiguration and ValidatingWebhookConfiguration that a server\n"
        "without --kube needs. The rules list the kinds that the profile gangs, and with --policy\n"
        "those that policies judge.\n",
    .example = "  kartactl webhook-config --ca-file certs/ca.crt \\\n"
               "      --service karta-system/karta-webhook | kubectl apply -f -\n"
               "  kartactl webhook-config --ca-file certs/ca.crt --url https://10.0.0.7:9443\n",
    .flags = 1U << FLAG_CA_FILE | 1U << FLAG_SERVICE | 1U << FLAG_URL | 1U << FLAG_PROFILE |
             1U << FLAG_POLICY | 1U << FLAG_DEFINITIONS | 1U << FLAG_OUTPUT,
    .formats = "yaml|json",
};
