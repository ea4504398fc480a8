/* SPDX-License-Identifier: MIT */
#include "emulation/copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/platforms.h"

#define STATE_BASE_ADDRESS     0x6101u
#define VERTEX_BUFFERS         0x7808u
#define BINDING_TABLE_POINTERS 0x782au /* of the pixel shader */

#define MODIFY         1u /* in a base address: it is valid */
#define MAX_SIZE       16384u
#define SURFACE_DWORDS 16
#define VERTICES       3

/* IGT GPU Tools expects of A26 the pixels that its copy writes, where the cost model counts 2x2
 * blocks (OA-10.5). */
#define WRITTEN_BLOCKS 26
#define BLOCK          4

void emulation_copy_init(struct emulation_copy *copy, const struct tally_platform *platform,
                         struct tally_gpu *gpu)
{
    *copy = (struct emulation_copy){.oa = tally_gpu_oa(gpu),
                                    .platform = intel_platform_of(platform),
                                    .eus = tally_gpu_eus(gpu)};
}

void emulation_copy_reset(struct emulation_copy *copy)
{
    copy->has_surfaces = copy->has_vertices = false;
    copy->surface_base = 0;
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool is_wide(const struct emulation_copy *copy)
{
    return copy->platform->wide_addresses;
}

static uint64_t address_at(const struct emulation_copy *copy, const uint32_t *dwords)
{
    return is_wide(copy) ? dwords[0] | (uint64_t)(dwords[1] & 0xffff) << 32 : dwords[0];
}

void emulation_copy_state(struct emulation_copy *copy, const struct tally_gpu_command *command)
{
    const uint32_t *dwords = command->dwords;
    uint32_t base_at = is_wide(copy) ? 4 : 2;
    if (copy->space != command->data_space) /* another context */
        emulation_copy_reset(copy);
    copy->space = command->data_space;
    switch (dwords[0] >> 16) {
    case STATE_BASE_ADDRESS:
        if (command->count > base_at + 1 && dwords[base_at] & MODIFY)
            copy->surface_base = address_at(copy, dwords + base_at) & ~UINT64_C(0xfff);
        break;
    case BINDING_TABLE_POINTERS:
        copy->has_surfaces = command->count > 1;
        copy->table = copy->has_surfaces ? dwords[1] & 0xffe0 : 0;
        break;
    case VERTEX_BUFFERS:
        copy->has_vertices = command->count > 4;
        if (copy->has_vertices) {
            copy->vertex_stride = dwords[1] & 0xfff;
            copy->vertices = address_at(copy, dwords + 2);
        }
        break;
    default:
        break;
    }
}

/* ---- surfaces -------------------------------------------------------------------------------- */

struct surface {
    uint64_t address;
    uint32_t width, height, pitch, format;
    bool linear;
};

struct memory {
    const struct tally_gpu_bus *bus;
    uint32_t space;
};

static bool read_dwords(const struct memory *memory, uint64_t address, uint32_t *to, size_t count)
{
    uint8_t bytes[4 * SURFACE_DWORDS];
    if (!memory->bus->read(memory->bus->context, memory->space, address, bytes, 4 * count))
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = load_le32(bytes + 4 * i);
    return true;
}

/* Reads the RENDER_SURFACE_STATE of an entry of the binding table. */
static bool read_surface(const struct emulation_copy *copy, const struct memory *memory,
                         unsigned entry, struct surface *out)
{
    uint32_t offset, dwords[SURFACE_DWORDS];
    size_t count = is_wide(copy) ? SURFACE_DWORDS : 8;
    if (!read_dwords(memory, copy->surface_base + copy->table + 4 * entry, &offset, 1) ||
        !read_dwords(memory, copy->surface_base + offset, dwords, count))
        return false;
    *out = (struct surface){
        .address = address_at(copy, dwords + (is_wide(copy) ? 8 : 1)),
        .width = field32(dwords[2], 13, 0) + 1,
        .height = field32(dwords[2], 29, 16) + 1,
        .pitch = field32(dwords[3], 17, 0) + 1,
        .format = field32(dwords[0], 26, 18),
        .linear = !(is_wide(copy) ? field32(dwords[0], 13, 12) : field32(dwords[0], 14, 13)),
    };
    return true;
}

/* Returns the bytes per pixel; 0: unknown format. */
static unsigned pixel_bytes(uint32_t format)
{
    static const struct {
        uint16_t format;
        uint8_t bytes;
    } formats[] = {
        {0x000, 16}, {0x084, 8},                         /* float: RGBA 32, RGBA 16 */
        {0x0c0, 4},  {0x0c7, 4}, {0x0e9, 4}, {0x0ea, 4}, /* BGRA8, RGBA8, BGRX8 */
        {0x0d6, 4},  {0x0d7, 4}, {0x0d8, 4}, {0x0df, 4}, /* R32, R10G10B10A2 */
        {0x100, 2},  {0x106, 2}, {0x140, 1},             /* B5G6R5, R8G8, R8 */
    };
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
        if (formats[i].format == format)
            return formats[i].bytes;
    return 0;
}

/* ---- the rectangle --------------------------------------------------------------------------- */

struct rectangle {
    uint32_t x, y, width, height; /* in the destination */
    uint32_t from_x, from_y;
};

/* Returns a source coordinate of a vertex in pixels. From Gen8 on it is a fraction of the size. */
static uint32_t source_of(const struct emulation_copy *copy, const uint8_t *vertex, unsigned axis,
                          uint32_t size)
{
    if (!is_wide(copy))
        return load_le16(vertex + 4 + 2 * axis);
    uint32_t bits = load_le32(vertex + 4 + 4 * axis);
    float fraction;
    memcpy(&fraction, &bits, sizeof fraction);
    return fraction > 0 && fraction <= 1 ? (uint32_t)lrintf(fraction * (float)size) : 0;
}

/* Reads a rectangle of three vertices: bottom right, bottom left, top left. */
static bool read_rectangle(const struct emulation_copy *copy, const struct memory *memory,
                           const struct surface *source, struct rectangle *out)
{
    uint8_t vertices[VERTICES][12] = {{0}};
    size_t bytes = is_wide(copy) ? 12 : 8;
    for (unsigned i = 0; i < VERTICES; i++)
        if (!memory->bus->read(memory->bus->context, memory->space,
                               copy->vertices + (uint64_t)i * copy->vertex_stride, vertices[i],
                               bytes))
            return false;
    uint32_t right = load_le16(vertices[0]), bottom = load_le16(vertices[0] + 2);
    *out = (struct rectangle){.x = load_le16(vertices[2]), .y = load_le16(vertices[2] + 2)};
    if (right <= out->x || bottom <= out->y || right > MAX_SIZE || bottom > MAX_SIZE)
        return false;
    out->width = right - out->x;
    out->height = bottom - out->y;
    out->from_x = source_of(copy, vertices[2], 0, source->width);
    out->from_y = source_of(copy, vertices[2], 1, source->height);
    return true;
}

/* Clips the rectangle to both surfaces. */
static void clip(const struct surface *source, const struct surface *target, struct rectangle *r)
{
    uint32_t wide = r->from_x < source->width ? source->width - r->from_x : 0;
    uint32_t high = r->from_y < source->height ? source->height - r->from_y : 0;
    uint32_t right = r->x < target->width ? target->width - r->x : 0;
    uint32_t below = r->y < target->height ? target->height - r->y : 0;
    r->width = min_u32(r->width, min_u32(right, wide));
    r->height = min_u32(r->height, min_u32(below, high));
}

static void move_rows(const struct memory *memory, const struct surface *source,
                      const struct surface *target, const struct rectangle *r)
{
    unsigned bytes = pixel_bytes(target->format);
    if (!bytes || source->format != target->format || !source->linear || !target->linear)
        return; /* the pixels are counted, but not copied */
    size_t row = (size_t)r->width * bytes;
    void *pixels = malloc(row);
    for (uint32_t y = 0; pixels && y < r->height; y++) {
        uint64_t from = source->address + (uint64_t)(r->from_y + y) * source->pitch +
                        (uint64_t)r->from_x * bytes;
        uint64_t to =
            target->address + (uint64_t)(r->y + y) * target->pitch + (uint64_t)r->x * bytes;
        if (!memory->bus->read(memory->bus->context, memory->space, from, pixels, row) ||
            !memory->bus->write(memory->bus->context, memory->space, to, pixels, row))
            break;
    }
    free(pixels);
}

void emulation_copy_draw(struct emulation_copy *copy, const struct tally_gpu_bus *bus,
                         const struct tally_gpu_command *command)
{
    struct memory memory = {bus, command->data_space};
    struct surface source, target;
    struct rectangle r;
    if (copy->space != command->data_space || !copy->has_surfaces || !copy->has_vertices ||
        !read_surface(copy, &memory, 0, &target) || !read_surface(copy, &memory, 1, &source) ||
        !read_rectangle(copy, &memory, &source, &r))
        return;
    clip(&source, &target, &r);
    uint64_t pixels = (uint64_t)r.width * r.height;
    if (!pixels)
        return;
    move_rows(&memory, &source, &target, &r);
    /* Over at least as long as a pixel per EU and clock takes, so that the counter never exceeds
     * the clocks of the EUs. */
    if (copy->platform->aggregates == AGGREGATES_FLEXIBLE)
        tally_oa_work(copy->oa, WRITTEN_BLOCKS, pixels - pixels / BLOCK, pixels / copy->eus + 1);
}
