/* SPDX-License-Identifier: Apache-2.0 */
/* How kartactl ends: scripts read these, so a number never changes its meaning. */
#ifndef KARTA_CLI_EXIT_CODE_H
#define KARTA_CLI_EXIT_CODE_H

enum exit_code {
    CLI_DONE = 0,
    CLI_FAILED = 1,        /* the system or an expression said no */
    CLI_USAGE = 2,         /* the command line is wrong */
    CLI_NOT_FOUND = 3,     /* what was named isn't there */
    CLI_NO_DEFINITION = 4, /* no definition covers the kind */
    CLI_INVALID = 5,       /* the input is invalid, or a policy refuses it */
    CLI_CLUSTER = 6        /* the server or cluster can't be reached or trusted */
};

#endif
