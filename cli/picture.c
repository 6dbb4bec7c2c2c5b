/* SPDX-License-Identifier: Apache-2.0 */
/* The boxes of a picture: one a component, one an instance where a component has several. */
#include "picture.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "describe_text.h"
#include "input.h"
#include "table.h"

static const char *instance_of(const json_t *pod)
{
    return input_text(pod, "instance");
}

/* "3 pods, 12 GPUs"; "2/3 ready, 12 GPUs" of a live one. `component` NULL: of all. */
static char *counts_text(const json_t *view, const json_t *pods, const json_t *gpus,
                         const char *component, const char *id)
{
    const json_t *live = json_object_get(view, "pods");
    size_t ready = 0;
    for (size_t i = 0; i < json_array_size(live); i++) {
        const json_t *pod = json_array_get(live, i);
        if (component == NULL || (strcmp(input_text(pod, "component"), component) == 0 &&
                                  strcmp(instance_of(pod), id) == 0))
            ready += json_is_true(json_object_get(pod, "ready"));
    }
    KARTA_AUTO_TEXT pod_text = live != NULL && json_is_number(pods)
                                   ? mem_format("%zu/%.15g ready", ready, json_number_value(pods))
                                   : describe_count(pods, "pod", "pods");
    KARTA_AUTO_TEXT gpu_text =
        json_number_value(gpus) != 0 ? describe_count(gpus, "GPU", "GPUs") : NULL;
    return mem_format("%s%s%s", pod_text != NULL ? pod_text : "",
                      pod_text != NULL && gpu_text != NULL ? ", " : "",
                      gpu_text != NULL ? gpu_text : "");
}

static size_t gang_of(const json_t *members, const char *component, const char *id)
{
    for (size_t g = 0; g < json_array_size(members); g++) {
        const json_t *list = json_array_get(members, g);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *member = json_array_get(list, i);
            if (strcmp(input_text(member, "component"), component) == 0 &&
                strcmp(input_text(member, "instance"), id) == 0)
                return g;
        }
    }
    return PICTURE_NONE;
}

static size_t find_component(const json_t *components, const char *name)
{
    for (size_t i = 0; i < json_array_size(components); i++)
        if (strcmp(input_text(json_array_get(components, i), "name"), name) == 0)
            return i;
    return PICTURE_NONE;
}

struct making {
    const json_t *view, *members, *components;
    struct picture *picture;
    size_t *box_of; /* of each component */
};

static struct picture_box *add_box(struct making *making, const char *name, size_t parent)
{
    struct picture_box *box = &making->picture->boxes[making->picture->count++];
    *box = (struct picture_box){
        .name = mem_format("%s", name), .parent = parent, .group = PICTURE_NONE};
    if (box->name != NULL)
        text_clean(box->name);
    return box;
}

static const json_t *gpus_of(const json_t *instance)
{
    return json_object_get(json_object_get(instance, "total"), "gpus");
}

static void add_instances(struct making *making, const json_t *component, size_t parent)
{
    const char *name = input_text(component, "name");
    const json_t *instances = json_object_get(component, "instances");
    for (size_t i = 0; i < json_array_size(instances); i++) {
        const json_t *instance = json_array_get(instances, i);
        const char *id = input_text(instance, "id");
        struct picture_box *box = add_box(making, id, parent);
        box->instance = true;
        box->counts = counts_text(making->view, json_object_get(instance, "replicas"),
                                  gpus_of(instance), name, id);
        box->group = gang_of(making->members, name, id);
    }
}

static void add_component(struct making *making, size_t c)
{
    const json_t *component = json_array_get(making->components, c);
    const char *name = input_text(component, "name"), *error = input_text(component, "error");
    const json_t *instances = json_object_get(component, "instances");
    const json_t *only = json_array_get(instances, 0);
    size_t owner = find_component(making->components, input_text(component, "owner"));
    bool unnamed = json_array_size(instances) == 1 && *input_text(only, "id") == '\0';
    const json_t *totals = json_object_get(making->view, "totals");
    making->box_of[c] = making->picture->count;
    struct picture_box *box =
        add_box(making, name, owner < c ? making->box_of[owner] : PICTURE_NONE);
    if (c == 0)
        box->counts = counts_text(making->view, json_object_get(totals, "pods"),
                                  json_object_get(totals, "gpus"), NULL, NULL);
    else if (unnamed)
        box->counts =
            counts_text(making->view, json_object_get(only, "replicas"), gpus_of(only), name, "");
    else
        box->counts = mem_format("%s", "");
    box->error = *error != '\0' ? mem_format("%s", error) : NULL;
    if (unnamed)
        box->group = gang_of(making->members, name, "");
    else
        add_instances(making, component, making->box_of[c]);
}

static char *gang_label(const json_t *group)
{
    const json_t *count = json_object_get(group, "count");
    double least = json_number_value(json_object_get(group, "minMember"));
    double pods = json_number_value(json_object_get(group, "pods"));
    KARTA_AUTO_TEXT each =
        json_is_true(json_object_get(group, "perReplica")) && json_is_number(count)
            ? mem_format("%.15g gangs, each: ", json_number_value(count))
            : mem_format("gang: ");
    return each != NULL ? mem_format("%s%.15g of %.15g pods start together", each, least, pods)
                        : NULL;
}

static char *join_phases(const json_t *view)
{
    struct strbuf buf;
    strbuf_init(&buf, 4096);
    const json_t *phases = json_object_get(json_object_get(view, "status"), "phases");
    for (size_t i = 0; i < json_array_size(phases); i++)
        strbuf_addf(&buf, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(phases, i)));
    return strbuf_take(&buf);
}

static bool is_whole(const struct picture *picture)
{
    bool whole = picture->title != NULL && picture->kind != NULL && picture->name != NULL &&
                 picture->phase != NULL;
    for (size_t i = 0; i < picture->count; i++)
        whole = whole && picture->boxes[i].name != NULL && picture->boxes[i].counts != NULL;
    for (size_t i = 0; i < picture->gang_count; i++)
        whole = whole && picture->gangs[i].label != NULL;
    return whole;
}

bool picture_make(const json_t *view, const json_t *members, struct picture *picture)
{
    const json_t *components = json_object_get(view, "components");
    const json_t *groups = json_object_get(view, "podGroups");
    const json_t *workload = json_object_get(view, "workload");
    size_t room = 0;
    for (size_t i = 0; i < json_array_size(components); i++)
        room += 1 + json_array_size(json_object_get(json_array_get(components, i), "instances"));
    struct making making = {view, members, components, picture,
                            mem_array(json_array_size(components) + 1, sizeof(size_t))};
    *picture = (struct picture){
        .title = mem_format("%s/%s", input_text(workload, "kind"), input_text(workload, "name")),
        .kind = mem_format("%s", input_text(workload, "kind")),
        .name = mem_format("%s", input_text(workload, "name")),
        .phase = join_phases(view),
        .boxes = mem_array(room + 1, sizeof *picture->boxes),
        .gangs = mem_array(json_array_size(groups) + 1, sizeof *picture->gangs)};
    if (making.box_of != NULL && picture->boxes != NULL && picture->gangs != NULL) {
        for (size_t c = 0; c < json_array_size(components); c++)
            add_component(&making, c);
        for (size_t g = 0; g < json_array_size(groups); g++)
            picture->gangs[picture->gang_count++].label = gang_label(json_array_get(groups, g));
    }
    char *const texts[] = {picture->title, picture->kind, picture->name};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i] != NULL)
            text_clean(texts[i]);
    free(making.box_of);
    return making.box_of != NULL && picture->boxes != NULL && picture->gangs != NULL &&
           is_whole(picture);
}

void picture_dispose(struct picture *picture)
{
    for (size_t i = 0; i < picture->count; i++) {
        free(picture->boxes[i].name);
        free(picture->boxes[i].counts);
        free(picture->boxes[i].error);
    }
    for (size_t i = 0; i < picture->gang_count; i++)
        free(picture->gangs[i].label);
    free(picture->boxes);
    free(picture->gangs);
    free(picture->title);
    free(picture->kind);
    free(picture->name);
    free(picture->phase);
    *picture = (struct picture){0};
}
