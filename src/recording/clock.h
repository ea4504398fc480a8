/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_CLOCK_H
#define TALLY_RECORDING_CLOCK_H

#include <tally/recording.h>

/*
 * The clocks of a recording. Reports carry 32 bits of the GPU's timestamp, correlation points 36:
 * both wrap within minutes to hours. Unwrapping extends both to the same 64-bit time line: a
 * correlation point by the CPU time since the previous point, a report by the latest known time.
 */
struct clock_line {
    uint64_t timestamp_hz;
    unsigned shift; /* OA ticks = command streamer ticks << shift */
    bool has_point;
    bool has_report;
    struct tally_correlation point; /* the latest correlation point, unwrapped */
    struct tally_correlation since; /* start of the interval without jumps of the GPU's clock */
    uint64_t jump;   /* ticks by which the GPU's clock jumped before the latest point; 0: none */
    uint64_t report; /* the latest report, unwrapped */
};

/* Unwraps a correlation point and makes it the latest. Returns false if the CPU time decreases. */
bool clock_correlate(struct clock_line *clock, uint64_t cpu_ns, uint64_t gpu_raw);

/*
 * Unwraps a report's timestamp of `width` bits (32 or 64) and makes it the latest. Returns false if
 * it is earlier than that of the previous report; *out is set in any case.
 */
bool clock_unwrap(struct clock_line *clock, uint64_t timestamp, unsigned width, uint64_t *out);

/*
 * Called before the first report with a 64-bit timestamp, which has the upper bits that the 36-bit
 * register lacks: moves the latest point to the time line of the reports. Returns the distance in
 * ticks (modulo 2^64), by which the caller moves the earlier points.
 */
uint64_t clock_align(struct clock_line *clock, uint64_t timestamp);

/* Correlation points in order of time. Of a long recording, only one of every 2^thinned points is
 * kept. */
struct point_list {
    struct tally_correlation *points;
    size_t count;
    size_t capacity;
    uint64_t seen;
    unsigned thinned;
};

void points_fini(struct point_list *list);
void points_add(struct point_list *list, struct tally_correlation point);
void points_move(struct point_list *list, uint64_t ticks);

/* Converts an unwrapped GPU time to CPU time with the two points around it. Returns 0, or -ENODATA
 * if there is no point. */
int points_cpu_ns(const struct point_list *list, uint64_t timestamp_hz, uint64_t gpu_ticks,
                  uint64_t *out);

/* Converts CPU time to an unwrapped GPU time in the same way. The list has a point. */
uint64_t points_gpu_ticks(const struct point_list *list, uint64_t timestamp_hz, uint64_t cpu_ns);

/*
 * Returns the uncertainty of such a conversion in ticks: the largest distance of a point from the
 * line through those before and after it, at most that of reading both clocks, which it is with
 * fewer than three points.
 */
uint64_t points_uncertainty(const struct point_list *list, uint64_t timestamp_hz);

#endif
