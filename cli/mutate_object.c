/* SPDX-License-Identifier: Apache-2.0 */
/* Mutating one object: two ways to a patch, one way to apply it. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "exit_code.h"
#include "karta/mutate.h"
#include "karta/patch.h"
#include "message.h"
#include "mutate.h"
#include "review_ask.h"
#include "server.h"
#include "ticker.h"

#define DEFAULT_PROFILE "kai"

void mutated_dispose(struct mutated *mutated)
{
    json_decref(mutated->object);
    json_decref(mutated->patch);
    *mutated = (struct mutated){0};
}

static void print_warnings(const json_t *warnings)
{
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text != NULL)
            cli_warn("%s", text);
    }
}

static int apply(const struct input_document *document, json_t *patch, struct mutated *mutated)
{
    struct karta_error err = {0};
    mutated->patch = patch != NULL ? json_incref(patch) : json_array();
    if (karta_patch_apply(document->value, mutated->patch, &mutated->object, &err) != 0)
        return cli_fail_error(CLI_FAILED, document->label, &err);
    return CLI_DONE;
}

/* The namespace that the object would be created in: its own, else the one that -n names. */
static const char *namespace_of(const json_t *object, const struct arguments *arguments)
{
    const char *own = input_text(json_object_get(object, "metadata"), "namespace");
    if (*own != '\0')
        return own;
    return arguments->value[FLAG_NAMESPACE] != NULL ? arguments->value[FLAG_NAMESPACE] : "default";
}

int mutate_here(const struct karta_snapshot *catalog, const struct arguments *arguments,
                const struct input_document *document, struct mutated *mutated)
{
    const char *profile = arguments->value[FLAG_PROFILE];
    struct karta_mutate_options options = {
        .profile = profile != NULL ? profile : DEFAULT_PROFILE,
        .ns = namespace_of(document->value, arguments),
        .uid = "",
        .default_queue = arguments->value[FLAG_QUEUE],
        .opted_in = true,
        .deadline_ms = ticker_deadline(),
    };
    struct karta_error err = {0};
    struct karta_mutation mutation = {0};
    int code = CLI_DONE;
    if (karta_mutate_create(catalog, document->value, &options, &mutation, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), document->label, &err);
    else if (mutation.denial != NULL)
        code = cli_fail(CLI_INVALID, "%s: refused: %s", document->label, mutation.denial);
    print_warnings(mutation.warnings);
    if (code == CLI_DONE)
        code = apply(document, mutation.patch, mutated);
    karta_mutation_dispose(&mutation);
    return code;
}

/* The resource of a kind that only the server may know: lower case and an s, as most are. */
static char *guess_plural(const char *kind)
{
    char *plural = mem_format("%ss", kind);
    for (char *c = plural; c != NULL && *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return plural;
}

static char *build_body(const struct karta_snapshot *catalog, const struct arguments *arguments,
                        const json_t *object, const char *uid)
{
    const struct karta_definition *definition = karta_snapshot_find_for(catalog, object);
    const char *known = definition != NULL ? karta_definition_plural(definition) : NULL;
    KARTA_AUTO_TEXT plural =
        known != NULL ? mem_format("%s", known) : guess_plural(input_text(object, "kind"));
    json_auto_t *review =
        plural != NULL ? review_build(object, plural, namespace_of(object, arguments), uid) : NULL;
    return review != NULL ? json_dumps(review, JSON_COMPACT) : NULL;
}

static int take_answer(const struct input_document *document, const struct review_answer *answer,
                       struct mutated *mutated)
{
    print_warnings(answer->warnings);
    if (answer->denial != NULL)
        return cli_fail(CLI_INVALID, "%s: refused: %s", document->label, answer->denial);
    return apply(document, answer->patch, mutated);
}

int mutate_there(const struct karta_snapshot *catalog, const struct arguments *arguments,
                 const struct input_document *document, struct mutated *mutated)
{
    const char *url = arguments->value[FLAG_SERVER];
    char uid[37];
    struct karta_error err = {0};
    if (review_uid(uid, &err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    KARTA_AUTO_TEXT body = build_body(catalog, arguments, document->value, uid);
    if (body == NULL)
        return cli_fail(CLI_FAILED, "%s: out of memory", document->label);
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 0;
    int code =
        server_post(url, "/mutate/workloads", arguments->value[FLAG_CA_FILE], body, &bytes, &size);
    if (code != CLI_DONE)
        return code;
    struct review_answer answer = {0};
    if (review_read(bytes, size, uid, &answer, &err) != 0)
        code = cli_fail(CLI_FAILED, "%s: %s", url, err.message);
    else
        code = take_answer(document, &answer, mutated);
    review_answer_dispose(&answer);
    return code;
}
