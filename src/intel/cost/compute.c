/* SPDX-License-Identifier: MIT */
/* What commands cost: draws, walkers, blits, flushes and video commands. */
#include "intel/cost/cost.h"
#include "intel/cost/job.h"
#include "intel/cs/symbols.h"
#include "intel/symbols.h"

/* ---- draws ----------------------------------------------------------------------------------- */

static void draw(struct job *job)
{
    struct primitives primitives = count_primitives(job);
    count_pixels(job, &primitives);
    count_totals(job);
}

/* ---- threads without a pipeline -------------------------------------------------------------- */

static void run_threads(struct job *job, uint64_t threads)
{
    uint64_t accesses = times(threads, number_of(job, COST_CS_ACCESSES));
    uint64_t misses = percent_of(accesses, number_of(job, COST_ACCESS_MISSES));
    job->threads[JOB_CS] = threads;
    add_unit(job, UNIT_MEMORY_ACCESSES, accesses);
    add_unit(job, UNIT_MEMORY_MISSES, misses);
    add_unit(job, UNIT_MEMORY_ATOMICS, times(threads, number_of(job, COST_CS_ATOMICS)));
    job->bytes_read = plus(job->bytes_read, times(misses, number_of(job, COST_READ_BYTES)));
    if (value_of(job, CS_GROUP_BARRIER))
        add_unit(job, UNIT_EU_BARRIERS, times(threads, number_of(job, COST_BARRIERS)));
    if (value_of(job, CS_GROUP_SLM)) {
        add_unit(job, UNIT_SLM_READS, times(threads, number_of(job, COST_SLM_READS)));
        add_unit(job, UNIT_SLM_WRITES, times(threads, number_of(job, COST_SLM_WRITES)));
    }
    count_totals(job);
}

/* Groups are numbered from the start to the dimension. */
static uint64_t groups_of(const struct job *job, enum cs_operand start, enum cs_operand dimension,
                          uint32_t address)
{
    const struct cost_machine *machine = job->machine;
    uint64_t end = value_of(job, CS_INDIRECT) ? machine->read_register(machine->context, address)
                                              : value_of(job, dimension);
    return end > value_of(job, start) ? end - value_of(job, start) : 0;
}

/* Threads of a group: the product of the counters, as the hardware walks them; the interface
 * descriptor says the same. An invocation is a lane of SIMD8, SIMD16 or SIMD32. */
static void walk(struct job *job)
{
    uint64_t groups =
        times(times(groups_of(job, CS_WALK_START_X, CS_WALK_X, GEN7_GPGPU_DISPATCHDIMX),
                    groups_of(job, CS_WALK_START_Y, CS_WALK_Y, GEN7_GPGPU_DISPATCHDIMY)),
              groups_of(job, CS_WALK_START_Z, CS_WALK_Z, GEN7_GPGPU_DISPATCHDIMZ));
    uint64_t each = (value_of(job, CS_WALK_WIDTH) + 1) * (value_of(job, CS_WALK_HEIGHT) + 1) *
                    (value_of(job, CS_WALK_DEPTH) + 1);
    uint64_t threads = times(groups, each);
    read_interface_descriptor(job);
    job->out->statistics[COST_CS_INVOCATIONS] =
        times(threads, UINT64_C(8) << min_u64(value_of(job, CS_WALK_SIMD), 2));
    run_threads(job, threads);
}

/* ---- blits ----------------------------------------------------------------------------------- */

/* Bytes of a pixel by Color Depth: of XY_FAST_COPY_BLT, and of the other commands. */
static const uint8_t fast_bytes[8] = {1, 2, 4, 4, 8, 12, 16, 16}, color_bytes[4] = {1, 2, 2, 4};

/* The width is in bytes, as of commands without coordinates. */
static void blit_bytes(struct job *job, uint64_t width, uint64_t height, bool copies)
{
    uint64_t bytes = times(width, height);
    job->bytes_written = bytes;
    job->bytes_read = copies ? bytes : 0;
    take_clocks(job, parts(bytes, number_of(job, COST_BLIT_BYTES_PER_CLOCK)));
}

static uint64_t distance(const struct job *job, enum cs_operand from, enum cs_operand to)
{
    int32_t first = (int16_t)(uint16_t)value_of(job, from);
    int32_t end = (int16_t)(uint16_t)value_of(job, to);
    return end > first ? (uint64_t)(end - first) : 0;
}

static void blit_rectangle(struct job *job, const uint8_t *bytes_of, bool copies)
{
    uint64_t width = distance(job, CS_BLIT_X_MIN, CS_BLIT_X_MAX);
    blit_bytes(job, width * bytes_of[value_of(job, CS_BLIT_DEPTH)],
               distance(job, CS_BLIT_Y_MIN, CS_BLIT_Y_MAX), copies);
}

/* Of other blits only the time is known that each takes at least. */
static void blit(struct job *job)
{
    uint32_t opcode = job->work->command->opcode;
    if (opcode == (uint32_t)COLOR_BLT || opcode == (uint32_t)SRC_COPY_BLT)
        blit_bytes(job, value_of(job, CS_BLIT_WIDTH), value_of(job, CS_BLIT_HEIGHT),
                   opcode == (uint32_t)SRC_COPY_BLT);
    else if (opcode == (uint32_t)XY_FAST_COPY_BLT)
        blit_rectangle(job, fast_bytes, true);
    else if (opcode == (uint32_t)XY_COLOR_BLT || opcode == (uint32_t)XY_SRC_COPY_BLT)
        blit_rectangle(job, color_bytes, opcode == (uint32_t)XY_SRC_COPY_BLT);
    count_totals(job);
}

/* ---- flushes and others ---------------------------------------------------------------------- */

static void flush(struct job *job)
{
    uint64_t caches = value_of(job, CS_FLUSH_RENDER) + value_of(job, CS_FLUSH_DEPTH) +
                      value_of(job, CS_FLUSH_DATA) + value_of(job, CS_FLUSH_HDC);
    job->out->clocks = caches * number_of(job, COST_FLUSH_CLOCKS);
}

static void operate_on_depth(struct job *job)
{
    count_depth_operation(job);
    count_totals(job);
}

bool cost_starts_work(const struct streamer_work *work)
{
    return work->command->opcode == (uint32_t)GEN8_3DSTATE_WM_HZ_OP && work->count > 1 &&
           work->dwords[1] &
               (CS_MASK(GEN8_3DSTATE_WM_HZ_OP, STENCIL_BUFFER_CLEAR_ENABLE) |
                CS_MASK(GEN8_3DSTATE_WM_HZ_OP, STENCIL_BUFFER_RESOLVE_ENABLE) |
                CS_MASK(GEN8_3DSTATE_WM_HZ_OP, DEPTH_BUFFER_CLEAR_ENABLE) |
                CS_MASK(GEN8_3DSTATE_WM_HZ_OP, DEPTH_BUFFER_RESOLVE_ENABLE) |
                CS_MASK(GEN8_3DSTATE_WM_HZ_OP, HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE));
}

void cost_compute(const struct cost_machine *machine, const struct cost_state *state,
                  const struct streamer_work *work, struct cost_work *out)
{
    struct job job = {
        .machine = machine,
        .work = work,
        .numbers = machine->table->numbers,
        .version = (unsigned)machine->platform->info.version,
        .pipeline = (enum intel_pipeline)machine->platform->pipeline,
        .state = *state,
        .out = out,
    };
    *out = (struct cost_work){0};
    cost_take(&job.state, work->command->fields, job.version, work->dwords, work->count);
    switch (work->command->action) {
    case CS_PRIMITIVE:
        draw(&job);
        break;
    case CS_GPGPU:
        if (work->command->opcode == (uint32_t)GPGPU_OBJECT)
            run_threads(&job, 1);
        else
            walk(&job);
        break;
    case CS_MEDIA:
        if (work->command->opcode == (uint32_t)MEDIA_OBJECT_WALKER)
            run_threads(&job, count_walker_threads(&job));
        else
            run_threads(&job, 1);
        break;
    case CS_BLIT:
        blit(&job);
        break;
    case CS_VIDEO_WORK:
        out->clocks = times(work->length, number_of(&job, COST_VIDEO_CLOCKS));
        break;
    case CS_PIPE_CONTROL:
        flush(&job);
        break;
    case CS_STATE:
        operate_on_depth(&job);
        break;
    default:
        break;
    }
}
