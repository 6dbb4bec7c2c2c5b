/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVG, written by hand: boxes, lines, the frames of gangs. Colours are classes, so that one picture
 * is right on a light and on a dark page.
 */
#include <string.h>

#include "base/mem.h"
#include "picture.h"
#include "table.h"

#define FRAME 9        /* from a box to the frame around it */
#define LABEL_HEIGHT 6 /* from the frame up to its label */
#define NAME_COLUMNS 20
#define LABEL_COLUMNS 60

static const char style[] =
    "<style>\n"
    "text{font:13px ui-sans-serif,system-ui,\"DejaVu Sans\",sans-serif;fill:#1f2328}\n"
    ".name{font-weight:600}.small{font-size:12px;fill:#59636e}.bad{fill:#b3261e}\n"
    ".page{fill:#ffffff}.box{fill:#f6f8fa;stroke:#8c959f}.root{fill:#eaf2fc;stroke:#0969da}\n"
    ".line{fill:none;stroke:#8c959f}.gang{fill:#1a7f37;fill-opacity:.06;stroke:#1a7f37;"
    "stroke-dasharray:5 4}\n"
    ".of{fill:#1a7f37;font-size:12px}.good{fill:#1a7f37}.busy{fill:#9a6700}.idle{fill:#59636e}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.bad{fill:#ff8f85}\n"
    ".page{fill:#0d1117}.box{fill:#161b22;stroke:#6e7681}.root{fill:#0f2540;stroke:#4493f8}\n"
    ".line{stroke:#6e7681}.gang{fill:#3fb950;stroke:#3fb950}.of{fill:#3fb950}\n"
    ".good{fill:#3fb950}.busy{fill:#d29922}.idle{fill:#9198a1}}\n"
    "</style>\n";

static void add_escaped(struct strbuf *buf, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity != NULL)
            strbuf_adds(buf, entity);
        else
            strbuf_addc(buf, *text);
    }
}

static void add_text(struct strbuf *buf, int x, int y, const char *class, const char *text,
                     size_t columns)
{
    KARTA_AUTO_TEXT cut = table_cut(text, columns);
    strbuf_addf(buf, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    add_escaped(buf, cut != NULL ? cut : "");
    strbuf_adds(buf, "</text>\n");
}

static const char *phase_class(const char *phase)
{
    static const struct {
        const char *phase, *class;
    } classes[] = {{"Running", "good"},   {"Completed", "good"},    {"Failed", "bad"},
                   {"Degraded", "bad"},   {"Initializing", "busy"}, {"Resuming", "busy"},
                   {"Suspending", "busy"}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strncmp(classes[i].phase, phase, strlen(classes[i].phase)) == 0)
            return classes[i].class;
    return "idle";
}

static void add_root(const struct picture *picture, const struct picture_box *box,
                     struct strbuf *buf)
{
    int x = box->x + 12;
    add_text(buf, x, box->y + 18, "small", picture->kind, NAME_COLUMNS + 4);
    add_text(buf, x, box->y + 36, "name", picture->name, NAME_COLUMNS);
    add_text(buf, x, box->y + 53, "small", box->counts, NAME_COLUMNS + 4);
    strbuf_addf(buf, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"4\"/>\n",
                phase_class(picture->phase), x + 4, box->y + 67);
    add_text(buf, x + 14, box->y + 71, "small", picture->phase, NAME_COLUMNS + 2);
}

static void add_other(const struct picture_box *box, struct strbuf *buf)
{
    bool one = *box->counts == '\0' && box->error == NULL;
    add_text(buf, box->x + 12, box->y + (one ? 27 : 19), "name", box->name, NAME_COLUMNS);
    if (!one)
        add_text(buf, box->x + 12, box->y + 36, box->error != NULL ? "small bad" : "small",
                 box->error != NULL ? box->error : box->counts, NAME_COLUMNS + 4);
}

static void add_box(const struct picture *picture, const struct picture_box *box,
                    struct strbuf *buf)
{
    bool root = box->parent == PICTURE_NONE;
    strbuf_adds(buf, "<g><title>");
    add_escaped(buf, root ? picture->title : box->name);
    if (box->error != NULL) {
        strbuf_adds(buf, ": ");
        add_escaped(buf, box->error);
    }
    strbuf_addf(buf,
                "</title><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                "rx=\"6\"/>\n",
                root ? "root" : "box", box->x, box->y, box->width, box->height);
    if (root)
        add_root(picture, box, buf);
    else
        add_other(box, buf);
    strbuf_adds(buf, "</g>\n");
}

/* A line from the parent; of a grid only its first column has one, from the side. */
static void add_line(const struct picture *picture, const struct picture_box *box,
                     struct strbuf *buf)
{
    if (box->parent == PICTURE_NONE)
        return;
    const struct picture_box *parent = &picture->boxes[box->parent];
    int x = parent->x + parent->width, y = parent->y + parent->height / 2;
    int middle = x + 20, to = box->y + box->height / 2;
    if (box->x > x + 80)
        return;
    strbuf_addf(buf, "<path class=\"line\" d=\"M%d %dH%dV%dH%d\"/>\n", x, y, middle, to, box->x);
}

struct frame {
    int left, top, right, bottom;
    bool any;
};

static struct frame frame_of(const struct picture *picture, size_t gang)
{
    struct frame frame = {0};
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_box *box = &picture->boxes[i];
        if (box->group != gang)
            continue;
        if (!frame.any || box->x < frame.left)
            frame.left = box->x;
        if (!frame.any || box->y < frame.top)
            frame.top = box->y;
        if (!frame.any || box->x + box->width > frame.right)
            frame.right = box->x + box->width;
        if (!frame.any || box->y + box->height > frame.bottom)
            frame.bottom = box->y + box->height;
        frame.any = true;
    }
    return frame;
}

/* Whether a box of another gang, or of none though it has pods, stands in the frame. */
static bool is_mixed(const struct picture *picture, size_t gang, const struct frame *frame)
{
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_box *box = &picture->boxes[i];
        if (box->group != gang && box->x + box->width > frame->left && box->x < frame->right &&
            box->y + box->height > frame->top && box->y < frame->bottom)
            return true;
    }
    return false;
}

static void add_frame(const struct picture *picture, const struct frame *frame, size_t gang,
                      bool labelled, struct strbuf *buf)
{
    strbuf_addf(buf,
                "<rect class=\"gang\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"9\"/>\n",
                frame->left - FRAME, frame->top - FRAME, frame->right - frame->left + 2 * FRAME,
                frame->bottom - frame->top + 2 * FRAME);
    if (labelled)
        add_text(buf, frame->left - FRAME, frame->top - FRAME - LABEL_HEIGHT, "of",
                 picture->gangs[gang].label, LABEL_COLUMNS);
}

static void add_gang(const struct picture *picture, size_t gang, struct strbuf *buf)
{
    struct frame frame = frame_of(picture, gang);
    if (!frame.any)
        return;
    if (!is_mixed(picture, gang, &frame)) {
        add_frame(picture, &frame, gang, true, buf);
        return;
    }
    bool labelled = true;
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_box *box = &picture->boxes[i];
        if (box->group != gang)
            continue;
        frame = (struct frame){box->x, box->y, box->x + box->width, box->y + box->height, true};
        add_frame(picture, &frame, gang, labelled, buf);
        labelled = false;
    }
}

/* The label of a gang may be longer than its boxes are wide. */
static int label_width(const struct picture *picture)
{
    int most = 0;
    for (size_t g = 0; g < picture->gang_count; g++) {
        struct frame frame = frame_of(picture, g);
        int right = frame.left + 8 * (int)strlen(picture->gangs[g].label);
        most = frame.any && right > most ? right : most;
    }
    return most;
}

void picture_svg(struct picture *picture, struct strbuf *buf)
{
    int width, height;
    picture_layout(picture, &width, &height);
    int needed = label_width(picture);
    width = needed > width ? needed : width;
    strbuf_addf(buf,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                width, height, width, height);
    add_escaped(buf, picture->title);
    strbuf_addf(buf, "</title>\n%s<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", style,
                width, height);
    for (size_t g = 0; g < picture->gang_count; g++)
        add_gang(picture, g, buf);
    for (size_t i = 0; i < picture->count; i++)
        add_line(picture, &picture->boxes[i], buf);
    for (size_t i = 0; i < picture->count; i++)
        add_box(picture, &picture->boxes[i], buf);
    strbuf_adds(buf, "</svg>\n");
}
