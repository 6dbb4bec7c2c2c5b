/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns what: objects by uid, and the walk up their owner references. Main's thread only. */
#ifndef KARTA_CLI_OWNERS_H
#define KARTA_CLI_OWNERS_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/snapshot.h"
#include "live.h"

struct owners {
    json_t *by_uid; /* uid -> {objects' metadata.ownerReferences} */
    json_t *asked;  /* address -> true */
};

/* False when memory is out. */
bool owners_init(struct owners *owners);
void owners_dispose(struct owners *owners);

/* Makes the objects of an array known. False when memory is out. */
bool owners_add(struct owners *owners, const json_t *objects);

/*
 * Asks the cluster for the owners of what is known, and theirs, until nothing is missing. What
 * `stop` (NULL: nothing) covers isn't looked above. An owner that can't be read ends its chain: a
 * warning says so. CLI_DONE, or a code and one line.
 */
int owners_complete(struct owners *owners, const struct live *live, bool everywhere,
                    const struct karta_snapshot *stop);

/* Whether the chain of `object` leads to the object with that uid; an object leads to itself. */
bool owners_lead_to(const struct owners *owners, const json_t *object, const char *uid);

/* Whether something that `catalog` covers stands above `object`. */
bool owners_are_covered(const struct owners *owners, const json_t *object,
                        const struct karta_snapshot *catalog);

#endif
