/* SPDX-License-Identifier: Apache-2.0 */
/* A client that others wrote: what kubectl makes of the double, over TLS, with a token. Skipped
 * where there is no kubectl. */
#include "asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "certs.h"

#define SKIP 77
#define KARTA                                                                                      \
    "{\"apiVersion\":\"run.ai/v1alpha1\",\"kind\":\"Karta\",\"metadata\":{\"name\":\"%s\"},%s}"

struct kubectl {
    struct api_server *server;
    char dir[64];
    char *command; /* "kubectl" and how to reach the double */
    char out[65536];
};

static int setup(void **state)
{
    struct kubectl *kubectl = calloc(1, sizeof *kubectl);
    assert_non_null(kubectl);
    strcpy(kubectl->dir, "/tmp/karta-kubectl-XXXXXX");
    assert_non_null(mkdtemp(kubectl->dir));
    static const char *const sans[] = {"127.0.0.1"};
    struct certs_options certs = {.dir = kubectl->dir, .sans = sans, .san_count = 1};
    assert_int_equal(certs_ensure(&certs, NULL, NULL), 0);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", kubectl->dir);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", kubectl->dir);
    kubectl->server = api_server_start(
        &(struct api_server_options){.cert_file = cert, .key_file = key, .token = "secret"});
    api_server_kind(kubectl->server, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    kubectl->command =
        mem_format("env HOME=%s KUBECONFIG=/dev/null timeout 60 kubectl --server=%s --token=secret "
                   "--certificate-authority=%s/ca.crt --cache-dir=%s/cache",
                   kubectl->dir, api_server_url(kubectl->server), kubectl->dir, kubectl->dir);
    *state = kubectl;
    return 0;
}

static int teardown(void **state)
{
    struct kubectl *kubectl = *state;
    KARTA_AUTO_TEXT clean = mem_format("rm -rf %s", kubectl->dir);
    int rc = system(clean);
    api_server_free(kubectl->server);
    free(kubectl->command);
    free(kubectl);
    return rc;
}

/* What it prints, errors too; fails unless it ends as `ok` says. Without `input`: NULL. */
static const char *run(struct kubectl *kubectl, bool ok, const char *args, const char *input)
{
    KARTA_AUTO_TEXT file = mem_format("%s/input", kubectl->dir);
    FILE *in = fopen(file, "we");
    assert_non_null(in);
    fputs(input != NULL ? input : "", in);
    fclose(in);
    KARTA_AUTO_TEXT line = mem_format("%s %s < %s 2>&1", kubectl->command, args, file);
    FILE *pipe = popen(line, "re");
    assert_non_null(pipe);
    size_t size = fread(kubectl->out, 1, sizeof kubectl->out - 1, pipe);
    kubectl->out[size] = '\0';
    int rc = pclose(pipe);
    if ((rc == 0) != ok)
        print_error("kubectl %s: %s\n", args, kubectl->out);
    assert_int_equal(rc == 0, ok);
    return kubectl->out;
}

static void create(struct kubectl *kubectl, const char *name, const char *rest)
{
    KARTA_AUTO_TEXT text = mem_format(KARTA, name, rest);
    KARTA_AUTO_TEXT said = mem_format("karta.run.ai/%s created\n", name);
    assert_string_equal(run(kubectl, true, "create --validate=false -f -", text), said);
}

static void create__and_get(void **state)
{
    struct kubectl *kubectl = *state;
    create(kubectl, "a", "\"spec\":{\"x\":1}");
    create(kubectl, "b", "\"spec\":{\"x\":2}");
    assert_string_equal(run(kubectl, true, "get kartas -o name", NULL),
                        "karta.run.ai/a\nkarta.run.ai/b\n");
    assert_string_equal(run(kubectl, true, "get karta b -o jsonpath='{.spec.x}'", NULL), "2");
    assert_string_equal(run(kubectl, true, "get kartas --chunk-size=1 -o name", NULL),
                        "karta.run.ai/a\nkarta.run.ai/b\n");
    assert_string_equal(run(kubectl, false, "get karta c", NULL),
                        "Error from server (NotFound): kartas.run.ai \"c\" not found\n");
    KARTA_AUTO_TEXT again = mem_format(KARTA, "a", "\"spec\":{}");
    assert_non_null(
        strstr(run(kubectl, false, "create --validate=false -f -", again), "(AlreadyExists)"));
}

static void change__and_select(void **state)
{
    struct kubectl *kubectl = *state;
    create(kubectl, "a", "\"spec\":{\"x\":1}");
    create(kubectl, "b", "\"spec\":{\"x\":2}");
    run(kubectl, true, "label karta a l=1", NULL);
    run(kubectl, true, "patch karta b --type=merge -p '{\"spec\":{\"x\":3}}'", NULL);
    assert_string_equal(run(kubectl, true, "get kartas -l 'l in (1,2)' -o name", NULL),
                        "karta.run.ai/a\n");
    assert_string_equal(run(kubectl, true, "get karta b -o jsonpath='{.spec.x}'", NULL), "3");
    json_auto_t *live = api_server_get(kubectl->server, "kartas", NULL, "b");
    json_object_set_new(json_object_get(live, "spec"), "x", json_integer(4));
    KARTA_AUTO_TEXT text = json_dumps(live, 0);
    run(kubectl, true, "replace --validate=false -f -", text);
    assert_string_equal(
        run(kubectl, true, "get karta b -o jsonpath='{.metadata.generation}'", NULL), "3");
}

static void apply__by_the_server(void **state)
{
    static const char text[] = "apiVersion: admissionregistration.k8s.io/v1\n"
                               "kind: MutatingWebhookConfiguration\n"
                               "metadata: {name: c}\n"
                               "webhooks: [{name: x.io, timeoutSeconds: %d}]\n";
    struct kubectl *kubectl = *state;
    KARTA_AUTO_TEXT one = mem_format(text, 1);
    KARTA_AUTO_TEXT two = mem_format(text, 2);
    const char *said = "mutatingwebhookconfiguration.admissionregistration.k8s.io/c "
                       "serverside-applied\n";
    assert_string_equal(
        run(kubectl, true, "apply --validate=false --server-side --field-manager=us -f -", one),
        said);
    assert_non_null(strstr(
        run(kubectl, false, "apply --validate=false --server-side --field-manager=you -f -", two),
        "conflict with \"us\""));
    assert_string_equal(run(kubectl, true,
                            "apply --validate=false --server-side --force-conflicts "
                            "--field-manager=you -f -",
                            two),
                        said);
    assert_string_equal(run(kubectl, true,
                            "get mutatingwebhookconfiguration c -o "
                            "jsonpath='{.webhooks[0].timeoutSeconds}'",
                            NULL),
                        "2");
}

static void wait__sees_what_comes(void **state)
{
    struct kubectl *kubectl = *state;
    create(kubectl, "a", "\"spec\":{}");
    KARTA_AUTO_TEXT line =
        mem_format("%s wait --for=condition=Ready --timeout=40s karta/a 2>&1", kubectl->command);
    FILE *pipe = popen(line, "re");
    assert_non_null(pipe);
    for (size_t i = 0; i < 4000 && api_server_watches(kubectl->server, "kartas") == 0; i++)
        usleep(10000);
    api_server_put(kubectl->server,
                   "{'apiVersion':'run.ai/v1alpha1','kind':'Karta','metadata':{'name':'a'},"
                   "'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
    char out[256] = "";
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(out, "karta.run.ai/a condition met\n");
}

static void delete__waits_until_it_is_gone(void **state)
{
    struct kubectl *kubectl = *state;
    create(kubectl, "a", "\"spec\":{}");
    assert_string_equal(run(kubectl, true, "delete karta a", NULL), "karta.run.ai \"a\" deleted\n");
    assert_int_equal(api_server_count(kubectl->server, "kartas"), 0);
}

static void forbidden__as_kubectl_says_it(void **state)
{
    struct kubectl *kubectl = *state;
    run(kubectl, true, "get kartas", NULL);
    api_server_fault(kubectl->server, "list", "kartas", API_FAULT_STATUS, 403, 0);
    assert_string_equal(
        run(kubectl, false, "get kartas", NULL),
        "Error from server (Forbidden): kartas.run.ai is forbidden: User "
        "\"system:serviceaccount:karta:karta-webhook\" cannot list resource \"kartas\" in API "
        "group \"run.ai\" at the cluster scope\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    if (system("kubectl version --client >/dev/null 2>&1") != 0) {
        print_message("no kubectl here: apt-get install kubernetes-client\n");
        return SKIP;
    }
    const struct CMUnitTest tests[] = {
        TEST(create__and_get),
        TEST(change__and_select),
        TEST(apply__by_the_server),
        TEST(wait__sees_what_comes),
        TEST(delete__waits_until_it_is_gone),
        TEST(forbidden__as_kubectl_says_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
