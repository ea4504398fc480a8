/* SPDX-License-Identifier: MIT */
/* Reading ELF files, the loader's cache, bzImages and packed files, malformed ones too. */
#include "guest/tests.h"

#include <elf.h>

#include "vm/guest/bzimage.h"
#include "vm/guest/elf.h"
#include "vm/guest/library_cache.h"
#include "vm/guest/unpack.h"

/* ---- ELF ------------------------------------------------------------------------------------- */

#define BASE    0x400000u
#define DYNAMIC 0x200
#define STRINGS 0x300
#define NOTES   0x380
#define SIZE    0x400

/* A program: an interpreter, two libraries, a run path, and a note of type 18. */
struct image {
    unsigned char bytes[SIZE];
};

static void put_segment(struct image *image, unsigned i, uint32_t type, uint64_t offset,
                        uint64_t size)
{
    unsigned char *at = image->bytes + sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Phdr);
    store_le32(at + offsetof(Elf64_Phdr, p_type), type);
    store_le64(at + offsetof(Elf64_Phdr, p_offset), offset);
    store_le64(at + offsetof(Elf64_Phdr, p_vaddr), BASE + offset);
    store_le64(at + offsetof(Elf64_Phdr, p_filesz), size);
}

static void put_dynamic(struct image *image, unsigned i, uint64_t tag, uint64_t value)
{
    store_le64(image->bytes + DYNAMIC + 16 * i, tag);
    store_le64(image->bytes + DYNAMIC + 16 * i + 8, value);
}

static struct image make_image(void)
{
    static const char strings[] = "\0libone.so.1\0libtwo.so\0$ORIGIN/lib\0/lib64/ld.so";
    struct image image = {.bytes = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1}};
    store_le16(image.bytes + offsetof(Elf64_Ehdr, e_machine), EM_X86_64);
    store_le64(image.bytes + offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr));
    store_le16(image.bytes + offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr));
    store_le16(image.bytes + offsetof(Elf64_Ehdr, e_phnum), 4);
    put_segment(&image, 0, PT_LOAD, 0, SIZE);
    put_segment(&image, 1, PT_INTERP, STRINGS + 35, 13);
    put_segment(&image, 2, PT_DYNAMIC, DYNAMIC, 6 * 16);
    put_segment(&image, 3, PT_NOTE, NOTES, 52);
    put_dynamic(&image, 0, DT_NEEDED, 1);
    put_dynamic(&image, 1, DT_NEEDED, 13);
    put_dynamic(&image, 2, DT_RUNPATH, 23);
    put_dynamic(&image, 3, DT_STRTAB, BASE + STRINGS);
    put_dynamic(&image, 4, DT_NULL, 0);
    put_dynamic(&image, 5, DT_NEEDED, 1); /* behind the end */
    memcpy(image.bytes + STRINGS, strings, sizeof strings);
    /* A note of another owner with contents of five bytes, then the one that is searched. */
    memcpy(image.bytes + NOTES, "\4\0\0\0\5\0\0\0\22\0\0\0GNU\0abcde\0\0\0", 24);
    memcpy(image.bytes + NOTES + 24, "\4\0\0\0\4\0\0\0\22\0\0\0Xen\0\1\2\3\4", 20);
    return image;
}

static void test_needs_of_a_program(void **state)
{
    (void)state;
    struct image image = make_image();
    struct elf_needs needs;
    struct tally_error error = {0};
    assert_int_equal(elf_read("x", image.bytes, SIZE, &needs, &error), 0);
    assert_string_equal(needs.interpreter, "/lib64/ld.so");
    assert_string_equal(needs.runpath, "$ORIGIN/lib");
    assert_null(needs.rpath);
    assert_int_equal(needs.count, 2);
    assert_string_equal(needs.needed[0], "libone.so.1");
    assert_string_equal(needs.needed[1], "libtwo.so");
    put_dynamic(&image, 2, DT_RPATH, 23);
    assert_int_equal(elf_read("x", image.bytes, SIZE, &needs, &error), 0);
    assert_string_equal(needs.rpath, "$ORIGIN/lib");
    assert_null(needs.runpath);
}

static void test_static_programs(void **state)
{
    (void)state;
    struct image image = make_image();
    assert_false(elf_is_static(image.bytes, SIZE));
    put_segment(&image, 1, PT_NOTE, NOTES, 24); /* instead of the interpreter */
    assert_true(elf_is_static(image.bytes, SIZE));
    assert_true(elf_is_static(image.bytes, sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr)));
    assert_false(elf_is_static(image.bytes, sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr) - 1));
    assert_false(elf_is_static(image.bytes, sizeof(Elf64_Ehdr) - 1));
    assert_false(elf_is_static("#!/bin/sh\n", 10));
    image.bytes[EI_CLASS] = ELFCLASS32;
    assert_false(elf_is_static(image.bytes, SIZE));
}

static void test_notes(void **state)
{
    (void)state;
    struct image image = make_image();
    assert_true(elf_has_note(image.bytes, SIZE, "Xen", 18));
    assert_true(elf_has_note(image.bytes, SIZE, "GNU", 18));
    assert_false(elf_has_note(image.bytes, SIZE, "Xen", 17));
    assert_false(elf_has_note(image.bytes, SIZE, "Xe", 18));
    put_segment(&image, 3, PT_NOTE, NOTES, 24); /* ends before it */
    assert_false(elf_has_note(image.bytes, SIZE, "Xen", 18));
    put_segment(&image, 3, PT_NOTE, NOTES, SIZE);
    assert_false(elf_has_note(image.bytes, SIZE, "Xen", 18));
    put_segment(&image, 3, PT_LOAD, NOTES, 52);
    assert_false(elf_has_note(image.bytes, SIZE, "Xen", 18));
}

static void test_malformed_programs(void **state)
{
    (void)state;
    static const size_t phdrs = sizeof(Elf64_Ehdr);
    // clang-format off
    const struct {
        unsigned line;
        size_t at, bytes;
        uint64_t value;
        int code;
        const char *message;
    } rows[] = {
        {__LINE__, 0, 1, 0, -EBADMSG, "has no ELF header"},
        {__LINE__, EI_CLASS, 1, ELFCLASS32, -EINVAL, "another processor"},
        {__LINE__, EI_DATA, 1, ELFDATA2MSB, -EINVAL, "another processor"},
        {__LINE__, offsetof(Elf64_Ehdr, e_machine), 2, EM_AARCH64, -EINVAL, "another processor"},
        {__LINE__, offsetof(Elf64_Ehdr, e_phentsize), 2, 55, -EBADMSG, "headers are too small"},
        {__LINE__, offsetof(Elf64_Ehdr, e_phoff), 8, SIZE, -EBADMSG, "headers are outside"},
        {__LINE__, offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX, -EBADMSG, "headers are outside"},
        {__LINE__, offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff, -EBADMSG, "headers are outside"},
        {__LINE__, phdrs + 1 * 56 + 8, 8, SIZE, -EBADMSG, "interpreter is outside"},
        {__LINE__, phdrs + 2 * 56 + 8, 8, SIZE - 8, -EBADMSG, "dynamic section is outside"},
        {__LINE__, phdrs + 2 * 56 + 32, 8, UINT64_MAX, -EBADMSG, "dynamic section is outside"},
        {__LINE__, DYNAMIC + 8, 8, SIZE, -EBADMSG, "a name in its dynamic section"},
        {__LINE__, DYNAMIC + 8, 8, UINT64_MAX, -EBADMSG, "a name in its dynamic section"},
        {__LINE__, DYNAMIC + 3 * 16 + 8, 8, 1, -EBADMSG, "a name in its dynamic section"},
    };
    // clang-format on
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct image image = make_image();
        struct elf_needs needs;
        struct tally_error error = {0};
        unsigned char value[8];
        store_le64(value, rows[i].value);
        memcpy(image.bytes + rows[i].at, value, rows[i].bytes);
        int result = elf_read("program", image.bytes, SIZE, &needs, &error);
        ROW(rows[i].line, result == rows[i].code, "returns %d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        ROW(rows[i].line, !strncmp(error.message, "program: ", 9), "\"%s\"", error.message);
        ROW(rows[i].line, !needs.count && !needs.interpreter, "has needs");
    }
    /* A string that runs into the end of the file. */
    struct image image = make_image();
    struct elf_needs needs;
    memset(image.bytes + NOTES, 'x', SIZE - NOTES);
    put_dynamic(&image, 0, DT_NEEDED, NOTES - STRINGS);
    assert_int_equal(elf_read("x", image.bytes, SIZE, &needs, NULL), -EBADMSG);
    ROWS_DONE();
}

static void test_too_many_libraries(void **state)
{
    (void)state;
    static unsigned char bytes[SIZE + 16 * (ELF_NEEDED_MAX + 2)];
    struct image image = make_image();
    struct elf_needs needs;
    struct tally_error error = {0};
    put_segment(&image, 2, PT_DYNAMIC, SIZE, sizeof bytes - SIZE);
    memcpy(bytes, image.bytes, SIZE);
    store_le64(bytes + SIZE, DT_STRTAB);
    store_le64(bytes + SIZE + 8, BASE + STRINGS);
    for (unsigned i = 1; i <= ELF_NEEDED_MAX + 1; i++) {
        store_le64(bytes + SIZE + 16 * i, i <= ELF_NEEDED_MAX ? DT_NEEDED : DT_NULL);
        store_le64(bytes + SIZE + 16 * i + 8, 1);
    }
    assert_int_equal(elf_read("x", bytes, sizeof bytes, &needs, &error), 0);
    assert_int_equal(needs.count, ELF_NEEDED_MAX);
    store_le64(bytes + SIZE + 16 * (ELF_NEEDED_MAX + 1), DT_NEEDED);
    assert_int_equal(elf_read("x", bytes, sizeof bytes, &needs, &error), -EBADMSG);
    assert_true(mentions(error.message, "more than 128"));
}

/* ---- the loader's cache ---------------------------------------------------------------------- */

struct cache {
    unsigned char bytes[512];
    size_t size;
};

static void put_entry(unsigned char *at, uint32_t flags, uint32_t name, uint32_t path,
                      uint64_t hwcap)
{
    store_le32(at, flags);
    store_le32(at + 4, name);
    store_le32(at + 8, path);
    store_le64(at + 16, hwcap);
}

/* Four libraries called liba.so, for other processors before the right one, and libb.so. */
static struct cache make_cache(size_t start)
{
    static const char strings[] = "liba.so\0/lib32/liba.so\0/lib/v3/liba.so\0/lib/liba.so\0"
                                  "libb.so\0/lib/libb.so";
    struct cache cache = {.bytes = {0}};
    unsigned char *at = cache.bytes + start;
    const uint32_t from = 48 + 5 * 24;
    memcpy(at, "glibc-ld.so.cache1.1", 20);
    store_le32(at + 20, 5);
    put_entry(at + 48, 0x0803, from, from + 8, 0);
    put_entry(at + 72, 0x0303, from, from + 23, UINT64_C(1) << 62);
    put_entry(at + 96, 0x0303, from, from + 39, 0);
    put_entry(at + 120, 0x0303, from + 52, from + 60, 0);
    put_entry(at + 144, 0x0303, UINT32_MAX, UINT32_MAX, 0);
    memcpy(at + from, strings, sizeof strings);
    cache.size = start + from + sizeof strings;
    return cache;
}

static void test_library_cache(void **state)
{
    (void)state;
    struct cache cache = make_cache(0);
    assert_string_equal(library_cache_find(cache.bytes, cache.size, "liba.so"), "/lib/liba.so");
    assert_string_equal(library_cache_find(cache.bytes, cache.size, "libb.so"), "/lib/libb.so");
    assert_null(library_cache_find(cache.bytes, cache.size, "libc.so"));
    assert_null(library_cache_find(cache.bytes, cache.size, "lib"));
    /* Behind an older table of one entry: 16 + 12 bytes, aligned to 8. */
    cache = make_cache(32);
    memcpy(cache.bytes, "ld.so-1.7.0", 11);
    store_le32(cache.bytes + 12, 1);
    assert_string_equal(library_cache_find(cache.bytes, cache.size, "libb.so"), "/lib/libb.so");
}

static void test_malformed_library_caches(void **state)
{
    (void)state;
    struct cache cache = make_cache(0);
    assert_null(library_cache_find("", 0, "liba.so"));
    assert_null(library_cache_find(cache.bytes, 47, "liba.so"));
    for (size_t size = 0; size < cache.size - 1; size++)
        assert_null(library_cache_find(cache.bytes, size, "libb.so"));
    store_le32(cache.bytes + 20, UINT32_MAX);
    assert_null(library_cache_find(cache.bytes, cache.size, "liba.so"));
    cache = make_cache(0);
    cache.bytes[18] = '2'; /* another version */
    assert_null(library_cache_find(cache.bytes, cache.size, "liba.so"));
    cache = make_cache(32);
    memcpy(cache.bytes, "ld.so-1.7.0", 11);
    store_le32(cache.bytes + 12, UINT32_MAX);
    assert_null(library_cache_find(cache.bytes, cache.size, "libb.so"));
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void make_kernel(unsigned char bytes[0x1000])
{
    memset(bytes, 0, 0x1000);
    bytes[0x1f1] = 3; /* sectors of setup code */
    memcpy(bytes + 0x202, "HdrS", 4);
    store_le16(bytes + 0x206, 0x20f);
    store_le16(bytes + 0x20e, 0x300 - 0x200);
    store_le32(bytes + 0x248, 0x10);
    store_le32(bytes + 0x24c, 6);
    strcpy((char *)bytes + 0x300, "6.1.0-test (someone) #1");
    memcpy(bytes + 4 * 512 + 0x10, "packed", 6);
}

static void test_bzimages(void **state)
{
    (void)state;
    unsigned char bytes[0x1000];
    struct bzimage image;
    struct tally_error error = {0};
    make_kernel(bytes);
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), 0);
    assert_int_equal(image.release_size, 10);
    assert_memory_equal(image.release, "6.1.0-test", 10);
    assert_int_equal(image.payload_size, 6);
    assert_memory_equal(image.payload, "packed", 6);
    bytes[0x1f1] = 0; /* stands for four sectors */
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), 0);
    assert_ptr_equal(image.payload, bytes + 5 * 512 + 0x10);
    store_le16(bytes + 0x206, 0x207); /* before the payload was stated */
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), 0);
    assert_null(image.payload);
    store_le16(bytes + 0x20e, 0xf000); /* the release is outside the file */
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), 0);
    assert_null(image.release);
}

static void test_malformed_bzimages(void **state)
{
    (void)state;
    unsigned char bytes[0x1000];
    struct bzimage image;
    struct tally_error error = {0};
    make_kernel(bytes);
    assert_int_equal(bzimage_read("k", bytes, 0x24f, &image, &error), -EBADMSG);
    assert_int_equal(bzimage_read("k", bytes, 4 * 512 + 0x15, &image, &error), -EBADMSG);
    assert_true(mentions(error.message, "k: truncated"));
    store_le32(bytes + 0x248, UINT32_MAX);
    store_le32(bytes + 0x24c, UINT32_MAX);
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), -EBADMSG);
    assert_null(image.payload);
    make_kernel(bytes);
    bytes[0x202] = 'x';
    assert_int_equal(bzimage_read("k", bytes, sizeof bytes, &image, &error), -EBADMSG);
    assert_true(mentions(error.message, "k: not a Linux kernel"));
}

/* ---- packed files ---------------------------------------------------------------------------- */

/* "hello\n" by gzip -n. */
static const unsigned char packed[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0, 0,
                                       3,    0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0,
                                       0x20, 0x30, 0x3a, 0x36, 6,    0,    0,    0};

static void test_unpacking(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct tally_error error = {0};
    assert_true(unpack_is_packed(packed, sizeof packed));
    assert_false(unpack_is_packed("\177ELF", 4));
    assert_false(unpack_is_packed(packed, 1));
    buffer_text(&out, "before ");
    assert_int_equal(unpack("x", packed, sizeof packed, &out, &error), 0);
    assert_int_equal(out.size, 13);
    assert_memory_equal(out.bytes, "before hello\n", 13);
    assert_int_equal(unpack("x", packed, sizeof packed - 9, &out, &error), -EBADMSG);
    assert_string_equal(error.message, "x: gzip cannot unpack it");
    assert_int_equal(unpack("x", "\177ELF", 4, &out, &error), -EBADMSG);
    buffer_fini(&out);
}

static void test_missing_unpacker(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct tally_error error = {0};
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(unpack("x.ko.xz",
                            "\xfd"
                            "7zXZ\0",
                            6, &out, &error),
                     -ENOENT);
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(error.message, "x.ko.xz: xz not found, expected the package xz-utils");
    buffer_fini(&out);
}

int test_binaries(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs_of_a_program),
        cmocka_unit_test(test_static_programs),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_malformed_programs),
        cmocka_unit_test(test_too_many_libraries),
        cmocka_unit_test(test_library_cache),
        cmocka_unit_test(test_malformed_library_caches),
        cmocka_unit_test(test_bzimages),
        cmocka_unit_test(test_malformed_bzimages),
        cmocka_unit_test(test_unpacking),
        cmocka_unit_test(test_missing_unpacker),
    };
    return cmocka_run_group_tests_name("binaries", tests, NULL, NULL);
}
