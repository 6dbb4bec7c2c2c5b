/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of an audit: a table, and below it what to do, once for each way to mend. */
#include <stdio.h>
#include <string.h>

#include "audit.h"
#include "exit_code.h"
#include "message.h"
#include "output.h"
#include "table.h"

static bool has_state(const json_t *finding, const char *state)
{
    return strcmp(input_text(finding, "state"), state) == 0;
}

static bool is_fault(const json_t *finding)
{
    return has_state(finding, AUDIT_NOT_GANGED) || has_state(finding, AUDIT_INCOMPLETE);
}

static void add_row(struct table *table, const json_t *finding)
{
    const json_t *workload = json_object_get(finding, "workload");
    const char *mended = input_text(finding, "mended");
    table_row(table, input_text(workload, "namespace"), input_text(workload, "kind"),
              input_text(workload, "name"), input_text(finding, "state"),
              *mended != '\0' ? mended : "-", input_text(finding, "reason"));
}

static bool any(const json_t *findings, const char *key, const char *value)
{
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (strcmp(input_text(json_array_get(findings, i), key), value) == 0)
            return true;
    return false;
}

static void add_advice(const json_t *findings, struct strbuf *buf)
{
    if (any(findings, "state", AUDIT_GANGED))
        strbuf_adds(buf, "\nA ganged workload that doesn't start waits for room: kartactl describe "
                         "shows what its pods say.\n");
    if (any(findings, "state", AUDIT_NO_GANG))
        strbuf_adds(buf, "\nWhere there is no gang of its own, it may be that of an object that it "
                         "makes: kartactl audit --all-types lists those too.\n");
    if (any(findings, "state", AUDIT_NOT_OPTED_IN))
        strbuf_adds(buf, "\nTo opt in: label the workload with its queue, or with "
                         "workloadmap.dev/inject=true, before it is created.\n");
    if (any(findings, "mended", "re-create"))
        strbuf_adds(buf, "\nre-create: delete it and create it again from its manifest; pods that "
                         "run are lost.\n");
    if (any(findings, "mended", "re-apply"))
        strbuf_adds(buf,
                    "\nre-apply: kubectl apply its manifest again; the webhook does the rest.\n");
}

static int print_table(const json_t *findings)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct table table = {.width = output_width()};
    table_row(&table, "NAMESPACE", "KIND", "NAME", "STATE", "MENDED-BY", "REASON");
    for (size_t i = 0; i < json_array_size(findings); i++)
        add_row(&table, json_array_get(findings, i));
    table_print(&table, output_colour(), &buf);
    table_dispose(&table);
    add_advice(findings, &buf);
    return output_text(&buf);
}

int audit_print(const struct audit *audit)
{
    const char *format = audit->arguments->format;
    size_t count = json_array_size(audit->findings), faults = 0;
    int code = CLI_DONE;
    for (size_t i = 0; i < count; i++)
        faults += is_fault(json_array_get(audit->findings, i));
    if (strcmp(format, "table") != 0) {
        json_auto_t *list = json_pack("{s:O}", "items", audit->findings);
        code = list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
    } else if (count > 0) {
        code = print_table(audit->findings);
    } else {
        fputs("nothing here starts together\n", stderr);
    }
    return cli_first(code, faults > 0 ? CLI_INVALID : CLI_DONE);
}
