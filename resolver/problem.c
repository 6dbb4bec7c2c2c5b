/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of what validation found. The one idea: adding never fails; what could not be kept (too
 * many, no memory) is counted, so that a list which lost a refusal still refuses.
 */
#include "karta/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "problem_list.h"

struct karta_problems *karta_problems_new(void)
{
    return mem_array(1, sizeof(struct karta_problems));
}

void karta_problems_free(struct karta_problems *problems)
{
    if (problems == NULL)
        return;
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->items[i].path);
        free(problems->items[i].message);
    }
    free(problems->items);
    free(problems);
}

static bool grow(struct karta_problems *problems)
{
    if (problems->count < problems->room)
        return true;
    size_t room = problems->room > 0 ? problems->room * 2 : 8;
    struct problem *items = reallocarray(problems->items, room, sizeof *items);
    if (items == NULL)
        return false;
    problems->items = items;
    problems->room = room;
    return true;
}

KARTA_PRINTF(4, 0)
static bool keep(struct karta_problems *problems, enum karta_severity severity, const char *path,
                 const char *format, va_list args)
{
    char *message = NULL;
    if (!grow(problems) || vasprintf(&message, format, args) < 0)
        return false;
    char *where = strdup(path != NULL ? path : "");
    if (where == NULL) {
        free(message);
        return false;
    }
    text_clean(where);
    text_clean(message);
    problems->items[problems->count++] = (struct problem){severity, where, message};
    return true;
}

/* Gives up the last warning, so that a refusal has room; false where none is left. */
static bool drop_warning(struct karta_problems *problems)
{
    size_t i = problems->count;
    while (i > 0 && problems->items[i - 1].severity != KARTA_WARNING)
        i--;
    if (i == 0)
        return false;
    free(problems->items[i - 1].path);
    free(problems->items[i - 1].message);
    memmove(&problems->items[i - 1], &problems->items[i],
            (problems->count - i) * sizeof *problems->items);
    problems->count--;
    return true;
}

void karta_problems_add(struct karta_problems *problems, enum karta_severity severity,
                        const char *path, const char *format, ...)
{
    if (problems == NULL)
        return;
    bool refusal = severity == KARTA_REFUSAL;
    problems->refusals += refusal;
    if (problems->count >= LIMIT_PROBLEMS && !(refusal && drop_warning(problems))) {
        problems->unkept += refusal;
        return;
    }
    va_list args;
    va_start(args, format);
    if (!keep(problems, severity, path, format, args)) {
        problems->incomplete = true;
        problems->unkept += refusal;
    }
    va_end(args);
}

size_t karta_problems_count(const struct karta_problems *problems)
{
    return problems->count;
}

size_t karta_problems_refusals(const struct karta_problems *problems)
{
    if (problems->refusals == 0 && problems->incomplete)
        return 1;
    return problems->refusals;
}

enum karta_severity karta_problem_severity(const struct karta_problems *problems, size_t index)
{
    return problems->items[index].severity;
}

const char *karta_problem_path(const struct karta_problems *problems, size_t index)
{
    return problems->items[index].path;
}

const char *karta_problem_message(const struct karta_problems *problems, size_t index)
{
    return problems->items[index].message;
}

/* Long quotations are cut in a summary; the problem itself keeps them whole. */
#define QUOTE_MOST 80U

static void add_sentence(struct strbuf *buf, const struct problem *problem)
{
    const char *message = problem->message;
    if (problem->path[0] != '\0')
        strbuf_addf(buf, "%s: ", problem->path);
    const char *quote = strstr(message, " of `");
    size_t start = quote != NULL ? (size_t)(quote - message) + 5 : 0;
    size_t size = strlen(message);
    if (quote == NULL || size - start <= QUOTE_MOST + 1) {
        strbuf_adds(buf, message);
        return;
    }
    size_t end = start + QUOTE_MOST;
    while (((unsigned char)message[end] & 0xC0U) == 0x80U)
        end--;
    strbuf_add(buf, message, end);
    strbuf_adds(buf, "...`");
}

char *karta_problems_summary(const struct karta_problems *problems)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, LIMIT_DOCUMENT_BYTES);
    size_t total = karta_problems_refusals(problems);
    if (total > 1)
        strbuf_addf(&buf, "%zu problems: ", total);
    const char *between = "";
    for (size_t i = 0; i < problems->count; i++) {
        if (problems->items[i].severity != KARTA_REFUSAL)
            continue;
        strbuf_adds(&buf, between);
        add_sentence(&buf, &problems->items[i]);
        between = "; ";
    }
    if (problems->incomplete) {
        strbuf_addf(&buf, "%sout of memory while looking for problems", between);
        between = "; ";
    }
    if (problems->unkept > 0)
        strbuf_addf(&buf, "%s%zu not shown", between, problems->unkept);
    return strbuf_take(&buf);
}
