/* SPDX-License-Identifier: Apache-2.0 */
/* What people and scripts read on standard output. */
#ifndef KARTA_CLI_OUTPUT_H
#define KARTA_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"

/* the most that one run prints; files are capped at 32 MiB, so only very many reach it */
#define OUTPUT_BYTES (1U << 30)

/* True where standard output is a terminal: box characters, and colour unless NO_COLOR is set. */
bool output_terminal(void);
bool output_colour(void);

/* Columns of the terminal (COLUMNS, else what it says itself); 0 where there is none. */
size_t output_width(void);

/* Seconds since the epoch, for ages; SOURCE_DATE_EPOCH where it is set, for documents. */
long long output_now(void);

/* Prints one value in `format`, "json" or "yaml". CLI_DONE, or CLI_FAILED and one line. */
int output_value(const char *format, const json_t *value);

/* The same for several: documents of YAML; in JSON {"items": [..]}, or the only one itself. */
int output_items(const char *format, const json_t *items);

/* Appends each item as a YAML document, "---" between them. CLI_DONE or CLI_FAILED. */
int output_yaml(struct strbuf *buf, const json_t *items);

/* Prints what was built. CLI_DONE, or CLI_FAILED and one line where building it failed. */
int output_text(struct strbuf *buf);

/* Flushes; CLI_FAILED and a line where output was lost, silently where nobody reads any more. */
int output_end(void);

#endif
