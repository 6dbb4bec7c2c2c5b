/* SPDX-License-Identifier: Apache-2.0 */
/* Every refusal that needs no body, each naming what came and what would be right. */
#include "head.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reply.h"

/* what of a user's text is worth repeating */
#define QUOTED 100

void refuse(struct refusal *refusal, unsigned status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, args);
    va_end(args);
    refusal->status = status;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* "application/json", in any case, alone or with parameters behind it. */
static bool is_json(const char *type)
{
    size_t size = strlen(REPLY_JSON);
    if (strncasecmp(type, REPLY_JSON, size) != 0)
        return false;
    type += size;
    type += strspn(type, " \t");
    return *type == '\0' || *type == ';';
}

static void check_type(struct MHD_Connection *connection, struct refusal *refusal)
{
    const char *type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *encoding = header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING);
    if (type == NULL)
        refuse(refusal, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "there is no content type: send application/json");
    else if (!is_json(type))
        refuse(refusal, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "content type \"%.*s\" is not understood: send application/json", QUOTED, type);
    else if (encoding != NULL && strcasecmp(encoding, "identity") != 0)
        refuse(refusal, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "content encoding \"%.*s\" is not understood: send the body as it is", QUOTED,
               encoding);
}

struct framing {
    unsigned lengths, encodings;
    size_t bytes; /* of all headers */
};

static enum MHD_Result count_framing(void *arg, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    struct framing *framing = arg;
    (void)kind;
    framing->bytes += strlen(name) + (value != NULL ? strlen(value) : 0);
    framing->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    framing->encodings += strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

void head_check_uri(const char *uri, struct refusal *refusal)
{
    if (strlen(uri) > LIMIT_URI_BYTES)
        refuse(refusal, MHD_HTTP_URI_TOO_LONG, "the path is over %u bytes, the most that is read",
               LIMIT_URI_BYTES);
}

/* Two answers to where the body ends (RFC 9112, 6.3): a proxy before us may have read the other. */
static void check_framing(struct MHD_Connection *connection, struct refusal *refusal)
{
    struct framing framing = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_framing, &framing);
    if (framing.bytes > LIMIT_HEAD_BYTES)
        refuse(refusal, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
               "the headers are over %u bytes, the most that is read", LIMIT_HEAD_BYTES);
    if (refusal->status != 0 || framing.lengths + framing.encodings <= 1)
        return;
    refuse(refusal, MHD_HTTP_BAD_REQUEST,
           "the length of the body is given more than once: send one Content-Length, or one "
           "Transfer-Encoding");
    refusal->close = true;
}

void head_refuse_size(struct refusal *refusal)
{
    refuse(refusal, MHD_HTTP_CONTENT_TOO_LARGE, "the body is over %u bytes, the most that is read",
           LIMIT_BODY_BYTES);
}

static void check_length(struct MHD_Connection *connection, struct refusal *refusal)
{
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (length != NULL && strtoull(length, NULL, 10) > LIMIT_BODY_BYTES)
        head_refuse_size(refusal);
}

void head_check(struct MHD_Connection *connection, const char *path, const char *method,
                enum admission_endpoint *endpoint, struct refusal *refusal)
{
    *endpoint = admission_route(path);
    check_framing(connection, refusal);
    if (refusal->status != 0)
        return;
    if (*endpoint == ADMISSION_ENDPOINTS)
        refuse(refusal, MHD_HTTP_NOT_FOUND, "there is no endpoint %.*s, only %s and %s", QUOTED,
               path, admission_path(ADMISSION_MUTATE_WORKLOADS),
               admission_path(ADMISSION_VALIDATE_DEFINITIONS));
    else if (strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        refuse(refusal, MHD_HTTP_METHOD_NOT_ALLOWED, "method %.*s is not allowed here: use POST",
               QUOTED, method);
    else
        check_type(connection, refusal);
    if (refusal->status == 0)
        check_length(connection, refusal);
}

bool head_expects_continue(struct MHD_Connection *connection)
{
    const char *expect = header(connection, MHD_HTTP_HEADER_EXPECT);
    return expect != NULL && strcasecmp(expect, "100-continue") == 0;
}
