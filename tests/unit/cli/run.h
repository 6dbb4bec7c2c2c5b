/* SPDX-License-Identifier: Apache-2.0 */
/* Running the built kartactl as a user does: a command line in, what it printed and its code out.
 */
#ifndef KARTA_TEST_RUN_H
#define KARTA_TEST_RUN_H

struct run {
    int code;
    char *out, *err;
};

/* Runs `kartactl ARGUMENTS` by the shell in the source tree; aborts when it can't be run. */
struct run run_kartactl(const char *arguments);

/* The same with `input` on standard input. */
struct run run_kartactl_with(const char *input, const char *arguments);

void run_dispose(struct run *run);

/* Runs it and compares all three, texts word for word. */
void assert_run(const char *arguments, int code, const char *out, const char *err);
void assert_run_with(const char *input, const char *arguments, int code, const char *out,
                     const char *err);

/*
 * Runs it, wants code 0 and nothing on stderr, and compares what it printed with a file below
 * tests/unit/cli/data. KARTA_FIXTURE_UPDATE=1 writes the file instead.
 */
void assert_run_file(const char *arguments, const char *file);

#endif
