/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of kartactl definitions. Each gives an exit code. */
#ifndef KARTA_CLI_DEFINITIONS_H
#define KARTA_CLI_DEFINITIONS_H

#include <stdbool.h>

#include "arguments.h"
#include "base/strbuf.h"
#include "karta/snapshot.h"

int definitions_list(const struct karta_snapshot *catalog, const struct arguments *arguments);
int definitions_show(const struct karta_snapshot *catalog, const struct arguments *arguments);
int definitions_validate(const struct arguments *arguments);

/* Appends one definition as people read it: what it is, its tree, statuses, gang, expressions. */
void definitions_text(const struct karta_definition *definition, bool boxes, bool colour,
                      struct strbuf *buf);

#endif
