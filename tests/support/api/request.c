/* SPDX-License-Identifier: Apache-2.0 */
/* A head is cut into texts, and its path into the words of Kubernetes' resource paths. */
#include "request.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *request_query(const struct api_request *request, const char *name)
{
    const char *value = json_string_value(json_object_get(request->query, name));
    return value != NULL ? value : "";
}

const char *request_header(const struct api_request *request, const char *name)
{
    const char *value = json_string_value(json_object_get(request->headers, name));
    return value != NULL ? value : "";
}

bool request_flag(const struct api_request *request, const char *name)
{
    const char *value = request_query(request, name);
    return strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
}

const char *request_what(const struct api_request *request)
{
    return request->plural != NULL ? request->plural : request->path;
}

/* Percent-decodes in place. */
static char *decode(char *text, bool plus)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        unsigned byte;
        if (*from == '%' && isxdigit((unsigned char)from[1]) &&
            sscanf(from + 1, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += 2;
        } else {
            *to++ = plus && *from == '+' ? ' ' : *from;
        }
    }
    *to = '\0';
    return text;
}

static void parse_query(struct api_request *request, char *text)
{
    char *rest = NULL;
    for (char *pair = strtok_r(text, "&", &rest); pair != NULL; pair = strtok_r(NULL, "&", &rest)) {
        char *value = strchr(pair, '=');
        if (value != NULL)
            *value++ = '\0';
        else
            value = pair + strlen(pair);
        json_object_set_new(request->query, decode(pair, true), json_string(decode(value, true)));
    }
}

static void parse_header(struct api_request *request, char *line)
{
    char *value = strchr(line, ':');
    if (value == NULL)
        return;
    *value++ = '\0';
    value += strspn(value, " \t");
    for (char *c = line; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    json_object_set_new(request->headers, line, json_string(value));
}

static const char *verb(const struct api_request *request)
{
    static const char *const verbs[][2] = {
        {"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};
    bool one = request->plural == NULL || request->name[0] != '\0';
    if (strcmp(request->method, "DELETE") == 0 && !one)
        return "deletecollection";
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(request->method, verbs[i][0]) == 0)
            return verbs[i][1];
    if (request->plural != NULL && request_flag(request, "watch"))
        return "watch";
    return one ? "get" : "list";
}

/* /api/V/..., /apis/G/V/... and below: [namespaces/NS/]PLURAL[/NAME[/SUBRESOURCE]] */
static void understand(struct api_request *request)
{
    char *words[10] = {NULL};
    size_t count = 0;
    char *rest = NULL;
    request->parts = strdup(request->path);
    for (char *word = strtok_r(request->parts, "/", &rest); word != NULL && count < 10;
         word = strtok_r(NULL, "/", &rest))
        words[count++] = word;
    request->group = request->version = request->ns = request->name = request->sub = "";
    size_t at = 2;
    if (count > 2 && strcmp(words[0], "api") == 0) {
        request->version = words[1];
    } else if (count > 3 && strcmp(words[0], "apis") == 0) {
        request->group = words[1];
        request->version = words[2];
        at = 3;
    } else {
        request->verb = verb(request);
        return;
    }
    if (count > at + 2 && strcmp(words[at], "namespaces") == 0 &&
        strcmp(words[at + 2], "status") != 0) {
        request->ns = words[at + 1];
        at += 2;
    }
    request->plural = words[at];
    request->name = count > at + 1 ? words[at + 1] : "";
    request->sub = count > at + 2 ? words[at + 2] : "";
    request->verb = verb(request);
}

bool request_parse(struct api_request *request, char *head)
{
    request->query = json_object();
    request->headers = json_object();
    char *rest = NULL;
    char *first = strtok_r(head, "\r\n", &rest);
    char *target = first != NULL ? strchr(first, ' ') : NULL;
    char *end = target != NULL ? strchr(target + 1, ' ') : NULL;
    if (end == NULL || strncmp(end, " HTTP/1.", 8) != 0)
        return false;
    *target++ = '\0';
    *end = '\0';
    request->method = strdup(first);
    char *query = strchr(target, '?');
    if (query != NULL) {
        *query++ = '\0';
        parse_query(request, query);
    }
    request->path = strdup(decode(target, false));
    for (char *line = strtok_r(NULL, "\r\n", &rest); line != NULL;
         line = strtok_r(NULL, "\r\n", &rest))
        parse_header(request, line);
    understand(request);
    return true;
}

void request_dispose(struct api_request *request)
{
    free(request->method);
    free(request->path);
    free(request->parts);
    free(request->body);
    json_decref(request->query);
    json_decref(request->headers);
    *request = (struct api_request){0};
}

/* Whether one of Accept's alternatives has this parameter, as ";as=Table" at any place. */
static bool has(const char *media, const char *parameter)
{
    size_t size = strlen(parameter);
    for (const char *at = media; (at = strstr(at, parameter)) != NULL; at += size) {
        char after = at[size];
        if (at > media && at[-1] == ';' && (after == ';' || after == '\0'))
            return true;
    }
    return false;
}

enum api_form request_form(const struct api_request *request, bool list)
{
    const char *accept = request_header(request, "accept");
    if (accept[0] == '\0')
        return FORM_WHOLE;
    char *copy = strdup(accept);
    char *to = copy;
    for (const char *c = accept; *c != '\0'; c++)
        if (*c != ' ')
            *to++ = *c;
    *to = '\0';
    enum api_form form = FORM_NONE;
    char *rest = NULL;
    for (char *media = strtok_r(copy, ",", &rest); media != NULL && form == FORM_NONE;
         media = strtok_r(NULL, ",", &rest)) {
        bool json = strncmp(media, "application/json", 16) == 0 || strncmp(media, "*/*", 3) == 0 ||
                    strncmp(media, "application/*", 13) == 0;
        if (!json)
            continue;
        if (strstr(media, ";as=") == NULL)
            form = FORM_WHOLE;
        else if (has(media, list ? "as=PartialObjectMetadataList" : "as=PartialObjectMetadata") &&
                 has(media, "g=meta.k8s.io") && has(media, "v=v1"))
            form = FORM_METADATA;
    }
    free(copy);
    return form;
}

const char *request_aggregated(const struct api_request *request, bool beta_alone)
{
    char *copy = strdup(request_header(request, "accept"));
    const char *version = NULL;
    char *rest = NULL;
    for (char *media = strtok_r(copy, ", ", &rest); media != NULL && version == NULL;
         media = strtok_r(NULL, ", ", &rest)) {
        if (!has(media, "as=APIGroupDiscoveryList") || !has(media, "g=apidiscovery.k8s.io"))
            continue;
        if (has(media, "v=v2") && !beta_alone)
            version = "v2";
        else if (has(media, "v=v2beta1"))
            version = "v2beta1";
    }
    free(copy);
    return version;
}
