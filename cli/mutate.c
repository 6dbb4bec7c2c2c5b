/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl mutate: what the webhook makes of objects. It gangs what it is given, as if opted in;
 * objects that no definition covers pass through, so that whole files can be piped on.
 */
#include "mutate.h"

#include <string.h>

#include "base/mem.h"
#include "catalog.h"
#include "diff.h"
#include "exit_code.h"
#include "message.h"
#include "output.h"
#include "server.h"
#include "ticker.h"

struct results {
    json_t *before, *after, *patches;
    size_t covered;
};

static int check_usage(const struct arguments *arguments)
{
    const char *const *value = arguments->value;
    if (arguments->words.count > 0)
        return cli_fail(CLI_USAGE, "mutate: unexpected \"%s\"; give files with -f",
                        arguments->words.items[0]);
    if (arguments->files.count == 0)
        return cli_fail(CLI_USAGE, "mutate: give a file with -f, or - for standard input");
    if (value[FLAG_CA_FILE] != NULL && value[FLAG_SERVER] == NULL)
        return cli_fail(CLI_USAGE, "mutate: --ca-file goes with --server");
    if (value[FLAG_SERVER] == NULL)
        return CLI_DONE;
    if (strncmp(value[FLAG_SERVER], "https://", 8) != 0)
        return cli_fail(CLI_USAGE, "mutate: --server takes an https:// address, not \"%s\"",
                        value[FLAG_SERVER]);
    if (value[FLAG_PROFILE] != NULL || value[FLAG_QUEUE] != NULL)
        return cli_fail(CLI_USAGE, "mutate: --%s is the server's to choose, not for --server",
                        value[FLAG_PROFILE] != NULL ? "profile" : "queue");
    return CLI_DONE;
}

static int keep(struct results *results, json_t *before, const struct mutated *mutated,
                bool covered)
{
    results->covered += covered ? 1 : 0;
    if (json_array_append(results->before, before) != 0 ||
        json_array_append(results->after, mutated->object) != 0 ||
        json_array_append(results->patches, mutated->patch) != 0)
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

static int mutate_one(const struct karta_snapshot *catalog, const struct arguments *arguments,
                      const struct input_document *document, struct results *results)
{
    bool there = arguments->value[FLAG_SERVER] != NULL;
    bool covered = there || karta_snapshot_find_for(catalog, document->value) != NULL;
    struct mutated mutated = {0};
    int code = CLI_DONE;
    if (!covered)
        mutated = (struct mutated){json_incref(document->value), json_array()};
    else
        code = (there ? mutate_there : mutate_here)(catalog, arguments, document, &mutated);
    if (code == CLI_DONE)
        code = keep(results, document->value, &mutated, covered);
    mutated_dispose(&mutated);
    return code;
}

static int mutate_all(const struct karta_snapshot *catalog, const struct arguments *arguments,
                      const struct input *input, struct results *results)
{
    struct ticker ticker;
    int code = server_init();
    if (code != CLI_DONE)
        return code;
    code = ticker_start(&ticker);
    if (code == CLI_DONE) {
        for (size_t i = 0; i < input->count; i++)
            code = cli_first(code, mutate_one(catalog, arguments, &input->documents[i], results));
        ticker_stop(&ticker);
    }
    server_shutdown();
    if (code == CLI_DONE && input->count > 0 && results->covered == 0)
        code =
            cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", input->documents[0].label,
                     input_text(input->documents[0].value, "apiVersion"),
                     input_text(input->documents[0].value, "kind"));
    return code;
}

static int print_diff(const struct results *results)
{
    KARTA_AUTO_STRBUF before;
    KARTA_AUTO_STRBUF after;
    strbuf_init(&before, OUTPUT_BYTES);
    strbuf_init(&after, OUTPUT_BYTES);
    int code = output_yaml(&before, results->before);
    code = cli_first(code, output_yaml(&after, results->after));
    if (code != CLI_DONE)
        return code;
    if (before.failed != 0 || after.failed != 0)
        return cli_fail(CLI_FAILED, "out of memory");
    return diff_print(before.text, before.size, after.text, after.size, output_colour());
}

static int print_results(const struct results *results, const char *format)
{
    size_t count = json_array_size(results->after);
    if (count == 0)
        return CLI_DONE;
    if (strcmp(format, "diff") == 0)
        return print_diff(results);
    if (strcmp(format, "patch") == 0)
        return output_items("json", results->patches);
    if (strcmp(format, "json") != 0 || count == 1)
        return output_items(format, results->after);
    /* as kubectl takes several objects in JSON */
    json_auto_t *list =
        json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items", results->after);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

static int mutate(const struct arguments *arguments)
{
    int code = check_usage(arguments);
    if (code != CLI_DONE)
        return code;
    struct karta_snapshot *catalog = NULL;
    struct input input = {0};
    struct results results = {json_array(), json_array(), json_array(), 0};
    code = catalog_load(&arguments->definitions, &catalog);
    if (code == CLI_DONE)
        code = catalog_check_profile(catalog, arguments->value[FLAG_PROFILE]);
    if (code == CLI_DONE) {
        code = input_read(&arguments->files, &input);
        code = cli_first(code, input_keep_objects(&input));
        code = cli_first(code, mutate_all(catalog, arguments, &input, &results));
        code = code == CLI_NO_DEFINITION
                   ? code
                   : cli_first(code, print_results(&results, arguments->format));
    }
    json_decref(results.before);
    json_decref(results.after);
    json_decref(results.patches);
    input_dispose(&input);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command mutate_command = {
    .name = "mutate",
    .run = mutate,
    .summary = "what the webhook makes of a workload, here or as a running server answers",
    .usage = "mutate -f FILE [--profile NAME] [--queue NAME] [-n NS] [-o yaml|json|patch|diff]\n"
             "                       [--server URL [--ca-file FILE]]",
    .about = "Gangs what it is given, as if it had opted in, and prints the result; -o diff shows "
             "only what\n"
             "the webhook adds. With --server a running webhook is asked instead.\n",
    .example =
        "  kartactl mutate -f manifests/examples/jobset.yaml -o diff\n"
        "  kartactl mutate -f jobset.yaml --server https://127.0.0.1:9443 --ca-file ca.crt\n",
    .flags = 1U << FLAG_FILE | 1U << FLAG_NAMESPACE | 1U << FLAG_OUTPUT | 1U << FLAG_PROFILE |
             1U << FLAG_QUEUE | 1U << FLAG_SERVER | 1U << FLAG_CA_FILE | 1U << FLAG_DEFINITIONS,
    .formats = "yaml|json|patch|diff",
};
