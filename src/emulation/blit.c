/* SPDX-License-Identifier: MIT */
#include "emulation/blit.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/cs/symbols.h"
#include "intel/platforms.h"

/* ---- surfaces -------------------------------------------------------------------------------- */

enum tiling { LINEAR, TILED_X, TILED_Y, UNKNOWN_TILING };

#define TILE_BYTES 4096u

/* Tiles: rows of `width` bytes, in columns of `column` bytes. */
static const struct {
    uint32_t width, height, column;
} tiles[] = {[TILED_X] = {512, 8, 512}, [TILED_Y] = {128, 32, 16}};

struct surface {
    uint64_t address;
    int64_t pitch; /* bytes */
    enum tiling tiling;
};

struct memory {
    const struct tally_gpu_bus *bus;
    uint32_t space;
};

/* Returns the address of a byte of a row; *run is the number of bytes that follow each other. */
static uint64_t locate(const struct surface *surface, int64_t x, int64_t y, size_t *run)
{
    if (surface->tiling == LINEAR)
        return surface->address + (uint64_t)(y * surface->pitch + x);
    uint32_t width = tiles[surface->tiling].width, height = tiles[surface->tiling].height;
    uint32_t column = tiles[surface->tiling].column;
    uint64_t tile = (uint64_t)(y / height * (surface->pitch / width) + x / width);
    uint32_t inside_x = (uint32_t)(x % width), inside_y = (uint32_t)(y % height);
    *run = min_size(*run, column - inside_x % column);
    return surface->address + tile * TILE_BYTES + inside_x / column * column * height +
           inside_y * column + inside_x % column;
}

/* Reads or writes a part of a row. Returns false where nothing is mapped. */
static bool read_row(const struct memory *memory, const struct surface *surface, int64_t x,
                     int64_t y, uint8_t *to, size_t bytes)
{
    for (size_t run; bytes; x += (int64_t)run, to += run, bytes -= run) {
        run = bytes;
        uint64_t at = locate(surface, x, y, &run);
        if (!memory->bus->read(memory->bus->context, memory->space, at, to, run))
            return false;
    }
    return true;
}

static bool write_row(const struct memory *memory, const struct surface *surface, int64_t x,
                      int64_t y, const uint8_t *from, size_t bytes)
{
    for (size_t run; bytes; x += (int64_t)run, from += run, bytes -= run) {
        run = bytes;
        uint64_t at = locate(surface, x, y, &run);
        if (!memory->bus->write(memory->bus->context, memory->space, at, from, run))
            return false;
    }
    return true;
}

/* ---- raster operations ----------------------------------------------------------------------- */

#define ROP_COPY 0xccu /* the source */
#define ROP_FILL 0xf0u /* the color */

/* Whether a raster operation depends on an operand; `bit` is 4 for the color, 2 for the source, 1
 * for the destination. */
static bool depends(uint8_t rop, unsigned bit)
{
    for (unsigned i = 0; i < 8; i++)
        if (!(i & bit) && (rop >> i & 1) != (rop >> (i | bit) & 1))
            return true;
    return false;
}

/* Bit i of the operation is its result for the bits of color, source and destination in i. */
static uint8_t combine(uint8_t rop, uint8_t color, uint8_t source, uint8_t old)
{
    uint8_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        if (rop >> i & 1)
            result |= (uint8_t)((i & 4 ? color : ~color) & (i & 2 ? source : ~source) &
                                (i & 1 ? old : ~old));
    return result;
}

/* ---- a rectangle ----------------------------------------------------------------------------- */

struct blit {
    struct surface target, source;
    bool has_source;
    int64_t x, y, width, height; /* x and width in bytes */
    int64_t from_x, from_y;
    uint8_t pixel[4]; /* color, repeated to 4 bytes */
    uint8_t rop;
    bool has_mask;
    uint8_t mask[4]; /* bytes of a pixel of 4 bytes that are written: FFh */
};

static bool is_possible(const struct surface *surface, int64_t x, int64_t y)
{
    if (surface->tiling == LINEAR)
        return true;
    return surface->tiling != UNKNOWN_TILING && x >= 0 && y >= 0 && surface->pitch > 0 &&
           surface->pitch % tiles[surface->tiling].width == 0;
}

struct rows {
    uint8_t *result, *source;
};

static bool do_row(const struct memory *memory, const struct blit *blit, const struct rows *rows,
                   int64_t row)
{
    size_t bytes = (size_t)blit->width;
    if (blit->has_source && depends(blit->rop, 2) &&
        !read_row(memory, &blit->source, blit->from_x, blit->from_y + row, rows->source, bytes))
        return false;
    if (blit->rop == ROP_COPY && !blit->has_mask)
        return write_row(memory, &blit->target, blit->x, blit->y + row, rows->source, bytes);
    if ((blit->has_mask || depends(blit->rop, 1)) &&
        !read_row(memory, &blit->target, blit->x, blit->y + row, rows->result, bytes))
        return false;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t old = rows->result[i], mask = blit->has_mask ? blit->mask[i % 4] : UINT8_MAX;
        uint8_t now = blit->rop == ROP_FILL
                          ? blit->pixel[i % 4]
                          : combine(blit->rop, blit->pixel[i % 4], rows->source[i], old);
        rows->result[i] = (uint8_t)((now & mask) | (old & ~mask));
    }
    return write_row(memory, &blit->target, blit->x, blit->y + row, rows->result, bytes);
}

/* Rows of overlapping rectangles are copied in the order in which none is overwritten before it is
 * read. */
static void do_blit(const struct memory *memory, const struct blit *blit)
{
    if (blit->width <= 0 || blit->height <= 0 || !is_possible(&blit->target, blit->x, blit->y) ||
        (blit->has_source && !is_possible(&blit->source, blit->from_x, blit->from_y)))
        return;
    struct rows rows = {calloc(1, (size_t)blit->width), calloc(1, (size_t)blit->width)};
    bool upwards =
        blit->has_source && blit->target.address == blit->source.address && blit->y > blit->from_y;
    if (rows.result && rows.source)
        for (int64_t i = 0; i < blit->height; i++)
            if (!do_row(memory, blit, &rows, upwards ? blit->height - 1 - i : i))
                break;
    free(rows.result);
    free(rows.source);
}

/* ---- fields of the commands ------------------------------------------------------------------ */

/* Reads the dwords of a command one after the other. */
struct reader {
    const struct tally_gpu_command *command;
    uint32_t at;
    bool wide; /* addresses have two dwords */
};

static uint32_t next(struct reader *reader)
{
    uint32_t at = reader->at++;
    return at < reader->command->count ? reader->command->dwords[at] : 0;
}

static uint64_t next_address(struct reader *reader)
{
    uint64_t low = next(reader), high = reader->wide ? next(reader) : 0;
    return low | (high & low_bits(16)) << 32;
}

static int64_t low_half(uint32_t dword)
{
    return (int16_t)dword;
}

static int64_t high_half(uint32_t dword)
{
    return (int16_t)(dword >> 16);
}

/* Bytes per pixel by color depth: those of most commands, and of XY_FAST_COPY_BLT. */
static const uint8_t depths[] = {1, 2, 2, 4}, fast_depths[] = {1, 2, 0, 4, 8, 16, 0, 0};

/* The pitch of a tiled surface is in dwords. */
static int64_t pitch_of(uint32_t dword, enum tiling tiling)
{
    return low_half(dword) * (tiling == LINEAR ? 1 : 4);
}

static void put_pixel(struct blit *blit, uint32_t color, unsigned bytes)
{
    store_le32(blit->pixel, color);
    for (unsigned i = bytes; i < 4; i++)
        blit->pixel[i] = blit->pixel[i - bytes];
}

/* The first dword of commands with pixels of 4 bytes enables the writes of alpha and of the
 * others. */
static void put_mask(struct blit *blit, uint32_t header, unsigned bytes)
{
    bool alpha = field32(header, 21, 21), color = field32(header, 20, 20);
    blit->has_mask = bytes == 4 && !(alpha && color);
    for (unsigned i = 0; i < 4; i++)
        blit->mask[i] = (i == 3 ? alpha : color) ? UINT8_MAX : 0;
}

static void read_rectangle(struct blit *blit, struct reader *reader, unsigned bytes)
{
    uint32_t first = next(reader), last = next(reader);
    blit->x = low_half(first) * bytes;
    blit->y = high_half(first);
    blit->width = low_half(last) * bytes - blit->x;
    blit->height = high_half(last) - blit->y;
    blit->target.address = next_address(reader);
}

/* ---- the commands ---------------------------------------------------------------------------- */

/* COLOR_BLT, SRC_COPY_BLT: sizes in bytes and lines. */
static bool read_plain(struct reader *reader, bool copies, struct blit *blit)
{
    uint32_t header = next(reader), raster = next(reader), size = next(reader);
    unsigned bytes = depths[field32(raster, 25, 24)];
    *blit = (struct blit){.has_source = copies,
                          .width = field32(size, 15, 0),
                          .height = field32(size, 31, 16),
                          .rop = (uint8_t)field32(raster, 23, 16)};
    blit->target = (struct surface){next_address(reader), low_half(raster), LINEAR};
    put_mask(blit, header, bytes);
    if (copies) {
        blit->source.pitch = low_half(next(reader));
        blit->source.address = next_address(reader);
    } else {
        put_pixel(blit, next(reader), bytes);
    }
    return true;
}

/* XY_COLOR_BLT, XY_SRC_COPY_BLT. A clipped rectangle depends on an earlier command. */
static bool read_xy(struct reader *reader, bool copies, struct blit *blit)
{
    uint32_t header = next(reader), raster = next(reader);
    unsigned bytes = depths[field32(raster, 25, 24)];
    *blit = (struct blit){.has_source = copies, .rop = (uint8_t)field32(raster, 23, 16)};
    blit->target.tiling = field32(header, 11, 11) ? TILED_X : LINEAR;
    blit->target.pitch = pitch_of(raster, blit->target.tiling);
    put_mask(blit, header, bytes);
    read_rectangle(blit, reader, bytes);
    if (copies) {
        uint32_t from = next(reader);
        blit->from_x = low_half(from) * bytes;
        blit->from_y = high_half(from);
        blit->source.tiling = field32(header, 15, 15) ? TILED_X : LINEAR;
        blit->source.pitch = pitch_of(next(reader), blit->source.tiling);
        blit->source.address = next_address(reader);
    } else {
        put_pixel(blit, next(reader), bytes);
    }
    return !field32(raster, 30, 30);
}

/* XY_FAST_COPY_BLT: bits 31 and 30 of dword 1 select tiles of another layout. */
static bool read_fast(struct reader *reader, struct blit *blit)
{
    static const uint8_t tilings[] = {LINEAR, TILED_X, TILED_Y, UNKNOWN_TILING};
    uint32_t header = next(reader), format = next(reader);
    unsigned bytes = fast_depths[field32(format, 26, 24)];
    *blit = (struct blit){.has_source = true, .rop = ROP_COPY};
    blit->source.tiling = tilings[field32(header, 21, 20)];
    blit->target.tiling = tilings[field32(header, 14, 13)];
    blit->target.pitch = pitch_of(format, blit->target.tiling);
    read_rectangle(blit, reader, bytes);
    uint32_t from = next(reader);
    blit->from_x = low_half(from) * bytes;
    blit->from_y = high_half(from);
    blit->source.pitch = pitch_of(next(reader), blit->source.tiling);
    blit->source.address = next_address(reader);
    bool other_source = field32(format, 31, 31) && blit->source.tiling == TILED_Y;
    bool other_target = field32(format, 30, 30) && blit->target.tiling == TILED_Y;
    return bytes && !other_source && !other_target;
}

static bool read_command(struct reader *reader, struct blit *blit)
{
    uint32_t header = reader->command->dwords[0];
    if (CS_IS(COLOR_BLT, header))
        return read_plain(reader, false, blit);
    if (CS_IS(SRC_COPY_BLT, header))
        return read_plain(reader, true, blit);
    if (CS_IS(XY_COLOR_BLT, header))
        return read_xy(reader, false, blit);
    if (CS_IS(XY_SRC_COPY_BLT, header))
        return read_xy(reader, true, blit);
    return CS_IS(XY_FAST_COPY_BLT, header) && read_fast(reader, blit);
}

void emulation_blit(const struct tally_gpu_bus *bus, const struct tally_platform *platform,
                    const struct tally_gpu_command *command)
{
    struct memory memory = {bus, command->data_space};
    struct reader reader = {.command = command,
                            .wide = intel_platform_of(platform)->wide_addresses};
    struct blit blit;
    if (command->count && read_command(&reader, &blit) && reader.at == command->length)
        do_blit(&memory, &blit);
}
