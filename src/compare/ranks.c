/* SPDX-License-Identifier: MIT */
/* The Mann-Whitney test, and Holm's correction. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare/statistics.h"

struct ranked {
    double value;
    size_t rank2; /* twice the rank, from 2; that of ties is the mean of their ranks */
    bool is_b;
};

static int compare_ranked(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

/* Sorts all values and sets their ranks. Returns the sum of t^3 - t over ties of t values. */
static double rank_all(struct ranked *all, size_t count)
{
    double ties = 0;
    qsort(all, count, sizeof *all, compare_ranked);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && all[to].value == all[from].value; to++)
            ;
        double size = (double)(to - from);
        ties += size * size * size - size;
        for (size_t i = from; i < to; i++)
            all[i].rank2 = from + 1 + to;
    }
    return ties;
}

/* Returns the probability that the ranks of `size` of the values have a sum as far from its mean as
 * `sum2`, twice the sum: of all choices, counted by their sums. NaN if out of memory. */
static double exact_p(const struct ranked *all, size_t count, size_t size, size_t sum2)
{
    size_t sums = count * (count + 1) + 1; /* twice the sum of all ranks, and 0 */
    double *ways = calloc((size + 1) * sums, sizeof *ways);
    double total = 0, extreme = 0;
    if (!ways)
        return (double)NAN;
    ways[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t chosen = i < size ? i + 1 : size; chosen; chosen--)
            for (size_t sum = all[i].rank2; sum < sums; sum++)
                ways[chosen * sums + sum] += ways[(chosen - 1) * sums + sum - all[i].rank2];
    size_t mean2 = size * (count + 1);
    size_t distance = sum2 > mean2 ? sum2 - mean2 : mean2 - sum2;
    for (size_t sum = 0; sum < sums; sum++) {
        total += ways[size * sums + sum];
        if ((sum > mean2 ? sum - mean2 : mean2 - sum) >= distance)
            extreme += ways[size * sums + sum];
    }
    free(ways);
    return extreme / total;
}

/* Returns the probability of a normal variable above `z` or below -z. */
static double two_sided(double z)
{
    return erfc(z / sqrt(2));
}

static double normal_p(double u, double a, double b, double ties)
{
    double count = a + b, distance = fabs(u - a * b / 2) - 0.5;
    double variance = a * b / 12 * (count + 1 - ties / (count * (count - 1)));
    if (variance <= 0)
        return 1;
    return two_sided(distance > 0 ? distance / sqrt(variance) : 0);
}

double stat_mann_whitney(const struct stat_sample *a, size_t a_count, const struct stat_sample *b,
                         size_t b_count, double *u)
{
    size_t count = a_count + b_count, sum2 = 0;
    struct ranked *all = malloc((count + 1) * sizeof *all);
    if (!all)
        return (double)NAN;
    for (size_t i = 0; i < a_count; i++)
        all[i] = (struct ranked){a[i].value, 0, false};
    for (size_t i = 0; i < b_count; i++)
        all[a_count + i] = (struct ranked){b[i].value, 0, true};
    double ties = rank_all(all, count);
    for (size_t i = 0; i < count; i++)
        sum2 += all[i].is_b ? all[i].rank2 : 0;
    *u = (double)(sum2 - b_count * (b_count + 1)) / 2;
    double p = count <= STAT_EXACT_MAX ? exact_p(all, count, b_count, sum2)
                                       : normal_p(*u, (double)a_count, (double)b_count, ties);
    free(all);
    return p;
}

double stat_inflate(double p, double factor)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) { /* finds z by halving */
        double z = (low + high) / 2;
        if (two_sided(z) > p)
            low = z;
        else
            high = z;
    }
    return factor > 1 ? two_sided(low / sqrt(factor)) : p;
}

double stat_p_min(size_t a_count, size_t b_count)
{
    double ways = 1;
    for (size_t i = 1; i <= b_count; i++)
        ways *= (double)(a_count + i) / (double)i;
    return ways > 2 ? 2 / ways : 1;
}

struct ordered {
    double p;
    size_t index;
};

static int compare_ordered(const void *x, const void *y)
{
    const struct ordered *a = x, *b = y;
    return a->p != b->p ? (a->p > b->p) - (a->p < b->p)
                        : (a->index > b->index) - (a->index < b->index);
}

int stat_holm(double *p, size_t count)
{
    struct ordered *order = malloc((count + 1) * sizeof *order);
    double highest = 0;
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ordered){p[i], i};
    qsort(order, count, sizeof *order, compare_ordered);
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, (double)(count - i) * order[i].p));
        p[order[i].index] = highest;
    }
    free(order);
    return 0;
}
