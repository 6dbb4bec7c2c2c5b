/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: what libmicrohttpd, GnuTLS and the kernel cost on this machine, with the options that
 * karta-webhook uses and nothing done. It reads a body and sends it back. What the webhook is
 * slower by is ours.
 */
#include <microhttpd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "base/file.h"
#include "base/mem.h"
#include "body.h"
#include "capacity.h"
#include "reply.h"
#include "tls_pair.h"

#define MOST_BODY ((size_t)8 << 20)
#define MOST_PEM ((size_t)1 << 20)

struct flags {
    const char *listen, *cert, *key;
    unsigned threads;
};

struct request {
    struct body body;
    bool head_seen;
};

static void *on_uri(void *budget, const char *uri, struct MHD_Connection *connection)
{
    (void)uri;
    (void)connection;
    struct request *request = calloc(1, sizeof *request);
    if (request != NULL)
        request->body.budget = budget;
    return request;
}

static void on_completed(void *unused, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode how)
{
    (void)unused;
    (void)connection;
    (void)how;
    struct request *request = *context;
    if (request != NULL)
        body_dispose(&request->body);
    free(request);
    *context = NULL;
}

static enum MHD_Result on_access(void *unused, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **context)
{
    (void)unused;
    (void)url;
    (void)method;
    (void)version;
    struct request *request = *context;
    if (request == NULL)
        return MHD_NO;
    if (!request->head_seen) {
        request->head_seen = true;
        return MHD_YES;
    }
    if (*size > 0) {
        enum body_outcome outcome = body_add(&request->body, data, *size, MOST_BODY);
        *size = 0;
        return outcome == BODY_TAKEN ? MHD_YES : MHD_NO;
    }
    struct reply reply = {.status = MHD_HTTP_OK, .type = REPLY_JSON};
    char *bytes = request->body.bytes != NULL ? request->body.bytes : strdup("");
    request->body.bytes = NULL; /* the response frees it */
    return reply_send(connection, &reply, bytes, request->body.size);
}

static int load_pair(const struct flags *flags, struct karta_error *err)
{
    KARTA_AUTO_TEXT cert = NULL;
    KARTA_AUTO_TEXT key = NULL;
    size_t size;
    struct tls_pair *pair = NULL;
    int rc = file_read(flags->cert, MOST_PEM, &cert, &size, err);
    if (rc == 0)
        rc = file_read(flags->key, MOST_PEM, &key, &size, err);
    if (rc == 0)
        rc = tls_pair_new(cert, key, &pair, err);
    if (rc == 0)
        tls_store_put(pair);
    return rc;
}

static struct MHD_Daemon *start(const struct flags *flags, int fd, atomic_size_t *budget)
{
    struct MHD_OptionItem pool[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)flags->threads, NULL},
                                    {MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        MHD_USE_TLS | MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, on_access, NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_HTTPS_CERT_CALLBACK2,
        tls_store_callback, MHD_OPTION_HTTPS_PRIORITIES,
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", MHD_OPTION_CONNECTION_LIMIT,
        capacity_connections(flags->threads), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 << 10,
        MHD_OPTION_CONNECTION_TIMEOUT, 180U, MHD_OPTION_URI_LOG_CALLBACK, on_uri, budget,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_ARRAY,
        flags->threads > 1 ? pool : &pool[1], MHD_OPTION_END);
}

static bool read_flag(struct flags *flags, const char *name, const char *value)
{
    if (strcmp(name, "--listen") == 0)
        flags->listen = value;
    else if (strcmp(name, "--tls-cert-file") == 0)
        flags->cert = value;
    else if (strcmp(name, "--tls-key-file") == 0)
        flags->key = value;
    else if (strcmp(name, "--threads") == 0)
        flags->threads = (unsigned)strtoul(value, NULL, 10);
    else
        return false;
    return true;
}

static int run(const struct flags *flags, const sigset_t *end, struct karta_error *err)
{
    char real[ADDRESS_TEXT];
    int fd;
    int number;
    atomic_size_t budget = 0;
    int rc = load_pair(flags, err);
    if (rc == 0)
        rc = address_listen(flags->listen, &fd, real, err);
    if (rc != 0)
        return rc;
    struct MHD_Daemon *daemon = start(flags, fd, &budget);
    if (daemon == NULL)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "libmicrohttpd refused");
    fprintf(stderr, "listening address=%s\n", real);
    sigwait(end, &number);
    MHD_stop_daemon(daemon);
    tls_store_put(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    struct flags flags = {.listen = "127.0.0.1:9444", .threads = capacity_processors()};
    struct karta_error err = {0};
    sigset_t end;
    bool good = argc % 2 == 1;
    for (int i = 1; good && i + 1 < argc; i += 2)
        good = read_flag(&flags, argv[i], argv[i + 1]);
    if (!good || flags.cert == NULL || flags.key == NULL || flags.threads == 0) {
        fputs("usage: echo --tls-cert-file FILE --tls-key-file FILE [--listen ADDR:PORT] "
              "[--threads N]\n",
              stderr);
        return 2;
    }
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigaddset(&end, SIGINT);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    signal(SIGPIPE, SIG_IGN);
    capacity_raise_files();
    if (run(&flags, &end, &err) == 0)
        return 0;
    fprintf(stderr, "echo: %s\n", err.message);
    return 1;
}
