/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two webhook configurations that the API server finds us by, as JSON
 * (admissionregistration.k8s.io/v1). Pure: from lists of resources, so that the server (which asks
 * the cluster what it has) and kartactl (which asks nobody) write the same. Never a wildcard, never
 * all pods, CREATE and UPDATE only, no subresources.
 */
#ifndef KARTA_CORE_CONFIGURATIONS_H
#define KARTA_CORE_CONFIGURATIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "karta/error.h"

#define CONFIGURATION_NAME                                                                         \
    "karta-webhook" /* of both; sorts before those of webhooks that are not called again */

/* What a rule names. Texts are borrowed. */
struct configurations_resource {
    const char *group, *version, *plural;
};
struct configurations_resources {
    const struct configurations_resource *items;
    size_t count;
};

struct configurations_options {
    const char *url;                              /* "https://host:9443"; NULL: the service */
    const char *service_namespace, *service_name; /* port 443 */
    const char *ca_bundle;                  /* PEM; NULL: left to somebody else, as cert-manager */
    bool fail_workloads;                    /* failurePolicy of workloads: Fail instead of Ignore */
    const char *const *excluded_namespaces; /* our own, kube-system, kube-node-lease, more */
    size_t excluded_namespace_count;
};

/*
 * Every list may be empty: then that webhook is not there. Order and repetition of the lists do not
 * matter: the same sets give the same bytes. Left out: what has a '*' or a '/' in it, what has no
 * version or plural, and core pods, of workloads and of policies alike. A kind with policies of
 * both failure policies is asked about once, under Fail: each request is judged by all policies.
 */
struct configurations_input {
    struct configurations_resources workloads;   /* kinds that are ganged */
    struct configurations_resources definitions; /* kartas, served versions */
    struct configurations_resources others;      /* workloadpolicies and gangprofiles */
    struct configurations_resources policed_ignore,
        policed_fail; /* kinds of policies, by their failurePolicy */
};

/* New objects; KARTA_ERR_NOMEM. */
int configurations_mutating(const struct configurations_options *options,
                            const struct configurations_input *input, json_t **configuration,
                            struct karta_error *err);
int configurations_validating(const struct configurations_options *options,
                              const struct configurations_input *input, json_t **configuration,
                              struct karta_error *err);

#endif
