/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <string.h>

#include "base/mem.h"

void assert_error(const struct answer *answer, int status, const char *error)
{
    json_error_t ignored;
    assert_int_equal(answer->status, status);
    json_t *body = json_loads(answer->body, 0, &ignored);
    assert_non_null(body);
    assert_string_equal(json_string_value(json_object_get(body, "error")), error);
    assert_int_equal(json_object_size(body), 1);
    assert_non_null(strstr(answer->head, "Content-Type: application/json\r\n"));
    json_decref(body);
}

void assert_review(const struct answer *answer)
{
    json_error_t ignored;
    assert_int_equal(answer->status, 200);
    json_t *body = json_loads(answer->body, 0, &ignored);
    json_t *response = json_object_get(body, "response");
    assert_string_equal(json_string_value(json_object_get(response, "uid")), "u-1");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    json_decref(body);
}

void assert_refused(const struct running *server, const char *request, int status,
                    const char *error)
{
    struct client client;
    struct answer answer;
    running_connect(server, &client);
    assert_true(client_send(&client, request, strlen(request)));
    assert_true(client_read(&client, &answer));
    assert_error(&answer, status, error);
    answer_dispose(&answer);
    client_close(&client);
}

void assert_metric(const struct running *server, const char *line)
{
    KARTA_AUTO_TEXT text = running_get(server, "/metrics", NULL);
    if (strstr(text, line) == NULL)
        print_error("no \"%s\" in %s\n", line, text);
    assert_non_null(strstr(text, line));
}
