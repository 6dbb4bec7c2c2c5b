/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The address that NOTIFY_SOCKET means: a path, or "@name" in the abstract namespace. 0: none. */
static socklen_t find_manager(struct sockaddr_un *address)
{
    const char *name = getenv("NOTIFY_SOCKET");
    size_t size = name != NULL ? strlen(name) : 0;
    if (size < 2 || size >= sizeof address->sun_path || (name[0] != '/' && name[0] != '@'))
        return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, name, size);
    if (name[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

void notify_send(const char *state)
{
    struct sockaddr_un address;
    socklen_t size = find_manager(&address);
    int fd = size > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return;
    /* a manager that does not take it is not worth waiting for */
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
                  (struct sockaddr *)&address, size);
    close(fd);
}

void notify_reloading(void)
{
    struct timespec now;
    char state[80];
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
             (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    notify_send(state);
}

int notify_watchdog_ms(void)
{
    const char *period = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    if (period == NULL || (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
        return 0;
    unsigned long long us = strtoull(period, NULL, 10);
    if (us == 0 || us / 2000 > 3600000)
        return 0;
    return us < 2000 ? 1 : (int)(us / 2000);
}
