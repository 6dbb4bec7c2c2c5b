/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates that change under a running server, however they are replaced. */
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"
#include "pairs.h"

/* the server looks twice a second, and believes in a bad pair after a second */
#define NOTICED_MS 60000

static void files__a_new_pair_is_served_without_a_lost_connection(void **state)
{
    (void)state;
    struct running server;
    struct client before;
    struct answer answer;
    start_with_files(&server);
    running_connect(&server, &before);
    assert_false(is_served(&server, "b", 0));
    install_pair(&server, "b");
    assert_true(is_served(&server, "b", NOTICED_MS));
    assert_false(is_served(&server, "a", 0));
    assert_true(client_post(&before, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    client_close(&before);
    assert_int_equal(count_warnings(&server), 0);
    assert_int_equal(running_stop(&server), 0);
}

static void files__a_bad_pair_leaves_the_last_good_one(void **state)
{
    (void)state;
    struct running server;
    start_with_files(&server);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", server.dir);
    static const char warning[] =
        "msg=\"certificate not loaded, the one before stays\" error=\"cannot serve with ";
    write_text(cert, "-----BEGIN CERT");
    assert_true(running_logs(&server, warning, NOTICED_MS));
    assert_true(running_logs(&server, "there is no PEM certificate\"", 0));
    install(&server, "b/tls.crt", "tls.crt"); /* b's certificate, a's key */
    assert_true(
        running_logs(&server, "the private key does not belong to the certificate\"", NOTICED_MS));
    unlink(cert);
    assert_true(running_logs(&server, "no such file or directory", NOTICED_MS));
    pause_ms(1500);
    assert_int_equal(count_warnings(&server), 3); /* each said once */
    assert_true(is_served(&server, "a", 0));
    install_pair(&server, "b");
    assert_true(is_served(&server, "b", NOTICED_MS));
    assert_int_equal(running_stop(&server), 0);
}

static void files__any_way_to_replace_them_is_noticed(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    make_pair(&server, "a");
    make_pair(&server, "b");
    make_pair(&server, "c");
    /* as a Secret is mounted: the files are links through ..data, which is turned */
    KARTA_AUTO_TEXT mount = mem_format("%s/mount", server.dir);
    KARTA_AUTO_TEXT data = mem_format("%s/..data", mount);
    KARTA_AUTO_TEXT data_new = mem_format("%s/..data.new", mount);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", mount);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", mount);
    assert_int_equal(mkdir(mount, 0700), 0);
    assert_int_equal(symlink("../a", data), 0);
    assert_int_equal(symlink("..data/tls.crt", cert), 0);
    assert_int_equal(symlink("..data/tls.key", key), 0);
    running_start(&server, (const char *[]){"--drain", "0", "--tls-cert-file", cert,
                                            "--tls-key-file", key, NULL});
    assert_true(is_served(&server, "a", 0));
    assert_int_equal(symlink("../b", data_new), 0);
    assert_int_equal(rename(data_new, data), 0);
    assert_true(is_served(&server, "b", NOTICED_MS));
    /* in place, through the links, the certificate before its key */
    KARTA_AUTO_TEXT cert_text = read_below(&server, "c/tls.crt");
    KARTA_AUTO_TEXT key_text = read_below(&server, "c/tls.key");
    write_below(&server, "b/tls.crt", cert_text);
    pause_ms(100);
    write_below(&server, "b/tls.key", key_text);
    assert_true(is_served(&server, "c", NOTICED_MS));
    assert_int_equal(count_warnings(&server), 0);
    assert_metric(&server, "\nkarta_reload_total{what=\"certificate\",result=\"success\"} 3\n");
    assert_metric(&server, "\nkarta_reload_total{what=\"certificate\",result=\"failure\"} 0\n");
    assert_int_equal(running_stop(&server), 0);
}

struct bad_file {
    const char *what;
    const char *text; /* NULL: half of what is there */
    const char *problem;
};

/* Each is one line in the log and one in the metric, and the last good pair is served on. */
static void files__whatever_is_bad_is_said_once(void **state)
{
    (void)state;
    struct running server;
    static const struct bad_file cases[] = {
        {"empty", "", "there is no PEM certificate"},
        {"garbage", "\x01\x02\xff garbage", "there is no PEM certificate"},
        {"half written", NULL, "there is no PEM certificate"}};
    start_with_files(&server);
    size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++) {
        KARTA_AUTO_TEXT whole = read_below(&server, "b/tls.crt");
        whole[300] = '\0';
        write_below(&server, "tls.crt", cases[i].text != NULL ? cases[i].text : whole);
        for (int64_t limit = clock_ms() + NOTICED_MS;
             count_warnings(&server) < i + 1 && clock_ms() < limit;)
            pause_ms(50);
        assert_int_equal(count_warnings(&server), i + 1);
        assert_true(is_served(&server, "a", 0));
    }
    assert_true(running_logs(&server, cases[0].problem, 0));
    KARTA_AUTO_TEXT line =
        mem_format("\nkarta_reload_total{what=\"certificate\",result=\"failure\"} %zu\n", count);
    assert_metric(&server, line);
    assert_int_equal(running_stop(&server), 0);
}

static void files__out_of_their_time_are_refused(void **state)
{
    (void)state;
    struct running server;
    start_with_files(&server);
    make_cert(&server, &(struct cert_wish){"b", "old", GNUTLS_KP_TLS_WWW_SERVER, -7200, -3600});
    make_cert(&server, &(struct cert_wish){"b", "new", GNUTLS_KP_TLS_WWW_SERVER, 3600, 7200});
    install(&server, "old.key", "tls.key");
    install(&server, "old.crt", "tls.crt");
    assert_true(running_logs(&server, "the certificate expired at 2", NOTICED_MS));
    install(&server, "new.key", "tls.key");
    install(&server, "new.crt", "tls.crt");
    assert_true(running_logs(&server, "the certificate is not valid before 2", NOTICED_MS));
    assert_true(is_served(&server, "a", 0));
    make_cert(&server, &(struct cert_wish){"b", "soon", GNUTLS_KP_TLS_WWW_SERVER, 3, 7200});
    install(&server, "soon.key", "tls.key");
    install(&server, "soon.crt", "tls.crt");
    assert_true(is_served(&server, "b", 2 * NOTICED_MS)); /* when its time has come */
    assert_int_equal(running_stop(&server), 0);
}

/* One that expires while it is served is served on, and the reason is to be read. */
static void readyz__says_that_the_certificate_has_expired(void **state)
{
    (void)state;
    struct running server;
    int status;
    start_with_files(&server);
    make_cert(&server, &(struct cert_wish){"b", "short", GNUTLS_KP_TLS_WWW_SERVER, -60, 4});
    install(&server, "short.key", "tls.key");
    install(&server, "short.crt", "tls.crt");
    assert_true(is_served(&server, "b", 3000));
    assert_metric(&server, "\nkarta_tls_certificate_serial{serial=\"0102\"} 1\n");
    KARTA_AUTO_TEXT before = running_get(&server, "/readyz", &status);
    assert_int_equal(status, 200);
    pause_ms(5500);
    KARTA_AUTO_TEXT after = running_get(&server, "/readyz", &status);
    assert_int_equal(status, 503);
    assert_string_equal(after, "the certificate has expired\n");
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files__a_new_pair_is_served_without_a_lost_connection),
        cmocka_unit_test(files__a_bad_pair_leaves_the_last_good_one),
        cmocka_unit_test(files__any_way_to_replace_them_is_noticed),
        cmocka_unit_test(files__whatever_is_bad_is_said_once),
        cmocka_unit_test(files__out_of_their_time_are_refused),
        cmocka_unit_test(readyz__says_that_the_certificate_has_expired),
    };
    return cmocka_run_group_tests_name("server.certificates", tests, NULL, NULL);
}
