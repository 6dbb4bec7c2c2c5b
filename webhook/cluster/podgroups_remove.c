/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of a workload whose group is gone. They are kept for a while: a group all of whose pods
 * restart at once is gone for a moment only. Those of a workload that is gone are the garbage
 * collector's.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "podgroups_internal.h"

#define LINGER_MS 30000

static char *key_of(const struct watch *watch, const char *name)
{
    return mem_format("%016llx/%s", (unsigned long long)watch->kind_id, name);
}

void groups_want(struct job *job, const struct watch *watch, const char *name)
{
    KARTA_AUTO_TEXT key = key_of(watch, name);
    if (key != NULL)
        json_object_set_new(job->wanted, key, json_true());
}

enum work_end groups_delete(struct job *job, const struct watch *watch, const char *name,
                            const char *uid)
{
    KARTA_AUTO_TEXT path = kube_path(&watch->resource, job->ns, name, NULL);
    KARTA_AUTO_TEXT text = mem_format("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
                                      "\"preconditions\":{\"uid\":\"%s\"}}",
                                      uid);
    if (path == NULL || text == NULL) {
        mem_error(&job->err);
        return WORK_RETRY;
    }
    struct kube_request request = {.verb = "delete",
                                   .resource = &watch->resource,
                                   .path = path,
                                   .body = text,
                                   .body_size = strlen(text),
                                   .timeout_ms = KUBE_WRITE_MS};
    struct kube_answer answer;
    if (!groups_may_write(job->groups))
        return WORK_STOPPED;
    int rc = groups_ask(job->worker, &request, &answer, &job->err);
    enum work_end end = WORK_DONE;
    if (rc == KARTA_ERR_NOT_FOUND || rc == KARTA_ERR_CONFLICT)
        karta_error_init(&job->err); /* it is gone, or another one stands there */
    else if (rc != 0)
        end = groups_judge(job, &watch->resource, &answer);
    else
        metrics_podgroups_written(job->groups->config.metrics, METRICS_PODGROUPS_DELETED);
    kube_answer_dispose(&answer);
    return end;
}

/* One that is not wanted and whose time has come; *lingers: there is one whose has not. Wants the
 * lock. */
static struct made *find_unwanted(const struct job *job, bool *lingers)
{
    const struct podgroups *groups = job->groups;
    int64_t linger_ms = groups->config.linger_ms != 0 ? groups->config.linger_ms : LINGER_MS;
    int64_t now_ms = karta_engine_now_ms();
    const struct brood *brood = (struct brood *)table_find(&groups->broods, hash_u64(&job->uid, 1));
    for (struct made *made = brood != NULL ? brood->made : NULL; made != NULL; made = made->next) {
        KARTA_AUTO_TEXT key = key_of(made->watch, made->name);
        if (key == NULL || json_object_get(job->wanted, key) != NULL)
            continue;
        if (made->unwanted_ms == 0)
            made->unwanted_ms = now_ms;
        if (now_ms - made->unwanted_ms >= linger_ms)
            return made;
        *lingers = true;
    }
    return NULL;
}

/* Forgets it, so that the next one is found. Wants the lock. */
static void forget(struct job *job, const struct watch *watch, const char *name)
{
    struct made *made = groups_find_made(job->groups, watch, job->ns, name);
    struct workload *workload = (struct workload *)table_find(&job->groups->workloads, job->id);
    bool again = workload != NULL && workload->again;
    if (made != NULL)
        groups_remove_made(job->groups, made);
    if (workload != NULL)
        workload->again = again; /* that stirred it, and it is being looked at */
}

enum work_end groups_remove(struct job *job)
{
    struct podgroups *groups = job->groups;
    enum work_end end = WORK_DONE;
    bool lingers = false;
    if (job->per_replica && !groups_know_pods(groups))
        return WORK_DONE; /* nobody knows which groups there are */
    while (end == WORK_DONE) {
        pthread_mutex_lock(&groups->lock);
        lingers = false;
        const struct made *made = find_unwanted(job, &lingers);
        const struct watch *watch = made != NULL ? made->watch : NULL;
        KARTA_AUTO_TEXT name = made != NULL ? strdup(made->name) : NULL;
        KARTA_AUTO_TEXT uid = made != NULL ? strdup(made->uid) : NULL;
        pthread_mutex_unlock(&groups->lock);
        if (name == NULL || uid == NULL)
            break;
        end = groups_delete(job, watch, name, uid);
        pthread_mutex_lock(&groups->lock);
        if (end == WORK_DONE)
            forget(job, watch, name);
        pthread_mutex_unlock(&groups->lock);
    }
    return end == WORK_DONE && lingers ? WORK_LINGERS : end;
}
