/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The diff that everybody knows how to read, by the program that everybody has. The texts are
 * handed over as files in memory, so that nothing is left behind however we end.
 */
#include "diff.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_code.h"
#include "message.h"

#define DIFF "/usr/bin/diff"

extern char **environ;

static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, text, size);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

/* A file in memory that a child inherits, or -1. */
static int memory_file(const char *name, const char *text, size_t size)
{
    int fd = memfd_create(name, 0);
    if (fd >= 0 && write_all(fd, text, size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int run_diff(int before, int after, bool colour)
{
    char left[32], right[32];
    snprintf(left, sizeof left, "/proc/self/fd/%d", before);
    snprintf(right, sizeof right, "/proc/self/fd/%d", after);
    char *argv[] = {"diff",
                    "-u",
                    "--label",
                    "input",
                    "--label",
                    "mutated",
                    colour ? "--color=always" : "--color=never",
                    left,
                    right,
                    NULL};
    pid_t child;
    fflush(stdout);
    int fault = posix_spawn(&child, DIFF, NULL, NULL, argv, environ);
    if (fault != 0)
        return cli_fail(CLI_FAILED, "cannot run %s (package diffutils): %s", DIFF, strerror(fault));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    /* diff says 0 for equal and 1 for different; killed by a closed pipe is no fault of ours */
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return CLI_DONE;
    if (WIFSIGNALED(status))
        return CLI_FAILED;
    return cli_fail(CLI_FAILED, "%s ended with status %d", DIFF, WEXITSTATUS(status));
}

int diff_print(const char *before, size_t before_size, const char *after, size_t after_size,
               bool colour)
{
    int code = CLI_DONE;
    int left = memory_file("input", before, before_size);
    int right = left >= 0 ? memory_file("mutated", after, after_size) : -1;
    if (right < 0)
        code = cli_fail(CLI_FAILED, "cannot make a file in memory: %s", strerror(errno));
    else
        code = run_diff(left, right, colour);
    if (left >= 0)
        close(left);
    if (right >= 0)
        close(right);
    return code;
}
