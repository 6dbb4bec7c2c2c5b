/* SPDX-License-Identifier: Apache-2.0 */
/* As apimachinery's pkg/api/errors and the API server's own refusals say it. */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store.h"

void answer_dispose(struct api_answer *answer)
{
    json_decref(answer->body);
    *answer = (struct api_answer){0};
}

void answer_json(struct api_answer *answer, int status, json_t *body)
{
    answer->status = status;
    answer->body = body;
}

static json_t *status_text(int code, const char *reason, json_t *details, const char *message)
{
    json_t *status = json_pack("{ss ss s{} ss ss ss so* si}", "kind", "Status", "apiVersion", "v1",
                               "metadata", "status", "Failure", "message", message, "reason",
                               reason, "details", details, "code", code);
    if (status == NULL)
        abort();
    return status;
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        abort();
    return text;
}

json_t *status_new(int code, const char *reason, json_t *details, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    KARTA_AUTO_TEXT message = format_text(format, args);
    va_end(args);
    return status_text(code, reason, details, message);
}

void answer_status(struct api_answer *answer, int code, const char *reason, json_t *details,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    KARTA_AUTO_TEXT message = format_text(format, args);
    va_end(args);
    answer_json(answer, code, status_text(code, reason, details, message));
}

json_t *status_details(const struct api_kind *kind, const char *name)
{
    const char *group = kind->group[0] != '\0' ? kind->group : NULL;
    return json_pack("{ss* ss* ss}", "name", name, "group", group, "kind", kind->plural);
}

json_t *status_too_old(unsigned long asked, unsigned long now)
{
    return status_new(410, "Expired", NULL, "too old resource version: %lu (%lu)", asked, now);
}

void answer_not_found(struct api_answer *answer, const struct api_kind *kind, const char *name)
{
    answer_status(answer, 404, "NotFound", status_details(kind, name), "%s \"%s\" not found",
                  kind->resource, name);
}

void answer_invalid(struct api_answer *answer, const struct api_kind *kind, const char *name,
                    const char *field, const char *what)
{
    const char *group = kind->group;
    const char *reason = what[0] == 'R' ? "FieldValueRequired" : "FieldValueInvalid";
    json_t *causes = json_pack("[{ss ss ss}]", "reason", reason, "message", what, "field", field);
    json_t *details = json_pack("{ss* ss so}", "group", group[0] != '\0' ? group : NULL, "kind",
                                kind->name, "causes", causes);
    if (name[0] != '\0')
        json_object_set_new(details, "name", json_string(name));
    answer_status(answer, 422, "Invalid", details, "%s%s%s \"%s\" is invalid: %s: %s", kind->name,
                  group[0] != '\0' ? "." : "", group, name, field, what);
}

void answer_no_resource(struct api_answer *answer)
{
    answer_status(answer, 404, "NotFound", json_object(),
                  "the server could not find the requested resource");
}

void answer_bad_request(struct api_answer *answer, const char *message)
{
    answer_status(answer, 400, "BadRequest", NULL, "%s", message);
}

void answer_no_method(struct api_answer *answer)
{
    answer_status(answer, 405, "MethodNotAllowed", json_object(),
                  "the server does not allow this method on the requested resource");
}
