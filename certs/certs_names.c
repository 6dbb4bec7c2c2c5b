/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subject alternative names: the only names that TLS clients look at, so they are judged when they
 * are asked for and compared when a certificate is kept. An address is an address in both places,
 * never a DNS name that looks like one.
 */
#include <arpa/inet.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "certs_internal.h"

static bool is_label_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* One label of RFC 1123; *label moves behind it and its dot. */
static bool take_label(const char **label)
{
    size_t size = 0;
    while (is_label_char((*label)[size]))
        size++;
    bool good = size > 0 && size <= 63 && (*label)[0] != '-' && (*label)[size - 1] != '-';
    char end = (*label)[size];
    *label += size + (end == '.');
    return good && (end == '\0' || (end == '.' && **label != '\0'));
}

static bool is_dns_name(const char *name)
{
    if (strlen(name) > 253)
        return false;
    const char *rest = strncmp(name, "*.", 2) == 0 ? name + 2 : name;
    do {
        if (!take_label(&rest))
            return false;
    } while (*rest != '\0');
    return true;
}

int certs_san_parse(const char *san, unsigned char address[16], size_t *size,
                    struct karta_error *err)
{
    *size = 0;
    if (inet_pton(AF_INET, san, address) == 1)
        *size = 4;
    else if (inet_pton(AF_INET6, san, address) == 1)
        *size = 16;
    else if (!is_dns_name(san))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "san \"%s\" is neither a DNS name nor an IP address", san);
    return 0;
}

/* One general name as text; false for kinds that we never write. */
static bool print_name(const GENERAL_NAME *name, char *text, size_t room)
{
    int type = 0;
    const void *value = GENERAL_NAME_get0_value(name, &type);
    const ASN1_STRING *string = value;
    const unsigned char *data = value != NULL ? ASN1_STRING_get0_data(string) : NULL;
    int size = data != NULL ? ASN1_STRING_length(string) : 0;
    if (type == GEN_DNS)
        return snprintf(text, room, "%.*s", size, (const char *)data) >= 0;
    if (type == GEN_IPADD && (size == 4 || size == 16))
        return inet_ntop(size == 4 ? AF_INET : AF_INET6, data, text, (socklen_t)room) != NULL;
    return false;
}

static GENERAL_NAMES *names_of(const X509 *cert)
{
    return X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
}

void certs_sans_print(const X509 *cert, char *text, size_t room)
{
    text[0] = '\0';
    GENERAL_NAMES *names = names_of(cert);
    size_t used = 0;
    for (int i = 0; names != NULL && i < sk_GENERAL_NAME_num(names); i++) {
        char one[300];
        if (!print_name(sk_GENERAL_NAME_value(names, i), one, sizeof one))
            continue;
        int n = snprintf(text + used, room - used, "%s%s", used > 0 ? "," : "", one);
        if (n < 0 || (size_t)n >= room - used)
            break;
        used += (size_t)n;
    }
    GENERAL_NAMES_free(names);
}

static bool has_name(GENERAL_NAMES *names, const char *san)
{
    unsigned char address[16];
    size_t size;
    if (certs_san_parse(san, address, &size, NULL) != 0)
        return false;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        int type = 0;
        const ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
        if (type != (size > 0 ? GEN_IPADD : GEN_DNS))
            continue;
        size_t length = (size_t)ASN1_STRING_length(value);
        const unsigned char *data = ASN1_STRING_get0_data(value);
        if (size > 0 ? length == size && memcmp(data, address, size) == 0
                     : length == strlen(san) && strncasecmp((const char *)data, san, length) == 0)
            return true;
    }
    return false;
}

bool certs_sans_cover(const X509 *cert, const char *const *sans, size_t count)
{
    GENERAL_NAMES *names = names_of(cert);
    bool covered = names != NULL;
    for (size_t i = 0; covered && i < count; i++)
        covered = has_name(names, sans[i]);
    GENERAL_NAMES_free(names);
    return covered;
}
