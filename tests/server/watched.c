/* SPDX-License-Identifier: Apache-2.0 */
#include "watched.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

char *watched_karta(const char *name, const char *kind)
{
    return mem_format("apiVersion: run.ai/v1alpha1\n"
                      "kind: Karta\n"
                      "metadata:\n"
                      "  name: %s\n"
                      "  annotations: {workloadmap.dev/plural: things}\n"
                      "spec:\n"
                      "  structureDefinition:\n"
                      "    rootComponent:\n"
                      "      name: thing\n"
                      "      kind: {group: example.org, version: v1, kind: %s}\n"
                      "      specDefinition: {podTemplateSpecPath: .spec.template}\n"
                      "      scaleDefinition: {replicasPath: .spec.replicas // 1}\n"
                      "      statusDefinition:\n"
                      "        phaseDefinition: {path: .status.phase // \"\"}\n"
                      "        statusMappings:\n"
                      "          running: [{byPhase: Running}]\n",
                      name, kind);
}

void watched_write(const struct watched *watched, const char *file, const char *name,
                   const char *kind)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", watched->folder, file);
    KARTA_AUTO_TEXT text = watched_karta(name, kind);
    write_text(path, text);
}

void watched_break(const struct watched *watched, const char *file)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", watched->folder, file);
    write_text(path, "kind: [");
}

void watched_remove(const struct watched *watched, const char *file)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", watched->folder, file);
    assert_int_equal(unlink(path), 0);
}

void watched_init(struct watched *watched)
{
    running_init(&watched->server);
    snprintf(watched->folder, sizeof watched->folder, "%s/definitions", watched->server.dir);
    assert_int_equal(mkdir(watched->folder, 0700), 0);
    watched_write(watched, "1.yaml", "one", "One");
    watched_write(watched, "2.yaml", "two", "Two");
}

void watched_start(struct watched *watched)
{
    watched_init(watched);
    running_start(&watched->server,
                  (const char *[]){"--drain", "0", "--definitions", watched->folder, NULL});
}

json_t *watched_find(const struct watched *watched, const char *name, const char *state)
{
    KARTA_AUTO_TEXT text = running_get(&watched->server, "/debug/definitions", NULL);
    json_error_t ignored;
    json_t *list = json_loads(text, 0, &ignored);
    json_t *found = NULL;
    size_t index;
    json_t *entry;
    assert_true(json_is_array(list));
    json_array_foreach(list, index, entry)
    {
        const char *its_name = json_string_value(json_object_get(entry, "name"));
        const char *its_state = json_string_value(json_object_get(entry, "state"));
        if (its_name != NULL && strcmp(its_name, name) == 0 && strcmp(its_state, state) == 0)
            found = entry;
    }
    json_incref(found);
    json_decref(list);
    return found;
}

bool watched_has(const struct watched *watched, const char *name, const char *state)
{
    json_t *entry = watched_find(watched, name, state);
    json_decref(entry);
    return entry != NULL;
}

bool watched_becomes(const struct watched *watched, const char *name, bool there, int ms)
{
    for (int64_t limit = clock_ms() + ms;; pause_ms(50)) {
        if (watched_has(watched, name, "active") == there)
            return true;
        if (clock_ms() >= limit)
            return false;
    }
}
