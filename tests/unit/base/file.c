/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "support.h"

struct folder {
    char path[64];
};

static int setup(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return 1;
    strcpy(folder->path, "/tmp/karta-file-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) == NULL;
}

static int teardown(void **state)
{
    struct folder *folder = *state;
    KARTA_AUTO_TEXT command = mem_format("rm -rf '%s'", folder->path);
    int status = system(command);
    free(folder);
    return status;
}

static char *inside(void **state, const char *name)
{
    const struct folder *folder = *state;
    return mem_format("%s/%s", folder->path, name);
}

static void write__then_read(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "a");
    struct karta_error err = {0};
    assert_int_equal(file_write(path, "a\0b", 3, 0600, &err), 0);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(file_write(path, "cd", 2, 0644, &err), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, 2, &bytes, &size, &err), 0);
    assert_int_equal(size, 2);
    assert_string_equal(bytes, "cd");
}

static void write__failing_leaves_nothing(void **state)
{
    KARTA_AUTO_TEXT folder = inside(state, "");
    KARTA_AUTO_TEXT path = inside(state, "f.yaml");
    assert_int_equal(mkdir(path, 0700), 0);
    KARTA_AUTO_TEXT below = inside(state, "f.yaml/x");
    struct karta_error err = {0};
    assert_int_equal(file_write(below, "1", 1, 0600, &err), 0);
    assert_int_equal(file_write(path, "a", 1, 0600, &err), KARTA_ERR_IO);
    KARTA_AUTO_TEXT expected = mem_format("cannot write %s: is a directory", path);
    assert_string_equal(err.message, expected);
    char **paths = NULL;
    assert_int_equal(file_list(folder, &paths, NULL), 0);
    assert_string_equal(paths[0], path);
    assert_null(paths[1]);
    file_list_free(paths);
}

static void read__above_the_cap(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "a");
    struct karta_error err = {0};
    assert_int_equal(file_write(path, "abcd", 4, 0600, &err), 0);
    char *bytes = NULL;
    size_t size;
    assert_int_equal(file_read(path, 3, &bytes, &size, &err), KARTA_ERR_LIMIT);
    KARTA_AUTO_TEXT expected = mem_format("%s is above 3 bytes", path);
    assert_string_equal(err.message, expected);
    assert_null(bytes);
}

static void read__says_why_not(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "none");
    struct karta_error err = {0};
    char *bytes = NULL;
    size_t size;
    assert_int_equal(file_read(path, 3, &bytes, &size, &err), KARTA_ERR_IO);
    KARTA_AUTO_TEXT expected = mem_format("cannot read %s: no such file or directory", path);
    assert_string_equal(err.message, expected);
    karta_error_init(&err);
    assert_int_equal(file_read("/tmp", 3, &bytes, &size, &err), KARTA_ERR_IO);
    assert_string_equal(err.message, "cannot read /tmp: is a directory");
}

static void read__empty(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "a");
    assert_int_equal(file_write(path, "", 0, 0600, NULL), 0);
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 9;
    assert_int_equal(file_read(path, 0, &bytes, &size, NULL), 0);
    assert_int_equal(size, 0);
    assert_string_equal(bytes, "");
}

static void write_slowly(const char *path)
{
    int fd = open(path, O_WRONLY);
    for (int i = 0; i < 3; i++) {
        if (write(fd, "abcdefgh", 8) != 8)
            _exit(1);
        usleep(10000);
    }
    _exit(0);
}

static void read__fifo(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0)
        write_slowly(path);
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size;
    assert_int_equal(file_read(path, 100, &bytes, &size, NULL), 0);
    assert_int_equal(size, 24);
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void read_regular__never_waits(void **state)
{
    KARTA_AUTO_TEXT fifo = inside(state, "fifo");
    KARTA_AUTO_TEXT file = inside(state, "file");
    KARTA_AUTO_TEXT message = mem_format("cannot read %s: is no regular file", fifo);
    struct karta_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(file_read_regular(fifo, 10, &bytes, &size, &err), KARTA_ERR_IO);
    assert_string_equal(err.message, message);
    assert_int_equal(file_read_regular("/dev/null", 10, &bytes, &size, NULL), KARTA_ERR_IO);
    assert_int_equal(file_write(file, "abc", 3, 0600, NULL), 0);
    assert_int_equal(file_read_regular(file, 10, &bytes, &size, NULL), 0);
    assert_string_equal(bytes, "abc");
    free(bytes);
    unlink(fifo);
    unlink(file);
}

static void read__standard_input(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "in");
    assert_int_equal(file_write(path, "hello", 5, 0600, NULL), 0);
    int saved = dup(STDIN_FILENO);
    int fd = open(path, O_RDONLY);
    dup2(fd, STDIN_FILENO);
    char *bytes = NULL;
    size_t size;
    struct karta_error err = {0};
    int small = file_read("-", 4, &bytes, &size, &err);
    lseek(STDIN_FILENO, 0, SEEK_SET);
    KARTA_AUTO_TEXT whole = NULL;
    int code = file_read("-", 5, &whole, &size, NULL);
    bool is_open = fcntl(STDIN_FILENO, F_GETFD) != -1;
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(small, KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "standard input is above 4 bytes");
    assert_int_equal(code, 0);
    assert_string_equal(whole, "hello");
    assert_true(is_open);
}

static void list__in_byte_order(void **state)
{
    static const char *const names[] = {"b.yaml",  "a.json", "B.yml",    "c.yaml.bak",
                                        ".d.yaml", "e",      "a.b.yaml", ".yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        KARTA_AUTO_TEXT path = inside(state, names[i]);
        assert_int_equal(file_write(path, "", 0, 0600, NULL), 0);
    }
    static const char *const expected[] = {"B.yml", "a.b.yaml", "a.json", "b.yaml"};
    const struct folder *folder = *state;
    char **paths = NULL;
    assert_int_equal(file_list(folder->path, &paths, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        KARTA_AUTO_TEXT path = inside(state, expected[i]);
        assert_string_equal(paths[i], path);
    }
    assert_null(paths[4]);
    file_list_free(paths);
    file_list_free(NULL);
}

static void list__of_no_folder(void **state)
{
    KARTA_AUTO_TEXT path = inside(state, "none");
    struct karta_error err = {0};
    char **paths = NULL;
    assert_int_equal(file_list(path, &paths, &err), KARTA_ERR_IO);
    KARTA_AUTO_TEXT expected = mem_format("cannot list %s: no such file or directory", path);
    assert_string_equal(err.message, expected);
}

static void data_dir__in_the_source_tree(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT path = NULL;
    assert_int_equal(file_data_dir("tests", &path, NULL), 0);
    assert_string_equal(path, KARTA_SOURCE_DIR "/tests");
    struct karta_error err = {0};
    char *none = NULL;
    assert_int_equal(file_data_dir("no-such", &none, &err), KARTA_ERR_NOT_FOUND);
    assert_memory_equal(err.message, "no folder no-such: neither /", 28);
    assert_non_null(strstr(err.message, "/../share/karta/no-such nor "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(write__then_read, setup, teardown),
        cmocka_unit_test_setup_teardown(write__failing_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(read__above_the_cap, setup, teardown),
        cmocka_unit_test_setup_teardown(read__says_why_not, setup, teardown),
        cmocka_unit_test_setup_teardown(read__empty, setup, teardown),
        cmocka_unit_test_setup_teardown(read__fifo, setup, teardown),
        cmocka_unit_test_setup_teardown(read_regular__never_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(read__standard_input, setup, teardown),
        cmocka_unit_test_setup_teardown(list__in_byte_order, setup, teardown),
        cmocka_unit_test_setup_teardown(list__of_no_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(data_dir__in_the_source_tree, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
