/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The webhook configurations as they must be now: of the kinds that definitions and policies name,
 * those that the cluster has, in exactly the versions that both know.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "configurations_apply.h"
#include "controller_internal.h"
#include "karta/policy.h"

/* Resources that grow; their texts are borrowed from the snapshot and from discovery. */
struct list {
    struct configurations_resource *items;
    size_t count, room;
};

struct lists {
    struct list workloads, definitions, others, ignored, failed;
};

static int add(struct list *list, const char *group, const char *version, const char *plural)
{
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 32;
        struct configurations_resource *items = realloc(list->items, room * sizeof *items);
        if (items == NULL)
            return KARTA_ERR_NOMEM;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = (struct configurations_resource){group, version, plural};
    return 0;
}

/* Nothing where the cluster does not have it. */
static int add_kind(const struct controller *controller, struct list *list, const char *group,
                    const char *version, const char *kind, bool in_namespaces)
{
    bool namespaced = false;
    const char *plural = discovery_plural(controller->discovery, group, version, kind, &namespaced);
    return plural != NULL && namespaced == in_namespaces ? add(list, group, version, plural) : 0;
}

static int add_definition(const struct controller *controller, struct list *list,
                          const struct karta_definition *definition)
{
    return add_kind(controller, list, karta_definition_group(definition),
                    karta_definition_version(definition), karta_definition_kind(definition), true);
}

static bool is_excluded(const struct cluster_config *config,
                        const struct karta_definition *definition)
{
    for (size_t i = 0; i < config->excluded_kind_count; i++)
        if (strcmp(config->excluded_kinds[i].group, karta_definition_group(definition)) == 0 &&
            strcmp(config->excluded_kinds[i].kind, karta_definition_kind(definition)) == 0)
            return true;
    return false;
}

static bool is_policed(const struct karta_policy *policy, const struct karta_definition *definition)
{
    size_t count = karta_policy_kind_count(policy);
    for (size_t i = 0; i < count; i++) {
        const char *group, *kind;
        karta_policy_kind(policy, i, &group, &kind);
        if ((group == NULL || strcmp(group, karta_definition_group(definition)) == 0) &&
            (kind == NULL || strcmp(kind, karta_definition_kind(definition)) == 0))
            return true;
    }
    return count == 0;
}

static int collect_policed(const struct controller *controller,
                           const struct karta_snapshot *snapshot,
                           const struct karta_definition *definition, struct lists *lists)
{
    bool asked[2] = {false, false}; /* by failurePolicy: Ignore, Fail */
    for (size_t i = 0; i < karta_policy_count(snapshot); i++) {
        const struct karta_policy *policy = karta_policy_at(snapshot, i);
        if (is_policed(policy, definition))
            asked[karta_policy_fails(policy) != 0] = true;
    }
    int rc = asked[0] ? add_definition(controller, &lists->ignored, definition) : 0;
    return rc == 0 && asked[1] ? add_definition(controller, &lists->failed, definition) : rc;
}

static int collect(const struct controller *controller, const struct karta_snapshot *snapshot,
                   struct lists *lists)
{
    const struct cluster_config *config = controller->config;
    const struct karta_profile *profile = karta_snapshot_profile(snapshot, *config->profile);
    int rc = add_kind(controller, &lists->definitions, "run.ai", "v1alpha1", "Karta", false);
    if (rc == 0)
        rc = add_kind(controller, &lists->others, "workloadmap.dev", "v1alpha1", "GangProfile",
                      false);
    if (rc == 0)
        rc = add_kind(controller, &lists->others, "workloadmap.dev", "v1alpha1", "WorkloadPolicy",
                      false);
    for (size_t i = 0; rc == 0 && i < karta_snapshot_definitions(snapshot); i++) {
        const struct karta_definition *definition = karta_snapshot_definition(snapshot, i);
        if (karta_profile_sees(profile, definition) && !is_excluded(config, definition))
            rc = add_definition(controller, &lists->workloads, definition);
        if (rc == 0)
            rc = collect_policed(controller, snapshot, definition, lists);
    }
    return rc;
}

static struct configurations_resources resources_of(const struct list *list)
{
    return (struct configurations_resources){list->items, list->count};
}

static void say_applied(struct controller *controller, const json_t *configuration,
                        const struct configurations_applied *applied)
{
    const json_t *webhooks = json_object_get(configuration, "webhooks");
    LOG_WRITE(controller->config->log, LOG_LEVEL_INFO,
              applied->version[0] != '\0' ? "webhook configuration written"
                                          : "webhook configuration not needed",
              log_text("kind", json_string_value(json_object_get(configuration, "kind"))),
              log_count("webhooks", (int64_t)json_array_size(webhooks)),
              log_text("values", applied->forced ? "taken back from somebody else" : ""),
              log_text("selectors", applied->selectors_left > 0 ? "left to somebody else" : ""));
}

/* Configuration `which`. What did not change anything is not told of. */
static int apply(struct controller *controller, json_t *configuration, size_t which, bool again,
                 struct karta_error *err)
{
    struct configurations_applied applied;
    json_t **written = &controller->written[which];
    if (!again && *written != NULL && json_equal(*written, configuration))
        return 0;
    if (!controller_leads(controller))
        return 0;
    json_decref(*written);
    *written = NULL;
    int rc = configurations_apply(controller->client, configuration, &applied, err);
    if (rc != 0)
        return rc;
    *written = json_incref(configuration);
    if (strcmp(applied.version, controller->versions[which]) == 0)
        return 0;
    say_applied(controller, configuration, &applied);
    strcpy(controller->versions[which], applied.version);
    return 0;
}

static int write_both(struct controller *controller, const struct lists *lists, bool again,
                      struct karta_error *err)
{
    struct configurations_options options = controller->config->configurations;
    if (controller->serving != NULL)
        options.ca_bundle = serving_bundle(controller->serving);
    struct configurations_input input = {.workloads = resources_of(&lists->workloads),
                                         .definitions = resources_of(&lists->definitions),
                                         .others = resources_of(&lists->others),
                                         .policed_ignore = resources_of(&lists->ignored),
                                         .policed_fail = resources_of(&lists->failed)};
    json_auto_t *mutating = NULL, *validating = NULL;
    int rc = configurations_mutating(&options, &input, &mutating, err);
    if (rc == 0)
        rc = configurations_validating(&options, &input, &validating, err);
    if (rc == 0)
        rc = apply(controller, mutating, 0, again, err);
    if (validating == NULL)
        return rc;
    /* each by itself: who may not write the one may write the other */
    int rc2 = apply(controller, validating, 1, again, rc == 0 ? err : NULL);
    if (rc == 0 && rc2 == 0 && controller->serving != NULL)
        serving_told(controller->serving);
    return rc != 0 ? rc : rc2;
}

int controller_configure(struct controller *controller, const struct karta_snapshot *snapshot,
                         bool again, struct karta_error *err)
{
    const struct configurations_options *options = &controller->config->configurations;
    struct lists lists = {0};
    bool served = controller->serving != NULL;
    if (options->url == NULL && options->service_name == NULL) {
        if (served)
            serving_told(controller->serving); /* nobody is told by us */
        return 0;
    }
    if (served && serving_bundle(controller->serving) == NULL)
        return 0; /* nobody could verify us yet */
    int rc = collect(controller, snapshot, &lists);
    rc = rc == 0 ? write_both(controller, &lists, again, err)
                 : karta_error_set(err, rc, "out of memory");
    free(lists.workloads.items);
    free(lists.definitions.items);
    free(lists.others.items);
    free(lists.ignored.items);
    free(lists.failed.items);
    return rc;
}
