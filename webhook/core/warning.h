/* SPDX-License-Identifier: Apache-2.0 */
/* What Kubernetes shows of warnings: 256 characters each, 4 KiB in all. */
#ifndef KARTA_CORE_WARNING_H
#define KARTA_CORE_WARNING_H

#define WARNINGS_MOST 10U

/* Cuts `text` to what is shown, in place; a cut falls between two characters. */
void warning_cut(char *text);

#endif
