/* SPDX-License-Identifier: Apache-2.0 */
/* How requests fail, as sentences. Pure. */
#ifndef KARTA_CLUSTER_KUBE_ERROR_H
#define KARTA_CLUSTER_KUBE_ERROR_H

#include "kube_client.h"

/* What a sentence is about beside the request. */
struct kube_whom {
    const char *server;     /* "https://10.0.0.1:443", for people */
    const char *token_file; /* NULL: none is configured */
    bool token_withheld;    /* there is one, but the way to the server is not safe for it */
};

/* Each sets the error and returns its code. */
int kube_error_stopped(const struct kube_request *request, struct karta_error *err);
int kube_error_unreached(const struct kube_request *request, const struct kube_whom *whom,
                         const char *reason, struct karta_error *err);
/* The answer had begun. */
int kube_error_broken(const struct kube_request *request, const char *reason,
                      struct karta_error *err);
int kube_error_late(const struct kube_request *request, bool silent, int ms,
                    struct karta_error *err);
int kube_error_too_long(const struct kube_request *request, size_t limit, struct karta_error *err);
/* An answer that is no success: `answer` has status and body, `text` is the body where it is no
 * JSON. */
int kube_error_status(const struct kube_request *request, const struct kube_whom *whom,
                      const struct kube_answer *answer, const char *text, struct karta_error *err);
/* Puts verb and resource before an error that has none: "list pods: the answer is ...". */
int kube_error_name(const struct kube_request *request, int code, struct karta_error *err);

#endif
