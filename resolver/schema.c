/* SPDX-License-Identifier: Apache-2.0 */
/* Reading documents that people write. The one idea: a path is built only where it is needed. */
#include "schema.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* a path is a dozen names at most, and Kubernetes' longest key has 317 characters */
#define PATH_CAP 16384U
#define KEY_MOST 320
#define WORD_CAP 48U

static void add_frame(struct strbuf *buf, const struct at *at)
{
    if (at == NULL)
        return;
    add_frame(buf, at->up);
    if (at->key == NULL)
        strbuf_addf(buf, "[%zu]", at->index);
    else
        strbuf_addf(buf, "%s%.*s%s", buf->size > 0 ? "." : "", KEY_MOST, at->key,
                    strlen(at->key) > KEY_MOST ? "..." : "");
}

char *at_path(const struct at *at, const char *key)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, PATH_CAP);
    const struct at leaf = {at, key, 0};
    add_frame(&buf, key != NULL ? &leaf : at);
    return strbuf_take(&buf);
}

void schema_problem(struct karta_problems *problems, enum karta_severity severity,
                    const struct at *at, const char *key, const char *format, ...)
{
    KARTA_AUTO_TEXT path = at_path(at, key);
    char *message = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&message, format, args) < 0)
        message = NULL;
    va_end(args);
    karta_problems_add(problems, severity, path != NULL ? path : "", "%s",
                       message != NULL ? message : "is wrong, and memory ran out saying why");
    free(message);
}

const char *json_type_text(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

bool schema_states(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value != NULL && !json_is_null(value);
}

/* Numbers and booleans are what YAML makes of text that was meant, where its quotes are left out.
 */
void schema_wrong_type(struct karta_problems *problems, const struct at *at, const char *key,
                       const json_t *value, json_type type)
{
    bool scalar = json_is_number(value) || json_is_boolean(value);
    schema_problem(problems, KARTA_REFUSAL, at, key, "is %s where %s belongs%s",
                   json_type_text(json_typeof(value)), json_type_text(type),
                   type == JSON_STRING && scalar ? "; put it in quotes" : "");
}

const json_t *schema_get(struct karta_problems *problems, const struct at *at, const json_t *object,
                         const char *key, json_type type)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value))
        return NULL;
    bool boolean = type == JSON_TRUE && json_is_boolean(value);
    if (json_typeof(value) == type || boolean)
        return value;
    schema_wrong_type(problems, at, key, value, type);
    return NULL;
}

static const char *text_value(struct karta_problems *problems, const struct at *at, const char *key,
                              const json_t *value)
{
    const char *text = json_string_value(value);
    if (strlen(text) == json_string_length(value))
        return text;
    schema_problem(problems, KARTA_REFUSAL, at, key, "holds a NUL character");
    return NULL;
}

const char *schema_text(struct karta_problems *problems, const struct at *at, const json_t *object,
                        const char *key)
{
    const json_t *value = schema_get(problems, at, object, key, JSON_STRING);
    return value != NULL ? text_value(problems, at, key, value) : NULL;
}

const char *schema_element_text(struct karta_problems *problems, const struct at *at,
                                const json_t *element)
{
    if (json_is_string(element))
        return text_value(problems, at, NULL, element);
    schema_wrong_type(problems, at, NULL, element, JSON_STRING);
    return NULL;
}

const char *schema_need_text(struct karta_problems *problems, const struct at *at,
                             const json_t *object, const char *key)
{
    if (!schema_states(object, key)) {
        schema_problem(problems, KARTA_REFUSAL, at, key, "is missing");
        return NULL;
    }
    const char *text = schema_text(problems, at, object, key);
    if (text == NULL || text[0] != '\0')
        return text;
    schema_problem(problems, KARTA_REFUSAL, at, key, "is empty");
    return NULL;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance without regard to case; words of over WORD_CAP bytes are far from all. */
static unsigned distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    unsigned row[WORD_CAP + 1];
    if (na > WORD_CAP || nb > WORD_CAP)
        return WORD_CAP;
    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            unsigned best = least(least(row[j] + 1, row[j - 1] + 1), diagonal + cost);
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

/* Letters that two words share at both ends, which tells ownerName from ownerRef. */
static size_t shared_start(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n]))
        n++;
    return n;
}

const char *nearest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    unsigned best_distance = WORD_CAP;
    for (; *names != NULL; names++) {
        unsigned d = distance(word, *names);
        size_t longer = strlen(word) > strlen(*names) ? strlen(word) : strlen(*names);
        bool near = d * 3 <= longer + 2 || shared_start(word, *names) * 2 >= longer;
        if (near && d < best_distance) {
            best = *names;
            best_distance = d;
        }
    }
    return best;
}

const char *did_you_mean(const char *near, char text[MEANT_SIZE])
{
    text[0] = '\0';
    if (near != NULL)
        snprintf(text, MEANT_SIZE, " (did you mean %.100s?)", near);
    return text;
}

void schema_known(struct karta_problems *problems, const struct at *at, const json_t *object,
                  const char *const *names)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, key) != 0)
            name++;
        if (*name != NULL)
            continue;
        char meant[MEANT_SIZE];
        schema_problem(problems, KARTA_WARNING, at, key, "is not a known field%s",
                       did_you_mean(nearest_name(key, names), meant));
    }
}
