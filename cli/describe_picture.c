/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl describe -o svg and -o dot. */
#include <string.h>

#include "describe.h"
#include "exit_code.h"
#include "karta/members.h"
#include "message.h"
#include "output.h"
#include "picture.h"
#include "ticker.h"

static int print_one(const struct described *described, size_t i, bool svg, struct strbuf *buf)
{
    const json_t *object = json_array_get(described->objects, i);
    const json_t *view = json_array_get(described->resolved, i);
    struct karta_error err = {0};
    struct picture picture = {0};
    json_auto_t *members = NULL;
    if (karta_members(described->catalog, object, described->ns, ticker_deadline(), &members,
                      &err) != 0)
        return cli_fail(cli_code_of(&err), "%s", err.message);
    int code = CLI_DONE;
    if (!picture_make(view, members, &picture))
        code = cli_fail(CLI_FAILED, "out of memory");
    else if (svg)
        picture_svg(&picture, buf);
    else
        picture_dot(&picture, buf);
    picture_dispose(&picture);
    return code;
}

int describe_pictures(const struct described *described, bool svg)
{
    size_t count = json_array_size(described->resolved);
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    if (svg && count > 1)
        return cli_fail(CLI_USAGE, "describe: -o svg draws one workload, and there are %zu", count);
    struct ticker ticker;
    int code = ticker_start(&ticker);
    if (code != CLI_DONE)
        return code;
    for (size_t i = 0; i < count; i++)
        code = cli_first(code, print_one(described, i, svg, &buf));
    ticker_stop(&ticker);
    return cli_first(code, output_text(&buf));
}
