/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 as RFC 4648 section 4 has it: how Kubernetes carries bytes in JSON. */
#ifndef KARTA_BASE_BASE64_H
#define KARTA_BASE_BASE64_H

#include <stddef.h>

/* New, NUL-terminated text; NULL when memory is out. */
char *base64_encode(const char *bytes, size_t size);

/*
 * New, NUL-terminated bytes of `text`, *size of them; NULL where it isn't base64 with its padding,
 * or when memory is out.
 */
char *base64_decode(const char *text, size_t *size);

#endif
