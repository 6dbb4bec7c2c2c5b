/* SPDX-License-Identifier: Apache-2.0 */
/* A running karta-webhook, asked over HTTPS that is always verified. Only its .c knows libcurl. */
#ifndef KARTA_CLI_SERVER_H
#define KARTA_CLI_SERVER_H

#include <stddef.h>

/* Once in main's thread before the first post, and at the end. CLI_DONE or CLI_FAILED. */
int server_init(void);
void server_shutdown(void);

/*
 * Posts JSON to `url` + `path`, checked against the certificates in `ca_file` (NULL: the system's).
 * *answer is new, *size bytes. CLI_DONE; CLI_CLUSTER and one line where the server can't be reached
 * or trusted; CLI_FAILED and one line where it answers with another status than 200.
 */
int server_post(const char *url, const char *path, const char *ca_file, const char *body,
                char **answer, size_t *size);

#endif
