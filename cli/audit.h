/* SPDX-License-Identifier: Apache-2.0 */
/* What kartactl audit finds, and how it is printed. */
#ifndef KARTA_CLI_AUDIT_H
#define KARTA_CLI_AUDIT_H

#include <stdbool.h>

#include "arguments.h"
#include "input.h"
#include "karta/snapshot.h"

/* States; the last two are faults. */
#define AUDIT_NO_GANG "no gang"
#define AUDIT_GANGED "ganged"
#define AUDIT_NOT_OPTED_IN "not opted in"
#define AUDIT_NOT_GANGED "not ganged"
#define AUDIT_INCOMPLETE "incomplete"

struct audit {
    const struct arguments *arguments;
    const struct karta_snapshot *catalog;
    json_t *findings; /* array of {workload, state, mended: "re-apply" | "re-create" | "no" | null,
                         reason} */
    json_t *wanted;   /* array of {object, finding}: what ganged workloads need (audit_objects.h) */
    bool named;       /* each was asked for by its name, so each gets an answer */
    size_t covered;   /* objects that a definition covers */
};

/*
 * Judges one object, which `label` names, and adds what is found. CLI_DONE, or a code and one line.
 * What no definition covers, or what is part of another's gang, is passed over.
 */
int audit_judge(struct audit *audit, const json_t *document, const char *label);

/* Prints the findings. CLI_INVALID where one is a fault; CLI_DONE, CLI_FAILED and one line. */
int audit_print(const struct audit *audit);

#endif
