/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_memory.h"

#include <string.h>

#include "metadata.h"
#include "support.h"

#define FOR_TRAIN "'for':{'group':'g','kind':'K','namespace':'ml','name':'train'}"
#define REST                                                                                       \
    "'groups':[{'name':'train-a-00000000','subGroups':[{'name':'leader'}]}],"                      \
    "'nonce':'1f3a9c2e','profile':'kai','v':1"

/* An object of kind g/v1 K named train, with this annotation (in single quotes). */
static json_t *object_with(const char *annotation)
{
    json_t *object = test_json("{'apiVersion': 'g/v1', 'kind': 'K', 'metadata':"
                               " {'name': 'train', 'namespace': 'ml', 'annotations': {}}}");
    json_t *value = test_json(annotation);
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    json_t *annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
    json_object_set_new(annotations, KEY_GANG, json_string(text));
    free(text);
    json_decref(value);
    return object;
}

static bool reads(const char *annotation, const char *ns)
{
    json_t *object = object_with(annotation);
    struct gang_memory memory;
    bool good = gang_memory_read(object, ns, &memory);
    gang_memory_dispose(&memory);
    json_decref(object);
    return good;
}

static void read__believes_only_what_names_its_carrier(void **state)
{
    (void)state;
    assert_true(reads("{" FOR_TRAIN "," REST "}", "ml"));
    assert_false(reads("{" FOR_TRAIN "," REST "}", "other"));
    assert_false(
        reads("{'for':{'group':'g','kind':'K','namespace':'ml','name':'x'}," REST "}", "ml"));
    assert_false(
        reads("{'for':{'group':'h','kind':'K','namespace':'ml','name':'train'}," REST "}", "ml"));
    assert_false(
        reads("{'for':{'group':'g','kind':'L','namespace':'ml','name':'train'}," REST "}", "ml"));
    assert_false(
        reads("{'for':{'group':'','kind':'K','namespace':'ml','name':'train'}," REST "}", "ml"));
    assert_false(reads(
        "{'for':{'group':'g','kind':'K','namespace':'ml','generateName':'train'}," REST "}", "ml"));
}

static void read__refuses_every_other_shape(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[]",
        "'x'",
        "7",
        "null",
        "{" FOR_TRAIN ",'groups':[],'nonce':'1f3a9c2e','profile':'kai'}",
        "{" FOR_TRAIN ",'groups':[],'nonce':'1f3a9c2e','profile':'kai','v':2}",
        "{" FOR_TRAIN ",'groups':{},'nonce':'1f3a9c2e','profile':'kai','v':1}",
        "{" FOR_TRAIN ",'groups':[],'nonce':'1F3A9C2E','profile':'kai','v':1}",
        "{" FOR_TRAIN ",'groups':[],'nonce':'1f','profile':'kai','v':1}",
        "{" FOR_TRAIN ",'groups':[],'nonce':'1f3a9c2e','v':1}",
        "{'for':7,'groups':[],'nonce':'1f3a9c2e','profile':'kai','v':1}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(reads(bad[i], "ml"));
}

static void names__finds_groups_and_subgroups(void **state)
{
    (void)state;
    json_t *object = object_with("{" FOR_TRAIN "," REST "}");
    struct gang_memory memory;
    assert_true(gang_memory_read(object, "ml", &memory));
    assert_true(gang_memory_names(&memory, "train-a-00000000"));
    assert_true(gang_memory_names(&memory, "leader"));
    assert_false(gang_memory_names(&memory, "worker"));
    assert_string_equal(memory.nonce, "1f3a9c2e");
    assert_string_equal(memory.profile, "kai");
    assert_null(memory.queue);
    gang_memory_dispose(&memory);
    json_decref(object);
}

static void submitted__asks_managed_fields(void **state)
{
    (void)state;
    json_t *ours = test_json("{'metadata': {'managedFields': [{'fieldsV1': {'f:metadata':"
                             " {'f:annotations': {'f:other': {}}}}}]}}");
    json_t *theirs = test_json("{'metadata': {'managedFields': [{}, {'fieldsV1': {'f:metadata':"
                               " {'f:annotations': {'f:workloadmap.dev/gang': {}}}}}]}}");
    json_t *odd = test_json("{'metadata': {'managedFields': ['x', null, {'fieldsV1': 7}]}}");
    assert_false(gang_memory_submitted(ours));
    assert_true(gang_memory_submitted(theirs));
    assert_false(gang_memory_submitted(odd));
    json_decref(ours);
    json_decref(theirs);
    json_decref(odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read__believes_only_what_names_its_carrier),
                                       cmocka_unit_test(read__refuses_every_other_shape),
                                       cmocka_unit_test(names__finds_groups_and_subgroups),
                                       cmocka_unit_test(submitted__asks_managed_fields)};
    return cmocka_run_group_tests_name("gang_memory", tests, NULL, NULL);
}
