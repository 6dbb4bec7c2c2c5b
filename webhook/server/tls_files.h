/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair's two files, read again when they change. The last good pair stays in force until both
 * files make a good one again. One thread at a time.
 */
#ifndef KARTA_SERVER_TLS_FILES_H
#define KARTA_SERVER_TLS_FILES_H

#include <stdbool.h>

#include "doubt.h"
#include "karta/error.h"
#include "log.h"
#include "stamp.h"

struct tls_files {
    const char *cert, *key; /* paths */
    struct stamp cert_stamp, key_stamp;
    struct doubt doubt;
};

/* Loads the pair for the first time into the store. The error names the file. */
int tls_files_load(struct tls_files *files, struct karta_error *err);

/* What a look at files in force came to. */
enum look { LOOK_SAME, LOOK_LOADED, LOOK_REFUSED };

/*
 * Some times a second, and whenever there is reason to: loads what changed. A pair that stays bad
 * (doubt.h) is one warning. `again` reads it although nothing changed.
 */
enum look tls_files_check(struct tls_files *files, bool again, const struct log *log);

#endif
