/* SPDX-License-Identifier: Apache-2.0 */
/* What flags must be beyond their own form: addresses, kinds, and which belong together. */
#include <string.h>

#include "address.h"
#include "options_table.h"

static int check_tls(const struct options *options, struct karta_error *err)
{
    if ((options->tls_cert_file == NULL) != (options->tls_key_file == NULL))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-cert-file and --tls-key-file belong together");
    if (options->tls_cert_file != NULL && options->self_signed != NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--tls-cert-file and --self-signed exclude each other");
    if (options->tls_cert_file != NULL && options->tls_sans.count > 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "--tls-san needs --self-signed");
    return 0;
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

int options_check(const struct options *options, struct karta_error *err)
{
    int rc = check_tls(options, err);
    if (rc == 0)
        rc = check_addresses(options, err);
    return rc != 0 ? rc : check_kinds(options, err);
}
