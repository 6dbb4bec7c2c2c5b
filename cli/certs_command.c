/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl certs: the CA and the serving certificate of a folder, as the server makes them. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "certs.h"
#include "exit_code.h"
#include "message.h"
#include "output.h"
#include "schema.h"
#include "table.h"

#define MOST_SANS 64

static const char *const default_sans[] = {"localhost", "127.0.0.1", "::1"};

struct names {
    const char *items[MOST_SANS];
    size_t count;
    char kept[512]; /* the text that they point into */
};

static char *path_of(const struct arguments *arguments, const char *file)
{
    return mem_format("%s/%s", arguments->value[FLAG_DIR], file);
}

static bool is_there(const struct arguments *arguments, const char *file)
{
    KARTA_AUTO_TEXT path = path_of(arguments, file);
    return path != NULL && access(path, F_OK) == 0;
}

static void split(struct names *names)
{
    for (char *save = NULL, *name = strtok_r(names->kept, ", ", &save);
         name != NULL && names->count < MOST_SANS; name = strtok_r(NULL, ", ", &save))
        names->items[names->count++] = name;
}

/* Those of --san; else those of the certificate that is there; else the loopback's. */
static int choose_names(const struct arguments *arguments, struct names *names)
{
    struct certs_info info;
    KARTA_AUTO_TEXT path = path_of(arguments, "tls.crt");
    *names = (struct names){0};
    if (arguments->sans.count > MOST_SANS)
        return cli_fail(CLI_USAGE, "certs: more than %d --san", MOST_SANS);
    for (size_t i = 0; i < arguments->sans.count; i++)
        names->items[names->count++] = arguments->sans.items[i];
    if (names->count == 0 && path != NULL && certs_read_info(path, &info, NULL) == 0) {
        memcpy(names->kept, info.sans, sizeof names->kept);
        split(names);
    }
    for (size_t i = 0; names->count == 0 || (i > 0 && i < 3); i++)
        names->items[names->count++] = default_sans[i];
    return CLI_DONE;
}

static int ensure(const struct arguments *arguments, int *renewed)
{
    struct names names;
    struct karta_error err = {0};
    int code = choose_names(arguments, &names);
    if (code != CLI_DONE)
        return code;
    const struct certs_options options = {
        .dir = arguments->value[FLAG_DIR], .sans = names.items, .san_count = names.count};
    if (certs_ensure(&options, renewed, &err) != 0)
        return cli_fail(err.code == KARTA_ERR_SCHEMA ? CLI_USAGE : CLI_FAILED, "%s", err.message);
    return CLI_DONE;
}

static int init(const struct arguments *arguments)
{
    int renewed = 0;
    int code = ensure(arguments, &renewed);
    if (code == CLI_DONE)
        printf("%s: %s\n", arguments->value[FLAG_DIR],
               renewed ? "ca.crt, ca.key, tls.crt and tls.key are made"
                       : "is good as it is; nothing was changed");
    return code;
}

/* The certificate is put aside, so that a new one is due; it comes back where that fails. */
static int renew(const struct arguments *arguments)
{
    KARTA_AUTO_TEXT path = path_of(arguments, "tls.crt");
    KARTA_AUTO_TEXT aside = path_of(arguments, "tls.crt.old");
    struct names names;
    struct karta_error err = {0};
    if (!is_there(arguments, "tls.crt"))
        return cli_fail(CLI_NOT_FOUND, "%s: holds no tls.crt; kartactl certs init makes one",
                        arguments->value[FLAG_DIR]);
    int code = choose_names(arguments, &names);
    if (code != CLI_DONE)
        return code;
    if (path == NULL || aside == NULL || rename(path, aside) != 0)
        return cli_fail(CLI_FAILED, "%s: cannot be renewed", arguments->value[FLAG_DIR]);
    const struct certs_options options = {
        .dir = arguments->value[FLAG_DIR], .sans = names.items, .san_count = names.count};
    if (certs_ensure(&options, NULL, &err) != 0) {
        rename(aside, path);
        return cli_fail(err.code == KARTA_ERR_SCHEMA ? CLI_USAGE : CLI_FAILED, "%s", err.message);
    }
    unlink(aside);
    printf("%s: tls.crt is renewed\n", arguments->value[FLAG_DIR]);
    return CLI_DONE;
}

static void date_text(int64_t seconds, char text[32])
{
    time_t when = (time_t)seconds;
    struct tm parts;
    gmtime_r(&when, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static int read_one(const struct arguments *arguments, const char *file, json_t *items)
{
    struct karta_error err = {0};
    struct certs_info info;
    char from[32], until[32];
    KARTA_AUTO_TEXT path = path_of(arguments, file);
    if (path == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    if (certs_read_info(path, &info, &err) != 0)
        return cli_fail(is_there(arguments, file) ? CLI_INVALID : CLI_NOT_FOUND, "%s", err.message);
    date_text(info.not_before, from);
    date_text(info.not_after, until);
    json_t *item =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "file", file, "subject", info.subject,
                  "names", info.sans, "serial", info.serial, "notBefore", from, "notAfter", until,
                  "daysLeft", (json_int_t)((info.not_after - (int64_t)time(NULL)) / 86400));
    return json_array_append_new(items, item) == 0 ? CLI_DONE
                                                   : cli_fail(CLI_FAILED, "out of memory");
}

static int print_table(const json_t *items)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct table table = {0};
    table_row(&table, "FILE", "NAMES", "NOT-AFTER", "DAYS-LEFT", "SUBJECT");
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *item = json_array_get(items, i);
        const char *names = json_string_value(json_object_get(item, "names"));
        KARTA_AUTO_TEXT days =
            mem_format("%lld", (long long)json_integer_value(json_object_get(item, "daysLeft")));
        table_row(&table, json_string_value(json_object_get(item, "file")),
                  *names != '\0' ? names : "-",
                  json_string_value(json_object_get(item, "notAfter")), days != NULL ? days : "?",
                  json_string_value(json_object_get(item, "subject")));
    }
    table_print(&table, output_colour(), &buf);
    table_dispose(&table);
    return output_text(&buf);
}

static int show(const struct arguments *arguments)
{
    json_auto_t *items = json_array();
    int code = read_one(arguments, "ca.crt", items);
    code = cli_first(code, read_one(arguments, "tls.crt", items));
    if (json_array_size(items) == 0)
        return code;
    if (strcmp(arguments->format, "table") == 0)
        return cli_first(code, print_table(items));
    json_auto_t *list = json_pack("{s:O}", "items", items);
    return cli_first(code, list != NULL ? output_value(arguments->format, list)
                                        : cli_fail(CLI_FAILED, "out of memory"));
}

static int certs(const struct arguments *arguments)
{
    static const struct {
        const char *name;
        int (*run)(const struct arguments *arguments);
    } actions[] = {{"init", init}, {"renew", renew}, {"show", show}};
    const char *wanted = arguments->words.count == 1 ? arguments->words.items[0] : "";
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, wanted) != 0)
            continue;
        if (arguments->value[FLAG_DIR] == NULL)
            return cli_fail(CLI_USAGE, "certs %s: give the folder with --dir", wanted);
        return actions[i].run(arguments);
    }
    return cli_fail(CLI_USAGE, "certs: give one of init, renew and show");
}

const struct command certs_command = {
    .name = "certs",
    .run = certs,
    .summary = "a CA and a serving certificate in a folder: make, renew, show",
    .usage = "certs init|renew|show --dir DIR [--san NAME]... [-o table|json|yaml]",
    .about =
        "The files are those of karta-webhook --self-signed DIR. init makes what is missing and\n"
        "leaves what is good; renew issues a new tls.crt by the same CA, for the same names "
        "unless\n"
        "--san says others; show says how long they last.\n",
    .example = "  kartactl certs init --dir certs --san karta-webhook.karta-system.svc\n"
               "  kartactl certs show --dir certs\n"
               "  kartactl certs renew --dir certs\n",
    .flags = 1U << FLAG_DIR | 1U << FLAG_SAN | 1U << FLAG_OUTPUT,
    .formats = "table|json|yaml",
};
