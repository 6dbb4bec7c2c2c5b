/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds, objects and what changed: the double's etcd. Objects are never changed in place, so that
 * history keeps what was. Every function wants the server's lock. */
#ifndef KARTA_TESTS_API_STORE_H
#define KARTA_TESTS_API_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct api_kind {
    char *group, *version, *name, *plural;
    char *resource; /* "kartas.run.ai", "pods": what messages say, and where objects are kept, so
                       that the versions of a kind share them */
    char *api_version;
    bool namespaced, status;
};

struct api_object {
    char *resource, *ns, *name; /* ns "" at the cluster scope */
    json_t *value;
};

struct api_change {
    unsigned long version;
    char *resource;
    json_t *before, *after; /* NULL: was not there; is gone */
};

struct api_store {
    struct api_kind **kinds;
    struct api_object *objects;
    struct api_change *changes;
    size_t kind_count, object_count, change_count;
    unsigned long version, compacted, made;
};

void store_init(struct api_store *store);
void store_dispose(struct api_store *store);

struct api_kind *store_teach(struct api_store *store, const char *group, const char *version,
                             const char *name, const char *plural, bool namespaced, bool status);
/* With the last version of a kind its objects go. */
void store_forget(struct api_store *store, const char *group, const char *version,
                  const char *name);
/* By plural, or else by name; NULL is any group, version. Borrowed; NULL: unknown. */
struct api_kind *store_kind(const struct api_store *store, const char *group, const char *version,
                            const char *plural);
struct api_kind *store_kind_named(const struct api_store *store, const char *api_version,
                                  const char *name);

/* Borrowed; NULL: none. */
json_t *store_get(const struct api_store *store, const struct api_kind *kind, const char *ns,
                  const char *name);
/* Under the next resourceVersion, which it writes into `value` (taken). NULL: deletes. */
void store_write(struct api_store *store, const struct api_kind *kind, const char *ns,
                 const char *name, json_t *value);
/* New object of "NS/NAME" to object: all that were there at `version`, which is not compacted. */
json_t *store_at(const struct api_store *store, const char *resource, unsigned long version);
/* Who asks for an older version from now on is told that it is too old; watches under way go on. */
void store_compact(struct api_store *store);

/* The text at metadata.KEY, "" where there is none. Borrowed. */
const char *object_meta(const json_t *object, const char *key);
/* Writes metadata.resourceVersion into `value` and returns it. */
json_t *object_at_version(json_t *value, unsigned long version);
/* New reference: the object as this version of its kind. */
json_t *object_as(const json_t *object, const struct api_kind *kind);

#endif
