/* SPDX-License-Identifier: Apache-2.0 */
/* Scale of subtrees, over components made by hand: no definition, no expression. */
#include "scale.h"

#include <string.h>

#include "support.h"

/* Marks that a component has a scale, or ids, or a template; never evaluated. */
static struct jq_expression *const present = (struct jq_expression *)&present;

struct node {
    const char *ids; /* one letter an id; "": a single instance, NULL: none */
    size_t owner;
    bool leaf;
    int64_t replicas[3], minimum[3]; /* -1: not said */
    bool late[3];
};

struct tree {
    struct component components[4];
    struct resolved_component resolved_components[4];
    struct instance instances[4][3];
    char ids[4][3][2];
    struct resolved resolved;
};

static struct count said(int64_t value)
{
    return value < 0 ? (struct count){0} : (struct count){true, value};
}

static void build(struct tree *tree, const struct node *nodes, size_t count, bool scaled)
{
    memset(tree, 0, sizeof *tree);
    for (size_t c = 0; c < count; c++) {
        struct component *component = &tree->components[c];
        struct resolved_component *resolved = &tree->resolved_components[c];
        component->name = (char *)"c";
        component->owner = nodes[c].owner;
        component->form = nodes[c].leaf ? TEMPLATE_POD_TEMPLATE : TEMPLATE_NONE;
        component->replicas.jq = scaled ? present : NULL;
        bool many = nodes[c].ids != NULL && nodes[c].ids[0] != '\0';
        component->ids.jq = many ? present : NULL;
        resolved->definition = component;
        resolved->instances = tree->instances[c];
        resolved->count = nodes[c].ids == NULL ? 0 : (many ? strlen(nodes[c].ids) : 1);
        for (size_t i = 0; i < resolved->count; i++) {
            tree->ids[c][i][0] = many ? nodes[c].ids[i] : '\0';
            tree->instances[c][i] = (struct instance){.id = tree->ids[c][i],
                                                      .replicas = said(nodes[c].replicas[i]),
                                                      .min_replicas = said(nodes[c].minimum[i]),
                                                      .late = nodes[c].late[i]};
        }
    }
    tree->resolved.components = tree->resolved_components;
    tree->resolved.count = count;
}

static int64_t scale_at(const struct tree *tree, size_t component, size_t instance,
                        enum scale_mode mode)
{
    struct count count = {0};
    assert_int_equal(scale_of(&tree->resolved, component, instance, mode, NULL, &count, NULL), 0);
    return count.value;
}

#define NONE                                                                                       \
    {                                                                                              \
        -1, -1, -1                                                                                 \
    }

static void leaf__sums_its_instances(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"ab", 0, true, {1, 4, -1}, {-1, 2, -1}, {0}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 5);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_MINIMUM), 3);
    assert_int_equal(scale_at(&tree, 1, 1, SCALE_MINIMUM), 2);
    assert_int_equal(scale_at(&tree, 1, 1, SCALE_DESIRED), 4);
}

static void parent__multiplies_its_children(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{"", 0, false, {3, -1, -1}, NONE, {0}},
                                 {"", 0, true, {1, -1, -1}, NONE, {0}},
                                 {"", 0, true, {7, -1, -1}, NONE, {0}}};
    int64_t pods = 0;
    build(&tree, nodes, 3, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 24);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_MINIMUM), 24);
    assert_int_equal(scale_leaf(&tree.resolved, 2, 0, 0, SCALE_DESIRED, &pods, NULL), 0);
    assert_int_equal(pods, 21);
}

static void parent__without_a_count_is_its_childrens_sum(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{"", 0, false, {-1, -1, -1}, NONE, {0}},
                                 {"", 0, true, {2, -1, -1}, NONE, {0}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 2);
}

static void parent__alone_where_children_say_nothing(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{"", 0, false, {5, -1, -1}, NONE, {0}},
                                 {"", 0, true, {-1, -1, -1}, NONE, {0}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 5);
}

/* A desired count of 0 is 0; a minimum of 0 says nothing. */
static void zero__is_zero_when_desired(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{"", 0, false, {4, -1, -1}, NONE, {0}},
                                 {"", 0, true, {0, -1, -1}, NONE, {0}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 0);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_MINIMUM), 4);
}

static void same_ids__multiply_id_by_id(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"ab", 0, false, {2, 3, -1}, NONE, {0}},
                                 {"ab", 1, true, {1, 10, -1}, NONE, {0}}};
    build(&tree, nodes, 3, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 32);
    assert_int_equal(scale_at(&tree, 1, 1, SCALE_DESIRED), 30);
}

static void other_ids__multiply_sum_by_sum(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"ab", 0, false, {2, 3, -1}, NONE, {0}},
                                 {"xy", 1, true, {1, 10, -1}, NONE, {0}}};
    build(&tree, nodes, 3, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 55);
}

static void no_scale__counts_leaf_instances(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"abc", 0, true, NONE, NONE, {0}},
                                 {"", 0, true, NONE, NONE, {0}}};
    build(&tree, nodes, 3, false);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 4);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_MINIMUM), 4);
}

static void late__counts_only_when_desired(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"ab", 0, true, {2, 5, -1}, NONE, {false, true, false}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 1, SCALE_ALL, SCALE_DESIRED), 7);
    assert_int_equal(scale_at(&tree, 1, SCALE_ALL, SCALE_STARTED), 2);
    assert_int_equal(scale_at(&tree, 1, SCALE_ALL, SCALE_MINIMUM), 2);
}

static void product__out_of_range_is_an_error(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{"", 0, false, {2147483647, -1, -1}, NONE, {0}},
                                 {"", 0, false, {2147483647, -1, -1}, NONE, {0}},
                                 {"", 1, true, {2147483647, -1, -1}, NONE, {0}}};
    struct count count = {0};
    struct karta_error err = {0};
    int64_t pods = 0;
    build(&tree, nodes, 3, true);
    assert_int_equal(scale_of(&tree.resolved, 0, SCALE_ALL, SCALE_DESIRED, NULL, &count, &err),
                     KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "count of c: out of range");
    assert_int_equal(scale_leaf(&tree.resolved, 2, 0, 0, SCALE_DESIRED, &pods, NULL),
                     KARTA_ERR_LIMIT);
}

/* What is broken is nothing, not "says nothing": its owner's count doesn't stand in for it. */
static void error__counts_as_nothing(void **state)
{
    (void)state;
    struct tree tree;
    int64_t pods = 1;
    const struct node nodes[] = {{"", 0, false, {2, -1, -1}, NONE, {0}},
                                 {"", 0, true, {-1, -1, -1}, NONE, {0}}};
    build(&tree, nodes, 2, true);
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 2);
    strcpy(tree.resolved_components[1].error, "broken");
    assert_int_equal(scale_at(&tree, 0, SCALE_ALL, SCALE_DESIRED), 0);
    assert_int_equal(scale_leaf(&tree.resolved, 1, 0, 0, SCALE_DESIRED, &pods, NULL), 0);
    assert_int_equal(pods, 0);
}

static void skip__leaves_listed_components_to_themselves(void **state)
{
    (void)state;
    struct tree tree;
    const struct node nodes[] = {{NULL, 0, false, NONE, NONE, {0}},
                                 {"", 0, true, {1, -1, -1}, NONE, {0}},
                                 {"", 0, true, {8, -1, -1}, NONE, {0}}};
    const bool skip[4] = {false, false, true, false};
    struct count count = {0};
    build(&tree, nodes, 3, true);
    assert_int_equal(scale_of(&tree.resolved, 0, SCALE_ALL, SCALE_MINIMUM, skip, &count, NULL), 0);
    assert_int_equal(count.value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf__sums_its_instances),
        cmocka_unit_test(parent__multiplies_its_children),
        cmocka_unit_test(parent__without_a_count_is_its_childrens_sum),
        cmocka_unit_test(parent__alone_where_children_say_nothing),
        cmocka_unit_test(zero__is_zero_when_desired),
        cmocka_unit_test(same_ids__multiply_id_by_id),
        cmocka_unit_test(other_ids__multiply_sum_by_sum),
        cmocka_unit_test(no_scale__counts_leaf_instances),
        cmocka_unit_test(late__counts_only_when_desired),
        cmocka_unit_test(product__out_of_range_is_an_error),
        cmocka_unit_test(error__counts_as_nothing),
        cmocka_unit_test(skip__leaves_listed_components_to_themselves)};
    return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
