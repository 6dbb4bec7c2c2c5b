/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of kartactl definitions. Those that give a code give an exit code. */
#ifndef KARTA_CLI_DEFINITIONS_H
#define KARTA_CLI_DEFINITIONS_H

#include <stdbool.h>

#include "arguments.h"
#include "base/strbuf.h"
#include "input.h"
#include "karta/snapshot.h"
#include "table.h"

int definitions_list(const struct karta_snapshot *catalog, const struct arguments *arguments);
int definitions_show(const struct karta_snapshot *catalog, const struct arguments *arguments);
int definitions_validate(const struct arguments *arguments);

/* True of an entry of karta_snapshot_list that is no profile. */
bool definitions_is_one(const json_t *entry);

/* New text "group/version" of a {group, version, kind}; NULL when memory is out. */
char *definitions_api_version(const json_t *kind);

/*
 * The definition that `word` means: by its name, or by a kind, group/kind or resource that only
 * one in force is for. CLI_NOT_FOUND and one line with the nearest name where there is none.
 */
int definitions_find(const struct karta_snapshot *catalog, const char *word,
                     const struct karta_definition **definition);

/* Appends one definition as people read it: what it is, its tree, statuses, gang, expressions. */
void definitions_text(const struct karta_definition *definition, bool boxes, bool colour,
                      struct strbuf *buf);

/* Its parts: statuses and suspension, numbering `questions` (texts); expressions; its gang. */
void definitions_status_text(const json_t *structure, json_t *questions, bool colour,
                             struct strbuf *buf);
void definitions_expressions_text(const struct karta_definition *definition,
                                  const json_t *questions, bool colour, struct strbuf *buf);
void definitions_gang_text(const struct karta_definition *definition, bool colour,
                           struct strbuf *buf);

/* New text of a pod expression: "pod label KEY = VALUE" where it is that simple. */
char *definitions_pod_text(const json_t *entry);

/* The component called so, NULL where there is none. Borrowed. */
const json_t *definitions_component(const json_t *structure, const char *name);

/* Of an entry of karta_explain's report: the field below its heading (new), and that heading. */
char *definitions_short_field(const char *field);
const char *definitions_section(const json_t *entry);
/* The headings of a report (new array of texts): components, then the rest. */
json_t *definitions_sections(const json_t *entries);

/* True where `object` is of the kind that the Karta `document` is for. */
bool definitions_covers(const json_t *document, const json_t *object);

/*
 * What a valid Karta gives on a sample: *result is new, {sample, workload, expressions, failed,
 * nothing, partly, view | error}; the three in the middle list the fields that failed, gave
 * nothing, or gave nothing for some. CLI_DONE, or CLI_FAILED and one line.
 */
int definitions_sample(const struct input_document *karta, const struct input_document *sample,
                       json_t **result);

/* Appends that as people read it. */
void definitions_sample_text(const json_t *result, const char *file, bool boxes, bool colour,
                             struct strbuf *buf);

#endif
