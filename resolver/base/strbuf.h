/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing text with a cap. Failure is sticky: a chain of appends is checked once, at the end.
 * One buffer belongs to one thread.
 */
#ifndef KARTA_BASE_STRBUF_H
#define KARTA_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "karta/error.h"

struct strbuf {
    char *text;  /* NUL-terminated once anything was appended, NULL before */
    size_t size; /* bytes without the NUL */
    size_t room, cap;
    int failed; /* 0, KARTA_ERR_NOMEM or KARTA_ERR_LIMIT */
};

/* `cap`: the most bytes that it may ever hold. */
void strbuf_init(struct strbuf *buf, size_t cap);
void strbuf_dispose(struct strbuf *buf);

void strbuf_add(struct strbuf *buf, const char *bytes, size_t size);
void strbuf_adds(struct strbuf *buf, const char *text);
void strbuf_addc(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Empties it for a new chain of appends; a failure is forgotten. */
void strbuf_clear(struct strbuf *buf);

/* Appends `text` as a JSON string with its quotes (valid UTF-8 in, ASCII-safe for controls). */
void strbuf_add_json(struct strbuf *buf, const char *text, size_t size);

/* 0, or the sticky failure. */
int strbuf_check(const struct strbuf *buf, struct karta_error *err);

/* New text (never NULL on success, "" where nothing was appended), the buffer empty again; NULL
 * after a failure. */
char *strbuf_take(struct strbuf *buf);

#define KARTA_AUTO_STRBUF KARTA_CLEANUP(strbuf_dispose) struct strbuf

#endif
