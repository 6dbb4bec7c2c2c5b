/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "support.h"

static void die(const char *what)
{
    fprintf(stderr, "run: %s\n", what);
    abort();
}

static char *take_file(const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    if (file_read(path, 64U << 20, &bytes, &size, NULL) != 0)
        die(path);
    unlink(path);
    return bytes;
}

struct run run_kartactl_with(const char *input, const char *arguments)
{
    char in[] = "/tmp/kartactl-in-XXXXXX", out[] = "/tmp/kartactl-out-XXXXXX",
         err[] = "/tmp/kartactl-err-XXXXXX";
    int fd = mkstemp(in), out_fd = mkstemp(out), err_fd = mkstemp(err);
    size_t size = strlen(input);
    if (fd < 0 || out_fd < 0 || err_fd < 0 || write(fd, input, size) != (ssize_t)size)
        die("no temporary files");
    close(fd);
    close(out_fd);
    close(err_fd);
    KARTA_AUTO_TEXT command =
        mem_format("cd '%s' && exec >'%s' 2>'%s' <'%s' && exec '%s/bin/kartactl' %s",
                   KARTA_SOURCE_DIR, out, err, in, KARTA_BINARY_DIR, arguments);
    int status = command != NULL ? system(command) : -1;
    if (status < 0 || !WIFEXITED(status))
        die(arguments);
    unlink(in);
    return (struct run){WEXITSTATUS(status), take_file(out), take_file(err)};
}

struct run run_kartactl(const char *arguments)
{
    return run_kartactl_with("", arguments);
}

void run_dispose(struct run *run)
{
    free(run->out);
    free(run->err);
}

void assert_run_with(const char *input, const char *arguments, int code, const char *out,
                     const char *err)
{
    struct run run = run_kartactl_with(input, arguments);
    assert_string_equal(run.err, err);
    assert_string_equal(run.out, out);
    assert_int_equal(run.code, code);
    run_dispose(&run);
}

void assert_run(const char *arguments, int code, const char *out, const char *err)
{
    assert_run_with("", arguments, code, out, err);
}

void assert_run_file(const char *arguments, const char *file)
{
    KARTA_AUTO_TEXT path = mem_format("%s/tests/unit/cli/data/%s", KARTA_SOURCE_DIR, file);
    struct run run = run_kartactl(arguments);
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    if (getenv("KARTA_FIXTURE_UPDATE") != NULL)
        assert_int_equal(file_write(path, run.out, strlen(run.out), 0644, NULL), 0);
    KARTA_AUTO_TEXT expected = NULL;
    size_t size;
    assert_int_equal(file_read(path, 1U << 20, &expected, &size, NULL), 0);
    assert_string_equal(run.out, expected);
    run_dispose(&run);
}
