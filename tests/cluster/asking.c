/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl; a watch has a thread that puts its lines into a list. */
#include "asking.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define PATIENCE_S 20

struct text {
    char *bytes;
    size_t size;
};

static size_t collect(char *bytes, size_t one, size_t size, void *arg)
{
    struct text *text = arg;
    char *grown = realloc(text->bytes, text->size + one * size + 1);
    if (grown == NULL)
        return 0;
    memcpy(grown + text->size, bytes, one * size);
    text->bytes = grown;
    text->size += one * size;
    grown[text->size] = '\0';
    return one * size;
}

static size_t read_header(char *bytes, size_t one, size_t size, void *arg)
{
    struct asked *asked = arg;
    KARTA_AUTO_TEXT line = strndup(bytes, strcspn(bytes, "\r\n"));
    if (strncasecmp(line, "etag: ", 6) == 0)
        snprintf(asked->etag, sizeof asked->etag, "%s", line + 6);
    else if (strncasecmp(line, "content-type: ", 14) == 0)
        snprintf(asked->type, sizeof asked->type, "%s", line + 14);
    else if (strncasecmp(line, "retry-after: ", 13) == 0)
        asked->retry_after = atoi(line + 13);
    return one * size;
}

static struct curl_slist *header(struct curl_slist *list, const char *name, const char *value)
{
    if (value == NULL)
        return list;
    KARTA_AUTO_TEXT line = mem_format("%s: %s", name, value);
    return curl_slist_append(list, line);
}

static struct curl_slist *headers_of(const struct asking *asking)
{
    struct curl_slist *list = header(NULL, "Content-Type", asking->content_type);
    list = header(list, "Accept", asking->accept);
    list = header(list, "If-None-Match", asking->if_none_match);
    KARTA_AUTO_TEXT bearer = asking->token != NULL ? mem_format("Bearer %s", asking->token) : NULL;
    return header(list, "Authorization", bearer);
}

static char *quoted(const char *text)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    for (char *c = copy; c != NULL && *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

struct asked ask(struct api_server *server, const struct asking *asking)
{
    struct asked asked = {0};
    struct text text = {0};
    CURL *curl = curl_easy_init();
    KARTA_AUTO_TEXT url = mem_format("%s%s", api_server_url(server), asking->path);
    KARTA_AUTO_TEXT body = quoted(asking->body);
    struct curl_slist *headers = headers_of(asking);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, asking->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "asking/1.0");
    if (body != NULL)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    if (asking->ca != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, asking->ca);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     asking->timeout_ms != 0 ? asking->timeout_ms : PATIENCE_S * 1000L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &text);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, read_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &asked);
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &asked.status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    asked.text = text.bytes;
    asked.body = text.bytes != NULL ? json_loads(text.bytes, 0, NULL) : NULL;
    return asked;
}

void asked_dispose(struct asked *asked)
{
    free(asked->text);
    json_decref(asked->body);
    *asked = (struct asked){0};
}

json_t *ask_json(struct api_server *server, const char *method, const char *path, const char *body,
                 long status)
{
    struct asking asking = {.method = method, .path = path, .body = body};
    if (body != NULL)
        asking.content_type = strcmp(method, "PATCH") != 0 ? "application/json"
                              : strstr(path, "fieldManager") != NULL
                                  ? "application/apply-patch+yaml"
                                  : "application/merge-patch+json";
    struct asked asked = ask(server, &asking);
    if (asked.status != status)
        print_error("%s %s: %s\n", method, path, asked.text != NULL ? asked.text : "no answer");
    assert_int_equal(asked.status, status);
    assert_non_null(asked.body);
    free(asked.text);
    return asked.body;
}

const char *text_at(const json_t *object, const char *path)
{
    KARTA_AUTO_TEXT copy = strdup(path);
    char *rest = NULL;
    for (char *word = strtok_r(copy, ".", &rest); word != NULL; word = strtok_r(NULL, ".", &rest))
        object = json_is_array(object) ? json_array_get(object, (size_t)atoi(word))
                                       : json_object_get(object, word);
    const char *text = json_string_value(object);
    return text != NULL ? text : "";
}

void assert_status(const json_t *status, int code, const char *reason, const char *message)
{
    assert_string_equal(text_at(status, "message"), message);
    assert_string_equal(text_at(status, "kind"), "Status");
    assert_string_equal(text_at(status, "apiVersion"), "v1");
    assert_string_equal(text_at(status, "status"), "Failure");
    assert_string_equal(text_at(status, "reason"), reason);
    assert_int_equal(json_integer_value(json_object_get(status, "code")), code);
}

struct following {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    char *url, *accept;
    struct text text; /* what has come and was not given out */
    bool ended, whole;
    long status;
    atomic_bool enough;
};

static size_t collect_lines(char *bytes, size_t one, size_t size, void *arg)
{
    struct following *following = arg;
    pthread_mutex_lock(&following->lock);
    size_t taken = collect(bytes, one, size, &following->text);
    pthread_cond_broadcast(&following->news);
    pthread_mutex_unlock(&following->lock);
    return taken;
}

static int has_enough(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    struct following *following = arg;
    return atomic_load(&following->enough);
}

static void *run(void *arg)
{
    struct following *following = arg;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = header(NULL, "Accept", following->accept);
    curl_easy_setopt(curl, CURLOPT_URL, following->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, has_enough);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, following);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect_lines);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, following);
    CURLcode rc = curl_easy_perform(curl);
    pthread_mutex_lock(&following->lock);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &following->status);
    following->whole = rc == CURLE_OK;
    following->ended = true;
    pthread_cond_broadcast(&following->news);
    pthread_mutex_unlock(&following->lock);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return NULL;
}

struct following *follow(struct api_server *server, const char *path, const char *accept)
{
    struct following *following = calloc(1, sizeof *following);
    assert_non_null(following);
    pthread_mutex_init(&following->lock, NULL);
    pthread_cond_init(&following->news, NULL);
    following->url = mem_format("%s%s", api_server_url(server), path);
    following->accept = accept != NULL ? strdup(accept) : NULL;
    assert_int_equal(pthread_create(&following->thread, NULL, run, following), 0);
    return following;
}

/* Under the lock. Fails when patience is over. */
static void wait_news(struct following *following)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    int rc = pthread_cond_timedwait(&following->news, &following->lock, &until);
    if (rc == ETIMEDOUT) {
        pthread_mutex_unlock(&following->lock);
        fail_msg("nothing came of %s", following->url);
    }
}

char *follow_line(struct following *following)
{
    char *line = NULL;
    char *end = NULL;
    struct text *text = &following->text;
    pthread_mutex_lock(&following->lock);
    while (text->size == 0 || (end = memchr(text->bytes, '\n', text->size)) == NULL) {
        if (following->ended)
            break;
        wait_news(following);
    }
    if (end != NULL) {
        size_t size = (size_t)(end - text->bytes);
        line = strndup(text->bytes, size);
        text->size -= size + 1;
        memmove(text->bytes, end + 1, text->size + 1);
    }
    pthread_mutex_unlock(&following->lock);
    return line;
}

json_t *follow_event(struct following *following, const char *type)
{
    KARTA_AUTO_TEXT line = follow_line(following);
    assert_non_null(line);
    json_t *event = json_loads(line, 0, NULL);
    if (strcmp(text_at(event, "type"), type) != 0)
        print_error("event: %s\n", line);
    assert_string_equal(text_at(event, "type"), type);
    return event;
}

long follow_end(struct following *following, bool *whole)
{
    pthread_mutex_lock(&following->lock);
    while (!following->ended)
        wait_news(following);
    *whole = following->whole;
    long status = following->status;
    pthread_mutex_unlock(&following->lock);
    return status;
}

void follow_free(struct following *following)
{
    atomic_store(&following->enough, true);
    pthread_join(following->thread, NULL);
    pthread_cond_destroy(&following->news);
    pthread_mutex_destroy(&following->lock);
    free(following->text.bytes);
    free(following->url);
    free(following->accept);
    free(following);
}
