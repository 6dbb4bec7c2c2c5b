/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of one expression. Every node has the same shape (a kind, a text, a list of children),
 * so that judging, asking and writing anew are each one walk. Nodes belong to their expression and
 * are freed with it. A tree that left the parser is immutable.
 */
#ifndef KARTA_JQ_AST_H
#define KARTA_JQ_AST_H

#include <stdbool.h>
#include <stddef.h>

#include "jq/jq_program.h"

enum node_kind {
    NODE_IDENTITY, /* . */
    NODE_NULL,
    NODE_TRUE,
    NODE_FALSE,
    NODE_NUMBER,   /* number */
    NODE_STRING,   /* text; with children (NODE_TEXT and expressions) where it interpolates */
    NODE_TEXT,     /* a literal piece of an interpolated string: text */
    NODE_VARIABLE, /* text: the name without $ */
    NODE_FIELD,    /* target, text: the key */
    NODE_INDEX,    /* target, number: a literal integer */
    NODE_LOOKUP,   /* target, key expression */
    NODE_SLICE,    /* target, from and to */
    NODE_ITERATE,  /* target */
    NODE_ARRAY,    /* nothing, or what fills it */
    NODE_OBJECT,   /* entries */
    NODE_ENTRY,    /* key expression, value expression */
    NODE_CALL,     /* text: the name; arguments */
    NODE_PIPE,     /* two or more stages */
    NODE_COMMA,    /* two or more */
    NODE_DEFAULT,  /* left // right */
    NODE_AND,
    NODE_OR,
    NODE_COMPARE,    /* text: the operator; left, right */
    NODE_ARITHMETIC, /* text: the operator; left, right */
    NODE_NEGATE,
    NODE_AS,            /* source, pattern, body */
    NODE_IF,            /* condition, then, else */
    NODE_TRY,           /* body, and the handler where there is one */
    NODE_PATTERN_ARRAY, /* patterns; a plain pattern is a NODE_VARIABLE */
    NODE_PATTERN_OBJECT,
    NODE_PATTERN_ENTRY /* key expression, pattern */
};

struct jq_node {
    enum node_kind kind;
    int column;    /* 1-based, in bytes, of the whole text */
    bool optional; /* FIELD, INDEX, LOOKUP, SLICE, ITERATE: a `?` stands behind */
    bool json;     /* STRING: interpolated values are written as JSON (@json) */
    bool has_from, has_to;
    double number, from, to;
    char *text;
    struct jq_node *first, *last, *next;
    struct jq_node *allocated; /* the node made before this one */
};

struct jq_expression {
    char *text;
    struct jq_node *root;
    struct jq_node *allocated; /* all nodes, last first */
    size_t nodes;
};

/* New node in `expression`, NULL when memory is out or the cap on nodes is reached. */
struct jq_node *node_new(struct jq_expression *expression, enum node_kind kind, int column);

/* Gives `node` a copy of `text`; false when memory is out. */
bool node_set_text(struct jq_node *node, const char *text, size_t size);

/* Appends a child. */
void node_append(struct jq_node *parent, struct jq_node *child);

/* The child after the first, and after that; NULL where there is none. */
struct jq_node *node_second(const struct jq_node *node);
struct jq_node *node_third(const struct jq_node *node);

size_t node_count(const struct jq_node *node);

/* True for a string literal without interpolation. */
bool node_is_literal_text(const struct jq_node *node);

/* True for a literal integer, with a minus or without; *value is what it says. */
bool node_is_integer(const struct jq_node *node, double *value);

/* True for a literal that is no array and no object. */
bool node_is_scalar(const struct jq_node *node);

#endif
