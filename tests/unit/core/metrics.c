/* SPDX-License-Identifier: Apache-2.0 */
/* What /metrics says of the Kubernetes side. */
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "support.h"

#define LIMIT_PAGE (1U << 20)

static struct metrics *metrics;
static struct strbuf page;

static int setup(void **state)
{
    (void)state;
    metrics = metrics_new();
    strbuf_init(&page, LIMIT_PAGE);
    return metrics != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    metrics_free(metrics);
    strbuf_dispose(&page);
    return 0;
}

static bool prints(const char *text)
{
    struct metrics_state state = {0};
    strbuf_clear(&page);
    metrics_print(metrics, &state, &page);
    return strstr(page.text, text) != NULL;
}

static void metrics_print__is_silent_of_a_cluster_that_is_not_followed(void **state)
{
    (void)state;
    metrics_kubernetes_request(metrics, "list", 200);
    metrics_watch_synced(metrics, metrics_watch_place(metrics, "pods"));
    assert_false(prints("karta_kubernetes"));
    assert_false(prints("karta_watch"));
}

static void metrics_kubernetes_request__counts_by_verb_and_code(void **state)
{
    (void)state;
    metrics_follow_cluster(metrics);
    metrics_kubernetes_request(metrics, "list", 200);
    metrics_kubernetes_request(metrics, "list", 200);
    metrics_kubernetes_request(metrics, "watch", 0);
    metrics_kubernetes_request(metrics, "proxy", 403);
    metrics_kubernetes_request(metrics, "get", 999);
    metrics_kubernetes_request(metrics, "get", -1);
    assert_true(prints("\nkarta_kubernetes_requests_total{verb=\"list\",code=\"200\"} 2\n"));
    assert_true(prints("\nkarta_kubernetes_requests_total{verb=\"watch\",code=\"0\"} 1\n"));
    assert_true(prints("\nkarta_kubernetes_requests_total{verb=\"other\",code=\"403\"} 1\n"));
    assert_true(prints("\nkarta_kubernetes_requests_total{verb=\"get\",code=\"0\"} 2\n"));
}

static void metrics_watch_skipped__counts_by_reason(void **state)
{
    (void)state;
    metrics_follow_cluster(metrics);
    metrics_watch_restart(metrics);
    metrics_watch_skipped(metrics, METRICS_SKIP_TOO_LONG);
    assert_true(prints("\nkarta_watch_restarts_total 1\n"));
    assert_true(prints("\nkarta_watch_events_skipped_total{reason=\"garbage\"} 0\n"
                       "karta_watch_events_skipped_total{reason=\"too-long\"} 1\n"
                       "karta_watch_events_skipped_total{reason=\"shape\"} 0\n"));
}

static void metrics_watch_synced__is_absent_until_one_is_and_after_all_are_forgotten(void **state)
{
    (void)state;
    metrics_follow_cluster(metrics);
    size_t pods = metrics_watch_place(metrics, "pods");
    assert_int_equal(metrics_watch_place(metrics, "pods"), pods);
    assert_false(prints("\nkarta_watch_last_sync_timestamp_seconds "));
    metrics_watch_synced(metrics, pods);
    assert_true(prints("\nkarta_watch_last_sync_timestamp_seconds 1"));
    metrics_watch_forget(metrics, pods);
    assert_false(prints("\nkarta_watch_last_sync_timestamp_seconds "));
}

static void metrics_watch_place__has_room_for_sixty_three(void **state)
{
    (void)state;
    metrics_follow_cluster(metrics);
    for (size_t i = 1; i < 400; i++) {
        char name[32];
        snprintf(name, sizeof name, "kind%zu.example.org", i);
        assert_int_equal(metrics_watch_place(metrics, name), i < 64 ? i : 0);
    }
    metrics_watch_synced(metrics, 0);
    assert_false(prints("\nkarta_watch_last_sync_timestamp_seconds "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(metrics_print__is_silent_of_a_cluster_that_is_not_followed,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(metrics_kubernetes_request__counts_by_verb_and_code, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(metrics_watch_skipped__counts_by_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(
            metrics_watch_synced__is_absent_until_one_is_and_after_all_are_forgotten, setup,
            teardown),
        cmocka_unit_test_setup_teardown(metrics_watch_place__has_room_for_sixty_three, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
