/* SPDX-License-Identifier: MIT */
/* Injected faults of a GPU, and its statistics of reports. */
#include "intel/tests.h"

#include <errno.h>

#include <tally/gpu.h>

#include "base/bits.h"

#define BUFFER   0x100000u
#define BYTES    (128u << 10)
#define OASTATUS 0x2b08u

struct memory {
    uint8_t bytes[BYTES];
    uint64_t lost[8]; /* numbers of the reports to lose; 0: the end */
    uint64_t held, lines_held, requested, timers;
};

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct memory *memory = context;
    if (space != TALLY_GPU_GGTT || address < BUFFER || address + bytes > BUFFER + BYTES)
        return false;
    memcpy(memory->bytes + (address - BUFFER), data, bytes);
    return true;
}

static bool sample(void *context, uint64_t report, bool timer)
{
    struct memory *memory = context;
    assert_int_equal(report, ++memory->requested);
    memory->timers += timer;
    for (size_t i = 0; i < COUNT(memory->lost); i++)
        if (memory->lost[i] == report)
            return false;
    return true;
}

static bool hold(void *context, uint64_t report, uint32_t space, uint64_t address,
                 const uint8_t *line, size_t bytes)
{
    struct memory *memory = context;
    assert_int_equal(space, TALLY_GPU_GGTT);
    assert_int_equal(bytes, 64);
    assert_true(address >= BUFFER && line);
    memory->lines_held += report == memory->held;
    return report == memory->held;
}

/* A Skylake whose timer strobes every 128 ticks, each of one clock. */
static struct tally_gpu *start(struct memory *memory)
{
    struct tally_gpu *gpu;
    struct tally_error error = {0};
    struct tally_gpu_config config = {
        .platform = "skl", .clock_hz = 12000000, .timestamp_hz = 12000000, .rc6_blind_clocks = 10};
    assert_int_equal(tally_gpu_new(&config, &gpu, &error), 0);
    tally_gpu_set_bus(gpu, &(struct tally_gpu_bus){.write = write_memory, .context = memory});
    tally_gpu_write32(gpu, 0xa188, 0x00010001);
    tally_gpu_write32(gpu, 0xa278, 0x00010001);
    tally_gpu_write32(gpu, 0x2b0c, BUFFER);
    tally_gpu_write32(gpu, 0x2b14, BUFFER | 1);
    tally_gpu_write32(gpu, 0x2b10, BUFFER);
    tally_gpu_write32(gpu, 0x2360, 6 << 2 | 3);
    tally_gpu_run(gpu, 1); /* setting the clock ratios requests a report */
    tally_gpu_write32(gpu, 0x2b00, 5 << 2 | 1);
    return gpu;
}

static uint32_t stamp(const struct memory *memory, size_t slot)
{
    return load_le32(memory->bytes + 256 * slot + 4);
}

/* The n-th report is lost: Report Lost is set, the buffer has no gap, and it is counted. */
static void test_lost_reports(void **state)
{
    (void)state;
    struct memory *memory = calloc(1, sizeof *memory);
    struct tally_gpu *gpu = start(memory);
    memory->lost[0] = 3;
    memory->lost[1] = 4;
    tally_gpu_set_faults(gpu, &(struct tally_gpu_faults){.sample = sample, .context = memory});
    tally_gpu_run(gpu, 64 + 128 + 2); /* two */
    assert_int_equal(tally_gpu_read32(gpu, OASTATUS) & 7, 0);
    tally_gpu_run(gpu, 128);
    assert_int_equal(tally_gpu_read32(gpu, OASTATUS) & 7, 1);
    tally_gpu_run(gpu, 2 * 128);
    struct tally_oa_reports stats = tally_oa_reports(tally_gpu_oa(gpu));
    assert_int_equal(stats.requested, 5);
    assert_int_equal(stats.lost, 2);
    assert_int_equal(stats.written, 3);
    assert_int_equal(stats.refused, 0);
    assert_int_equal(memory->timers, 5);
    assert_int_equal(stamp(memory, 1) - stamp(memory, 0), 128);
    assert_int_equal(stamp(memory, 2) - stamp(memory, 1), 3 * 128);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b10), BUFFER + 3 * 256);
    /* No further losses. */
    tally_gpu_set_faults(gpu, &(struct tally_gpu_faults){0});
    tally_gpu_run(gpu, 128);
    assert_int_equal(memory->requested, 5);
    assert_int_equal(tally_oa_reports(tally_gpu_oa(gpu)).written, 4);
    tally_gpu_free(gpu);
    free(memory);
}

/* The tail moves, but the bytes do not arrive. */
static void test_held_reports(void **state)
{
    (void)state;
    struct memory *memory = calloc(1, sizeof *memory);
    struct tally_gpu *gpu = start(memory);
    memory->held = 2;
    tally_gpu_set_faults(gpu, &(struct tally_gpu_faults){.hold = hold, .context = memory});
    tally_gpu_run(gpu, 64 + 2 * 128 + 2);
    assert_int_equal(memory->lines_held, 4);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b10), BUFFER + 3 * 256);
    assert_int_equal(stamp(memory, 1), 0);
    assert_int_equal(stamp(memory, 2) - stamp(memory, 0), 2 * 128);
    assert_int_equal(tally_gpu_read32(gpu, OASTATUS) & 7, 0);
    tally_gpu_free(gpu);
    free(memory);
}

static void test_overflow(void **state)
{
    (void)state;
    struct memory *memory = calloc(1, sizeof *memory);
    struct tally_gpu *gpu = start(memory);
    tally_gpu_run(gpu, 200);
    tally_gpu_overflow(gpu);
    assert_int_equal(tally_gpu_read32(gpu, OASTATUS) & 7, 2);
    tally_gpu_write32(gpu, OASTATUS, 0);
    assert_int_equal(tally_gpu_read32(gpu, OASTATUS) & 7, 0);
    tally_gpu_free(gpu);
    free(memory);
}

/* Force wake is lost: registers sleep, and missed strobes are counted. Afterwards the state is as
 * before, except OACTXCONTROL, which a context restores. */
static void test_lost_wake(void **state)
{
    (void)state;
    struct memory *memory = calloc(1, sizeof *memory);
    struct tally_gpu *gpu = start(memory);
    tally_gpu_run(gpu, 64 + 128 + 2);
    assert_int_equal(tally_gpu_read32(gpu, 0x130044), 1);
    tally_gpu_lose_wake(gpu, true);
    assert_true(tally_gpu_in_rc6(gpu));
    assert_int_equal(tally_gpu_read32(gpu, 0x130044), 0);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b10), 0);
    assert_int_equal(tally_gpu_enter_rc6(gpu), -EALREADY);
    tally_gpu_run(gpu, 10 * 128);
    tally_gpu_write32(gpu, 0xa188, 0x00010001); /* a request that has no effect */
    assert_true(tally_gpu_in_rc6(gpu));
    tally_gpu_lose_wake(gpu, false);
    assert_false(tally_gpu_in_rc6(gpu));
    assert_int_equal(tally_gpu_read32(gpu, 0x130044), 1);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b10), BUFFER + 2 * 256);
    struct tally_oa_reports stats = tally_oa_reports(tally_gpu_oa(gpu));
    assert_int_equal(stats.written, 2);
    assert_int_equal(stats.in_rc6, 10);
    tally_gpu_write32(gpu, 0x2360, 6 << 2 | 3);
    tally_gpu_run(gpu, 128);
    assert_int_equal(tally_oa_reports(tally_gpu_oa(gpu)).written, 3);
    assert_int_equal(stamp(memory, 2) - stamp(memory, 1), 11 * 128);
    tally_gpu_free(gpu);
    free(memory);
}

static void test_intrusion(void **state)
{
    (void)state;
    struct memory *memory = calloc(1, sizeof *memory);
    struct tally_gpu *gpu = start(memory);
    tally_gpu_run(gpu, 8);
    uint64_t before = tally_oa_reports(tally_gpu_oa(gpu)).requested;
    tally_gpu_intrude(gpu, 0x55);
    tally_gpu_run(gpu, 8);
    assert_int_equal(load_le32(memory->bytes + 256 * before + 8), 0x55);
    tally_gpu_end_intrusion(gpu);
    tally_gpu_run(gpu, 8);
    assert_int_equal(load_le32(memory->bytes + 256 * (before + 1) + 8), 0);
    assert_int_equal(tally_oa_reports(tally_gpu_oa(gpu)).requested, before + 2);
    tally_gpu_end_intrusion(gpu); /* already over */
    tally_gpu_run(gpu, 8);
    assert_int_equal(tally_oa_reports(tally_gpu_oa(gpu)).requested, before + 2);
    /* A context switch in between remains. */
    tally_gpu_intrude(gpu, 0x55);
    tally_oa_switch_context(tally_gpu_oa(gpu), true, 0x77);
    tally_gpu_end_intrusion(gpu);
    tally_gpu_run(gpu, 8);
    assert_int_equal(load_le32(memory->bytes + 256 * (before + 2) + 8), 0x77);
    tally_gpu_free(gpu);
    free(memory);
}

int test_gpu_faults(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_reports), cmocka_unit_test(test_held_reports),
        cmocka_unit_test(test_overflow),     cmocka_unit_test(test_lost_wake),
        cmocka_unit_test(test_intrusion),
    };
    return cmocka_run_group_tests_name("gpu faults", tests, NULL, NULL);
}
