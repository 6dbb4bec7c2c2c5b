/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: whole, with their type, and errors always as {"error": "..."}. */
#ifndef KARTA_SERVER_REPLY_H
#define KARTA_SERVER_REPLY_H

#include <microhttpd.h>
#include <stdbool.h>

#define REPLY_JSON "application/json"

struct reply {
    unsigned status;
    const char *type;  /* content type */
    const char *allow; /* for 405, else NULL */
    bool close;        /* say that the connection ends here */
};

/* Queues `body` (taken: freed with free(), also after a failure). */
enum MHD_Result reply_send(struct MHD_Connection *connection, const struct reply *reply, char *body,
                           size_t size);

/* Queues {"error": text}; the text may hold any bytes. */
enum MHD_Result reply_error(struct MHD_Connection *connection, const struct reply *reply,
                            const char *text);

#endif
