/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: help, completion and the man page are made of it. */
#include "command.h"

#include <stddef.h>

const struct command *const commands[] = {&describe_command,       &get_command,
                                          &audit_command,          &suspend_command,
                                          &resume_command,         &mutate_command,
                                          &podgroups_command,      &check_command,
                                          &definitions_command,    &certs_command,
                                          &webhook_config_command, &completion_command,
                                          &version_command,        NULL};
