/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated Kartas, every second one with a fault that is known: the good ones are accepted, the
 * broken ones refused, with a refusal where the fault is.
 *
 *   fuzz_kartas ROUNDS SEED [-v]     -v prints each Karta's fault and what was said of it
 *
 * Round i is made from SEED + i alone, so a failure names the seed that repeats it with one round.
 * Compiling costs tens of milliseconds: every KARTA_FUZZ_COMPILE-th Karta (100) that is accepted is
 * compiled and run. KARTA_FUZZ_ROUNDS replaces ROUNDS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "definition.h"
#include "fuzz_karta.h"
#include "fuzz_support.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "karta/snapshot.h"
#include "karta/view.h"

static const char *const workloads[] = {
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}",
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\","
    "\"labels\":{\"workloadmap.dev/queue\":\"q\"}},\"spec\":{\"replicas\":2,\"template\":"
    "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}},\"a\":{\"spec\":{}},\"list\":[{\"template\":{}}"
    "],\"groups\":[{\"name\":\"x\",\"template\":{}},{\"name\":\"y\",\"replicas\":3,\"template\":"
    "{}}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\"}]}}",
};

struct tally {
    long good, broken, run;
};

static _Noreturn void fail(uint64_t seed, const char *what, const json_t *karta,
                           const struct karta_problems *problems)
{
    KARTA_AUTO_TEXT text = json_dumps(karta, JSON_INDENT(1));
    KARTA_AUTO_TEXT summary = karta_problems_summary(problems);
    fprintf(stderr, "seed %llu\n%s\n%s\n", (unsigned long long)seed, text, summary);
    fuzz_fail("a generated Karta", what);
}

static bool is_refused_at(const struct karta_problems *problems, const char *path)
{
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *where = karta_problem_path(problems, i);
        size_t size = strlen(where);
        if (karta_problem_severity(problems, i) == KARTA_REFUSAL &&
            strncmp(path, where, size) == 0 && (size == 0 || strchr(".[", path[size]) != NULL))
            return true;
    }
    return false;
}

static void run_on(const struct karta_snapshot *snapshot, uint64_t seed, const json_t *karta,
                   const char *workload, const struct karta_problems *problems)
{
    const struct karta_mutate_options options = {.profile = "p", .uid = "u", .gang_all = true};
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    json_auto_t *object = json_loads(workload, 0, NULL);
    json_auto_t *view = NULL;
    if (karta_view(snapshot, object, NULL, 0, &view, &err) != 0 ||
        karta_mutate_create(snapshot, object, &options, &mutation, &err) != 0)
        fail(seed, err.message, karta, problems);
    karta_mutation_dispose(&mutation);
}

/* Loads it for real and runs it. */
static void run(uint64_t seed, const json_t *karta, const struct karta_problems *problems)
{
    static const char profile[] =
        "{\"apiVersion\": \"workloadmap.dev/v1alpha1\", \"kind\": \"GangProfile\", \"metadata\":"
        " {\"name\": \"p\"}, \"spec\": {\"podTemplate\": {\"labels\": {\"g\": "
        "\".podGroup.name\"}}}}";
    struct karta_error err = {0};
    struct karta_snapshot *snapshot = karta_snapshot_new();
    KARTA_AUTO_TEXT text = json_dumps(karta, 0);
    if (karta_snapshot_load(snapshot, profile, strlen(profile), "profile", NULL, &err) != 0 ||
        karta_snapshot_load(snapshot, text, strlen(text), "karta", NULL, &err) != 0)
        fail(seed, err.message, karta, problems);
    if (karta_snapshot_count(snapshot, "active") != 2)
        fail(seed, "is accepted, but does not load", karta, problems);
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        run_on(snapshot, seed, karta, workloads[i], problems);
    karta_snapshot_unref(snapshot);
}

static void print(const char *fault, const struct karta_problems *problems)
{
    printf("%s\n", fault != NULL ? fault : "good");
    for (size_t i = 0; i < karta_problems_count(problems); i++)
        printf("  %s%s: %s\n",
               karta_problem_severity(problems, i) == KARTA_WARNING ? "warning: " : "",
               karta_problem_path(problems, i), karta_problem_message(problems, i));
}

static void one_round(uint64_t seed, bool verbose, long compile, struct tally *tally)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
    KARTA_AUTO_TEXT path = NULL;
    json_auto_t *karta = fuzz_karta_make(&state);
    const char *fault = NULL;
    if (fuzz_random(&state, 2) == 0)
        fault = fuzz_karta_break(karta, &state, &path);
    struct karta_problems *problems = karta_problems_new();
    struct karta_definition *definition = definition_new(karta, "", problems);
    if (verbose)
        print(fault, problems);
    if (fault == NULL && definition == NULL)
        fail(seed, "is good and refused", karta, problems);
    if (fault != NULL && definition != NULL)
        fail(seed, fault, karta, problems);
    if (path != NULL && !is_refused_at(problems, path))
        fail(seed, path, karta, problems);
    definition_free(definition);
    tally->good += fault == NULL;
    tally->broken += fault != NULL;
    if (fault == NULL && tally->good % compile == 0) {
        run(seed, karta, problems);
        tally->run++;
    }
    karta_problems_free(problems);
}

static long number_of(const char *variable, long fallback)
{
    const char *text = getenv(variable);
    long number = text != NULL ? strtol(text, NULL, 10) : 0;
    return number > 0 ? number : fallback;
}

int main(int argc, char **argv)
{
    long rounds = number_of("KARTA_FUZZ_ROUNDS", argc > 1 ? strtol(argv[1], NULL, 10) : 1000);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    long compile = number_of("KARTA_FUZZ_COMPILE", 100);
    struct tally tally = {0};
    if (karta_engine_init(NULL) != 0)
        fuzz_fail("the engine does not start", "");
    for (long i = 0; i < rounds; i++)
        one_round(seed + (uint64_t)i, verbose, compile, &tally);
    karta_engine_shutdown();
    fprintf(stderr, "%ld good, %ld of them run, %ld broken: all as they should be\n", tally.good,
            tally.run, tally.broken);
    return 0;
}
