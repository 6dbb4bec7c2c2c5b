/* SPDX-License-Identifier: Apache-2.0 */
/* What policies find, as JSON: bounded in number and in length, whatever a policy's text says. */
#include "policy_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

void karta_verdict_dispose(struct karta_verdict *verdict)
{
    free(verdict->decisions);
    json_decref(verdict->findings);
    json_decref(verdict->ignored);
    *verdict = (struct karta_verdict){0};
}

static json_t *actions_json(unsigned actions)
{
    static const char *const names[] = {"Deny", "Warn", "Audit"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((actions & 1U << i) != 0)
            json_array_append_new(list, json_string(names[i]));
    return list;
}

int finding_add(struct karta_verdict *verdict, const struct finding *finding, const char *format,
                ...)
{
    char text[LIMIT_FINDING_TEXT];
    bool ignored = finding->failed && finding->policy->ignore_failures;
    json_t *list = ignored ? verdict->ignored : verdict->findings;
    if (json_array_size(list) >= LIMIT_FINDINGS) {
        verdict->findings_left_out += !ignored;
        return 0;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_clean(text);
    json_t *entry =
        json_pack("{s:s, s:o, s:b, s:s?, s:s?, s:s}", "policy", finding->policy->name, "actions",
                  actions_json(ignored ? 0 : finding->policy->actions), "failed", finding->failed,
                  "component", finding->component, "field", finding->field, "message", text);
    return json_array_append_new(list, entry) == 0 ? 0 : KARTA_ERR_NOMEM;
}
