/* SPDX-License-Identifier: Apache-2.0 */
/* TYPE/NAME ..., or TYPE NAME ..., as kubectl takes them. */
#ifndef KARTA_CLI_NAMES_GIVEN_H
#define KARTA_CLI_NAMES_GIVEN_H

#include "arguments.h"

struct name_given {
    char *type, *name; /* owned */
};
struct names_given {
    struct name_given *items;
    size_t count;
};

/* CLI_DONE; CLI_USAGE and one line that begins with `command`. Disposed in any case. */
int names_read(const char *command, const struct text_list *words, struct names_given *names);
void names_dispose(struct names_given *names);

#endif
