/* SPDX-License-Identifier: Apache-2.0 */
/* Two servers that share their certificate in a Secret, under requests all the while. */
#include <time.h>

#include "base/base64.h"
#include "certs_shared.h"
#include "load.h"
#include "trial.h"

#define SECRET "karta-tls"

static const char *const shared_flags[] = {"--tls-secret", TRIAL_NAMESPACE "/" SECRET, "--tls-san",
                                           "127.0.0.1", NULL};

static struct api_server *api;
static struct running one, two;

static int setup(void **state)
{
    (void)state;
    api = trial_api();
    api_server_kind(api, "", "v1", "Secret", "secrets", true, false);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    api_server_free(api);
    return 0;
}

/* New text of one of the Secret's entries. */
static char *entry(const char *key)
{
    json_auto_t *object = api_server_get(api, "secrets", TRIAL_NAMESPACE, SECRET);
    const char *encoded = json_string_value(json_object_get(json_object_get(object, "data"), key));
    size_t size;
    assert_non_null(encoded);
    return base64_decode(encoded, &size);
}

static void set_entry(json_t *object, const char *key, const char *text)
{
    KARTA_AUTO_TEXT encoded = base64_encode(text, strlen(text));
    json_object_set_new(json_object_get(object, "data"), key, json_string(encoded));
}

/* Clients of `server` trust what the Secret says. */
static void trust(struct running *server)
{
    KARTA_AUTO_TEXT bundle = entry("ca-bundle.crt");
    snprintf(server->ca, sizeof server->ca, "%s/bundle", server->dir);
    write_text(server->ca, bundle);
}

static void start_both(void)
{
    trial_start_ready(&one, api, shared_flags);
    trial_start_ready(&two, api, shared_flags);
    trust(&one);
    trust(&two);
}

/* The serial that the server says it serves; new. */
static char *serial(const struct running *server)
{
    KARTA_AUTO_TEXT text = running_get(server, "/metrics", NULL);
    const char *at = strstr(text, "karta_tls_certificate_serial{serial=\"");
    assert_non_null(at);
    at = strchr(at, '"') + 1;
    return strndup(at, strcspn(at, "\""));
}

static bool serves(const struct running *server, const char *number)
{
    KARTA_AUTO_TEXT now = serial(server);
    return strcmp(now, number) == 0;
}

static bool same_serial(void)
{
    KARTA_AUTO_TEXT a = serial(&one);
    KARTA_AUTO_TEXT b = serial(&two);
    return strcmp(a, b) == 0;
}

/* Another certificate of the same CA, as the replica that leads would write it. */
static void renew_secret(void)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    struct certs_options options = {.sans = names, .san_count = 2};
    struct certs_shared shared = {.ca_cert = entry("ca.crt"),
                                  .ca_key = entry("ca.key"),
                                  .bundle = entry("ca-bundle.crt"),
                                  .cert = entry("tls.crt"),
                                  .key = entry("tls.key")};
    enum certs_step step;
    assert_int_equal(certs_shared_step(&shared, &options, true, (int64_t)time(NULL), &step, NULL),
                     0);
    assert_int_equal(step, CERTS_STEP_LEAF);
    json_auto_t *stored = api_server_get(api, "secrets", TRIAL_NAMESPACE, SECRET);
    json_auto_t *object = json_deep_copy(stored);
    set_entry(object, "tls.crt", shared.cert);
    set_entry(object, "tls.key", shared.key);
    api_server_put_json(api, object);
    certs_shared_dispose(&shared);
}

static void serving__swapped_by_the_secret_under_load(void **state)
{
    (void)state;
    start_both();
    assert_true(same_serial());
    KARTA_AUTO_TEXT before = serial(&one);
    struct load load = {.port = two.https, .ca = two.ca, .review = test_review};
    load_start(&load);
    renew_secret();
    EVENTUALLY(!serves(&two, before));
    EVENTUALLY(same_serial());
    load_stop(&load, "the Secret", 1);
    trial_stop(&one);
    trial_stop(&two);
}

/* The configurations carry the Secret's CAs, and the one that is left serves on. */
static void serving__one_of_two_restarts(void **state)
{
    (void)state;
    start_both();
    KARTA_AUTO_TEXT before = serial(&one);
    struct load load = {.port = two.https, .ca = two.ca, .review = test_review};
    load_start(&load);
    trial_stop(&one);
    trial_start_ready(&one, api, shared_flags);
    load_stop(&load, "one of two replicas", 1);
    trust(&one);
    KARTA_AUTO_TEXT after = serial(&one);
    assert_string_equal(after, before);
    struct client client;
    running_connect(&one, &client);
    client_close(&client);
    KARTA_AUTO_TEXT bundle = entry("ca-bundle.crt");
    KARTA_AUTO_TEXT encoded = base64_encode(bundle, strlen(bundle));
    json_auto_t *configuration = api_server_get(api, VALIDATING, NULL, "karta-webhook");
    json_t *first = json_array_get(json_object_get(configuration, "webhooks"), 0);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(first, "clientConfig"), "caBundle")),
        encoded);
    trial_stop(&one);
    trial_stop(&two);
}

/* Without an API server there is nothing to serve with: that is said, and mended by itself. */
static void serving__waits_for_the_api_server(void **state)
{
    (void)state;
    api_server_die(api);
    trial_start(&one, api, shared_flags);
    assert_true(trial_waits(&one, "no certificate is loaded"));
    assert_int_equal(
        client_open(&(struct client){.fd = -1}, one.https, &(struct client_tls){.ca = NULL}),
        false);
    api_server_return(api);
    EVENTUALLY(trial_is_ready(&one, NULL));
    trust(&one);
    struct client client;
    running_connect(&one, &client);
    client_close(&client);
    trial_stop(&one);
}

static void serving__keeps_on_where_the_secret_is_nonsense(void **state)
{
    (void)state;
    trial_start_ready(&one, api, shared_flags);
    trust(&one);
    json_auto_t *stored = api_server_get(api, "secrets", TRIAL_NAMESPACE, SECRET);
    json_auto_t *object = json_deep_copy(stored);
    set_entry(object, "ca.crt", "nonsense");
    api_server_put_json(api, object);
    EVENTUALLY(trial_logged(&one, "secret karta/karta-tls: ca.crt holds no PEM certificate: what "
                                  "was served before stays") == 1);
    struct client client;
    running_connect(&one, &client);
    client_close(&client);
    assert_true(trial_is_ready(&one, NULL));
    trial_stop(&one);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(serving__swapped_by_the_secret_under_load),
        TEST(serving__one_of_two_restarts),
        TEST(serving__waits_for_the_api_server),
        TEST(serving__keeps_on_where_the_secret_is_nonsense),
    };
    return cmocka_run_group_tests_name("cluster.server_serving", tests, NULL, NULL);
}
