/* SPDX-License-Identifier: Apache-2.0 */
/* Trees: a depth-first walk that carries the branch lines so far as a text. */
#include "tree.h"

#include <string.h>

#include "base/mem.h"

struct branches {
    const char *child, *last, *pass, *blank;
};

static const struct branches ascii = {"|-- ", "`-- ", "|   ", "    "};
static const struct branches box = {"├── ", "└── ", "│   ", "    "};

struct walk {
    const json_t *nodes;
    const struct branches *branches;
    struct table *table;
};

bool tree_node(json_t *nodes, const char *key, const char *parent, const char *const *cells)
{
    json_auto_t *texts = json_array();
    for (size_t i = 0; cells[i] != NULL; i++)
        if (json_array_append_new(texts, json_string(cells[i])) != 0)
            return false;
    json_auto_t *node = json_pack("{s:s, s:s?, s:O}", "key", key, "parent", parent, "cells", texts);
    return node != NULL && json_array_append(nodes, node) == 0;
}

static bool is_child(const json_t *node, const char *parent)
{
    const char *of = json_string_value(json_object_get(node, "parent"));
    return parent == NULL ? of == NULL : of != NULL && strcmp(of, parent) == 0;
}

static size_t next_child(const json_t *nodes, size_t from, const char *parent)
{
    while (from < json_array_size(nodes) && !is_child(json_array_get(nodes, from), parent))
        from++;
    return from;
}

static void add_row(struct walk *walk, const json_t *node, const char *lines, const char *branch)
{
    const json_t *texts = json_object_get(node, "cells");
    const char *cells[TABLE_COLUMNS + 1] = {0};
    for (size_t i = 0; i < json_array_size(texts) && i < TABLE_COLUMNS; i++)
        cells[i] = json_string_value(json_array_get(texts, i));
    KARTA_AUTO_TEXT first = mem_format("%s%s%s", lines, branch, cells[0] != NULL ? cells[0] : "");
    cells[0] = first;
    if (first == NULL)
        walk->table->failed = true;
    table_add(walk->table, cells);
}

static void add_children(struct walk *walk, const char *parent, const char *lines)
{
    const struct branches *branches = walk->branches;
    size_t count = json_array_size(walk->nodes);
    for (size_t i = next_child(walk->nodes, 0, parent); i < count;) {
        size_t next = next_child(walk->nodes, i + 1, parent);
        bool last = next == count;
        const json_t *node = json_array_get(walk->nodes, i);
        const char *branch = parent == NULL ? "" : last ? branches->last : branches->child;
        add_row(walk, node, lines, branch);
        const char *pass = parent == NULL ? "" : last ? branches->blank : branches->pass;
        KARTA_AUTO_TEXT below = mem_format("%s%s", lines, pass);
        if (below == NULL)
            walk->table->failed = true;
        else
            add_children(walk, json_string_value(json_object_get(node, "key")), below);
        i = next;
    }
}

void tree_rows(const json_t *nodes, bool boxes, struct table *table)
{
    struct walk walk = {nodes, boxes ? &box : &ascii, table};
    add_children(&walk, NULL, "");
}
