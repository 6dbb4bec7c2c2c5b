/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: "--flag value", "--flag=value", "--switch". */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "options_table.h"

static int out_of_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

static void *field(struct options *options, const struct option_row *row)
{
    return (char *)options + row->offset;
}

static int set_text(char **text, const char *value, struct karta_error *err)
{
    char *copy = strdup(value);
    if (copy == NULL)
        return out_of_memory(err);
    free(*text);
    *text = copy;
    return 0;
}

static int add_item(struct options_list *list, const char *value, struct karta_error *err)
{
    char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL)
        return out_of_memory(err);
    list->items = items;
    items[list->count] = strdup(value);
    if (items[list->count] == NULL)
        return out_of_memory(err);
    list->count++;
    return 0;
}

static int set_count(const struct option_row *row, int *count, const char *value,
                     struct karta_error *err)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (errno != 0 || end == value || *end != '\0' || number < row->least || number > row->most)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--%s: \"%s\" is not a number from %d to %d",
                               row->name, value, row->least, row->most);
    *count = (int)number;
    return 0;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t size = strlen(value);
    for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, value, size) == 0 && size > 0 && (at[size] == '|' || at[size] == '\0'))
            return true;
    }
    return false;
}

static int set_switch(const struct option_row *row, bool *on, const char *value,
                      struct karta_error *err)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--%s: \"%s\" is not true or false",
                               row->name, value);
    *on = value[0] == 't';
    return 0;
}

int option_set(struct options *options, const struct option_row *row, const char *value,
               struct karta_error *err)
{
    if (row->choices != NULL && !is_choice(row->choices, value))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--%s: \"%s\" is not one of %s", row->name,
                               value, row->choices);
    switch (row->kind) {
    case OPTION_TEXT:
        return set_text(field(options, row), value, err);
    case OPTION_LIST:
        return add_item(field(options, row), value, err);
    case OPTION_COUNT:
        return set_count(row, field(options, row), value, err);
    case OPTION_SWITCH:
        return set_switch(row, field(options, row), value, err);
    }
    return 0;
}

static int unknown_flag(const char *name, struct karta_error *err)
{
    const char *nearest = option_nearest(name);
    if (nearest == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "unknown flag \"--%s\"", name);
    return karta_error_set(err, KARTA_ERR_SCHEMA, "unknown flag \"--%s\" (did you mean \"--%s\"?)",
                           name, nearest);
}

/* One flag at argv[*index]; *index moves over a value that stands alone. */
static int parse_flag(struct options *options, int argc, char **argv, int *index, bool *given,
                      struct karta_error *err)
{
    const char *word = argv[*index];
    if (strncmp(word, "--", 2) != 0 || word[2] == '\0')
        return karta_error_set(err, KARTA_ERR_SCHEMA, "unexpected argument \"%s\"", word);
    const char *equals = strchr(word, '=');
    KARTA_AUTO_TEXT name =
        strndup(word + 2, equals != NULL ? (size_t)(equals - word - 2) : strlen(word + 2));
    if (name == NULL)
        return out_of_memory(err);
    const struct option_row *row = option_find(name);
    if (row == NULL)
        return unknown_flag(name, err);
    given[row - option_row(0)] = true;
    if (equals != NULL)
        return option_set(options, row, equals + 1, err);
    if (row->kind == OPTION_SWITCH)
        return option_set(options, row, "true", err);
    if (*index + 1 >= argc)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "flag \"--%s\" needs a value", name);
    return option_set(options, row, argv[++*index], err);
}

/* Defaults go in where nothing was said; a list has none here. */
static int fill_defaults(struct options *options, struct karta_error *err)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)) != NULL; i++) {
        char **text = field(options, row);
        if (row->kind == OPTION_TEXT && row->initial != NULL && *text == NULL) {
            int rc = option_set(options, row, row->initial, err);
            if (rc != 0)
                return rc;
        }
    }
    return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct karta_error *err)
{
    bool given[OPTION_ROWS_MOST] = {false};
    *options = (struct options){.drain = 5};
    int rc = 0;
    for (int i = 1; rc == 0 && i < argc; i++)
        rc = parse_flag(options, argc, argv, &i, given, err);
    if (rc == 0 && options->config != NULL && !options->help && !options->version)
        rc = options_read_config(options, options->config, given, err);
    if (rc == 0)
        rc = fill_defaults(options, err);
    return rc != 0 ? rc : options_check(options, err);
}

void options_dispose(struct options *options)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)) != NULL; i++) {
        if (row->kind == OPTION_TEXT)
            free(*(char **)field(options, row));
        if (row->kind != OPTION_LIST)
            continue;
        struct options_list *list = field(options, row);
        for (size_t k = 0; k < list->count; k++)
            free(list->items[k]);
        free(list->items);
    }
    *options = (struct options){0};
}
