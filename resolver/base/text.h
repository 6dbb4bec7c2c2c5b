/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as messages and JSON need it. Pure functions. */
#ifndef KARTA_BASE_TEXT_H
#define KARTA_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of the character that starts at `bytes` (`size` are there, at least 1), and the character
 * itself in *point (may be NULL). 0 where no whole, valid character starts: a stray byte, an
 * overlong form, a surrogate, above U+10FFFF, or one that is cut off.
 */
size_t text_character(const char *bytes, size_t size, uint32_t *point);

/* Writes `point` as UTF-8; the number of bytes, 1 to 4. `point` must be a character. */
size_t text_encode(uint32_t point, char bytes[4]);

/*
 * Makes `text` one line of valid UTF-8, in place and never longer: control characters become
 * spaces, bytes that are no character become '?', a character that is cut off at the end is
 * dropped.
 */
void text_clean(char *text);

#endif
