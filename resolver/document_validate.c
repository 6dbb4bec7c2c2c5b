/* SPDX-License-Identifier: Apache-2.0 */
/* One document, judged as if it were to be loaded, its programs compiled for real. */
#include "document_validate.h"

#include <string.h>

#include "definition.h"
#include "policy.h"
#include "problem_list.h"
#include "profile.h"
#include "schema.h"

#define API_KARTA "run.ai/v1alpha1"
#define API_OURS "workloadmap.dev/v1alpha1"

static const struct {
    const char *api_version, *kind;
    enum document_kind document;
} kinds[] = {{API_KARTA, "Karta", DOCUMENT_KARTA},
             {API_OURS, "GangProfile", DOCUMENT_PROFILE},
             {API_OURS, "WorkloadPolicy", DOCUMENT_POLICY}};

enum document_kind document_kind(const json_t *document, struct karta_problems *problems)
{
    if (!json_is_object(document)) {
        karta_problems_add(problems, KARTA_REFUSAL, "", "is %s where an object belongs",
                           document != NULL ? json_type_text(json_typeof(document)) : "nothing");
        return DOCUMENT_UNKNOWN;
    }
    const char *api_version = schema_need_text(problems, NULL, document, "apiVersion");
    const char *kind = schema_need_text(problems, NULL, document, "kind");
    if (api_version == NULL || kind == NULL)
        return DOCUMENT_UNKNOWN;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i].kind) != 0)
            continue;
        if (strcmp(api_version, kinds[i].api_version) == 0)
            return kinds[i].document;
        karta_problems_add(problems, KARTA_REFUSAL, "apiVersion", "is %.60s; a %s has %s",
                           api_version, kind, kinds[i].api_version);
        return DOCUMENT_UNKNOWN;
    }
    karta_problems_add(problems, KARTA_REFUSAL, "kind",
                       "%.60s %.60s is no Karta (" API_KARTA "), GangProfile or WorkloadPolicy "
                       "(" API_OURS ")",
                       api_version, kind);
    return DOCUMENT_UNKNOWN;
}

/* What our own checks let through and the engine still refuses is a fault, and is said as such. */
static void compile(struct jq_program *program, const char *purpose,
                    struct karta_problems *problems)
{
    struct karta_error err = {0};
    if (program != NULL && jq_program_compile(program, NULL, &err) != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "spec", "%s expressions: %s", purpose,
                           err.message);
}

void karta_document_validate(const json_t *document, struct karta_problems *problems)
{
    struct karta_definition *definition = NULL;
    struct karta_profile *profile = NULL;
    struct karta_policy *policy = NULL;
    switch (document_kind(document, problems)) {
    case DOCUMENT_KARTA:
        definition = definition_new(document, "", problems);
        break;
    case DOCUMENT_PROFILE:
        profile = profile_new(document, "", problems);
        break;
    case DOCUMENT_POLICY:
        policy = policy_new(document, "", problems);
        break;
    case DOCUMENT_UNKNOWN:
        break;
    }
    if (definition != NULL) {
        compile(definition->structure, "structure", problems);
        compile(definition->status, "status", problems);
    }
    if (profile != NULL)
        compile(profile->program, "podTemplate", problems);
    for (size_t i = 0; profile != NULL && i < profile->workload_count; i++)
        compile(profile->workload[i].program, "workload", problems);
    if (policy != NULL) {
        compile(policy->program, "validation", problems);
        compile(policy->messages, "message", problems);
    }
    problems_order(problems, document);
    policy_free(policy);
    definition_free(definition);
    profile_free(profile);
}
