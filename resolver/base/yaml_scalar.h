/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a YAML scalar means to Kubernetes: its reader's table (sigs.k8s.io/yaml, which reads by
 * go-yaml v2: YAML 1.1 without base 60, with y/n/yes/no/on/off as booleans). Pure functions.
 */
#ifndef KARTA_BASE_YAML_SCALAR_H
#define KARTA_BASE_YAML_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum yaml_kind {
    YAML_STRING,
    YAML_NULL,
    YAML_BOOL,
    YAML_INTEGER,
    YAML_REAL,
    YAML_NOT_FINITE /* .inf and .nan, which JSON does not have */
};

struct yaml_scalar {
    enum yaml_kind kind;
    bool truth;
    int64_t integer;
    double real; /* also for integers beyond 64 bits with a sign */
};

/* What the plain scalar `text` (NUL-terminated past `size`) is. */
struct yaml_scalar yaml_scalar_resolve(const char *text, size_t size);

/*
 * Writes `real` as text that reads back as the same number and never as an integer. `text` has
 * room for 64 bytes. False: memory ran out.
 */
bool yaml_scalar_print_real(double real, char text[64]);

/* Writes `real` the way the reader turns a real map key into text: 1.5, 1e+06. */
void yaml_scalar_print_key(double real, char text[64]);

#endif
