/* SPDX-License-Identifier: MIT */
/* Callbacks of the command streamers and the OA unit into the rest of the GPU. */
#include "base/bits.h"
#include "base/minmax.h"
#include "intel/gpu/gpu.h"
#include "intel/gpu/image.h"

/* Returns the engine that executes a command. */
static struct gpu_engine *stepping(struct tally_gpu *gpu)
{
    return &gpu->engines[gpu->stepping];
}

/* ---- memory ---------------------------------------------------------------------------------- */

bool gpu_read_bytes(const struct tally_gpu *gpu, uint32_t space, uint64_t address, void *data,
                    size_t bytes)
{
    return gpu->bus.read && gpu->pci.state.master &&
           gpu->bus.read(gpu->bus.context, space, address, data, bytes);
}

bool gpu_write_bytes(const struct tally_gpu *gpu, uint32_t space, uint64_t address,
                     const void *data, size_t bytes)
{
    return gpu->bus.write && gpu->pci.state.master &&
           gpu->bus.write(gpu->bus.context, space, address, data, bytes);
}

bool gpu_read_dwords(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t *out,
                     uint32_t count)
{
    if (!gpu_read_bytes(gpu, space, address, out, 4 * count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        out[i] = load_le32(&out[i]);
    return true;
}

bool gpu_read_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t *out)
{
    return gpu_read_dwords(gpu, space, address, out, 1);
}

bool gpu_write_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    return gpu_write_bytes(gpu, space, address, bytes, sizeof bytes);
}

static bool read_dwords(void *closure, uint32_t space, uint64_t address, uint32_t *out,
                        uint32_t count)
{
    if (!gpu_read_dwords(closure, space, address, out, count))
        return false;
    gpu_loop_note_read(closure, space, address, out, count);
    return true;
}

static bool read_dword(void *closure, uint32_t space, uint64_t address, uint32_t *out)
{
    return read_dwords(closure, space, address, out, 1);
}

static bool write_dword(void *closure, uint32_t space, uint64_t address, uint32_t value)
{
    gpu_loop_break(closure);
    return gpu_write_memory(closure, space, address, value);
}

/* Returns the address space of the report buffer (OA-1.4): OASTATUS2[0] or OABUFFER[0] selects the
 * GGTT, or the platform always uses it. */
static uint32_t buffer_space(const struct tally_gpu *gpu)
{
    bool ggtt = gpu->oa->variant->always_ggtt ||
                (is_map_c(gpu->oa) ? gpu->oa->regs[OA_BUFFER] & 1 : gpu->oa->ggtt);
    return ggtt ? TALLY_GPU_GGTT : gpu->engines[CS_RCS0].streamer.ppgtt;
}

static void write_report(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct tally_gpu *gpu = context;
    uint32_t space = gpu->writing_report ? gpu->report_space : buffer_space(gpu);
    gpu_loop_break(gpu);
    if (gpu->faults.hold && gpu->pci.state.master && !gpu->writing_report &&
        gpu->faults.hold(gpu->faults.context, gpu->oa->flight.number, space, address, data, bytes))
        return;
    gpu_write_bytes(gpu, space, address, data, bytes);
}

static bool sample(void *context, uint64_t report, bool timer)
{
    const struct tally_gpu *gpu = context;
    return gpu->faults.sample(gpu->faults.context, report, timer);
}

static void half_full(void *context)
{
    gpu_raise_half_full(context);
}

void gpu_connect_oa(struct tally_gpu *gpu)
{
    tally_oa_set_bus(gpu->oa, &(struct tally_oa_bus){.write = write_report,
                                                     .half_full = half_full,
                                                     .context = gpu,
                                                     .sample = gpu->faults.sample ? sample : NULL});
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t mmio_read(void *closure, uint32_t address)
{
    gpu_loop_break(closure);
    gpu_settle(closure);
    return gpu_read32(closure, GT_AGENT_CS, address);
}

static void mmio_write(void *closure, uint32_t address, uint32_t value)
{
    gpu_loop_break(closure);
    gpu_settle(closure);
    gpu_write32(closure, GT_AGENT_CS, address, value);
}

static void accessed(void *closure, bool write, uint32_t address, uint32_t value, bool denied)
{
    gpu_count_own_access(closure, write, address, value, denied);
}

static bool is_gpr(uint32_t address)
{
    return address >= CS_GPR && address <= REG_LAST(CS_GPR) + CS_GPR__STRIDE2;
}

#define GEN7    (INTEL_BIT(INTEL_IVB) | INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_HSW))
#define GEN8_UP (INTEL_BIT(INTEL_BDW) | INTEL_BIT(INTEL_CHV) | INTEL_BIT(INTEL_SKL) | GT_GEN11_UP)
#define GEN7_UP (GEN7 | GEN8_UP)
#define ALL     UINT32_MAX
#define HALF    4 /* from the first dword of a counter to the second */

/* Registers of the render engine that unprivileged batches may write, besides CS_GPR (OA-11.14). */
static const struct {
    uint32_t revisions, first, last;
} writable[] = {
    {ALL, MI_PREDICATE_SRC0, GEN7_3DPRIM_BASE_VERTEX + 4},
    {GEN7_UP, GEN7_GPGPU_DISPATCHDIMX, GEN7_GPGPU_DISPATCHDIMZ},
    {GEN7_UP, CS_INVOCATION_COUNT, CS_INVOCATION_COUNT + HALF},
    {GEN7_UP, HS_INVOCATION_COUNT, CL_PRIMITIVES_COUNT + HALF},
    {GEN7, PS_INVOCATION_COUNT, PS_DEPTH_COUNT + HALF},
    {GEN7_UP, SO_NUM_PRIMS_WRITTEN, REG_LAST(SO_NUM_PRIMS_WRITTEN) + HALF},
    {GEN7_UP, SO_PRIM_STORAGE_NEEDED, REG_LAST(SO_PRIM_STORAGE_NEEDED) + HALF},
    {GEN7_UP, SO_WRITE_OFFSET, REG_LAST(SO_WRITE_OFFSET)},
    {GEN8_UP, RING_BB_OFFSET, RING_BB_OFFSET},
};

/* From Gen9 on, an engine's batches may write its own CS_GPR (public IGT GPU Tools,
 * gem_ctx_isolation). */
static bool may_write_register(void *closure, uint32_t address)
{
    struct tally_gpu *gpu = closure;
    uint32_t base = stepping(gpu)->streamer.engine->map.base;
    for (size_t i = 0; i < ARRAY_COUNT(writable); i++)
        if (address >= writable[i].first && address <= writable[i].last &&
            writable[i].revisions & INTEL_BIT(gpu->platform->revision))
            return true;
    return is_gpr(address) ||
           (gpu->platform->own_gprs && is_gpr(address - base + RENDER_RING_BASE));
}

static uint64_t timestamp(void *closure)
{
    struct tally_gpu *gpu = closure;
    gpu_loop_drop(gpu);
    return timestamp_after(gpu->oa, gpu->oa_lag);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void report(void *closure, const struct streamer_report *report)
{
    struct tally_gpu *gpu = closure;
    gpu_loop_break(gpu);
    gpu_settle(gpu);
    gpu->writing_report = true;
    gpu->report_space = report->space;
    tally_oa_report(gpu->oa, report->address, report->id);
    gpu->writing_report = false;
}

static void force_wakeup(void *closure, uint32_t request)
{
    struct tally_gpu *gpu = closure;
    gpu_loop_break(gpu);
    gpu_settle(gpu);
    gt_forcewake_streamer(&gpu->wake, request);
    power_update(gpu);
}

static void interrupt(void *closure, enum streamer_interrupt which)
{
    gpu_loop_break(closure);
    gpu_engine_raise(closure, stepping(closure),
                     which == STREAMER_NOTIFY ? GT_ENGINE_NOTIFY : GT_ENGINE_USER);
}

/* Switches the render engine's context. */
static void switch_render(struct tally_gpu *gpu, uint32_t id)
{
    gpu_settle(gpu);
    power_run_context_batch(gpu);
    tally_oa_switch_context(gpu->oa, true, id);
}

void gpu_leave_context(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    engine->context_loaded = false;
    if (engine == gpu_render(gpu))
        gpu_run_workload_context(gpu);
}

static void context_switch(void *closure, bool valid, uint32_t id)
{
    struct tally_gpu *gpu = closure;
    struct gpu_engine *engine = stepping(gpu);
    gpu_loop_break(gpu);
    if (!valid) {
        gpu_leave_context(gpu, engine);
        return;
    }
    engine->context_loaded = true;
    if (has_execlists(gpu) && engine->streamer.has_ring)
        image_load(gpu, engine);
    if (engine == gpu_render(gpu))
        switch_render(gpu, id);
    execlists_start(gpu, engine);
}

/* MI_SET_CONTEXT. */
static void set_context(void *closure, const struct streamer_contexts *contexts)
{
    gpu_loop_break(closure);
    if (contexts->has_old)
        image_save_pipeline(closure, REG_GET(RING_PAGE, ADDRESS, contexts->old_address));
    if (!contexts->inhibited)
        image_load_pipeline(closure, REG_GET(RING_PAGE, ADDRESS, contexts->new_address));
}

static void complete(void *closure, uint32_t id, uint32_t head)
{
    struct tally_gpu *gpu = closure;
    struct gpu_engine *engine = stepping(gpu);
    gpu_loop_break(gpu);
    if (has_execlists(gpu)) {
        if (engine->streamer.has_ring)
            image_save(gpu, engine);
        execlists_end(gpu, engine);
    }
    if (gpu->bus.complete)
        gpu->bus.complete(gpu->bus.context, id, head);
}

/* ---- work ------------------------------------------------------------------------------------ */

static struct tally_gpu_command command_of(const struct streamer_work *work)
{
    return (struct tally_gpu_command){
        .name = work->command->name,
        .dwords = work->dwords,
        .count = work->count,
        .length = work->length,
        .space = work->space,
        .address = work->address,
        .data_space = work->ppgtt,
    };
}

static enum tally_gpu_work_kind kind_of(const struct cs_command *command)
{
    switch (command->action) {
    case CS_PRIMITIVE:
        return TALLY_GPU_WORK_PRIMITIVE;
    case CS_GPGPU:
        return TALLY_GPU_WORK_GPGPU;
    case CS_MEDIA:
        return TALLY_GPU_WORK_MEDIA;
    case CS_VIDEO_WORK:
        return TALLY_GPU_WORK_VIDEO;
    default:
        return TALLY_GPU_WORK_BLIT;
    }
}

static void work(void *closure, const struct streamer_work *work)
{
    struct tally_gpu *gpu = closure;
    struct tally_gpu_command command = command_of(work);
    uint64_t clocks = 0;
    gpu_loop_break(gpu);
    gpu_settle(gpu);
    if (gpu->bus.work)
        clocks = gpu->bus.work(gpu->bus.context, kind_of(work->command), &command);
    gpu_start_work(gpu, stepping(gpu), work, clocks);
}

static void state(void *closure, const struct streamer_work *work)
{
    struct tally_gpu *gpu = closure;
    struct tally_gpu_command command = command_of(work);
    gpu_loop_break(gpu);
    gpu_bind_state(gpu, work);
    if (cost_starts_work(work))
        gpu_start_work(gpu, stepping(gpu), work, 0);
    if (gpu->bus.state)
        gpu->bus.state(gpu->bus.context, &command);
}

/* A flush ends behind the work before it. */
static void flush(void *closure, const struct streamer_work *work)
{
    struct tally_gpu *gpu = closure;
    gpu_start_work(gpu, stepping(gpu), work, 0);
}

static bool busy(void *closure)
{
    struct tally_gpu *gpu = closure;
    struct gpu_engine *engine = stepping(gpu);
    engine->waiting_for_work = gpu_now(gpu) < engine->busy_until;
    if (engine->waiting_for_work)
        gpu_loop_drop(gpu);
    return engine->waiting_for_work;
}

/* ---- a step ---------------------------------------------------------------------------------- */

void gpu_note_instruction(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    if (engine == gpu_render(gpu))
        tally_oa_set_instruction(gpu->oa, (uint32_t)engine->streamer.acthd);
}

/* Shows a fault, or waits for work in progress. */
static void end_step(struct tally_gpu *gpu, struct gpu_engine *engine, enum streamer_status status)
{
    if (status == STREAMER_STOPPED) {
        bool unmapped = engine->streamer.fault == STREAMER_UNMAPPED;
        engine->reset_ctl |= REG_PUT(RING_RESET_CTL, CAT_ERROR, unmapped);
        if (unmapped && !gpu->pci.state.master)
            engine->streamer.fault = STREAMER_NO_MASTER;
        gpu_engine_error(gpu, engine);
    }
    if (status == STREAMER_WAITS && engine->waiting_for_work) {
        uint64_t left = engine->busy_until - gpu_now(gpu); /* polling earlier is pointless */
        engine->wait = (uint32_t)min_u64(left, UINT32_MAX);
    }
    gpu_note_instruction(gpu, engine);
}

void gpu_step_engine(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    const struct streamer_callbacks callbacks = {
        .closure = gpu,
        .read32 = read_dword,
        .read = read_dwords,
        .write32 = write_dword,
        .mmio_read = mmio_read,
        .mmio_write = mmio_write,
        .accessed = accessed,
        .may_write_register = may_write_register,
        .report = report,
        .context_switch = context_switch,
        .set_context = set_context,
        .complete = complete,
        .force_wakeup = force_wakeup,
        .timestamp = timestamp,
        .interrupt = interrupt,
        .work = work,
        .state = state,
        .flush = flush,
        .busy = busy,
    };
    gpu->stepping = engine->streamer.engine->id;
    engine->waiting_for_work = false;
    engine->wait = 0;
    if (!execlists_arbitrate(gpu, engine))
        end_step(gpu, engine, streamer_step(&engine->streamer, &callbacks, &engine->wait));
    gpu->stepping = CS_ENGINES;
}
