/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every builtin of the table over hostile JSON, as input and as argument, each call within its
 * time. Prints a digest of all answers per builtin: two engines must print the same.
 *
 *   fuzz_builtins [ROUNDS [-v]]     each round takes other pairs of input and argument
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz_support.h"
#include "karta/engine.h"

/* A call may take BOUND_MS of processor time, which the build sets: sanitizers are slow. Two long
 * values meet under a deadline: what they give is not compared, only that the deadline ends them.
 */
#define DEADLINE_MS 60000
#define LONG_DEADLINE_MS 100

static json_t *nested(const char *kind, int depth)
{
    json_t *value = json_integer(1);
    for (int i = 0; i < depth; i++) {
        value = kind[0] == '{' ? json_pack("{s:o}", "a", value) : json_pack("[o]", value);
    }
    return value;
}

static json_t *text_of(char c, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        fuzz_fail("memory", "");
    memset(text, c, size);
    text[size] = '\0';
    json_t *value = json_string(text);
    free(text);
    return value;
}

/* `count` elements that cycle through the kinds of JSON, texts and numbers first. */
static json_t *mixture(int count, bool numbers)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_t *element = NULL;
        if (!numbers && i % 5 == 1)
            element = json_sprintf("text-%d", i % 97);
        else if (!numbers && i % 5 == 2)
            element = json_pack("{s:i,s:[i]}", "key", i % 13, "value", i);
        else if (!numbers && i % 5 == 3)
            element = json_pack("[i,n,b]", i % 7, i % 2);
        else if (!numbers && i % 5 == 4)
            element = json_real(i * 0.37);
        else
            element = json_integer((i * 7919) % 1000 - 500);
        json_array_append_new(array, element);
    }
    return array;
}

static json_t *fields(int count)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "key-%d", (i * 7919) % count);
        json_object_set_new(object, key, json_integer(i));
    }
    return object;
}

/* Written values; the hostile ones that are too long to write come after them. */
static const char *const written[] = {
    "null",
    "true",
    "false",
    "0",
    "-0.0",
    "-1",
    "0.5",
    "-0.5",
    "3",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "1e308",
    "-1e308",
    "5e-324",
    "2147483648",
    "-2147483649",
    "1e19",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "\"a\"",
    "\"-\"",
    "\"a-b-c\"",
    "\"\\u0000\"",
    "\"a\\u0000b\"",
    "\"h\\u00e9 \\ud83d\\ude00\"",
    "\"nan\"",
    "\"NaN1\"",
    "\"1e1000\"",
    "\"-1\"",
    "\" 1\"",
    "\"1 \"",
    "\"0x10\"",
    "\"1,2\"",
    "\"+1\"",
    "\"00\"",
    "\"1e5\"",
    "\"object\"",
    "\"__jq\"",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[{}]",
    "[1,2,3]",
    "[3,1,2,1]",
    "[\"b\",\"a\"]",
    "[true,false,null]",
    "[[1,2],[1]]",
    "[1,\"a\",null,[1],{\"a\":1}]",
    "{\"a\":1}",
    "{\"b\":1,\"a\":{\"c\":[1]}}",
    "{\"__jq\":0}",
    "{\"key\":\"a\",\"value\":1}",
    "[{\"key\":\"a\",\"value\":1}]",
    "[{\"name\":\"a\",\"Value\":1},{\"k\":null,\"v\":2},{\"key\":false}]",
    "[{\"key\":[1]}]",
    "[[\"a\",1]]",
    "{\"\":{\"\":[]}}",
    "[0.1,0.2,1e17,1e-7]",
    "[\"a\",1,null,true,0.5]"};

#define WRITTEN (sizeof written / sizeof *written)

enum { LONG_VALUES = 12, VALUES = WRITTEN + LONG_VALUES };

static void fill_values(json_t **values)
{
    for (size_t i = 0; i < WRITTEN; i++)
        values[i] = json_loads(written[i],
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
    json_t **at = values + WRITTEN;
    *at++ = text_of('a', 1U << 20);
    *at++ = text_of(' ', 65536);
    *at++ = text_of('-', 65537);
    *at++ = text_of('1', 64);
    *at++ = nested("[", 250);
    *at++ = nested("{", 250);
    *at++ = mixture(20000, true);
    *at++ = mixture(500, false);
    *at++ = mixture(8000, false);
    *at++ = fields(300);
    *at++ = fields(8000);
    *at = json_pack("[o,o]", text_of('b', 1U << 20), text_of('b', 1U << 20));
    for (size_t i = 0; i < VALUES; i++)
        if (values[i] == NULL)
            fuzz_fail("a value is no JSON", i < WRITTEN ? written[i] : "");
}

/* How a builtin is called on .v with .w at hand; % stands for its name. */
static const char *call_form(const char *name)
{
    static const struct {
        const char *name, *form;
    } special[] = {
        {"all/2", "all(.v[]?; . == $w)"},
        {"any/2", "any(.v[]?; . < $w)"},
        {"getpath/1", ".v | getpath([\"a\", 0, \"b\", -1])"},
        {"limit/2", "[limit(2; .v[]?, $w)]"},
        {"first/1", "first(.v[]?, $w)"},
        {"last/1", "last(.v[]?, $w)"},
        {"map/1", ".v | map([., $w])"},
        {"map_values/1", ".v | map_values(., $w)"},
        {"select/1", ".v | select(. == $w)"},
        {"with_entries/1", ".v | with_entries({key: .key, value: [.value, $w]})"},
        {"sort_by/1", ".v | sort_by(., $w)"},
        {"group_by/1", ".v | group_by([., $w])"},
        {"unique_by/1", ".v | unique_by(. == $w)"},
        {"min_by/1", ".v | min_by({a: ., b: $w})"},
        {"max_by/1", ".v | max_by(., $w)"},
        {"any/1", ".v | any(. == $w)"},
        {"all/1", ".v | all(. != $w)"},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strcmp(special[i].name, name) == 0)
            return special[i].form;
    return name[strlen(name) - 1] == '0' ? ".v | %" : ".v | %($w)";
}

static struct jq_program *compile_call(const char *name, struct jq_expression **expression)
{
    const char *form = call_form(name);
    size_t before = strcspn(form, "%");
    KARTA_AUTO_TEXT text = form[before] == '%'
                               ? mem_format(".w as $w | %.*s%.*s%s", (int)before, form,
                                            (int)strlen(name) - 2, name, form + before + 1)
                               : mem_format(".w as $w | %s", form);
    struct karta_error err = {0};
    struct jq_program *program = NULL;
    if (jq_expression_parse(text, expression, &err) != 0)
        fuzz_fail(text, err.message);
    struct jq_part part = {*expression, JQ_VALUES};
    if (jq_program_new(&part, 1, &program, &err) != 0 ||
        jq_program_compile(program, NULL, &err) != 0)
        fuzz_fail(text, err.message);
    return program;
}

static uint64_t call(struct jq_program *program, const char *name, const json_t *value,
                     const json_t *argument, int64_t deadline_ms, bool verbose)
{
    struct karta_error err = {0};
    json_auto_t *object = json_pack("{s:O,s:O}", "v", (json_t *)value, "w", (json_t *)argument);
    struct jq_input *input = NULL;
    if (jq_input_new(object, &input, &err) != 0)
        fuzz_fail("an input is refused", err.message);
    struct jq_results results;
    int64_t before = fuzz_cpu_ms();
    int code = jq_program_run(program, input, karta_engine_now_ms() + deadline_ms, &results, &err);
    int64_t took = fuzz_cpu_ms() - before;
    jq_input_free(input);
    bool late = code == KARTA_ERR_TIMEOUT && deadline_ms == LONG_DEADLINE_MS;
    if (code != 0 && code != KARTA_ERR_LIMIT && !late)
        fuzz_fail(name, err.message);
    char *text = code != 0 ? mem_format("%s", err.message) : fuzz_result_text(&results.parts[0]);
    if (verbose) {
        char *v = json_dumps(value, JSON_ENCODE_ANY), *w = json_dumps(argument, JSON_ENCODE_ANY);
        printf("%s\t%.60s\t%.60s\t%.200s\n", name, v, w, text);
        free(v);
        free(w);
    }
    if (took > BOUND_MS)
        fuzz_fail(name, mem_format("took %d ms: %.200s", (int)took, text));
    uint64_t digest = fuzz_digest(FUZZ_DIGEST, text, strlen(text));
    free(text);
    jq_results_dispose(&results);
    return digest;
}

/* The arguments of this round: a stride through all values that every input meets elsewhere. */
static uint64_t call_all(const char *name, json_t *const *values, long rounds, bool verbose)
{
    struct jq_expression *expression = NULL;
    struct jq_program *program = compile_call(name, &expression);
    bool alone = name[strlen(name) - 1] == '0';
    uint64_t digest = FUZZ_DIGEST;
    for (size_t i = 0; i < VALUES; i++)
        for (long round = 0; round < (alone ? 1 : 4 * rounds); round++) {
            size_t other = (i + (size_t)round * 17 + 1) % VALUES;
            bool both_long = !alone && i >= WRITTEN && other >= WRITTEN;
            uint64_t one = call(program, name, values[i], values[other],
                                both_long ? LONG_DEADLINE_MS : DEADLINE_MS, verbose);
            if (!both_long)
                digest = fuzz_digest(digest, &one, sizeof one);
        }
    jq_program_free(program);
    jq_expression_free(expression);
    return digest;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    bool verbose = argc > 2 && strcmp(argv[2], "-v") == 0;
    json_t *values[VALUES];
    fill_values(values);
    if (karta_engine_init(NULL) != 0)
        fuzz_fail("the engine does not start", "");
    fuzz_watchdog_start();
    size_t count = 0;
    for (; jq_builtin_name(count) != NULL; count++) {
        const char *name = jq_builtin_name(count);
        uint64_t digest = call_all(name, values, rounds, verbose);
        printf("%-18s %016llx\n", name, (unsigned long long)digest);
        fflush(stdout);
    }
    fuzz_watchdog_stop();
    karta_engine_shutdown();
    for (size_t i = 0; i < VALUES; i++)
        json_decref(values[i]);
    fprintf(stderr, "%zu passed, 0 failed\n", count);
    return 0;
}
