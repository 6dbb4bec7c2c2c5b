/* SPDX-License-Identifier: Apache-2.0 */
/* More events than anybody reads one by one: the last of each object counts, none is lost, and
 * memory does not grow with them. KARTA_BURST_EVENTS says how many. */
#include "trial.h"

#define KARTAS 100

/* Sanitizers are slow, and what they keep of freed memory is theirs. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define USUAL 4000
#define MOST_GROWTH ((double)(1U << 30))
#else
#define USUAL 20000
#define MOST_GROWTH ((double)(64U << 20))
#endif

static struct api_server *api;
static struct running server;

/* The n-th state of a Karta; the last one of all is right, every seventh broken. */
static void put(int number, int round, bool last)
{
    KARTA_AUTO_TEXT name = mem_format("train-%d", number);
    KARTA_AUTO_TEXT kind = mem_format("Train%d", number);
    KARTA_AUTO_TEXT replicas = mem_format("%s%d", !last && round % 7 == 0 ? "(" : "", 2 + round);
    trial_put(api, trial_karta(name, kind, replicas));
}

/* Whether the server has each Karta exactly as the double has it, status aside. */
static bool is_level(void)
{
    for (int i = 0; i < KARTAS; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        json_t *object = api_server_get(api, "kartas", NULL, name);
        json_int_t generation =
            json_integer_value(json_object_get(json_object_get(object, "metadata"), "generation"));
        json_t *conditions = json_object_get(json_object_get(object, "status"), "conditions");
        json_t *condition = json_array_get(conditions, 0);
        bool level =
            json_integer_value(json_object_get(condition, "observedGeneration")) == generation &&
            trial_shows(api, name, "KartaValidated", "True ValidationSucceeded ");
        json_decref(object);
        if (!level)
            return false;
    }
    return true;
}

static void burst__nothing_is_lost(void **state)
{
    (void)state;
    int rounds = count_of("KARTA_BURST_EVENTS", USUAL) / KARTAS;
    api = trial_api();
    for (int i = 0; i < KARTAS; i++)
        put(i, 1, false);
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(is_level());
    double before = trial_metric(&server, "process_resident_memory_bytes");
    trial_load_start(&server);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < KARTAS; i++)
            put(i, round, round == rounds - 1);
    EVENTUALLY(is_level());
    trial_load_stop();
    double after = trial_metric(&server, "process_resident_memory_bytes");
    print_message("%d events: from %.0f to %.0f MB\n", rounds * KARTAS, before / 1e6, after / 1e6);
    assert_true(after - before < MOST_GROWTH);
    for (int i = 0; i < KARTAS; i++) {
        KARTA_AUTO_TEXT kind = mem_format("Train%d", i);
        assert_true(trial_patches(&server, kind));
    }
    trial_stop(&server);
    api_server_free(api);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(burst__nothing_is_lost)};
    return cmocka_run_group_tests_name("cluster.server_burst", tests, NULL, NULL);
}
