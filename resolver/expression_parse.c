/* SPDX-License-Identifier: Apache-2.0 */
/* jq texts in documents. The one idea: one sentence form for every refusal. */
#include "expression_parse.h"

#include <string.h>

#include "base/limits.h"

/* What is quoted of a text that is too long to be an expression at all. */
#define QUOTE_OF_TOO_LONG 80

static void report(struct karta_problems *problems, enum karta_severity severity,
                   const struct at *at, const char *key, const struct karta_error *err,
                   const char *text)
{
    bool whole = strnlen(text, LIMIT_EXPRESSION_BYTES + 1) <= LIMIT_EXPRESSION_BYTES;
    schema_problem(problems, severity, at, key, "%s, at column %d of `%.*s%s`", err->message,
                   err->column > 0 ? err->column : 1,
                   whole ? (int)LIMIT_EXPRESSION_BYTES : QUOTE_OF_TOO_LONG, text,
                   whole ? "" : "...");
}

struct jq_expression *expression_parse(struct karta_problems *problems, const struct at *at,
                                       const char *key, const char *text)
{
    struct jq_expression *expression = NULL;
    struct karta_error err = {0};
    if (text[strspn(text, " \t\r\n")] == '\0') {
        schema_problem(problems, KARTA_REFUSAL, at, key, "is empty: an expression belongs here");
        return NULL;
    }
    if (jq_expression_parse(text, &expression, &err) == 0)
        return expression;
    report(problems, KARTA_REFUSAL, at, key, &err, text);
    return NULL;
}

void expression_need_path(struct karta_problems *problems, const struct at *at, const char *key,
                          const struct jq_expression *expression)
{
    struct karta_error err = {0};
    if (jq_expression_check_path(expression, &err) != 0)
        report(problems, KARTA_REFUSAL, at, key, &err, jq_expression_text(expression));
}

void expression_want_path(struct karta_problems *problems, const struct at *at, const char *key,
                          const struct jq_expression *expression)
{
    struct karta_error err = {0}, warning = {0};
    if (jq_expression_check_path(expression, &err) == 0)
        return;
    const char *why = strstr(err.message, ": ");
    karta_error_set_at(&warning, err.code, 0, err.column, "is only read, never written: %s",
                       why != NULL ? why + 2 : err.message);
    report(problems, KARTA_WARNING, at, key, &warning, jq_expression_text(expression));
}
