/* SPDX-License-Identifier: Apache-2.0 */
/* Scale of subtrees. The one idea: "says nothing" is carried along as such, never as a zero. */
#include "scale.h"

#include "base/mem.h"

/* Far above any cluster, and exact in every JSON reader. */
#define MOST_PODS (INT64_C(1) << 53)

struct walk {
    const struct resolved *resolved;
    enum scale_mode mode;
    const bool *skip;
    bool counts_leaves; /* no component has a scale definition: each leaf instance is one pod */
};

struct subtree {
    struct count total;
    struct count *each; /* per instance of the component; new */
};

static int add(struct count *sum, struct count other, struct karta_error *err)
{
    if (!other.said)
        return 0;
    sum->said = true;
    sum->value += other.value;
    return sum->value <= MOST_PODS ? 0 : karta_error_set(err, KARTA_ERR_LIMIT, "out of range");
}

static int multiply(struct count a, struct count b, struct count *product, struct karta_error *err)
{
    if (!a.said || !b.said) {
        *product = a.said ? a : b;
        return 0;
    }
    if (a.value != 0 && b.value > MOST_PODS / a.value)
        return karta_error_set(err, KARTA_ERR_LIMIT, "out of range");
    *product = (struct count){true, a.value * b.value};
    return 0;
}

static bool has_scale(const struct component *component)
{
    return component->replicas.jq != NULL || component->min_replicas.jq != NULL ||
           component->max_replicas.jq != NULL;
}

static bool counts_leaves(const struct resolved *resolved)
{
    for (size_t c = 0; c < resolved->count; c++)
        if (has_scale(resolved->components[c].definition))
            return false;
    return true;
}

/* What an error left unsaid counts as nothing, and that is said: its owner must not stand in. */
static bool is_broken(const struct walk *walk, size_t c)
{
    return walk->resolved->components[c].error[0] != '\0';
}

static struct count own_count(const struct walk *walk, const struct component *component,
                              const struct instance *instance)
{
    if (instance->late && walk->mode != SCALE_DESIRED)
        return (struct count){0};
    if (walk->counts_leaves)
        return (struct count){component_is_leaf(component), component_is_leaf(component)};
    if (walk->mode != SCALE_MINIMUM)
        return instance->replicas.said ? instance->replicas : instance->min_replicas;
    struct count count =
        instance->min_replicas.value > 0 ? instance->min_replicas : instance->replicas;
    return count.value > 0 ? count : (struct count){0};
}

static int subtree_of(const struct walk *walk, size_t c, struct subtree *out,
                      struct karta_error *err);

/* The children's sums: whole, and for each instance of the parent. */
static int add_children(const struct walk *walk, size_t c, struct count *total, struct count *each,
                        struct karta_error *err)
{
    const struct resolved *resolved = walk->resolved;
    int code = 0;
    for (size_t d = 1; code == 0 && d < resolved->count; d++) {
        if (d == c || resolved->components[d].definition->owner != c ||
            (walk->skip != NULL && walk->skip[d]))
            continue;
        struct subtree child = {0};
        code = subtree_of(walk, d, &child, err);
        if (code == 0 && is_broken(walk, d) && !child.total.said)
            child.total = (struct count){true, 0};
        if (code == 0)
            code = add(total, child.total, err);
        bool same = resolved_same_ids(resolved, c, d);
        for (size_t i = 0; code == 0 && i < resolved->components[c].count; i++)
            code = add(&each[i], same ? child.each[i] : child.total, err);
        free(child.each);
    }
    return code;
}

static int combine(const struct walk *walk, size_t c, struct count children,
                   const struct count *children_each, struct subtree *out, struct karta_error *err)
{
    const struct resolved_component *component = &walk->resolved->components[c];
    struct count own = {0}, product = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < component->count; i++) {
        struct count count = own_count(walk, component->definition, &component->instances[i]);
        code = add(&own, count, err);
        if (code == 0)
            code = multiply(count, children_each[i], &out->each[i], err);
        if (code == 0 && count.said)
            code = add(&product, out->each[i], err);
    }
    out->total = !own.said ? children : (!children.said ? own : product);
    return code;
}

static int subtree_of(const struct walk *walk, size_t c, struct subtree *out,
                      struct karta_error *err)
{
    size_t count = walk->resolved->components[c].count;
    struct count children = {0};
    struct count *each = mem_array(count + 1, sizeof *each);
    out->each = mem_array(count + 1, sizeof *out->each);
    int code = each != NULL && out->each != NULL
                   ? add_children(walk, c, &children, each, err)
                   : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (code == 0)
        code = combine(walk, c, children, each, out, err);
    free(each);
    return code;
}

int scale_of(const struct resolved *resolved, size_t component, size_t instance,
             enum scale_mode mode, const bool *skip, struct count *count, struct karta_error *err)
{
    const struct walk walk = {resolved, mode, skip, counts_leaves(resolved)};
    struct subtree subtree = {0};
    int code = subtree_of(&walk, component, &subtree, err);
    if (code == 0)
        *count = instance == SCALE_ALL ? subtree.total : subtree.each[instance];
    free(subtree.each);
    return code != 0 ? karta_error_wrap(err, code, "count of %s",
                                        resolved->components[component].definition->name)
                     : 0;
}

/* The count of an ancestor that one instance below it is multiplied by. */
static struct count ancestor_count(const struct walk *walk, size_t below, size_t ancestor,
                                   size_t instance)
{
    const struct resolved_component *component = &walk->resolved->components[ancestor];
    struct count sum = {0};
    if (resolved_same_ids(walk->resolved, below, ancestor))
        return own_count(walk, component->definition, &component->instances[instance]);
    for (size_t i = 0; i < component->count; i++)
        if (add(&sum, own_count(walk, component->definition, &component->instances[i]), NULL) != 0)
            break;
    return sum;
}

/* Multiplies in the counts of what stands above `below`, up to `top` and with it. */
static int multiply_up(const struct walk *walk, size_t below, size_t instance, size_t top,
                       struct count *count, struct karta_error *err)
{
    int code = 0;
    for (size_t c = below; code == 0 && c != top && c != 0;) {
        c = walk->resolved->components[c].definition->owner;
        if (walk->resolved->components[c].count > 0 && !walk->counts_leaves)
            code = multiply(*count, ancestor_count(walk, below, c, instance), count, err);
    }
    return code != 0 ? karta_error_wrap(err, code, "count of %s",
                                        walk->resolved->components[below].definition->name)
                     : 0;
}

int scale_leaf(const struct resolved *resolved, size_t component, size_t instance, size_t top,
               enum scale_mode mode, int64_t *pods, struct karta_error *err)
{
    const struct walk walk = {resolved, mode, NULL, counts_leaves(resolved)};
    const struct resolved_component *leaf = &resolved->components[component];
    struct count count = own_count(&walk, leaf->definition, &leaf->instances[instance]);
    *pods = 0;
    if (is_broken(&walk, component) && !count.said)
        return 0;
    int code = multiply_up(&walk, component, instance, top, &count, err);
    *pods = count.value;
    return code;
}

int scale_above(const struct resolved *resolved, size_t component, struct count *count,
                struct karta_error *err)
{
    const struct walk walk = {resolved, SCALE_DESIRED, NULL, counts_leaves(resolved)};
    *count = (struct count){0};
    return multiply_up(&walk, component, 0, 0, count, err);
}
