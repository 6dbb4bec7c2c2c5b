/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission as a pure function: the bytes of one HTTP request body in, the bytes of its answer out.
 * No socket, no log, no clock but the engine's. Thread rule: any thread; the snapshot is borrowed
 * for the call.
 */
#ifndef KARTA_CORE_ADMISSION_H
#define KARTA_CORE_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>

#include "karta/mutate.h"
#include "karta/policy.h"
#include "karta/snapshot.h"

enum admission_endpoint {
    ADMISSION_MUTATE_WORKLOADS,     /* /mutate/workloads */
    ADMISSION_MUTATE_PODS,          /* /mutate/pods */
    ADMISSION_MUTATE_DEFINITIONS,   /* /mutate/definitions */
    ADMISSION_VALIDATE_DEFINITIONS, /* /validate/definitions */
    ADMISSION_VALIDATE_WORKLOADS,   /* /validate/workloads */
    ADMISSION_ENDPOINTS
};

struct admission_config {
    const char *profile;
    const char *default_queue; /* NULL: none */
    bool gang_all;
    bool deny_on_error; /* --on-error deny */
    const char *const *excluded_namespaces;
    size_t excluded_namespace_count;
    const struct karta_group_kind *excluded_kinds;
    size_t excluded_kind_count;
    /* karta_mutate_options' */
    bool (*follows)(void *arg, const char *group, const char *kind);
    void *follows_arg;
    int64_t deadline_ms; /* how long one object's expressions may run, e.g. 100 */
};

/* What the host logs and counts about one answer. Texts are cut to fit and may hold any bytes. */
struct admission_record {
    char uid[64];
    char kind[256];          /* "group/version, Kind" as kubectl prints a kind */
    char metric_kind[128];   /* the Kind where a loaded definition has it, else "other" */
    char ns[256], name[256]; /* name is "prefix*" under generateName */
    char operation[16];
    char verdict[16];  /* "patched", "allowed", "denied", "failed", "bad-request" */
    char detail[512];  /* the denial or the error, "" otherwise */
    char profile[128]; /* written profile, "" where nothing was patched */
    bool allowed;
};

struct admission_answer {
    unsigned status; /* HTTP: 200 with an AdmissionReview, or 400 with {"error": "..."} */
    char *body;      /* new; JSON */
    size_t size;
    struct karta_policy_decision *decisions; /* of policies; new, but borrows from the snapshot */
    size_t decision_count;
};

/* The endpoint of an URL path; ADMISSION_ENDPOINTS where there is none. Query strings are not
 * part of `path`. */
enum admission_endpoint admission_route(const char *path);
const char *admission_path(enum admission_endpoint endpoint);

/*
 * Answers `size` bytes of `body`. *answer is always filled (a lack of memory gives status 500 and
 * a static body is copied), *record too. admission_answer_dispose frees it.
 */
void admission_handle(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                      const struct admission_config *config, const char *body, size_t size,
                      struct admission_answer *answer, struct admission_record *record);
void admission_answer_dispose(struct admission_answer *answer);

#endif
