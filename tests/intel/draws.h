/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_DRAWS_H
#define TESTS_INTEL_DRAWS_H

/*
 * Draws and what they count, computed by hand with the numbers of draw_numbers(). The base draw is
 * a list of triangles that covers half of 64 by 32 pixels: 1024, which take 256 clocks behind the
 * 100 of each draw. It is sent to two render targets.
 */

#include "intel/batches.h"
#include "intel/cost/table.h"

struct draw_want {
    /* Statistics registers. */
    unsigned ia_vertices, ia_primitives, vs, hs, ds, gs, gs_primitives, cl, cl_primitives, ps,
        depth;
    unsigned so_written, so_needed;
    /* Threads, and samples by what became of them. */
    unsigned vs_threads, hs_threads, ds_threads, gs_threads, ps_threads;
    unsigned rasterized, stencil_fails, hiz_fails, depth_fails, killed, alpha_fails;
    unsigned late_stencil_fails, late_depth_fails, written, blended;
    unsigned clocks;
};

struct draw_row {
    unsigned line;
    const char *platforms, *what;
    struct batch_draw draw;
    struct draw_want want;
};

extern const struct draw_row draw_rows[];
extern const size_t draw_row_count;

/* Where values of struct draw_want are. `per` values make an event. */
struct draw_place {
    const char *platforms, *counter;
    size_t member;
    unsigned per;
};

extern const struct draw_place draw_places[];
extern const size_t draw_place_count;

/* Returns a value of struct draw_want. */
unsigned draw_member(const struct draw_want *want, size_t index);

/* Returns the cost model's numbers. */
struct tally_cost draw_numbers(void);

#endif
