/* SPDX-License-Identifier: MIT */
/* Medians, blocks, and what two lists differ by (docs/compare.md has the sources). */
#include "compare/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- describing a list ----------------------------------------------------------------------- */

static double weighted_mean(const struct stat_sample *samples, size_t count)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++) {
        sum += samples[i].value * samples[i].weight;
        weight += samples[i].weight;
    }
    return weight > 0 ? sum / weight : (double)NAN;
}

static int compare_doubles(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Returns a quantile of sorted values, between neighbours by their distance. */
static double quantile(const double *sorted, size_t count, double part)
{
    double at = part * (double)(count - 1);
    size_t below = (size_t)at;
    double above = below + 1 < count ? sorted[below + 1] : sorted[below];
    return sorted[below] + (at - (double)below) * (above - sorted[below]);
}

static int describe(const struct stat_sample *samples, size_t count, double *mean, double *median,
                    double *spread)
{
    *mean = weighted_mean(samples, count);
    *median = *spread = (double)NAN;
    if (!count)
        return 0;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = samples[i].value;
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    *median = quantile(sorted, count, 0.5);
    *spread = (quantile(sorted, count, 0.75) - quantile(sorted, count, 0.25)) / 2;
    free(sorted);
    return 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void add_products(const struct stat_sample *samples, size_t count, double *neighbours,
                         double *squares)
{
    double mean = weighted_mean(samples, count);
    for (size_t i = 0; i < count; i++) {
        double deviation = samples[i].value - mean;
        *squares += deviation * deviation;
        if (i + 1 < count && samples[i + 1].run == samples[i].run)
            *neighbours += deviation * (samples[i + 1].value - mean);
    }
}

/* Returns the autocorrelation of neighbours of the same run, about the mean of their list,
 * corrected for the bias of estimating that mean; 0 if nothing varies. */
static double correlation_of(const struct stat_sample *a, size_t a_count,
                             const struct stat_sample *b, size_t b_count)
{
    double neighbours = 0, squares = 0;
    add_products(a, a_count, &neighbours, &squares);
    add_products(b, b_count, &neighbours, &squares);
    return squares > 0 ? neighbours / squares + 2 / (double)(a_count + b_count) : 0;
}

static void add_sample(struct stat_sample *to, const struct stat_sample *from)
{
    double weight = to->weight + from->weight;
    if (weight > 0 && to->value != from->value)
        to->value = (to->value * to->weight + from->value * from->weight) / weight;
    to->weight = weight;
}

size_t stat_merge_pairs(struct stat_sample *samples, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0, pair; i < count; i += pair) {
        size_t left = 0;
        while (i + left < count && left < 4 && samples[i + left].run == samples[i].run)
            left++;
        pair = left == 3 ? 3 : left < 2 ? 1 : 2;
        samples[kept] = samples[i];
        for (size_t k = 1; k < pair; k++)
            add_sample(&samples[kept], &samples[i + k]);
        kept++;
    }
    return kept;
}

/* Neighbours count as independent up to this correlation, in standard errors of its estimate. */
#define CORRELATION_LIMIT 0.5

static double correlation_limit(size_t count)
{
    return CORRELATION_LIMIT / sqrt((double)count);
}

/* Returns how many blocks a merge would leave. */
static size_t count_pairs(const struct stat_sample *samples, size_t count)
{
    size_t pairs = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && samples[to].run == samples[from].run; to++)
            ;
        pairs += to - from > 1 ? (to - from) / 2 : 1;
    }
    return pairs;
}

/* Merges neighbours until they do not depend on each other, or there would be too few. */
static void make_blocks(struct stat_sample *a, size_t *a_count, struct stat_sample *b,
                        size_t *b_count, double *correlation)
{
    for (;;) {
        size_t a_next = count_pairs(a, *a_count), b_next = count_pairs(b, *b_count);
        *correlation = correlation_of(a, *a_count, b, *b_count);
        if (*correlation <= correlation_limit(*a_count + *b_count) || a_next < STAT_BLOCKS_MIN ||
            b_next < STAT_BLOCKS_MIN || (a_next == *a_count && b_next == *b_count))
            return;
        *a_count = stat_merge_pairs(a, *a_count);
        *b_count = stat_merge_pairs(b, *b_count);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool is_constant(const struct stat_sample *a, size_t a_count, const struct stat_sample *b,
                        size_t b_count)
{
    double value = a_count ? a[0].value : b_count ? b[0].value : 0;
    for (size_t i = 0; i < a_count; i++)
        if (a[i].value != value)
            return false;
    for (size_t i = 0; i < b_count; i++)
        if (b[i].value != value)
            return false;
    return true;
}

static double relative_change(double from, double to)
{
    return to == from ? 0 : (to - from) / fabs(from);
}

int stat_compare(struct stat_sample *a, size_t a_count, struct stat_sample *b, size_t b_count,
                 struct stat_result *out)
{
    double u;
    *out = (struct stat_result){.p = 1};
    if (describe(a, a_count, &out->means[0], &out->medians[0], &out->spreads[0]) < 0 ||
        describe(b, b_count, &out->means[1], &out->medians[1], &out->spreads[1]) < 0)
        return -ENOMEM;
    out->change = relative_change(out->means[0], out->means[1]);
    out->constant = is_constant(a, a_count, b, b_count);
    if (!out->constant)
        make_blocks(a, &a_count, b, &b_count, &out->correlation);
    out->blocks[0] = a_count;
    out->blocks[1] = b_count;
    out->exact = a_count + b_count <= STAT_EXACT_MAX;
    if (!a_count || !b_count || out->constant)
        return 0;
    out->p = stat_mann_whitney(a, a_count, b, b_count, &u);
    if (isnan(out->p))
        return -ENOMEM;
    out->delta = 2 * u / ((double)a_count * (double)b_count) - 1;
    if (out->correlation > correlation_limit(a_count + b_count)) {
        double r = out->correlation < 0.99 ? out->correlation : 0.99;
        out->p = stat_inflate(out->p, (1 + r) / (1 - r));
    }
    return 0;
}
