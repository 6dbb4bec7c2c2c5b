/* SPDX-License-Identifier: Apache-2.0 */
/* One POST by libcurl. There is no switch to skip verification: the CA is a file away. */
#include "server.h"

#include <curl/curl.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"

/* the API server waits 10 s by default for a webhook, so waiting longer would show nothing */
#define ANSWER_SECONDS 10L

/* a patch is at most a few templates' keys; the API server itself takes 3 MiB objects */
#define ANSWER_BYTES (16U << 20)

int server_init(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return cli_fail(CLI_FAILED, "libcurl does not start");
    return CLI_DONE;
}

void server_shutdown(void)
{
    curl_global_cleanup();
}

static size_t receive(char *bytes, size_t size, size_t count, void *state)
{
    struct strbuf *buf = state;
    strbuf_add(buf, bytes, size * count);
    return buf->failed == 0 ? size * count : 0;
}

static void set_options(CURL *curl, const char *url, const char *ca_file, const char *body,
                        struct curl_slist *headers, struct strbuf *answer)
{
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, ANSWER_SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    if (ca_file != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
}

/* What the server says of a request that it didn't take: {"error": "..."}. */
static int refused(const char *url, long status, const struct strbuf *answer)
{
    json_auto_t *body = json_loadb(answer->size > 0 ? answer->text : "", answer->size, 0, NULL);
    const char *reason = input_text(body, "error");
    if (*reason != '\0')
        return cli_fail(CLI_FAILED, "%s: HTTP %ld: %s", url, status, reason);
    return cli_fail(CLI_FAILED, "%s: HTTP %ld", url, status);
}

static int perform(CURL *curl, const char *url, struct strbuf *answer)
{
    char reason[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    CURLcode result = curl_easy_perform(curl);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
    if (result != CURLE_OK)
        return cli_fail(CLI_CLUSTER, "%s: %s", url,
                        reason[0] != '\0' ? reason : curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status == 200 ? CLI_DONE : refused(url, status, answer);
}

int server_post(const char *url, const char *path, const char *ca_file, const char *body,
                char **answer, size_t *size)
{
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/')
        length--;
    KARTA_AUTO_TEXT full = mem_format("%.*s%s", (int)length, url, path);
    KARTA_AUTO_STRBUF received;
    strbuf_init(&received, ANSWER_BYTES);
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    int code = CLI_DONE;
    if (full == NULL || curl == NULL || headers == NULL) {
        code = cli_fail(CLI_FAILED, "out of memory");
    } else {
        set_options(curl, full, ca_file, body, headers, &received);
        code = perform(curl, full, &received);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (code != CLI_DONE)
        return code;
    *size = received.size;
    *answer = strbuf_take(&received);
    return *answer != NULL ? CLI_DONE : cli_fail(CLI_FAILED, "out of memory");
}
