/* SPDX-License-Identifier: Apache-2.0 */
/* A path expression as people read it: where something stands, not when it does. */
#ifndef KARTA_CATALOG_PATH_H
#define KARTA_CATALOG_PATH_H

/*
 * New text of `expression`: on one line, without the conditions of `select(…)` and the marks that
 * only matter to jq.
 */
char *catalog_path(const char *expression);

#endif
