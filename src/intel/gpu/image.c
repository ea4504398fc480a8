/* SPDX-License-Identifier: MIT */
/* Images of contexts: the registers in them, and the state of the pipeline behind them. */
#include "intel/gpu/image.h"

#include <string.h>

#include "base/bits.h"
#include "intel/cs/symbols.h"
#include "intel/gpu/gpu.h"

#define IMAGE_PAGE   4096u
#define IMAGE_PAGES  2u /* maximum of intel_context_image.pages */
#define IMAGE_DWORDS (IMAGE_PAGES * IMAGE_PAGE / 4)
/* Size in bytes of the range of relative registers, from the engine's base. */
#define IMAGE_RELATIVE 0x1000u

/* ---- places ---------------------------------------------------------------------------------- */

enum { POSTED = 1, RELATIVE = 2 };

struct image_list {
    uint8_t images; /* mask of forms; those of engines other than render in the upper half */
    uint8_t flags, count;
    uint16_t at;
    const uint32_t *registers;
};

#define IMAGE(form)    (1u << IMAGE_##form)
#define OTHERS(form)   (1u << (IMAGE_FORMS + IMAGE_##form))
#define RENDER         ((1u << IMAGE_FORMS) - 1)
#define ALL            ((1u << 2 * IMAGE_FORMS) - 1)
#define OFFSET(offset) (RENDER_RING_BASE + (offset))
#define REGISTERS(...) ((const uint32_t[]){__VA_ARGS__})
#define LIST(images, at, flags, ...)                                                               \
    {images, flags, ARRAY_COUNT(REGISTERS(__VA_ARGS__)), at, REGISTERS(__VA_ARGS__)},

// clang-format off
static const struct image_list lists[] = {
#include "intel/gpu/image.def"
};
// clang-format on

/* Returns the address of a streamer's register, from that of the render engine's. */
static uint32_t own_register(const struct gpu_engine *engine, uint32_t address)
{
    uint32_t offset = address - RENDER_RING_BASE;
    return offset < IMAGE_RELATIVE ? engine->streamer.engine->map.base + offset : address;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Called for each register in a context's image. address: that of the render engine's register at
 * the same offset. */
typedef void image_visit(struct tally_gpu *gpu, uint32_t address, uint32_t value, void *closure);

/* An image is one page, of render one or more (OA-16.5). */
struct image {
    uint32_t dwords[IMAGE_DWORDS], count;
};

static void read_image(const struct tally_gpu *gpu, const struct gpu_engine *engine, uint64_t at,
                       struct image *image)
{
    bool render = engine == &gpu->engines[CS_RCS0];
    uint32_t page = IMAGE_PAGE / 4, count = (render ? gpu->platform->image->pages : 1u) * page;
    image->count = 0;
    while (image->count < count && gpu_read_dwords(gpu, TALLY_GPU_GGTT, at + 4 * image->count,
                                                   image->dwords + image->count, page))
        image->count += page;
}

static void write_image(const struct tally_gpu *gpu, uint64_t at, const struct image *image)
{
    uint8_t bytes[IMAGE_PAGE];
    for (uint32_t done = 0; done < image->count; done += IMAGE_PAGE / 4) {
        for (uint32_t i = 0; i < IMAGE_PAGE / 4; i++)
            store_le32(bytes + 4 * i, image->dwords[done + i]);
        gpu_write_bytes(gpu, TALLY_GPU_GGTT, at + 4 * done, bytes, IMAGE_PAGE);
    }
}

/* Returns the register of a dword of an image. Software writes a full address even if it sets
 * the flag for relative addresses; then only the bits below the engine's base are used (OA-10.1).
 */
static uint32_t image_register(const struct gpu_engine *engine, uint32_t dword, bool relative)
{
    uint32_t address = dword & CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, REGISTER_OFFSET);
    uint32_t base = engine->streamer.engine->map.base;
    if (relative)
        return RENDER_RING_BASE + address % IMAGE_RELATIVE;
    return address - base < IMAGE_RELATIVE ? RENDER_RING_BASE + (address - base) : address;
}

/* Visits the registers of an image, up to the end of the list, the page or the memory. */
static void walk(struct tally_gpu *gpu, const struct gpu_engine *engine, const struct image *image,
                 image_visit *visit, void *closure)
{
    for (uint32_t at = 0; at < image->count; at++) {
        uint32_t command = image->dwords[at];
        if (command == MI_BATCH_BUFFER_END)
            return;
        if (!CS_IS(MI_LOAD_REGISTER_IMM, command))
            continue; /* MI_NOOP, or not modelled */
        bool relative = gpu->platform->image->relative &&
                        CS_GET(MI_LOAD_REGISTER_IMM, ADD_CS_MMIO_START_OFFSET, command);
        uint32_t pairs = (CS_DWORDS(MI_LOAD_REGISTER_IMM, command) - 1) / 2;
        for (; pairs && at + 2 < image->count; pairs--, at += 2)
            visit(gpu, image_register(engine, image->dwords[at + 1], relative),
                  image->dwords[at + 2], closure);
    }
}

static void find_ring(struct tally_gpu *gpu, uint32_t address, uint32_t value, void *closure)
{
    struct streamer_submission *submission = closure;
    (void)gpu;
    if (address == RING_TAIL)
        submission->ring_tail = value & REG_MASK(RING_TAIL, TAIL_OFFSET);
    else if (address == RING_HEAD)
        submission->ring_head = value & REG_MASK(RING_HEAD, HEAD_OFFSET);
    else if (address == RING_START)
        submission->ring_start = value & REG_MASK(RING_PAGE, ADDRESS);
    else if (address == RING_CTL)
        submission->ring_size = (REG_GET(RING_CTL, PAGES, value) + 1) * IMAGE_PAGE;
}

void image_read_ring(struct tally_gpu *gpu, const struct gpu_engine *engine,
                     struct streamer_submission *submission)
{
    struct image image;
    read_image(gpu, engine, image_address(submission->ppgtt), &image);
    walk(gpu, engine, &image, find_ring, submission);
}

/* ---- OAR ------------------------------------------------------------------------------------- */

/*
 * Gen12: the image contains the context's counters. Their place is not documented; here it is one
 * MI_LOAD_REGISTER_IMM after OAR_OACONTROL (dword 5b0h) with the registers that show the counters.
 * It is loaded and saved independently of the list before it.
 */
#define OAR_AT         0x5c0u
#define OAR_PERF_A0    GEN12_OAR_OAPERF_A /* A0 to A31, low and high, then A32 to A35 */
#define OAR_PERF_A_END (REG_LAST(GEN12_OAR_OAPERF_A32) + 4)
#define OAR_PERF_B0    GEN12_OAR_OAPERF_B /* B0 to B7, C0 to C7 */
#define OAR_PERF_END   (REG_LAST(GEN12_OAR_OAPERF_C) + 4)
#define OAR_COUNT      ((OAR_PERF_A_END - OAR_PERF_A0 + OAR_PERF_END - OAR_PERF_B0) / 4)

static bool is_oar(const struct tally_gpu *gpu, uint32_t address)
{
    return is_map_d(gpu->oa) && (address == GEN8_OACTXCONTROL || address == RING_CONTEXT_CONTROL ||
                                 address == GEN12_OAR_OACONTROL || address == GEN12_OAR_OASTATUS);
}

static uint32_t oar_register(unsigned n)
{
    uint32_t address = OAR_PERF_A0 + 4 * n;
    return address < OAR_PERF_A_END ? address : address - OAR_PERF_A_END + OAR_PERF_B0;
}

static void load_counters(struct tally_gpu *gpu, const struct image *image)
{
    uint32_t header = image->count > OAR_AT + 2 * OAR_COUNT ? image->dwords[OAR_AT] : 0;
    gpu->oa->oar = (struct oar){0};
    if (!CS_IS(MI_LOAD_REGISTER_IMM, header) ||
        CS_DWORDS(MI_LOAD_REGISTER_IMM, header) != 1 + 2 * OAR_COUNT)
        return;
    for (unsigned i = 0; i < OAR_COUNT; i++)
        tally_oa_write32(gpu->oa, oar_register(i), image->dwords[OAR_AT + 2 + 2 * i]);
}

/* ---- loading --------------------------------------------------------------------------------- */

struct loading {
    struct gpu_engine *engine;
    bool inhibited; /* only the ring is restored */
};

/* Loads a register of the OA unit. Returns false for others. */
static bool load_oa(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    if (is_flexible(address)) { /* a context restore writes to all subslices */
        tally_oa_write_subslices(gpu->oa, UINT32_MAX, address, value);
        return true;
    }
    bool oar = is_oar(gpu, address);
    if (!oar && address != GEN8_OACTXCONTROL)
        return false;
    tally_oa_write32(gpu->oa, address, value);
    if (!oar)
        gpu->context_lost = false;
    return true;
}

static void load_register(struct tally_gpu *gpu, uint32_t address, uint32_t value, void *closure)
{
    struct loading *loading = closure;
    struct gpu_engine *engine = loading->engine;
    bool render = engine == gpu_render(gpu);
    if (address == RING_CONTEXT_CONTROL)
        loading->inhibited = REG_GET(GEN8_CTX_CONTROL, RESTORE_INHIBIT, value);
    if (loading->inhibited)
        return;
    if (render && (load_oa(gpu, address, value) || gpu_pipeline_write(gpu, address, value)))
        return;
    if (address == RING_CTX_TIMESTAMP)
        gpu_engine_set_context_time(gpu, engine, value);
    else
        streamer_restore(&engine->streamer, own_register(engine, address), value);
}

void image_load(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    bool render = engine == gpu_render(gpu);
    struct loading loading = {engine, false};
    struct image image;
    gpu_settle(gpu);
    read_image(gpu, engine, image_address(engine->streamer.ppgtt), &image);
    gpu_engine_set_context_time(gpu, engine, 0);
    if (render && is_map_d(gpu->oa))
        load_counters(gpu, &image);
    walk(gpu, engine, &image, load_register, &loading);
    if (render && !loading.inhibited)
        image_load_pipeline(gpu, engine->streamer.ppgtt);
}

static void load_only_oa(struct tally_gpu *gpu, uint32_t address, uint32_t value, void *closure)
{
    (void)closure;
    load_oa(gpu, address, value);
}

void image_load_oa(struct tally_gpu *gpu)
{
    const struct gpu_engine *render = gpu_render(gpu);
    struct image image;
    gpu_settle(gpu);
    read_image(gpu, render, image_address(render->streamer.ppgtt), &image);
    if (is_map_d(gpu->oa))
        load_counters(gpu, &image);
    walk(gpu, render, &image, load_only_oa, NULL);
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Returns the value of a masked register in an image, with all write enables. */
static uint32_t masked(uint32_t value)
{
    return UINT32_C(0xffff0000) | value;
}

/* A save: `old` is the image before, `image` the one that is laid down, up to dword `end`. */
struct saving {
    struct tally_gpu *gpu;
    const struct gpu_engine *engine;
    bool render;
    struct image old, image;
    uint32_t end;
};

/* Whether software owns a register of the ring. */
static bool is_softwares(uint32_t address)
{
    return address == RING_TAIL || address == RING_START || address == RING_CTL;
}

static bool is_of_oa(const struct tally_gpu *gpu, uint32_t address)
{
    return is_oar(gpu, address) || address == GEN8_OACTXCONTROL || is_flexible(address) ||
           (is_map_d(gpu->oa) && address >= OAR_PERF_A0 && address < OAR_PERF_END);
}

/* Returns the value of a register that the model has, else `value`. */
static uint32_t present_value(const struct saving *saving, uint32_t address, uint32_t value)
{
    struct tally_gpu *gpu = saving->gpu;
    const struct streamer *streamer = &saving->engine->streamer;
    if (saving->render && is_of_oa(gpu, address))
        return tally_oa_read32(gpu->oa, address);
    if (!saving->render || !gpu_pipeline_read(gpu, address, &value))
        streamer_read(streamer, NULL, own_register(saving->engine, address), &value);
    return value;
}

/* Returns what a register is saved as. has_old: the image has the register at its place, with the
 * value `old`, else `old` is 0. */
static uint32_t saved_value(const struct saving *saving, uint32_t address, bool has_old,
                            uint32_t old)
{
    struct tally_gpu *gpu = saving->gpu;
    if (is_softwares(address) && has_old)
        return old;
    switch (address) {
    case RING_CONTEXT_CONTROL:
        if (saving->render && is_map_d(gpu->oa))
            old = masked(gpu->oa->oar.context_control);
        return old & ~REG_MASK(GEN8_CTX_CONTROL, RESTORE_INHIBIT);
    case RING_TIMESTAMP: /* not the context's */
        return old;
    case RING_CTX_TIMESTAMP:
        return gpu_engine_context_time(gpu, saving->engine);
    case RING_HEAD:
        return streamer_head(&saving->engine->streamer);
    case RING_CTL:
        return present_value(saving, address, old) | REG_MASK(RING_CTL, RING_ENABLE);
    case RING_MI_MODE: {
        uint32_t own = own_register(saving->engine, address), mode;
        return streamer_read(&saving->engine->streamer, NULL, own, &mode) ? masked(mode) : old;
    }
    default:
        return present_value(saving, address, old);
    }
}

static void lay(struct saving *saving, const struct image_list *list)
{
    struct image *image = &saving->image;
    bool relative = list->flags & RELATIVE && saving->gpu->platform->image->relative;
    uint32_t at = list->at;
    if (at + 1 + 2u * list->count >= image->count)
        return;
    image->dwords[at++] = CS_HEADER(MI_LOAD_REGISTER_IMM, 1 + 2 * list->count) |
                          CS_PUT(MI_LOAD_REGISTER_IMM, FORCE_POSTED, !!(list->flags & POSTED)) |
                          CS_PUT(MI_LOAD_REGISTER_IMM, ADD_CS_MMIO_START_OFFSET, relative);
    for (unsigned i = 0; i < list->count; i++, at += 2) {
        const uint32_t *old = saving->old.dwords + at;
        uint32_t address = list->registers[i];
        bool has_old = image_register(saving->engine, old[0], relative) == address;
        image->dwords[at] = own_register(saving->engine, address);
        image->dwords[at + 1] = saved_value(saving, address, has_old, has_old ? old[1] : 0);
    }
    saving->end = max_u32(saving->end, at);
}

/* Lays down consecutive registers at the place of the first one's address, if there is one. */
static void lay_oa(struct saving *saving, unsigned place, const uint32_t *registers, unsigned count)
{
    if (place)
        lay(saving, &(struct image_list){.flags = POSTED,
                                         .count = (uint8_t)count,
                                         .at = (uint16_t)(place - 1),
                                         .registers = registers});
}

static void lay_all_oa(struct saving *saving)
{
    const struct intel_context_image *places = saving->gpu->platform->image;
    uint32_t counters[OAR_COUNT];
    lay_oa(saving, places->oactxcontrol, REGISTERS(GEN8_OACTXCONTROL), 1);
    lay_oa(saving, places->flex, flex_registers, FLEX_REGISTERS);
    lay_oa(saving, places->oar_control, REGISTERS(GEN12_OAR_OACONTROL), 1);
    for (unsigned i = 0; i < OAR_COUNT; i++)
        counters[i] = oar_register(i);
    lay_oa(saving, places->oar_control ? OAR_AT + 1 : 0, counters, OAR_COUNT);
}

void image_save(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct saving saving = {.gpu = gpu, .engine = engine, .render = engine == gpu_render(gpu)};
    unsigned form = gpu->platform->image->form + (saving.render ? 0u : IMAGE_FORMS);
    uint64_t start = image_address(engine->streamer.ppgtt);
    gpu_settle(gpu);
    read_image(gpu, engine, start, &saving.old);
    saving.image.count = saving.old.count;
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
        if (lists[i].images >> form & 1)
            lay(&saving, &lists[i]);
    if (saving.render)
        lay_all_oa(&saving);
    if (saving.end < saving.image.count)
        saving.image.dwords[saving.end] = MI_BATCH_BUFFER_END;
    write_image(gpu, start, &saving.image);
    if (!saving.render)
        return;
    image_save_pipeline(gpu, engine->streamer.ppgtt);
    if (is_map_d(gpu->oa))
        gpu->oa->oar = (struct oar){0}; /* OAR has no state without a context */
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

/*
 * Behind the registers, hardware has the commands that bound the pipeline's state. Here it is the
 * state that the cost model derives from them: a dword that marks it, then numbers of 64 bits.
 * Before Gen8 the pipeline's registers follow.
 */
#define PIPELINE_OFFSET 0x2000u /* from the image */
#define PIPELINE_MARK   0x50595454u
#define PIPELINE_MAX                                                                               \
    (COST_VALUES + 2 * COST_VERTEX_BUFFERS + 3 * COST_SO_BUFFERS + COST_STATISTICS +               \
     GPU_PIPELINE_PARAMETERS)

struct pipeline_image {
    bool loads;
    uint8_t bytes[8 + 8 * PIPELINE_MAX];
    uint32_t at;
};

static void exchange(struct pipeline_image *image, uint64_t *value)
{
    if (image->loads)
        *value = load_le64(image->bytes + image->at);
    else
        store_le64(image->bytes + image->at, *value);
    image->at += 8;
}

static void exchange32(struct pipeline_image *image, uint32_t *value)
{
    uint64_t wide = *value;
    exchange(image, &wide);
    *value = (uint32_t)wide;
}

static void exchange_state(struct pipeline_image *image, struct gpu_pipeline *pipeline,
                           bool registers)
{
    struct cost_state *state = &pipeline->state;
    for (unsigned i = 0; i < COST_VALUES; i++)
        exchange(image, &state->values[i]);
    for (unsigned i = 0; i < COST_VERTEX_BUFFERS; i++) {
        exchange(image, &state->vertex_buffers[i].address);
        exchange32(image, &state->vertex_buffers[i].pitch);
    }
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++) {
        exchange(image, &state->so_buffers[i].bytes);
        exchange32(image, &state->so_buffers[i].pitch);
        exchange(image, &state->so_buffers[i].offset_address);
    }
    for (unsigned i = 0; i < COST_STATISTICS && registers; i++)
        exchange(image, &pipeline->statistics[i].value);
    for (unsigned i = 0; i < GPU_PIPELINE_PARAMETERS && registers; i++)
        exchange32(image, &pipeline->parameters[i]);
}

void image_save_pipeline(struct tally_gpu *gpu, uint32_t space)
{
    struct pipeline_image image = {.at = 8};
    gpu_settle(gpu);
    gpu_pipeline_finish(gpu);
    store_le32(image.bytes, PIPELINE_MARK);
    exchange_state(&image, &gpu->pipeline, !has_execlists(gpu));
    gpu_write_bytes(gpu, TALLY_GPU_GGTT, image_address(space) + PIPELINE_OFFSET, image.bytes,
                    image.at);
}

static void reset_registers(struct gpu_pipeline *pipeline)
{
    memset(pipeline->statistics, 0, sizeof pipeline->statistics);
    memset(pipeline->parameters, 0, sizeof pipeline->parameters);
}

/* A context that was never saved begins with nothing bound. Before Gen8, its registers are 0. */
void image_load_pipeline(struct tally_gpu *gpu, uint32_t space)
{
    struct pipeline_image image = {.loads = true, .at = 8};
    gpu_settle(gpu);
    gpu_pipeline_finish(gpu);
    if (!gpu_read_bytes(gpu, TALLY_GPU_GGTT, image_address(space) + PIPELINE_OFFSET, image.bytes,
                        sizeof image.bytes) ||
        load_le32(image.bytes) != PIPELINE_MARK) {
        cost_state_init(&gpu->pipeline.state);
        if (!has_execlists(gpu))
            reset_registers(&gpu->pipeline);
        return;
    }
    exchange_state(&image, &gpu->pipeline, !has_execlists(gpu));
}
