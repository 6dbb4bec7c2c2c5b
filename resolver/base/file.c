/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, read and written whole. The one idea: a reader never trusts a size that the system
 * reports (a FIFO has none), it reads until the end or until one byte above the cap.
 */
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

static void close_fd(int *fd)
{
    if (*fd > STDERR_FILENO)
        close(*fd);
}
#define AUTO_FD KARTA_CLEANUP(close_fd) int

/* `cannot VERB PATH: REASON` for the system's error `number`. */
static int system_error(struct karta_error *err, int number, const char *verb, const char *path)
{
    if (number == ENOMEM)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    char room[128];
    const char *reason = strerror_r(number, room, sizeof room);
    return karta_error_set(err, KARTA_ERR_IO, "cannot %s %s: %c%s", verb, path,
                           tolower((unsigned char)reason[0]), reason + 1);
}

/* One read into `buf`: bytes read, 0 at the end, or a negative code. */
static ssize_t read_some(int fd, const char *path, struct strbuf *buf, struct karta_error *err)
{
    char chunk[16384];
    ssize_t got;
    do
        got = read(fd, chunk, sizeof chunk);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return system_error(err, errno, "read", path);
    strbuf_add(buf, chunk, (size_t)got);
    if (buf->failed == KARTA_ERR_LIMIT)
        return karta_error_set(err, KARTA_ERR_LIMIT, "%s is above %zu bytes", path, buf->cap);
    int code = strbuf_check(buf, err);
    return code != 0 ? code : got;
}

/* All that is left to read; `name` is for messages. */
static int read_all(int fd, const char *name, size_t cap, char **bytes, size_t *size,
                    struct karta_error *err)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, cap);
    ssize_t got;
    while ((got = read_some(fd, name, &buf, err)) > 0)
        continue;
    if (got < 0)
        return (int)got;
    *size = buf.size;
    *bytes = strbuf_take(&buf);
    return *bytes != NULL ? KARTA_OK : strbuf_check(&buf, err);
}

int file_read(const char *path, size_t cap, char **bytes, size_t *size, struct karta_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    AUTO_FD fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return system_error(err, errno, "read", path);
    return read_all(fd, standard ? "standard input" : path, cap, bytes, size, err);
}

int file_read_regular(const char *path, size_t cap, char **bytes, size_t *size,
                      struct karta_error *err)
{
    /* a FIFO without a writer would block in open() */
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return system_error(err, errno, "read", path);
    if (S_ISDIR(status.st_mode))
        return system_error(err, EISDIR, "read", path);
    if (!S_ISREG(status.st_mode))
        return karta_error_set(err, KARTA_ERR_IO, "cannot read %s: is no regular file", path);
    return read_all(fd, path, cap, bytes, size, err);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* A rename is only durable once its folder is; where a folder can't be synced, nothing is lost. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    KARTA_AUTO_TEXT folder =
        slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    AUTO_FD fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0)
        fsync(fd);
}

int file_write(const char *path, const char *bytes, size_t size, unsigned mode,
               struct karta_error *err)
{
    KARTA_AUTO_TEXT temporary = mem_format("%s.XXXXXX", path);
    if (temporary == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    AUTO_FD fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return system_error(err, errno, "write", path);
    if (!write_all(fd, bytes, size) || fchmod(fd, (mode_t)mode) != 0 || fsync(fd) != 0 ||
        rename(temporary, path) != 0) {
        int number = errno;
        unlink(temporary);
        return system_error(err, number, "write", path);
    }
    sync_folder(path);
    return KARTA_OK;
}
