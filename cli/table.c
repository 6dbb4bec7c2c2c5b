/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: widths are measured in terminal columns, so that wide characters keep the lines straight.
 */
#include "table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/text.h"
#include "karta/error.h"

/* less than this of a cell says nothing: then the line is left as long as it is */
#define LEAST_CUT 6

void table_dispose(struct table *table)
{
    for (size_t row = 0; row < table->count; row++)
        for (size_t column = 0; column < TABLE_COLUMNS; column++)
            free(table->rows[row][column]);
    free(table->rows);
    *table = (struct table){0};
}

static bool table_grow(struct table *table)
{
    if (table->count < table->room)
        return true;
    size_t room = table->room > 0 ? table->room * 2 : 16;
    void *rows = reallocarray(table->rows, room, sizeof *table->rows);
    if (rows == NULL)
        return false;
    table->rows = rows;
    table->room = room;
    return true;
}

void table_add(struct table *table, const char *const *cells)
{
    if (!table_grow(table)) {
        table->failed = true;
        return;
    }
    char **row = table->rows[table->count++];
    memset(row, 0, sizeof *table->rows);
    for (size_t column = 0; column < TABLE_COLUMNS && cells[column] != NULL; column++) {
        row[column] = strdup(cells[column]);
        if (row[column] == NULL)
            table->failed = true;
        else
            text_clean(row[column]);
    }
}

size_t table_width(const char *text)
{
    size_t width = 0, size = strlen(text);
    while (size > 0) {
        uint32_t point = 0;
        size_t step = text_character(text, size, &point);
        int columns = step > 0 ? wcwidth((wchar_t)point) : 1;
        width += columns >= 0 ? (size_t)columns : 1;
        step = step > 0 ? step : 1;
        text += step;
        size -= step;
    }
    return width;
}

char *table_cut(const char *text, size_t columns)
{
    if (table_width(text) <= columns)
        return mem_format("%s", text);
    size_t size = 0, width = 0, whole = strlen(text);
    while (size < whole) {
        size_t step = text_character(text + size, whole - size, NULL);
        step = step > 0 ? step : 1;
        KARTA_AUTO_TEXT character = mem_format("%.*s", (int)step, text + size);
        width += character != NULL ? table_width(character) : 1;
        if (width + 1 > columns)
            break;
        size += step;
    }
    return mem_format("%.*s\u2026", (int)size, text);
}

static size_t last_column(char *const *row)
{
    size_t last = 0;
    for (size_t column = 0; column < TABLE_COLUMNS; column++)
        if (row[column] != NULL && *row[column] != '\0')
            last = column;
    return last;
}

/* The last cell, cut where the line would be wider than the table may be. */
static void print_last(const char *cell, size_t at, size_t width, struct strbuf *buf)
{
    bool cuts = width > at + LEAST_CUT && at + table_width(cell) > width;
    KARTA_AUTO_TEXT cut = cuts ? table_cut(cell, width - at) : NULL;
    strbuf_adds(buf, cut != NULL ? cut : cell);
}

static void print_row(char *const *row, const size_t *widths, size_t width, struct strbuf *buf)
{
    size_t last = last_column(row), at = 0;
    for (size_t column = 0; column <= last; column++) {
        const char *cell = row[column] != NULL ? row[column] : "";
        if (column == last) {
            print_last(cell, at, width, buf);
            return;
        }
        strbuf_adds(buf, cell);
        at += widths[column] + 2;
        for (size_t pad = widths[column] - table_width(cell) + 2; pad > 0; pad--)
            strbuf_addc(buf, ' ');
    }
}

void table_print(const struct table *table, bool bold_first, struct strbuf *buf)
{
    size_t widths[TABLE_COLUMNS] = {0};
    for (size_t row = 0; row < table->count; row++)
        for (size_t column = 0; column < TABLE_COLUMNS; column++) {
            const char *cell = table->rows[row][column];
            size_t width = cell != NULL ? table_width(cell) : 0;
            widths[column] = width > widths[column] ? width : widths[column];
        }
    for (size_t row = 0; row < table->count; row++) {
        bool bold = bold_first && row == 0;
        strbuf_adds(buf, bold ? "\033[1m" : "");
        print_row(table->rows[row], widths, table->width, buf);
        strbuf_adds(buf, bold ? "\033[0m\n" : "\n");
    }
    if (table->failed)
        buf->failed = KARTA_ERR_NOMEM;
}
