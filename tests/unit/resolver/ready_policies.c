/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of manifests/policies as files; what each says of workloads is in tests/policies. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "support.h"

#define FOLDER KARTA_SOURCE_DIR "/manifests/policies"
#define TRAIN                                                                                      \
    "{'apiVersion': 'kubeflow.org/v1', 'kind': 'PyTorchJob', 'metadata': {'name': 'train', "       \
    "'annotations': {'workloadmap.dev/inject': 'true'}}, 'spec': {'pytorchReplicaSpecs': {"        \
    "'Worker': {'replicas': 2, 'template': {'spec': {'containers': [{'name': 'main', 'image': "    \
    "'train:1'}]}}}}}}"

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

static void read_comment(const char *name, char *text, size_t size)
{
    KARTA_AUTO_TEXT path = mem_format("manifests/policies/%s", name);
    KARTA_AUTO_TEXT bytes = test_read(path, NULL);
    const char *end = strstr(bytes, "\napiVersion");
    assert_non_null(end);
    snprintf(text, size, "%.*s", (int)(end - bytes), bytes);
}

static void files__open_with_what_they_hold_and_where_to_change_it(void **state)
{
    (void)state;
    size_t count = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char comment[2048];
        if (entry->d_name[0] == '.')
            continue;
        read_comment(entry->d_name, comment, sizeof comment);
        assert_memory_equal(comment, "# ", 2);
        assert_non_null(strstr(comment, "\n# To change: "));
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

static void queue__is_filled_in_where_none_is_named(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    load(snapshot, "queue");
    json_t *object = test_json(TRAIN);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files__open_with_what_they_hold_and_where_to_change_it),
        cmocka_unit_test(queue__is_filled_in_where_none_is_named)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("ready_policies", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
