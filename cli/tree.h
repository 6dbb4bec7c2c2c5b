/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as rows of a table: the first cell of each carries the branches. */
#ifndef KARTA_CLI_TREE_H
#define KARTA_CLI_TREE_H

#include <jansson.h>
#include <stdbool.h>

#include "table.h"

/*
 * Adds `nodes`, an array of {key, parent (a key, null: a root), cells: [text, ...]}, to `table`,
 * children below their parents in the array's order. `boxes`: box characters instead of ASCII.
 */
void tree_rows(const json_t *nodes, bool boxes, struct table *table);

/* Appends a node (new references are made of the texts); false when memory is out. */
bool tree_node(json_t *nodes, const char *key, const char *parent, const char *const *cells);

#endif
