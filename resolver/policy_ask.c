/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies asked about one object. The one idea: true passes, false does not, and everything that
 * could not be decided is the failurePolicy's, so that a broken object slips past no rule. What
 * nobody reads is not made ready for expressions.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "definition.h"
#include "karta/engine.h"
#include "karta/policy.h"
#include "karta/view.h"
#include "metadata.h"
#include "policy_asking.h"
#include "snapshot.h"

/* Policies without validations only fill in defaults. */
static bool judges(const struct karta_policy *policy)
{
    return policy->check_count > policy->condition_count;
}

/* Lists the policies that are to be asked. */
static int choose(struct asking *asking, const struct gvk *gvk)
{
    const struct karta_snapshot *snapshot = asking->snapshot;
    struct karta_verdict *verdict = asking->verdict;
    for (size_t i = 0; i < snapshot->policy_count; i++) {
        const struct karta_policy *policy = snapshot->policies[i];
        if (!judges(policy) || !policy_concerns(policy, asking->request, gvk->group, gvk->kind))
            continue;
        if (verdict->decisions == NULL)
            verdict->decisions = mem_array(snapshot->policy_count, sizeof *verdict->decisions);
        if (verdict->decisions == NULL)
            return KARTA_ERR_NOMEM;
        verdict->decisions[verdict->decision_count++].policy = policy;
    }
    return 0;
}

int64_t asking_deadline(const struct asking *asking)
{
    int64_t budget_ms = asking->request->budget_ms;
    return budget_ms > 0 ? karta_engine_now_ms() + budget_ms : 0;
}

/* Compiling takes its time at the first object alone: it is done before time counts. */
static int compile(const struct asking *asking, const struct karta_definition *definition)
{
    struct karta_error err = {0};
    int code = 0;
    if (definition->structure != NULL)
        code = jq_program_compile(definition->structure, NULL, &err);
    if (definition->status != NULL && code != KARTA_ERR_NOMEM)
        code = jq_program_compile(definition->status, NULL, &err);
    for (size_t i = 0; i < asking->verdict->decision_count && code != KARTA_ERR_NOMEM; i++)
        code = policy_compile(asking->verdict->decisions[i].policy, &err);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

static int make_views(struct asking *asking)
{
    const struct karta_request *request = asking->request;
    int64_t deadline_ms = asking_deadline(asking);
    struct karta_error err = {0};
    int code = karta_view(asking->snapshot, request->object, request->ns, deadline_ms,
                          &asking->view, &err);
    if (code == KARTA_ERR_NOMEM)
        return code;
    if (code != 0)
        snprintf(asking->unread, sizeof asking->unread, "%s", err.message);
    if (request->old_object == NULL || code != 0)
        return 0;
    code = karta_view(asking->snapshot, request->old_object, request->ns, deadline_ms,
                      &asking->old_view, NULL);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

/* The view holds the labels and annotations. */
static bool is_unchanged(const struct asking *asking)
{
    return asking->view != NULL && asking->old_view != NULL &&
           json_equal(asking->view, asking->old_view);
}

/* Whether the objects are the same beside metadata and status. */
static bool is_same_beside(const struct karta_request *request)
{
    static const char *const beside[] = {"metadata", "status"};
    json_auto_t *object = json_copy((json_t *)request->object);
    json_auto_t *old = json_copy((json_t *)request->old_object);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        json_object_del(object, beside[i]);
        json_object_del(old, beside[i]);
    }
    return json_equal(object, old);
}

/*
 * Of an update that leaves the view as it is: only who reads the objects themselves is asked, and
 * only where there is something else in them.
 */
static void drop_unconcerned(struct asking *asking)
{
    struct karta_verdict *verdict = asking->verdict;
    size_t kept = 0;
    if (!is_same_beside(asking->request))
        for (size_t i = 0; i < verdict->decision_count; i++)
            if (policy_reads(verdict->decisions[i].policy, "object"))
                verdict->decisions[kept++] = verdict->decisions[i];
    verdict->decision_count = kept;
}

static int make_whole(struct asking *asking)
{
    const struct karta_request *request = asking->request;
    asking->whole = json_copy(asking->view);
    json_t *facts = json_pack("{s:s, s:s, s:O?, s:b}", "operation", request->operation, "namespace",
                              request->ns != NULL ? request->ns : "", "userInfo",
                              request->user_info, "dryRun", request->dry_run);
    int failed = json_object_set_new(asking->whole, "request", facts) |
                 json_object_set(asking->whole, "object", (json_t *)request->object);
    json_t *old =
        request->old_object != NULL ? json_incref((json_t *)request->old_object) : json_null();
    json_t *old_view = asking->old_view != NULL ? json_incref(asking->old_view) : json_null();
    failed |= json_object_set_new(asking->whole, "oldObject", old);
    failed |= json_object_set_new(asking->whole, "oldView", old_view);
    return failed == 0 ? 0 : KARTA_ERR_NOMEM;
}

/* The first component's error stands for the object's, where only one is wanted. */
static void note_incomplete(struct asking *asking)
{
    const json_t *components = json_object_get(asking->view, "components");
    for (size_t i = 0; i < json_array_size(components) && asking->unread[0] == '\0'; i++) {
        const json_t *component = json_array_get(components, i);
        const char *error = json_string_value(json_object_get(component, "error"));
        if (error != NULL)
            snprintf(asking->unread, sizeof asking->unread, "component %s: %s",
                     json_string_value(json_object_get(component, "name")), error);
    }
}

int asking_read(struct asking *asking)
{
    if (asking->view != NULL || asking->unread[0] != '\0')
        return 0;
    int code = make_views(asking);
    if (code == 0 && asking->view != NULL) {
        note_incomplete(asking);
        code = make_whole(asking);
    }
    return code;
}

void asking_dispose(struct asking *asking)
{
    json_decref(asking->view);
    json_decref(asking->old_view);
    json_decref(asking->whole);
}

int asking_input(const struct asking *asking, unsigned reads, struct jq_input **input,
                 struct karta_error *err)
{
    json_auto_t *object = json_object();
    for (size_t i = 0; policy_input_names[i] != NULL; i++)
        if ((reads & 1U << i) != 0 &&
            json_object_set(object, policy_input_names[i],
                            json_object_get(asking->whole, policy_input_names[i])) != 0)
            return mem_error(err);
    return object != NULL ? jq_input_new(object, input, err) : mem_error(err);
}

static int ask(struct asking *asking, struct karta_policy_decision *decision,
               const struct jq_input *input)
{
    struct jq_results results = {0};
    struct karta_error err = {0};
    int code =
        jq_program_run(decision->policy->program, input, asking->deadline_ms, &results, &err);
    if (code == KARTA_ERR_NOMEM)
        return code;
    code = code == 0 ? judge_results(asking, decision, &results)
                     : judge_failure(asking, decision, err.message);
    jq_results_dispose(&results);
    return code;
}

static int ask_all(struct asking *asking)
{
    struct karta_verdict *verdict = asking->verdict;
    struct jq_input *input = NULL;
    struct karta_error err = {0};
    unsigned reads = 0;
    for (size_t i = 0; i < verdict->decision_count; i++)
        reads |= verdict->decisions[i].policy->reads;
    int code = make_whole(asking);
    if (code == 0)
        code = asking_input(asking, reads, &input, &err);
    if (code != 0 && code != KARTA_ERR_NOMEM) {
        snprintf(asking->unread, sizeof asking->unread, "%s", err.message);
        code = 0;
    }
    asking->deadline_ms = asking_deadline(asking);
    for (size_t i = 0; code == 0 && i < verdict->decision_count; i++)
        code = input != NULL ? ask(asking, &verdict->decisions[i], input)
                             : judge_unread(asking, &verdict->decisions[i]);
    jq_input_free(input);
    return code;
}

static int ask_chosen(struct asking *asking, const struct karta_definition *definition)
{
    struct karta_verdict *verdict = asking->verdict;
    int code = compile(asking, definition);
    if (code == 0)
        code = make_views(asking);
    if (code != 0)
        return code;
    if (is_unchanged(asking))
        drop_unconcerned(asking);
    if (verdict->decision_count == 0)
        return 0;
    if (json_is_true(json_object_get(asking->view, "complete")))
        code = ask_all(asking);
    else
        for (size_t i = 0; code == 0 && i < verdict->decision_count; i++)
            code = judge_unread(asking, &verdict->decisions[i]);
    for (size_t i = 0; i < verdict->decision_count; i++)
        verdict->actions |= verdict->decisions[i].actions;
    return code;
}

int karta_policies_ask(const struct karta_snapshot *snapshot, const struct karta_request *request,
                       struct karta_verdict *verdict, struct karta_error *err)
{
    struct asking asking = {.snapshot = snapshot, .request = request, .verdict = verdict};
    *verdict = (struct karta_verdict){.findings = json_array(), .ignored = json_array()};
    int code = verdict->findings != NULL && verdict->ignored != NULL ? 0 : KARTA_ERR_NOMEM;
    const struct karta_definition *definition =
        snapshot->policy_count > 0 ? karta_snapshot_find_for(snapshot, request->object) : NULL;
    if (code == 0 && definition != NULL && !metadata_deleting(request->object)) {
        code = choose(&asking, definition_gvk(definition));
        if (code == 0 && verdict->decision_count > 0)
            code = ask_chosen(&asking, definition);
    }
    asking_dispose(&asking);
    return code == 0 ? 0 : mem_error(err);
}
