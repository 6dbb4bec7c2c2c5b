/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <pthread.h>
#include <stdatomic.h>

#define MOST_FLAGS 24

static const struct running *newest;

struct api_server *trial_api(void)
{
    struct api_server *api = api_server_start(NULL);
    api_server_kind(api, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    api_server_kind(api, "workloadmap.dev", "v1alpha1", "GangProfile", "gangprofiles", false,
                    false);
    api_server_kind(api, "workloadmap.dev", "v1alpha1", "WorkloadPolicy", "workloadpolicies", false,
                    false);
    api_server_kind(api, "jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", true, true);
    api_server_kind(api, "example.org", "v1", "Train", "trains", true, true);
    return api;
}

void trial_start(struct running *server, struct api_server *api, const char *const *flags)
{
    const char *all[MOST_FLAGS] = {"--drain",       "0",
                                   "--webhook-url", "https://127.0.0.1:9443",
                                   "--kube-api",    api_server_url(api),
                                   "--no-podgroups"};
    size_t count = 7;
    for (size_t i = 0; flags != NULL && flags[i] != NULL; i++)
        all[count++] = flags[i];
    newest = server;
    setenv("POD_NAMESPACE", TRIAL_NAMESPACE, 1);
    running_init(server);
    running_start(server, all);
}

void trial_start_ready(struct running *server, struct api_server *api, const char *const *flags)
{
    trial_start(server, api, flags);
    EVENTUALLY(trial_is_ready(server, NULL));
}

void trial_give_up(int line, const char *condition)
{
    KARTA_AUTO_TEXT log = newest != NULL ? running_log(newest) : strdup("");
    char *rest = log, *said;
    while ((said = strsep(&rest, "\n")) != NULL)
        if (strstr(said, " msg=request ") == NULL)
            fprintf(stderr, "%s\n", said);
    fail_msg("line %d: never came: %s", line, condition);
}

void trial_stop(struct running *server)
{
    assert_int_equal(running_stop(server), 0);
}

char *trial_karta(const char *name, const char *kind, const char *replicas)
{
    return mem_format(
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': '%s', "
        "'annotations': {'workloadmap.dev/plural': 'trains'}}, 'spec': {'structureDefinition': "
        "{'rootComponent': {'name': 'train', 'kind': {'group': 'example.org', 'version': 'v1', "
        "'kind': '%s'}, 'specDefinition': {'podTemplateSpecPath': '.spec.template'}, "
        "'scaleDefinition': {'replicasPath': '%s'}, 'statusDefinition': {'phaseDefinition': "
        "{'path': '.status.phase'}, 'statusMappings': {'running': [{'byPhase': 'Running'}]}}}}, "
        "'optimizationInstructions': {'gangScheduling': {'podGroup': {'name': 'train', "
        "'subGroups': [{'componentName': 'train'}]}}}}}",
        name, kind, replicas);
}

char *trial_policy(const char *name, const char *kind, int most, const char *failure_policy)
{
    return mem_format("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'WorkloadPolicy', "
                      "'metadata': {'name': '%s'}, 'spec': {'failurePolicy': '%s', "
                      "'matchConstraints': {'kinds': [{'kind': '%s'}]}, 'validations': "
                      "[{'expression': '.totals.gpus "
                      "<= %d', 'message': 'too many GPUs'}]}}",
                      name, failure_policy, kind, most);
}

char *trial_profile(const char *name, const char *scheduler)
{
    return mem_format("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile', "
                      "'metadata': {'name': '%s'}, 'spec': {'schedulerName': '%s', 'queueLabel': "
                      "'example.org/queue', 'podTemplate': {'labels': {'example.org/gang': "
                      "'.podGroup.name'}}}}",
                      name, scheduler);
}

void trial_put(struct api_server *api, char *object)
{
    api_server_put(api, object);
    free(object);
}

static json_t *parse(const char *text)
{
    json_error_t ignored;
    return json_loads(text, 0, &ignored);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

bool trial_has(const struct running *server, const char *origin, const char *state)
{
    KARTA_AUTO_TEXT text = running_get(server, "/debug/definitions", NULL);
    json_t *list = parse(text), *entry;
    bool has = false;
    size_t index;
    assert_true(json_is_array(list));
    json_array_foreach(list, index, entry)
    {
        has = has || (strcmp(text_of(entry, "origin"), origin) == 0 &&
                      strcmp(text_of(entry, "state"), state) == 0);
    }
    json_decref(list);
    return has;
}

bool trial_is_ready(const struct running *server, char **text)
{
    int status;
    char *page = running_get(server, "/readyz", &status);
    if (text != NULL)
        *text = page;
    else
        free(page);
    return status == 200;
}

bool trial_waits(const struct running *server, const char *text)
{
    KARTA_AUTO_TEXT page = NULL;
    return !trial_is_ready(server, &page) && strstr(page, text) != NULL;
}

double trial_metric(const struct running *server, const char *series)
{
    KARTA_AUTO_TEXT page = running_get(server, "/metrics", NULL);
    KARTA_AUTO_TEXT mark = mem_format("\n%s ", series);
    const char *at = strstr(page, mark);
    return at != NULL ? strtod(at + strlen(mark), NULL) : -1;
}

size_t trial_logged(const struct running *server, const char *text)
{
    KARTA_AUTO_TEXT log = running_log(server);
    size_t count = 0;
    char *rest = log, *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        count += strstr(line, text) != NULL;
    return count;
}

/* The response to a review; new. */
static json_t *ask(const struct running *server, const char *path, const char *review)
{
    struct client client;
    struct answer answer;
    running_connect(server, &client);
    assert_true(client_post(&client, path, review, &answer));
    assert_int_equal(answer.status, 200);
    json_t *body = parse(answer.body);
    json_t *response = json_incref(json_object_get(body, "response"));
    json_decref(body);
    answer_dispose(&answer);
    client_close(&client);
    assert_non_null(response);
    return response;
}

/* A busy machine, and a sanitizer, let a tenth of a second pass now and then. */
static bool was_late(const json_t *response)
{
    KARTA_AUTO_TEXT warnings = json_dumps(json_object_get(response, "warnings"), 0);
    return warnings != NULL && strstr(warnings, "the deadline passed") != NULL;
}

char *trial_patch(const struct running *server, const char *kind)
{
    KARTA_AUTO_TEXT review = mem_format(
        "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
        "{\"uid\": \"u\", \"operation\": \"CREATE\", \"namespace\": \"ml\", \"name\": \"one\", "
        "\"kind\": {\"group\": \"example.org\", \"version\": \"v1\", \"kind\": \"%s\"}, "
        "\"userInfo\": {\"username\": \"ada\"}, \"object\": {\"apiVersion\": \"example.org/v1\", "
        "\"kind\": \"%s\", \"metadata\": {\"name\": \"one\", \"namespace\": \"ml\", \"labels\": "
        "{\"kai.scheduler/queue\": \"a\", \"example.org/queue\": \"a\"}}, \"spec\": {\"replicas\": "
        "3, \"template\": {\"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}}}}}",
        kind, kind);
    json_t *response = ask(server, "/mutate/workloads", review);
    for (int i = 0; i < 100 && was_late(response); i++) {
        json_decref(response);
        response = ask(server, "/mutate/workloads", review);
    }
    char *patch = strdup(text_of(response, "patch"));
    assert_true(json_is_true(json_object_get(response, "allowed")));
    json_decref(response);
    return patch;
}

bool trial_patches(const struct running *server, const char *kind)
{
    KARTA_AUTO_TEXT patch = trial_patch(server, kind);
    return patch[0] != '\0';
}

bool trial_allows(const struct running *server)
{
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    json_t *response = ask(server, "/validate/workloads", review);
    bool allows = json_is_true(json_object_get(response, "allowed"));
    json_decref(response);
    return allows;
}

bool trial_shows(struct api_server *api, const char *karta, const char *type, const char *expected)
{
    json_t *object = api_server_get(api, "kartas", NULL, karta), *condition;
    json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    size_t index;
    bool shows = false;
    json_array_foreach(list, index, condition)
    {
        KARTA_AUTO_TEXT said =
            mem_format("%s %s %s", text_of(condition, "status"), text_of(condition, "reason"),
                       text_of(condition, "message"));
        if (strcmp(text_of(condition, "type"), type) == 0)
            shows = strncmp(said, expected, strlen(expected)) == 0;
    }
    json_decref(object);
    return shows;
}

/* Appends every resource of a rule. */
static char *add_rule(char *before, const json_t *rule)
{
    KARTA_AUTO_TEXT freed = before;
    char *text = strdup(before);
    size_t index;
    json_t *resource;
    assert_int_equal(json_array_size(json_object_get(rule, "apiGroups")), 1);
    json_array_foreach(json_object_get(rule, "resources"), index, resource)
    {
        size_t k;
        json_t *version;
        json_array_foreach(json_object_get(rule, "apiVersions"), k, version)
        {
            char *longer =
                mem_format("%s%s%s/%s/%s", text, text[0] != '\0' ? " " : "",
                           json_string_value(json_array_get(json_object_get(rule, "apiGroups"), 0)),
                           json_string_value(version), json_string_value(resource));
            free(text);
            text = longer;
        }
    }
    return text;
}

char *trial_rules(struct api_server *api, const char *plural, const char *webhook)
{
    json_t *configuration = api_server_get(api, plural, NULL, "karta-webhook"), *hook, *rule;
    char *text = strdup("");
    size_t index, k;
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
    {
        if (strcmp(text_of(hook, "name"), webhook) != 0)
            continue;
        json_array_foreach(json_object_get(hook, "rules"), k, rule) text = add_rule(text, rule);
    }
    json_decref(configuration);
    return text;
}

bool trial_rules_are(struct api_server *api, const char *plural, const char *webhook,
                     const char *expected)
{
    KARTA_AUTO_TEXT rules = trial_rules(api, plural, webhook);
    return strcmp(rules, expected) == 0;
}

char *trial_holder(struct api_server *api)
{
    json_t *lease = api_server_get(api, "leases", TRIAL_NAMESPACE, "karta-webhook");
    char *holder = strdup(text_of(json_object_get(lease, "spec"), "holderIdentity"));
    json_decref(lease);
    return holder;
}

static struct {
    pthread_t thread;
    const struct running *server;
    char *review;
    atomic_bool done;
    atomic_int answered, patched, failed;
} load;

static void *run_load(void *arg)
{
    (void)arg;
    while (!atomic_load(&load.done)) {
        struct client client;
        struct answer answer;
        struct client_tls tls = {.ca = load.server->ca};
        bool good = client_open(&client, load.server->https, &tls);
        for (int i = 0; good && i < 5; i++) {
            good = client_post(&client, "/mutate/workloads", load.review, &answer) &&
                   answer.status == 200 && strstr(answer.body, "\"allowed\":true") != NULL;
            atomic_fetch_add(good ? &load.answered : &load.failed, 1);
            if (good && strstr(answer.body, "\"patch\"") != NULL)
                atomic_fetch_add(&load.patched, 1);
            if (!good)
                print_error("answered %d: %s\n", answer.status,
                            answer.body != NULL ? answer.body : "");
            answer_dispose(&answer);
            pause_ms(10);
        }
        if (good)
            client_close(&client);
        else
            atomic_fetch_add(&load.failed, 1);
    }
    return NULL;
}

void trial_load_start(const struct running *server)
{
    load.server = server;
    load.review = test_read("manifests/examples/jobset-review.json", NULL);
    atomic_store(&load.done, false);
    atomic_store(&load.answered, 0);
    atomic_store(&load.patched, 0);
    atomic_store(&load.failed, 0);
    assert_int_equal(pthread_create(&load.thread, NULL, run_load, NULL), 0);
}

void trial_load_stop(void)
{
    atomic_store(&load.done, true);
    pthread_join(load.thread, NULL);
    free(load.review);
    print_message("%d reviews answered meanwhile, %d patched, %d failed\n",
                  atomic_load(&load.answered), atomic_load(&load.patched),
                  atomic_load(&load.failed));
    assert_int_equal(atomic_load(&load.failed), 0);
    /* a machine that pauses for a tenth of a second lets a deadline pass now and then */
    assert_true(atomic_load(&load.patched) > atomic_load(&load.answered) / 2);
}
