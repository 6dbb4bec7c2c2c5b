/* SPDX-License-Identifier: Apache-2.0 */
/* The words that are completed, and the scripts that do it. */
#ifndef KARTA_CLI_COMPLETION_H
#define KARTA_CLI_COMPLETION_H

#include "base/strbuf.h"

struct completion {
    struct strbuf types, profiles, definitions; /* joined by blanks */
};

/* Each appends a whole script. */
void completion_bash(const struct completion *completion, struct strbuf *buf);
void completion_zsh(const struct completion *completion, struct strbuf *buf);
void completion_fish(const struct completion *completion, struct strbuf *buf);

/* The words that stand behind a command ("list show validate"), "" for none; static. */
const char *completion_actions(const char *command);

/* Whether the command takes TYPE or TYPE/NAME. */
int completion_takes_types(const char *command);

#endif
