/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to JSON values, by libyaml's events. The one idea: one function a kind of node, each of
 * which is given its first event and takes the rest of its own.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/read.h"
#include "base/yaml_reader.h"
#include "base/yaml_scalar.h"

static int read_node(struct yaml_reader *reader, const yaml_event_t *event, int depth,
                     json_t **value);

/* Remembers `value` (borrowed) under `anchor`, which may be NULL. */
static int remember(struct yaml_reader *reader, const yaml_char_t *anchor, json_t *value)
{
    if (anchor != NULL && json_object_set(reader->anchors, (const char *)anchor, value) != 0)
        return yaml_reader_no_memory(reader);
    return KARTA_OK;
}

static const char tag_prefix[] = "tag:yaml.org,2002:";

/* The name of a core tag ("int"), the whole of another one; NULL where there is none. */
static const char *short_tag(const yaml_char_t *tag)
{
    const char *text = (const char *)tag;
    if (text != NULL && strncmp(text, tag_prefix, sizeof tag_prefix - 1) == 0)
        return text + sizeof tag_prefix - 1;
    return text;
}

static bool tag_fits(const char *tag, enum yaml_kind kind)
{
    switch (kind) {
    case YAML_NULL:
        return strcmp(tag, "null") == 0;
    case YAML_BOOL:
        return strcmp(tag, "bool") == 0;
    case YAML_INTEGER:
        return strcmp(tag, "int") == 0 || strcmp(tag, "float") == 0;
    case YAML_REAL:
    case YAML_NOT_FINITE:
        return strcmp(tag, "float") == 0;
    default:
        return strcmp(tag, "str") == 0;
    }
}

static bool is_scalar_tag(const char *tag)
{
    static const char *const tags[] = {"null", "bool", "int", "float"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (strcmp(tag, tags[i]) == 0)
            return true;
    return false;
}

/* What the scalar is: by its tag, as plain text, or (quoted) a string. */
static int resolve_scalar(struct yaml_reader *reader, const yaml_event_t *event,
                          struct yaml_scalar *scalar)
{
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = short_tag(event->data.scalar.tag);
    bool is_plain = event->data.scalar.plain_implicit;
    if (tag != NULL && strcmp(tag, "!") == 0) {
        tag = NULL;
        is_plain = true;
    }
    *scalar = (struct yaml_scalar){.kind = YAML_STRING};
    if (tag == NULL && !is_plain)
        return KARTA_OK;
    if (tag != NULL && (strcmp(tag, "str") == 0 || strcmp(tag, "timestamp") == 0))
        return KARTA_OK;
    if (tag != NULL && !is_scalar_tag(tag))
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX,
                                "tag %s is not supported", tag);
    *scalar = yaml_scalar_resolve(text, event->data.scalar.length);
    if (tag != NULL && !tag_fits(tag, scalar->kind))
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX, "\"%.80s\" is no %s",
                                text, tag);
    if (tag != NULL && strcmp(tag, "float") == 0 && scalar->kind == YAML_INTEGER) {
        scalar->kind = YAML_REAL;
        scalar->real = (double)scalar->integer;
    }
    if (scalar->kind == YAML_NOT_FINITE)
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX,
                                "%s is no number in JSON", text);
    return KARTA_OK;
}

static json_t *make_scalar(const struct yaml_scalar *scalar, const char *text, size_t size)
{
    switch (scalar->kind) {
    case YAML_NULL:
        return json_null();
    case YAML_BOOL:
        return json_boolean(scalar->truth);
    case YAML_INTEGER:
        return json_integer(scalar->integer);
    case YAML_REAL:
        return json_real(scalar->real);
    default:
        return json_stringn(text, size);
    }
}

static int read_scalar(struct yaml_reader *reader, const yaml_event_t *event, json_t **value)
{
    struct yaml_scalar scalar;
    int code = resolve_scalar(reader, event, &scalar);
    if (code != 0)
        return code;
    *value =
        make_scalar(&scalar, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (*value == NULL)
        return yaml_reader_no_memory(reader);
    return remember(reader, event->data.scalar.anchor, *value);
}

static int read_alias(struct yaml_reader *reader, const yaml_event_t *event, int depth,
                      json_t **value)
{
    const char *name = (const char *)event->data.alias.anchor;
    const json_t *target = json_object_get(reader->anchors, name);
    if (target == NULL)
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX,
                                "no anchor for alias *%s", name);
    if (target == reader->unfinished)
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX,
                                "alias *%s stands inside its own anchor", name);
    return yaml_reader_copy(reader, event->start_mark, target, depth, value);
}

/* Common start of lists and maps. */
static int open_collection(struct yaml_reader *reader, const yaml_event_t *event, int depth,
                           const yaml_char_t *anchor, const yaml_char_t *tag, const char *own_tag)
{
    int code = yaml_reader_check_depth(reader, event->start_mark, depth);
    if (code != 0)
        return code;
    const char *name = short_tag(tag);
    if (name != NULL && strcmp(name, "!") != 0 && strcmp(name, own_tag) != 0)
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SYNTAX,
                                "tag %s is not supported", name);
    return remember(reader, anchor, reader->unfinished);
}

static int read_list(struct yaml_reader *reader, const yaml_event_t *start, int depth,
                     json_t **value)
{
    const yaml_char_t *anchor = start->data.sequence_start.anchor;
    int code = open_collection(reader, start, depth, anchor, start->data.sequence_start.tag, "seq");
    if (code != 0)
        return code;
    json_auto_t *list = json_array();
    if (list == NULL)
        return yaml_reader_no_memory(reader);
    for (;;) {
        AUTO_EVENT event;
        code = yaml_reader_next(reader, &event);
        if (code != 0)
            return code;
        if (event.type == YAML_SEQUENCE_END_EVENT)
            break;
        json_t *item = NULL;
        code = read_node(reader, &event, depth + 1, &item);
        if (code != 0)
            return code;
        if (json_array_append_new(list, item) != 0)
            return yaml_reader_no_memory(reader);
    }
    *value = json_incref(list);
    return remember(reader, anchor, list);
}

/* The text of a key: other scalars become text as Kubernetes' reader makes them text. */
static int key_text(struct yaml_reader *reader, yaml_mark_t mark, const json_t *key, char room[64],
                    const char **text, size_t *size)
{
    *text = room;
    if (json_is_string(key))
        *text = json_string_value(key);
    else if (json_is_integer(key))
        snprintf(room, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(key));
    else if (json_is_boolean(key))
        snprintf(room, 64, "%s", json_is_true(key) ? "true" : "false");
    else if (json_is_real(key))
        yaml_scalar_print_key(json_real_value(key), room);
    else
        return yaml_reader_fail(reader, mark, KARTA_ERR_SYNTAX, "a map key must be text, not %s",
                                json_is_null(key)    ? "null"
                                : json_is_array(key) ? "a list"
                                                     : "a map");
    *size = json_is_string(key) ? json_string_length(key) : strlen(room);
    if (strlen(*text) != *size)
        return yaml_reader_fail(reader, mark, KARTA_ERR_SYNTAX, "a map key must not hold a NUL");
    return KARTA_OK;
}

static bool is_merge(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT && event->data.scalar.plain_implicit &&
           event->data.scalar.tag == NULL && strcmp((char *)event->data.scalar.value, "<<") == 0;
}

/* A map under way: which of its keys came by a merge, so that the map itself may say them again. */
struct map {
    json_t *members, *merged;
};

static void map_dispose(struct map *map)
{
    json_decref(map->members);
    json_decref(map->merged);
}

static int merge_one(struct yaml_reader *reader, yaml_mark_t mark, struct map *map, json_t *value)
{
    if (!json_is_object(value))
        return yaml_reader_fail(reader, mark, KARTA_ERR_SYNTAX,
                                "a merge key takes a map or a list of maps");
    const char *key;
    size_t size;
    json_t *member;
    json_object_keylen_foreach(value, key, size, member)
    {
        if (json_object_setn_nocheck(map->members, key, size, member) != 0 ||
            json_object_setn_new_nocheck(map->merged, key, size, json_true()) != 0)
            return yaml_reader_no_memory(reader);
    }
    return KARTA_OK;
}

/* Kubernetes' reader merges where the key stands: later keys win, in a list the earlier map. */
static int read_merge(struct yaml_reader *reader, struct map *map, int depth)
{
    AUTO_EVENT event;
    int code = yaml_reader_next(reader, &event);
    if (code != 0)
        return code;
    json_auto_t *value = NULL;
    code = read_node(reader, &event, depth + 1, &value);
    if (code != 0)
        return code;
    if (!json_is_array(value))
        return merge_one(reader, event.start_mark, map, value);
    for (size_t i = json_array_size(value); i > 0 && code == 0; i--)
        code = merge_one(reader, event.start_mark, map, json_array_get(value, i - 1));
    return code;
}

static int read_member(struct yaml_reader *reader, const yaml_event_t *event, struct map *map,
                       int depth)
{
    json_auto_t *key = NULL;
    int code = read_node(reader, event, depth + 1, &key);
    if (code != 0)
        return code;
    reader->nodes--; /* keys are no values */
    char room[64];
    const char *text = room;
    size_t size = 0;
    code = key_text(reader, event->start_mark, key, room, &text, &size);
    if (code != 0)
        return code;
    if (json_object_getn(map->members, text, size) != NULL &&
        json_object_deln(map->merged, text, size) != 0)
        return yaml_reader_fail(reader, event->start_mark, KARTA_ERR_SCHEMA,
                                "key \"%.200s\" stands twice in one map", text);
    AUTO_EVENT value_event;
    json_t *value = NULL;
    code = yaml_reader_next(reader, &value_event);
    if (code == 0)
        code = read_node(reader, &value_event, depth + 1, &value);
    if (code != 0)
        return code;
    if (json_object_setn_new_nocheck(map->members, text, size, value) != 0)
        return yaml_reader_no_memory(reader);
    return KARTA_OK;
}

static int read_map(struct yaml_reader *reader, const yaml_event_t *start, int depth,
                    json_t **value)
{
    const yaml_char_t *anchor = start->data.mapping_start.anchor;
    int code = open_collection(reader, start, depth, anchor, start->data.mapping_start.tag, "map");
    if (code != 0)
        return code;
    KARTA_CLEANUP(map_dispose) struct map map = {json_object(), json_object()};
    if (map.members == NULL || map.merged == NULL)
        return yaml_reader_no_memory(reader);
    for (;;) {
        AUTO_EVENT event;
        code = yaml_reader_next(reader, &event);
        if (code != 0)
            return code;
        if (event.type == YAML_MAPPING_END_EVENT)
            break;
        code = is_merge(&event) ? read_merge(reader, &map, depth)
                                : read_member(reader, &event, &map, depth);
        if (code != 0)
            return code;
    }
    *value = json_incref(map.members);
    return remember(reader, anchor, map.members);
}

static int read_node(struct yaml_reader *reader, const yaml_event_t *event, int depth,
                     json_t **value)
{
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, depth, value);
    int code = yaml_reader_count(reader, event->start_mark);
    if (code != 0)
        return code;
    json_auto_t *made = NULL;
    if (event->type == YAML_SCALAR_EVENT)
        code = read_scalar(reader, event, &made);
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        code = read_list(reader, event, depth, &made);
    else
        code = read_map(reader, event, depth, &made);
    if (code == 0)
        *value = json_incref(made);
    return code;
}

static int read_document(struct yaml_reader *reader, struct documents *documents)
{
    json_object_clear(reader->anchors);
    AUTO_EVENT event;
    int code = yaml_reader_next(reader, &event);
    json_t *value = NULL;
    int line = (int)event.start_mark.line + 1;
    if (code == 0)
        code = read_node(reader, &event, 1, &value);
    if (code != 0)
        return code;
    return document_add(documents, value, line, reader->err);
}

static int read_stream(struct yaml_reader *reader, struct documents *documents)
{
    for (;;) {
        AUTO_EVENT event;
        int code = yaml_reader_next(reader, &event);
        if (code == 0 && event.type == YAML_STREAM_END_EVENT)
            return KARTA_OK;
        if (code == 0 && event.type == YAML_DOCUMENT_START_EVENT)
            code = read_document(reader, documents);
        if (code != 0)
            return code;
    }
}

static void reader_dispose(struct yaml_reader *reader)
{
    yaml_parser_delete(&reader->parser);
    json_decref(reader->anchors);
    json_decref(reader->unfinished);
}

int yaml_read(const char *bytes, size_t size, struct documents *documents, struct karta_error *err)
{
    KARTA_CLEANUP(reader_dispose)
    struct yaml_reader reader = {.bytes = bytes, .size = size, .err = err};
    reader.anchors = json_object();
    reader.unfinished = json_object();
    if (reader.anchors == NULL || reader.unfinished == NULL ||
        !yaml_parser_initialize(&reader.parser))
        return yaml_reader_no_memory(&reader);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)bytes, size);
    return read_stream(&reader, documents);
}
