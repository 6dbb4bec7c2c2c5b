/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the Kubernetes API server. The only module that knows libcurl. A client is one
 * kept-alive connection and belongs to one thread at a time; only kube_client_stop may be called
 * from another.
 */
#ifndef KARTA_CLUSTER_KUBE_CLIENT_H
#define KARTA_CLUSTER_KUBE_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "karta/error.h"
#include "metrics.h"

/* Where the API server is and who we are. Texts are borrowed and outlive every client. */
struct kube_access {
    const char *url; /* "https://10.0.0.1:443", no slash at the end */
    /* Read for each request, since tokens rotate; NULL: no token. Sent over https, and over http
     * to this very machine. */
    const char *token_file;
    const char *ca_file; /* PEM, read anew for each connection; NULL: the system's CAs */
};

/*
 * What a Pod finds: KUBERNETES_SERVICE_HOST and _PORT, and the service account's token and CA.
 * `url` is new and the caller's to free; the other texts are static. KARTA_ERR_NOT_FOUND outside
 * a cluster, with a sentence that says what to give instead.
 */
int kube_access_in_cluster(struct kube_access *access, char **url, struct karta_error *err);

/* A resource as requests and errors name it. Texts are borrowed. */
struct kube_resource {
    const char *group;   /* "" is the core group */
    const char *version; /* "v1" */
    const char *plural;  /* "kartas" */
};

/* New path "/apis/G/V[/namespaces/NS]/PLURAL[/NAME][/SUBRESOURCE]" (or /api/V/...), its parts
 * percent-encoded; NULL in the last three leaves them out. NULL: memory is out. */
char *kube_path(const struct kube_resource *resource, const char *ns, const char *name,
                const char *subresource);

/* Appends "?key=value", or "&key=value" where `query` holds a '?' already; percent-encoded. */
void kube_query(struct strbuf *query, const char *key, const char *value);

struct kube_client; /* opaque */

/* `access` and `metrics` (NULL: nobody counts) are borrowed for the client's life.
 * KARTA_ERR_NOMEM. */
int kube_client_new(const struct kube_access *access, struct metrics *metrics,
                    struct kube_client **client, struct karta_error *err);
/* What is under way ends within a moment with KARTA_ERR_IO, and so does every later call. Any
 * thread, until kube_client_free. NULL is allowed. */
void kube_client_stop(struct kube_client *client);
bool kube_client_is_stopped(const struct kube_client *client);
/* Waits `ms`, or until stopped. */
void kube_client_pause(struct kube_client *client, int ms);
void kube_client_free(struct kube_client *client);

struct kube_request {
    const char *verb; /* Kubernetes' own, for errors and metrics: get, list, watch, patch, create,
                         update, delete */
    const struct kube_resource
        *resource;             /* for errors; NULL for discovery: then the path is named */
    const char *path;          /* from kube_path, or "/apis"; a query may follow */
    const char *accept;        /* NULL: application/json */
    const char *if_none_match; /* NULL: no such header */
    const char *body;          /* NULL: none */
    size_t body_size;
    const char *content_type; /* NULL: application/json */
    int timeout_ms; /* the whole request; 0: KUBE_TIMEOUT_MS. A watch: until it is accepted */
    int idle_ms;    /* a watch alone: the longest silence after that; 0: KUBE_IDLE_MS */
    size_t limit;   /* the most bytes of an answer; 0: KUBE_ANSWER_MOST */
};

#define KUBE_TIMEOUT_MS 10000
#define KUBE_WRITE_MS 3000  /* of whoever holds a Lease: it is renewed before it runs out */
#define KUBE_IDLE_MS 120000 /* bookmarks come about once a minute */
#define KUBE_ANSWER_MOST (32U << 20)

struct kube_answer {
    int status;         /* HTTP; 0: there was no answer */
    int retry_after_ms; /* what the server asks for (429, 503), 0: nothing; capped at a minute */
    json_t *body;       /* new; NULL where it was empty, or was no JSON and no error */
    char etag[128];     /* "" where none was given */
};

/*
 * Asks and reads the answer whole. 0 for 2xx and 304. Else the error is one sentence that names
 * verb and resource, and answer->status says which kind it is:
 *   KARTA_ERR_IO         no answer, or only a part of it (status 0): "list kartas.run.ai: the API
 *                        server cannot be reached: https://10.0.0.1:443: connection refused"; or a
 *                        status without a code of its own, with the Status' message. 401 and 403
 *                        say what is missing: "list kartas.run.ai: forbidden (403): the service
 *                        account needs the verb "list" on "kartas" in the API group "run.ai": ..."
 *   KARTA_ERR_NOT_FOUND  404     KARTA_ERR_CONFLICT  409
 *   KARTA_ERR_LIMIT      429, or an answer longer than `limit`
 *   KARTA_ERR_SYNTAX     2xx that is not JSON
 *   KARTA_ERR_TIMEOUT    nothing within timeout_ms (status 0)
 * Once stopped, KARTA_ERR_IO at once. `answer` is filled in each case (its body is then the Status)
 * and is the caller's to dispose.
 */
int kube_client_ask(struct kube_client *client, const struct kube_request *request,
                    struct kube_answer *answer, struct karta_error *err);
void kube_answer_dispose(struct kube_answer *answer);

/* Who listens to a watch. */
struct kube_watcher {
    /* Once when the server has accepted the watch, then about every second while it is open. */
    void (*open)(void *arg);
    /* One line, without its end; false ends the watch. `truncated`: the line was longer than
     * KUBE_LINE_MOST and is only its beginning. */
    bool (*line)(void *arg, const char *line, size_t size, bool truncated);
    void *arg;
};
#define KUBE_LINE_MOST                                                                             \
    (8U << 20) /* etcd holds at most 1.5 MiB an object, aggregated servers more */

/* Streams the lines of a watch until the server ends it (0), `line` does (0), or it fails (as
 * above; silence longer than idle_ms is KARTA_ERR_TIMEOUT). A last line without its end is lost. */
int kube_client_watch(struct kube_client *client, const struct kube_request *request,
                      const struct kube_watcher *watcher, struct kube_answer *answer,
                      struct karta_error *err);

#endif
