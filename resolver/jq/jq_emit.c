/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an expression anew from its tree, so that no byte of the user's text reaches libjq. The
 * idea: each node becomes one closed term, in parentheses where it is composed, and everything that
 * could keep a C function of libjq busy goes through a guard of ours (jq_prelude.c) first.
 *
 * What a node is written as is short: libjq walks the whole program once for each of its own
 * builtins while it compiles, so each instruction counts, and a call of a definition of ours costs
 * a tenth of what the definition does.
 */
#include "jq/jq_emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "jq/jq_ast.h"
#include "jq/jq_builtin.h"
#include "jq/jq_single.h"

/* 200 parts of 4 KiB each, and what guards add to them */
#define PROGRAM_BYTES (8U << 20)

static void emit(const struct jq_node *node, struct strbuf *out);

static void emit_text(const char *text, struct strbuf *out)
{
    strbuf_add_json(out, text, strlen(text));
}

/* Numbers are folded with 0, so that jq 1.7 keeps no decimal of its own beside the double. */
static void emit_number(double number, struct strbuf *out)
{
    if (floor(number) == number && number < 1e15)
        strbuf_addf(out, "%.0f", number);
    else
        strbuf_addf(out, "(%.17g + 0)", number);
}

/* `between` stands between the children, which are in parentheses together. */
static void emit_joined(const struct jq_node *node, const char *between, struct strbuf *out)
{
    strbuf_addc(out, '(');
    for (const struct jq_node *child = node->first; child != NULL; child = child->next) {
        emit(child, out);
        if (child->next != NULL)
            strbuf_addf(out, " %s ", between);
    }
    strbuf_addc(out, ')');
}

/* Last part first: as in jq, the last interpolation is the outermost loop. */
static void emit_bindings(const struct jq_node *part, size_t index, bool json, struct strbuf *out)
{
    if (part == NULL)
        return;
    emit_bindings(part->next, index + 1, json, out);
    if (part->kind == NODE_TEXT)
        return;
    strbuf_addc(out, '(');
    emit(part, out);
    strbuf_addf(out, " | %s) as $karta_%zu | ", json ? "karta_json" : "karta_string", index);
}

static void emit_string(const struct jq_node *node, struct strbuf *out)
{
    if (node_is_literal_text(node)) {
        emit_text(node->text, out);
        return;
    }
    strbuf_addc(out, '(');
    emit_bindings(node->first, 0, node->json, out);
    strbuf_addc(out, '[');
    size_t index = 0;
    for (const struct jq_node *part = node->first; part != NULL; part = part->next, index++) {
        if (part->kind == NODE_TEXT)
            emit_text(part->text, out);
        else
            strbuf_addf(out, "$karta_%zu", index);
        if (part->next != NULL)
            strbuf_adds(out, ", ");
    }
    strbuf_adds(out, "] | karta_concat)");
}

static void emit_slice(const struct jq_node *node, struct strbuf *out)
{
    strbuf_addc(out, '[');
    if (node->has_from)
        strbuf_addf(out, "%.0f", node->from);
    strbuf_addc(out, ':');
    if (node->has_to)
        strbuf_addf(out, "%.0f", node->to);
    strbuf_addc(out, ']');
}

static void emit_iterate(const struct jq_node *node, struct strbuf *out)
{
    strbuf_addc(out, '(');
    emit(node->first, out);
    strbuf_adds(out, node->optional ? " | karta_each_or_none)" : " | karta_each)");
}

/* A target and what hangs on it. jq's own `?` there covers the last step alone, as ours does. */
static void emit_suffix(const struct jq_node *node, struct strbuf *out)
{
    if (node->kind == NODE_ITERATE) {
        emit_iterate(node, out);
        return;
    }
    emit(node->first, out);
    switch (node->kind) {
    case NODE_FIELD:
        strbuf_addc(out, '[');
        emit_text(node->text, out);
        strbuf_addc(out, ']');
        break;
    case NODE_INDEX:
        strbuf_addf(out, "[%.0f]", node->number);
        break;
    case NODE_SLICE:
        emit_slice(node, out);
        break;
    case NODE_LOOKUP:
        strbuf_addc(out, '[');
        emit(node_second(node), out);
        strbuf_adds(out, node->optional ? " | karta_key_or_none]" : " | karta_key]");
        break;
    default:
        break;
    }
    if (node->optional)
        strbuf_addc(out, '?');
}

static void emit_array(const struct jq_node *node, struct strbuf *out)
{
    if (node->first == NULL) {
        strbuf_adds(out, "[]");
        return;
    }
    strbuf_adds(out, "karta_collect(");
    emit(node->first, out);
    strbuf_addc(out, ')');
}

/* A key of an object or of a pattern; `guard` lets through what may be one. */
static void emit_key(const struct jq_node *key, const char *guard, struct strbuf *out)
{
    if (node_is_literal_text(key)) {
        emit_text(key->text, out);
        return;
    }
    strbuf_addc(out, '(');
    emit(key, out);
    strbuf_addf(out, " | %s)", guard);
}

static void emit_object(const struct jq_node *node, struct strbuf *out)
{
    strbuf_addc(out, '{');
    for (const struct jq_node *entry = node->first; entry != NULL; entry = entry->next) {
        emit_key(entry->first, "karta_name", out);
        strbuf_adds(out, ": ");
        emit(node_second(entry), out);
        if (entry->next != NULL)
            strbuf_adds(out, ", ");
    }
    strbuf_addc(out, '}');
}

/* The form of a builtin, its %1 and %2 filled with the arguments. */
static void emit_call(const struct jq_node *node, struct strbuf *out)
{
    const char *form = jq_builtin_find(node->text, node_count(node))->form;
    while (*form != '\0') {
        size_t plain = strcspn(form, "%");
        strbuf_add(out, form, plain);
        form += plain;
        if (*form == '%') {
            emit(form[1] == '1' ? node->first : node_second(node), out);
            form += 2;
        }
    }
}

/* A call of a definition of ours that takes two arguments. */
static void emit_operator(const struct jq_node *node, const char *name, struct strbuf *out)
{
    strbuf_addf(out, "%s(", name);
    emit(node->first, out);
    strbuf_adds(out, "; ");
    emit(node_second(node), out);
    strbuf_addc(out, ')');
}

/* Against a literal scalar nothing deep is ever compared; everything else is weighed first. */
static void emit_comparison(const struct jq_node *node, struct strbuf *out)
{
    static const struct {
        const char *sign, *plain, *weighed;
    } names[] = {{"==", "karta_is", "karta_equal"},  {"!=", "karta_is_not", "karta_unequal"},
                 {"<", "karta_below", "karta_less"}, {"<=", "karta_to", "karta_at_most"},
                 {">", "karta_above", "karta_more"}, {">=", "karta_from", "karta_at_least"}};
    bool plain = node_is_scalar(node->first) || node_is_scalar(node_second(node));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(node->text, names[i].sign) == 0)
            emit_operator(node, plain ? names[i].plain : names[i].weighed, out);
}

static void emit_arithmetic(const struct jq_node *node, struct strbuf *out)
{
    const char *name = node->text[0] == '+'   ? "karta_add"
                       : node->text[0] == '-' ? "karta_subtract"
                       : node->text[0] == '*' ? "karta_multiply"
                       : node->text[0] == '/' ? "karta_divide"
                                              : "karta_modulo";
    emit_operator(node, name, out);
}

static void emit_negate(const struct jq_node *node, struct strbuf *out)
{
    double number;
    if (node_is_integer(node, &number)) {
        strbuf_addf(out, "(%.0f)", number);
        return;
    }
    strbuf_addc(out, '(');
    emit(node->first, out);
    strbuf_adds(out, " | karta_negate)");
}

static void emit_pattern(const struct jq_node *pattern, struct strbuf *out)
{
    if (pattern->kind == NODE_VARIABLE) {
        emit(pattern, out);
        return;
    }
    bool array = pattern->kind == NODE_PATTERN_ARRAY;
    strbuf_addc(out, array ? '[' : '{');
    for (const struct jq_node *child = pattern->first; child != NULL; child = child->next) {
        if (!array) {
            emit_key(child->first, "karta_key", out);
            strbuf_adds(out, ": ");
        }
        emit_pattern(array ? child : node_second(child), out);
        if (child->next != NULL)
            strbuf_adds(out, ", ");
    }
    strbuf_addc(out, array ? ']' : '}');
}

static void emit_as(const struct jq_node *node, struct strbuf *out)
{
    strbuf_addc(out, '(');
    emit(node->first, out);
    strbuf_adds(out, " as ");
    emit_pattern(node_second(node), out);
    strbuf_adds(out, " | ");
    emit(node_third(node), out);
    strbuf_addc(out, ')');
}

static void emit_if(const struct jq_node *node, struct strbuf *out)
{
    strbuf_adds(out, "(if ");
    emit(node->first, out);
    strbuf_adds(out, " then ");
    emit(node_second(node), out);
    strbuf_adds(out, " else ");
    emit(node_third(node), out);
    strbuf_adds(out, " end)");
}

static void emit_try(const struct jq_node *node, struct strbuf *out)
{
    const struct jq_node *handler = node_second(node);
    strbuf_adds(out, handler == NULL ? "karta_try(" : "karta_catch(");
    emit(node->first, out);
    if (handler != NULL) {
        strbuf_adds(out, "; ");
        emit(handler, out);
    }
    strbuf_addc(out, ')');
}

static void emit(const struct jq_node *node, struct strbuf *out)
{
    switch (node->kind) {
    case NODE_IDENTITY:
        strbuf_addc(out, '.');
        break;
    case NODE_NULL:
        strbuf_adds(out, "null");
        break;
    case NODE_TRUE:
        strbuf_adds(out, "true");
        break;
    case NODE_FALSE:
        strbuf_adds(out, "false");
        break;
    case NODE_NUMBER:
        emit_number(node->number, out);
        break;
    case NODE_STRING:
        emit_string(node, out);
        break;
    case NODE_VARIABLE:
        strbuf_addf(out, "$u_%s", node->text);
        break;
    case NODE_FIELD:
    case NODE_INDEX:
    case NODE_LOOKUP:
    case NODE_SLICE:
    case NODE_ITERATE:
        emit_suffix(node, out);
        break;
    case NODE_ARRAY:
        emit_array(node, out);
        break;
    case NODE_OBJECT:
        emit_object(node, out);
        break;
    case NODE_CALL:
        emit_call(node, out);
        break;
    case NODE_PIPE:
        emit_joined(node, "|", out);
        break;
    case NODE_COMMA:
        emit_joined(node, ",", out);
        break;
    case NODE_DEFAULT:
        emit_operator(node, "karta_default", out);
        break;
    case NODE_AND:
        emit_operator(node, "karta_and", out);
        break;
    case NODE_OR:
        emit_operator(node, "karta_or", out);
        break;
    case NODE_COMPARE:
        emit_comparison(node, out);
        break;
    case NODE_ARITHMETIC:
        emit_arithmetic(node, out);
        break;
    case NODE_NEGATE:
        emit_negate(node, out);
        break;
    case NODE_AS:
        emit_as(node, out);
        break;
    case NODE_IF:
        emit_if(node, out);
        break;
    case NODE_TRY:
        emit_try(node, out);
        break;
    case NODE_TEXT:
    case NODE_ENTRY:
    case NODE_PATTERN_ARRAY:
    case NODE_PATTERN_OBJECT:
    case NODE_PATTERN_ENTRY:
        break; /* written by their parents */
    }
}

void jq_emit(const struct jq_expression *expression, struct strbuf *out)
{
    emit(expression->root, out);
}

/* A part is the argument of a call, so it is a function of its own, with its own 64 KiB of code. */
static void emit_parts(const struct jq_part *parts, size_t count, struct strbuf *out)
{
    strbuf_addc(out, '[');
    for (size_t i = 0; i < count; i++) {
        bool paths = parts[i].kind == JQ_PATHS;
        bool single = jq_is_single(parts[i].expression->root);
        strbuf_addf(out, "%s%s(%s", i > 0 ? ",\n" : "", single ? "karta_single" : "karta_part",
                    paths ? "path(" : "");
        jq_emit(parts[i].expression, out);
        strbuf_adds(out, paths ? "))" : ")");
    }
    strbuf_addc(out, ']');
}

char *jq_emit_program(const struct jq_part *parts, size_t count, struct karta_error *err)
{
    KARTA_AUTO_STRBUF body;
    KARTA_AUTO_STRBUF whole;
    strbuf_init(&body, PROGRAM_BYTES);
    strbuf_init(&whole, PROGRAM_BYTES);
    emit_parts(parts, count, &body);
    if (strbuf_check(&body, err) != 0)
        return NULL;
    jq_prelude_emit(body.text, &whole);
    strbuf_add(&whole, body.text, body.size);
    return strbuf_check(&whole, err) == 0 ? strbuf_take(&whole) : NULL;
}
