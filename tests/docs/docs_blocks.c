/* SPDX-License-Identifier: Apache-2.0 */
#include "docs_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define PAGE_BYTES (1U << 20)

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "page: %s: %s\n", what, detail);
    abort();
}

static const char *line_end(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL ? end + 1 : text + strlen(text);
}

/* New: the words of a comment that a fence follows, NULL where the line is none. */
static char *mark_of(const char *line)
{
    const char *end = line_end(line);
    if (strncmp(line, "<!-- ", 5) != 0 || end - line < 10 || strncmp(end - 5, " -->\n", 5) != 0 ||
        strncmp(end, "```", 3) != 0)
        return NULL;
    return mem_format("%.*s", (int)(end - line - 10), line + 5);
}

/* Where the block's text begins and ends, from the comment on. */
static const char *text_of(const char *comment, size_t *size)
{
    const char *start = line_end(line_end(comment)), *end = start;
    while (*end != '\0' && strncmp(end, "```", 3) != 0)
        end = line_end(end);
    if (*end == '\0')
        die("a fence is never closed", comment);
    *size = (size_t)(end - start);
    return start;
}

static void add_block(struct page *page, char *mark, const char *comment, int line)
{
    size_t size;
    const char *text = text_of(comment, &size);
    void *blocks = reallocarray(page->blocks, page->count + 1, sizeof *page->blocks);
    char *copy = mem_format("%.*s", (int)size, text);
    if (blocks == NULL || copy == NULL)
        die("memory", "out");
    page->blocks = blocks;
    page->blocks[page->count++] = (struct block){mark, copy, line, NULL};
}

void page_read(const char *path, struct page *page)
{
    struct karta_error err = {0};
    size_t size;
    *page = (struct page){0};
    if (file_read(path, PAGE_BYTES, &page->bytes, &size, &err) != 0)
        die(path, err.message);
    int number = 1;
    for (const char *line = page->bytes; *line != '\0'; line = line_end(line), number++) {
        char *mark = mark_of(line);
        if (mark != NULL)
            add_block(page, mark, line, number);
    }
}

void page_write(const char *path, const struct page *page)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, PAGE_BYTES);
    const char *from = page->bytes;
    int number = 1;
    size_t next = 0;
    for (const char *line = page->bytes; *line != '\0' && next < page->count; number++) {
        const struct block *block = &page->blocks[next];
        if (number == block->line) {
            size_t size;
            const char *text = text_of(line, &size);
            strbuf_add(&buf, from, (size_t)(text - from));
            strbuf_adds(&buf, block->made != NULL ? block->made : block->text);
            from = text + size;
            next++;
        }
        line = line_end(line);
    }
    strbuf_adds(&buf, from);
    struct karta_error err = {0};
    if (strbuf_check(&buf, &err) != 0 || file_write(path, buf.text, buf.size, 0644, &err) != 0)
        die(path, err.message);
}

void page_dispose(struct page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        free(page->blocks[i].mark);
        free(page->blocks[i].text);
        free(page->blocks[i].made);
    }
    free(page->blocks);
    free(page->bytes);
}
