/* SPDX-License-Identifier: Apache-2.0 */
/* The client over TLS: whom it trusts, and that it notices when that changes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_server.h"
#include "base/file.h"
#include "base/mem.h"
#include "certs.h"
#include "kube_client.h"
#include "support.h"

static const struct kube_resource pods = {"", "v1", "pods"};

static char dirs[2][32], cas[2][64], token_file[64], trusted[64];
static struct api_server *server;
static struct kube_access access_;
static struct kube_client *client;
static struct karta_error err;

static void make_pair(size_t index, const char *san)
{
    const char *sans[] = {san};
    snprintf(dirs[index], sizeof *dirs, "/tmp/karta-tls-XXXXXX");
    assert_non_null(mkdtemp(dirs[index]));
    snprintf(cas[index], sizeof *cas, "%s/ca.crt", dirs[index]);
    struct certs_options options = {.dir = dirs[index], .sans = sans, .san_count = 1};
    assert_int_equal(certs_ensure(&options, NULL, NULL), 0);
}

/* A server with the pair of that folder, and a client that trusts what stands in `trusted`. */
static void start(size_t index)
{
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", dirs[index]);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", dirs[index]);
    server = api_server_start(
        &(struct api_server_options){.cert_file = cert, .key_file = key, .token = "secret"});
    access_ = (struct kube_access){
        .url = api_server_url(server), .token_file = token_file, .ca_file = trusted};
    assert_int_equal(kube_client_new(&access_, NULL, &client, NULL), 0);
}

static void trust(size_t index)
{
    size_t size;
    KARTA_AUTO_TEXT text = NULL;
    assert_int_equal(file_read(cas[index], 1U << 20, &text, &size, NULL), 0);
    assert_int_equal(file_write(trusted, text, size, 0600, NULL), 0);
}

static int setup(void **state)
{
    (void)state;
    make_pair(0, "127.0.0.1");
    make_pair(1, "elsewhere.example.org");
    snprintf(token_file, sizeof token_file, "%s/token", dirs[0]);
    snprintf(trusted, sizeof trusted, "%s/trusted", dirs[0]);
    return file_write(token_file, "secret\n", 7, 0600, NULL);
}

static int teardown(void **state)
{
    (void)state;
    kube_client_free(client);
    api_server_free(server);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s %s", dirs[0], dirs[1]);
    return system(command);
}

static int ask(void)
{
    struct kube_answer answer;
    struct kube_request request = {.verb = "list", .resource = &pods, .path = "/api/v1/pods"};
    karta_error_init(&err);
    int rc = kube_client_ask(client, &request, &answer, &err);
    kube_answer_dispose(&answer);
    return rc;
}

/* The reason itself is libcurl's, whose versions differ. */
static void assert_unreached(void)
{
    char expected[512];
    assert_int_equal(ask(), KARTA_ERR_IO);
    int size =
        snprintf(expected, sizeof expected, "list pods: the API server cannot be reached: %s: SSL",
                 api_server_url(server));
    assert_memory_equal(err.message, expected, (size_t)size);
    assert_int_equal(api_server_asked(server, NULL, NULL), 0);
}

static void kube_client_ask__sends_its_token_to_a_server_it_trusts(void **state)
{
    (void)state;
    trust(0);
    start(0);
    assert_int_equal(ask(), 0);
    assert_int_equal(file_write(token_file, "other", 5, 0600, NULL), 0);
    assert_int_equal(ask(), KARTA_ERR_IO);
    char expected[256];
    snprintf(expected, sizeof expected,
             "list pods: unauthorized (401): the token in %s is not accepted", token_file);
    assert_string_equal(err.message, expected);
}

static void kube_client_ask__refuses_a_server_of_another_ca(void **state)
{
    (void)state;
    trust(1);
    start(0);
    assert_unreached();
}

static void kube_client_ask__refuses_a_server_of_another_name(void **state)
{
    (void)state;
    trust(1);
    start(1);
    assert_unreached();
}

static void kube_client_ask__reads_the_ca_anew_for_each_connection(void **state)
{
    (void)state;
    trust(1);
    start(0);
    assert_int_equal(ask(), KARTA_ERR_IO);
    trust(0);
    assert_int_equal(ask(), 0);
    trust(1);
    assert_int_equal(ask(), 0); /* by the connection that is there */
    api_server_die(server);
    api_server_return(server);
    assert_int_equal(ask(), KARTA_ERR_IO);
    trust(0);
    assert_int_equal(ask(), 0);
}

static void kube_client_ask__says_that_it_has_no_ca(void **state)
{
    (void)state;
    start(0); /* with no such file */
    assert_int_equal(ask(), KARTA_ERR_IO);
    assert_non_null(strstr(err.message, trusted));
    access_.ca_file = NULL; /* the system's do not know ours */
    assert_int_equal(ask(), KARTA_ERR_IO);
    assert_int_equal(api_server_asked(server, NULL, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(kube_client_ask__sends_its_token_to_a_server_it_trusts),
        TEST(kube_client_ask__refuses_a_server_of_another_ca),
        TEST(kube_client_ask__refuses_a_server_of_another_name),
        TEST(kube_client_ask__reads_the_ca_anew_for_each_connection),
        TEST(kube_client_ask__says_that_it_has_no_ca),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
