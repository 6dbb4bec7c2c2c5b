/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool stamp_renew(struct stamp *stamp, const char *path)
{
    struct stat info;
    struct stamp before = *stamp;
    *stamp = (struct stamp){0};
    if (stat(path, &info) == 0)
        *stamp = (struct stamp){.device = info.st_dev,
                                .inode = info.st_ino,
                                .size = info.st_size,
                                .modified = info.st_mtim,
                                .changed = info.st_ctim};
    return stamp->device != before.device || stamp->inode != before.inode ||
           stamp->size != before.size || !same_time(stamp->modified, before.modified) ||
           !same_time(stamp->changed, before.changed);
}
