/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what stat says, and reads both files when anything differs. */
#include "tls_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "tls_pair.h"

#define LIMIT_PEM_BYTES (1U << 20)

/* True when a file is not what it was. */
static bool changed(struct tls_files *files)
{
    bool cert = stamp_renew(&files->cert_stamp, files->cert);
    bool key = stamp_renew(&files->key_stamp, files->key);
    return cert || key;
}

static int load(const struct tls_files *files, struct karta_error *err)
{
    KARTA_AUTO_TEXT cert = NULL;
    KARTA_AUTO_TEXT key = NULL;
    size_t size;
    int rc = file_read_regular(files->cert, LIMIT_PEM_BYTES, &cert, &size, err);
    if (rc == 0)
        rc = file_read_regular(files->key, LIMIT_PEM_BYTES, &key, &size, err);
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

enum look tls_files_check(struct tls_files *files, bool again, const struct log *log)
{
    bool differs = changed(files);
    if (!doubt_wants(&files->doubt, differs, again))
        return LOOK_SAME;
    struct karta_error err = {0};
    if (load(files, &err) == 0) {
        doubt_ends(&files->doubt);
        LOG_WRITE(log, LOG_LEVEL_INFO, "certificate loaded", log_text("file", files->cert));
        return LOOK_LOADED;
    }
    if (!doubt_is_over(&files->doubt, differs, again, karta_engine_now_ms()))
        return LOOK_SAME;
    LOG_WRITE(log, LOG_LEVEL_WARN, "certificate not loaded, the one before stays",
              log_text("error", err.message));
    return LOOK_REFUSED;
}
