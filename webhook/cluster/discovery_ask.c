/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for both roots, and takes over what came only when both went well. An older server answers
 * with a list of groups alone; then each wanted version is asked for. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "discovery_internal.h"

static const char accept_aggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

static const char *const paths[DISCOVERY_ROOTS] = {"/api", "/apis"};

struct asking {
    struct kube_client *client;
    const struct kube_resource *wanted;
    size_t wanted_count;
};

/* One version of an older server. One that does not answer keeps what was known of it. */
static int ask_version(const struct asking *asking, const char *group, const char *version,
                       struct discovery_making *making, struct karta_error *err)
{
    struct kube_resource none = {group, version, ""};
    KARTA_AUTO_TEXT path = kube_path(&none, NULL, NULL, NULL);
    if (path == NULL)
        return mem_error(err);
    path[strlen(path) - 1] = '\0'; /* the slash before no resource */
    struct kube_request request = {.verb = "get", .path = path};
    struct kube_answer answer;
    struct karta_error why = {0};
    int rc = kube_client_ask(asking->client, &request, &answer, &why);
    bool read = rc == 0 && discovery_read_resources(making, group, version, answer.body);
    if (!read && answer.status == 0)
        karta_error_set(err, rc, "%s", why.message);
    else
        rc = 0;
    if (!read && rc == 0 && answer.status != 404)
        discovery_keep_version(making, group, version);
    kube_answer_dispose(&answer);
    return rc;
}

static bool is_wanted(const struct asking *asking, const char *group, const char *version)
{
    for (size_t i = 0; version != NULL && i < asking->wanted_count; i++)
        if (strcmp(asking->wanted[i].group, group) == 0 &&
            strcmp(asking->wanted[i].version, version) == 0)
            return true;
    return false;
}

/* A group of an older server's list: the preferred version first. */
static int ask_group(const struct asking *asking, const json_t *item,
                     struct discovery_making *making, struct karta_error *err)
{
    const char *group = json_string_value(json_object_get(item, "name"));
    const char *preferred =
        json_string_value(json_object_get(json_object_get(item, "preferredVersion"), "version"));
    int rc = 0;
    if (group == NULL)
        return 0;
    if (is_wanted(asking, group, preferred))
        rc = ask_version(asking, group, preferred, making, err);
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(item, "versions"), index, entry)
    {
        const char *version = json_string_value(json_object_get(entry, "version"));
        bool done = version != NULL && preferred != NULL && strcmp(version, preferred) == 0;
        if (rc == 0 && !done && is_wanted(asking, group, version))
            rc = ask_version(asking, group, version, making, err);
    }
    return rc;
}

/* An answer that is not aggregated: APIGroupList, or APIVersions for the core group. */
static int ask_each(const struct asking *asking, size_t root, const json_t *body,
                    struct discovery_making *making, struct karta_error *err)
{
    const json_t *list = json_object_get(body, root == DISCOVERY_CORE ? "versions" : "groups");
    if (!json_is_array(list))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "get %s: the answer is no list of API %s",
                               paths[root], root == DISCOVERY_CORE ? "versions" : "groups");
    int rc = 0;
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (rc != 0 || making->failed != 0)
            break;
        if (root == DISCOVERY_GROUPS)
            rc = ask_group(asking, item, making, err);
        else if (is_wanted(asking, "", json_string_value(item)))
            rc = ask_version(asking, "", json_string_value(item), making, err);
    }
    return rc;
}

static int read_root(const struct asking *asking, size_t root, const struct kube_answer *answer,
                     struct discovery_root *made, const struct discovery_root *before,
                     struct karta_error *err)
{
    struct discovery_making making = {.groups = json_object(), .before = before};
    int rc = making.groups != NULL ? 0 : mem_error(err);
    made->groups = making.groups;
    if (rc == 0 && discovery_read_aggregated(&making, answer->body))
        memcpy(made->etag, answer->etag, sizeof made->etag);
    else if (rc == 0)
        rc = ask_each(asking, root, answer->body, &making, err);
    if (rc != 0 || making.failed == 0)
        return rc;
    if (making.failed == KARTA_ERR_NOMEM)
        return mem_error(err);
    return karta_error_set(err, making.failed, "get %s: more than %u resources or %u versions",
                           paths[root], LIMIT_RESOURCES, LIMIT_VERSIONS);
}

/* Fills *made, which is to be given back also after an error. */
static int ask_root(const struct asking *asking, size_t root, const struct discovery_root *before,
                    struct discovery_root *made, struct karta_error *err)
{
    bool again = before->groups != NULL && before->etag[0] != '\0';
    struct kube_request request = {.verb = "get",
                                   .path = paths[root],
                                   .accept = accept_aggregated,
                                   .if_none_match = again ? before->etag : NULL};
    struct kube_answer answer;
    int rc = kube_client_ask(asking->client, &request, &answer, err);
    if (rc == 0 && answer.status == 304) {
        *made = *before;
        json_incref(made->groups);
    } else if (rc == 0) {
        rc = read_root(asking, root, &answer, made, before, err);
    }
    kube_answer_dispose(&answer);
    return rc;
}

int discovery_refresh(struct discovery *discovery, struct kube_client *client,
                      const struct kube_resource *wanted, size_t wanted_count,
                      struct karta_error *err)
{
    struct asking asking = {client, wanted, wanted_count};
    struct discovery_root made[DISCOVERY_ROOTS] = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < DISCOVERY_ROOTS; i++)
        rc = ask_root(&asking, i, &discovery->roots[i], &made[i], err);
    for (size_t i = 0; i < DISCOVERY_ROOTS; i++) {
        json_decref(rc == 0 ? discovery->roots[i].groups : made[i].groups);
        if (rc == 0)
            discovery->roots[i] = made[i];
    }
    discovery->known = discovery->known || rc == 0;
    return rc;
}
