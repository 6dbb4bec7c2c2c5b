/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec: AdmissionReview admission.k8s.io/v1 to a request, and a response back. Shapes:
 * k8s.io/api/admission/v1.
 */
#ifndef KARTA_CORE_REVIEW_H
#define KARTA_CORE_REVIEW_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/error.h"

/* A request, read; everything is borrowed from `root`. Absent texts are "". */
struct review {
    json_t *root; /* new */
    const char *uid, *operation, *ns, *name, *sub_resource;
    const char *group, *version, *kind;
    const json_t *object, *old_object; /* NULL where absent or null */
};

/*
 * Reads a body. Where it is no AdmissionReview that can be answered: an error whose message says
 * what is wrong and where (HTTP 400). *review is the caller's to dispose either way.
 */
int review_parse(const char *body, size_t size, struct review *review, struct karta_error *err);
void review_dispose(struct review *review);

/* What is answered. */
struct response {
    bool allowed;
    unsigned code;      /* of a denial: 403, 422, 500 */
    char *message;      /* of a denial; owned */
    const char *reason; /* of a denial: metav1.StatusReason; static */
    json_t *causes;     /* of a denial: metav1.StatusCause array; owned; NULL: none */
    json_t *patch;      /* owned; NULL: none */
    json_t *warnings;   /* owned; array of texts; NULL: none */
    json_t *audit;      /* owned; object of texts; NULL: none */
};
void response_dispose(struct response *response);

/* New text of the AdmissionReview that answers `review`; NULL when memory is out. */
char *response_encode(const struct review *review, const struct response *response);

#endif
