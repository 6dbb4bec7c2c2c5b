/* SPDX-License-Identifier: Apache-2.0 */
/* How the worker asks: never faster than it may in the long run, and what answers mean. */
#include <stdio.h>
#include <string.h>

#include "karta/engine.h"
#include "podgroups_internal.h"

#define PER_SECOND 250
#define PAUSE_MS 100
#define PAUSE_MOST_MS 10000

/* Waits until a request may be made: a bucket that fills steadily and holds two seconds' worth. */
static void wait_for_token(struct podgroups *groups)
{
    double rate = groups->config.per_second != 0 ? groups->config.per_second : PER_SECOND;
    for (;;) {
        int64_t now_ms = karta_engine_now_ms();
        groups->tokens += (double)(now_ms - groups->token_ms) * rate / 1000;
        groups->token_ms = now_ms;
        if (groups->tokens > 2 * rate)
            groups->tokens = 2 * rate;
        if (groups->tokens >= 1 || kube_client_is_stopped(groups->client))
            break;
        kube_client_pause(groups->client, 1 + (int)(1000 / rate));
    }
    groups->tokens -= 1;
}

int groups_ask(struct podgroups *groups, const struct kube_request *request,
               struct kube_answer *answer, struct karta_error *err)
{
    wait_for_token(groups);
    int rc = kube_client_ask(groups->client, request, answer, err);
    if (answer->status != 0 && answer->status != 401 && answer->status != 429 &&
        answer->status < 500) {
        groups->pauses = 0;
        groups_pause_said(groups, NULL);
    }
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
    if (kube_client_is_stopped(job->groups->client))
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
           !kube_client_is_stopped(groups->client);
}

void groups_pause_said(struct podgroups *groups, const struct karta_error *err)
{
    const char *text = err != NULL ? err->message : "";
    if (kube_client_is_stopped(groups->client) || (groups->trouble[0] != '\0') == (err != NULL))
        return;
    snprintf(groups->trouble, sizeof groups->trouble, "%s", text);
    if (err != NULL)
        LOG_WRITE(groups->config.log, LOG_LEVEL_WARN, "pod groups wait for the API server",
                  log_text("error", text));
    else
        LOG_WRITE(groups->config.log, LOG_LEVEL_INFO, "that is over",
                  log_text("was", "pod groups wait for the API server"));
}

void groups_pause(struct podgroups *groups, const struct karta_error *err, int retry_after_ms)
{
    int ms = PAUSE_MS << (groups->pauses < 7 ? groups->pauses : 7);
    groups->pauses++;
    groups_pause_said(groups, err);
    if (ms > PAUSE_MOST_MS)
        ms = PAUSE_MOST_MS;
    kube_client_pause(groups->client, ms > retry_after_ms ? ms : retry_after_ms);
}
