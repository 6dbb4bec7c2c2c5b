/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every request fails in some way for a while, one step after another and all together. Afterwards
 * all is as it should be, and reviews are answered the whole time. KARTA_FAULTS_ALL=1 tries every
 * fault at every step.
 */
#include "trial.h"

static struct api_server *api;
static struct running server;
static int serial;

static const struct fault {
    enum api_fault fault;
    int number;
} faults[] = {
    {API_FAULT_STATUS, 500}, {API_FAULT_CUT, 0},      {API_FAULT_STATUS, 403},
    {API_FAULT_GARBAGE, 0},  {API_FAULT_STATUS, 429}, {API_FAULT_LIE, 0},
    {API_FAULT_STATUS, 409}, {API_FAULT_STATUS, 401}, {API_FAULT_STATUS, 404},
};

static const struct step {
    const char *verb, *plural;
} steps[] = {
    {"list", "kartas"},    {"watch", "kartas"},  {"get", "/apis"},         {"get", "/api"},
    {"get", "leases"},     {"update", "leases"}, {"create", "leases"},     {"patch", "kartas"},
    {"patch", VALIDATING}, {"patch", MUTATING},  {"list", "gangprofiles"}, {NULL, NULL},
};

#define FAULTS (sizeof faults / sizeof *faults)
#define STEPS (sizeof steps / sizeof *steps)

/* Makes writes due, beside those of the change. */
static void provoke(const struct step *step)
{
    if (step->verb != NULL && strcmp(step->verb, "create") == 0)
        api_server_delete(api, "leases", TRIAL_NAMESPACE, "karta-webhook");
    if (step->verb == NULL || strcmp(step->verb, "patch") == 0)
        api_server_delete(api, VALIDATING, NULL, "karta-webhook");
}

/* A new Karta and a policy on its kind: every duty has something to do. */
static void change(char *name, char *kind, size_t size)
{
    snprintf(name, size, "train-%d", ++serial);
    snprintf(kind, size, "Train%d", serial);
    KARTA_AUTO_TEXT plural = mem_format("trains%d", serial);
    api_server_kind(api, "example.org", "v1", kind, plural, true, false);
    trial_put(api, trial_karta(name, kind, "3"));
    trial_put(api, trial_policy("trains", kind, 8, serial % 2 == 0 ? "Fail" : "Ignore"));
}

static bool has_rule(const char *plural, const char *webhook, int number)
{
    KARTA_AUTO_TEXT rules = trial_rules(api, plural, webhook);
    KARTA_AUTO_TEXT framed = mem_format("%s ", rules);
    KARTA_AUTO_TEXT rule = mem_format("/trains%d ", number);
    return strstr(framed, rule) != NULL;
}

static void converges(const char *name, const char *kind)
{
    KARTA_AUTO_TEXT origin = mem_format("cluster:%s", name);
    EVENTUALLY(trial_has(&server, origin, "active"));
    assert_true(trial_patches(&server, kind));
    EVENTUALLY(trial_shows(api, name, "KartaValidated", "True ValidationSucceeded "));
    EVENTUALLY(trial_shows(api, name, "Ready", "True Ready "));
    EVENTUALLY(has_rule(MUTATING, "workloads.mutate.workloadmap.dev", serial));
    EVENTUALLY(has_rule(VALIDATING,
                        serial % 2 == 0 ? "workloads-fail.validate.workloadmap.dev"
                                        : "workloads-ignore.validate.workloadmap.dev",
                        serial));
    EVENTUALLY(trial_is_ready(&server, NULL));
}

static void attempt(const struct step *step, const struct fault *fault)
{
    char name[32], kind[32];
    size_t asked = api_server_asked(api, step->verb, step->plural);
    api_server_die(api); /* so that what follows can only be learned from a list */
    api_server_fault(api, step->verb, step->plural, fault->fault, fault->number, 0);
    provoke(step);
    change(name, kind, sizeof name);
    api_server_compact(api);
    api_server_return(api);
    EVENTUALLY(api_server_asked(api, step->verb, step->plural) > asked);
    pause_ms(200); /* it may try again */
    api_server_fault(api, NULL, NULL, API_FAULT_NONE, 0, 0);
    converges(name, kind);
}

static void faults__at_every_step(void **state)
{
    (void)state;
    bool all = getenv("KARTA_FAULTS_ALL") != NULL;
    api = trial_api();
    trial_put(api, trial_karta("train", "Train", "3"));
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(api_server_count(api, VALIDATING) == 1);
    trial_load_start(&server);
    for (size_t i = 0; i < STEPS; i++)
        for (size_t k = 0; k < FAULTS; k++)
            if (all || k == i % FAULTS)
                attempt(&steps[i], &faults[k]);
    trial_load_stop();
    assert_true(trial_patches(&server, "Train"));
    trial_stop(&server);
    api_server_free(api);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults__at_every_step)};
    return cmocka_run_group_tests_name("cluster.server_faults", tests, NULL, NULL);
}
