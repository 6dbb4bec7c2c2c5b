/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair's two files, read again when they change. The last good pair stays in force until both
 * files make a good one again. One thread at a time.
 */
#ifndef KARTA_SERVER_TLS_FILES_H
#define KARTA_SERVER_TLS_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "karta/error.h"
#include "log.h"

struct tls_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
};

struct tls_files {
    const char *cert, *key; /* paths */
    struct tls_stamp cert_stamp, key_stamp;
    bool doubtful; /* what is there now is bad; said only when it stays so */
};

/* Loads the pair for the first time into the store. The error names the file. */
int tls_files_load(struct tls_files *files, struct karta_error *err);

/*
 * Once a second: loads what changed. A pair that is bad twice running is one warning (writers need
 * a moment between key and certificate). `again` reads it although nothing changed.
 */
void tls_files_check(struct tls_files *files, bool again, const struct log *log);

#endif
