/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON by jansson, with what jansson lacks. The one idea: a scan that only knows strings and
 * brackets goes over the bytes first, so that depth and number of values are known before memory
 * is spent on them; the same scan finds the integers that jansson cannot hold.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/read.h"
#include "base/strbuf.h"
#include "karta/document.h"

#define DECODE_FLAGS (JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES)

/* Where `offset` is, as 1-based line and column in bytes. */
static void locate(const char *bytes, size_t offset, int *line, int *column)
{
    *line = 1;
    size_t start = 0;
    for (size_t i = 0; i < offset; i++) {
        if (bytes[i] == '\n') {
            *line += 1;
            start = i + 1;
        }
    }
    *column = (int)(offset - start) + 1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The offset past the string that starts with the quote at `i`. */
static size_t skip_string(const char *bytes, size_t size, size_t i)
{
    for (i++; i < size && bytes[i] != '"'; i++)
        if (bytes[i] == '\\')
            i++;
    return i < size ? i + 1 : size;
}

struct weight {
    size_t values, depth;
};

/* Weighs bytes that may be JSON: exact where they are. */
static struct weight weigh(const char *bytes, size_t size)
{
    struct weight weight = {1, 0};
    size_t depth = 0;
    bool opened = false; /* just after an opening bracket: a value follows or the end */
    for (size_t i = 0; i < size;) {
        char c = bytes[i];
        bool closes = c == ']' || c == '}';
        weight.values += c == ',' || (opened && !closes && !is_space(c));
        opened = c == '[' || c == '{' || (opened && is_space(c));
        if (c == '[' || c == '{')
            depth++;
        if (closes && depth > 0)
            depth--;
        weight.depth = depth > weight.depth ? depth : weight.depth;
        i = c == '"' ? skip_string(bytes, size, i) : i + 1;
    }
    return weight;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True when the `count` digits are above what 64 bits with that sign hold. */
static bool is_wide(const char *digits, size_t count, bool negative)
{
    const char *most = negative ? "9223372036854775808" : "9223372036854775807";
    if (count != strlen(most))
        return count > strlen(most);
    return memcmp(digits, most, count) > 0;
}

/*
 * Finds the next integer at or after `from` that does not fit 64 bits: the offset past its digits,
 * or 0 where none is left.
 */
static size_t next_wide_integer(const char *bytes, size_t size, size_t from)
{
    for (size_t i = from; i < size;) {
        if (bytes[i] == '"') {
            i = skip_string(bytes, size, i);
            continue;
        }
        if (!is_digit(bytes[i])) {
            i++;
            continue;
        }
        size_t start = i;
        while (i < size && is_digit(bytes[i]))
            i++;
        bool whole = i == size || (bytes[i] != '.' && bytes[i] != 'e' && bytes[i] != 'E');
        bool negative = start > 0 && bytes[start - 1] == '-';
        if (whole && is_wide(bytes + start, i - start, negative))
            return i;
        while (i < size && strchr("0123456789.eE+-", bytes[i]) != NULL && bytes[i] != '\0')
            i++;
    }
    return 0;
}

/* makes a real of an integer */
static const char widening[] = "e0";

/* The same text with integers that jansson cannot hold written as reals. */
static int widen(const char *bytes, size_t size, struct strbuf *buf, struct karta_error *err)
{
    size_t done = 0;
    for (size_t end; (end = next_wide_integer(bytes, size, done)) != 0; done = end) {
        strbuf_add(buf, bytes + done, end - done);
        strbuf_adds(buf, widening);
    }
    strbuf_add(buf, bytes + done, size - done);
    return strbuf_check(buf, err);
}

/* Where byte `offset` of the widened text was before. */
static size_t unwiden(const char *bytes, size_t size, size_t offset)
{
    size_t added = 0;
    for (size_t end = 0; (end = next_wide_integer(bytes, size, end)) != 0;) {
        if (end + added >= offset)
            break;
        added += sizeof widening - 1;
    }
    return offset >= added ? offset - added : 0;
}

static bool is_key(const char *bytes, size_t size, size_t end)
{
    while (end < size && is_space(bytes[end]))
        end++;
    return end < size && bytes[end] == ':';
}

/*
 * A copy in which keys hold U+FFFD where they held U+0000, which jansson's keys cannot: an escape
 * of the same length, so that positions stay. Nothing is ever written below such a key.
 */
static char *mend_keys(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    for (size_t i = 0; i < size;) {
        size_t end = copy[i] == '"' ? skip_string(copy, size, i) : i + 1;
        bool key = copy[i] == '"' && is_key(copy, size, end);
        for (size_t k = i; key && k + 6 <= end; k += copy[k] == '\\' ? 2 : 1)
            if (memcmp(copy + k, "\\u0000", 6) == 0)
                memcpy(copy + k, "\\ufffd", 6);
        i = end;
    }
    return copy;
}

/* Decodes the value that `bytes` start with; what jansson says goes to *error. */
static int decode_numbers(const char *bytes, size_t size, size_t flags, json_t **value,
                          json_error_t *error, struct karta_error *err)
{
    *value = json_loadb(bytes, size, flags, error);
    if (*value != NULL || json_error_code(error) != json_error_numeric_overflow)
        return KARTA_OK;
    KARTA_AUTO_STRBUF wide;
    strbuf_init(&wide, 2 * size + sizeof widening);
    int code = widen(bytes, size, &wide, err);
    if (code != 0)
        return code;
    *value = json_loadb(wide.text, wide.size, flags, error);
    error->position = (int)unwiden(bytes, size, (size_t)error->position);
    return KARTA_OK;
}

static int decode(const char *bytes, size_t size, size_t flags, json_t **value, json_error_t *error,
                  struct karta_error *err)
{
    int code = decode_numbers(bytes, size, flags, value, error, err);
    if (code != 0 || *value != NULL || json_error_code(error) != json_error_null_byte_in_key)
        return code;
    KARTA_AUTO_TEXT mended = mend_keys(bytes, size);
    if (mended == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return decode_numbers(mended, size, flags, value, error, err);
}

/* `key "a" stands twice in one map`, at the quote that opens the key before byte `end`. */
static int duplicate_error(const char *bytes, size_t end, struct karta_error *err)
{
    size_t close = end > 0 ? end - 1 : 0;
    size_t open = close;
    while (open > 0) {
        size_t slashes = 0;
        open--;
        while (slashes < open && bytes[open - slashes - 1] == '\\')
            slashes++;
        if (bytes[open] == '"' && slashes % 2 == 0)
            break;
    }
    int line, column;
    locate(bytes, open, &line, &column);
    int size = close > open ? (int)(close - open - 1) : 0;
    return karta_error_set_at(err, KARTA_ERR_SCHEMA, line, column,
                              "key \"%.*s\" stands twice in one map", size < 200 ? size : 200,
                              bytes + open + 1);
}

/* What jansson's refusal means; `size` bytes were given. */
static int decode_error(const char *bytes, size_t size, const json_error_t *error,
                        struct karta_error *err)
{
    size_t position = error->position >= 0 ? (size_t)error->position : size;
    position = position < size ? position : size;
    int line, column;
    locate(bytes, position, &line, &column);
    /* without a word it could not even begin */
    if (error->text[0] == '\0')
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    case json_error_duplicate_key:
        return duplicate_error(bytes, position, err);
    case json_error_stack_overflow:
        return karta_error_set_at(err, KARTA_ERR_LIMIT, line, column,
                                  "nested deeper than 2048 levels");
    default:
        return karta_error_set_at(err, KARTA_ERR_SYNTAX, line, column, "not JSON: %s at byte %zu",
                                  error->text, position);
    }
}

static int check_values(const struct weight *weight, struct karta_error *err)
{
    if (weight->values > LIMIT_DOCUMENT_NODES)
        return karta_error_set(err, KARTA_ERR_LIMIT, "more than %u values", LIMIT_DOCUMENT_NODES);
    return KARTA_OK;
}

static int check_size(size_t size, struct karta_error *err)
{
    if (size > LIMIT_DOCUMENT_BYTES)
        return karta_error_set(err, KARTA_ERR_LIMIT, "document is above %u bytes",
                               LIMIT_DOCUMENT_BYTES);
    return KARTA_OK;
}

int karta_json_parse(const char *bytes, size_t size, json_t **value, struct karta_error *err)
{
    struct weight weight = weigh(bytes, size);
    int code = check_size(size, err);
    if (code == 0)
        code = check_values(&weight, err);
    json_error_t error = {0};
    json_t *decoded = NULL;
    if (code == 0)
        code = decode(bytes, size, DECODE_FLAGS | JSON_DECODE_ANY, &decoded, &error, err);
    if (code != 0)
        return code;
    if (decoded == NULL)
        return decode_error(bytes, size, &error, err);
    *value = decoded;
    return KARTA_OK;
}

/* The kinds of refusal after which the bytes may still be YAML. */
static bool may_be_yaml(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_invalid_syntax || code == json_error_premature_end_of_input ||
           code == json_error_end_of_input_expected || code == json_error_invalid_utf8 ||
           code == json_error_null_character;
}

static int check_weight(const char *bytes, size_t size, struct karta_error *err)
{
    struct weight weight = weigh(bytes, size);
    if (weight.depth > LIMIT_DOCUMENT_DEPTH)
        return karta_error_set(err, KARTA_ERR_LIMIT, "nested deeper than %d levels",
                               LIMIT_DOCUMENT_DEPTH);
    return check_values(&weight, err);
}

static size_t skip_space(const char *bytes, size_t size, size_t offset)
{
    while (offset < size && is_space(bytes[offset]))
        offset++;
    return offset;
}

/* Appends the documents of `text`; false in *is_json, and no error, where it is not JSON. */
static int read_texts(const char *text, size_t size, struct documents *found, bool *is_json,
                      json_error_t *error, struct karta_error *err)
{
    size_t flags = DECODE_FLAGS | JSON_DISABLE_EOF_CHECK;
    int line = 1;
    *is_json = true;
    for (size_t last = 0, offset = skip_space(text, size, 0); offset < size;) {
        for (; last < offset; last++)
            line += text[last] == '\n';
        json_t *value = json_loadb(text + offset, size - offset, flags, error);
        /* jansson counts from where it was told to start */
        error->position = (int)offset + (error->position > 0 ? error->position : 0);
        *is_json = value != NULL || !may_be_yaml(error);
        if (value == NULL)
            return KARTA_OK;
        int code = document_add(found, value, line, err);
        if (code != 0)
            return code;
        offset = skip_space(text, size, (size_t)error->position);
    }
    error->position = -1;
    return KARTA_OK;
}

int json_read(const char *bytes, size_t size, struct documents *documents, bool *is_json,
              struct karta_error *err)
{
    size_t start = skip_space(bytes, size, 0);
    *is_json = start < size && (bytes[start] == '{' || bytes[start] == '[');
    if (!*is_json)
        return KARTA_OK;
    KARTA_AUTO_STRBUF wide;
    strbuf_init(&wide, 2 * size + sizeof widening);
    bool is_wide_text = next_wide_integer(bytes, size, 0) != 0;
    int code = check_weight(bytes, size, err);
    if (code == 0 && is_wide_text)
        code = widen(bytes, size, &wide, err);
    if (code != 0)
        return code;
    KARTA_CLEANUP(documents_dispose) struct documents found;
    json_error_t error = {0};
    code = documents_init(&found, err);
    if (code == 0)
        code = read_texts(is_wide_text ? wide.text : bytes, is_wide_text ? wide.size : size, &found,
                          is_json, &error, err);
    if (code != 0 || !*is_json)
        return code;
    if (error.position >= 0) {
        if (is_wide_text)
            error.position = (int)unwiden(bytes, size, (size_t)error.position);
        return decode_error(bytes, size, &error, err);
    }
    if (json_array_extend(documents->values, found.values) != 0 ||
        json_array_extend(documents->lines, found.lines) != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return KARTA_OK;
}
