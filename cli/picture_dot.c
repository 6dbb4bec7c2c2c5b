/* SPDX-License-Identifier: Apache-2.0 */
/* The same boxes for Graphviz: gangs are clusters. */
#include "base/mem.h"
#include "picture.h"
#include "table.h"

#define NAME_COLUMNS 40

static void add_quoted(struct strbuf *buf, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            strbuf_addc(buf, '\\');
        strbuf_addc(buf, *text);
    }
}

static void add_line(struct strbuf *buf, const char *text)
{
    KARTA_AUTO_TEXT cut = table_cut(text, NAME_COLUMNS);
    add_quoted(buf, cut != NULL ? cut : "");
}

static void add_box(const struct picture *picture, size_t b, struct strbuf *buf)
{
    const struct picture_box *box = &picture->boxes[b];
    bool root = box->parent == PICTURE_NONE;
    strbuf_addf(buf, "  b%zu [label=\"", b);
    add_line(buf, root ? picture->title : box->name);
    if (*box->counts != '\0' || box->error != NULL) {
        strbuf_adds(buf, "\\n");
        add_line(buf, box->error != NULL ? box->error : box->counts);
    }
    if (root) {
        strbuf_adds(buf, "\\n");
        add_line(buf, picture->phase);
    }
    strbuf_adds(buf, root ? "\", style=\"rounded,bold\"];\n" : "\"];\n");
}

void picture_dot(const struct picture *picture, struct strbuf *buf)
{
    strbuf_adds(buf, "digraph \"");
    add_quoted(buf, picture->title);
    strbuf_adds(buf, "\" {\n  rankdir=LR;\n  node [shape=box, style=rounded, "
                     "fontname=\"sans-serif\"];\n");
    for (size_t i = 0; i < picture->count; i++)
        if (picture->boxes[i].group == PICTURE_NONE)
            add_box(picture, i, buf);
    for (size_t g = 0; g < picture->gang_count; g++) {
        strbuf_addf(buf, "  subgraph cluster_%zu {\n  style=dashed;\n  label=\"", g);
        add_quoted(buf, picture->gangs[g].label);
        strbuf_adds(buf, "\";\n");
        for (size_t i = 0; i < picture->count; i++)
            if (picture->boxes[i].group == g)
                add_box(picture, i, buf);
        strbuf_adds(buf, "  }\n");
    }
    for (size_t i = 0; i < picture->count; i++)
        if (picture->boxes[i].parent != PICTURE_NONE)
            strbuf_addf(buf, "  b%zu -> b%zu;\n", picture->boxes[i].parent, i);
    strbuf_adds(buf, "}\n");
}
