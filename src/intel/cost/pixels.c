/* SPDX-License-Identifier: MIT */
/* Draws from the rasterizer on: samples, depth and stencil tests, pixel shaders, render targets. */
#include "base/bits.h"
#include "intel/cost/job.h"

#define BLOCK 4 /* pixels of a 2x2 block */

/* What is rasterized: pixels with a lit center, and 2x2 blocks with one. */
struct raster {
    uint64_t pixels, blocks;
};

/* ---- rasterizing ----------------------------------------------------------------------------- */

static uint64_t extent(int32_t first, int32_t last)
{
    return last >= first ? (uint64_t)((int64_t)last - first) + 1 : 0;
}

/* The 2x2 blocks are at even coordinates. */
static uint64_t block_extent(int32_t first, int32_t last)
{
    return last >= first ? (uint64_t)((int64_t)last / 2 - first / 2) + 1 : 0;
}

static struct raster raster_of(const struct area *area)
{
    return (struct raster){
        extent(area->left, area->right) * extent(area->top, area->bottom),
        block_extent(area->left, area->right) * block_extent(area->top, area->bottom)};
}

static struct raster scale(const struct raster *raster, uint64_t factor)
{
    return (struct raster){times(raster->pixels, factor), times(raster->blocks, factor)};
}

#define RECTANGLES_READ 16

/* Reads the first rectangles of a list; others are like the last one read. Those that cannot be
 * read cover the whole area. */
static struct raster rasterize_rectangles(const struct job *job, uint64_t count,
                                          const struct area *area)
{
    bool unknown = value_of(job, CS_INDIRECT) || value_of(job, CS_GS_ENABLE);
    uint64_t each = unknown ? 0 : value_of(job, CS_PRIM_VERTICES) / 3;
    uint64_t known = min_u64(each, RECTANGLES_READ);
    struct raster sum = {0, 0}, last = raster_of(area);
    for (uint64_t n = 0; n < known; n++) {
        struct area own = *area;
        read_rectangle(job, n, area, &own);
        last = raster_of(&own);
        sum.pixels += last.pixels;
        sum.blocks += last.blocks;
    }
    uint64_t instances = known ? count / each : 0, rest = known ? each - known : count;
    struct raster of_rest = scale(&last, rest);
    sum.pixels = plus(sum.pixels, of_rest.pixels);
    sum.blocks = plus(sum.blocks, of_rest.blocks);
    return known ? scale(&sum, instances) : sum;
}

#define LINE_WIDTH_ONE  128 /* fixed point with 7 fraction bits */
#define POINT_WIDTH_ONE 8   /* with 3 fraction bits */

/* CHV has the width of lines in another field than BDW. The field that a platform does not have is
 * 0. */
static uint64_t line_width(const struct job *job)
{
    return max_u64(value_of(job, CS_LINE_WIDTH), value_of(job, CS_CHV_LINE_WIDTH));
}

/* Points and lines cover pixels of their own, triangles of a draw a share of the area together. */
static struct raster rasterize(const struct job *job, const struct primitives *primitives)
{
    struct area area = drawable_area(job);
    struct raster all = raster_of(&area);
    uint64_t width, pixels;
    if (!primitives->count)
        return (struct raster){0, 0};
    switch (primitives->kind) {
    case PRIMITIVE_RECTANGLE:
        return rasterize_rectangles(job, primitives->count, &area);
    case PRIMITIVE_POINT:
        width = max_u64(parts(value_of(job, CS_POINT_WIDTH), POINT_WIDTH_ONE), 1);
        pixels = times(primitives->count, width * width);
        break;
    case PRIMITIVE_LINE:
        width = max_u64(parts(line_width(job), LINE_WIDTH_ONE), 1);
        pixels = times(primitives->count, width * number_of(job, COST_LINE_PIXELS));
        break;
    default:
        pixels = percent_of(all.pixels, number_of(job, COST_COVERAGE));
        return (struct raster){pixels, parts(pixels, BLOCK)};
    }
    pixels = all.pixels ? pixels : 0;
    return (struct raster){pixels, parts(pixels, BLOCK)};
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* What becomes of samples. Failures are of one test each. */
struct outcome {
    uint64_t stencil_fails, hiz_fails, depth_fails; /* before the pixel shader */
    uint64_t shaded;
    uint64_t killed, alpha_fails, late_stencil_fails, late_depth_fails;
    uint64_t passed; /* all tests */
};

enum { COMPARE_ALWAYS, COMPARE_NEVER };

/* Returns the percentage of samples that pass a test. */
static uint64_t pass_rate(const struct job *job, bool enabled, uint64_t function,
                          enum cost_number rate)
{
    if (!enabled || function == COMPARE_ALWAYS)
        return 100;
    return function == COMPARE_NEVER ? 0 : number_of(job, rate);
}

#define NULL_SURFACE 7

static bool tests_depth(const struct job *job)
{
    return value_of(job, CS_DEPTH_TEST) && value_of(job, CS_DEPTH_SURFACE) != NULL_SURFACE;
}

static bool writes_depth(const struct job *job)
{
    return tests_depth(job) && value_of(job, CS_DEPTH_WRITE) &&
           (job->pipeline == PIPELINE_GEN6 || value_of(job, CS_DEPTH_SURFACE_WRITE));
}

enum { FORCED_OFF = 1, FORCED_ON = 2 }; /* Force Thread Dispatch Enable */

static bool runs_shader(const struct job *job)
{
    uint64_t force = value_of(job, CS_PS_FORCE);
    return force == FORCED_ON || (force != FORCED_OFF && value_of(job, CS_PS_ENABLE));
}

/* Early Depth/Stencil Control: the shader runs for all samples (EDSC_PSEXEC), or for those that
 * pass the tests (EDSC_PREPS). */
enum { LATE_FORCED = 1, EARLY_FORCED = 2 };

/* Whether the tests come after the pixel shader, which can change what they test. */
static bool tests_late(const struct job *job)
{
    uint64_t control = value_of(job, CS_PS_EARLY);
    return runs_shader(job) && control != EARLY_FORCED &&
           (control == LATE_FORCED || value_of(job, CS_PS_KILLS) || value_of(job, CS_PS_DEPTH) ||
            value_of(job, CS_PS_STENCIL) || value_of(job, CS_PS_OMASK) ||
            value_of(job, CS_ALPHA_TEST));
}

/* Takes a share of the remaining samples away. */
static uint64_t take(uint64_t *left, uint64_t percent)
{
    uint64_t taken = percent_of(*left, percent);
    *left -= taken;
    return taken;
}

static void test_samples(const struct job *job, uint64_t *left, uint64_t *stencil, uint64_t *depth)
{
    *stencil = take(left, 100 - pass_rate(job, value_of(job, CS_STENCIL_TEST),
                                          value_of(job, CS_STENCIL_FUNCTION), COST_STENCIL_PASS));
    *depth = take(left, 100 - pass_rate(job, tests_depth(job), value_of(job, CS_DEPTH_FUNCTION),
                                        COST_DEPTH_PASS));
}

/* Samples are counted in multiples of `unit`. */
static struct outcome outcome_of(const struct job *job, uint64_t samples, uint64_t unit)
{
    struct outcome out = {0};
    bool shades = runs_shader(job), late = tests_late(job);
    uint64_t left = samples / unit;
    if (!late)
        test_samples(job, &left, &out.stencil_fails, &out.depth_fails);
    if (value_of(job, CS_HIZ_ENABLE))
        out.hiz_fails = take(&out.depth_fails, number_of(job, COST_HIZ_FINDS));
    out.shaded = shades ? left : 0;
    if (shades && value_of(job, CS_PS_KILLS))
        out.killed = take(&left, number_of(job, COST_PS_KILLED));
    if (shades && value_of(job, CS_ALPHA_TEST))
        out.alpha_fails = take(&left, number_of(job, COST_ALPHA_FAILS));
    if (shades && value_of(job, CS_PS_OMASK))
        take(&left, 100 - number_of(job, COST_OMASK_KEEPS));
    if (late)
        test_samples(job, &left, &out.late_stencil_fails, &out.late_depth_fails);
    out.passed = left;
    uint64_t *const members[] = {
        &out.stencil_fails, &out.hiz_fails,   &out.depth_fails,        &out.shaded,
        &out.killed,        &out.alpha_fails, &out.late_stencil_fails, &out.late_depth_fails,
        &out.passed};
    for (size_t i = 0; i < ARRAY_COUNT(members); i++)
        *members[i] *= unit;
    return out;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* From Gen8 on counters are in 2x2 blocks, before in pixels or samples (OA-2.13). */
static bool counts_blocks(const struct job *job)
{
    return job->machine->platform->aggregates == AGGREGATES_FLEXIBLE;
}

static uint64_t counted_unit(const struct job *job)
{
    return counts_blocks(job) ? BLOCK : 1;
}

/* A21 and A36 count a kill twice if the pixel shader has two colors on SNB to VLV (document 000);
 * that SNB counts each twice besides is in the table of units. */
static uint64_t kills_counted(const struct job *job, uint64_t kills)
{
    return job->machine->platform->kills_count_twice && value_of(job, CS_PS_DUAL_SOURCE) ? 2 * kills
                                                                                         : kills;
}

/* What a counter counts of samples of which it misses a share (document 000). */
static uint64_t seen(const struct job *job, uint64_t samples, enum cost_number missed)
{
    return samples - percent_of(samples, number_of(job, missed));
}

static bool has_target(const struct job *job)
{
    if (!runs_shader(job))
        return false;
    return job->pipeline < PIPELINE_GEN8 ||
           (value_of(job, CS_PS_HAS_TARGET) && !value_of(job, CS_PS_NO_TARGET));
}

static void count_tests(struct job *job, uint64_t samples, const struct outcome *outcome)
{
    uint64_t before = samples - outcome->stencil_fails;
    bool early = !tests_late(job), stencil = value_of(job, CS_STENCIL_TEST),
         depth = tests_depth(job);
    add_unit(job, UNIT_PIXELS_RASTERIZED, samples);
    if (early && stencil)
        add_unit(job, UNIT_STENCIL_EARLY_PASS, before);
    add_unit(job, UNIT_STENCIL_EARLY_FAIL, outcome->stencil_fails);
    if (early && depth && value_of(job, CS_HIZ_ENABLE))
        add_unit(job, UNIT_DEPTH_HIZ_PASS,
                 job->machine->platform->hiz_passes_missed
                     ? seen(job, before - outcome->hiz_fails, COST_HIZ_MISSED)
                     : before - outcome->hiz_fails);
    if (early && depth)
        add_unit(job, UNIT_DEPTH_EARLY_PASS, before - outcome->hiz_fails - outcome->depth_fails);
    add_unit(job, UNIT_DEPTH_HIZ_FAIL, outcome->hiz_fails);
    add_unit(job, UNIT_DEPTH_EARLY_FAIL,
             plus(outcome->depth_fails, counts_blocks(job) ? outcome->stencil_fails : 0));
    add_unit(job, UNIT_PIXELS_KILLED, kills_counted(job, outcome->killed));
    add_unit(job, UNIT_PIXELS_ALPHA_FAIL, outcome->alpha_fails);
    add_unit(job, UNIT_STENCIL_LATE_FAIL, seen(job, outcome->late_stencil_fails, COST_LATE_MISSED));
    add_unit(job, UNIT_DEPTH_LATE_FAIL, seen(job, outcome->late_depth_fails, COST_LATE_MISSED));
}

static void count_memory(struct job *job, uint64_t samples, uint64_t passed, uint64_t written)
{
    uint64_t misses = number_of(job, COST_CACHE_MISSES), bytes = number_of(job, COST_DEPTH_BYTES);
    uint64_t colors = percent_of(times(written, number_of(job, COST_COLOR_BYTES)), misses);
    if (tests_depth(job))
        job->bytes_read = plus(job->bytes_read, percent_of(times(samples, bytes), misses));
    if (writes_depth(job))
        job->bytes_written = plus(job->bytes_written, percent_of(times(passed, bytes), misses));
    job->bytes_written = plus(job->bytes_written, colors);
    if (value_of(job, CS_BLEND_ENABLE))
        job->bytes_read = plus(job->bytes_read, colors);
}

/* The widest of the enabled dispatch modes; SIMD8 if none is. */
static uint64_t dispatch_width(const struct job *job)
{
    return value_of(job, CS_PS_SIMD32) ? 32 : value_of(job, CS_PS_SIMD16) ? 16 : 8;
}

/* The shader runs for whole 2x2 blocks, once for a pixel or for each of its samples. */
static bool is_per_sample(const struct job *job, uint64_t samples)
{
    return samples > 1 && (job->pipeline < PIPELINE_GEN8 ? !value_of(job, CS_PS_PER_PIXEL)
                                                         : value_of(job, CS_PS_PER_SAMPLE));
}

static void shade(struct job *job, uint64_t blocks, uint64_t samples)
{
    uint64_t runs = times(blocks, BLOCK);
    if (is_per_sample(job, samples))
        runs = times(runs, samples);
    if (value_of(job, CS_WM_STATISTICS))
        job->out->statistics[COST_PS_INVOCATIONS] =
            job->machine->platform->ps_invocations_by_4 ? times(runs, 4) : runs;
    job->threads[JOB_PS] = parts(runs, dispatch_width(job));
    job->texels = plus(job->texels, times(runs / BLOCK, number_of(job, COST_PS_TEXELS)));
}

/* Returns the samples of a pixel that the sample mask leaves. */
static uint64_t masked_samples(const struct job *job, uint64_t samples)
{
    return count_bits(value_of(job, CS_SAMPLE_MASK) & low_bits((unsigned)samples));
}

void count_pixels(struct job *job, const struct primitives *primitives)
{
    read_pixel_structures(job);
    struct raster raster = rasterize(job, primitives);
    uint64_t samples = UINT64_C(1) << min_u64(value_of(job, CS_SAMPLES), 4);
    uint64_t lit = masked_samples(job, samples), unit = counted_unit(job);
    uint64_t pixels = unit == BLOCK ? times(raster.blocks, BLOCK) : raster.pixels;
    uint64_t counted = times(pixels, lit);
    struct outcome outcome = outcome_of(job, counted, unit);
    struct outcome exact = outcome_of(job, times(raster.pixels, lit), 1);
    struct outcome blocks = outcome_of(job, raster.blocks, 1);
    take_clocks(job, parts(counted, number_of(job, COST_PIXELS_PER_CLOCK)));
    count_tests(job, counted, &outcome);
    if (value_of(job, CS_WM_STATISTICS))
        job->out->statistics[COST_PS_DEPTH] = exact.passed;
    uint64_t written =
        has_target(job) ? times(outcome.passed, number_of(job, COST_RENDER_TARGETS)) : 0;
    add_unit(job, UNIT_PIXELS_WRITTEN, written);
    if (value_of(job, CS_BLEND_ENABLE))
        add_unit(job, UNIT_PIXELS_BLENDED, written);
    count_memory(job, counted, outcome.passed, written);
    if (runs_shader(job))
        shade(job, blocks.shaded, samples);
}

/* ---- depth operations ------------------------------------------------------------------------ */

/* The rectangle's ends are exclusive. */
void count_depth_operation(struct job *job)
{
    struct area area = {.left = (int32_t)value_of(job, CS_HZ_X_MIN),
                        .top = (int32_t)value_of(job, CS_HZ_Y_MIN),
                        .right = (int32_t)value_of(job, CS_HZ_X_MAX) - 1,
                        .bottom = (int32_t)value_of(job, CS_HZ_Y_MAX) - 1};
    struct raster raster = raster_of(&area);
    uint64_t samples =
        times(raster.blocks * BLOCK, UINT64_C(1) << min_u64(value_of(job, CS_HZ_SAMPLES), 4));
    uint64_t bytes = percent_of(times(samples, number_of(job, COST_DEPTH_BYTES)),
                                number_of(job, COST_CACHE_MISSES));
    bool resolves = value_of(job, CS_HZ_DEPTH_RESOLVE) || value_of(job, CS_HZ_HIZ_RESOLVE) ||
                    value_of(job, CS_HZ_STENCIL_RESOLVE);
    add_unit(job, UNIT_PIXELS_RASTERIZED, samples);
    take_clocks(job, parts(samples, number_of(job, COST_PIXELS_PER_CLOCK)));
    job->bytes_written = plus(job->bytes_written, bytes);
    if (resolves)
        job->bytes_read = plus(job->bytes_read, bytes);
}
