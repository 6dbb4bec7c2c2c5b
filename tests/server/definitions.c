/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions from folders, and what the metrics port says of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"

static struct running server;
static char folder[80];

static char *karta(int number)
{
    return mem_format("apiVersion: run.ai/v1alpha1\n"
                      "kind: Karta\n"
                      "metadata: {name: example-thing%d}\n"
                      "spec:\n"
                      "  structureDefinition:\n"
                      "    rootComponent:\n"
                      "      name: thing\n"
                      "      kind: {group: example.org, version: v1, kind: Thing%d}\n"
                      "      specDefinition: {podTemplateSpecPath: .spec.template}\n"
                      "      scaleDefinition: {replicasPath: .spec.replicas // 1}\n"
                      "      statusDefinition:\n"
                      "        phaseDefinition: {path: .status.phase // \"\"}\n"
                      "        statusMappings:\n"
                      "          running: [{byPhase: Running}]\n",
                      number, number);
}

static void write_definition(int number, const char *text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%02d.yaml", folder, number);
    write_text(path, text);
}

/* Ten files, the fourth of them broken. */
static int start(void **state)
{
    (void)state;
    running_init(&server);
    snprintf(folder, sizeof folder, "%s/definitions", server.dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int i = 0; i < 10; i++) {
        KARTA_AUTO_TEXT text = karta(i);
        write_definition(i, i == 3 ? "kind: [" : text);
    }
    running_start(&server, (const char *[]){"--drain", "0", "--definitions", folder, NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return running_stop(&server);
}

static size_t count_state(const char *state)
{
    KARTA_AUTO_TEXT text = running_get(&server, "/debug/definitions", NULL);
    json_error_t ignored;
    json_t *list = json_loads(text, 0, &ignored);
    size_t count = 0;
    size_t index;
    json_t *entry;
    assert_true(json_is_array(list));
    json_array_foreach(list, index, entry)
    {
        const char *origin = json_string_value(json_object_get(entry, "origin"));
        const char *its = json_string_value(json_object_get(entry, "state"));
        count += strncmp(origin, folder, strlen(folder)) == 0 && strcmp(its, state) == 0;
    }
    json_decref(list);
    return count;
}

static void folder__one_broken_file_among_ten(void **state)
{
    (void)state;
    assert_int_equal(count_state("active"), 9);
    assert_int_equal(count_state("failed"), 1);
    assert_metric(&server, "\nkarta_definitions{source=\"folder\",state=\"active\"} 9\n");
    assert_metric(&server, "\nkarta_definitions{source=\"folder\",state=\"failed\"} 1\n");
    KARTA_AUTO_TEXT line =
        mem_format("level=warn msg=\"definition left out\" origin=%s/03.yaml problem=", folder);
    assert_true(running_logs(&server, line, 0));
}

static void assert_page(const char *path, int expected, const char *body)
{
    int status;
    KARTA_AUTO_TEXT text = running_get(&server, path, &status);
    assert_int_equal(status, expected);
    assert_string_equal(text, body);
}

static void health__pages(void **state)
{
    (void)state;
    assert_page("/healthz", 200, "ok\n");
    assert_page("/readyz", 200, "ok\n");
    assert_page("/", 404,
                "{\"error\": \"there is no /, only /healthz, /readyz, /metrics, /version and "
                "/debug/definitions\"}\n");
    KARTA_AUTO_TEXT version = running_get(&server, "/version", NULL);
    assert_non_null(strstr(version, "\"version\": \"" KARTA_VERSION "\""));
    struct client client;
    struct answer answer;
    assert_true(client_open_plain(&client, server.metrics));
    assert_true(client_post(&client, "/healthz", "{}", &answer));
    assert_int_equal(answer.status, 405);
    assert_non_null(strstr(answer.head, "Allow: GET, HEAD\r\n"));
    assert_string_equal(answer.body, "{\"error\": \"method POST is not allowed here: use GET\"}\n");
    answer_dispose(&answer);
    client_close(&client);
}

static void metrics__requests_are_counted(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    for (int i = 0; i < 3; i++) {
        assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
        answer_dispose(&answer);
    }
    assert_true(client_get(&client, "/nowhere", &answer));
    answer_dispose(&answer);
    client_close(&client);
    assert_metric(&server,
                  "\nkarta_admission_duration_seconds_count{endpoint=\"/mutate/workloads\"} 3\n");
    assert_metric(&server,
                  "\nkarta_admission_duration_seconds_bucket{endpoint=\"/mutate/workloads\","
                  "le=\"+Inf\"} 3\n");
    assert_metric(&server,
                  "\nkarta_admission_requests_total{endpoint=\"/mutate/workloads\",kind=\"other\","
                  "allowed=\"true\"} 3\n");
    assert_metric(&server, "\nkarta_http_errors_total{code=\"404\"} 1\n");
    assert_metric(&server, "\nkarta_tls_handshakes_total 1\n");
    assert_metric(&server, "\nkarta_tls_certificate_not_after_timestamp_seconds ");
    assert_metric(&server, "\nkarta_build_info{version=\"" KARTA_VERSION "\"} 1\n");
    assert_metric(&server, "\nprocess_resident_memory_bytes ");
    assert_metric(&server, "\nprocess_cpu_seconds_total ");
    assert_metric(&server, "\nprocess_open_fds ");
    assert_metric(&server, "\nprocess_start_time_seconds ");
}

static char *post(const char *path, const char *body)
{
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    assert_true(client_post(&client, path, body, &answer));
    client_close(&client);
    assert_int_equal(answer.status, 200);
    char *text = mem_take_text(&answer.body);
    answer_dispose(&answer);
    return text;
}

static char *review_of(const char *operation, const char *labels, const char *old_object)
{
    return mem_format(
        "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
        "{\"uid\": \"u\", \"operation\": \"%s\", \"kind\": {\"group\": \"run.ai\", \"version\": "
        "\"v1alpha1\", \"kind\": \"Karta\"}, \"oldObject\": %s, \"object\": {\"apiVersion\": "
        "\"run.ai/v1alpha1\", \"kind\": \"Karta\", \"metadata\": {\"labels\": {%s}}, \"spec\": "
        "{\"structureDefinition\": {\"rootComponent\": {\"kind\": {\"group\": \"example.org\", "
        "\"version\": \"v1\", \"kind\": \"Thing\"}}}}}}}",
        operation, old_object, labels);
}

/* [{"op":"add","path":"/metadata/labels/run.ai~1karta-kind","value":"Thing"}] */
static const char kind_patch[] =
    "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscy9ydW4uYWl+MWthcnRhLWtpbmQiLCJ2YWx1ZSI6I"
    "lRoaW5nIn1d\"";

static void labels__are_added_and_kept(void **state)
{
    (void)state;
    static const char others[] =
        "\"run.ai/karta-group\": \"example.org\", \"run.ai/karta-version\": \"v1\"";
    KARTA_AUTO_TEXT create = review_of("CREATE", others, "null");
    KARTA_AUTO_TEXT patched = post("/mutate/definitions", create);
    assert_non_null(strstr(patched, kind_patch));
    KARTA_AUTO_TEXT update = review_of("UPDATE", "\"run.ai/karta-kind\": \"Other\"", "{}");
    KARTA_AUTO_TEXT refused = post("/mutate/definitions", update);
    assert_non_null(
        strstr(refused, "run.ai/karta-kind is \\\"Other\\\"; it must be \\\"Thing\\\""));
    assert_metric(&server, "\nkarta_admission_requests_total{endpoint=\"/mutate/definitions\","
                           "kind=\"other\",allowed=\"true\"} 1\n");
    assert_metric(&server, "\nkarta_admission_requests_total{endpoint=\"/mutate/definitions\","
                           "kind=\"other\",allowed=\"false\"} 1\n");
    assert_metric(&server,
                  "\nkarta_admission_duration_seconds_count{endpoint=\"/mutate/definitions\"} 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder__one_broken_file_among_ten),
        cmocka_unit_test(metrics__requests_are_counted),
        cmocka_unit_test(labels__are_added_and_kept),
        cmocka_unit_test(health__pages),
    };
    return cmocka_run_group_tests_name("server.definitions", tests, start, stop);
}
