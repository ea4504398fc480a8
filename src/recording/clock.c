/* SPDX-License-Identifier: MIT */
#include "recording/clock.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/minmax.h"
#include "base/ratio.h"

/* The TIMESTAMP register counts in 36 bits (OA-1.6). */
#define REGISTER_BITS 36
#define POINTS_MAX    65536

/* Returns the time nearest to `near` whose low 32 bits are those of `stamp`. */
static uint64_t nearest(uint64_t near, uint64_t stamp)
{
    int64_t step = (int32_t)(uint32_t)(stamp - near);
    if (step < 0 && (uint64_t)-step > near)
        step += INT64_C(1) << 32;
    return near + (uint64_t)step;
}

/*
 * Tolerances for detecting jumps, in ppm: deviation of the two clocks from the documented
 * frequency, and from the ratio measured before; used if at least MEASURED_NS was measured.
 * READING_NS is the uncertainty of reading both clocks at the same time.
 */
#define NOMINAL_PPM  500
#define MEASURED_PPM 100
#define READING_NS   100000
#define MEASURED_NS  (NS_PER_SECOND / 2)

static uint64_t find_jump(const struct clock_line *clock, uint64_t cpu_ns, uint64_t advance)
{
    const struct tally_correlation *from = &clock->since, *to = &clock->point;
    uint64_t passed = cpu_ns - to->cpu_ns, measured = to->cpu_ns - from->cpu_ns;
    bool known = measured >= MEASURED_NS;
    uint64_t expected = known ? scale_u64(passed, to->gpu_ticks - from->gpu_ticks, measured)
                              : scale_u64(passed, clock->timestamp_hz, NS_PER_SECOND);
    uint64_t slack = scale_u64(passed, known ? MEASURED_PPM : NOMINAL_PPM, 1000000) + READING_NS;
    slack = scale_u64(slack, clock->timestamp_hz, NS_PER_SECOND);
    return advance > expected && advance - expected > slack ? advance - expected : 0;
}

bool clock_correlate(struct clock_line *clock, uint64_t cpu_ns, uint64_t gpu_raw)
{
    uint64_t ticks = gpu_raw << clock->shift;
    clock->jump = 0;
    if (clock->has_point) {
        if (cpu_ns < clock->point.cpu_ns)
            return false;
        uint64_t wrap = UINT64_C(1) << (REGISTER_BITS + clock->shift);
        uint64_t advance = (ticks - clock->point.gpu_ticks) & (wrap - 1);
        uint64_t expected =
            scale_u64(cpu_ns - clock->point.cpu_ns, clock->timestamp_hz, NS_PER_SECOND);
        /* Add the whole wraps between the points, according to the CPU time. */
        if (expected > advance)
            advance += (expected - advance + wrap / 2) / wrap * wrap;
        ticks = clock->point.gpu_ticks + advance;
        clock->jump = find_jump(clock, cpu_ns, advance);
    } else if (clock->has_report) {
        /* Reports came first (file of a flight recorder): stay on their time line. */
        ticks = nearest(clock->report, ticks);
    }
    clock->point = (struct tally_correlation){cpu_ns, ticks};
    if (!clock->has_point || clock->jump)
        clock->since = clock->point;
    clock->has_point = true;
    return true;
}

uint64_t clock_align(struct clock_line *clock, uint64_t timestamp)
{
    if (!clock->has_point || clock->has_report)
        return 0;
    uint64_t wrap = UINT64_C(1) << (REGISTER_BITS + clock->shift);
    uint64_t wraps = (timestamp - clock->point.gpu_ticks + wrap / 2) & ~(wrap - 1);
    clock->point.gpu_ticks += wraps;
    clock->since.gpu_ticks += wraps;
    return wraps;
}

bool clock_unwrap(struct clock_line *clock, uint64_t timestamp, unsigned width, uint64_t *out)
{
    uint64_t time = timestamp;
    if (width == 32 && (clock->has_point || clock->has_report)) {
        uint64_t near = clock->has_report ? clock->report : clock->point.gpu_ticks;
        if (clock->has_point && clock->point.gpu_ticks > near)
            near = clock->point.gpu_ticks;
        time = nearest(near, timestamp);
    }
    bool sorted = !clock->has_report || time >= clock->report;
    clock->has_report = true;
    clock->report = time;
    *out = time;
    return sorted;
}

void points_fini(struct point_list *list)
{
    free(list->points);
    *list = (struct point_list){0};
}

/* Drops every other point. Long recordings with one point per second reach POINTS_MAX. */
static void thin(struct point_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i += 2)
        list->points[kept++] = list->points[i];
    list->count = kept;
    list->thinned++;
}

void points_add(struct point_list *list, struct tally_correlation point)
{
    if (list->seen++ % (UINT64_C(1) << list->thinned))
        return;
    if (list->count == POINTS_MAX)
        thin(list);
    struct tally_correlation *points =
        array_grow(list->points, &list->capacity, list->count, sizeof *points);
    if (!points)
        return;
    list->points = points;
    points[list->count++] = point;
}

void points_move(struct point_list *list, uint64_t ticks)
{
    for (size_t i = 0; ticks && i < list->count; i++)
        list->points[i].gpu_ticks += ticks;
}

static uint64_t gpu_time(const struct tally_correlation *point)
{
    return point->gpu_ticks;
}

static uint64_t cpu_time(const struct tally_correlation *point)
{
    return point->cpu_ns;
}

/* Returns the index i of the interval [i, i + 1] to use for a time of one of the clocks. The list
 * has at least two points. */
static size_t find_interval(const struct point_list *list,
                            uint64_t (*time_of)(const struct tally_correlation *), uint64_t time)
{
    size_t low = 0, high = list->count - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (time_of(&list->points[middle]) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int points_cpu_ns(const struct point_list *list, uint64_t timestamp_hz, uint64_t gpu_ticks,
                  uint64_t *out)
{
    if (!list->count)
        return -ENODATA;
    const struct tally_correlation *from = list->points;
    uint64_t cpu_span = NS_PER_SECOND, gpu_span = timestamp_hz;
    if (list->count > 1) {
        from += find_interval(list, gpu_time, gpu_ticks);
        cpu_span = from[1].cpu_ns - from[0].cpu_ns;
        gpu_span = from[1].gpu_ticks - from[0].gpu_ticks;
    }
    if (!gpu_span) { /* two points with the same GPU time */
        cpu_span = NS_PER_SECOND;
        gpu_span = timestamp_hz;
    }
    if (gpu_ticks >= from->gpu_ticks) {
        *out = from->cpu_ns + scale_u64(gpu_ticks - from->gpu_ticks, cpu_span, gpu_span);
    } else {
        uint64_t back = scale_u64(from->gpu_ticks - gpu_ticks, cpu_span, gpu_span);
        *out = back < from->cpu_ns ? from->cpu_ns - back : 0;
    }
    return 0;
}

/* Returns the GPU time on the line through two points; the second one is later. */
static uint64_t ticks_between(const struct tally_correlation *from, uint64_t cpu_span,
                              uint64_t gpu_span, uint64_t cpu_ns)
{
    if (cpu_ns >= from->cpu_ns) {
        uint64_t ahead = scale_u64(cpu_ns - from->cpu_ns, gpu_span, cpu_span);
        return ahead < UINT64_MAX - from->gpu_ticks ? from->gpu_ticks + ahead : UINT64_MAX;
    }
    uint64_t back = scale_u64(from->cpu_ns - cpu_ns, gpu_span, cpu_span);
    return back < from->gpu_ticks ? from->gpu_ticks - back : 0;
}

uint64_t points_gpu_ticks(const struct point_list *list, uint64_t timestamp_hz, uint64_t cpu_ns)
{
    const struct tally_correlation *from = list->points;
    uint64_t cpu_span = 0, gpu_span = 0;
    if (list->count > 1) {
        from += find_interval(list, cpu_time, cpu_ns);
        cpu_span = from[1].cpu_ns - from[0].cpu_ns;
        gpu_span = from[1].gpu_ticks - from[0].gpu_ticks;
    }
    if (!cpu_span) { /* one point, or two at the same CPU time */
        cpu_span = NS_PER_SECOND;
        gpu_span = timestamp_hz;
    }
    return ticks_between(from, cpu_span, gpu_span, cpu_ns);
}

uint64_t points_uncertainty(const struct point_list *list, uint64_t timestamp_hz)
{
    uint64_t reading = scale_u64(READING_NS, timestamp_hz, NS_PER_SECOND), max = 0;
    if (list->count < 3)
        return reading;
    for (size_t i = 1; i + 1 < list->count && max < reading; i++) {
        const struct tally_correlation *from = &list->points[i - 1];
        uint64_t cpu_span = from[2].cpu_ns - from[0].cpu_ns;
        uint64_t gpu_span = from[2].gpu_ticks - from[0].gpu_ticks;
        if (!cpu_span)
            continue;
        uint64_t line = ticks_between(from, cpu_span, gpu_span, from[1].cpu_ns);
        uint64_t real = from[1].gpu_ticks;
        max = max_u64(max, line > real ? line - real : real - line);
    }
    return min_u64(max + 1, reading); /* and what the conversion rounds */
}
