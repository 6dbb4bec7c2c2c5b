/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: one bad file among many is named and the rest is done, as with every tool that takes
 * several.
 */
#include "input.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/read.h"
#include "base/text.h"
#include "exit_code.h"
#include "message.h"

const char *input_text(const json_t *object, const char *key)
{
    return json_text(object, key);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int input_add(struct input *input, const char *path, const struct documents *found,
                     size_t index)
{
    size_t count = json_array_size(found->values);
    if (input->count == input->room) {
        size_t room = input->room > 0 ? input->room * 2 : 16;
        void *documents = reallocarray(input->documents, room, sizeof *input->documents);
        if (documents == NULL)
            return cli_fail(CLI_FAILED, "%s: out of memory", path);
        input->documents = documents;
        input->room = room;
    }
    const char *name = name_of(path);
    char *label =
        count > 1 ? mem_format("%s: document %zu", name, index + 1) : mem_format("%s", name);
    char *copy = mem_format("%s", path);
    if (label == NULL || copy == NULL) {
        free(label);
        free(copy);
        return cli_fail(CLI_FAILED, "%s: out of memory", path);
    }
    text_clean(label);
    input->documents[input->count++] = (struct input_document){
        label, copy, (int)json_integer_value(json_array_get(found->lines, index)),
        json_incref(json_array_get(found->values, index))};
    return CLI_DONE;
}

static int read_file(const char *path, void *state)
{
    struct karta_error err = {0};
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 0;
    /* the message of a failed read names the file itself */
    if (file_read(path, LIMIT_DOCUMENT_BYTES, &bytes, &size, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    KARTA_CLEANUP(documents_dispose) struct documents found;
    if (documents_read(bytes, size, &found, &err) != 0)
        return cli_fail_error(cli_code_of(&err), name_of(path), &err);
    int code = CLI_DONE;
    for (size_t i = 0; i < json_array_size(found.values) && code == CLI_DONE; i++)
        code = input_add(state, path, &found, i);
    return code;
}

int input_each_file(const char *path, int (*visit)(const char *path, void *state), void *state)
{
    struct stat info;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return visit(path, state);
    struct karta_error err = {0};
    char **paths = NULL;
    if (file_list(path, &paths, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    int code = CLI_DONE;
    for (size_t i = 0; paths[i] != NULL; i++)
        code = cli_first(code, visit(paths[i], state));
    file_list_free(paths);
    return code;
}

int input_read(const struct text_list *files, struct input *input)
{
    int code = CLI_DONE;
    *input = (struct input){0};
    for (size_t i = 0; i < files->count; i++) {
        size_t before = input->count;
        int fault = input_each_file(files->items[i], read_file, input);
        if (fault == CLI_DONE && input->count == before)
            fault = cli_fail(CLI_INVALID, "%s: holds no document", name_of(files->items[i]));
        code = cli_first(code, fault);
    }
    return code;
}

static int check_object(const struct input_document *document)
{
    const json_t *value = document->value;
    if (!json_is_object(value))
        return cli_fail(CLI_INVALID, "%s: is no Kubernetes object", document->label);
    if (*input_text(value, "apiVersion") == '\0' || *input_text(value, "kind") == '\0')
        return cli_fail(CLI_INVALID, "%s: is no Kubernetes object: apiVersion and kind are needed",
                        document->label);
    return CLI_DONE;
}

static void document_dispose(struct input_document *document)
{
    free(document->label);
    free(document->path);
    json_decref(document->value);
}

int input_keep_objects(struct input *input)
{
    int code = CLI_DONE;
    size_t kept = 0;
    for (size_t i = 0; i < input->count; i++) {
        int fault = check_object(&input->documents[i]);
        if (fault == CLI_DONE)
            input->documents[kept++] = input->documents[i];
        else
            document_dispose(&input->documents[i]);
        code = cli_first(code, fault);
    }
    input->count = kept;
    return code;
}

void input_dispose(struct input *input)
{
    for (size_t i = 0; i < input->count; i++)
        document_dispose(&input->documents[i]);
    free(input->documents);
    *input = (struct input){0};
}
