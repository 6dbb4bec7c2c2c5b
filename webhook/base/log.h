/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one line an event, key=value text or JSON, written whole by one write(2). Every value
 * may come from a user, so every value is escaped. Any thread; a log is read-only once made.
 */
#ifndef KARTA_WEBHOOK_LOG_H
#define KARTA_WEBHOOK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

struct log {
    enum log_level level; /* what is below it is not written */
    bool json;
    int fd;
};

struct log_field {
    const char *key;
    const char *text; /* NULL: the number is printed */
    double number;
    int decimals;
};

static inline struct log_field log_text(const char *key, const char *text)
{
    return (struct log_field){.key = key, .text = text != NULL ? text : ""};
}

static inline struct log_field log_count(const char *key, int64_t count)
{
    return (struct log_field){.key = key, .number = (double)count};
}

/* Milliseconds with three decimals, of microseconds. */
static inline struct log_field log_ms(const char *key, int64_t us)
{
    return (struct log_field){.key = key, .number = (double)us / 1000, .decimals = 3};
}

static inline bool log_wants(const struct log *log, enum log_level level)
{
    return level >= log->level;
}

/* Fields whose text is empty are left out. A line that memory does not suffice for is lost. */
void log_write(const struct log *log, enum log_level level, const char *message,
               const struct log_field *fields, size_t count);

/* LOG_WRITE(log, LOG_LEVEL_INFO, "listening", log_text("address", a), log_count("port", p)); */
#define LOG_WRITE(log, level, message, ...)                                                        \
    log_write((log), (level), (message), (const struct log_field[]){__VA_ARGS__},                  \
              sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))

/* "debug", "info", "warn", "error"; false for another word. */
bool log_level_parse(const char *text, enum log_level *level);

#endif
