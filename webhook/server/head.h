/* SPDX-License-Identifier: Apache-2.0 */
/* What a request's first lines already decide. */
#ifndef KARTA_SERVER_HEAD_H
#define KARTA_SERVER_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

#include "admission.h"

/* an AdmissionReview carries two objects of at most 1.5 MiB; the API server stops at 3 MiB */
#define LIMIT_BODY_BYTES (8U << 20)

/* the API server's heads are under 1 KiB, its paths under 100 bytes:
 * `/mutate/workloads?timeout=10s` */
#define LIMIT_URI_BYTES (4U << 10)
#define LIMIT_HEAD_BYTES (16U << 10)

/* Why a request is not for us: the HTTP status and a sentence; status 0 where it is. */
struct refusal {
    unsigned status;
    bool close; /* where the next request begins is in doubt */
    char text[512];
};

__attribute__((format(printf, 3, 4))) void refuse(struct refusal *refusal, unsigned status,
                                                  const char *format, ...);

/* Judges the length of what stands in the request's first line. */
void head_check_uri(const char *uri, struct refusal *refusal);
/* Judges size, framing, method, path, content type and declared length; *endpoint is set where all
 * are right. */
void head_check(struct MHD_Connection *connection, const char *path, const char *method,
                enum admission_endpoint *endpoint, struct refusal *refusal);

/* The sentence for a body over the limit. */
void head_refuse_size(struct refusal *refusal);

/* True where the client waits for a word before it sends its body (Expect: 100-continue). */
bool head_expects_continue(struct MHD_Connection *connection);

#endif
