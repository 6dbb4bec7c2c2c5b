/* SPDX-License-Identifier: Apache-2.0 */
/* One requirement after the other, cut at commas outside parentheses: "a=b,c in (d,e),!f". */
#include "selector.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store.h"

/* The next requirement, spaces trimmed, *rest moved behind it; NULL: none left. */
static char *next(const char **rest)
{
    const char *from = *rest + strspn(*rest, " ,");
    if (*from == '\0')
        return NULL;
    const char *to = from;
    for (int depth = 0; *to != '\0' && (depth > 0 || *to != ','); to++)
        depth += *to == '(' ? 1 : *to == ')' ? -1 : 0;
    *rest = to;
    while (to > from && to[-1] == ' ')
        to--;
    return strndup(from, (size_t)(to - from));
}

/* Whether `value` is in "(a, b)". */
static bool in_list(const char *list, const char *value)
{
    char *copy = strdup(list);
    bool found = false;
    char *rest = NULL;
    for (char *word = strtok_r(copy, "(), ", &rest); word != NULL;
         word = strtok_r(NULL, "(), ", &rest))
        found = found || strcmp(word, value) == 0;
    free(copy);
    return found;
}

static const char *label(const json_t *object, const char *name, size_t size)
{
    KARTA_AUTO_TEXT key = strndup(name, size);
    json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    return json_string_value(json_object_get(labels, key));
}

/* NULL object: whether it is a requirement at all. */
static bool fits_label(const char *text, const json_t *object)
{
    bool not = text[0] == '!';
    text += not ? 1 : 0;
    size_t size = strcspn(text, " =!");
    const char *is = object != NULL ? label(object, text, size) : NULL;
    const char *operator= text + size + strspn(text + size, " ");
    if (size == 0)
        return false;
    if (*operator== '\0')
        return object == NULL || (is != NULL) != not ;
    bool in = strncmp(operator, "in ", 3) == 0 || strncmp(operator, "in(", 3) == 0;
    bool notin = strncmp(operator, "notin", 5) == 0;
    if (in || notin)
        return object == NULL ||
               (is != NULL &&
                in_list(strchr(operator, '(') != NULL ? strchr(operator, '(') : "", is)) == in;
    bool unequal = strncmp(operator, "!=", 2) == 0;
    if (!unequal && *operator!= '=')
        return false;
    const char *value = operator+ strspn(operator, "!=");
    value += strspn(value, " ");
    return object == NULL || (is != NULL && strcmp(is, value) == 0) != unequal;
}

static bool fits_field(const char *text, const json_t *object)
{
    size_t size = strcspn(text, "=!");
    bool unequal = text[size] == '!';
    KARTA_AUTO_TEXT path = strndup(text, size);
    const json_t *at = object;
    char *rest = NULL;
    for (char *word = strtok_r(path, ".", &rest); word != NULL; word = strtok_r(NULL, ".", &rest))
        at = json_object_get(at, word);
    const char *is = json_string_value(at);
    const char *value = text + size + strspn(text + size, "=!");
    return (strcmp(is != NULL ? is : "", value) == 0) != unequal;
}

static bool all_fit(const char *selector, const json_t *object,
                    bool fits(const char *text, const json_t *object))
{
    const char *rest = selector;
    for (char *text = next(&rest); text != NULL; text = next(&rest)) {
        bool ok = fits(text, object);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

bool selector_fits(const struct api_request *request, const json_t *object)
{
    if (object == NULL)
        return false;
    if (request->ns[0] != '\0' && strcmp(request->ns, object_meta(object, "namespace")) != 0)
        return false;
    return all_fit(request_query(request, "labelSelector"), object, fits_label) &&
           all_fit(request_query(request, "fieldSelector"), object, fits_field);
}

bool selector_is_valid(const struct api_request *request)
{
    return all_fit(request_query(request, "labelSelector"), NULL, fits_label);
}
