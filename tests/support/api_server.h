/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A double of the Kubernetes API server for tests: an object store with resourceVersions behind
 * HTTP, in threads of the test's own process. It knows what the tests teach it (api_server_kind);
 * then list (pages, continue tokens), watch (resourceVersion, bookmarks, 410, timeoutSeconds,
 * label selectors), get, create, update, delete, merge patch and server-side apply with field
 * managers and conflicts (webhooks and conditions are lists by key), status subresources,
 * discovery (aggregated, or the old form alone), Leases, and PartialObjectMetadata work as in the
 * real one. And it fails on demand, in every way.
 */
#ifndef KARTA_TESTS_API_SERVER_H
#define KARTA_TESTS_API_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct api_server; /* opaque */

struct api_server_options {
    const char *cert_file, *key_file; /* PEM: HTTPS; NULL: plain HTTP */
    const char *token;                /* what requests must bear; NULL: anything */
    bool old_discovery;               /* no aggregated discovery */
    bool beta_discovery;              /* aggregated as v2beta1 alone */
    int port;                         /* 0: the system chooses */
};

/* Fails the test where it cannot start. `options` may be NULL. */
struct api_server *api_server_start(const struct api_server_options *options);
void api_server_free(struct api_server *server);
int api_server_port(const struct api_server *server);
/* Borrowed: "http://127.0.0.1:PORT". */
const char *api_server_url(const struct api_server *server);

/* Teaches a kind: "run.ai", "v1alpha1", "Karta", "kartas", false. `status`: it has the subresource.
 * Known from the start: core/v1 Pod, Event, Namespace; coordination Lease; both webhook
 * configurations; CustomResourceDefinition. */
void api_server_kind(struct api_server *server, const char *group, const char *version,
                     const char *kind, const char *plural, bool namespaced, bool status);
void api_server_forget_kind(struct api_server *server, const char *group, const char *version,
                            const char *kind);

/* A group whose own server is away: discovery says Stale and lists nothing, requests get 503. */
void api_server_stale(struct api_server *server, const char *group, bool stale);

/* Direct access to the store, as if somebody had asked: whole objects, texts as in JSON with ' for
 * ". put creates or replaces (manager "test", operation Update), status and all; where it gives
 * uid, creationTimestamp or deletionTimestamp, so be it. Nobody asks whether a namespace is there.
 * Webhook configurations get the real server's defaults. */
void api_server_put(struct api_server *server, const char *object);
void api_server_put_json(struct api_server *server, const json_t *object);
void api_server_delete(struct api_server *server, const char *plural, const char *ns,
                       const char *name);
/* New reference, NULL where there is none. */
json_t *api_server_get(struct api_server *server, const char *plural, const char *ns,
                       const char *name);
size_t api_server_count(struct api_server *server, const char *plural);

/* What goes wrong from now on. `verb` and `plural` NULL: any. Verbs are Kubernetes' own (list,
 * watch, get, create, update, patch, delete); of what is no resource the verb is "get" and the path
 * stands for the plural: "get", "/apis". The newest fault that fits decides. */
enum api_fault {
    API_FAULT_NONE,    /* takes back what fits verb and plural */
    API_FAULT_STATUS,  /* answers `number` (401, 403, 404, 409, 410, 429 with Retry-After 1, 500,
                          503) */
    API_FAULT_HANG,    /* accepts and says nothing */
    API_FAULT_STALL,   /* headers, then nothing */
    API_FAULT_CUT,     /* half an answer, then the connection ends */
    API_FAULT_GARBAGE, /* 200 and bytes that are no JSON */
    API_FAULT_GARBAGE_LINE, /* a watch: a garbage line, then goes on */
    API_FAULT_LIE, /* 200 and JSON of another shape: lists without items, events without objects */
    API_FAULT_ERROR_EVENT, /* a watch: an ERROR event with code `number`, then its end */
};
/* `times`: how many requests it hits, 0: until taken back. */
void api_server_fault(struct api_server *server, const char *verb, const char *plural,
                      enum api_fault fault, int number, int times);

/* Everything it has ends at once: connections are reset, the port is closed; then it is there again
 * on the same port with the same store. */
void api_server_die(struct api_server *server);
void api_server_return(struct api_server *server);
/* Ends every watch under way, as a rolling API server does. */
void api_server_end_watches(struct api_server *server);
/* Forgets history: a list that continues from before gets 410, a watch from before an ERROR event
 * with it, as in the real one (410 as the status of a watch: API_FAULT_STATUS). Watches under way
 * go on. */
void api_server_compact(struct api_server *server);
/* A bookmark to every watch that asked for them. */
void api_server_bookmark(struct api_server *server);

/* How often it was asked so, since the start. NULL: any. */
size_t api_server_asked(struct api_server *server, const char *verb, const char *plural);
/* How many watches are open just now. */
size_t api_server_watches(struct api_server *server, const char *plural);

#endif
