/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karta-webhook: from the command line to the last signal. Signals are blocked in every thread
 * and waited for here, so nothing ever runs inside a signal handler.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "host.h"

#define EXIT_USAGE 2

static int complain(const struct karta_error *err, int status)
{
    if (err->line > 0)
        fprintf(stderr, "karta-webhook: %s (line %d, column %d)\n", err->message, err->line,
                err->column);
    else
        fprintf(stderr, "karta-webhook: %s\n", err->message);
    return status;
}

static int print_help(void)
{
    KARTA_AUTO_TEXT text = options_help();
    return text != NULL && fputs(text, stdout) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void block_signals(sigset_t *waited)
{
    sigemptyset(waited);
    sigaddset(waited, SIGTERM);
    sigaddset(waited, SIGINT);
    sigaddset(waited, SIGHUP);
    pthread_sigmask(SIG_BLOCK, waited, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Returns when the process shall end. */
static void wait_for_end(struct host *host, const sigset_t *waited)
{
    int number = 0;
    while (sigwait(waited, &number) != 0 || number == SIGHUP)
        host_reload(host);
}

/* A second signal ends the process at once, as it would one that never asked for signals. */
static void unblock_end(void)
{
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigaddset(&end, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &end, NULL);
}

static int run(const struct options *options)
{
    struct karta_error err = {0};
    struct host *host = NULL;
    sigset_t waited;
    block_signals(&waited);
    if (host_start(options, &host, &err) != 0)
        return complain(&err, EXIT_FAILURE);
    wait_for_end(host, &waited);
    unblock_end();
    host_stop(host);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options options;
    struct karta_error err = {0};
    int rc = options_parse(&options, argc, argv, &err);
    int status;
    if (rc != 0)
        status = complain(&err, rc == KARTA_ERR_SCHEMA ? EXIT_USAGE : EXIT_FAILURE);
    else if (options.help)
        status = print_help();
    else if (options.version)
        status = puts("karta-webhook " KARTA_VERSION) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    else
        status = run(&options);
    options_dispose(&options);
    return status;
}
