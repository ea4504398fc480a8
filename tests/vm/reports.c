/* SPDX-License-Identifier: MIT */
/*
 * MI_REPORT_PERF_COUNT around work of known size, with a perf stream open. The stream has a set
 * whose B counters count no clock or every clock, like the first ones of TestOa.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define EXPONENT    11
#define PERIOD      (1u << (EXPONENT + 1)) /* ticks of the timestamp */
#define NOOPS       8192
#define SLACK       64 /* clocks of the commands between two reports, beside NOOPs */
#define SPIN_MS     6
#define RECORDED_MS 200 /* of a recorder that runs beside the client */
#define MAX_REPORTS 20000

#define REPORT_BYTES  256u
#define REPORT(n)     (REPORT_BYTES * (1 + (n)))
#define INVALID_ID    UINT32_MAX
#define REASON(dword) ((dword) >> 19 & 0x3f)
#define TIMER         1u
#define SWITCH        8u

enum { ID, TIMESTAMP, CONTEXT, TICKS, B0 = 48 }; /* dwords; HSW has neither CONTEXT nor TICKS */

typedef uint32_t report[REPORT_BYTES / 4];

/* What B0 to B7 count: every clock, or none. */
static const bool every_clock[8] = {false, true, true, false, true, true, false, true};

static report *stream_reports;
static unsigned stream_count;

/* ---- the metric set ---- */

#define EVENTS       8
#define START_EVENTS 0xf0800000u /* at once; B counters count events */

/* Adds the set. Returns its number. */
static uint64_t add_set(const struct gpu *gpu)
{
    static const char uuid[] = "5c6fd2d5-8e0a-4f7b-9a3e-2d1b7f0c4e61";
    static const uint32_t compare[EVENTS] = {4, 3, 7, 4, 3, 7, 4, 3};
    uint32_t list[2 * (4 + 2 * 2 * EVENTS)], count = 0;
    uint32_t mux[] = {gpu->generation < 11 ? 0x9840 : 0x0d04, gpu->generation < 11 ? 0x80 : 0x200};
    uint32_t start = gpu->generation < 12 ? 0x2710 : 0xd900;
    uint32_t events[] = {gpu->generation < 12 ? 0x2770 : 0xd940, gpu->generation < 12 ? 0 : 0xdc00};
    for (unsigned i = 0; i < 2; i++) {
        list[count++] = start + 16 * i;
        list[count++] = 0;
        list[count++] = start + 16 * i + 4;
        list[count++] = START_EVENTS;
    }
    for (unsigned group = 0; group < 2; group++)
        for (unsigned i = 0; events[group] && i < EVENTS; i++) {
            list[count++] = events[group] + 8 * i;
            list[count++] = compare[i];
            list[count++] = events[group] + 8 * i + 4;
            list[count++] = gpu->generation >= 11 ? 0xffff : 0;
        }
    struct drm_i915_perf_oa_config config = {
        .n_mux_regs = 1,
        .n_boolean_regs = count / 2,
        .mux_regs_ptr = (uintptr_t)mux,
        .boolean_regs_ptr = (uintptr_t)list,
    };
    memcpy(config.uuid, uuid, sizeof config.uuid);
    int set = ioctl(gpu->fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
    if (set < 0)
        stop("DRM_IOCTL_I915_PERF_ADD_CONFIG");
    return (uint64_t)set;
}

static void remove_set(const struct gpu *gpu, uint64_t set)
{
    if (ioctl(gpu->fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &set) < 0)
        stop("DRM_IOCTL_I915_PERF_REMOVE_CONFIG");
}

/* ---- the stream ---- */

static int stream_open(const struct gpu *gpu, uint64_t set, uint32_t context)
{
    uint64_t properties[] = {
        DRM_I915_PERF_PROP_SAMPLE_OA,
        1,
        DRM_I915_PERF_PROP_OA_METRICS_SET,
        set,
        DRM_I915_PERF_PROP_OA_FORMAT,
        gpu->generation < 8 ? I915_OA_FORMAT_A45_B8_C8 : I915_OA_FORMAT_A32u40_A4u32_B8_C8,
        DRM_I915_PERF_PROP_OA_EXPONENT,
        EXPONENT,
        DRM_I915_PERF_PROP_CTX_HANDLE,
        context,
    };
    struct drm_i915_perf_open_param param = {
        .flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK,
        .num_properties = sizeof properties / 16 - !context,
        .properties_ptr = (uintptr_t)properties,
    };
    int fd = ioctl(gpu->fd, DRM_IOCTL_I915_PERF_OPEN, &param);
    if (fd < 0)
        stop("DRM_IOCTL_I915_PERF_OPEN");
    stream_count = 0;
    return fd;
}

/* Appends all reports that the driver has. */
static void stream_read(int fd)
{
    static uint8_t buffer[1 << 20];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; at < got;) {
            struct drm_i915_perf_record_header header;
            memcpy(&header, buffer + at, sizeof header);
            if (header.type != DRM_I915_PERF_RECORD_SAMPLE)
                check(false, "stream: a record of type %u", header.type);
            else if (stream_count < MAX_REPORTS)
                memcpy(stream_reports[stream_count++], buffer + at + sizeof header, REPORT_BYTES);
            at += header.size;
        }
    check(got < 0 && errno == EAGAIN, "stream: read: %s", got ? strerror(errno) : "nothing");
}

static void sleep_ms(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000l}, NULL);
}

/* ---- the batch ---- */

struct measured {
    report reports[3]; /* before and behind the NOOPs, and behind the spin */
};

/* Reports, executes NOOPs, reports, spins, reports. */
static void measure(const struct gpu *gpu, uint32_t context, unsigned ms, struct measured *out)
{
    struct object target;
    struct batch batch;
    object_create(gpu, &target, 4096);
    batch_begin(gpu, &batch, &target);
    batch_report(gpu, &batch, REPORT(0), 0x1000);
    for (unsigned i = 0; i < NOOPS; i++)
        batch_add(&batch, 0);
    batch_report(gpu, &batch, REPORT(1), 0x1001);
    batch_store(gpu, &batch, 0, 1);
    unsigned jump = batch.count;
    batch_jump(gpu, &batch, jump);
    unsigned end = batch.count;
    batch_report(gpu, &batch, REPORT(2), 0x1002);
    batch_end(&batch);
    int fence = batch_submit(gpu, &batch, context, 0, -1);
    for (unsigned i = 0; !target.map[0] && i < 2000; i++)
        sleep_ms(1);
    sleep_ms(ms);
    batch.object.map[jump + 1] += 4 * (end - jump); /* it jumps behind the jump now */
    int status = fence < 0 ? fence : fence_wait(fence);
    check(status == 1, "reports: status %d", status);
    for (unsigned n = 0; n < 3; n++)
        for (unsigned i = 0; i < REPORT_BYTES / 4; i++)
            out->reports[n][i] = target.map[REPORT(n) / 4 + i];
    batch_free(gpu, &batch);
    object_free(gpu, &target);
}

/* ---- checks ---- */

static uint32_t delta(const uint32_t *from, const uint32_t *to, unsigned dword)
{
    return to[dword] - from[dword];
}

static void check_events(const char *what, const uint32_t *from, const uint32_t *to)
{
    uint32_t clocks = delta(from, to, B0 + 1);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t counted = delta(from, to, B0 + i), expected = every_clock[i] ? clocks : 0;
        check(counted == expected, "%s: B%u is %u of %u clocks, expected %u", what, i, counted,
              clocks, expected);
    }
}

static void check_measured(const struct gpu *gpu, const struct measured *m, bool counts)
{
    const uint32_t *first = m->reports[0], *last = m->reports[2];
    for (unsigned n = 0; n < 3; n++) {
        const uint32_t *r = m->reports[n];
        check(r[ID] == 0x1000 + n, "report %u: id %08x", n, r[ID]);
        check(gpu->generation < 8 || r[CONTEXT] == first[CONTEXT],
              "report %u: context %08x, not %08x", n, r[CONTEXT], first[CONTEXT]);
    }
    check((int32_t)delta(first, m->reports[1], TIMESTAMP) > 0 &&
              (int32_t)delta(m->reports[1], last, TIMESTAMP) > 0,
          "timestamps %08x %08x %08x", first[TIMESTAMP], m->reports[1][TIMESTAMP], last[TIMESTAMP]);
    if (!counts)
        return;
    uint32_t clocks = delta(first, m->reports[1], B0 + 1);
    check(clocks >= NOOPS && clocks <= NOOPS + SLACK, "%u NOOPs take %u clocks", NOOPS, clocks);
    check_events("NOOPs", first, m->reports[1]);
    check_events("spin", m->reports[1], last);
    check(gpu->generation < 8 || delta(first, last, TICKS) == delta(first, last, B0 + 1),
          "%u ticks, %u clocks", delta(first, last, TICKS), delta(first, last, B0 + 1));
}

static bool is_between(const uint32_t *r, const struct measured *m)
{
    return (int32_t)delta(m->reports[0], r, TIMESTAMP) > 0 &&
           (int32_t)delta(r, m->reports[2], TIMESTAMP) > 0;
}

/* The stream's reports of the same time: the same context, and counters between those of the batch
 * or, where the batch has counters of its own, that advance alike. */
static void check_inside(const struct gpu *gpu, const struct measured *m, bool same_counters)
{
    const uint32_t *first = NULL, *last = NULL, *before = m->reports[0], *after = m->reports[2];
    unsigned inside = 0;
    for (unsigned i = 0; i < stream_count; i++) {
        const uint32_t *r = stream_reports[i];
        if (!is_between(r, m))
            continue;
        first = first ? first : r;
        last = r;
        inside++;
        check(gpu->generation < 8 || r[CONTEXT] == before[CONTEXT],
              "a report inside the batch: context %08x, not %08x", r[CONTEXT], before[CONTEXT]);
        check(!same_counters ||
                  ((int32_t)delta(before, r, B0 + 1) >= 0 && (int32_t)delta(r, after, B0 + 1) >= 0),
              "a report inside the batch: %08x clocks, not from %08x to %08x", r[B0 + 1],
              before[B0 + 1], after[B0 + 1]);
    }
    uint32_t span = delta(before, after, TIMESTAMP);
    check(inside + 1 >= span / PERIOD && inside <= span / PERIOD + 2,
          "%u reports inside %u ticks, period %u", inside, span, PERIOD);
    if (!last || first == last)
        return;
    check_events("the stream", first, last);
    double clocks = delta(before, after, B0 + 1), stream = delta(first, last, B0 + 1);
    double ratio = stream / delta(first, last, TIMESTAMP) / (clocks / span);
    check(!clocks || (ratio > 0.99 && ratio < 1.01),
          "the stream's clocks a tick are %.3f of the batch's", ratio);
}

/* A context switch is reported when the batch's context is loaded, and when it is left. */
static void check_switches(const struct measured *m)
{
    const uint32_t *loaded = NULL, *left = NULL;
    for (unsigned i = 0; i < stream_count; i++) {
        const uint32_t *r = stream_reports[i];
        if (!(REASON(r[ID]) & SWITCH))
            continue;
        if ((int32_t)delta(r, m->reports[0], TIMESTAMP) >= 0)
            loaded = r;
        else if (!left && (int32_t)delta(m->reports[2], r, TIMESTAMP) >= 0)
            left = r;
    }
    check(loaded && loaded[CONTEXT] == m->reports[0][CONTEXT],
          "no report of a switch to context %08x", m->reports[0][CONTEXT]);
    check(left && left[CONTEXT] != m->reports[0][CONTEXT],
          "no report of a switch from context %08x", m->reports[0][CONTEXT]);
    if (loaded && left)
        check(delta(loaded, m->reports[0], TIMESTAMP) < PERIOD &&
                  delta(m->reports[2], left, TIMESTAMP) < PERIOD,
              "the context was loaded for %u ticks, its batch ran for %u",
              delta(loaded, left, TIMESTAMP), delta(m->reports[0], m->reports[2], TIMESTAMP));
}

/* Timestamps never decrease; the timer's are one period apart. */
static void check_timer(const struct gpu *gpu, bool filtered)
{
    const uint32_t *previous = NULL;
    for (unsigned i = 0; i < stream_count; i++) {
        const uint32_t *r = stream_reports[i];
        check(!i || (int32_t)delta(stream_reports[i - 1], r, TIMESTAMP) >= 0,
              "report %u of the stream: timestamp %08x after %08x", i, r[TIMESTAMP],
              i ? stream_reports[i - 1][TIMESTAMP] : 0);
        if (gpu->generation >= 8 && !(REASON(r[ID]) & TIMER))
            continue;
        if (previous && !(filtered && gpu->generation < 8))
            check(delta(previous, r, TIMESTAMP) == PERIOD, "the timer: %u ticks, expected %u",
                  delta(previous, r, TIMESTAMP), PERIOD);
        previous = r;
    }
}

/* A stream of one context has no other context's id. */
static void check_filter(uint32_t context)
{
    for (unsigned i = 0; i < stream_count; i++)
        check(stream_reports[i][CONTEXT] == context || stream_reports[i][CONTEXT] == INVALID_ID,
              "a stream of context %08x: a report of %08x", context, stream_reports[i][CONTEXT]);
}

/* ---- tests ---- */

/* From Gen12 on a batch counts with a unit of its own, which the driver starts for a stream of its
 * context only. */
static void measure_with(const struct gpu *gpu, int fd, uint32_t context, bool filtered,
                         const char *what)
{
    struct measured m;
    bool own = gpu->generation >= 12;
    stream_count = 0;
    measure(gpu, context, SPIN_MS, &m);
    sleep_ms(3);
    stream_read(fd);
    check_measured(gpu, &m, filtered || !own);
    check_inside(gpu, &m, !own);
    check_timer(gpu, filtered);
    if (gpu->generation >= 8)
        check_switches(&m);
    if (gpu->generation >= 8 && filtered)
        check_filter(m.reports[0][CONTEXT]);
    printf("reports %s %u\n", what, stream_count);
    fflush(stdout);
}

void test_reports(struct gpu *gpu)
{
    stream_reports = calloc(MAX_REPORTS, sizeof *stream_reports);
    if (!stream_reports)
        stop("memory");
    uint32_t context = context_create(gpu, true);
    uint64_t set = add_set(gpu);
    for (unsigned filtered = 0; filtered < 2; filtered++) {
        int fd = stream_open(gpu, set, filtered ? context : 0);
        measure_with(gpu, fd, context, filtered, filtered ? "filtered" : "global");
        if (!filtered) {
            test_hang(gpu);
            stream_read(fd);
            measure_with(gpu, fd, context, filtered, "after-reset");
        }
        close(fd);
    }
    remove_set(gpu, set);
    context_destroy(gpu, context);
    free(stream_reports);
}

/* For a recorder that runs beside the client. */
void test_recorded(struct gpu *gpu)
{
    struct measured m;
    uint32_t context = context_create(gpu, true);
    measure(gpu, context, RECORDED_MS, &m);
    printf("recorded %u %u %d\n", m.reports[0][CONTEXT],
           delta(m.reports[0], m.reports[2], TIMESTAMP),
           gpu_parameter(gpu, I915_PARAM_CS_TIMESTAMP_FREQUENCY));
    context_destroy(gpu, context);
}
