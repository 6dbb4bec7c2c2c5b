/* SPDX-License-Identifier: Apache-2.0 */
/* The double itself: what is written can be read, in the real server's words. */
#include "asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KARTAS "/apis/run.ai/v1alpha1/kartas"
#define PODS "/api/v1/namespaces/here/pods"

static int setup(void **state)
{
    struct api_server *server = api_server_start(NULL);
    api_server_kind(server, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    *state = server;
    return 0;
}

static int teardown(void **state)
{
    api_server_free(*state);
    return 0;
}

static const char *karta(const char *name, const char *rest)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "{'apiVersion':'run.ai/v1alpha1','kind':'Karta','metadata':{'name':'%s'}%s}", name,
             rest);
    return text;
}

static void create__fills_metadata(void **state)
{
    json_auto_t *made = ask_json(*state, "POST", KARTAS, karta("a", ",'spec':{'x':1}"), 201);
    assert_string_equal(text_at(made, "metadata.name"), "a");
    assert_int_equal(strlen(text_at(made, "metadata.uid")), 36);
    assert_int_equal(strlen(text_at(made, "metadata.creationTimestamp")), 20);
    json_t *meta = json_object_get(made, "metadata");
    assert_int_equal(json_integer_value(json_object_get(meta, "generation")), 1);
    assert_string_equal(text_at(made, "metadata.managedFields.0.manager"), "asking");
    assert_string_equal(text_at(made, "metadata.managedFields.0.operation"), "Update");
    json_t *entry = json_array_get(json_object_get(meta, "managedFields"), 0);
    json_auto_t *fields = test_json("{'f:spec':{'f:x':{}}}");
    assert_json_equal(json_object_get(entry, "fieldsV1"), fields);
    json_auto_t *read = ask_json(*state, "GET", KARTAS "/a", NULL, 200);
    assert_json_equal(read, made);
}

static void create__refuses_what_is_there(void **state)
{
    json_decref(ask_json(*state, "POST", KARTAS, karta("a", ""), 201));
    json_auto_t *status = ask_json(*state, "POST", KARTAS, karta("a", ""), 409);
    assert_status(status, 409, "AlreadyExists", "kartas.run.ai \"a\" already exists");
    json_auto_t *details = test_json("{'name':'a','group':'run.ai','kind':'kartas'}");
    assert_json_equal(json_object_get(status, "details"), details);
}

static void create__makes_a_name(void **state)
{
    json_auto_t *made =
        ask_json(*state, "POST", PODS,
                 "{'apiVersion':'v1','kind':'Pod','metadata':{'generateName':'p-'}}", 201);
    assert_true(strncmp(text_at(made, "metadata.name"), "p-", 2) == 0);
    assert_int_equal(strlen(text_at(made, "metadata.name")), 7);
    assert_string_equal(text_at(made, "metadata.namespace"), "here");
}

static void create__refuses_nonsense(void **state)
{
    json_auto_t *other = ask_json(*state, "POST", KARTAS,
                                  "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a'}}", 400);
    assert_status(other, 400, "BadRequest", "Pod in version \"v1\" cannot be handled as a Karta");
    json_auto_t *nameless =
        ask_json(*state, "POST", KARTAS, "{'apiVersion':'run.ai/v1alpha1','kind':'Karta'}", 422);
    assert_status(
        nameless, 422, "Invalid",
        "Karta.run.ai \"\" is invalid: metadata.name: Required value: name or generateName is "
        "required");
}

static void get__says_what_is_not_there(void **state)
{
    json_auto_t *object = ask_json(*state, "GET", KARTAS "/none", NULL, 404);
    assert_status(object, 404, "NotFound", "kartas.run.ai \"none\" not found");
    json_auto_t *resource = ask_json(*state, "GET", "/apis/run.ai/v1alpha1/others", NULL, 404);
    assert_status(resource, 404, "NotFound", "the server could not find the requested resource");
    struct asked page = ask(*state, &(struct asking){.method = "GET", .path = "/apis/x/v1/y"});
    assert_int_equal(page.status, 404);
    assert_string_equal(page.text, "404 page not found\n");
    asked_dispose(&page);
}

/* New: the object as text, with another spec.x. */
static char *with_x(const json_t *object, int x)
{
    json_auto_t *copy = json_deep_copy(object);
    json_object_set_new(json_object_get(copy, "spec"), "x", json_integer(x));
    return json_dumps(copy, 0);
}

static void update__needs_the_latest(void **state)
{
    json_auto_t *made = ask_json(*state, "POST", KARTAS, karta("a", ",'spec':{'x':1}"), 201);
    KARTA_AUTO_TEXT next = with_x(made, 2);
    json_auto_t *changed = ask_json(*state, "PUT", KARTAS "/a", next, 200);
    json_t *meta = json_object_get(changed, "metadata");
    assert_int_equal(json_integer_value(json_object_get(meta, "generation")), 2);
    json_auto_t *status = ask_json(*state, "PUT", KARTAS "/a", next, 409);
    assert_status(status, 409, "Conflict",
                  "Operation cannot be fulfilled on kartas.run.ai \"a\": the object has been "
                  "modified; please apply your changes to the latest version and try again");
    json_auto_t *blind = ask_json(*state, "PUT", KARTAS "/a", karta("a", ",'spec':{}"), 422);
    assert_status(blind, 422, "Invalid",
                  "Karta.run.ai \"a\" is invalid: metadata.resourceVersion: Invalid value: 0x0: "
                  "must be specified for an update");
    json_auto_t *gone = ask_json(*state, "PUT", KARTAS "/b", karta("b", ""), 404);
    assert_status(gone, 404, "NotFound", "kartas.run.ai \"b\" not found");
}

static void update__of_nothing_keeps_the_version(void **state)
{
    json_auto_t *made = ask_json(*state, "POST", KARTAS, karta("a", ",'spec':{'x':1}"), 201);
    KARTA_AUTO_TEXT text = with_x(made, 1);
    json_auto_t *same = ask_json(*state, "PUT", KARTAS "/a", text, 200);
    assert_json_equal(same, made);
}

static void update__makes_a_lease_but_not_again(void **state)
{
    static const char path[] = "/apis/coordination.k8s.io/v1/namespaces/n/leases/l";
    json_auto_t *made = ask_json(*state, "PUT", path,
                                 "{'apiVersion':'coordination.k8s.io/v1','kind':'Lease',"
                                 "'metadata':{'name':'l'},'spec':{'holderIdentity':'me'}}",
                                 201);
    assert_string_equal(text_at(made, "metadata.namespace"), "n");
    api_server_delete(*state, "leases", "n", "l");
    KARTA_AUTO_TEXT text = json_dumps(made, 0);
    json_auto_t *status = ask_json(*state, "PUT", path, text, 409);
    assert_string_equal(text_at(status, "reason"), "Conflict");
    assert_int_equal(api_server_count(*state, "leases"), 0);
}

static void put__says_what_only_the_server_does(void **state)
{
    api_server_put(*state, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
                           "'namespace':'n','uid':'u','creationTimestamp':'2020-01-01T00:00:00Z',"
                           "'deletionTimestamp':'2020-01-02T00:00:00Z'}}");
    json_auto_t *pod = api_server_get(*state, "pods", "n", "p");
    assert_string_equal(text_at(pod, "metadata.uid"), "u");
    assert_string_equal(text_at(pod, "metadata.creationTimestamp"), "2020-01-01T00:00:00Z");
    assert_string_equal(text_at(pod, "metadata.deletionTimestamp"), "2020-01-02T00:00:00Z");
    assert_null(api_server_get(*state, "pods", "n", "q"));
}

static void dry_run__is_refused(void **state)
{
    json_auto_t *status = ask_json(*state, "POST", KARTAS "?dryRun=All", karta("a", ""), 400);
    assert_status(status, 400, "BadRequest", "dryRun: the double does not know it");
    assert_int_equal(api_server_count(*state, "kartas"), 0);
}

static void merge_patch__merges(void **state)
{
    json_decref(ask_json(*state, "POST", KARTAS, karta("a", ",'spec':{'x':1,'y':[1]}"), 201));
    json_auto_t *patched =
        ask_json(*state, "PATCH", KARTAS "/a", "{'spec':{'x':null,'y':[2],'z':{}}}", 200);
    json_auto_t *spec = test_json("{'y':[2],'z':{}}");
    assert_json_equal(json_object_get(patched, "spec"), spec);
    struct asked other =
        ask(*state, &(struct asking){.method = "PATCH",
                                     .path = KARTAS "/a",
                                     .body = "[]",
                                     .content_type = "application/json-patch+json"});
    assert_int_equal(other.status, 415);
    asked_dispose(&other);
}

static void status__has_a_door_of_its_own(void **state)
{
    json_auto_t *made =
        ask_json(*state, "POST", KARTAS, karta("a", ",'spec':{'x':1},'status':{'s':1}"), 201);
    assert_null(json_object_get(made, "status"));
    json_auto_t *changed =
        ask_json(*state, "PATCH", KARTAS "/a/status", "{'spec':{'x':2},'status':{'s':2}}", 200);
    json_auto_t *spec = test_json("{'x':1}");
    json_auto_t *status = test_json("{'s':2}");
    assert_json_equal(json_object_get(changed, "spec"), spec);
    assert_json_equal(json_object_get(changed, "status"), status);
    assert_string_equal(text_at(changed, "metadata.managedFields.1.subresource"), "status");
    json_t *meta = json_object_get(changed, "metadata");
    assert_int_equal(json_integer_value(json_object_get(meta, "generation")), 1);
    json_auto_t *main = ask_json(*state, "PATCH", KARTAS "/a", "{'status':{'s':3}}", 200);
    assert_json_equal(main, changed);
    json_auto_t *none = ask_json(
        *state, "GET", "/apis/coordination.k8s.io/v1/namespaces/n/leases/l/status", NULL, 404);
    assert_status(none, 404, "NotFound", "the server could not find the requested resource");
}

static void delete__waits_for_finalizers(void **state)
{
    api_server_put(*state, "{'apiVersion':'run.ai/v1alpha1','kind':'Karta',"
                           "'metadata':{'name':'a','finalizers':['f/f']}}");
    json_auto_t *ending = ask_json(*state, "DELETE", KARTAS "/a", NULL, 200);
    assert_int_equal(strlen(text_at(ending, "metadata.deletionTimestamp")), 20);
    assert_int_equal(api_server_count(*state, "kartas"), 1);
    json_auto_t *gone =
        ask_json(*state, "PATCH", KARTAS "/a", "{'metadata':{'finalizers':null}}", 200);
    assert_int_equal(api_server_count(*state, "kartas"), 0);
    json_decref(ask_json(*state, "POST", KARTAS, karta("b", ""), 201));
    json_auto_t *done = ask_json(*state, "DELETE", KARTAS "/b", NULL, 200);
    assert_string_equal(text_at(done, "status"), "Success");
    assert_string_equal(text_at(done, "details.name"), "b");
    json_auto_t *none = ask_json(*state, "DELETE", KARTAS "/b", NULL, 404);
    assert_status(none, 404, "NotFound", "kartas.run.ai \"b\" not found");
}

static void put_five(struct api_server *server)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < 5; i++) {
        KARTA_AUTO_TEXT text =
            mem_format("{'apiVersion':'run.ai/v1alpha1','kind':'Karta','metadata':{'name':'%s',"
                       "'labels':{'first':'%s'%s}}}",
                       names[i], i < 2 ? "yes" : "no", i == 4 ? ",'last':''" : "");
        api_server_put(server, text);
    }
}

static void list__comes_in_pages_of_one_moment(void **state)
{
    put_five(*state);
    json_auto_t *first = ask_json(*state, "GET", KARTAS "?limit=2", NULL, 200);
    assert_string_equal(text_at(first, "kind"), "KartaList");
    assert_string_equal(text_at(first, "apiVersion"), "run.ai/v1alpha1");
    json_t *meta = json_object_get(first, "metadata");
    assert_int_equal(json_integer_value(json_object_get(meta, "remainingItemCount")), 3);
    assert_int_equal(json_array_size(json_object_get(first, "items")), 2);
    api_server_delete(*state, "kartas", NULL, "c");
    api_server_put(*state,
                   "{'apiVersion':'run.ai/v1alpha1','kind':'Karta','metadata':{'name':'f'}}");
    KARTA_AUTO_TEXT next =
        mem_format(KARTAS "?limit=9&continue=%s", text_at(first, "metadata.continue"));
    json_auto_t *second = ask_json(*state, "GET", next, NULL, 200);
    assert_string_equal(text_at(second, "metadata.continue"), "");
    assert_string_equal(text_at(second, "metadata.resourceVersion"),
                        text_at(first, "metadata.resourceVersion"));
    assert_int_equal(json_array_size(json_object_get(second, "items")), 3);
    assert_string_equal(text_at(second, "items.0.metadata.name"), "c");
    assert_string_equal(text_at(second, "items.2.metadata.name"), "e");
    json_auto_t *now = ask_json(*state, "GET", KARTAS, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(now, "items")), 5);
    assert_string_equal(text_at(now, "items.4.metadata.name"), "f");
}

static void list__outdated_token_is_expired(void **state)
{
    put_five(*state);
    json_auto_t *first = ask_json(*state, "GET", KARTAS "?limit=2", NULL, 200);
    api_server_delete(*state, "kartas", NULL, "a");
    api_server_compact(*state);
    KARTA_AUTO_TEXT next =
        mem_format(KARTAS "?limit=2&continue=%s", text_at(first, "metadata.continue"));
    json_auto_t *status = ask_json(*state, "GET", next, NULL, 410);
    assert_string_equal(text_at(status, "reason"), "Expired");
    KARTA_AUTO_TEXT anew = mem_format(KARTAS "?continue=%s", text_at(status, "metadata.continue"));
    json_auto_t *rest = ask_json(*state, "GET", anew, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(rest, "items")), 3);
}

static void list__of_the_future_is_refused(void **state)
{
    json_auto_t *status = ask_json(*state, "GET", KARTAS "?resourceVersion=99", NULL, 504);
    assert_status(status, 504, "Timeout", "Timeout: Too large resource version: 99, current: 1");
}

static void list__selects(void **state)
{
    static const struct {
        const char *selector;
        size_t count;
    } cases[] = {
        {"labelSelector=first=yes", 2},
        {"labelSelector=first==no,last", 1},
        {"labelSelector=first!=yes", 3},
        {"labelSelector=first%20in%20(yes,no)", 5},
        {"labelSelector=first+in+(maybe,yes)", 2},
        {"labelSelector=first+notin+(yes)", 3},
        {"labelSelector=!last", 4},
        {"labelSelector=last", 1},
        {"fieldSelector=metadata.name=b", 1},
        {"fieldSelector=metadata.name!=b,metadata.name!=c", 3},
    };
    put_five(*state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT path = mem_format(KARTAS "?%s", cases[i].selector);
        json_auto_t *list = ask_json(*state, "GET", path, NULL, 200);
        if (json_array_size(json_object_get(list, "items")) != cases[i].count)
            print_error("%s\n", cases[i].selector);
        assert_int_equal(json_array_size(json_object_get(list, "items")), cases[i].count);
    }
    json_auto_t *bad = ask_json(*state, "GET", KARTAS "?labelSelector=a,%3Db", NULL, 400);
    assert_string_equal(text_at(bad, "reason"), "BadRequest");
}

static void list__of_one_namespace_or_all(void **state)
{
    api_server_put(*state, "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'here',"
                           "'name':'a'},'status':{'phase':'Running'}}");
    api_server_put(*state,
                   "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'there','name':'a'}}");
    json_auto_t *here = ask_json(*state, "GET", PODS, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(here, "items")), 1);
    assert_string_equal(text_at(here, "items.0.status.phase"), "Running");
    json_auto_t *all = ask_json(*state, "GET", "/api/v1/pods", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(all, "items")), 2);
    json_auto_t *running =
        ask_json(*state, "GET", "/api/v1/pods?fieldSelector=status.phase=Running", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(running, "items")), 1);
}

static void metadata_alone__in_its_two_forms(void **state)
{
    static const char list[] =
        "application/vnd.kubernetes.protobuf, "
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    static const char one[] = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    api_server_put(*state, karta("a", ",'spec':{'x':1}"));
    struct asked all =
        ask(*state, &(struct asking){.method = "GET", .path = KARTAS, .accept = list});
    assert_string_equal(text_at(all.body, "kind"), "PartialObjectMetadataList");
    assert_string_equal(text_at(all.body, "items.0.kind"), "PartialObjectMetadata");
    assert_string_equal(text_at(all.body, "items.0.apiVersion"), "meta.k8s.io/v1");
    assert_string_equal(text_at(all.body, "items.0.metadata.name"), "a");
    json_t *item = json_array_get(json_object_get(all.body, "items"), 0);
    assert_int_equal(json_object_size(item), 3);
    asked_dispose(&all);
    struct asked single =
        ask(*state, &(struct asking){.method = "GET", .path = KARTAS "/a", .accept = one});
    assert_string_equal(text_at(single.body, "kind"), "PartialObjectMetadata");
    asked_dispose(&single);
    struct asked wrong =
        ask(*state, &(struct asking){.method = "GET", .path = KARTAS, .accept = one});
    assert_int_equal(wrong.status, 406);
    asked_dispose(&wrong);
}

static void forget_kind__takes_its_objects(void **state)
{
    api_server_kind(*state, "run.ai", "v1beta1", "Karta", "kartas", false, true);
    put_five(*state);
    json_auto_t *other = ask_json(*state, "GET", "/apis/run.ai/v1beta1/kartas/a", NULL, 200);
    assert_string_equal(text_at(other, "apiVersion"), "run.ai/v1beta1");
    api_server_forget_kind(*state, "run.ai", "v1alpha1", "Karta");
    assert_int_equal(api_server_count(*state, "kartas"), 5);
    json_decref(ask_json(*state, "GET", KARTAS, NULL, 404));
    api_server_forget_kind(*state, "run.ai", "v1beta1", "Karta");
    api_server_kind(*state, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    assert_int_equal(api_server_count(*state, "kartas"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(create__fills_metadata),
        TEST(create__refuses_what_is_there),
        TEST(create__makes_a_name),
        TEST(create__refuses_nonsense),
        TEST(get__says_what_is_not_there),
        TEST(update__needs_the_latest),
        TEST(update__of_nothing_keeps_the_version),
        TEST(update__makes_a_lease_but_not_again),
        TEST(put__says_what_only_the_server_does),
        TEST(dry_run__is_refused),
        TEST(merge_patch__merges),
        TEST(status__has_a_door_of_its_own),
        TEST(delete__waits_for_finalizers),
        TEST(list__comes_in_pages_of_one_moment),
        TEST(list__outdated_token_is_expired),
        TEST(list__of_the_future_is_refused),
        TEST(list__selects),
        TEST(list__of_one_namespace_or_all),
        TEST(metadata_alone__in_its_two_forms),
        TEST(forget_kind__takes_its_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
