/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allow-list. The idea: each builtin is written as a form of our own, so that what reaches a C
 * function of libjq was judged before (its type, its size), and both engines give one answer.
 * Names that start with karta_ are defined in jq_prelude.c. Every entry is run over hostile JSON on
 * both engines by tests/fuzz/fuzz_builtins.c.
 */
#include "jq/jq_builtin.h"

#include <string.h>

#include "jq/jq_program.h"

static const struct jq_builtin builtins[] = {
    {"add/0", "karta_total"},
    {"all/0", "karta_all(karta_each; .)"},
    {"all/1", "karta_all(karta_each; %1)"},
    {"all/2", "karta_all(%1; %2)"},
    {"any/0", "karta_any(karta_each; .)"},
    {"any/1", "karta_any(karta_each; %1)"},
    {"any/2", "karta_any(%1; %2)"},
    {"arrays/0", "arrays"},
    {"ascii_downcase/0", "(karta_text | ascii_downcase)"},
    {"ascii_upcase/0", "(karta_text | ascii_upcase)"},
    {"booleans/0", "booleans"},
    {"ceil/0", "(karta_number | ceil)"},
    {"contains/1", "karta_contains(%1)"},
    {"empty/0", "empty"},
    {"endswith/1", "karta_endswith(%1)"},
    {"error/1", "(%1 | karta_error)"},
    {"first/0", ".[0]"},
    {"first/1", "first(%1)"},
    {"flatten/0", "karta_flatten"},
    {"floor/0", "(karta_number | floor)"},
    {"from_entries/0", "karta_from_entries"},
    {"getpath/1", "getpath(%1)"},
    {"group_by/1", "karta_group_by(%1)"},
    {"has/1", "karta_has(%1)"},
    {"in/1", "karta_in(%1)"},
    {"inside/1", "karta_inside(%1)"},
    {"join/1", "karta_join(%1)"},
    {"keys/0", "keys"},
    {"last/0", ".[-1]"},
    {"last/1", "last(%1)"},
    {"length/0", "length"},
    {"limit/2", "limit(%1; %2)"},
    {"ltrimstr/1", "karta_ltrimstr(%1)"},
    {"map/1", "karta_map(%1)"},
    {"map_values/1", "karta_map_values(%1)"},
    {"max/0", "(karta_list | max)"},
    {"max_by/1", "karta_max_by(%1)"},
    {"min/0", "(karta_list | min)"},
    {"min_by/1", "karta_min_by(%1)"},
    {"not/0", "not"},
    {"nth/1", ".[(%1 | karta_key)]"},
    {"nulls/0", "nulls"},
    {"numbers/0", "numbers"},
    {"objects/0", "objects"},
    {"reverse/0", "karta_reverse"},
    {"rtrimstr/1", "karta_rtrimstr(%1)"},
    {"select/1", "select(%1)"},
    {"sort/0", "(karta_list | sort)"},
    {"sort_by/1", "karta_sort_by(%1)"},
    {"split/1", "karta_split(%1)"},
    {"startswith/1", "karta_startswith(%1)"},
    {"strings/0", "strings"},
    {"to_entries/0", "karta_to_entries"},
    {"tojson/0", "karta_json"},
    {"tonumber/0", "karta_tonumber"},
    {"tostring/0", "karta_string"},
    {"type/0", "type"},
    {"unique/0", "(karta_list | unique)"},
    {"unique_by/1", "karta_unique_by(%1)"},
    {"values/0", "values"},
    {"with_entries/1", "karta_with_entries(%1)"},
};

#define BUILTIN_COUNT (sizeof builtins / sizeof *builtins)

/* Bytes of the name before its arity. */
static size_t name_size(const struct jq_builtin *builtin)
{
    return strlen(builtin->name) - 2;
}

const struct jq_builtin *jq_builtin_find(const char *name, size_t arity)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (name_size(&builtins[i]) == size && memcmp(builtins[i].name, name, size) == 0 &&
            (size_t)(builtins[i].name[size + 1] - '0') == arity)
            return &builtins[i];
    return NULL;
}

const struct jq_builtin *jq_builtin_at(size_t index)
{
    return index < BUILTIN_COUNT ? &builtins[index] : NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#define LONGEST_NAME 24

/* Levenshtein's distance; the second name has `size` bytes, at most LONGEST_NAME. */
static size_t distance(const char *a, const char *b, size_t size)
{
    size_t row[LONGEST_NAME + 1];
    for (size_t j = 0; j <= size; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= size; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[size];
}

const struct jq_builtin *jq_builtin_nearest(const char *name)
{
    size_t best = 3, size = strlen(name);
    const struct jq_builtin *nearest = NULL;
    if (size < 3 || size > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < BUILTIN_COUNT; i++) {
        size_t edits = distance(name, builtins[i].name, name_size(&builtins[i]));
        if (edits < best && edits * 2 < size) {
            best = edits;
            nearest = &builtins[i];
        }
    }
    return nearest;
}

const char *jq_builtin_name(size_t index)
{
    return index < BUILTIN_COUNT ? builtins[index].name : NULL;
}
