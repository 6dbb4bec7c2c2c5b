/* SPDX-License-Identifier: Apache-2.0 */
/* The list of problems from inside: for the two files that keep and order it. */
#ifndef KARTA_PROBLEM_LIST_H
#define KARTA_PROBLEM_LIST_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/problem.h"

struct problem {
    enum karta_severity severity;
    char *path, *message;
};

struct karta_problems {
    struct problem *items;
    size_t count, room;
    size_t refusals; /* kept and not kept */
    size_t unkept;   /* refusals that are only counted */
    bool incomplete; /* memory ran out */
};

/*
 * Puts the problems into the order in which their fields stand in `document`; a field that isn't
 * there counts as standing at the start of its parent. Problems of one field keep their order.
 */
void problems_order(struct karta_problems *problems, const json_t *document);

#endif
