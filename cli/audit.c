/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl audit: which workloads should start together and don't, and what would mend it. */
#include "audit.h"

#include <string.h>

#include "audit_objects.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "message.h"
#include "ticker.h"
#include "workloads.h"

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
        code =
            cli_first(code, audit_judge(audit, input.documents[i].value, input.documents[i].label));
    code = cli_first(code, audit_objects_among(audit, &input));
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
        code = cli_first(code, audit_judge(audit, named.items[i].object, named.items[i].label));
    workloads_named_dispose(&named);
    return cli_first(code, audit_objects_ask(audit));
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
        code = cli_first(code, audit_judge(audit, object, label != NULL ? label : "?"));
    }
    code = cli_first(code, audit_objects_ask(audit));
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
    struct audit audit = {.arguments = arguments, .findings = json_array(), .wanted = json_array()};
    struct karta_snapshot *catalog = NULL;
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    code = audit_any(&audit, &catalog);
    ticker_stop(&ticker);
    if (catalog != NULL)
        code = cli_first(code, audit_print(&audit));
    json_decref(audit.wanted);
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
        "  incomplete    keys of its gang were lost, or a PodGroup that its pods wait for is\n"
        "                missing (of files: where they hold any PodGroup)\n"
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
