/* SPDX-License-Identifier: Apache-2.0 */
/* A workload as boxes: what the two kinds of pictures draw. */
#ifndef KARTA_CLI_PICTURE_H
#define KARTA_CLI_PICTURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

#define PICTURE_NONE ((size_t)-1)

struct picture_box {
    char *name;    /* as it is to be read */
    char *counts;  /* "2 pods, 8 GPUs"; "" where nothing is known */
    char *error;   /* NULL: none */
    size_t parent; /* index; PICTURE_NONE: the root */
    size_t group;  /* the gang that it is in; PICTURE_NONE: none */
    bool instance; /* one of several that stand in a row below their component */
    int x, y, width, height;
};

struct picture_gang {
    char *label; /* "train-jobset: 3 of 3 pods start together" */
};

struct picture {
    char *title, *kind, *name, *phase; /* title: KIND/NAME */
    struct picture_box *boxes;         /* parents before their children */
    size_t count;
    struct picture_gang *gangs;
    size_t gang_count;
};

/* Makes the boxes of a view and its karta_members. False when memory is out; disposed then too. */
bool picture_make(const json_t *view, const json_t *members, struct picture *picture);
void picture_dispose(struct picture *picture);

/* Each appends the whole picture. Names too long for a box are cut, and whole in its tooltip. */
void picture_svg(struct picture *picture, struct strbuf *buf);
void picture_dot(const struct picture *picture, struct strbuf *buf);

/* Gives every box its place; *width and *height are the picture's. */
void picture_layout(struct picture *picture, int *width, int *height);

#endif
