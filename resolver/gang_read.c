/* SPDX-License-Identifier: Apache-2.0 */
/* What metadata alone tells of a gang, for whoever follows many objects: no definition and no
 * profile is looked at. */
#include <string.h>

#include "base/mem.h"
#include "gang_memory.h"
#include "karta/objects.h"
#include "pod_memory.h"

int karta_gang_read(const json_t *object, const char *ns, struct karta_gang *gang)
{
    struct gang_memory memory;
    bool ganged = gang_memory_read(object, ns, &memory);
    *gang = (struct karta_gang){memory.json, memory.profile, memory.nonce, memory.groups};
    return ganged;
}

void karta_gang_dispose(struct karta_gang *gang)
{
    json_decref(gang->memory);
    *gang = (struct karta_gang){0};
}

int karta_pod_gang_read(const json_t *pod, const char *ns, struct karta_pod_gang *gang)
{
    struct pod_memory memory;
    struct karta_error err = {0};
    *gang = (struct karta_pod_gang){0};
    bool read = pod_memory_read(pod, ns, &memory);
    gang->memory = memory.json;
    if (!read || !pod_memory_key(&memory, pod, &gang->key, &err))
        return 0;
    gang->owner_group = memory.owner.group;
    gang->owner_kind = memory.owner.kind;
    gang->nonce = memory.nonce;
    gang->group = memory.group;
    return name_pod_group(&memory.owner, memory.group, gang->key, memory.nonce, gang->name, &err) ==
           0;
}

void karta_pod_gang_dispose(struct karta_pod_gang *gang)
{
    json_decref(gang->memory);
    free(gang->key);
    *gang = (struct karta_pod_gang){0};
}
