/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which expressions give one result at most. The idea: counting results costs more than most
 * expressions do, so it is left out where the tree itself says that there is nothing to count.
 */
#include "jq/jq_single.h"

#include <string.h>

static bool all_single(const struct jq_node *node)
{
    for (; node != NULL; node = node->next)
        if (!jq_is_single(node))
            return false;
    return true;
}

/* A call whose arguments give one result gives one too, except limit; some do whatever these give.
 */
static bool call_is_single(const struct jq_node *call)
{
    static const char *const always[] = {"all",     "any",       "first",       "group_by",
                                         "last",    "map",       "max_by",      "min_by",
                                         "sort_by", "unique_by", "with_entries"};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (strcmp(call->text, always[i]) == 0)
            return true;
    return strcmp(call->text, "limit") != 0 && all_single(call->first);
}

bool jq_is_single(const struct jq_node *node)
{
    switch (node->kind) {
    case NODE_ITERATE:
    case NODE_COMMA:
    case NODE_PATTERN_ARRAY:
    case NODE_PATTERN_OBJECT:
    case NODE_PATTERN_ENTRY:
        return false;
    case NODE_ARRAY:
        return true;
    case NODE_CALL:
        return call_is_single(node);
    default:
        return all_single(node->first);
    }
}
