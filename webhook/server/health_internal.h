/* SPDX-License-Identifier: Apache-2.0 */
/* What the listener of the metrics port and its pages share. */
#ifndef KARTA_SERVER_HEALTH_INTERNAL_H
#define KARTA_SERVER_HEALTH_INTERNAL_H

#include "health.h"
#include "reply.h"

/* What a page writes: status 200 and text unless it says otherwise. */
struct health_page {
    struct reply reply;
    struct strbuf text;
};

#define HEALTH_PAGES 5
extern const struct health_page_row {
    const char *path;
    void (*write)(const struct health_config *config, struct health_page *page);
} health_pages[HEALTH_PAGES];

#endif
