/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl definitions validate: every problem of every file, each on a line of its own. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "definitions.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"

static json_t *problem_list(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        bool warning = karta_problem_severity(problems, i) == KARTA_WARNING;
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "severity",
                                              warning ? "warning" : "refusal", "path",
                                              karta_problem_path(problems, i), "message",
                                              karta_problem_message(problems, i)));
    }
    return list;
}

/* New {file, valid, problems}, NULL when memory is out. */
static json_t *validate_document(const struct input_document *document)
{
    struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return NULL;
    karta_document_validate(document->value, problems);
    json_t *result =
        json_pack("{s:s, s:b, s:o}", "file", document->label, "valid",
                  karta_problems_refusals(problems) == 0, "problems", problem_list(problems));
    karta_problems_free(problems);
    return result;
}

static void add_problem(struct strbuf *buf, const char *file, const json_t *problem)
{
    const char *path = input_text(problem, "path");
    bool warning = strcmp(input_text(problem, "severity"), "warning") == 0;
    KARTA_AUTO_TEXT line = mem_format("%s: %s%s%s%s", file, warning ? "warning: " : "", path,
                                      *path != '\0' ? ": " : "", input_text(problem, "message"));
    if (line == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(line);
    strbuf_addf(buf, "%s\n", line);
}

static int print_lines(const json_t *results)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        const json_t *problems = json_object_get(result, "problems");
        const char *file = input_text(result, "file");
        for (size_t j = 0; j < json_array_size(problems); j++)
            add_problem(&buf, file, json_array_get(problems, j));
        if (json_is_true(json_object_get(result, "valid")))
            strbuf_addf(&buf, "%s: valid\n", file);
    }
    return output_text(&buf);
}

static int print_results(const json_t *results, const char *format)
{
    if (strcmp(format, "table") == 0)
        return print_lines(results);
    json_auto_t *list = json_pack("{s:O}", "items", (json_t *)results);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

int definitions_validate(const struct arguments *arguments)
{
    struct text_list files = {arguments->words.items + 1, arguments->words.count - 1};
    if (files.count == 0)
        return cli_fail(CLI_USAGE, "definitions validate: give a file, or - for standard input");
    struct input input = {0};
    json_auto_t *results = json_array();
    int code = input_read(&files, &input);
    for (size_t i = 0; i < input.count; i++) {
        json_t *result = validate_document(&input.documents[i]);
        if (result == NULL)
            code = cli_first(code, cli_fail(CLI_FAILED, "out of memory"));
        else if (json_is_false(json_object_get(result, "valid")))
            code = cli_first(code, CLI_INVALID);
        json_array_append_new(results, result);
    }
    input_dispose(&input);
    return cli_first(code, print_results(results, arguments->format));
}
