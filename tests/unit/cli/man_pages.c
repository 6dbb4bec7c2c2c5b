/* SPDX-License-Identifier: Apache-2.0 */
/* The man pages name every command and flag that there is, and none that there isn't. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "command.h"
#include "support.h"

struct checking {
    const char *page, *section; /* section: where the command's own part begins */
    json_t *known;              /* names of flags */
};

static void check_flag(const struct flag_text *flag, void *state)
{
    struct checking *checking = state;
    KARTA_AUTO_TEXT own = mem_format("\n.Fl -%s ", flag->name);
    KARTA_AUTO_TEXT item = mem_format("Fl -%s%s%s\n", flag->name, flag->value != NULL ? " Ar " : "",
                                      flag->value != NULL ? flag->value : "");
    const char *at = strstr(checking->section, own);
    const char *end = strstr(checking->section + 1, "\n.S");
    if (at == NULL || at > end)
        fail_msg("man/kartactl.1: %.40s: no --%s", checking->section, flag->name);
    if (strstr(checking->page, item) == NULL)
        fail_msg("man/kartactl.1: no item for --%s", flag->name);
    json_object_set_new(checking->known, flag->name, json_true());
}

/* Every ".It ... Fl -name" of the page is among `known`. */
static void check_items(const char *page, const json_t *known)
{
    for (const char *at = page; (at = strstr(at, "\n.It Fl ")) != NULL;) {
        at++;
        size_t size = strcspn(at, "\n");
        const char *name = memmem(at, size, "Fl -", 4);
        assert_non_null(name);
        KARTA_AUTO_TEXT word = mem_format("%.*s", (int)strcspn(name + 4, " \n"), name + 4);
        if (json_object_get(known, word) == NULL)
            fail_msg("there is no flag --%s", word);
    }
}

static void kartactl__page_has_every_command_and_flag(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT page = test_read("man/kartactl.1", NULL);
    json_auto_t *known = json_object();
    for (size_t i = 0; commands[i] != NULL; i++) {
        KARTA_AUTO_TEXT head = mem_format("\n.Ss %s\n", commands[i]->name);
        struct checking checking = {page, strstr(page, head), known};
        if (checking.section == NULL)
            fail_msg("man/kartactl.1: no command %s", commands[i]->name);
        arguments_each_flag(commands[i], check_flag, &checking);
    }
    check_items(page, known);
}

static void karta_webhook__page_has_every_flag(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT page = test_read("man/karta-webhook.8", NULL);
    json_auto_t *known = json_object();
    KARTA_AUTO_TEXT command = mem_format("'%s/bin/karta-webhook' --help", KARTA_BINARY_DIR);
    FILE *pipe = popen(command, "r");
    char line[512], name[64], value[64];
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe) != NULL) {
        int words = sscanf(line, "  --%63s %63s", name, value);
        if (words < 1)
            continue;
        bool takes = words == 2 && line[5 + strlen(name)] != ' ';
        KARTA_AUTO_TEXT item =
            mem_format("\n.It Fl -%s%s%s\n", name, takes ? " Ar " : "", takes ? value : "");
        if (strstr(page, item) == NULL)
            fail_msg("man/karta-webhook.8: no%s", item);
        json_object_set_new(known, name, json_true());
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(json_object_size(known) > 20);
    check_items(page, known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kartactl__page_has_every_command_and_flag),
        cmocka_unit_test(karta_webhook__page_has_every_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
