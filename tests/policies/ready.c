/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks one policy of manifests/policies about the workloads of one framework.
 *
 *   POLICY/FRAMEWORK.yaml      workloads, one a document, in their namespaces
 *   POLICY/FRAMEWORK.old.yaml  where there is one: what they are updates of, one by one
 *   POLICY/FRAMEWORK.txt       what the policy says, a line for each workload, word for word
 *
 * KARTA_FIXTURE_UPDATE=1 writes what came out in place of what was expected, for reading before it
 * is committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "karta/policy.h"
#include "support.h"

static void must(bool good, const char *what, const char *detail)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(1);
}

static char *path_of(const char *name, const char *suffix)
{
    return mem_format("tests/policies/%s%s", name, suffix);
}

/* New array; NULL where there is no such file. */
static json_t *read_documents(const char *name, const char *suffix)
{
    KARTA_AUTO_TEXT path = path_of(name, suffix);
    KARTA_AUTO_TEXT bytes = NULL;
    json_t *documents = NULL;
    struct karta_error err = {0};
    size_t size;
    KARTA_AUTO_TEXT whole = mem_format("%s/%s", KARTA_SOURCE_DIR, path);
    if (file_read(whole, 1U << 20, &bytes, &size, &err) != 0)
        return NULL;
    must(karta_documents_parse(bytes, size, &documents, &err) == 0, path, err.message);
    return documents;
}

static void load(struct karta_snapshot *snapshot, const char *name)
{
    KARTA_AUTO_TEXT policy = strndup(name, strcspn(name, "/"));
    KARTA_AUTO_TEXT path = mem_format("manifests/policies/%s.yaml", policy);
    size_t size;
    KARTA_AUTO_TEXT bytes = test_read(path, &size);
    struct karta_problems *problems = karta_problems_new();
    karta_snapshot_load(snapshot, bytes, size, path, problems, NULL);
    must(karta_problems_count(problems) == 0, path, "has problems");
    must(karta_policy_count(snapshot) == 1, path, "is not one policy");
    must(strcmp(karta_policy_name(karta_policy_at(snapshot, 0)), policy) == 0, path,
         "has another name than its file");
    karta_problems_free(problems);
}

/* "passes", "is not asked", or each finding after its actions. */
static void add_verdict(struct strbuf *buf, const struct karta_verdict *verdict)
{
    if (json_array_size(verdict->findings) == 0)
        strbuf_adds(buf, verdict->decision_count > 0 ? "passes" : "is not asked");
    for (size_t i = 0; i < json_array_size(verdict->findings); i++) {
        const json_t *finding = json_array_get(verdict->findings, i);
        const json_t *actions = json_object_get(finding, "actions");
        strbuf_addf(buf, "%s%s: %s", i > 0 ? "; " : "",
                    json_string_value(json_array_get(actions, 0)),
                    json_string_value(json_object_get(finding, "message")));
    }
    strbuf_addc(buf, '\n');
}

static void ask(const struct karta_snapshot *snapshot, const json_t *object, const json_t *old,
                struct strbuf *buf)
{
    const json_t *ns = json_object_get(json_object_get(object, "metadata"), "namespace");
    const struct karta_request request = {.operation = old != NULL ? "UPDATE" : "CREATE",
                                          .ns = json_string_value(ns),
                                          .object = object,
                                          .old_object = old};
    struct karta_verdict verdict = {0};
    must(karta_policies_ask(snapshot, &request, &verdict, NULL) == 0, "asking", "out of memory");
    add_verdict(buf, &verdict);
    karta_verdict_dispose(&verdict);
}

static int compare(const char *name, const char *actual)
{
    KARTA_AUTO_TEXT path = path_of(name, ".txt");
    size_t size;
    if (getenv("KARTA_FIXTURE_UPDATE") != NULL) {
        struct karta_error err = {0};
        KARTA_AUTO_TEXT whole = mem_format("%s/%s", KARTA_SOURCE_DIR, path);
        must(file_write(whole, actual, strlen(actual), 0644, &err) == 0, path, err.message);
        return 0;
    }
    KARTA_AUTO_TEXT expected = test_read(path, &size);
    if (strcmp(actual, expected) == 0)
        return 0;
    fprintf(stderr, "--- actual %s\n%s--- expected\n%s", path, actual, expected);
    return 1;
}

int main(int argc, char **argv)
{
    must(argc == 2 && karta_engine_init(NULL) == 0, "usage", "test_ready_policy POLICY/FRAMEWORK");
    struct karta_snapshot *snapshot = test_snapshot();
    json_t *objects = read_documents(argv[1], ".yaml"), *old = read_documents(argv[1], ".old.yaml");
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 1U << 16);
    load(snapshot, argv[1]);
    must(json_array_size(objects) > 0, argv[1], "has no workloads");
    must(old == NULL || json_array_size(old) == json_array_size(objects), argv[1],
         "has more workloads than old ones, or fewer");
    for (size_t i = 0; i < json_array_size(objects); i++)
        ask(snapshot, json_array_get(objects, i), json_array_get(old, i), &buf);
    int failed = compare(argv[1], buf.text);
    json_decref(objects);
    json_decref(old);
    karta_snapshot_unref(snapshot);
    karta_engine_shutdown();
    return failed;
}
