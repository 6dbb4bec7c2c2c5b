/* SPDX-License-Identifier: Apache-2.0 */
/* AdmissionReview v1 from the API server's side: the question we ask and the answer we read. */
#ifndef KARTA_CLI_REVIEW_ASK_H
#define KARTA_CLI_REVIEW_ASK_H

#include <jansson.h>

#include "karta/error.h"

/* New review of a CREATE of `object`; NULL when memory is out. `plural` names the resource. */
json_t *review_build(const json_t *object, const char *plural, const char *ns, const char *uid);

/* A random version 4 UUID (RFC 9562). 0, or KARTA_ERR_IO. */
int review_uid(char uid[37], struct karta_error *err);

struct review_answer {
    json_t *patch;    /* new array; NULL: none */
    json_t *warnings; /* new array of strings; NULL: none */
    char *denial;     /* new; NULL: allowed */
};

/*
 * Reads the body of an answer to the review of `uid`. KARTA_ERR_SYNTAX and KARTA_ERR_SCHEMA name
 * what is wrong with it. The caller disposes *answer in any case.
 */
int review_read(const char *body, size_t size, const char *uid, struct review_answer *answer,
                struct karta_error *err);
void review_answer_dispose(struct review_answer *answer);

#endif
