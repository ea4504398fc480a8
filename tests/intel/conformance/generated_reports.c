/* SPDX-License-Identifier: MIT */
/*
 * Report formats: those of the i915 perf stream by byte offset, those of Lakefield's PRM by Counter
 * Select. Each counter is set to a different value, a report is taken, and all its bytes are
 * compared; then the reader's layout must find the same values in it.
 */
#include <string.h>

#include <tally/report.h>

#include "intel/conformance/document.h"
#include "intel/conformance/rows.h"

/* ---- the documents' tables ------------------------------------------------------------------- */

/* Consecutive fields from byte `byte` on; from `high` on the high bytes of 40-bit counters. */
struct run {
    char kind; /* a, b, c; t: TIMESTAMP, u: its upper dword, x: context id, g: GPU_TICKS, i: id */
    uint8_t first, count;
    uint16_t byte, high; /* high: 0 for counters of 32 bits */
};

struct format {
    unsigned select, bytes;
    const char *layout; /* the reader's layout */
    struct run runs[12];
};

/* 003, "I915_OA_FORMAT_A45_B8_C8". Byte 8 is undefined there; in 000 TIME_STAMP has two dwords. */
static const struct format a45_b8_c8 = {
    5,
    256,
    "hsw/a45_b8_c8",
    {{'i', 0, 1, 0, 0},
     {'t', 0, 1, 4, 0},
     {'u', 0, 1, 8, 0},
     {'a', 0, 45, 12, 0},
     {'b', 0, 8, 192, 0},
     {'c', 0, 8, 224, 0}},
};

/* 003, "I915_OA_FORMAT_A32u40_A4u32_B8_C8"; 004, "OACS Report Format" (OA-E21). */
static const struct format a32u40 = {
    5,
    256,
    "gen8/a32u40_a4u32_b8_c8",
    {{'i', 0, 1, 0, 0},
     {'t', 0, 1, 4, 0},
     {'x', 0, 1, 8, 0},
     {'g', 0, 1, 12, 0},
     {'a', 0, 32, 16, 160},
     {'a', 32, 4, 144, 0},
     {'b', 0, 8, 192, 0},
     {'c', 0, 8, 224, 0}},
};

static const struct format select_000 = {
    0,
    64,
    "gen8/a12",
    {{'i', 0, 1, 0, 0},
     {'t', 0, 1, 4, 0},
     {'x', 0, 1, 8, 0},
     {'g', 0, 1, 12, 0},
     {'a', 7, 12, 16, 0}},
};

static const struct format select_010 = {
    2,
    128,
    "gen8/a12_b8_c8",
    {{'i', 0, 1, 0, 0},
     {'t', 0, 1, 4, 0},
     {'x', 0, 1, 8, 0},
     {'g', 0, 1, 12, 0},
     {'a', 7, 12, 16, 0},
     {'b', 0, 8, 64, 0},
     {'c', 0, 8, 96, 0}},
};

static const struct format select_111 = {
    7,
    64,
    "gen8/c4_b8",
    {{'i', 0, 1, 0, 0},
     {'t', 0, 1, 4, 0},
     {'x', 0, 1, 8, 0},
     {'g', 0, 1, 12, 0},
     {'c', 0, 4, 16, 0},
     {'b', 0, 8, 32, 0}},
};

/* ---- values ---------------------------------------------------------------------------------- */

enum { CONTEXT = 0x70c0ffee, TICKS = 0x71c4, ID = 0x1dea };
static const uint64_t timestamp = UINT64_C(0x5e1eafdea);

static uint64_t value_of(char kind, unsigned i, bool is_40)
{
    switch (kind) {
    case 'a':
        return (is_40 ? UINT64_C(0x0100000000) * (0x40 + i) : 0) + 0xa0000000 + 0x10001 * i;
    case 'b':
        return 0xb0000000 + 0x10001 * i;
    case 'c':
        return 0xc0000000 + 0x10001 * i;
    case 't':
        return timestamp & UINT32_MAX;
    case 'u':
        return timestamp >> 32;
    case 'x':
        return CONTEXT;
    case 'g':
        return TICKS;
    default:
        return ID;
    }
}

static void build_image(const struct format *format, uint8_t image[256])
{
    memset(image, 0, 256);
    for (const struct run *run = format->runs; run->count; run++)
        for (unsigned i = 0; i < run->count; i++) {
            uint64_t value = value_of(run->kind, run->first + i, run->high != 0);
            for (unsigned b = 0; b < 4; b++)
                image[run->byte + 4 * i + b] = (uint8_t)(value >> 8 * b);
            if (run->high)
                image[run->high + i] = (uint8_t)(value >> 32);
        }
}

/* ---- reports that the unit writes ------------------------------------------------------------ */

/* Sets every field that a report can show; no input is driven, so nothing counts. */
static void set_all(FILE *body, unsigned platform)
{
    bool old = platform <= HSW;
    for (unsigned i = 0; i < (old ? 45u : 36u); i++)
        fprintf(body, "poke a%u 0x%llx\n", i, (unsigned long long)value_of('a', i, !old && i < 32));
    for (unsigned i = 0; i < 8; i++)
        fprintf(body, "poke b%u 0x%llx\npoke c%u 0x%llx\n", i,
                (unsigned long long)value_of('b', i, false), i,
                (unsigned long long)value_of('c', i, false));
    fprintf(body, "poke timestamp 0x%llx\n", (unsigned long long)timestamp);
    if (!old)
        fprintf(body, "poke ticks 0x%x\n", TICKS);
}

static void expect_image(FILE *body, const struct format *format, unsigned address,
                         const uint8_t *image)
{
    fprintf(body, "mem 0x%x %u -> dwords", address, format->bytes);
    for (unsigned at = 0; at < format->bytes; at += 4)
        fprintf(body, " 0x%02x%02x%02x%02x", image[at + 3], image[at + 2], image[at + 1],
                image[at]);
    fputc('\n', body);
}

/* Takes a report by MI_REPORT_PERF_COUNT, from Gen8 on also by a context switch. The latter is
 * written to the buffer with its reason and context valid, bit 25, in RPT_ID, one clock later. */
static void take_both(FILE *body, unsigned platform, const struct format *format)
{
    uint8_t image[256];
    build_image(format, image);
    fprintf(body, "context 0x%x\nenable %u\n", CONTEXT, format->select);
    set_all(body, platform);
    fprintf(body, "mirpc 0x4000 0x%x\n", ID);
    expect_image(body, format, 0x4000, image);
    fprintf(body, "mem 0x%x 64 -> dwords 0\n", 0x4000 + format->bytes);
    if (platform <= HSW)
        return;
    uint32_t reason = 0x02400000;
    for (unsigned b = 0; b < 4; b++)
        image[b] = (uint8_t)(reason >> 8 * b);
    fprintf(body, "buffer 0x1000000\npoke ticks 0x%x\nrun 1\n", TICKS - 1);
    expect_image(body, format, 0x1000000, image);
    fprintf(body, "rd OATAILPTR -> 0x%x\n", 0x1000000 + format->bytes);
}

static void take_a45(FILE *body, unsigned platform)
{
    take_both(body, platform, &a45_b8_c8);
}

static void take_a32u40(FILE *body, unsigned platform)
{
    take_both(body, platform, &a32u40);
}

static void take_000(FILE *body, unsigned platform)
{
    take_both(body, platform, &select_000);
}

static void take_010(FILE *body, unsigned platform)
{
    take_both(body, platform, &select_010);
}

static void take_111(FILE *body, unsigned platform)
{
    take_both(body, platform, &select_111);
}

/* ---- reports that the reader reads ----------------------------------------------------------- */

static unsigned slot_of(char kind)
{
    switch (kind) {
    case 'a':
        return TALLY_SLOT_A;
    case 'b':
        return TALLY_SLOT_B;
    case 'c':
        return TALLY_SLOT_C;
    case 't':
        return TALLY_SLOT_TIMESTAMP;
    case 'u':
        return TALLY_SLOT_TIMESTAMP_UPPER;
    case 'x':
        return TALLY_SLOT_CONTEXT;
    case 'g':
        return TALLY_SLOT_TICKS;
    default:
        return TALLY_SLOT_ID;
    }
}

static bool is_read(struct conformance_fault *fault, const struct format *format)
{
    uint8_t image[256], packed[256];
    uint64_t slots[TALLY_SLOT_COUNT] = {0};
    const struct tally_layout *layout = tally_layout_find(format->layout);
    build_image(format, image);
    if (!CONFORMS(fault, layout && layout->size_bytes == format->bytes, "%s", format->layout) ||
        !CONFORMS(fault, layout->counter_select == format->select, "%s: select", format->layout))
        return false;
    tally_report_unpack(layout, image, slots);
    for (const struct run *run = format->runs; run->count; run++)
        for (unsigned i = 0; i < run->count; i++)
            if (!CONFORMS(fault,
                          slots[slot_of(run->kind) + run->first + i] ==
                              value_of(run->kind, run->first + i, run->high != 0),
                          "%s: %c%u", format->layout, run->kind, run->first + i))
                return false;
    tally_report_pack(layout, slots, packed);
    return CONFORMS(fault, !memcmp(packed, image, format->bytes), "%s: packed", format->layout);
}

static bool a45_is_read(struct conformance_fault *fault)
{
    return is_read(fault, &a45_b8_c8);
}

static bool a32u40_is_read(struct conformance_fault *fault)
{
    return is_read(fault, &a32u40);
}

static bool others_are_read(struct conformance_fault *fault)
{
    return is_read(fault, &select_000) && is_read(fault, &select_010) &&
           is_read(fault, &select_111);
}

#define FILE_NAME "generated_reports.c"
#define DOCUMENT  "003"
#define FORMAT_7  "I915_OA_FORMAT_A45_B8_C8"
#define FORMAT_8  "I915_OA_FORMAT_A32u40_A4u32_B8_C8"

/* clang-format off */
const struct conformance_case generated_report_cases_003[] = {
    GENERATED("003-A45-01", FORMAT_7, "The unit writes id, timestamp, A0 to A44, B0 to B7 and C0 to C7 at their 64 offsets", "hsw", take_a45),
    CHECKED("003-A45-02", FORMAT_7, "The reader finds the same fields at the same offsets; byte 8, called undefined, is the upper TIME_STAMP", "hsw", a45_is_read),
    GENERATED("003-A36-01", FORMAT_8, "The unit writes id, timestamp, context, ticks, the low dwords and high bytes of A0 to A31, A32 to A35, B0 to B7 and C0 to C7 at their offsets", "bdw..lkf", take_a32u40),
    CHECKED("003-A36-02", FORMAT_8, "The reader finds the same fields at the same offsets", "bdw..lkf", a32u40_is_read),
};
/* clang-format on */
const size_t generated_report_case_count_003 =
    sizeof generated_report_cases_003 / sizeof *generated_report_cases_003;

#undef DOCUMENT
#define DOCUMENT "004"
#define FORMATS  "Performance Counter Report Formats"

/* clang-format off */
const struct conformance_case generated_report_cases_004[] = {
    GENERATED("004-FMT-01", FORMATS, "Counter Select 000 reports A7 to A18", "lkf", take_000),
    GENERATED("004-FMT-02", FORMATS, "Counter Select 010 reports A7 to A18, B0 to B7 and C0 to C7", "lkf", take_010),
    GENERATED("004-FMT-03", FORMATS, "Counter Select 101, called OACS (OA-E21), reports A0 to A35, the high bytes of A0 to A31, B0 to B7 and C0 to C7", "lkf", take_a32u40),
    GENERATED("004-FMT-04", FORMATS, "Counter Select 111, printed twice (OA-E21), reports C0 to C3 and B0 to B7", "lkf", take_111),
    CHECKED("004-FMT-05", FORMATS, "The reader reads these formats as the unit writes them", "lkf", others_are_read),
};
/* clang-format on */
const size_t generated_report_case_count_004 =
    sizeof generated_report_cases_004 / sizeof *generated_report_cases_004;
