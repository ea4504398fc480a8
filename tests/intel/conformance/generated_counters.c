/* SPDX-License-Identifier: MIT */
/* Cases over all counters, custom event blocks, buffer sizes and timer periods. */
#include "intel/conformance/rows.h"

#include <inttypes.h>

#include "intel/conformance/document.h"

/* The number of counters of a platform, and the first NOA bit that C counters count (OA-D4). */
static const struct {
    unsigned a, b, c, first_c;
} counters[OA_PLATFORMS] = {{29, 4, 12, 4}, {45, 4, 12, 4}, {45, 4, 12, 4},
                            {45, 8, 8, 8},  {36, 8, 8, 8},  {36, 8, 8, 8},
                            {36, 8, 8, 8},  {36, 8, 8, 8},  {36, 8, 8, 8}};

/* ---- custom events ------------------------------------------------------------------------- */

/* Sets block n as in the document and all others to never (0 < 0). All B counters count events. */
static void always(FILE *out, unsigned platform, const struct conformance_case *row)
{
    unsigned n = *(const unsigned *)row->params, blocks = counters[platform].b;
    fputs("noa 0-15 prng 5 128\nstart\nwr OASTARTTRIG2 THRESHOLD_ENABLE=1|EVENTS=15\n", out);
    if (blocks == 8)
        fputs("wr OASTARTTRIG6 EVENTS=15\n", out);
    for (unsigned i = 0; i < blocks; i++)
        fprintf(out, "wr CEC%u-0 %u\nwr CEC%u-1 %u\n", i, i == n ? 3 : 4, i, i == n ? 0xfffe : 0);
    fputs("enable 0\nrun 200\n", out);
    for (unsigned i = 0; i < blocks; i++)
        fprintf(out, "peek b%u -> %u\n", i, i == n ? 200 : 0);
}

/* ---- counters over MMIO -------------------------------------------------------------------- */

static uint32_t mark(unsigned i)
{
    return 0x1234567 + i * 0x11111101u;
}

static void each_counter(FILE *out, const char *format, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < a; i++)
        fprintf(out, format, 'A', i, mark(i));
    for (unsigned i = 0; i < b; i++)
        fprintf(out, format, 'B', i, mark(64 + i));
}

static void live(FILE *out, unsigned platform)
{
    for (unsigned i = 0; i < counters[platform].a; i++)
        fprintf(out, "poke a%u 0x%" PRIx32 "\n", i, mark(i));
    for (unsigned i = 0; i < counters[platform].b; i++)
        fprintf(out, "poke b%u 0x%" PRIx32 "\n", i, mark(64 + i));
    each_counter(out, "rd OAPERF_%c%u -> 0x%" PRIx32 "\n", counters[platform].a,
                 counters[platform].b);
}

static void loads(FILE *out, unsigned platform)
{
    each_counter(out, "wr OAPERF_%c%u 0x%" PRIx32 "\n", counters[platform].a, counters[platform].b);
    for (unsigned i = 0; i < counters[platform].a; i++)
        fprintf(out, "peek a%u -> 0x%" PRIx32 "\n", i, mark(i));
    for (unsigned i = 0; i < counters[platform].b; i++)
        fprintf(out, "peek b%u -> 0x%" PRIx32 "\n", i, mark(64 + i));
}

/* Upper dwords of A0 to A31: bits 39:32. */
static void upper(FILE *out, unsigned platform)
{
    (void)platform;
    for (unsigned i = 0; i < 32; i++)
        fprintf(out, "poke a%u 0x%02x%08" PRIx32 "\n", i, 0xf0 - 5 * i, mark(i));
    for (unsigned i = 0; i < 32; i++)
        fprintf(out, "rd OAPERF_A%u_UPPER -> 0x%x\nrd OAPERF_A%u -> 0x%" PRIx32 "\n", i,
                0xf0 - 5 * i, i, mark(i));
    for (unsigned i = 0; i < 32; i++) /* a write keeps the lower dword */
        fprintf(out, "wr OAPERF_A%u_UPPER 0xffffff%02x\npeek a%u -> 0x%02x%08" PRIx32 "\n", i,
                3 + 7 * i, i, 3 + 7 * i, mark(i));
    for (unsigned i = 32; i < 36; i++) /* 32-bit counters at consecutive addresses */
        fprintf(out, "poke a%u 0xff%08" PRIx32 "\nrd 0x%x -> 0x%" PRIx32 "\n", i, mark(i),
                0x2900 + 4 * (i - 32), mark(i));
}

/* ---- overflow ------------------------------------------------------------------------------ */

static void wrap_one(FILE *out, char letter, unsigned i, bool wide)
{
    const char *last = wide ? "0xffffffffff" : "0xffffffff";
    fprintf(out, "poke %c%u %s\nrun 1\nrd STATUS -> COUNTER_OVERFLOW=1\npeek %c%u -> 0\n", letter,
            i, last, letter, i);
    fputs("wr STATUS 0\nrun 1\nrd STATUS -> 0\n", out);
}

static void overflow(FILE *out, unsigned platform)
{
    bool gen8 = platform >= BDW;
    fputs(gen8 ? "eus 1\neu 0 fpu0 const 1\na 0-6 const 1\na 21-35 const 1\n" : "", out);
    if (!gen8)
        fprintf(out, "a 0-%u const 1\n", counters[platform].a - 1);
    fputs("noa 0-15 const 1\nstart\nenable 0\n", out);
    for (unsigned i = 0; i < counters[platform].a; i++)
        wrap_one(out, 'a', i, gen8 && i < 32);
    for (unsigned i = 0; i < counters[platform].b; i++)
        wrap_one(out, 'b', i, false);
    for (unsigned i = 0; i < counters[platform].c; i++)
        wrap_one(out, 'c', i, false);
}

/* ---- buffer sizes -------------------------------------------------------------------------- */

/* Writes the last line but one of each size, then the last one, then the first. */
static void sizes(FILE *out, unsigned platform)
{
    const uint32_t base = 0x1000000;
    fputs("always\n", out);
    for (unsigned n = 0; n < 8; n++) {
        uint32_t size = platform <= VLV ? 16384 * (n + 1) : 131072u << n;
        /* The size is in the register of the tail, from Gen8 on in OABUFFER. */
        uint32_t with = platform <= HSW ? n << 3 : 0;
        fprintf(out, "disable\nbuffer 0x%" PRIx32 " %u\n", base, n);
        fprintf(out, "wr TAIL 0x%" PRIx32 "\n", (base + size - 128) | with);
        fprintf(out, "enable 0\nrun 1\nrd TAIL -> 0x%" PRIx32 "\n", (base + size - 64) | with);
        fprintf(out, "peek used -> 0x%" PRIx32 "\n", size - 64);
        fprintf(out, "run 1\nrd TAIL -> 0x%" PRIx32 "\n", base | with);
        fprintf(out, "peek used -> 0x%" PRIx32 "\npeek overrun -> 0\n", size);
        /* The buffer is full: the next report overruns. */
        fputs("run 1\npeek overrun -> 1\n", out);
    }
}

/* ---- the timer ----------------------------------------------------------------------------- */

/* Runs three clocks around each strobe of each period; bits above 35 have no strobe. */
static void periods(FILE *out, unsigned platform)
{
    uint32_t tail = 0x1000000;
    fprintf(out, "buffer 0x%" PRIx32 " 7\n", tail);
    for (unsigned period = 0; period < 64; period++) {
        unsigned bit = platform == SNB ? period + 3 : period;
        fprintf(out, "disable\npoke timestamp 0\nrun 1\nenable 0 TIMER=1|PERIOD=%u\n", period);
        for (unsigned k = 0; k < (bit < 35 ? 2u : bit == 35);
             k++) { /* at 2^bit, and one period later */
            uint64_t at = (UINT64_C(1) << bit) + k * (UINT64_C(2) << bit);
            if (bit >= 2) {
                fprintf(out, "poke timestamp 0x%" PRIx64 "\nrun 2\n", at - 2);
                fprintf(out, "rd TAIL -> 0x%" PRIx32 "|SIZE=%u\n", tail, platform <= HSW ? 7 : 0);
                fputs("run 1\n", out);
            } else {
                fprintf(out,
                        "poke timestamp 0x%" PRIx64 "\nrun 1\npoke timestamp 0x%" PRIx64
                        "\nrun 1\n",
                        at - 1, at);
            }
            tail += 64;
            fprintf(out, "rd TAIL -> 0x%" PRIx32 "|SIZE=%u\n", tail, platform <= HSW ? 7 : 0);
        }
        if (bit > 35)
            fprintf(out, "poke timestamp 0xfffffffff\nrun 3\nrd TAIL -> 0x%" PRIx32 "|SIZE=%u\n",
                    tail, platform <= HSW ? 7 : 0);
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define FILE_NAME   "generated_counters.c"
#define DOCUMENT    "000"
#define CEC_SECTION "CEC0-0 to CEC7-1"
#define BLOCK(n)    (&(const unsigned){n})
#define CEC(n, variants)                                                                           \
    GENERATED_ROW("000-CEC-0" #n, CEC_SECTION,                                                     \
                  "With CEC" #n "-0 = 00000003h and CEC" #n "-1 = 0000FFFEh, B" #n                 \
                  " counts every clock",                                                           \
                  variants, always, BLOCK(n))

/* clang-format off */
const struct conformance_case generated_counter_cases_000[] = {
    CEC(0, "snb..hsw"), CEC(1, "snb..hsw"), CEC(2, "snb..hsw"), CEC(3, "snb..hsw"),
    CEC(4, "hsw"), CEC(5, "hsw"), CEC(6, "hsw"), CEC(7, "hsw"),
    GENERATED("000-LIVE-01", "OAPERF_A0 to OAPERF_B7", "OAPERF_A0 to A44 and B0 to B7 each read their own counter (A31: OA-E1; A18: OA-E6)", "hsw", live),
    GENERATED("000-LIVE-02", "OAPERF_A0 to OAPERF_B7", "A write to OAPERF_A0 to A44 or B0 to B7 loads the counter (OA-U28, OA-D20)", "hsw", loads),
    GENERATED("000-CTL-12", "OACONTROL", "Timer Period selects bit TP of TIME_STAMP, on SNB bit TP + 3, for all 64 values; bits above 35 do not exist", "snb..hsw", periods),
    GENERATED("000-ST1-04", "OASTATUS1", "Any counter that wraps sets Counter Overflow", "snb..hsw", overflow),
    GENERATED("000-ST1-20", "OASTATUS1", "The report buffer has 16 KiB x (n + 1) on SNB, IVB and VLV, and 128 KiB << n on HSW (OA-E4)", "snb..hsw", sizes),
};
/* clang-format on */
const size_t generated_counter_case_count_000 =
    sizeof generated_counter_cases_000 / sizeof *generated_counter_cases_000;

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case generated_counter_cases_002[] = {
    GENERATED("002-CTR-02", "Performance Counter Registers", "OAPERF_A0 to A35 and B0 to B7 each read their own counter", "bdw..lkf", live),
    GENERATED("002-CTR-03", "Performance Counter Registers", "A write to OAPERF_A0 to A35 or B0 to B7 loads the counter (OA-U28, OA-D20)", "bdw..lkf", loads),
    GENERATED("002-CTR-04", "Performance Counter Registers", "A0 to A31, A7 included (OA-E17), have an upper dword with bits 39:32; A32 to A35 have 32 bits", "bdw..lkf", upper),
    GENERATED("002-CTR-05", "Performance Counter Registers", "Each counter wraps at its own width, to 0, and sets Counter Overflow", "bdw..lkf", overflow),
};
/* clang-format on */
const size_t generated_counter_case_count_002 =
    sizeof generated_counter_cases_002 / sizeof *generated_counter_cases_002;

#undef DOCUMENT
#define DOCUMENT "decisions"

/* clang-format off */
const struct conformance_case generated_counter_cases_decisions[] = {
    GENERATED("D30-01", "OA-D30", "From Gen8 on the buffer has 128 KiB << n, and the report after the last line is written to its base", "bdw..lkf", sizes),
    GENERATED("D17-01", "OA-D17", "From Gen8 on the timer uses bit TP of TIMESTAMP, for all 64 values; bits above 35 do not exist", "bdw..lkf", periods),
};
/* clang-format on */
const size_t generated_counter_case_count_decisions =
    sizeof generated_counter_cases_decisions / sizeof *generated_counter_cases_decisions;
