/* SPDX-License-Identifier: MIT */
/*
 * Counting with PCOUNTER: how long plans take, and the samples of a session on all eight domains of
 * a G92, with 32 expressions and without the time of the modelled hardware; and recordings of
 * modelled GPUs with the free clock, against the time that they cover.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/capture.h>
#include <tally/pcounter.h>

#include "base/bits.h"
#include "bench.h"
#include "driver/perfmon/perfmon.h"
#include "nvidia/gpu/registers.h"

#define RUNS    9
#define MANY    1000
#define SAMPLES 20000

static char texts[MANY][96];
static struct perfmon_request requests[MANY];

static void fail_bench(const struct tally_error *error)
{
    fprintf(stderr, "bench_perfmon: %s\n", error->message);
    exit(1);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Requests by the names of a chipset's signals, over and over, with other signals of the domain. */
static void name_signals(const struct tally_chipset *chipset)
{
    size_t count = tally_signal_count(chipset);
    struct tally_signal signal;
    for (size_t i = 0; i < MANY; i++) {
        tally_signal_at(chipset, i % count, &signal);
        const char *domain = tally_domain_name(signal.domain);
        if (strstr(signal.name, "???") || signal.group_last > signal.group_first)
            snprintf(texts[i], sizeof texts[i], "%s:0x%02x & !0x%02zx", domain, signal.index,
                     i % 251);
        else if (signal.trailer)
            snprintf(texts[i], sizeof texts[i], "%s:%s | 0x%02zx", domain, signal.name, i % 251);
        else
            snprintf(texts[i], sizeof texts[i], "%s:0x%02x ^ 0x%02zx", domain, signal.index,
                     i % 251);
        requests[i] = (struct perfmon_request){
            .expression = texts[i], .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    }
}

static void bench_plan(const char *name, const char *what, unsigned group_size)
{
    const struct tally_chipset *chipset = tally_chipset_find(name);
    struct tally_error error = {0};
    struct perfmon_plan *plan;
    double seconds[RUNS];
    unsigned passes = 0;
    name_signals(chipset);
    for (unsigned i = 0; i < MANY && group_size; i++)
        requests[i].group = 1 + i / group_size;
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now();
        if (perfmon_plan_new(chipset, requests, MANY, 0, &plan, &error) < 0)
            fail_bench(&error);
        seconds[run] = bench_now() - start;
        passes = plan->passes;
        perfmon_plan_free(plan);
    }
    printf("  %-44s %8.1f ms  %4u passes   goal < 100 ms\n", what,
           bench_median(seconds, RUNS) * 1e3, passes);
}

/* ---- a session ------------------------------------------------------------------------------- */

struct hardware {
    struct tally_pcounter *engine;
    uint64_t accesses;
};

static bool is_pcounter(uint32_t address)
{
    return address >= PCOUNTER_BASE && address < PCOUNTER_BASE + PCOUNTER_SIZE;
}

static uint32_t read32(void *closure, uint32_t address)
{
    struct hardware *hardware = closure;
    hardware->accesses++;
    return is_pcounter(address) ? tally_pcounter_read32(hardware->engine, address) : 0;
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    static const uint64_t one[] = {1};
    struct hardware *hardware = closure;
    hardware->accesses++;
    if (is_pcounter(address)) {
        tally_pcounter_write32(hardware->engine, address, value);
        return;
    }
    const struct tally_wave pulse = tally_wave_once(one, 1);
    for (unsigned i = 0; i < tally_pcounter_domains(hardware->engine); i++) {
        struct tally_pcounter_domain domain;
        tally_pcounter_domain(hardware->engine, i, &domain);
        tally_pcounter_attach(hardware->engine, i, domain.trailer_base + 0x0f, &pulse);
    }
}

static uint64_t now_ns(void *closure)
{
    return tally_pcounter_now(((struct hardware *)closure)->engine);
}

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    (void)interruptible;
    tally_pcounter_run(((struct hardware *)closure)->engine, ns);
    return 0;
}

static void bench_session(void)
{
    const struct tally_chipset *chipset = tally_chipset_find("g92");
    struct hardware hardware = {NULL, 0};
    const struct driver_io io = {read32, write32, now_ns, sleep_ns, &hardware};
    struct perfmon_session *session;
    struct perfmon_sample sample;
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    double seconds[RUNS];
    for (unsigned i = 0; i < 32; i++) {
        snprintf(texts[i], sizeof texts[i], "%u:0x%02x & !0x%02x", i % 8, i, i + 1);
        requests[i] = (struct perfmon_request){
            .expression = texts[i], .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    }
    if (tally_pcounter_new(chipset, &hardware.engine, &error) < 0 ||
        perfmon_plan_new(chipset, requests, 32, 0, &plan, &error) < 0 ||
        perfmon_session_new(chipset, &io, 0, &session, &error) < 0 ||
        perfmon_session_start(session, plan, 0, &error) < 0)
        fail_bench(&error);
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now(), hardware_seconds = 0;
        hardware.accesses = 0;
        for (unsigned i = 0; i < SAMPLES; i++) {
            double before = bench_now();
            tally_pcounter_run(hardware.engine, 100);
            hardware_seconds += bench_now() - before;
            if (perfmon_session_sample(session, &sample, &error) < 0 || sample.flags)
                fail_bench(&error);
        }
        seconds[run] = (bench_now() - start - hardware_seconds) / SAMPLES;
    }
    printf("  %-44s %8.1f us  %4u accesses\n", "a sample of all eight domains of a G92",
           bench_median(seconds, RUNS) * 1e6, (unsigned)(hardware.accesses / SAMPLES));
    perfmon_session_free(session);
    perfmon_plan_free(plan);
    tally_pcounter_free(hardware.engine);
}

static int ignore_records(void *closure, const void *records, size_t size)
{
    (void)closure, (void)records, (void)size;
    return 0;
}

/* ---- recordings ------------------------------------------------------------------------------ */

#define RECORDED_NS  UINT64_C(60000000000)
#define RECORDINGS   5
#define RECORD_GOAL  1000.0 /* multiple of real time */
#define GOAL_FROM_NS 10000000u

/* Records a modelled GPU with a workload and the free clock; returns the seconds that it takes. */
static double record(const char *device_name, uint64_t period_ns)
{
    struct tally_capture_device_options device = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
    struct tally_capture *capture;
    struct tally_error error = {0};
    device.clock = TALLY_CAPTURE_FREE;
    device.workload = "data/workloads/triangle.yaml";
    options.metrics = "data/metrics";
    options.period_ns = period_ns;
    options.duration_ns = RECORDED_NS;
    options.records = ignore_records;
    if (tally_capture_open(device_name, &device, &capture, &error) < 0)
        fail_bench(&error);
    double start = bench_now();
    if (tally_capture_run(capture, &options, &error) < 0)
        fail_bench(&error);
    double seconds = bench_now() - start;
    const struct tally_capture_stats *stats = tally_capture_stats(capture);
    if (stats->reports < RECORDED_NS / period_ns || stats->counts_lost)
        fail_bench(&(struct tally_error){.message = "the recording is not complete"});
    tally_capture_close(capture);
    return seconds;
}

static bool bench_recording(const char *device, uint64_t period_ns)
{
    double seconds[RECORDINGS];
    char what[64];
    for (unsigned run = 0; run < RECORDINGS; run++)
        seconds[run] = record(device, period_ns);
    double rate = (double)RECORDED_NS / 1e9 / bench_median(seconds, RECORDINGS);
    bool has_goal = period_ns >= GOAL_FROM_NS;
    snprintf(what, sizeof what, "recording %s, triangle, every %u ms", device,
             (unsigned)(period_ns / 1000000));
    printf("  %-44s %8.0f x real time", what, rate);
    if (has_goal)
        printf("   goal %.0f x %s", RECORD_GOAL, rate >= RECORD_GOAL ? "met" : "MISSED");
    printf("\n");
    return !has_goal || rate >= RECORD_GOAL;
}

int main(void)
{
    static const char *const devices[] = {"sim:g92", "sim:gf100"};
    printf("Sessions on PCOUNTER\n");
    bench_plan("g92", "a plan of 1,000 expressions, g92", 0);
    bench_plan("g92", "the same in pairs", 2);
    bench_plan("gf100", "a plan of 1,000 expressions, gf100", 0);
    bench_session();
    bool met = true;
    for (size_t i = 0; i < ARRAY_COUNT(devices); i++)
        for (uint64_t period_ns = 1000000; period_ns <= 100000000; period_ns *= 10)
            met &= bench_recording(devices[i], period_ns);
    return met ? 0 : 1;
}
