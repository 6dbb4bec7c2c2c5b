/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Top-level workloads. The one idea: an object is one when nothing that a definition covers stands
 * above it, so the pods of a Job are left out and the Deployment of an unknown operator isn't.
 */
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "exit_code.h"
#include "input.h"
#include "live.h"
#include "message.h"
#include "owners.h"

static const char *metadata_of(const json_t *object, const char *key)
{
    return input_text(json_object_get(object, "metadata"), key);
}

static int compare(const void *one, const void *two)
{
    const json_t *a = *(json_t *const *)one, *b = *(json_t *const *)two;
    int order = strcmp(metadata_of(a, "namespace"), metadata_of(b, "namespace"));
    if (order == 0)
        order = strcmp(input_text(a, "kind"), input_text(b, "kind"));
    if (order == 0)
        order = strverscmp(metadata_of(a, "name"), metadata_of(b, "name"));
    return order != 0 ? order : strcmp(input_text(a, "apiVersion"), input_text(b, "apiVersion"));
}

static json_t *sort_objects(const json_t *items)
{
    size_t count = json_array_size(items);
    json_t **list = mem_array(count + 1, sizeof *list);
    json_t *result = list != NULL ? json_array() : NULL;
    for (size_t i = 0; i < count && result != NULL; i++)
        list[i] = json_array_get(items, i);
    if (result != NULL)
        qsort(list, count, sizeof(json_t *), compare);
    for (size_t i = 0; i < count && result != NULL; i++)
        json_array_append(result, list[i]);
    free(list);
    return result;
}

/* Those of `items` that are wanted, sorted. */
static int keep(const struct live *live, const struct karta_snapshot *catalog,
                enum workloads_wanted wanted, const struct live_request *request, json_t **objects)
{
    struct owners owners;
    const json_t *items = request->items;
    json_auto_t *top = json_array();
    int code = owners_init(&owners) && owners_add(&owners, items)
                   ? CLI_DONE
                   : cli_fail(CLI_FAILED, "out of memory");
    if (code == CLI_DONE && wanted == WORKLOADS_TOP)
        code = owners_complete(&owners, live, request->everywhere, catalog);
    for (size_t i = 0; i < json_array_size(items) && code == CLI_DONE; i++) {
        json_t *item = json_array_get(items, i);
        if (live_is_covered(catalog, input_text(item, "apiVersion"), input_text(item, "kind")) &&
            (wanted == WORKLOADS_ALL || !owners_are_covered(&owners, item, catalog)))
            json_array_append(top, item);
    }
    owners_dispose(&owners);
    if (code == CLI_DONE && (*objects = sort_objects(top)) == NULL)
        code = cli_fail(CLI_FAILED, "out of memory");
    return code;
}

/* The part of `types` that a definition covers; new, "" for none. */
static char *only_covered(const struct live *live, const struct karta_snapshot *catalog,
                          const char *type)
{
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    for (size_t i = 0; i < live->resources.count; i++) {
        const struct api_resource *resource = &live->resources.items[i];
        KARTA_AUTO_TEXT version = mem_format(
            "%s%s%s", resource->group, *resource->group != '\0' ? "/" : "", resource->version);
        if (version != NULL && (type == NULL || api_resource_is(resource, type)) &&
            live_is_covered(catalog, version, resource->kind))
            strbuf_addf(&buf, "%s%s", buf.size > 0 ? "," : "", resource->address);
    }
    return strbuf_take(&buf);
}

static int list_types(const struct live *live, const struct karta_snapshot *catalog,
                      const char *type, enum workloads_wanted wanted, json_t **objects,
                      bool *partial)
{
    const struct arguments *arguments = live->arguments;
    KARTA_AUTO_TEXT types = only_covered(live, catalog, type);
    if (types == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    if (*types == '\0')
        return cli_fail(CLI_NO_DEFINITION, "no definition covers %s",
                        type != NULL ? type : "anything that the cluster has");
    struct live_request request = {.types = types,
                                   .selector = arguments->value[FLAG_SELECTOR],
                                   .everywhere = arguments->value[FLAG_ALL_NAMESPACES] != NULL};
    int code = live_get(live, &request, 1);
    if (code == CLI_DONE)
        code = live_say(&request);
    *partial = request.code != CLI_DONE;
    if (code == CLI_DONE)
        code = keep(live, catalog, wanted, &request, objects);
    live_request_dispose(&request);
    return code;
}

int workloads_list(const struct arguments *arguments, const char *type,
                   enum workloads_wanted wanted, struct karta_snapshot **catalog, json_t **objects,
                   bool *partial)
{
    struct live live = {0};
    int code = live_open(arguments, &live);
    if (code == CLI_DONE && type != NULL) {
        KARTA_AUTO_TEXT types = NULL;
        code = live_find(&live, type, &types);
    }
    if (code == CLI_DONE) {
        struct live_request kartas = live_kartas(&live);
        code = live_get(&live, &kartas, 1);
        if (code == CLI_DONE)
            code = live_catalog(&live, &kartas, catalog);
        live_request_dispose(&kartas);
    }
    if (code == CLI_DONE)
        code = list_types(&live, *catalog, type, wanted, objects, partial);
    live_dispose(&live);
    return code;
}

int workloads_asked(const char *command, const struct arguments *arguments,
                    enum workloads_wanted wanted, struct karta_snapshot **catalog, json_t **objects,
                    bool *partial)
{
    const struct text_list *words = &arguments->words;
    bool all = arguments->value[FLAG_ALL_TYPES] != NULL;
    if (all && words->count > 0)
        return cli_fail(CLI_USAGE, "%s: give either \"%s\" or --all-types", command,
                        words->items[0]);
    if (!all && words->count == 0)
        return cli_fail(CLI_USAGE, "%s: give a type, such as jobs, or --all-types", command);
    if (words->count > 1 || (words->count == 1 && strchr(words->items[0], '/') != NULL))
        return cli_fail(CLI_USAGE, "%s: unexpected \"%s\"; one workload is shown by describe",
                        command, words->items[words->count - 1]);
    return workloads_list(arguments, all ? NULL : words->items[0], wanted, catalog, objects,
                          partial);
}
