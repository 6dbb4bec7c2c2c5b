/* SPDX-License-Identifier: Apache-2.0 */
/* What is said while a resource cannot be followed: one line when it begins, one when it is over,
 * and one for each time that the trouble becomes another. */
#include <stdio.h>
#include <string.h>

#include "reflector_internal.h"

static void set_text(struct reflector *reflector, const char *text)
{
    pthread_mutex_lock(&reflector->lock);
    snprintf(reflector->trouble, sizeof reflector->trouble, "%s", text);
    pthread_mutex_unlock(&reflector->lock);
}

void reflector_trouble(struct reflector *reflector, char *text, size_t size)
{
    pthread_mutex_lock(&reflector->lock);
    snprintf(text, size, "%s", reflector->trouble);
    pthread_mutex_unlock(&reflector->lock);
}

void reflector_in_trouble(struct reflector *reflector, const struct turn *turn)
{
    int kind = ((int)turn->end + 1) * 1000 + turn->status;
    set_text(reflector, turn->err.message);
    atomic_store(&reflector->refused, turn->end == TURN_REFUSED ? turn->status : 0);
    if (reflector->logged == kind)
        return;
    reflector->logged = kind;
    LOG_WRITE(reflector->config.log, LOG_LEVEL_WARN, "a resource cannot be followed",
              log_text("resource", reflector->name), log_text("error", turn->err.message));
}

void reflector_out_of_trouble(struct reflector *reflector, bool lasting)
{
    set_text(reflector, "");
    atomic_store(&reflector->refused, 0);
    if (!lasting || reflector->logged == 0)
        return;
    reflector->logged = 0;
    LOG_WRITE(reflector->config.log, LOG_LEVEL_INFO, "a resource is followed again",
              log_text("resource", reflector->name));
}
