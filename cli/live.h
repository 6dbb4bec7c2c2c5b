/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster that is asked: what it has, its definitions, lists of objects. Main's thread only. */
#ifndef KARTA_CLI_LIVE_H
#define KARTA_CLI_LIVE_H

#include <jansson.h>
#include <stdbool.h>

#include "api_resources.h"
#include "arguments.h"
#include "karta/snapshot.h"

struct live {
    const struct arguments *arguments;
    struct api_resources resources; /* that can be listed */
};

/* Asks what the cluster has. CLI_DONE, or a code and one line; disposed in any case. */
int live_open(const struct arguments *arguments, struct live *live);
void live_dispose(struct live *live);

/* One `kubectl get`. The caller fills in the first part and disposes it. */
struct live_request {
    const char *types;    /* addresses of resources, joined by ',' */
    const char *name;     /* NULL: a list */
    const char *selector; /* NULL: all */
    bool everywhere;      /* in all namespaces */

    json_t *items; /* array, never NULL after live_get */
    int code;      /* CLI_DONE; else of the first error */
    char *errors;  /* what kubectl said, "" for nothing */
};
void live_request_dispose(struct live_request *request);

/*
 * Sends them together. What the cluster says is in each request, nothing is printed of it;
 * CLI_DONE, or a code and one line where the asking itself failed.
 */
int live_get(const struct live *live, struct live_request *requests, size_t count);

/*
 * Says what a request's errors were: as warnings where some items came all the same, and then
 * CLI_DONE; else as failures, and its code.
 */
int live_say(const struct live_request *request);

/* Says them as warnings, whatever came. */
void live_warn(const struct live_request *request);

/* The request for the cluster's Kartas; types is NULL where it knows no such kind. */
struct live_request live_kartas(const struct live *live);

/*
 * The definitions in force for this run: built-in, then those that `kartas` got (where they are
 * readable), then --definitions. *catalog is new.
 */
int live_catalog(const struct live *live, const struct live_request *kartas,
                 struct karta_snapshot **catalog);

/*
 * What a user's `word` may mean: *addresses is new text, joined by ','. CLI_NOT_FOUND and one line
 * with the nearest name where the cluster has no such type.
 */
int live_find(const struct live *live, const char *word, char **addresses);

/* Whether a definition of any version is for that group and kind. */
bool live_is_covered(const struct karta_snapshot *catalog, const char *api_version,
                     const char *kind);

#endif
