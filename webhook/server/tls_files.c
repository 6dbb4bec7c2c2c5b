/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares what stat says and reads both files when anything differs: renamed over, a symlink
 * turned, rewritten in place, all look the same from here.
 */
#include "tls_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "tls_pair.h"

#define LIMIT_PEM_BYTES (1U << 20)

static void stamp_read(const char *path, struct tls_stamp *stamp)
{
    struct stat info;
    *stamp = (struct tls_stamp){0};
    if (stat(path, &info) != 0)
        return;
    stamp->device = info.st_dev;
    stamp->inode = info.st_ino;
    stamp->size = info.st_size;
    stamp->modified = info.st_mtim;
    stamp->changed = info.st_ctim;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same(const struct tls_stamp *a, const struct tls_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           same_time(a->modified, b->modified) && same_time(a->changed, b->changed);
}

/* True when a file is not what it was; the new stamps are kept. */
static bool changed(struct tls_files *files)
{
    struct tls_stamp cert, key;
    stamp_read(files->cert, &cert);
    stamp_read(files->key, &key);
    bool differs = !same(&cert, &files->cert_stamp) || !same(&key, &files->key_stamp);
    files->cert_stamp = cert;
    files->key_stamp = key;
    return differs;
}

static int load(const struct tls_files *files, struct karta_error *err)
{
    KARTA_AUTO_TEXT cert = NULL;
    KARTA_AUTO_TEXT key = NULL;
    size_t size;
    int rc = file_read(files->cert, LIMIT_PEM_BYTES, &cert, &size, err);
    if (rc == 0)
        rc = file_read(files->key, LIMIT_PEM_BYTES, &key, &size, err);
    if (rc != 0)
        return rc;
    struct tls_pair *pair = NULL;
    rc = tls_pair_new(cert, key, &pair, err);
    if (rc != 0)
        return karta_error_wrap(err, rc, "cannot serve with %s and %s", files->cert, files->key);
    tls_store_put(pair);
    return 0;
}

int tls_files_load(struct tls_files *files, struct karta_error *err)
{
    changed(files);
    return load(files, err);
}

void tls_files_check(struct tls_files *files, bool again, const struct log *log)
{
    bool differs = changed(files);
    if (!differs && !again && !files->doubtful)
        return;
    struct karta_error err = {0};
    if (load(files, &err) == 0) {
        files->doubtful = false;
        LOG_WRITE(log, LOG_LEVEL_INFO, "certificate loaded", log_text("file", files->cert));
        return;
    }
    bool stays = again || (files->doubtful && !differs);
    files->doubtful = !stays;
    if (stays)
        LOG_WRITE(log, LOG_LEVEL_WARN, "certificate not loaded, the one before stays",
                  log_text("error", err.message));
}
