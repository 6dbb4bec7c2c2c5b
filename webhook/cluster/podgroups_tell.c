/* SPDX-License-Identifier: Apache-2.0 */
/* Failures, said once: in the log to whoever runs us, as an event on the workload to whoever made
 * it, where it is the user's to know. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "podgroups_internal.h"

#define EVENT_REASON "PodGroupNotMade"
#define NAME_MOST 200 /* of the workload's name, so that the event's stays below 253 */

/* True: this workload was not told of it yet. */
static bool is_news(const struct job *job)
{
    struct podgroups *groups = job->groups;
    const char *text = job->err.message;
    uint64_t hash = hash_u64(&text, 1);
    pthread_mutex_lock(&groups->lock);
    struct workload *workload = (struct workload *)table_find(&groups->workloads, job->id);
    bool news = workload != NULL && workload->said != hash;
    if (news)
        workload->said = hash;
    pthread_mutex_unlock(&groups->lock);
    return news;
}

/* What RBAC refuses for one it refuses for all: said once, until something is written again. */
static bool is_said_of_all(struct podgroups *groups, const struct kube_resource *refused)
{
    const char *parts[] = {refused->group, refused->plural};
    uint64_t hash = hash_u64(parts, 2);
    pthread_mutex_lock(&groups->shared);
    bool said = groups->said_refused == hash;
    groups->said_refused = hash;
    pthread_mutex_unlock(&groups->shared);
    return said;
}

static json_t *event_of(const struct job *job, const char *name)
{
    time_t now = time(NULL);
    struct tm parts;
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s, s:s, s:s, s:s}, s:s, s:s, s:s, "
                     "s:{s:s}, s:s, s:s, s:i}",
                     "apiVersion", "v1", "kind", "Event", "metadata", "name", name, "namespace",
                     job->ns, "involvedObject", "apiVersion", job->watch->api_version, "kind",
                     job->watch->kind, "namespace", job->ns, "name", job->name, "uid", job->uid,
                     "reason", EVENT_REASON, "message", job->err.message, "type", "Warning",
                     "source", "component", PODGROUPS_MANAGER, "firstTimestamp", text,
                     "lastTimestamp", text, "count", 1);
}

/* The name says what it is about, so that two of us, or a restart, don't say it twice. */
static void post_event(const struct job *job)
{
    static const struct kube_resource events = {"", "v1", "events"};
    const char *parts[] = {job->uid, job->err.message};
    KARTA_AUTO_TEXT name =
        mem_format("%.*s.%016llx", NAME_MOST, job->name, (unsigned long long)hash_u64(parts, 2));
    KARTA_AUTO_TEXT path = kube_path(&events, job->ns, NULL, NULL);
    json_auto_t *event = name != NULL ? event_of(job, name) : NULL;
    KARTA_AUTO_TEXT text = event != NULL ? json_dumps(event, JSON_COMPACT) : NULL;
    if (path == NULL || text == NULL || !groups_may_write(job->groups))
        return;
    struct kube_request request = {.verb = "create",
                                   .resource = &events,
                                   .path = path,
                                   .body = text,
                                   .body_size = strlen(text),
                                   .timeout_ms = KUBE_WRITE_MS};
    struct kube_answer answer;
    struct karta_error err = {0};
    int rc = groups_ask(job->worker, &request, &answer, &err);
    if (rc != 0 && rc != KARTA_ERR_CONFLICT)
        LOG_WRITE(job->groups->config.log, LOG_LEVEL_DEBUG, "event not written",
                  log_text("error", err.message));
    kube_answer_dispose(&answer);
}

void groups_tell(struct job *job)
{
    struct podgroups *groups = job->groups;
    if (job->err.code == 0)
        return;
    metrics_podgroups_failed(groups->config.metrics, job->failure);
    if (job->failure == METRICS_PODGROUPS_UNREACHED || job->failure == METRICS_PODGROUPS_MISSING ||
        !is_news(job))
        return; /* the first two are said of all */
    if (job->refused != NULL && is_said_of_all(groups, job->refused))
        return;
    LOG_WRITE(groups->config.log, LOG_LEVEL_WARN, "pod groups not made",
              log_text("kind", job->watch->kind), log_text("namespace", job->ns),
              log_text("name", job->name), log_text("error", job->err.message));
    if (job->tells)
        post_event(job);
}
