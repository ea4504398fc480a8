/* SPDX-License-Identifier: MIT */
/* MI_PREDICATE and MI_SET_PREDICATE. */
#include "base/bits.h"
#include "intel/cs/step.h"

/* MI_PREDICATE [P12]: compare, combine with the predicate so far, load. */
enum step_result step_predicate(struct step *step)
{
    struct streamer *streamer = step->streamer;
    const uint64_t *source = streamer->predicate_source;
    bool before = streamer->predicate_result & 1, result;
    switch (step_operand(step, CS_COMPARE)) {
    case MI_PREDICATE_COMPARE__TRUE:
        result = true;
        break;
    case MI_PREDICATE_COMPARE__FALSE:
        result = false;
        break;
    case MI_PREDICATE_COMPARE__SRCS_EQUAL:
        result = source[0] == source[1];
        break;
    default:
        result = source[0] - source[1] == streamer->predicate_data;
        break;
    }
    switch (step_operand(step, CS_COMBINE)) {
    case MI_PREDICATE_COMBINE__AND:
        result = result && before;
        break;
    case MI_PREDICATE_COMBINE__OR:
        result = result || before;
        break;
    case MI_PREDICATE_COMBINE__XOR:
        result = result != before;
        break;
    default:
        break;
    }
    switch (step_operand(step, CS_LOAD)) {
    case MI_PREDICATE_LOAD__KEEP:
        return STEP_DONE;
    case MI_PREDICATE_LOAD__LOAD:
        streamer->predicate_result = result;
        return STEP_DONE;
    case MI_PREDICATE_LOAD__LOADINV:
        streamer->predicate_result = !result;
        return STEP_DONE;
    default:
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    }
}

/* ---- MI_SET_PREDICATE (OA-11.2) -------------------------------------------------------------- */

enum condition { NEVER, RESULT, RESULT_2, SLICES, ALWAYS };

/* When the commands that follow become NOOPs: if the condition has the value; with SLICES, if the
 * GPU has another number of them. */
static const struct mode {
    uint8_t value, first, last; /* versions */
    uint8_t condition, number;
} modes[] = {
    {MI_SET_PREDICATE_ENABLE__NOOP_NEVER, 75, CS_LAST, NEVER, 0},
    {MI_SET_PREDICATE_ENABLE__NOOP_ON_RESULT_2_CLEAR, 75, CS_LAST, RESULT_2, 0},
    {MI_SET_PREDICATE_ENABLE__NOOP_ON_RESULT_2_SET, 75, CS_LAST, RESULT_2, 1},
    {MI_SET_PREDICATE_ENABLE__NOOP_ON_RESULT_CLEAR, 80, CS_LAST, RESULT, 0},
    {MI_SET_PREDICATE_ENABLE__NOOP_ON_RESULT_SET, 80, CS_LAST, RESULT, 1},
    {MI_SET_PREDICATE_ENABLE__EXECUTE_WITH_ONE_SLICE, 80, 100, SLICES, 1},
    {MI_SET_PREDICATE_ENABLE__EXECUTE_WITH_TWO_SLICES, 80, 100, SLICES, 2},
    {MI_SET_PREDICATE_ENABLE__EXECUTE_WITH_THREE_SLICES, 80, 100, SLICES, 3},
    {MI_SET_PREDICATE_ENABLE__NOOP_IN_RENDER, 110, 110, ALWAYS, 0},
    {MI_SET_PREDICATE_ENABLE__NOOP_IN_POSITION, 110, 110, NEVER, 0},
    {MI_SET_PREDICATE_ENABLE__NOOP_ALWAYS, 80, CS_LAST, ALWAYS, 0},
};

static bool holds(const struct streamer *streamer, const struct mode *mode)
{
    switch ((enum condition)mode->condition) {
    case RESULT:
        return (streamer->predicate_result & 1) == mode->number;
    case RESULT_2:
        return (streamer->predicate_result_2 & 1) == mode->number;
    case SLICES:
        return streamer->slices != mode->number;
    case NEVER:
        return false;
    case ALWAYS:
        return true;
    }
    return false;
}

enum step_result step_set_predicate(struct step *step)
{
    struct streamer *streamer = step->streamer;
    unsigned value = (unsigned)step_operand(step, CS_ENABLE);
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
        const struct mode *mode = &modes[i];
        if (mode->value != value || streamer->version < mode->first ||
            streamer->version > mode->last)
            continue;
        streamer->predicated = holds(streamer, mode);
        return STEP_DONE;
    }
    return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
}
