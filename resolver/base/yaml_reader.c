/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reading YAML stands on: where errors are, and what a text may cost. The one idea: every
 * value, also one that an alias repeats, passes yaml_reader_count, so that what a small text
 * unfolds to is bounded before it does.
 */
#include "base/yaml_reader.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

int yaml_reader_no_memory(struct yaml_reader *reader)
{
    return karta_error_set(reader->err, KARTA_ERR_NOMEM, "out of memory");
}

/* The byte offset of character `index`, at least `from`, which is character `at`. */
static size_t byte_offset(const struct yaml_reader *reader, size_t from, size_t at, size_t index)
{
    while (at < index && from < reader->size) {
        size_t length = text_character(reader->bytes + from, reader->size - from, NULL);
        from += length > 0 ? length : 1;
        at++;
    }
    return from;
}

int yaml_reader_fail(struct yaml_reader *reader, yaml_mark_t mark, int code, const char *format,
                     ...)
{
    char message[sizeof reader->err->message];
    va_list args;
    va_start(args, format);
    if (vsnprintf(message, sizeof message, format, args) < 0)
        message[0] = '\0';
    va_end(args);
    size_t first = mark.index >= mark.column ? mark.index - mark.column : 0;
    size_t start = byte_offset(reader, 0, 0, first);
    size_t end = byte_offset(reader, start, first, mark.index);
    return karta_error_set_at(reader->err, code, (int)mark.line + 1, (int)(end - start) + 1, "%s",
                              message);
}

/* The mark of byte `offset`, for errors of libyaml's decoder, which has none. */
static yaml_mark_t mark_of_byte(const struct yaml_reader *reader, size_t offset)
{
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < offset && i < reader->size; mark.index++, mark.column++) {
        if (reader->bytes[i] == '\n') {
            mark.line++;
            mark.column = (size_t)-1;
        }
        size_t length = text_character(reader->bytes + i, reader->size - i, NULL);
        i += length > 0 ? length : 1;
    }
    return mark;
}

static int parser_error(struct yaml_reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    if (parser->error == YAML_MEMORY_ERROR)
        return yaml_reader_no_memory(reader);
    if (parser->error == YAML_READER_ERROR)
        return yaml_reader_fail(reader, mark_of_byte(reader, parser->problem_offset),
                                KARTA_ERR_SYNTAX, "%s", problem);
    const char *context = parser->context != NULL ? parser->context : "";
    return yaml_reader_fail(reader, parser->problem_mark, KARTA_ERR_SYNTAX, "%s%s%s", problem,
                            context[0] != '\0' ? " " : "", context);
}

int yaml_reader_next(struct yaml_reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return KARTA_OK;
    memset(event, 0, sizeof *event);
    return parser_error(reader);
}

int yaml_reader_count(struct yaml_reader *reader, yaml_mark_t mark)
{
    if (++reader->nodes > LIMIT_DOCUMENT_NODES)
        return yaml_reader_fail(reader, mark, KARTA_ERR_LIMIT, "more than %u values",
                                LIMIT_DOCUMENT_NODES);
    return KARTA_OK;
}

int yaml_reader_check_depth(struct yaml_reader *reader, yaml_mark_t mark, int depth)
{
    if (depth > LIMIT_DOCUMENT_DEPTH)
        return yaml_reader_fail(reader, mark, KARTA_ERR_LIMIT, "nested deeper than %d levels",
                                LIMIT_DOCUMENT_DEPTH);
    return KARTA_OK;
}

static int copy_list(struct yaml_reader *reader, yaml_mark_t mark, const json_t *value, int depth,
                     json_t *list)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *item = NULL;
        int code = yaml_reader_copy(reader, mark, json_array_get(value, i), depth + 1, &item);
        if (code != 0)
            return code;
        if (json_array_append_new(list, item) != 0)
            return yaml_reader_no_memory(reader);
    }
    return KARTA_OK;
}

static int copy_map(struct yaml_reader *reader, yaml_mark_t mark, json_t *value, int depth,
                    json_t *map)
{
    const char *key;
    size_t size;
    json_t *member;
    json_object_keylen_foreach(value, key, size, member)
    {
        json_t *item = NULL;
        reader->repeated += size;
        int code = yaml_reader_copy(reader, mark, member, depth + 1, &item);
        if (code != 0)
            return code;
        if (json_object_setn_new_nocheck(map, key, size, item) != 0)
            return yaml_reader_no_memory(reader);
    }
    return KARTA_OK;
}

int yaml_reader_copy(struct yaml_reader *reader, yaml_mark_t mark, const json_t *value, int depth,
                     json_t **result)
{
    int code = yaml_reader_count(reader, mark);
    reader->repeated += json_string_length(value);
    if (code == 0 && reader->repeated > LIMIT_DOCUMENT_BYTES)
        return yaml_reader_fail(reader, mark, KARTA_ERR_LIMIT, "aliases repeat more than %u bytes",
                                LIMIT_DOCUMENT_BYTES);
    bool container = json_is_array(value) || json_is_object(value);
    if (code == 0 && container)
        code = yaml_reader_check_depth(reader, mark, depth);
    if (code != 0)
        return code;
    json_auto_t *made = json_is_array(value)    ? json_array()
                        : json_is_object(value) ? json_object()
                                                : json_copy((json_t *)value);
    if (made == NULL)
        return yaml_reader_no_memory(reader);
    if (json_is_array(value))
        code = copy_list(reader, mark, value, depth, made);
    if (json_is_object(value))
        code = copy_map(reader, mark, (json_t *)value, depth, made);
    if (code == 0)
        *result = json_incref(made);
    return code;
}
