/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits an expression into words. The idea: only what jq 1.6 and 1.7 both read, and read the
 * same, is a word here; each spelling that they read differently is refused where it stands.
 */
#include "jq/jq_token.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

#define REFUSE_AT(reader, offset, ...)                                                             \
    (karta_error_set_at((reader)->err, KARTA_ERR_EXPRESSION, 0, (int)(offset) + 1, __VA_ARGS__),   \
     false)

int token_check_text(const char *text, struct karta_error *err)
{
    size_t end = strnlen(text, LIMIT_EXPRESSION_BYTES + 1);
    if (end > LIMIT_EXPRESSION_BYTES)
        return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, (int)LIMIT_EXPRESSION_BYTES + 1,
                                  "is longer than %u bytes", LIMIT_EXPRESSION_BYTES);
    for (size_t i = 0; i < end;) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 && c != '\n' && c != '\t')
            return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, (int)i + 1,
                                      "holds the control character 0x%02x; only line feed and tab "
                                      "are white space here",
                                      c);
        size_t length = text_character(text + i, end - i, NULL);
        if (length == 0)
            return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, (int)i + 1,
                                      "holds the byte 0x%02x, which is not valid UTF-8 here", c);
        i += length;
    }
    return 0;
}

/* Over white space and comments; false for a comment that the engines end differently. */
static bool skip_blank(struct token_reader *reader)
{
    const char *text = reader->text;
    for (;;) {
        reader->at += strspn(text + reader->at, " \t\n");
        if (text[reader->at] != '#')
            return true;
        reader->at += strcspn(text + reader->at, "\n");
        if (text[reader->at - 1] == '\\')
            return REFUSE_AT(reader, reader->at - 1,
                             "a comment must not end in a backslash: engines differ about where "
                             "it ends");
    }
}

static void take(struct token_reader *reader, struct token *token, enum token_kind kind,
                 size_t prefix, size_t size)
{
    token->kind = kind;
    token->text = reader->text + reader->at + prefix;
    token->size = size - prefix;
    reader->at += size;
}

static size_t word_length(const char *s)
{
    size_t length = 0;
    if (is_letter(s[0]))
        while (is_word(s[length]))
            length++;
    return length;
}

static bool refuse_module(struct token_reader *reader)
{
    return REFUSE_AT(reader, reader->at, "\"::\" is refused: there are no modules here");
}

/* True for what jq 1.6 reads as a number: a dot, an e, digits or a sign. */
static bool looks_like_exponent(const char *word, size_t size)
{
    if (word[0] != 'e' && word[0] != 'E')
        return false;
    for (size_t i = 1; i < size; i++)
        if (!is_digit(word[i]))
            return false;
    return size > 1 || ((word[1] == '+' || word[1] == '-') && is_digit(word[2]));
}

static bool read_dot(struct token_reader *reader, struct token *token)
{
    const char *s = reader->text + reader->at;
    size_t length = word_length(s + 1);
    if (s[1] == '.')
        return REFUSE_AT(reader, reader->at,
                         "\"..\" is refused: it runs without bound; name the path");
    if (is_digit(s[1]))
        return REFUSE_AT(reader, reader->at, "a number starts with a digit: write 0%.*s",
                         (int)strspn(s, ".0123456789"), s);
    if (length == 0) {
        take(reader, token, TOKEN_MARK, 0, 1);
        return true;
    }
    if (s[1 + length] == ':' && s[2 + length] == ':')
        return refuse_module(reader);
    if (looks_like_exponent(s + 1, length))
        return REFUSE_AT(
            reader, reader->at,
            "the field .%.*s is refused unquoted: jq 1.6 reads a number; write .\"%.*s\"",
            (int)length, s + 1, (int)length, s + 1);
    take(reader, token, TOKEN_FIELD, 1, 1 + length);
    return true;
}

static bool read_number(struct token_reader *reader, struct token *token)
{
    const char *s = reader->text + reader->at;
    size_t length = strspn(s, "0123456789");
    if (s[length] == '.' && is_digit(s[length + 1]))
        length += 1 + strspn(s + length + 1, "0123456789");
    if (s[length] == 'e' || s[length] == 'E') {
        size_t sign = s[length + 1] == '+' || s[length + 1] == '-';
        size_t digits = strspn(s + length + 1 + sign, "0123456789");
        if (digits > 0)
            length += 1 + sign + digits;
    }
    if (is_word(s[length]) || s[length] == '.')
        return REFUSE_AT(reader, reader->at,
                         "a number is digits, then perhaps a point with digits and an exponent; "
                         "this one goes on with \"%c\"",
                         s[length]);
    take(reader, token, TOKEN_NUMBER, 0, length);
    return true;
}

static bool read_variable(struct token_reader *reader, struct token *token)
{
    size_t start = reader->at;
    size_t length = word_length(reader->text + start + 1);
    if (length > 0) {
        const char *after = reader->text + start + 1 + length;
        if (after[0] == ':' && after[1] == ':')
            return refuse_module(reader);
        take(reader, token, TOKEN_VARIABLE, 1, 1 + length);
        return true;
    }
    reader->at++;
    if (!skip_blank(reader))
        return false;
    length = word_length(reader->text + reader->at);
    if (length == 3 && strncmp(reader->text + reader->at, "ENV", 3) == 0)
        return REFUSE_AT(reader, start, "$ENV is refused: an expression reads no environment");
    if (length == 7 && strncmp(reader->text + reader->at, "__loc__", 7) == 0)
        return REFUSE_AT(reader, start,
                         "$__loc__ is refused: it is about the text, not the object");
    return REFUSE_AT(reader, start, "a name must follow $ at once");
}

static bool read_mark(struct token_reader *reader, struct token *token)
{
    static const char *const marks[] = {
        "?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//"};
    const char *s = reader->text + reader->at;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(s, marks[i], strlen(marks[i])) == 0) {
            take(reader, token, TOKEN_MARK, 0, strlen(marks[i]));
            return true;
        }
    if (strchr("|,=<>+-*/%()[]{}:;?", s[0]) != NULL) {
        take(reader, token, TOKEN_MARK, 0, 1);
        return true;
    }
    size_t length = text_character(s, strlen(s), NULL);
    if (s[0] == '\'')
        return REFUSE_AT(reader, reader->at, "text stands in double quotes, not single ones");
    return REFUSE_AT(reader, reader->at, "\"%.*s\" means nothing here", (int)length, s);
}

bool token_next(struct token_reader *reader, struct token *token)
{
    if (!skip_blank(reader))
        return false;
    const char *s = reader->text + reader->at;
    token->column = (int)reader->at + 1;
    size_t length = word_length(s);
    if (s[0] == '\0') {
        take(reader, token, TOKEN_END, 0, 0);
        return true;
    }
    if (length > 0) {
        if (s[length] == ':' && s[length + 1] == ':')
            return refuse_module(reader);
        take(reader, token, TOKEN_NAME, 0, length);
        return true;
    }
    if (s[0] == '.')
        return read_dot(reader, token);
    if (is_digit(s[0]))
        return read_number(reader, token);
    if (s[0] == '$')
        return read_variable(reader, token);
    if (s[0] == '"') {
        take(reader, token, TOKEN_QUOTE, 0, 1);
        return true;
    }
    if (s[0] == '@' && is_word(s[1])) {
        while (is_word(s[1 + length]))
            length++;
        take(reader, token, TOKEN_FORMAT, 1, 1 + length);
        return true;
    }
    return read_mark(reader, token);
}

static int hex_code(const char *s)
{
    int code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *found = s[i] != '\0' ? strchr(digits, s[i]) : NULL;
        if (found == NULL)
            return -1;
        code = code * 16 + (int)((found - digits) % 16);
    }
    return code;
}

static void add_character(struct strbuf *piece, uint32_t point)
{
    char bytes[4];
    strbuf_add(piece, bytes, text_encode(point, bytes));
}

/* At the four digits of \uXXXX; takes both halves of a surrogate pair. */
static bool read_unicode(struct token_reader *reader, struct strbuf *piece)
{
    const char *s = reader->text + reader->at;
    int code = hex_code(s);
    if (code < 0)
        return REFUSE_AT(reader, reader->at - 2, "\\u takes four hexadecimal digits");
    if (code == 0)
        return REFUSE_AT(reader, reader->at - 2, "\\u0000 is refused in a text");
    reader->at += 4;
    if (code < 0xd800 || code > 0xdfff) {
        add_character(piece, (uint32_t)code);
        return true;
    }
    int low = code < 0xdc00 && s[4] == '\\' && s[5] == 'u' ? hex_code(s + 6) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return REFUSE_AT(reader, reader->at - 6, "\\u%.4s is half of a character", s);
    reader->at += 6;
    add_character(piece, 0x10000U + ((uint32_t)(code - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
    return true;
}

static bool read_escape(struct token_reader *reader, struct strbuf *piece)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = reader->text[reader->at + 1];
    reader->at += 2;
    if (c == 'u')
        return read_unicode(reader, piece);
    const char *found = strchr(from, c);
    const char *after = reader->text + reader->at - 1;
    size_t length = text_character(after, strlen(after), NULL);
    if (found == NULL)
        return REFUSE_AT(reader, reader->at - 2, "\\%.*s is no escape; a backslash is written \\\\",
                         (int)length, after);
    strbuf_addc(piece, to[found - from]);
    return true;
}

bool token_string(struct token_reader *reader, int opened, struct strbuf *piece, bool *interpolates)
{
    for (;;) {
        size_t plain = strcspn(reader->text + reader->at, "\"\\");
        strbuf_add(piece, reader->text + reader->at, plain);
        reader->at += plain;
        const char *s = reader->text + reader->at;
        if (s[0] == '\0' || (s[0] == '\\' && s[1] == '\0'))
            return REFUSE_AT(reader, opened - 1, "the text that opens here is never closed");
        *interpolates = s[0] == '\\' && s[1] == '(';
        if (s[0] == '"' || *interpolates) {
            reader->at += *interpolates ? 2 : 1;
            return true;
        }
        if (!read_escape(reader, piece))
            return false;
    }
}

bool token_is(const struct token *token, const char *mark)
{
    return token->kind == TOKEN_MARK && token->size == strlen(mark) &&
           memcmp(token->text, mark, token->size) == 0;
}

bool token_is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && token->size == strlen(word) &&
           memcmp(token->text, word, token->size) == 0;
}
