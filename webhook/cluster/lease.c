/* SPDX-License-Identifier: Apache-2.0 */
/* Look, then write what was looked at: the API server lets one of two writers through. Nothing that
 * stands in a Lease is believed but its holder; that it is alive shows in its changing. */
#include "lease.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "karta/engine.h"

/* a Lease's duration, where it is absurd */
#define LEAST_SECONDS 1
#define MOST_SECONDS 3600

static const struct kube_resource leases = {"coordination.k8s.io", "v1", "leases"};

struct lease {
    char *ns, *name, *identity, *path, *collection;
    char *holder;       /* as last read */
    json_t *seen;       /* the spec as last read; NULL: there was none */
    int64_t seen_ms;    /* since when it is so */
    int64_t renewed_ms; /* when we began to write it last */
    bool ours;          /* we wrote it last, as far as we know */
};

int lease_new(const char *ns, const char *name, const char *identity, struct lease **lease,
              struct karta_error *err)
{
    struct lease *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mem_error(err);
    made->ns = strdup(ns);
    made->name = strdup(name);
    made->identity = strdup(identity);
    made->path = kube_path(&leases, ns, name, NULL);
    made->collection = kube_path(&leases, ns, NULL, NULL);
    made->holder = strdup("");
    if (made->ns == NULL || made->name == NULL || made->identity == NULL || made->path == NULL ||
        made->collection == NULL || made->holder == NULL) {
        lease_free(made);
        return mem_error(err);
    }
    *lease = made;
    return 0;
}

void lease_free(struct lease *lease)
{
    if (lease == NULL)
        return;
    free(lease->ns);
    free(lease->name);
    free(lease->identity);
    free(lease->path);
    free(lease->collection);
    free(lease->holder);
    json_decref(lease->seen);
    free(lease);
}

/* MicroTime, as Leases have it. */
static json_t *now_text(void)
{
    struct timespec now;
    struct tm parts;
    char text[64];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, sizeof text - used, ".%06ldZ", now.tv_nsec / 1000);
    return json_string(text);
}

static const char *text_of(const json_t *spec, const char *key)
{
    const char *text = json_string_value(json_object_get(spec, key));
    return text != NULL ? text : "";
}

static int64_t duration_ms(const json_t *spec)
{
    const json_t *said = json_object_get(spec, "leaseDurationSeconds");
    json_int_t seconds = json_is_integer(said) ? json_integer_value(said) : LEASE_DURATION_SECONDS;
    if (seconds < LEAST_SECONDS)
        seconds = LEAST_SECONDS;
    if (seconds > MOST_SECONDS)
        seconds = MOST_SECONDS;
    return seconds * 1000;
}

/* A value that the server would refuse is written anew. */
static json_int_t transitions_of(const json_t *spec)
{
    json_int_t count = json_integer_value(json_object_get(spec, "leaseTransitions"));
    return count >= 0 && count < INT32_MAX ? count : 0;
}

static int ask(struct kube_client *client, const char *verb, const char *path, const json_t *body,
               struct kube_answer *answer, struct karta_error *err)
{
    KARTA_AUTO_TEXT text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    *answer = (struct kube_answer){0};
    if (body != NULL && text == NULL)
        return mem_error(err);
    struct kube_request request = {.verb = verb,
                                   .resource = &leases,
                                   .path = path,
                                   .body = text,
                                   .body_size = text != NULL ? strlen(text) : 0,
                                   .timeout_ms = LEASE_REQUEST_MS};
    return kube_client_ask(client, &request, answer, err);
}

/* The spec as we would have it, out of the one that is there (NULL: none). New; NULL: memory. */
static json_t *our_spec(const struct lease *lease, const json_t *before)
{
    bool renewal = strcmp(text_of(before, "holderIdentity"), lease->identity) == 0;
    json_t *spec = json_is_object(before) ? json_copy((json_t *)before) : json_object();
    json_t *acquired = json_object_get(spec, "acquireTime");
    json_int_t transitions = transitions_of(before);
    if (!renewal && before != NULL)
        transitions++;
    int rc = json_object_set_new(spec, "holderIdentity", json_string(lease->identity));
    rc |= json_object_set_new(spec, "leaseDurationSeconds", json_integer(LEASE_DURATION_SECONDS));
    if (!renewal || !json_is_string(acquired))
        rc |= json_object_set_new(spec, "acquireTime", now_text());
    rc |= json_object_set_new(spec, "renewTime", now_text());
    rc |= json_object_set_new(spec, "leaseTransitions", json_integer(transitions));
    if (rc == 0)
        return spec;
    json_decref(spec);
    return NULL;
}

static int set_holder(struct lease *lease, const char *holder, struct karta_error *err)
{
    if (strcmp(lease->holder, holder) == 0)
        return 0;
    char *copy = strdup(holder);
    if (copy == NULL)
        return mem_error(err);
    free(lease->holder);
    lease->holder = copy;
    return 0;
}

/* What was written is what will be read. `spec` is taken. */
static void wrote(struct lease *lease, json_t *spec, int64_t began_ms, struct karta_error *err)
{
    json_decref(lease->seen);
    lease->seen = spec;
    lease->seen_ms = began_ms;
    lease->renewed_ms = began_ms;
    lease->ours = true;
    set_holder(lease, lease->identity, err);
}

/* Creates or updates. Somebody who was faster is no error: the next look shows who. */
static int write_lease(struct lease *lease, struct kube_client *client, const json_t *object,
                       bool create, struct karta_error *err)
{
    int64_t began_ms = karta_engine_now_ms();
    struct kube_answer answer;
    struct karta_error why = {0};
    int rc = ask(client, create ? "create" : "update", create ? lease->collection : lease->path,
                 object, &answer, &why);
    kube_answer_dispose(&answer);
    if (rc == 0)
        wrote(lease, json_incref(json_object_get(object, "spec")), began_ms, err);
    if (rc == KARTA_ERR_NOT_FOUND)
        lease->ours = false; /* deleted, and anybody may create it now */
    if (rc == 0 || rc == KARTA_ERR_CONFLICT || (rc == KARTA_ERR_NOT_FOUND && !create))
        return 0;
    return karta_error_set(err, rc, "%s", why.message);
}

static int create(struct lease *lease, struct kube_client *client, struct karta_error *err)
{
    lease->ours = false; /* whoever deleted it took it from us */
    json_auto_t *object = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:o*}", "apiVersion", "coordination.k8s.io/v1", "kind", "Lease",
        "metadata", "name", lease->name, "namespace", lease->ns, "spec", our_spec(lease, NULL));
    if (object == NULL || json_object_get(object, "spec") == NULL)
        return mem_error(err);
    return write_lease(lease, client, object, true, err);
}

/* Notes what the lease is now; a change shows that its holder lives. */
static int look(struct lease *lease, json_t *spec, struct karta_error *err)
{
    if (lease->seen == NULL || !json_equal(lease->seen, spec)) {
        json_decref(lease->seen);
        lease->seen = json_incref(spec);
        lease->seen_ms = karta_engine_now_ms();
    }
    const char *holder = text_of(spec, "holderIdentity");
    if (strcmp(holder, lease->identity) != 0)
        lease->ours = false;
    return set_holder(lease, holder, err);
}

static bool is_free(const struct lease *lease)
{
    return lease->holder[0] == '\0' || strcmp(lease->holder, lease->identity) == 0 ||
           karta_engine_now_ms() >= lease->seen_ms + duration_ms(lease->seen);
}

/* `object` is a Lease as the server gave it; it is changed. */
static int take(struct lease *lease, struct kube_client *client, json_t *object,
                struct karta_error *err)
{
    json_t *metadata = json_object_get(object, "metadata");
    if (json_string_value(json_object_get(metadata, "resourceVersion")) == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "get leases.coordination.k8s.io: the answer is no Lease");
    json_t *spec = json_object_get(object, "spec");
    json_auto_t *empty = json_is_object(spec) ? NULL : json_object();
    int rc = look(lease, empty != NULL ? empty : spec, err);
    if (rc != 0 || !is_free(lease))
        return rc;
    /* all else stays as it was read: metadata, and what newer servers have in the spec */
    if (json_object_set_new(object, "spec", our_spec(lease, lease->seen)) != 0)
        return mem_error(err);
    return write_lease(lease, client, object, false, err);
}

int lease_keep(struct lease *lease, struct kube_client *client, struct karta_error *err)
{
    struct kube_answer answer;
    struct karta_error why = {0};
    int rc = ask(client, "get", lease->path, NULL, &answer, &why);
    if (rc == KARTA_ERR_NOT_FOUND)
        rc = create(lease, client, err);
    else if (rc != 0)
        karta_error_set(err, rc, "%s", why.message);
    else
        rc = take(lease, client, answer.body, err);
    kube_answer_dispose(&answer);
    return rc;
}

bool lease_holds(const struct lease *lease, int ms)
{
    int64_t age = karta_engine_now_ms() - lease->renewed_ms;
    return lease->ours && age < LEASE_RENEW_MS && age + ms < LEASE_DURATION_SECONDS * 1000;
}

int64_t lease_until(const struct lease *lease, int ms)
{
    int64_t shortest = LEASE_DURATION_SECONDS * 1000 - (int64_t)ms;
    if (shortest > LEASE_RENEW_MS)
        shortest = LEASE_RENEW_MS;
    return lease->ours ? lease->renewed_ms + shortest : 0;
}

const char *lease_holder(const struct lease *lease)
{
    return lease->holder;
}

void lease_release(struct lease *lease, struct kube_client *client)
{
    if (!lease->ours)
        return;
    lease->ours = false;
    struct kube_answer answer;
    int rc = ask(client, "get", lease->path, NULL, &answer, NULL);
    json_t *spec = json_object_get(answer.body, "spec");
    if (rc == 0 && strcmp(text_of(spec, "holderIdentity"), lease->identity) == 0) {
        /* as client-go leaves it */
        json_object_set_new(spec, "holderIdentity", json_string(""));
        json_object_set_new(spec, "leaseDurationSeconds", json_integer(LEAST_SECONDS));
        json_object_set_new(spec, "acquireTime", now_text());
        json_object_set_new(spec, "renewTime", now_text());
        struct kube_answer written;
        ask(client, "update", lease->path, answer.body, &written, NULL);
        kube_answer_dispose(&written);
    }
    kube_answer_dispose(&answer);
    set_holder(lease, "", NULL);
}
