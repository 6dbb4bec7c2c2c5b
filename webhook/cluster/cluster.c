/* SPDX-License-Identifier: Apache-2.0 */
/* A reflector for each resource that we follow, and the controller that writes. */
#include "cluster.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller.h"
#include "podgroups.h"

static const struct kube_resource followed[LIVE_KINDS] = {
    [LIVE_KARTAS] = {"run.ai", "v1alpha1", "kartas"},
    [LIVE_PROFILES] = {"workloadmap.dev", "v1alpha1", "gangprofiles"},
    [LIVE_POLICIES] = {"workloadmap.dev", "v1alpha1", "workloadpolicies"},
};

struct cluster {
    struct cluster_config config;
    struct live *live;
    _Atomic(struct reflector *) reflectors[LIVE_KINDS]; /* NULL until they are started */
    _Atomic(struct controller *) controller;            /* likewise */
    _Atomic(struct podgroups *) podgroups;              /* likewise; NULL: somebody else's */
    pthread_mutex_t notifying;                          /* held while the host is called */
    bool quiet;                                         /* it is called no more */
};

static void on_change(void *arg)
{
    struct cluster *cluster = arg;
    pthread_mutex_lock(&cluster->notifying);
    if (!cluster->quiet)
        cluster->config.notify(cluster->config.arg);
    pthread_mutex_unlock(&cluster->notifying);
}

int cluster_new(const struct cluster_config *config, struct cluster **cluster,
                struct karta_error *err)
{
    struct cluster *made = calloc(1, sizeof *made);
    if (made == NULL || (made->live = live_new(config->log, on_change, made)) == NULL) {
        free(made);
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    made->config = *config;
    pthread_mutex_init(&made->notifying, NULL);
    *cluster = made;
    return 0;
}

static bool leads(void *arg)
{
    struct cluster *cluster = arg;
    return controller_may_write(atomic_load(&cluster->controller));
}

static int start_podgroups(struct cluster *cluster, struct karta_error *err)
{
    const struct podgroups_config config = {.access = cluster->config.access,
                                            .metrics = cluster->config.metrics,
                                            .log = cluster->config.log,
                                            .in_force = cluster->config.in_force,
                                            .in_force_arg = cluster->config.arg,
                                            .profile = cluster->config.profile,
                                            .leads = leads,
                                            .leads_arg = cluster};
    struct podgroups *groups = NULL;
    int rc = podgroups_start(&config, &groups, err);
    atomic_store(&cluster->podgroups, groups);
    return rc;
}

int cluster_start(struct cluster *cluster, struct karta_error *err)
{
    struct controller *controller = NULL;
    int rc = controller_start(&cluster->config, cluster->live, &controller, err);
    atomic_store(&cluster->controller, controller);
    for (size_t i = 0; rc == 0 && i < LIVE_KINDS; i++) {
        struct reflector_config config = {.access = &cluster->config.access,
                                          .resource = followed[i],
                                          .handler = live_handler(cluster->live, (enum live_kind)i),
                                          .metrics = cluster->config.metrics,
                                          .log = cluster->config.log};
        struct reflector *reflector = NULL;
        rc = reflector_start(&config, &reflector, err);
        atomic_store(&cluster->reflectors[i], reflector);
    }
    return rc == 0 && cluster->config.podgroups ? start_podgroups(cluster, err) : rc;
}

/* All are asked before the first is waited for. */
void cluster_stop(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    for (size_t i = 0; i < LIVE_KINDS; i++)
        reflector_stop(atomic_load(&cluster->reflectors[i]));
    podgroups_stop(atomic_load(&cluster->podgroups));
    controller_stop(atomic_load(&cluster->controller));
    pthread_mutex_lock(&cluster->notifying);
    cluster->quiet = true;
    pthread_mutex_unlock(&cluster->notifying);
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    for (size_t i = 0; i < LIVE_KINDS; i++)
        reflector_free(atomic_load(&cluster->reflectors[i]));
    podgroups_free(atomic_load(&cluster->podgroups)); /* before the Lease is given back */
    controller_free(atomic_load(&cluster->controller));
    live_free(cluster->live);
    pthread_mutex_destroy(&cluster->notifying);
    free(cluster);
}

struct live *cluster_live(struct cluster *cluster)
{
    return cluster->live;
}

void cluster_wake(struct cluster *cluster)
{
    struct controller *controller = atomic_load(&cluster->controller);
    if (controller != NULL)
        controller_wake(controller);
    struct podgroups *groups = atomic_load(&cluster->podgroups);
    if (groups != NULL)
        podgroups_wake(groups);
}

bool cluster_follows(void *arg, const char *group, const char *kind)
{
    struct cluster *cluster = arg;
    const struct podgroups *groups = atomic_load(&cluster->podgroups);
    return !cluster->config.podgroups || (groups != NULL && podgroups_follow(groups, group, kind));
}

bool cluster_waits(struct cluster *cluster, char *text, size_t room)
{
    for (size_t i = 0; i < LIVE_KINDS; i++) {
        struct reflector *reflector = atomic_load(&cluster->reflectors[i]);
        if (reflector != NULL && reflector_has_synced(reflector))
            continue;
        text[0] = '\0';
        if (reflector != NULL)
            reflector_trouble(reflector, text, room);
        if (text[0] == '\0')
            snprintf(text, room, "%s.%s are not listed yet", followed[i].plural, followed[i].group);
        return true;
    }
    struct podgroups *groups = atomic_load(&cluster->podgroups);
    return groups != NULL && podgroups_wait(groups, text, room);
}
