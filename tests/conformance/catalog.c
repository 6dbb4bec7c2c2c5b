/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/catalog.md, written from the definitions and compared with what stands there, so that it
 * can't go stale. KARTA_FIXTURE_UPDATE=1 writes the page instead.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "catalog_path.h"
#include "karta/engine.h"
#include "support.h"

#define PAGE "docs/catalog.md"
#define PAGE_BYTES (1U << 20)

static const char introduction[] =
    "# Catalog\n\n"
    "What the definitions in `definitions/` say of each kind. This page is written from them by\n"
    "`tests/conformance/catalog.c`; each file says in its first lines which API it was checked\n"
    "against, and what was chosen on purpose.\n\n"
    "A **gang** is what must start together: the workload, or a part of it that the named labels "
    "of\n"
    "a pod tell from others. Kinds without one are described, counted and given a scheduler and a\n"
    "queue all the same; where an operator makes the pods' owner as a second object, that object "
    "is\n"
    "the gang. **Suspend** is what is written to suspend a workload.\n\n";

static const json_t *get(const json_t *value, const char *key)
{
    return json_object_get(value, key);
}

static const char *text(const json_t *value, const char *key)
{
    const char *found = json_string_value(get(value, key));
    return found != NULL ? found : "";
}

static const json_t *structure(const json_t *karta)
{
    return get(get(karta, "spec"), "structureDefinition");
}

static const json_t *root(const json_t *karta)
{
    return get(structure(karta), "rootComponent");
}

static const json_t *gang(const json_t *karta)
{
    return get(get(get(karta, "spec"), "optimizationInstructions"), "gangScheduling");
}

/* An expression as code in a table. */
static void add_code(struct strbuf *page, const char *expression)
{
    KARTA_AUTO_TEXT path = catalog_path(expression);
    strbuf_adds(page, "`");
    for (const char *c = path; *c != '\0'; c++)
        strbuf_addf(page, "%s%c", *c == '|' ? "\\" : "", *c);
    strbuf_adds(page, "`");
}

static void add_name(struct strbuf *page, const json_t *karta)
{
    const json_t *kind = get(root(karta), "kind");
    const char *group = text(kind, "group");
    strbuf_addf(page, "| **%s** `%s%s%s` ", text(kind, "kind"), group, group[0] != '\0' ? "/" : "",
                text(kind, "version"));
}

/* Where a component's pods get their labels from; NULL: it describes no pods. */
static char *labels_of(const json_t *component)
{
    const json_t *spec = get(component, "specDefinition");
    const json_t *fragments = get(spec, "fragmentedPodSpecDefinition");
    const char *template = text(spec, "podTemplateSpecPath");
    const char *metadata = text(spec, "metadataPath");
    if (spec == NULL)
        return NULL;
    if (fragments != NULL)
        return strdup(text(fragments, "labelsPath"));
    const char *base = template[0] != '\0' ? template : metadata;
    if (base[0] == '\0')
        return strdup("");
    const char *below = template[0] != '\0' ? "metadata.labels" : "labels";
    bool piped = strchr(base, '|') != NULL;
    return mem_format("%s%s%s", base, piped ? " | ." : (base[1] != '\0' ? "." : ""), below);
}

static void add_roles(struct strbuf *page, const json_t *karta)
{
    const json_t *children = get(structure(karta), "childComponents");
    size_t before = page->size;
    strbuf_adds(page, "| ");
    if (get(root(karta), "specDefinition") != NULL)
        strbuf_adds(page, "the workload itself");
    for (size_t i = 0; i < json_array_size(children); i++) {
        const json_t *child = json_array_get(children, i);
        const char *each = get(child, "instanceIdPath") != NULL ? " (each)" : "";
        strbuf_addf(page, "%s%s%s", page->size > before + 2 ? ", " : "", text(child, "name"), each);
    }
    strbuf_adds(page, " ");
}

/* True where the Karta says that this path has one value in a workload. */
static bool is_constant(const json_t *karta, const char *path)
{
    const json_t *annotations = get(get(karta, "metadata"), "annotations");
    const char *listed = text(annotations, "workloadmap.dev/constant-keys");
    json_auto_t *paths = json_loads(listed, 0, NULL);
    for (size_t i = 0; i < json_array_size(paths); i++)
        if (strcmp(json_string_value(json_array_get(paths, i)), path) == 0)
            return true;
    return false;
}

static void add_keys(struct strbuf *page, const json_t *karta, const json_t *member)
{
    const json_t *keys = get(member, "groupByKeyPaths");
    size_t before = page->size;
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const char *path = json_string_value(json_array_get(keys, i));
        if (is_constant(karta, path))
            continue;
        strbuf_adds(page, page->size > before ? ", " : "each ");
        add_code(page, path);
    }
    if (page->size == before)
        strbuf_adds(page, "the workload");
}

static void add_members(struct strbuf *page, const json_t *members)
{
    strbuf_adds(page, ": ");
    for (size_t i = 0; i < json_array_size(members); i++)
        strbuf_addf(page, "%s%s", i > 0 ? ", " : "",
                    text(json_array_get(members, i), "componentName"));
}

static void add_gang(struct strbuf *page, const json_t *karta)
{
    const json_t *one = get(gang(karta), "podGroup"), *many = get(gang(karta), "podGroups");
    strbuf_adds(page, "| ");
    if (one != NULL) {
        strbuf_adds(page, "the workload");
        add_members(page, get(one, "subGroups"));
    }
    for (size_t i = 0; one == NULL && i < json_array_size(many); i++) {
        const json_t *members = get(json_array_get(many, i), "members");
        strbuf_adds(page, i > 0 ? "; " : "");
        add_keys(page, karta, json_array_get(members, 0));
        add_members(page, members);
    }
    if (one == NULL && json_array_size(many) == 0)
        strbuf_adds(page, "-");
    strbuf_adds(page, " ");
}

static void add_suspend(struct strbuf *page, const json_t *karta)
{
    const json_t *actions = get(get(root(karta), "suspendDefinition"), "suspendActions");
    strbuf_adds(page, "| ");
    for (size_t i = 0; i < json_array_size(actions); i++) {
        const json_t *action = json_array_get(actions, i);
        KARTA_AUTO_TEXT said = mem_format("%s: %s", text(action, "path"), text(action, "value"));
        strbuf_adds(page, i > 0 ? ", " : "");
        add_code(page, said);
    }
    strbuf_adds(page, json_array_size(actions) > 0 ? " |\n" : "- |\n");
}

static void add_labels(struct strbuf *page, const json_t *karta, const json_t *component)
{
    KARTA_AUTO_TEXT labels = labels_of(component);
    if (labels == NULL)
        return;
    add_name(page, karta);
    strbuf_addf(page, "| %s | ", text(component, "name"));
    if (labels[0] != '\0')
        add_code(page, labels);
    else
        strbuf_adds(page, "nowhere: the object has no field for them");
    strbuf_adds(page, " |\n");
}

/* The definitions in the order of their files. */
static void add_kinds(struct strbuf *page, const struct karta_snapshot *snapshot, bool labels)
{
    json_auto_t *list = karta_snapshot_list(snapshot);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(text(entry, "kind"), "Karta") != 0)
            continue;
        const struct karta_definition *definition =
            karta_snapshot_find_name(snapshot, text(entry, "name"));
        assert_non_null(definition);
        const json_t *karta = karta_definition_document(definition);
        const json_t *children = get(structure(karta), "childComponents");
        if (!labels) {
            add_name(page, karta);
            add_roles(page, karta);
            add_gang(page, karta);
            add_suspend(page, karta);
            continue;
        }
        add_labels(page, karta, root(karta));
        for (size_t c = 0; c < json_array_size(children); c++)
            add_labels(page, karta, json_array_get(children, c));
    }
}

static void write_page(struct strbuf *page, const struct karta_snapshot *snapshot)
{
    strbuf_adds(page, introduction);
    strbuf_adds(page, "| kind | roles | gang | suspend |\n| --- | --- | --- | --- |\n");
    add_kinds(page, snapshot, false);
    strbuf_adds(page,
                "\n## Where labels land\n\n"
                "Where the pods of a role take their labels from; a role that isn't there gets "
                "none.\n\n"
                "| kind | role | path in the workload |\n| --- | --- | --- |\n");
    add_kinds(page, snapshot, true);
}

static void catalog_page__says_what_the_definitions_say(void **state)
{
    KARTA_AUTO_STRBUF page;
    struct karta_error err = {0};
    struct karta_snapshot *snapshot = test_snapshot();
    strbuf_init(&page, PAGE_BYTES);
    write_page(&page, snapshot);
    karta_snapshot_unref(snapshot);
    assert_int_equal(strbuf_check(&page, &err), 0);
    KARTA_AUTO_TEXT written = strbuf_take(&page);
    if (getenv("KARTA_FIXTURE_UPDATE") != NULL)
        assert_int_equal(
            file_write(KARTA_SOURCE_DIR "/" PAGE, written, strlen(written), 0644, &err), 0);
    KARTA_AUTO_TEXT stands = test_read(PAGE, NULL);
    if (strcmp(written, stands) != 0)
        fail_msg("%s is stale: KARTA_FIXTURE_UPDATE=1 test_conformance_catalog writes it", PAGE);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalog_page__says_what_the_definitions_say),
    };
    struct karta_error err = {0};
    if (karta_engine_init(&err) != 0)
        return 2;
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    karta_engine_shutdown();
    return failures;
}
