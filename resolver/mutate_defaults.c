/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What policies fill in at CREATE. The one idea: the first policy by name that says something wins,
 * and whoever made the workload hears where another would have said something else.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/policy.h"
#include "mutate.h"
#include "patch.h"
#include "policy_asking.h"
#include "snapshot.h"

struct filling {
    struct mutate *mutate;
    struct asking asking;
    const struct karta_policy *of_queue, *of_class; /* who filled them in; NULL: nobody */
};

static int run_conditions(struct filling *filling, const struct karta_policy *policy,
                          enum outcome *outcome, char *why, size_t size)
{
    struct jq_input *input = NULL;
    struct jq_results results = {0};
    struct karta_error err = {0};
    size_t which;
    int code = asking_input(&filling->asking, policy->reads, &input, &err);
    if (code == 0)
        code = jq_program_run(policy->program, input, asking_deadline(&filling->asking), &results,
                              &err);
    if (code == 0)
        *outcome = judge_conditions(policy, &results, why, size, &which);
    else
        snprintf(why, size, "%s", err.message);
    jq_results_dispose(&results);
    jq_input_free(input);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

/* Whether the policy's conditions hold; what cannot be decided fills in nothing. */
static int hold(struct filling *filling, const struct karta_policy *policy, bool *holds)
{
    enum outcome outcome = OUTCOME_ERROR;
    char why[512] = "";
    struct karta_error err = {0};
    if (policy->condition_count == 0) {
        *holds = true;
        return 0;
    }
    int code = policy_compile(policy, &err);
    if (code != KARTA_ERR_NOMEM)
        code = asking_read(&filling->asking);
    if (code == 0 && filling->asking.unread[0] == '\0')
        code = run_conditions(filling, policy, &outcome, why, sizeof why);
    else if (code == 0)
        snprintf(why, sizeof why, "%s", filling->asking.unread);
    *holds = outcome == OUTCOME_TRUE;
    if (code == 0 && outcome == OUTCOME_ERROR)
        code = mutate_warn(filling->mutate->out, "policy %s fills in no defaults: %s", policy->name,
                           why);
    return code;
}

/* The first value stays; another one is worth a warning. */
static int take(struct filling *filling, const struct karta_policy *policy, const char *value,
                const char *what, const char **filled, const struct karta_policy **by)
{
    if (value == NULL)
        return 0;
    if (*by == NULL) {
        *filled = value;
        *by = policy;
        return 0;
    }
    if (strcmp(*filled, value) == 0)
        return 0;
    return mutate_warn(filling->mutate->out,
                       "policies %s and %s default different %s: %s of the first by name is used",
                       (*by)->name, policy->name, what, *filled);
}

static int fill(struct filling *filling, const struct karta_policy *policy)
{
    struct mutate *mutate = filling->mutate;
    const struct gvk *gvk = definition_gvk(mutate->definition);
    const char *queue = mutate->queue_named ? NULL : policy->queue;
    bool holds = false;
    if ((queue == NULL && policy->priority_class == NULL) ||
        !policy_concerns(policy, filling->asking.request, gvk->group, gvk->kind))
        return 0;
    int code = hold(filling, policy, &holds);
    if (code != 0 || !holds)
        return code;
    code = take(filling, policy, queue, "queues", &mutate->policy_queue, &filling->of_queue);
    return code == 0 ? take(filling, policy, policy->priority_class, "priority classes",
                            &mutate->priority_class, &filling->of_class)
                     : code;
}

static int64_t rest_of(int64_t deadline_ms)
{
    int64_t rest = deadline_ms - karta_engine_now_ms();
    return deadline_ms == 0 ? 0 : (rest > 0 ? rest : 1);
}

int mutate_defaults(struct mutate *mutate, struct karta_error *err)
{
    const struct karta_snapshot *snapshot = mutate->snapshot;
    const struct karta_request request = {.operation = "CREATE",
                                          .ns = mutate->ns,
                                          .user_info = mutate->options->user_info,
                                          .dry_run = mutate->options->dry_run,
                                          .object = mutate->object,
                                          .budget_ms = rest_of(mutate->deadline_ms)};
    struct filling filling = {.mutate = mutate,
                              .asking = {.snapshot = snapshot, .request = &request}};
    int code = 0;
    for (size_t i = 0; code == 0 && i < snapshot->policy_count; i++)
        code = fill(&filling, snapshot->policies[i]);
    asking_dispose(&filling.asking);
    return code == 0 ? 0 : mem_error(err);
}

int mutate_want_class(struct mutate *mutate, const struct instance *instance,
                      struct karta_error *err)
{
    const struct spot *spot = &instance->priority_class;
    const json_t *number = json_object_get(instance->pod_spec, "priority");
    if (mutate->priority_class == NULL || spot->path == NULL || !mutate_is_blank(spot->value) ||
        !mutate_is_blank(number))
        return 0;
    json_auto_t *value = json_string(mutate->priority_class);
    return value != NULL ? wanted_put(mutate->wanted, spot->path, value, err) : mem_error(err);
}
