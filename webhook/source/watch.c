/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One inotify descriptor over all folders. A folder that is moved away or made anew has lost its
 * watch; adding a watch again is harmless where it is still there, so it is simply done again and
 * again until all are there.
 */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#define EVENTS                                                                                     \
    (IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |              \
     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define REST_MS 100
#define RETRY_MS 2000

struct watch {
    pthread_t thread;
    int events, stop; /* inotify; eventfd */
    atomic_bool whole;
    char *folders[LIMIT_WATCHED];
    size_t count;
    void (*notify)(void *arg);
    void *arg;
};

static void add_all(struct watch *watch)
{
    bool whole = true;
    for (size_t i = 0; i < watch->count; i++)
        whole = inotify_add_watch(watch->events, watch->folders[i], EVENTS) >= 0 && whole;
    atomic_store(&watch->whole, whole);
}

/* Throws away what is there to read; true where a folder has lost its watch, or may have. */
static bool drain(const struct watch *watch)
{
    _Alignas(struct inotify_event) char bytes[4096];
    bool lost = false;
    ssize_t size;
    while ((size = read(watch->events, bytes, sizeof bytes)) > 0) {
        for (const char *at = bytes; at < bytes + size;) {
            struct inotify_event event;
            memcpy(&event, at, sizeof event);
            lost = lost || (event.mask & (IN_IGNORED | IN_MOVE_SELF | IN_Q_OVERFLOW)) != 0;
            at += sizeof event + event.len;
        }
    }
    return lost;
}

/* False: stop. */
static bool wait_for(const struct watch *watch, bool for_events, int ms)
{
    struct pollfd wait[2] = {{.fd = watch->stop, .events = POLLIN},
                             {.fd = watch->events, .events = POLLIN}};
    while (poll(wait, for_events ? 2 : 1, ms) < 0 && errno == EINTR)
        ;
    return wait[0].revents == 0;
}

static void *run(void *arg)
{
    struct watch *watch = arg;
    for (;;) {
        bool whole = atomic_load(&watch->whole);
        if (!wait_for(watch, true, whole ? -1 : RETRY_MS))
            return NULL;
        if (drain(watch) || !whole)
            add_all(watch);
        watch->notify(watch->arg);
        if (!wait_for(watch, false, REST_MS))
            return NULL;
    }
}

void watch_free(struct watch *watch)
{
    if (watch == NULL)
        return;
    if (watch->events >= 0)
        close(watch->events);
    if (watch->stop >= 0)
        close(watch->stop);
    for (size_t i = 0; i < watch->count; i++)
        free(watch->folders[i]);
    free(watch);
}

static bool copy_folders(struct watch *watch, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count && i < LIMIT_WATCHED; i++) {
        watch->folders[i] = strdup(folders[i]);
        if (watch->folders[i] == NULL)
            return false;
        watch->count++;
    }
    return true;
}

struct watch *watch_start(const char *const *folders, size_t count, void (*notify)(void *arg),
                          void *arg)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    watch->notify = notify;
    watch->arg = arg;
    watch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watch->stop = eventfd(0, EFD_CLOEXEC);
    bool ready = watch->events >= 0 && watch->stop >= 0 && count <= LIMIT_WATCHED &&
                 copy_folders(watch, folders, count);
    if (ready)
        add_all(watch);
    if (!ready || pthread_create(&watch->thread, NULL, run, watch) != 0) {
        watch_free(watch);
        return NULL;
    }
    pthread_setname_np(watch->thread, "karta-watch");
    return watch;
}

void watch_stop(struct watch *watch)
{
    if (watch == NULL)
        return;
    eventfd_write(watch->stop, 1);
    pthread_join(watch->thread, NULL);
}

bool watch_is_whole(const struct watch *watch)
{
    return watch != NULL && atomic_load(&watch->whole);
}
