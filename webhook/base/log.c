/* SPDX-License-Identifier: Apache-2.0 */
/* Puts log lines together. The same fields give both formats, so neither can say more. */
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "escape.h"

/* a line holds a few names and one error text */
#define LIMIT_LOG_LINE 16384

static const char *const level_names[] = {"debug", "info", "warn", "error"};

bool log_level_parse(const char *text, enum log_level *level)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

static void print_time(char text[40])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, 40 - used, ".%03ldZ", now.tv_nsec / 1000000);
}

static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/:+*[]@%";
    return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

static void add_field(struct strbuf *line, bool json, const struct log_field *field)
{
    if (field->text != NULL && field->text[0] == '\0')
        return;
    if (json)
        strbuf_addf(line, ",\"%s\":", field->key);
    else
        strbuf_addf(line, " %s=", field->key);
    if (field->text == NULL)
        strbuf_addf(line, "%.*f", field->decimals, field->number);
    else if (!json && is_plain(field->text))
        strbuf_adds(line, field->text);
    else
        escape_json(line, field->text, strlen(field->text));
}

static void write_whole(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* nobody reads the log: serving goes on */
        bytes += n;
        size -= (size_t)n;
    }
}

void log_write(const struct log *log, enum log_level level, const char *message,
               const struct log_field *fields, size_t count)
{
    if (!log_wants(log, level))
        return;
    char now[40];
    print_time(now);
    KARTA_AUTO_STRBUF line;
    strbuf_init(&line, LIMIT_LOG_LINE);
    strbuf_addf(&line, log->json ? "{\"time\":\"%s\",\"level\":\"%s\"" : "time=%s level=%s", now,
                level_names[level]);
    struct log_field head = log_text("msg", message);
    add_field(&line, log->json, &head);
    for (size_t i = 0; i < count; i++)
        add_field(&line, log->json, &fields[i]);
    strbuf_adds(&line, log->json ? "}\n" : "\n");
    if (strbuf_check(&line, NULL) == 0)
        write_whole(log->fd, line.text, line.size);
}
