/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that stay aligned, whatever the names in them. */
#ifndef KARTA_CLI_TABLE_H
#define KARTA_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

#define TABLE_COLUMNS 12

struct table {
    char *(*rows)[TABLE_COLUMNS];
    size_t count, room;
    size_t width; /* the most columns of a terminal a line may take; 0: any */
    bool failed;  /* memory ran out */
};

/* An empty table is all zeros but for `width`. */
void table_dispose(struct table *table);

/* Adds a row; `cells` are copied and made one clean line each, a NULL ends them early. */
void table_add(struct table *table, const char *const *cells);

/* Adds a row of the texts given, at most TABLE_COLUMNS. */
#define table_row(table, ...)                                                                      \
    table_add((table), (const char *const[TABLE_COLUMNS + 1]){__VA_ARGS__})

/* Appends it: two blanks between columns, none at a line's end. `bold_first`: as a heading. */
void table_print(const struct table *table, bool bold_first, struct strbuf *buf);

/* How many columns of a terminal `text` takes. */
size_t table_width(const char *text);

/* New text of at most `columns` columns of a terminal, cut with an ellipsis. */
char *table_cut(const char *text, size_t columns);

#endif
