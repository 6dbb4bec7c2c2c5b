/* SPDX-License-Identifier: Apache-2.0 */
/* Group, version and kind. The one idea: an apiVersion is "group/version", or "version" alone. */
#include "gvk.h"

#include <string.h>

#include "base/mem.h"

int gvk_set(struct gvk *gvk, const char *group, const char *version, const char *kind,
            struct karta_error *err)
{
    gvk->group = strdup(group);
    gvk->version = strdup(version);
    gvk->kind = strdup(kind);
    if (gvk->group != NULL && gvk->version != NULL && gvk->kind != NULL)
        return 0;
    gvk_dispose(gvk);
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

void gvk_dispose(struct gvk *gvk)
{
    free(gvk->group);
    free(gvk->version);
    free(gvk->kind);
    *gvk = (struct gvk){0};
}

int gvk_of_object(const json_t *object, struct gvk *gvk, struct karta_error *err)
{
    const char *api_version = json_string_value(json_object_get(object, "apiVersion"));
    const char *kind = json_string_value(json_object_get(object, "kind"));
    if (api_version == NULL || api_version[0] == '\0')
        return karta_error_set(err, KARTA_ERR_SCHEMA, "apiVersion is missing");
    if (kind == NULL || kind[0] == '\0')
        return karta_error_set(err, KARTA_ERR_SCHEMA, "kind is missing");
    const char *slash = strchr(api_version, '/');
    if (slash == NULL)
        return gvk_set(gvk, "", api_version, kind, err);
    KARTA_AUTO_TEXT group = strndup(api_version, (size_t)(slash - api_version));
    if (group == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return gvk_set(gvk, group, slash + 1, kind, err);
}

bool gvk_is(const struct gvk *gvk, const char *group, const char *version, const char *kind)
{
    return strcmp(gvk->kind, kind) == 0 && strcmp(gvk->group, group) == 0 &&
           strcmp(gvk->version, version) == 0;
}

char *gvk_text(const char *group, const char *version, const char *kind)
{
    if (group[0] == '\0')
        return mem_format("%s, Kind=%s", version, kind);
    return mem_format("%s/%s, Kind=%s", group, version, kind);
}
