/* SPDX-License-Identifier: Apache-2.0 */
/* The one idea: steps of a pipe that only choose are dropped, the others joined to one path. */
#include "catalog_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAMES ".ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* White space to single blanks, in place. */
static void fold(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool white = strchr(" \t\n", *from) != NULL;
        if (!white)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

/* Behind the parenthesis that closes the first one of `text`; texts are passed over. */
static const char *behind_parentheses(const char *text)
{
    int depth = 0;
    bool quoted = false;
    for (; *text != '\0'; text++) {
        quoted = *text == '"' ? !quoted : quoted;
        if (!quoted && *text == '(')
            depth++;
        if (!quoted && *text == ')' && --depth == 0)
            return text + 1;
    }
    return text;
}

/* Behind the bindings (`(…) as $name | `) that `text` begins with. */
static const char *behind_bindings(const char *text)
{
    for (;;) {
        const char *name = *text == '(' ? behind_parentheses(text) : text;
        const char *pipe = starts(name, " as $") ? strstr(name, " | ") : NULL;
        if (pipe == NULL)
            return text;
        text = pipe + strlen(" | ");
    }
}

/* How much of `text` is parentheses around nothing but names; 0: none. */
static size_t needless(const char *text)
{
    size_t size = *text == '(' ? 1 + strspn(text + 1, NAMES) : 0;
    return size > 1 && text[size] == ')' ? size + 1 : 0;
}

/* Leaves out what only chooses: the conditions, whether first or later in a pipe. */
static void choose(char *path)
{
    char *to = path;
    for (const char *from = behind_bindings(path); *from != '\0';) {
        if (starts(from, " | select("))
            from = behind_parentheses(from);
        else if (starts(from, "(select(")) {
            *to++ = '(';
            from = behind_parentheses(from + 1) + strlen(" | ");
        } else
            *to++ = *from++;
    }
    *to = '\0';
}

/* Joins the steps that are left. */
static void join(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0';) {
        size_t plain = needless(from);
        if (plain > 0) {
            memmove(to, from + 1, plain - 2);
            to += plain - 2;
            from += plain;
        } else if (starts(from, " | .") && to > path + 1) {
            from += strlen(" | ");
        } else if (starts(from, "[]?")) {
            *to++ = *from++;
            *to++ = *from++;
            from++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

char *catalog_path(const char *expression)
{
    char *path = strdup(expression);
    if (path == NULL)
        abort();
    fold(path);
    choose(path);
    join(path);
    return path;
}
