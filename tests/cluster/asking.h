/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the API server's double that hides nothing: whole answers, and watches line by line.
 * Fails the test where there is no answer, unless it says otherwise. */
#ifndef KARTA_TESTS_ASKING_H
#define KARTA_TESTS_ASKING_H

#include "api_server.h"
#include "support.h"

struct asked {
    long status;  /* 0: no whole answer came */
    char *text;   /* the body */
    json_t *body; /* NULL: no JSON */
    char etag[128], type[128];
    int retry_after;
};

struct asking {
    const char *method, *path;
    const char *body; /* ' for " */
    const char *content_type, *accept, *token, *if_none_match;
    const char *ca;  /* PEM file */
    long timeout_ms; /* 0: 20 s */
};

struct asked ask(struct api_server *server, const struct asking *asking);
/* Just that, and the body with this status; the caller's. */
json_t *ask_json(struct api_server *server, const char *method, const char *path, const char *body,
                 long status);
void asked_dispose(struct asked *asked);
/* The text at a path as "metadata.name"; "" where there is none. Borrowed. */
const char *text_at(const json_t *object, const char *path);
/* Fails unless it is a Status of this code, reason and message. */
void assert_status(const json_t *status, int code, const char *reason, const char *message);

struct following; /* a watch under way */
struct following *follow(struct api_server *server, const char *path, const char *accept);
/* The next line, waited for; NULL: the watch has ended. The caller's. */
char *follow_line(struct following *following);
/* The same as JSON, which it must be; its type is this. */
json_t *follow_event(struct following *following, const char *type);
/* How it ended: the HTTP status, and whether the answer was whole. Waits for it. */
long follow_end(struct following *following, bool *whole);
void follow_free(struct following *following);

#endif
