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
#include "ticker.h"

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

static void add_sample_texts(struct strbuf *buf, const json_t *result)
{
    const json_t *samples = json_object_get(result, "samples");
    for (size_t i = 0; i < json_array_size(samples); i++) {
        strbuf_addc(buf, '\n');
        definitions_sample_text(json_array_get(samples, i), input_text(result, "file"),
                                output_terminal(), output_colour(), buf);
    }
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
    for (size_t i = 0; i < json_array_size(results); i++)
        add_sample_texts(&buf, json_array_get(results, i));
    return output_text(&buf);
}

static int print_results(const json_t *results, const char *format)
{
    if (strcmp(format, "table") == 0)
        return print_lines(results);
    json_auto_t *list = json_pack("{s:O}", "items", (json_t *)results);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

/* Each sample read through the Karta where it is of its kind: in the result's "samples". */
static int add_samples(const struct input_document *karta, const struct input *samples,
                       json_t *result)
{
    int code = CLI_DONE;
    json_auto_t *list = json_array();
    for (size_t i = 0; i < samples->count; i++) {
        if (!definitions_covers(karta->value, samples->documents[i].value))
            continue;
        json_t *one = NULL;
        code = cli_first(code, definitions_sample(karta, &samples->documents[i], &one));
        if (one != NULL && json_array_append_new(list, one) != 0)
            code = cli_first(code, cli_fail(CLI_FAILED, "out of memory"));
    }
    if (json_array_size(list) > 0 && json_object_set(result, "samples", list) != 0)
        code = cli_first(code, cli_fail(CLI_FAILED, "out of memory"));
    return code;
}

/* A sample that no Karta is for is a mistake in the command, even where others are covered. */
static int check_covered(const struct input *kartas, const struct input *samples)
{
    int code = CLI_DONE;
    for (size_t i = 0; i < samples->count; i++) {
        const json_t *sample = samples->documents[i].value;
        size_t k = 0;
        while (k < kartas->count && !definitions_covers(kartas->documents[k].value, sample))
            k++;
        if (k == kartas->count)
            code = cli_first(code,
                             cli_fail(CLI_NO_DEFINITION, "%s: no given Karta covers %s %s",
                                      samples->documents[i].label, input_text(sample, "apiVersion"),
                                      input_text(sample, "kind")));
    }
    return code;
}

static int validate_all(const struct input *kartas, const struct input *samples, json_t *results)
{
    int code = CLI_DONE;
    for (size_t i = 0; i < kartas->count; i++) {
        json_t *result = validate_document(&kartas->documents[i]);
        if (result == NULL || json_array_append_new(results, result) != 0)
            return cli_first(code, cli_fail(CLI_FAILED, "out of memory"));
        int fault = CLI_INVALID;
        if (json_is_true(json_object_get(result, "valid")))
            fault = add_samples(&kartas->documents[i], samples, result);
        code = cli_first(code, fault);
    }
    return code;
}

static int read_samples(const struct text_list *files, const char *path, struct input *samples)
{
    if (path == NULL)
        return CLI_DONE;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i], "-") == 0 && strcmp(path, "-") == 0)
            return cli_fail(CLI_USAGE, "definitions validate: standard input can't be both the "
                                       "Karta and the sample");
    const struct text_list one = {&path, 1};
    int code = input_read(&one, samples);
    return cli_first(code, input_keep_objects(samples));
}

static int run_all(const struct text_list *files, const struct input *samples, json_t *results)
{
    struct input kartas = {0};
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    code = input_read(files, &kartas);
    code = cli_first(code, validate_all(&kartas, samples, results));
    code = cli_first(code, check_covered(&kartas, samples));
    input_dispose(&kartas);
    ticker_stop(&ticker);
    return code;
}

int definitions_validate(const struct arguments *arguments)
{
    struct text_list files = {arguments->words.items + 1, arguments->words.count - 1};
    if (files.count == 0)
        return cli_fail(CLI_USAGE, "definitions validate: give a file, or - for standard input");
    struct input samples = {0};
    json_auto_t *results = json_array();
    int code = read_samples(&files, arguments->value[FLAG_SAMPLE], &samples);
    if (code != CLI_USAGE) {
        code = cli_first(code, run_all(&files, &samples, results));
        code = cli_first(code, print_results(results, arguments->format));
    }
    input_dispose(&samples);
    return code;
}
