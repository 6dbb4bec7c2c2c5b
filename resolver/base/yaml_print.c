/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values to YAML as kubectl writes it: sorted keys, block style, lists at their key's column.
 * The one idea: a string is written plain only where the reader itself would take it for that
 * string, so that whatever is printed reads back equal.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/yaml_scalar.h"
#include "karta/document.h"

/* YAML readers look for a key's colon within 1024 characters. */
#define LONGEST_SIMPLE_KEY 1000
#define LONGEST_OUTPUT (8U * LIMIT_DOCUMENT_BYTES)

struct printer {
    struct strbuf out;
    struct karta_error *err;
};

static int print_block(struct printer *printer, const json_t *value, int indent, int depth,
                       bool continues);

/* True for what may stand in YAML as it is, apart from line breaks. */
static bool is_printable(uint32_t point)
{
    return (point >= 0x20 && point <= 0x7E) ||
           (point >= 0xA0 && point <= 0xD7FF && point != 0x2028 && point != 0x2029) ||
           (point >= 0xE000 && point <= 0xFFFD && point != 0xFEFF) || point >= 0x10000;
}

/* True when every character is printable, or one of `also`. */
static bool all_printable(const char *text, size_t size, const char *also)
{
    for (size_t i = 0; i < size;) {
        uint32_t point = 0;
        size_t length = text_character(text + i, size - i, &point);
        if (length == 0)
            return false;
        bool allowed = point != 0 && point < 0x80 && strchr(also, (int)point) != NULL;
        if (!allowed && !is_printable(point))
            return false;
        i += length;
    }
    return true;
}

/* Digits, dashes and colons that other YAML readers take for a date or a number to the base 60. */
static bool looks_like_time(const char *text, size_t size)
{
    bool dashes = size > 8 && text[4] == '-' && strspn(text, "0123456789") == 4;
    if (dashes)
        return strspn(text, "0123456789-:.TtZ +") == size;
    const char *digits = text + (text[0] == '+' || text[0] == '-');
    return digits[0] >= '0' && digits[0] <= '9' && strchr(digits, ':') != NULL &&
           strspn(text, "0123456789:_.+-") == size;
}

/* True when the first character would make a plain scalar something else. */
static bool starts_badly(const char *text, size_t size)
{
    if (strchr(",[]{}#&*!|>'\"%@` ", text[0]) != NULL)
        return true;
    if (strchr("-?:", text[0]) != NULL && (size == 1 || text[1] == ' '))
        return true;
    return strncmp(text, "---", 3) == 0 || strncmp(text, "...", 3) == 0;
}

/* True when `text`, all of it printable, may stand without quotes, were it not for its type. */
static bool is_plain(const char *text, size_t size)
{
    if (size == 0 || starts_badly(text, size) || text[size - 1] == ' ' || text[size - 1] == ':')
        return false;
    return strstr(text, ": ") == NULL && strstr(text, " #") == NULL;
}

static void print_double_quoted(struct strbuf *out, const char *text, size_t size)
{
    strbuf_addc(out, '"');
    for (size_t i = 0; i < size;) {
        uint32_t point = 0;
        size_t length = text_character(text + i, size - i, &point);
        if (length == 0)
            break; /* jansson's strings are valid UTF-8 */
        const char *short_escape = NULL;
        if (point == '\n' || point == '\t' || point == '\r' || point == '"' || point == '\\')
            short_escape = point == '\n'   ? "\\n"
                           : point == '\t' ? "\\t"
                           : point == '\r' ? "\\r"
                           : point == '"'  ? "\\\""
                                           : "\\\\";
        if (short_escape != NULL)
            strbuf_adds(out, short_escape);
        else if (is_printable(point))
            strbuf_add(out, text + i, length);
        else
            strbuf_addf(out, "\\u%04X", (unsigned)point);
        i += length;
    }
    strbuf_addc(out, '"');
}

static void print_single_quoted(struct strbuf *out, const char *text, size_t size)
{
    strbuf_addc(out, '\'');
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'')
            strbuf_addc(out, '\'');
        strbuf_addc(out, text[i]);
    }
    strbuf_addc(out, '\'');
}

/* A string on one line, with as little around it as it needs. */
static void print_flow_string(struct strbuf *out, const char *text, size_t size)
{
    if (!all_printable(text, size, ""))
        print_double_quoted(out, text, size);
    else if (yaml_scalar_resolve(text, size).kind != YAML_STRING || looks_like_time(text, size))
        print_double_quoted(out, text, size);
    else if (is_plain(text, size) && strcmp(text, "<<") != 0)
        strbuf_add(out, text, size);
    else
        print_single_quoted(out, text, size);
}

static void print_indent(struct strbuf *out, int indent)
{
    strbuf_addf(out, "%*s", indent, "");
}

/* True when `text` can be a literal block: more than one line, each with something visible. */
static bool is_literal(const char *text, size_t size)
{
    if (memchr(text, '\n', size) == NULL || !all_printable(text, size, "\n\t"))
        return false;
    const char *last = text + size;
    while (last > text && last[-1] == '\n')
        last--;
    /* a last line of blanks alone would be taken for the end of the block */
    return last > text && last[-1] != ' ' && last[-1] != '\t';
}

static void print_literal(struct strbuf *out, const char *text, size_t size, int indent)
{
    bool ends = text[size - 1] == '\n';
    bool ends_twice = ends && text[size - 2] == '\n';
    /* where the first line says nothing about the indentation, the header must */
    bool hint = text[0] == ' ' || text[0] == '\n' || text[0] == '\t';
    strbuf_addf(out, "|%s%s\n", hint ? "2" : "", ends_twice ? "+" : ends ? "" : "-");
    for (size_t i = 0; i < size;) {
        const char *end = memchr(text + i, '\n', size - i);
        size_t length = end != NULL ? (size_t)(end - (text + i)) : size - i;
        if (length > 0)
            print_indent(out, indent);
        strbuf_add(out, text + i, length);
        strbuf_addc(out, '\n');
        i += length + 1;
    }
}

/* A value that fits behind its key or dash; `indent` is that of the lines of a literal block. */
static int print_scalar(struct printer *printer, const json_t *value, int indent)
{
    struct strbuf *out = &printer->out;
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    if (text != NULL && is_literal(text, size)) {
        print_literal(out, text, size, indent);
        return KARTA_OK;
    }
    char number[64];
    if (text != NULL)
        print_flow_string(out, text, size);
    else if (json_is_integer(value))
        strbuf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value) && !yaml_scalar_print_real(json_real_value(value), number))
        return karta_error_set(printer->err, KARTA_ERR_NOMEM, "out of memory");
    else if (json_is_real(value))
        strbuf_adds(out, number);
    else if (json_is_boolean(value))
        strbuf_adds(out, json_is_true(value) ? "true" : "false");
    else
        strbuf_adds(out, json_is_array(value) ? "[]" : json_is_object(value) ? "{}" : "null");
    strbuf_addc(out, '\n');
    return KARTA_OK;
}

static bool is_block(const json_t *value)
{
    return json_array_size(value) > 0 || json_object_size(value) > 0;
}

struct key {
    const char *text;
    size_t size;
    const json_t *value;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    size_t common = left->size < right->size ? left->size : right->size;
    int order = memcmp(left->text, right->text, common);
    return order != 0 ? order : (left->size > right->size) - (left->size < right->size);
}

/* New, sorted; NULL when memory is out. */
static struct key *sorted_keys(json_t *map)
{
    struct key *keys = mem_array(json_object_size(map), sizeof *keys);
    if (keys == NULL)
        return NULL;
    size_t count = 0, size;
    const char *text;
    json_t *value;
    json_object_keylen_foreach(map, text, size, value)
    {
        keys[count++] = (struct key){text, size, value};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    return keys;
}

static int print_member(struct printer *printer, const struct key *key, int indent, int depth)
{
    struct strbuf *out = &printer->out;
    if (key->size > LONGEST_SIMPLE_KEY / 6)
        strbuf_adds(out, "? ");
    print_flow_string(out, key->text, key->size);
    if (key->size > LONGEST_SIMPLE_KEY / 6) {
        strbuf_addc(out, '\n');
        print_indent(out, indent);
    }
    strbuf_addc(out, ':');
    if (!is_block(key->value)) {
        strbuf_addc(out, ' ');
        return print_scalar(printer, key->value, indent + 2);
    }
    strbuf_addc(out, '\n');
    int deeper = json_is_object(key->value) ? indent + 2 : indent;
    return print_block(printer, key->value, deeper, depth + 1, false);
}

static void free_keys(struct key **keys)
{
    free(*keys);
}

static int print_map(struct printer *printer, const json_t *map, int indent, int depth,
                     bool continues)
{
    KARTA_CLEANUP(free_keys) struct key *keys = sorted_keys((json_t *)map);
    if (keys == NULL)
        return karta_error_set(printer->err, KARTA_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < json_object_size(map); i++) {
        if (i > 0 || !continues)
            print_indent(&printer->out, indent);
        int code = print_member(printer, &keys[i], indent, depth);
        if (code != 0)
            return code;
    }
    return KARTA_OK;
}

static int print_list(struct printer *printer, const json_t *list, int indent, int depth,
                      bool continues)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (i > 0 || !continues)
            print_indent(&printer->out, indent);
        strbuf_adds(&printer->out, "- ");
        int code = is_block(item) ? print_block(printer, item, indent + 2, depth + 1, true)
                                  : print_scalar(printer, item, indent + 2);
        if (code != 0)
            return code;
    }
    return KARTA_OK;
}

/* A map or list that is not empty; `continues`: its first line stands behind a dash already. */
static int print_block(struct printer *printer, const json_t *value, int indent, int depth,
                       bool continues)
{
    if (depth > LIMIT_DOCUMENT_DEPTH)
        return karta_error_set(printer->err, KARTA_ERR_LIMIT, "nested deeper than %d levels",
                               LIMIT_DOCUMENT_DEPTH);
    int code = strbuf_check(&printer->out, printer->err);
    if (code != 0)
        return code;
    return json_is_object(value) ? print_map(printer, value, indent, depth, continues)
                                 : print_list(printer, value, indent, depth, continues);
}

static void printer_dispose(struct printer *printer)
{
    strbuf_dispose(&printer->out);
}

int karta_yaml_print(const json_t *value, char **text, struct karta_error *err)
{
    KARTA_CLEANUP(printer_dispose) struct printer printer = {.err = err};
    strbuf_init(&printer.out, LONGEST_OUTPUT);
    int code = is_block(value) ? print_block(&printer, value, 0, 1, false)
                               : print_scalar(&printer, value, 2);
    if (code == 0)
        code = strbuf_check(&printer.out, err);
    if (code != 0)
        return code;
    *text = strbuf_take(&printer.out);
    return *text != NULL ? KARTA_OK : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}
