/* SPDX-License-Identifier: Apache-2.0 */
/* From flags to the Kubernetes side: where the API server is, who we are, how it finds us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "certs.h"
#include "host_internal.h"

/* where a server outside the cluster keeps its Lease, unless POD_NAMESPACE says */
#define OUTSIDE_NAMESPACE "default"
#define SERVICE_NAME "karta-webhook"
#define CA_MOST (64U << 10)

static void on_change(void *arg)
{
    struct host *host = arg;
    atomic_store(&host->objects_stirred, true);
    if (atomic_load(&host->house_kept))
        periodic_wake(&host->housekeeper);
}

static struct karta_snapshot *in_force(void *arg)
{
    struct host *host = arg;
    return atomic_load(&host->cluster_in_force) ? holder_take(&host->holder) : NULL;
}

/* The host's name and what no other process has: two of one name never hold one Lease. */
static int set_identity(struct host *host, struct karta_error *err)
{
    char name[128] = "";
    unsigned char random[8];
    gethostname(name, sizeof name - 1);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return karta_error_set(err, KARTA_ERR_IO, "the system gives no random bytes");
    host->identity = mem_format("%s_%02x%02x%02x%02x%02x%02x%02x%02x", name, random[0], random[1],
                                random[2], random[3], random[4], random[5], random[6], random[7]);
    return host->identity != NULL ? 0 : mem_error(err);
}

static int set_access(struct host *host, struct kube_access *access, struct karta_error *err)
{
    const struct options *options = host->options;
    if (options->kube)
        return kube_access_in_cluster(access, &host->kube_url, err);
    host->kube_url = strdup(options->kube_api);
    if (host->kube_url == NULL)
        return mem_error(err);
    for (size_t size = strlen(host->kube_url); size > 0 && host->kube_url[size - 1] == '/'; size--)
        host->kube_url[size - 1] = '\0';
    *access = (struct kube_access){.url = host->kube_url,
                                   .token_file = options->kube_token_file,
                                   .ca_file = options->kube_ca_file};
    return 0;
}

/* Without a service and a URL the configurations are somebody else's. */
static int set_where(struct host *host, struct configurations_options *where,
                     struct karta_error *err)
{
    const struct options *options = host->options;
    where->url = options->webhook_url;
    if (options->webhook_service != NULL) {
        const char *slash = strchr(options->webhook_service, '/');
        host->service_ns =
            strndup(options->webhook_service, (size_t)(slash - options->webhook_service));
        where->service_namespace = host->service_ns;
        where->service_name = slash + 1;
        return host->service_ns != NULL ? 0 : mem_error(err);
    }
    if (options->kube && where->url == NULL && host->own_namespace != NULL) {
        where->service_namespace = host->own_namespace;
        where->service_name = SERVICE_NAME;
    }
    return 0;
}

/* Our own CA, where the certificate is our own; who brings a certificate brings its CA too. */
static int set_ca(struct host *host, struct configurations_options *where, struct karta_error *err)
{
    size_t size = 0;
    if (host->options->tls_cert_file != NULL || host->options->tls_secret != NULL)
        return 0;
    KARTA_AUTO_TEXT path = host_ca_path(host);
    if (path == NULL)
        return mem_error(err);
    int rc = file_read_regular(path, CA_MOST, &host->ca_bundle, &size, err);
    where->ca_bundle = host->ca_bundle;
    return rc;
}

static int set_configurations(struct host *host, struct configurations_options *where,
                              struct karta_error *err)
{
    where->fail_workloads = strcmp(host->options->failure_policy, "Fail") == 0;
    where->excluded_namespaces = host->admission.excluded_namespaces;
    where->excluded_namespace_count = host->admission.excluded_namespace_count;
    int rc = set_where(host, where, err);
    return rc != 0 ? rc : set_ca(host, where, err);
}

/* The host of "https://host:port/path", new. */
static char *host_of(const char *url)
{
    const char *begin = strstr(url, "://");
    begin = begin != NULL ? begin + 3 : url;
    bool bracket = *begin == '[';
    size_t size = bracket ? strcspn(++begin, "]") : strcspn(begin, ":/");
    return strndup(begin, size);
}

/* The names by which callers know us. */
static int set_sans(struct host *host, const struct configurations_options *where,
                    struct serving_config *serving, struct karta_error *err)
{
    const struct options_list *given = &host->options->tls_sans;
    serving->sans = (const char *const *)given->items;
    serving->san_count = given->count;
    if (given->count > 0)
        return 0;
    size_t count = 0;
    if (where->service_name != NULL) {
        host->own_sans[count++] =
            mem_format("%s.%s.svc", where->service_name, where->service_namespace);
        host->own_sans[count++] =
            mem_format("%s.%s.svc.cluster.local", where->service_name, where->service_namespace);
        host->own_sans[count++] =
            mem_format("%s.%s", where->service_name, where->service_namespace);
    } else {
        host->own_sans[count++] = where->url != NULL ? host_of(where->url) : strdup("localhost");
    }
    serving->sans = (const char *const *)host->own_sans;
    serving->san_count = count;
    for (size_t i = 0; i < count; i++)
        if (host->own_sans[i] == NULL)
            return mem_error(err);
    return 0;
}

static int set_serving(struct host *host, const struct configurations_options *where,
                       struct serving_config *serving, struct karta_error *err)
{
    const char *secret = host->options->tls_secret;
    if (secret == NULL)
        return 0;
    const char *slash = strchr(secret, '/');
    host->secret_ns = strndup(secret, (size_t)(slash - secret));
    *serving = (struct serving_config){.ns = host->secret_ns,
                                       .name = slash + 1,
                                       .serve = host_serve_pair,
                                       .arg = host,
                                       .log = &host->log};
    return host->secret_ns != NULL ? set_sans(host, where, serving, err) : mem_error(err);
}

int host_make_cluster(struct host *host, struct karta_error *err)
{
    if (!host->options->kube && host->options->kube_api == NULL)
        return 0;
    struct cluster_config config = {.metrics = host->metrics,
                                    .log = &host->log,
                                    .notify = on_change,
                                    .in_force = in_force,
                                    .arg = host,
                                    .profile = &host->admission.profile,
                                    .excluded_kinds = host->admission.excluded_kinds,
                                    .excluded_kind_count = host->admission.excluded_kind_count};
    int rc = set_identity(host, err);
    if (rc == 0)
        rc = set_access(host, &config.access, err);
    if (rc == 0)
        rc = set_configurations(host, &config.configurations, err);
    if (rc == 0)
        rc = set_serving(host, &config.configurations, &config.serving, err);
    if (rc != 0)
        return rc;
    config.ns = host->own_namespace != NULL ? host->own_namespace : OUTSIDE_NAMESPACE;
    config.identity = host->identity;
    config.podgroups = !host->options->no_podgroups;
    metrics_follow_cluster(host->metrics);
    rc = cluster_new(&config, &host->cluster, err);
    if (rc == 0) {
        host->admission.follows = cluster_follows;
        host->admission.follows_arg = host->cluster;
    }
    return rc;
}

int host_start_cluster(struct host *host, struct karta_error *err)
{
    return host->cluster != NULL ? cluster_start(host->cluster, err) : 0;
}

void host_free_cluster(struct host *host)
{
    cluster_free(host->cluster);
    free(host->kube_url);
    free(host->identity);
    free(host->ca_bundle);
    free(host->service_ns);
    free(host->secret_ns);
    for (size_t i = 0; i < sizeof host->own_sans / sizeof *host->own_sans; i++)
        free(host->own_sans[i]);
}

bool host_waits_for_cluster(void *arg, char *text, size_t room)
{
    struct host *host = arg;
    if (host->cluster == NULL)
        return false;
    if (cluster_waits(host->cluster, text, room))
        return true;
    HOLDER_AUTO_SNAPSHOT snapshot = holder_take(&host->holder);
    if (!atomic_load(&host->cluster_in_force))
        snprintf(text, room, "what the cluster lists is being loaded");
    else if (karta_snapshot_profile(snapshot, host->profile) == NULL)
        snprintf(text, room, "there is no profile \"%s\" yet", host->profile);
    else
        return false;
    return true;
}
