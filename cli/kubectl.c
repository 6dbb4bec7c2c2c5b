/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running kubectl. The one idea: several are started at once and read together by one poll loop, so
 * that what can be asked at the same time is, and nobody blocks on a full pipe.
 */
#include "kubectl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "exit_code.h"
#include "karta/engine.h"
#include "message.h"
#include "progress.h"

/* a cluster that answers at all does so sooner, and a person has given up by then */
#define WAIT_MS 60000

/* twenty thousand pods; and more errors than anybody reads */
#define OUT_BYTES (256U << 20)
#define ERR_BYTES (256U << 10)

#define CALLS 8

extern char **environ;

static char *home;

struct running {
    pid_t pid; /* 0: not started, or ended */
    int out, err;
};

void kubectl_init(void)
{
    const char *own = getenv("HOME");
    home = own != NULL ? mem_format("HOME=%s", own) : NULL;
}

void kubectl_shutdown(void)
{
    free(home);
    home = NULL;
}

void kubectl_call_dispose(struct kubectl_call *call)
{
    strbuf_dispose(&call->out);
    strbuf_dispose(&call->err);
    *call = (struct kubectl_call){0};
}

/* Our environment with HOME as the user has it. New array, its texts borrowed. */
static char **environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = mem_array(count + 2, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (strncmp(environ[i], "HOME=", 5) != 0)
            copy[kept++] = environ[i];
    if (copy != NULL)
        copy[kept] = home;
    return copy;
}

static void fill_words(const struct arguments *arguments, const struct kubectl_call *call,
                       const char **words)
{
    static const struct {
        enum flag_id id;
        const char *flag;
    } passed[] = {{FLAG_CONTEXT, "--context"}, {FLAG_KUBECONFIG, "--kubeconfig"}};
    size_t count = 0;
    words[count++] = "kubectl";
    for (size_t i = 0; i < KUBECTL_WORDS && call->words[i] != NULL; i++)
        words[count++] = call->words[i];
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (arguments->value[passed[i].id] != NULL) {
            words[count++] = passed[i].flag;
            words[count++] = arguments->value[passed[i].id];
        }
    words[count] = NULL;
}

static int spawn(const char *const *words, int out, int err, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char **env = environment();
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* which we ignore */
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    int fault = env != NULL
                    ? posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)words, env)
                    : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(env);
    return fault;
}

static int start(const struct arguments *arguments, struct kubectl_call *call,
                 struct running *running)
{
    const char *words[KUBECTL_WORDS + 6];
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    fill_words(arguments, call, words);
    strbuf_init(&call->out, OUT_BYTES);
    strbuf_init(&call->err, ERR_BYTES);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
        int fault = errno;
        if (out[0] >= 0) {
            close(out[0]);
            close(out[1]);
        }
        return cli_fail(CLI_FAILED, "cannot run kubectl: %s", strerror(fault));
    }
    int fault = spawn(words, out[1], err[1], &running->pid);
    close(out[1]);
    close(err[1]);
    running->out = out[0];
    running->err = err[0];
    if (fault == 0)
        return CLI_DONE;
    running->pid = 0;
    if (fault == ENOENT)
        return cli_fail(CLI_CLUSTER, "there is no kubectl on PATH, and live reads go through it; "
                                     "files are read with -f");
    return cli_fail(CLI_CLUSTER, "cannot run kubectl: %s", strerror(fault));
}

/* Reads what is there; closes at the end, or where no more is taken. */
static void take(int *fd, struct strbuf *buf)
{
    char bytes[65536];
    ssize_t size = read(*fd, bytes, sizeof bytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (size > 0)
        strbuf_add(buf, bytes, (size_t)size);
    if (size <= 0 || buf->failed != 0) {
        close(*fd);
        *fd = -1;
    }
}

/* What kubectl started and left behind may hold its pipes open for ever: its own end counts. */
static void close_ended(struct running *running)
{
    siginfo_t info = {0};
    if (running->pid == 0 ||
        waitid(P_PID, (id_t)running->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return;
    int *const fds[] = {&running->out, &running->err};
    for (size_t i = 0; i < 2; i++)
        if (*fds[i] >= 0) {
            close(*fds[i]);
            *fds[i] = -1;
        }
}

/* False where nothing is left to read. */
static bool read_some(struct kubectl_call *calls, struct running *running, size_t count)
{
    struct pollfd fds[2 * CALLS];
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        fds[2 * i] = (struct pollfd){running[i].out, POLLIN, 0};
        fds[2 * i + 1] = (struct pollfd){running[i].err, POLLIN, 0};
        open = open || running[i].out >= 0 || running[i].err >= 0;
    }
    if (!open)
        return false;
    int ready = poll(fds, 2 * count, 100);
    for (size_t i = 0; i < count && ready == 0; i++)
        close_ended(&running[i]);
    if (ready <= 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (fds[2 * i].revents != 0)
            take(&running[i].out, &calls[i].out);
        if (fds[2 * i + 1].revents != 0)
            take(&running[i].err, &calls[i].err);
    }
    return true;
}

static void finish(struct kubectl_call *call, struct running *running, bool stop)
{
    int status = 0;
    if (running->out >= 0)
        close(running->out);
    if (running->err >= 0)
        close(running->err);
    if (running->pid == 0)
        return;
    if (stop)
        kill(running->pid, SIGKILL);
    while (waitpid(running->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    call->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int check_output(const struct kubectl_call *call)
{
    if (call->out.failed == KARTA_ERR_NOMEM)
        return cli_fail(CLI_FAILED, "out of memory");
    if (call->out.failed != 0)
        return cli_fail(CLI_FAILED,
                        "kubectl %s: prints more than %u MiB; ask for less with -n or "
                        "-l",
                        call->words[0], OUT_BYTES >> 20);
    return CLI_DONE;
}

int kubectl_run(const struct arguments *arguments, struct kubectl_call *calls, size_t count)
{
    struct running running[CALLS];
    int code = count <= CALLS ? CLI_DONE : cli_fail(CLI_FAILED, "too many calls at once");
    for (size_t i = 0; i < count && i < CALLS; i++)
        running[i] = (struct running){0, -1, -1};
    for (size_t i = 0; i < count && code == CLI_DONE; i++)
        code = start(arguments, &calls[i], &running[i]);
    int64_t began = karta_engine_now_ms(), waited = 0;
    while (code == CLI_DONE && waited < WAIT_MS && read_some(calls, running, count)) {
        waited = karta_engine_now_ms() - began;
        progress_show(waited);
    }
    progress_clear();
    bool late = code == CLI_DONE && waited >= WAIT_MS;
    for (size_t i = 0; i < count && i < CALLS; i++)
        finish(&calls[i], &running[i], late || code != CLI_DONE || calls[i].out.failed != 0);
    if (late)
        return cli_fail(CLI_CLUSTER, "kubectl has not answered within %d seconds", WAIT_MS / 1000);
    for (size_t i = 0; i < count && code == CLI_DONE; i++)
        code = check_output(&calls[i]);
    return code;
}
