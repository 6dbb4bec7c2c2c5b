/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster serves, asked of new servers, old ones and broken ones. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_server.h"
#include "discovery.h"
#include "raw_server.h"
#include "support.h"

static const struct kube_resource wanted[] = {{"run.ai", "v1alpha1", "x"},
                                              {"run.ai", "v1", "x"},
                                              {"", "v1", "x"},
                                              {"gone.example.org", "v1", "x"}};

static struct kube_access access_;
static struct kube_client *client;
static struct discovery *discovery;
static struct karta_error err;

static int refresh(void)
{
    karta_error_init(&err);
    return discovery_refresh(discovery, client, wanted, 4, &err);
}

static void begin(const char *url)
{
    access_.url = url;
    assert_int_equal(kube_client_new(&access_, NULL, &client, NULL), 0);
    assert_int_equal(discovery_new(&discovery, NULL), 0);
    assert_false(discovery_is_known(discovery));
}

static void end(void)
{
    discovery_free(discovery);
    kube_client_free(client);
}

static struct api_server *start_double(bool old)
{
    struct api_server_options options = {.old_discovery = old};
    struct api_server *server = api_server_start(&options);
    api_server_kind(server, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    api_server_kind(server, "run.ai", "v1", "Karta", "kartas", false, false);
    api_server_kind(server, "run.ai", "v1", "Team", "teams", true, false);
    return server;
}

static void finds_what_is_served(bool old)
{
    struct api_server *server = start_double(old);
    bool namespaced = false;
    begin(api_server_url(server));
    assert_int_equal(refresh(), 0);
    assert_true(discovery_is_known(discovery));
    assert_string_equal(discovery_plural(discovery, "", "v1", "Pod", &namespaced), "pods");
    assert_true(namespaced);
    assert_string_equal(discovery_plural(discovery, "run.ai", "v1alpha1", "Karta", &namespaced),
                        "kartas");
    assert_false(namespaced);
    assert_string_equal(discovery_plural(discovery, "run.ai", "v1", "Team", NULL), "teams");
    assert_null(discovery_plural(discovery, "run.ai", "v1alpha1", "Team", NULL));
    assert_null(discovery_plural(discovery, "run.ai", "v2", "Karta", NULL));
    assert_null(discovery_plural(discovery, "gone.example.org", "v1", "Karta", NULL));
    assert_null(discovery_plural(discovery, "", "v1", "Karta", NULL));
    assert_non_null(discovery_version(discovery, "run.ai", "Karta", 0));
    assert_non_null(discovery_version(discovery, "run.ai", "Karta", 1));
    assert_null(discovery_version(discovery, "run.ai", "Karta", 2));
    assert_string_equal(discovery_version(discovery, "run.ai", "Team", 0), "v1");
    assert_null(discovery_version(discovery, "run.ai", "Team", 1));
    api_server_forget_kind(server, "run.ai", "v1", "Team");
    api_server_kind(server, "run.ai", "v1", "Other", "others", true, false);
    assert_int_equal(refresh(), 0);
    assert_null(discovery_plural(discovery, "run.ai", "v1", "Team", NULL));
    assert_string_equal(discovery_plural(discovery, "run.ai", "v1", "Other", NULL), "others");
    end();
    api_server_free(server);
}

static void discovery_refresh__finds_what_is_served(void **state)
{
    (void)state;
    finds_what_is_served(false);
}

static void discovery_refresh__finds_what_an_old_server_serves(void **state)
{
    (void)state;
    finds_what_is_served(true);
}

static void discovery_refresh__keeps_what_was_known_on_an_error(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        struct api_server *server = start_double(old != 0);
        static const struct {
            enum api_fault fault;
            int number;
        } faults[] = {{API_FAULT_STATUS, 500},
                      {API_FAULT_STATUS, 403},
                      {API_FAULT_CUT, 0},
                      {API_FAULT_GARBAGE, 0},
                      {API_FAULT_LIE, 0}};
        begin(api_server_url(server));
        assert_int_equal(refresh(), 0);
        for (size_t i = 0; i < 10; i++) {
            char kind[16]; /* something new, or the answer is a 304 that nothing can be cut off */
            snprintf(kind, sizeof kind, "K%zu", i);
            api_server_kind(server, "", "v1", kind, kind, false, false);
            api_server_kind(server, "more.io", "v1", kind, kind, false, false);
            api_server_fault(server, "get", i % 2 == 0 ? "/apis" : "/api", faults[i / 2].fault,
                             faults[i / 2].number, 1);
            assert_int_not_equal(refresh(), 0);
            assert_true(discovery_is_known(discovery));
            assert_non_null(discovery_plural(discovery, "run.ai", "v1", "Karta", NULL));
            assert_non_null(discovery_plural(discovery, "", "v1", "Pod", NULL));
        }
        api_server_die(server);
        assert_int_equal(refresh(), KARTA_ERR_IO);
        assert_non_null(discovery_plural(discovery, "run.ai", "v1", "Karta", NULL));
        api_server_return(server);
        assert_int_equal(refresh(), 0);
        end();
        api_server_free(server);
    }
}

static void discovery_refresh__says_what_failed(void **state)
{
    (void)state;
    struct api_server *server = start_double(false);
    begin(api_server_url(server));
    api_server_fault(server, "get", "/apis", API_FAULT_LIE, 0, 1);
    assert_int_equal(refresh(), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "get /apis: the answer is no list of API groups");
    api_server_fault(server, "get", "/api", API_FAULT_LIE, 0, 1);
    assert_int_equal(refresh(), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "get /api: the answer is no list of API versions");
    assert_false(discovery_is_known(discovery));
    assert_null(discovery_plural(discovery, "", "v1", "Pod", NULL));
    assert_null(discovery_version(discovery, "", "Pod", 0));
    end();
    api_server_free(server);
}

static void discovery_refresh__keeps_a_version_of_an_old_server_that_is_away(void **state)
{
    (void)state;
    struct api_server *server = start_double(true);
    static const struct {
        enum api_fault fault;
        int number;
    } faults[] = {{API_FAULT_STATUS, 503}, {API_FAULT_GARBAGE, 0}, {API_FAULT_LIE, 0}};
    begin(api_server_url(server));
    assert_int_equal(refresh(), 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        api_server_fault(server, "get", "/apis/run.ai/v1", faults[i].fault, faults[i].number, 1);
        assert_int_equal(refresh(), 0);
        assert_string_equal(discovery_plural(discovery, "run.ai", "v1", "Karta", NULL), "kartas");
    }
    api_server_fault(server, "get", "/apis/run.ai/v1", API_FAULT_STATUS, 404, 1);
    assert_int_equal(refresh(), 0);
    assert_null(discovery_plural(discovery, "run.ai", "v1", "Karta", NULL));
    assert_non_null(discovery_plural(discovery, "run.ai", "v1alpha1", "Karta", NULL));
    end();
    api_server_free(server);
}

/* Answers /api and /apis out of `bodies`, which are in their place at the time. */
static const char *bodies[2];
static char seen_tag[2][64];

#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n"

static void answer(struct raw_server *server, size_t number, const char *head)
{
    (void)number;
    size_t root = strncmp(head, "GET /apis", 9) == 0 ? 1 : 0;
    const char *tag = strstr(head, "If-None-Match: ");
    snprintf(seen_tag[root], sizeof *seen_tag, "%.*s", tag != NULL ? (int)strcspn(tag, "\r") : 0,
             tag != NULL ? tag : "");
    if (bodies[root] == NULL) {
        raw_say(server, "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n");
        return;
    }
    raw_say(server, root == 0 ? HEAD "ETag: \"core\"\r\n\r\n" : HEAD "ETag: \"rest\"\r\n\r\n");
    raw_say(server, bodies[root]);
}

#define LIST(items) "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" items "]}"
#define GROUP(name, versions) "{\"metadata\":{\"name\":\"" name "\"},\"versions\":[" versions "]}"
#define VERSION(name, freshness, resources)                                                        \
    "{\"version\":\"" name "\",\"freshness\":\"" freshness "\",\"resources\":[" resources "]}"
#define RESOURCE(plural, kind)                                                                     \
    "{\"resource\":\"" plural "\",\"scope\":\"Cluster\",\"responseKind\":{\"kind\":\"" kind "\"}}"

static const char core[] =
    LIST("{\"versions\":[" VERSION("v1", "Current", RESOURCE("pods", "Pod")) "]}");

static void discovery_refresh__asks_for_what_is_new_alone(void **state)
{
    (void)state;
    struct raw_server server;
    raw_server_start(&server, answer, NULL);
    begin(server.url);
    bodies[0] = core;
    bodies[1] = LIST(GROUP("a.io", VERSION("v1", "Current", RESOURCE("as", "A"))));
    assert_int_equal(refresh(), 0);
    assert_string_equal(seen_tag[0], "");
    bodies[0] = NULL;
    bodies[1] = NULL;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(refresh(), 0);
        assert_string_equal(seen_tag[0], "If-None-Match: \"core\"");
        assert_string_equal(seen_tag[1], "If-None-Match: \"rest\"");
        assert_string_equal(discovery_plural(discovery, "", "v1", "Pod", NULL), "pods");
        assert_string_equal(discovery_plural(discovery, "a.io", "v1", "A", NULL), "as");
    }
    end();
    raw_server_stop(&server);
}

static void discovery_refresh__keeps_what_it_knew_of_a_stale_group(void **state)
{
    (void)state;
    struct raw_server server;
    raw_server_start(&server, answer, NULL);
    begin(server.url);
    bodies[0] = core;
    bodies[1] = LIST(GROUP("a.io", VERSION("v1", "Current", RESOURCE("as", "A"))));
    assert_int_equal(refresh(), 0);
    bodies[1] = LIST(GROUP("a.io", VERSION("v1", "Stale", "")) "," GROUP(
        "b.io", VERSION("v1", "Stale", RESOURCE("bs", "B"))));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(refresh(), 0);
        assert_string_equal(discovery_plural(discovery, "a.io", "v1", "A", NULL), "as");
        assert_string_equal(discovery_plural(discovery, "b.io", "v1", "B", NULL), "bs");
    }
    bodies[1] = LIST(GROUP("a.io", VERSION("v1", "Current", "")));
    assert_int_equal(refresh(), 0);
    assert_null(discovery_plural(discovery, "a.io", "v1", "A", NULL));
    assert_null(discovery_plural(discovery, "b.io", "v1", "B", NULL));
    end();
    raw_server_stop(&server);
}

static void discovery_refresh__leaves_out_what_has_another_shape(void **state)
{
    (void)state;
    struct raw_server server;
    raw_server_start(&server, answer, NULL);
    begin(server.url);
    bodies[0] = core;
    bodies[1] = LIST("5,null,{},{\"metadata\":[],\"versions\":{}}," GROUP("a.io", "{},7") "," GROUP(
        "b.io",
        VERSION(
            "v2", "Current",
            "{},[],{\"resource\":5},{\"resource\":\"as\"}," RESOURCE("bs/status", "B") "," RESOURCE(
                "bs", "B") "," RESOURCE("other", "B")) "," VERSION("v1", "Current",
                                                                   RESOURCE("bs", "B"))));
    assert_int_equal(refresh(), 0);
    assert_string_equal(discovery_plural(discovery, "b.io", "v2", "B", NULL), "bs");
    assert_string_equal(discovery_version(discovery, "b.io", "B", 0), "v2");
    assert_string_equal(discovery_version(discovery, "b.io", "B", 1), "v1");
    end();
    raw_server_stop(&server);
}

static void discovery_refresh__refuses_a_cluster_without_end(void **state)
{
    (void)state;
    struct raw_server server;
    KARTA_AUTO_STRBUF text;
    strbuf_init(&text, 32U << 20);
    strbuf_adds(&text, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
                       "\"a.io\"},\"versions\":[{\"version\":\"v1\",\"resources\":[");
    for (int i = 0; i < 20001; i++)
        strbuf_addf(&text, "%s{\"resource\":\"a%d\",\"responseKind\":{\"kind\":\"A%d\"}}",
                    i > 0 ? "," : "", i, i);
    strbuf_adds(&text, "]}]}]}");
    raw_server_start(&server, answer, NULL);
    begin(server.url);
    bodies[0] = core;
    bodies[1] = text.text;
    assert_int_equal(refresh(), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "get /apis: more than 20000 resources or 4000 versions");
    assert_false(discovery_is_known(discovery));
    end();
    raw_server_stop(&server);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discovery_refresh__finds_what_is_served),
        cmocka_unit_test(discovery_refresh__finds_what_an_old_server_serves),
        cmocka_unit_test(discovery_refresh__keeps_what_was_known_on_an_error),
        cmocka_unit_test(discovery_refresh__says_what_failed),
        cmocka_unit_test(discovery_refresh__keeps_a_version_of_an_old_server_that_is_away),
        cmocka_unit_test(discovery_refresh__asks_for_what_is_new_alone),
        cmocka_unit_test(discovery_refresh__keeps_what_it_knew_of_a_stale_group),
        cmocka_unit_test(discovery_refresh__leaves_out_what_has_another_shape),
        cmocka_unit_test(discovery_refresh__refuses_a_cluster_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
