/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where responses are made, so that none leaves without its type. */
#include "reply.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"

/* an error quotes a path or a header, each at most as long as libmicrohttpd's memory */
#define LIMIT_ERROR_BYTES (256U << 10)

static bool add_headers(struct MHD_Response *response, const struct reply *reply)
{
    return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type) ==
               MHD_YES &&
           (reply->allow == NULL ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow) == MHD_YES) &&
           (!reply->close ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES);
}

enum MHD_Result reply_send(struct MHD_Connection *connection, const struct reply *reply, char *body,
                           size_t size)
{
    struct MHD_Response *response =
        body != NULL ? MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE) : NULL;
    if (response == NULL) {
        free(body);
        return MHD_NO;
    }
    enum MHD_Result queued = MHD_NO;
    if (add_headers(response, reply))
        queued = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

enum MHD_Result reply_error(struct MHD_Connection *connection, const struct reply *reply,
                            const char *text)
{
    KARTA_AUTO_STRBUF body;
    strbuf_init(&body, LIMIT_ERROR_BYTES);
    strbuf_adds(&body, "{\"error\": ");
    escape_json(&body, text, strlen(text));
    strbuf_adds(&body, "}\n");
    size_t size = body.size;
    return reply_send(connection, reply, strbuf_take(&body), size);
}
