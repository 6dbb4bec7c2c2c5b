/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile's `objects` give for a workload, looked for among those that there are. */
#include "audit_objects.h"

#include <string.h>

#include "base/mem.h"
#include "exit_code.h"
#include "karta/objects.h"
#include "live.h"
#include "message.h"
#include "ticker.h"

static const char *meta(const json_t *object, const char *key)
{
    return input_text(json_object_get(object, "metadata"), key);
}

/* Another version of the kind is the same object. */
static bool same_kind(const json_t *a, const json_t *b)
{
    const char *one = input_text(a, "apiVersion"), *other = input_text(b, "apiVersion");
    size_t size = strcspn(one, "/");
    return strcmp(input_text(a, "kind"), input_text(b, "kind")) == 0 &&
           size == strcspn(other, "/") && strncmp(one, other, size) == 0;
}

/* {object, finding}: the finding is changed where the object is missing. */
static int want(struct audit *audit, json_t *object)
{
    json_t *finding = json_array_get(audit->findings, json_array_size(audit->findings) - 1);
    json_t *wanted = json_pack("{s:O, s:O}", "object", object, "finding", finding);
    return json_array_append_new(audit->wanted, wanted) == 0
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "out of memory");
}

int audit_objects_want(struct audit *audit, const json_t *object, const char *label)
{
    const struct karta_object_options options = {.ns = audit->arguments->value[FLAG_NAMESPACE],
                                                 .default_queue =
                                                     audit->arguments->value[FLAG_QUEUE],
                                                 .deadline_ms = ticker_deadline()};
    struct karta_objects objects = {0};
    struct karta_error err = {0};
    int code = CLI_DONE;
    if (karta_group_objects(audit->catalog, object, &options, &objects, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), label, &err);
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(objects.objects); i++)
        code = want(audit, json_array_get(objects.objects, i));
    karta_objects_dispose(&objects);
    return code;
}

/* `reason` is taken; NULL: out of memory. */
static int blame(json_t *wanted, char *reason)
{
    json_t *finding = json_object_get(wanted, "finding");
    KARTA_AUTO_TEXT own = reason;
    if (reason == NULL || json_object_set_new(finding, "state", json_string(AUDIT_INCOMPLETE)) != 0)
        return cli_fail(CLI_FAILED, "out of memory");
    json_object_set_new(finding, "mended", json_string("no"));
    json_object_set_new(finding, "reason", json_string(reason));
    return CLI_DONE;
}

static bool is_among(const json_t *object, const json_t *items)
{
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        if (same_kind(object, item) && strcmp(meta(object, "name"), meta(item, "name")) == 0 &&
            strcmp(meta(object, "namespace"), meta(item, "namespace")) == 0)
            return true;
    }
    return false;
}

/* Of everything noted that is of the same kind as `like`. */
static int compare(struct audit *audit, const json_t *like, const json_t *items)
{
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(audit->wanted); i++) {
        json_t *wanted = json_array_get(audit->wanted, i);
        const json_t *object = json_object_get(wanted, "object");
        if (same_kind(object, like) && !is_among(object, items))
            code = blame(wanted, mem_format("its %s %s is missing: its pods wait for it",
                                            input_text(object, "kind"), meta(object, "name")));
    }
    return code;
}

/* The first that was noted of a kind: each kind is looked for once. */
static bool is_first(const struct audit *audit, size_t index)
{
    const json_t *own = json_object_get(json_array_get(audit->wanted, index), "object");
    for (size_t i = 0; i < index; i++)
        if (same_kind(own, json_object_get(json_array_get(audit->wanted, i), "object")))
            return false;
    return true;
}

/* The cluster does not even know the kind. */
static int blame_all(struct audit *audit, const json_t *like)
{
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(audit->wanted); i++) {
        json_t *wanted = json_array_get(audit->wanted, i);
        if (same_kind(json_object_get(wanted, "object"), like))
            code =
                blame(wanted, mem_format("its %s can't be made: the cluster has no such kind in %s",
                                         input_text(like, "kind"), input_text(like, "apiVersion")));
    }
    return code;
}

static int ask_kind(struct audit *audit, const struct live *live, const json_t *like)
{
    const struct api_resource *resource = api_resources_of(
        &live->resources, input_text(like, "apiVersion"), input_text(like, "kind"));
    if (resource == NULL)
        return blame_all(audit, like);
    struct live_request request = {.types = resource->address,
                                   .everywhere =
                                       audit->arguments->value[FLAG_ALL_NAMESPACES] != NULL};
    int code = live_get(live, &request, 1);
    if (code == CLI_DONE)
        code = live_say(&request);
    if (code == CLI_DONE && request.code == CLI_DONE)
        code = compare(audit, like, request.items);
    live_request_dispose(&request);
    return code;
}

int audit_objects_ask(struct audit *audit)
{
    struct live live;
    if (json_array_size(audit->wanted) == 0)
        return CLI_DONE;
    int code = live_open(audit->arguments, &live);
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(audit->wanted); i++)
        if (is_first(audit, i))
            code =
                ask_kind(audit, &live, json_object_get(json_array_get(audit->wanted, i), "object"));
    live_dispose(&live);
    return code;
}

/* New array of the documents of that kind; NULL: out of memory. */
static json_t *documents_of(const struct input *input, const json_t *like)
{
    json_t *items = json_array();
    for (size_t i = 0; i < input->count; i++)
        if (same_kind(input->documents[i].value, like))
            json_array_append(items, input->documents[i].value);
    return items;
}

int audit_objects_among(struct audit *audit, const struct input *input)
{
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(audit->wanted); i++) {
        const json_t *like = json_object_get(json_array_get(audit->wanted, i), "object");
        json_auto_t *items = is_first(audit, i) ? documents_of(input, like) : NULL;
        if (json_array_size(items) > 0)
            code = compare(audit, like, items);
    }
    return code;
}
