/* SPDX-License-Identifier: MIT */
#include "intel/cost_plain.h"

#include <math.h>
#include <string.h>

enum kind { NONE, POINT, LINE, TRIANGLE, RECTANGLE, PATCH };

struct plain {
    const struct plain_draw *draw;
    struct cost_work *out;
    bool gen6, gen7, gen8;
    uint64_t clocks, texels, bytes_read, bytes_written;
    uint64_t threads[6]; /* VS, HS, DS, GS, PS, CS */
    bool stencil, depth, depth_write, blend, alpha;
    uint64_t stencil_function, depth_function;
};

bool plain_word(const struct plain_draw *draw, uint64_t address, uint32_t *out)
{
    if (address % 4 || address < PLAIN_BASE || address >= PLAIN_BASE + 4 * PLAIN_WORDS)
        return false;
    *out = draw->memory[(address - PLAIN_BASE) / 4];
    return true;
}

static uint64_t get(const struct plain *p, enum cs_operand operand)
{
    return p->draw->state->values[operand - CS_COST_FIRST];
}

static uint64_t number(const struct plain *p, enum cost_number which)
{
    return p->draw->numbers[which];
}

static uint64_t percent(const struct plain *p, uint64_t amount, enum cost_number which)
{
    return amount * number(p, which) / 100;
}

static uint64_t up(uint64_t amount, uint64_t each)
{
    return amount / each + (amount % each != 0);
}

static void takes(struct plain *p, uint64_t clocks)
{
    p->clocks = clocks > p->clocks ? clocks : p->clocks;
}

static void counts(struct plain *p, enum cs_operand enable, enum cost_statistic which, uint64_t n)
{
    if (get(p, enable))
        p->out->statistics[which] += n;
}

/* ---- primitives ------------------------------------------------------------------------------ */

static uint64_t primitives_of(unsigned type, uint64_t n, enum kind *kind)
{
    /* The vertices that make no primitive of their own, and those of each primitive. */
    static const struct {
        enum kind kind;
        unsigned lost, each;
    } types[0x17] = {
        [0x01] = {POINT, 0, 1},    [0x02] = {LINE, 0, 2},     [0x03] = {LINE, 1, 1},
        [0x04] = {TRIANGLE, 0, 3}, [0x05] = {TRIANGLE, 2, 1}, [0x06] = {TRIANGLE, 2, 1},
        [0x07] = {TRIANGLE, 0, 4}, [0x08] = {TRIANGLE, 2, 2}, [0x09] = {LINE, 0, 4},
        [0x0a] = {LINE, 3, 1},     [0x0b] = {TRIANGLE, 0, 6}, [0x0c] = {TRIANGLE, 4, 2},
        [0x0d] = {TRIANGLE, 2, 1}, [0x0e] = {TRIANGLE, 0, 0}, [0x0f] = {RECTANGLE, 0, 3},
        [0x10] = {LINE, 0, 1},     [0x11] = {POINT, 0, 1},    [0x12] = {LINE, 1, 1},
        [0x13] = {LINE, 1, 1},     [0x14] = {LINE, 1, 1},     [0x16] = {TRIANGLE, 2, 1},
    };
    bool patches = type >= 0x20 && type < 0x40;
    *kind = type < 0x17 ? types[type].kind : patches ? PATCH : NONE;
    if (*kind == NONE || *kind == PATCH)
        return patches ? n / (type - 0x1f) : 0;
    if (!types[type].each) /* a polygon */
        return n >= 3;
    return n < types[type].lost ? 0 : (n - types[type].lost) / types[type].each;
}

static uint64_t tessellate(struct plain *p, uint64_t patches, enum kind *kind)
{
    static const unsigned by_thread[] = {1, 2, 8, 1};
    uint64_t each = number(p, COST_TESSELLATION_POINTS), points = patches * each;
    if (get(p, CS_HS_ENABLE)) {
        counts(p, CS_HS_STATISTICS, COST_HS_INVOCATIONS, patches);
        p->threads[1] = up(patches, by_thread[get(p, CS_HS_MODE)]) * (get(p, CS_HS_INSTANCES) + 1);
    }
    if (!get(p, CS_TE_ENABLE))
        return patches;
    if (get(p, CS_DS_ENABLE)) {
        counts(p, CS_DS_STATISTICS, COST_DS_INVOCATIONS, points);
        p->threads[2] = get(p, CS_DS_MODE) == 0   ? up(points, 2)
                        : get(p, CS_DS_MODE) == 1 ? patches * up(each, 8)
                                                  : up(points, 8);
    }
    *kind = get(p, CS_TE_TOPOLOGY) == 0 ? POINT : get(p, CS_TE_TOPOLOGY) == 1 ? LINE : TRIANGLE;
    return patches * number(p, COST_TESSELLATION_PRIMITIVES);
}

static uint64_t shade_primitives(struct plain *p, uint64_t objects, enum kind *kind)
{
    uint64_t instances = get(p, CS_GS_INSTANCES) + 1, mode = get(p, CS_GS_MODE);
    enum kind made;
    if (!get(p, CS_GS_ENABLE))
        return objects;
    primitives_of((unsigned)get(p, CS_GS_TOPOLOGY), 0, &made);
    *kind = made != NONE && made != PATCH ? made : *kind == PATCH ? TRIANGLE : *kind;
    p->threads[3] = mode == 1   ? objects * up(instances, 2)
                    : mode == 2 ? up(objects, 2) * instances
                    : mode == 3 ? up(objects, 8) * instances
                                : objects * instances;
    counts(p, CS_GS_STATISTICS, COST_GS_INVOCATIONS, objects * instances);
    objects *= instances * number(p, COST_GS_PRIMITIVES_OUT);
    counts(p, CS_GS_STATISTICS, COST_GS_PRIMITIVES, objects);
    return objects;
}

/* The fullest buffer ends the output; without a buffer nothing is written, except on Gen6. */
static void stream_out(struct plain *p, uint64_t primitives, enum kind kind)
{
    uint64_t vertices = kind == POINT ? 1 : kind == LINE ? 2 : 3, stored = primitives;
    bool any = p->gen6, used[4] = {false};
    if (!get(p, CS_SO_ENABLE))
        return;
    for (unsigned i = 0; i < 4; i++) {
        const struct cost_so_buffer *buffer = &p->draw->state->so_buffers[i];
        if (!buffer->bytes || !buffer->pitch ||
            (p->gen7 && !(get(p, CS_SO_BUFFER_ENABLES) >> i & 1)))
            continue;
        used[i] = any = true;
        uint64_t from = p->draw->so_offsets[i], room = 0;
        while (from + (room + 1) * buffer->pitch <= buffer->bytes)
            room++;
        if (room / vertices < stored)
            stored = room / vertices;
    }
    stored = any ? stored : 0;
    p->out->streams_out = true;
    for (unsigned i = 0; i < 4; i++)
        if (used[i])
            p->out->so_bytes[i] = stored * vertices * p->draw->state->so_buffers[i].pitch;
    counts(p, CS_SO_STATISTICS, COST_SO_NEEDED, primitives);
    counts(p, CS_SO_STATISTICS, COST_SO_WRITTEN, stored);
    p->bytes_written += stored * vertices * number(p, COST_VERTEX_BYTES);
}

static bool is_rendered(const struct plain *p)
{
    if (p->gen6)
        return !get(p, CS_GS_ENABLE) || get(p, CS_GS_RENDERING);
    if (get(p, CS_SO_FORCE) == 2 || get(p, CS_SO_FORCE) == 3)
        return get(p, CS_SO_FORCE) == 3;
    return !get(p, CS_SO_NO_RENDERING);
}

/* Everything up to the rasterizer. Returns the primitives that are drawn. */
static uint64_t front(struct plain *p, enum kind *kind)
{
    const struct plain_draw *draw = p->draw;
    uint64_t each = draw->indirect ? draw->vertices + PLAIN_VERTICES : draw->vertices;
    uint64_t instances = draw->indirect ? draw->instances + PLAIN_INSTANCES : draw->instances;
    unsigned type = p->gen8 ? (unsigned)get(p, CS_VF_TOPOLOGY) : draw->topology;
    uint64_t primitives = primitives_of(type, each, kind) * instances, vertices = each * instances;
    counts(p, CS_VF_STATISTICS, COST_IA_VERTICES, vertices);
    counts(p, CS_VF_STATISTICS, COST_IA_PRIMITIVES, primitives);
    takes(p, vertices * number(p, COST_VERTEX_CLOCKS));
    if (draw->indexed)
        p->bytes_read += vertices << get(p, CS_INDEX_FORMAT);
    if (draw->indexed && !get(p, CS_VS_NO_CACHE))
        vertices -= percent(p, vertices, COST_VERTEX_REUSE);
    p->bytes_read += vertices * number(p, COST_VERTEX_BYTES);
    if (get(p, CS_VS_ENABLE)) {
        counts(p, CS_VS_STATISTICS, COST_VS_INVOCATIONS, vertices);
        p->threads[0] = up(vertices, get(p, CS_VS_SIMD8) ? 8 : 2);
    }
    if (*kind == PATCH)
        primitives = tessellate(p, primitives, kind);
    primitives = shade_primitives(p, primitives, kind);
    if (*kind == PATCH)
        return 0;
    stream_out(p, primitives, *kind);
    if (!is_rendered(p))
        return 0;

    counts(p, CS_CLIP_STATISTICS, COST_CL_INVOCATIONS, primitives);
    p->out->units[UNIT_CLIPPER_ACTIVE] = primitives * number(p, COST_CLIP_CLOCKS);
    takes(p, p->out->units[UNIT_CLIPPER_ACTIVE]);
    if (get(p, CS_CLIP_ENABLE) && *kind != RECTANGLE) {
        if (get(p, CS_CLIP_MODE) == 3)
            primitives = 0;
        else if (get(p, CS_CLIP_MODE) != 4)
            primitives -= percent(p, primitives, COST_CLIP_REJECTS);
    }
    counts(p, CS_CLIP_STATISTICS, COST_CL_PRIMITIVES, primitives);
    p->out->units[UNIT_SETUP_ACTIVE] = primitives * number(p, COST_SETUP_CLOCKS);
    takes(p, p->out->units[UNIT_SETUP_ACTIVE]);
    if (*kind == TRIANGLE && get(p, CS_CULL_MODE) == 0)
        primitives = 0;
    else if (*kind == TRIANGLE && get(p, CS_CULL_MODE) != 1)
        primitives -= percent(p, primitives, COST_CULLED);
    return primitives;
}

/* ---- areas ----------------------------------------------------------------------------------- */

struct area {
    uint64_t pixels, blocks; /* blocks of 2x2 with a pixel */
};

struct interval {
    float from, to; /* pixels with centers from here to before there */
};

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Looks at each coordinate of the drawing rectangle. */
static void walk(const struct plain *p, unsigned axis, const struct interval *only,
                 uint64_t *coordinates, uint64_t *blocks)
{
    const struct plain_draw *draw = p->draw;
    uint32_t scissor[2], matrix[5];
    bool scissors = get(p, CS_SCISSOR_ENABLE), viewport = get(p, CS_SF_TRANSFORM);
    int64_t last_block = -1;
    for (unsigned i = 0; i < 2 && scissors; i++)
        scissors =
            plain_word(draw, get(p, CS_DYNAMIC_BASE) + get(p, CS_SCISSOR) + 4 * i, &scissor[i]);
    for (unsigned i = 0; i < 5 && viewport; i++)
        viewport =
            plain_word(draw, get(p, CS_DYNAMIC_BASE) + get(p, CS_VIEWPORT) + 4 * i, &matrix[i]);
    int64_t first = (int64_t)get(p, axis ? CS_DRAWING_Y_MIN : CS_DRAWING_X_MIN);
    int64_t last = (int64_t)get(p, axis ? CS_DRAWING_Y_MAX : CS_DRAWING_X_MAX);
    *coordinates = *blocks = 0;
    for (int64_t at = first; at <= last; at++) {
        float center = (float)at + 0.5f;
        if (scissors &&
            (at < (scissor[0] >> 16 * axis & 0xffff) || at > (scissor[1] >> 16 * axis & 0xffff)))
            continue;
        if (viewport) {
            float size = fabsf(float_of(matrix[axis])), middle = float_of(matrix[3 + axis]);
            if (center < middle - size || center >= middle + size)
                continue;
        }
        if (only && (center < only->from || center >= only->to))
            continue;
        ++*coordinates;
        *blocks += at / 2 != last_block;
        last_block = at / 2;
    }
}

static struct area area_of(const struct plain *p, const struct interval *only)
{
    uint64_t pixels[2], blocks[2];
    for (unsigned axis = 0; axis < 2; axis++)
        walk(p, axis, only ? &only[axis] : NULL, &pixels[axis], &blocks[axis]);
    return (struct area){pixels[0] * pixels[1], blocks[0] * blocks[1]};
}

/* Reads the first and the third corner of a rectangle; between them is the whole. */
static bool read_corners(const struct plain *p, uint64_t n, struct interval out[2])
{
    uint64_t format = get(p, CS_ELEMENT_FORMAT), index = get(p, CS_ELEMENT_BUFFER);
    float corners[3][2];
    if (get(p, CS_SF_TRANSFORM) || index >= 33 ||
        (format != 0 && format != 0x40 && format != 0x85 && format != 0xf6))
        return false;
    const struct cost_vertex_buffer *buffer = &p->draw->state->vertex_buffers[index];
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at = buffer->address + get(p, CS_ELEMENT_OFFSET) +
                      (p->draw->first + 3 * n + i) * buffer->pitch;
        uint32_t words[2] = {0, 0};
        if (!buffer->pitch || !plain_word(p->draw, at, &words[0]) ||
            (format != 0xf6 && !plain_word(p->draw, at + 4, &words[1])))
            return false;
        for (unsigned k = 0; k < 2; k++)
            corners[i][k] = format == 0xf6 ? (float)(int16_t)(uint16_t)(words[0] >> 16 * k)
                                           : float_of(words[k]);
    }
    for (unsigned k = 0; k < 2; k++) {
        bool ordered = corners[0][k] <= corners[2][k];
        out[k].from = corners[ordered ? 0 : 2][k];
        out[k].to = corners[ordered ? 2 : 0][k];
    }
    return true;
}

static struct area rectangles(const struct plain *p, uint64_t count)
{
    uint64_t each = p->draw->vertices / 3;
    struct area all = area_of(p, NULL), sum = {0, 0}, last = all;
    if (p->draw->indirect || get(p, CS_GS_ENABLE))
        return (struct area){all.pixels * count, all.blocks * count};
    for (uint64_t n = 0; n < each; n++) {
        struct interval corners[2];
        if (n < 16) /* the others are like the last of these */
            last = read_corners(p, n, corners) ? area_of(p, corners) : all;
        sum.pixels += last.pixels;
        sum.blocks += last.blocks;
    }
    return (struct area){sum.pixels * (count / each), sum.blocks * (count / each)};
}

static struct area rasterize(const struct plain *p, uint64_t count, enum kind kind)
{
    struct area all = area_of(p, NULL);
    uint64_t width, line = get(p, CS_LINE_WIDTH), pixels;
    if (!count)
        return (struct area){0, 0};
    if (kind == RECTANGLE)
        return rectangles(p, count);
    if (kind == POINT) {
        width = up(get(p, CS_POINT_WIDTH), 8);
        pixels = count * (width ? width * width : 1);
    } else if (kind == LINE) {
        line = get(p, CS_CHV_LINE_WIDTH) > line ? get(p, CS_CHV_LINE_WIDTH) : line;
        pixels = count * (line ? up(line, 128) : 1) * number(p, COST_LINE_PIXELS);
    } else {
        pixels = percent(p, all.pixels, COST_COVERAGE);
    }
    if (kind != TRIANGLE && !all.pixels)
        pixels = 0;
    return (struct area){pixels, up(pixels, 4)};
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* Before Gen8, state in memory replaces what is bound, if its offset is not 0. */
static void read_structures(struct plain *p)
{
    uint64_t base = get(p, CS_DYNAMIC_BASE), depth = get(p, CS_DEPTH_STENCIL_STATE);
    uint32_t words[3];
    p->stencil = get(p, CS_STENCIL_TEST);
    p->stencil_function = get(p, CS_STENCIL_FUNCTION);
    p->depth = get(p, CS_DEPTH_TEST);
    p->depth_function = get(p, CS_DEPTH_FUNCTION);
    p->depth_write = get(p, CS_DEPTH_WRITE);
    p->blend = get(p, CS_BLEND_ENABLE);
    p->alpha = get(p, CS_ALPHA_TEST);
    if (!p->gen8 && depth && plain_word(p->draw, base + depth, &words[0]) &&
        plain_word(p->draw, base + depth + 4, &words[1]) &&
        plain_word(p->draw, base + depth + 8, &words[2])) {
        p->stencil = words[0] >> 31;
        p->stencil_function = words[0] >> 28 & 7;
        p->depth = words[2] >> 31;
        p->depth_function = words[2] >> 27 & 7;
        p->depth_write = words[2] >> 26 & 1;
    }
    if (!p->gen8 && get(p, CS_BLEND_STATE) &&
        plain_word(p->draw, base + get(p, CS_BLEND_STATE), &words[0]) &&
        plain_word(p->draw, base + get(p, CS_BLEND_STATE) + 4, &words[1])) {
        p->blend = words[0] >> 31;
        p->alpha = words[1] >> 16 & 1;
    }
}

static bool tests_depth(const struct plain *p)
{
    return p->depth && get(p, CS_DEPTH_SURFACE) != 7;
}

static bool shades(const struct plain *p)
{
    uint64_t force = get(p, CS_PS_FORCE);
    return force == 2 || (get(p, CS_PS_ENABLE) && force != 1);
}

static bool tests_late(const struct plain *p)
{
    bool changes = get(p, CS_PS_KILLS) || get(p, CS_PS_DEPTH) || get(p, CS_PS_STENCIL) ||
                   get(p, CS_PS_OMASK) || p->alpha;
    return shades(p) && (get(p, CS_PS_EARLY) == 1 || (changes && get(p, CS_PS_EARLY) != 2));
}

struct fates {
    uint64_t stencil, hiz, depth, shaded, killed, alpha, late_stencil, late_depth, passed;
};

static uint64_t lost(uint64_t *left, uint64_t percentage)
{
    uint64_t gone = *left * percentage / 100;
    *left -= gone;
    return gone;
}

static uint64_t failing(const struct plain *p, bool tested, uint64_t function,
                        enum cost_number pass)
{
    return !tested || function == 0 ? 0 : function == 1 ? 100 : 100 - number(p, pass);
}

static struct fates follow(const struct plain *p, uint64_t left)
{
    struct fates f = {0};
    bool late = tests_late(p), runs = shades(p);
    for (unsigned step = 0; step < 2; step++) {
        if (step == late) {
            *(late ? &f.late_stencil : &f.stencil) =
                lost(&left, failing(p, p->stencil, p->stencil_function, COST_STENCIL_PASS));
            *(late ? &f.late_depth : &f.depth) =
                lost(&left, failing(p, tests_depth(p), p->depth_function, COST_DEPTH_PASS));
        }
        if (step == 0) {
            f.shaded = runs ? left : 0;
            f.killed = runs && get(p, CS_PS_KILLS) ? lost(&left, number(p, COST_PS_KILLED)) : 0;
            f.alpha = runs && p->alpha ? lost(&left, number(p, COST_ALPHA_FAILS)) : 0;
            if (runs && get(p, CS_PS_OMASK))
                lost(&left, 100 - number(p, COST_OMASK_KEEPS));
        }
    }
    if (get(p, CS_HIZ_ENABLE)) {
        f.hiz = percent(p, f.depth, COST_HIZ_FINDS);
        f.depth -= f.hiz;
    }
    f.passed = left;
    return f;
}

static uint64_t missing(const struct plain *p, uint64_t amount, enum cost_number share)
{
    return amount - percent(p, amount, share);
}

static void count_tests(struct plain *p, uint64_t samples, const struct fates *f, uint64_t unit)
{
    const struct plain_draw *draw = p->draw;
    uint64_t *units = p->out->units;
    uint64_t after_stencil = samples - f->stencil * unit, after_hiz = after_stencil - f->hiz * unit;
    bool early = !tests_late(p), twice = draw->revision < INTEL_HSW && get(p, CS_PS_DUAL_SOURCE);
    units[UNIT_PIXELS_RASTERIZED] = samples;
    units[UNIT_STENCIL_EARLY_PASS] = early && p->stencil ? after_stencil : 0;
    units[UNIT_STENCIL_EARLY_FAIL] = f->stencil * unit;
    if (early && tests_depth(p)) {
        if (get(p, CS_HIZ_ENABLE))
            units[UNIT_DEPTH_HIZ_PASS] =
                draw->revision == INTEL_IVB ? missing(p, after_hiz, COST_HIZ_MISSED) : after_hiz;
        units[UNIT_DEPTH_EARLY_PASS] = after_hiz - f->depth * unit;
    }
    units[UNIT_DEPTH_HIZ_FAIL] = f->hiz * unit;
    units[UNIT_DEPTH_EARLY_FAIL] = (f->depth + (p->gen8 ? f->stencil : 0)) * unit;
    units[UNIT_PIXELS_KILLED] = f->killed * unit * (twice ? 2 : 1);
    units[UNIT_PIXELS_ALPHA_FAIL] = f->alpha * unit;
    units[UNIT_STENCIL_LATE_FAIL] = missing(p, f->late_stencil * unit, COST_LATE_MISSED);
    units[UNIT_DEPTH_LATE_FAIL] = missing(p, f->late_depth * unit, COST_LATE_MISSED);
}

static void pixels(struct plain *p, uint64_t primitives, enum kind kind)
{
    struct area area = rasterize(p, primitives, kind);
    uint64_t samples = UINT64_C(1) << get(p, CS_SAMPLES), lit = 0, unit = p->gen8 ? 4 : 1;
    uint64_t misses = number(p, COST_CACHE_MISSES), bytes = number(p, COST_DEPTH_BYTES), targets;
    read_structures(p);
    for (unsigned i = 0; i < samples; i++)
        lit += get(p, CS_SAMPLE_MASK) >> i & 1;
    uint64_t counted = (p->gen8 ? 4 * area.blocks : area.pixels) * lit;
    struct fates f = follow(p, counted / unit), of_pixels = follow(p, area.pixels * lit);
    takes(p, up(counted, number(p, COST_PIXELS_PER_CLOCK)));
    count_tests(p, counted, &f, unit);
    if (get(p, CS_WM_STATISTICS))
        p->out->statistics[COST_PS_DEPTH] = of_pixels.passed;
    targets = shades(p) && (!p->gen8 || (get(p, CS_PS_HAS_TARGET) && !get(p, CS_PS_NO_TARGET)))
                  ? number(p, COST_RENDER_TARGETS)
                  : 0;
    uint64_t written = f.passed * unit * targets;
    uint64_t colors = written * number(p, COST_COLOR_BYTES) * misses / 100;
    p->out->units[UNIT_PIXELS_WRITTEN] = written;
    p->out->units[UNIT_PIXELS_BLENDED] = p->blend ? written : 0;
    p->bytes_read +=
        (tests_depth(p) ? counted * bytes * misses / 100 : 0) + (p->blend ? colors : 0);
    p->bytes_written += colors;
    if (tests_depth(p) && p->depth_write && (p->gen6 || get(p, CS_DEPTH_SURFACE_WRITE)))
        p->bytes_written += f.passed * unit * bytes * misses / 100;
    if (shades(p)) {
        bool each = p->gen8 ? get(p, CS_PS_PER_SAMPLE) : !get(p, CS_PS_PER_PIXEL);
        uint64_t runs = follow(p, area.blocks).shaded * 4 * (each ? samples : 1);
        bool wrong = p->draw->revision >= INTEL_HSW && p->draw->revision <= INTEL_CHV;
        counts(p, CS_WM_STATISTICS, COST_PS_INVOCATIONS, wrong ? 4 * runs : runs);
        p->threads[4] = up(runs, get(p, CS_PS_SIMD32) ? 32 : get(p, CS_PS_SIMD16) ? 16 : 8);
        p->texels += runs / 4 * number(p, COST_PS_TEXELS);
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void totals(struct plain *p)
{
    static const enum cost_number active_of[] = {COST_VS_ACTIVE, COST_HS_ACTIVE, COST_DS_ACTIVE,
                                                 COST_GS_ACTIVE, COST_PS_ACTIVE, COST_CS_ACTIVE};
    static const enum cost_number stalled_of[] = {COST_VS_STALLED, COST_HS_STALLED,
                                                  COST_DS_STALLED, COST_GS_STALLED,
                                                  COST_PS_STALLED, COST_CS_STALLED};
    static const unsigned first[] = {UNIT_VS_ACTIVE, UNIT_HS_ACTIVE, UNIT_DS_ACTIVE,
                                     UNIT_GS_ACTIVE, UNIT_PS_ACTIVE, UNIT_CS_ACTIVE};
    uint64_t *units = p->out->units, active[6], stalled[6], actives = 0, stalls = 0, threads = 0;
    uint64_t eus = p->draw->eus, misses = percent(p, p->texels, COST_SAMPLER_MISSES);
    for (unsigned i = 0; i < 6; i++) {
        active[i] = p->threads[i] * number(p, active_of[i]);
        stalled[i] = p->threads[i] * number(p, stalled_of[i]);
        actives += active[i];
        stalls += stalled[i];
        threads += p->threads[i];
    }
    units[UNIT_SAMPLER_TEXELS] = 4 * p->texels;
    units[UNIT_SAMPLER_MISSES] = misses;
    units[UNIT_SAMPLER_BUSY] = up(p->texels, number(p, COST_TEXELS_PER_CLOCK));
    units[UNIT_SAMPLER_BOTTLENECK] = percent(p, units[UNIT_SAMPLER_BUSY], COST_SAMPLER_BOTTLENECK);
    p->bytes_read += misses * number(p, COST_READ_BYTES);
    units[UNIT_GTI_READS] = up(p->bytes_read, number(p, COST_READ_BYTES));
    units[UNIT_GTI_WRITES] = up(p->bytes_written, number(p, COST_WRITE_BYTES));
    takes(p, units[UNIT_SAMPLER_BUSY]);
    takes(p, units[UNIT_GTI_READS]);
    takes(p, units[UNIT_GTI_WRITES]);
    takes(p, up(actives, eus));
    takes(p, up(actives + stalls, eus * p->draw->eu_threads));
    uint64_t clocks = p->clocks + number(p, COST_DRAW_CLOCKS), slots = clocks * eus;
    uint64_t busy = smaller(actives, slots), waits = smaller(stalls, slots - busy);
    uint64_t headers = smaller(threads, eus) * number(p, COST_HEADER_CLOCKS);
    p->out->clocks = clocks;
    units[UNIT_EU_ACTIVE] = missing(p, busy, COST_SEND_SERVICE);
    units[UNIT_EU_STALLED] = smaller(waits + headers, slots - busy);
    units[UNIT_EU_OCCUPANCY] = smaller(actives + stalls, slots * p->draw->eu_threads);
    for (unsigned i = 0; i < 6; i++) {
        units[first[i]] = actives ? busy * active[i] / actives : 0;
        units[first[i] + 1] = stalls ? waits * stalled[i] / stalls : 0;
        units[first[i] + 2] = smaller(percent(p, stalled[i], COST_READY), slots);
        units[first[i] + 3] = p->threads[i];
    }
    units[UNIT_EU_FPU0] = percent(p, busy, COST_FPU0);
    units[UNIT_EU_FPU1] = percent(p, busy, COST_FPU1);
    units[UNIT_EU_SEND] = percent(p, busy, COST_SEND);
    units[UNIT_EU_HYBRID] = percent(p, busy, COST_HYBRID);
    units[UNIT_EU_TERNARY] = percent(p, busy, COST_TERNARY);
    units[UNIT_EU_BINARY] = percent(p, busy, COST_BINARY);
    units[UNIT_EU_MOV] = percent(p, busy, COST_MOV);
    units[UNIT_EU_SEND_START] = percent(p, busy, COST_SEND_START);
    if (2 * active[0] > actives)
        units[UNIT_VS_BOTTLENECK] = smaller(up(active[0], eus), clocks);
    if (2 * active[3] > actives)
        units[UNIT_GS_BOTTLENECK] = smaller(up(active[3], eus), clocks);
}

/* Threads that no stage of the pipeline starts. */
void plain_threads(const struct plain_draw *draw, uint64_t threads, struct cost_work *out)
{
    struct plain p = {.draw = draw, .out = out, .threads = {[5] = threads}};
    uint64_t *units = out->units;
    memset(out, 0, sizeof *out);
    units[UNIT_MEMORY_ACCESSES] = threads * number(&p, COST_CS_ACCESSES);
    units[UNIT_MEMORY_MISSES] = percent(&p, units[UNIT_MEMORY_ACCESSES], COST_ACCESS_MISSES);
    units[UNIT_MEMORY_ATOMICS] = threads * number(&p, COST_CS_ATOMICS);
    p.bytes_read = units[UNIT_MEMORY_MISSES] * number(&p, COST_READ_BYTES);
    if (get(&p, CS_GROUP_BARRIER))
        units[UNIT_EU_BARRIERS] = threads * number(&p, COST_BARRIERS);
    if (get(&p, CS_GROUP_SLM)) {
        units[UNIT_SLM_READS] = threads * number(&p, COST_SLM_READS);
        units[UNIT_SLM_WRITES] = threads * number(&p, COST_SLM_WRITES);
    }
    totals(&p);
}

void plain_cost(const struct plain_draw *draw, struct cost_work *out)
{
    struct plain p = {.draw = draw,
                      .out = out,
                      .gen6 = draw->revision == INTEL_SNB,
                      .gen7 = draw->revision > INTEL_SNB && draw->revision < INTEL_BDW,
                      .gen8 = draw->revision >= INTEL_BDW};
    enum kind kind = NONE;
    memset(out, 0, sizeof *out);
    uint64_t primitives = front(&p, &kind);
    pixels(&p, primitives, kind);
    totals(&p);
}
