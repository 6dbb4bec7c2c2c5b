/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the real karta-webhook, on ports that the system chooses, in a folder of its own under
 * /tmp. The folder lives as long as the process that is tested.
 */
#ifndef KARTA_TESTS_HARNESS_H
#define KARTA_TESTS_HARNESS_H

#include <sys/types.h>

#include "client.h"
#include "support.h"

struct running {
    pid_t pid;
    int https, metrics; /* ports */
    char dir[64];       /* the log is DIR/log, the self-signed pair in DIR/tls */
    char ca[80];
    int files; /* set before starting: the limit of open files, 0 as it is */
};

/* New folder, nothing started. */
void running_init(struct running *server);
/* Starts with `flags` (NULL-terminated, may be NULL) beside --listen, --metrics-listen; where no
 * flag says --tls-cert-file or --tls-secret, --self-signed DIR/tls too. Waits until it listens;
 * fails the test otherwise. */
void running_start(struct running *server, const char *const *flags);
/* SIGTERM, and its exit status (128 + signal where one ended it); removes the folder. */
int running_stop(struct running *server);
int running_wait(struct running *server);
void running_remove(struct running *server);

/* The whole log, new. */
char *running_log(const struct running *server);
/* True when `text` stands in the log within `ms`. LOGGED_MS is for what must come: under a
 * sanitizer, on a busy machine, it may take its time. */
#define LOGGED_MS 60000
bool running_logs(const struct running *server, const char *text, int ms);

/* A client that trusts the server's own CA; fails the test where there is no connection. */
void running_connect(const struct running *server, struct client *client);
/* GET from the metrics port: the body is new, *status may be NULL. */
char *running_get(const struct running *server, const char *path, int *status);

/* Runs the program to its end; *output is new: what it said on stderr (and stdout). */
int program_run(const char *const *flags, char **output);

/* A number from the environment, or `usual`: full counts take minutes. */
int count_of(const char *variable, int usual);

int64_t clock_ms(void);
/* What takes less was not held up: the server's shortest deadline is ten seconds, and a busy
 * machine may pause a whole process for one or two. How long it really took is for benchmarks to
 * say. */
#define AT_ONCE_MS 5000
void pause_ms(int ms);
void write_text(const char *path, const char *text);

/* A review of a kind that no definition covers: allowed, without a patch. */
extern const char test_review[];

#endif
