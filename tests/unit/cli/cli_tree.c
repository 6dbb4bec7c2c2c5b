/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <locale.h>

#include "support.h"

static json_t *make_nodes(void)
{
    json_t *nodes = json_array();
    assert_true(tree_node(nodes, "r", NULL, (const char *[]){"root", "3", NULL}));
    assert_true(tree_node(nodes, "a", "r", (const char *[]){"a", "1", NULL}));
    assert_true(tree_node(nodes, "b", "r", (const char *[]){"b", "2", NULL}));
    assert_true(tree_node(nodes, "a1", "a", (const char *[]){"a1", "", NULL}));
    assert_true(tree_node(nodes, "b1", "b", (const char *[]){"b1", "", NULL}));
    return nodes;
}

static void assert_tree(const json_t *nodes, bool boxes, const char *expected)
{
    struct table table = {0};
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    tree_rows(nodes, boxes, &table);
    table_print(&table, false, &buf);
    assert_string_equal(buf.text != NULL ? buf.text : "", expected);
    strbuf_dispose(&buf);
    table_dispose(&table);
}

static void tree_rows__puts_children_below_their_parents(void **state)
{
    (void)state;
    json_t *nodes = make_nodes();
    assert_tree(nodes, false,
                "root        3\n"
                "|-- a       1\n"
                "|   `-- a1\n"
                "`-- b       2\n"
                "    `-- b1\n");
    json_decref(nodes);
}

static void tree_rows__draws_boxes_on_a_terminal(void **state)
{
    (void)state;
    json_t *nodes = make_nodes();
    assert_tree(nodes, true,
                "root        3\n"
                "├── a       1\n"
                "│   └── a1\n"
                "└── b       2\n"
                "    └── b1\n");
    json_decref(nodes);
}

static void tree_rows__ends_where_nodes_own_each_other(void **state)
{
    (void)state;
    json_t *nodes = json_array();
    assert_true(tree_node(nodes, "a", "b", (const char *[]){"a", NULL}));
    assert_true(tree_node(nodes, "b", "a", (const char *[]){"b", NULL}));
    assert_true(tree_node(nodes, "r", NULL, (const char *[]){"r", NULL}));
    assert_tree(nodes, false, "r\n");
    json_decref(nodes);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_rows__puts_children_below_their_parents),
        cmocka_unit_test(tree_rows__draws_boxes_on_a_terminal),
        cmocka_unit_test(tree_rows__ends_where_nodes_own_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
