/* SPDX-License-Identifier: Apache-2.0 */
/* The kubeconfig that is named must be there: kubectl would silently ask localhost instead. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "exit_code.h"
#include "kubectl.h"
#include "message.h"

static bool is_there(const char *path, size_t size)
{
    struct stat info;
    KARTA_AUTO_TEXT name = mem_format("%.*s", (int)size, path);
    return name != NULL && stat(name, &info) == 0;
}

int kubectl_check_config(const struct arguments *arguments)
{
    const char *given = arguments->value[FLAG_KUBECONFIG];
    if (given != NULL)
        return is_there(given, strlen(given))
                   ? CLI_DONE
                   : cli_fail(CLI_CLUSTER, "--kubeconfig %s: %s", given, "no such file");
    const char *list = getenv("KUBECONFIG");
    if (list == NULL || *list == '\0')
        return CLI_DONE;
    for (const char *at = list; *at != '\0'; at += strspn(at, ":")) {
        size_t size = strcspn(at, ":");
        if (is_there(at, size))
            return CLI_DONE;
        at += size;
    }
    return cli_fail(CLI_CLUSTER, "KUBECONFIG=%s: no such file", list);
}
