/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: no box on another, everything inside, names cut and escaped, gangs around their own. */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "karta/members.h"
#include "karta/view.h"
#include "picture.h"
#include "support.h"

static struct karta_snapshot *catalog;

static int setup(void **state)
{
    (void)state;
    assert_int_equal(karta_engine_init(NULL), 0);
    catalog = test_snapshot();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    karta_snapshot_unref(catalog);
    karta_engine_shutdown();
    return 0;
}

/* A JobSet with so many entries, their names made of `format`. */
static json_t *jobset(int count, const char *name)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        KARTA_AUTO_TEXT id = mem_format("%s-%d", name, i);
        json_array_append_new(list, json_pack("{s:s, s:i, s:{s:{s:{s:{s:[{s:s, s:s}]}}}}}", "name",
                                              id, "replicas", 1, "template", "spec", "template",
                                              "spec", "containers", "name", "c", "image", "i"));
    }
    return json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "jobset.x-k8s.io/v1alpha2",
                     "kind", "JobSet", "metadata", "name", name, "spec", "replicatedJobs", list);
}

static void make(json_t *object, struct picture *picture)
{
    json_t *view = NULL, *members = NULL;
    assert_int_equal(karta_view(catalog, object, NULL, 0, &view, NULL), 0);
    assert_int_equal(karta_members(catalog, object, NULL, 0, &members, NULL), 0);
    assert_true(picture_make(view, members, picture));
    json_decref(view);
    json_decref(members);
    json_decref(object);
}

static bool overlap(const struct picture_box *a, const struct picture_box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static void layout__puts_no_box_on_another(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 10, 11, 57, 200};
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        struct picture picture;
        int width, height;
        make(jobset(counts[n], "shard"), &picture);
        picture_layout(&picture, &width, &height);
        assert_int_equal(picture.count, 2 + counts[n]);
        for (size_t i = 0; i < picture.count; i++) {
            const struct picture_box *box = &picture.boxes[i];
            assert_true(box->x > 0 && box->x + box->width < width);
            assert_true(box->y > 0 && box->y + box->height < height);
            for (size_t k = 0; k < i; k++)
                assert_false(overlap(box, &picture.boxes[k]));
        }
        assert_true(width < 2400 && height < 2400);
        picture_dispose(&picture);
    }
}

/* As deep and wide as any definition of ours. */
static void layout__holds_for_what_nests(void **state)
{
    (void)state;
    static const char *const files[] = {"podcliqueset/typical", "rayservice/typical",
                                        "llminferenceservice-v1alpha2/typical",
                                        "appwrapper/typical"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        KARTA_AUTO_TEXT path = mem_format("tests/conformance/%s/object.yaml", files[f]);
        KARTA_AUTO_TEXT text = test_read(path, NULL);
        json_t *documents = NULL;
        assert_int_equal(karta_documents_parse(text, strlen(text), &documents, NULL), 0);
        struct picture picture;
        int width, height;
        make(json_incref(json_array_get(documents, 0)), &picture);
        picture_layout(&picture, &width, &height);
        for (size_t i = 0; i < picture.count; i++)
            for (size_t k = 0; k < i; k++)
                assert_false(overlap(&picture.boxes[i], &picture.boxes[k]));
        picture_dispose(&picture);
        json_decref(documents);
    }
}

static char *svg_of(json_t *object)
{
    struct picture picture;
    struct strbuf buf;
    make(object, &picture);
    strbuf_init(&buf, 1U << 20);
    picture_svg(&picture, &buf);
    picture_dispose(&picture);
    return strbuf_take(&buf);
}

static void svg__cuts_and_escapes_names(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT svg = svg_of(jobset(1, "a<b>&\"c\"-with-a-name-that-is-much-too-long"));
    assert_non_null(strstr(svg, "<title>JobSet/a&lt;b&gt;&amp;&quot;c&quot;-with-a-name-that-is-"
                                "much-too-long</title>"));
    assert_non_null(strstr(svg, "class=\"name\">a&lt;b&gt;&amp;&quot;c&quot;-with-a-nam\u2026<"));
    assert_null(strstr(svg, "<b>"));
}

static void svg__frames_the_gang(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT svg = svg_of(jobset(2, "w"));
    assert_non_null(strstr(svg, ">gang: 2 of 2 pods start together<"));
    assert_non_null(strstr(svg, "<rect class=\"gang\""));
    assert_non_null(strstr(svg, "prefers-color-scheme:dark"));
    assert_non_null(strstr(svg, ">2 pods<"));
}

static void dot__makes_clusters_of_gangs(void **state)
{
    (void)state;
    struct picture picture;
    struct strbuf buf;
    make(jobset(2, "w\"x\\y"), &picture);
    strbuf_init(&buf, 1U << 20);
    picture_dot(&picture, &buf);
    assert_string_equal(buf.text, "digraph \"JobSet/w\\\"x\\\\y\" {\n"
                                  "  rankdir=LR;\n"
                                  "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                                  "  b0 [label=\"JobSet/w\\\"x\\\\y\\n2 pods\\nInitializing\", "
                                  "style=\"rounded,bold\"];\n"
                                  "  b1 [label=\"replicatedjob\"];\n"
                                  "  subgraph cluster_0 {\n"
                                  "  style=dashed;\n"
                                  "  label=\"gang: 2 of 2 pods start together\";\n"
                                  "  b2 [label=\"w\\\"x\\\\y-0\\n1 pod\"];\n"
                                  "  b3 [label=\"w\\\"x\\\\y-1\\n1 pod\"];\n"
                                  "  }\n"
                                  "  b0 -> b1;\n"
                                  "  b1 -> b2;\n"
                                  "  b1 -> b3;\n"
                                  "}\n");
    strbuf_dispose(&buf);
    picture_dispose(&picture);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout__puts_no_box_on_another),
        cmocka_unit_test(layout__holds_for_what_nests),
        cmocka_unit_test(svg__cuts_and_escapes_names),
        cmocka_unit_test(svg__frames_the_gang),
        cmocka_unit_test(dot__makes_clusters_of_gangs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
