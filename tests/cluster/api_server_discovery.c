/* SPDX-License-Identifier: Apache-2.0 */
/* What the double says there is, in both forms; and who may ask, over what. */
#include "asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "certs.h"

#define TYPE(version) "application/json;g=apidiscovery.k8s.io;v=" version
#define LIST ";as=APIGroupDiscoveryList"

static int setup(void **state)
{
    *state = api_server_start(NULL);
    api_server_kind(*state, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    return 0;
}

static int teardown(void **state)
{
    api_server_free(*state);
    return 0;
}

static void plain__steps(void **state)
{
    json_auto_t *core = ask_json(*state, "GET", "/api", NULL, 200);
    json_auto_t *versions = test_json("['v1']");
    assert_json_equal(json_object_get(core, "versions"), versions);
    json_auto_t *groups = ask_json(*state, "GET", "/apis", NULL, 200);
    assert_string_equal(text_at(groups, "kind"), "APIGroupList");
    json_t *list = json_object_get(groups, "groups");
    json_auto_t *expected = test_json(
        "{'name':'run.ai','versions':[{'groupVersion':'run.ai/v1alpha1','version':'v1alpha1'}],"
        "'preferredVersion':{'groupVersion':'run.ai/v1alpha1','version':'v1alpha1'}}");
    assert_json_equal(json_array_get(list, json_array_size(list) - 1), expected);
    json_auto_t *group = ask_json(*state, "GET", "/apis/run.ai", NULL, 200);
    assert_string_equal(text_at(group, "kind"), "APIGroup");
    json_auto_t *pods = ask_json(*state, "GET", "/api/v1", NULL, 200);
    assert_string_equal(text_at(pods, "resources.0.name"), "pods");
    json_auto_t *kartas = ask_json(*state, "GET", "/apis/run.ai/v1alpha1", NULL, 200);
    json_auto_t *resources = test_json(
        "{'kind':'APIResourceList','apiVersion':'v1','groupVersion':'run.ai/v1alpha1','resources':"
        "[{'name':'kartas','singularName':'karta','namespaced':false,'kind':'Karta','verbs':"
        "['create','delete','get','list','patch','update','watch']},"
        "{'name':'kartas/status','singularName':'','namespaced':false,'kind':'Karta','verbs':"
        "['get','patch','update']}]}");
    assert_json_equal(kartas, resources);
    struct asked none = ask(*state, &(struct asking){.method = "GET", .path = "/apis/x/v1"});
    assert_int_equal(none.status, 404);
    asked_dispose(&none);
}

static struct asked ask_all(struct api_server *server, const char *path, const char *accept,
                            const char *etag)
{
    return ask(server, &(struct asking){
                           .method = "GET", .path = path, .accept = accept, .if_none_match = etag});
}

static void aggregated__is_all_at_once(void **state)
{
    struct asked all = ask_all(*state, "/apis", TYPE("v2") LIST "," TYPE("v2beta1") LIST, NULL);
    assert_string_equal(all.type, TYPE("v2") LIST);
    assert_string_equal(text_at(all.body, "apiVersion"), "apidiscovery.k8s.io/v2");
    json_t *items = json_object_get(all.body, "items");
    json_auto_t *expected = test_json(
        "{'metadata':{'name':'run.ai','creationTimestamp':null},'versions':[{'version':'v1alpha1',"
        "'freshness':'Current','resources':[{'resource':'kartas','responseKind':{'group':'run.ai',"
        "'version':'v1alpha1','kind':'Karta'},'scope':'Cluster','singularResource':'karta',"
        "'verbs':['create','delete','get','list','patch','update','watch'],'subresources':["
        "{'subresource':'status','responseKind':{'group':'run.ai','version':'v1alpha1',"
        "'kind':'Karta'},'verbs':['get','patch','update']}]}]}]}");
    assert_json_equal(json_array_get(items, json_array_size(items) - 1), expected);
    struct asked core = ask_all(*state, "/api", TYPE("v2") LIST, NULL);
    assert_string_equal(text_at(core.body, "items.0.metadata.name"), "");
    assert_string_equal(text_at(core.body, "items.0.versions.0.resources.0.scope"), "Namespaced");
    asked_dispose(&core);
    asked_dispose(&all);
}

static void aggregated__is_not_sent_twice(void **state)
{
    struct asked first = ask_all(*state, "/apis", TYPE("v2") LIST, NULL);
    struct asked same = ask_all(*state, "/apis", TYPE("v2") LIST, first.etag);
    assert_int_equal(same.status, 304);
    assert_null(same.text);
    assert_string_equal(same.etag, first.etag);
    api_server_kind(*state, "x.io", "v1", "X", "xs", true, false);
    struct asked changed = ask_all(*state, "/apis", TYPE("v2") LIST, first.etag);
    assert_int_equal(changed.status, 200);
    assert_string_not_equal(changed.etag, first.etag);
    asked_dispose(&first);
    asked_dispose(&same);
    asked_dispose(&changed);
}

static void aggregated__of_older_servers(void **state)
{
    (void)state;
    struct api_server *old = api_server_start(&(struct api_server_options){.old_discovery = true});
    struct asked plain = ask_all(old, "/apis", TYPE("v2") LIST ",application/json", NULL);
    assert_string_equal(text_at(plain.body, "kind"), "APIGroupList");
    struct api_server *beta =
        api_server_start(&(struct api_server_options){.beta_discovery = true});
    struct asked all = ask_all(beta, "/apis", TYPE("v2") LIST "," TYPE("v2beta1") LIST, NULL);
    assert_string_equal(text_at(all.body, "apiVersion"), "apidiscovery.k8s.io/v2beta1");
    struct asked unknown = ask_all(beta, "/apis", TYPE("v2") LIST ",application/json", NULL);
    assert_string_equal(text_at(unknown.body, "kind"), "APIGroupList");
    asked_dispose(&plain);
    asked_dispose(&all);
    asked_dispose(&unknown);
    api_server_free(old);
    api_server_free(beta);
}

static void stale__group_lists_nothing(void **state)
{
    api_server_stale(*state, "run.ai", true);
    struct asked all = ask_all(*state, "/apis", TYPE("v2") LIST, NULL);
    json_t *items = json_object_get(all.body, "items");
    json_t *group = json_array_get(items, json_array_size(items) - 1);
    assert_string_equal(text_at(group, "versions.0.freshness"), "Stale");
    assert_string_equal(text_at(group, "versions.0.resources.0.resource"), "");
    asked_dispose(&all);
    static const char *const paths[] = {"/apis/run.ai/v1alpha1", "/apis/run.ai/v1alpha1/kartas"};
    for (size_t i = 0; i < 4; i++) {
        struct asked asked = ask_all(*state, paths[i % 2], NULL, NULL);
        assert_int_equal(asked.status, i < 2 ? 503 : 200);
        asked_dispose(&asked);
        api_server_stale(*state, "run.ai", i < 1);
    }
}

static void version__is_told(void **state)
{
    json_auto_t *version = ask_json(*state, "GET", "/version", NULL, 200);
    assert_string_equal(text_at(version, "major"), "1");
    struct asked none = ask_all(*state, "/openapi/v2", NULL, NULL);
    assert_int_equal(none.status, 404);
    asked_dispose(&none);
}

static void token__is_asked_for_over_tls(void **state)
{
    (void)state;
    char dir[] = "/tmp/karta-double-XXXXXX";
    assert_non_null(mkdtemp(dir));
    static const char *const sans[] = {"127.0.0.1"};
    struct certs_options certs = {.dir = dir, .sans = sans, .san_count = 1};
    assert_int_equal(certs_ensure(&certs, NULL, NULL), 0);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", dir);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", dir);
    KARTA_AUTO_TEXT ca = mem_format("%s/ca.crt", dir);
    struct api_server *server = api_server_start(
        &(struct api_server_options){.cert_file = cert, .key_file = key, .token = "secret"});
    assert_true(strncmp(api_server_url(server), "https://127.0.0.1:", 18) == 0);
    struct asking asking = {.method = "GET", .path = "/api", .ca = ca};
    struct asked nobody = ask(server, &asking);
    assert_status(nobody.body, 401, "Unauthorized", "Unauthorized");
    asking.token = "secre";
    struct asked other = ask(server, &asking);
    assert_int_equal(other.status, 401);
    asking.token = "secret";
    struct asked known = ask(server, &asking);
    assert_int_equal(known.status, 200);
    api_server_die(server);
    api_server_return(server);
    struct asked again = ask(server, &asking);
    assert_int_equal(again.status, 200);
    asked_dispose(&nobody);
    asked_dispose(&other);
    asked_dispose(&known);
    asked_dispose(&again);
    api_server_free(server);
    KARTA_AUTO_TEXT remove = mem_format("rm -r %s", dir);
    assert_int_equal(system(remove), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain__steps),
        TEST(aggregated__is_all_at_once),
        TEST(aggregated__is_not_sent_twice),
        TEST(aggregated__of_older_servers),
        TEST(stale__group_lists_nothing),
        TEST(version__is_told),
        TEST(token__is_asked_for_over_tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
