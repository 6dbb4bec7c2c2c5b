/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is loaded, as /debug/definitions shows it: what one load knows of the one
 * before, and how long compiling took. */
#include <string.h>
#include <time.h>

#include "base/json_text.h"
#include "base/mem.h"
#include "host_internal.h"
#include "karta/engine.h"

#define COMPILED "compileMilliseconds"

/* New text that names an entry: what it is and where it came from. */
static char *key_of(const json_t *entry)
{
    return mem_format("%s\n%s\n%s\n%s", json_text(entry, "origin"), json_text(entry, "kind"),
                      json_text(entry, "name"), json_text(entry, "version"));
}

/* New object: key -> entry. */
static json_t *index_of(const json_t *list)
{
    json_t *index = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *entry = json_array_get(list, i);
        KARTA_AUTO_TEXT key = key_of(entry);
        if (key != NULL)
            json_object_set(index, key, entry);
    }
    return index;
}

static bool is_shadowed(const json_t *entry)
{
    return strcmp(json_text(entry, "state"), "shadowed") == 0;
}

void host_list_inherit(json_t *list, const json_t *before, const struct log *log)
{
    json_auto_t *known = index_of(before);
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        KARTA_AUTO_TEXT key = key_of(entry);
        const json_t *old = key != NULL ? json_object_get(known, key) : NULL;
        const json_t *took = json_object_get(old, COMPILED);
        if (took != NULL)
            json_object_set_new(entry, COMPILED, json_real(json_real_value(took)));
        /* two for one kind: the later is in force, and nobody has to guess which that is */
        if (is_shadowed(entry) && !is_shadowed(old))
            LOG_WRITE(log, LOG_LEVEL_INFO, "definition shadowed by a later one",
                      log_text("name", json_text(entry, "name")),
                      log_text("origin", json_text(entry, "origin")));
    }
}

static double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Beyond it, compiling one more would only drive out another that was compiled as early. */
static bool has_room(void)
{
    struct karta_engine_counts counts;
    karta_engine_counts(&counts);
    return counts.states < counts.states_most / 2;
}

bool host_list_warm(struct host *host, const struct karta_snapshot *snapshot, json_t *list,
                    bool (*shall_stop)(struct host *))
{
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        struct karta_error err = {0};
        if (json_object_get(entry, COMPILED) != NULL)
            continue;
        if (!has_room())
            return true;
        if (shall_stop(host))
            return false;
        double begin = clock_ms();
        if (karta_snapshot_warm_entry(snapshot, index, &err) == 0)
            json_object_set_new(entry, COMPILED, json_real(clock_ms() - begin));
        else
            LOG_WRITE(&host->log, LOG_LEVEL_WARN, "a definition does not compile",
                      log_text("error", err.message));
    }
    return true;
}
