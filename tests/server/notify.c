/* SPDX-License-Identifier: Apache-2.0 */
/* Started by a service manager, the server tells it how it is. The test is the manager. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"

/* A socket of that name; "@" begins one in the abstract namespace. */
static int listen_as(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(name);
    assert_true(size < sizeof address.sun_path);
    memcpy(address.sun_path, name, size);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)),
                     0);
    return fd;
}

/* Whether `state` is among what comes within `ms`, the messages before it being dropped. */
static bool hears(int fd, const char *state, int ms)
{
    for (int64_t limit = clock_ms() + ms; clock_ms() < limit;) {
        char text[256];
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, (int)(limit - clock_ms())) <= 0)
            return false;
        ssize_t size = recv(fd, text, sizeof text - 1, 0);
        text[size > 0 ? size : 0] = '\0';
        if (strncmp(text, state, strlen(state)) == 0)
            return true;
    }
    return false;
}

static void assert_told(struct running *server, const char *name)
{
    int fd = listen_as(name);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    assert_int_equal(setenv("WATCHDOG_USEC", "400000", 1), 0);
    running_start(server, (const char *[]){"--drain", "1", NULL});
    assert_true(hears(fd, "READY=1", 5000));
    assert_true(hears(fd, "WATCHDOG=1", 5000));
    assert_true(hears(fd, "WATCHDOG=1", 1000));
    kill(server->pid, SIGHUP);
    assert_true(hears(fd, "RELOADING=1\nMONOTONIC_USEC=", 5000));
    assert_true(hears(fd, "READY=1", 20000));
    kill(server->pid, SIGTERM);
    assert_true(hears(fd, "STOPPING=1", 5000));
    assert_true(hears(fd, "WATCHDOG=1", 1000)); /* it lives while it drains */
    assert_int_equal(running_wait(server), 0);
    close(fd);
}

static void manager__is_told_by_path(void **state)
{
    (void)state;
    struct running server;
    char name[100];
    running_init(&server);
    snprintf(name, sizeof name, "%s/notify", server.dir);
    assert_told(&server, name);
    running_remove(&server);
}

static void manager__is_told_by_abstract_name(void **state)
{
    (void)state;
    struct running server;
    char name[100];
    running_init(&server);
    snprintf(name, sizeof name, "@%s", server.dir);
    assert_told(&server, name);
    running_remove(&server);
}

static void manager__that_is_not_there_does_not_matter(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    assert_int_equal(setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1), 0);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manager__is_told_by_path),
        cmocka_unit_test(manager__is_told_by_abstract_name),
        cmocka_unit_test(manager__that_is_not_there_does_not_matter),
    };
    return cmocka_run_group_tests_name("server.notify", tests, NULL, NULL);
}
