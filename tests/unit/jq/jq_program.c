/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: parts and their errors, deadlines, the pool under many threads. Runs under helgrind
 * and TSan too; KARTA_TEST_ROUNDS and KARTA_TEST_THREADS set how much the threads do and how
 * many they are.
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "jq/jq_program.h"
#include "karta/engine.h"

/* never ends within any deadline of these tests */
#define SPIN                                                                                       \
    "[.big[] as $a | .big[] as $b | .big[] as $c | .big[] as $d | select($a + $b == $c - $d)]"     \
    " | length"

#define THREADS 32
/* a deadline that no test waits for */
#define HOLD_MS 600000

static struct jq_expression *parsed(const char *text)
{
    struct karta_error err = {0};
    struct jq_expression *expression = NULL;
    if (jq_expression_parse(text, &expression, &err) != 0)
        fail_msg("%s: column %d: %s", text, err.column, err.message);
    return expression;
}

/* A program of expressions, the last one NULL, and what it borrows. */
struct made {
    struct jq_expression *expressions[8];
    struct jq_program *program;
};

static struct made make(const char *const *texts, enum jq_part_kind kind)
{
    struct made made = {{NULL}, NULL};
    struct jq_part parts[8];
    size_t count = 0;
    for (; texts[count] != NULL; count++) {
        made.expressions[count] = parsed(texts[count]);
        parts[count] = (struct jq_part){made.expressions[count], kind};
    }
    assert_int_equal(jq_program_new(parts, count, &made.program, NULL), 0);
    return made;
}

static void unmake(struct made *made)
{
    jq_program_free(made->program);
    for (size_t i = 0; i < 8; i++)
        jq_expression_free(made->expressions[i]);
}

static struct jq_input *input_of(json_t *object)
{
    struct jq_input *input = NULL;
    assert_int_equal(jq_input_new(object, &input, NULL), 0);
    json_decref(object);
    return input;
}

static json_t *big_object(void)
{
    json_t *array = json_array();
    for (int i = 0; i < 3000; i++)
        json_array_append_new(array, json_integer(i));
    return json_pack("{s:o,s:i}", "big", array, "n", 7);
}

static int from_environment(const char *name, int usual)
{
    const char *given = getenv(name);
    return given != NULL ? atoi(given) : usual;
}

static int rounds(int usual)
{
    return from_environment("KARTA_TEST_ROUNDS", usual);
}

/* The thread that a server has: it enforces deadlines. */
static atomic_bool watching;

static void *watch(void *unused)
{
    while (atomic_load(&watching)) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        karta_engine_expire(karta_engine_now_ms());
        karta_engine_spare();
    }
    return unused;
}

static int start_watch(void **state)
{
    pthread_t *thread = malloc(sizeof *thread);
    atomic_store(&watching, true);
    *state = thread;
    return thread == NULL || pthread_create(thread, NULL, watch, NULL) != 0;
}

static int stop_watch(void **state)
{
    atomic_store(&watching, false);
    pthread_join(*(pthread_t *)*state, NULL);
    free(*state);
    karta_engine_shutdown();
    return 0;
}

static void run__gives_each_part_its_own_outcome(void **state)
{
    (void)state;
    const char *const texts[] = {".n", ".missing[]", ".n[]", "error(\"no\")", "1, 2", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(test_json("{'n':7}"));
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    assert_int_equal(results.count, 5);
    assert_int_equal(json_integer_value(json_array_get(results.parts[0].values, 0)), 7);
    assert_int_equal(json_array_size(results.parts[1].values), 0);
    assert_string_equal(results.parts[2].error, "Cannot iterate over number (7)");
    assert_string_equal(results.parts[3].error, "no");
    assert_null(results.parts[3].values);
    assert_int_equal(json_array_size(results.parts[4].values), 2);
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

static void run__gives_paths(void **state)
{
    (void)state;
    const char *const texts[] = {".",
                                 ".list[] | select(.n > 1) | .t",
                                 "first(.list[]), .missing[]",
                                 ".x // .list[-1]",
                                 ".list as $l | getpath([\"a\", 0])",
                                 "if .list then .list[0] else .x end",
                                 ".n.x",
                                 NULL};
    struct made made = make(texts, JQ_PATHS);
    struct jq_input *input = input_of(test_json("{'n':7,'list':[{'n':1},{'n':2}]}"));
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    static const char *const expected[] = {"[[]]",          "[['list',1,'t']]", "[]",
                                           "[['list',-1]]", "[['a',0]]",        "[['list',0]]"};
    for (size_t i = 0; i < 6; i++) {
        json_t *wanted = test_json(expected[i]);
        assert_json_equal(results.parts[i].values, wanted);
        json_decref(wanted);
    }
    assert_string_equal(results.parts[6].error, "Cannot index number with string \"x\"");
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

static void run__gives_an_empty_program_nothing(void **state)
{
    (void)state;
    const char *const texts[] = {NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(test_json("{}"));
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    assert_int_equal(results.count, 0);
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

static void run__caps_results(void **state)
{
    (void)state;
    const char *const thousand[] = {".big[:1000][]", ".big[:1001][]", NULL};
    const char *const large[] = {"[.big[:1000][] as $x | .big] | .[]", NULL};
    struct jq_input *input = input_of(big_object());
    struct made made = make(thousand, JQ_VALUES);
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    assert_int_equal(json_array_size(results.parts[0].values), 1000);
    assert_string_equal(results.parts[1].error, "more than 1000 results");
    jq_results_dispose(&results);
    unmake(&made);
    made = make(large, JQ_VALUES);
    struct karta_error err = {0};
    assert_int_equal(jq_program_run(made.program, input, 0, &results, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "the results are too large");
    assert_int_equal(results.count, 0);
    unmake(&made);
    jq_input_free(input);
}

static void new__caps_parts(void **state)
{
    (void)state;
    struct jq_part parts[LIMIT_PROGRAM_PARTS + 1];
    struct jq_expression *expression = parsed(".a.b[0] // \"x\"");
    for (size_t i = 0; i <= LIMIT_PROGRAM_PARTS; i++)
        parts[i] = (struct jq_part){expression, JQ_VALUES};
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    assert_int_equal(jq_program_new(parts, LIMIT_PROGRAM_PARTS + 1, &program, &err),
                     KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "201 expressions are above the cap of 200");
    assert_int_equal(jq_program_new(parts, LIMIT_PROGRAM_PARTS, &program, NULL), 0);
    assert_int_equal(jq_program_compile(program, NULL, NULL), 0);
    jq_program_free(program);
    jq_expression_free(expression);
}

/* Each part is small enough alone; so many of them are not. */
static void new__caps_what_is_compiled_together(void **state)
{
    (void)state;
    struct jq_expression *small = parsed(".a"), *large = parsed("[.a, .b // \"x\"] | map(. == 1)");
    struct jq_part parts[LIMIT_PROGRAM_PARTS];
    for (size_t i = 0; i < LIMIT_PROGRAM_PARTS; i++)
        parts[i] = (struct jq_part){i < 7 ? small : large, JQ_VALUES};
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    assert_int_equal(jq_program_new(parts, LIMIT_PROGRAM_PARTS, &program, NULL), 0);
    jq_program_free(program);
    program = NULL;
    jq_expression_free(large);
    large = parsed("[.a, .b // \"x\"] | map(. == 1) | [.[] | if . then 1 else \"\\(.)\" end]");
    for (size_t i = 7; i < LIMIT_PROGRAM_PARTS; i++)
        parts[i].expression = large;
    assert_int_equal(jq_program_new(parts, LIMIT_PROGRAM_PARTS, &program, &err), KARTA_ERR_LIMIT);
    assert_null(program);
    assert_string_equal(
        err.message, "200 expressions are too large to be compiled together: they weigh 16496, "
                     "at most 12000 are taken; shorten them, first of all the one that starts "
                     "with \"[.a, .b // \"x\"] | map(. == 1) | [.[] | if . then 1 else \"\\(.\"");
    jq_expression_free(large);
    jq_expression_free(small);
}

/* `before` n times, `middle`, `after` n times; new text. */
static char *repeated(const char *before, const char *middle, const char *after, int n)
{
    size_t size = (strlen(before) + strlen(after)) * (size_t)n + strlen(middle) + 1;
    char *text = calloc(1, size);
    assert_non_null(text);
    for (int i = 0; i < n; i++)
        strcat(text, before);
    strcat(text, middle);
    for (int i = 0; i < n; i++)
        strcat(text, after);
    return text;
}

static void compile__takes_extreme_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *before, *middle, *after;
        int count;
    } cases[] = {
        {"1,", "1", "", 700},
        {"[", ".", "]", 60},
        {"[.a, ", "1", "]", 30},
        {"{a: ", "1", "}", 30},
        {"1 + ", "1", "", 60},
        {".|", ".", "", 1000},
        {".a", "", "", 1000},
        {"[]|", ".", "", 500},
        {"map(", ".", ")", 60},
        {". as $x | ", "$x", "", 60},
        {". == . and ", "true", "", 60},
        {"first(", ".", ")", 60},
        {"try (", "1", ")", 30},
        {"sort_by(", ".", ")", 30},
        {"1 // ", "1", "", 60},
        {"\"\\(", "1", ")\"", 50},
        {"if . then 1 else ", "2", " end", 50},
        {"(", "1", "?)", 50},
        {"any(", ".", ")", 50},
        {". * ", "1", "", 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].before, cases[i].middle, cases[i].after, cases[i].count);
        const char *const texts[] = {text, NULL};
        struct made made = make(texts, JQ_VALUES);
        struct karta_error err = {0};
        if (jq_program_compile(made.program, NULL, &err) != 0)
            fail_msg("%.40s: %s", text, err.message);
        unmake(&made);
        free(text);
    }
}

static void run__stops_at_the_deadline(void **state)
{
    (void)state;
    const char *const texts[] = {SPIN, ".n", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(big_object());
    struct karta_engine_counts before, after;
    karta_engine_counts(&before);
    for (int i = 0; i < 3; i++) {
        struct jq_results results;
        struct karta_error err = {0};
        /* that it returns at all is the proof: left alone it would take days */
        assert_int_equal(
            jq_program_run(made.program, input, karta_engine_now_ms() + 100, &results, &err),
            KARTA_ERR_TIMEOUT);
        assert_string_equal(err.message, "the deadline passed");
        assert_int_equal(results.count, 0);
    }
    karta_engine_counts(&after);
    assert_int_equal(after.expired - before.expired, 3);
    assert_int_equal(after.runs - before.runs, 3);
    /* each halted state was thrown away and made anew */
    assert_int_equal(after.compiled - before.compiled, 3);
    jq_input_free(input);
    unmake(&made);
}

static void run__works_again_after_a_deadline(void **state)
{
    (void)state;
    const char *const texts[] = {"if .spin then (" SPIN ") else .n end", NULL};
    struct made made = make(texts, JQ_VALUES);
    json_t *object = big_object();
    json_object_set_new(object, "spin", json_true());
    struct jq_input *spinning = input_of(object), *quick = input_of(test_json("{'n':3}"));
    struct jq_results results;
    int64_t now = karta_engine_now_ms();
    assert_int_equal(jq_program_run(made.program, quick, now + 60000, &results, NULL), 0);
    jq_results_dispose(&results);
    now = karta_engine_now_ms();
    assert_int_equal(jq_program_run(made.program, spinning, now + 50, &results, NULL),
                     KARTA_ERR_TIMEOUT);
    assert_int_equal(jq_program_run(made.program, quick, now + 60000, &results, NULL), 0);
    assert_int_equal(json_integer_value(json_array_get(results.parts[0].values, 0)), 3);
    jq_results_dispose(&results);
    jq_input_free(spinning);
    jq_input_free(quick);
    unmake(&made);
}

static void run__refuses_a_deadline_that_has_passed(void **state)
{
    (void)state;
    const char *const texts[] = {".", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(test_json("{}"));
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, karta_engine_now_ms() - 1, &results, NULL),
                     KARTA_ERR_TIMEOUT);
    jq_input_free(input);
    unmake(&made);
}

static void expire__leaves_runs_without_a_deadline_alone(void **state)
{
    (void)state;
    const char *const texts[] = {"[.big[] as $a | .big[:20][] as $b | 1] | length", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(big_object());
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    assert_int_equal(json_integer_value(json_array_get(results.parts[0].values, 0)), 60000);
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

struct job {
    struct jq_program *program;
    int rounds, number;
    int failures, timeouts;
    atomic_bool ended;
};

static void *run_many(void *argument)
{
    struct job *job = argument;
    struct jq_input *input = NULL;
    json_t *object = json_pack("{s:i,s:[i,i,i]}", "n", job->number, "a", 1, 2, 3);
    job->failures += jq_input_new(object, &input, NULL) != 0;
    for (int i = 0; i < job->rounds; i++) {
        struct jq_results results;
        int64_t deadline = karta_engine_now_ms() + 60000;
        if (jq_program_run(job->program, input, deadline, &results, NULL) != 0) {
            job->failures++;
            continue;
        }
        json_t *first = json_array_get(results.parts[0].values, 0);
        job->failures += json_integer_value(first) != job->number;
        job->failures += json_array_size(results.parts[1].values) != 3;
        jq_results_dispose(&results);
    }
    jq_input_free(input);
    json_decref(object);
    return NULL;
}

static void run__is_safe_in_many_threads(void **state)
{
    (void)state;
    const char *const texts[] = {".n", ".a[] | . + 0.5 | tostring", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    int count = from_environment("KARTA_TEST_THREADS", THREADS);
    assert_in_range(count, 2, THREADS);
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct job){.program = made.program, .rounds = rounds(500), .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &jobs[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].failures, 0);
    }
    unmake(&made);
}

static void *run_spinning(void *argument)
{
    struct job *job = argument;
    struct jq_input *input = NULL;
    json_t *object = big_object();
    json_object_set_new(object, "spin", json_boolean(job->number % 2));
    job->failures += jq_input_new(object, &input, NULL) != 0;
    for (int i = 0; i < job->rounds; i++) {
        struct jq_results results;
        int64_t deadline = karta_engine_now_ms() + 40;
        int code = jq_program_run(job->program, input, deadline, &results, NULL);
        job->timeouts += code == KARTA_ERR_TIMEOUT;
        if (code == 0)
            job->failures += json_integer_value(json_array_get(results.parts[0].values, 0)) != 7;
        else
            job->failures += code != KARTA_ERR_TIMEOUT;
        job->failures += code == 0 && job->number % 2 == 1;
        jq_results_dispose(&results);
    }
    jq_input_free(input);
    json_decref(object);
    return NULL;
}

static void run__never_mistakes_one_run_for_another(void **state)
{
    (void)state;
    const char *const texts[] = {"if .spin then (" SPIN ") else .n end", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct job jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (struct job){.program = made.program, .rounds = rounds(20) / 2, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_spinning, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].failures, 0);
        if (i % 2 == 1)
            assert_int_equal(jobs[i].timeouts, jobs[i].rounds);
    }
    unmake(&made);
}

static void *hold(void *argument)
{
    struct job *job = argument;
    struct jq_input *input = NULL;
    json_t *object = big_object();
    job->failures += jq_input_new(object, &input, NULL) != 0;
    struct jq_results results;
    int64_t deadline = karta_engine_now_ms() + HOLD_MS;
    int code = jq_program_run(job->program, input, deadline, &results, NULL);
    job->timeouts += code == KARTA_ERR_TIMEOUT;
    atomic_store(&job->ended, true);
    jq_input_free(input);
    json_decref(object);
    return NULL;
}

static void run__waits_no_longer_than_its_deadline(void **state)
{
    (void)state;
    const char *const texts[] = {SPIN, NULL};
    struct made made = make(texts, JQ_VALUES);
    assert_int_equal(jq_program_compile(made.program, NULL, NULL), 0);
    struct job job = {.program = made.program};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold, &job), 0);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    struct jq_input *input = input_of(test_json("{'big':[]}"));
    struct jq_results results;
    int code = jq_program_run(made.program, input, karta_engine_now_ms() + 20, &results, NULL);
    bool first = !atomic_load(&job.ended);
    /* the holder has nothing more to show, also where it began only now */
    while (!atomic_load(&job.ended)) {
        karta_engine_expire(INT64_MAX);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    pthread_join(thread, NULL);
    /* either it waited in vain, or a spare was ready for it: not until the holder was done */
    assert_true(code == KARTA_ERR_TIMEOUT || code == 0);
    assert_true(first);
    assert_int_equal(job.timeouts, 1);
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

static void shutdown__frees_and_a_later_run_compiles_again(void **state)
{
    (void)state;
    const char *const texts[] = {".n", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(test_json("{'n':1}"));
    struct karta_engine_counts before, after;
    assert_int_equal(jq_program_compile(made.program, NULL, NULL), 0);
    karta_engine_counts(&before);
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    jq_results_dispose(&results);
    karta_engine_counts(&after);
    assert_int_equal(after.compiled, before.compiled);
    karta_engine_shutdown();
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    jq_results_dispose(&results);
    karta_engine_counts(&after);
    assert_int_equal(after.compiled, before.compiled + 1);
    jq_input_free(input);
    unmake(&made);
}

static void init__keeps_the_home_folder_out(void **state)
{
    (void)state;
    const char *const texts[] = {"length", NULL};
    struct made made = make(texts, JQ_VALUES);
    struct jq_input *input = input_of(test_json("[1,2]"));
    struct jq_results results;
    assert_int_equal(jq_program_run(made.program, input, 0, &results, NULL), 0);
    assert_int_equal(json_integer_value(json_array_get(results.parts[0].values, 0)), 2);
    jq_results_dispose(&results);
    jq_input_free(input);
    unmake(&made);
}

/* A home folder whose .jq gives `length` another meaning. */
static int make_hostile_home(char *home)
{
    char path[64];
    if (mkdtemp(home) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/.jq", home);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fputs("def length: 7;", file);
    return fclose(file) != 0 || setenv("HOME", home, 1) != 0;
}

static void remove_home(const char *home)
{
    char path[64];
    snprintf(path, sizeof path, "%s/.jq", home);
    remove(path);
    remove(home);
}

static void builtins__are_a_table_without_holes(void **state)
{
    (void)state;
    size_t count = 0;
    for (; jq_builtin_name(count) != NULL; count++) {
        const char *name = jq_builtin_name(count);
        assert_non_null(strchr(name, '/'));
        if (count > 0)
            assert_true(strcmp(jq_builtin_name(count - 1), name) < 0);
    }
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__gives_each_part_its_own_outcome),
        cmocka_unit_test(run__gives_paths),
        cmocka_unit_test(run__gives_an_empty_program_nothing),
        cmocka_unit_test(run__caps_results),
        cmocka_unit_test(new__caps_parts),
        cmocka_unit_test(new__caps_what_is_compiled_together),
        cmocka_unit_test(compile__takes_extreme_expressions),
        cmocka_unit_test(run__stops_at_the_deadline),
        cmocka_unit_test(run__works_again_after_a_deadline),
        cmocka_unit_test(run__refuses_a_deadline_that_has_passed),
        cmocka_unit_test(expire__leaves_runs_without_a_deadline_alone),
        cmocka_unit_test(run__is_safe_in_many_threads),
        cmocka_unit_test(run__never_mistakes_one_run_for_another),
        cmocka_unit_test(run__waits_no_longer_than_its_deadline),
        cmocka_unit_test(shutdown__frees_and_a_later_run_compiles_again),
        cmocka_unit_test(init__keeps_the_home_folder_out),
        cmocka_unit_test(builtins__are_a_table_without_holes),
    };
    char home[] = "/tmp/karta-home-XXXXXX";
    if (make_hostile_home(home) != 0 || karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, start_watch, stop_watch);
    remove_home(home);
    return failed;
}
