/* SPDX-License-Identifier: MIT */
/*
 * The index of a platform's registers, compared with a linear search of its tables for every
 * address; and the index of small test tables.
 */
#include "intel/tests.h"

#include <limits.h>

#include "intel/registers.h"
#include "regs/trace.h"

#define BAR_BYTES 0x200000u /* GTTMMADR's registers */

/* ---- all platforms --------------------------------------------------------------------------- */

/* The linear search: finds the register, its element and its table. */
static bool same_place(const struct reg_place *a, const struct reg_place *b)
{
    return a->reg == b->reg && !memcmp(a->index, b->index, sizeof a->index);
}

static void compare_address(enum intel_revision platform, const struct reg_index *index,
                            uint32_t address, size_t *found)
{
    static const enum reg_access accesses[] = {REG_READ, REG_WRITE};
    struct reg_place indexed, walked;
    unsigned element;
    const struct reg_row *row = reg_index_find(index, address, &element);
    bool there = reg_index_place(index, address, &indexed);
    ROW(__LINE__, there == (row != NULL), "%s %06x", revision_name(platform), address);
    *found += there;
    for (unsigned i = 0; i < COUNT(accesses); i++) {
        const struct reg_map *map = intel_register_find(platform, address, accesses[i], &walked);
        if (!ROW(__LINE__, there == (map != NULL), "%s %06x: %s by the walk",
                 revision_name(platform), address, map ? walked.reg->name : "none") ||
            !map)
            continue;
        ROW(__LINE__, same_place(&indexed, &walked) && row->map == map, "%s %06x: %s, %s",
            revision_name(platform), address, row->reg->name, walked.reg->name);
        if (row->reg->access & accesses[i])
            ROW(__LINE__, i ? row->handler.write != NULL : row->handler.read != NULL,
                "%s %s has no handler", revision_name(platform), row->reg->name);
    }
}

static void test_every_address(void **state)
{
    (void)state;
    for (unsigned platform = 0; platform < INTEL_REVISIONS; platform++) {
        const struct reg_index *index = intel_register_index((enum intel_revision)platform);
        size_t found = 0;
        assert_non_null(index);
        for (uint32_t address = 0; address < BAR_BYTES; address += 4)
            compare_address((enum intel_revision)platform, index, address, &found);
        ROW(__LINE__, found, "%s has no register", revision_name((enum intel_revision)platform));
    }
    ROWS_DONE();
}

/* No platform has two registers at one address. */
static void test_conflicts(void **state)
{
    (void)state;
    for (unsigned platform = 0; platform < INTEL_REVISIONS; platform++) {
        const struct reg_index *index = intel_register_index((enum intel_revision)platform);
        ROW(__LINE__, index && !index->conflicts, "%s: %zu conflicts, the first at %06x",
            revision_name((enum intel_revision)platform), index->conflicts, index->conflict);
    }
    ROWS_DONE();
}

/* Models share it. */
static void test_shared(void **state)
{
    (void)state;
    const struct reg_index *index = intel_register_index(INTEL_SKL);
    assert_ptr_equal(intel_register_index(INTEL_SKL), index);
    assert_ptr_not_equal(intel_register_index(INTEL_HSW), index);
}

/* ---- made up tables -------------------------------------------------------------------------- */

static uint32_t read_common(void *context, const struct reg_request *request)
{
    (void)request;
    return *(uint32_t *)context;
}

static void write_common(void *context, const struct reg_request *request, uint32_t value)
{
    *(uint32_t *)context = value + request->element;
}

static uint32_t read_special(void *context, const struct reg_request *request)
{
    (void)context;
    return request->address;
}

static const struct reg_field low_field[] = {{"LOW", 0, 3, REG_READ_WRITE, 0, 3, NULL, NULL},
                                             {"SEEN", 8, 9, REG_READ, 0, 3, NULL, NULL},
                                             {0}};

static const struct reg rows[] = {
    {"ALONE", 0x10, {{0}}, 3, 0, REG_READ_WRITE, 0, 0, low_field, NULL, NULL},
    {"LATER", 0x20, {{0}}, 2, 1, REG_READ_WRITE, 0, 0, NULL, NULL, NULL},
    {"GRID", 0x2000, {{"i", 3, 8}, {"half", 2, 4}}, 1, 2, REG_WRITE, 0, 0, NULL, NULL, NULL},
    {"EVEN", 0x800, {{"n", 4, 8}}, 3, 1, REG_READ, 0, 0, NULL, NULL, NULL},
    {"ODD", 0x804, {{"n", 4, 8}}, 3, 1, REG_READ, 0, 0, NULL, NULL, NULL},
    {"PORT", 0x40, {{0}}, 3, 9, REG_WRITE, 0, 0, NULL, NULL, NULL},
};
static const struct reg_map map = {"made-up", "none", 0x1000, 0x4000, rows, COUNT(rows), false};
static const struct reg_handler special[] = {[1] = {read_special, NULL}};
static const struct reg_block block = {
    &map, {read_common, write_common}, special, COUNT(special), 0, 9, 0};

static struct reg_index *index_of(uint32_t revision)
{
    struct reg_index *index = reg_index_new(&(struct reg_part){&block, 7}, 1, revision, UINT_MAX);
    assert_non_null(index);
    return index;
}

static void test_lookup(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t revision, address;
        const char *name; /* "-": no register */
    } expected[] = {
        {__LINE__, 1, 0x1010, "ALONE"},      {__LINE__, 1, 0x1020, "-"},
        {__LINE__, 2, 0x1020, "LATER"},      {__LINE__, 1, 0x1011, "-"},
        {__LINE__, 1, 0x1012, "-"},          {__LINE__, 1, 0x10, "-"},
        {__LINE__, 1, 0x3000, "GRID[0][0]"}, {__LINE__, 1, 0x3004, "GRID[0][1]"},
        {__LINE__, 1, 0x3014, "GRID[2][1]"}, {__LINE__, 1, 0x3018, "-"},
        {__LINE__, 2, 0x3000, "-"},          {__LINE__, 1, 0x1800, "EVEN[0]"},
        {__LINE__, 1, 0x1804, "ODD[0]"},     {__LINE__, 1, 0x1818, "EVEN[3]"},
        {__LINE__, 1, 0x181c, "ODD[3]"},     {__LINE__, 1, 0x1820, "-"},
        {__LINE__, 1, 0x1040, "-"}, /* an id of another block */
        {__LINE__, 1, 0xfffffffc, "-"},      {__LINE__, 1, 0, "-"},
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct reg_index *index = index_of(expected[i].revision);
        struct reg_place place;
        char name[32] = "-";
        if (reg_index_place(index, expected[i].address, &place))
            reg_element_name(&place, name, sizeof name);
        ROW(expected[i].line, !strcmp(name, expected[i].name), "%s", name);
        reg_index_free(index);
    }
    ROWS_DONE();
}

static void test_handlers(void **state)
{
    (void)state;
    struct reg_index *index = index_of(1);
    uint32_t word = 5;
    struct reg_request request = {.address = 0x1010};
    request.row = reg_index_find(index, 0x1010, &request.element);
    assert_int_equal(request.row->handler.read(&word, &request), 5);
    assert_int_equal(request.row->part, 7);
    assert_int_equal(request.row->documented, 0x30f);
    assert_int_equal(request.row->writable, 0xf);
    request.address = 0x1808;
    request.row = reg_index_find(index, 0x1808, &request.element);
    assert_int_equal(request.element, 1);
    assert_int_equal(request.row->handler.read(&word, &request), 0x1808);
    request.row = reg_index_find(index, 0x300c, &request.element);
    request.row->handler.write(&word, &request, 10);
    assert_int_equal(word, 13); /* GRID[1][1] is element 3 */
    reg_index_free(index);
}

static void test_outcomes(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address, value;
        enum reg_access_outcome read, write;
    } expected[] = {
        {__LINE__, 0x1010, 0x00f, REG_DONE, REG_DONE},
        {__LINE__, 0x1010, 0x300, REG_DONE, REG_DONE}, /* read-only bits are not reserved */
        {__LINE__, 0x1010, 0x010, REG_DONE, REG_RESERVED_BITS},
        {__LINE__, 0x1020, 0, REG_UNKNOWN, REG_UNKNOWN},
        {__LINE__, 0x1800, 1, REG_DONE, REG_READ_ONLY},
        {__LINE__, 0x3000, UINT32_MAX, REG_WRITE_ONLY, REG_DONE},
    };
    struct reg_index *index = index_of(1);
    for (size_t i = 0; i < COUNT(expected); i++) {
        unsigned element;
        const struct reg_row *row = reg_index_find(index, expected[i].address, &element);
        ROW(expected[i].line, reg_check_read(row) == expected[i].read, "%d", reg_check_read(row));
        ROW(expected[i].line, reg_check_write(row, expected[i].value) == expected[i].write, "%d",
            reg_check_write(row, expected[i].value));
    }
    reg_index_free(index);
    ROWS_DONE();
}

static void test_conflict(void **state)
{
    (void)state;
    static const struct reg twice[] = {
        {"FIRST", 4, {{0}}, 1, 0, REG_READ, 0, 0, NULL, NULL, NULL},
        {"LIST", 0, {{"n", 4, 4}}, 1, 0, REG_READ, 0, 0, NULL, NULL, NULL},
        {"LAST", 12, {{0}}, 1, 0, REG_WRITE, 0, 0, NULL, NULL, NULL},
    };
    static const struct reg_map twice_map = {"twice", "none", 0, 0x100, twice, COUNT(twice), false};
    static const struct reg_block twice_block = {
        &twice_map, {read_common, write_common}, NULL, 0, 0, 0, 0};
    struct reg_index *index = reg_index_new(&(struct reg_part){&twice_block, 0}, 1, 1, UINT_MAX);
    struct reg_place place;
    assert_non_null(index);
    assert_int_equal(index->conflicts, 2);
    assert_int_equal(index->conflict, 4);
    assert_true(reg_index_place(index, 4, &place));
    assert_string_equal(place.reg->name, "FIRST");
    assert_true(reg_index_place(index, 12, &place));
    assert_string_equal(place.reg->name, "LIST");
    reg_index_free(index);
}

/* A single part. */
static void test_block(void **state)
{
    (void)state;
    uint32_t word = 1, value = 0;
    assert_true(reg_block_write(&block, 1, &word, 0x300c, 10));
    assert_int_equal(word, 13);
    assert_true(reg_block_read(&block, 1, &word, 0x1010, &value));
    assert_int_equal(value, 13);
    assert_true(reg_block_read(&block, 1, &word, 0x300c, &value)); /* write-only */
    assert_int_equal(value, 0);
    assert_true(reg_block_write(&block, 1, &word, 0x1800, 99)); /* read-only */
    assert_int_equal(word, 13);
    assert_false(reg_block_read(&block, 1, &word, 0x1020, &value));
    assert_false(reg_block_write(&block, 1, &word, 0x1040, 1)); /* in another block */
    assert_int_equal(word, 13);
}

/* ---- trace lines ----------------------------------------------------------------------------- */

static void test_trace(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool write;
        uint32_t address, value;
        const char *name, *mark, *text;
    } expected[] = {
        {__LINE__, true, 0x1010, 0x5, NULL, NULL,
         "           9  cpu  wr  0x001010  ALONE                 0x00000005  LOW=5\n"},
        {__LINE__, true, 0x1010, 0x105, NULL, NULL, /* SEEN cannot be written */
         "           9  cpu  wr  0x001010  ALONE                 0x00000105  LOW=5\n"},
        {__LINE__, false, 0x1010, 0x105, NULL, NULL,
         "           9  cpu  rd  0x001010  ALONE                 0x00000105  LOW=5 SEEN=1\n"},
        {__LINE__, true, 0x1010, 0x10, NULL, NULL,
         "           9  cpu  wr  0x001010  ALONE                 0x00000010"
         "  ! reserved bits 0x00000010\n"},
        {__LINE__, true, 0x1010, 0x11, NULL, "asleep",
         "           9  cpu  wr  0x001010  ALONE                 0x00000011  LOW=1"
         "  ! asleep, reserved bits 0x00000010\n"},
        {__LINE__, false, 0x1010, 0x10, NULL, NULL, /* a read prints no fields */
         "           9  cpu  rd  0x001010  ALONE                 0x00000010\n"},
        {__LINE__, true, 0x3014, 0xffffffff, NULL, NULL,
         "           9  cpu  wr  0x003014  GRID[2][1]            0xffffffff\n"},
        {__LINE__, false, 0x2000, 0, NULL, "unknown register",
         "           9  cpu  rd  0x002000  -                     0x00000000"
         "  ! unknown register\n"},
        {__LINE__, false, 0x2000, 7, "ALIAS", NULL,
         "           9  cpu  rd  0x002000  ALIAS                 0x00000007\n"},
    };
    struct reg_index *index = index_of(1);
    for (size_t i = 0; i < COUNT(expected); i++) {
        char text[REG_TRACE_LINE];
        struct reg_place place;
        bool found = reg_index_place(index, expected[i].address, &place);
        struct reg_trace trace = {.clock = 9,
                                  .agent = "cpu",
                                  .write = expected[i].write,
                                  .address = expected[i].address,
                                  .value = expected[i].value,
                                  .place = found ? &place : NULL,
                                  .name = expected[i].name,
                                  .revision = 1,
                                  .instances = UINT_MAX,
                                  .mark = expected[i].mark};
        ROW(expected[i].line, !strcmp(reg_trace_line(&trace, text), expected[i].text), "%s", text);
    }
    reg_index_free(index);
    ROWS_DONE();
}

/* A line that is too long omits fields, but not the outcome. */
static void test_long_trace(void **state)
{
    (void)state;
    char long_name[200], text[REG_TRACE_LINE];
    struct reg_field fields[33] = {0};
    memset(long_name, 'F', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    for (unsigned i = 0; i < 16; i++)
        fields[i] =
            (struct reg_field){long_name, (uint8_t)i, (uint8_t)i, REG_WRITE, 0, 1, NULL, NULL};
    struct reg reg = {.name = "WIDE", .revisions = 1, .access = REG_WRITE, .fields = fields};
    struct reg_place place = {.reg = &reg};
    struct reg_trace trace = {.agent = "cpu",
                              .write = true,
                              .value = 0x1ffff,
                              .place = &place,
                              .revision = 1,
                              .instances = UINT_MAX,
                              .mark = "asleep"};
    reg_trace_line(&trace, text);
    assert_true(strlen(text) < sizeof text);
    assert_non_null(strstr(text, "  ! asleep, reserved bits 0x00010000\n"));
    assert_non_null(strstr(text, "FFF=1"));
}

int test_register_index(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_address), cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_shared),        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_handlers),      cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_conflict),      cmocka_unit_test(test_block),
        cmocka_unit_test(test_trace),         cmocka_unit_test(test_long_trace),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
