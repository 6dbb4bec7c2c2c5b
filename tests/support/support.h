/* SPDX-License-Identifier: Apache-2.0 */
/* What tests share. Include it after cmocka.h's own prerequisites, which it brings. */
#ifndef KARTA_TEST_SUPPORT_H
#define KARTA_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "karta/snapshot.h"

/* New JSON of a text in which ' stands for "; aborts the test program on a bad text. */
json_t *test_json(const char *text);

/* Whole file below the source tree, new, NUL-terminated; aborts when it is not there. */
char *test_read(const char *path, size_t *size);

/* A snapshot of the built-in definitions and profiles; aborts with the problems on a refusal. */
struct karta_snapshot *test_snapshot(void);

/* Fails the test, printing both, unless the values are equal as JSON. */
#define assert_json_equal(actual, expected) \
    test_json_equal((actual), (expected), __FILE__, __LINE__)
void test_json_equal(const json_t *actual, const json_t *expected, const char *file, int line);

#endif
