/* SPDX-License-Identifier: MIT */
/* The driver that only uses registers: what it writes, and what that achieves
 * (docs/mmio-driver.md). */
#include "driver/tests.h"

#include <errno.h>

#include "driver/mmio_rig.h"

/* ---- registers ------------------------------------------------------------------------------- */

#define MAX_WRITES 400
struct trace {
    uint32_t address[MAX_WRITES], value[MAX_WRITES];
    size_t count;
};

static void hear(void *context, const struct tally_gpu_access *access)
{
    struct trace *trace = context;
    if (!access->write || access->agent != TALLY_GPU_CPU || trace->count == MAX_WRITES)
        return;
    trace->address[trace->count] = access->address;
    trace->value[trace->count++] = access->value;
}

/* Checks that the trace has these writes, in this order; others may be in between. */
struct written {
    uint32_t address, value;
};

static void check_order(unsigned line, const char *name, const struct trace *trace,
                        const struct written *expected, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->count && found < count; i++)
        found += trace->address[i] == expected[found].address &&
                 trace->value[i] == expected[found].value;
    ROW(line, found == count, "%s: no write of %xh = %xh after %zu others", name,
        found < count ? (unsigned)expected[found].address : 0,
        found < count ? (unsigned)expected[found].value : 0, found);
}

/* Document 000: RC6, trunk and unit clock gating are off before the unit is enabled, OABUFFER is
 * written between OASTATUS2 and OASTATUS1, and all that while the unit is disabled. */
static void test_sequences(void **state)
{
    (void)state;
    static const struct written snb[] = {
        {0xa094, 0},         {0xa090, 0x80000000}, {0x9400, 0x80},      {0x9400, 0x10080},
        {0x2360, 0},         {0x2390, 3},          {0x2368, 0x1000001}, {0x23b0, 0x1000000},
        {0x2364, 0x1000038}, {0x2360, 0x3ad},
    };
    static const struct written ivb[] = {
        {0xa094, 0},         {0xa090, 0x80000000}, {0x9424, 0},         {0x9400, 0x80},
        {0x2360, 0},         {0x2390, 3},          {0x2368, 0x1000001}, {0x23b0, 0x1000000},
        {0x2364, 0x1000038}, {0x2360, 0x3b5},
    };
    static const struct written skl[] = {
        {0x2b04, 0x620060},  {0x2b00, 0},         {0x2390, 3},
        {0x2b08, 0},         {0x2b0c, 0x1000000}, {0x2b14, 0x1000039},
        {0x2b10, 0x1000000}, {0x2360, 0x3b},      {0x2b00, 0x15},
    };
    static const struct {
        const char *name;
        const struct written *open;
        size_t count;
    } rows[] = {{"snb", snb, COUNT(snb)},
                {"ivb", ivb, COUNT(ivb)},
                {"vlv", ivb, COUNT(ivb)},
                {"skl", skl, COUNT(skl)}};
    static const struct mmio_register set[] = {{0x2390, 3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = mmio_rig_new(rows[i].name, NULL);
        struct trace trace = {.count = 0};
        tally_gpu_set_mmio_listener(rig->emulation->gpu, hear, &trace);
        mmio_rig_open(rig, &(struct mmio_stream_options){
                               .exponent = 14, .registers = set, .register_count = 1});
        check_order(__LINE__, rows[i].name, &trace, rows[i].open, rows[i].count);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* Report Lost is cleared without moving the tail: before Gen12 that needs both wrap flags
 * (PERF-Q12). Gen12's unit is stopped with its translations (PERF-Q14). */
static void test_clearing_and_stopping(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct written writes[3];
    } rows[] = {
        {"bdw", {{0x2b08, 0x30000}, {0x2b0c, 0}, {0x2b00, 0}}},
        {"skl", {{0x2b08, 0x30000}, {0x2b0c, 0}, {0x2b00, 0}}},
        {"tgl", {{0xdafc, 0}, {0xdaf4, 0}, {0xceec, 1}}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = mmio_rig_new(rows[i].name, NULL);
        struct trace trace = {.count = 0};
        struct written expected[3];
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 9});
        tally_oa_set_line_time(tally_gpu_oa(rig->emulation->gpu), 40000);
        mmio_rig_run(rig, 8 * MS);
        tally_oa_set_line_time(tally_gpu_oa(rig->emulation->gpu), 0);
        mmio_rig_run(rig, 8 * MS);
        tally_gpu_set_mmio_listener(rig->emulation->gpu, hear, &trace);
        struct mmio_found found = mmio_rig_read_all(rig);
        ROW(__LINE__, found.report_lost == 1 && found.samples > 5, "%s: %u reports", rows[i].name,
            found.samples);
        mmio_stream_close(rig->stream);
        rig->stream = NULL;
        memcpy(expected, rows[i].writes, sizeof expected);
        for (size_t k = 0; k < COUNT(expected); k++) /* the head: after the reports */
            if (expected[k].address == 0x2b0c)
                expected[k].value = 0x1000000 + found.samples * rig->layout->size_bytes;
        check_order(__LINE__, rows[i].name, &trace, expected, COUNT(expected));
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* Freeing the device stops the unit and lets the GT sleep. */
static void test_of_a_freed_device(void **state)
{
    (void)state;
    static const struct written writes[] = {{0x2360, 0}, {0xa090, 0}, {0xa18c, 0x10000}};
    struct mmio_rig *rig = mmio_rig_new("snb", NULL);
    struct trace trace = {.count = 0};
    mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 9});
    tally_gpu_set_mmio_listener(rig->emulation->gpu, hear, &trace);
    mmio_device_free(rig->emulation->mmio);
    rig->emulation->mmio = NULL;
    rig->stream = NULL;
    check_order(__LINE__, "snb", &trace, writes, COUNT(writes));
    mmio_device_free(NULL);
    mmio_rig_free(rig);
    ROWS_DONE();
}

/* The registers of power and clock gating get their values back, and the unit is off. */
static void test_close(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        uint32_t address, before, during;
    } rows[] = {
        {__LINE__, "snb", 0xa094, 0x00040000, 0},
        {__LINE__, "snb", 0xa090, 0x00020000, 0x80020000},
        {__LINE__, "snb", 0x9400, 0x00000100, 0x00010180},
        {__LINE__, "snb", 0x2360, 0, 0x3ad},
        {__LINE__, "ivb", 0xa094, 0x00040000, 0},
        {__LINE__, "ivb", 0x9424, 0x00000003, 0x00000002},
        {__LINE__, "ivb", 0x9400, 0x00010000, 0x00010080},
        {__LINE__, "vlv", 0x9424, 0x00000001, 0},
        {__LINE__, "hsw", 0x9424, 0x00000001, 0},
        {__LINE__, "skl", 0x2b04, 0, 0x60},
        {__LINE__, "tgl", 0xdaf8, 0, 0x60},
        {__LINE__, "tgl", 0x8718, 0, 0x40000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = mmio_rig_new(rows[i].name, NULL);
        struct tally_gpu *gpu = rig->emulation->gpu;
        struct mmio_stream *other;
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 14}); /* to be awake */
        mmio_stream_close(rig->stream);
        tally_gpu_write32(gpu, 0xa188, 0x10001);
        tally_gpu_write32(gpu, 0xa18c, 1);
        tally_gpu_write32(gpu, 0x1300b0, 0x10001);
        tally_gpu_write32(gpu, 0xa278, 0x10001);
        emulation_run_ns(rig->emulation, 10000);
        if (rows[i].address != 0x2360)
            tally_gpu_write32(gpu, rows[i].address, rows[i].before);
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 14});
        ROW(rows[i].line, tally_gpu_read32(gpu, rows[i].address) == rows[i].during,
            "%s: %xh is %x while a stream is open", rows[i].name, (unsigned)rows[i].address,
            (unsigned)tally_gpu_read32(gpu, rows[i].address));
        struct tally_error error = {0};
        struct mmio_stream_options again = {.layout = rig->layout, .exponent = 14};
        ROW(rows[i].line, mmio_stream_open(rig->emulation->mmio, &again, &other, &error) == -EBUSY,
            "%s", error.message);
        mmio_stream_close(rig->stream);
        rig->stream = NULL;
        tally_gpu_write32(gpu, 0xa188, 0x10001);
        tally_gpu_write32(gpu, 0xa18c, 1);
        tally_gpu_write32(gpu, 0x1300b0, 0x10001);
        tally_gpu_write32(gpu, 0xa278, 0x10001);
        emulation_run_ns(rig->emulation, 10000);
        ROW(rows[i].line, tally_gpu_read32(gpu, rows[i].address) == rows[i].before,
            "%s: %xh is %x afterwards", rows[i].name, (unsigned)rows[i].address,
            (unsigned)tally_gpu_read32(gpu, rows[i].address));
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* The head in another lap than the tail makes a new buffer look full, unless the pointers are
 * programmed in the documented order. */
static void test_a_careless_order(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "vlv", "hsw"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct mmio_rig *rig = mmio_rig_new(names[p], NULL);
        struct tally_gpu *gpu = rig->emulation->gpu;
        mmio_rig_open(
            rig, &(struct mmio_stream_options){.exponent = 8 - rig->platform->oa->timer_shift});
        uint64_t used = 0;
        mmio_rig_run(rig, 6 * MS);
        mmio_rig_read_all(rig); /* the head is within the buffer */
        tally_gpu_write32(gpu, 0x2360, 0);
        tally_gpu_write32(gpu, 0x2364, 0x1000000); /* OASTATUS1 before OASTATUS2 */
        tally_gpu_write32(gpu, 0x23b0, 0x1000000);
        tally_gpu_write32(gpu, 0x2368, 0x1000001);
        tally_oa_peek(tally_gpu_oa(gpu), "used", &used);
        ROW(__LINE__, used > 0, "%s: the model accepts any order", names[p]);
        mmio_stream_close(rig->stream);
        mmio_rig_open(
            rig, &(struct mmio_stream_options){.exponent = 8 - rig->platform->oa->timer_shift});
        tally_oa_peek(tally_gpu_oa(gpu), "used", &used);
        ROW(__LINE__, used == 0, "%s: %llu bytes used at the start", names[p],
            (unsigned long long)used);
        mmio_rig_run(rig, 6 * MS);
        struct mmio_found found = mmio_rig_read_all(rig);
        ROW(__LINE__, found.samples > 50 && !found.buffer_lost, "%s: %u reports, %u overflows",
            names[p], found.samples, found.buffer_lost);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- power and contexts ---------------------------------------------------------------------- */

/* While the GT has no power nothing is read; afterwards the stream continues. */
static void test_loss_of_power(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    static const struct mmio_register start[] = {{0x2710, 0}, {0x2714, 0x00800000}};
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = mmio_rig_new(platform->info.name, "compute");
        mmio_rig_open(rig, &(struct mmio_stream_options){
                               .exponent = 11 - platform->oa->timer_shift,
                               .registers = start,
                               .register_count = platform->oa->map == OA_MAP_A ? 0 : 2});
        mmio_rig_run(rig, 30 * MS);
        ROW(__LINE__, mmio_rig_read_all(rig).samples > 50, "%s", platform->info.name);
        tally_gpu_lose_wake(rig->emulation->gpu, true);
        mmio_rig_run(rig, 20 * MS);
        mmio_rig_read_all(rig);
        tally_gpu_lose_wake(rig->emulation->gpu, false);
        mmio_rig_run(rig, 6 * MS);
        mmio_rig_read_all(rig);
        mmio_rig_run(rig, 40 * MS);
        struct mmio_found found = mmio_rig_read_all(rig);
        ROW(__LINE__, found.samples > 50 && !found.buffer_lost, "%s: %u reports, %u overflows",
            platform->info.name, found.samples, found.buffer_lost);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* The GT does not enter RC6 while a stream is open, although it is idle most of the time: every
 * clock is counted, and every period has its report. */
static void test_no_rc6(void **state)
{
    (void)state;
    static const struct mmio_register gen6[] = {
        {0x2390, 3}, {0x2394, 0xfffe}, {0x238c, 0}, {0x2388, 0x10800000}};
    static const char *const names[] = {"snb", "ivb", "vlv"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct emulation *emulation;
        struct mmio_stream *stream;
        struct tally_error error = {0};
        char path[512];
        snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
        struct emulation_settings settings = {
            .gpu = {.platform = names[p], .rc6_after_clocks = 1000},
            .interface = &emulation_mmio,
            .workload = path};
        assert_int_equal(emulation_new(&settings, &emulation, &error), 0);
        const struct intel_platform *platform = intel_modelled(names[p]);
        emulation_run_ns(emulation, 12 * MS); /* asleep, between two frames */
        struct mmio_stream_options options = {.layout = mmio_rig_layout(platform),
                                              .exponent = 12,
                                              .registers = gen6,
                                              .register_count = COUNT(gen6)};
        assert_int_equal(mmio_stream_open(emulation->mmio, &options, &stream, &error), 0);
        uint64_t counts[2], clocks[2], reports[2];
        struct tally_oa *unit = tally_gpu_oa(emulation->gpu);
        for (unsigned i = 0; i < 2; i++) {
            tally_oa_peek(unit, "b0", &counts[i]);
            clocks[i] = tally_gpu_now(emulation->gpu);
            reports[i] = tally_oa_reports(unit).written;
            emulation_run_ns(emulation, i ? 0 : 70 * MS);
        }
        uint64_t due =
            70 * MS * platform->info.timestamp_hz / 1000000000 / intel_timer_ticks(platform, 12);
        ROW(__LINE__, counts[1] - counts[0] == clocks[1] - clocks[0],
            "%s: counted %llu of %llu clocks", names[p],
            (unsigned long long)(counts[1] - counts[0]),
            (unsigned long long)(clocks[1] - clocks[0]));
        ROW(__LINE__, reports[1] - reports[0] >= due && due >= 5, "%s: %llu reports of %llu",
            names[p], (unsigned long long)(reports[1] - reports[0]), (unsigned long long)due);
        emulation_free(emulation); /* closes the stream */
    }
    ROWS_DONE();
}

/* With a context, counters only count in it. */
static void test_one_context(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "hsw", "bdw", "skl"};
    for (size_t p = 0; p < COUNT(names); p++) {
        uint64_t counts[3];
        for (unsigned i = 0; i < 3; i++) { /* all contexts, the workload's, another */
            struct mmio_rig *rig = mmio_rig_new(names[p], "triangle");
            const char *busy = rig->platform->info.version == 60   ? "a26"
                               : rig->platform->info.version >= 80 ? "a0"
                                                                   : "a41";
            tally_gpu_write32(rig->emulation->gpu,
                              rig->platform->info.version == 60 ? 0xa18c : 0xa188,
                              0x10001); /* awake */
            emulation_run_ns(rig->emulation, 10000);
            /* The unit's own clock gating is off; with it the filter has no effect (document 000).
             */
            if (rig->platform->info.version < 80)
                tally_gpu_write32(rig->emulation->gpu, 0x9408, 0x100000);
            mmio_rig_open(rig, &(struct mmio_stream_options){
                                   .exponent = 12, .one_context = i > 0, .context = i * 0x1000});
            mmio_rig_run(rig, 50 * MS);
            tally_oa_peek(tally_gpu_oa(rig->emulation->gpu), busy, &counts[i]);
            mmio_rig_free(rig);
        }
        ROW(__LINE__, counts[0] > 1000 && counts[1] == counts[0] && counts[2] == 0,
            "%s: %llu, %llu, %llu", names[p], (unsigned long long)counts[0],
            (unsigned long long)counts[1], (unsigned long long)counts[2]);
    }
    ROWS_DONE();
}

static void test_bad_options(void **state)
{
    (void)state;
    const struct tally_layout *snb = tally_layout_find("snb/a29");
    const struct tally_layout *hsw = tally_layout_find("hsw/a45_b8_c8");
    const struct tally_layout *skl = tally_layout_find("skl/a32u40_a4u32_b8_c8");
    const struct {
        unsigned line;
        const char *platform;
        struct mmio_stream_options options;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "snb", {.layout = hsw}, -EINVAL, "expected one of snb"},
        {__LINE__, "snb", {.layout = snb, .exponent = 32}, -EINVAL, "expected 0 to 31"},
        {__LINE__, "snb", {.layout = snb, .buffer_bytes = 1 << 20}, -EINVAL, "16 KiB"},
        {__LINE__, "hsw", {.layout = hsw, .buffer_bytes = 16384}, -EINVAL, "128 KiB"},
        {__LINE__, "tgl", {.layout = skl, .one_context = true}, -EOPNOTSUPP, "context"},
        {__LINE__, "snb", {.layout = snb, .exponent = 31}, 0, NULL},
        {__LINE__, "snb", {.layout = snb, .exponent = MMIO_NO_TIMER}, 0, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = mmio_rig_new(rows[i].platform, NULL);
        struct tally_error error = {0};
        int result = mmio_rig_try(rig, &rows[i].options, &error);
        ROW(rows[i].line, result == rows[i].result && mentions(error.message, rows[i].message),
            "%d, \"%s\"", result, error.message);
        mmio_rig_free(rig);
    }
    struct mmio_device *device;
    struct tally_error error = {0};
    assert_int_equal(mmio_device_new("kbl", &(struct driver_io){0}, &device, &error), -EINVAL);
    assert_non_null(strstr(error.message, "kbl"));
    ROWS_DONE();
}

int run_mmio_registers_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_clearing_and_stopping),
        cmocka_unit_test(test_of_a_freed_device),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_a_careless_order),
        cmocka_unit_test(test_loss_of_power),
        cmocka_unit_test(test_no_rc6),
        cmocka_unit_test(test_one_context),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests_name("mmio_registers", tests, NULL, NULL);
}
