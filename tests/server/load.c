/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <string.h>

static bool is_right(const struct load *load, const struct answer *answer)
{
    if (answer->status != 200)
        return false;
    return load->bodies[0] == NULL || strcmp(answer->body, load->bodies[0]) == 0 ||
           strcmp(answer->body, load->bodies[1]) == 0;
}

/* One handshake for every three requests. */
static void *run_client(void *arg)
{
    struct load *load = arg;
    const char *path = load->path != NULL ? load->path : "/mutate/workloads";
    while (!atomic_load(&load->done)) {
        struct client client;
        struct client_tls tls = {.ca = load->ca};
        if (!client_open(&client, load->port, &tls)) {
            atomic_fetch_add(&load->failed, 1);
            continue;
        }
        atomic_fetch_add(&load->handshakes, 1);
        for (int i = 0; i < 3; i++) {
            struct answer answer;
            bool good =
                client_post(&client, path, load->review, &answer) && is_right(load, &answer);
            atomic_fetch_add(good ? &load->answered : &load->failed, 1);
            answer_dispose(&answer);
        }
        client_close(&client);
    }
    return NULL;
}

void load_start(struct load *load)
{
    for (size_t i = 0; i < LOAD_CLIENTS; i++)
        assert_int_equal(pthread_create(&load->threads[i], NULL, run_client, load), 0);
}

void load_stop(struct load *load, const char *what, int swaps)
{
    atomic_store(&load->done, true);
    for (size_t i = 0; i < LOAD_CLIENTS; i++)
        pthread_join(load->threads[i], NULL);
    print_message("%d swaps of %s: %d handshakes, %d requests answered, %d failed\n", swaps, what,
                  atomic_load(&load->handshakes), atomic_load(&load->answered),
                  atomic_load(&load->failed));
    assert_int_equal(atomic_load(&load->failed), 0);
    assert_true(atomic_load(&load->answered) > LOAD_CLIENTS);
}
