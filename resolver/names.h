/* SPDX-License-Identifier: Apache-2.0 */
/* Names that we make: DNS labels that are valid, stable and never shared. Pure functions. */
#ifndef KARTA_NAMES_H
#define KARTA_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/error.h"

#define NAME_SIZE 64 /* a DNS label and its NUL */
#define NONCE_SIZE 9 /* eight hex digits and a NUL */

/* Who a gang belongs to, as its hash and its memory record it. All borrowed. */
struct gang_owner {
    const char *group, *kind, *ns;
    const char *name;          /* NULL under generateName */
    const char *generate_name; /* NULL where there is a name */
};

/* The name, or the prefix that stands in for it. */
const char *gang_owner_name(const struct gang_owner *owner);

/* Writes `text` as a DNS label of at most 63 characters: lower case, runs of anything else one
 * '-', none at the ends. "" where nothing is left. */
void name_dns_label(const char *text, char label[NAME_SIZE]);

/* A label value as Kubernetes takes it: at most 63 of [-_.A-Za-z0-9], alphanumeric at both ends. */
bool name_is_label_value(const char *text);

/* As Kubernetes names objects: DNS labels joined by dots, at most 253 characters. */
bool name_is_dns_subdomain(const char *text);

/* As Kubernetes names labels: a label value that isn't empty, after a DNS prefix and '/', if any.
 */
bool name_is_qualified(const char *text);

/* The nonce of one admission: eight hex digits of SHA-256 of the request's uid. */
int name_nonce(const char *uid, char nonce[NONCE_SIZE], struct karta_error *err);

/*
 * The pod group's name: <workload>-<group>[-<key>]-<8 hex>. The readable part is cut, never the
 * hash, which covers everything that tells two groups apart.
 */
int name_pod_group(const struct gang_owner *owner, const char *pod_group, const char *key,
                   const char *nonce, char name[NAME_SIZE], struct karta_error *err);

/* True when `name` ends in the hash that this group of this owner has. */
bool name_fits(const struct gang_owner *owner, const char *pod_group, const char *key,
               const char *nonce, const char *name);

#endif
