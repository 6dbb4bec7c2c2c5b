/* SPDX-License-Identifier: Apache-2.0 */
/* A page as its examples: fenced blocks that an HTML comment on the line before marks. */
#ifndef KARTA_TEST_DOCS_BLOCKS_H
#define KARTA_TEST_DOCS_BLOCKS_H

#include <stddef.h>

struct block {
    char *mark; /* the comment's words */
    char *text; /* what the fences hold, with its last line feed */
    int line;   /* of the comment, 1-based */
    char *made; /* what the block should hold; NULL: as it is. Owned */
};

struct page {
    char *bytes;
    struct block *blocks;
    size_t count;
};

/* Reads a page; aborts where it can't, or where a fence is never closed. */
void page_read(const char *path, struct page *page);
/* Writes it with each block's `made` in place of its text. */
void page_write(const char *path, const struct page *page);
void page_dispose(struct page *page);

#endif
