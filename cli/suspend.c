/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl suspend and resume: one idea in two directions, as the definition's actions say. Files
 * are printed as they would be; what is in a cluster is patched.
 */
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "input.h"
#include "karta/patch.h"
#include "karta/suspend.h"
#include "kubectl.h"
#include "kubectl_errors.h"
#include "message.h"
#include "output.h"
#include "ticker.h"
#include "workloads.h"

struct work {
    const struct arguments *arguments;
    const struct karta_snapshot *catalog;
    bool resume;
    json_t *patched, *patches;
};

static const char *verb(const struct work *work)
{
    return work->resume ? "resume" : "suspend";
}

static int make_patch(const struct work *work, const json_t *object, const char *label,
                      json_t **patch)
{
    struct karta_error err = {0};
    if (karta_snapshot_find_for(work->catalog, object) == NULL)
        return cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", label,
                        input_text(object, "apiVersion"), input_text(object, "kind"));
    if (karta_suspend(work->catalog, object, work->resume, ticker_deadline(), patch, &err) != 0)
        return cli_fail_error(err.code == KARTA_ERR_NOT_FOUND ? CLI_FAILED : cli_code_of(&err),
                              label, &err);
    return CLI_DONE;
}

static int work_file(struct work *work, const struct input_document *document)
{
    struct karta_error err = {0};
    json_auto_t *patch = NULL, *after = NULL;
    json_auto_t *object = catalog_read_as(work->catalog, document->value, document->label);
    int code = make_patch(work, object != NULL ? object : document->value, document->label, &patch);
    if (code != CLI_DONE)
        return code;
    if (karta_patch_apply(document->value, patch, &after, &err) != 0)
        return cli_fail_error(CLI_FAILED, document->label, &err);
    if (json_array_append(work->patched, after) != 0 || json_array_append(work->patches, patch))
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

static int print_files(const struct work *work)
{
    const char *format = work->arguments->format;
    if (json_array_size(work->patched) == 0)
        return CLI_DONE;
    if (strcmp(format, "patch") == 0)
        return output_items("json", work->patches);
    if (strcmp(format, "json") != 0 || json_array_size(work->patched) == 1)
        return output_items(format, work->patched);
    json_auto_t *list =
        json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items", work->patched);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

static int work_files(struct work *work, struct karta_snapshot **catalog)
{
    struct input input = {0};
    struct ticker ticker;
    int code = catalog_load(&work->arguments->definitions, catalog);
    work->catalog = *catalog;
    if (code == CLI_DONE)
        code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    code = input_read(&work->arguments->files, &input);
    code = cli_first(code, input_keep_objects(&input));
    for (size_t i = 0; i < input.count; i++)
        code = cli_first(code, work_file(work, &input.documents[i]));
    ticker_stop(&ticker);
    input_dispose(&input);
    return cli_first(code, print_files(work));
}

/* The object must still be the one that was read, not another that took its name. */
static char *guarded(const json_t *object, json_t *patch)
{
    const char *uid = input_text(json_object_get(object, "metadata"), "uid");
    json_auto_t *test =
        json_pack("{s:s, s:s, s:s}", "op", "test", "path", "/metadata/uid", "value", uid);
    if (test == NULL || json_array_insert(patch, 0, test) != 0)
        return NULL;
    return json_dumps(patch, JSON_COMPACT);
}

static int send(const struct work *work, const struct workload_named *named, json_t *patch)
{
    const json_t *metadata = json_object_get(named->object, "metadata");
    const char *ns = input_text(metadata, "namespace");
    KARTA_AUTO_TEXT text = guarded(named->object, patch);
    if (text == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    struct kubectl_call call = {.words = {"patch", named->address, input_text(metadata, "name"),
                                          "--type=json", "-p", text, "-o", "name"}};
    size_t count = 8;
    if (*ns != '\0') {
        call.words[count++] = "-n";
        call.words[count++] = ns;
    }
    bool dry = work->arguments->value[FLAG_DRY_RUN] != NULL;
    if (dry)
        call.words[count++] = "--dry-run=server";
    int code = kubectl_run(work->arguments, &call, 1);
    if (code == CLI_DONE && call.status != 0) {
        kubectl_errors_print(call.err.text, false);
        code = kubectl_errors_code(call.err.text);
    } else if (code == CLI_DONE) {
        printf("%s %s%s\n", named->label, work->resume ? "resumed" : "suspended",
               dry ? " (server dry run)" : "");
    }
    kubectl_call_dispose(&call);
    return code;
}

static int work_named(const struct work *work, const struct workload_named *named)
{
    json_auto_t *patch = NULL;
    json_auto_t *object = catalog_read_as(work->catalog, named->object, named->label);
    int code = make_patch(work, object != NULL ? object : named->object, named->label, &patch);
    if (code != CLI_DONE)
        return code;
    if (strcmp(work->arguments->format, "patch") == 0)
        return output_value("json", patch);
    if (json_array_size(patch) > 0)
        return send(work, named, patch);
    printf("%s is %s already\n", named->label, work->resume ? "running" : "suspended");
    return CLI_DONE;
}

static int work_live(struct work *work, struct karta_snapshot **catalog)
{
    struct workloads_named named = {0};
    struct ticker ticker;
    int code = workloads_get(verb(work), work->arguments, catalog, &named);
    work->catalog = *catalog;
    int started = named.count > 0 ? ticker_start(&ticker) : CLI_FAILED;
    for (size_t i = 0; i < named.count && started == CLI_DONE; i++)
        code = cli_first(code, work_named(work, &named.items[i]));
    if (started == CLI_DONE)
        ticker_stop(&ticker);
    workloads_named_dispose(&named);
    return code;
}

static int run(const struct arguments *arguments, bool resume)
{
    struct work work = {arguments, NULL, resume, json_array(), json_array()};
    struct karta_snapshot *catalog = NULL;
    int code;
    if ((arguments->files.count > 0) == (arguments->words.count > 0))
        code = cli_fail(CLI_USAGE, "%s: give either TYPE/NAME or a file with -f", verb(&work));
    else
        code =
            arguments->files.count > 0 ? work_files(&work, &catalog) : work_live(&work, &catalog);
    json_decref(work.patched);
    json_decref(work.patches);
    karta_snapshot_unref(catalog);
    return code;
}

static int suspend_run(const struct arguments *arguments)
{
    return run(arguments, false);
}

static int resume_run(const struct arguments *arguments)
{
    return run(arguments, true);
}

#define SUSPEND_FLAGS                                                                              \
    (FLAGS_LIVE | 1U << FLAG_FILE | 1U << FLAG_DRY_RUN | 1U << FLAG_OUTPUT | 1U << FLAG_DEFINITIONS)

const struct command suspend_command = {
    .name = "suspend",
    .run = suspend_run,
    .summary = "stop a workload's pods and keep the workload, whatever its kind",
    .usage = "suspend TYPE/NAME | -f FILE [-n NS] [--dry-run] [-o yaml|json|patch]",
    .about =
        "Does what the definition of the kind says: it sets a field such as spec.suspend, or\n"
        "whatever it takes. A file is printed as it would be (-o patch: the JSON Patch alone); "
        "what\n"
        "is in a cluster is patched through kubectl.\n",
    .example = "  kartactl suspend jobset/train -n ml --dry-run\n"
               "  kartactl suspend -f manifests/examples/jobset.yaml -o patch\n",
    .flags = SUSPEND_FLAGS,
    .formats = "yaml|json|patch",
};

const struct command resume_command = {
    .name = "resume",
    .run = resume_run,
    .summary = "let a suspended workload run again",
    .usage = "resume TYPE/NAME | -f FILE [-n NS] [--dry-run] [-o yaml|json|patch]",
    .about = "Undoes kartactl suspend, as the definition of the kind says.\n",
    .example = "  kartactl resume jobset/train -n ml\n"
               "  kartactl resume -f manifests/examples/jobset.yaml -o patch\n",
    .flags = SUSPEND_FLAGS,
    .formats = "yaml|json|patch",
};
