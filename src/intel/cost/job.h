/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_COST_JOB_H
#define TALLY_INTEL_COST_JOB_H

/* The computation of one command's cost. */

#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/cost/cost.h"
#include "intel/cost/table.h"

/* All amounts saturate here, so that sums of some of them fit. */
#define COST_MAX (UINT64_C(1) << 40)

struct job {
    const struct cost_machine *machine;
    const struct streamer_work *work;
    const uint32_t *numbers;
    unsigned version;
    enum intel_pipeline pipeline;
    struct cost_state state; /* with the command's fields and the structures in memory */
    struct cost_work *out;

    uint64_t threads[STAGES]; /* in the order of the stages' units */
    uint64_t clocks;          /* of the slowest part of the pipeline so far */
    uint64_t texels;          /* 2x2 blocks */
    uint64_t bytes_read, bytes_written;
};

enum job_stage { JOB_VS, JOB_HS, JOB_DS, JOB_GS, JOB_PS, JOB_CS };

static inline uint64_t number_of(const struct job *job, enum cost_number number)
{
    return job->numbers[number];
}

static inline uint64_t value_of(const struct job *job, enum cs_operand operand)
{
    return cost_value(&job->state, operand);
}

static inline uint64_t times(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;
    return product > COST_MAX ? COST_MAX : (uint64_t)product;
}

static inline uint64_t plus(uint64_t a, uint64_t b)
{
    return min_u64(a + b, COST_MAX);
}

static inline uint64_t percent_of(uint64_t value, uint64_t percent)
{
    return times(value, percent) / 100;
}

/* Returns the quotient, rounded up. */
static inline uint64_t parts(uint64_t value, uint64_t each)
{
    return (value + each - 1) / each;
}

static inline void add_unit(struct job *job, unsigned unit, uint64_t amount)
{
    job->out->units[unit] = plus(job->out->units[unit], amount);
}

/* A part of the pipeline that takes clocks beside the others. */
static inline void take_clocks(struct job *job, uint64_t clocks)
{
    job->clocks = max_u64(job->clocks, clocks);
}

/* ---- structures.c ---------------------------------------------------------------------------- */

/* Read structures of the dynamic state that are bound, into the job's state. What cannot be read
 * keeps its values: 0, unless the structure was a command's. */
void read_pixel_structures(struct job *job);
void read_interface_descriptor(struct job *job);

/* A rectangle of pixels, both ends included; empty if an end is before its start. */
struct area {
    int32_t left, top, right, bottom;
};

/* Returns the pixels that the pipeline may draw: in the drawing rectangle, in the scissor rectangle
 * if it is enabled, and in the viewport if vertices are transformed to it. */
struct area drawable_area(const struct job *job);

/* Returns the n-th rectangle of a rectangle list, clipped to an area; false if its vertices cannot
 * be read, or are not in screen space. */
bool read_rectangle(const struct job *job, uint64_t n, const struct area *within, struct area *out);

/* ---- primitives.c, pixels.c, totals.c -------------------------------------------------------- */

enum primitive_kind {
    PRIMITIVE_NONE,
    PRIMITIVE_POINT,
    PRIMITIVE_LINE,
    PRIMITIVE_TRIANGLE,
    PRIMITIVE_RECTANGLE,
    PRIMITIVE_PATCH
};

struct primitives {
    enum primitive_kind kind;
    uint64_t count;
};

/* Computes a draw up to the clipper. Returns the primitives that are drawn. */
struct primitives count_primitives(struct job *job);

/* Computes what primitives do from the rasterizer on. */
void count_pixels(struct job *job, const struct primitives *primitives);

/* Computes the clear or resolve of a depth buffer by 3DSTATE_WM_HZ_OP. */
void count_depth_operation(struct job *job);

/* Computes the EU array, the samplers, the memory interface and the duration from the rest. */
void count_totals(struct job *job);

/* walker.c: returns the threads that a MEDIA_OBJECT_WALKER starts. */
uint64_t count_walker_threads(const struct job *job);

#endif
