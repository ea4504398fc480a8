/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_CLOCK_H
#define TALLY_RECORDING_CLOCK_H

#include <tally/recording.h>

/*
 * The clocks of a recording. Reports carry 32 bits of the GPU's timestamp, correlation points 36:
 * both wrap within minutes to hours. Unwrapping makes one 64-bit time of them: a correlation point
 * is placed by the CPU time that has passed, a report next to the newest time known.
 */
struct clock_line {
    uint64_t timestamp_hz;
    unsigned shift; /* OA ticks = command streamer ticks << shift */
    bool has_point;
    bool has_report;
    struct tally_correlation point; /* the latest correlation point, unwrapped */
    struct tally_correlation since; /* from where on the two clocks have gone at one pace */
    uint64_t jump;   /* ticks that the GPU's made by itself before the latest point; 0: none */
    uint64_t report; /* the latest report, unwrapped */
};

/* Unwraps a correlation point and makes it the latest. Returns false if CPU time goes back. */
bool clock_correlate(struct clock_line *clock, uint64_t cpu_ns, uint64_t gpu_raw);

/*
 * Unwraps a report's timestamp of `width` bits (32 or 64) and makes it the latest. Returns false
 * if it lies before the report before it; *out is set all the same.
 */
bool clock_unwrap(struct clock_line *clock, uint64_t timestamp, unsigned width, uint64_t *out);

/*
 * Before the first report of 64-bit timestamps: these have what the register's 36 bits lack, so the
 * latest point moves to their line. Returns how far (modulo 2^64), for the points before it.
 */
uint64_t clock_align(struct clock_line *clock, uint64_t timestamp);

/* Correlation points in the order of time. A long recording keeps every 2^thinned-th. */
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

/* CPU time of an unwrapped GPU time, by the two points around it; -ENODATA without a point. */
int points_cpu_ns(const struct point_list *list, uint64_t timestamp_hz, uint64_t gpu_ticks,
                  uint64_t *out);

#endif
