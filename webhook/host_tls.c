/* SPDX-License-Identifier: Apache-2.0 */
/* The serving certificate: somebody else's files, or our own folder that renews itself. */
#include <stdlib.h>

#include "base/mem.h"
#include "certs.h"
#include "host_internal.h"
#include "karta/engine.h"
#include "tls_pair.h"

#define DEFAULT_DIR "/var/lib/karta-webhook"
#define RENEWAL_CHECK_MS 3600000

static const char *const default_sans[] = {"localhost", "127.0.0.1", "::1"};

static const char *own_dir(const struct options *options)
{
    const char *given = getenv("STATE_DIRECTORY"); /* systemd's */
    if (options->self_signed != NULL)
        return options->self_signed;
    return given != NULL && given[0] != '\0' ? given : DEFAULT_DIR;
}

static int ensure_own(struct host *host, struct karta_error *err)
{
    const struct options *options = host->options;
    bool given = options->tls_sans.count > 0;
    struct certs_options own = {
        .dir = own_dir(options),
        .sans = given ? (const char *const *)options->tls_sans.items : default_sans,
        .san_count = given ? options->tls_sans.count : sizeof default_sans / sizeof *default_sans};
    int renewed = 0;
    int rc = certs_ensure(&own, &renewed, err);
    if (rc == 0 && renewed)
        LOG_WRITE(&host->log, LOG_LEVEL_INFO, "certificate issued", log_text("folder", own.dir));
    host->renewal_ms = karta_engine_now_ms() + RENEWAL_CHECK_MS;
    return rc;
}

char *host_ca_path(const struct host *host)
{
    return mem_format("%s/ca.crt", own_dir(host->options));
}

static int set_paths(struct host *host, struct karta_error *err)
{
    const struct options *options = host->options;
    bool own = options->tls_cert_file == NULL;
    const char *dir = own_dir(options);
    host->cert_path =
        own ? mem_format("%s/tls.crt", dir) : mem_format("%s", options->tls_cert_file);
    host->key_path = own ? mem_format("%s/tls.key", dir) : mem_format("%s", options->tls_key_file);
    if (host->cert_path == NULL || host->key_path == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    host->tls = (struct tls_files){.cert = host->cert_path, .key = host->key_path};
    return 0;
}

static int load_files(struct host *host, struct karta_error *err)
{
    int rc = set_paths(host, err);
    if (rc == 0 && host->options->tls_cert_file == NULL)
        rc = ensure_own(host, err);
    if (rc == 0)
        rc = tls_files_load(&host->tls, err);
    if (rc == 0)
        metrics_reload(host->metrics, METRICS_CERTIFICATE, true);
    return rc;
}

int host_serve_pair(void *arg, const char *cert, const char *key, struct karta_error *err)
{
    struct host *host = arg;
    struct tls_pair *pair = NULL;
    int rc = tls_pair_new(cert, key, &pair, err);
    metrics_reload(host->metrics, METRICS_CERTIFICATE, rc == 0);
    if (rc != 0)
        return rc;
    tls_store_put(pair);
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "certificate loaded",
              log_text("secret", host->options->tls_secret));
    return 0;
}

int host_load_tls(struct host *host, struct karta_error *err)
{
    /* with a Secret there is none until the API server has been asked */
    int rc = host->options->tls_secret == NULL ? load_files(host, err) : 0;
    if (rc != 0)
        return rc;
    if (host->options->client_ca_file == NULL)
        return 0;
    rc = client_ca_new(host->options->client_ca_file, &host->client_ca, err);
    if (rc == 0)
        metrics_reload(host->metrics, METRICS_CLIENT_CA, true);
    return rc;
}

static void renew_own(struct host *host)
{
    struct karta_error err = {0};
    if (ensure_own(host, &err) == 0)
        return;
    metrics_reload(host->metrics, METRICS_CERTIFICATE, false);
    LOG_WRITE(&host->log, LOG_LEVEL_WARN, "certificate not renewed",
              log_text("error", err.message));
}

static void count(struct host *host, enum metrics_reload what, enum look look)
{
    if (look != LOOK_SAME)
        metrics_reload(host->metrics, what, look == LOOK_LOADED);
}

static void look_after_files(struct host *host, bool again)
{
    bool own = host->options->tls_cert_file == NULL;
    if (own && (again || karta_engine_now_ms() >= host->renewal_ms))
        renew_own(host);
    enum look look = tls_files_check(&host->tls, again, &host->log);
    count(host, METRICS_CERTIFICATE, look);
    if (own && look == LOOK_REFUSED)
        renew_own(host); /* somebody broke our files: what is missing is made anew */
}

void host_look_after_tls(struct host *host, bool again)
{
    if (host->options->tls_secret == NULL)
        look_after_files(host, again);
    if (host->client_ca != NULL)
        count(host, METRICS_CLIENT_CA, client_ca_check(host->client_ca, again, &host->log));
}
