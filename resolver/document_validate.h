/* SPDX-License-Identifier: Apache-2.0 */
/* Which of our kinds a document is. */
#ifndef KARTA_DOCUMENT_VALIDATE_H
#define KARTA_DOCUMENT_VALIDATE_H

#include "karta/snapshot.h"

enum document_kind { DOCUMENT_UNKNOWN, DOCUMENT_KARTA, DOCUMENT_PROFILE, DOCUMENT_POLICY };

/* By apiVersion and kind; DOCUMENT_UNKNOWN adds a problem that says what would be right. */
enum document_kind document_kind(const json_t *document, struct karta_problems *problems);

#endif
