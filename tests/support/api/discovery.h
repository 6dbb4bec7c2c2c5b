/* SPDX-License-Identifier: Apache-2.0 */
/* What there is: /api, /apis, /api/v1, /apis/G, /apis/G/V. Wants the server's lock. */
#ifndef KARTA_TESTS_API_DISCOVERY_H
#define KARTA_TESTS_API_DISCOVERY_H

#include "answer.h"
#include "request.h"
#include "store.h"

struct discovery_form {
    bool old;            /* nothing aggregated */
    bool beta;           /* aggregated as v2beta1 alone */
    const json_t *stale; /* groups, as keys, whose own server is away */
};

/* False: the path is nothing of discovery's. */
bool discovery_answer(const struct api_store *store, const struct discovery_form *form,
                      const struct api_request *request, struct api_answer *answer);

#endif
