/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Membership in pod groups. The one idea: filters are all run at once on the template as a pod,
 * then the first member that fits is taken.
 */
#include "member.h"

#include <stdio.h>

#include "pod_keys.h"

struct search {
    const struct resolved *resolved;
    const struct jq_results *results; /* of the filters; NULL: there are none */
    char *reason;
    size_t reason_size;
};

/* Steps from `c` up to `ancestor`, or -1. */
static int distance(const struct resolved *resolved, size_t c, size_t ancestor)
{
    for (int steps = 0;; steps++) {
        if (c == ancestor)
            return steps;
        if (c == 0)
            return -1;
        c = resolved->components[c].definition->owner;
    }
}

static bool passes(const struct search *search, const struct member *member)
{
    for (size_t f = 0; f < member->filter_count; f++) {
        const struct jq_result *result = &search->results->parts[member->first_filter + f];
        if (result->error != NULL && search->reason[0] == '\0')
            snprintf(search->reason, search->reason_size, "filter `%.80s` of %s: %s",
                     jq_expression_text(member->filters[f]), member->component_name, result->error);
        if (json_array_size(result->values) != 1 ||
            !json_is_true(json_array_get(result->values, 0)))
            return false;
    }
    return true;
}

/* The older form takes the first in document order, the current one the nearest. */
static void search_members(const struct search *search, size_t c, struct membership *best)
{
    const struct karta_definition *definition = search->resolved->definition;
    int best_distance = -1;
    for (size_t g = 0; g < definition->group_count; g++)
        for (size_t m = 0; m < definition->groups[g].count; m++) {
            const struct member *member = &definition->groups[g].members[m];
            int steps = distance(search->resolved, c, member->component);
            bool closer = definition->older_gang ? (steps == 0) > (best_distance == 0)
                                                 : steps < best_distance;
            if (steps < 0 || (best->found && !closer) || !passes(search, member))
                continue;
            *best = (struct membership){true, g, m};
            best_distance = steps;
        }
}

int member_of(const struct resolved *resolved, size_t c, size_t i, struct membership *membership,
              char *reason, size_t reason_size, struct karta_error *err)
{
    struct jq_program *filters = resolved->definition->pods;
    struct jq_results results = {0};
    struct jq_input *input = NULL;
    int code = 0;
    *membership = (struct membership){0};
    if (filters != NULL) {
        json_auto_t *pod = pod_of_template(resolved, c, i);
        code = pod != NULL ? jq_input_new(pod, &input, err)
                           : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
        if (code == 0)
            code = jq_program_run(filters, input, resolved->deadline_ms, &results, err);
    }
    const struct search search = {resolved, &results, reason, reason_size};
    if (code == 0)
        search_members(&search, c, membership);
    jq_results_dispose(&results);
    jq_input_free(input);
    return code;
}
