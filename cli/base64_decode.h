/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648 section 4), as AdmissionReview carries its patch. */
#ifndef KARTA_CLI_BASE64_DECODE_H
#define KARTA_CLI_BASE64_DECODE_H

#include <stddef.h>

/*
 * New, NUL-terminated bytes of `text`, *size of them; NULL where it isn't base64 with its padding,
 * or when memory is out.
 */
char *base64_decode(const char *text, size_t *size);

#endif
