/* SPDX-License-Identifier: Apache-2.0 */
/* What a request is answered, and the real server's words for refusals. */
#ifndef KARTA_TESTS_API_ANSWER_H
#define KARTA_TESTS_API_ANSWER_H

#include <jansson.h>

struct api_kind;

struct api_answer {
    int status;
    json_t *body;     /* NULL: `text` */
    const char *text; /* static */
    const char *type; /* static; NULL: application/json */
    char etag[64];
    int retry_after;
};

void answer_dispose(struct api_answer *answer);
/* `body` is taken. */
void answer_json(struct api_answer *answer, int status, json_t *body);

/* New Status; `details` is taken, may be NULL. */
__attribute__((format(printf, 4, 5))) json_t *status_new(int code, const char *reason,
                                                         json_t *details, const char *format, ...);
__attribute__((format(printf, 5, 6))) void answer_status(struct api_answer *answer, int code,
                                                         const char *reason, json_t *details,
                                                         const char *format, ...);
/* New {name, group, kind}. */
json_t *status_details(const struct api_kind *kind, const char *name);
/* New: 410 Expired for a watch from `asked`. */
json_t *status_too_old(unsigned long asked, unsigned long now);

void answer_not_found(struct api_answer *answer, const struct api_kind *kind, const char *name);
/* 422: "Karta.run.ai \"a\" is invalid: FIELD: WHAT". */
void answer_invalid(struct api_answer *answer, const struct api_kind *kind, const char *name,
                    const char *field, const char *what);
/* 404 without a name: "the server could not find the requested resource". */
void answer_no_resource(struct api_answer *answer);
void answer_bad_request(struct api_answer *answer, const char *message);
void answer_no_method(struct api_answer *answer);

#endif
