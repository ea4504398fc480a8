/* SPDX-License-Identifier: MIT */
/* Workloads on NVIDIA's GPUs: PCOUNTER counts what the file says, on every chipset. */
#include "emulation/tests.h"

#include <inttypes.h>
#include <math.h>

#include "emulation/nvidia_expect.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/selectors.h"

#define MS UINT64_C(1000000)

struct rig {
    struct nvidia_gpu *gpu;
    struct tally_workload *workload;
    struct nvidia_program *program;
    struct nvidia_player player;
};

static void start(struct rig *rig, const char *chipset, const char *workload)
{
    struct tally_error error = {0};
    char path[600];
    memset(rig, 0, sizeof *rig);
    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", source_directory(), workload);
    if (nvidia_gpu_new(tally_chipset_find(chipset), &rig->gpu, &error) < 0 ||
        tally_workload_load(path, &rig->workload, &error) < 0)
        fail_msg("%s", error.message);
    nvidia_gpu_set_clocks(rig->gpu);
    if (nvidia_program_new(rig->workload, rig->gpu, NULL, NULL, &rig->program, &error) < 0)
        fail_msg("%s", error.message);
    nvidia_player_start(&rig->player, rig->program, rig->gpu);
}

static void end(struct rig *rig)
{
    nvidia_gpu_free(rig->gpu);
    nvidia_program_free(rig->program);
    tally_workload_free(rig->workload);
}

static void run(struct rig *rig, uint64_t ns)
{
    for (uint64_t until = rig->gpu->ns + ns; rig->gpu->ns < until;) {
        uint64_t next = rig->player.next_ns < until ? rig->player.next_ns : until;
        nvidia_gpu_run(rig->gpu, next - rig->gpu->ns);
        nvidia_player_act(&rig->player);
    }
}

/* Writes the selectors that a drive needs. */
static void select_drive(struct rig *rig, const struct nvidia_drive *drive)
{
    for (unsigned i = 0; i < drive->conditions; i++) {
        const struct nvidia_selector *selector = nvidia_selector_at(drive->condition[i].selector);
        uint32_t address = selector->address + selector->stride * drive->condition[i].unit;
        nvidia_gpu_write32(rig->gpu, address, drive->condition[i].value);
        assert_int_equal(nvidia_gpu_read32(rig->gpu, address), drive->condition[i].value);
    }
}

/* Lets PRE of a domain be a signal in quad event mode, and returns the register that shows the
 * count after a swap. */
static void count_signal(struct rig *rig, unsigned number, unsigned signal)
{
    const struct domain *domain = &rig->gpu->pcounter->domains[number];
    bool sets = rig->gpu->pcounter->features->sets;
    uint32_t base = sets ? domain->address : 0xa400 + 4 * number;
    nvidia_gpu_write32(rig->gpu, base + (sets ? 0x9c : 0x3c0), sets ? 2 : 1); /* CTRL */
    if (rig->gpu->pcounter->features->swap == SWAP_SELECTED) /* a signal that is 0 */
        nvidia_gpu_write32(rig->gpu, sets ? base + 0x6c : 0xa560 + 4 * number,
                           domain->trailer + (sets ? 0x2cu : 0x0cu));
    nvidia_gpu_write32(rig->gpu, base + (sets ? 0x40 : 0), signal);    /* PRE_SRC */
    nvidia_gpu_write32(rig->gpu, base + (sets ? 0x44 : 0x20), 0xaaaa); /* PRE_OP */
}

static uint64_t counted(const struct rig *rig, unsigned number)
{
    uint64_t value = 0;
    tally_pcounter_peek(rig->gpu->pcounter, number, TALLY_PCOUNTER_SH_PRE, &value);
    return value;
}

static void check_drive(const char *chipset, const char *workload, size_t index, uint64_t ns)
{
    struct rig rig;
    start(&rig, chipset, workload);
    const struct nvidia_drive *drive = &rig.program->drives[index];
    select_drive(&rig, drive);
    count_signal(&rig, drive->domain, drive->signal);
    run(&rig, ns);
    struct expected expected = nvidia_expect(rig.program, rig.gpu, drive, ns);
    double value = (double)counted(&rig, drive->domain);
    ROW(__LINE__, fabs(value - expected.mean) <= expected.tolerance,
        "%s, %s: %s[%u], domain %u, signal %02x: %.0f in %" PRIu64 " us, expected %.1f +- %.1f",
        chipset, workload, drive->row->signal, drive->row->element, drive->domain, drive->signal,
        value, ns / 1000, expected.mean, expected.tolerance);
    end(&rig);
}

/* Every signal that a unit drives, on every chipset, over phases and a part of one. */
static void test_every_drive(void **state)
{
    static const char *const workloads[] = {"triangle", "compute", "bottleneck", "idle-bursts",
                                            "contexts"};
    static const uint64_t times[] = {5 * MS + 12345, 2 * MS + 1, 4 * MS, 9 * MS, 5 * MS + 77};
    const struct tally_chipset *chipset;
    unsigned long checked = 0;
    (void)state;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        struct rig rig;
        if (chipset->presence == TALLY_ABSENT || !strcmp(chipset->name, "rsx"))
            continue;
        start(&rig, chipset->name, "triangle");
        size_t count = rig.program->drive_count;
        end(&rig);
        for (size_t k = 0; k < count; k++) {
            size_t which = (i + k) % COUNT(workloads);
            if (!is_sampled(checked++))
                continue;
            check_drive(chipset->name, workloads[which], k, times[which] / 16 + 350000);
        }
    }
    assert_true(checked > 500);
    ROWS_DONE();
}

/* A unit reaches its signal only while the selectors have its value. */
static void test_selectors(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "g92", "triangle");
    int signal = tally_signal_find(rig.gpu->chipset, 2, "PROP.MUX[2]");
    uint32_t address = nvidia_selector_find(rig.gpu->chipset, "PROP")->address;
    count_signal(&rig, 2, (unsigned)signal);
    run(&rig, MS);
    assert_int_equal(counted(&rig, 2), 0); /* not enabled */
    nvidia_gpu_write32(rig.gpu, address, 1u << 31 | 0x16);
    run(&rig, 200000);
    uint64_t quads = counted(&rig, 2); /* 600,000 pixels in a ms */
    assert_in_range(quads, 29998, 30002);
    nvidia_gpu_write32(rig.gpu, address, 1u << 31 | 0x1b); /* late depth fails: 1000 in a ms */
    run(&rig, 200000);
    assert_in_range(counted(&rig, 2) - quads, 49, 51);
    quads = counted(&rig, 2);
    nvidia_gpu_write32(rig.gpu, address, 0x16);
    run(&rig, 200000);
    assert_in_range(counted(&rig, 2) - quads, 0, 1); /* the clock of the write */
    nvidia_gpu_write32(rig.gpu, address, 1u << 31 | 0x16);
    nvidia_gpu_reset(rig.gpu);
    count_signal(&rig, 2, (unsigned)signal);
    run(&rig, 200000);
    assert_int_equal(counted(&rig, 2), 0);
    end(&rig);
}

static void hear_left_out(void *closure, unsigned line, const char *message)
{
    assert_true(line > 0);
    strncat(closure, message, 4000 - strlen(closure));
    strcat(closure, "\n");
}

/* Units that drive nothing are named, once each. */
static void test_units_without_signals(void **state)
{
    char text[4100] = "";
    struct rig rig;
    struct nvidia_program *program;
    struct tally_error error = {0};
    (void)state;
    start(&rig, "g92", "compute");
    assert_int_equal(
        nvidia_program_new(rig.workload, rig.gpu, hear_left_out, text, &program, &error), 0);
    nvidia_program_free(program);
    end(&rig);
    assert_non_null(strstr(text, "eu.barriers: drives no signal of G92; ignored\n"));
    assert_null(strstr(text, "gpu.busy"));
    assert_null(strstr(text, "cs.active")); /* a part of shader_busy */
    assert_ptr_equal(strstr(strstr(text, "slm.reads") + 1, "slm.reads"), NULL);
}

/* Ratios of clocks are those of the table. */
static void test_clocks(void **state)
{
    static const struct {
        unsigned line;
        const char *chipset;
        unsigned domain;
        uint64_t hz;
    } rows[] = {
        {__LINE__, "g92", 0, 270000000},   {__LINE__, "g92", 1, 600000000},
        {__LINE__, "g92", 3, 1500000000},  {__LINE__, "g92", 4, 900000000},
        {__LINE__, "g92", 6, 450000000},   {__LINE__, "nv10", 0, 120000000},
        {__LINE__, "gf100", 0, 701298701}, {__LINE__, "mcp61", 3, 425196850},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        start(&rig, rows[i].chipset, "triangle");
        uint64_t second = rig.gpu->ticks_per_ns * UINT64_C(1000000000);
        uint64_t hz = second / rig.gpu->pcounter->domains[rows[i].domain].period;
        ROW(rows[i].line, hz == rows[i].hz, "%s: %" PRIu64 " Hz", rows[i].chipset, hz);
        end(&rig);
    }
    ROWS_DONE();
}

int run_nvidia_workload_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_drive),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_units_without_signals),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
