/* SPDX-License-Identifier: Apache-2.0 */
/* Members of pod groups, as the plan places them. */
#include "karta/members.h"

#include "base/mem.h"
#include "gang_memory.h"
#include "metadata.h"
#include "plan.h"

static json_t *group_members(const struct resolved *resolved, const struct plan *plan, size_t g)
{
    json_t *list = json_array();
    for (size_t p = 0; list != NULL && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        if (place->group != g || place->late)
            continue;
        const struct resolved_component *component = &resolved->components[place->component];
        json_t *entry = json_pack("{s:s, s:s}", "component", component->definition->name,
                                  "instance", component->instances[place->instance].id);
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static int list_members(const struct resolved *resolved, const char *ns, json_t *members,
                        struct karta_error *err)
{
    const struct gvk *gvk = definition_gvk(resolved->definition);
    KARTA_CLEANUP(plan_dispose) struct plan plan = {0};
    struct gang_owner owner = gang_owner_of(resolved->object, gvk->group, gvk->kind, ns);
    char nonce[NONCE_SIZE];
    int code = name_nonce("", nonce, err);
    if (code == 0)
        code = plan_make(resolved, &(struct plan_identity){&owner, nonce, NULL}, &plan, err);
    for (size_t g = 0; code == 0 && plan.reason[0] == '\0' && g < plan.group_count; g++)
        if (plan.groups[g].pods > 0 &&
            json_array_append_new(members, group_members(resolved, &plan, g)) != 0)
            code = mem_error(err);
    return code;
}

int karta_members(const struct karta_snapshot *snapshot, const json_t *object, const char *ns,
                  int64_t deadline_ms, json_t **members, struct karta_error *err)
{
    const struct karta_definition *definition = karta_snapshot_find_for(snapshot, object);
    if (definition == NULL)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no definition covers it");
    const char *own = metadata_text(object, "namespace");
    json_auto_t *list = json_array();
    struct resolved *resolved = NULL;
    int code =
        list != NULL ? resolve(definition, object, deadline_ms, &resolved, err) : mem_error(err);
    if (code == 0)
        code = list_members(resolved, own != NULL ? own : (ns != NULL ? ns : "default"), list, err);
    resolved_free(resolved);
    *members = code == 0 ? json_incref(list) : NULL;
    return code;
}
