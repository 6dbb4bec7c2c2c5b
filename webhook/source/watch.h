/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says at once that something happened in a folder, where the kernel tells (inotify). It only
 * wakes: what changed, and whether, is for the woken to find out; so a lost or a needless wake-up
 * does no harm. Where watching is not possible, whoever waits has to look more often.
 */
#ifndef KARTA_WATCH_H
#define KARTA_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct watch; /* opaque */

/* Starts a thread that calls `notify` at most ten times a second. `folders` (at most LIMIT_WATCHED)
 * are copied. NULL: no inotify here, or memory is out. */
struct watch *watch_start(const char *const *folders, size_t count, void (*notify)(void *arg),
                          void *arg);
/* Ends the thread: nobody is called any more. NULL is allowed, here and below. */
void watch_stop(struct watch *watch);
/* After watch_stop. */
void watch_free(struct watch *watch);

/* Whether every folder is watched just now; until watch_free. False for NULL. */
bool watch_is_whole(const struct watch *watch);

#define LIMIT_WATCHED 64 /* folders named by flags */

#endif
