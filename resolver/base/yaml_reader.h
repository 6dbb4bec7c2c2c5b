/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML reader's inside: what yaml_read.c and yaml_reader.c share. One reader, one thread. */
#ifndef KARTA_BASE_YAML_READER_H
#define KARTA_BASE_YAML_READER_H

#include <jansson.h>
#include <stddef.h>
#include <yaml.h>

#include "base/mem.h"
#include "karta/error.h"

struct yaml_reader {
    yaml_parser_t parser;
    const char *bytes;
    size_t size;
    json_t *anchors;    /* of the document under way: name to value */
    json_t *unfinished; /* what stands in `anchors` for a value that is still being read */
    size_t nodes;       /* values made */
    size_t repeated;    /* bytes of text that aliases repeated */
    struct karta_error *err;
};

#define AUTO_EVENT KARTA_CLEANUP(yaml_event_delete) yaml_event_t

int yaml_reader_no_memory(struct yaml_reader *reader);

/* Stores an error at `mark`, whose column libyaml counts in characters and we in bytes. */
int yaml_reader_fail(struct yaml_reader *reader, yaml_mark_t mark, int code, const char *format,
                     ...) KARTA_PRINTF(4, 5);

/* The next event; *event is always fit to be deleted. */
int yaml_reader_next(struct yaml_reader *reader, yaml_event_t *event);

/* Counts one more value; KARTA_ERR_LIMIT. */
int yaml_reader_count(struct yaml_reader *reader, yaml_mark_t mark);

/* `depth` is that of a list or map, 1 for a document's own. KARTA_ERR_LIMIT. */
int yaml_reader_check_depth(struct yaml_reader *reader, yaml_mark_t mark, int depth);

/* *result: a new copy of `value` that shares nothing, counted like text that stood at `mark`. */
int yaml_reader_copy(struct yaml_reader *reader, yaml_mark_t mark, const json_t *value, int depth,
                     json_t **result);

#endif
