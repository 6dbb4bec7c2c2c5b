/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a JSON string. Pure. */
#ifndef KARTA_WEBHOOK_ESCAPE_H
#define KARTA_WEBHOOK_ESCAPE_H

#include "base/strbuf.h"

/*
 * Appends `size` bytes with quotes around them: controls (C0, DEL, C1), line separators and
 * direction marks as \uXXXX, bytes that are no UTF-8 as \ufffd. So a log line stays one line and
 * a terminal that shows it does nothing.
 */
void escape_json(struct strbuf *out, const char *bytes, size_t size);

#endif
