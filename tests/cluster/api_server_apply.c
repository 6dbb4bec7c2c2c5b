/* SPDX-License-Identifier: Apache-2.0 */
/* The double's server-side apply: owners, conflicts, and what goes when it is let go of. */
#include "asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A kind without defaults and with webhooks: what is there is what was applied. */
#define CONFIGURATION "/apis/x.io/v1/configs/c"
#define HEAD "{'apiVersion':'x.io/v1','kind':'Config','metadata':{'name':'c'%s},'webhooks':[%s]}"
#define POD "/api/v1/namespaces/n/pods/p"

static int setup(void **state)
{
    *state = api_server_start(NULL);
    api_server_kind(*state, "x.io", "v1", "Config", "configs", false, false);
    return 0;
}

static int teardown(void **state)
{
    api_server_free(*state);
    return 0;
}

static json_t *apply_as(struct api_server *server, const char *manager, const char *meta,
                        const char *webhooks, long status)
{
    KARTA_AUTO_TEXT path = mem_format(CONFIGURATION "?fieldManager=%s", manager);
    KARTA_AUTO_TEXT body = mem_format(HEAD, meta, webhooks);
    return ask_json(server, "PATCH", path, body, status);
}

static json_t *webhooks_of(const json_t *object)
{
    return json_object_get(object, "webhooks");
}

static void assert_webhooks(const json_t *object, const char *expected)
{
    json_auto_t *value = test_json(expected);
    assert_json_equal(webhooks_of(object), value);
}

static void apply__creates_and_owns(void **state)
{
    json_auto_t *made = apply_as(
        *state, "us", ",'labels':{'l':'1'}",
        "{'name':'x','rules':[{'a':1}],'namespaceSelector':{'matchLabels':{'a':'b'}}}", 201);
    json_t *entry =
        json_array_get(json_object_get(json_object_get(made, "metadata"), "managedFields"), 0);
    assert_string_equal(text_at(entry, "manager"), "us");
    assert_string_equal(text_at(entry, "operation"), "Apply");
    assert_string_equal(text_at(entry, "apiVersion"), "x.io/v1");
    json_auto_t *fields =
        test_json("{'f:metadata':{'f:labels':{'f:l':{}}},'f:webhooks':{'k:{\\'name\\':\\'x\\'}':"
                  "{'.':{},'f:name':{},'f:rules':{},'f:namespaceSelector':{}}}}");
    assert_json_equal(json_object_get(entry, "fieldsV1"), fields);
    json_auto_t *again = apply_as(
        *state, "us", ",'labels':{'l':'1'}",
        "{'name':'x','rules':[{'a':1}],'namespaceSelector':{'matchLabels':{'a':'b'}}}", 200);
    assert_json_equal(again, made);
}

static void apply__needs_a_manager(void **state)
{
    struct asked asked =
        ask(*state, &(struct asking){.method = "PATCH",
                                     .path = CONFIGURATION,
                                     .body = "{'apiVersion':'v1','kind':'Pod'}",
                                     .content_type = "application/apply-patch+yaml"});
    assert_status(asked.body, 422, "Invalid",
                  "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                  "required for apply patch");
    asked_dispose(&asked);
}

static void apply__merges_webhooks_by_name(void **state)
{
    json_decref(apply_as(*state, "us", "", "{'name':'x','rules':[1]}", 201));
    json_auto_t *both = apply_as(*state, "other", "", "{'name':'y','rules':[2]}", 200);
    assert_webhooks(both, "[{'name':'x','rules':[1]},{'name':'y','rules':[2]}]");
    json_auto_t *beside = apply_as(*state, "other", "",
                                   "{'name':'x','timeoutSeconds':1},{'name':'y','rules':[2]}", 200);
    assert_webhooks(beside,
                    "[{'name':'x','rules':[1],'timeoutSeconds':1},{'name':'y','rules':[2]}]");
}

static void apply__conflicts_with_who_applied(void **state)
{
    json_decref(apply_as(*state, "other", "", "{'name':'x','namespaceSelector':{'a':1}}", 201));
    json_auto_t *status =
        apply_as(*state, "us", "", "{'name':'x','namespaceSelector':{'a':2}}", 409);
    assert_status(status, 409, "Conflict",
                  "Apply failed with 1 conflict: conflict with \"other\": "
                  ".webhooks[name=\"x\"].namespaceSelector");
    json_auto_t *causes =
        test_json("[{'reason':'FieldManagerConflict','message':'conflict with \\'other\\'',"
                  "'field':'.webhooks[name=\\'x\\'].namespaceSelector'}]");
    assert_json_equal(json_object_get(json_object_get(status, "details"), "causes"), causes);
    json_auto_t *shared =
        apply_as(*state, "us", "", "{'name':'x','namespaceSelector':{'a':1}}", 200);
    assert_webhooks(shared, "[{'name':'x','namespaceSelector':{'a':1}}]");
    json_auto_t *still =
        apply_as(*state, "us", "", "{'name':'x','namespaceSelector':{'a':3}}", 409);
    assert_string_equal(text_at(still, "details.causes.0.message"), "conflict with \"other\"");
}

static void apply__conflicts_with_who_updated(void **state)
{
    json_decref(apply_as(*state, "us", "", "{'name':'x','a':1,'b':1}", 201));
    json_auto_t *edited =
        ask_json(*state, "PATCH", CONFIGURATION, "{'webhooks':[{'name':'x','a':2,'b':2}]}", 200);
    json_t *entries = json_object_get(json_object_get(edited, "metadata"), "managedFields");
    assert_int_equal(json_array_size(entries), 2);
    json_auto_t *status = apply_as(*state, "us", "", "{'name':'x','a':1,'b':1}", 409);
    KARTA_AUTO_TEXT owner =
        mem_format("\"asking\" using x.io/v1 at %s", text_at(entries, "1.time"));
    KARTA_AUTO_TEXT message = mem_format("Apply failed with 2 conflicts: conflicts with %s:\n"
                                         "- .webhooks[name=\"x\"].a\n- .webhooks[name=\"x\"].b",
                                         owner);
    assert_status(status, 409, "Conflict", message);
    KARTA_AUTO_TEXT cause = mem_format("conflict with %s", owner);
    assert_string_equal(text_at(status, "details.causes.1.message"), cause);
}

static void apply__takes_by_force(void **state)
{
    json_decref(apply_as(*state, "other", "", "{'name':'x','a':1,'b':1}", 201));
    json_auto_t *forced = apply_as(*state, "us&force=true", "", "{'name':'x','a':2}", 200);
    assert_webhooks(forced, "[{'name':'x','a':2,'b':1}]");
    json_auto_t *status = apply_as(*state, "other", "", "{'name':'x','a':1,'b':1}", 409);
    assert_string_equal(text_at(status, "details.causes.0.field"), ".webhooks[name=\"x\"].a");
}

static void apply__removes_what_is_let_go_of(void **state)
{
    json_decref(apply_as(*state, "us", ",'labels':{'l':'1','m':'1'},'annotations':{'n':'1'}",
                         "{'name':'x','a':1,'b':1},{'name':'y'}", 201));
    json_decref(apply_as(*state, "other", ",'labels':{'m':'1'}", "{'name':'x','b':1}", 200));
    json_auto_t *left = apply_as(*state, "us", "", "{'name':'z'}", 200);
    assert_webhooks(left, "[{'name':'x','b':1},{'name':'z'}]");
    json_auto_t *labels = test_json("{'m':'1'}");
    json_t *meta = json_object_get(left, "metadata");
    assert_json_equal(json_object_get(meta, "labels"), labels);
    assert_null(json_object_get(meta, "annotations"));
    assert_int_equal(strlen(text_at(left, "metadata.uid")), 36);
}

static void update__takes_from_who_applied(void **state)
{
    json_decref(apply_as(*state, "us", ",'labels':{'l':'1'}", "{'name':'x','a':1}", 201));
    json_decref(ask_json(*state, "PATCH", CONFIGURATION, "{'metadata':{'labels':null}}", 200));
    json_auto_t *back = apply_as(*state, "us", ",'labels':{'l':'1'}", "{'name':'x','a':1}", 200);
    assert_string_equal(text_at(back, "metadata.labels.l"), "1");
}

static void apply__to_a_status_alone(void **state)
{
    static const char body[] =
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},"
        "'spec':{'s':2},'status':{'conditions':[{'type':'%s','status':'True'}]}}";
    api_server_put(*state, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
                           "'namespace':'n','labels':{'l':'1'}},'spec':{'s':1}}");
    KARTA_AUTO_TEXT first = mem_format(body, "A");
    json_decref(ask_json(*state, "PATCH", POD "/status?fieldManager=us", first, 200));
    KARTA_AUTO_TEXT second = mem_format(body, "B");
    json_auto_t *both = ask_json(*state, "PATCH", POD "/status?fieldManager=other", second, 200);
    json_auto_t *expected = test_json("{'conditions':[{'type':'A','status':'True'},"
                                      "{'type':'B','status':'True'}]}");
    assert_json_equal(json_object_get(both, "status"), expected);
    json_auto_t *spec = test_json("{'s':1}");
    assert_json_equal(json_object_get(both, "spec"), spec);
    assert_string_equal(text_at(both, "metadata.labels.l"), "1");
    KARTA_AUTO_TEXT other =
        mem_format("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},"
                   "'spec':{'s':1},'status':{'x':%d}}",
                   1);
    json_auto_t *main = ask_json(*state, "PATCH", POD "?fieldManager=us", other, 200);
    assert_json_equal(json_object_get(main, "status"), expected);
}

static void apply__needs_the_version_it_names(void **state)
{
    json_decref(apply_as(*state, "us", "", "{'name':'x'}", 201));
    json_auto_t *status = apply_as(*state, "us", ",'resourceVersion':'1'", "{'name':'y'}", 409);
    assert_string_equal(text_at(status, "reason"), "Conflict");
}

static void apply__fills_defaults_that_nobody_owns(void **state)
{
    static const char path[] = "/apis/admissionregistration.k8s.io/v1/"
                               "mutatingwebhookconfigurations/c?fieldManager=us";
    static const char body[] =
        "{'apiVersion':'admissionregistration.k8s.io/v1','kind':'MutatingWebhookConfiguration',"
        "'metadata':{'name':'c'},'webhooks':[{'name':'x','rules':[{'resources':['pods']}],"
        "'clientConfig':{'service':{'name':'s','namespace':'n'}}}]}";
    json_auto_t *made = ask_json(*state, "PATCH", path, body, 201);
    assert_webhooks(made,
                    "[{'name':'x','rules':[{'resources':['pods'],'scope':'*'}],'clientConfig':"
                    "{'service':{'name':'s','namespace':'n','port':443}},'failurePolicy':'Fail',"
                    "'matchPolicy':'Equivalent','namespaceSelector':{},'objectSelector':{},"
                    "'timeoutSeconds':10,'reinvocationPolicy':'Never'}]");
    json_t *entry =
        json_array_get(json_object_get(json_object_get(made, "metadata"), "managedFields"), 0);
    json_auto_t *fields = test_json(
        "{'f:webhooks':{'k:{\\'name\\':\\'x\\'}':{'.':{},'f:name':{},'f:rules':{},'f:clientConfig':"
        "{'f:service':{'f:name':{},'f:namespace':{}}}}}}");
    assert_json_equal(json_object_get(entry, "fieldsV1"), fields);
    json_auto_t *again = ask_json(*state, "PATCH", path, body, 200);
    assert_json_equal(again, made);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(apply__creates_and_owns),
        TEST(apply__needs_a_manager),
        TEST(apply__merges_webhooks_by_name),
        TEST(apply__conflicts_with_who_applied),
        TEST(apply__conflicts_with_who_updated),
        TEST(apply__takes_by_force),
        TEST(apply__removes_what_is_let_go_of),
        TEST(update__takes_from_who_applied),
        TEST(apply__to_a_status_alone),
        TEST(apply__needs_the_version_it_names),
        TEST(apply__fills_defaults_that_nobody_owns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
