/* SPDX-License-Identifier: MIT */
/*
 * Random draws: any state, numbers and structures in memory, on each platform, compared with the
 * plain computation of cost_plain.c; and the limit of amounts.
 */
#include "intel/tests.h"

#include "intel/cost_plain.h"
#include "intel/cs/commands.h"
#include "intel/symbols.h"

#define DEPTH_STENCIL 0x40u
#define BLEND         0x80u
#define SCISSOR       0xc0u
#define VIEWPORT      0x100u
#define VERTICES      0x400u
#define UNMAPPED      0x800000u

/* ---- random state ---------------------------------------------------------------------------- */

static void set(struct cost_state *state, enum cs_operand operand, uint64_t value)
{
    state->values[operand - CS_COST_FIRST] = value;
}

/* Values below a limit; flags have 2. */
static const struct {
    enum cs_operand operand;
    unsigned limit;
} ranges[] = {
    {CS_VF_STATISTICS, 2},
    {CS_INDEX_FORMAT, 3},
    {CS_VS_ENABLE, 2},
    {CS_VS_SIMD8, 2},
    {CS_VS_NO_CACHE, 2},
    {CS_VS_STATISTICS, 2},
    {CS_HS_ENABLE, 2},
    {CS_HS_STATISTICS, 2},
    {CS_HS_INSTANCES, 4},
    {CS_HS_MODE, 4},
    {CS_TE_ENABLE, 2},
    {CS_TE_TOPOLOGY, 4},
    {CS_DS_ENABLE, 2},
    {CS_DS_STATISTICS, 2},
    {CS_DS_MODE, 4},
    {CS_GS_ENABLE, 2},
    {CS_GS_STATISTICS, 2},
    {CS_SO_STATISTICS, 2},
    {CS_GS_RENDERING, 2},
    {CS_SO_ENABLE, 2},
    {CS_GS_INSTANCES, 5},
    {CS_GS_MODE, 4},
    {CS_GS_TOPOLOGY, 0x40},
    {CS_SO_NO_RENDERING, 2},
    {CS_SO_FORCE, 4},
    {CS_SO_BUFFER_ENABLES, 16},
    {CS_CLIP_ENABLE, 2},
    {CS_CLIP_STATISTICS, 2},
    {CS_CLIP_MODE, 8},
    {CS_CULL_MODE, 4},
    {CS_LINE_WIDTH, 1024},
    {CS_CHV_LINE_WIDTH, 300},
    {CS_POINT_WIDTH, 60},
    {CS_WM_STATISTICS, 2},
    {CS_PS_ENABLE, 2},
    {CS_PS_FORCE, 4},
    {CS_PS_KILLS, 2},
    {CS_PS_DEPTH, 2},
    {CS_PS_STENCIL, 2},
    {CS_PS_EARLY, 4},
    {CS_PS_OMASK, 2},
    {CS_PS_DUAL_SOURCE, 2},
    {CS_PS_SIMD32, 2},
    {CS_PS_SIMD16, 2},
    {CS_PS_PER_PIXEL, 2},
    {CS_PS_NO_TARGET, 2},
    {CS_PS_PER_SAMPLE, 2},
    {CS_PS_HAS_TARGET, 2},
    {CS_BLEND_ENABLE, 2},
    {CS_ALPHA_TEST, 2},
    {CS_DEPTH_TEST, 2},
    {CS_DEPTH_FUNCTION, 8},
    {CS_DEPTH_WRITE, 2},
    {CS_STENCIL_TEST, 2},
    {CS_STENCIL_FUNCTION, 8},
    {CS_DEPTH_SURFACE, 8},
    {CS_DEPTH_SURFACE_WRITE, 2},
    {CS_HIZ_ENABLE, 2},
    {CS_SAMPLES, 5},
    {CS_SAMPLE_MASK, 0x10000},
    {CS_DRAWING_X_MIN, 20},
    {CS_DRAWING_Y_MIN, 20},
    {CS_DRAWING_X_MAX, 70},
    {CS_DRAWING_Y_MAX, 50},
    {CS_SCISSOR_ENABLE, 2},
    {CS_GROUP_BARRIER, 2},
    {CS_GROUP_SLM, 3},
    {CS_ELEMENT_BUFFER, 34},
};

/* Few of these are common, so that draws reach the pixel shader. */
static const struct {
    enum cs_operand operand;
    uint64_t value;
} common[] = {
    {CS_PS_ENABLE, 1},      {CS_PS_EARLY, 0},      {CS_SO_NO_RENDERING, 0},
    {CS_SO_FORCE, 0},       {CS_CLIP_MODE, 0},     {CS_CULL_MODE, 1},
    {CS_GS_ENABLE, 0},      {CS_PS_FORCE, 0},      {CS_TE_ENABLE, 1},
    {CS_GS_TOPOLOGY, 5},    {CS_GS_RENDERING, 1},  {CS_SAMPLE_MASK, 0xffff},
    {CS_WM_STATISTICS, 1},  {CS_PS_KILLS, 0},      {CS_PS_DEPTH, 0},
    {CS_PS_STENCIL, 0},     {CS_PS_OMASK, 0},      {CS_ALPHA_TEST, 0},
    {CS_DEPTH_FUNCTION, 2}, {CS_DEPTH_SURFACE, 1}, {CS_SAMPLES, 0},
    {CS_ELEMENT_BUFFER, 0},
};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t offset_of(struct random *rng, uint32_t offset)
{
    unsigned which = (unsigned)random_below(rng, 8);
    return which == 0 ? UNMAPPED : which == 1 ? 0 : offset;
}

static float quarter(struct random *rng, unsigned limit)
{
    return (float)random_below(rng, 4 * limit) / 4;
}

/* A coordinate near the drawing rectangle; rarely far away. Sizes of viewports may be negative. */
static uint32_t coordinate(struct random *rng, bool size)
{
    float value = quarter(rng, 40);
    if (!random_below(rng, 20))
        value *= 1e6f;
    return bits_of(size && random_below(rng, 2) ? -value : value);
}

/* Words of structures are random, except for coordinates. A viewport may be at offset 0 too. */
static void fill_memory(struct random *rng, struct plain_draw *draw, uint64_t format)
{
    for (unsigned i = 0; i < PLAIN_WORDS; i++)
        draw->memory[i] = (uint32_t)random_next(rng);
    for (unsigned i = 0; i < 2; i++)
        draw->memory[SCISSOR / 4 + i] = (uint32_t)(random_below(rng, 20) + 20 * i) << 16 |
                                        (uint32_t)(random_below(rng, 30) + 30 * i);
    for (unsigned i = 0; i < 5; i++) {
        draw->memory[i] = coordinate(rng, i < 3);
        draw->memory[VIEWPORT / 4 + i] = coordinate(rng, i < 3);
    }
    for (unsigned i = VERTICES / 4; i < PLAIN_WORDS; i++)
        draw->memory[i] = format == 0xf6 ? (uint32_t)random_below(rng, 50) << 16 |
                                               (uint16_t)(random_below(rng, 80) - 5)
                                         : bits_of(quarter(rng, 80) - 4);
}

static void make_buffers(struct random *rng, struct cost_state *state, uint64_t format)
{
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++) {
        if (random_below(rng, 2))
            state->so_buffers[i] = (struct cost_so_buffer){random_below(rng, 4096),
                                                           (uint32_t)random_below(rng, 4) * 16, 0};
    }
    for (unsigned i = 0; i < COST_VERTEX_BUFFERS; i++)
        if (random_below(rng, 4))
            state->vertex_buffers[i] = (struct cost_vertex_buffer){
                PLAIN_BASE + VERTICES + 16 * (uint32_t)random_below(rng, 4),
                8u << random_below(rng, 2)};
    set(state, CS_ELEMENT_FORMAT, format);
    set(state, CS_ELEMENT_OFFSET, 8 * random_below(rng, 3));
}

static void make_draw(struct random *rng, struct cost_state *state, struct plain_draw *draw)
{
    static const uint16_t formats[] = {0x000, 0x040, 0x085, 0x0f6, 0x0f6, 0x041};
    uint64_t format = formats[random_below(rng, COUNT(formats))];
    memset(state, 0, sizeof *state);
    for (size_t i = 0; i < COUNT(ranges); i++)
        set(state, ranges[i].operand, random_below(rng, ranges[i].limit));
    for (size_t i = 0; i < COUNT(common); i++)
        if (random_below(rng, 4))
            set(state, common[i].operand, common[i].value);
    draw->state = state;
    draw->topology = (uint32_t)random_below(rng, draw->revision == INTEL_SNB ? 0x17 : 0x30);
    if (random_below(rng, 4) == 0)
        draw->topology = 0xf;
    set(state, CS_VF_TOPOLOGY, draw->topology);
    set(state, CS_SF_TRANSFORM,
        draw->topology == 0xf ? !random_below(rng, 5) : random_below(rng, 2));
    set(state, CS_DYNAMIC_BASE, PLAIN_BASE);
    set(state, CS_DEPTH_STENCIL_STATE, offset_of(rng, DEPTH_STENCIL));
    set(state, CS_BLEND_STATE, offset_of(rng, BLEND));
    set(state, CS_SCISSOR, offset_of(rng, SCISSOR));
    set(state, CS_VIEWPORT, offset_of(rng, VIEWPORT));
    fill_memory(rng, draw, format);
    make_buffers(rng, state, format);
    draw->vertices = (uint32_t)random_below(rng, random_below(rng, 4) ? 12 : 70);
    draw->instances = (uint32_t)random_below(rng, 5);
    draw->first = (uint32_t)random_below(rng, 3);
    draw->indexed = random_below(rng, 2);
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++)
        draw->so_offsets[i] = random_below(rng, 2) ? 4 * (uint32_t)random_below(rng, 1200) : 0;
    draw->indirect = draw->revision != INTEL_SNB && !random_below(rng, 5);
}

static void make_numbers(struct random *rng, struct tally_cost *cost)
{
    for (unsigned i = 0; i < COST_NUMBERS; i++) {
        const struct cost_number_info *info = &cost_numbers[i];
        uint32_t span = info->max - info->min;
        cost->numbers[i] = info->min + (uint32_t)random_below(rng, (span < 150 ? span : 150) + 1);
    }
}

/* ---- computing ------------------------------------------------------------------------------- */

static bool read_memory(void *context, uint32_t space, uint64_t address, uint32_t *out)
{
    (void)space;
    return plain_word(context, address, out);
}

static uint32_t read_register(void *context, uint32_t address)
{
    const struct plain_draw *draw = context;
    uint32_t buffer = (address - SO_WRITE_OFFSET) / 4;
    return buffer < COST_SO_BUFFERS                ? draw->so_offsets[buffer]
           : address == GEN7_3DPRIM_VERTEX_COUNT   ? draw->vertices + PLAIN_VERTICES
           : address == GEN7_3DPRIM_INSTANCE_COUNT ? draw->instances + PLAIN_INSTANCES
                                                   : 0;
}

static void compute(struct plain_draw *draw, const struct tally_cost *cost, const uint32_t *dwords,
                    size_t count, struct cost_work *out)
{
    const struct intel_platform *platform = intel_modelled(revision_name(draw->revision));
    struct cost_machine machine = {.platform = platform,
                                   .eu_threads = draw->eu_threads,
                                   .table = cost,
                                   .eus = draw->eus,
                                   .context = draw,
                                   .read_memory = read_memory,
                                   .read_register = read_register};
    struct streamer_work work = {
        .command = cs_find((unsigned)platform->info.version, CS_RENDER, dwords[0]),
        .dwords = dwords,
        .count = (uint32_t)count,
        .length = (uint32_t)count,
    };
    assert_non_null(work.command);
    draw->numbers = cost->numbers;
    cost_compute(&machine, draw->state, &work, out);
}

static void compute_draw(struct plain_draw *draw, const struct tally_cost *cost,
                         struct cost_work *out)
{
    const uint32_t gen6[6] = {0x7b000004u | (uint32_t)draw->indexed << 15 | draw->topology << 10,
                              draw->vertices, draw->first, draw->instances};
    const uint32_t gen7[7] = {0x7b000005u | (uint32_t)draw->indirect << 10,
                              (uint32_t)draw->indexed << 8 | draw->topology, draw->vertices,
                              draw->first, draw->instances};
    if (draw->revision == INTEL_SNB)
        compute(draw, cost, gen6, COUNT(gen6), out);
    else
        compute(draw, cost, gen7, COUNT(gen7), out);
}

static void compare(unsigned line, unsigned n, const struct plain_draw *draw,
                    const struct cost_work *got, const struct cost_work *want)
{
    const char *platform = revision_name(draw->revision);
    ROW(line, got->clocks == want->clocks, "case %u, %s: %" PRIu64 " clocks, not %" PRIu64, n,
        platform, got->clocks, want->clocks);
    for (unsigned i = 0; i < UNITS; i++)
        ROW(line, got->units[i] == want->units[i], "case %u, %s: %s is %" PRIu64 ", not %" PRIu64,
            n, platform, unit_info(i)->name, got->units[i], want->units[i]);
    for (unsigned i = 0; i < COST_STATISTICS; i++)
        ROW(line, got->statistics[i] == want->statistics[i],
            "case %u, %s: statistic %u is %" PRIu64 ", not %" PRIu64, n, platform, i,
            got->statistics[i], want->statistics[i]);
    ROW(line, got->streams_out == want->streams_out, "case %u, %s: stream output", n, platform);
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++)
        ROW(line, got->so_bytes[i] == want->so_bytes[i],
            "case %u, %s: buffer %u gets %" PRIu64 " bytes, not %" PRIu64, n, platform, i,
            got->so_bytes[i], want->so_bytes[i]);
}

static void test_random_draws(void **state)
{
    (void)state;
    struct random rng = random_start(9);
    for (unsigned n = 0; n < random_cases(20000); n++) {
        static struct cost_state bound;
        static struct plain_draw draw;
        static struct cost_work got, want;
        struct tally_cost cost;
        draw = (struct plain_draw){.revision = (enum intel_revision)(n % INTEL_REVISIONS),
                                   .eus = 1 + (unsigned)random_below(&rng, 40),
                                   .eu_threads = 5 + (unsigned)random_below(&rng, 4)};
        make_draw(&rng, &bound, &draw);
        make_numbers(&rng, &cost);
        compute_draw(&draw, &cost, &got);
        plain_cost(&draw, &want);
        compare(__LINE__, n, &draw, &got, &want);
    }
    ROWS_DONE();
}

/* Clears and resolves of any rectangle: the 2x2 blocks that it touches. */
static void test_depth_operations(void **state)
{
    (void)state;
    struct random rng = random_start(11);
    for (unsigned n = 0; n < random_cases(2000); n++) {
        static struct cost_state bound;
        static struct plain_draw draw;
        static struct cost_work got;
        struct tally_cost cost;
        unsigned x[2] = {(unsigned)random_below(&rng, 40), (unsigned)random_below(&rng, 60)};
        unsigned y[2] = {(unsigned)random_below(&rng, 40), (unsigned)random_below(&rng, 60)};
        unsigned samples = (unsigned)random_below(&rng, 5), reads = 1u << 28 | 1u << 27;
        const uint32_t flags = 1u << (24 + (unsigned)random_below(&rng, 8));
        const uint32_t dwords[5] = {0x78520003, flags | samples << 13, y[0] << 16 | x[0],
                                    y[1] << 16 | x[1], 0xffff};
        draw = (struct plain_draw){.revision = (enum intel_revision)(INTEL_BDW + n % 6),
                                   .eus = 1,
                                   .eu_threads = 1,
                                   .state = &bound};
        reads |= draw.revision == INTEL_TGL ? 1u << 24 : 0;
        make_numbers(&rng, &cost);
        compute(&draw, &cost, dwords, COUNT(dwords), &got);
        uint64_t wide = x[1] > x[0] ? (x[1] - 1) / 2 - x[0] / 2 + 1 : 0;
        uint64_t high = y[1] > y[0] ? (y[1] - 1) / 2 - y[0] / 2 + 1 : 0;
        uint64_t counted = (wide * high * 4) << samples;
        uint64_t bytes =
            counted * cost.numbers[COST_DEPTH_BYTES] * cost.numbers[COST_CACHE_MISSES] / 100;
        uint64_t each[2] = {cost.numbers[COST_READ_BYTES], cost.numbers[COST_WRITE_BYTES]};
        uint64_t moved[2] = {flags & reads ? (bytes + each[0] - 1) / each[0] : 0,
                             (bytes + each[1] - 1) / each[1]};
        uint64_t clocks = (counted + cost.numbers[COST_PIXELS_PER_CLOCK] - 1) /
                          cost.numbers[COST_PIXELS_PER_CLOCK];
        clocks = moved[0] > clocks ? moved[0] : clocks;
        clocks = moved[1] > clocks ? moved[1] : clocks;
        ROW(__LINE__,
            got.units[UNIT_PIXELS_RASTERIZED] == counted && got.units[UNIT_GTI_READS] == moved[0] &&
                got.units[UNIT_GTI_WRITES] == moved[1] &&
                got.clocks == clocks + cost.numbers[COST_DRAW_CLOCKS],
            "case %u, %s: %" PRIu64 " samples, %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64
            " clocks; expected %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
            n, revision_name(draw.revision), got.units[UNIT_PIXELS_RASTERIZED],
            got.units[UNIT_GTI_READS], got.units[UNIT_GTI_WRITES], got.clocks, counted, moved[0],
            moved[1], clocks + cost.numbers[COST_DRAW_CLOCKS]);
    }
    ROWS_DONE();
}

/* A MEDIA_OBJECT is one thread. */
static void test_random_threads(void **state)
{
    (void)state;
    static const uint32_t dwords[4] = {0x71000002};
    struct random rng = random_start(10);
    for (unsigned n = 0; n < random_cases(2000); n++) {
        static struct cost_state bound;
        static struct plain_draw draw;
        static struct cost_work got, want;
        struct tally_cost cost;
        draw = (struct plain_draw){.revision = (enum intel_revision)(n % INTEL_REVISIONS),
                                   .eus = 1 + (unsigned)random_below(&rng, 4),
                                   .eu_threads = 1 + (unsigned)random_below(&rng, 8)};
        make_draw(&rng, &bound, &draw);
        make_numbers(&rng, &cost);
        compute(&draw, &cost, dwords, COUNT(dwords), &got);
        plain_threads(&draw, 1, &want);
        compare(__LINE__, n, &draw, &got, &want);
    }
    ROWS_DONE();
}

/* At first nothing is bound, and all 16 samples of a pixel are enabled. */
static void test_first_state(void **state)
{
    (void)state;
    static struct cost_state first, expected;
    memset(&first, 0xa5, sizeof first);
    set(&expected, CS_SAMPLE_MASK, 0xffff);
    cost_state_init(&first);
    assert_memory_equal(&first, &expected, sizeof first);
}

/* Amounts stop at 2^40. */
static void test_limit(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t vertices, instances;
        uint64_t counted; /* each in a clock */
    } rows[] = {
        {__LINE__, 1u << 20, (1u << 20) - 1, (UINT64_C(1) << 40) - (1 << 20)},
        {__LINE__, 1u << 20, 1u << 20, UINT64_C(1) << 40},
        {__LINE__, 1u << 20, (1u << 20) + 1, UINT64_C(1) << 40},
        {__LINE__, UINT32_MAX, UINT32_MAX, UINT64_C(1) << 40},
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            static struct cost_state bound;
            static struct plain_draw draw;
            static struct cost_work got;
            struct tally_cost cost = {{0}};
            uint64_t limit = UINT64_C(1) << 40;
            memset(&bound, 0, sizeof bound);
            for (unsigned n = 0; n < COST_NUMBERS; n++)
                cost.numbers[n] = cost_numbers[n].min;
            cost.numbers[COST_VERTEX_CLOCKS] = 1;
            draw = (struct plain_draw){.revision = (enum intel_revision)p,
                                       .eus = 1,
                                       .eu_threads = 1,
                                       .state = &bound,
                                       .topology = 1,
                                       .vertices = rows[i].vertices,
                                       .instances = rows[i].instances};
            set(&bound, CS_VF_STATISTICS, 1);
            set(&bound, CS_VF_TOPOLOGY, 1);
            compute_draw(&draw, &cost, &got);
            uint64_t clocks = rows[i].counted < limit ? rows[i].counted + 1 : limit;
            ROW(rows[i].line,
                got.statistics[COST_IA_VERTICES] == rows[i].counted &&
                    got.statistics[COST_IA_PRIMITIVES] == rows[i].counted && got.clocks == clocks,
                "%s: %" PRIu64 " vertices, %" PRIu64 " primitives, %" PRIu64 " clocks",
                revision_name(p), got.statistics[COST_IA_VERTICES],
                got.statistics[COST_IA_PRIMITIVES], got.clocks);
        }
    ROWS_DONE();
}

int test_cost_random(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_draws),
        cmocka_unit_test(test_random_threads),
        cmocka_unit_test(test_depth_operations),
        cmocka_unit_test(test_first_state),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests_name("random costs", tests, NULL, NULL);
}
