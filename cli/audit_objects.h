/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the objects that gang schedulers wait for are there: a gang without them never starts. */
#ifndef KARTA_CLI_AUDIT_OBJECTS_H
#define KARTA_CLI_AUDIT_OBJECTS_H

#include "audit.h"

/* Notes which objects the ganged workload of the newest finding needs. CLI_DONE, or a code and one
 * line, which `label` begins. */
int audit_objects_want(struct audit *audit, const json_t *object, const char *label);

/* Asks the cluster for what was noted, and makes findings of what is missing. */
int audit_objects_ask(struct audit *audit);
/* The same among documents, for each kind of which there is any: a list without PodGroups says
 * nothing of them. */
int audit_objects_among(struct audit *audit, const struct input *input);

#endif
