/* SPDX-License-Identifier: MIT */
/*
 * Makes the sample recordings of this folder: a GPU that draws, computes and idles by a fixed
 * schedule, seen through Haswell's, Cherryview's and Ice Lake's reports. Integer arithmetic only,
 * so the same bytes come out everywhere; a test compares them with the files.
 *
 * Usage: make_samples DIRECTORY
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "recording/format.h"

/* ---- what the GPU does --------------------------------------------------------------------- */

enum phase { IDLE, DRAW, SHADOW, COMPUTE, PHASES };

static const struct {
    enum phase phase;
    uint32_t context; /* 0: none */
    unsigned periods; /* how long, in sampling periods */
} schedule[] = {
    {IDLE, 0, 19},         {DRAW, 0x2000, 64}, {SHADOW, 0x2000, 22}, {IDLE, 0, 11},
    {COMPUTE, 0x3000, 52}, {DRAW, 0x2000, 61}, {SHADOW, 0x2000, 21}, {COMPUTE, 0x3000, 42},
    {IDLE, 0, 33},         {DRAW, 0x2000, 59},
};

/* What a counter counts in each phase. */
enum rate {
    PER_CLOCK,    /* thousandths of the clocks */
    PER_EU_CLOCK, /* thousandths of the clocks of all EUs */
    PER_MILLION,  /* events in a million clocks */
};

struct activity {
    uint8_t slot;
    uint8_t rate;
    uint32_t in_phase[PHASES];
};

#define A(n) (TALLY_SLOT_A + (n))
#define B(n) (TALLY_SLOT_B + (n))
#define C(n) (TALLY_SLOT_C + (n))

// clang-format off
/* Haswell: A counters by [O13]; C2 counts clocks, as the public basic sets program it. */
static const struct activity haswell[] = {
/*                           idle  draw    shadow  compute */
    { A(0),  PER_EU_CLOCK, {    0,   420,    230,    710 } },  /* EU array active */
    { A(1),  PER_EU_CLOCK, {    0,   310,    180,    190 } },  /* stalled */
    { A(2),  PER_EU_CLOCK, {    0,    70,    160,      0 } },  /* VS */
    { A(3),  PER_EU_CLOCK, {    0,    30,     90,      0 } },
    { A(5),  PER_MILLION,  {    0,  2100,   5200,      0 } },
    { A(17), PER_EU_CLOCK, {    0,     0,      0,    700 } },  /* CS */
    { A(18), PER_EU_CLOCK, {    0,     0,      0,    180 } },
    { A(20), PER_MILLION,  {    0,     0,      0,   9000 } },
    { A(27), PER_EU_CLOCK, {    0,   340,     60,      0 } },  /* PS */
    { A(28), PER_EU_CLOCK, {    0,   270,     80,      0 } },
    { A(30), PER_MILLION,  {    0, 26000,   8000,      0 } },
    { A(32), PER_MILLION,  {    0, 610000, 890000,     0 } },  /* HiZ pass */
    { A(33), PER_MILLION,  {    0, 120000, 310000,     0 } },
    { A(35), PER_MILLION,  {    0,  40000, 150000,     0 } },
    { A(36), PER_MILLION,  {    0,  11000,      0,     0 } },
    { A(38), PER_MILLION,  {    0,   2000,      0,     0 } },
    { A(39), PER_MILLION,  {    0,  25000,  31000,     0 } },
    { A(40), PER_MILLION,  {    0, 450000,      0,     0 } },  /* render target writes */
    { A(41), PER_CLOCK,    {    0,   960,    940,    990 } },  /* busy */
    { A(42), PER_CLOCK,    {    0,    20,    210,      0 } },
    { C(2),  PER_CLOCK,    { 1000,  1000,   1000,   1000 } },
};

/* Gen8 to Gen11: A counters by [C15] and [L21]; A7 to A20 as the basic sets program them. */
static const struct activity gen8[] = {
    { A(0),  PER_CLOCK,    {    0,   960,    940,    990 } },  /* busy */
    { A(1),  PER_MILLION,  {    0,  2100,   5200,      0 } },
    { A(4),  PER_MILLION,  {    0,     0,      0,   9000 } },
    { A(6),  PER_MILLION,  {    0, 26000,   8000,      0 } },
    { A(7),  PER_EU_CLOCK, {    0,   420,    230,    710 } },  /* active */
    { A(8),  PER_EU_CLOCK, {    0,   310,    180,    190 } },  /* stalled */
    { A(9),  PER_EU_CLOCK, {    0,   140,     60,    330 } },
    { A(10), PER_EU_CLOCK, {    0,    60,    150,      0 } },
    { A(11), PER_EU_CLOCK, {    0,    40,     90,      0 } },
    { A(12), PER_EU_CLOCK, {    0,    15,     30,      0 } },
    { A(13), PER_EU_CLOCK, {    0,   260,     40,    480 } },
    { A(14), PER_EU_CLOCK, {    0,   170,     20,    390 } },
    { A(15), PER_EU_CLOCK, {    0,   230,     35,      0 } },
    { A(16), PER_EU_CLOCK, {    0,   150,     15,      0 } },
    { A(17), PER_EU_CLOCK, {    0,    35,     10,      0 } },
    { A(18), PER_EU_CLOCK, {    0,   120,      8,      0 } },
    { A(19), PER_EU_CLOCK, {    0,   330,     55,      0 } },
    { A(20), PER_EU_CLOCK, {    0,   250,     70,      0 } },
    { A(21), PER_MILLION,  {    0, 170000, 260000,     0 } },  /* rasterized 2x2 */
    { A(22), PER_MILLION,  {    0,  30000,  80000,     0 } },
    { A(23), PER_MILLION,  {    0,  10000,  37000,     0 } },
    { A(24), PER_MILLION,  {    0,   2700,      0,     0 } },
    { A(25), PER_MILLION,  {    0,   6200,   7700,     0 } },
    { A(26), PER_MILLION,  {    0, 112000,      0,     0 } },
    { A(27), PER_MILLION,  {    0,  24000,      0,     0 } },
    { A(28), PER_MILLION,  {    0, 390000,  12000, 41000 } },
    { A(29), PER_MILLION,  {    0,  21000,    900,  5200 } },
    { A(30), PER_MILLION,  {    0,      0,      0, 88000 } },
    { A(31), PER_MILLION,  {    0,      0,      0, 52000 } },
    { A(32), PER_MILLION,  {    0,   7600,   1100, 97000 } },
    { A(34), PER_MILLION,  {    0,      0,      0,  3100 } },
    { A(35), PER_MILLION,  {    0,      0,      0,  1200 } },
    { B(0),  PER_CLOCK,    {    0,   500,    120,    200 } },
    { B(1),  PER_CLOCK,    {    0,   430,    100,    180 } },
    { C(0),  PER_MILLION,  {  100, 80000,  45000, 61000 } },
    { C(1),  PER_MILLION,  {  100, 52000,  20000, 70000 } },
};
// clang-format on

/* ---- what is recorded ---------------------------------------------------------------------- */

struct sample {
    const char *name;
    const char *layout;
    const char *uuid; /* of our RenderBasic in data/metrics */
    uint32_t device;
    uint32_t gpu_mhz;
    unsigned exponent; /* of the timer: a report every 2^(exponent + 1) ticks */
    unsigned valid_bit;
    const struct activity *activities;
    size_t activity_count;
};

static const struct sample samples[] = {
    {"hsw", "hsw/a45_b8_c8", "5f5f6e67-cb93-4922-9279-153db56d3ba6", 0x0412, 1100, 9, 0, haswell,
     ARRAY_COUNT(haswell)},
    {"chv", "chv/a32u40_a4u32_b8_c8", "a6b44360-60fc-43c5-8ecb-faa3c780f799", 0x22b1, 600, 9, 25,
     gen8, ARRAY_COUNT(gen8)},
    {"icl", "icl/a32u40_a4u32_b8_c8", "3bbc2ead-0bd0-474a-abdc-c43aeabab315", 0x8a52, 1000, 9, 16,
     gen8, ARRAY_COUNT(gen8)},
};

/* The unit's state, and the clock. */
struct gpu {
    const struct sample *sample;
    const struct tally_layout *layout;
    uint32_t eus;
    uint64_t timestamp_hz;
    uint64_t ticks;
    uint64_t slots[TALLY_SLOT_COUNT];
    uint64_t remainders[TALLY_SLOT_COUNT];
    uint64_t clock_remainder;
    uint64_t random;
};

#define GPU_START UINT64_C(0x3c5400200)
#define CPU_START UINT64_C(5025000000000)

static uint64_t next_random(struct gpu *gpu)
{
    gpu->random = gpu->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return gpu->random >> 33;
}

/* Lets the GPU run for some ticks of a phase. */
static void run(struct gpu *gpu, enum phase phase, uint64_t ticks)
{
    uint64_t product = ticks * gpu->sample->gpu_mhz * 1000000 + gpu->clock_remainder;
    uint64_t clocks = product / gpu->timestamp_hz;
    gpu->clock_remainder = product % gpu->timestamp_hz;
    gpu->ticks += ticks;
    gpu->slots[TALLY_SLOT_TICKS] += clocks;
    for (size_t i = 0; i < gpu->sample->activity_count; i++) {
        const struct activity *activity = &gpu->sample->activities[i];
        static const uint32_t scales[] = {1000, 1000, 1000000};
        uint64_t per = activity->in_phase[phase];
        uint64_t units = activity->rate == PER_EU_CLOCK ? clocks * gpu->eus : clocks;
        /* Ten percent up and down, but never more than every clock. */
        uint64_t noisy = per * (900 + next_random(gpu) % 201);
        uint64_t limit = scales[activity->rate] * UINT64_C(1000);
        if (per == scales[activity->rate] || noisy > limit)
            noisy = per * 1000;
        uint64_t total = units * noisy + gpu->remainders[activity->slot];
        gpu->slots[activity->slot] += total / limit;
        gpu->remainders[activity->slot] = total % limit;
    }
}

static int report(struct gpu *gpu, struct tally_recorder *recorder, unsigned reason,
                  uint32_t context, struct tally_error *error)
{
    uint8_t bytes[256];
    uint64_t ratio = gpu->sample->gpu_mhz * 3 / 50; /* in units of 16.67 MHz */
    gpu->slots[TALLY_SLOT_TIMESTAMP] = gpu->ticks;
    gpu->slots[TALLY_SLOT_CONTEXT] = context ? context : TALLY_CONTEXT_IDLE;
    gpu->slots[TALLY_SLOT_ID] = (uint64_t)reason << 19;
    if (!gpu->sample->valid_bit) /* Haswell: the timer's flag (OA-U10) */
        gpu->slots[TALLY_SLOT_ID] = 1 << 10;
    else if (context)
        gpu->slots[TALLY_SLOT_ID] |= UINT64_C(1) << gpu->sample->valid_bit;
    if (gpu->sample->valid_bit == 16)
        gpu->slots[TALLY_SLOT_ID] |= ratio | ratio << 25;
    tally_report_pack(gpu->layout, gpu->slots, bytes);
    return tally_recorder_write(recorder, TALLY_RECORD_SAMPLE, bytes, gpu->layout->size_bytes,
                                error);
}

/* What happens to the n-th timer report: delivered, or lost in one of the kernel's two ways. */
static int deliver(struct gpu *gpu, struct tally_recorder *recorder, unsigned number,
                   uint32_t context, struct tally_error *error)
{
    if (number == 61) /* the unit was still writing */
        return tally_recorder_write(recorder, TALLY_RECORD_REPORT_LOST, NULL, 0, error);
    if (number >= 131 && number < 137) /* the buffer overflowed */
        return number == 131
                   ? tally_recorder_write(recorder, TALLY_RECORD_BUFFER_LOST, NULL, 0, error)
                   : 0;
    return report(gpu, recorder, TALLY_REASON_TIMER, context, error);
}

static int correlate(const struct gpu *gpu, struct tally_recorder *recorder,
                     struct tally_error *error)
{
    uint64_t ns = scale_u64(gpu->ticks - GPU_START, NS_PER_SECOND, gpu->timestamp_hz);
    return tally_recorder_correlate(recorder, CPU_START + ns, gpu->ticks & low_bits(36), error);
}

static int record(struct gpu *gpu, struct tally_recorder *recorder, struct tally_error *error)
{
    uint64_t period = UINT64_C(2) << gpu->sample->exponent;
    uint64_t strobe = (gpu->ticks & ~(period - 1)) + period / 2; /* bit `exponent` rises */
    uint32_t context = 0;
    unsigned number = 0;
    static const char made_by[] = "make_samples: a modelled GPU that draws, computes and idles";
    uint8_t stream[STREAM_BYTES] = {0};
    store_le64(stream + STREAM_TIMER, period);
    store_le32(stream + STREAM_FLAGS, STREAM_MODELLED);
    int result =
        tally_recorder_write(recorder, TALLY_RECORD_PROVENANCE, made_by, sizeof made_by - 1, error);
    if (!result)
        result = tally_recorder_write(recorder, TALLY_RECORD_STREAM, stream, sizeof stream, error);
    if (!result)
        result = correlate(gpu, recorder, error);
    for (size_t i = 0; i < ARRAY_COUNT(schedule) && !result; i++) {
        /* The switch comes somewhere within a period, and from Gen8 on it writes a report. */
        bool switched = context != schedule[i].context;
        context = schedule[i].context;
        if (switched && gpu->sample->valid_bit) {
            uint64_t until = gpu->ticks + 1 + next_random(gpu) % (strobe - gpu->ticks - 1);
            run(gpu, schedule[i ? i - 1 : 0].phase, until - gpu->ticks);
            result = report(gpu, recorder, TALLY_REASON_CONTEXT_SWITCH, context, error);
        }
        for (unsigned n = 0; n < schedule[i].periods && !result; n++) {
            run(gpu, schedule[i].phase, strobe - gpu->ticks);
            result = deliver(gpu, recorder, number++, context, error);
            strobe += period;
        }
        if (i % 3 == 2 && !result)
            result = correlate(gpu, recorder, error);
    }
    run(gpu, IDLE, period);
    return result ? result : correlate(gpu, recorder, error);
}

static int make(const struct sample *sample, const char *directory, struct tally_error *error)
{
    struct tally_device device;
    struct tally_topology topology;
    struct tally_recorder *recorder;
    struct tally_device_info info = {.device_id = sample->device, .revision = 1};
    uint8_t topology_bytes[64];
    char path[4096];
    if (tally_device_find(sample->device, &device) < 0)
        return -ENODEV;
    tally_topology_default(device.platform, &topology);
    info.timestamp_hz = device.platform->timestamp_hz;
    info.gt_min_hz = device.platform->gt_min_mhz * 1000000u;
    info.gt_max_hz = device.platform->gt_max_mhz * 1000000u;
    info.oa_format = device.platform->default_format;
    strcpy(info.set_name, "RenderBasic");
    strcpy(info.set_uuid, sample->uuid);

    snprintf(path, sizeof path, "%s/%s.i915-perf", directory, sample->name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    struct gpu gpu = {
        .sample = sample,
        .layout = tally_layout_find(sample->layout),
        .eus = topology.eus,
        .timestamp_hz = info.timestamp_hz,
        .ticks = GPU_START,
        .random = sample->device,
    };
    /* Counters have run before; some wrap on the way. */
    for (unsigned slot = TALLY_SLOT_TICKS; slot < TALLY_SLOT_RESERVED; slot++)
        gpu.slots[slot] = UINT64_C(0xfffe000000) + next_random(&gpu) % 0x2000000;
    size_t size = tally_topology_format(&topology, topology_bytes, sizeof topology_bytes);
    int result = tally_recorder_new(fd, &info, topology_bytes, size, &recorder, error);
    if (!result) {
        result = record(&gpu, recorder, error);
        if (!result)
            result = tally_recorder_flush(recorder, error);
        tally_recorder_free(recorder);
    }
    if (close(fd) < 0 && !result)
        result = -errno;
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_samples DIRECTORY\n");
        return 2;
    }
    for (size_t i = 0; i < ARRAY_COUNT(samples); i++) {
        struct tally_error error = {0};
        int result = make(&samples[i], argv[1], &error);
        if (result < 0) {
            fprintf(stderr, "make_samples: %s: %s\n", samples[i].name,
                    error.code ? error.message : strerror(-result));
            return 1;
        }
    }
    return 0;
}
