/* SPDX-License-Identifier: Apache-2.0 */
/* What every flag is called, takes, and means. A new flag is a new row here and a field. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "options_table.h"

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"listen", "ADDR:PORT", "HTTPS", OPTION_TEXT, AT(listen), 0, 0, NULL, "0.0.0.0:9443"},
    {"metrics-listen", "ADDR:PORT", "plain HTTP: health, metrics, debug; \"\" is off", OPTION_TEXT,
     AT(metrics_listen), 0, 0, NULL, "0.0.0.0:8080"},
    {"tls-cert-file", "FILE", "PEM, read again when it changes", OPTION_TEXT, AT(tls_cert_file), 0,
     0, NULL, NULL},
    {"tls-key-file", "FILE", "PEM, read again when it changes", OPTION_TEXT, AT(tls_key_file), 0, 0,
     NULL, NULL},
    {"self-signed", "DIR",
     "issue and renew our own CA and certificate there (default, without --tls-cert-file: "
     "$STATE_DIRECTORY, else /var/lib/karta-webhook)",
     OPTION_TEXT, AT(self_signed), 0, 0, NULL, NULL},
    {"tls-secret", "NS/NAME",
     "share our own CA and certificate with the other replicas in this Secret, and renew them",
     OPTION_TEXT, AT(tls_secret), 0, 0, NULL, NULL},
    {"tls-san", "NAME", "name in that certificate, repeatable", OPTION_LIST, AT(tls_sans), 0, 0,
     NULL, NULL},
    {"client-ca-file", "FILE", "accept only callers with a certificate from this CA", OPTION_TEXT,
     AT(client_ca_file), 0, 0, NULL, NULL},
    {"definitions", "DIR", "folder of Kartas and profiles, repeatable, the later wins", OPTION_LIST,
     AT(definitions), 0, 0, NULL, NULL},
    {"profile", "NAME|FILE", "the gang scheduler to write for", OPTION_TEXT, AT(profile), 0, 0,
     NULL, "kai"},
    {"gang", "opted-in|all", "which workloads are ganged", OPTION_TEXT, AT(gang), 0, 0,
     "opted-in|all", "opted-in"},
    {"default-queue", "NAME", "for workloads that name none", OPTION_TEXT, AT(default_queue), 0, 0,
     NULL, NULL},
    {"kube", NULL,
     "in a cluster: follow its Kartas, profiles and policies, keep the webhook configurations "
     "right",
     OPTION_SWITCH, AT(kube), 0, 0, NULL, NULL},
    {"kube-api", "URL", "the same from outside: where the API server is", OPTION_TEXT, AT(kube_api),
     0, 0, NULL, NULL},
    {"kube-token-file", "FILE", "bearer token for it, read again as it rotates", OPTION_TEXT,
     AT(kube_token_file), 0, 0, NULL, NULL},
    {"kube-ca-file", "FILE", "CA of its certificate", OPTION_TEXT, AT(kube_ca_file), 0, 0, NULL,
     NULL},
    {"webhook-service", "NS/NAME",
     "where the API server finds us (default: in a cluster, karta-webhook in our namespace)",
     OPTION_TEXT, AT(webhook_service), 0, 0, NULL, NULL},
    {"webhook-url", "URL", "the same for a server outside the cluster", OPTION_TEXT,
     AT(webhook_url), 0, 0, NULL, NULL},
    {"failure-policy", "Ignore|Fail", "what workloads get while nobody here answers", OPTION_TEXT,
     AT(failure_policy), 0, 0, "Ignore|Fail", "Ignore"},
    {"no-podgroups", NULL, "leave PodGroup objects to somebody else", OPTION_SWITCH,
     AT(no_podgroups), 0, 0, NULL, NULL},
    {"exclude-kind", "GROUP/KIND", "never touch this kind, repeatable", OPTION_LIST,
     AT(exclude_kinds), 0, 0, NULL, NULL},
    {"exclude-namespace", "NAME",
     "never touch this namespace, repeatable (default kube-system, kube-node-lease, our own)",
     OPTION_LIST, AT(exclude_namespaces), 0, 0, NULL, NULL},
    {"on-error", "allow|deny", "what a workload gets when its own resolution fails", OPTION_TEXT,
     AT(on_error), 0, 0, "allow|deny", "allow"},
    {"threads", "N", "default: the processors that the cgroup grants", OPTION_COUNT, AT(threads), 1,
     256, NULL, NULL},
    {"drain", "SECONDS", "how long to go on answering after SIGTERM", OPTION_COUNT, AT(drain), 0,
     3600, NULL, "5"},
    {"config", "FILE", "YAML with the same names; flags win", OPTION_TEXT, AT(config), 0, 0, NULL,
     NULL},
    {"log-format", "text|json", "", OPTION_TEXT, AT(log_format), 0, 0, "text|json", "text"},
    {"log-level", "LEVEL", "debug, info, warn, error", OPTION_TEXT, AT(log_level), 0, 0,
     "debug|info|warn|error", "info"},
    {"version", NULL, "", OPTION_SWITCH, AT(version), 0, 0, NULL, NULL},
    {"help", NULL, "", OPTION_SWITCH, AT(help), 0, 0, NULL, NULL},
};

#define ROWS (sizeof rows / sizeof *rows)

_Static_assert(ROWS <= OPTION_ROWS_MOST, "given flags are remembered in an array of that size");

const struct option_row *option_row(size_t index)
{
    return index < ROWS ? &rows[index] : NULL;
}

const struct option_row *option_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Insertions, deletions and changes of letters between two names of at most 31 bytes. */
static size_t distance(const char *a, const char *b)
{
    size_t row[32];
    size_t width = strlen(b);
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t y = 1; a[y - 1] != '\0'; y++) {
        size_t diagonal = row[0];
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            size_t above = row[x];
            row[x] = least(above + 1, row[x - 1] + 1, diagonal + (a[y - 1] != b[x - 1]));
            diagonal = above;
        }
    }
    return row[width];
}

const char *option_nearest(const char *name)
{
    const char *nearest = NULL;
    size_t best = 4; /* further than three letters is another word */
    if (strlen(name) > 31)
        return NULL;
    for (size_t i = 0; i < ROWS; i++) {
        size_t steps = distance(name, rows[i].name);
        if (steps < best && steps < strlen(rows[i].name)) {
            best = steps;
            nearest = rows[i].name;
        }
    }
    return nearest;
}

char *options_help(void)
{
    KARTA_AUTO_STRBUF text;
    strbuf_init(&text, 16384);
    strbuf_adds(&text, "usage: karta-webhook [flags]\n\n");
    for (size_t i = 0; i < ROWS; i++) {
        char head[64];
        snprintf(head, sizeof head, "--%s %s", rows[i].name,
                 rows[i].value != NULL ? rows[i].value : "");
        strbuf_addf(&text, "  %-32s%s%s%s%s\n", head, rows[i].help,
                    rows[i].initial != NULL ? " (default " : "",
                    rows[i].initial != NULL ? rows[i].initial : "",
                    rows[i].initial != NULL ? ")" : "");
    }
    return strbuf_take(&text);
}
