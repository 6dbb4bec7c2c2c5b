/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl describe: what workloads are made of, read through their definitions. */
#include <ctype.h>
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "describe.h"
#include "describe_text.h"
#include "exit_code.h"
#include "input.h"
#include "karta/view.h"
#include "message.h"
#include "output.h"
#include "ticker.h"

/* live pods of one instance that are shown where nothing else is said */
#define POD_LIMIT 10

int describe_object(struct described *described, const struct input_document *document)
{
    struct karta_error err = {0};
    json_auto_t *view = NULL;
    json_auto_t *object = catalog_read_as(described->catalog, document->value, document->label);
    if (object == NULL)
        return cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", document->label,
                        input_text(document->value, "apiVersion"),
                        input_text(document->value, "kind"));
    if (karta_view(described->catalog, object, described->ns, ticker_deadline(), &view, &err) != 0)
        return cli_fail_error(cli_code_of(&err), document->label, &err);
    if (json_array_append(described->objects, object) != 0 ||
        json_array_append(described->resolved, view) != 0)
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

static int describe_all(struct described *described, const struct input *input)
{
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    for (size_t i = 0; i < input->count; i++)
        code = cli_first(code, describe_object(described, &input->documents[i]));
    ticker_stop(&ticker);
    return code;
}

static int print_text(const struct described *described, size_t pod_limit)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct describe_style style = {output_terminal(), output_colour(), output_now(), output_width(),
                                   pod_limit};
    for (size_t i = 0; i < json_array_size(described->resolved); i++) {
        const json_t *object = json_array_get(described->objects, i);
        const struct karta_definition *definition =
            karta_snapshot_find_for(described->catalog, object);
        strbuf_adds(&buf, i > 0 ? "\n" : "");
        describe_text(object, json_array_get(described->resolved, i),
                      karta_definition_origin(definition), &style, &buf);
    }
    return output_text(&buf);
}

static int print_views(const struct described *described, const char *format, size_t pod_limit)
{
    if (json_array_size(described->resolved) == 0)
        return CLI_DONE;
    if (strcmp(format, "text") == 0)
        return print_text(described, pod_limit);
    if (strcmp(format, "svg") == 0 || strcmp(format, "dot") == 0)
        return describe_pictures(described, format[0] == 's');
    return output_items(format, described->resolved);
}

static int describe_files(const struct arguments *arguments, struct described *described,
                          struct karta_snapshot **catalog)
{
    struct input input = {0};
    int code = catalog_load(&arguments->definitions, catalog);
    if (code == CLI_DONE) {
        described->catalog = *catalog;
        code = input_read(&arguments->files, &input);
        code = cli_first(code, input_keep_objects(&input));
        code = cli_first(code, describe_all(described, &input));
    }
    input_dispose(&input);
    return code;
}

static int check_usage(const struct arguments *arguments, size_t *pod_limit)
{
    const char *limit = arguments->value[FLAG_POD_LIMIT];
    char *end = NULL;
    *pod_limit = limit != NULL ? strtoul(limit, &end, 10) : POD_LIMIT;
    if (limit != NULL && (*end != '\0' || !isdigit((unsigned char)*limit)))
        return cli_fail(CLI_USAGE, "describe: --pod-limit takes a number, not \"%s\"", limit);
    if (arguments->words.count > 0 && arguments->files.count > 0)
        return cli_fail(CLI_USAGE, "describe: give either a file or \"%s\", not both",
                        arguments->words.items[0]);
    if (arguments->files.count == 0 && arguments->words.count == 0)
        return cli_fail(CLI_USAGE, "describe: give TYPE/NAME, or a file with -f (- for standard "
                                   "input)");
    return CLI_DONE;
}

static int describe(const struct arguments *arguments)
{
    struct karta_snapshot *catalog = NULL;
    struct described described = {
        .ns = arguments->value[FLAG_NAMESPACE], .objects = json_array(), .resolved = json_array()};
    size_t pod_limit = 0;
    int code = check_usage(arguments, &pod_limit);
    if (code == CLI_DONE) {
        code = (arguments->files.count > 0 ? describe_files : describe_live)(arguments, &described,
                                                                             &catalog);
        code = cli_first(code, print_views(&described, arguments->format, pod_limit));
    }
    json_decref(described.objects);
    json_decref(described.resolved);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command describe_command = {
    .name = "describe",
    .run = describe,
    .summary = "what a workload is made of: components, pods, GPUs, pod groups",
    .usage = "describe TYPE/NAME | -f FILE [-n NS] [-o text|json|yaml|dot|svg] [--pod-limit N]",
    .about =
        "Reads one workload through the definition of its kind: which components it has, how many\n"
        "pods and GPUs each asks for, which pods must start together (POD GROUP, MIN-MEMBER),\n"
        "and of what is in a cluster which pods are there. TYPE is what kubectl takes: jobset,\n"
        "jobs.batch, po. The cluster is asked through the kubectl on PATH.\n",
    .example = "  kartactl describe jobset/train -n ml\n"
               "  kartactl describe -f manifests/examples/jobset.yaml\n"
               "  kubectl get jobset train -o json | kartactl describe -f - -o json\n",
    .flags = 1U << FLAG_FILE | 1U << FLAG_OUTPUT | 1U << FLAG_POD_LIMIT | 1U << FLAG_DEFINITIONS |
             FLAGS_LIVE,
    .formats = "text|json|yaml|dot|svg",
};
