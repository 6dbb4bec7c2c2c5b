/* SPDX-License-Identifier: Apache-2.0 */
/* jq texts in documents. The one idea: one sentence form for every refusal. */
#include "expression_parse.h"

static void refuse(struct karta_problems *problems, const struct at *at, const char *key,
                   const struct karta_error *err, const char *text)
{
    schema_problem(problems, KARTA_REFUSAL, at, key, "%s, at column %d of `%s`", err->message,
                   err->column > 0 ? err->column : 1, text);
}

struct jq_expression *expression_parse(struct karta_problems *problems, const struct at *at,
                                       const char *key, const char *text)
{
    struct jq_expression *expression = NULL;
    struct karta_error err = {0};
    if (jq_expression_parse(text, &expression, &err) == 0)
        return expression;
    refuse(problems, at, key, &err, text);
    return NULL;
}

void expression_need_path(struct karta_problems *problems, const struct at *at, const char *key,
                          const struct jq_expression *expression)
{
    struct karta_error err = {0};
    if (jq_expression_check_path(expression, &err) != 0)
        refuse(problems, at, key, &err, jq_expression_text(expression));
}
