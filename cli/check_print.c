/* SPDX-License-Identifier: Apache-2.0 */
/* What the policies say, for people and for GitHub; both read what check_result made. */
#include <string.h>

#include "check.h"

/* "Deny", "Warn,Audit", or "ignored" for what does nothing. */
static void add_actions(const json_t *policy, const char *result, struct strbuf *buf)
{
    const json_t *actions = json_object_get(policy, "actions");
    if (strcmp(result, "fail") != 0)
        strbuf_adds(buf, result);
    for (size_t i = 0; strcmp(result, "fail") == 0 && i < json_array_size(actions); i++)
        strbuf_addf(buf, "%s%s", i > 0 ? "," : "", json_string_value(json_array_get(actions, i)));
}

/* A line for each message of a rule or, where it has none, for the rule. */
static void print_outcome(const json_t *policy, const json_t *outcome, const char *label,
                          struct strbuf *buf)
{
    const json_t *messages = json_object_get(outcome, "messages");
    size_t count = json_array_size(messages);
    for (size_t i = 0; i == 0 || i < count; i++) {
        strbuf_adds(buf, "  ");
        add_actions(policy, input_text(outcome, "result"), buf);
        strbuf_addf(buf, " %s", label);
        if (count > 0)
            strbuf_addf(buf, ": %s", json_string_value(json_array_get(messages, i)));
        strbuf_addc(buf, '\n');
    }
}

static void print_policy(const json_t *policy, struct strbuf *buf)
{
    const char *name = input_text(policy, "name");
    const json_t *rules = json_object_get(policy, "rules");
    size_t count = json_array_size(rules);
    if (strcmp(input_text(policy, "result"), "skipped") == 0)
        strbuf_addf(buf, "  skipped %s: match condition %s is false\n", name,
                    input_text(policy, "skippedBy"));
    else if (count == 0)
        print_outcome(policy, policy, name, buf);
    for (size_t i = 0; i < count; i++) {
        KARTA_AUTO_STRBUF label;
        strbuf_init(&label, 1024);
        strbuf_adds(&label, name);
        if (count > 1)
            strbuf_addf(&label, "[%zu]", i);
        print_outcome(policy, json_array_get(rules, i), label.text, buf);
    }
}

void check_print_text(const json_t *result, struct strbuf *buf)
{
    const json_t *workload = json_object_get(result, "workload");
    const json_t *policies = json_object_get(result, "policies");
    size_t asked = json_array_size(policies);
    json_int_t left_out = json_integer_value(json_object_get(result, "leftOut"));
    strbuf_addf(buf, "%s/%s: ", input_text(workload, "kind"), input_text(workload, "name"));
    if (asked == 0)
        strbuf_adds(buf, "allowed, no policy concerns it\n");
    else
        strbuf_addf(buf, "%s, asked %zu polic%s\n",
                    json_is_true(json_object_get(result, "allowed")) ? "allowed" : "denied", asked,
                    asked == 1 ? "y" : "ies");
    for (size_t i = 0; i < asked; i++)
        print_policy(json_array_get(policies, i), buf);
    if (left_out > 0)
        strbuf_addf(buf, "  and %lld more\n", (long long)left_out);
}

/* As GitHub's toolkit escapes: a property ends at ':' and ',' besides. */
static void add_escaped(struct strbuf *buf, const char *text, bool property)
{
    const char *special = property ? "%\r\n:," : "%\r\n";
    for (; *text != '\0'; text++)
        if (strchr(special, *text) != NULL)
            strbuf_addf(buf, "%%%02X", (unsigned)*text);
        else
            strbuf_addc(buf, *text);
}

static bool does(const json_t *finding, const char *action)
{
    const json_t *actions = json_object_get(finding, "actions");
    for (size_t i = 0; i < json_array_size(actions); i++)
        if (strcmp(json_string_value(json_array_get(actions, i)), action) == 0)
            return true;
    return false;
}

/* file=...,line=..., without "./", since GitHub finds files by their path in the repository. */
static void add_place(const json_t *result, struct strbuf *buf)
{
    const char *file = json_string_value(json_object_get(result, "file"));
    if (file == NULL)
        return;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    strbuf_adds(buf, "file=");
    add_escaped(buf, file, true);
    strbuf_addf(buf, ",line=%lld,", (long long)json_integer_value(json_object_get(result, "line")));
}

void check_print_github(const json_t *result, struct strbuf *buf)
{
    const json_t *workload = json_object_get(result, "workload");
    const json_t *findings = json_object_get(result, "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *finding = json_array_get(findings, i);
        const char *level = does(finding, "Deny")   ? "error"
                            : does(finding, "Warn") ? "warning"
                                                    : "notice";
        strbuf_addf(buf, "::%s ", level);
        add_place(result, buf);
        strbuf_adds(buf, "title=policy ");
        add_escaped(buf, input_text(finding, "policy"), true);
        strbuf_adds(buf, "::");
        add_escaped(buf, input_text(workload, "kind"), false);
        strbuf_addc(buf, '/');
        add_escaped(buf, input_text(workload, "name"), false);
        strbuf_adds(buf, ": ");
        add_escaped(buf, input_text(finding, "message"), false);
        strbuf_addc(buf, '\n');
    }
}
