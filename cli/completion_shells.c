/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three scripts. zsh runs bash's function by bashcompinit, so there are two languages here.
 * Names of objects come from kubectl, which gets two seconds.
 */
#include <string.h>

#include "arguments.h"
#include "completion.h"

static const struct {
    const char *command, *words;
} actions[] = {{"definitions", "list show validate"},
               {"certs", "init renew show"},
               {"completion", "bash zsh fish"}};

const char *completion_actions(const char *command)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].command, command) == 0)
            return actions[i].words;
    return "";
}

int completion_takes_types(const char *command)
{
    static const char *const taking[] = {"describe", "get", "audit", "suspend", "resume", NULL};
    for (size_t i = 0; taking[i] != NULL; i++)
        if (strcmp(taking[i], command) == 0)
            return 1;
    return 0;
}

static const char *text_of(const struct strbuf *buf)
{
    return buf->text != NULL ? buf->text : "";
}

static void bash_flag(const struct flag_text *flag, void *state)
{
    struct strbuf *buf = state;
    strbuf_addf(buf, " --%s", flag->name);
    if (flag->letter != '\0')
        strbuf_addf(buf, " -%c", flag->letter);
}

static void bash_format(const struct flag_text *flag, void *state)
{
    struct strbuf *buf = state;
    if (flag->letter != 'o')
        return;
    for (const char *at = flag->help; *at != '\0'; at++)
        strbuf_addc(buf, *at == '|' ? ' ' : *at);
}

static void bash_commands(struct strbuf *buf)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        strbuf_addf(buf, "    %s) flags='", commands[i]->name);
        arguments_each_flag(commands[i], bash_flag, buf);
        strbuf_adds(buf, "' formats='");
        arguments_each_flag(commands[i], bash_format, buf);
        strbuf_addf(buf, "' actions='%s' types=%d;;\n", completion_actions(commands[i]->name),
                    completion_takes_types(commands[i]->name));
    }
}

static void bash_body(const struct completion *completion, struct strbuf *buf)
{
    strbuf_adds(buf,
                "_kartactl() {\n"
                "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "  local command=${COMP_WORDS[1]} flags='' formats='' actions='' types=0 ns='' i\n"
                "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
                "    case ${COMP_WORDS[i]} in -n|--namespace) ns=\"-n ${COMP_WORDS[i+1]}\";; "
                "esac\n"
                "  done\n"
                "  COMPREPLY=()\n"
                "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "    COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i] != NULL; i++)
        strbuf_addf(buf, "%s ", commands[i]->name);
    strbuf_adds(buf, "help' -- \"$cur\"))\n    return\n  fi\n  case $command in\n");
    bash_commands(buf);
    strbuf_addf(buf,
                "  esac\n"
                "  case $prev in\n"
                "    -o|--output) COMPREPLY=($(compgen -W \"$formats\" -- \"$cur\")); return;;\n"
                "    --profile) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return;;\n"
                "    --phase) COMPREPLY=($(compgen -W 'Resuming Suspending Suspended Running "
                "Failed Completed Initializing Degraded Undefined' -- \"$cur\")); return;;\n"
                "    -f|--file|--ca-file|--policy|--sample|--kubeconfig) "
                "COMPREPLY=($(compgen -f -- \"$cur\")); return;;\n"
                "    --dir|--definitions) COMPREPLY=($(compgen -d -- \"$cur\")); return;;\n"
                "    -n|--namespace) COMPREPLY=($(compgen -W \"$(kubectl get namespaces -o "
                "jsonpath='{.items[*].metadata.name}' --request-timeout=2s 2>/dev/null)\" -- "
                "\"$cur\")); return;;\n"
                "    show) [ \"$command\" = definitions ] && "
                "COMPREPLY=($(compgen -W '%s' -- \"$cur\")) && return;;\n"
                "  esac\n",
                text_of(&completion->profiles), text_of(&completion->definitions));
    strbuf_addf(buf,
                "  case $cur in\n"
                "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"));;\n"
                "    */*) [ $types = 1 ] && COMPREPLY=($(compgen -P \"${cur%%%%/*}/\" -W "
                "\"$(kubectl get \"${cur%%%%/*}\" $ns -o jsonpath='{.items[*].metadata.name}' "
                "--request-timeout=2s 2>/dev/null)\" -- \"${cur#*/}\"));;\n"
                "    *) [ $types = 1 ] && actions='%s'\n"
                "       COMPREPLY=($(compgen -W \"$actions\" -- \"$cur\"));;\n"
                "  esac\n"
                "}\n",
                text_of(&completion->types));
}

void completion_bash(const struct completion *completion, struct strbuf *buf)
{
    strbuf_adds(buf, "# bash completion of kartactl, made by: kartactl completion bash\n");
    bash_body(completion, buf);
    strbuf_adds(buf, "complete -F _kartactl kartactl\n");
}

void completion_zsh(const struct completion *completion, struct strbuf *buf)
{
    strbuf_adds(buf, "#compdef kartactl\n"
                     "# zsh completion of kartactl, made by: kartactl completion zsh\n"
                     "autoload -U +X bashcompinit && bashcompinit\n");
    bash_body(completion, buf);
    strbuf_adds(buf, "complete -F _kartactl kartactl\n");
}

struct fish {
    const struct completion *completion;
    const char *command;
    struct strbuf *buf;
};

/* A text between single quotes. */
static void add_quoted(struct strbuf *buf, const char *text)
{
    strbuf_addc(buf, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            strbuf_addc(buf, '\\');
        strbuf_addc(buf, *text);
    }
    strbuf_addc(buf, '\'');
}

static void fish_values(const struct fish *fish, const struct flag_text *flag)
{
    if (strcmp(flag->name, "profile") == 0) {
        strbuf_addf(fish->buf, " -x -a '%s'", text_of(&fish->completion->profiles));
    } else if (flag->letter == 'o') {
        strbuf_adds(fish->buf, " -x -a '");
        bash_format(flag, fish->buf);
        strbuf_addc(fish->buf, '\'');
    } else if (flag->value != NULL) {
        bool path = strcmp(flag->value, "FILE") == 0 || strcmp(flag->value, "DIR") == 0 ||
                    strcmp(flag->value, "WORKLOAD") == 0;
        strbuf_adds(fish->buf, path ? " -r -F" : " -x");
    }
}

static void fish_flag(const struct flag_text *flag, void *state)
{
    const struct fish *fish = state;
    strbuf_addf(fish->buf, "complete -c kartactl -n '__fish_seen_subcommand_from %s' -l %s",
                fish->command, flag->name);
    if (flag->letter != '\0')
        strbuf_addf(fish->buf, " -s %c", flag->letter);
    fish_values(fish, flag);
    strbuf_adds(fish->buf, " -d ");
    add_quoted(fish->buf, flag->letter == 'o' ? "format" : flag->help);
    strbuf_addc(fish->buf, '\n');
}

void completion_fish(const struct completion *completion, struct strbuf *buf)
{
    strbuf_adds(buf, "# fish completion of kartactl, made by: kartactl completion fish\n"
                     "complete -c kartactl -f\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;
        strbuf_addf(buf, "complete -c kartactl -n __fish_use_subcommand -a %s -d ", name);
        add_quoted(buf, commands[i]->summary);
        strbuf_addc(buf, '\n');
        struct fish fish = {completion, name, buf};
        arguments_each_flag(commands[i], fish_flag, &fish);
        const char *words =
            completion_takes_types(name) ? text_of(&completion->types) : completion_actions(name);
        if (*words != '\0')
            strbuf_addf(buf, "complete -c kartactl -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                        name, words);
    }
    strbuf_addf(buf, "complete -c kartactl -n '__fish_seen_subcommand_from show' -a '%s'\n",
                text_of(&completion->definitions));
}
