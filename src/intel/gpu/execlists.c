/* SPDX-License-Identifier: MIT */
/*
 * Execution lists (from Gen8 on): software submits a list of two context descriptors through a
 * port. The list starts when the running context is done, and replaces a submitted list that has
 * not started. If it begins with the running context, only the ring's tail is updated.
 *
 * A descriptor has bit 0 valid, bits 31:12 address of the context's pages in the GGTT (LRCA), and
 * in its upper half the context id. The second page is the image, which consists of
 * MI_LOAD_REGISTER_IMM commands.
 */
#include <errno.h>

#include "base/bits.h"
#include "intel/cs/symbols.h"
#include "intel/gpu/gpu.h"

#define IMAGE_OFFSET 0x1000u
#define IMAGE_PAGE   4096u
#define IMAGE_PAGES  2u /* maximum of intel_context_image.pages */
/* Size in bytes of the range of relative registers, from the engine's base. */
#define IMAGE_RELATIVE 0x1000u
/* First dword of an MI_LOAD_REGISTER_IMM with `pairs` registers. */
#define LRI_HEADER(pairs) CS_HEADER(MI_LOAD_REGISTER_IMM, 1 + 2 * (pairs))

/* ---- images ---------------------------------------------------------------------------------- */

/* Called for each register in a context's image. address: that of the render engine's register at
 * the same offset; at: the address of the dword with the value. */
typedef void image_visit(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                         void *closure);

struct image {
    uint8_t bytes[IMAGE_PAGES * IMAGE_PAGE];
    uint32_t size;
};

static void read_image(struct tally_gpu *gpu, uint64_t at, struct image *image)
{
    uint32_t size = gpu->platform->image->pages * IMAGE_PAGE;
    for (image->size = 0; image->size < size; image->size += IMAGE_PAGE)
        if (!gpu->bus.read || !gpu->bus.read(gpu->bus.context, TALLY_GPU_GGTT, at + image->size,
                                             image->bytes + image->size, IMAGE_PAGE))
            return;
}

static uint64_t image_address(uint32_t space)
{
    return ((uint64_t)space << 12) + IMAGE_OFFSET;
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

/* Visits the registers of a context's image, up to the end of the list, the page or the memory. */
static void walk_image(struct tally_gpu *gpu, const struct gpu_engine *engine, uint32_t space,
                       image_visit *visit, void *closure)
{
    uint64_t start = image_address(space);
    struct image image;
    read_image(gpu, start, &image);
    for (uint32_t at = 0; at < image.size; at += 4) {
        uint32_t command = load_le32(image.bytes + at);
        if (command == MI_BATCH_BUFFER_END)
            return;
        if (!CS_IS(MI_LOAD_REGISTER_IMM, command))
            continue; /* MI_NOOP, or not modelled */
        bool relative = gpu->platform->image->relative &&
                        CS_GET(MI_LOAD_REGISTER_IMM, ADD_CS_MMIO_START_OFFSET, command);
        uint32_t pairs = (CS_DWORDS(MI_LOAD_REGISTER_IMM, command) - 1) / 2;
        for (; pairs && at + 8 < image.size; pairs--, at += 8) {
            uint32_t address = image_register(engine, load_le32(image.bytes + at + 4), relative);
            visit(gpu, address, start + at + 8, load_le32(image.bytes + at + 8), closure);
        }
    }
}

/* ---- OAR ------------------------------------------------------------------------------------- */

/*
 * Gen12: the image contains the context's counters. Their place is not documented; here it is one
 * MI_LOAD_REGISTER_IMM after OAR_OACONTROL (dword 5b0h) with the registers that show the counters.
 * It is loaded and saved independently of the list before it.
 */
#define OAR_AT         (4 * 0x5c0u)
#define OAR_PERF_A0    GEN12_OAR_OAPERF_A /* A0 to A31, low and high, then A32 to A35 */
#define OAR_PERF_A_END (REG_LAST(GEN12_OAR_OAPERF_A32) + 4)
#define OAR_PERF_B0    GEN12_OAR_OAPERF_B /* B0 to B7, C0 to C7 */
#define OAR_PERF_END   (REG_LAST(GEN12_OAR_OAPERF_C) + 4)
#define OAR_WORDS      ((OAR_PERF_A_END - OAR_PERF_A0 + OAR_PERF_END - OAR_PERF_B0) / 4)
#define OAR_BYTES      (4 * (1 + 2 * OAR_WORDS))

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

static void load_counters(struct tally_gpu *gpu, uint32_t space)
{
    uint64_t at = image_address(space) + OAR_AT;
    uint8_t bytes[OAR_BYTES];
    gpu->oa->oar = (struct oar){0};
    if (!gpu->bus.read || !gpu->bus.read(gpu->bus.context, TALLY_GPU_GGTT, at, bytes, OAR_BYTES) ||
        load_le32(bytes) != LRI_HEADER(OAR_WORDS))
        return;
    for (unsigned i = 0; i < OAR_WORDS; i++)
        tally_oa_write32(gpu->oa, oar_register(i), load_le32(bytes + 8 + 8 * i));
}

static void save_counters(struct tally_gpu *gpu, uint32_t space)
{
    uint64_t at = image_address(space) + OAR_AT;
    uint8_t bytes[OAR_BYTES];
    if (!has_oar(gpu->oa) || !gpu->bus.write)
        return;
    store_le32(bytes, LRI_HEADER(OAR_WORDS));
    for (unsigned i = 0; i < OAR_WORDS; i++) {
        store_le32(bytes + 4 + 8 * i, oar_register(i));
        store_le32(bytes + 8 + 8 * i, tally_oa_read32(gpu->oa, oar_register(i)));
    }
    gpu->bus.write(gpu->bus.context, TALLY_GPU_GGTT, at, bytes, OAR_BYTES);
}

/* ---- loading and saving ---------------------------------------------------------------------- */

static void load_register(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                          void *closure)
{
    (void)at;
    (void)closure;
    if (is_oar(gpu, address)) {
        tally_oa_write32(gpu->oa, address, value);
    } else if (address == GEN8_OACTXCONTROL) {
        tally_oa_write32(gpu->oa, address, value);
        gpu->context_lost = false;
    } else if (is_flexible(address)) /* a context restore writes to all subslices */
        tally_oa_write_subslices(gpu->oa, UINT32_MAX, address, value);
}

void execlists_load(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    uint32_t space = engine->streamer.ppgtt;
    if (is_map_d(gpu->oa))
        load_counters(gpu, space);
    walk_image(gpu, engine, space, load_register, NULL);
}

/* Returns the address of a streamer's register, from that of the render engine's. */
static uint32_t own_register(const struct streamer *streamer, uint32_t address)
{
    return address - RENDER_RING_BASE + streamer->engine->map.base;
}

static void load_mode(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                      void *closure)
{
    struct gpu_engine *engine = closure;
    (void)gpu;
    (void)at;
    if (address == RING_MI_MODE)
        streamer_write(&engine->streamer, own_register(&engine->streamer, address), value);
}

void execlists_load_mode(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    const struct streamer *streamer = &engine->streamer;
    uint32_t value;
    if (streamer_read(streamer, NULL, own_register(streamer, RING_MI_MODE), &value))
        walk_image(gpu, engine, streamer->ppgtt, load_mode, engine);
}

/* What a context is saved with. */
struct saved {
    const struct streamer *streamer;
    uint32_t head;
};

/* Returns the value of a masked register in an image, with all write enables. */
static uint32_t masked(uint32_t value)
{
    return UINT32_C(0xffff0000) | value;
}

/* Saves the registers that every engine's image has. */
static bool save_common(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                        const struct saved *saved)
{
    const struct streamer *streamer = saved->streamer;
    if (address == RING_HEAD)
        value = saved->head;
    else if (address == RING_MI_MODE &&
             streamer_read(streamer, NULL, own_register(streamer, address), &value))
        value = masked(value);
    else
        return false;
    gpu_write_memory(gpu, TALLY_GPU_GGTT, at, value);
    return true;
}

static void save_register(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                          void *closure)
{
    if (save_common(gpu, address, at, value, closure))
        return;
    if (address == RING_CONTEXT_CONTROL && is_map_d(gpu->oa))
        value = masked(gpu->oa->oar.context_control);
    else if (address == GEN8_OACTXCONTROL || is_flexible(address) || is_oar(gpu, address))
        value = tally_oa_read32(gpu->oa, address);
    else
        return;
    gpu_write_memory(gpu, TALLY_GPU_GGTT, at, value);
}

static void save_other(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                       void *closure)
{
    save_common(gpu, address, at, value, closure);
}

void execlists_save(struct tally_gpu *gpu, struct gpu_engine *engine, uint32_t head)
{
    uint32_t space = engine->streamer.ppgtt;
    bool render = engine == gpu_render(gpu);
    struct saved saved = {&engine->streamer, head};
    walk_image(gpu, engine, space, render ? save_register : save_other, &saved);
    if (!render || !is_map_d(gpu->oa))
        return;
    save_counters(gpu, space);
    gpu->oa->oar = (struct oar){0}; /* OAR has no state without a context */
}

/* ---- submission ------------------------------------------------------------------------------ */

static void find_ring(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                      void *closure)
{
    struct streamer_submission *submission = closure;
    (void)gpu;
    (void)at;
    if (address == RING_TAIL)
        submission->ring_tail = value & REG_MASK(RING_TAIL, TAIL_OFFSET);
    else if (address == RING_HEAD)
        submission->ring_head = value & REG_MASK(RING_HEAD, HEAD_OFFSET);
    else if (address == RING_START)
        submission->ring_start = value & REG_MASK(RING_PAGE, ADDRESS);
    else if (address == RING_CTL)
        submission->ring_size = (REG_GET(RING_CTL, PAGES, value) + 1) * IMAGE_PAGE;
}

static void submit_element(struct tally_gpu *gpu, struct gpu_engine *engine, uint32_t low,
                           uint32_t high)
{
    struct streamer_submission submission = {.id = high,
                                             .ppgtt = REG_GET(CTX_DESCRIPTOR, ADDRESS, low)};
    if (!REG_GET(CTX_DESCRIPTOR, VALID, low))
        return;
    walk_image(gpu, engine, submission.ppgtt, find_ring, &submission);
    if (!submission.ring_size || streamer_submit(&engine->streamer, &submission) == -EINVAL) {
        streamer_reject(&engine->streamer, image_address(submission.ppgtt), low);
        gpu_report_fault(gpu, engine);
    }
}

/* Makes a list the current one. If its first context is running, only the tail is updated. */
static void take_list(struct tally_gpu *gpu, struct gpu_engine *engine, const struct execlist *list)
{
    const uint32_t *d = list->dwords;
    engine->execlists.has_next = false;
    engine->execlists.active = true;
    engine->streamer.pending_count = 0;
    submit_element(gpu, engine, d[0], d[1]);
    submit_element(gpu, engine, d[2], d[3]);
}

/* Takes a list on an engine without one. */
static void start_list(struct tally_gpu *gpu, struct gpu_engine *engine,
                       const struct execlist *list)
{
    take_list(gpu, engine, list);
    engine->execlists.active = engine->execlists.starts = engine->streamer.pending_count;
}

static void submit_list(struct tally_gpu *gpu, struct gpu_engine *engine,
                        const struct execlist *list)
{
    struct execlists *lists = &engine->execlists;
    if (!engine->streamer.running && !engine->streamer.pending_count) {
        start_list(gpu, engine, list);
        return;
    }
    lists->next = *list;
    lists->has_next = true;
}

void execlists_write(struct tally_gpu *gpu, struct gpu_engine *engine,
                     const struct reg_request *request, uint32_t value)
{
    struct execlists *lists = &engine->execlists;
    const uint32_t *w = lists->written;
    uint32_t offset = request->address - engine->streamer.engine->map.base;
    if (offset == RING_ELSQ_CONTROL - RENDER_RING_BASE) {
        if (value & REG_MASK(RING_ELSQ_CONTROL, LOAD))
            submit_list(gpu, engine, &(struct execlist){{w[0], w[1], w[2], w[3]}});
    } else if (gpu->platform->submission == SUBMISSION_QUEUE) {
        lists->written[request->element] = value;
    } else { /* element 1 high and low, element 0 high and low */
        lists->written[lists->count++] = value;
        if (lists->count < 4)
            return;
        lists->count = 0;
        submit_list(gpu, engine, &(struct execlist){{w[3], w[2], w[1], w[0]}});
    }
}

/* ---- switches -------------------------------------------------------------------------------- */

/* Whether a list begins with the running context, which is then neither saved nor restored. */
static bool continues(const struct streamer *streamer, const struct execlist *list)
{
    uint32_t low = list->dwords[0];
    return REG_GET(CTX_DESCRIPTOR, VALID, low) && !REG_GET(CTX_DESCRIPTOR, FORCE_RESTORE, low) &&
           streamer->context_id == list->dwords[1] &&
           streamer->ppgtt == REG_GET(CTX_DESCRIPTOR, ADDRESS, low);
}

void execlists_arbitrate(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    const struct streamer *streamer = &engine->streamer;
    if (!lists->has_next || !lists->active || !streamer->running || !streamer->arbitration ||
        !continues(streamer, &lists->next))
        return;
    gpu_loop_break(gpu);
    take_list(gpu, engine, &lists->next);
    context_status_add(gpu, engine,
                       &(struct context_event){.has_from = true,
                                               .has_to = true,
                                               .from = streamer->context_id,
                                               .to = streamer->context_id,
                                               .new_list = true});
}

void execlists_start(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    if (!lists->starts)
        return;
    lists->starts = false;
    context_status_add(gpu, engine,
                       &(struct context_event){
                           .has_to = true, .to = engine->streamer.context_id, .new_list = true});
}

void execlists_end(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    struct execlists *lists = &engine->execlists;
    const struct streamer *streamer = &engine->streamer;
    struct context_event event = {
        .has_from = true,
        .from = streamer->context_id,
        .new_list = lists->has_next,
        .complete = true,
    };
    if (!lists->active || lists->starts) { /* a batch without a context */
        gpu_engine_raise(gpu, engine, GT_ENGINE_SWITCH);
        if (lists->has_next)
            start_list(gpu, engine, &lists->next);
        return;
    }
    if (lists->has_next)
        take_list(gpu, engine, &lists->next);
    lists->active = event.has_to = streamer->pending_count;
    event.to = event.has_to ? streamer->pending[0].id : 0;
    context_status_add(gpu, engine, &event);
}
