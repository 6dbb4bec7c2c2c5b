/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of manifests/policies, each on workloads that pass it and workloads that don't. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "karta/policy.h"
#include "support.h"

#define POD(gpus, image)                                                                           \
    "{'spec': {'containers': [{'name': 'main', 'image': '" image "', 'resources': {'limits': "     \
    "{'nvidia.com/gpu': " gpus "}}}]}}"
#define OURS "registry.example.com/train:1.0"
#define JOB(meta, pods, gpus, image)                                                               \
    "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'train'" meta "}, 'spec': {"   \
    "'parallelism': " pods ", 'completions': " pods ", 'template': " POD(gpus, image) "}}"
#define PYTORCH(workers, gpus)                                                                     \
    "{'apiVersion': 'kubeflow.org/v1', 'kind': 'PyTorchJob', 'metadata': {'name': 'train'}, "      \
    "'spec': {'pytorchReplicaSpecs': {'Master': {'replicas': 1, 'template': " POD(                 \
        gpus, OURS) "}, 'Worker': {'replicas': " workers ", 'template': " POD(gpus, OURS) "}}}}"
#define QUEUE(name) ", 'labels': {'workloadmap.dev/queue': '" name "'}"
#define MEASURED                                                                                   \
    "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'train'}, 'spec': {"           \
    "'template': {'spec': {'containers': [{'name': 'main', 'image': 'x', 'resources': "            \
    "{'requests': {'cpu': '1', 'memory': '1Gi'}}}]}}}}"

static const struct {
    const char *policy, *ns, *object, *old;
    const char *message; /* NULL: it passes */
    unsigned actions;
} cases[] = {
    {"gpu-limit", "ml", JOB("", "2", "4", OURS), NULL, NULL, 0},
    {"gpu-limit", "ml", JOB("", "3", "4", OURS), NULL,
     "asks for 12 GPUs; 8 may be used in one workload", KARTA_POLICY_DENY},
    {"gpu-limit", "ml", PYTORCH("1", "4"), NULL, NULL, 0},
    {"gpu-limit", "ml", PYTORCH("2", "4"), NULL, "asks for 12 GPUs; 8 may be used in one workload",
     KARTA_POLICY_DENY},
    {"registry", "ml", JOB("", "1", "1", OURS), NULL, NULL, 0},
    {"registry", "ml", JOB("", "1", "1", "docker.io/x"), NULL,
     "images from elsewhere than registry.example.com: docker.io/x", KARTA_POLICY_DENY},
    {"queue", "team-a-train", JOB(QUEUE("team-a"), "1", "1", OURS), NULL, NULL, 0},
    {"queue", "team-a", JOB("", "1", "1", OURS), NULL, NULL, 0},
    {"queue", "team-b", JOB(QUEUE("other"), "1", "1", OURS), NULL, NULL, 0},
    {"queue", "team-a", JOB(QUEUE("other"), "1", "1", OURS), NULL, "queue other is not team-a's",
     KARTA_POLICY_DENY},
    {"requests", "ml", MEASURED, NULL, NULL, 0},
    {"requests", "ml", PYTORCH("1", "4"), NULL,
     "pods without requests for cpu and memory: master, worker", KARTA_POLICY_WARN},
    {"growth", "ml", PYTORCH("1", "4"), PYTORCH("2", "4"), NULL, 0},
    {"growth", "ml", PYTORCH("4", "4"), PYTORCH("2", "4"), "grows from 12 to 20 GPUs while it runs",
     KARTA_POLICY_DENY},
    {"growth", "ml", JOB("", "4", "4", OURS), NULL, NULL, 0},
};

static void load(struct karta_snapshot *snapshot, const char *name)
{
    size_t size;
    KARTA_AUTO_TEXT path = mem_format("manifests/policies/%s.yaml", name);
    KARTA_AUTO_TEXT bytes = test_read(path, &size);
    struct karta_problems *problems = karta_problems_new();
    assert_int_equal(karta_snapshot_load(snapshot, bytes, size, path, problems, NULL), 0);
    assert_int_equal(karta_problems_count(problems), 0);
    karta_problems_free(problems);
}

static void policy__says_what_its_file_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct karta_snapshot *snapshot = test_snapshot();
        load(snapshot, cases[i].policy);
        json_t *object = test_json(cases[i].object);
        json_t *old = cases[i].old != NULL ? test_json(cases[i].old) : NULL;
        const struct karta_request request = {.operation = old != NULL ? "UPDATE" : "CREATE",
                                              .ns = cases[i].ns,
                                              .object = object,
                                              .old_object = old};
        struct karta_verdict verdict = {0};
        assert_int_equal(karta_policies_ask(snapshot, &request, &verdict, NULL), 0);
        const json_t *finding = json_array_get(verdict.findings, 0);
        if (cases[i].message == NULL)
            assert_int_equal(json_array_size(verdict.findings), 0);
        else
            assert_string_equal(json_string_value(json_object_get(finding, "message")),
                                cases[i].message);
        assert_int_equal(verdict.actions, cases[i].actions);
        karta_verdict_dispose(&verdict);
        json_decref(object);
        json_decref(old);
        karta_snapshot_unref(snapshot);
    }
}

static void queue__is_filled_in_where_none_is_named(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    load(snapshot, "queue");
    json_t *object = test_json(PYTORCH("2", "4"));
    json_t *metadata = json_object_get(object, "metadata");
    json_object_set_new(metadata, "annotations", test_json("{'workloadmap.dev/inject': 'true'}"));
    const struct karta_mutate_options options = {.profile = "kai", .ns = "team-a", .uid = "u"};
    struct karta_mutation mutation = {0};
    assert_int_equal(karta_mutate_create(snapshot, object, &options, &mutation, NULL), 0);
    KARTA_AUTO_TEXT patch = json_dumps(mutation.patch, 0);
    assert_non_null(patch);
    assert_non_null(strstr(patch, "\"kai.scheduler/queue\": \"team-a\""));
    karta_mutation_dispose(&mutation);
    json_decref(object);
    karta_snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(policy__says_what_its_file_promises),
                                       cmocka_unit_test(queue__is_filled_in_where_none_is_named)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("ready_policies", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
