/* SPDX-License-Identifier: Apache-2.0 */
/* The table of flags, for whoever reads flags. */
#ifndef KARTA_WEBHOOK_OPTIONS_TABLE_H
#define KARTA_WEBHOOK_OPTIONS_TABLE_H

#include "options.h"

enum option_kind { OPTION_TEXT, OPTION_LIST, OPTION_COUNT, OPTION_SWITCH };

struct option_row {
    const char *name;  /* without dashes */
    const char *value; /* what --help calls the value; NULL for switches */
    const char *help;
    enum option_kind kind;
    size_t offset;
    int least, most;     /* of counts */
    const char *choices; /* "opted-in|all"; NULL: any text */
    const char *initial; /* default of texts and counts; NULL: none */
};

/* Row `index`, NULL past the end; the row called `name`, or NULL. */
const struct option_row *option_row(size_t index);
const struct option_row *option_find(const char *name);

/* Puts `value` where the row says. KARTA_ERR_SCHEMA names flag and value. */
int option_set(struct options *options, const struct option_row *row, const char *value,
               struct karta_error *err);

/* The name nearest to `name`, NULL where none is near. */
const char *option_nearest(const char *name);

/* Sets what `path` says for every flag whose `given` (by row) is false. */
int options_read_config(struct options *options, const char *path, const bool *given,
                        struct karta_error *err);

/* KARTA_ERR_SCHEMA where values or flags do not fit together. */
int options_check(const struct options *options, struct karta_error *err);

#define OPTION_ROWS_MOST 64

#endif
