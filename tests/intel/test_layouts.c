/* SPDX-License-Identifier: MIT */
/* Report layouts: complete, packed and unpacked without loss, found by name and number. */
#include "intel/tests.h"

#define EACH_LAYOUT(layout)                                                                        \
    const struct tally_layout *layout;                                                             \
    for (size_t layout##_at = 0; (layout = tally_layout_at(layout##_at)); layout##_at++)

/* ---- every byte, once ---------------------------------------------------------------------- */

static void test_each_byte_belongs_to_one_field(void **state)
{
    (void)state;
    EACH_LAYOUT(layout)
    {
        unsigned owners[REPORT_ROOM] = {0}, holders[TALLY_SLOT_COUNT] = {0};
        for (size_t f = 0; f < layout->field_count; f++) {
            const struct tally_field *field = &layout->fields[f];
            ROW(__LINE__, field->width == 32 || field->width == 40 || field->width == 64,
                "%s/%s field %zu: width %u", layout->family, layout->name, f, field->width);
            ROW(__LINE__, field->count >= 1 && field->count <= 64, "count %u", field->count);
            for (int i = 0; i < field->count; i++) {
                int at = field->offset + i * field->stride;
                int end = at + (field->width == 64 ? 8 : 4);
                int slot = field->slot + i;
                ROW(__LINE__, at >= 0 && end <= layout->size_bytes && at % 4 == 0,
                    "%s/%s: bytes %d to %d", layout->family, layout->name, at, end);
                ROW(__LINE__, slot < TALLY_SLOT_COUNT, "slot %d", slot);
                for (int b = at; b >= 0 && b < end && b < REPORT_ROOM; b++)
                    owners[b]++;
                if (field->width == 40 && field->high + i < REPORT_ROOM)
                    owners[field->high + i]++;
                if (slot < TALLY_SLOT_COUNT)
                    holders[slot]++;
            }
        }
        for (unsigned b = 0; b < REPORT_ROOM; b++)
            ROW(__LINE__, owners[b] == (b < layout->size_bytes), "%s/%s: byte %u is in %u fields",
                layout->family, layout->name, b, owners[b]);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
            ROW(__LINE__, holders[slot] <= 1, "%s/%s: slot %u stands in %u places", layout->family,
                layout->name, slot, holders[slot]);
    }
    ROWS_DONE();
}

/* PERF-4.1 and PERF-4.5, OA-2.9: the properties of all layouts. */
static const struct fact {
    unsigned line;
    const char *family, *name, *alias;
    unsigned bytes, select, format, header_bits;
} facts[] = {
    {__LINE__, "snb", "a13", "000", 64, 0, 0, 32},
    {__LINE__, "snb", "a29", "001", 128, 1, 0, 32},
    {__LINE__, "snb", "a13_b4_c12", "010", 128, 2, 0, 32},
    {__LINE__, "snb", "a29_b4_c12", "011", 192, 3, 0, 32},
    {__LINE__, "snb", "c12", "100", 64, 4, 0, 32},
    {__LINE__, "ivb", "a13", "000", 64, 0, 0, 32},
    {__LINE__, "ivb", "a29", "001", 128, 1, 0, 32},
    {__LINE__, "ivb", "a13_b4_c12", "010", 128, 2, 0, 32},
    {__LINE__, "ivb", "a29_b4_c12", "011", 192, 3, 0, 32},
    {__LINE__, "ivb", "a45_b4_c12", "101", 256, 5, 0, 32},
    {__LINE__, "ivb", "a16", "110", 128, 6, 0, 32},
    {__LINE__, "hsw", "a13", "000", 64, 0, 1, 32},
    {__LINE__, "hsw", "a29", "001", 128, 1, 2, 32},
    {__LINE__, "hsw", "a13_b8_c8", "010", 128, 2, 3, 32},
    {__LINE__, "hsw", "a29_b8_c8", "011", 192, 3, 0, 32}, /* PERF-4.1: never exposed */
    {__LINE__, "hsw", "b4_c8", "100", 64, 4, 4, 32},
    {__LINE__, "hsw", "a45_b8_c8", "101", 256, 5, 5, 32},
    {__LINE__, "hsw", "b4_c8_a16", "110", 128, 6, 6, 32},
    {__LINE__, "hsw", "c4_b8", "111", 64, 7, 7, 32},
    {__LINE__, "gen8", "a12", "000", 64, 0, 8, 32},
    {__LINE__, "gen8", "a12_b8_c8", "010", 128, 2, 9, 32},
    {__LINE__, "gen8", "a32u40_a4u32_b8_c8", "101", 256, 5, 10, 32},
    {__LINE__, "gen8", "c4_b8", "111", 64, 7, 7, 32},
    {__LINE__, "xehp", "oar_a32u40_a4u32_b8_c8", NULL, 256, 5, 11, 32},
    {__LINE__, "xehp", "a24u40_a14u32_b8_c8", "101", 256, 5, 12, 32},
    {__LINE__, "xehp", "mpec8u64_b8_c8", "001", 192, 1, 13, 64},
    {__LINE__, "xehp", "mpec8u32_b8_c8", "010", 128, 2, 14, 64},
    {__LINE__, "xe", "pec64u64", NULL, 576, 1, 0, 64},
    {__LINE__, "xe", "pec64u64_b8_c8", NULL, 640, 1, 0, 64},
    {__LINE__, "xe", "pec64u32", NULL, 320, 1, 0, 64},
    {__LINE__, "xe", "pec32u64_g1", NULL, 320, 5, 0, 64},
    {__LINE__, "xe", "pec32u64_g2", NULL, 320, 6, 0, 64},
    {__LINE__, "xe", "pec32u32_g1", NULL, 192, 5, 0, 64},
    {__LINE__, "xe", "pec32u32_g2", NULL, 192, 6, 0, 64},
    {__LINE__, "xe", "pec36u64_g1_32_g2_4", NULL, 320, 3, 0, 64},
    {__LINE__, "xe", "pec36u64_g1_4_g2_32", NULL, 320, 4, 0, 64},
    {__LINE__, "xe", "oac_a24u64_b8_c8", NULL, 320, 1, 0, 64},
    {__LINE__, "xe", "oac_a22u32_r2u32_b8_c8", NULL, 192, 2, 0, 64},
    {__LINE__, "pcounter", "a32_c32", NULL, 576, 0, 0, 64},
    {__LINE__, "pcounter", "a64_c64", NULL, 1088, 1, 0, 64},
};

static void test_facts_of_layouts(void **state)
{
    (void)state;
    assert_int_equal(tally_layout_count(), COUNT(facts));
    assert_null(tally_layout_at(COUNT(facts)));
    assert_null(tally_layout_at(SIZE_MAX));
    for (size_t i = 0; i < COUNT(facts); i++) {
        const struct fact *fact = &facts[i];
        const struct tally_layout *found = NULL;
        EACH_LAYOUT(layout)
        {
            if (!strcmp(layout->family, fact->family) && !strcmp(layout->name, fact->name))
                found = layout;
        }
        if (!ROW(fact->line, found != NULL, "no %s/%s", fact->family, fact->name))
            continue;
        ROW(fact->line, found->size_bytes == fact->bytes, "%u bytes", found->size_bytes);
        ROW(fact->line, found->size_bytes % 64 == 0, "%u bytes", found->size_bytes);
        ROW(fact->line, found->counter_select == fact->select, "select %u", found->counter_select);
        ROW(fact->line, found->kernel_format == fact->format, "format %u", found->kernel_format);
        ROW(fact->line, found->header_bits == fact->header_bits, "header of %u bits",
            found->header_bits);
        ROW(fact->line, !fact->alias == !found->alias, "alias or none");
        ROW(fact->line, !fact->alias || !strcmp(fact->alias, found->alias), "alias %s",
            found->alias);
        ROW(fact->line, !(found->flags & TALLY_LAYOUT_NOT_EXPOSED) == (fact->format != 0),
            "flags %u", found->flags);
        ROW(fact->line, tally_layout_width(found, TIME) == fact->header_bits, "timestamp width");
        ROW(fact->line, found->source && *found->source, "no source");
    }
    ROWS_DONE();
}

/* ---- packing and unpacking ----------------------------------------------------------------- */

#define ROUNDS 200

static void test_bytes_survive(void **state)
{
    (void)state;
    struct random rng = {3};
    EACH_LAYOUT(layout)
    {
        for (unsigned round = 0; round < random_cases(ROUNDS); round++) {
            uint8_t from[REPORT_ROOM], to[REPORT_ROOM];
            uint64_t slots[TALLY_SLOT_COUNT];
            unsigned from_at = round % 7, to_at = round % 5; /* any alignment */
            random_bytes(&rng, from, sizeof from);
            memset(to, 0x5a, sizeof to);
            random_bytes(&rng, slots, sizeof slots);
            tally_report_unpack(layout, from + from_at, slots);
            tally_report_pack(layout, slots, to + to_at);
            ROW(__LINE__, !memcmp(from + from_at, to + to_at, layout->size_bytes),
                "%s/%s changed in a round trip", layout->family, layout->name);
            for (size_t b = 0; b < sizeof to; b++)
                if (b < to_at || b >= to_at + layout->size_bytes)
                    ROW(__LINE__, to[b] == 0x5a, "%s/%s wrote byte %zu outside of the report",
                        layout->family, layout->name, b);
        }
    }
    ROWS_DONE();
}

static void test_values_survive(void **state)
{
    (void)state;
    struct random rng = {4};
    EACH_LAYOUT(layout)
    {
        for (unsigned round = 0; round < random_cases(ROUNDS); round++) {
            uint64_t values[TALLY_SLOT_COUNT], back[TALLY_SLOT_COUNT];
            uint8_t report[REPORT_ROOM];
            random_bytes(&rng, values, sizeof values);
            for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
                back[slot] = UINT64_C(0xfeedfacecafef00d);
            tally_report_pack(layout, values, report);
            tally_report_unpack(layout, report, back);
            for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
                unsigned width = tally_layout_width(layout, slot);
                /* Truncated to the width; slots that the layout does not have are not written. */
                uint64_t expected =
                    width ? values[slot] & ones(width) : UINT64_C(0xfeedfacecafef00d);
                ROW(__LINE__, back[slot] == expected,
                    "%s/%s slot %u: 0x%" PRIx64 ", expected 0x%" PRIx64, layout->family,
                    layout->name, slot, back[slot], expected);
            }
        }
        for (unsigned slot = TALLY_SLOT_COUNT; slot < 300; slot++)
            ROW(__LINE__, tally_layout_width(layout, slot) == 0, "width of slot %u", slot);
    }
    ROWS_DONE();
}

/* ---- by name ------------------------------------------------------------------------------- */

static void test_find(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *query;
        const char *family, *name; /* NULL: not found */
    } rows[] = {
        {__LINE__, "hsw/a45_b8_c8", "hsw", "a45_b8_c8"},
        {__LINE__, "hsw/101", "hsw", "a45_b8_c8"},
        {__LINE__, "HSW/A45_B8_C8", "hsw", "a45_b8_c8"},
        {__LINE__, "hSw/a45_B8_c8", "hsw", "a45_b8_c8"},
        {__LINE__, "hsw/c4_b8", "hsw", "c4_b8"},
        {__LINE__, "gen8/c4_b8", "gen8", "c4_b8"},
        {__LINE__, "GEN8/101", "gen8", "a32u40_a4u32_b8_c8"},
        {__LINE__, "skl/a32u40_a4u32_b8_c8", "gen8", "a32u40_a4u32_b8_c8"},
        {__LINE__, "icl/000", "gen8", "a12"},
        {__LINE__, "TGL/A12_B8_C8", "gen8", "a12_b8_c8"},
        {__LINE__, "vlv/a45_b4_c12", "ivb", "a45_b4_c12"},
        {__LINE__, "vlv/110", "ivb", "a16"},
        {__LINE__, "dg2/101", "xehp", "a24u40_a14u32_b8_c8"},
        {__LINE__, "mtl/OAR_A32u40_A4u32_B8_C8", "xehp", "oar_a32u40_a4u32_b8_c8"},
        {__LINE__, "xehp/001", "xehp", "mpec8u64_b8_c8"},
        {__LINE__, "xe/PEC64u64", "xe", "pec64u64"},
        {__LINE__, "xe/pec64u64_b8_c8", "xe", "pec64u64_b8_c8"},
        {__LINE__, "snb/011", "snb", "a29_b4_c12"},
        {__LINE__, "pcounter/A32_C32", "pcounter", "a32_c32"},
        {__LINE__, "pcounter/000", NULL, NULL},
        {__LINE__, "", NULL, NULL},
        {__LINE__, "/", NULL, NULL},
        {__LINE__, "hsw", NULL, NULL},
        {__LINE__, "hsw/", NULL, NULL},
        {__LINE__, "/101", NULL, NULL},
        {__LINE__, "a45_b8_c8", NULL, NULL},
        {__LINE__, "hsw/a45_b8", NULL, NULL},
        {__LINE__, "hsw/a45_b8_c8_", NULL, NULL},
        {__LINE__, "hsw/a45_b8_c8/", NULL, NULL},
        {__LINE__, " hsw/101", NULL, NULL},
        {__LINE__, "hsw/1010", NULL, NULL},
        {__LINE__, "hsw/5", NULL, NULL},
        {__LINE__, "snb/101", NULL, NULL}, /* not on SNB, OA-2.9 */
        {__LINE__, "snb/100", "snb", "c12"},
        {__LINE__, "snb/101", NULL, NULL},
        {__LINE__, "ivb/100", NULL, NULL},
        {__LINE__, "gen8/001", NULL, NULL},
        {__LINE__, "skl/a45_b8_c8", NULL, NULL},
        {__LINE__, "xe/101", NULL, NULL}, /* selects of PEC formats are not unique */
        {__LINE__, "gen9/101", NULL, NULL},
        {__LINE__, "averyveryverylongfamilyname/101", NULL, NULL},
        {__LINE__, "fifteen_letters/101", NULL, NULL},
        {__LINE__, "sixteen__letters/101", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_layout *layout = tally_layout_find(rows[i].query);
        if (!rows[i].family)
            ROW(rows[i].line, !layout, "\"%s\" is found", rows[i].query);
        else if (ROW(rows[i].line, layout != NULL, "\"%s\" is not found", rows[i].query))
            ROW(rows[i].line,
                !strcmp(layout->family, rows[i].family) && !strcmp(layout->name, rows[i].name),
                "\"%s\" is %s/%s", rows[i].query, layout->family, layout->name);
    }
    ROWS_DONE();
}

static void test_find_each_by_name(void **state)
{
    (void)state;
    EACH_LAYOUT(layout)
    {
        char name[80];
        snprintf(name, sizeof name, "%s/%s", layout->family, layout->name);
        ROW(__LINE__, tally_layout_find(name) == layout, "%s", name);
        if (layout->alias) {
            unsigned select = (unsigned)strtoul(layout->alias, NULL, 2);
            ROW(__LINE__, select == layout->counter_select, "%s: alias %s", name, layout->alias);
            snprintf(name, sizeof name, "%s/%s", layout->family, layout->alias);
            ROW(__LINE__, tally_layout_find(name) == layout, "%s", name);
        }
    }
    ROWS_DONE();
}

/* ---- by the kernel's number ---------------------------------------------------------------- */

/* PERF-4.1: which platform accepts which format. */
static void test_for_kernel(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platforms;
        uint32_t accepted; /* bit f: format f */
    } rows[] = {
        {__LINE__, "snb ivb vlv", 0}, /* not in the driver */
        {__LINE__, "hsw", 0xfe},      /* 1 to 7 */
        {__LINE__, "bdw chv skl bxt glk kbl cfl cnl icl lkf ehl tgl rkl dg1 adl", 0x780},
        {__LINE__, "mtl", 0x7800}, /* 11 to 14: "MTL media engines" have 13 and 14 */
        /* PERF-4.1: only MTL has media units, with formats 13 and 14. */
        {__LINE__, "dg2", 0x1800},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128], *at = NULL;
        snprintf(text, sizeof text, "%s", rows[i].platforms);
        for (char *name = strtok_r(text, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
            const struct tally_platform *platform = tally_platform_find(name);
            if (!ROW(rows[i].line, platform != NULL, "no platform %s", name))
                continue;
            for (unsigned format = 0; format < 300; format++) {
                const struct tally_layout *layout = tally_layout_for_kernel(platform, format);
                bool accepted = format < 32 && rows[i].accepted >> format & 1;
                ROW(rows[i].line, (layout != NULL) == accepted, "%s: format %u is %s", name, format,
                    layout ? layout->name : "refused");
                if (layout)
                    ROW(rows[i].line,
                        layout->kernel_format == format &&
                            !strcmp(layout->family, platform->layout_family),
                        "%s: format %u gives %s/%s", name, format, layout->family, layout->name);
            }
            ROW(rows[i].line, !tally_layout_for_kernel(platform, UINT32_MAX), "%s", name);
        }
    }
    ROWS_DONE();
}

/* Layouts that the kernel does not number have the number of their Counter Select. */
static void test_format_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform, *layout;
        uint32_t format;
        bool is_default;
    } rows[] = {
        {__LINE__, "snb", "snb/a29_b4_c12", 0x54000003, true},
        {__LINE__, "snb", "snb/c12", 0x54000004, false},
        {__LINE__, "ivb", "ivb/a45_b4_c12", 0x54000005, true},
        {__LINE__, "vlv", "ivb/a45_b4_c12", 0x54000005, true},
        {__LINE__, "vlv", "ivb/a13", 0x54000000, false},
        {__LINE__, "hsw", "hsw/a29_b8_c8", 0x54000003, false},
        {__LINE__, "hsw", "hsw/a45_b8_c8", 5, true},
        {__LINE__, "skl", "skl/101", 10, true},
        {__LINE__, "dg2", "xehp/101", 12, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_platform *platform = tally_platform_find(rows[i].platform);
        const struct tally_layout *layout = tally_layout_find(rows[i].layout);
        ROW(rows[i].line, tally_layout_format(layout) == rows[i].format, "%x",
            (unsigned)tally_layout_format(layout));
        ROW(rows[i].line, tally_layout_for_kernel(platform, rows[i].format) == layout, "%s",
            rows[i].layout);
        ROW(rows[i].line, (tally_layout_default(platform) == layout) == rows[i].is_default,
            "%s: default %s", rows[i].platform, tally_layout_default(platform)->name);
    }
    const struct tally_platform *skl = tally_platform_find("skl");
    assert_null(tally_layout_for_kernel(skl, 0x54000005)); /* the kernel numbers it */
    assert_null(tally_layout_for_kernel(tally_platform_find("snb"), 0x54000005));
    assert_null(tally_layout_for_kernel(tally_platform_find("snb"), 0));
    ROWS_DONE();
}

/* ---- deltas and names ---------------------------------------------------------------------- */

/* PERF-4.8. */
static void test_counter_delta(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t start, end;
        unsigned width;
        uint64_t expected;
    } rows[] = {
        {__LINE__, 0, 0, 32, 0},
        {__LINE__, 5, 9, 32, 4},
        {__LINE__, 0, 0xffffffff, 32, 0xffffffff},
        {__LINE__, 0xffffffff, 0, 32, 1},
        {__LINE__, 0xfffffff0, 0x10, 32, 0x20},
        {__LINE__, 9, 8, 32, 0xffffffff},
        {__LINE__, 0xffffffff, 0, 40, UINT64_C(0xff00000001)},
        {__LINE__, UINT64_C(0xffffffffff), 0, 40, 1},
        {__LINE__, UINT64_C(0xfffffffffe), 3, 40, 5},
        {__LINE__, 7, 7, 40, 0},
        {__LINE__, 8, 7, 40, UINT64_C(0xffffffffff)},
        {__LINE__, UINT64_C(0xfffffffffff), 0, 44, 1}, /* PERFCNT */
        {__LINE__, UINT64_MAX, 0, 64, 1},
        {__LINE__, 1, 0, 64, UINT64_MAX},
        {__LINE__, UINT64_C(1) << 63, 0, 64, UINT64_C(1) << 63},
        {__LINE__, 1, 0, 1, 1},
        {__LINE__, UINT64_C(0xff00000001), 3, 32, 2}, /* bits beyond the width are ignored */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t delta = tally_counter_delta(rows[i].start, rows[i].end, rows[i].width);
        ROW(rows[i].line, delta == rows[i].expected, "0x%" PRIx64, delta);
    }
    ROWS_DONE();
}

static void test_slot_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned slot;
        const char *expected;
    } rows[] = {
        {__LINE__, ID, "RPT_ID"}, /* as [O13] names them */
        {__LINE__, TIME, "TIME_STAMP"},
        {__LINE__, INST_ADD, "INST_ADD"},
        {__LINE__, TICKS, "GPU_TICKS"},
        {__LINE__, A(0), "A0"},
        {__LINE__, A(7), "A7"},
        {__LINE__, A(63), "A63"},
        {__LINE__, B(0), "B0"},
        {__LINE__, B(7), "B7"},
        {__LINE__, C(0), "C0"},
        {__LINE__, C(15), "C15"},
        {__LINE__, PEC(0), "PEC0"},
        {__LINE__, PEC(63), "PEC63"},
        {__LINE__, TALLY_SLOT_RESERVED, "reserved0"},
        {__LINE__, TALLY_SLOT_RESERVED + 3, "reserved3"},
        {__LINE__, TALLY_SLOT_COUNT - 1, "reserved23"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[32];
        memset(name, 'x', sizeof name);
        ROW(rows[i].line, tally_slot_name(rows[i].slot, name, sizeof name) == name, "returns");
        ROW(rows[i].line, !strcmp(name, rows[i].expected), "slot %u is \"%s\"", rows[i].slot, name);
    }
    /* Slots of layouts have distinct names, which are truncated to the size of the buffer. */
    EACH_LAYOUT(layout)
    {
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            for (unsigned other = 0; other < slot; other++) {
                char one[32], two[32];
                if (!tally_layout_width(layout, slot) || !tally_layout_width(layout, other))
                    continue;
                tally_slot_name(slot, one, sizeof one);
                tally_slot_name(other, two, sizeof two);
                ROW(__LINE__, strcmp(one, two) != 0, "slots %u and %u are \"%s\"", slot, other,
                    one);
            }
        }
    }
    char small[6] = "zzzzz";
    assert_string_equal(tally_slot_name(TALLY_SLOT_RESERVED, small, 4), "res");
    assert_int_equal(small[4], 'z');
    ROWS_DONE();
}

int test_layouts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_byte_belongs_to_one_field),
        cmocka_unit_test(test_facts_of_layouts),
        cmocka_unit_test(test_bytes_survive),
        cmocka_unit_test(test_values_survive),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_find_each_by_name),
        cmocka_unit_test(test_for_kernel),
        cmocka_unit_test(test_format_numbers),
        cmocka_unit_test(test_counter_delta),
        cmocka_unit_test(test_slot_names),
    };
    return cmocka_run_group_tests_name("layouts", tests, NULL, NULL);
}
