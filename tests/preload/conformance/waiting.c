/* SPDX-License-Identifier: MIT */
/* How long reads and polls wait, and how often they wake. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

#define DEFAULT_TICK 5000000u
#define READ_BYTES   (1u << 20) /* size of a read, as in IGT's test */

static uint64_t length_ns(void)
{
    return at_full_length() ? 10000000000 : 600000000;
}

static uint64_t system_ns(void)
{
    struct rusage usage;
    WORKS(getrusage(RUSAGE_SELF, &usage));
    return (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u;
}

static void latency_zero(void)
{
    FILE *file = fopen("/dev/cpu_dma_latency", "w");
    CHECK(file, "%s", strerror(errno));
    fclose(file);
}

/* ---- counting wakes -------------------------------------------------------------------------- */

struct wakes {
    unsigned with_timer, others; /* reads with and without a timer report */
    uint64_t lasted_ns, system_ns;
};

static void count_read(const struct device *device, unsigned exponent, const uint8_t *bytes,
                       size_t size, struct wakes *wakes)
{
    const struct drm_i915_perf_record_header *header;
    bool timer = false;
    for (size_t at = 0; (header = next_record(bytes, size, &at));)
        timer = timer || (header->type == DRM_I915_PERF_RECORD_SAMPLE &&
                          is_periodic(device, exponent, (const uint8_t *)(header + 1)));
    *(timer ? &wakes->with_timer : &wakes->others) += 1;
}

static uint64_t slower(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * Reports are written once per period, and become visible at ticks of the kernel's timer. So there
 * is at most one read per period or tick, whichever is longer, and at least one per period plus six
 * fifths of a tick. With the default tick at most 1 % of the time is spent in the kernel, 10 % of a
 * short run.
 */
static void check_wakes(const struct wakes *wakes, uint64_t period, uint64_t tick)
{
    uint64_t looked = tick ? tick : DEFAULT_TICK;
    uint64_t most = length_ns() / slower(period, looked) + 2;
    uint64_t least = length_ns() / (period + looked + looked / 5);
    CHECK(wakes->with_timer <= most, "%u reads, expected at most %llu", wakes->with_timer,
          (unsigned long long)most);
    CHECK(wakes->with_timer > least, "%u reads, expected more than %llu", wakes->with_timer,
          (unsigned long long)least);
    CHECK(tick || wakes->system_ns <= wakes->lasted_ns / 100 * (at_full_length() ? 1 : 10),
          "%llu us of %llu in the kernel", (unsigned long long)wakes->system_ns / 1000,
          (unsigned long long)wakes->lasted_ns / 1000);
}

static void wait_by_poll(int stream)
{
    struct pollfd entry = {.fd = stream, .events = POLLIN};
    int ready = poll(&entry, 1, -1);
    CHECK(ready == 1 && entry.revents == POLLIN, "%d, 0x%x", ready, (unsigned)entry.revents);
}

/* Reads for a given time, and waits in read() or in poll(). */
static void count_wakes(const struct device *device, uint64_t wanted, uint64_t tick, bool polls)
{
    unsigned exponent = exponent_of(device, wanted);
    struct properties p = sampling_every(device, 0, exponent);
    struct wakes wakes = {0};
    static uint8_t bytes[READ_BYTES];
    latency_zero();
    if (tick)
        p = with(p, DRM_I915_PERF_PROP_POLL_OA_PERIOD, tick);
    int stream =
        open_stream(device, I915_PERF_FLAG_DISABLED | (polls ? I915_PERF_FLAG_FD_NONBLOCK : 0), p);
    uint64_t system = system_ns(), start = wall_ns();
    WORKS(call(stream, I915_PERF_IOCTL_ENABLE, NULL));
    while (wall_ns() - start < length_ns()) {
        if (polls)
            wait_by_poll(stream);
        ssize_t size = read(stream, bytes, sizeof bytes);
        CHECK(size > 0, "%s", strerror(errno));
        count_read(device, exponent, bytes, (size_t)size, &wakes);
        if (polls && wanted >= 40000000) /* the next report is far off */
            FAILS(read(stream, bytes, sizeof bytes), EAGAIN);
    }
    wakes.system_ns = system_ns() - system;
    wakes.lasted_ns = wall_ns() - start;
    close(stream);
    check_wakes(&wakes, period_of(device, exponent), tick);
}

/* ---- blocking -------------------------------------------------------------------------------- */

static void blocking(struct device *device)
{
    count_wakes(device, 40000000, 0, false);
}

/* One process per group of engines; the GPU has one group. */
static void blocking_by_group(struct device *device)
{
    in_child(device, false, blocking);
}

static void blocking_parameterized(struct device *device)
{
    count_wakes(device, 10000000, 40000000, false);
    count_wakes(device, 500000, 2000000, false);
}

/* ---- polling --------------------------------------------------------------------------------- */

static void polling(struct device *device)
{
    count_wakes(device, 40000000, 0, true);
}

static void polling_parameterized(struct device *device)
{
    count_wakes(device, 10000000, 40000000, true);
    count_wakes(device, 500000, 2000000, true);
}

/* Reads three records at a time: POLLIN must remain set while more are available. Their total
 * number depends on how often the program reads, and so with the wall clock on the machine's load.
 */
static void polling_small(struct device *device)
{
    unsigned exponent = exponent_of(device, 40000);
    const uint64_t length = 80000000, record = 8u + format_of_all(device)->size;
    int stream = open_stream(device, I915_PERF_FLAG_DISABLED | I915_PERF_FLAG_FD_NONBLOCK,
                             sampling_every(device, 0, exponent));
    uint8_t bytes[1024];
    uint64_t got = 0, start = wall_ns();
    unsigned full = 0;
    WORKS(call(stream, I915_PERF_IOCTL_ENABLE, NULL));
    for (uint64_t now = start; now - start < length; now = wall_ns()) {
        struct timespec left = {0, (long)(length - (now - start))};
        struct pollfd entry = {.fd = stream, .events = POLLIN};
        if (ppoll(&entry, 1, &left, NULL) != 1)
            continue;
        ssize_t size = read(stream, bytes, sizeof bytes);
        CHECK(size > 0, "POLLIN, but %s", strerror(errno));
        got += (uint64_t)size;
        if ((uint64_t)size + record <= sizeof bytes)
            continue;
        full++; /* stopped because the space was full, or exactly then */
        if (poll(&entry, 1, 0) == 0)
            FAILS(read(stream, bytes, sizeof bytes), EAGAIN);
    }
    uint64_t lasted = wall_ns() - start, expected = lasted / period_of(device, exponent) * record;
    close(stream);
    CHECK(full > 10, "%u reads were full", full);
    CHECK(got <= expected + expected / 5, "%llu bytes of %llu", (unsigned long long)got,
          (unsigned long long)expected);
    CHECK(!keeps_time() || got >= expected - expected / 5, "%llu bytes of %llu",
          (unsigned long long)got, (unsigned long long)expected);
}

static const struct subtest rows[] = {
    {"blocking", ALL, 0, NULL,
     "ten seconds of blocking reads at 40 ms or less: at most one read per period, at least one "
     "per "
     "period plus 6 ms, and almost no time in the kernel",
     blocking, true, true},
    {"gen12-group-concurrent-oa-buffer-read", GEN12, 6, NULL,
     "blocking reads in one process for each group of engines, of which there is one",
     blocking_by_group, true, true},
    {"blocking-parameterized", ALL, 5, NULL,
     "blocking reads with reports every 10 ms and checks every 40 ms, and with 500 us and 2 ms",
     blocking_parameterized, false, true},
    {"polling", ALL, 0, NULL,
     "poll() before each read: the read returns data, a second one EAGAIN, and the limits are "
     "those of blocking reads",
     polling, true, true},
    {"polling-parameterized", ALL, 5, NULL,
     "polling with reports every 10 ms and checks every 40 ms, and with 500 us and 2 ms",
     polling_parameterized, false, true},
    {"polling-small-buf", ALL, 0, NULL,
     "80 ms at 40 us or less, 1024 bytes per read: poll() returns at once while data is left; at "
     "most "
     "a fifth of the expected reports are missing",
     polling_small, false, true},
};
GROUP(waiting_group, rows);
