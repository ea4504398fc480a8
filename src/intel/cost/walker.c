/* SPDX-License-Identifier: MIT */
/*
 * The threads of a MEDIA_OBJECT_WALKER. Two nested walks, of blocks in the global resolution and of
 * points in a block, each have an outer loop with a count, and an inner loop that steps as long as
 * it is inside; the walk in a block has a middle loop between them. A walk may begin outside and
 * step inside. Every point is a thread, or several with colors.
 */
#include "intel/cost/job.h"

/* The loops of a walk in one dimension. */
struct axis {
    int64_t size, start, stride, middle, unit;
};

static int64_t signed_of(const struct job *job, enum cs_operand operand)
{
    const struct cs_field *field = cs_field_find(job->work->command->fields, job->version, operand);
    uint64_t sign = field ? UINT64_C(1) << (field->high - field->low) : 1;
    return (int64_t)(value_of(job, operand) ^ sign) - (int64_t)sign;
}

/* The steps after which a point is inside of an axis: from `first` to before `end`. */
struct range {
    int64_t first, end;
};

static struct range inside(int64_t start, int64_t unit, int64_t size)
{
    if (!unit)
        return start >= 0 && start < size ? (struct range){0, INT64_MAX} : (struct range){0, 0};
    if (unit < 0) /* mirrored, which makes the unit positive */
        return inside(size - 1 - start, -unit, size);
    int64_t end = (size - start + unit - 1) / unit,
            first = start < 0 ? (unit - 1 - start) / unit : 0;
    return (struct range){first, start < size ? end : 0};
}

/* Returns the points of the inner loop. If it does not move, there is one. */
static uint64_t count_points(const struct axis axes[2], const int64_t start[2])
{
    struct range x = inside(start[0], axes[0].unit, axes[0].size);
    struct range y = inside(start[1], axes[1].unit, axes[1].size);
    int64_t first = x.first > y.first ? x.first : y.first, end = x.end < y.end ? x.end : y.end;
    if (end <= first)
        return 0;
    return end == INT64_MAX ? 1 : (uint64_t)(end - first);
}

/* Whether no iteration of the outer loop from this one on has a point. */
static bool has_left(const struct axis *axis, int64_t start, int64_t middle_steps)
{
    int64_t last = start + axis->middle * middle_steps;
    bool above = start >= axis->size && last >= axis->size, below = start < 0 && last < 0;
    return (above && axis->stride >= 0 && axis->unit >= 0) ||
           (below && axis->stride <= 0 && axis->unit <= 0);
}

static uint64_t count_walk(const struct axis axes[2], uint64_t count, uint64_t middle_steps)
{
    uint64_t points = 0;
    bool moves = axes[0].stride || axes[1].stride;
    for (uint64_t outer = 0; outer <= count; outer++) {
        int64_t start[2] = {axes[0].start + (int64_t)outer * axes[0].stride,
                            axes[1].start + (int64_t)outer * axes[1].stride};
        if (has_left(&axes[0], start[0], (int64_t)middle_steps) ||
            has_left(&axes[1], start[1], (int64_t)middle_steps))
            break;
        for (uint64_t middle = 0; middle <= middle_steps; middle++) {
            points = plus(points, count_points(axes, start));
            start[0] += axes[0].middle;
            start[1] += axes[1].middle;
        }
        if (!moves)
            return times(points, count + 1);
    }
    return points;
}

uint64_t count_walker_threads(const struct job *job)
{
    const struct axis block[2] = {
        {(int64_t)value_of(job, CS_WALK_BLOCK_X), (int64_t)value_of(job, CS_WALK_LOCAL_START_X),
         signed_of(job, CS_WALK_LOCAL_OUTER_X), signed_of(job, CS_WALK_MIDDLE_X),
         signed_of(job, CS_WALK_LOCAL_INNER_X)},
        {(int64_t)value_of(job, CS_WALK_BLOCK_Y), (int64_t)value_of(job, CS_WALK_LOCAL_START_Y),
         signed_of(job, CS_WALK_LOCAL_OUTER_Y), signed_of(job, CS_WALK_MIDDLE_Y),
         signed_of(job, CS_WALK_LOCAL_INNER_Y)},
    };
    const struct axis global[2] = {
        {(int64_t)value_of(job, CS_WALK_GLOBAL_X), signed_of(job, CS_WALK_GLOBAL_START_X),
         signed_of(job, CS_WALK_GLOBAL_OUTER_X), 0, signed_of(job, CS_WALK_GLOBAL_INNER_X)},
        {(int64_t)value_of(job, CS_WALK_GLOBAL_Y), signed_of(job, CS_WALK_GLOBAL_START_Y),
         signed_of(job, CS_WALK_GLOBAL_OUTER_Y), 0, signed_of(job, CS_WALK_GLOBAL_INNER_Y)},
    };
    uint64_t points =
        count_walk(block, value_of(job, CS_WALK_LOCAL_COUNT), value_of(job, CS_WALK_MIDDLE_STEPS));
    uint64_t blocks = count_walk(global, value_of(job, CS_WALK_GLOBAL_COUNT), 0);
    return times(times(blocks, points), value_of(job, CS_WALK_COLORS) + 1);
}
