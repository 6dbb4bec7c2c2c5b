/* SPDX-License-Identifier: Apache-2.0 */
/* Other people's clients, as they are installed: curl and openssl s_client. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness.h"

static struct running server;

static int start(void **state)
{
    (void)state;
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", "--threads", "2", NULL});
    KARTA_AUTO_TEXT review = mem_format("%s/review.json", server.dir);
    write_text(review, test_review);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return running_stop(&server);
}

/* What `command` printed, new; in it, $P is the port and $D the folder. */
static char *run(const char *command)
{
    KARTA_AUTO_TEXT line = mem_format("P=%d D=%s; %s", server.https, server.dir, command);
    char *text = calloc(1, 65536);
    FILE *pipe = popen(line, "r");
    assert_non_null(text);
    assert_non_null(pipe);
    text[fread(text, 1, 65535, pipe)] = '\0';
    pclose(pipe);
    return text;
}

static void assert_prints(const char *command, const char *expected)
{
    KARTA_AUTO_TEXT text = run(command);
    if (strstr(text, expected) == NULL)
        print_error("%s: no \"%s\" in %s\n", command, expected, text);
    assert_non_null(strstr(text, expected));
}

#define CURL                                                                                       \
    "curl -sS -m 10 --cacert $D/tls/ca.crt -H 'Content-Type: application/json' "                   \
    "-w ' %{http_code} %{num_connects}' "
#define URL "https://localhost:$P/mutate/workloads"

static void curl__is_answered(void **state)
{
    (void)state;
    assert_prints(CURL "--data-binary @$D/review.json " URL " 2>&1",
                  "\"uid\":\"u-1\",\"allowed\":true}} 200 1");
    assert_prints(CURL "--data-binary @$D/review.json " URL " " URL " 2>&1", " 200 0");
    assert_prints(CURL "-H 'Transfer-Encoding: chunked' --data-binary @$D/review.json " URL " 2>&1",
                  " 200 1");
    assert_prints(CURL "--http1.0 --data-binary @$D/review.json " URL " 2>&1", " 200 1");
}

static void curl__waits_for_the_word_that_its_body_is_wanted(void **state)
{
    (void)state;
    assert_prints(CURL "-v -H 'Expect: 100-continue' --data-binary @$D/review.json " URL " 2>&1",
                  "100 Continue");
    assert_prints("head -c 9437184 /dev/zero | " CURL
                  "-H 'Expect: 100-continue' --data-binary @- " URL " 2>&1",
                  "{\"error\": \"the body is over 8388608 bytes, the most that is read\"}\n 413 1");
    assert_prints("head -c 9437184 /dev/zero | " CURL "-H 'Expect:' --data-binary @- " URL " 2>&1",
                  "{\"error\": \"the body is over 8388608 bytes, the most that is read\"}\n 413 1");
}

#define S_CLIENT                                                                                   \
    "openssl s_client -connect 127.0.0.1:$P -CAfile $D/tls/ca.crt -verify_return_error "           \
    "-verify_hostname localhost </dev/null 2>&1 "

static void s_client__verifies_the_chain(void **state)
{
    (void)state;
    assert_prints(S_CLIENT "-tls1_3", "Verify return code: 0 (ok)");
    assert_prints(S_CLIENT "-tls1_2", "Verify return code: 0 (ok)");
    assert_prints(S_CLIENT "-tls1_1 -cipher DEFAULT@SECLEVEL=0 2>&1", "no peer certificate");
    assert_prints("printf 'POST /mutate/workloads HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet "
                  "-connect 127.0.0.1:$P 2>/dev/null",
                  "{\"error\": \"there is no content type: send application/json\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curl__is_answered),
        cmocka_unit_test(curl__waits_for_the_word_that_its_body_is_wanted),
        cmocka_unit_test(s_client__verifies_the_chain),
    };
    return cmocka_run_group_tests_name("server.tools", tests, start, stop);
}
