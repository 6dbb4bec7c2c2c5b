/* SPDX-License-Identifier: Apache-2.0 */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "base/mem.h"
#include "certs.h"
#include "karta/engine.h"
#include "tls_pair.h"

static char *read_file(const char *path)
{
    char *text = calloc(1, 8192);
    FILE *file = fopen(path, "re");
    assert_non_null(text);
    assert_non_null(file);
    text[fread(text, 1, 8191, file)] = '\0';
    fclose(file);
    return text;
}

/* Two CAs with a pair each; the clients trust both, by one file. */
static void make_pairs(struct inside *inside)
{
    static const char *const sans[] = {"127.0.0.1"};
    char *cas[2];
    for (size_t i = 0; i < 2; i++) {
        KARTA_AUTO_TEXT dir = mem_format("%s/%zu", inside->folder.dir, i);
        KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", dir);
        KARTA_AUTO_TEXT key = mem_format("%s/tls.key", dir);
        KARTA_AUTO_TEXT ca = mem_format("%s/ca.crt", dir);
        struct certs_options options = {.dir = dir, .sans = sans, .san_count = 1};
        assert_int_equal(certs_ensure(&options, NULL, NULL), 0);
        inside->pairs[i] = (struct pair_text){read_file(cert), read_file(key)};
        cas[i] = read_file(ca);
    }
    KARTA_AUTO_TEXT both = mem_format("%s%s", cas[0], cas[1]);
    snprintf(inside->folder.ca, sizeof inside->folder.ca, "%s/both", inside->folder.dir);
    write_text(inside->folder.ca, both);
    free(cas[0]);
    free(cas[1]);
}

void inside_put_pair(struct inside *inside, size_t index)
{
    struct tls_pair *pair = NULL;
    struct karta_error err = {0};
    const struct pair_text *text = &inside->pairs[index];
    assert_int_equal(tls_pair_new(text->cert, text->key, &pair, &err), 0);
    tls_store_put(pair);
}

void inside_init(struct inside *inside, int64_t stuck_ms)
{
    struct karta_error err = {0};
    *inside = (struct inside){0};
    running_init(&inside->folder);
    make_pairs(inside);
    assert_int_equal(karta_engine_init(&err), 0);
    holder_init(&inside->holder);
    holder_put(&inside->holder, test_snapshot(), NULL);
    inside->metrics = metrics_new();
    inside->workers = workers_new(stuck_ms);
    inside->log = (struct log){.fd = STDERR_FILENO, .level = LOG_LEVEL_WARN};
    inside->admission = (struct admission_config){.profile = "kai", .deadline_ms = 1000};
    inside_put_pair(inside, 0);
}

void inside_start(struct inside *inside)
{
    int fd;
    char real[ADDRESS_TEXT];
    struct karta_error err = {0};
    assert_int_equal(address_listen("127.0.0.1:0", &fd, real, &err), 0);
    inside->port = atoi(strrchr(real, ':') + 1);
    struct server_config config = {.listen_fd = fd,
                                   .threads = 2,
                                   .admission = &inside->admission,
                                   .holder = &inside->holder,
                                   .metrics = inside->metrics,
                                   .workers = inside->workers,
                                   .log = &inside->log};
    assert_int_equal(server_start(&config, &inside->server, &err), 0);
}

void inside_dispose(struct inside *inside)
{
    server_stop(inside->server, 2000);
    holder_dispose(&inside->holder);
    metrics_free(inside->metrics);
    workers_free(inside->workers);
    tls_store_put(NULL);
    for (size_t i = 0; i < 2; i++) {
        free(inside->pairs[i].cert);
        free(inside->pairs[i].key);
    }
    running_remove(&inside->folder);
    karta_engine_shutdown();
}
