/* SPDX-License-Identifier: Apache-2.0 */
/* From flags to the settings of admission, with the default exclusions. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "host_internal.h"

/* how long one object's expressions may run; the API server waits ten seconds by default */
#define OBJECT_DEADLINE_MS 100

#define NAMESPACE_FILE "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

static char *own_namespace(void)
{
    const char *given = getenv("POD_NAMESPACE");
    if (given != NULL && given[0] != '\0')
        return strdup(given);
    char *text = NULL;
    size_t size;
    struct karta_error ignored = {0};
    if (file_read_regular(NAMESPACE_FILE, 256, &text, &size, &ignored) != 0)
        return NULL; /* not in a cluster */
    text[strcspn(text, " \r\n")] = '\0';
    return text;
}

static void set_namespaces(struct host *host)
{
    const struct options_list *given = &host->options->exclude_namespaces;
    if (given->count > 0) {
        host->admission.excluded_namespaces = (const char *const *)given->items;
        host->admission.excluded_namespace_count = given->count;
        return;
    }
    host->own_namespace = own_namespace();
    size_t count = 0;
    host->default_namespaces[count++] = "kube-system";
    host->default_namespaces[count++] = "kube-node-lease";
    if (host->own_namespace != NULL && host->own_namespace[0] != '\0')
        host->default_namespaces[count++] = host->own_namespace;
    host->admission.excluded_namespaces = host->default_namespaces;
    host->admission.excluded_namespace_count = count;
}

/* "batch/Job" becomes "batch" and "Job" in one copy. */
static int set_kinds(struct host *host, struct karta_error *err)
{
    const struct options_list *given = &host->options->exclude_kinds;
    if (given->count == 0)
        return 0;
    host->kinds = mem_array(given->count, sizeof *host->kinds);
    host->kind_texts = mem_array(given->count, sizeof *host->kind_texts);
    for (size_t i = 0; host->kinds != NULL && host->kind_texts != NULL && i < given->count; i++) {
        char *text = strdup(given->items[i]);
        if (text == NULL)
            break;
        char *slash = strchr(text, '/');
        *slash = '\0';
        host->kind_texts[i] = text;
        host->kinds[i] = (struct karta_group_kind){.group = text, .kind = slash + 1};
        host->admission.excluded_kind_count++;
    }
    host->admission.excluded_kinds = host->kinds;
    if (host->admission.excluded_kind_count < given->count)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return 0;
}

int host_set_admission(struct host *host, struct karta_error *err)
{
    const struct options *options = host->options;
    host->admission.default_queue = options->default_queue;
    host->admission.gang_all = strcmp(options->gang, "all") == 0;
    host->admission.deny_on_error = strcmp(options->on_error, "deny") == 0;
    host->admission.deadline_ms = OBJECT_DEADLINE_MS;
    set_namespaces(host);
    return set_kinds(host, err);
}

void host_free_admission(struct host *host)
{
    for (size_t i = 0; i < host->admission.excluded_kind_count; i++)
        free(host->kind_texts[i]);
    free(host->kind_texts);
    free(host->kinds);
    free(host->own_namespace);
    free(host->profile);
}
