/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which workloads' objects have to be looked at. The one idea: a workload stands in at most one
 * place, so the queue is never longer than what is followed, however much happens; and what just
 * happened comes before what is only to be looked through.
 */
#include "podgroups_internal.h"

#include "karta/engine.h"

static void take_out(struct podgroups *groups, struct workload *workload)
{
    struct queue *queue = &groups->queues[workload->place];
    if (workload->place == QUEUE_NONE)
        return;
    *(workload->before != NULL ? &workload->before->after : &queue->first) = workload->after;
    *(workload->after != NULL ? &workload->after->before : &queue->last) = workload->before;
    workload->before = workload->after = NULL;
    workload->place = QUEUE_NONE;
    queue->count--;
}

static void append(struct podgroups *groups, struct workload *workload, enum queue_place place)
{
    struct queue *queue = &groups->queues[place];
    workload->place = place;
    workload->before = queue->last;
    *(queue->last != NULL ? &queue->last->after : &queue->first) = workload;
    queue->last = workload;
    queue->count++;
}

void queue_put(struct podgroups *groups, struct workload *workload, enum queue_place place,
               int64_t due_ms)
{
    bool ready = workload->place == QUEUE_READY || workload->place == QUEUE_SWEEP;
    if (ready && (place == workload->place || place == QUEUE_SWEEP))
        return;
    take_out(groups, workload);
    if (place == QUEUE_NONE) {
        workload->since_ms = 0;
        return;
    }
    if (workload->busy) {
        workload->again = true;
        return;
    }
    if (workload->since_ms == 0)
        workload->since_ms = karta_engine_now_ms();
    workload->due_ms = due_ms;
    append(groups, workload, place);
    if (place == QUEUE_READY || place == QUEUE_SWEEP)
        pthread_cond_signal(&groups->work);
}

void queue_promote(struct podgroups *groups, int64_t now_ms)
{
    for (struct workload *at = groups->queues[QUEUE_LATER].first, *after; at != NULL; at = after) {
        after = at->after;
        if (at->due_ms <= now_ms)
            queue_put(groups, at, QUEUE_SWEEP, 0);
    }
}

bool queue_is_ready(const struct podgroups *groups)
{
    return groups->queues[QUEUE_READY].count + groups->queues[QUEUE_SWEEP].count > 0;
}

struct workload *queue_take(struct podgroups *groups)
{
    struct workload *first = groups->queues[QUEUE_READY].first;
    if (first == NULL)
        first = groups->queues[QUEUE_SWEEP].first;
    if (first == NULL)
        return NULL;
    take_out(groups, first);
    first->busy = true;
    return first;
}

void queue_unblock(struct podgroups *groups)
{
    struct workload *first;
    while ((first = groups->queues[QUEUE_BLOCKED].first) != NULL)
        queue_put(groups, first, QUEUE_SWEEP, 0);
}

int64_t queue_lag_ms(const struct podgroups *groups, int64_t now_ms)
{
    int64_t lag = 0;
    for (int place = QUEUE_READY; place <= QUEUE_LATER; place++)
        for (const struct workload *at = groups->queues[place].first; at != NULL; at = at->after)
            if (now_ms - at->since_ms > lag)
                lag = now_ms - at->since_ms;
    return lag;
}
