/* SPDX-License-Identifier: Apache-2.0 */
/* A request as read, and what it means in Kubernetes' words. */
#ifndef KARTA_TESTS_API_REQUEST_H
#define KARTA_TESTS_API_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct api_request {
    char *method, *path; /* decoded, without the query */
    json_t *query;       /* texts, decoded */
    json_t *headers;     /* texts, names in lower case */
    char *body;
    size_t body_size;

    /* what it means; borrowed from `parts` or static */
    char *parts;
    const char *verb;   /* get, list, watch, create, update, patch, delete, deletecollection */
    const char *plural; /* NULL: no resource, then the path says what */
    const char *group, *version, *ns, *name, *sub; /* "" where there is none */
};

/* Understands the head "GET /path HTTP/1.1\r\nName: value..." (NUL-terminated); false: it is none.
 */
bool request_parse(struct api_request *request, char *head);
void request_dispose(struct api_request *request);
/* "" where there is none. Borrowed. */
const char *request_query(const struct api_request *request, const char *name);
const char *request_header(const struct api_request *request, const char *name);
bool request_flag(const struct api_request *request, const char *name);
/* What faults and counts know it by: the plural, or the path. */
const char *request_what(const struct api_request *request);

enum api_form { FORM_NONE, FORM_WHOLE, FORM_METADATA };
/* What of Accept can be given: PartialObjectMetadata (or, of a list, PartialObjectMetadataList), or
 * whole objects as JSON. */
enum api_form request_form(const struct api_request *request, bool list);
/* "v2", "v2beta1" where Accept has aggregated discovery, the better one first; NULL: it has not. */
const char *request_aggregated(const struct api_request *request, bool beta_alone);

#endif
