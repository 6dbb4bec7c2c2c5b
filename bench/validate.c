/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long an author waits: validating a definition of 50 expressions, compiled for real, and one
 * whose 50 expressions are all broken. Prints milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "karta/engine.h"
#include "karta/snapshot.h"

#define ROUNDS 20
#define CHILDREN 10

static const char *const good[] = {
    ".spec.roles[\"role-@\"] | select(. != null) | .template",
    ".spec.roles[\"role-@\"] | select(. != null) | (.replicas // 1)",
    ".spec | [.elastic.min, (.roles[\"role-@\"].replicas // 1)] | min",
    "if .spec.elastic == null then null else (.spec.roles[\"role-@\"].max // 1) end",
    "[.status.conditions[]? | select(.status == \"True\") | .type] | any(. == \"Ready@\")",
};
static const char *const broken[] = {
    ".spec.roles[\"role-@\" | .template",
    ".spec.roles@ | index(\"x\")",
    "spec.role@.min",
    "[range(@)]",
    ".status.x@ =",
};

/* The form, with its @ replaced by a digit, so that no two expressions are one. */
static json_t *text(const char *form, int number)
{
    char buffer[256];
    snprintf(buffer, sizeof buffer, "%s", form);
    char *mark = strchr(buffer, '@');
    if (mark != NULL)
        *mark = (char)('0' + number);
    return json_string(buffer);
}

static json_t *make_child(const char *const *forms, int number)
{
    char name[16];
    snprintf(name, sizeof name, "role-%d", number);
    return json_pack("{s:s, s:s, s:{s:o}, s:{s:o, s:o, s:o}, s:{s:{s:s, s:s}}}", "name", name,
                     "ownerRef", "thing", "specDefinition", "podTemplateSpecPath",
                     text(forms[0], number), "scaleDefinition", "replicasPath",
                     text(forms[1], number), "minReplicasPath", text(forms[2], number),
                     "maxReplicasPath", text(forms[3], number), "podSelector",
                     "componentTypeSelector", "keyPath", ".metadata.labels.role", "value", name);
}

static json_t *make_karta(const char *const *forms)
{
    json_t *children = json_array(), *matchers = json_array();
    for (int i = 0; i < CHILDREN; i++) {
        json_array_append_new(children, make_child(forms, i));
        json_array_append_new(matchers, json_pack("{s:{s:o, s:s}}", "byExpression", "expression",
                                                  text(forms[4], i), "expectedResult", "true"));
    }
    json_t *root = json_pack("{s:s, s:{s:s, s:s, s:s}, s:{s:{s:o}}}", "name", "thing", "kind",
                             "group", "example.com", "version", "v1", "kind", "Thing",
                             "statusDefinition", "statusMappings", "running", matchers);
    return json_pack("{s:s, s:s, s:{s:s, s:{s:s}}, s:{s:{s:o, s:o}}}", "apiVersion",
                     "run.ai/v1alpha1", "kind", "Karta", "metadata", "name", "bench", "annotations",
                     "workloadmap.dev/plural", "things", "spec", "structureDefinition",
                     "rootComponent", root, "childComponents", children);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

static void measure(const char *name, const char *const *forms)
{
    json_auto_t *karta = make_karta(forms);
    double times[ROUNDS];
    size_t refusals = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct karta_problems *problems = karta_problems_new();
        double start = now_ms();
        karta_document_validate(karta, problems);
        times[i] = now_ms() - start;
        refusals = karta_problems_refusals(problems);
        karta_problems_free(problems);
    }
    qsort(times, ROUNDS, sizeof times[0], by_value);
    printf("%s: %zu refusals, median %.2f ms, worst of %d %.2f ms\n", name, refusals,
           times[ROUNDS / 2], ROUNDS, times[ROUNDS - 1]);
}

int main(void)
{
    if (karta_engine_init(NULL) != 0)
        return 1;
    measure("50 expressions", good);
    measure("50 broken expressions", broken);
    karta_engine_shutdown();
    return 0;
}
