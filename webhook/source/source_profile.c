/* SPDX-License-Identifier: Apache-2.0 */
/* Which profile --profile means: one is known by its name, or by the file it came from. */
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "source.h"

bool source_is_path(const char *profile)
{
    size_t size = strlen(profile);
    return strchr(profile, '/') != NULL || (size > 5 && strcmp(profile + size - 5, ".yaml") == 0);
}

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text != NULL ? text : "";
}

static bool is_active_profile(const json_t *entry)
{
    return strcmp(text_of(entry, "kind"), "GangProfile") == 0 &&
           strcmp(text_of(entry, "state"), "active") == 0;
}

static int unknown_profile(const json_t *list, const char *flag, struct karta_error *err)
{
    KARTA_AUTO_STRBUF names;
    strbuf_init(&names, 400);
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        if (is_active_profile(entry))
            strbuf_addf(&names, "%s%s", names.size > 0 ? ", " : "", text_of(entry, "name"));
    }
    if (source_is_path(flag))
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "file %s holds no GangProfile", flag);
    return karta_error_set(err, KARTA_ERR_NOT_FOUND,
                           "there is no profile \"%s\": there are %s, or give the path of a file",
                           flag, names.size > 0 && names.failed == 0 ? names.text : "none");
}

int source_profile_name(const struct karta_snapshot *snapshot, const char *flag, char **name,
                        struct karta_error *err)
{
    json_auto_t *list = karta_snapshot_list(snapshot);
    const char *by = source_is_path(flag) ? "origin" : "name";
    const char *found = NULL;
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        if (is_active_profile(entry) && strcmp(text_of(entry, by), flag) == 0)
            found = text_of(entry, "name");
    }
    if (found == NULL)
        return unknown_profile(list, flag, err);
    *name = strdup(found);
    return *name != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}
