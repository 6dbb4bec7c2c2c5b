/* SPDX-License-Identifier: Apache-2.0 */
/* What a host consists of, for the files that put it together. */
#ifndef KARTA_WEBHOOK_HOST_INTERNAL_H
#define KARTA_WEBHOOK_HOST_INTERNAL_H

#include <stdatomic.h>

#include "address.h"
#include "cluster.h"
#include "health.h"
#include "host.h"
#include "periodic.h"
#include "server.h"
#include "source.h"
#include "tls_files.h"
#include "watch.h"

struct host {
    const struct options *options;
    struct log log;
    struct admission_config admission;
    char *profile;       /* the name behind --profile */
    char *own_namespace; /* our own, NULL where we run in none */
    const char *default_namespaces[3];
    struct karta_group_kind *kinds; /* of --exclude-kind, cut out of kind_texts */
    char **kind_texts;
    char *cert_path, *key_path;
    struct client_ca *client_ca; /* NULL: callers need no certificate */
    struct tls_files tls;
    int64_t renewal_ms; /* when the self-signed pair is looked at again */
    struct source *source;
    struct karta_snapshot *files; /* what files say; the housekeeper's own after the start */
    struct cluster *cluster;      /* NULL without --kube */
    char *kube_url;               /* where a Pod finds the API server; NULL: --kube-api says */
    char *identity;               /* ours among the replicas */
    char *ca_bundle;              /* PEM of our own CA; NULL: somebody else's */
    char *service_ns, *secret_ns; /* of --webhook-service and --tls-secret, cut at the slash */
    char *own_sans[4];            /* names for the Secret's certificate, where no flag gives them */
    bool profile_kept;     /* the profile in force is nobody's any more; the housekeeper's own */
    bool warmed;           /* all that is in force is compiled; the housekeeper's own */
    int64_t warm_until_ms; /* then what is new is in force, compiled or not */
    int64_t look_ms;       /* when the folders are looked at again, whatever the watch says */
    struct holder holder;
    struct workers *workers;
    struct watch *watch;
    struct metrics *metrics;
    struct server *server;
    struct health *health;
    struct periodic expirer, housekeeper, watchdog;
    health_reason not_ready;
    atomic_bool reload;           /* read everything again, it was asked for */
    atomic_bool stirred;          /* something happened in a folder */
    atomic_bool objects_stirred;  /* something happened in the cluster */
    atomic_bool cluster_in_force; /* what the cluster listed first is in force */
    atomic_bool house_kept;
};

/* The admission settings that the flags mean. KARTA_ERR_NOMEM. */
int host_set_admission(struct host *host, struct karta_error *err);
void host_free_admission(struct host *host);

/* Definitions: the first load (finds the profile too), and again. */
int host_load_definitions(struct host *host, struct karta_error *err);
void host_look_after_definitions(struct host *host, bool again);

/* What the list inherits from the one before, and says once of what is new. `before` may be NULL.
 */
void host_list_inherit(json_t *list, const json_t *before, const struct log *log);
/* Compiles what the list does not know to be compiled, and notes how long each took. False: it was
 * told to stop before the end, which is also where compiled states are half used up. */
bool host_list_warm(struct host *host, const struct karta_snapshot *snapshot, json_t *list,
                    bool (*shall_stop)(struct host *));

/* The Kubernetes side, where flags ask for it: made before definitions are loaded, started last. */
int host_make_cluster(struct host *host, struct karta_error *err);
int host_start_cluster(struct host *host, struct karta_error *err);
void host_free_cluster(struct host *host);
/* Why the cluster's part is not ready yet; false where it is, or where there is none. */
bool host_waits_for_cluster(void *host, char *text, size_t room);

/* The serving pair into the store, issued first where it is our own; and the callers' CA. */
int host_load_tls(struct host *host, struct karta_error *err);
void host_look_after_tls(struct host *host, bool again);

/* Puts a pair of PEM texts into force, for `arg`, the host. Any thread, one at a time. */
int host_serve_pair(void *arg, const char *cert, const char *key, struct karta_error *err);
/* New: the file of our own CA's certificate. NULL: out of memory. */
char *host_ca_path(const struct host *host);

/* Deadlines of expressions are enforced from here on. */
int host_start_engine(struct host *host, struct karta_error *err);
/* Looking after files, and the watchdog; ended, with the engine's, by host_stop_house. */
int host_start_house(struct host *host, struct karta_error *err);
void host_stop_house(struct host *host);

#endif
