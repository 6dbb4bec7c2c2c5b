/* SPDX-License-Identifier: Apache-2.0 */
/* Group, version and kind: what names a kind of object. Pure functions. */
#ifndef KARTA_GVK_H
#define KARTA_GVK_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/error.h"

struct gvk {
    char *group, *version, *kind; /* each owned; "" rather than NULL once it is set */
};

int gvk_set(struct gvk *gvk, const char *group, const char *version, const char *kind,
            struct karta_error *err);
void gvk_dispose(struct gvk *gvk);

/* Of an object's apiVersion and kind. KARTA_ERR_SCHEMA where one is missing or no text. */
int gvk_of_object(const json_t *object, struct gvk *gvk, struct karta_error *err);

bool gvk_is(const struct gvk *gvk, const char *group, const char *version, const char *kind);

/* New "group/version, Kind=K" text, as Kubernetes' own messages have it; NULL when memory is out.
 */
char *gvk_text(const char *group, const char *version, const char *kind);

#endif
