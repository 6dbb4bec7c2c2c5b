/* SPDX-License-Identifier: Apache-2.0 */
/* What -f names, as documents that remember where they came from. */
#ifndef KARTA_CLI_INPUT_H
#define KARTA_CLI_INPUT_H

#include <jansson.h>
#include <stddef.h>

#include "arguments.h"

struct input_document {
    char *label;   /* the file, and which document of it where it holds several */
    char *path;    /* the file as it was named, "-" for standard input */
    int line;      /* where it begins; of a List's item, where the List does */
    json_t *value; /* owned */
};

struct input {
    struct input_document *documents;
    size_t count, room;
};

/*
 * Reads every document of every file (folders: their .yaml, .yml and .json files; "-": standard
 * input) into *input, in order. What can't be read is said on standard error, the others are read
 * all the same; the first failure's code is returned. The caller disposes *input in any case.
 */
int input_read(const struct text_list *files, struct input *input);

/* Drops what is no Kubernetes object, with a line for each; the code of the first, CLI_INVALID. */
int input_keep_objects(struct input *input);

void input_dispose(struct input *input);

/* Calls visit(path, state) for `path`, or for each document file where it is a folder. */
int input_each_file(const char *path, int (*visit)(const char *path, void *state), void *state);

/* A borrowed text of an object's field, "" where it is no text. */
const char *input_text(const json_t *object, const char *key);

#endif
