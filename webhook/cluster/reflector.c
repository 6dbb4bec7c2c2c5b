/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a reflector: turn after turn, and between them as long a pause as the last one's
 * end asks for. Two rhythms: quick while nobody answers, so that we are back soon after the API
 * server is, and slow while it refuses, since asking often changes nothing. */
#include "reflector.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "reflector_internal.h"

#define RETRY_MS 100
#define RETRY_MOST 10 /* times as much */
#define REFUSED_MS 500
#define REFUSED_MOST 20

/* a watch that is refused so often in a row may be asking for the wrong thing */
#define MOST_REFUSALS 3
/* so many 404s in a row make what was there before absent: a starting API server may err */
#define MOST_ABSENCES 3
/* a server without bookmarks, or one that hangs: a list tells what watches may have missed */
#define MOST_SILENCES 2
/* what the server may do now and then is trouble when it does it so often in a row */
#define PATIENCE 3

bool reflector_remember(struct reflector *reflector, const json_t *metadata)
{
    const char *version = json_string_value(json_object_get(metadata, "resourceVersion"));
    if (version == NULL || version[0] == '\0' || strlen(version) >= sizeof reflector->version)
        return false;
    strcpy(reflector->version, version);
    return true;
}

bool reflector_is_object(const json_t *object)
{
    const char *name =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
    return name != NULL && name[0] != '\0';
}

void reflector_skip(struct reflector *reflector, enum metrics_skip reason)
{
    metrics_watch_skipped(reflector->config.metrics, reason);
}

void reflector_synced(struct reflector *reflector)
{
    metrics_watch_synced(reflector->config.metrics, reflector->metrics_place);
}

static int most_in(int value, int other)
{
    return value < other ? value : other;
}

/* Doubles with each attempt up to its most; a random part of at most half is taken off. */
static int delay_ms(struct reflector *reflector, bool slow)
{
    const struct reflector_config *config = &reflector->config;
    int quick_ms = config->retry_ms != 0 ? config->retry_ms : RETRY_MS;
    int slow_ms = config->retry_refused_ms != 0 ? config->retry_refused_ms : REFUSED_MS;
    int times = 1 << most_in(reflector->attempts, 5);
    int ms = slow ? slow_ms * most_in(times, REFUSED_MOST) : quick_ms * most_in(times, RETRY_MOST);
    return ms - rand_r(&reflector->random) % (ms / 2 + 1);
}

static void pause_after(struct reflector *reflector, const struct turn *turn, bool slow)
{
    if (reflector->slow != slow)
        reflector->attempts = 0;
    reflector->slow = slow;
    int ms = delay_ms(reflector, slow);
    if (reflector->attempts < 1000)
        reflector->attempts++;
    kube_client_pause(reflector->client, ms > turn->retry_after_ms ? ms : turn->retry_after_ms);
}

/* The server may do this at any time: only again and again it is trouble. */
static void after_usual(struct reflector *reflector, const struct turn *turn)
{
    if (reflector->settled || (turn->end == TURN_EXPIRED && reflector->attempts == 0)) {
        reflector->attempts = reflector->settled ? 0 : 1;
        return;
    }
    if (reflector->attempts >= PATIENCE)
        reflector_in_trouble(reflector, turn);
    pause_after(reflector, turn, false);
}

/* No such resource: no such objects. */
static void after_absent(struct reflector *reflector, const struct turn *turn)
{
    const struct reflector_handler *handler = &reflector->config.handler;
    bool believed = reflector->absent || !atomic_load(&reflector->synced) ||
                    ++reflector->absences >= MOST_ABSENCES;
    if (believed && !reflector->absent) {
        handler->begin(handler->arg);
        handler->end(handler->arg);
        atomic_store(&reflector->synced, true);
        LOG_WRITE(reflector->config.log, LOG_LEVEL_INFO, "a resource is not served",
                  log_text("resource", reflector->name));
    }
    reflector->absent = believed;
    if (believed) {
        reflector_synced(reflector);
        reflector_out_of_trouble(reflector, false);
        reflector->logged = 0;
    } else {
        reflector_in_trouble(reflector, turn);
    }
    pause_after(reflector, turn, true);
}

static void after_listed(struct reflector *reflector, const struct turn *turn)
{
    if (turn->left_out > 0)
        LOG_WRITE(reflector->config.log, LOG_LEVEL_WARN, "objects without a name are left out",
                  log_text("resource", reflector->name),
                  log_count("count", (int64_t)turn->left_out));
    atomic_store(&reflector->synced, true);
    if (reflector->absent)
        LOG_WRITE(reflector->config.log, LOG_LEVEL_INFO, "a resource is served",
                  log_text("resource", reflector->name));
    reflector->absent = false;
    reflector->absences = 0;
    reflector->refusals = 0;
}

static void after_refused(struct reflector *reflector, const struct turn *turn)
{
    if (++reflector->refusals >= MOST_REFUSALS) {
        reflector->refusals = 0;
        reflector->version[0] = '\0';
    }
    reflector_in_trouble(reflector, turn);
    pause_after(reflector, turn, true);
}

static void after(struct reflector *reflector, const struct turn *turn)
{
    if (turn->end == TURN_EXPIRED || turn->end == TURN_GAP || turn->end == TURN_ABSENT)
        reflector->version[0] = '\0';
    if (turn->end != TURN_ABSENT)
        reflector->absences = 0;
    switch (turn->end) {
    case TURN_LISTED:
        after_listed(reflector, turn);
        break;
    case TURN_SILENT:
        if (++reflector->silences >= MOST_SILENCES) {
            reflector->silences = 0;
            reflector->version[0] = '\0';
        }
        after_usual(reflector, turn);
        break;
    case TURN_ENDED:
    case TURN_EXPIRED:
        after_usual(reflector, turn);
        break;
    case TURN_ABSENT:
        after_absent(reflector, turn);
        break;
    case TURN_TOO_LARGE:
        if (reflector->page > 1) {
            reflector->page /= 2;
            break;
        }
        after_refused(reflector, turn);
        break;
    case TURN_UNREACHED:
        reflector_in_trouble(reflector, turn);
        pause_after(reflector, turn, false);
        break;
    case TURN_GAP:
        reflector_in_trouble(reflector, turn);
        pause_after(reflector, turn, true);
        break;
    case TURN_REFUSED:
        after_refused(reflector, turn);
        break;
    }
}

static void *run(void *arg)
{
    struct reflector *reflector = arg;
    while (!kube_client_is_stopped(reflector->client)) {
        struct turn turn = {.end = TURN_REFUSED};
        reflector->settled = false;
        if (reflector->version[0] == '\0')
            reflector_list(reflector, &turn);
        else
            reflector_watch(reflector, &turn);
        if (!kube_client_is_stopped(reflector->client))
            after(reflector, &turn);
    }
    return NULL;
}

static int start(struct reflector *reflector, struct karta_error *err)
{
    const struct reflector_config *config = &reflector->config;
    int rc = kube_client_new(config->access, config->metrics, &reflector->client, err);
    if (rc != 0)
        return rc;
    rc = pthread_create(&reflector->thread, NULL, run, reflector);
    if (rc == 0) {
        pthread_setname_np(reflector->thread, "karta-follow");
        return 0;
    }
    kube_client_free(reflector->client);
    return karta_error_set(err, KARTA_ERR_IO, "cannot start a thread to follow %s: %s",
                           reflector->name, strerror(rc));
}

int reflector_start(const struct reflector_config *config, struct reflector **reflector,
                    struct karta_error *err)
{
    struct reflector *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mem_error(err);
    made->config = *config;
    bool core = config->resource.group[0] == '\0';
    snprintf(made->name, sizeof made->name, "%s%s%s", config->resource.plural, core ? "" : ".",
             config->resource.group);
    made->metrics_place = metrics_watch_place(config->metrics, made->name);
    made->random = (unsigned)karta_engine_now_ms() ^ (unsigned)(uintptr_t)made;
    snprintf(made->trouble, sizeof made->trouble, "list %s: not yet answered", made->name);
    pthread_mutex_init(&made->lock, NULL);
    int rc = start(made, err);
    if (rc == 0) {
        *reflector = made;
        return 0;
    }
    pthread_mutex_destroy(&made->lock);
    free(made);
    return rc;
}

void reflector_stop(struct reflector *reflector)
{
    if (reflector != NULL)
        kube_client_stop(reflector->client);
}

void reflector_free(struct reflector *reflector)
{
    if (reflector == NULL)
        return;
    reflector_stop(reflector);
    pthread_join(reflector->thread, NULL);
    metrics_watch_forget(reflector->config.metrics, reflector->metrics_place);
    kube_client_free(reflector->client);
    pthread_mutex_destroy(&reflector->lock);
    free(reflector);
}

int reflector_refused(const struct reflector *reflector)
{
    return atomic_load(&reflector->refused);
}

bool reflector_has_synced(const struct reflector *reflector)
{
    return atomic_load(&reflector->synced);
}
