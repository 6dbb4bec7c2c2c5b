/* SPDX-License-Identifier: Apache-2.0 */
/* Words of an expression, one at a time. The reader belongs to one parse. */
#ifndef KARTA_JQ_TOKEN_H
#define KARTA_JQ_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "karta/error.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,     /* a word: a call or a keyword */
    TOKEN_FIELD,    /* .name, the text is the name */
    TOKEN_VARIABLE, /* $name, the text is the name */
    TOKEN_FORMAT,   /* @name, the text is the name */
    TOKEN_NUMBER,
    TOKEN_QUOTE, /* the quote that opens a string; token_string reads on */
    TOKEN_MARK   /* brackets and operators */
};

struct token {
    enum token_kind kind;
    const char *text; /* into the expression */
    size_t size;
    int column; /* where the token starts */
};

struct token_reader {
    const char *text; /* the whole expression */
    size_t at;        /* the next byte */
    struct karta_error *err;
};

/* Whole-text rules: size, control characters, UTF-8. KARTA_ERR_EXPRESSION or 0. */
int token_check_text(const char *text, struct karta_error *err);

/* Reads the next token; false with the error set where there is none. */
bool token_next(struct token_reader *reader, struct token *token);

/*
 * Reads a piece of a string, from after its opening quote or an interpolation: up to the closing
 * quote (*interpolates false) or to the end of `\(` (true). `opened` is the column of the quote.
 */
bool token_string(struct token_reader *reader, int opened, struct strbuf *piece,
                  bool *interpolates);

bool token_is(const struct token *token, const char *mark);
bool token_is_word(const struct token *token, const char *word);

#endif
