/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop. The one idea: it looks at everything that is so now and writes what differs, when
 * something changed and now and then anyway; so there is no queue that could lose or overflow.
 */
#include "controller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controller_internal.h"
#include "karta/engine.h"

#define LEASE_NAME "karta-webhook"
/* how soon a CRD that was installed, or what somebody changed of ours, is noticed */
#define DISCOVER_MS 10000
#define WRITE_MS 10000

/* so much of an error says what kind it is; what follows may be another object each time, or what
 * an API server lists in no order */
#define TROUBLE_KIND 64

void controller_tell(struct controller *controller, struct trouble *trouble,
                     const struct karta_error *err)
{
    const char *text = err != NULL ? err->message : "";
    if (strncmp(trouble->text, text, TROUBLE_KIND) == 0 || kube_client_is_stopped(controller->client))
        return;
    if (text[0] != '\0')
        LOG_WRITE(controller->config->log, LOG_LEVEL_WARN, trouble->what, log_text("error", text));
    else
        LOG_WRITE(controller->config->log, LOG_LEVEL_INFO, "that is over",
                  log_text("was", trouble->what));
    snprintf(trouble->text, sizeof trouble->text, "%s", text);
}

static void say_who_leads(struct controller *controller, bool leading)
{
    if (leading == controller->leading)
        return;
    LOG_WRITE(controller->config->log, LOG_LEVEL_INFO,
              leading ? "writing to the cluster from now on"
                      : "another replica writes to the cluster",
              log_text("holder", lease_holder(controller->lease)));
    controller->leading = leading;
    controller->discover_ms = controller->write_ms = 0;
}

bool controller_leads(struct controller *controller)
{
    struct karta_error err = {0};
    int64_t now = karta_engine_now_ms();
    if (now - controller->kept_ms >= LEASE_RETRY_MS) {
        int rc = lease_keep(controller->lease, controller->client, &err);
        controller->kept_ms = karta_engine_now_ms();
        controller->kept = rc == 0;
        controller_tell(controller, &controller->lease_trouble, rc != 0 ? &err : NULL);
    }
    bool leads = lease_holds(controller->lease, KUBE_WRITE_MS);
    atomic_store(&controller->leads_until_ms, lease_until(controller->lease, KUBE_WRITE_MS));
    say_who_leads(controller, leads);
    return leads && controller->kept; /* an outage is said once, not by everything that it stops */
}

/* The group/versions that older API servers are asked for one by one. New; *count its length. */
static struct kube_resource *wanted(const struct karta_snapshot *snapshot, size_t *count)
{
    *count = karta_snapshot_definitions(snapshot);
    struct kube_resource *resources = calloc(*count + 2, sizeof *resources);
    for (size_t i = 0; resources != NULL && i < *count; i++) {
        const struct karta_definition *definition = karta_snapshot_definition(snapshot, i);
        resources[i].group = karta_definition_group(definition);
        resources[i].version = karta_definition_version(definition);
    }
    if (resources == NULL)
        return NULL;
    resources[(*count)++] = (struct kube_resource){.group = "run.ai", .version = "v1alpha1"};
    resources[(*count)++] =
        (struct kube_resource){.group = "workloadmap.dev", .version = "v1alpha1"};
    return resources;
}

static void discover(struct controller *controller, const struct karta_snapshot *snapshot)
{
    struct karta_error err = {0};
    size_t count = 0;
    struct kube_resource *resources = wanted(snapshot, &count);
    int rc = resources != NULL ? discovery_refresh(controller->discovery, controller->client,
                                                   resources, count, &err)
                               : karta_error_set(&err, KARTA_ERR_NOMEM, "out of memory");
    free(resources);
    controller->discovered_ms = karta_engine_now_ms();
    controller->discover_ms = controller->discovered_ms + (rc != 0 ? LEASE_RETRY_MS : DISCOVER_MS);
    controller_tell(controller, &controller->discovery_trouble, rc != 0 ? &err : NULL);
}

/* Every replica serves what the Secret holds; the one that leads renews it. */
static void serve(struct controller *controller, bool now)
{
    struct karta_error err = {0};
    if (controller->serving == NULL || (!now && karta_engine_now_ms() < controller->serve_ms))
        return;
    int rc = serving_keep(controller->serving, controller->client, controller->leading, &err);
    controller->serve_ms = karta_engine_now_ms() + (rc == 0 ? SERVING_MS : LEASE_RETRY_MS);
    controller_tell(controller, &controller->serving_trouble, rc != 0 ? &err : NULL);
    if (rc == KARTA_ERR_SCHEMA && controller->config->metrics != NULL)
        metrics_reload(controller->config->metrics, METRICS_CERTIFICATE, false);
}

static void write_all(struct controller *controller, const struct karta_snapshot *snapshot)
{
    struct karta_error configure = {0}, report = {0};
    int64_t now = karta_engine_now_ms();
    bool again = now >= controller->write_ms;
    if (again)
        controller->write_ms = now + WRITE_MS;
    serve(controller, true); /* the CAs that are written are those of this moment */
    int rc = controller_configure(controller, snapshot, again, &configure);
    controller_tell(controller, &controller->configuration_trouble, rc != 0 ? &configure : NULL);
    int rc2 = controller_report(controller, snapshot, &report);
    controller_tell(controller, &controller->status_trouble, rc2 != 0 ? &report : NULL);
    if (rc != 0 || rc2 != 0)
        controller->write_ms = karta_engine_now_ms() + LEASE_RETRY_MS;
}

/* Who applies a Karta may have installed its CRD just before. */
static void note_change(struct controller *controller)
{
    int64_t soon = controller->discovered_ms + LEASE_RETRY_MS;
    controller->changed = true;
    if (controller->discover_ms > soon)
        controller->discover_ms = soon;
}

/* What is not written, because we may not just now, stays due. */
static void work(struct controller *controller, bool woken)
{
    struct karta_snapshot *snapshot = controller->config->in_force(controller->config->arg);
    serve(controller, false);
    int64_t now = karta_engine_now_ms();
    if (woken)
        note_change(controller);
    if (snapshot != NULL && controller_leads(controller)) {
        bool again = now >= controller->discover_ms;
        if (again)
            discover(controller, snapshot);
        if ((controller->changed || again || now >= controller->write_ms) &&
            discovery_is_known(controller->discovery)) {
            write_all(controller, snapshot);
            controller->changed = !controller_leads(controller);
        }
    }
    karta_snapshot_unref(snapshot);
}

/* True: something changed. Returns at once where something did meanwhile, or where it shall end. */
static bool wait_for_work(struct controller *controller)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LEASE_RETRY_MS / 1000;
    pthread_mutex_lock(&controller->lock);
    int rc = 0;
    while (!controller->woken && !controller->stopping && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&controller->wake, &controller->lock, &until);
    bool woken = controller->woken;
    controller->woken = false;
    pthread_mutex_unlock(&controller->lock);
    return woken;
}

bool controller_may_write(const struct controller *controller)
{
    return karta_engine_now_ms() < atomic_load(&controller->leads_until_ms);
}

static bool is_stopping(struct controller *controller)
{
    pthread_mutex_lock(&controller->lock);
    bool stopping = controller->stopping;
    pthread_mutex_unlock(&controller->lock);
    return stopping;
}

static void *run(void *arg)
{
    struct controller *controller = arg;
    bool woken = true;
    while (!is_stopping(controller)) {
        work(controller, woken);
        woken = wait_for_work(controller);
    }
    return NULL;
}

static int make_parts(struct controller *controller, struct karta_error *err)
{
    const struct cluster_config *config = controller->config;
    int rc = kube_client_new(&config->access, config->metrics, &controller->client, err);
    if (rc == 0)
        rc = lease_new(config->ns, LEASE_NAME, config->identity, &controller->lease, err);
    if (rc == 0 && config->serving.name != NULL)
        rc = serving_new(&config->serving, &controller->serving, err);
    return rc != 0 ? rc : discovery_new(&controller->discovery, err);
}

static int start_thread(struct controller *controller, struct karta_error *err)
{
    int rc = pthread_create(&controller->thread, NULL, run, controller);
    if (rc != 0)
        return karta_error_set(err, KARTA_ERR_IO, "cannot start a thread: %s", strerror(rc));
    pthread_setname_np(controller->thread, "karta-control");
    controller->started = true;
    return 0;
}

int controller_start(const struct cluster_config *config, struct live *live,
                     struct controller **controller, struct karta_error *err)
{
    struct controller *made = calloc(1, sizeof *made);
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    made->config = config;
    made->live = live;
    made->kept_ms = karta_engine_now_ms() - LEASE_RETRY_MS;
    made->lease_trouble.what = "the lease is not kept";
    made->discovery_trouble.what = "the API server does not say which kinds it has";
    made->configuration_trouble.what = "webhook configurations not written";
    made->serving_trouble.what = "the certificate is not looked after";
    made->status_trouble.what = "statuses not written";
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&made->lock, NULL);
    int rc = make_parts(made, err);
    if (rc == 0)
        rc = start_thread(made, err);
    if (rc == 0)
        *controller = made;
    else
        controller_free(made);
    return rc;
}

void controller_wake(struct controller *controller)
{
    pthread_mutex_lock(&controller->lock);
    controller->woken = true;
    pthread_cond_signal(&controller->wake);
    pthread_mutex_unlock(&controller->lock);
}

void controller_stop(struct controller *controller)
{
    if (controller == NULL)
        return;
    pthread_mutex_lock(&controller->lock);
    controller->stopping = true;
    pthread_cond_signal(&controller->wake);
    pthread_mutex_unlock(&controller->lock);
    kube_client_stop(controller->client);
}

/* With a connection of its own, since the controller's was stopped; a little later at worst. */
static void give_lease_back(struct controller *controller)
{
    struct kube_client *client = NULL;
    if (!lease_holds(controller->lease, KUBE_WRITE_MS) ||
        kube_client_new(&controller->config->access, controller->config->metrics, &client, NULL) !=
            0)
        return;
    lease_release(controller->lease, client);
    kube_client_free(client);
}

void controller_free(struct controller *controller)
{
    if (controller == NULL)
        return;
    controller_stop(controller);
    if (controller->started) {
        pthread_join(controller->thread, NULL);
        give_lease_back(controller);
    }
    json_decref(controller->written[0]);
    json_decref(controller->written[1]);
    discovery_free(controller->discovery);
    serving_free(controller->serving);
    lease_free(controller->lease);
    kube_client_free(controller->client);
    pthread_cond_destroy(&controller->wake);
    pthread_mutex_destroy(&controller->lock);
    free(controller);
}
