/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object that a profile made for a workload. The one idea: it is written only where nothing
 * stands, or where what stands has this very workload as its owner; never forced.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "podgroups_internal.h"

static bool is_owned_by(const json_t *object, const char *uid)
{
    const json_t *owners = json_object_get(json_object_get(object, "metadata"), "ownerReferences");
    size_t index;
    json_t *owner;
    json_array_foreach(owners, index, owner)
    {
        if (strcmp(json_text(owner, "uid"), uid) == 0)
            return true;
    }
    return false;
}

/* New copy of the child `key`, an empty object where it has none. */
static json_t *child_of(const json_t *object, const char *key)
{
    const json_t *child = json_object_get(object, key);
    return json_is_object(child) ? json_copy((json_t *)child) : json_object();
}

static json_t *owners_of(const struct job *job)
{
    return json_pack("[{s:s, s:s, s:s, s:s, s:b}]", "apiVersion", job->watch->api_version, "kind",
                     job->watch->kind, "name", job->name, "uid", job->uid, "blockOwnerDeletion", 0);
}

/* New: the object with all that makes it ours; `uid`: of what stands there, or NULL. */
static json_t *body_of(const struct job *job, const json_t *object, const char *uid)
{
    char source[17];
    snprintf(source, sizeof source, "%016llx", (unsigned long long)job->source);
    json_t *body = json_copy((json_t *)object);
    json_t *metadata = child_of(object, "metadata");
    json_t *labels = child_of(metadata, "labels"), *annotations = child_of(metadata, "annotations");
    int failed = json_object_set_new(labels, PODGROUPS_LABEL, json_string(PODGROUPS_MANAGER));
    failed |= json_object_set_new(annotations, PODGROUPS_SOURCE, json_string(source));
    failed |= json_object_set_new(metadata, "labels", labels);
    failed |= json_object_set_new(metadata, "annotations", annotations);
    failed |= json_object_set_new(metadata, "namespace", json_string(job->ns));
    failed |= json_object_set_new(metadata, "ownerReferences", owners_of(job));
    if (uid != NULL)
        failed |= json_object_set_new(metadata, "uid", json_string(uid));
    failed |= json_object_set_new(body, "metadata", metadata);
    if (failed == 0)
        return body;
    json_decref(body);
    return NULL;
}

/* Whether it is known to be ours, then with *uid (new); *current: it is right already. */
static bool is_known(struct job *job, const struct watch *watch, const char *name, char **uid,
                     bool *current)
{
    struct podgroups *groups = job->groups;
    pthread_mutex_lock(&groups->lock);
    const struct workload *workload = (struct workload *)table_find(&groups->workloads, job->id);
    job->ends = workload != NULL ? workload->ends : 0;
    struct made *made = groups_find_made(groups, watch, job->ns, name);
    bool known = made != NULL && made->brood->entry.id == hash_u64(&job->uid, 1);
    if (known) {
        made->unwanted_ms = 0;
        *uid = strdup(made->uid);
        *current = made->source == job->source;
    }
    pthread_mutex_unlock(&groups->lock);
    return known && *uid != NULL;
}

/* Looks at what stands there. WORK_DONE: it may be written, *uid (new) is what it has, or NULL. */
static enum work_end look(struct job *job, const struct watch *watch, const char *name, char **uid)
{
    KARTA_AUTO_TEXT path = kube_path(&watch->resource, job->ns, name, NULL);
    struct kube_request request = {.verb = "get",
                                   .resource = &watch->resource,
                                   .path = path,
                                   .accept = "application/json;as=PartialObjectMetadata;"
                                             "g=meta.k8s.io;v=v1,application/json"};
    struct kube_answer answer;
    if (path == NULL) {
        mem_error(&job->err);
        return WORK_RETRY;
    }
    int rc = groups_ask(job->worker, &request, &answer, &job->err);
    enum work_end end = WORK_DONE;
    if (rc == KARTA_ERR_NOT_FOUND) {
        karta_error_init(&job->err);
    } else if (rc != 0) {
        end = groups_judge(job, &watch->resource, &answer);
    } else if (is_owned_by(answer.body, job->uid)) {
        *uid = strdup(json_text(json_object_get(answer.body, "metadata"), "uid"));
    } else {
        karta_error_set(&job->err, KARTA_ERR_CONFLICT,
                        "%s.%s \"%s\" belongs to somebody else, so it is left alone",
                        watch->resource.plural, watch->resource.group, name);
        job->failure = METRICS_PODGROUPS_FOREIGN;
        job->tells = true;
        end = WORK_RETRY;
    }
    kube_answer_dispose(&answer);
    return end;
}

/* A field that somebody else manages, or (false) an object that isn't what it was. */
static bool is_field_conflict(const json_t *status)
{
    const json_t *causes = json_object_get(json_object_get(status, "details"), "causes");
    return strcmp(json_text(json_array_get(causes, 0), "reason"), "FieldManagerConflict") == 0;
}

/* The kind itself is gone, or going: said of it, not of each workload. */
static bool is_kind_gone(const struct kube_answer *answer)
{
    const char *what = json_text(json_object_get(answer->body, "details"), "kind");
    const char *message = json_text(answer->body, "message");
    return (answer->status == 404 && strcmp(what, "namespaces") != 0) ||
           (answer->status == 403 &&
            strstr(message, "custom resource definition is terminating") != NULL);
}

static enum work_end refused(struct job *job, struct watch *watch, const char *name,
                             const struct kube_answer *answer)
{
    struct podgroups *groups = job->groups;
    enum work_end end = groups_judge(job, &watch->resource, answer);
    if (is_kind_gone(answer)) {
        atomic_store(&groups->look_ms, 0);
        job->failure = METRICS_PODGROUPS_MISSING;
        job->tells = false;
    } else if (answer->status == 409 && is_field_conflict(answer->body)) {
        job->failure = METRICS_PODGROUPS_CONFLICT;
    } else if (answer->status == 409) {
        pthread_mutex_lock(&groups->lock);
        struct made *made = groups_find_made(groups, watch, job->ns, name);
        if (made != NULL)
            groups_remove_made(groups, made);
        pthread_mutex_unlock(&groups->lock);
        job->tells = false;
    }
    return end;
}

/*
 * Whether the workload is there still; what was written is noted then, so that it is known before
 * the watch tells of it. Unless an object of the workload's ended since the write began: that may
 * have been this one, and the watch tells of nothing twice.
 */
static bool note(const struct job *job, struct watch *watch, const json_t *object)
{
    struct podgroups *groups = job->groups;
    pthread_mutex_lock(&groups->lock);
    struct workload *workload = (struct workload *)table_find(&groups->workloads, job->id);
    bool there = workload != NULL && strcmp(workload->uid, job->uid) == 0;
    if (there && workload->ends == job->ends)
        groups_note_made(watch, object);
    pthread_mutex_unlock(&groups->lock);
    return there;
}

static enum work_end write_object(struct job *job, struct watch *watch, const char *name,
                                  const json_t *body)
{
    KARTA_AUTO_TEXT path = kube_path(&watch->resource, job->ns, name, NULL);
    KARTA_AUTO_TEXT full =
        path != NULL ? mem_format("%s?fieldManager=" PODGROUPS_MANAGER "&force=false", path) : NULL;
    KARTA_AUTO_TEXT text = json_dumps(body, JSON_COMPACT);
    if (full == NULL || text == NULL) {
        mem_error(&job->err);
        return WORK_RETRY;
    }
    struct kube_request request = {.verb = "patch",
                                   .resource = &watch->resource,
                                   .path = full,
                                   .body = text,
                                   .body_size = strlen(text),
                                   .content_type = "application/apply-patch+yaml",
                                   .timeout_ms = KUBE_WRITE_MS};
    struct kube_answer answer;
    if (!groups_may_write(job->groups))
        return WORK_STOPPED;
    int rc = groups_ask(job->worker, &request, &answer, &job->err);
    enum work_end end = WORK_DONE;
    if (rc != 0) {
        end = refused(job, watch, name, &answer);
    } else {
        metrics_podgroups_written(job->groups->config.metrics, METRICS_PODGROUPS_APPLIED);
        if (!note(job, watch, answer.body))
            end = groups_delete(job, watch, name,
                                json_text(json_object_get(answer.body, "metadata"), "uid"));
    }
    kube_answer_dispose(&answer);
    return end;
}

static bool is_settled(const struct job *job, const struct watch *watch)
{
    pthread_mutex_lock(&job->groups->lock);
    bool settled = watch->settled;
    pthread_mutex_unlock(&job->groups->lock);
    return settled;
}

static bool is_in_place(struct job *job, const json_t *object)
{
    const char *ns = json_text(json_object_get(object, "metadata"), "namespace");
    if (ns[0] == '\0' || strcmp(ns, job->ns) == 0)
        return true;
    karta_error_set(&job->err, KARTA_ERR_SCHEMA,
                    "profile gives an object for namespace \"%.60s\"; it is %s", ns, job->ns);
    return false;
}

enum work_end groups_apply(struct job *job, const json_t *object)
{
    const char *name = json_text(json_object_get(object, "metadata"), "name");
    bool missing = false, current = false;
    struct watch *watch = NULL;
    if (is_in_place(job, object))
        watch = groups_made_watch(job->groups, json_text(object, "apiVersion"),
                                  json_text(object, "kind"), &missing, &job->err);
    if (watch == NULL) {
        job->failure = missing ? METRICS_PODGROUPS_MISSING : METRICS_PODGROUPS_UNRESOLVED;
        job->tells = !missing;
        return WORK_BLOCKED;
    }
    if (!is_settled(job, watch))
        return WORK_BLOCKED; /* it may be known in a moment what is there */
    KARTA_AUTO_TEXT uid = NULL;
    groups_want(job, watch, name);
    enum work_end end = WORK_DONE;
    if (!is_known(job, watch, name, &uid, &current))
        end = look(job, watch, name, &uid);
    if (end != WORK_DONE || current)
        return end;
    json_auto_t *body = body_of(job, object, uid);
    if (body == NULL) {
        mem_error(&job->err);
        return WORK_RETRY;
    }
    return write_object(job, watch, name, body);
}
