/* SPDX-License-Identifier: MIT */
/* Files of the machine in a guest's tree: links, directories, scripts, programs with libraries. */
#include "guest/tests.h"

#include <ftw.h>
#include <limits.h>

#include "vm/guest/files.h"

static char directory[64]; /* of the test that runs */

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/tally-test-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static int remove_directory(void **state)
{
    (void)state;
    return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *in_directory(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(in_directory(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(in_directory(name), mode), 0);
}

static bool has(const struct root *root, const char *name)
{
    return root_has(root, in_directory(name));
}

/* Links on the way, and the file's own, are copied as links; their targets are copied too. */
static void test_links(void **state)
{
    (void)state;
    struct root root = {.paths = NULL};
    struct tally_error error = {0};
    assert_int_equal(mkdir(in_directory("real"), 0755), 0);
    write_file("real/file", "contents", 0644);
    write_file("real/other", "", 0644);
    assert_int_equal(symlink("real", in_directory("way")), 0);
    assert_int_equal(symlink("../way/file", in_directory("real/link")), 0);
    assert_int_equal(files_add(&root, in_directory("way/./../way/link"), &error), 0);
    assert_true(has(&root, "way"));
    assert_true(has(&root, "real/link"));
    assert_true(has(&root, "real/file"));
    assert_false(has(&root, "real/other"));
    assert_false(has(&root, "way/link"));
    root_fini(&root);
}

static void test_directories(void **state)
{
    (void)state;
    struct root root = {.paths = NULL};
    struct tally_error error = {0};
    assert_int_equal(mkdir(in_directory("a"), 0755), 0);
    assert_int_equal(mkdir(in_directory("a/b"), 0755), 0);
    assert_int_equal(mkdir(in_directory("a/empty"), 0755), 0);
    write_file("a/b/file", "contents", 0644);
    write_file("a/not-a-program", "\177ELF, not really", 0644);
    assert_int_equal(symlink("../..", in_directory("a/b/circle")), 0);
    assert_int_equal(symlink("nothing", in_directory("a/dangling")), 0);
    assert_int_equal(mkfifo(in_directory("a/pipe"), 0644), 0);
    assert_int_equal(files_add(&root, in_directory("a"), &error), 0);
    assert_true(has(&root, "a/b/file"));
    assert_true(has(&root, "a/empty"));
    assert_true(has(&root, "a/not-a-program"));
    assert_true(has(&root, "a/b/circle"));
    assert_true(has(&root, "a/dangling"));
    assert_false(has(&root, "a/pipe"));
    root_fini(&root);
}

static void test_scripts(void **state)
{
    (void)state;
    char text[PATH_MAX + 16];
    struct root root = {.paths = NULL};
    struct tally_error error = {0};
    write_file("interpreter", "data", 0755);
    snprintf(text, sizeof text, "#! %s -x\n", in_directory("interpreter"));
    write_file("script", text, 0755);
    write_file("text", "#!/nonexistent/program\n", 0644);
    assert_int_equal(files_add(&root, in_directory("script"), &error), 0);
    assert_true(has(&root, "interpreter"));
    assert_int_equal(files_add(&root, in_directory("text"), &error), 0);
    write_file("broken", "#!/nonexistent/program\n", 0755);
    assert_int_equal(files_add(&root, in_directory("broken"), &error), -ENOENT);
    assert_true(mentions(error.message, "/nonexistent/program"));
    root_fini(&root);
}

static void test_files_that_cannot_be_added(void **state)
{
    (void)state;
    struct root root = {.paths = NULL};
    struct tally_error error = {0};
    assert_int_equal(files_add(&root, "/nonexistent/file", &error), -ENOENT);
    assert_true(mentions(error.message, "cannot open /nonexistent/file: No such"));
    assert_int_equal(symlink("loop", in_directory("loop")), 0);
    assert_int_equal(files_add(&root, in_directory("loop"), &error), -ELOOP);
    write_file("program", "\177ELF, not really", 0755);
    assert_int_equal(files_add(&root, in_directory("program"), &error), -EBADMSG);
    assert_true(mentions(error.message, "/program: not a valid ELF file"));
    root_fini(&root);
}

/* What this test itself needs, as the loader says it has loaded it. */
static void test_libraries_are_those_of_the_loader(void **state)
{
    (void)state;
    char program[PATH_MAX], line[PATH_MAX], resolved[PATH_MAX];
    unsigned count = 0;
    struct root root = {.paths = NULL}, ignored = {.paths = NULL};
    struct tally_error error = {0};
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(size > 0);
    program[size] = '\0';
    assert_int_equal(files_add(&root, program, &error), 0);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (!path)
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (!strstr(path, ".so"))
            continue;
        assert_int_equal(root_way(&ignored, path, resolved, &error), 0);
        ROW(__LINE__, root_has(&root, resolved), "%s is missing", resolved);
        count++;
    }
    fclose(maps);
    ROW(__LINE__, count > 3, "%u libraries", count);
    root_fini(&root);
    root_fini(&ignored);
    ROWS_DONE();
}

static void test_programs_are_found(void **state)
{
    (void)state;
    char path[PATH_MAX], *before = strdup(getenv("PATH")), list[256];
    struct tally_error error = {0};
    write_file("program", "", 0755);
    write_file("data", "", 0644);
    snprintf(list, sizeof list, "/nonexistent:%s", directory);
    setenv("PATH", list, 1);
    assert_int_equal(files_find_program("program", path, &error), 0);
    assert_string_equal(path, in_directory("program"));
    assert_int_equal(files_find_program("data", path, &error), -ENOENT);
    assert_string_equal(error.message, "data: not found in $PATH");
    assert_int_equal(files_find_program(in_directory("data"), path, &error), -ENOENT);
    assert_true(mentions(error.message, "/data: not a program"));
    assert_int_equal(files_find_program(in_directory("program"), path, &error), 0);
    setenv("PATH", before, 1);
    free(before);
}

int test_copies(void)
{
#define IN_DIRECTORY_TEST(test)                                                                    \
    cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY_TEST(test_links),
        IN_DIRECTORY_TEST(test_directories),
        IN_DIRECTORY_TEST(test_scripts),
        IN_DIRECTORY_TEST(test_files_that_cannot_be_added),
        IN_DIRECTORY_TEST(test_libraries_are_those_of_the_loader),
        IN_DIRECTORY_TEST(test_programs_are_found),
    };
    return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
