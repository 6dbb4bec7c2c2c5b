/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubernetes quantities, exactly: a whole number of nano-units and the notation it was written in.
 * Grammar, rounding (up, away from zero, to nano) and canonical form: apimachinery's
 * resource.Quantity (k8s.io/apimachinery/pkg/api/resource/quantity.go). As there, only binary
 * suffixes are capped, at 2^63-1; the others hold up to 1.7e29 here. Pure functions.
 */
#ifndef KARTA_QUANTITY_H
#define KARTA_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "karta/error.h"

enum quantity_format { QUANTITY_DECIMAL, QUANTITY_BINARY, QUANTITY_EXPONENT };

struct quantity {
    __extension__ __int128 nano;
    enum quantity_format format;
};

/* Room for any canonical text and its NUL. */
#define QUANTITY_TEXT 64

/*
 * Parses `text`. KARTA_ERR_SCHEMA: `"1x" is not a quantity`; KARTA_ERR_LIMIT: `"1e99" is too
 * large`.
 */
int quantity_parse(const char *text, struct quantity *quantity, struct karta_error *err);

/* *sum += `other`; the format of the first non-zero one stays. KARTA_ERR_LIMIT on overflow. */
int quantity_add(struct quantity *sum, const struct quantity *other, struct karta_error *err);

/* *quantity *= `factor` (not negative). KARTA_ERR_LIMIT on overflow. */
int quantity_multiply(struct quantity *quantity, int64_t factor, struct karta_error *err);

/* Below 0, 0 or above 0. */
int quantity_compare(const struct quantity *a, const struct quantity *b);

/* Canonical form: "1500m", "1536Mi", "12". */
void quantity_print(const struct quantity *quantity, char text[QUANTITY_TEXT]);

/* As a number, rounded; for totals that users read (GPUs). */
double quantity_value(const struct quantity *quantity);

#endif
