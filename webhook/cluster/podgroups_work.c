/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One workload: read, resolved again, its objects written where they come from something else.
 * The one idea: what an object was made from (its source) is written on it, so that who looks sees
 * without asking whether it is right.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "karta/objects.h"
#include "podgroups_internal.h"

/* Another number whenever the same input is to give other objects. */
#define SOURCE_FORMAT "1"
/* Nobody waits for this one but the workload itself. */
#define DEADLINE_MS 5000
#define RETRY_MS 1000
#define LINGER_MS 30000
/* until the keeper knows too that we may not write */
#define STOPPED_MS 200

static const struct known_profile *profile_of(const struct podgroups *groups, const char *name)
{
    for (size_t i = 0; i < groups->profile_count; i++)
        if (strcmp(groups->profiles[i].name, name) == 0)
            return &groups->profiles[i];
    return NULL;
}

static uint64_t source_of(const struct podgroups *groups, const struct watch *watch, uint64_t state,
                          const char *profile)
{
    const struct known_profile *known = profile_of(groups, profile);
    char text[64];
    snprintf(text, sizeof text, "%016llx%016llx%016llx", (unsigned long long)state,
             (unsigned long long)watch->definitions,
             (unsigned long long)(known != NULL ? known->hash : 0));
    const char *parts[] = {SOURCE_FORMAT, text};
    return hash_u64(parts, 2);
}

static bool has_made(const struct brood *brood, uint64_t name, uint64_t source)
{
    for (const struct made *made = brood->made; made != NULL; made = made->next)
        if (made->name_id == name)
            return made->source == source;
    return false;
}

/* Whether all that must be there is, and nothing else. */
static bool is_complete(const struct workload *workload, uint64_t source)
{
    size_t wanted = workload->name_count, there = 0;
    for (const struct made *made = workload->brood->made; made != NULL; made = made->next)
        there++;
    for (size_t i = 0; i < workload->name_count; i++)
        if (!has_made(workload->brood, workload->names[i], source))
            return false;
    for (const struct replica *at = workload->crowd->replicas; at != NULL; at = at->next, wanted++)
        if (!has_made(workload->brood, at->name, source))
            return false;
    return wanted == there;
}

static json_t *replicas_of(const struct crowd *crowd)
{
    json_t *list = json_array();
    for (const struct replica *at = crowd->replicas; at != NULL; at = at->next)
        json_array_append_new(list, json_pack("[s, s]", at->group, at->key));
    return list;
}

/* A worker gives it back: where it was stirred meanwhile it has another turn at once. Wants the
 * lock. */
static void end_turn(struct podgroups *groups, struct workload *workload, enum queue_place place,
                     int64_t due_ms)
{
    bool again = workload->again;
    workload->busy = workload->again = false;
    queue_put(groups, workload, again ? QUEUE_READY : place, due_ms);
}

/* True: there is something to do, and *job says what. Wants the lock. */
static bool begin(struct worker *worker, uint64_t id, struct job *job)
{
    struct podgroups *groups = worker->groups;
    struct workload *workload = (struct workload *)table_find(&groups->workloads, id);
    if (workload == NULL)
        return false;
    const struct known_profile *profile = profile_of(groups, workload->profile);
    uint64_t source = source_of(groups, workload->watch, workload->state, workload->profile);
    if (workload->done == source || is_complete(workload, source) ||
        (profile != NULL && !profile->has_objects)) {
        workload->done = source;
        end_turn(groups, workload, QUEUE_NONE, 0);
        return false;
    }
    *job = (struct job){.groups = groups,
                        .worker = worker,
                        .id = id,
                        .watch = workload->watch,
                        .ns = strdup(workload->ns),
                        .name = strdup(workload->name),
                        .replicas = replicas_of(workload->crowd),
                        .wanted = json_object()};
    return true;
}

static void note_readable(const struct job *job, bool readable)
{
    pthread_mutex_lock(&job->groups->lock);
    job->watch->unreadable_ms = readable ? 0 : karta_engine_now_ms();
    pthread_mutex_unlock(&job->groups->lock);
}

static enum work_end read_workload(struct job *job)
{
    const struct kube_resource *resource = &job->watch->resource;
    KARTA_AUTO_TEXT path = kube_path(resource, job->ns, job->name, NULL);
    if (path == NULL || job->replicas == NULL || job->wanted == NULL) {
        mem_error(&job->err);
        return WORK_RETRY;
    }
    struct kube_request request = {.verb = "get", .resource = resource, .path = path};
    struct kube_answer answer;
    int rc = groups_ask(job->worker, &request, &answer, &job->err);
    enum work_end end = WORK_DONE;
    if (rc == KARTA_ERR_NOT_FOUND)
        karta_error_init(&job->err);
    else if (rc != 0)
        end = groups_judge(job, resource, &answer);
    else
        job->object = json_incref(answer.body);
    if (answer.status == 200 || answer.status == 403)
        note_readable(job, answer.status == 200);
    kube_answer_dispose(&answer);
    return end;
}

/* Whether it is one of ours and is to live on; fills in what it is. */
static bool is_ganged(struct job *job)
{
    const json_t *metadata = json_object_get(job->object, "metadata");
    struct karta_gang gang = {0};
    bool ganged = job->object != NULL && json_object_get(metadata, "deletionTimestamp") == NULL &&
                  karta_gang_read(job->object, job->ns, &gang) != 0;
    job->uid = json_text(metadata, "uid");
    if (ganged)
        job->source = source_of(job->groups, job->watch, groups_state(metadata), gang.profile);
    karta_gang_dispose(&gang);
    return ganged;
}

static int evaluate(struct job *job, struct karta_objects *objects)
{
    size_t count = json_array_size(job->replicas);
    struct karta_replica *replicas = mem_array(count + 1, sizeof *replicas);
    if (replicas == NULL)
        return mem_error(&job->err);
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(job->replicas, i);
        replicas[i] = (struct karta_replica){json_string_value(json_array_get(pair, 0)),
                                             json_string_value(json_array_get(pair, 1))};
    }
    const struct karta_object_options options = {.ns = job->ns,
                                                 .deadline_ms = karta_engine_now_ms() + DEADLINE_MS,
                                                 .replicas = replicas,
                                                 .replica_count = count};
    int rc = karta_group_objects(job->groups->snapshot, job->object, &options, objects, &job->err);
    free(replicas);
    return rc;
}

/* The last first: where a group's own object is there, so is all that belongs to it. */
static enum work_end apply_all(struct job *job, const json_t *objects)
{
    enum work_end end = WORK_DONE;
    for (size_t i = json_array_size(objects); i-- > 0;) {
        enum work_end one = groups_apply(job, json_array_get(objects, i));
        if (one == WORK_PAUSE || one == WORK_STOPPED)
            return one;
        if (one != WORK_DONE)
            end = one;
    }
    return end;
}

static enum work_end make(struct job *job)
{
    enum work_end end = read_workload(job);
    if (end != WORK_DONE || !is_ganged(job))
        return end;
    struct karta_objects objects = {0};
    int rc = evaluate(job, &objects);
    job->per_replica = json_array_size(objects.per_replica) > 0;
    if (rc == 0)
        end = apply_all(job, objects.objects);
    karta_objects_dispose(&objects);
    if (rc != 0) {
        job->failure = METRICS_PODGROUPS_UNRESOLVED;
        job->tells = true;
        return rc == KARTA_ERR_TIMEOUT || rc == KARTA_ERR_NOMEM ? WORK_RETRY : WORK_BLOCKED;
    }
    return end == WORK_DONE ? groups_remove(job) : end;
}

static int64_t retry_at(const struct podgroups *groups, int failures)
{
    int64_t ms = groups->config.retry_ms != 0 ? groups->config.retry_ms : RETRY_MS;
    return karta_engine_now_ms() + ms * (1 << (failures < 6 ? failures : 6));
}

/* Where it has to go from here. Wants the lock. */
static void put_back(struct podgroups *groups, struct workload *workload, const struct job *job,
                     enum work_end end)
{
    int64_t linger_ms = groups->config.linger_ms != 0 ? groups->config.linger_ms : LINGER_MS;
    if (end == WORK_DONE) {
        workload->failures = 0;
        workload->said = 0;
        workload->since_ms = 0;
        workload->done = workload->again ? 0 : job->source;
        end_turn(groups, workload, QUEUE_NONE, 0);
    } else if (end == WORK_LINGERS) {
        workload->since_ms = 0;
        end_turn(groups, workload, QUEUE_LATER, karta_engine_now_ms() + linger_ms);
    } else if (end == WORK_RETRY) {
        end_turn(groups, workload, QUEUE_LATER, retry_at(groups, workload->failures++));
    } else {
        end_turn(groups, workload, end == WORK_BLOCKED ? QUEUE_BLOCKED : QUEUE_SWEEP, 0);
    }
}

void groups_work(struct worker *worker, uint64_t id)
{
    struct podgroups *groups = worker->groups;
    struct job job;
    pthread_mutex_lock(&groups->lock);
    bool due = begin(worker, id, &job);
    pthread_mutex_unlock(&groups->lock);
    if (!due)
        return;
    enum work_end end = make(&job);
    if (end != WORK_STOPPED)
        groups_tell(&job);
    pthread_mutex_lock(&groups->lock);
    struct workload *workload = (struct workload *)table_find(&groups->workloads, id);
    if (workload != NULL && workload->busy)
        put_back(groups, workload, &job, end);
    pthread_mutex_unlock(&groups->lock);
    if (end == WORK_PAUSE)
        groups_pause(worker, &job.err, job.retry_after_ms);
    if (end == WORK_STOPPED)
        kube_client_pause(worker->client, STOPPED_MS);
    free(job.ns);
    free(job.name);
    json_decref(job.replicas);
    json_decref(job.object);
    json_decref(job.wanted);
}
