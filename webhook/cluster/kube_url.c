/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and queries of the API server. Whatever stands in a name, it stays one part of the path. */
#include <string.h>

#include "kube_client.h"

/* a path has at most six parts of 253 bytes; a query may carry a long label selector */
#define LIMIT_PATH (1U << 14)

static void encode(struct strbuf *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~";
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr(plain, *c) != NULL)
            strbuf_addc(out, *c);
        else
            strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

static void add_part(struct strbuf *out, const char *part)
{
    strbuf_addc(out, '/');
    bool step = strcmp(part, ".") == 0 || strcmp(part, "..") == 0;
    for (const char *c = part; step && *c != '\0'; c++)
        strbuf_adds(out, "%2E");
    encode(out, step ? "" : part);
}

char *kube_path(const struct kube_resource *resource, const char *ns, const char *name,
                const char *subresource)
{
    KARTA_AUTO_STRBUF path;
    strbuf_init(&path, LIMIT_PATH);
    if (resource->group[0] == '\0') {
        strbuf_adds(&path, "/api");
    } else {
        strbuf_adds(&path, "/apis");
        add_part(&path, resource->group);
    }
    add_part(&path, resource->version);
    if (ns != NULL) {
        strbuf_adds(&path, "/namespaces");
        add_part(&path, ns);
    }
    add_part(&path, resource->plural);
    if (name != NULL)
        add_part(&path, name);
    if (subresource != NULL)
        add_part(&path, subresource);
    return strbuf_take(&path);
}

void kube_query(struct strbuf *query, const char *key, const char *value)
{
    bool first = query->text == NULL || strchr(query->text, '?') == NULL;
    strbuf_addc(query, first ? '?' : '&');
    encode(query, key);
    strbuf_addc(query, '=');
    encode(query, value);
}
