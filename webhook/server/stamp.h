/* SPDX-License-Identifier: Apache-2.0 */
/* What stat says of a file, to notice that it is another one: renamed over, a symlink turned and
 * rewritten in place all look the same from here. */
#ifndef KARTA_SERVER_STAMP_H
#define KARTA_SERVER_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

struct stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
};

/* Renews *stamp from `path` (all zero where there is none). True when it was something else. */
bool stamp_renew(struct stamp *stamp, const char *path);

#endif
