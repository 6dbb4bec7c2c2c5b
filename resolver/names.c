/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of pod groups and subgroups. The one idea: the readable part may be cut or repeat, the
 * hash tells apart whatever is not the same gang (kind, namespace, name, group, key, admission).
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define HASH_DIGITS 8

const char *gang_owner_name(const struct gang_owner *owner)
{
    return owner->name != NULL ? owner->name : owner->generate_name;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Appends `text` to the label, at most to `limit`; false runs become one dash. */
static size_t add_label(char *label, size_t size, size_t limit, const char *text)
{
    for (; *text != '\0' && size < limit; text++) {
        if (is_alnum(*text))
            label[size++] = (char)(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text);
        else if (size > 0 && label[size - 1] != '-')
            label[size++] = '-';
    }
    return size;
}

static size_t trim_dash(const char *label, size_t size)
{
    while (size > 0 && label[size - 1] == '-')
        size--;
    return size;
}

void name_dns_label(const char *text, char label[NAME_SIZE])
{
    size_t size = add_label(label, 0, NAME_SIZE - 1, text);
    label[trim_dash(label, size)] = '\0';
}

bool name_is_label_value(const char *text)
{
    size_t size = strlen(text);
    if (size == 0)
        return true;
    if (size > NAME_SIZE - 1 || !is_alnum(text[0]) || !is_alnum(text[size - 1]))
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!is_alnum(*c) && *c != '-' && *c != '_' && *c != '.')
            return false;
    return true;
}

bool name_is_dns_subdomain(const char *text)
{
    size_t size = strlen(text);
    char before = '.';
    for (const char *c = text; *c != '\0'; before = *c++) {
        bool lower = is_alnum(*c) && !(*c >= 'A' && *c <= 'Z');
        bool inner = *c == '-' && before != '.';
        bool end = *c == '.' && before != '.' && before != '-';
        if (!lower && !inner && !end)
            return false;
    }
    return size > 0 && size <= 253 && before != '.' && before != '-';
}

bool name_is_qualified(const char *text)
{
    char prefix[254];
    const char *slash = strchr(text, '/');
    const char *name = slash != NULL ? slash + 1 : text;
    if (name[0] == '\0' || !name_is_label_value(name))
        return false;
    if (slash == NULL)
        return true;
    size_t size = (size_t)(slash - text);
    if (size >= sizeof prefix)
        return false;
    memcpy(prefix, text, size);
    prefix[size] = '\0';
    return name_is_dns_subdomain(prefix);
}

int name_nonce(const char *uid, char nonce[NONCE_SIZE], struct karta_error *err)
{
    if (hash_hex8(&uid, 1, nonce) != 0)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "cannot hash the request's uid");
    return 0;
}

static int group_hash(const struct gang_owner *owner, const char *pod_group, const char *key,
                      const char *nonce, char hex[9])
{
    const char *parts[] = {owner->group, owner->kind, owner->ns, gang_owner_name(owner),
                           pod_group,    key,         nonce};
    return hash_hex8(parts, sizeof parts / sizeof parts[0], hex);
}

int name_pod_group(const struct gang_owner *owner, const char *pod_group, const char *key,
                   const char *nonce, char name[NAME_SIZE], struct karta_error *err)
{
    char hex[9];
    if (group_hash(owner, pod_group, key, nonce, hex) != 0)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "cannot hash a pod group's name");
    const size_t limit = NAME_SIZE - 1 - HASH_DIGITS - 1;
    size_t size = 0;
    const char *parts[] = {gang_owner_name(owner), pod_group, key};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i] == NULL)
            continue;
        size = trim_dash(name, size);
        if (size > 0 && size < limit)
            name[size++] = '-';
        size = add_label(name, size, limit, parts[i]);
    }
    size = trim_dash(name, size);
    snprintf(name + size, NAME_SIZE - size, size > 0 ? "-%s" : "%s", hex);
    return 0;
}

bool name_fits(const struct gang_owner *owner, const char *pod_group, const char *key,
               const char *nonce, const char *name)
{
    char hex[9];
    size_t size = strlen(name);
    return size >= HASH_DIGITS && size < NAME_SIZE &&
           group_hash(owner, pod_group, key, nonce, hex) == 0 &&
           strcmp(name + size - HASH_DIGITS, hex) == 0;
}
