/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flags of karta-webhook, from the command line and from --config. One table describes every
 * flag; parsing, the configuration file and --help all read it.
 */
#ifndef KARTA_WEBHOOK_OPTIONS_H
#define KARTA_WEBHOOK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "karta/error.h"

struct options_list {
    char **items;
    size_t count;
};

/* All texts are the options' own. */
struct options {
    char *listen, *metrics_listen;
    char *tls_cert_file, *tls_key_file, *self_signed, *tls_secret, *client_ca_file;
    struct options_list tls_sans, definitions, exclude_kinds, exclude_namespaces;
    char *profile, *gang, *default_queue, *on_error;
    char *kube_api, *kube_token_file, *kube_ca_file;
    char *webhook_service, *webhook_url, *failure_policy;
    char *log_format, *log_level, *config;
    int threads, drain; /* threads 0: as many as there are processors */
    bool kube, no_podgroups, version, help;
};

/*
 * Reads flags, then --config for what no flag gave, then fills the defaults. `options` is the
 * caller's to dispose, also after an error. KARTA_ERR_SCHEMA: a usage error, one sentence.
 */
int options_parse(struct options *options, int argc, char **argv, struct karta_error *err);
void options_dispose(struct options *options);

/* New text of --help; NULL when memory is out. */
char *options_help(void);

#endif
