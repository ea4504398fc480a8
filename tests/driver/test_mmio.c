/* SPDX-License-Identifier: MIT */
/* The driver that only uses registers, on the modelled GPU: what it delivers, and what it reports
 * as lost (docs/mmio-driver.md). */
#include "driver/tests.h"

#include <errno.h>

#include "driver/mmio_rig.h"

/* ---- every report ---------------------------------------------------------------------------- */

/* Random layouts, buffers, periods, times of reads and sizes of reads, and delays of memory: each
 * report arrives once, whole, and as the unit has written it. */
static void test_every_report(void **state)
{
    (void)state;
    struct random rng = random_start(0x6d6d696f);
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        for (unsigned round = 0; round < random_cases(12); round++) {
            struct mmio_rig *rig = mmio_rig_new(platform->info.name, "contexts");
            const struct tally_layout *layout;
            do
                layout = tally_layout_at(random_below(&rng, tally_layout_count()));
            while (strcmp(layout->family, platform->info.layout_family) != 0);
            bool doubles = platform->oa->large_buffers || platform->oa->map >= OA_MAP_C;
            uint64_t code = random_below(&rng, doubles ? 2 : 8);
            uint32_t buffer = doubles ? 131072u << code : 16384u * (uint32_t)(code + 1);
            rig->delay_ns = random_below(&rng, 2) ? random_below(&rng, 300000) : 0;
            unsigned exponent = 0; /* a fourth of the buffer in 5 ms */
            while (mmio_rig_period_ns(rig, exponent) * (buffer / layout->size_bytes) < 20 * MS)
                exponent++;
            mmio_rig_open(rig, &(struct mmio_stream_options){
                                   .layout = layout, .exponent = exponent, .buffer_bytes = buffer});
            size_t next = 0;
            unsigned wrong = 0, lost = 0;
            for (unsigned i = 0; i < 40; i++) {
                mmio_rig_run(rig, random_below(&rng, 5 * MS));
                struct mmio_found found =
                    mmio_rig_read(rig, i % 3 ? sizeof rig->records : random_below(&rng, 4096));
                lost += found.buffer_lost + found.report_lost + found.zero;
                wrong += mmio_rig_compare(rig, &next);
            }
            mmio_rig_run(rig, 12 * MS);
            struct mmio_found rest = mmio_rig_read_all(rig);
            lost += rest.buffer_lost + rest.zero;
            wrong += mmio_rig_compare(rig, &next);
            size_t written = rig->line_count * LINE_BYTES / layout->size_bytes;
            ROW(__LINE__,
                !wrong && !lost && next <= written &&
                    next + 4 + 5 * MS / mmio_rig_period_ns(rig, exponent) >= written,
                "%s/%s, buffer %u, exponent %u, delay %llu: %u wrong, %u lost, %zu of %zu",
                platform->info.name, layout->name, buffer, exponent,
                (unsigned long long)rig->delay_ns, wrong, lost, next, written);
            ROW(__LINE__, next > 100, "%s: only %zu reports", platform->info.name, next);
            mmio_rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* Checks that consecutive timer reports are 2^bits ticks apart, beginning with number `timers`.
 * Returns the number so far. */
static unsigned read_timers(const struct mmio_rig *rig, unsigned bits, unsigned timers,
                            uint32_t *before)
{
    const struct tally_platform *platform = &rig->platform->info;
    for (size_t at = 0; at < rig->size; at += load_le16(rig->records + at + 6)) {
        const uint8_t *report = rig->records + at + 8;
        if (load_le32(rig->records + at) == MMIO_BUFFER_LOST)
            timers = 0;
        if (load_le32(rig->records + at) != MMIO_SAMPLE ||
            !(tally_report_reason(platform, load_le32(report)) & TALLY_REASON_TIMER))
            continue;
        uint32_t stamp = load_le32(report + 4);
        ROW(__LINE__, !timers || stamp - *before == UINT32_C(1) << bits,
            "%s, period 2^%u: %u ticks", platform->name, bits, stamp - *before);
        timers++;
        *before = stamp;
    }
    return timers;
}

/* The timer's period is 2^(n+1) ticks of TIMESTAMP, on SNB 2^(n+4) (document 000). */
static void test_periods(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        unsigned shift = platform->info.version == 60 ? 4 : 1;
        for (unsigned exponent = 0; exponent <= 20; exponent++) {
            struct mmio_rig *rig = mmio_rig_new(platform->info.name, NULL);
            mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = exponent});
            uint64_t period = mmio_rig_period_ns(rig, exponent);
            uint32_t before = 0;
            unsigned timers = 0;
            /* Checks are at least 0.1 ms apart, in which the small buffers overflow at first. */
            for (unsigned i = 0; i < 100 && timers < 20; i++) {
                mmio_rig_run(rig, period > 50000 ? period : 50000);
                mmio_rig_read_all(rig);
                timers = read_timers(rig, exponent + shift, timers, &before);
            }
            bool overflows = platform->oa->map == OA_MAP_A && exponent + shift < 4;
            ROW(__LINE__, timers >= 20 || overflows, "%s, exponent %u: %u reports",
                platform->info.name, exponent, timers);
            mmio_rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* After an overflow one record says so, and the unit starts with an empty buffer. */
static void test_overflow(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = mmio_rig_new(platform->info.name, "triangle");
        bool doubles = platform->oa->large_buffers || platform->oa->map >= OA_MAP_C;
        uint32_t buffer = doubles ? 131072 : 65536;
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 3, .buffer_bytes = buffer});
        uint64_t full = mmio_rig_period_ns(rig, 3) * buffer / rig->layout->size_bytes;
        for (unsigned round = 0; round < 3; round++) {
            mmio_rig_run(rig, 3 * full / 2 + MS);
            ROW(__LINE__, mmio_stream_poll(rig->stream), "%s", platform->info.name);
            ROW(__LINE__, mmio_rig_read(rig, 7).result == -ENOSPC, "%s", platform->info.name);
            struct mmio_found found = mmio_rig_read_all(rig);
            ROW(__LINE__, found.result == 8 && found.buffer_lost == 1, "%s, round %u: %lld bytes",
                platform->info.name, round, (long long)found.result);
            ROW(__LINE__, mmio_rig_read_all(rig).result == -EAGAIN, "%s", platform->info.name);
            size_t lines = rig->layout->size_bytes / LINE_BYTES;
            rig->landed = rig->line_count = 0;
            mmio_rig_run(rig, full / 2);
            size_t next = 0;
            found = mmio_rig_read_all(rig);
            ROW(__LINE__, found.samples > 50 && !found.buffer_lost && !mmio_rig_compare(rig, &next),
                "%s, round %u: %u reports of %zu after it", platform->info.name, round,
                found.samples, rig->line_count / lines);
        }
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* Reports take longer than their period. Where a write of the status would set the tail, the loss
 * is reported once; on VLV never. */
static void test_report_lost(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = mmio_rig_new(platform->info.name, NULL);
        struct tally_oa *unit = tally_gpu_oa(rig->emulation->gpu);
        mmio_rig_open(rig,
                      &(struct mmio_stream_options){.exponent = 9 - platform->oa->timer_shift});
        unsigned reported[3];
        for (unsigned round = 0; round < 3; round++) {
            tally_oa_set_line_time(unit, 40000);
            mmio_rig_run(rig, 3 * MS);
            tally_oa_set_line_time(unit, 0);
            mmio_rig_run(rig, 8 * MS);
            reported[round] = mmio_rig_read_all(rig).report_lost;
        }
        bool has = platform->oa->has_report_lost, again = platform->oa->map >= OA_MAP_C;
        ROW(__LINE__, reported[0] == has && reported[1] == again && reported[2] == again,
            "%s: %u, %u and %u records", platform->info.name, reported[0], reported[1],
            reported[2]);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* A report that never arrives is given up after a while, and is delivered with id and timestamp 0;
 * those behind it are complete. */
static void test_a_line_that_never_lands(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "vlv", "hsw", "skl", "tgl"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct mmio_rig *rig = mmio_rig_new(names[p], NULL);
        mmio_rig_open(
            rig, &(struct mmio_stream_options){.exponent = 12 - rig->platform->oa->timer_shift});
        size_t lines = rig->layout->size_bytes / LINE_BYTES;
        rig->drop_from = 10 * lines;
        rig->drops = lines;
        mmio_rig_run(rig, 15 * MS);
        struct mmio_found before = mmio_rig_read_all(rig);
        ROW(__LINE__, before.samples == 10 && !before.zero, "%s: %u reports, %u of them 0",
            names[p], before.samples, before.zero);
        mmio_rig_run(rig, 45 * MS);
        struct mmio_found after = mmio_rig_read_all(rig);
        ROW(__LINE__, after.samples > 50 && after.zero == 1, "%s: %u reports, %u of them 0",
            names[p], after.samples, after.zero);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Registers of the rig, which overflows the buffer at a read of the status. */
struct hooked {
    struct mmio_rig *rig;
    uint32_t status;    /* its address */
    unsigned countdown; /* reads of it until the overflow; 0: never */
};

static uint32_t hooked_read(void *closure, uint32_t address)
{
    struct hooked *hooked = closure;
    if (address == hooked->status && hooked->countdown && !--hooked->countdown)
        tally_gpu_overflow(hooked->rig->emulation->gpu);
    return emulation_read32(hooked->rig->emulation, address);
}

static void hooked_write(void *closure, uint32_t address, uint32_t value)
{
    emulation_write32(((struct hooked *)closure)->rig->emulation, address, value);
}

static uint64_t hooked_now(void *closure)
{
    return emulation_gpu_ns(((struct hooked *)closure)->rig->emulation);
}

static int hooked_sleep(void *closure, uint64_t ns, bool interruptible)
{
    return emulation_sleep_ns(((struct hooked *)closure)->rig->emulation, ns, interruptible);
}

static void hook(struct mmio_rig *rig, struct hooked *hooked, uint32_t status)
{
    struct tally_error error = {0};
    struct driver_io io = {hooked_read, hooked_write, hooked_now, hooked_sleep, hooked};
    *hooked = (struct hooked){rig, status, 0};
    mmio_device_free(rig->emulation->mmio);
    rig->emulation->mmio = NULL;
    assert_int_equal(mmio_device_new(rig->platform->info.name, &io, &rig->emulation->mmio, &error),
                     0);
}

/* If the buffer overflows while reports are copied, they are dropped. */
static void test_overflow_during_a_read(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        uint32_t status;
    } rows[] = {{__LINE__, "snb", 0x2364}, {__LINE__, "skl", 0x2b08}, {__LINE__, "tgl", 0xdafc}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = mmio_rig_new(rows[i].name, NULL);
        struct hooked hooked;
        hook(rig, &hooked, rows[i].status);
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 9});
        mmio_rig_run(rig, 20 * MS);
        hooked.countdown = 2; /* before and after the copy */
        struct mmio_found found = mmio_rig_read_all(rig);
        ROW(rows[i].line, found.result == 8 && found.buffer_lost == 1 && !found.samples,
            "%s: %u reports, %u overflows", rows[i].name, found.samples, found.buffer_lost);
        mmio_rig_run(rig, 20 * MS);
        found = mmio_rig_read_all(rig);
        ROW(rows[i].line, found.samples > 5 && !found.buffer_lost, "%s: %u reports afterwards",
            rows[i].name, found.samples);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

/* A domain that does not wake is an error, not a recording of zeros. */
static uint32_t no_acknowledge(void *closure, uint32_t address)
{
    (void)closure;
    (void)address;
    return 0;
}

static void test_a_domain_that_does_not_wake(void **state)
{
    (void)state;
    struct mmio_rig *rig = mmio_rig_new("snb", NULL);
    struct hooked hooked = {rig, 0, 0};
    struct tally_error error = {0};
    struct driver_io io = {no_acknowledge, hooked_write, hooked_now, hooked_sleep, &hooked};
    mmio_device_free(rig->emulation->mmio);
    assert_int_equal(mmio_device_new("snb", &io, &rig->emulation->mmio, &error), 0);
    assert_int_equal(mmio_rig_try(rig, &(struct mmio_stream_options){.exponent = 12}, &error),
                     -EIO);
    assert_true(mentions(error.message, "does not acknowledge force wake"));
    assert_null(rig->stream);
    assert_true(mmio_device_timestamp(rig->emulation->mmio) == 0);
    assert_true(mmio_device_next_ns(rig->emulation->mmio) == UINT64_MAX);
    mmio_rig_free(rig);
}

/* The domains of engines that fuses disable are not waited for. */
static void test_fuses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t vdbox_disable, vebox_disable;
    } rows[] = {{__LINE__, 0, 0}, {__LINE__, 1, 0}, {__LINE__, 4, 0}, {__LINE__, 5, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig =
            mmio_rig_new_gpu(&(struct tally_gpu_config){.platform = "tgl",
                                                        .vdbox_disable = rows[i].vdbox_disable,
                                                        .vebox_disable = rows[i].vebox_disable},
                             NULL);
        mmio_rig_open(rig, &(struct mmio_stream_options){.exponent = 6});
        unsigned samples = 0;
        for (unsigned round = 0; round < 10; round++) {
            mmio_rig_run(rig, MS);
            samples += mmio_rig_read_all(rig).samples;
        }
        ROW(rows[i].line, samples > 10, "%u samples", samples);
        mmio_rig_free(rig);
    }
    ROWS_DONE();
}

int run_mmio_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_report),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_report_lost),
        cmocka_unit_test(test_a_line_that_never_lands),
        cmocka_unit_test(test_overflow_during_a_read),
        cmocka_unit_test(test_a_domain_that_does_not_wake),
        cmocka_unit_test(test_fuses),
    };
    return cmocka_run_group_tests_name("mmio", tests, NULL, NULL);
}
