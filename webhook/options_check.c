/* SPDX-License-Identifier: Apache-2.0 */
/* What flags must be beyond their own form: addresses, kinds, and which belong together. */
#include <string.h>

#include "address.h"
#include "options_table.h"

/* NAMESPACE/NAME, neither empty. */
static bool is_pair(const char *text)
{
    const char *slash = strchr(text, '/');
    return slash != NULL && slash != text && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
}

static int check_secret(const struct options *options, struct karta_error *err)
{
    if (options->tls_secret == NULL)
        return 0;
    if (options->tls_cert_file != NULL || options->self_signed != NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-secret excludes --tls-cert-file and --self-signed");
    if (!options->kube && options->kube_api == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--tls-secret needs --kube or --kube-api");
    if (!is_pair(options->tls_secret))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--tls-secret: \"%s\" is not NAMESPACE/NAME",
                               options->tls_secret);
    return 0;
}

static int check_tls(const struct options *options, struct karta_error *err)
{
    if ((options->tls_cert_file == NULL) != (options->tls_key_file == NULL))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-cert-file and --tls-key-file belong together");
    if (options->tls_cert_file != NULL && options->self_signed != NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-cert-file and --self-signed exclude each other");
    if (options->tls_cert_file != NULL && options->tls_sans.count > 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-san needs --self-signed or --tls-secret");
    return check_secret(options, err);
}

static int check_addresses(const struct options *options, struct karta_error *err)
{
    int rc = address_check(options->listen, err);
    if (rc != 0)
        return karta_error_wrap(err, rc, "--listen");
    if (options->metrics_listen[0] != '\0')
        rc = address_check(options->metrics_listen, err);
    return rc != 0 ? karta_error_wrap(err, rc, "--metrics-listen") : 0;
}

static int check_kinds(const struct options *options, struct karta_error *err)
{
    for (size_t i = 0; i < options->exclude_kinds.count; i++) {
        const char *item = options->exclude_kinds.items[i];
        const char *slash = strchr(item, '/');
        if (slash == NULL || slash[1] == '\0' || strchr(slash + 1, '/') != NULL)
            return karta_error_set(err, KARTA_ERR_SCHEMA,
                                   "--exclude-kind: \"%s\" is not GROUP/KIND, e.g. batch/Job",
                                   item);
    }
    return 0;
}

static bool is_url(const char *text, const char *scheme)
{
    size_t size = strlen(scheme);
    return strncmp(text, scheme, size) == 0 && text[size] != '\0' && text[size] != '/';
}

static int check_kube(const struct options *options, struct karta_error *err)
{
    const char *api = options->kube_api;
    if (api == NULL && (options->kube_token_file != NULL || options->kube_ca_file != NULL))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--kube-token-file and --kube-ca-file need --kube-api");
    if (api != NULL && options->kube)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--kube and --kube-api exclude each other");
    if (api != NULL && !is_url(api, "https://") && !is_url(api, "http://"))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--kube-api: \"%s\" is no URL, e.g. https://10.0.0.1:6443", api);
    return 0;
}

static int check_webhook(const struct options *options, struct karta_error *err)
{
    const char *service = options->webhook_service, *url = options->webhook_url;
    if (service != NULL && url != NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--webhook-service and --webhook-url exclude each other");
    if (service != NULL && !is_pair(service))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--webhook-service: \"%s\" is not NAMESPACE/NAME", service);
    if (url != NULL && !is_url(url, "https://"))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--webhook-url: \"%s\" is no URL, e.g. https://10.0.0.2:9443", url);
    return 0;
}

int options_check(const struct options *options, struct karta_error *err)
{
    int rc = check_tls(options, err);
    if (rc == 0)
        rc = check_addresses(options, err);
    if (rc == 0)
        rc = check_kinds(options, err);
    if (rc == 0)
        rc = check_kube(options, err);
    return rc != 0 ? rc : check_webhook(options, err);
}
