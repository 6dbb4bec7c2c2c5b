/* SPDX-License-Identifier: Apache-2.0 */
/* Output: built whole, then written; a reader that has gone away is no fault worth a word. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "exit_code.h"
#include "karta/document.h"
#include "message.h"

bool output_terminal(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

bool output_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    return output_terminal() && (no_color == NULL || *no_color == '\0');
}

size_t output_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    if (!output_terminal())
        return 0;
    if (columns != NULL && atoi(columns) > 0)
        return (size_t)atoi(columns);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

long long output_now(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    return fixed != NULL && *fixed != '\0' ? strtoll(fixed, NULL, 10) : (long long)time(NULL);
}

int output_text(struct strbuf *buf)
{
    struct karta_error err = {0};
    if (strbuf_check(buf, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    if (buf->size > 0)
        fwrite(buf->text, 1, buf->size, stdout);
    return CLI_DONE;
}

int output_yaml(struct strbuf *buf, const json_t *items)
{
    for (size_t i = 0; i < json_array_size(items); i++) {
        struct karta_error err = {0};
        KARTA_AUTO_TEXT text = NULL;
        if (karta_yaml_print(json_array_get(items, i), &text, &err) != 0)
            return cli_fail(CLI_FAILED, "%s", err.message);
        if (i > 0)
            strbuf_adds(buf, "---\n");
        strbuf_adds(buf, text);
        if (buf->size > 0 && buf->text[buf->size - 1] != '\n')
            strbuf_addc(buf, '\n');
    }
    return CLI_DONE;
}

static int output_documents(const json_t *items)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    int code = output_yaml(&buf, items);
    return code != CLI_DONE ? code : output_text(&buf);
}

int output_value(const char *format, const json_t *value)
{
    if (strcmp(format, "yaml") == 0) {
        json_auto_t *items = json_pack("[O]", (json_t *)value);
        return items != NULL ? output_documents(items) : cli_fail(CLI_FAILED, "out of memory");
    }
    KARTA_AUTO_TEXT text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
    if (text == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    puts(text);
    return CLI_DONE;
}

int output_items(const char *format, const json_t *items)
{
    if (strcmp(format, "yaml") == 0)
        return output_documents(items);
    if (json_array_size(items) == 1)
        return output_value(format, json_array_get(items, 0));
    json_auto_t *list = json_pack("{s:O}", "items", (json_t *)items);
    return list != NULL ? output_value(format, list) : cli_fail(CLI_FAILED, "out of memory");
}

int output_end(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    if (errno == EPIPE)
        return CLI_FAILED;
    return cli_fail(CLI_FAILED, "cannot write output: %s", strerror(errno));
}
