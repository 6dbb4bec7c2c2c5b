/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions: written by a small grammar, every second one with bytes changed. The parser
 * must not crash on any; what it accepts must compile and must end within its deadline.
 *
 *   fuzz_expressions ROUNDS SEED [-v]     -v prints each accepted expression and what it gave
 *
 * A round is a program of 20 accepted expressions on one of the inputs, and the largest program
 * that repeats one accepted expression: libjq must have compiled it soon, since nothing could stop
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "fuzz_support.h"
#include "karta/engine.h"

#define PARTS 20
#define DEADLINE_MS 100
#define BOUND_MS 4000
/* 150 where the machine is idle; a shared one, or one with sanitizers, is slower */
#define COMPILE_BOUND_MS 2000

static const char *const inputs[] = {
    "null",
    "{\"a\":{\"b\":[1,2,3],\"c\":\"x-y\"},\"n\":5,\"z\":null,\"list\":[{\"name\":\"p\",\"n\":1},"
    "{\"name\":\"q\"}]}",
    "[[1,[2,[3]]],{\"a\":{\"a\":{\"a\":1}}},\"text\",1e308,-0.5,true]",
    "{\"a\":\"\\u0000\",\"b\":9007199254740993,\"c\":[[],{},\"\"],\"n\":-1}",
};

static void generate(uint64_t *seed, int depth, struct strbuf *out);

static const char *pick(uint64_t *seed, const char *const *words, size_t count)
{
    return words[fuzz_random(seed, (uint32_t)count)];
}

#define PICK(seed, words) pick(seed, words, sizeof(words) / sizeof *(words))

static void generate_leaf(uint64_t *seed, struct strbuf *out)
{
    static const char *const leaves[] = {
        ".",           ".a",      ".a.b",     ".list[]", ".n",           "1",
        "0.5",         "-1",      "1e3",      "\"x\"",   "\"-\"",        "null",
        "true",        ".[]?",    ".[]",      ".[0]",    ".[-1]",        ".[1:]",
        ".[\"a\"]",    ".z",      "length",   "keys",    "type",         "not",
        "add",         "first",   "tostring", "$x",      "[]",           "{}",
        "empty",       "tojson",  "sort",     "min",     "flatten",      "to_entries",
        "unique",      "reverse", "tonumber", "floor",   "ascii_upcase", "values",
        "from_entries"};
    strbuf_adds(out, PICK(seed, leaves));
}

/* `form` with each % replaced by an expression, and ~ by the operator %. */
static void generate_form(uint64_t *seed, const char *form, int depth, struct strbuf *out)
{
    for (; *form != '\0'; form++)
        if (*form == '%')
            generate(seed, depth - 1, out);
        else
            strbuf_addc(out, *form == '~' ? '%' : *form);
}

static void generate(uint64_t *seed, int depth, struct strbuf *out)
{
    static const char *const forms[] = {"%|%",
                                        "%,%",
                                        "(%)",
                                        "[%]",
                                        "{a:(%)}",
                                        "{(%):1}",
                                        "% // %",
                                        "(%) + (%)",
                                        "(%) - (%)",
                                        "(%) * (%)",
                                        "(%) / (%)",
                                        "(%) ~ (%)",
                                        "(%) == (%)",
                                        "(%) < (%)",
                                        "% and %",
                                        "% or %",
                                        "-(%)",
                                        "(%) as $x | %",
                                        "if % then % else % end",
                                        "try (%)",
                                        "try (%) catch (%)",
                                        "(%)?",
                                        "\"a\\(%)b\\(%)\"",
                                        "@json \"\\(%)\"",
                                        "map(%)",
                                        "select(%)",
                                        "any(%)",
                                        "all(%; %)",
                                        "first(%)",
                                        "last(%)",
                                        "limit(3; %)",
                                        "has(%)",
                                        "join(%)",
                                        "split(%)",
                                        "startswith(%)",
                                        "contains(%)",
                                        "sort_by(%)",
                                        "group_by(%)",
                                        "with_entries(%)",
                                        "map_values(%)",
                                        "min_by(%)",
                                        "unique_by(%)",
                                        "inside(%)",
                                        "in(%)",
                                        "nth(%)",
                                        "error(%)",
                                        "ltrimstr(%)",
                                        ".[%]",
                                        "(%)[%]",
                                        "(%).a",
                                        "(%)[]?",
                                        "(%)[1:2]",
                                        "(%) as [$x, {a: $x}] | %",
                                        "(%) as {(%): $x} | %",
                                        ". as $x | %",
                                        "% | % | %"};
    if (depth <= 0 || fuzz_random(seed, 4) == 0)
        generate_leaf(seed, out);
    else
        generate_form(seed, PICK(seed, forms), depth, out);
}

static void mutate(uint64_t *seed, char *text)
{
    static const char bytes[] = "()[]{}|,.:;?\"\\#$@/ \n+-*%=<>!0e1aEN_'`~^&\x01\x7f\xc3\xa9\xff";
    size_t size = strlen(text);
    for (uint32_t i = 1 + fuzz_random(seed, 3); i > 0 && size > 0; i--) {
        size_t at = fuzz_random(seed, (uint32_t)size);
        if (fuzz_random(seed, 3) == 0) {
            memmove(text + at, text + at + 1, size - at);
            size--;
        } else {
            text[at] = bytes[fuzz_random(seed, sizeof bytes - 1)];
        }
    }
}

/* An accepted expression; the refused ones on the way must say why and where. */
static struct jq_expression *accepted(uint64_t *seed)
{
    for (;;) {
        KARTA_AUTO_STRBUF out;
        strbuf_init(&out, 1U << 16);
        generate(seed, 4, &out);
        KARTA_AUTO_TEXT text = strbuf_take(&out);
        if (text == NULL)
            continue;
        if (fuzz_random(seed, 2) == 0)
            mutate(seed, text);
        struct karta_error err = {0};
        struct jq_expression *expression = NULL;
        if (jq_expression_parse(text, &expression, &err) == 0)
            return expression;
        if (err.code != KARTA_ERR_EXPRESSION || err.column < 1 || err.message[0] == '\0')
            fuzz_fail("a refusal without a reason or a place", text);
    }
}

static void print_results(const struct jq_part *parts, const struct jq_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        char *text = fuzz_result_text(&results->parts[i]);
        json_t *quoted = json_string(jq_expression_text(parts[i].expression));
        char *line = json_dumps(quoted, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        printf("%d\t%s\t%s\n", parts[i].kind, line, text);
        free(line);
        json_decref(quoted);
        free(text);
    }
}

/* The whole program failed: prints what was in it. */
static void explain_run(const struct jq_part *parts, size_t count, const char *json,
                        const char *message)
{
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%d\t%s\n", parts[i].kind, jq_expression_text(parts[i].expression));
    fprintf(stderr, "input\t%s\n", json);
    fuzz_fail("a run failed", message);
}

static void run(struct jq_program *program, const struct jq_part *parts, size_t count,
                const char *json, bool verbose)
{
    struct karta_error err = {0};
    json_auto_t *object = json_loads(json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    struct jq_input *input = NULL;
    if (jq_input_new(object, &input, &err) != 0)
        fuzz_fail("an input is refused", err.message);
    int64_t before = fuzz_cpu_ms();
    struct jq_results results;
    int code = jq_program_run(program, input, karta_engine_now_ms() + DEADLINE_MS, &results, &err);
    int64_t took = fuzz_cpu_ms() - before;
    if (code != 0 && code != KARTA_ERR_TIMEOUT && code != KARTA_ERR_LIMIT)
        explain_run(parts, count, json, err.message);
    if (took > BOUND_MS)
        explain_run(parts, count, json, "it took too long");
    if (verbose) {
        printf("input\t%s\t%s\n", json, code == 0 ? "" : err.message);
        print_results(parts, &results);
    }
    jq_results_dispose(&results);
    jq_input_free(input);
}

/* The most processor time that one program took to compile, and what it repeated. */
static int64_t longest_ms;
static char longest[120];

static void time_compile(struct jq_program *program, const char *text, size_t *failed,
                         struct karta_error *err)
{
    int64_t before = fuzz_cpu_ms();
    jq_program_compile(program, failed, err);
    int64_t took = fuzz_cpu_ms() - before;
    if (took > longest_ms) {
        longest_ms = took;
        snprintf(longest, sizeof longest, "%s", text);
    }
    if (took > COMPILE_BOUND_MS)
        fuzz_fail("it took too long to compile", text);
}

/* The longest accepted text that repeats `piece`; NULL where not even one is accepted. */
static struct jq_expression *largest_of(const char *piece, const char *between)
{
    KARTA_AUTO_STRBUF out;
    strbuf_init(&out, 1U << 16);
    struct jq_expression *largest = NULL;
    for (int copies = 0; copies < 1024; copies++) {
        strbuf_addf(&out, "%s(%s)", copies > 0 ? between : "", piece);
        struct jq_expression *next = NULL;
        if (jq_expression_parse(out.text, &next, NULL) != 0)
            break;
        jq_expression_free(largest);
        largest = next;
    }
    return largest;
}

/* A program of as many copies of `expression` as are taken. */
static void compile_largest(const struct jq_expression *expression)
{
    struct jq_part parts[LIMIT_PROGRAM_PARTS];
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    size_t count = 0, failed = 0;
    for (; count < LIMIT_PROGRAM_PARTS; count++) {
        parts[count] = (struct jq_part){expression, JQ_VALUES};
        jq_program_free(program);
        program = NULL;
        if (jq_program_new(parts, count + 1, &program, &err) != 0)
            break;
    }
    if (program == NULL && jq_program_new(parts, count, &program, NULL) != 0)
        fuzz_fail("no program", err.message);
    karta_error_init(&err);
    time_compile(program, jq_expression_text(expression), &failed, &err);
    if (err.code != KARTA_OK)
        fuzz_fail(err.message, jq_expression_text(expression));
    jq_program_free(program);
}

static void explain_compile_failure(const struct jq_part *parts, size_t failed,
                                    const struct karta_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    fuzz_fail("accepted, but does not compile", jq_expression_text(parts[failed].expression));
}

static void one_round(uint64_t *seed, bool verbose)
{
    struct jq_part parts[2 * PARTS];
    struct jq_expression *expressions[PARTS];
    struct karta_error err = {0};
    size_t count = 0;
    uint64_t own_seed = *seed; /* what is drawn from it changes no other expression */
    for (size_t i = 0; i < PARTS; i++) {
        expressions[i] = accepted(seed);
        parts[count++] = (struct jq_part){expressions[i], JQ_VALUES};
        if (jq_expression_check_path(expressions[i], NULL) == 0)
            parts[count++] = (struct jq_part){expressions[i], JQ_PATHS};
    }
    struct jq_program *program = NULL;
    size_t failed = 0;
    while (jq_program_new(parts, count, &program, &err) == KARTA_ERR_LIMIT && count > 1)
        count /= 2;
    if (program == NULL)
        fuzz_fail("no program", err.message);
    karta_error_init(&err);
    time_compile(program, jq_expression_text(expressions[0]), &failed, &err);
    if (err.code != KARTA_OK)
        explain_compile_failure(parts, failed, &err);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        run(program, parts, count, inputs[i], verbose);
    jq_program_free(program);
    static const char *const between[] = {",", "|", "+", "//", " and "};
    struct jq_expression *large =
        largest_of(jq_expression_text(expressions[0]), PICK(&own_seed, between));
    if (large != NULL)
        compile_largest(large);
    jq_expression_free(large);
    for (size_t i = 0; i < PARTS; i++)
        jq_expression_free(expressions[i]);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    if (karta_engine_init(NULL) != 0)
        fuzz_fail("the engine does not start", "");
    fuzz_watchdog_start();
    for (long i = 0; i < rounds; i++)
        one_round(&seed, verbose);
    fuzz_watchdog_stop();
    karta_engine_shutdown();
    fprintf(stderr, "longest to compile: %d ms, %s\n", (int)longest_ms, longest);
    fprintf(stderr, "%ld rounds of %d expressions: %ld passed, 0 failed\n", rounds, PARTS, rounds);
    return 0;
}
