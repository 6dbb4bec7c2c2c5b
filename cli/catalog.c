/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog: later files win over earlier ones, one broken file spoils nothing else. */
#include "catalog.h"

#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"

struct loading {
    struct karta_snapshot *snapshot;
    bool built_in;
    bool strict; /* what is refused is a failure, and warnings are shown: it is what is tried */
};

/* The path of a problem of a snapshot starts with the origin. */
static void warn_problems(const struct karta_problems *problems, bool refusals_only)
{
    for (size_t i = 0; i < karta_problems_count(problems); i++)
        if (!refusals_only || karta_problem_severity(problems, i) == KARTA_REFUSAL)
            cli_warn("%s: %s", karta_problem_path(problems, i), karta_problem_message(problems, i));
}

static int load_bytes(const struct loading *loading, const char *bytes, size_t size,
                      const char *origin)
{
    struct karta_error err = {0};
    struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    int fault = karta_snapshot_load(loading->snapshot, bytes, size, origin, problems, &err);
    warn_problems(problems, !loading->strict);
    if (fault != 0 && karta_problems_refusals(problems) == 0)
        cli_warn("%s: %s", origin, err.message);
    int code = loading->strict && (fault != 0 || karta_problems_refusals(problems) > 0)
                   ? cli_fail(CLI_INVALID, "%s: is refused", origin)
                   : CLI_DONE;
    karta_problems_free(problems);
    return code;
}

static int load_file(const char *path, void *state)
{
    const struct loading *loading = state;
    struct karta_error err = {0};
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 0;
    if (file_read(path, LIMIT_DOCUMENT_BYTES, &bytes, &size, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    const char *slash = strrchr(path, '/');
    KARTA_AUTO_TEXT origin = loading->built_in
                                 ? mem_format("built-in:%s", slash != NULL ? slash + 1 : path)
                                 : mem_format("%s", path);
    return origin != NULL ? load_bytes(loading, bytes, size, origin)
                          : cli_fail(CLI_FAILED, "out of memory");
}

static int load_karta(const struct loading *loading, const json_t *karta)
{
    KARTA_AUTO_TEXT bytes = json_dumps(karta, JSON_COMPACT);
    KARTA_AUTO_TEXT origin =
        mem_format("cluster:%s", input_text(json_object_get(karta, "metadata"), "name"));
    return bytes != NULL && origin != NULL ? load_bytes(loading, bytes, strlen(bytes), origin)
                                           : cli_fail(CLI_FAILED, "out of memory");
}

static int load_built_in(struct loading *loading, const char *name)
{
    struct karta_error err = {0};
    KARTA_AUTO_TEXT folder = NULL;
    if (file_data_dir(name, &folder, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    return input_each_file(folder, load_file, loading);
}

int catalog_load_with(const struct text_list *definitions, const json_t *kartas,
                      struct karta_snapshot **catalog)
{
    struct loading loading = {karta_snapshot_new(), true, false};
    if (loading.snapshot == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    int code = load_built_in(&loading, "definitions");
    code = code != CLI_DONE ? code : load_built_in(&loading, "profiles");
    loading.built_in = false;
    for (size_t i = 0; i < json_array_size(kartas) && code == CLI_DONE; i++)
        code = load_karta(&loading, json_array_get(kartas, i));
    for (size_t i = 0; i < definitions->count && code == CLI_DONE; i++)
        code = input_each_file(definitions->items[i], load_file, &loading);
    *catalog = loading.snapshot;
    return code;
}

int catalog_load(const struct text_list *definitions, struct karta_snapshot **catalog)
{
    return catalog_load_with(definitions, NULL, catalog);
}

int catalog_add_policies(struct karta_snapshot *catalog, const struct text_list *files)
{
    struct loading loading = {catalog, false, true};
    int code = CLI_DONE;
    for (size_t i = 0; i < files->count; i++)
        code = cli_first(code, input_each_file(files->items[i], load_file, &loading));
    return code;
}

int catalog_check_profile(const struct karta_snapshot *catalog, const char *name)
{
    if (name == NULL || karta_snapshot_profile(catalog, name) != NULL)
        return CLI_DONE;
    json_auto_t *list = karta_snapshot_list(catalog);
    KARTA_AUTO_STRBUF names;
    strbuf_init(&names, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(input_text(entry, "kind"), "GangProfile") == 0 &&
            strcmp(input_text(entry, "state"), "active") == 0)
            strbuf_addf(&names, "%s%s", names.size > 0 ? ", " : "", input_text(entry, "name"));
    }
    return cli_fail(CLI_NOT_FOUND, "no profile \"%s\"; there are: %s", name,
                    names.text != NULL ? names.text : "none");
}

/* The group of an apiVersion and its length. */
static size_t group_size(const char *api_version)
{
    const char *slash = strchr(api_version, '/');
    return slash != NULL ? (size_t)(slash - api_version) : 0;
}

/* The version of a definition in force for the same group and kind (borrowed); NULL: there is none.
 */
static const char *other_version(const json_t *list, const char *api_version, const char *kind)
{
    size_t size = group_size(api_version);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *made_for = json_object_get(entry, "for");
        const char *group = input_text(made_for, "group");
        if (strcmp(input_text(entry, "state"), "active") == 0 &&
            strcmp(input_text(made_for, "kind"), kind) == 0 && strlen(group) == size &&
            memcmp(group, api_version, size) == 0)
            return input_text(made_for, "version");
    }
    return NULL;
}

json_t *catalog_read_as(const struct karta_snapshot *catalog, const json_t *object,
                        const char *label)
{
    if (karta_snapshot_find_for(catalog, object) != NULL)
        return json_incref((json_t *)object);
    const char *api_version = input_text(object, "apiVersion");
    json_auto_t *list = karta_snapshot_list(catalog);
    const char *version = other_version(list, api_version, input_text(object, "kind"));
    if (version == NULL)
        return NULL;
    KARTA_AUTO_TEXT known = mem_format("%.*s%s%s", (int)group_size(api_version), api_version,
                                       group_size(api_version) > 0 ? "/" : "", version);
    json_auto_t *copy = json_copy((json_t *)object);
    if (known == NULL || json_object_set_new(copy, "apiVersion", json_string(known)) != 0)
        return NULL;
    if (label != NULL)
        cli_warn("%s: no definition is for %s; it is read as %s", label, api_version, known);
    return json_incref(copy);
}
