/* SPDX-License-Identifier: MIT */
/* The root file system as an archive: read back by a reader written from the format's description,
 * and by the machine's cpio. */
#include "guest/tests.h"

#include "vm/guest/cpio.h"
#include "vm/guest/root.h"

/* ---- a reader -------------------------------------------------------------------------------- */

struct member {
    char name[64];
    unsigned mode, links, major, minor, inode;
    const char *bytes;
    size_t size;
};

static unsigned number_at(const char *header, unsigned field)
{
    char digits[9] = "";
    memcpy(digits, header + 6 + 8 * (size_t)field, 8);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Reads the next member; false at the trailer. Fails the test if the archive is malformed. */
static bool next_member(const struct buffer *archive, size_t *at, struct member *member)
{
    assert_true(archive->size - *at >= 110);
    const char *header = archive->bytes + *at;
    assert_memory_equal(header, "070701", 6);
    *member = (struct member){.inode = number_at(header, 0),
                              .mode = number_at(header, 1),
                              .links = number_at(header, 4),
                              .size = number_at(header, 6),
                              .major = number_at(header, 9),
                              .minor = number_at(header, 10)};
    unsigned name_size = number_at(header, 11);
    assert_in_range(name_size, 1, sizeof member->name);
    assert_int_equal(number_at(header, 12), 0);
    memcpy(member->name, header + 110, name_size);
    assert_int_equal(strlen(member->name) + 1, name_size);
    size_t contents = (*at + 110 + name_size + 3) / 4 * 4;
    member->bytes = archive->bytes + contents;
    *at = (contents + member->size + 3) / 4 * 4;
    assert_true(*at <= archive->size);
    return strcmp(member->name, "TRAILER!!!") != 0;
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void test_members_of_each_kind(void **state)
{
    (void)state;
    struct cpio cpio = {.entries = 0};
    cpio_directory(&cpio, "d", 0750);
    cpio_file(&cpio, "d/empty", 0644, "", 0);
    cpio_file(&cpio, "d/five", 0755, "12345", 5);
    cpio_symlink(&cpio, "d/link", "five");
    cpio_character_device(&cpio, "d/null", 0666, 1, 3);
    cpio_end(&cpio);
    assert_false(cpio.bytes.broken);
    // clang-format off
    const struct member expected[] = {
        {"d", 040750, 1, 0, 0, 1, "", 0},
        {"d/empty", 0100644, 1, 0, 0, 2, "", 0},
        {"d/five", 0100755, 1, 0, 0, 3, "12345", 5},
        {"d/link", 0120777, 1, 0, 0, 4, "five", 4},
        {"d/null", 020666, 1, 1, 3, 5, "", 0},
    };
    // clang-format on
    size_t at = 0, count = 0;
    for (struct member member; next_member(&cpio.bytes, &at, &member); count++) {
        assert_true(count < COUNT(expected));
        const struct member *row = &expected[count];
        ROW(__LINE__, !strcmp(member.name, row->name), "%s", member.name);
        ROW(__LINE__, member.mode == row->mode, "%s has mode %o", member.name, member.mode);
        ROW(__LINE__, member.links == 1 && member.inode == row->inode, "%s: links", member.name);
        ROW(__LINE__, member.major == row->major && member.minor == row->minor, "%s: device",
            member.name);
        ROW(__LINE__, member.size == row->size && !memcmp(member.bytes, row->bytes, row->size),
            "%s: contents", member.name);
    }
    assert_int_equal(count, COUNT(expected));
    assert_int_equal(at, cpio.bytes.size);
    buffer_fini(&cpio.bytes);
    ROWS_DONE();
}

/* Names and contents of every length modulo four are aligned. */
static void test_alignment(void **state)
{
    (void)state;
    struct cpio cpio = {.entries = 0};
    char name[16] = "";
    size_t at = 0;
    for (unsigned i = 0; i < 8; i++) {
        name[i] = 'a';
        for (unsigned size = 0; size < 5; size++)
            cpio_file(&cpio, name, 0600, "abcd", size);
    }
    cpio_end(&cpio);
    struct member member;
    for (unsigned i = 0; i < 40; i++) {
        assert_true(next_member(&cpio.bytes, &at, &member));
        assert_int_equal(strlen(member.name), i / 5 + 1);
        assert_int_equal(member.size, i % 5);
        assert_memory_equal(member.bytes, "abcd", i % 5);
    }
    assert_false(next_member(&cpio.bytes, &at, &member));
    buffer_fini(&cpio.bytes);
}

/* The machine's own program lists it. */
static void test_cpio_reads_it(void **state)
{
    (void)state;
    char path[] = "/tmp/tally-test-XXXXXX", command[128], listing[256] = "";
    struct cpio cpio = {.entries = 0};
    cpio_directory(&cpio, "usr", 0755);
    cpio_file(&cpio, "usr/file", 0644, "contents\n", 9);
    cpio_symlink(&cpio, "link", "usr/file");
    cpio_end(&cpio);
    if (system("command -v cpio >/dev/null") != 0) {
        buffer_fini(&cpio.bytes);
        skip();
    }
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, cpio.bytes.bytes, cpio.bytes.size), cpio.bytes.size);
    close(fd);
    snprintf(command, sizeof command, "cpio -tv --quiet <%s 2>&1 | tr -s ' ' | cut -d' ' -f1,5,9-",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(listing, 1, sizeof listing - 1, pipe);
    listing[size] = '\0';
    pclose(pipe);
    unlink(path);
    buffer_fini(&cpio.bytes);
    assert_string_equal(listing, "drwxr-xr-x 0 usr\n-rw-r--r-- 9 usr/file\n"
                                 "lrwxrwxrwx 8 link -> usr/file\n");
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Directories come before their contents, and a path comes once. */
static void test_parents_and_repetitions(void **state)
{
    (void)state;
    static const char *const expected[] = {"a", "a/b", "a/b/file", "link", "a/empty"};
    struct root root = {.paths = NULL};
    struct tally_error error = {0};
    size_t at = 0, count = 0;
    root_file(&root, "/a/b/file", 0644, "first", 5);
    root_file(&root, "/a/b/file", 0644, "second", 6);
    root_link(&root, "/link", "a");
    root_directory(&root, "/a", 0700);
    root_directory(&root, "/link", 0700);
    root_directory(&root, "/a/empty", 0700);
    assert_true(root_has(&root, "/a/b"));
    assert_false(root_has(&root, "/a/c"));
    assert_int_equal(root_end(&root, &error), 0);
    for (struct member member; next_member(&root.cpio.bytes, &at, &member); count++) {
        assert_true(count < COUNT(expected));
        assert_string_equal(member.name, expected[count]);
        if (member.size == 5)
            assert_memory_equal(member.bytes, "first", 5);
        assert_int_not_equal(member.size, 6);
    }
    assert_int_equal(count, COUNT(expected));
    root_fini(&root);
}

int test_archives(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_of_each_kind),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_cpio_reads_it),
        cmocka_unit_test(test_parents_and_repetitions),
    };
    return cmocka_run_group_tests_name("archives", tests, NULL, NULL);
}
