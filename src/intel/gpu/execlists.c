/* SPDX-License-Identifier: MIT */
/*
 * Execution lists (Gen8 on): two context descriptors written to a port are submitted. A list
 * follows the running context when that is done; what was submitted before and has not begun is
 * replaced. An element with the running context only brings its new tail.
 *
 * A descriptor: bit 0 valid, 31:12 address of the context's pages in the GGTT (LRCA), upper half
 * its id. The second page is the image: MI_LOAD_REGISTER_IMM commands.
 */
#include <errno.h>

#include "base/bits.h"
#include "intel/cs/registers.h"
#include "intel/cs/symbols.h"
#include "intel/gpu/gpu.h"

#define IMAGE_OFFSET 0x1000u
#define IMAGE_PAGE   4096u
#define IMAGE_PAGES  2u /* max of struct intel_context_image */
/* Bytes from the engine's base on that a relative register of an image can name. */
#define IMAGE_RELATIVE 0x1000u
/* First dword of an MI_LOAD_REGISTER_IMM of `pairs` registers. */
#define LRI_HEADER(pairs) CS_HEADER(MI_LOAD_REGISTER_IMM, 1 + 2 * (pairs))

bool execlists_own(const struct tally_gpu *gpu, uint32_t address)
{
    if (gpu->platform->submission == SUBMISSION_QUEUE)
        return (address >= RING_ELSQ && address <= REG_LAST(RING_ELSQ)) ||
               address == RING_ELSQ_CONTROL;
    return has_execlists(gpu) && address == RING_ELSP;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Visits the registers of a context's image with the address of the dword that holds the value.
 * It ends where the memory, the list or the page does. */
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

/* Returns the register of a dword of an image. Software writes a register's whole address and sets
 * the flag for relative ones as well; only the bits below the engine's base count (OA-10.1). */
static uint32_t image_register(uint32_t dword, bool relative)
{
    uint32_t address = dword & CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, REGISTER_OFFSET);
    return relative ? STREAMER_BASE + address % IMAGE_RELATIVE : address;
}

static void walk_image(struct tally_gpu *gpu, uint32_t space, image_visit *visit, void *closure)
{
    uint64_t start = image_address(space);
    struct image image;
    read_image(gpu, start, &image);
    for (uint32_t at = 0; at < image.size; at += 4) {
        uint32_t command = load_le32(image.bytes + at);
        if (command == MI_BATCH_BUFFER_END)
            return;
        if (!CS_IS(MI_LOAD_REGISTER_IMM, command))
            continue; /* MI_NOOP, or a command that is not modelled */
        bool relative = gpu->platform->image->relative &&
                        CS_GET(MI_LOAD_REGISTER_IMM, ADD_CS_MMIO_START_OFFSET, command);
        uint32_t pairs = (CS_DWORDS(MI_LOAD_REGISTER_IMM, command) - 1) / 2;
        for (; pairs && at + 8 < image.size; pairs--, at += 8) {
            uint32_t address = image_register(load_le32(image.bytes + at + 4), relative);
            visit(gpu, address, start + at + 8, load_le32(image.bytes + at + 8), closure);
        }
    }
}

/* ---- OAR ------------------------------------------------------------------------------------- */

/*
 * Gen12: a context brings its counters along. Where in the image is not documented; here they are
 * one MI_LOAD_REGISTER_IMM behind OAR_OACONTROL (dword 5b0h), of the registers that show them,
 * which the hardware reads and writes whatever the list before it says.
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
    } else if (is_flexible(address)) /* context restore reaches every subslice */
        tally_oa_write_subslices(gpu->oa, UINT32_MAX, address, value);
}

void execlists_load(struct tally_gpu *gpu, uint32_t space)
{
    if (is_map_d(gpu->oa))
        load_counters(gpu, space);
    walk_image(gpu, space, load_register, NULL);
}

static void save_register(struct tally_gpu *gpu, uint32_t address, uint64_t at, uint32_t value,
                          void *closure)
{
    if (address == RING_HEAD)
        value = *(const uint32_t *)closure;
    else if (address == RING_CONTEXT_CONTROL && is_map_d(gpu->oa))
        value = UINT32_C(0xffff0000) | gpu->oa->oar.context_control; /* all write enables */
    else if (address == GEN8_OACTXCONTROL || is_flexible(address) || is_oar(gpu, address))
        value = tally_oa_read32(gpu->oa, address);
    else
        return;
    gpu_write_memory(gpu, TALLY_GPU_GGTT, at, value);
}

void execlists_save(struct tally_gpu *gpu, uint32_t space, uint32_t head)
{
    walk_image(gpu, space, save_register, &head);
    if (!is_map_d(gpu->oa))
        return;
    save_counters(gpu, space);
    gpu->oa->oar = (struct oar){0}; /* it leaves with its context */
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

static void submit_element(struct tally_gpu *gpu, uint32_t low, uint32_t high)
{
    struct streamer_submission submission = {.id = high,
                                             .ppgtt = REG_GET(CTX_DESCRIPTOR, ADDRESS, low)};
    if (!REG_GET(CTX_DESCRIPTOR, VALID, low))
        return;
    walk_image(gpu, submission.ppgtt, find_ring, &submission);
    if (!submission.ring_size || streamer_submit(&gpu->streamer, &submission) == -EINVAL)
        streamer_reject(&gpu->streamer, image_address(submission.ppgtt), low);
}

static void submit_list(struct tally_gpu *gpu, uint32_t low0, uint32_t high0, uint32_t low1,
                        uint32_t high1)
{
    gpu->streamer.pending_count = 0;
    submit_element(gpu, low0, high0);
    submit_element(gpu, low1, high1);
}

static void write_port(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    struct execlists *lists = &gpu->execlists;
    const uint32_t *w = lists->written;
    if (request->address == RING_ELSQ_CONTROL) {
        if (value & REG_MASK(RING_ELSQ_CONTROL, LOAD))
            submit_list(gpu, w[0], w[1], w[2], w[3]);
    } else if (gpu->platform->submission == SUBMISSION_QUEUE) {
        lists->written[request->element] = value;
    } else { /* element 1 high and low, element 0 high and low */
        lists->written[lists->count++] = value;
        if (lists->count < 4)
            return;
        lists->count = 0;
        submit_list(gpu, w[3], w[2], w[1], w[0]);
    }
}

const struct reg_block execlists_block = {
    .map = &cs_registers_map,
    .common = {NULL, write_port}, /* nothing can be read of them */
    .first_id = CS_PORTS,
    .end_id = CS_PORTS + 1,
};
