/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of kartactl: a table of these, one file for each. */
#ifndef KARTA_CLI_COMMAND_H
#define KARTA_CLI_COMMAND_H

struct arguments;

struct command {
    const char *name;
    int (*run)(const struct arguments *arguments); /* gives an enum exit_code */
    const char *summary;
    const char *usage;   /* what follows "kartactl " */
    const char *about;   /* what help says before the flags, whole lines; NULL: nothing */
    const char *example; /* whole command lines, one a line */
    unsigned flags;      /* bits 1U << enum flag_id; --help is always one */
    const char *formats; /* what -o takes, joined by '|', the default first; NULL: no -o */
};

/* All of them in the order of help; a NULL ends them. */
extern const struct command *const commands[];

extern const struct command describe_command, get_command, audit_command, suspend_command,
    resume_command, mutate_command, podgroups_command, check_command, definitions_command,
    certs_command, webhook_config_command, completion_command, version_command;

#endif
