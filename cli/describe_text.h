/* SPDX-License-Identifier: Apache-2.0 */
/* A view as people read it. */
#ifndef KARTA_CLI_DESCRIBE_TEXT_H
#define KARTA_CLI_DESCRIBE_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"

struct describe_style {
    bool boxes, colour;
    long long now;    /* seconds since the epoch, for ages */
    size_t width;     /* columns of the terminal; 0: any */
    size_t pod_limit; /* live pods of one instance that are shown */
};

/*
 * Appends the description of `object` and its `view`, which may have `pods` (live_pods.h); `origin`
 * is where its definition comes from. A failure stays in `buf`.
 */
void describe_text(const json_t *object, const json_t *view, const char *origin,
                   const struct describe_style *style, struct strbuf *buf);

/* Its parts. */
void describe_tree(const json_t *view, const struct describe_style *style, struct strbuf *buf);
void describe_phase(const json_t *view, struct strbuf *buf);
void describe_groups(const json_t *view, const struct describe_style *style, struct strbuf *buf);
void describe_resources(const json_t *view, const struct describe_style *style, struct strbuf *buf);

/* New text "1 pod", "2 pods"; NULL for null or when memory is out. */
char *describe_count(const json_t *count, const char *one, const char *many);

/* New text of an age as kubectl shows it, in the largest unit that fits: "3d", "40s". */
char *describe_age(long long seconds);
/* The same of an object; NULL where it has no time of creation. */
char *describe_age_of(const json_t *object, long long now);

#endif
