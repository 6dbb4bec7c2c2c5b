/* SPDX-License-Identifier: Apache-2.0 */
/* What Kubernetes puts into every container, by its names. */
#include <string.h>

#include "base/mem.h"
#include "kube_client.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

int kube_access_in_cluster(struct kube_access *access, char **url, struct karta_error *err)
{
    const char *host = getenv("KUBERNETES_SERVICE_HOST");
    const char *port = getenv("KUBERNETES_SERVICE_PORT");
    if (host == NULL || host[0] == '\0' || port == NULL || port[0] == '\0')
        return karta_error_set(err, KARTA_ERR_NOT_FOUND,
                               "not inside a cluster (KUBERNETES_SERVICE_HOST and "
                               "KUBERNETES_SERVICE_PORT are not both set): give --kube-api URL");
    bool wide = strchr(host, ':') != NULL && host[0] != '['; /* IPv6 */
    *url = mem_format(wide ? "https://[%s]:%s" : "https://%s:%s", host, port);
    if (*url == NULL)
        return mem_error(err);
    *access = (struct kube_access){
        .url = *url, .token_file = ACCOUNT "token", .ca_file = ACCOUNT "ca.crt"};
    return 0;
}
