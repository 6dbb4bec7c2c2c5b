/* SPDX-License-Identifier: Apache-2.0 */
/* The status of each Karta of the cluster: what we found wrong, and whether its kind is there. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "controller_internal.h"
#include "karta_object.h"
#include "karta_status.h"

static const char *name_of(const json_t *karta)
{
    return json_string_value(json_object_get(json_object_get(karta, "metadata"), "name"));
}

static enum karta_status_kind kind_state(const struct controller *controller, const json_t *karta)
{
    const char *plural =
        discovery_plural(controller->discovery, object_root_text(karta, "group"),
                         object_root_text(karta, "version"), object_root_text(karta, "kind"), NULL);
    return plural != NULL ? KARTA_STATUS_KIND_SERVED : KARTA_STATUS_KIND_MISSING;
}

/* Whether the refusal is about that one object, so that the next may go better. */
static bool is_its_own(int status)
{
    return status == 404 || status == 409 || status == 413 || status == 422 || status == 400;
}

/* *own: see there. */
static int write_status(struct controller *controller, const char *name, const json_t *body,
                        bool *own, struct karta_error *err)
{
    static const struct kube_resource kartas = {"run.ai", "v1alpha1", "kartas"};
    KARTA_AUTO_TEXT path = kube_path(&kartas, NULL, name, "status");
    KARTA_AUTO_TEXT full =
        path != NULL ? mem_format("%s?fieldManager=karta-webhook&force=true", path) : NULL;
    KARTA_AUTO_TEXT text = json_dumps(body, JSON_COMPACT);
    if (full == NULL || text == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    struct kube_request request = {.verb = "patch",
                                   .resource = &kartas,
                                   .path = full,
                                   .body = text,
                                   .body_size = strlen(text),
                                   .content_type = "application/apply-patch+yaml",
                                   .timeout_ms = KUBE_WRITE_MS};
    struct kube_answer answer;
    int rc = kube_client_ask(controller->client, &request, &answer, err);
    *own = rc != 0 && is_its_own(answer.status);
    kube_answer_dispose(&answer);
    return rc;
}

/* One Karta; `known` is what is loaded of it. */
static int report(struct controller *controller, const json_t *karta,
                  const struct karta_problems *problems, bool *own, struct karta_error *err)
{
    bool refused = karta_problems_refusals(problems) > 0;
    KARTA_AUTO_TEXT refusal = refused ? karta_problems_summary(problems) : NULL;
    struct karta_status_facts facts = {.karta = karta,
                                       .refusal = refused && refusal == NULL ? "" : refusal,
                                       .kind = kind_state(controller, karta)};
    json_auto_t *body = NULL;
    int rc = karta_status_new(&facts, (int64_t)time(NULL), &body, err);
    if (rc != 0 || karta_status_is_shown(karta, body))
        return rc;
    return write_status(controller, name_of(karta), body, own, err);
}

/* A Karta that went away meanwhile, or whose CRD has no status, is nobody's trouble; one that is
 * refused, no other's. Where the API server does not answer, the next ones need not be tried. */
int controller_report(struct controller *controller, const struct karta_snapshot *snapshot,
                      struct karta_error *err)
{
    json_auto_t *kartas = live_kartas(controller->live, snapshot);
    int code = 0;
    size_t index;
    json_t *karta;
    json_array_foreach(kartas, index, karta)
    {
        KARTA_AUTO_TEXT origin = mem_format("%s%s", LIVE_ORIGIN, name_of(karta));
        const struct karta_problems *problems =
            origin != NULL ? karta_snapshot_problems(snapshot, origin) : NULL;
        struct karta_error why = {0};
        bool own = false;
        if (problems == NULL)
            continue;
        if (!controller_leads(controller))
            return code;
        int rc = report(controller, karta, problems, &own, &why);
        if (rc != 0 && rc != KARTA_ERR_NOT_FOUND && code == 0)
            code = karta_error_set(err, rc, "%s", why.message);
        if (rc != 0 && !own)
            return code;
    }
    return code;
}
