/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kubectl on PATH: its kubeconfig, contexts and credentials are its own business, and so are
 * ours unchanged. Started without a shell. Main's thread only.
 */
#ifndef KARTA_CLI_KUBECTL_H
#define KARTA_CLI_KUBECTL_H

#include "arguments.h"
#include "base/strbuf.h"

#define KUBECTL_WORDS 16

struct kubectl_call {
    const char *words[KUBECTL_WORDS]; /* what follows "kubectl"; a NULL ends them */
    struct strbuf out, err;           /* what it printed */
    int status;                       /* its exit status, -1 where a signal ended it */
};
void kubectl_call_dispose(struct kubectl_call *call);

/* In main, before the engine hides HOME: kubectl gets it back. */
void kubectl_init(void);
void kubectl_shutdown(void);

/* CLI_DONE, or CLI_CLUSTER and one line where a kubeconfig is named that isn't there. */
int kubectl_check_config(const struct arguments *arguments);

/*
 * Runs all of them at once, with --context and --kubeconfig passed on, and waits. CLI_DONE where
 * each has ended in whatever way; CLI_CLUSTER and one line where there is no kubectl or one takes
 * longer than a minute; CLI_FAILED and one line. The caller disposes the calls in any case.
 */
int kubectl_run(const struct arguments *arguments, struct kubectl_call *calls, size_t count);

#endif
