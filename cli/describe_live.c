/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describing what is in a cluster. The one idea: object, pods and Kartas are asked for together,
 * then only the kinds that own those pods; a pod is the workload's when its owners lead there.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "describe.h"
#include "exit_code.h"
#include "karta/pods.h"
#include "live.h"
#include "live_pods.h"
#include "message.h"
#include "names_given.h"
#include "owners.h"
#include "ticker.h"
#include "workloads.h"

enum { ASK_KARTAS, ASK_PODS, ASK_OBJECT, ASKS };

static const char *uid_of(const json_t *object)
{
    return input_text(json_object_get(object, "metadata"), "uid");
}

/* The pods that are the workload's, of those in its namespace. New array. */
static json_t *own_pods(const struct owners *owners, const json_t *pods, const json_t *object)
{
    json_t *own = json_array();
    for (size_t i = 0; i < json_array_size(pods); i++)
        if (owners_lead_to(owners, json_array_get(pods, i), uid_of(object)))
            json_array_append(own, json_array_get(pods, i));
    return own;
}

static int add_pods(const struct described *described, const json_t *own)
{
    struct karta_error err = {0};
    size_t last = json_array_size(described->objects) - 1;
    const json_t *object = json_array_get(described->objects, last);
    json_t *view = json_array_get(described->resolved, last);
    json_auto_t *matches = NULL;
    if (karta_pods_match(karta_snapshot_find_for(described->catalog, object), own,
                         ticker_deadline(), &matches, &err) != 0)
        return cli_fail(cli_code_of(&err), "pods: %s", err.message);
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(own); i++)
        json_array_append_new(list, live_pod(json_array_get(own, i), json_array_get(matches, i)));
    return json_object_set_new(view, "pods", list) == 0 ? CLI_DONE
                                                        : cli_fail(CLI_FAILED, "out of memory");
}

static int describe_pods(const struct live *live, const struct described *described,
                         const struct live_request *pods)
{
    const json_t *object =
        json_array_get(described->objects, json_array_size(described->objects) - 1);
    struct owners owners;
    int code = owners_init(&owners) ? CLI_DONE : cli_fail(CLI_FAILED, "out of memory");
    json_auto_t *itself = json_pack("[O]", object);
    live_warn(pods);
    if (code == CLI_DONE && (!owners_add(&owners, itself) || !owners_add(&owners, pods->items)))
        code = cli_fail(CLI_FAILED, "out of memory");
    if (code == CLI_DONE)
        code = owners_complete(&owners, live, false, NULL);
    json_auto_t *own = code == CLI_DONE ? own_pods(&owners, pods->items, object) : NULL;
    /* who may not list pods sees the workload, and no counts that would seem to be its own */
    if (code == CLI_DONE && pods->code == CLI_DONE)
        code = add_pods(described, own);
    owners_dispose(&owners);
    return code;
}

static int describe_found(const struct live *live, struct described *described,
                          const struct name_given *given, struct live_request *requests)
{
    if (json_array_size(requests[ASK_OBJECT].items) == 0)
        return live_say(&requests[ASK_OBJECT]);
    KARTA_AUTO_TEXT label = mem_format("%s/%s", given->type, given->name);
    json_auto_t *object = NULL;
    if (label == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    int code = workloads_pick(described->catalog, label, requests[ASK_OBJECT].items, &object);
    const struct input_document document = {.label = label, .value = object};
    if (code == CLI_DONE)
        code = describe_object(described, &document);
    return code == CLI_DONE ? describe_pods(live, described, &requests[ASK_PODS]) : code;
}

static int describe_given(const struct live *live, struct described *described,
                          const struct name_given *given, struct karta_snapshot **catalog)
{
    KARTA_AUTO_TEXT types = NULL;
    int code = live_find(live, given->type, &types);
    if (code != CLI_DONE)
        return code;
    const struct api_resource *pods = api_resources_of(&live->resources, "v1", "Pod");
    struct live_request requests[ASKS] = {
        [ASK_PODS] = {.types = pods != NULL ? pods->address : NULL},
        [ASK_OBJECT] = {.types = types, .name = given->name}};
    if (*catalog == NULL)
        requests[ASK_KARTAS] = live_kartas(live);
    code = live_get(live, requests, ASKS);
    if (code == CLI_DONE && *catalog == NULL)
        code = live_catalog(live, &requests[ASK_KARTAS], catalog);
    described->catalog = *catalog;
    if (code == CLI_DONE)
        code = describe_found(live, described, given, requests);
    for (size_t i = 0; i < ASKS; i++)
        live_request_dispose(&requests[i]);
    return code;
}

int describe_live(const struct arguments *arguments, struct described *described,
                  struct karta_snapshot **catalog)
{
    struct live live = {0};
    struct ticker ticker;
    struct names_given names = {0};
    int code = names_read("describe", &arguments->words, &names);
    if (code == CLI_DONE)
        code = live_open(arguments, &live);
    if (code == CLI_DONE)
        code = ticker_start(&ticker);
    if (code == CLI_DONE) {
        for (size_t i = 0; i < names.count; i++)
            code = cli_first(code, describe_given(&live, described, &names.items[i], catalog));
        ticker_stop(&ticker);
    }
    names_dispose(&names);
    live_dispose(&live);
    return code;
}
