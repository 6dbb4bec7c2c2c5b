/* SPDX-License-Identifier: Apache-2.0 */
/* The description: a header, the tree, the phase, the pod groups, the resources. */
#include "describe_text.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "input.h"
#include "table.h"

char *describe_count(const json_t *count, const char *one, const char *many)
{
    if (!json_is_number(count))
        return NULL;
    double number = json_number_value(count);
    return mem_format("%.15g %s", number, number == 1 ? one : many);
}

char *describe_age(long long seconds)
{
    static const struct {
        long long seconds;
        char unit;
    } units[] = {{365 * 86400LL, 'y'}, {86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (seconds >= units[i].seconds)
            return mem_format("%lld%c", seconds / units[i].seconds, units[i].unit);
    return mem_format("0s");
}

char *describe_age_of(const json_t *object, long long now)
{
    const char *created = input_text(json_object_get(object, "metadata"), "creationTimestamp");
    struct tm when = {0};
    if (strptime(created, "%Y-%m-%dT%H:%M:%SZ", &when) == NULL)
        return NULL;
    return describe_age(now - (long long)timegm(&when));
}

static void header_row(struct table *table, const char *name, const char *value)
{
    if (value != NULL && *value != '\0')
        table_row(table, name, value);
}

/* Whether what is stored starts together; NULL of what isn't stored, or has nothing that could. */
static char *ganged_text(const json_t *object, const json_t *view)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *profile =
        input_text(json_object_get(metadata, "labels"), "workloadmap.dev/profile");
    if (*input_text(metadata, "resourceVersion") == '\0' ||
        json_array_size(json_object_get(view, "podGroups")) == 0)
        return NULL;
    return *profile != '\0' ? mem_format("by %s", profile)
                            : mem_format("no (kartactl audit says why)");
}

static void header(const json_t *object, const json_t *view, const char *origin,
                   const struct describe_style *style, struct strbuf *buf)
{
    const json_t *workload = json_object_get(view, "workload");
    const char *name = input_text(workload, "name");
    const char *prefix = input_text(json_object_get(object, "metadata"), "generateName");
    KARTA_AUTO_TEXT title = mem_format("%s/%s%s", input_text(workload, "kind"),
                                       *name != '\0' ? name : prefix, *name != '\0' ? "" : "*");
    KARTA_AUTO_TEXT definition = mem_format("%s (%s)", input_text(view, "definition"), origin);
    KARTA_AUTO_TEXT age = describe_age_of(object, style->now);
    if (title == NULL || definition == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(title);
    strbuf_addf(buf, style->colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
    struct table table = {0};
    header_row(&table, "Namespace:", input_text(workload, "namespace"));
    header_row(&table, "Definition:", definition);
    header_row(&table, "Queue:", input_text(view, "queue"));
    KARTA_AUTO_TEXT ganged = ganged_text(object, view);
    header_row(&table, "Ganged:", ganged);
    header_row(&table, "Age:", age);
    table_print(&table, false, buf);
    table_dispose(&table);
}

void describe_phase(const json_t *view, struct strbuf *buf)
{
    const json_t *phases = json_object_get(json_object_get(view, "status"), "phases");
    strbuf_adds(buf, "Phase: ");
    for (size_t i = 0; i < json_array_size(phases); i++) {
        strbuf_adds(buf, i > 0 ? ", " : "");
        strbuf_adds(buf, json_string_value(json_array_get(phases, i)));
    }
    strbuf_adds(buf, json_array_size(phases) == 0 ? "Undefined\n" : "\n");
}

void describe_text(const json_t *object, const json_t *view, const char *origin,
                   const struct describe_style *style, struct strbuf *buf)
{
    header(object, view, origin, style, buf);
    strbuf_addc(buf, '\n');
    describe_tree(view, style, buf);
    strbuf_addc(buf, '\n');
    describe_phase(view, buf);
    strbuf_addc(buf, '\n');
    describe_groups(view, style, buf);
    strbuf_addc(buf, '\n');
    describe_resources(view, style, buf);
}
