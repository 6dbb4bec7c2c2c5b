/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer must be; each fails the test where it is something else. */
#ifndef KARTA_TESTS_ANSWERS_H
#define KARTA_TESTS_ANSWERS_H

#include "harness.h"

/* {"error": error}, in JSON, and nothing else. */
void assert_error(const struct answer *answer, int status, const char *error);
/* An AdmissionReview that allows test_review. */
void assert_review(const struct answer *answer);
/* Sends `request` whole, then reads an error with this status and text. */
void assert_refused(const struct running *server, const char *request, int status,
                    const char *error);

/* `line` stands in what /metrics says. */
void assert_metric(const struct running *server, const char *line);

#endif
