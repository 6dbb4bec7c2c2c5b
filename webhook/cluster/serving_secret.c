/* SPDX-License-Identifier: Apache-2.0 */
/* From a Secret's data to texts, and back. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "serving_internal.h"

#define SECRET_MOST (1U << 20)

static const struct kube_resource secrets = {"", "v1", "secrets"};

/* What each text is called in the Secret. */
static const struct {
    const char *key;
    size_t at;
} texts[] = {
    {"ca.crt", offsetof(struct certs_shared, ca_cert)},
    {"ca.key", offsetof(struct certs_shared, ca_key)},
    {"ca-bundle.crt", offsetof(struct certs_shared, bundle)},
    {"tls.crt", offsetof(struct certs_shared, cert)},
    {"tls.key", offsetof(struct certs_shared, key)},
};
#define TEXTS (sizeof texts / sizeof *texts)

static char **text_of(struct certs_shared *shared, size_t index)
{
    return (char **)(void *)((char *)shared + texts[index].at);
}

int serving_copy(const struct certs_shared *from, struct certs_shared *to, struct karta_error *err)
{
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *text_of((struct certs_shared *)from, i);
        if (text != NULL && (*text_of(to, i) = strdup(text)) == NULL)
            return mem_error(err);
    }
    return 0;
}

static int decode(const json_t *object, struct certs_shared *read, struct karta_error *err)
{
    const json_t *data = json_object_get(object, "data");
    for (size_t i = 0; i < TEXTS; i++) {
        const char *encoded = json_string_value(json_object_get(data, texts[i].key));
        size_t size;
        if (encoded == NULL)
            continue;
        *text_of(read, i) = base64_decode(encoded, &size);
        if (*text_of(read, i) == NULL)
            return karta_error_set(err, KARTA_ERR_SCHEMA, "%s is no base64", texts[i].key);
    }
    return 0;
}

/* The CA that signs is trusted, whatever somebody made of the bundle. */
static int complete_bundle(struct certs_shared *read, struct karta_error *err)
{
    if (read->ca_cert == NULL ||
        (read->bundle != NULL && strstr(read->bundle, read->ca_cert) != NULL))
        return 0;
    char *whole = mem_format("%s%s", read->ca_cert, read->bundle != NULL ? read->bundle : "");
    free(read->bundle);
    read->bundle = whole;
    return whole != NULL ? 0 : mem_error(err);
}

static int ask(const struct serving_config *config, struct kube_client *client, const char *verb,
               const json_t *body, struct kube_answer *answer, struct karta_error *err)
{
    bool create = strcmp(verb, "create") == 0;
    KARTA_AUTO_TEXT path = kube_path(&secrets, config->ns, create ? NULL : config->name, NULL);
    KARTA_AUTO_TEXT text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    *answer = (struct kube_answer){0};
    if (path == NULL || (body != NULL && text == NULL))
        return mem_error(err);
    struct kube_request request = {.verb = verb,
                                   .resource = &secrets,
                                   .path = path,
                                   .body = text,
                                   .body_size = text != NULL ? strlen(text) : 0,
                                   .timeout_ms = KUBE_WRITE_MS,
                                   .limit = SECRET_MOST};
    return kube_client_ask(client, &request, answer, err);
}

int secret_read(const struct serving_config *config, struct kube_client *client, json_t **object,
                struct certs_shared *read, struct karta_error *err)
{
    struct kube_answer answer;
    int rc = ask(config, client, "get", NULL, &answer, err);
    if (rc == 0)
        rc = decode(answer.body, read, err);
    if (rc == 0)
        rc = complete_bundle(read, err);
    if (rc == 0)
        *object = json_incref(answer.body);
    kube_answer_dispose(&answer);
    return rc;
}

/* Puts the texts into the object's data. */
static int encode(json_t *object, const struct certs_shared *shared, struct karta_error *err)
{
    json_t *data = json_object_get(object, "data");
    if (!json_is_object(data)) {
        data = json_object();
        json_object_set_new(object, "data", data);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *text_of((struct certs_shared *)shared, i);
        KARTA_AUTO_TEXT encoded = text != NULL ? base64_encode(text, strlen(text)) : NULL;
        if (text != NULL && json_object_set_new(data, texts[i].key, json_string(encoded)) != 0)
            return mem_error(err);
    }
    return 0;
}

static int write(const struct serving_config *config, struct kube_client *client, const char *verb,
                 json_t *object, const struct certs_shared *shared, struct karta_error *err)
{
    struct kube_answer answer;
    int rc = encode(object, shared, err);
    if (rc != 0)
        return rc;
    rc = ask(config, client, verb, object, &answer, err);
    kube_answer_dispose(&answer);
    return rc;
}

int secret_create(const struct serving_config *config, struct kube_client *client,
                  const struct certs_shared *shared, struct karta_error *err)
{
    json_auto_t *object = json_pack(
        "{s:s, s:s, s:s, s:{s:s, s:s, s:{s:s, s:s}}}", "apiVersion", "v1", "kind", "Secret", "type",
        "Opaque", "metadata", "name", config->name, "namespace", config->ns, "labels",
        "app.kubernetes.io/name", "karta-webhook", "app.kubernetes.io/managed-by", "karta-webhook");
    return object != NULL ? write(config, client, "create", object, shared, err) : mem_error(err);
}

int secret_update(const struct serving_config *config, struct kube_client *client, json_t *object,
                  const struct certs_shared *shared, struct karta_error *err)
{
    return write(config, client, "update", object, shared, err);
}
