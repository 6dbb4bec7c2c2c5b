/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that are named: TYPE/NAME, where TYPE may mean several kinds of the cluster. */
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "exit_code.h"
#include "input.h"
#include "live.h"
#include "message.h"
#include "names_given.h"
#include "workloads.h"

static bool is_covered(const struct karta_snapshot *catalog, const json_t *item)
{
    return live_is_covered(catalog, input_text(item, "apiVersion"), input_text(item, "kind"));
}

static int several(const struct karta_snapshot *catalog, const char *label, const json_t *items)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 4096);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (is_covered(catalog, json_array_get(items, i)))
            strbuf_addf(&buf, "%s%s %s", buf.size > 0 ? ", " : "",
                        input_text(json_array_get(items, i), "apiVersion"),
                        input_text(json_array_get(items, i), "kind"));
    return cli_fail(CLI_USAGE,
                    "%s: there are several: %s; give the type with its group, as in "
                    "jobs.batch/NAME",
                    label, buf.text != NULL ? buf.text : "");
}

int workloads_pick(const struct karta_snapshot *catalog, const char *label, const json_t *items,
                   json_t **object)
{
    json_t *picked = NULL;
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(items); i++)
        if (is_covered(catalog, json_array_get(items, i))) {
            picked = json_array_get(items, i);
            found++;
        }
    const json_t *first = json_array_get(items, 0);
    if (found == 0)
        return cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", label,
                        input_text(first, "apiVersion"), input_text(first, "kind"));
    if (found > 1)
        return several(catalog, label, items);
    *object = json_incref(picked);
    return CLI_DONE;
}

static int keep(const struct live *live, const struct karta_snapshot *catalog, const char *label,
                const struct live_request *request, struct workload_named *named)
{
    if (json_array_size(request->items) == 0)
        return live_say(request);
    int code = workloads_pick(catalog, label, request->items, &named->object);
    if (code != CLI_DONE)
        return code;
    const struct api_resource *resource =
        api_resources_of(&live->resources, input_text(named->object, "apiVersion"),
                         input_text(named->object, "kind"));
    named->label = strdup(label);
    named->address = strdup(resource != NULL ? resource->address : "");
    return named->label != NULL && named->address != NULL ? CLI_DONE
                                                          : cli_fail(CLI_FAILED, "out of memory");
}

static int get_one(const struct live *live, struct karta_snapshot **catalog,
                   const struct name_given *given, struct workloads_named *named)
{
    KARTA_AUTO_TEXT types = NULL;
    KARTA_AUTO_TEXT label = mem_format("%s/%s", given->type, given->name);
    int code = label != NULL ? live_find(live, given->type, &types)
                             : cli_fail(CLI_FAILED, "out of memory");
    if (code != CLI_DONE)
        return code;
    bool first = *catalog == NULL;
    struct live_request requests[2] = {{.types = types, .name = given->name}};
    if (first)
        requests[1] = live_kartas(live);
    code = live_get(live, requests, 2);
    if (code == CLI_DONE && first)
        code = live_catalog(live, &requests[1], catalog);
    if (code == CLI_DONE)
        code = keep(live, *catalog, label, &requests[0], &named->items[named->count]);
    named->count++;
    live_request_dispose(&requests[0]);
    live_request_dispose(&requests[1]);
    return code;
}

/* Takes out what could not be had. */
static void pack(struct workloads_named *named)
{
    size_t kept = 0;
    for (size_t i = 0; i < named->count; i++)
        if (named->items[i].address != NULL) {
            named->items[kept++] = named->items[i];
        } else {
            free(named->items[i].label);
            json_decref(named->items[i].object);
        }
    named->count = kept;
}

int workloads_get(const char *command, const struct arguments *arguments,
                  struct karta_snapshot **catalog, struct workloads_named *named)
{
    struct live live = {0};
    struct names_given names = {0};
    int code = names_read(command, &arguments->words, &names);
    if (code == CLI_DONE)
        code = live_open(arguments, &live);
    named->items = mem_array(names.count + 1, sizeof *named->items);
    if (code == CLI_DONE && named->items == NULL)
        code = cli_fail(CLI_FAILED, "out of memory");
    if (code == CLI_DONE) {
        for (size_t i = 0; i < names.count; i++)
            code = cli_first(code, get_one(&live, catalog, &names.items[i], named));
        pack(named);
    }
    names_dispose(&names);
    live_dispose(&live);
    return code;
}

void workloads_named_dispose(struct workloads_named *named)
{
    for (size_t i = 0; i < named->count; i++) {
        free(named->items[i].label);
        free(named->items[i].address);
        json_decref(named->items[i].object);
    }
    free(named->items);
    *named = (struct workloads_named){0};
}
