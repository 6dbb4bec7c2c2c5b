/* SPDX-License-Identifier: Apache-2.0 */
/* What the policies say of one workload, as a value and as what people and pipelines read. */
#ifndef KARTA_CLI_CHECK_H
#define KARTA_CLI_CHECK_H

#include <jansson.h>

#include "base/strbuf.h"
#include "input.h"
#include "karta/policy.h"

/*
 * New {workload, file, line, allowed, policies, findings, ignored, leftOut}; NULL when memory is
 * out. `policies`: {name, result, actions, skippedBy, messages, rules}; `rules`: {expression,
 * result, messages}. A result is pass, fail, ignored or, of a policy, skipped. A policy has
 * messages of its own, and no rules, where it came to none of them.
 */
json_t *check_result(const struct input_document *document, const json_t *object, const char *ns,
                     const struct karta_verdict *verdict);

/* A line for the workload and one for each rule, what passes too. */
void check_print_text(const json_t *result, struct strbuf *buf);

/*
 * Workflow commands by which GitHub shows findings beside the lines of a change; nothing where
 * there are none. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
void check_print_github(const json_t *result, struct strbuf *buf);

#endif
