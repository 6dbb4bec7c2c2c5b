/* SPDX-License-Identifier: Apache-2.0 */
/* labelSelector and fieldSelector of a request. */
#ifndef KARTA_TESTS_API_SELECTOR_H
#define KARTA_TESTS_API_SELECTOR_H

#include "request.h"

/* Whether an object, NULL allowed, is in the request's namespace and fits its selectors. */
bool selector_fits(const struct api_request *request, const json_t *object);
/* False: the label selector is no selector. */
bool selector_is_valid(const struct api_request *request);

#endif
