/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that jq knows and expressions may not use, each with its reason and, where there is one,
 * what to write instead. A name that is in neither table is simply unknown.
 */
#include <string.h>

#include "jq/jq_builtin.h"

#define UNBOUNDED "it can run without bound"
#define ASSIGNS "an expression reads and never assigns"
#define ENVIRONMENT "an expression reads no environment, file or module"
#define PROCESS "an expression has no process, input or output of its own"
#define CLOCK "an expression reads no clock, and dates crash libjq"
#define REGEX "regular expressions run outside the deadline"
#define CRASHES "it crashes libjq on some input"
#define DIFFERS "engines differ about it"
#define OUTSIDE "it is not in the table of builtins"
#define DEFINES "an expression defines nothing"

static const struct jq_refusal refusals[] = {
    {"IN", UNBOUNDED, "any(. == $x)"},
    {"INDEX", UNBOUNDED, NULL},
    {"JOIN", UNBOUNDED, NULL},
    {"abs", DIFFERS, NULL},
    {"ascii", CRASHES, NULL},
    {"break", UNBOUNDED, "first(…)"},
    {"bsearch", OUTSIDE, "any(. == $x)"},
    {"builtins", ENVIRONMENT, NULL},
    {"capture", REGEX, "split(\"-\")[0]"},
    {"combinations", UNBOUNDED, NULL},
    {"date", CLOCK, NULL},
    {"dateadd", CLOCK, NULL},
    {"datesub", CLOCK, NULL},
    {"debug", PROCESS, NULL},
    {"def", DEFINES, NULL},
    {"del", ASSIGNS, NULL},
    {"delpaths", ASSIGNS, NULL},
    {"env", ENVIRONMENT, NULL},
    {"explode", OUTSIDE, "split(\"\")"},
    {"finites", OUTSIDE, "numbers"},
    {"foreach", UNBOUNDED, "map(…)"},
    {"fromdate", CLOCK, NULL},
    {"fromdateiso8601", CLOCK, NULL},
    {"fromjson", "it reads a text as JSON of any size", NULL},
    {"fromstream", UNBOUNDED, NULL},
    {"get_search_list", ENVIRONMENT, NULL},
    {"gmtime", CLOCK, NULL},
    {"gsub", REGEX, "split(…) | join(…)"},
    {"halt", PROCESS, NULL},
    {"halt_error", PROCESS, NULL},
    {"implode", CRASHES, NULL},
    {"import", ENVIRONMENT, NULL},
    {"include", ENVIRONMENT, NULL},
    {"index", CRASHES, "any(. == $n)"},
    {"indices", CRASHES, "any(. == $n)"},
    {"infinite", "JSON has no such number", NULL},
    {"input", PROCESS, NULL},
    {"input_filename", PROCESS, NULL},
    {"input_line_number", PROCESS, NULL},
    {"inputs", PROCESS, NULL},
    {"isempty", DIFFERS, "[…] | length == 0"},
    {"isvalid", DIFFERS, "[…] | length > 0"},
    {"keys_unsorted", DIFFERS, "keys"},
    {"label", UNBOUNDED, "first(…)"},
    {"leaf_paths", UNBOUNDED, NULL},
    {"localtime", CLOCK, NULL},
    {"ltrim", DIFFERS, "ltrimstr(\" \")"},
    {"match", REGEX, "startswith(…), endswith(…) or =="},
    {"mktime", CLOCK, NULL},
    {"module", ENVIRONMENT, NULL},
    {"modulemeta", ENVIRONMENT, NULL},
    {"nan", "JSON has no such number", NULL},
    {"now", CLOCK, NULL},
    {"path", "an expression is a path or a value already", NULL},
    {"paths", UNBOUNDED, NULL},
    {"pick", ASSIGNS, NULL},
    {"range", UNBOUNDED, "limit(n; …) or a list"},
    {"recurse", UNBOUNDED, "the path itself"},
    {"recurse_down", UNBOUNDED, "the path itself"},
    {"reduce", UNBOUNDED, "add, any, all, min or max"},
    {"repeat", UNBOUNDED, NULL},
    {"rindex", CRASHES, "any(. == $n)"},
    {"rtrim", DIFFERS, "rtrimstr(\" \")"},
    {"scan", REGEX, "split(…)"},
    {"setpath", ASSIGNS, NULL},
    {"splits", REGEX, "split(…) | .[]"},
    {"sqrt", OUTSIDE, NULL},
    {"stderr", PROCESS, NULL},
    {"strftime", CLOCK, NULL},
    {"strflocaltime", CLOCK, NULL},
    {"strptime", CLOCK, NULL},
    {"sub", REGEX, "ltrimstr(…), rtrimstr(…) or split(…)"},
    {"test", REGEX, "startswith(…), endswith(…) or =="},
    {"todate", CLOCK, NULL},
    {"todateiso8601", CLOCK, NULL},
    {"toarray", DIFFERS, "[…]"},
    {"tostream", UNBOUNDED, NULL},
    {"transpose", OUTSIDE, NULL},
    {"trim", DIFFERS, "ltrimstr(\" \")"},
    {"truncate_stream", UNBOUNDED, NULL},
    {"until", UNBOUNDED, NULL},
    {"utf8bytelength", OUTSIDE, "length"},
    {"walk", UNBOUNDED, NULL},
    {"while", UNBOUNDED, NULL},
};

const struct jq_refusal *jq_refusal_find(const char *name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strcmp(refusals[i].name, name) == 0)
            return &refusals[i];
    return NULL;
}
