/* SPDX-License-Identifier: Apache-2.0 */
/* Our own certificate: kept over a restart, made anew when it is due. */
#include <gnutls/x509.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"
#include "certs.h"
#include "pairs.h"

#define NOTICED_MS 60000

/* The serial number in DIR/tls/tls.crt, new. */
static char *serial_of(const struct running *server)
{
    KARTA_AUTO_TEXT path = mem_format("%s/tls/tls.crt", server->dir);
    struct certs_info info;
    struct karta_error err = {0};
    assert_int_equal(certs_read_info(path, &info, &err), 0);
    return strdup(info.serial);
}

/* Waits until another certificate than that of serial number `before` is there and served. */
static void assert_renewed(const struct running *server, const char *before)
{
    bool renewed = false;
    for (int64_t limit = clock_ms() + NOTICED_MS; !renewed && clock_ms() < limit; pause_ms(50)) {
        KARTA_AUTO_TEXT serial = serial_of(server);
        KARTA_AUTO_TEXT line =
            mem_format("\nkarta_tls_certificate_serial{serial=\"%s\"} 1\n", serial);
        KARTA_AUTO_TEXT metrics = running_get(server, "/metrics", NULL);
        renewed = strcmp(serial, before) != 0 && strstr(metrics, line) != NULL;
    }
    assert_true(renewed);
    assert_true(is_served(server, "tls", 0));
}

/* A pair of its own CA that is past two thirds of its life, and one that somebody destroyed. */
static void self_signed__renews_what_is_due_or_broken(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", "--tls-san", "127.0.0.1", NULL});
    make_cert(&server, &(struct cert_wish){"tls", "due", GNUTLS_KP_TLS_WWW_SERVER, -7000, 3000});
    install(&server, "due.key", "tls/tls.key");
    install(&server, "due.crt", "tls/tls.crt");
    for (int64_t limit = clock_ms() + NOTICED_MS; clock_ms() < limit; pause_ms(20)) {
        KARTA_AUTO_TEXT metrics = running_get(&server, "/metrics", NULL);
        if (strstr(metrics, "serial=\"0102\"") != NULL)
            break;
    }
    assert_metric(&server, "\nkarta_tls_certificate_serial{serial=\"0102\"} 1\n");
    kill(server.pid, SIGHUP);
    assert_renewed(&server, "0102");
    KARTA_AUTO_TEXT broken = serial_of(&server);
    write_below(&server, "tls/tls.key", "nothing");
    assert_renewed(&server, broken);
    assert_int_equal(running_stop(&server), 0);
}

static void self_signed__survives_a_restart(void **state)
{
    (void)state;
    struct running server;
    struct certs_info first;
    struct certs_info second;
    struct karta_error err = {0};
    running_init(&server);
    KARTA_AUTO_TEXT path = mem_format("%s/tls/tls.crt", server.dir);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    assert_int_equal(certs_read_info(path, &first, &err), 0);
    kill(server.pid, SIGTERM);
    assert_int_equal(running_wait(&server), 0);
    server.metrics = 0;
    KARTA_AUTO_TEXT log = mem_format("%s/log", server.dir);
    unlink(log);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    assert_int_equal(certs_read_info(path, &second, &err), 0);
    assert_string_equal(first.serial, second.serial);
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_signed__renews_what_is_due_or_broken),
        cmocka_unit_test(self_signed__survives_a_restart),
    };
    return cmocka_run_group_tests_name("server.self_signed", tests, NULL, NULL);
}
