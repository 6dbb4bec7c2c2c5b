/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live reads. The one idea: a request keeps what came and what went wrong side by side, since of a
 * cluster one may often read some and not all.
 */
#include "live.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "input.h"
#include "kubectl.h"
#include "kubectl_errors.h"
#include "message.h"
#include "output.h"
#include "schema.h"

/* what belongs to kubectl_run: at most as many calls at once */
#define REQUESTS 8

static const char *text_of(const struct strbuf *buf)
{
    return buf->text != NULL ? buf->text : "";
}

int live_open(const struct arguments *arguments, struct live *live)
{
    *live = (struct live){.arguments = arguments};
    int code = kubectl_check_config(arguments);
    if (code != CLI_DONE)
        return code;
    struct kubectl_call call = {.words = {"api-resources", "--verbs=list", "--no-headers"}};
    code = kubectl_run(arguments, &call, 1);
    if (code == CLI_DONE && !api_resources_parse(text_of(&call.out), &live->resources))
        code = cli_fail(CLI_FAILED, "out of memory");
    /* one API service that is down hides its own resources, not the others */
    if (code == CLI_DONE && call.status != 0) {
        bool some = live->resources.count > 0;
        kubectl_errors_print(text_of(&call.err), some);
        code = some ? CLI_DONE : kubectl_errors_code(text_of(&call.err));
    }
    kubectl_call_dispose(&call);
    return code;
}

void live_dispose(struct live *live)
{
    api_resources_dispose(&live->resources);
}

void live_request_dispose(struct live_request *request)
{
    json_decref(request->items);
    free(request->errors);
    request->items = NULL;
    request->errors = NULL;
}

static void fill_call(const struct live *live, const struct live_request *request,
                      struct kubectl_call *call)
{
    const char *ns = live->arguments->value[FLAG_NAMESPACE];
    size_t count = 0;
    call->words[count++] = "get";
    call->words[count++] = request->types;
    if (request->name != NULL)
        call->words[count++] = request->name;
    call->words[count++] = "-o";
    call->words[count++] = "json";
    if (request->everywhere) {
        call->words[count++] = "-A";
    } else if (ns != NULL) {
        call->words[count++] = "-n";
        call->words[count++] = ns;
    }
    if (request->selector != NULL) {
        call->words[count++] = "-l";
        call->words[count++] = request->selector;
    }
}

static bool take_items(json_t *document, json_t *items)
{
    const json_t *list = json_object_get(document, "items");
    if (json_is_array(list))
        return json_array_extend(items, (json_t *)list) == 0;
    return json_array_append(items, document) == 0;
}

static int take_answer(struct live_request *request, const struct kubectl_call *call)
{
    request->items = json_array();
    request->errors = strdup(call->status != 0 ? text_of(&call->err) : "");
    request->code = call->status != 0 ? kubectl_errors_code(request->errors) : CLI_DONE;
    if (request->items == NULL || request->errors == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    if (call->out.size == 0)
        return CLI_DONE;
    json_error_t where;
    json_auto_t *document = json_loadb(call->out.text, call->out.size, JSON_ALLOW_NUL, &where);
    if (document == NULL)
        document = json_loadb(call->out.text, call->out.size,
                              JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &where);
    if (document == NULL && call->status == 0)
        return cli_fail(CLI_FAILED, "kubectl get %s: not JSON: %s", request->types, where.text);
    if (document != NULL && !take_items(document, request->items))
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

int live_get(const struct live *live, struct live_request *requests, size_t count)
{
    struct kubectl_call calls[REQUESTS] = {0};
    size_t index[REQUESTS], used = 0;
    for (size_t i = 0; i < count && used < REQUESTS; i++)
        if (requests[i].types != NULL) {
            fill_call(live, &requests[i], &calls[used]);
            index[used++] = i;
        }
    int code = kubectl_run(live->arguments, calls, used);
    for (size_t i = 0; i < used; i++) {
        if (code == CLI_DONE)
            code = take_answer(&requests[index[i]], &calls[i]);
        kubectl_call_dispose(&calls[i]);
    }
    return code;
}

int live_say(const struct live_request *request)
{
    if (request->code == CLI_DONE)
        return CLI_DONE;
    bool some = json_array_size(request->items) > 0;
    kubectl_errors_print(request->errors, some);
    return some ? CLI_DONE : request->code;
}

void live_warn(const struct live_request *request)
{
    if (request->code != CLI_DONE)
        kubectl_errors_print(request->errors, true);
}

struct live_request live_kartas(const struct live *live)
{
    const struct api_resource *kartas =
        api_resources_of(&live->resources, "run.ai/v1alpha1", "Karta");
    return (struct live_request){.types = kartas != NULL ? kartas->address : NULL};
}

int live_catalog(const struct live *live, const struct live_request *kartas,
                 struct karta_snapshot **catalog)
{
    /* who may not read them is not told so at every call */
    if (kartas->code != CLI_DONE && strstr(kartas->errors, "(Forbidden)") == NULL)
        kubectl_errors_print(kartas->errors, true);
    return catalog_load_with(&live->arguments->definitions, kartas->items, catalog);
}

static int unknown_type(const struct live *live, const char *word)
{
    const char **names = mem_array(live->resources.count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < live->resources.count; i++)
        names[i] = live->resources.items[i].plural;
    const char *near = names != NULL ? nearest_name(word, names) : NULL;
    int code = near != NULL
                   ? cli_fail(CLI_NOT_FOUND, "the cluster has no type \"%s\"; did you mean %s?",
                              word, near)
                   : cli_fail(CLI_NOT_FOUND, "the cluster has no type \"%s\"", word);
    free(names);
    return code;
}

static void add_address(struct strbuf *buf, const struct api_resource *resource)
{
    strbuf_addf(buf, "%s%s", buf->size > 0 ? "," : "", resource->address);
}

int live_find(const struct live *live, const char *word, char **addresses)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < live->resources.count; i++)
        if (api_resource_is(&live->resources.items[i], word))
            add_address(&buf, &live->resources.items[i]);
    if (buf.failed == 0 && buf.size == 0)
        return unknown_type(live, word);
    *addresses = strbuf_take(&buf);
    return *addresses != NULL ? CLI_DONE : cli_fail(CLI_FAILED, "out of memory");
}

bool live_is_covered(const struct karta_snapshot *catalog, const char *api_version,
                     const char *kind)
{
    const char *slash = strchr(api_version, '/');
    size_t size = slash != NULL ? (size_t)(slash - api_version) : 0;
    for (size_t i = 0; i < karta_snapshot_definitions(catalog); i++) {
        const struct karta_definition *definition = karta_snapshot_definition(catalog, i);
        const char *group = karta_definition_group(definition);
        if (strcmp(karta_definition_kind(definition), kind) == 0 && strlen(group) == size &&
            memcmp(group, api_version, size) == 0)
            return true;
    }
    return false;
}
