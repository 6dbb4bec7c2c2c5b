/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define MOST_FLAGS 40
#define MOST_TOLD 12000
/* sanitizers are slow, and two of them may share a processor */
#define START_MS 60000

const char test_review[] =
    "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": {"
    "\"uid\": \"u-1\", \"kind\": {\"group\": \"example.org\", \"version\": \"v1\", \"kind\": "
    "\"Thing\"}, \"resource\": {\"group\": \"example.org\", \"version\": \"v1\", \"resource\": "
    "\"things\"}, \"namespace\": \"ml\", \"name\": \"one\", \"operation\": \"CREATE\", "
    "\"userInfo\": {\"username\": \"alice\"}, \"object\": {\"apiVersion\": \"example.org/v1\", "
    "\"kind\": \"Thing\", \"metadata\": {\"name\": \"one\", \"namespace\": \"ml\"}}, "
    "\"oldObject\": null, \"dryRun\": false}}";

int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 1 << 20);
    if (file != NULL && text != NULL)
        text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

void running_init(struct running *server)
{
    *server = (struct running){.pid = -1};
    strcpy(server->dir, "/tmp/karta-test-XXXXXX");
    assert_non_null(mkdtemp(server->dir));
    snprintf(server->ca, sizeof server->ca, "%s/tls/ca.crt", server->dir);
}

static bool has_flag(const char *const *flags, const char *name)
{
    for (size_t i = 0; flags != NULL && flags[i] != NULL; i++)
        if (strcmp(flags[i], name) == 0)
            return true;
    return false;
}

static void run_child(const struct running *server, const char *const *flags)
{
    char log[80];
    char tls[80];
    const char *argv[MOST_FLAGS] = {KARTA_WEBHOOK, "--listen", "127.0.0.1:0", "--metrics-listen",
                                    "127.0.0.1:0"};
    size_t count = 5;
    snprintf(log, sizeof log, "%s/log", server->dir);
    snprintf(tls, sizeof tls, "%s/tls", server->dir);
    if (!has_flag(flags, "--tls-cert-file") && !has_flag(flags, "--tls-secret")) {
        argv[count++] = "--self-signed";
        argv[count++] = tls;
    }
    for (size_t i = 0; flags != NULL && flags[i] != NULL && count < MOST_FLAGS - 1; i++)
        argv[count++] = flags[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct rlimit files = {(rlim_t)server->files, (rlim_t)server->files};
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
        (server->files > 0 && setrlimit(RLIMIT_NOFILE, &files) != 0))
        _exit(126);
    close(fd);
    execv(KARTA_WEBHOOK, (char *const *)argv);
    _exit(127);
}

/* The port in the newest line that says what listens where; 0 while there is none. */
static int find_port(const char *log, const char *what)
{
    KARTA_AUTO_TEXT mark = mem_format("msg=listening what=%s address=127.0.0.1:", what);
    const char *at = strstr(log, mark);
    return at != NULL ? atoi(at + strlen(mark)) : 0;
}

void running_start(struct running *server, const char *const *flags)
{
    server->pid = fork();
    assert_true(server->pid >= 0);
    if (server->pid == 0)
        run_child(server, flags);
    int64_t limit = clock_ms() + START_MS;
    while (server->metrics == 0 && clock_ms() < limit) {
        pause_ms(10);
        KARTA_AUTO_TEXT log = running_log(server);
        server->https = find_port(log, "https");
        server->metrics = find_port(log, "metrics");
    }
    if (server->metrics == 0) {
        KARTA_AUTO_TEXT log = running_log(server);
        print_error("the server did not start: %s\n", log);
    }
    assert_int_not_equal(server->metrics, 0);
}

static int wait_status(pid_t pid)
{
    int status;
    pid_t ended;
    do
        ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int running_wait(struct running *server)
{
    int status = wait_status(server->pid);
    server->pid = -1;
    if (status != 0 && status < 128) {
        KARTA_AUTO_TEXT log = running_log(server);
        size_t size = strlen(log); /* its end is what tells: a sanitizer speaks last */
        fprintf(stderr, "the server ended with %d: %s\n", status,
                size > MOST_TOLD ? log + size - MOST_TOLD : log);
    }
    return status;
}

void running_remove(struct running *server)
{
    const char *argv[] = {"rm", "-rf", server->dir, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        execvp("rm", (char *const *)argv);
        _exit(127);
    }
    wait_status(pid);
}

int running_stop(struct running *server)
{
    kill(server->pid, SIGTERM);
    int status = running_wait(server);
    running_remove(server);
    return status;
}

char *running_log(const struct running *server)
{
    char path[80];
    snprintf(path, sizeof path, "%s/log", server->dir);
    return read_text(path);
}

bool running_logs(const struct running *server, const char *text, int ms)
{
    for (int64_t limit = clock_ms() + ms;; pause_ms(20)) {
        KARTA_AUTO_TEXT log = running_log(server);
        if (strstr(log, text) != NULL)
            return true;
        if (clock_ms() >= limit)
            return false;
    }
}

void running_connect(const struct running *server, struct client *client)
{
    struct client_tls tls = {.ca = server->ca};
    assert_true(client_open(client, server->https, &tls));
}

char *running_get(const struct running *server, const char *path, int *status)
{
    struct client client;
    struct answer answer;
    assert_true(client_open_plain(&client, server->metrics));
    bool got = client_get(&client, path, &answer);
    client_close(&client);
    assert_true(got);
    if (status != NULL)
        *status = answer.status;
    return answer.body;
}

int program_run(const char *const *flags, char **output)
{
    const char *argv[MOST_FLAGS] = {KARTA_WEBHOOK};
    for (size_t i = 0; flags[i] != NULL && i < MOST_FLAGS - 2; i++)
        argv[i + 1] = flags[i];
    char path[] = "/tmp/karta-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
            _exit(126);
        execv(KARTA_WEBHOOK, (char *const *)argv);
        _exit(127);
    }
    close(fd);
    int status = wait_status(pid);
    *output = read_text(path);
    unlink(path);
    return status;
}

int count_of(const char *variable, int usual)
{
    const char *given = getenv(variable);
    int count = given != NULL ? atoi(given) : 0;
    return count > 0 ? count : usual;
}
