/* SPDX-License-Identifier: Apache-2.0 */
/* What the real server adds to an object that leaves it out. */
#ifndef KARTA_TESTS_API_DEFAULTS_H
#define KARTA_TESTS_API_DEFAULTS_H

#include <jansson.h>

/* Replaces what it adds to; what is below is shared and stays as it was. */
void defaults_fill(json_t *object);

#endif
