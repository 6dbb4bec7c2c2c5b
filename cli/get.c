/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl get: the workloads of a cluster, one a line, whatever their kinds. */
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "describe_text.h"
#include "exit_code.h"
#include "input.h"
#include "karta/view.h"
#include "message.h"
#include "output.h"
#include "schema.h"
#include "table.h"
#include "ticker.h"
#include "workloads.h"

static const char *const phases[] = {"Resuming",  "Suspending", "Suspended",    "Running",
                                     "Failed",    "Completed",  "Initializing", "Degraded",
                                     "Undefined", NULL};

struct getting {
    const struct arguments *arguments;
    const struct karta_snapshot *catalog;
    json_t *views, *ages; /* arrays of one length; ages: texts */
    json_t *warned;       /* kinds that were said to be read as another version */
};

static bool is_phase(const json_t *view, const char *wanted)
{
    const json_t *found = json_object_get(json_object_get(view, "status"), "phases");
    for (size_t i = 0; i < json_array_size(found); i++)
        if (strcasecmp(json_string_value(json_array_get(found, i)), wanted) == 0)
            return true;
    return false;
}

/* The label where its kind is to be warned of: once, not a thousand times. */
static const char *first_of_kind(struct getting *getting, const json_t *object, const char *label)
{
    KARTA_AUTO_TEXT kind =
        mem_format("%s %s", input_text(object, "apiVersion"), input_text(object, "kind"));
    if (kind == NULL || json_object_get(getting->warned, kind) != NULL)
        return NULL;
    json_object_set_new(getting->warned, kind, json_true());
    return label;
}

static int get_one(struct getting *getting, const json_t *object, const char *label)
{
    const char *phase = getting->arguments->value[FLAG_PHASE];
    struct karta_error err = {0};
    json_auto_t *view = NULL;
    json_auto_t *known =
        catalog_read_as(getting->catalog, object, first_of_kind(getting, object, label));
    if (known == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    if (karta_view(getting->catalog, known, getting->arguments->value[FLAG_NAMESPACE],
                   ticker_deadline(), &view, &err) != 0)
        return cli_fail_error(cli_code_of(&err), label, &err);
    if (phase != NULL && !is_phase(view, phase))
        return CLI_DONE;
    KARTA_AUTO_TEXT age = describe_age_of(object, output_now());
    if (json_array_append(getting->views, view) != 0 ||
        json_array_append_new(getting->ages, json_string(age != NULL ? age : "-")) != 0)
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

static int get_all(struct getting *getting, const json_t *objects)
{
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i);
        KARTA_AUTO_TEXT label = mem_format("%s/%s", input_text(object, "kind"),
                                           input_text(json_object_get(object, "metadata"), "name"));
        code = cli_first(code, get_one(getting, object, label != NULL ? label : "?"));
    }
    ticker_stop(&ticker);
    return code;
}

static char *join_phases(const json_t *view)
{
    struct strbuf buf;
    strbuf_init(&buf, 1024);
    const json_t *found = json_object_get(json_object_get(view, "status"), "phases");
    for (size_t i = 0; i < json_array_size(found); i++)
        strbuf_addf(&buf, "%s%s", i > 0 ? "," : "", json_string_value(json_array_get(found, i)));
    return strbuf_take(&buf);
}

/* What must start together: the minimum of each group, "3" or "2,2". "-" where nothing must. */
static char *join_minimums(const json_t *view)
{
    struct strbuf buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const json_t *groups = json_object_get(view, "podGroups");
    for (size_t i = 0; i < json_array_size(groups); i++)
        strbuf_addf(&buf, "%s%.15g", i > 0 ? "," : "",
                    json_number_value(json_object_get(json_array_get(groups, i), "minMember")));
    if (buf.size == 0)
        strbuf_adds(&buf, "-");
    return strbuf_take(&buf);
}

static const char *or_dash(const char *text)
{
    return *text != '\0' ? text : "-";
}

static char *number_or_dash(const json_t *number)
{
    return json_is_number(number) ? mem_format("%.15g", json_number_value(number))
                                  : mem_format("-");
}

static void add_row(struct table *table, const json_t *view, const char *age, bool everywhere,
                    bool wide)
{
    const json_t *workload = json_object_get(view, "workload");
    const json_t *totals = json_object_get(view, "totals");
    KARTA_AUTO_TEXT phase = join_phases(view);
    KARTA_AUTO_TEXT pods = number_or_dash(json_object_get(totals, "pods"));
    KARTA_AUTO_TEXT gpus = number_or_dash(json_object_get(totals, "gpus"));
    KARTA_AUTO_TEXT least = join_minimums(view);
    const char *profile =
        input_text(json_object_get(workload, "labels"), "workloadmap.dev/profile");
    const char *cells[TABLE_COLUMNS + 1] = {0};
    size_t count = 0;
    if (phase == NULL || pods == NULL || gpus == NULL || least == NULL) {
        table->failed = true;
        return;
    }
    if (everywhere)
        cells[count++] = or_dash(input_text(workload, "namespace"));
    cells[count++] = input_text(workload, "kind");
    cells[count++] = input_text(workload, "name");
    cells[count++] = phase;
    cells[count++] = pods;
    cells[count++] = gpus;
    cells[count++] = or_dash(input_text(view, "queue"));
    cells[count++] = age;
    if (wide) {
        cells[count++] = least;
        cells[count++] = or_dash(profile);
        cells[count++] = input_text(workload, "apiVersion");
        cells[count++] = input_text(view, "definition");
    }
    table_add(table, cells);
}

static int print_table(const struct getting *getting, bool wide)
{
    static const char *const heads[] = {"NAMESPACE",  "KIND",       "NAME", "PHASE",      "PODS",
                                        "GPUS",       "QUEUE",      "AGE",  "MIN-MEMBER", "GANGED",
                                        "APIVERSION", "DEFINITION", NULL};
    bool everywhere = getting->arguments->value[FLAG_ALL_NAMESPACES] != NULL;
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct table table = {.width = output_width()};
    const char *cells[TABLE_COLUMNS + 1] = {0};
    size_t first = everywhere ? 0 : 1, last = wide ? 12 : 8;
    memcpy(cells, heads + first, (last - first) * sizeof *cells);
    table_add(&table, cells);
    for (size_t i = 0; i < json_array_size(getting->views); i++)
        add_row(&table, json_array_get(getting->views, i),
                json_string_value(json_array_get(getting->ages, i)), everywhere, wide);
    table_print(&table, output_colour(), &buf);
    table_dispose(&table);
    return output_text(&buf);
}

static int print_list(const struct getting *getting)
{
    const char *format = getting->arguments->format;
    const char *ns = getting->arguments->value[FLAG_NAMESPACE];
    if (strcmp(format, "json") == 0 || strcmp(format, "yaml") == 0) {
        json_auto_t *list = json_pack("{s:O}", "items", getting->views);
        return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
    }
    if (json_array_size(getting->views) > 0)
        return print_table(getting, strcmp(format, "wide") == 0);
    if (getting->arguments->value[FLAG_ALL_NAMESPACES] != NULL || ns == NULL)
        fputs("no workloads found\n", stderr);
    else
        fprintf(stderr, "no workloads found in namespace %s\n", ns);
    return CLI_DONE;
}

static int check_usage(const struct arguments *arguments)
{
    const char *phase = arguments->value[FLAG_PHASE];
    for (size_t i = 0; phase != NULL && phases[i] != NULL; i++)
        if (strcasecmp(phases[i], phase) == 0)
            return CLI_DONE;
    if (phase == NULL)
        return CLI_DONE;
    const char *near = nearest_name(phase, phases);
    return cli_fail(CLI_USAGE, "get: no phase \"%s\"; %s%s%s", phase,
                    near != NULL ? "did you mean "
                                 : "there are Running, Initializing, Completed, "
                                   "Failed, Degraded, Suspended, Suspending, "
                                   "Resuming and Undefined",
                    near != NULL ? near : "", near != NULL ? "?" : "");
}

static int get(const struct arguments *arguments)
{
    struct karta_snapshot *catalog = NULL;
    json_t *objects = NULL;
    bool partial = false;
    struct getting getting = {arguments, NULL, json_array(), json_array(), json_object()};
    int code = check_usage(arguments);
    if (code == CLI_DONE)
        code = workloads_asked("get", arguments, WORKLOADS_TOP, &catalog, &objects, &partial);
    if (code == CLI_DONE) {
        getting.catalog = catalog;
        code = get_all(&getting, objects);
        code = cli_first(code, print_list(&getting));
    }
    json_decref(objects);
    json_decref(getting.views);
    json_decref(getting.ages);
    json_decref(getting.warned);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command get_command = {
    .name = "get",
    .run = get,
    .summary = "the workloads of a cluster, of any kind: phase, pods, GPUs, queue",
    .usage = "get TYPE | --all-types [-n NS | -A] [-l SELECTOR] [--phase PHASE]\n"
             "                    [-o table|wide|json|yaml]",
    .about = "Lists what users made, whatever its kind; what was made for another workload, as "
             "pods are\n"
             "for a Job, is left out. Phases mean the same for every kind.\n",
    .example = "  kartactl get --all-types -A\n"
               "  kartactl get jobsets -n ml -o wide\n"
               "  kartactl get --all-types -n ml --phase Initializing -l team=a\n",
    .flags = FLAGS_LIVE | 1U << FLAG_ALL_NAMESPACES | 1U << FLAG_ALL_TYPES | 1U << FLAG_SELECTOR |
             1U << FLAG_PHASE | 1U << FLAG_OUTPUT | 1U << FLAG_DEFINITIONS,
    .formats = "table|wide|json|yaml",
};
