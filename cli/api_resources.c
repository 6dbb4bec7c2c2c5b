/* SPDX-License-Identifier: Apache-2.0 */
/* The table of api-resources: NAME, SHORTNAMES (may be missing), APIVERSION, NAMESPACED, KIND. */
#include "api_resources.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define COLUMNS 5

static size_t split(char *line, char **cells)
{
    size_t count = 0;
    for (char *save = NULL, *cell = strtok_r(line, " \t\r", &save);
         cell != NULL && count <= COLUMNS; cell = strtok_r(NULL, " \t\r", &save)) {
        if (count == COLUMNS)
            return COLUMNS + 1;
        cells[count++] = cell;
    }
    return count;
}

static bool fill(struct api_resource *resource, char *const *cells, size_t count)
{
    const char *api_version = cells[count - 3], *slash = strchr(api_version, '/');
    *resource = (struct api_resource){
        .plural = strdup(cells[0]),
        .group = strndup(api_version, slash != NULL ? (size_t)(slash - api_version) : 0),
        .version = strdup(slash != NULL ? slash + 1 : api_version),
        .kind = strdup(cells[count - 1]),
        .short_names = strdup(count == COLUMNS ? cells[1] : ""),
        .namespaced = strcmp(cells[count - 2], "true") == 0,
    };
    if (resource->group != NULL && resource->version != NULL)
        resource->address = mem_format("%s.%s.%s", cells[0], resource->version, resource->group);
    return resource->plural != NULL && resource->kind != NULL && resource->short_names != NULL &&
           resource->address != NULL;
}

static bool add_row(struct api_resources *resources, char *line)
{
    char *cells[COLUMNS];
    size_t count = split(line, cells);
    if (count != COLUMNS && count != COLUMNS - 1)
        return true;
    if (strcmp(cells[count - 2], "true") != 0 && strcmp(cells[count - 2], "false") != 0)
        return true; /* its head */
    void *items = reallocarray(resources->items, resources->count + 1, sizeof *resources->items);
    if (items == NULL)
        return false;
    resources->items = items;
    return fill(&resources->items[resources->count++], cells, count);
}

bool api_resources_parse(const char *text, struct api_resources *resources)
{
    *resources = (struct api_resources){0};
    KARTA_AUTO_TEXT copy = strdup(text);
    if (copy == NULL)
        return false;
    char *save = NULL;
    for (char *line = strtok_r(copy, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
        if (!add_row(resources, line))
            return false;
    return true;
}

void api_resources_dispose(struct api_resources *resources)
{
    for (size_t i = 0; i < resources->count; i++) {
        struct api_resource *resource = &resources->items[i];
        free(resource->plural);
        free(resource->group);
        free(resource->version);
        free(resource->kind);
        free(resource->address);
        free(resource->short_names);
    }
    free(resources->items);
    *resources = (struct api_resources){0};
}

/* "" , ".group" or ".version.group" behind the name. */
static bool is_rest(const struct api_resource *resource, const char *rest)
{
    if (*rest == '\0')
        return true;
    if (*rest != '.')
        return false;
    rest++;
    size_t size = strlen(resource->version);
    return strcmp(rest, resource->group) == 0 ||
           (strncmp(rest, resource->version, size) == 0 && rest[size] == '.' &&
            strcmp(rest + size + 1, resource->group) == 0) ||
           (strcmp(rest, resource->version) == 0 && *resource->group == '\0');
}

static bool is_name(const char *name, size_t size, const char *word)
{
    return strlen(name) == size && strncasecmp(name, word, size) == 0;
}

bool api_resource_is(const struct api_resource *resource, const char *word)
{
    size_t size = strcspn(word, ".");
    if (size == 0 || !is_rest(resource, word + size))
        return false;
    if (is_name(resource->plural, size, word) || is_name(resource->kind, size, word))
        return true;
    for (const char *at = resource->short_names; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length == size && strncasecmp(at, word, size) == 0)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

const struct api_resource *api_resources_find(const struct api_resources *resources,
                                              const char *group, size_t group_size,
                                              const char *kind)
{
    for (size_t i = 0; i < resources->count; i++) {
        const struct api_resource *resource = &resources->items[i];
        if (strcmp(resource->kind, kind) == 0 && strlen(resource->group) == group_size &&
            memcmp(resource->group, group, group_size) == 0)
            return resource;
    }
    return NULL;
}

const struct api_resource *api_resources_of(const struct api_resources *resources,
                                            const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/');
    return api_resources_find(resources, api_version,
                              slash != NULL ? (size_t)(slash - api_version) : 0, kind);
}
