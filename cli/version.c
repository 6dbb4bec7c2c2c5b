/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl version. */
#include <stdio.h>

#include "arguments.h"
#include "exit_code.h"
#include "message.h"

static int version(const struct arguments *arguments)
{
    if (arguments->words.count > 0)
        return cli_fail(CLI_USAGE, "version: unexpected \"%s\"", arguments->words.items[0]);
    puts("kartactl " KARTA_VERSION);
    return CLI_DONE;
}

const struct command version_command = {
    .name = "version",
    .run = version,
    .summary = "the version of this program",
    .usage = "version",
    .example = "  kartactl version\n",
};
