/* SPDX-License-Identifier: MIT */
/*
 * Tiger Lake: OAG behind the registers of PERF-5.3, OAR of PERF-5.4, force wake of PERF-5.6, and
 * what IGT-3.4 requires of MI_REPORT_PERF_COUNT.
 */
#include "intel/gpu_rig.h"

#include "base/bits.h"
#include "intel/gt/routing.h"
#include "intel/parts.h"

#define MI_BATCH_END    0x05000000u
#define BATCH_START     0x18800101u /* PPGTT, 48 bits of address */
#define REPORT          0x14000002u
#define LRI(count)      (0x11000000u | (2 * (count)-1))
#define LRI_RELATIVE    0x00080000u
#define PRIMITIVE       0x7b000005u
#define CONTEXT_CONTROL 0x2244u
#define OACTXCONTROL    0x2360u
#define OAR_OACONTROL   0x2960u
#define OAR_OASTATUS    0x2968u
#define OAGLBCTXCTRL    0x2b28u
#define OAG_OACONTROL   0xdaf4u
#define OAG_OA_DEBUG    0xdaf8u
#define OAG_OASTATUS    0xdafcu
#define OAR_ON          (5u << 1 | 1)
#define HAS_OAR         0x01000100u

static struct tally_oa *new_unit(void)
{
    struct tally_error error = {0};
    struct tally_oa *unit;
    assert_int_equal(tally_oa_new("tgl", &unit, &error), 0);
    return unit;
}

static uint64_t peek(const struct tally_oa *unit, const char *name)
{
    uint64_t value = UINT64_MAX;
    assert_int_equal(tally_oa_peek(unit, name, &value), 0);
    return value;
}

/* ---- OAG's registers ------------------------------------------------------------------------- */

static void test_registers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t first, last, step;
        uint32_t kept; /* of all ones */
    } rows[] = {
        {__LINE__, 0x2360, 0x2360, 4, 0xff},
        {__LINE__, 0x2b20, 0x2b20, 4, UINT32_MAX},
        {__LINE__, 0x2b28, 0x2b28, 4, 0xff},
        {__LINE__, 0x2b2c, 0x2b2c, 4, UINT32_MAX},
        {__LINE__, 0x2960, 0x2960, 4, 0xf},
        {__LINE__, 0x2968, 0x2968, 4, 7},
        {__LINE__, 0x2244, 0x2244, 4, 0xffff},
        {__LINE__, 0xd900, 0xd910, 16, 0xffff},
        {__LINE__, 0xd904, 0xd914, 16, 0xf0ffffff},
        {__LINE__, 0xd908, 0xd918, 16, UINT32_MAX},
        {__LINE__, 0xd90c, 0xd91c, 16, UINT32_MAX},
        {__LINE__, 0xd920, 0xd930, 16, UINT32_MAX},
        {__LINE__, 0xd924, 0xd934, 16, 0x80ffffff},
        {__LINE__, 0xd928, 0xd938, 16, UINT32_MAX},
        {__LINE__, 0xd92c, 0xd93c, 16, UINT32_MAX},
        {__LINE__, 0xd940, 0xd97c, 4, UINT32_MAX},
        {__LINE__, 0xd980, 0xda78, 8, UINT32_MAX},
        {__LINE__, 0xd984, 0xda7c, 8, 0xff},
        {__LINE__, 0xda80, 0xda8c, 4, UINT32_MAX},
        {__LINE__, 0xda90, 0xda90, 4, 0}, /* ticks */
        {__LINE__, 0xda94, 0xdad0, 4, UINT32_MAX},
        {__LINE__, 0xdad4, 0xdaf0, 4, 0}, /* no copies */
        {__LINE__, 0xdaf4, 0xdaf4, 4, 0x1d},
        {__LINE__, 0xdaf8, 0xdaf8, 4, 0xffff},
        {__LINE__, 0xdafc, 0xdafc, 4, 7}, /* no wraps */
        {__LINE__, 0xdb00, 0xdb04, 4, 0xffffffc0},
        {__LINE__, 0xdb08, 0xdb08, 4, UINT32_MAX},
        {__LINE__, 0xdb0c, 0xdb3c, 4, 0}, /* no MMIO trigger, and no A36, A37 in any format */
        {__LINE__, 0xdc00, 0xdc44, 4, UINT32_MAX},
        {__LINE__, 0xdc48, 0xdd48, 4, 0},
        {__LINE__, 0x2800, 0x28f8, 8, UINT32_MAX},
        {__LINE__, 0x2804, 0x28fc, 8, 0xff},
        {__LINE__, 0x2900, 0x290c, 4, UINT32_MAX},
        {__LINE__, 0x2920, 0x295c, 4, UINT32_MAX},
        /* Addresses of Gen11. */
        {__LINE__, 0x2364, 0x2364, 4, 0},
        {__LINE__, 0x23b4, 0x23b4, 4, 0},
        {__LINE__, 0x2710, 0x27ac, 4, 0},
        {__LINE__, 0x2b00, 0x2b14, 4, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t at = rows[i].first; at <= rows[i].last; at += rows[i].step) {
            struct tally_oa *unit = new_unit();
            tally_oa_write32(unit, at, UINT32_MAX);
            uint32_t kept = tally_oa_read32(unit, at);
            ROW(rows[i].line, kept == rows[i].kept, "%06" PRIx32 " keeps %08" PRIx32, at, kept);
            tally_oa_reset(unit);
            kept = tally_oa_read32(unit, at);
            ROW(rows[i].line, kept == (at == 0x2b20 ? UINT32_MAX : 0), "%06" PRIx32, at);
            tally_oa_free(unit);
        }
    ROWS_DONE();
}

/* ---- OAG's reports --------------------------------------------------------------------------- */

static uint8_t memory[4096];
static size_t used;

static void store(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    (void)context;
    if (address >= 0x100000 && address - 0x100000 + bytes <= sizeof memory)
        memcpy(memory + (address - 0x100000), data, bytes);
    used += bytes;
}

static struct tally_oa *counting_unit(unsigned select, uint32_t debug)
{
    static const struct tally_oa_bus bus = {.write = store};
    struct tally_number one = tally_number_constant(1);
    struct tally_oa *unit = new_unit();
    memset(memory, 0, sizeof memory);
    used = 0;
    tally_oa_set_bus(unit, &bus);
    tally_oa_drive_a(unit, 0, &one);
    tally_oa_drive_a(unit, 26, &one);
    tally_oa_write32(unit, OAG_OASTATUS, 0);
    tally_oa_write32(unit, 0xdb00, 0x100000);
    tally_oa_write32(unit, 0xdb08, 0x100039);
    tally_oa_write32(unit, 0xdb04, 0x100000);
    tally_oa_write32(unit, OAG_OA_DEBUG, debug);
    tally_oa_write32(unit, OAGLBCTXCTRL, 1);
    tally_oa_write32(unit, OAG_OACONTROL, select << 2 | 1);
    return unit;
}

/* RPT_ID of 12.0: seven bits of reason, the valid bit at 16 regardless of OA_DEBUG (PERF-4.6). */
static void test_report_ids(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t debug;
        unsigned slice, unslice;
        bool valid, go;
        uint32_t id;
    } rows[] = {
        {__LINE__, 0, 0x55, 0x33, true, false, 8u << 19 | 1 << 16},
        {__LINE__, 0, 0x55, 0x33, false, false, 8u << 19},
        {__LINE__, 0, 0x55, 0x33, true, true, 24u << 19 | 1 << 16},
        {__LINE__, 0x00200020, 0x55, 0x33, true, false, 8u << 19 | 1 << 16},
        /* 55h is odd: its lowest bit would be the reason's. */
        {__LINE__, 0x00600060, 0x55, 0x33, true, false, 0x54u << 25 | 8u << 19 | 1 << 16 | 0x33},
        {__LINE__, 0x00600060, 0x1ff, 0x1ff, false, false, 0x7eu << 25 | 8u << 19 | 0x7ff},
        {__LINE__, 0x00600060, 58, 58, true, true, 58u << 25 | 24u << 19 | 1 << 16 | 58},
    };
    const struct tally_platform *platform = tally_platform_find("tgl");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_oa *unit = counting_unit(5, 0x00200020);
        tally_oa_set_ratios(unit, rows[i].slice, rows[i].unslice);
        tally_oa_run(unit, 10);
        tally_oa_write32(unit, OAG_OA_DEBUG, 0x00600000 | rows[i].debug);
        tally_oa_switch_context(unit, rows[i].valid, 0x7fe0);
        tally_oa_set_go(unit, true);
        tally_oa_set_go(unit, !rows[i].go);
        tally_oa_run(unit, 1);
        uint32_t id = load_le32(memory);
        ROW(rows[i].line, id == rows[i].id, "%08" PRIx32, id);
        ROW(rows[i].line, load_le32(memory + 8) == (rows[i].valid ? 0x7fe0 : 0), "context");
        ROW(rows[i].line, tally_report_reason(platform, id) == (rows[i].go ? 24u : 8u), "reason");
        tally_oa_free(unit);
    }
    ROWS_DONE();
}

/* Formats 7 to 10 (PERF-4.1), the timer of OAG_OAGLBCTXCTRL, and that all contexts count. */
static void test_formats(void **state)
{
    (void)state;
    static const struct {
        unsigned line, select, bytes, a0; /* where A0 is, or 0 */
    } rows[] = {
        {__LINE__, 7, 64, 0}, {__LINE__, 0, 64, 0}, {__LINE__, 2, 128, 0}, {__LINE__, 5, 256, 16}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_oa *unit = counting_unit(rows[i].select, 0x00020002);
        tally_oa_write32(unit, OAGLBCTXCTRL, 5u << 2 | 3);
        tally_oa_switch_context(unit, true, 1);
        tally_oa_run(unit, 40);
        tally_oa_switch_context(unit, true, 2);
        tally_oa_run(unit, 40);
        tally_oa_switch_context(unit, false, 0);
        tally_oa_run(unit, 20);
        ROW(rows[i].line, peek(unit, "a0") == 100, "%" PRIu64, peek(unit, "a0"));
        ROW(rows[i].line, used == 2 * rows[i].bytes, "%zu bytes", used); /* at 32 and 96 */
        ROW(rows[i].line, load_le32(memory) >> 19 == 1, "the timer's: OA_DEBUG[1] is set");
        ROW(rows[i].line, load_le32(memory + 4) == 32, "time");
        ROW(rows[i].line, load_le32(memory + 12) == 33, "ticks");
        if (rows[i].a0)
            ROW(rows[i].line, load_le32(memory + rows[i].a0) == 33, "A0");
        tally_oa_write32(unit, OAGLBCTXCTRL, 0); /* PERF-Q26 */
        tally_oa_run(unit, 100);
        ROW(rows[i].line, peek(unit, "a0") == 100 && used == 2 * rows[i].bytes, "stopped");
        tally_oa_free(unit);
    }
    ROWS_DONE();
}

/* ---- OAR ------------------------------------------------------------------------------------- */

static void test_oar_counts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t control, context_control, resume;
        bool context, shows;
        uint64_t counted; /* of 100 */
    } rows[] = {
        {__LINE__, OAR_ON, HAS_OAR, 1, true, true, 100},
        {__LINE__, OAR_ON, HAS_OAR, 0, true, true, 0},
        {__LINE__, OAR_ON, HAS_OAR, 1, false, true, 0},
        {__LINE__, OAR_ON, 0, 1, true, false, 0},
        {__LINE__, OAR_ON & ~1u, HAS_OAR, 1, true, false, 0},
        {__LINE__, OAR_ON, 0x01800180, 1, true, true, 100}, /* and alone */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned oag = 0; oag < 2; oag++) {
            struct tally_oa *unit = counting_unit(5, 0x00020002);
            struct tally_wave high = tally_wave_constant(true);
            tally_oa_drive_noa(unit, 0, &high);
            tally_oa_drive_noa(unit, 10, &high);
            tally_oa_write32(unit, OAG_OACONTROL, 5u << 2 | oag);
            tally_oa_write32(unit, OAR_OACONTROL, rows[i].control);
            tally_oa_write32(unit, CONTEXT_CONTROL, rows[i].context_control);
            tally_oa_write32(unit, OACTXCONTROL, rows[i].resume);
            tally_oa_switch_context(unit, rows[i].context, 9);
            tally_oa_run(unit, 50);
            tally_oa_count(unit, 26, 7);
            tally_oa_work(unit, 21, 480, 40);
            tally_oa_run(unit, 50);
            static const char *const names[] = {"oar_a0", "oar_b0", "oar_c2"};
            for (unsigned n = 0; n < COUNT(names); n++)
                ROW(rows[i].line, peek(unit, names[n]) == rows[i].counted, "%s %" PRIu64, names[n],
                    peek(unit, names[n]));
            uint64_t drawn = rows[i].counted ? 107 : 0, work = rows[i].counted ? 480 : 0;
            ROW(rows[i].line, peek(unit, "oar_a26") == drawn, "A26");
            ROW(rows[i].line, peek(unit, "oar_a21") == work, "A21");
            ROW(rows[i].line, peek(unit, "a0") == (oag ? 100 : 0), "OAG's A0");
            memset(memory, 0x80, sizeof memory);
            tally_oa_report(unit, 0x100000, 0xdeadbeef);
            unsigned zeros = 0;
            for (unsigned n = 4; n < 64; n++)
                zeros += load_le32(memory + 4 * n) == 0;
            ROW(rows[i].line, load_le32(memory) == 0xdeadbeef, "id");
            ROW(rows[i].line, load_le32(memory + 4) == 100, "time");
            ROW(rows[i].line, rows[i].counted ? zeros == 60 - 5 : zeros == 60, "%u zeros", zeros);
            ROW(rows[i].line, load_le32(memory + 256) == 0x80808080, "behind the report");
            /* The value is reported only with OAR. */
            tally_oa_poke(unit, "oar_a1", 5);
            tally_oa_report(unit, 0x100000, 1);
            ROW(rows[i].line, load_le32(memory + 20) == (rows[i].shows ? 5 : 0), "A1");
            tally_oa_free(unit);
        }
    ROWS_DONE();
}

/* The report has the format of OAR_OACONTROL, regardless of OAG's. */
static void test_oar_formats(void **state)
{
    (void)state;
    static const struct {
        unsigned line, select, bytes;
    } rows[] = {{__LINE__, 7, 64},
                {__LINE__, 0, 64},
                {__LINE__, 2, 128},
                {__LINE__, 5, 256},
                {__LINE__, 3, 64}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned oag = 0; oag < 8; oag++) {
            struct tally_oa *unit = counting_unit(oag, 0x00020002);
            tally_oa_write32(unit, OAR_OACONTROL, rows[i].select << 1 | 1);
            tally_oa_write32(unit, CONTEXT_CONTROL, HAS_OAR);
            tally_oa_report(unit, 0x100000, 1);
            ROW(rows[i].line, used == rows[i].bytes, "%zu bytes", used);
            tally_oa_free(unit);
        }
    ROWS_DONE();
}

static void test_oar_wraps(void **state)
{
    (void)state;
    struct tally_oa *unit = counting_unit(5, 0x00020002);
    tally_oa_write32(unit, OAR_OACONTROL, OAR_ON);
    tally_oa_write32(unit, CONTEXT_CONTROL, HAS_OAR);
    tally_oa_write32(unit, OACTXCONTROL, 1);
    tally_oa_switch_context(unit, true, 9);
    tally_oa_write32(unit, 0x2800, 0xfffffff0);
    tally_oa_write32(unit, 0x2804, 0xff);
    tally_oa_run(unit, 15);
    assert_int_equal(tally_oa_read32(unit, OAR_OASTATUS), 0);
    tally_oa_run(unit, 5);
    assert_int_equal(peek(unit, "oar_a0"), 4);
    assert_int_equal(tally_oa_read32(unit, OAR_OASTATUS), 4);
    assert_int_equal(tally_oa_read32(unit, OAG_OASTATUS), 0);
    tally_oa_free(unit);
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* An image as the driver's: CTX_CONTEXT_CONTROL among the ring's registers, relative to the ring;
 * OACTXCONTROL to be found by scanning; OAR_OACONTROL at dword 5b0h. An odd context has the
 * registers' whole addresses, as Linux writes them, which comes to the same (OA-10.1). */
static void put_image(struct gpu_rig *rig, unsigned n, uint32_t tail, bool oar)
{
    uint32_t base = n % 2 * 0x2000;
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000, 0, LRI(5) | LRI_RELATIVE, base + 0x244,
        oar ? HAS_OAR : 0x01000000, base + 0x34, 0, base + 0x30, tail, base + 0x38, RIG_RING(n),
        base + 0x3c, 1, 0, LRI(1) | LRI_RELATIVE, base + 0x360, oar);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000 + 4 * 0x5af, LRI(1), OAR_OACONTROL,
        oar ? OAR_ON : 0, MI_BATCH_END);
}

#define PIXELS      UINT64_C(480000)
#define DRAW_CLOCKS 5000u

static struct tally_oa *drawn_on;

/* Pixels that a primitive draws while it runs. */
static uint64_t draw(void *context, enum tally_gpu_work_kind kind,
                     const struct tally_gpu_command *command)
{
    (void)context;
    (void)command;
    if (kind == TALLY_GPU_WORK_PRIMITIVE)
        tally_oa_work(drawn_on, 26, PIXELS, DRAW_CLOCKS);
    return DRAW_CLOCKS;
}

static bool read_rig(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4)
        store_le32((uint8_t *)data + i, gpu_rig_peek(context, space, (uint32_t)(address + i)));
    return true;
}

static bool write_rig(void *context, uint32_t space, uint64_t address, const void *data,
                      size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t dword = load_le32((const uint8_t *)data + i);
        gpu_rig_put(context, space, (uint32_t)(address + i), &dword, 1);
    }
    return true;
}

/* The sequence of gen12-unprivileged-single-ctx-counters: a report and one copy in A, a report and
 * two in B, a report in each. Only A has OAR. */
static void test_contexts(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    tally_gpu_set_bus(rig->gpu,
                      &(struct tally_gpu_bus){
                          .read = read_rig, .write = write_rig, .work = draw, .context = rig});
    drawn_on = tally_gpu_oa(rig->gpu);
    for (unsigned n = 0; n < 2; n++) {
        gpu_rig_map(rig, RIG_SPACE(n));
        for (uint32_t at = 0x3000; at < 0x3400; at += 4)
            PUT(rig, RIG_SPACE(n), at, 0x80808080);
        PUT(rig, RIG_SPACE(n), 0x2000, REPORT, 0x3000, 0, 0xa0 + n, PRIMITIVE, 0, 3, 0, 1, 0, 0,
            n ? PRIMITIVE : MI_BATCH_END, 0, 3, 0, 1, 0, 0, MI_BATCH_END);
        PUT(rig, RIG_SPACE(n), 0x2100, REPORT, 0x3200, 0, 0xb0 + n, MI_BATCH_END);
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), BATCH_START, 0x2000, 0, 0, BATCH_START, 0x2100, 0, 0);
        put_image(rig, n, 16, n == 0);
    }
    gpu_rig_submit(rig, 0, 0x111, 1, 0x222);
    assert_true(gpu_rig_finish(rig));
    for (unsigned n = 0; n < 2; n++) /* the second batch of each, A's first */
        PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x101c, 32);
    gpu_rig_submit(rig, 0, 0x111, 1, 0x222);
    assert_true(gpu_rig_finish(rig));
    for (unsigned n = 0; n < 2; n++) {
        uint32_t space = RIG_SPACE(n), nonzero = 0;
        for (unsigned k = 5; k < 64; k++) /* behind A0, which counts the context's busy clocks */
            nonzero += gpu_rig_peek(rig, space, 0x3000 + 4 * k) != 0;
        for (unsigned k = 5; k < 64; k++)
            nonzero += gpu_rig_peek(rig, space, 0x3200 + 4 * k) != 0;
        uint32_t busy = gpu_rig_peek(rig, space, 0x3210) - gpu_rig_peek(rig, space, 0x3010);
        ROW(__LINE__, n ? !busy : busy >= DRAW_CLOCKS && busy < DRAW_CLOCKS + 200,
            "context %u: %" PRIu32 " busy clocks", n, busy); /* its own, not the other's */
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3000) == 0xa0 + n, "id");
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3200) == 0xb0 + n, "id");
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3204) > gpu_rig_peek(rig, space, 0x3004), "time");
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3008) == 0x111 * (n + 1), "context");
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3100) == 0x80808080, "behind the first");
        ROW(__LINE__, gpu_rig_peek(rig, space, 0x3300) == 0x80808080, "behind the second");
        uint32_t drawn = gpu_rig_peek(rig, space, 0x3200 + 16 + 4 * 26) -
                         gpu_rig_peek(rig, space, 0x3000 + 16 + 4 * 26);
        ROW(__LINE__, drawn == (n ? 0 : PIXELS), "context %u has drawn %" PRIu32, n, drawn);
        ROW(__LINE__, n ? !nonzero : nonzero == 1, "%" PRIu32 " counters are not 0", nonzero);
    }
    /* Contents of the images. */
    ROW(__LINE__, gpu_rig_peek(rig, 0, RIG_LRCA(0) + 0x100c) == (0xffff0000 | 0x100), "control");
    ROW(__LINE__, gpu_rig_peek(rig, 0, RIG_LRCA(1) + 0x100c) == 0xffff0000, "control");
    ROW(__LINE__, gpu_rig_saved_control(rig, 0) == 1, "resume");
    ROW(__LINE__, gpu_rig_peek(rig, 0, RIG_LRCA(0) + 0x1000 + 4 * 0x5b1) == OAR_ON,
        "OAR_OACONTROL");
    ROW(__LINE__, gpu_rig_value(rig, "oar_a26") == 0, "it has left with its context");
    ROW(__LINE__, !tally_gpu_read32(rig->gpu, OAR_OACONTROL), "so have its registers");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* Commands of the context itself set OAR up, as the driver's do; the image then has it. */
static void test_set_up_by_commands(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    gpu_rig_map(rig, RIG_SPACE(0));
    gpu_rig_count(rig);
    put_image(rig, 0, 32, false);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x103c, 1); /* the driver's write of the image */
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0), LRI(2), OAR_OACONTROL, OAR_ON, CONTEXT_CONTROL, HAS_OAR,
        REPORT, 0x3001, 0, 0, 0);
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0) + 20, REPORT, 0x3001, 0, 5, 0);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x101c, 40);
    gpu_rig_submit(rig, 0, 0x111, 0, 0);
    assert_true(gpu_rig_finish(rig));
    uint32_t first = gpu_rig_peek(rig, 0, 0x3010);
    assert_true(first > 0 && first < 1000);
    assert_int_equal(gpu_rig_peek(rig, 0, RIG_LRCA(0) + 0x1000 + 4 * 0x5b1), OAR_ON);
    tally_gpu_run(rig->gpu, 100000); /* it does not count while it is not running */
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0) + 40, REPORT, 0x3001, 0, 6);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x101c, 56);
    gpu_rig_submit(rig, 0, 0x111, 0, 0);
    assert_true(gpu_rig_finish(rig));
    uint32_t second = gpu_rig_peek(rig, 0, 0x3010);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x3000), 6);
    assert_true(second > first && second < first + 1000);
    /* After a reset the engine has no running context. */
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0) + 56, BATCH_START, 0x2000, 0, 0);
    PUT(rig, RIG_SPACE(0), 0x2000, BATCH_START, 0x2000, 0);
    PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x101c, 72);
    gpu_rig_submit(rig, 0, 0x111, 0, 0);
    tally_gpu_run(rig->gpu, 1000);
    assert_int_equal(tally_gpu_read32(rig->gpu, OAR_OACONTROL), OAR_ON);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
    assert_int_equal(tally_gpu_read32(rig->gpu, OAR_OACONTROL), 0);
    gpu_rig_free(rig);
}

/* ---- the GT around it ------------------------------------------------------------------------ */

static void test_force_wake(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t first, last;
        const char *wake; /* PERF-5.6; NULL: always on */
    } rows[] = {
        {__LINE__, 0x0d00, 0x0d2c, NULL},     {__LINE__, 0x2000, 0x26fc, "render"},
        {__LINE__, 0x2700, 0x27fc, "gt"},     {__LINE__, 0x2800, 0x2afc, "render"},
        {__LINE__, 0x2b00, 0x2ffc, "gt"},     {__LINE__, 0x9800, 0xaffc, "gt"},
        {__LINE__, 0xd800, 0xd8fc, "render"}, {__LINE__, 0xd900, 0xdbfc, "gt"},
        {__LINE__, 0xdc00, 0xeffc, "render"}, {__LINE__, 0x8718, 0x8718, "gt"},
        {__LINE__, 0xceec, 0xceec, "gt"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned which = 0; which < 3; which++) {
            static const char *const wakes[] = {"gt", "render", ""};
            struct gt_forcewake wake;
            struct gt_routing routing;
            gt_forcewake_init(&wake, INTEL_TGL, 0);
            gt_routing_init(&routing, 6);
            routing.revision = INTEL_TGL;
            if (which < 2)
                gt_forcewake_write32(&wake, which ? 0xa278 : 0xa188, 0x10001);
            bool expected = !rows[i].wake || !strcmp(rows[i].wake, wakes[which]);
            for (uint32_t at = rows[i].first; at <= rows[i].last; at += 4) {
                if (gt_forcewake_owns(&wake, at))
                    continue;
                struct gt_route route = gt_routing_read(&routing, &wake, GT_AGENT_HOST, at);
                ROW(rows[i].line, (route.outcome == GT_REACHED) == expected,
                    "%06" PRIx32 " with %s: %s", at, wakes[which], gt_outcome_name(route.outcome));
            }
        }
    ROWS_DONE();
}

/* Six dual subslices of sixteen EUs, each with flexible events of its own. */
static void test_subslices(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    struct tally_gpu *gpu = rig->gpu;
    struct tally_number one = tally_number_constant(1);
    assert_int_equal(tally_gpu_eus(gpu), 96);
    assert_int_equal(tally_gpu_read32(gpu, 0x913c), 0x3f); /* existing dual subslices */
    for (unsigned eu = 0; eu < 96; eu++)
        assert_int_equal(tally_oa_drive_eu(tally_gpu_oa(gpu), eu, TALLY_OA_FPU0, &one), 0);
    assert_int_equal(tally_oa_drive_eu(tally_gpu_oa(gpu), 96, TALLY_OA_FPU0, &one), -EINVAL);
    tally_gpu_write32(gpu, 0xe458, 0x00fff000); /* A7: FPU0, A8: nothing */
    gpu_rig_count(rig);
    tally_gpu_run(gpu, 10);
    assert_int_equal(gpu_rig_value(rig, "a7"), 960);
    tally_gpu_write32(gpu, 0xfdc, 3u << 24); /* unicast: dual subslice 3 */
    tally_gpu_write32(gpu, 0xe458, 0x00000fff);
    tally_gpu_run(gpu, 10);
    assert_int_equal(gpu_rig_value(rig, "a7"), 960 + 800);
    assert_int_equal(gpu_rig_value(rig, "a8"), 160);
    gpu_rig_free(rig);
}

static void test_tlb(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    tally_gpu_write32(rig->gpu, 0xceec, 1);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xceec), 0);
    tally_gpu_write32(rig->gpu, 0x8718, 0x60000000);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0x8718), 0x60000000);
    gpu_rig_free(rig);
}

/* The effect of RC6 on each register, by the table of gt/power.h for Gen12. */
static void test_rc6(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address, value, after;
    } rows[] = {
        {__LINE__, OAGLBCTXCTRL, 0x41, 0x41},
        {__LINE__, 0x2b2c, 0x1234, 0x1234},
        {__LINE__, 0x2b20, 0x11, 0x11},
        {__LINE__, OAG_OACONTROL, 0x15, 0x15},
        {__LINE__, OAG_OA_DEBUG, 0x00400040, 0},
        {__LINE__, OAG_OASTATUS, 5, 5},
        {__LINE__, 0xdb00, 0x40, 0x40},
        {__LINE__, 0xdb04, 0x80, 0x80},
        {__LINE__, 0xdb08, 0x39, 0x39},
        {__LINE__, 0xd904, 0x00800000, 0x00800000},
        {__LINE__, 0xd940, 0x123, 0x123},
        {__LINE__, 0xdc00, 0x456, 0x456},
        {__LINE__, 0xdc40, 0x00ff0000, 0x00ff0000},
        {__LINE__, 0xdc44, 7, 7},
        {__LINE__, 0xd980, 77, 77},
        {__LINE__, 0xda94, 78, 78},
        {__LINE__, 0xdab4, 79, 79},
        {__LINE__, 0xe458, 0x123, 0x123},
        {__LINE__, OACTXCONTROL, 1, 0},
        {__LINE__, OAR_OACONTROL, OAR_ON, 0},
        {__LINE__, CONTEXT_CONTROL, HAS_OAR, 0},
        {__LINE__, OAR_OASTATUS, 4, 0},
        {__LINE__, 0x2800, 5, 0},
        {__LINE__, 0x2940, 5, 0},
        {__LINE__, 0x8718, 0x40000000, 0},
        {__LINE__, 0x0d04, 0x200, 0x200},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig =
            gpu_rig_new(rows[i].line, &(struct tally_gpu_config){.platform = "tgl"});
        gpu_rig_wake(rig, true);
        tally_gpu_write32(rig->gpu, rows[i].address, rows[i].value);
        gpu_rig_wake(rig, false);
        ROW(rows[i].line, tally_gpu_enter_rc6(rig->gpu) == 0, "enters");
        tally_gpu_run(rig->gpu, 100);
        gpu_rig_wake(rig, true);
        uint32_t after = tally_gpu_read32(rig->gpu, rows[i].address);
        ROW(rows[i].line, after == rows[i].after, "%06" PRIx32 ": %08" PRIx32, rows[i].address,
            after);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

int test_tgl(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),   cmocka_unit_test(test_report_ids),
        cmocka_unit_test(test_formats),     cmocka_unit_test(test_oar_counts),
        cmocka_unit_test(test_oar_formats), cmocka_unit_test(test_oar_wraps),
        cmocka_unit_test(test_contexts),    cmocka_unit_test(test_set_up_by_commands),
        cmocka_unit_test(test_force_wake),  cmocka_unit_test(test_subslices),
        cmocka_unit_test(test_tlb),         cmocka_unit_test(test_rc6),
    };
    return cmocka_run_group_tests_name("Tiger Lake", tests, NULL, NULL);
}
