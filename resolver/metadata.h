/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in an object's metadata. Everything returned is borrowed; absent is NULL. */
#ifndef KARTA_METADATA_H
#define KARTA_METADATA_H

#include <jansson.h>
#include <stdbool.h>

/* Keys of ours that users and we write on workloads. */
#define KEY_PROFILE "workloadmap.dev/profile"
#define KEY_GANG "workloadmap.dev/gang"
#define KEY_INJECT "workloadmap.dev/inject"
#define KEY_QUEUE "workloadmap.dev/queue"
#define KEY_MIN_MEMBER "workloadmap.dev/min-member"

/* Text at metadata.<key>; NULL where it is absent, empty or no text. */
const char *metadata_text(const json_t *object, const char *key);

const char *metadata_label(const json_t *object, const char *key);
const char *metadata_annotation(const json_t *object, const char *key);

/* The label of that key, else the annotation. */
const char *metadata_either(const json_t *object, const char *key);

/* The owner reference with controller: true. */
const json_t *metadata_controller(const json_t *object);

/* It carries the label and the annotation of a gang; whether they are its own is gang_memory's to
 * say. */
bool metadata_ganged(const json_t *object);

bool metadata_deleting(const json_t *object);

#endif
