/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions that stand before a program. The idea: jq's own code can be stopped at any of its
 * instructions, a C function of libjq cannot. So whatever a C function is given was weighed here
 * first, by jq code: values share their parts, and [., .] repeated 40 times is small in memory and
 * endless to whoever walks it.
 *
 * A definition stands after those that it names. Only those that a program needs are written.
 */
#include <stdbool.h>
#include <string.h>

#include "jq/jq_emit.h"

struct definition {
    const char *name;
    const char *text;
};

/* The most that is compared, sorted or printed at once: 65,536 values, or 1 MiB of text. */
#define WEIGHT "65536"
#define TEXT_BYTES "1048576"
#define ARRAY_ELEMENTS "65536"

/* One more than LIMIT_EXPRESSION_RESULTS: whoever reads a part sees that there were more. */
#define PART_RESULTS "1001"

static const struct definition definitions[] = {
    /* jq 1.6 leaks a key when an error or a break leaves .[] of an object */
    {"karta_each", "def karta_each: if type == \"object\" then keys_unsorted[] as $k | .[$k]"
                   " else .[] end;"},
    {"karta_each_or_none", "def karta_each_or_none: if type == \"object\""
                           " then keys_unsorted[] as $k | .[$k] else .[]? end;"},
    {"karta_collect", "def karta_collect(f): [f];"},
    {"karta_default", "def karta_default(l; r): l // r;"},
    {"karta_and", "def karta_and(l; r): l and r;"},
    {"karta_or", "def karta_or(l; r): l or r;"},
    /* where one side is a literal: nothing deep is ever compared */
    {"karta_is", "def karta_is(l; r): l == r;"},
    {"karta_is_not", "def karta_is_not(l; r): l != r;"},
    {"karta_below", "def karta_below(l; r): l < r;"},
    {"karta_to", "def karta_to(l; r): l <= r;"},
    {"karta_above", "def karta_above(l; r): l > r;"},
    {"karta_from", "def karta_from(l; r): l >= r;"},
    {"karta_map", "def karta_map(f): [karta_each | f];"},
    /* what a `try` gives is collected before it leaves it: jq 1.6 otherwise lets it catch the
     * signals by which first() and limit() stop */
    {"karta_try", "def karta_try(f): [(try f catch empty)] | .[];"},
    {"karta_catch", "def karta_catch(f; h): [(try (f | [.]) catch {error: .})] | .[]"
                    " | if type == \"array\" then .[0] else (.[\"error\"] | h) end;"},
    {"karta_part", "def karta_part(f): try [limit(" PART_RESULTS "; f)] catch {error: .};"},
    {"karta_single", "def karta_single(f): try [f] catch {error: .};"},
    {"karta_compound", "def karta_compound: type == \"array\" or type == \"object\";"},
    {"karta_nodes",
     "def karta_nodes:"
     " if type == \"number\" then 1"
     " elif type == \"string\" then 1 + utf8bytelength / 16"
     " elif type == \"array\" then 1, (.[] | karta_nodes)"
     " elif type == \"object\" then 1, (keys_unsorted[] as $k | ($k, .[$k]) | karta_nodes)"
     " else 1 end;"},
    {"karta_weigh", "def karta_weigh: if karta_compound then . as $v"
                    " | (reduce karta_nodes as $n (0; if . > " WEIGHT
                    " then error(\"a value is too large to be compared or printed\")"
                    " else . + $n end)) as $weight | $v else . end;"},
    {"karta_text", "def karta_text: if type == \"string\" then ."
                   " else error(type + \" where a text belongs\") end;"},
    {"karta_number", "def karta_number: if type == \"number\" then ."
                     " else error(type + \" where a number belongs\") end;"},
    {"karta_array", "def karta_array: if type == \"array\" then ."
                    " else error(type + \" where an array belongs\") end;"},
    {"karta_finite", "def karta_finite: if isinfinite or isnan"
                     " then error(\"a number that JSON has no word for\") else . end;"},
    {"karta_capped", "def karta_capped: if utf8bytelength > " TEXT_BYTES
                     " then error(\"a text of more than 1 MiB\") else . end;"},
    {"karta_error",
     "def karta_error: if type == \"null\" or karta_compound"
     " then error(\"error takes a text, not \" + type)"
     /* jq 1.6 takes this very text for one of its own signals, and no try catches it */
     " elif . == \"object\" then error(\"object \") else error(.) end;"},
    {"karta_list", "def karta_list: karta_array | karta_weigh;"},
    {"karta_json", "def karta_json: karta_weigh | tojson | karta_capped;"},
    {"karta_string", "def karta_string: if type == \"string\" then . else karta_json end;"},
    {"karta_concat", "def karta_concat: reduce .[] as $s (\"\"; . + $s | karta_capped);"},
    {"karta_name", "def karta_name: if type == \"string\" then ."
                   " else error(type + \" where a key belongs\") end;"},
    {"karta_key_or_none", "def karta_key_or_none: if type == \"number\" then"
                          " if . < -2147483647 or . > 2147483647 then 2147483647 else floor end"
                          " elif type == \"string\" or type == \"null\" then . else empty end;"},
    {"karta_key", "def karta_key: if type == \"number\" then"
                  " if . < -2147483647 or . > 2147483647 then 2147483647 else floor end"
                  " elif type == \"string\" or type == \"null\" then ."
                  " else error(type + \" where a key or an index belongs\") end;"},
    {"karta_pair", "def karta_pair(l; r): r as $r | l as $l | [$l, $r]"
                   " | if ($l | karta_compound) and ($l | type) == ($r | type)"
                   " then karta_weigh else . end;"},
    {"karta_equal", "def karta_equal(l; r): karta_pair(l; r) | .[0] == .[1];"},
    {"karta_unequal", "def karta_unequal(l; r): karta_pair(l; r) | .[0] != .[1];"},
    {"karta_less", "def karta_less(l; r): karta_pair(l; r) | .[0] < .[1];"},
    {"karta_at_most", "def karta_at_most(l; r): karta_pair(l; r) | .[0] <= .[1];"},
    {"karta_more", "def karta_more(l; r): karta_pair(l; r) | .[0] > .[1];"},
    {"karta_at_least", "def karta_at_least(l; r): karta_pair(l; r) | .[0] >= .[1];"},
    {"karta_add", "def karta_add(l; r): r as $r | l as $l | ($l | type) as $t"
                  " | if $t == \"null\" then $r elif ($r | type) == \"null\" then $l"
                  " elif $t != ($r | type) or $t == \"boolean\""
                  " then error($t + \" and \" + ($r | type) + \" cannot be added\")"
                  " elif $t == \"number\" then $l + $r | karta_finite"
                  " elif $t == \"string\" then"
                  " if ($l | utf8bytelength) + ($r | utf8bytelength) > " TEXT_BYTES
                  " then error(\"a text of more than 1 MiB\") else $l + $r end"
                  " elif ($l | length) + ($r | length) > " ARRAY_ELEMENTS
                  " then error(\"more than " ARRAY_ELEMENTS " elements\") else $l + $r end;"},
    {"karta_subtract", "def karta_subtract(l; r): r as $r | l as $l"
                       " | ($l | karta_number) - ($r | karta_number) | karta_finite;"},
    {"karta_multiply", "def karta_multiply(l; r): r as $r | l as $l"
                       " | ($l | karta_number) * ($r | karta_number) | karta_finite;"},
    {"karta_divide", "def karta_divide(l; r): r as $r | l as $l"
                     " | if $r == 0 then error(\"division by zero\")"
                     " else ($l | karta_number) / ($r | karta_number) | karta_finite end;"},
    {"karta_whole", "def karta_whole: karta_number"
                    " | if . > -9007199254740992 and . < 9007199254740992 then ."
                    " else error(\"a number too large for %\") end;"},
    {"karta_modulo", "def karta_modulo(l; r): r as $r | l as $l"
                     " | ($r | karta_whole) as $n"
                     " | (if $n < 0 then -$n else $n end | floor) as $n"
                     " | if $n < 1 then error(\"modulo by zero\")"
                     " else ($l | karta_whole) % $n end;"},
    {"karta_negate", "def karta_negate: karta_number | -.;"},
    {"karta_total", "def karta_total: reduce karta_each as $x (null; karta_add(.; $x));"},
    {"karta_any", "def karta_any(g; c): ([label $out | (g | c)"
                  " | if . then (true, break $out) else empty end] | length) > 0;"},
    {"karta_all", "def karta_all(g; c): karta_any(g; c | not) | not;"},
    {"karta_startswith", "def karta_startswith(s): s as $s | karta_text"
                         " | startswith($s | karta_text);"},
    {"karta_endswith", "def karta_endswith(s): s as $s | karta_text"
                       " | endswith($s | karta_text);"},
    {"karta_ltrimstr", "def karta_ltrimstr(s): s as $s"
                       " | if type == \"string\" and ($s | type) == \"string\""
                       " then ltrimstr($s) else . end;"},
    {"karta_rtrimstr", "def karta_rtrimstr(s): s as $s"
                       " | if type == \"string\" and ($s | type) == \"string\""
                       " then rtrimstr($s) else . end;"},
    {"karta_split", "def karta_split(s): s as $s | karta_text | if utf8bytelength > 65536"
                    " then error(\"a text of more than 64 KiB cannot be split\")"
                    " else split($s | karta_text) end;"},
    {"karta_join", "def karta_join(s): s as $s | ($s | karta_text) as $s"
                   " | [karta_each | if type == \"string\" then . elif type == \"null\" then \"\""
                   " elif karta_compound then error(\"cannot join \" + type) else tojson end]"
                   " | reduce .[] as $x (null;"
                   " if . == null then $x else . + $s + $x end | karta_capped)"
                   " | if . == null then \"\" else . end;"},
    {"karta_has", "def karta_has(k): k as $k"
                  " | if type == \"object\" and ($k | type) == \"string\" then has($k)"
                  " elif type == \"array\" and ($k | type) == \"number\""
                  " then $k >= 0 and ($k | floor) < length"
                  " elif type == \"null\" then false"
                  " else error(\"cannot check whether \" + type + \" has a \" + ($k | type)"
                  " + \" key\") end;"},
    {"karta_in", "def karta_in(o): . as $k | o | karta_has($k);"},
    {"karta_contains",
     "def karta_contains($b): . as $a | ($a | type) as $t"
     " | if $t != ($b | type) then"
     " error($t + \" and \" + ($b | type) + \" cannot have their containment checked\")"
     " elif $t == \"object\" then all($b | keys_unsorted[]; . as $k"
     " | ($a | has($k)) and ($a[$k] | type) == ($b[$k] | type)"
     " and ($a[$k] | karta_contains($b[$k])))"
     " elif $t == \"array\" then all($b[]; . as $x"
     " | any($a[]; type == ($x | type) and karta_contains($x)))"
     " elif $t == \"string\" then ($b | length) == 0 or ($a | karta_split($b) | length) > 1"
     " else $a == $b end;"},
    {"karta_inside", "def karta_inside(b): . as $a | b | karta_contains($a);"},
    {"karta_leaves", "def karta_leaves: if type == \"array\" then .[] | karta_leaves else . end;"},
    {"karta_flatten", "def karta_flatten: [karta_each | karta_leaves];"},
    {"karta_reverse", "def karta_reverse: if type == \"null\" then []"
                      " else karta_array | [.[length - 1 - range(0; length)]] end;"},
    {"karta_by", "def karta_by(f): karta_array | [., ([.[] | [f]] | karta_weigh)];"},
    {"karta_group_by", "def karta_group_by(f): karta_by(f)"
                       " | .[1] as $by | .[0] | _group_by_impl($by);"},
    {"karta_max_by", "def karta_max_by(f): karta_by(f)"
                     " | .[1] as $by | .[0] | _max_by_impl($by);"},
    {"karta_min_by", "def karta_min_by(f): karta_by(f)"
                     " | .[1] as $by | .[0] | _min_by_impl($by);"},
    {"karta_sort_by", "def karta_sort_by(f): karta_by(f)"
                      " | .[1] as $by | .[0] | _sort_by_impl($by);"},
    {"karta_unique_by", "def karta_unique_by(f): [karta_group_by(f) | .[] | .[0]];"},
    {"karta_to_entries", "def karta_to_entries: if karta_compound"
                         " then [keys_unsorted[] as $k | {key: $k, value: .[$k]}]"
                         " else error(type + \" has no entries\") end;"},
    {"karta_entry_key", "def karta_entry_key: [(.key, .k, .name, .Name, .Key, .K)"
                        " | if type == \"null\" then empty else . end] | .[0]"
                        " | if type == \"string\" then ."
                        " elif karta_compound then error(type + \" where a key belongs\")"
                        " else tojson end;"},
    {"karta_from_entries", "def karta_from_entries: reduce karta_each as $e ({};"
                           " . + {($e | karta_entry_key): ($e | if has(\"value\") then .value"
                           " elif has(\"v\") then .v else .Value end)});"},
    {"karta_with_entries", "def karta_with_entries(f): [karta_to_entries[] | f]"
                           " | karta_from_entries;"},
    {"karta_map_values",
     "def karta_map_values(f): if type == \"object\""
     " then [keys_unsorted[] as $k | {key: $k, value: (.[$k] | first(f))}] | karta_from_entries"
     " else [.[] | first(f)] end;"},
    {"karta_tonumber", "def karta_tonumber: if type == \"number\" then . else karta_text"
                       " | (if utf8bytelength > 64 or (explode"
                       " | all(.[]; (. >= 43 and . <= 57) or . == 69 or . == 101) | not)"
                       " then [] else [try tonumber catch null] end) as $n"
                       " | if ($n[0] | type) == \"number\" then $n[0] + 0 | karta_finite"
                       " else error(\"a text that is no number\") end end;"},
};

#define DEFINITION_COUNT (sizeof definitions / sizeof *definitions)

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Marks what `text` names; a name inside a string costs a definition that nobody needs. */
static void mark_named(const char *text, bool *needed)
{
    for (const char *at = strstr(text, "karta_"); at != NULL; at = strstr(at, "karta_")) {
        size_t size = 0;
        while (is_word(at[size]))
            size++;
        for (size_t i = 0; i < DEFINITION_COUNT; i++)
            if (strlen(definitions[i].name) == size && memcmp(definitions[i].name, at, size) == 0)
                needed[i] = true;
        at += size;
    }
}

void jq_prelude_emit(const char *body, struct strbuf *out)
{
    bool needed[DEFINITION_COUNT] = {false};
    mark_named(body, needed);
    for (size_t i = DEFINITION_COUNT; i-- > 0;)
        if (needed[i])
            mark_named(definitions[i].text, needed);
    for (size_t i = 0; i < DEFINITION_COUNT; i++)
        if (needed[i]) {
            strbuf_adds(out, definitions[i].text);
            strbuf_addc(out, '\n');
        }
}
