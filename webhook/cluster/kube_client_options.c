/* SPDX-License-Identifier: Apache-2.0 */
/* What libcurl is told. Every option is set anew for each request: nothing lingers, and the
 * environment (proxies, netrc) has no say. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kube_client_internal.h"

#define CONNECT_MS 5000L

static char *part_of(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

/* This very machine: a token that goes there is seen by nobody else. */
static bool is_loopback(const char *host)
{
    struct in_addr address;
    if (inet_pton(AF_INET, host, &address) == 1)
        return ntohl(address.s_addr) >> 24 == 127;
    return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0;
}

static int describe(struct kube_client *client, const char *scheme, const char *host,
                    const char *port, struct karta_error *err)
{
    if (scheme == NULL || host == NULL)
        client->server = strdup("no URL");
    else
        client->server = mem_format(port != NULL ? "%s://%s:%s" : "%s://%s", scheme, host, port);
    if (client->server == NULL)
        return mem_error(err);
    client->token_is_safe =
        scheme != NULL && host != NULL &&
        (strcmp(scheme, "https") == 0 || (strcmp(scheme, "http") == 0 && is_loopback(host)));
    return 0;
}

int kube_client_look(struct kube_client *client, struct karta_error *err)
{
    CURLU *url = curl_url();
    if (url == NULL)
        return mem_error(err);
    curl_url_set(url, CURLUPART_URL, client->access->url, 0);
    char *scheme = part_of(url, CURLUPART_SCHEME);
    char *host = part_of(url, CURLUPART_HOST);
    char *port = part_of(url, CURLUPART_PORT);
    int rc = describe(client, scheme, host, port, err);
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(url);
    return rc;
}

static int add_header(struct kube_transfer *transfer, const char *name, const char *value,
                      struct karta_error *err)
{
    KARTA_AUTO_TEXT line = mem_format("%s: %s", name, value);
    struct curl_slist *longer = line != NULL ? curl_slist_append(transfer->headers, line) : NULL;
    if (longer == NULL)
        return mem_error(err);
    transfer->headers = longer;
    return 0;
}

static int add_headers(struct kube_transfer *transfer, struct karta_error *err)
{
    const struct kube_client *client = transfer->client;
    const struct kube_request *request = transfer->request;
    const char *json = "application/json";
    int rc = add_header(transfer, "Accept", request->accept != NULL ? request->accept : json, err);
    if (rc == 0 && request->if_none_match != NULL && request->if_none_match[0] != '\0')
        rc = add_header(transfer, "If-None-Match", request->if_none_match, err);
    if (rc == 0 && request->body != NULL)
        rc = add_header(transfer, "Content-Type",
                        request->content_type != NULL ? request->content_type : json, err);
    if (rc == 0 && client->token.text != NULL && client->token_is_safe) {
        KARTA_AUTO_TEXT bearer = mem_format("Bearer %s", client->token.text);
        rc = bearer != NULL ? add_header(transfer, "Authorization", bearer, err) : mem_error(err);
    }
    if (rc == 0) { /* "Expect:": no waiting for 100-continue before a body */
        struct curl_slist *longer = curl_slist_append(transfer->headers, "Expect:");
        rc = longer != NULL ? 0 : mem_error(err);
        transfer->headers = longer != NULL ? longer : transfer->headers;
    }
    return rc;
}

static const char *method_of(const char *verb)
{
    static const char *const methods[][2] = {
        {"create", "POST"}, {"update", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(verb, methods[i][0]) == 0)
            return methods[i][1];
    return "GET";
}

static void set_connection(CURL *easy, const struct kube_access *access)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 10L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    /* a name that does not resolve must not hold up the end of a request */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    /* libcurl keeps CAs for a day otherwise, and would trust the system's beside ours */
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
    if (access->ca_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, access->ca_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
}

static void set_request(struct kube_transfer *transfer, const char *url)
{
    CURL *easy = transfer->client->easy;
    const struct kube_request *request = transfer->request;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "karta-webhook/" KARTA_VERSION);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->client->reason);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, kube_client_on_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, kube_client_on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    if (request->body != NULL) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method_of(request->verb));
}

int kube_client_options(struct kube_transfer *transfer, struct karta_error *err)
{
    struct kube_client *client = transfer->client;
    KARTA_AUTO_TEXT url = mem_format("%s%s", client->access->url, transfer->request->path);
    int rc = url != NULL ? add_headers(transfer, err) : mem_error(err);
    if (rc != 0)
        return rc;
    curl_easy_reset(client->easy); /* keeps connections */
    client->reason[0] = '\0';
    set_connection(client->easy, client->access);
    set_request(transfer, url);
    return 0;
}
