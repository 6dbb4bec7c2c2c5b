/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems in document order. The one idea: the document is walked once, only where problems are,
 * and each problem stands where the longest start of its path was met.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "problem_list.h"
#include "schema.h"

struct place {
    size_t position, matched; /* matched: bytes of the path that were met there */
};

struct ordering {
    const struct karta_problems *problems;
    struct place *places; /* one a problem */
    size_t next;
    bool failed;
};

/* True when `path` names what is at `start`, or something in it. */
static bool is_within(const char *path, const char *start, size_t size)
{
    return size == 0 || (strncmp(path, start, size) == 0 && strchr(".[", path[size]) != NULL);
}

/* Places the problems that are at `at` or below; true when there are some. */
static bool mark(struct ordering *order, const struct at *at)
{
    KARTA_AUTO_TEXT start = at_path(at, NULL);
    if (start == NULL) {
        order->failed = true;
        return false;
    }
    text_clean(start); /* as the list does with what it keeps */
    size_t size = strlen(start), position = order->next++;
    bool found = false;
    for (size_t i = 0; i < order->problems->count; i++) {
        struct place *place = &order->places[i];
        if (size < place->matched || !is_within(order->problems->items[i].path, start, size))
            continue;
        *place = (struct place){position, size};
        found = true;
    }
    return found;
}

static void walk(struct ordering *order, const json_t *value, const struct at *at)
{
    if (!mark(order, at))
        return;
    const char *key;
    json_t *child;
    json_object_foreach((json_t *)value, key, child)
    {
        const struct at here = {at, key, 0};
        walk(order, child, &here);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const struct at here = {at, NULL, i};
        walk(order, json_array_get(value, i), &here);
    }
}

/* Stable; the list is short and mostly in order already. */
static void sort(struct problem *items, struct place *places, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct problem problem = items[i];
        const struct place place = places[i];
        size_t j = i;
        for (; j > 0 && places[j - 1].position > place.position; j--) {
            items[j] = items[j - 1];
            places[j] = places[j - 1];
        }
        items[j] = problem;
        places[j] = place;
    }
}

void problems_order(struct karta_problems *problems, const json_t *document)
{
    if (problems == NULL || problems->count < 2)
        return;
    struct place places[LIMIT_PROBLEMS] = {{0}};
    struct ordering order = {problems, places, 0, false};
    walk(&order, document, NULL);
    if (!order.failed)
        sort(problems->items, places, problems->count);
}
