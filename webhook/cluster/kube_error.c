/* SPDX-License-Identifier: Apache-2.0 */
/* Every sentence begins with verb and resource, as RBAC rules name them, so that what to grant or
 * where to look can be read off it. What the server says comes last: it is a guest's word. */
#include "kube_error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* a sentence of Kubernetes' has about 200 bytes; a proxy's page of HTML is not to be printed */
#define LIMIT_MESSAGE 300

#define SUBJECT_SIZE 200

static void name_subject(const struct kube_request *request, char subject[SUBJECT_SIZE])
{
    const struct kube_resource *resource = request->resource;
    if (resource == NULL)
        snprintf(subject, SUBJECT_SIZE, "%s %.*s", request->verb, (int)strcspn(request->path, "?"),
                 request->path);
    else
        snprintf(subject, SUBJECT_SIZE, "%s %s%s%s", request->verb, resource->plural,
                 resource->group[0] != '\0' ? "." : "", resource->group);
}

#define SUBJECT(request)                                                                           \
    char subject[SUBJECT_SIZE];                                                                    \
    name_subject((request), subject)

int kube_error_stopped(const struct kube_request *request, struct karta_error *err)
{
    SUBJECT(request);
    return karta_error_set(err, KARTA_ERR_IO, "%s: stopped", subject);
}

int kube_error_unreached(const struct kube_request *request, const struct kube_whom *whom,
                         const char *reason, struct karta_error *err)
{
    SUBJECT(request);
    /* "SSL" stays as it is, "Could" begins small */
    bool lower = isupper((unsigned char)reason[0]) && !isupper((unsigned char)reason[1]);
    char first = lower ? (char)tolower((unsigned char)reason[0]) : reason[0];
    return karta_error_set(err, KARTA_ERR_IO, "%s: the API server cannot be reached: %s: %c%s",
                           subject, whom->server, first, reason[0] != '\0' ? reason + 1 : "");
}

int kube_error_broken(const struct kube_request *request, const char *reason,
                      struct karta_error *err)
{
    SUBJECT(request);
    return karta_error_set(err, KARTA_ERR_IO, "%s: the answer broke off: %s", subject, reason);
}

int kube_error_late(const struct kube_request *request, bool silent, int ms,
                    struct karta_error *err)
{
    SUBJECT(request);
    return karta_error_set(err, KARTA_ERR_TIMEOUT,
                           silent ? "%s: the API server was silent for %g s"
                                  : "%s: no answer within %g s",
                           subject, ms / 1000.0);
}

int kube_error_too_long(const struct kube_request *request, size_t limit, struct karta_error *err)
{
    SUBJECT(request);
    return karta_error_set(err, KARTA_ERR_LIMIT, "%s: the answer is above %zu bytes", subject,
                           limit);
}

int kube_error_name(const struct kube_request *request, int code, struct karta_error *err)
{
    SUBJECT(request);
    return karta_error_wrap(err, code, "%s", subject);
}

static int code_of(int status)
{
    switch (status) {
    case 404:
        return KARTA_ERR_NOT_FOUND;
    case 409:
        return KARTA_ERR_CONFLICT;
    case 429:
        return KARTA_ERR_LIMIT;
    default:
        return KARTA_ERR_IO;
    }
}

/* Our own words for a status. */
static void describe(const struct kube_request *request, const struct kube_whom *whom, int status,
                     char *text, size_t size)
{
    const struct kube_resource *resource = request->resource;
    if (status == 401 && whom->token_withheld)
        snprintf(text, size, "unauthorized (401): a token is not sent over plain http");
    else if (status == 401 && whom->token_file != NULL)
        snprintf(text, size, "unauthorized (401): the token in %s is not accepted",
                 whom->token_file);
    else if (status == 401)
        snprintf(text, size, "unauthorized (401): the API server wants a token");
    else if (status == 403 && resource != NULL && resource->group[0] == '\0')
        snprintf(text, size,
                 "forbidden (403): the service account needs the verb \"%s\" on \"%s\" in the core "
                 "API group",
                 request->verb, resource->plural);
    else if (status == 403 && resource != NULL)
        snprintf(text, size,
                 "forbidden (403): the service account needs the verb \"%s\" on \"%s\" in the API "
                 "group \"%s\"",
                 request->verb, resource->plural, resource->group);
    else if (status == 403)
        snprintf(text, size, "forbidden (403)");
    else if (status == 404)
        snprintf(text, size, "not found (404)");
    else if (status == 409)
        snprintf(text, size, "conflict (409)");
    else if (status == 410)
        snprintf(text, size, "gone (410)");
    else if (status == 429)
        snprintf(text, size, "too many requests (429)");
    else
        snprintf(text, size, "the API server answers %d", status);
}

/* The Status' message, or the text of a proxy; "" where there is none worth printing. A 401 has
 * nothing but its own name to say. */
static const char *message_of(const struct kube_answer *answer, const char *text)
{
    const char *said = json_string_value(json_object_get(answer->body, "message"));
    if (said != NULL && answer->status != 401)
        return said;
    bool page = text == NULL || text[strspn(text, " \t\r\n")] == '<';
    return answer->body != NULL || page ? "" : text;
}

int kube_error_status(const struct kube_request *request, const struct kube_whom *whom,
                      const struct kube_answer *answer, const char *text, struct karta_error *err)
{
    SUBJECT(request);
    char words[512];
    describe(request, whom, answer->status, words, sizeof words);
    const char *said = message_of(answer, text);
    size_t size = strnlen(said, LIMIT_MESSAGE);
    while (size > 0 && isspace((unsigned char)said[size - 1]))
        size--;
    return karta_error_set(err, code_of(answer->status), "%s: %s%s%.*s", subject, words,
                           size > 0 ? ": " : "", (int)size, said);
}
