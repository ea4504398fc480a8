/* SPDX-License-Identifier: MIT */
/* The wire format of Protocol Buffers. */
#include "sink/tests.h"

#include "sink/protobuf.h"

static void check(unsigned line, struct buffer *buffer, const char *expected, size_t size)
{
    ROW(line, buffer->size == size && !memcmp(buffer->bytes, expected, size), "%zu bytes, not %zu",
        buffer->size, size);
    buffer_fini(buffer);
}

#define BYTES(text) text, sizeof(text) - 1

static void test_numbers_of_fields(void **state)
{
    static const struct {
        unsigned line;
        uint32_t tag;
        uint64_t value;
        const char *bytes;
        size_t size;
    } rows[] = {
        {__LINE__, 1 << 3, 0, BYTES("\x08\x00")},
        {__LINE__, 1 << 3, 127, BYTES("\x08\x7f")},
        {__LINE__, 1 << 3, 128, BYTES("\x08\x80\x01")},
        {__LINE__, 1 << 3, 150, BYTES("\x08\x96\x01")}, /* the example of the specification */
        {__LINE__, 15 << 3, 1, BYTES("\x78\x01")},
        {__LINE__, 16 << 3, 1, BYTES("\x80\x01\x01")},
        {__LINE__, 128 << 3 | 2, 1, BYTES("\x82\x08\x01")},
        {__LINE__, 2 << 3, UINT64_MAX, BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer buffer = {0};
        proto_add_u64(&buffer, rows[i].tag, rows[i].value);
        check(rows[i].line, &buffer, rows[i].bytes, rows[i].size);
    }
    char bytes[8];
    assert_ptr_equal(proto_put_double(bytes, 1.5), bytes + 8);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\xf8\x3f", 8);
    ROWS_DONE();
}

static void test_messages(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    size_t outer = proto_open(&buffer, 3 << 3 | 2);
    proto_add_text(&buffer, 2 << 3 | 2, "a\xff");
    proto_close(&buffer, outer);
    /* Sizes have four bytes; a byte that is not UTF-8 is escaped. */
    check(__LINE__, &buffer,
          BYTES("\x1a\x8a\x80\x80\x00\x12\x85\x80\x80\x00"
                "a\\xff"));
    for (size_t size = 1; size < 1u << 20; size = size * 5 + 1) {
        size_t read = 0;
        outer = proto_open(&buffer, 1 << 3 | 2);
        char *bytes = buffer_reserve(&buffer, size);
        assert_non_null(bytes);
        memset(bytes, 0, size);
        buffer.size += size;
        proto_close(&buffer, outer);
        for (unsigned i = 0; i < 4; i++)
            read |= (size_t)(buffer.bytes[1 + i] & 0x7f) << 7 * i;
        ROW(__LINE__, read == size, "%zu, not %zu", read, size);
        buffer_fini(&buffer);
    }
    outer = proto_open(&buffer, 1 << 3 | 2);
    buffer.broken = true;
    proto_close(&buffer, outer);
    assert_true(buffer.broken);
    buffer_fini(&buffer);
    ROWS_DONE();
}

int test_protobuf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_fields),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
