/* SPDX-License-Identifier: MIT */
/*
 * Blits against a plain reference, which handles one byte at a time: all commands, depths, tilings
 * and raster operations, at random places, on all platforms.
 */
#include "driver/rig.h"
#include "emulation/tests.h"

#define BYTES 65536u
#define END   0x05000000u

enum { LINEAR, X, Y };

static const char *const platforms[] = {"snb", "ivb", "hsw", "bdw", "chv",
                                        "skl", "icl", "lkf", "tgl"};

/* What a blit does, independent of its encoding. */
struct blit {
    unsigned command;      /* index of commands[] */
    unsigned bytes, depth; /* of a pixel, and the depth's number */
    unsigned tiling, from_tiling;
    int pitch, from_pitch; /* bytes */
    int x, y, width, height, from_x, from_y;
    uint8_t rop, mask; /* mask: 1 color, 2 alpha */
    uint32_t color;
    bool same; /* source and target are the same object */
};

enum { COLOR, SRC_COPY, XY_COLOR, XY_SRC_COPY, FAST_COPY };

static bool copies(const struct blit *blit)
{
    return blit->command != COLOR && blit->command != XY_COLOR;
}

/* ---- the reference --------------------------------------------------------------------------- */

static size_t place(unsigned tiling, int pitch, int x, int y)
{
    switch (tiling) {
    case X:
        return (size_t)(y / 8 * pitch * 8 + x / 512 * 4096 + y % 8 * 512 + x % 512);
    case Y:
        return (size_t)(y / 32 * pitch * 32 + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 +
                        x % 16);
    default:
        return (size_t)(y * pitch + x);
    }
}

static uint8_t raster(uint8_t rop, uint8_t p, uint8_t s, uint8_t d)
{
    uint8_t result = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        unsigned index = (p >> bit & 1u) << 2 | (s >> bit & 1u) << 1 | (d >> bit & 1u);
        result |= (uint8_t)((rop >> index & 1) << bit);
    }
    return result;
}

static void reference(const struct blit *blit, const uint8_t *source, uint8_t *target)
{
    int bytes = (int)blit->bytes;
    uint8_t *old = malloc(BYTES);
    memcpy(old, copies(blit) && blit->same ? target : source, BYTES);
    for (int y = 0; y < blit->height; y++)
        for (int x = 0; x < blit->width * bytes; x++) {
            size_t to = place(blit->tiling, blit->pitch, blit->x * bytes + x, blit->y + y);
            size_t from = copies(blit) ? place(blit->from_tiling, blit->from_pitch,
                                               blit->from_x * bytes + x, blit->from_y + y)
                                       : 0;
            bool alpha = x % bytes == 3;
            if (blit->command != FAST_COPY && bytes == 4 && !(blit->mask & (alpha ? 2 : 1)))
                continue;
            uint8_t color = (uint8_t)(blit->color >> x % bytes % 4 * 8);
            target[to] = blit->command == FAST_COPY
                             ? old[from]
                             : raster(blit->rop, color, copies(blit) ? old[from] : 0, target[to]);
        }
    free(old);
}

/* ---- the command ----------------------------------------------------------------------------- */

static uint32_t corner(int x, int y)
{
    return (uint32_t)y << 16 | (uint16_t)x;
}

static uint32_t *put_address(const struct rig *rig, uint32_t *to, unsigned object)
{
    *to++ = (uint32_t)ADDRESS(object);
    if (rig->platform->version >= 80)
        *to++ = 0;
    return to;
}

static uint16_t field_pitch(int pitch, unsigned tiling)
{
    return (uint16_t)(tiling == LINEAR ? pitch : pitch / 4);
}

static size_t put_blit(const struct rig *rig, const struct blit *blit, uint32_t *to)
{
    static const uint32_t codes[] = {0x40, 0x43, 0x50, 0x53, 0x42};
    uint32_t *start = to++, from = blit->same ? 0 : 1;
    bool plain = blit->command <= SRC_COPY, fast = blit->command == FAST_COPY;
    *to++ = (fast ? blit->depth << 24 : blit->depth << 24 | (uint32_t)blit->rop << 16) |
            field_pitch(blit->pitch, blit->tiling);
    if (plain) {
        *to++ = corner(blit->width * (int)blit->bytes, blit->height);
    } else {
        *to++ = corner(blit->x, blit->y);
        *to++ = corner(blit->x + blit->width, blit->y + blit->height);
    }
    to = put_address(rig, to, 0);
    if (copies(blit) && !plain)
        *to++ = corner(blit->from_x, blit->from_y);
    if (copies(blit)) {
        *to++ = field_pitch(blit->from_pitch, blit->from_tiling);
        to = put_address(rig, to, from);
    } else {
        *to++ = blit->color;
    }
    *start = 2u << 29 | codes[blit->command] << 22 | (uint32_t)(to - start - 2);
    if (fast)
        *start |= blit->from_tiling << 20 | blit->tiling << 13;
    else
        *start |= (blit->mask & 1u) << 20 | (blit->mask & 2u) << 20 |
                  (blit->from_tiling == X ? 1u << 15 : 0) | (blit->tiling == X ? 1u << 11 : 0);
    return (size_t)(to - start);
}

/* ---- tests ----------------------------------------------------------------------------------- */

struct scene {
    struct rig *rig;
    uint32_t objects[2], batch;
    uint8_t source[BYTES], target[BYTES], result[BYTES];
};

static struct scene *make_scene(const char *platform, struct random *rng)
{
    struct scene *scene = calloc(1, sizeof *scene);
    scene->rig = rig_new(platform, NULL);
    for (unsigned i = 0; i < 2; i++)
        scene->objects[i] = rig_create(scene->rig, BYTES);
    scene->batch = rig_create(scene->rig, 4096);
    random_bytes(rng, scene->source, BYTES);
    random_bytes(rng, scene->target, BYTES);
    rig_write(scene->rig, scene->objects[0], 0, scene->target, BYTES);
    rig_write(scene->rig, scene->objects[1], 0, scene->source, BYTES);
    return scene;
}

static void free_scene(struct scene *scene)
{
    rig_free(scene->rig);
    free(scene);
}

/* Runs commands on the copy engine. Returns whether the target is as expected. */
static bool run(struct scene *scene, const uint32_t *dwords, size_t count)
{
    struct rig *rig = scene->rig;
    uint32_t handles[] = {scene->objects[0], scene->objects[1], scene->batch};
    rig_write(rig, scene->batch, 0, dwords, 4 * count);
    assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, 0, handles, 3, EXEC_OBJECT_WRITE), 0);
    rig_peek(rig, scene->objects[0], 0, scene->result, BYTES);
    return !memcmp(scene->result, scene->target, BYTES);
}

static int pick_pitch(struct random *rng, unsigned tiling)
{
    static const int tile[] = {4, 512, 128};
    int most = tiling == LINEAR ? 500 : tiling == X ? 3 : 9;
    int least = tiling == LINEAR ? 200 : 1;
    return tile[tiling] * (least + (int)random_below(rng, (uint64_t)(most - least)));
}

/* Picks a rectangle of at most `width` pixels that is inside of a surface. */
static void pick(struct random *rng, const struct blit *blit, int pitch, int *x, int *y)
{
    int columns = pitch / (int)blit->bytes - blit->width, rows = (int)BYTES / pitch / 32 * 32;
    *x = (int)random_below(rng, (uint64_t)columns + 1);
    *y = (int)random_below(rng, (uint64_t)(rows - blit->height) + 1);
}

static struct blit random_blit(struct random *rng, bool fast)
{
    static const unsigned bytes[] = {1, 2, 2, 4}, fast_bytes[] = {1, 2, 0, 4, 8, 16};
    static const uint8_t rops[] = {0xcc, 0xf0, 0x66, 0x5a, 0x00, 0xff, 0x55, 0xaa};
    struct blit blit = {.command = (unsigned)random_below(rng, fast ? 5 : 4)};
    bool is_fast = blit.command == FAST_COPY, plain = blit.command <= SRC_COPY;
    do
        blit.depth = (unsigned)random_below(rng, is_fast ? 6 : 4);
    while (is_fast && blit.depth == 2);
    blit.bytes = is_fast ? fast_bytes[blit.depth] : bytes[blit.depth];
    blit.tiling = plain ? LINEAR : (unsigned)random_below(rng, is_fast ? 3 : 2);
    blit.from_tiling =
        plain || !copies(&blit) ? LINEAR : (unsigned)random_below(rng, is_fast ? 3 : 2);
    blit.pitch = pick_pitch(rng, blit.tiling);
    blit.from_pitch = pick_pitch(rng, blit.from_tiling);
    int narrow = blit.pitch < blit.from_pitch ? blit.pitch : blit.from_pitch;
    blit.width = 1 + (int)random_below(rng, (uint64_t)(narrow / (int)blit.bytes));
    blit.height = 1 + (int)random_below(rng, 32);
    if (!plain) {
        pick(rng, &blit, blit.pitch, &blit.x, &blit.y);
        pick(rng, &blit, blit.from_pitch, &blit.from_x, &blit.from_y);
    }
    blit.rop = random_below(rng, 2) ? rops[random_below(rng, COUNT(rops))]
                                    : (uint8_t)random_below(rng, 256);
    blit.mask = random_below(rng, 2) ? 3 : (uint8_t)random_below(rng, 4);
    blit.color = copies(&blit) ? 0 : (uint32_t)random_next(rng); /* copies have none */
    return blit;
}

static void test_random(void **state)
{
    (void)state;
    struct random rng = random_start(11);
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct scene *scene = make_scene(platforms[p], &rng);
        for (unsigned i = 0; i < random_cases(600); i++) {
            struct blit blit = random_blit(&rng, scene->rig->platform->version >= 90);
            uint32_t dwords[16] = {0};
            dwords[put_blit(scene->rig, &blit, dwords)] = END;
            reference(&blit, scene->source, scene->target);
            ROW(__LINE__, run(scene, dwords, COUNT(dwords)),
                "%s: %u, depth %u, rop %02x, mask %u, %dx%d from %d,%d (%u) to %d,%d (%u)",
                platforms[p], blit.command, blit.depth, blit.rop, blit.mask, blit.width,
                blit.height, blit.from_x, blit.from_y, blit.from_tiling, blit.x, blit.y,
                blit.tiling);
            memcpy(scene->target, scene->result, BYTES);
        }
        free_scene(scene);
    }
    ROWS_DONE();
}

/* Rectangles that overlap in one surface are copied as if by way of another. */
static void test_overlap(void **state)
{
    (void)state;
    struct random rng = random_start(12);
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct scene *scene = make_scene(platforms[p], &rng);
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                struct blit blit = {XY_SRC_COPY, 4,  3,  LINEAR, LINEAR, 512, 512, 10 + dx, 10 + dy,
                                    50,          40, 10, 10,     0xcc,   3,   0,   true};
                uint32_t dwords[16] = {0};
                dwords[put_blit(scene->rig, &blit, dwords)] = END;
                reference(&blit, scene->source, scene->target);
                ROW(__LINE__, run(scene, dwords, COUNT(dwords)), "%s: by %d, %d", platforms[p], dx,
                    dy);
                memcpy(scene->target, scene->result, BYTES);
            }
        free_scene(scene);
    }
    ROWS_DONE();
}

/* Commands that leave all pixels alone, and those that reach beyond the objects. */
static void test_without_effect(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t dwords[12];
    } rows[] = {
        /* Nothing between the corners; a corner before the other. */
        {__LINE__, {0x54300005, 0x03f00100, 0x00100010, 0x00100020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54300005, 0x03f00100, 0x00100010, 0x00080020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54300005, 0x03f00100, 0x00100010, 0x00200008, 0x40000000, 0, 7, END}},
        /* Clipped; no channel enabled; nothing mapped at the address. */
        {__LINE__, {0x54300005, 0x43f00100, 0x00000000, 0x00200020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54000005, 0x03f00100, 0x00000000, 0x00200020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54300005, 0x03f00100, 0x00000000, 0x00200020, 0x70000000, 0, 7, END}},
        /* The destination itself; a tiled pitch that is no multiple of a tile; a dword too few. */
        {__LINE__, {0x54300005, 0x03aa0100, 0x00000000, 0x00200020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54300805, 0x03f00064, 0x00000000, 0x00200020, 0x40000000, 0, 7, END}},
        {__LINE__, {0x54300004, 0x03f00100, 0x00000000, 0x00200020, 0x40000000, 0, END}},
        /* XY_FAST_COPY_BLT: tiles of 64 KB; other tiles of 4 KB; an unknown depth. */
        {__LINE__,
         {0x50a06008, 0x03000080, 0, 0x00200020, 0x40000000, 0, 0, 0x80, 0x41000000, 0, END}},
        {__LINE__,
         {0x50a00008, 0x83000100, 0, 0x00200020, 0x40000000, 0, 0, 0x80, 0x41000000, 0, END}},
        {__LINE__,
         {0x50804008, 0x43000080, 0, 0x00200020, 0x40000000, 0, 0, 0x200, 0x41000000, 0, END}},
        {__LINE__,
         {0x50800008, 0x07000100, 0, 0x00200020, 0x40000000, 0, 0, 0x100, 0x41000000, 0, END}},
        /* XY_TEXT_BLT. */
        {__LINE__, {0x54c00000, 0, END}},
    };
    struct random rng = random_start(13);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene *scene = make_scene("skl", &rng);
        ROW(rows[i].line, run(scene, rows[i].dwords, COUNT(rows[i].dwords)), "it did something");
        free_scene(scene);
    }
    ROWS_DONE();
}

/* A batch on the copy engine that fills, and one on the render engine that reads what it wrote. */
static void test_copy_then_render(void **state)
{
    (void)state;
    struct random rng = random_start(14);
    struct scene *scene = make_scene("tgl", &rng);
    struct rig *rig = scene->rig;
    struct blit fill = {.command = XY_COLOR,
                        .bytes = 4,
                        .depth = 3,
                        .pitch = 256,
                        .width = 64,
                        .height = 64,
                        .rop = 0xf0,
                        .mask = 3,
                        .color = 0x12345678};
    uint32_t dwords[16] = {0}, value;
    dwords[put_blit(rig, &fill, dwords)] = END;
    reference(&fill, scene->source, scene->target);
    assert_true(run(scene, dwords, COUNT(dwords)));
    /* MI_COPY_MEM_MEM from the target to the other object. */
    uint32_t copy[] = {0x17000003, 0x41000000, 0, 0x40000000, 0, END},
             other = rig_create(rig, 4096);
    uint32_t handles[] = {scene->objects[0], scene->objects[1], scene->batch};
    fill.color = 0x89abcdef;
    memset(dwords, 0, sizeof dwords);
    dwords[put_blit(rig, &fill, dwords)] = END;
    rig_write(rig, scene->batch, 0, dwords, sizeof dwords);
    rig_write(rig, other, 0, copy, sizeof copy);
    assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, 0, handles, 3, EXEC_OBJECT_WRITE), 0);
    handles[2] = other;
    assert_int_equal(rig_exec(rig, 0, handles, 3), 0);
    rig_peek(rig, scene->objects[1], 0, &value, 4);
    assert_int_equal(value, 0x89abcdef);
    free_scene(scene);
}

int run_blit_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_without_effect),
        cmocka_unit_test(test_copy_then_render),
    };
    return cmocka_run_group_tests_name("blit", tests, NULL, NULL);
}
