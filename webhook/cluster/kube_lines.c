/* SPDX-License-Identifier: Apache-2.0 */
/* A line that comes whole is handed on where it lies; only what is cut by the network is copied. */
#include "kube_lines.h"

#include <string.h>

/* what a line may leave behind: most are smaller, and a large one need not be held for ever */
#define KEPT_ROOM (1U << 20)

void kube_lines_init(struct kube_lines *lines, const struct kube_watcher *watcher, size_t most)
{
    *lines = (struct kube_lines){.watcher = watcher, .most = most};
    strbuf_init(&lines->part, most + 1);
}

void kube_lines_dispose(struct kube_lines *lines)
{
    strbuf_dispose(&lines->part);
}

/* Adds to the line under way; beyond one byte too many nothing is kept. */
static void keep(struct kube_lines *lines, const char *bytes, size_t size)
{
    size_t room = lines->most + 1 - lines->part.size;
    strbuf_add(&lines->part, bytes, size < room ? size : room);
}

static bool tell(const struct kube_lines *lines, const char *line, size_t size)
{
    if (size > 0 && line[size - 1] == '\r')
        size--;
    bool truncated = size > lines->most;
    return size == 0 || lines->watcher->line(lines->watcher->arg, line,
                                             truncated ? lines->most : size, truncated);
}

static void forget(struct kube_lines *lines)
{
    if (lines->part.room > KEPT_ROOM) {
        strbuf_dispose(&lines->part);
        strbuf_init(&lines->part, lines->most + 1);
    } else {
        strbuf_clear(&lines->part);
    }
}

bool kube_lines_add(struct kube_lines *lines, const char *bytes, size_t size)
{
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t length = end != NULL ? (size_t)(end - bytes) : size;
        bool whole = end != NULL && lines->part.size == 0;
        if (!whole)
            keep(lines, bytes, length);
        if (strbuf_check(&lines->part, NULL) != 0)
            return false;
        if (end == NULL)
            return true;
        bool go_on =
            whole ? tell(lines, bytes, length) : tell(lines, lines->part.text, lines->part.size);
        if (!whole)
            forget(lines);
        if (!go_on)
            return false;
        bytes += length + 1;
        size -= length + 1;
    }
    return true;
}
