/* SPDX-License-Identifier: Apache-2.0 */
/* Early return made safe: variables that free themselves. Each type's macro is its free function.
 */
#ifndef KARTA_BASE_MEM_H
#define KARTA_BASE_MEM_H

#include <stdlib.h>

#define KARTA_CLEANUP(function) __attribute__((cleanup(function)))

static inline void mem_free_text(char **text)
{
    free(*text);
}
#define KARTA_AUTO_TEXT KARTA_CLEANUP(mem_free_text) char *

/* Gives the pointer away and forgets it, so that the cleanup finds nothing. */
static inline char *mem_take_text(char **text)
{
    char *taken = *text;
    *text = NULL;
    return taken;
}

struct karta_error;

/* Sets KARTA_ERR_NOMEM ("out of memory") and returns it. */
int mem_error(struct karta_error *err);

/* New text; NULL when memory is out. */
__attribute__((format(printf, 1, 2))) char *mem_format(const char *format, ...);

/* New, zeroed array of `count` elements of `size` bytes; NULL when memory is out or it overflows.
 */
void *mem_array(size_t count, size_t size);

#endif
