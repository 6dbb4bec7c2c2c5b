/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the examples of a page and compares what it shows. A fenced block is an example where a
 * comment stands on the line before it: <!-- MARK -->. Input:
 *
 *   base            the Karta that all examples change
 *   karta           the base with this laid over it: maps are merged, and
 *                   lists of named things by name; all else is replaced
 *   object          a workload: this laid over apiVersion, kind and the name "demo" of the base
 *   file NAME       a file, below a folder of the page's own; `add NAME` lays YAML over it
 *
 * Output, of the last Karta and object:
 *
 *   view POINTER [KEY...]   the value there in the view; of objects only these keys
 *   explain FIELD           what the expressions whose field ends so give
 *   validate                what validation says, a line each; warnings start so
 *   mutate POINTER          the value there after a CREATE in queue "research", profile kai
 *   input FILE              all that an expression of a policy reads when that file's is created
 *   update POLICY OLD NEW   what the policy says of an update, files all three, a line each
 *   kartactl ARGUMENTS      the command after a $, then what it prints in the page's folder of
 *                           files, and its exit code if that isn't 0, as (exit code 5)
 *
 * Values are compared as JSON, the rest as text. An output mark that starts with `pending` isn't
 * compared, but said. KARTA_FIXTURE_UPDATE=1 writes into the page what came out, for reading.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "docs_blocks.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "karta/explain.h"
#include "karta/mutate.h"
#include "karta/patch.h"
#include "karta/policy.h"
#include "karta/view.h"
#include "policy_asking.h"
#include "support.h"

#define OUTPUT_BYTES (1U << 20)
#define LINE_COLUMNS 98

struct examples {
    const char *path;
    struct page page;
    json_t *base, *karta, *object, *files;
    char folder[32];
    int failures;
};

static void die(const struct examples *examples, const struct block *block, const char *what)
{
    fprintf(stderr, "%s:%d: %s: %s\n", examples->path, block->line, block->mark, what);
    abort();
}

static json_t *read_yaml(const struct examples *examples, const struct block *block)
{
    struct karta_error err = {0};
    json_auto_t *documents = NULL;
    if (karta_documents_parse(block->text, strlen(block->text), &documents, &err) != 0)
        die(examples, block, err.message);
    if (json_array_size(documents) != 1)
        die(examples, block, "is not one document");
    return json_incref(json_array_get(documents, 0));
}

static bool are_named(const json_t *list)
{
    return json_is_array(list) && json_object_get(json_array_get(list, 0), "name") != NULL;
}

static json_t *named(const json_t *list, const json_t *like)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i,
                       item) if (json_equal(json_object_get(item, "name"),
                                            json_object_get(like, "name"))) return item;
    return NULL;
}

static void lay_over(json_t *under, const json_t *what);

static void lay_list_over(json_t *under, const json_t *what)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)what, i, item)
    {
        json_t *old = named(under, item);
        if (old != NULL)
            lay_over(old, item);
        else
            json_array_append_new(under, json_deep_copy(item));
    }
}

static void lay_over(json_t *under, const json_t *what)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)what, key, value)
    {
        json_t *old = json_object_get(under, key);
        if (json_is_object(old) && json_is_object(value))
            lay_over(old, value);
        else if (are_named(old) && are_named(value))
            lay_list_over(old, value);
        else
            json_object_set_new(under, key, json_deep_copy(value));
    }
}

/* `what` laid over a copy of `under`. New. */
static json_t *laid_over(const json_t *under, const json_t *what)
{
    json_t *result = json_deep_copy(under);
    lay_over(result, what);
    return result;
}

static json_t *new_object(const struct examples *examples)
{
    const json_t *kind =
        karta_pointer_get(examples->base, "/spec/structureDefinition/rootComponent/kind");
    KARTA_AUTO_TEXT version = mem_format("%s/%s", json_string_value(json_object_get(kind, "group")),
                                         json_string_value(json_object_get(kind, "version")));
    return json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", version, "kind",
                     json_string_value(json_object_get(kind, "kind")), "metadata", "name", "demo");
}

static struct karta_snapshot *snapshot_of(const struct examples *examples,
                                          const struct block *block)
{
    struct karta_snapshot *snapshot = test_snapshot();
    struct karta_problems *problems = karta_problems_new();
    struct karta_error err = {0};
    KARTA_AUTO_TEXT text = json_dumps(examples->karta, 0);
    if (karta_snapshot_load(snapshot, text, strlen(text), "docs", problems, &err) != 0)
        die(examples, block, err.message);
    if (karta_problems_refusals(problems) > 0)
        die(examples, block, karta_problems_summary(problems));
    karta_problems_free(problems);
    return snapshot;
}

/* The word that `*rest` starts with, cut off; NULL at its end. */
static char *next_word(char **rest)
{
    char *word = strsep(rest, " ");
    return word != NULL && *word != '\0' ? word : NULL;
}

static json_t *only_keys(const json_t *value, const json_t *keys)
{
    json_t *result = json_is_array(value) ? json_array() : json_object();
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)value, i, item)
        json_array_append_new(result, only_keys(item, keys));
    json_array_foreach((json_t *)keys, i, item) if (json_is_object(value)) json_object_set(
        result, json_string_value(item), json_object_get(value, json_string_value(item)));
    return result;
}

static json_t *run_view(const struct examples *examples, const struct block *block, char *rest)
{
    struct karta_snapshot *snapshot = snapshot_of(examples, block);
    struct karta_error err = {0};
    json_auto_t *view = NULL;
    if (karta_view(snapshot, examples->object, NULL, 0, &view, &err) != 0)
        die(examples, block, err.message);
    karta_snapshot_unref(snapshot);
    const char *pointer = next_word(&rest);
    json_t *value = karta_pointer_get(view, pointer != NULL ? pointer : "");
    json_auto_t *keys = json_array();
    for (char *key = next_word(&rest); key != NULL; key = next_word(&rest))
        json_array_append_new(keys, json_string(key));
    if (value == NULL)
        die(examples, block, "the view has no such place");
    return json_array_size(keys) > 0 ? only_keys(value, keys) : json_incref(value);
}

static bool ends_so(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static json_t *run_explain(const struct examples *examples, const struct block *block, char *rest)
{
    struct karta_snapshot *snapshot = snapshot_of(examples, block);
    struct karta_error err = {0};
    json_auto_t *report = NULL;
    const char *field = next_word(&rest);
    json_t *given = json_array();
    if (karta_explain(karta_snapshot_find_for(snapshot, examples->object), examples->object, 0,
                      &report, &err) != 0)
        die(examples, block, err.message);
    size_t i;
    json_t *entry;
    json_array_foreach(
        report, i, entry) if (ends_so(json_string_value(json_object_get(entry, "field")), field))
    {
        json_object_del(entry, "field");
        json_object_del(entry, "expression");
        json_object_del(entry, "component");
        json_array_append(given, entry);
    }
    karta_snapshot_unref(snapshot);
    if (json_array_size(given) == 0)
        die(examples, block, "no expression stands in such a field");
    return given;
}

static json_t *run_mutate(const struct examples *examples, const struct block *block, char *rest)
{
    struct karta_snapshot *snapshot = snapshot_of(examples, block);
    const struct karta_mutate_options options = {
        .profile = "kai", .uid = "", .opted_in = true, .default_queue = "research"};
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    json_t *result = NULL;
    if (karta_mutate_create(snapshot, examples->object, &options, &mutation, &err) != 0)
        die(examples, block, err.message);
    if (mutation.patch == NULL)
        result = json_incref(mutation.warnings);
    else if (karta_patch_apply(examples->object, mutation.patch, &result, &err) != 0)
        die(examples, block, err.message);
    json_t *value = mutation.patch != NULL ? karta_pointer_get(result, rest) : result;
    if (value == NULL)
        die(examples, block, "the result has no such place");
    json_incref(value);
    json_decref(result);
    karta_mutation_dispose(&mutation);
    karta_snapshot_unref(snapshot);
    return value;
}

static char *run_validate(const struct examples *examples)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct karta_problems *problems = karta_problems_new();
    karta_document_validate(examples->karta, problems);
    for (size_t i = 0; i < karta_problems_count(problems); i++)
        strbuf_addf(&buf, "%s%s: %s\n",
                    karta_problem_severity(problems, i) == KARTA_WARNING ? "warning: " : "",
                    karta_problem_path(problems, i), karta_problem_message(problems, i));
    karta_problems_free(problems);
    return strbuf_take(&buf);
}

static const json_t *file_of(const struct examples *examples, const struct block *block,
                             const char *name)
{
    const json_t *file = name != NULL ? json_object_get(examples->files, name) : NULL;
    if (file == NULL)
        die(examples, block, "names no file");
    return file;
}

/* A creation in namespace team-a by alice. */
static struct karta_request request_of(const json_t *object, const json_t *user)
{
    return (struct karta_request){
        .operation = "CREATE", .ns = "team-a", .object = object, .user_info = user};
}

static json_t *run_input(const struct examples *examples, const struct block *block, char *rest)
{
    struct karta_snapshot *snapshot = test_snapshot();
    json_auto_t *user = test_json("{'username': 'alice', 'groups': ['system:authenticated']}");
    const struct karta_request request = request_of(file_of(examples, block, rest), user);
    struct karta_verdict verdict = {0};
    struct asking asking = {.snapshot = snapshot, .request = &request, .verdict = &verdict};
    if (asking_read(&asking) != 0 || asking.whole == NULL)
        die(examples, block, "can't be read");
    json_t *whole = json_deep_copy(asking.whole);
    asking_dispose(&asking);
    karta_snapshot_unref(snapshot);
    return whole;
}

static char *run_update(const struct examples *examples, const struct block *block, char *rest)
{
    struct karta_snapshot *snapshot = test_snapshot();
    KARTA_AUTO_TEXT policy = json_dumps(file_of(examples, block, next_word(&rest)), 0);
    if (karta_snapshot_load(snapshot, policy, strlen(policy), "docs", NULL, NULL) != 0)
        die(examples, block, "the policy can't be loaded");
    const json_t *old = file_of(examples, block, next_word(&rest));
    struct karta_request request = request_of(file_of(examples, block, next_word(&rest)), NULL);
    request.operation = "UPDATE";
    request.old_object = old;
    struct karta_verdict verdict = {0};
    if (karta_policies_ask(snapshot, &request, &verdict, NULL) != 0)
        die(examples, block, "out of memory");
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    strbuf_adds(&buf, (verdict.actions & KARTA_POLICY_DENY) != 0 ? "denied\n" : "allowed\n");
    for (size_t i = 0; i < json_array_size(verdict.findings); i++) {
        const json_t *finding = json_array_get(verdict.findings, i);
        strbuf_addf(&buf, "policy %s: %s\n", json_string_value(json_object_get(finding, "policy")),
                    json_string_value(json_object_get(finding, "message")));
    }
    karta_verdict_dispose(&verdict);
    karta_snapshot_unref(snapshot);
    return strbuf_take(&buf);
}

static char *run_kartactl(const struct examples *examples, const struct block *block,
                          const char *arguments)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    KARTA_AUTO_TEXT command = mem_format("cd %s && exec %s/bin/kartactl %s 2>&1", examples->folder,
                                         KARTA_BINARY_DIR, arguments);
    strbuf_addf(&buf, "$ kartactl %s\n", arguments);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        die(examples, block, "can't be run");
    char bytes[4096];
    for (size_t size = fread(bytes, 1, sizeof bytes, pipe); size > 0;
         size = fread(bytes, 1, sizeof bytes, pipe))
        strbuf_add(&buf, bytes, size);
    int status = pclose(pipe);
    if (!WIFEXITED(status))
        die(examples, block, "crashed");
    if (WEXITSTATUS(status) != 0)
        strbuf_addf(&buf, "(exit code %d)\n", WEXITSTATUS(status));
    return strbuf_take(&buf);
}

static void write_file(const struct examples *examples, const struct block *block, const char *name)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", examples->folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || json_dumpf(json_object_get(examples->files, name), file, 0) != 0 ||
        fclose(file) != 0)
        die(examples, block, "can't be written");
}

/* JSON as a person would write it: on one line where it fits. */
static void add_pretty(struct strbuf *buf, const json_t *value, size_t indent)
{
    KARTA_AUTO_TEXT text = json_dumps(value, JSON_ENCODE_ANY);
    bool array = json_is_array(value);
    size_t count = array ? json_array_size(value) : json_object_size(value), index = 0;
    if (indent + strlen(text) <= LINE_COLUMNS || count == 0) {
        strbuf_adds(buf, text);
        return;
    }
    strbuf_adds(buf, array ? "[\n" : "{\n");
    const char *key;
    json_t *item;
    for (size_t i = 0; array && i < count; i++) {
        strbuf_addf(buf, "%*s", (int)indent + 2, "");
        add_pretty(buf, json_array_get(value, i), indent + 2);
        strbuf_adds(buf, i + 1 < count ? ",\n" : "\n");
    }
    json_object_foreach((json_t *)value, key, item)
    {
        strbuf_addf(buf, "%*s\"%s\": ", (int)indent + 2, "", key);
        add_pretty(buf, item, indent + 2);
        strbuf_adds(buf, ++index < count ? ",\n" : "\n");
    }
    strbuf_addf(buf, "%*s%s", (int)indent, "", array ? "]" : "}");
}

static void compare_text(struct examples *examples, struct block *block, char *made)
{
    block->made = made;
    if (strcmp(made, block->text) == 0)
        return;
    examples->failures++;
    printf("%s:%d: %s\nshown:\n%snow:\n%s\n", examples->path, block->line, block->mark, block->text,
           made);
}

static void compare_value(struct examples *examples, struct block *block, json_t *value)
{
    json_auto_t *made = value;
    json_auto_t *shown = json_loads(block->text, JSON_DECODE_ANY, NULL);
    if (json_equal(made, shown))
        return;
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    add_pretty(&buf, made, 0);
    strbuf_addc(&buf, '\n');
    compare_text(examples, block, strbuf_take(&buf));
}

static void replace(json_t **place, json_t *value)
{
    json_decref(*place);
    *place = value;
}

/* True where the block is input. */
static bool take_input(struct examples *examples, const struct block *block, const char *word,
                       const char *rest)
{
    static const char *const words[] = {"base", "karta", "object", "file", "add"};
    size_t which = 0;
    while (which < 5 && strcmp(words[which], word) != 0)
        which++;
    if (which == 5)
        return false;
    json_auto_t *value = read_yaml(examples, block);
    json_auto_t *under = which == 2 ? new_object(examples) : NULL;
    if (which == 0)
        replace(&examples->base, json_incref(value));
    if (which <= 1)
        replace(&examples->karta, laid_over(examples->base, value));
    else if (which == 2)
        replace(&examples->object, laid_over(under, value));
    else {
        const json_t *old = json_object_get(examples->files, rest);
        json_object_set_new(examples->files, rest,
                            which == 3 ? json_incref(value) : laid_over(old, value));
        write_file(examples, block, rest);
    }
    return true;
}

static void run_block(struct examples *examples, struct block *block)
{
    KARTA_AUTO_TEXT mark = strdup(block->mark);
    char *rest = mark, *word = next_word(&rest);
    if (strcmp(word, "pending") == 0)
        printf("%s:%d: pending: %s\n", examples->path, block->line, rest);
    else if (take_input(examples, block, word, rest))
        return;
    else if (strcmp(word, "view") == 0)
        compare_value(examples, block, run_view(examples, block, rest));
    else if (strcmp(word, "explain") == 0)
        compare_value(examples, block, run_explain(examples, block, rest));
    else if (strcmp(word, "mutate") == 0)
        compare_value(examples, block, run_mutate(examples, block, rest != NULL ? rest : ""));
    else if (strcmp(word, "input") == 0)
        compare_value(examples, block, run_input(examples, block, rest));
    else if (strcmp(word, "update") == 0)
        compare_text(examples, block, run_update(examples, block, rest));
    else if (strcmp(word, "validate") == 0)
        compare_text(examples, block, run_validate(examples));
    else if (strcmp(word, "kartactl") == 0)
        compare_text(examples, block, run_kartactl(examples, block, rest));
    else
        die(examples, block, "is no mark");
}

static void remove_files(const struct examples *examples)
{
    const char *name;
    json_t *value;
    json_object_foreach(examples->files, name, value)
    {
        KARTA_AUTO_TEXT path = mem_format("%s/%s", examples->folder, name);
        unlink(path);
    }
    rmdir(examples->folder);
}

int main(int argc, char **argv)
{
    struct karta_error err = {0};
    struct examples examples = {.folder = "/tmp/karta-docs-XXXXXX", .files = json_object()};
    if (argc != 2 || karta_engine_init(&err) != 0 || mkdtemp(examples.folder) == NULL) {
        fprintf(stderr, "usage: test_docs_examples PAGE\n");
        return 2;
    }
    examples.path = argv[1];
    page_read(argv[1], &examples.page);
    for (size_t i = 0; i < examples.page.count; i++)
        run_block(&examples, &examples.page.blocks[i]);
    if (getenv("KARTA_FIXTURE_UPDATE") != NULL)
        page_write(argv[1], &examples.page);
    printf("%zu blocks, %d differ\n", examples.page.count, examples.failures);
    bool good = examples.failures == 0 && examples.page.count > 0;
    remove_files(&examples);
    page_dispose(&examples.page);
    json_decref(examples.base);
    json_decref(examples.karta);
    json_decref(examples.object);
    json_decref(examples.files);
    karta_engine_shutdown();
    return good ? 0 : 1;
}
