/* SPDX-License-Identifier: MIT */
/* The work of commands, and the registers of the render pipeline. */
#include "intel/gpu/work.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/gpu/gpu.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* reg.id: parameters from 0 on, statistics above them. */
#define PARAMETER(number)  (number)
#define STATISTIC(number)  (GPU_PIPELINE_PARAMETERS + (number))
#define DOCUMENT           "docs/reference/intel-oa-hardware.md"
#define PIPELINE_REGISTERS 0x6000 /* bytes that the map spans */

#define BIT(name) INTEL_BIT(INTEL_##name)
#define ALL       (BIT(TGL) * 2u - 1)
#define GEN7_UP   (ALL & ~BIT(SNB))

#include "regs/pass/fields.h"
#include "intel/gpu/pipeline.def"
#include "regs/pass/end.h"
#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gpu/pipeline.def"
};
#include "regs/pass/end.h"

const struct reg_map gpu_pipeline_map = {
    "pipeline", DOCUMENT, 0, PIPELINE_REGISTERS, registers, ARRAY_COUNT(registers), false};

static struct gpu_statistic *statistic_of(struct tally_gpu *gpu, const struct reg_request *request)
{
    unsigned first = request->row->reg->id - STATISTIC(0);
    return &gpu->pipeline.statistics[first + request->element / 2];
}

static uint64_t statistic_value(const struct tally_gpu *gpu, const struct gpu_statistic *statistic)
{
    return statistic->value + spread_before(&statistic->work, gpu_now(gpu));
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    struct tally_gpu *gpu = context;
    unsigned id = request->row->reg->id;
    if (id < STATISTIC(0))
        return gpu->pipeline.parameters[id + request->element];
    return (uint32_t)(statistic_value(gpu, statistic_of(gpu, request)) >>
                      32 * (request->element % 2));
}

/* A count continues from the value that is written. */
static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    unsigned id = request->row->reg->id, shift = 32 * (request->element % 2);
    if (id < STATISTIC(0)) {
        gpu->pipeline.parameters[id + request->element] =
            value &
            reg_mask(request->row->reg, INTEL_BIT(gpu->platform->revision), UINT_MAX, REG_WRITE);
        return;
    }
    struct gpu_statistic *statistic = statistic_of(gpu, request);
    uint64_t now = statistic_value(gpu, statistic), mask = UINT64_C(0xffffffff) << shift;
    statistic->value += ((now & ~mask) | (uint64_t)value << shift) - now;
}

/* Returns whether the pipeline has a register, and where. */
static bool find(const struct tally_gpu *gpu, uint32_t address, struct reg_request *out)
{
    out->address = address;
    out->row = reg_index_find(gpu->index, address, &out->element);
    return out->row && out->row->map == &gpu_pipeline_map;
}

bool gpu_pipeline_read(struct tally_gpu *gpu, uint32_t address, uint32_t *out)
{
    struct reg_request request = {0};
    if (!find(gpu, address, &request))
        return false;
    *out = read_register(gpu, &request);
    return true;
}

bool gpu_pipeline_write(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    struct reg_request request = {0};
    if (!find(gpu, address, &request))
        return false;
    write_register(gpu, &request, value);
    return true;
}

void gpu_pipeline_finish(struct tally_gpu *gpu)
{
    for (unsigned i = 0; i < COST_STATISTICS; i++) {
        struct gpu_statistic *statistic = &gpu->pipeline.statistics[i];
        statistic->value = statistic_value(gpu, statistic);
        statistic->work = (struct spread){0};
    }
}

const struct reg_block gpu_pipeline_block = {
    .map = &gpu_pipeline_map,
    .common = {read_register, write_register},
};

void gpu_pipeline_reset(struct tally_gpu *gpu)
{
    memset(&gpu->pipeline, 0, sizeof gpu->pipeline);
    cost_state_init(&gpu->pipeline.state);
    oa_end_work(gpu->oa);
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool read_memory(void *context, uint32_t space, uint64_t address, uint32_t *out)
{
    return gpu_read_memory(context, space, address, out);
}

/* Reads a parameter of an indirect command. */
static uint32_t read_parameter(void *context, uint32_t address)
{
    uint32_t value = 0;
    gpu_pipeline_read(context, address, &value);
    return value;
}

static struct cost_machine machine_of(struct tally_gpu *gpu)
{
    return (struct cost_machine){
        .platform = gpu->platform,
        .table = gpu->cost ? gpu->cost : cost_table_default(gpu->platform),
        .eus = gpu->eus,
        .eu_threads = gpu->sku->info.eu_threads,
        .context = gpu,
        .read_memory = read_memory,
        .read_register = read_parameter,
    };
}

/* ---- stream output --------------------------------------------------------------------------- */

#define APPEND UINT32_MAX

static uint32_t *so_offset(struct tally_gpu *gpu, uint64_t buffer)
{
    return &gpu->pipeline.parameters[GPU_SO_OFFSETS + buffer];
}

/* Sets an offset, and stores it where the buffer's latest bind says. */
static void set_so_offset(struct tally_gpu *gpu, uint32_t space, uint64_t buffer, uint64_t offset)
{
    uint64_t address = gpu->pipeline.state.so_buffers[buffer].offset_address;
    uint8_t bytes[4];
    *so_offset(gpu, buffer) = (uint32_t)offset & REG_MASK(SO_WRITE_OFFSET, OFFSET);
    store_le32(bytes, *so_offset(gpu, buffer));
    if (address)
        gpu_write_bytes(gpu, space, address, bytes, sizeof bytes);
}

/* From Gen8 on, the command that binds a buffer can set its offset: to a number, or to what memory
 * has (OA-11.15). */
static void bind_so_offset(struct tally_gpu *gpu, const struct streamer_work *work)
{
    const struct cost_state *state = &gpu->pipeline.state;
    uint64_t buffer = cost_value(state, CS_SO_BUFFER);
    uint64_t address = state->so_buffers[buffer].offset_address;
    uint32_t offset = (uint32_t)cost_value(state, CS_SO_OFFSET);
    if (!cost_value(state, CS_SO_OFFSET_WRITE) ||
        (offset == APPEND && !(address && gpu_read_memory(gpu, work->ppgtt, address, &offset))))
        return;
    set_so_offset(gpu, work->ppgtt, buffer, offset);
}

/* Moves the offsets behind what a draw has stored. */
static void move_so_offsets(struct tally_gpu *gpu, const struct streamer_work *work,
                            const struct cost_work *cost)
{
    for (unsigned i = 0; i < COST_SO_BUFFERS && cost->streams_out; i++)
        set_so_offset(gpu, work->ppgtt, i, *so_offset(gpu, i) + cost->so_bytes[i]);
}

/* ---- work of commands ------------------------------------------------------------------------ */

void gpu_bind_state(struct tally_gpu *gpu, const struct streamer_work *work)
{
    struct cost_machine machine = machine_of(gpu);
    cost_decode(&gpu->pipeline.state, &machine, work);
    if (cost_binds_so_buffer(work))
        bind_so_offset(gpu, work);
}

/* ---- counting -------------------------------------------------------------------------------- */

static uint64_t scaled(const struct unit_row *row, uint64_t events)
{
    uint64_t times = row->times ? row->times : 1, per = row->per ? row->per : 1;
    return (uint64_t)((uint128)events * times / per);
}

/* Returns the clocks that events on a NOA bit take from a clock on: the bit has at most one event
 * per clock, and other engines' work has some of them. */
static uint64_t clocks_of_events(const struct spread *others, uint64_t start, uint64_t events)
{
    uint64_t end = spread_end(others);
    if (!events || start >= end)
        return events;
    uint64_t left = end - start, taken = min_u64(spread_rest(others, start), left);
    uint64_t unused = left - taken;
    return events < unused ? (uint64_t)(((uint128)events * left + unused - 1) / unused)
                           : left + (events - unused);
}

static uint64_t clocks_needed(const struct tally_gpu *gpu, const struct cost_work *cost,
                              uint64_t start)
{
    uint64_t clocks = cost->clocks;
    for (size_t i = 0; i < unit_row_count; i++)
        if (unit_rows[i].place == PLACE_NOA &&
            unit_row_is_of(&unit_rows[i], gpu->sku, gpu->platform->revision))
            clocks = max_u64(
                clocks, clocks_of_events(&gpu->oa->noa_work[unit_rows[i].index], start,
                                         scaled(&unit_rows[i], cost->units[unit_rows[i].unit])));
    return clocks;
}

/* Busy clocks are counted from the engines' state. */
static void count_units(struct tally_gpu *gpu, const struct cost_work *cost, uint64_t end)
{
    for (size_t i = 0; i < unit_row_count; i++) {
        const struct unit_row *row = &unit_rows[i];
        uint64_t events = scaled(row, cost->units[row->unit]);
        if (!events || row->unit == UNIT_GPU_BUSY ||
            !unit_row_is_of(row, gpu->sku, gpu->platform->revision))
            continue;
        if (row->place == PLACE_A)
            oa_work_a(gpu->oa, row->index, events, end);
        else if (row->place == PLACE_NOA)
            oa_work_noa(gpu->oa, row->index, events, end);
    }
}

static void count_eus(struct tally_gpu *gpu, const struct cost_work *cost, uint64_t end)
{
    uint64_t amounts[EU_WORK_QUANTITIES] = {
        [EU_WORK_ACTIVE] = cost->units[UNIT_EU_ACTIVE],
        [EU_WORK_STALLED] = cost->units[UNIT_EU_STALLED],
        [EU_WORK_THREADS] = cost->units[UNIT_EU_OCCUPANCY],
    };
    for (unsigned i = 0; i < EU_WORK_ACTIVE; i++)
        amounts[EU_WORK_PIPES + i] = cost->units[UNIT_EU_FPU0 + i];
    for (unsigned i = 0; i < EU_STAGES; i++) {
        amounts[EU_WORK_STAGE_ACTIVE + i] = cost->units[UNIT_VS_ACTIVE + STAGE_UNITS * i];
        amounts[EU_WORK_STAGE_STALLED + i] = cost->units[UNIT_VS_STALLED + STAGE_UNITS * i];
    }
    for (unsigned i = 0; i < EU_KINDS; i++)
        amounts[EU_WORK_KIND + i] = cost->units[UNIT_EU_HYBRID + i];
    oa_work_eus(gpu->oa, amounts, end);
}

static void count_statistics(struct tally_gpu *gpu, const struct cost_work *cost, uint64_t end)
{
    uint64_t now = gpu_now(gpu);
    for (unsigned i = 0; i < COST_STATISTICS; i++) {
        struct gpu_statistic *statistic = &gpu->pipeline.statistics[i];
        if (!cost->statistics[i])
            continue;
        statistic->value += spread_before(&statistic->work, now);
        spread_add(&statistic->work, now, cost->statistics[i], end);
    }
}

void gpu_start_work(struct tally_gpu *gpu, struct gpu_engine *engine,
                    const struct streamer_work *work, uint64_t clocks)
{
    struct cost_machine machine = machine_of(gpu);
    struct cost_work cost = {0};
    bool own = clocks; /* the caller has counted the events */
    gpu_settle(gpu);
    cost_compute(&machine, &gpu->pipeline.state, work, &cost);
    move_so_offsets(gpu, work, &cost);
    uint64_t start = max_u64(engine->busy_until, gpu_now(gpu));
    if (!own)
        clocks = clocks_needed(gpu, &cost, start);
    if (!clocks)
        return;
    gpu_loop_break(gpu);
    engine->busy_until = start + clocks;
    count_statistics(gpu, &cost, engine->busy_until);
    if (own)
        return;
    count_units(gpu, &cost, engine->busy_until);
    count_eus(gpu, &cost, engine->busy_until);
}
