/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 as RFC 4648 section 4 has it: how an AdmissionReview carries a patch. */
#ifndef KARTA_CORE_BASE64_H
#define KARTA_CORE_BASE64_H

#include <stddef.h>

/* New, NUL-terminated text; NULL when memory is out. */
char *base64_encode(const char *bytes, size_t size);

#endif
