/* SPDX-License-Identifier: Apache-2.0 */
/* How workers ask: together never faster than they may in the long run; and what answers mean. */
#include <stdio.h>
#include <string.h>

#include "karta/engine.h"
#include "podgroups_internal.h"

#define PER_SECOND 250
#define PAUSE_MS 100
#define PAUSE_MOST_MS 10000

/* A bucket that fills steadily and holds two seconds' worth. */
static bool take_token(struct podgroups *groups, double rate)
{
    pthread_mutex_lock(&groups->shared);
    int64_t now_ms = karta_engine_now_ms();
    groups->tokens += (double)(now_ms - groups->token_ms) * rate / 1000;
    groups->token_ms = now_ms;
    if (groups->tokens > 2 * rate)
        groups->tokens = 2 * rate;
    bool taken = groups->tokens >= 1;
    if (taken)
        groups->tokens -= 1;
    pthread_mutex_unlock(&groups->shared);
    return taken;
}

/* The API server answers, so whatever was wrong is over. */
static void note_answer(struct podgroups *groups, bool written)
{
    pthread_mutex_lock(&groups->shared);
    groups->pauses = 0;
    if (written)
        groups->said_refused = 0;
    pthread_mutex_unlock(&groups->shared);
    groups_pause_said(groups, NULL);
}

int groups_ask(struct worker *worker, const struct kube_request *request,
               struct kube_answer *answer, struct karta_error *err)
{
    struct podgroups *groups = worker->groups;
    double rate = groups->config.per_second != 0 ? groups->config.per_second : PER_SECOND;
    while (!take_token(groups, rate) && !kube_client_is_stopped(worker->client))
        kube_client_pause(worker->client, 1 + (int)(1000 / rate));
    int rc = kube_client_ask(worker->client, request, answer, err);
    int status = answer->status;
    if (status != 0 && status != 401 && status != 429 && status < 500)
        note_answer(groups, rc == 0 && strcmp(request->verb, "patch") == 0);
    return rc;
}

/* Refused by RBAC, which says that a user "cannot" do it; quotas and webhooks say 403 too. */
static bool is_right_missing(const struct kube_answer *answer)
{
    const char *message = json_string_value(json_object_get(answer->body, "message"));
    return answer->status == 403 && message != NULL && strstr(message, "\" cannot ") != NULL;
}

enum work_end groups_judge(struct job *job, const struct kube_resource *resource,
                           const struct kube_answer *answer)
{
    int status = answer->status;
    job->retry_after_ms = answer->retry_after_ms;
    if (kube_client_is_stopped(job->worker->client))
        return WORK_STOPPED;
    job->failure = METRICS_PODGROUPS_UNREACHED;
    if (status == 0 || status == 401 || status == 429 || status >= 500)
        return WORK_PAUSE;
    job->failure = METRICS_PODGROUPS_REFUSED;
    job->tells = !is_right_missing(answer);
    job->refused = job->tells ? NULL : resource;
    return WORK_RETRY;
}

bool groups_may_write(struct podgroups *groups)
{
    return groups->config.leads(groups->config.leads_arg) &&
           !kube_client_is_stopped(groups->keeper.client);
}

void groups_pause_said(struct podgroups *groups, const struct karta_error *err)
{
    const char *text = err != NULL ? err->message : "";
    pthread_mutex_lock(&groups->shared);
    bool news = (groups->trouble[0] != '\0') != (err != NULL);
    if (news)
        snprintf(groups->trouble, sizeof groups->trouble, "%s", text);
    pthread_mutex_unlock(&groups->shared);
    if (!news || kube_client_is_stopped(groups->keeper.client))
        return;
    if (err != NULL)
        LOG_WRITE(groups->config.log, LOG_LEVEL_WARN, "pod groups wait for the API server",
                  log_text("error", text));
    else
        LOG_WRITE(groups->config.log, LOG_LEVEL_INFO, "that is over",
                  log_text("was", "pod groups wait for the API server"));
}

void groups_pause(struct worker *worker, const struct karta_error *err, int retry_after_ms)
{
    struct podgroups *groups = worker->groups;
    pthread_mutex_lock(&groups->shared);
    int ms = PAUSE_MS << (groups->pauses < 7 ? groups->pauses : 7);
    groups->pauses++;
    pthread_mutex_unlock(&groups->shared);
    groups_pause_said(groups, err);
    if (ms > PAUSE_MOST_MS)
        ms = PAUSE_MOST_MS;
    kube_client_pause(worker->client, ms > retry_after_ms ? ms : retry_after_ms);
}
