/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl says, as it says it, and what we make of it. */
#include <string.h>

#include "exit_code.h"
#include "kubectl_errors.h"
#include "support.h"

static void errors__are_told_apart_by_their_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        {"Error from server (NotFound): jobsets.jobset.x-k8s.io \"x\" not found\n", CLI_NOT_FOUND},
        {"Error from server (Forbidden): pods is forbidden: User \"n\" cannot list\n", CLI_CLUSTER},
        {"error: You must be logged in to the server (Unauthorized)\n", CLI_CLUSTER},
        {"Error from server (Timeout): the server was unable to return a response\n", CLI_CLUSTER},
        {"Error from server (ServiceUnavailable): the server is down\n", CLI_CLUSTER},
        {"Error from server (Invalid): JobSet \"x\" is invalid\n", CLI_INVALID},
        {"Error from server (Forbidden): admission webhook \"a.b\" denied the request: no\n",
         CLI_INVALID},
        {"Error from server: admission webhook \"a.b\" denied the request: no\n", CLI_INVALID},
        {"Error from server (BadRequest): Unable to find\n", CLI_FAILED},
        {"error: the server doesn't have a resource type \"nosuch\"\n", CLI_NOT_FOUND},
        {"The connection to the server localhost:8080 was refused - did you specify the right host "
         "or port?\n",
         CLI_CLUSTER},
        {"Unable to connect to the server: dial tcp: lookup k8s on 1.1.1.1:53: no such host\n",
         CLI_CLUSTER},
        {"Unable to connect to the server: tls: failed to verify certificate: x509: certificate "
         "signed by unknown authority\n",
         CLI_CLUSTER},
        {"error: context \"nope\" does not exist\n", CLI_CLUSTER},
        {"Error in configuration: context was not found for specified context: nope\n",
         CLI_CLUSTER},
        {"error: stat /nowhere: no such file or directory\n", CLI_CLUSTER},
        {"E1130 14:02:04.194004   11109 memcache.go:265] \"Unhandled Error\" err=\"couldn't get\"\n"
         "Error from server (NotFound): x\n",
         CLI_NOT_FOUND},
        {"Warning: batch/v1beta1 CronJob is deprecated\nerror: something else\n", CLI_FAILED},
        {"", CLI_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (kubectl_errors_code(cases[i].text) != cases[i].code)
            fail_msg("%s: %d", cases[i].text, kubectl_errors_code(cases[i].text));
}

static void errors__lose_what_stands_before_them(void **state)
{
    (void)state;
    const char *text =
        "I1130 14:02:04.1 1 log\n\nError from server (NotFound): jobs \"x\" not found\n"
        "error: last";
    struct kubectl_error error;
    assert_true(kubectl_error_next(&text, &error));
    assert_string_equal(error.reason, "NotFound");
    assert_int_equal(error.size, strlen("jobs \"x\" not found"));
    assert_memory_equal(error.text, "jobs \"x\" not found", error.size);
    assert_true(kubectl_error_next(&text, &error));
    assert_memory_equal(error.text, "last", 4);
    assert_string_equal(error.reason, "");
    assert_false(kubectl_error_next(&text, &error));
}

static void errors__survive_odd_lines(void **state)
{
    (void)state;
    static const char *const odd[] = {"Error from server (",
                                      "Error from server ()",
                                      ")",
                                      "()",
                                      "Error from server (NotFound)",
                                      "error: ",
                                      "E1"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        kubectl_errors_code(odd[i]);
    assert_int_equal(kubectl_errors_code("Error from server (NotFound)"), CLI_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors__are_told_apart_by_their_reason),
        cmocka_unit_test(errors__lose_what_stands_before_them),
        cmocka_unit_test(errors__survive_odd_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
