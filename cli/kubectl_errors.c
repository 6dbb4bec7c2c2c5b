/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl's errors. The one idea: the API server's reason, which kubectl prints in parentheses, is
 * an interface; sentences are looked at only where there is no server to give a reason.
 */
#include "kubectl_errors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "exit_code.h"
#include "message.h"

static const struct {
    const char *reason;
    int code;
} reasons[] = {{"NotFound", CLI_NOT_FOUND},        {"Forbidden", CLI_CLUSTER},
               {"Unauthorized", CLI_CLUSTER},      {"ServiceUnavailable", CLI_CLUSTER},
               {"Timeout", CLI_CLUSTER},           {"ServerTimeout", CLI_CLUSTER},
               {"TooManyRequests", CLI_CLUSTER},   {"InternalError", CLI_CLUSTER},
               {"Invalid", CLI_INVALID},           {"Conflict", CLI_INVALID},
               {"MethodNotAllowed", CLI_NOT_FOUND}};

static const struct {
    const char *words;
    int code;
} sentences[] = {{"doesn't have a resource type", CLI_NOT_FOUND},
                 {"no matches for kind", CLI_NOT_FOUND},
                 {"The connection to the server", CLI_CLUSTER},
                 {"Unable to connect to the server", CLI_CLUSTER},
                 {"couldn't get current server", CLI_CLUSTER},
                 {"Error in configuration", CLI_CLUSTER},
                 {"logged in to the server", CLI_CLUSTER},
                 {"invalid configuration", CLI_CLUSTER},
                 {"error loading config file", CLI_CLUSTER},
                 {"no such file or directory", CLI_CLUSTER},
                 {"does not exist", CLI_CLUSTER},
                 {"getting credentials", CLI_CLUSTER},
                 {"connection refused", CLI_CLUSTER},
                 {"timeout", CLI_CLUSTER},
                 {"x509:", CLI_CLUSTER},
                 {"no such host", CLI_CLUSTER},
                 {"complete list of server APIs", CLI_CLUSTER}};

/* klog: a letter, four digits of the date, a blank. */
static bool is_log_line(const char *line, size_t size)
{
    return size > 6 && strchr("EWIF", line[0]) != NULL && isdigit((unsigned char)line[1]) &&
           isdigit((unsigned char)line[2]) && isdigit((unsigned char)line[3]) &&
           isdigit((unsigned char)line[4]) && line[5] == ' ';
}

static bool skip_prefix(struct kubectl_error *error, const char *prefix)
{
    size_t size = strlen(prefix);
    if (error->size < size || memcmp(error->text, prefix, size) != 0)
        return false;
    error->text += size;
    error->size -= size;
    return true;
}

static void keep_reason(struct kubectl_error *error, const char *begin, const char *end)
{
    if (end != NULL && (size_t)(end - begin) < sizeof error->reason)
        snprintf(error->reason, sizeof error->reason, "%.*s", (int)(end - begin), begin);
}

static void read_line(struct kubectl_error *error)
{
    if (skip_prefix(error, "Error from server (")) {
        const char *end = memchr(error->text, ')', error->size);
        keep_reason(error, error->text, end);
        size_t past = end != NULL ? (size_t)(end - error->text) + 1 : 0;
        past += past < error->size && error->text[past] == ':' ? 1 : 0;
        past += past < error->size && error->text[past] == ' ' ? 1 : 0;
        error->text += past;
        error->size -= past;
        return;
    }
    (void)(skip_prefix(error, "Error from server: ") || skip_prefix(error, "error: ") ||
           skip_prefix(error, "Error: "));
    if (error->size > 0 && error->text[error->size - 1] == ')') {
        const char *begin = memrchr(error->text, '(', error->size);
        if (begin != NULL)
            keep_reason(error, begin + 1, error->text + error->size - 1);
    }
}

bool kubectl_error_next(const char **text, struct kubectl_error *error)
{
    while (**text != '\0') {
        const char *line = *text;
        size_t size = strcspn(line, "\n");
        *text = line + size + (line[size] == '\n');
        if (size == 0 || is_log_line(line, size) || strncmp(line, "Warning: ", 9) == 0)
            continue;
        *error = (struct kubectl_error){line, size, ""};
        read_line(error);
        return true;
    }
    return false;
}

int kubectl_error_code(const struct kubectl_error *error)
{
    static const char refusal[] = "denied the request";
    if (memmem(error->text, error->size, refusal, sizeof refusal - 1) != NULL)
        return CLI_INVALID;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(reasons[i].reason, error->reason) == 0)
            return reasons[i].code;
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
        if (memmem(error->text, error->size, sentences[i].words, strlen(sentences[i].words)) !=
            NULL)
            return sentences[i].code;
    return CLI_FAILED;
}

int kubectl_errors_code(const char *text)
{
    struct kubectl_error error;
    return text != NULL && kubectl_error_next(&text, &error) ? kubectl_error_code(&error)
                                                             : CLI_FAILED;
}

void kubectl_errors_print(const char *text, bool warn)
{
    struct kubectl_error error;
    size_t printed = 0;
    while (text != NULL && kubectl_error_next(&text, &error)) {
        printed++;
        if (warn)
            cli_warn("kubectl: %.*s", (int)error.size, error.text);
        else
            cli_fail(CLI_FAILED, "kubectl: %.*s", (int)error.size, error.text);
    }
    if (printed == 0 && !warn)
        cli_fail(CLI_FAILED, "kubectl failed and does not say why");
}
