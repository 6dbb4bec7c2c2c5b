/* SPDX-License-Identifier: Apache-2.0 */
/* What the client needs no server for: paths, tokens, lines, and its sentences word for word. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "kube_error.h"
#include "kube_lines.h"
#include "kube_token.h"
#include "support.h"

static const struct kube_resource kartas = {"run.ai", "v1alpha1", "kartas"};
static const struct kube_resource pods = {"", "v1", "pods"};
static const struct kube_whom whom = {.server = "https://10.0.0.1:443", .token_file = "/t/token"};

static void assert_path(const struct kube_resource *resource, const char *ns, const char *name,
                        const char *subresource, const char *expected)
{
    char *path = kube_path(resource, ns, name, subresource);
    assert_string_equal(path, expected);
    free(path);
}

static void kube_path__leaves_out_what_is_not_given(void **state)
{
    (void)state;
    assert_path(&kartas, NULL, NULL, NULL, "/apis/run.ai/v1alpha1/kartas");
    assert_path(&kartas, NULL, "a", "status", "/apis/run.ai/v1alpha1/kartas/a/status");
    assert_path(&pods, NULL, NULL, NULL, "/api/v1/pods");
    assert_path(&pods, "team", "p-0", NULL, "/api/v1/namespaces/team/pods/p-0");
}

static void kube_path__keeps_each_part_one_part(void **state)
{
    (void)state;
    assert_path(&pods, "../x", "a?b#c d", NULL, "/api/v1/namespaces/..%2Fx/pods/a%3Fb%23c%20d");
    assert_path(&pods, "..", "\xc3\xa4", NULL, "/api/v1/namespaces/%2E%2E/pods/%C3%A4");
}

static void kube_query__begins_and_goes_on(void **state)
{
    (void)state;
    KARTA_AUTO_STRBUF query;
    strbuf_init(&query, 1000);
    strbuf_adds(&query, "/apis");
    kube_query(&query, "labelSelector", "a=b,c in (d)");
    kube_query(&query, "limit", "5");
    assert_string_equal(query.text, "/apis?labelSelector=a%3Db%2Cc%20in%20%28d%29&limit=5");
}

static void kube_access_in_cluster__reads_what_a_pod_finds(void **state)
{
    (void)state;
    struct kube_access access;
    char *url = NULL;
    struct karta_error err = {0};
    unsetenv("KUBERNETES_SERVICE_HOST");
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    assert_int_equal(kube_access_in_cluster(&access, &url, &err), KARTA_ERR_NOT_FOUND);
    assert_string_equal(err.message,
                        "not inside a cluster (KUBERNETES_SERVICE_HOST and "
                        "KUBERNETES_SERVICE_PORT are not both set): give --kube-api URL");
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    assert_int_equal(kube_access_in_cluster(&access, &url, NULL), 0);
    assert_string_equal(access.url, "https://10.0.0.1:443");
    assert_string_equal(access.token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
    assert_string_equal(access.ca_file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
    free(url);
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    assert_int_equal(kube_access_in_cluster(&access, &url, NULL), 0);
    assert_string_equal(url, "https://[fd00::1]:443");
    free(url);
}

/* The sentence for `status` with the Status' `message` (JSON with ' for "), or `text`. */
static const char *sentence(const struct kube_request *request, const struct kube_whom *of,
                            int status, const char *body, const char *text, int code)
{
    static struct karta_error err;
    karta_error_init(&err);
    struct kube_answer answer = {.status = status, .body = body != NULL ? test_json(body) : NULL};
    assert_int_equal(kube_error_status(request, of, &answer, text, &err), code);
    kube_answer_dispose(&answer);
    return err.message;
}

static void kube_error_status__says_what_rbac_lacks(void **state)
{
    (void)state;
    struct kube_request list = {.verb = "list", .resource = &kartas};
    struct kube_request watch = {.verb = "watch", .resource = &pods};
    struct kube_request discovery = {.verb = "get", .path = "/apis?x=1"};
    const char *said = "{'message': 'kartas.run.ai is forbidden:\\nUser \\u0007x cannot list'}";
    assert_string_equal(sentence(&list, &whom, 403, said, NULL, KARTA_ERR_IO),
                        "list kartas.run.ai: forbidden (403): the service account needs the verb "
                        "\"list\" on \"kartas\" in the API group \"run.ai\": kartas.run.ai is "
                        "forbidden: User  x cannot list");
    assert_string_equal(sentence(&watch, &whom, 403, NULL, NULL, KARTA_ERR_IO),
                        "watch pods: forbidden (403): the service account needs the verb \"watch\" "
                        "on \"pods\" in the core API group");
    assert_string_equal(sentence(&discovery, &whom, 403, NULL, NULL, KARTA_ERR_IO),
                        "get /apis: forbidden (403)");
}

static void kube_error_status__says_which_token_is_not_accepted(void **state)
{
    (void)state;
    struct kube_request list = {.verb = "list", .resource = &kartas};
    struct kube_whom none = {.server = "http://10.0.0.1:80"};
    struct kube_whom withheld = {
        .server = "http://10.0.0.1:80", .token_file = "/t/token", .token_withheld = true};
    const char *said = "{'message': 'Unauthorized'}";
    assert_string_equal(sentence(&list, &whom, 401, said, NULL, KARTA_ERR_IO),
                        "list kartas.run.ai: unauthorized (401): the token in /t/token is not "
                        "accepted");
    assert_string_equal(sentence(&list, &none, 401, said, NULL, KARTA_ERR_IO),
                        "list kartas.run.ai: unauthorized (401): the API server wants a token");
    assert_string_equal(
        sentence(&list, &withheld, 401, said, NULL, KARTA_ERR_IO),
        "list kartas.run.ai: unauthorized (401): a token is not sent over plain http");
}

static void kube_error_status__has_a_code_for_what_callers_tell_apart(void **state)
{
    (void)state;
    struct kube_request get = {.verb = "get", .resource = &kartas};
    assert_string_equal(
        sentence(&get, &whom, 404, "{'message': 'no a'}", NULL, KARTA_ERR_NOT_FOUND),
        "get kartas.run.ai: not found (404): no a");
    assert_string_equal(sentence(&get, &whom, 409, "{}", NULL, KARTA_ERR_CONFLICT),
                        "get kartas.run.ai: conflict (409)");
    assert_string_equal(sentence(&get, &whom, 410, "[]", NULL, KARTA_ERR_IO),
                        "get kartas.run.ai: gone (410)");
    assert_string_equal(sentence(&get, &whom, 429, NULL, NULL, KARTA_ERR_LIMIT),
                        "get kartas.run.ai: too many requests (429)");
    assert_string_equal(sentence(&get, &whom, 503, NULL, "upstream is\r\ndown\n", KARTA_ERR_IO),
                        "get kartas.run.ai: the API server answers 503: upstream is  down");
    assert_string_equal(sentence(&get, &whom, 502, NULL, "\n<html><body>", KARTA_ERR_IO),
                        "get kartas.run.ai: the API server answers 502");
    assert_string_equal(sentence(&get, &whom, 500, "{'message': 5}", NULL, KARTA_ERR_IO),
                        "get kartas.run.ai: the API server answers 500");
}

static void kube_error_unreached__names_server_and_reason(void **state)
{
    (void)state;
    struct karta_error err = {0};
    struct kube_request list = {.verb = "list", .resource = &kartas};
    kube_error_unreached(&list, &whom, "Connection refused", &err);
    assert_string_equal(err.message, "list kartas.run.ai: the API server cannot be reached: "
                                     "https://10.0.0.1:443: connection refused");
    karta_error_init(&err);
    kube_error_unreached(&list, &whom, "SSL certificate problem", &err);
    assert_string_equal(err.message, "list kartas.run.ai: the API server cannot be reached: "
                                     "https://10.0.0.1:443: SSL certificate problem");
    karta_error_init(&err);
    assert_int_equal(kube_error_late(&list, false, 1500, &err), KARTA_ERR_TIMEOUT);
    assert_string_equal(err.message, "list kartas.run.ai: no answer within 1.5 s");
    karta_error_init(&err);
    kube_error_late(&list, true, 120000, &err);
    assert_string_equal(err.message, "list kartas.run.ai: the API server was silent for 120 s");
}

static char token_file[64];

static void write_token(const char *text, size_t size)
{
    struct karta_error err = {0};
    assert_int_equal(file_write(token_file, text, size, 0600, &err), 0);
}

static int make_token_file(void **state)
{
    (void)state;
    snprintf(token_file, sizeof token_file, "/tmp/karta-token-XXXXXX");
    int fd = mkstemp(token_file);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_token_file(void **state)
{
    (void)state;
    unlink(token_file);
    return 0;
}

static void kube_token_read__keeps_the_last_while_the_file_is_being_rotated(void **state)
{
    (void)state;
    struct kube_token token = {0};
    bool changed = false;
    write_token(" first\n", 7);
    assert_int_equal(kube_token_read(&token, token_file, &changed, NULL), 0);
    assert_true(changed);
    assert_string_equal(token.text, "first");
    static const struct {
        const char *text;
        size_t size;
    } broken[] = {{"", 0}, {" \n", 2}, {"a\nb: c", 6}, {"a b", 3}, {"\xc3\xa4", 2}, {"a\0b\n", 0}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        write_token(broken[i].text, broken[i].size);
        assert_int_equal(kube_token_read(&token, token_file, &changed, NULL), 0);
        assert_false(changed);
        assert_string_equal(token.text, "first");
    }
    unlink(token_file);
    assert_int_equal(kube_token_read(&token, token_file, &changed, NULL), 0);
    assert_string_equal(token.text, "first");
    write_token("second", 6);
    assert_int_equal(kube_token_read(&token, token_file, &changed, NULL), 0);
    assert_true(changed);
    assert_string_equal(token.text, "second");
    kube_token_dispose(&token);
}

static void kube_token_read__names_the_file_but_not_what_it_holds(void **state)
{
    (void)state;
    struct kube_token token = {0};
    struct karta_error err = {0};
    char expected[128];
    write_token("secret\nsecret", 13);
    assert_int_equal(kube_token_read(&token, token_file, NULL, &err), KARTA_ERR_IO);
    snprintf(expected, sizeof expected, "%s holds no token", token_file);
    assert_string_equal(err.message, expected);
    karta_error_init(&err);
    unlink(token_file);
    assert_int_equal(kube_token_read(&token, token_file, NULL, &err), KARTA_ERR_IO);
    snprintf(expected, sizeof expected, "cannot read %s: no such file or directory", token_file);
    assert_string_equal(err.message, expected);
}

struct heard {
    struct strbuf text; /* lines, each between brackets */
    size_t left;        /* how many more are wanted */
};

static bool hear(void *arg, const char *line, size_t size, bool truncated)
{
    struct heard *heard = arg;
    strbuf_addc(&heard->text, truncated ? '(' : '[');
    strbuf_add(&heard->text, line, size);
    strbuf_addc(&heard->text, truncated ? ')' : ']');
    return --heard->left > 0;
}

static void kube_lines_add__is_the_same_however_bytes_are_cut(void **state)
{
    (void)state;
    static const char bytes[] = "ab\n\ncdefgh\r\n12345678\n123456789\n1234567890abc\nx\nrest";
    for (size_t cut = 1; cut < sizeof bytes; cut++) {
        struct heard heard = {.left = 100};
        struct kube_watcher watcher = {.line = hear, .arg = &heard};
        struct kube_lines lines;
        strbuf_init(&heard.text, 1000);
        kube_lines_init(&lines, &watcher, 8);
        for (size_t at = 0; at < sizeof bytes - 1; at += cut) {
            size_t left = sizeof bytes - 1 - at;
            assert_true(kube_lines_add(&lines, bytes + at, left < cut ? left : cut));
        }
        assert_string_equal(heard.text.text, "[ab][cdefgh][12345678](12345678)(12345678)[x]");
        kube_lines_dispose(&lines);
        strbuf_dispose(&heard.text);
    }
}

static void kube_lines_add__ends_when_the_watcher_has_had_enough(void **state)
{
    (void)state;
    struct heard heard = {.left = 2};
    struct kube_watcher watcher = {.line = hear, .arg = &heard};
    struct kube_lines lines;
    strbuf_init(&heard.text, 1000);
    kube_lines_init(&lines, &watcher, 8);
    assert_false(kube_lines_add(&lines, "a\nb\nc\n", 6));
    assert_string_equal(heard.text.text, "[a][b]");
    kube_lines_dispose(&lines);
    strbuf_dispose(&heard.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kube_path__leaves_out_what_is_not_given),
        cmocka_unit_test(kube_path__keeps_each_part_one_part),
        cmocka_unit_test(kube_query__begins_and_goes_on),
        cmocka_unit_test(kube_access_in_cluster__reads_what_a_pod_finds),
        cmocka_unit_test(kube_error_status__says_what_rbac_lacks),
        cmocka_unit_test(kube_error_status__says_which_token_is_not_accepted),
        cmocka_unit_test(kube_error_status__has_a_code_for_what_callers_tell_apart),
        cmocka_unit_test(kube_error_unreached__names_server_and_reason),
        cmocka_unit_test_setup_teardown(
            kube_token_read__keeps_the_last_while_the_file_is_being_rotated, make_token_file,
            remove_token_file),
        cmocka_unit_test_setup_teardown(kube_token_read__names_the_file_but_not_what_it_holds,
                                        make_token_file, remove_token_file),
        cmocka_unit_test(kube_lines_add__is_the_same_however_bytes_are_cut),
        cmocka_unit_test(kube_lines_add__ends_when_the_watcher_has_had_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
