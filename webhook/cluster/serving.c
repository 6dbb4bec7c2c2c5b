/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in force and what is due. The one idea: each pass reads the Secret, decides on it alone,
 * and writes only on top of what it read; so replicas need not know of each other.
 */
#include "serving.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "serving_internal.h"

int serving_new(const struct serving_config *config, struct serving **serving,
                struct karta_error *err)
{
    struct serving *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mem_error(err);
    made->config = *config;
    made->trust_ms = config->trust_ms > 0 ? config->trust_ms : SERVING_TRUST_MS;
    *serving = made;
    return 0;
}

void serving_free(struct serving *serving)
{
    if (serving == NULL)
        return;
    certs_shared_dispose(&serving->shared);
    free(serving);
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Into force (taken), where it can be served; then the bundle counts as untold where it is new. */
static int adopt(struct serving *serving, struct certs_shared *next, struct karta_error *err)
{
    struct certs_shared *now = &serving->shared;
    if (!same(now->cert, next->cert) || !same(now->key, next->key)) {
        int rc = serving->config.serve(serving->config.arg, next->cert, next->key, err);
        if (rc != 0)
            return rc;
    }
    if (!same(now->bundle, next->bundle))
        serving->told_ms = 0;
    certs_shared_dispose(now);
    *now = *next;
    *next = (struct certs_shared){0};
    return 0;
}

static bool is_trusted(const struct serving *serving)
{
    return serving->told_ms != 0 && karta_engine_now_ms() - serving->told_ms >= serving->trust_ms;
}

static int do_step(const struct serving *serving, struct certs_shared *shared, bool trusted,
                   enum certs_step *step, struct karta_error *err)
{
    struct certs_options options = {.sans = serving->config.sans,
                                    .san_count = serving->config.san_count};
    return certs_shared_step(shared, &options, trusted, (int64_t)time(NULL), step, err);
}

static void say(const struct serving *serving, enum certs_step step)
{
    static const char *const what[] = {[CERTS_STEP_FIRST] = "certificate authority made",
                                       [CERTS_STEP_CA] =
                                           "certificate authority followed by another",
                                       [CERTS_STEP_LEAF] = "certificate issued"};
    LOG_WRITE(serving->config.log, LOG_LEVEL_INFO, what[step],
              log_text("secret", serving->config.name));
}

/* There is none: what we serve, or what is new, becomes it. Another's that came first is read at
 * the next pass. */
static int create(struct serving *serving, struct kube_client *client, struct karta_error *err)
{
    AUTO_SHARED next = {0};
    struct karta_error own = {0};
    enum certs_step step = CERTS_STEP_FIRST;
    int rc = serving_copy(&serving->shared, &next, err);
    if (rc == 0 && next.cert == NULL)
        rc = do_step(serving, &next, false, &step, err);
    if (rc != 0)
        return rc;
    rc = secret_create(&serving->config, client, &next, &own);
    if (rc != 0)
        return karta_error_set(err, rc, "%s",
                               rc == KARTA_ERR_CONFLICT ? "another replica made the secret just now"
                                                        : own.message);
    say(serving, step);
    return adopt(serving, &next, err);
}

/* Writes what is due on top of `object`; where somebody was faster, the next pass sees it. */
static int renew(struct serving *serving, struct kube_client *client, json_t *object,
                 struct karta_error *err)
{
    AUTO_SHARED next = {0};
    enum certs_step step;
    int rc = serving_copy(&serving->shared, &next, err);
    if (rc == 0)
        rc = do_step(serving, &next, is_trusted(serving), &step, err);
    if (rc != 0 || step == CERTS_STEP_NONE)
        return rc;
    rc = secret_update(&serving->config, client, object, &next, err);
    if (rc != 0)
        return rc;
    say(serving, step);
    return adopt(serving, &next, err);
}

static int refuse(const struct serving *serving, struct karta_error *err, const char *why)
{
    return karta_error_set(err, KARTA_ERR_SCHEMA,
                           "secret %s/%s: %s: what was served before stays; delete the secret to "
                           "have it made anew",
                           serving->config.ns, serving->config.name, why);
}

/* A step that is thrown away: only what makes no sense fails. */
static int check(const struct serving *serving, const struct certs_shared *read,
                 struct karta_error *err)
{
    AUTO_SHARED trial = {0};
    struct karta_error own = {0};
    enum certs_step ignored;
    int rc = serving_copy(read, &trial, err);
    if (rc != 0)
        return rc;
    if (trial.cert == NULL)
        return refuse(serving, err, "it holds no tls.crt");
    rc = do_step(serving, &trial, false, &ignored, &own);
    return rc == KARTA_ERR_SCHEMA ? refuse(serving, err, own.message) : 0;
}

int serving_keep(struct serving *serving, struct kube_client *client, bool leads,
                 struct karta_error *err)
{
    AUTO_SHARED read = {0};
    json_auto_t *object = NULL;
    struct karta_error own = {0};
    int rc = secret_read(&serving->config, client, &object, &read, &own);
    if (rc == KARTA_ERR_NOT_FOUND)
        return create(serving, client, err);
    if (rc != 0)
        return karta_error_set(err, rc, "%s", own.message);
    rc = check(serving, &read, err);
    if (rc == 0)
        rc = adopt(serving, &read, err);
    return rc == 0 && leads ? renew(serving, client, object, err) : rc;
}

const char *serving_bundle(const struct serving *serving)
{
    return serving->shared.bundle;
}

void serving_told(struct serving *serving)
{
    if (serving->told_ms == 0 && serving->shared.bundle != NULL)
        serving->told_ms = karta_engine_now_ms();
}
