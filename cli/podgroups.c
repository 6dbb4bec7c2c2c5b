/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl podgroups: the objects that a gang scheduler needs beside the pods. A workload that is
 * stored has its groups' names in its annotation; of any other they are those of kartactl mutate.
 */
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "input.h"
#include "karta/objects.h"
#include "message.h"
#include "metadata.h"
#include "mutate.h"
#include "output.h"
#include "ticker.h"

struct listing {
    const struct karta_snapshot *catalog;
    const struct arguments *arguments;
    json_t *objects;
    size_t covered;
};

/* Groups that only their pods name: nothing can be printed of them. */
static void say_per_replica(const struct input_document *document, const json_t *groups)
{
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        const json_t *count = json_object_get(group, "count");
        KARTA_AUTO_TEXT many =
            json_is_integer(count)
                ? mem_format("%lld of them", (long long)json_integer_value(count))
                : mem_format("one a replica");
        cli_warn("%s: pod group %s: %s, each named by its pods when they are created",
                 document->label, input_text(group, "group"), many != NULL ? many : "");
    }
}

/* KARTA_ERR_NOT_FOUND where it isn't ganged: nothing is said then. */
static int group_objects(const struct listing *listing, const json_t *object,
                         struct karta_objects *objects, struct karta_error *err)
{
    const char *const *value = listing->arguments->value;
    const struct karta_object_options options = {.ns = value[FLAG_NAMESPACE],
                                                 .default_queue = value[FLAG_QUEUE],
                                                 .deadline_ms = ticker_deadline()};
    return karta_group_objects(listing->catalog, object, &options, objects, err);
}

/* The object as a server would store it. CLI_DONE, *object new; NULL where it isn't ganged. */
static int gang(const struct listing *listing, const struct input_document *document,
                json_t **object)
{
    const char *profile = listing->arguments->value[FLAG_PROFILE];
    const char *own = metadata_label(document->value, KEY_PROFILE);
    if (metadata_ganged(document->value)) {
        if (profile != NULL && strcmp(profile, own) != 0)
            cli_warn("%s: it is ganged by profile %s already", document->label, own);
        *object = json_incref(document->value);
        return CLI_DONE;
    }
    struct mutated mutated = {0};
    int code = mutate_here(listing->catalog, listing->arguments, document, &mutated);
    if (code == CLI_DONE && metadata_ganged(mutated.object)) {
        *object = json_incref(mutated.object);
        cli_warn("%s: not ganged yet; the names of its pod groups are given at its creation",
                 document->label);
    }
    mutated_dispose(&mutated);
    return code;
}

static int list_one(struct listing *listing, const struct input_document *document)
{
    if (karta_snapshot_find_for(listing->catalog, document->value) == NULL)
        return CLI_DONE;
    listing->covered++;
    json_auto_t *object = NULL;
    int code = gang(listing, document, &object);
    if (code != CLI_DONE || object == NULL)
        return code;
    struct karta_objects objects = {0};
    struct karta_error err = {0};
    if (group_objects(listing, object, &objects, &err) != 0)
        code = cli_fail_error(cli_code_of(&err), document->label, &err);
    else if (json_array_extend(listing->objects, objects.objects) != 0)
        code = cli_fail(CLI_FAILED, "out of memory");
    else
        say_per_replica(document, objects.per_replica);
    karta_objects_dispose(&objects);
    return code;
}

static int list_all(struct listing *listing, const struct input *input)
{
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    for (size_t i = 0; i < input->count; i++)
        code = cli_first(code, list_one(listing, &input->documents[i]));
    ticker_stop(&ticker);
    if (code == CLI_DONE && input->count > 0 && listing->covered == 0)
        code =
            cli_fail(CLI_NO_DEFINITION, "%s: no definition covers %s %s", input->documents[0].label,
                     input_text(input->documents[0].value, "apiVersion"),
                     input_text(input->documents[0].value, "kind"));
    return code;
}

static int check_usage(const struct arguments *arguments)
{
    if (arguments->words.count > 0)
        return cli_fail(CLI_USAGE, "podgroups: unexpected \"%s\"; give files with -f",
                        arguments->words.items[0]);
    if (arguments->files.count == 0)
        return cli_fail(CLI_USAGE, "podgroups: give a file with -f, or - for standard input");
    return CLI_DONE;
}

static int podgroups(const struct arguments *arguments)
{
    struct karta_snapshot *catalog = NULL;
    struct input input = {0};
    struct listing listing = {.arguments = arguments, .objects = json_array()};
    int code = check_usage(arguments);
    if (code == CLI_DONE)
        code = catalog_load(&arguments->definitions, &catalog);
    if (code == CLI_DONE)
        code = catalog_check_profile(catalog, arguments->value[FLAG_PROFILE]);
    if (code == CLI_DONE) {
        listing.catalog = catalog;
        code = input_read(&arguments->files, &input);
        code = cli_first(code, input_keep_objects(&input));
        code = cli_first(code, list_all(&listing, &input));
        if (json_array_size(listing.objects) > 0)
            code = cli_first(code, output_items(arguments->format, listing.objects));
    }
    input_dispose(&input);
    json_decref(listing.objects);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command podgroups_command = {
    .name = "podgroups",
    .run = podgroups,
    .summary = "the objects that the gang scheduler needs beside a workload's pods",
    .usage = "podgroups -f FILE [-n NS] [--profile NAME] [--queue Q] [-o yaml|json]",
    .example = "  kartactl podgroups --profile native -f manifests/examples/jobset.yaml\n"
               "  kubectl get jobset train -o yaml | kartactl podgroups -f -\n",
    .flags = 1U << FLAG_FILE | 1U << FLAG_NAMESPACE | 1U << FLAG_OUTPUT | 1U << FLAG_PROFILE |
             1U << FLAG_QUEUE | 1U << FLAG_DEFINITIONS,
    .formats = "yaml|json",
};
