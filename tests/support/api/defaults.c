/* SPDX-License-Identifier: Apache-2.0 */
/* Webhook configurations alone: a client that compares what it wants with what is there meets
 * these fields, which nobody owns. */
#include "defaults.h"

#include <stdbool.h>
#include <string.h>

/* k8s.io/kubernetes/pkg/apis/admissionregistration/v1/defaults.go */
static json_t *rule_filled(const json_t *rule)
{
    json_t *filled = json_copy((json_t *)rule);
    if (json_is_object(filled) && json_object_get(filled, "scope") == NULL)
        json_object_set_new(filled, "scope", json_string("*"));
    return filled;
}

static void fill_rules(json_t *webhook)
{
    json_t *rules = json_object_get(webhook, "rules");
    if (!json_is_array(rules))
        return;
    json_t *filled = json_array();
    size_t index;
    json_t *rule;
    json_array_foreach(rules, index, rule) json_array_append_new(filled, rule_filled(rule));
    json_object_set_new(webhook, "rules", filled);
}

static void fill_port(json_t *webhook)
{
    json_t *config = json_object_get(webhook, "clientConfig");
    json_t *service = json_object_get(config, "service");
    if (service == NULL || json_object_get(service, "port") != NULL)
        return;
    json_t *with_port = json_copy(service);
    json_object_set_new(with_port, "port", json_integer(443));
    config = json_copy(config);
    json_object_set_new(config, "service", with_port);
    json_object_set_new(webhook, "clientConfig", config);
}

static json_t *webhook_filled(const json_t *webhook, bool mutating)
{
    if (!json_is_object(webhook))
        return json_incref((json_t *)webhook);
    json_t *filled = json_copy((json_t *)webhook);
    json_auto_t *missing =
        json_pack("{ss ss s{} s{} si}", "failurePolicy", "Fail", "matchPolicy", "Equivalent",
                  "namespaceSelector", "objectSelector", "timeoutSeconds", 10);
    if (mutating)
        json_object_set_new(missing, "reinvocationPolicy", json_string("Never"));
    json_object_update_missing(filled, missing);
    fill_rules(filled);
    fill_port(filled);
    return filled;
}

void defaults_fill(json_t *object)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    bool mutating = strcmp(kind, "MutatingWebhookConfiguration") == 0;
    json_t *webhooks = json_object_get(object, "webhooks");
    if ((!mutating && strcmp(kind, "ValidatingWebhookConfiguration") != 0) ||
        !json_is_array(webhooks))
        return;
    json_t *filled = json_array();
    size_t index;
    json_t *webhook;
    json_array_foreach(webhooks, index, webhook)
        json_array_append_new(filled, webhook_filled(webhook, mutating));
    json_object_set_new(object, "webhooks", filled);
}
