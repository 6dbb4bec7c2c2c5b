/* SPDX-License-Identifier: Apache-2.0 */
/* Only what can stand in a header is a token: anything else would end it and begin another. */
#include "kube_token.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* service account tokens are 1 to 2 KiB; API servers take headers of 1 MiB, proxies of 8 KiB */
#define LIMIT_TOKEN 65536U

/* The token inside `text`, without the white space around it; NULL: there is none. */
static const char *trim(char *text)
{
    static const char space[] = " \t\r\n";
    char *start = text + strspn(text, space);
    size_t size = strlen(start);
    while (size > 0 && strchr(space, start[size - 1]) != NULL)
        size--;
    start[size] = '\0';
    for (const char *c = start; *c != '\0'; c++)
        if (*c <= 0x20 || *c >= 0x7F)
            return NULL;
    return size > 0 ? start : NULL;
}

static void replace(struct kube_token *token, const char *found, bool *changed,
                    struct karta_error *err)
{
    if (token->text != NULL && strcmp(token->text, found) == 0)
        return;
    char *copy = strdup(found);
    if (copy == NULL) {
        mem_error(err);
        return;
    }
    kube_token_dispose(token);
    token->text = copy;
    *changed = true;
}

int kube_token_read(struct kube_token *token, const char *file, bool *changed,
                    struct karta_error *err)
{
    bool ignored = false;
    changed = changed != NULL ? changed : &ignored;
    *changed = false;
    KARTA_AUTO_TEXT text = NULL;
    size_t size;
    struct karta_error why = {0};
    int rc = file_read_regular(file, LIMIT_TOKEN, &text, &size, &why);
    const char *found = rc == 0 ? trim(text) : NULL;
    if (found != NULL)
        replace(token, found, changed, &why);
    if (token->text != NULL)
        return 0;
    if (why.code == 0)
        karta_error_set(&why, KARTA_ERR_IO, "%s holds no token", file);
    return karta_error_set(err, why.code == KARTA_ERR_NOMEM ? why.code : KARTA_ERR_IO, "%s",
                           why.message);
}

void kube_token_dispose(struct kube_token *token)
{
    if (token->text != NULL)
        explicit_bzero(token->text, strlen(token->text));
    free(token->text);
    token->text = NULL;
}
