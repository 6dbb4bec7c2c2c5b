/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: several expressions compiled together and run on one input, each with its own outcome.
 * Also the engine as its host sees it (karta/engine.h).
 */
#include "jq/jq_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "jq/jq_cost.h"
#include "jq/jq_emit.h"
#include "jq/jq_pool.h"
#include "jq/jq_value.h"
#include "karta/engine.h"

/* libjq says so of `.x[]` where x is absent: then there is simply nothing */
#define NOTHING_THERE "Cannot iterate over null (null)"

struct jq_program {
    struct jq_part *parts;
    size_t count;
    char *text;
    struct pool_entry entry;
};

struct jq_input {
    jv value;
};

/* What each part costs beside its expression. */
#define PART_COST 10

/* Each expression is within its own cap; together they may not be. */
static int check_cost(const struct jq_part *parts, size_t count, struct karta_error *err)
{
    size_t cost = 0, largest = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t own = jq_cost(parts[i].expression) + PART_COST;
        cost += own;
        if (own > most) {
            most = own;
            largest = i;
        }
    }
    if (cost <= LIMIT_PROGRAM_COST)
        return 0;
    char text[61];
    snprintf(text, sizeof text, "%s", jq_expression_text(parts[largest].expression));
    text_clean(text);
    return karta_error_set(err, KARTA_ERR_LIMIT,
                           "%zu expressions are too large to be compiled together: they weigh %zu, "
                           "at most %u are taken; shorten them, first of all the one that starts "
                           "with \"%s\"",
                           count, cost, LIMIT_PROGRAM_COST, text);
}

int jq_program_new(const struct jq_part *parts, size_t count, struct jq_program **program,
                   struct karta_error *err)
{
    if (count > LIMIT_PROGRAM_PARTS)
        return karta_error_set(err, KARTA_ERR_LIMIT, "%zu expressions are above the cap of %u",
                               count, LIMIT_PROGRAM_PARTS);
    int code = check_cost(parts, count, err);
    if (code != 0)
        return code;
    struct jq_program *made = calloc(1, sizeof *made);
    if (made == NULL || (made->parts = mem_array(count + 1, sizeof *parts)) == NULL) {
        free(made);
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    if (count > 0)
        memcpy(made->parts, parts, count * sizeof *parts);
    made->count = count;
    struct karta_error own;
    karta_error_init(&own);
    made->text = jq_emit_program(parts, count, &own);
    if (made->text == NULL || pool_entry_init(&made->entry, made->text, &own) != 0) {
        free(made->text);
        free(made->parts);
        free(made);
        return karta_error_set(err, own.code, "%s", own.message);
    }
    *program = made;
    return 0;
}

void jq_program_free(struct jq_program *program)
{
    if (program == NULL)
        return;
    pool_entry_dispose(&program->entry);
    free(program->text);
    free(program->parts);
    free(program);
}

/* The first part that libjq refuses alone, or `count` where each compiles. */
static size_t find_failing(const struct jq_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        KARTA_AUTO_TEXT text = jq_emit_program(&program->parts[i], 1, NULL);
        struct state *state = NULL;
        if (text != NULL && state_new(text, &state, NULL) == KARTA_ERR_EXPRESSION)
            return i;
        state_free(state);
    }
    return program->count;
}

int jq_program_compile(struct jq_program *program, size_t *failed_part, struct karta_error *err)
{
    struct state *state = NULL;
    if (pool_is_compiled(&program->entry))
        return 0;
    int code = pool_take(&program->entry, 0, &state, err);
    if (code == 0)
        pool_give(&program->entry, state, POOL_UNUSED);
    else if (code == KARTA_ERR_EXPRESSION && failed_part != NULL)
        *failed_part = find_failing(program);
    return code;
}

int jq_input_new(const json_t *object, struct jq_input **input, struct karta_error *err)
{
    struct jq_input *made = malloc(sizeof *made);
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int code = value_from_json(object, &made->value, err);
    if (code != 0) {
        free(made);
        return code;
    }
    *input = made;
    return 0;
}

int jq_input_derive(const struct jq_input *base, const json_t *members, struct jq_input **input,
                    struct karta_error *err)
{
    struct jq_input *made = malloc(sizeof *made);
    const char *key;
    json_t *member;
    int code = 0;
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    made->value = jv_copy(base->value);
    json_object_foreach((json_t *)members, key, member)
    {
        jv value;
        code = code == 0 ? value_from_json(member, &value, err) : code;
        if (code == 0)
            made->value = jv_object_set(made->value, jv_string(key), value);
    }
    if (code == 0)
        *input = made;
    else
        jq_input_free(made);
    return code;
}

void jq_input_free(struct jq_input *input)
{
    if (input == NULL)
        return;
    jv_free(input->value);
    free(input);
}

static int set_error(struct jq_result *result, char *text, struct karta_error *err)
{
    if (text == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    result->error = text;
    return 0;
}

/* A part whose expression raised `error` (borrowed). */
static int read_failure(jv error, struct jq_result *result, struct karta_error *err)
{
    KARTA_AUTO_TEXT text = value_error_text(error);
    if (text == NULL || strcmp(text, NOTHING_THERE) != 0)
        return set_error(result, mem_take_text(&text), err);
    result->values = json_array();
    return result->values != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

/* What one part gave: an array of results, or {error: …}. `given` is borrowed. */
static int read_part(jv given, struct value_budget *budget, struct jq_result *result,
                     struct karta_error *err)
{
    int count = value_count(given);
    if (count < 0) {
        jv error = value_field(given, "error");
        int code = read_failure(error, result, err);
        jv_free(error);
        return code;
    }
    if (count > LIMIT_EXPRESSION_RESULTS)
        return set_error(result, mem_format("more than %d results", LIMIT_EXPRESSION_RESULTS), err);
    struct karta_error own;
    karta_error_init(&own);
    int code = value_to_json(given, budget, &result->values, &own);
    if (code == KARTA_ERR_EXPRESSION)
        return set_error(result, strdup(own.message), err);
    return code == 0 ? 0 : karta_error_set(err, code, "%s", own.message);
}

static int read_results(const struct jq_program *program, jv given, struct jq_results *results,
                        struct karta_error *err)
{
    struct value_budget budget = {LIMIT_RESULT_NODES, LIMIT_RESULT_BYTES};
    if (value_count(given) != (int)program->count)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "the program gave no result");
    results->parts = mem_array(program->count + 1, sizeof *results->parts);
    if (results->parts == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    results->count = program->count;
    int code = 0;
    for (size_t i = 0; i < program->count && code == 0; i++) {
        jv part = value_element(given, (int)i);
        code = read_part(part, &budget, &results->parts[i], err);
        jv_free(part);
    }
    return code;
}

int jq_program_run(struct jq_program *program, const struct jq_input *input, int64_t deadline_ms,
                   struct jq_results *results, struct karta_error *err)
{
    *results = (struct jq_results){0, NULL};
    if (deadline_ms != 0 && karta_engine_now_ms() >= deadline_ms)
        return karta_error_set(err, KARTA_ERR_TIMEOUT, "the deadline passed");
    struct state *state = NULL;
    int code = pool_take(&program->entry, deadline_ms, &state, err);
    if (code != 0)
        return code;
    bool broken = false;
    jv given;
    code = state_run(state, input->value, deadline_ms, &given, &broken, err);
    if (code == 0) {
        code = read_results(program, given, results, err);
        jv_free(given);
    }
    pool_give(&program->entry, state, broken ? POOL_BROKEN : POOL_USED);
    if (code != 0)
        jq_results_dispose(results);
    return code;
}

void jq_results_dispose(struct jq_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        json_decref(results->parts[i].values);
        free(results->parts[i].error);
    }
    free(results->parts);
    *results = (struct jq_results){0, NULL};
}

int64_t karta_engine_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int karta_engine_init(struct karta_error *err)
{
    /* libjq reads $HOME/.jq before each program, and what it defines would shadow builtins */
    if (setenv("HOME", "/dev/null", 1) != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    /* libjq and jansson set up what their threads share when they are first used: here, and not by
     * compiling, which takes as long as a whole command may */
    json_object_seed(0);
    jv_free(jv_dump_string(jv_number(0.5), 0));
    jv_free(jv_parse("1.5"));
    jv_free(jv_object_set(jv_object(), jv_string("a key is hashed"), jv_null()));
    return 0;
}

void karta_engine_expire(int64_t now_ms)
{
    watch_expire(now_ms);
}

int karta_engine_spare(void)
{
    return pool_spare();
}

void karta_engine_shutdown(void)
{
    pool_shrink();
}

void karta_engine_counts(struct karta_engine_counts *counts)
{
    pool_counts(counts);
}
