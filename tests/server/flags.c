/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong at the start is one line on stderr and an exit status, and nothing is started. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "address.h"
#include "base/mem.h"
#include "harness.h"

#define FLAGS(...) ((const char *[]){__VA_ARGS__, NULL})

/* Every start here gets ports of its own, so that only what is tested can fail. */
static void assert_fails(const char *const *flags, int status, const char *line)
{
    KARTA_AUTO_TEXT output = NULL;
    assert_int_equal(program_run(flags, &output), status);
    KARTA_AUTO_TEXT expected = mem_format("karta-webhook: %s\n", line);
    assert_string_equal(output, expected);
}

/* The same, after log lines (of definitions that were loaded): the last line counts. */
static void assert_start_fails(const char *const *flags, const char *line)
{
    KARTA_AUTO_TEXT output = NULL;
    assert_int_equal(program_run(flags, &output), 1);
    KARTA_AUTO_TEXT expected = mem_format("karta-webhook: %s\n", line);
    assert_null(strstr(output, "listening"));
    size_t size = strlen(output);
    assert_true(size >= strlen(expected));
    assert_string_equal(output + size - strlen(expected), expected);
}

static void flags__unknown_names_the_nearest(void **state)
{
    (void)state;
    assert_fails(FLAGS("--lissten", "127.0.0.1:0"), 2,
                 "unknown flag \"--lissten\" (did you mean \"--listen\"?)");
    assert_fails(FLAGS("--metric-listen=:0"), 2,
                 "unknown flag \"--metric-listen\" (did you mean \"--metrics-listen\"?)");
    assert_fails(FLAGS("--xyzzy"), 2, "unknown flag \"--xyzzy\"");
    assert_fails(FLAGS("start"), 2, "unexpected argument \"start\"");
    assert_fails(FLAGS("-v"), 2, "unexpected argument \"-v\"");
}

static void flags__values_are_checked(void **state)
{
    (void)state;
    assert_fails(FLAGS("--listen"), 2, "flag \"--listen\" needs a value");
    assert_fails(FLAGS("--threads", "0"), 2, "--threads: \"0\" is not a number from 1 to 256");
    assert_fails(FLAGS("--threads", "2x"), 2, "--threads: \"2x\" is not a number from 1 to 256");
    assert_fails(FLAGS("--drain=-1"), 2, "--drain: \"-1\" is not a number from 0 to 3600");
    assert_fails(FLAGS("--gang", "none"), 2, "--gang: \"none\" is not one of opted-in|all");
    assert_fails(FLAGS("--on-error", ""), 2, "--on-error: \"\" is not one of allow|deny");
    assert_fails(FLAGS("--log-level", "loud"), 2,
                 "--log-level: \"loud\" is not one of debug|info|warn|error");
    assert_fails(FLAGS("--listen", "9443"), 2,
                 "--listen: \"9443\" is not ADDR:PORT, e.g. 127.0.0.1:9443");
    assert_fails(FLAGS("--listen", "::1:9443"), 2,
                 "--listen: \"::1:9443\" is not ADDR:PORT, e.g. 127.0.0.1:9443");
    assert_fails(FLAGS("--metrics-listen", "localhost:70000"), 2,
                 "--metrics-listen: \"localhost:70000\" is not ADDR:PORT, e.g. 127.0.0.1:9443");
    assert_fails(FLAGS("--exclude-kind", "Job"), 2,
                 "--exclude-kind: \"Job\" is not GROUP/KIND, e.g. batch/Job");
    assert_fails(FLAGS("--no-podgroups=maybe"), 2,
                 "--no-podgroups: \"maybe\" is not true or false");
}

static void flags__that_belong_together(void **state)
{
    (void)state;
    assert_fails(FLAGS("--tls-cert-file", "a"), 2,
                 "--tls-cert-file and --tls-key-file belong together");
    assert_fails(FLAGS("--tls-cert-file", "a", "--tls-key-file", "b", "--self-signed", "c"), 2,
                 "--tls-cert-file and --self-signed exclude each other");
    assert_fails(FLAGS("--tls-cert-file", "a", "--tls-key-file", "b", "--tls-san", "c"), 2,
                 "--tls-san needs --self-signed or --tls-secret");
}

static void flags__version_and_help(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT version = NULL;
    KARTA_AUTO_TEXT help = NULL;
    assert_int_equal(program_run(FLAGS("--version"), &version), 0);
    assert_string_equal(version, "karta-webhook " KARTA_VERSION "\n");
    assert_int_equal(program_run(FLAGS("--help"), &help), 0);
    assert_non_null(strstr(help, "--listen ADDR:PORT"));
}

static void config__is_read_and_flags_win(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    KARTA_AUTO_TEXT path = mem_format("%s/config.yaml", server.dir);
    write_text(path, "log-format: json\ndrain: 0\nthreads: 1\nexclude-namespace: [a, b]\n"
                     "no-podgroups: true\nlog-level: error\n");
    running_start(&server, FLAGS("--config", path, "--log-level", "info", "--log-format", "text"));
    assert_int_equal(running_stop(&server), 0);
}

static void assert_config_fails(const char *text, int status, const char *problem)
{
    char path[] = "/tmp/karta-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_text(path, text);
    KARTA_AUTO_TEXT line = mem_format("%s: %s", path, problem);
    assert_fails(FLAGS("--config", path), status, line);
    unlink(path);
}

static void config__unknown_names_are_refused(void **state)
{
    (void)state;
    assert_config_fails("lisen: 127.0.0.1:0\n", 2,
                        "unknown name \"lisen\" (did you mean \"listen\"?)");
    assert_config_fails("config: x\n", 2, "unknown name \"config\" (did you mean \"config\"?)");
    assert_config_fails("threads: many\n", 2, "--threads: \"many\" is not a number from 1 to 256");
    assert_config_fails("threads: 1.5\n", 2,
                        "--threads: a text, a whole number or true and false belong there");
    assert_config_fails("- a\n", 2, "a mapping of flags' names belongs there");
}

static void start__port_taken(void **state)
{
    (void)state;
    int fd;
    char taken[ADDRESS_TEXT];
    struct karta_error err = {0};
    char dir[] = "/tmp/karta-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(address_listen("127.0.0.1:0", &fd, taken, &err), 0);
    KARTA_AUTO_TEXT line = mem_format("cannot listen on %s: address already in use", taken);
    assert_start_fails(FLAGS("--listen", taken, "--metrics-listen", "", "--self-signed", dir),
                       line);
    assert_start_fails(
        FLAGS("--listen", "127.0.0.1:0", "--metrics-listen", taken, "--self-signed", dir), line);
    close(fd);
    struct running gone = {0};
    snprintf(gone.dir, sizeof gone.dir, "%s", dir);
    running_remove(&gone);
}

static void start__certificates_that_cannot_serve(void **state)
{
    (void)state;
    assert_start_fails(FLAGS("--listen", "127.0.0.1:0", "--metrics-listen", "", "--tls-cert-file",
                             "/nonexistent/tls.crt", "--tls-key-file", "/nonexistent/tls.key"),
                       "cannot read /nonexistent/tls.crt: no such file or directory");
    assert_start_fails(FLAGS("--listen", "127.0.0.1:0", "--metrics-listen", "", "--tls-cert-file",
                             "/etc/hostname", "--tls-key-file", "/etc/hostname"),
                       "cannot serve with /etc/hostname and /etc/hostname: there is no PEM "
                       "certificate");
    assert_start_fails(FLAGS("--listen", "127.0.0.1:0", "--metrics-listen", "", "--self-signed",
                             "/nonexistent/tls"),
                       "cannot make folder /nonexistent/tls: no such file or directory");
    assert_start_fails(FLAGS("--listen", "127.0.0.1:0", "--metrics-listen", "", "--client-ca-file",
                             "/etc/hostname"),
                       "/etc/hostname holds no PEM certificate");
}

static void start__definitions_and_profiles_that_are_not_there(void **state)
{
    (void)state;
    assert_start_fails(FLAGS("--listen", "127.0.0.1:0", "--definitions", "/nonexistent"),
                       "cannot list /nonexistent: no such file or directory");
    KARTA_AUTO_TEXT output = NULL;
    assert_int_equal(program_run(FLAGS("--listen", "127.0.0.1:0", "--profile", "nope"), &output),
                     1);
    assert_non_null(strstr(output, "karta-webhook: there is no profile \"nope\": there are "));
    assert_non_null(strstr(output, " kai, ")); /* and the others that the catalog has by now */
    assert_non_null(strstr(output, ", or give the path of a file\n"));
    assert_start_fails(
        FLAGS("--listen", "127.0.0.1:0", "--profile", "/nonexistent.yaml"),
        "profile file /nonexistent.yaml: cannot read /nonexistent.yaml: no such file or "
        "directory");
}

static void flags__of_the_cluster_belong_together(void **state)
{
    (void)state;
    assert_fails(FLAGS("--kube", "--kube-api", "https://10.0.0.1"), 2,
                 "--kube and --kube-api exclude each other");
    assert_fails(FLAGS("--kube-token-file", "/tmp/token"), 2,
                 "--kube-token-file and --kube-ca-file need --kube-api");
    assert_fails(FLAGS("--kube-api", "10.0.0.1:6443"), 2,
                 "--kube-api: \"10.0.0.1:6443\" is no URL, e.g. https://10.0.0.1:6443");
    assert_fails(FLAGS("--webhook-service", "karta", "--kube-api", "https://10.0.0.1"), 2,
                 "--webhook-service: \"karta\" is not NAMESPACE/NAME");
    assert_fails(FLAGS("--webhook-service", "a/b", "--webhook-url", "https://10.0.0.2"), 2,
                 "--webhook-service and --webhook-url exclude each other");
    assert_fails(FLAGS("--webhook-url", "http://10.0.0.2"), 2,
                 "--webhook-url: \"http://10.0.0.2\" is no URL, e.g. https://10.0.0.2:9443");
    assert_fails(FLAGS("--failure-policy", "fail"), 2,
                 "--failure-policy: \"fail\" is not one of Ignore|Fail");
    assert_fails(FLAGS("--tls-secret", "a/b"), 2, "--tls-secret needs --kube or --kube-api");
    assert_fails(FLAGS("--tls-secret", "a/b", "--self-signed", "/tmp", "--kube"), 2,
                 "--tls-secret excludes --tls-cert-file and --self-signed");
    assert_fails(FLAGS("--tls-secret", "a/b/c", "--kube"), 2,
                 "--tls-secret: \"a/b/c\" is not NAMESPACE/NAME");
    unsetenv("KUBERNETES_SERVICE_HOST");
    assert_start_fails(
        FLAGS("--kube"),
        "not inside a cluster (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are "
        "not both set): give --kube-api URL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags__unknown_names_the_nearest),
        cmocka_unit_test(flags__values_are_checked),
        cmocka_unit_test(flags__that_belong_together),
        cmocka_unit_test(flags__version_and_help),
        cmocka_unit_test(config__is_read_and_flags_win),
        cmocka_unit_test(config__unknown_names_are_refused),
        cmocka_unit_test(start__port_taken),
        cmocka_unit_test(start__certificates_that_cannot_serve),
        cmocka_unit_test(start__definitions_and_profiles_that_are_not_there),
        cmocka_unit_test(flags__of_the_cluster_belong_together),
    };
    return cmocka_run_group_tests_name("server.flags", tests, NULL, NULL);
}
