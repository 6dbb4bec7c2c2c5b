/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where boxes stand: the root on the left, children to the right of their parent, one below the
 * other. Instances of one component fill a grid, so that two hundred of them are still a picture.
 */
#include "picture.h"

#define MARGIN 24
#define BOX_WIDTH 190
#define BOX_HEIGHT 46
#define ROOT_HEIGHT 82
#define ACROSS 56 /* from a box to its children */
#define DOWN 12   /* between instances */
#define APART 40  /* between components: room for the frame and label of a gang */
#define ROWS 10   /* a grid this high gets another column */
#define COLUMNS 8
#define LABEL 18 /* above the topmost gang */

struct extent {
    int right, bottom;
};

static void cover(struct extent *extent, const struct picture_box *box)
{
    if (box->x + box->width > extent->right)
        extent->right = box->x + box->width;
    if (box->y + box->height > extent->bottom)
        extent->bottom = box->y + box->height;
}

static int grid_columns(size_t count)
{
    size_t columns = (count + ROWS - 1) / ROWS;
    return columns < 1 ? 1 : columns > COLUMNS ? COLUMNS : (int)columns;
}

/* Places the instances of box `parent`; returns the y below them, or `y` where there are none. */
static int place_instances(struct picture *picture, size_t parent, int x, int y,
                           struct extent *extent)
{
    size_t count = 0;
    for (size_t i = 0; i < picture->count; i++)
        count += picture->boxes[i].instance && picture->boxes[i].parent == parent;
    int columns = grid_columns(count), at = 0, bottom = y;
    for (size_t i = 0; i < picture->count; i++) {
        struct picture_box *box = &picture->boxes[i];
        if (!box->instance || box->parent != parent)
            continue;
        box->width = BOX_WIDTH;
        box->height = BOX_HEIGHT;
        box->x = x + (at % columns) * (BOX_WIDTH + DOWN);
        box->y = y + (at / columns) * (BOX_HEIGHT + DOWN);
        bottom = box->y + BOX_HEIGHT;
        cover(extent, box);
        at++;
    }
    return bottom;
}

/* Places box `b` and all below it from y on; returns the y below them. */
static int place(struct picture *picture, size_t b, int x, int y, struct extent *extent)
{
    struct picture_box *box = &picture->boxes[b];
    box->width = BOX_WIDTH;
    box->height = box->parent == PICTURE_NONE ? ROOT_HEIGHT : BOX_HEIGHT;
    int next = x + BOX_WIDTH + ACROSS;
    int bottom = place_instances(picture, b, next, y, extent);
    bool any = bottom > y;
    for (size_t i = b + 1; i < picture->count; i++) {
        if (picture->boxes[i].instance || picture->boxes[i].parent != b)
            continue;
        bottom = place(picture, i, next, any ? bottom + APART : y, extent);
        any = true;
    }
    if (bottom < y + box->height)
        bottom = y + box->height;
    box->x = x;
    box->y = y + (bottom - y - box->height) / 2;
    cover(extent, box);
    return bottom;
}

void picture_layout(struct picture *picture, int *width, int *height)
{
    struct extent extent = {0};
    if (picture->count > 0)
        place(picture, 0, MARGIN, MARGIN + LABEL, &extent);
    *width = extent.right + MARGIN + DOWN;
    *height = extent.bottom + MARGIN + DOWN;
}
