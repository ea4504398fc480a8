/* SPDX-License-Identifier: MIT */
/* The engines: what they need of the rest of the GPU, and the public functions for them. */
#include "intel/gpu/engines.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "intel/cs/registers.h"
#include "intel/gpu/gpu.h"

/* Whether the product does not have an engine, or a fuse disables it. */
static bool is_absent(const struct tally_gpu *gpu, enum cs_engine_id id)
{
    const struct cs_engine *engine = cs_engine(gpu->platform->revision, id);
    if (!engine || engine == gpu->missing)
        return true;
    if (!has_steering(gpu))
        return false;
    return (engine->engine_class == CS_VIDEO &&
            gpu->routing.vdbox_disable >> engine->instance & 1) ||
           (engine->engine_class == CS_VIDEO_ENHANCE &&
            gpu->routing.vebox_disable >> engine->instance & 1);
}

/* ---- registers that are only stored ---------------------------------------------------------- */

/* Returns the place of a register that is only stored. */
static uint32_t *stored_at(struct gpu_engine *engine, uint32_t address)
{
    return &engine->stored[(address - engine->streamer.engine->map.base) / 4];
}

static uint32_t read_stored(const struct tally_gpu *gpu, struct gpu_engine *engine,
                            const struct reg_request *request)
{
    return *stored_at(engine, request->address) &
           reg_mask(request->row->reg, INTEL_BIT(gpu->platform->revision), UINT_MAX, REG_READ);
}

static void write_stored(struct gpu_engine *engine, const struct reg_request *request,
                         uint32_t value)
{
    uint32_t *word = stored_at(engine, request->address);
    bool masked = request->row->reg->flags & CS_STORED_MASKED;
    *word = masked ? reg_write_masked(*word, value) : value;
}

/* MI_MODE before Gen12. Software stops an engine before it resets it (OA-16.4). */
static uint32_t read_mode(struct gpu_engine *engine, const struct reg_request *request)
{
    return *stored_at(engine, request->address) |
           REG_PUT(RING_MI_MODE, MODE_IDLE, engine_is_idle(engine));
}

static void write_mode(struct gpu_engine *engine, const struct reg_request *request, uint32_t value)
{
    uint32_t *word = stored_at(engine, request->address);
    *word = reg_write_masked(*word, value) & ~REG_MASK(RING_MI_MODE, MODE_IDLE);
    engine->streamer.stopped = REG_GET(RING_MI_MODE, STOP_RING, *word);
}

/* ---- errors ---------------------------------------------------------------------------------- */

#define OWN(symbol) ((symbol)-RENDER_RING_BASE + engine->streamer.engine->map.base)

/* An error shows in ESR until the reset, and unless EMR masks it in EIR and by an interrupt
 * (OA-16.8). */
void gpu_engine_error(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    static const uint32_t errors[] = {
        [STREAMER_UNKNOWN] = REG_MASK(RING_ERROR, INSTRUCTION),
        [STREAMER_LENGTH] = REG_MASK(RING_ERROR, INSTRUCTION),
        [STREAMER_RESERVED] = REG_MASK(RING_ERROR, INSTRUCTION),
        [STREAMER_NO_BATCH] = REG_MASK(RING_ERROR, INSTRUCTION),
        [STREAMER_UNMAPPED] = REG_MASK(RING_ERROR, PAGE_TABLE),
        [STREAMER_NO_MASTER] = REG_MASK(RING_ERROR, PAGE_TABLE),
    };
    uint32_t error = errors[engine->streamer.fault];
    uint32_t shown = error & ~*stored_at(engine, OWN(RING_EMR));
    *stored_at(engine, OWN(RING_ESR)) |= error;
    *stored_at(engine, OWN(RING_EIR)) |= shown;
    if (shown)
        gpu_engine_raise(gpu, engine, GT_ENGINE_ERROR);
    gpu_report_fault(gpu, engine);
}

/* ---- initialization and reset ---------------------------------------------------------------- */

/* Sets the registers that are only stored to their reset values. */
static void reset_stored(const struct tally_gpu *gpu, struct gpu_engine *engine)
{
    const struct reg_map *map = &engine->streamer.engine->map;
    memset(engine->stored, 0, sizeof engine->stored);
    for (size_t i = 0; i < map->count; i++)
        if (map->regs[i].id == CS_STORED &&
            (map->regs[i].revisions & INTEL_BIT(gpu->platform->revision)))
            *stored_at(engine, map->base + map->regs[i].offset) = map->regs[i].reset;
}

void gpu_engines_init(struct tally_gpu *gpu)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (!is_absent(gpu, (enum cs_engine_id)id) &&
            streamer_init(&gpu->engines[id].streamer, &gpu->platform->info,
                          (enum cs_engine_id)id) == 0) {
            struct gpu_engine *engine = &gpu->engines[id];
            engine->streamer.slices = gpu->sku->info.slices;
            engine->well = gt_well_at(gpu->platform->revision, engine->streamer.engine->map.base);
            context_status_reset(gpu, engine);
            reset_stored(gpu, engine);
        }
    gpu->used = 1u << CS_RCS0;
}

void gpu_engine_reset(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    bool render = engine == gpu_render(gpu);
    if (!engine_exists(engine))
        return;
    if (render && engine->context_loaded && engine->streamer.has_ring)
        gpu->oa->oar = (struct oar){0}; /* the context is not saved */
    streamer_reset(&engine->streamer);
    engine->execlists = (struct execlists){0};
    context_status_reset(gpu, engine);
    engine->reset_ctl = 0;
    reset_stored(gpu, engine);
    engine->wait = 0;
    engine->busy_until = 0;
    engine->context_loaded = false;
    gpu_loop_leave(gpu, engine);
    if (render) {
        gpu_settle(gpu);
        gpu_pipeline_reset(gpu);
        gpu_run_workload_context(gpu);
        return;
    }
    gpu->used &= ~(1u << engine->streamer.engine->id);
}

struct gpu_engine *gpu_engine_at(struct tally_gpu *gpu, uint32_t address)
{
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = gpu->engines[id].streamer.engine;
        if (engine && address - engine->map.base < STREAMER_OWN)
            return &gpu->engines[id];
    }
    return NULL;
}

/* ---- power domains --------------------------------------------------------------------------- */

/* OA-4.1. Without a domain of its own, an engine is in the GT's; on VLV and CHV, which do not have
 * that one either, the blitter is in the media domain. */
uint32_t gpu_engine_domains(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    const struct cs_engine *info = engine->streamer.engine;
    uint32_t gt = GT_DOMAIN_BIT(GT_DOMAIN_GT), own = gt;
    if (info->engine_class == CS_RENDER)
        own = GT_DOMAIN_BIT(GT_DOMAIN_RENDER);
    else if (info->engine_class == CS_VIDEO)
        own = GT_DOMAIN_BIT(GT_DOMAIN_MEDIA) | GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + info->instance);
    else if (info->engine_class == CS_VIDEO_ENHANCE)
        own = GT_DOMAIN_BIT(GT_DOMAIN_MEDIA) | GT_DOMAIN_BIT(GT_DOMAIN_VEBOX0 + info->instance);
    own &= gpu->wake.present;
    if (own)
        return own;
    return gpu->wake.present & gt ? gt : GT_DOMAIN_BIT(GT_DOMAIN_MEDIA);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

enum gt_engine gpu_engine_source(const struct gpu_engine *engine)
{
    static const uint8_t of_id[CS_ENGINES] = {
        [CS_RCS0] = GT_RCS0, [CS_BCS0] = GT_BCS,  [CS_VCS0] = GT_VCS0,
        [CS_VCS1] = GT_VCS1, [CS_VCS2] = GT_VCS2, [CS_VECS0] = GT_VECS0};
    return (enum gt_engine)of_id[engine->streamer.engine->id];
}

void gpu_engine_raise(struct tally_gpu *gpu, const struct gpu_engine *engine,
                      enum gt_engine_event event)
{
    static const uint16_t data[GT_ENGINE_EVENTS] = {
        [GT_ENGINE_USER] = REG_MASK(GT_ENGINE_INTR, USER_INTERRUPT),
        [GT_ENGINE_NOTIFY] = REG_MASK(GT_ENGINE_INTR, NOTIFY),
        [GT_ENGINE_SWITCH] = REG_MASK(GT_ENGINE_INTR, CONTEXT_SWITCH),
        [GT_ENGINE_ERROR] = REG_MASK(GT_ENGINE_INTR, MASTER_ERROR)};
    enum gt_engine source = gpu_engine_source(engine);
    const struct gt_engine_info *info = &gt_engines[source];
    if (has_interrupt_tree(gpu))
        gt_interrupts_message(&gpu->interrupts, info->engine_class, info->instance, 0, data[event]);
    else
        gt_flat_raise(&gpu->flat, source, event);
    gpu_notify(gpu);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Whether an engine counts as busy for the OA unit: a stalled one does while earlier work is in
 * progress. */
static bool engine_is_busy(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    if (engine_is_idle(engine))
        return false;
    return engine->streamer.activity == STREAMER_EXECUTES || gpu->oa->variant->busy_while_stalled ||
           gpu_now(gpu) < engine->busy_until;
}

void gpu_update_busy(struct tally_gpu *gpu)
{
    bool busy = engine_is_busy(gpu, gpu_render(gpu));
    if (gpu->oa->variant->busy_with_any)
        FOR_EACH_ENGINE (id, gpu->used)
            busy = busy || engine_is_busy(gpu, &gpu->engines[id]);
    if (busy == gpu->oa->busy)
        return;
    gpu_settle(gpu);
    gpu->oa->busy = busy;
}

/* ---- the context's time ---------------------------------------------------------------------- */

static uint64_t ticks(const struct tally_gpu *gpu)
{
    return timestamp_after(gpu->oa, gpu->oa_lag);
}

uint32_t gpu_engine_context_time(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    return engine->context_time +
           (engine->context_loaded ? (uint32_t)(ticks(gpu) - engine->context_ticks) : 0);
}

void gpu_engine_set_context_time(const struct tally_gpu *gpu, struct gpu_engine *engine,
                                 uint32_t value)
{
    engine->context_time = value;
    engine->context_ticks = ticks(gpu);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t read_register(void *context, const struct reg_request *request)
{
    struct tally_gpu *gpu = context;
    struct gpu_engine *engine = gpu_engine_at(gpu, request->address);
    switch (request->row->reg->id) {
    case CS_STATUS:
        return engine->execlists.status.events[request->element / 2][request->element % 2];
    case CS_STATUS_POINTER:
        return context_status_pointers(gpu, engine);
    case CS_RESET:
        return engine->reset_ctl;
    case CS_LISTS:
        return execlists_status(engine);
    case CS_RUNNING:
        return engine->streamer.running ? engine->streamer.context_id : 0;
    case CS_ERRORS:
    case CS_STORED:
        return read_stored(gpu, engine, request);
    case CS_MODE:
        return read_mode(engine, request);
    case CS_CONTEXT_TIME:
        gpu_loop_drop(gpu);
        return gpu_engine_context_time(gpu, engine);
    default: /* CS_TIME */
        return tally_oa_read32(gpu->oa, RING_TIMESTAMP + 4 * request->element);
    }
}

/* The engine is ready at once, since it stops between two commands. A catastrophic error stays
 * until software writes 1 (OA-12.5). */
static void write_reset(struct gpu_engine *engine, uint32_t value)
{
    uint32_t error = REG_MASK(RING_RESET_CTL, CAT_ERROR);
    uint32_t after = reg_write_masked(engine->reset_ctl, value);
    bool request = REG_GET(RING_RESET_CTL, REQUEST, after);
    bool cleared = reg_write_masked(0, value) & error;
    engine->reset_ctl = REG_PUT(RING_RESET_CTL, REQUEST, request) |
                        REG_PUT(RING_RESET_CTL, READY, request) |
                        (cleared ? 0 : engine->reset_ctl & error);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    struct gpu_engine *engine = gpu_engine_at(gpu, request->address);
    switch (request->row->reg->id) {
    case CS_PORTS:
        gpu->used |= 1u << engine->streamer.engine->id;
        execlists_write(gpu, engine, request, value);
        break;
    case CS_STATUS_POINTER:
        context_status_set_pointers(gpu, engine, value);
        break;
    case CS_RESET:
        write_reset(engine, value);
        break;
    case CS_ERRORS:
        *stored_at(engine, request->address) &= ~value;
        break;
    case CS_STORED:
        write_stored(engine, request, value);
        break;
    case CS_MODE:
        write_mode(engine, request, value);
        break;
    case CS_CONTEXT_TIME:
        gpu_engine_set_context_time(gpu, engine, value);
        break;
    default: /* read-only */
        break;
    }
}

struct reg_block gpu_engine_block(const struct cs_engine *engine)
{
    return (struct reg_block){
        .map = &engine->map,
        .common = {read_register, write_register},
        .first_id = CS_PORTS,
        .end_id = CS_MODE + 1,
    };
}

/* ---- public functions ------------------------------------------------------------------------ */

static struct gpu_engine *find(struct tally_gpu *gpu, const char *name)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (engine_exists(&gpu->engines[id]) &&
            !strcmp(gpu->engines[id].streamer.engine->name, name))
            return &gpu->engines[id];
    return NULL;
}

const char *tally_gpu_engine(const struct tally_gpu *gpu, size_t index)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (engine_exists(&gpu->engines[id]) && index-- == 0)
            return gpu->engines[id].streamer.engine->name;
    return NULL;
}

int tally_gpu_engine_submit(struct tally_gpu *gpu, const char *name, uint32_t id, uint32_t space,
                            uint64_t address, bool privileged)
{
    struct gpu_engine *engine = find(gpu, name);
    struct streamer_submission submission = {
        .id = id,
        .ppgtt = space,
        .batch = {.address = address, .space = space, .privileged = privileged},
    };
    if (!engine)
        return -EINVAL;
    gpu->used |= 1u << engine->streamer.engine->id;
    int result = streamer_submit(&engine->streamer, &submission);
    power_update(gpu);
    return result;
}

int tally_gpu_submit(struct tally_gpu *gpu, uint32_t id, uint32_t space, uint64_t address,
                     bool privileged)
{
    return tally_gpu_engine_submit(gpu, "rcs0", id, space, address, privileged);
}

void tally_gpu_set_ppgtt(struct tally_gpu *gpu, uint32_t space)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        gpu->engines[id].streamer.ppgtt = space;
}

int tally_gpu_engine_reset(struct tally_gpu *gpu, const char *name)
{
    struct gpu_engine *engine = find(gpu, name);
    if (!engine)
        return -EINVAL;
    gpu_engine_reset(gpu, engine);
    power_update(gpu);
    return 0;
}

uint64_t tally_gpu_engine_busy_ns(const struct tally_gpu *gpu, const char *name)
{
    const struct gpu_engine *engine = find((struct tally_gpu *)gpu, name);
    return engine ? engine->busy_ns : 0;
}

uint64_t gpu_engine_wait_ns(const struct tally_gpu *gpu, const char *name, bool semaphore)
{
    const struct gpu_engine *engine = find((struct tally_gpu *)gpu, name);
    if (!engine)
        return 0;
    return semaphore ? engine->semaphore_ns : engine->event_ns;
}

bool tally_gpu_is_idle(const struct tally_gpu *gpu)
{
    FOR_EACH_ENGINE (id, gpu->used)
        if (!engine_is_idle(&gpu->engines[id]))
            return false;
    return true;
}

int tally_gpu_fault(const struct tally_gpu *gpu, struct tally_error *error)
{
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        int result = streamer_explain(&gpu->engines[id].streamer, error);
        if (result < 0)
            return result;
    }
    return 0;
}
