/* SPDX-License-Identifier: MIT */
#include "metrics/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"

#define NO_BUCKET UINT32_MAX

#define CAPACITY_MIN 8

/* With this number of groups, each still has BUCKETS_MAX buckets for a counter. */
#define GROUPS_WITH_ALL 32
#define BUCKETS_MIN     32

size_t distribution_limit(size_t groups)
{
    size_t limit = BUCKETS_MAX;
    for (size_t with = GROUPS_WITH_ALL; with < groups && limit > BUCKETS_MIN; with *= 2)
        limit /= 2;
    return limit;
}

void distribution_fini(struct distribution *distribution)
{
    free(distribution->keys);
    free(distribution->buckets);
    *distribution = (struct distribution){0};
}

void distribution_clear(struct distribution *distribution)
{
    if (distribution->count) /* NO_BUCKET: all bits are 1 */
        memset(distribution->keys, 0xff, distribution->capacity * sizeof *distribution->keys);
    distribution->count = 0;
    distribution->level = 0;
}

/* Returns the slot of a key, or the empty one for it. The keys of neighbours are neighbours. */
static size_t slot_of(const struct distribution *distribution, uint32_t key)
{
    size_t mask = distribution->capacity - 1, slot = key & mask;
    while (distribution->keys[slot] != key && distribution->keys[slot] != NO_BUCKET)
        slot = (slot + 1) & mask;
    return slot;
}

/* Adds to a bucket of a table that has space for it. */
static void put(struct distribution *distribution, uint32_t key, uint64_t ticks, uint64_t places)
{
    size_t slot = slot_of(distribution, key);
    struct bucket *bucket = &distribution->buckets[slot];
    if (distribution->keys[slot] == NO_BUCKET) {
        distribution->keys[slot] = key;
        *bucket = (struct bucket){0};
        distribution->count++;
    }
    bucket->ticks += ticks;
    bucket->places += places;
}

/* Moves the buckets to a table of another capacity or with a higher level. */
static int rehash(struct distribution *distribution, size_t capacity, unsigned level)
{
    struct distribution moved = {.capacity = capacity, .level = level};
    moved.keys = malloc(capacity * sizeof *moved.keys);
    moved.buckets = malloc(capacity * sizeof *moved.buckets);
    if (!moved.keys || !moved.buckets) {
        distribution_fini(&moved);
        return -ENOMEM;
    }
    memset(moved.keys, 0xff, capacity * sizeof *moved.keys);
    for (size_t i = 0; i < distribution->capacity; i++)
        if (distribution->keys[i] != NO_BUCKET)
            put(&moved, distribution->keys[i] >> (level - distribution->level),
                distribution->buckets[i].ticks, distribution->buckets[i].places);
    distribution_fini(distribution);
    *distribution = moved;
    return 0;
}

int distribution_limit_to(struct distribution *distribution, size_t limit)
{
    int result = 0;
    while (!result && distribution->count > limit)
        result = rehash(distribution, distribution->capacity, distribution->level + 1);
    return result;
}

/* Adds to a bucket that may be new. */
static int add(struct distribution *distribution, uint32_t key, uint64_t ticks, uint64_t places,
               size_t limit)
{
    if (2 * (distribution->count + 1) > distribution->capacity) {
        size_t capacity = distribution->capacity ? 2 * distribution->capacity : CAPACITY_MIN;
        int result = rehash(distribution, capacity, distribution->level);
        if (result < 0)
            return result;
    }
    put(distribution, key, ticks, places);
    return distribution->count > limit ? distribution_limit_to(distribution, limit) : 0;
}

#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)
#define ZERO_KEY   (UINT32_C(1) << (POSITION_BITS - PLACE_BITS - 1))

static int add_position(struct distribution *distribution, uint64_t position, uint64_t ticks,
                        size_t limit)
{
    return add(distribution, (uint32_t)(position >> PLACE_BITS >> distribution->level), ticks,
               (position & PLACE_MASK) * ticks, limit);
}

int distribution_add(struct distribution *distribution, double value, uint64_t ticks, size_t limit)
{
    uint64_t bits, sign = UINT64_C(1) << 63;
    if (!ticks)
        return 0;
    value += 0.0; /* turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    bits = bits & sign ? ~bits : bits | sign;
    return add_position(distribution, bits >> POSITION_DROPPED, ticks, limit);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static inline uint32_t add_to_entry(struct distribution_lanes *lanes, uint32_t used, uint32_t place,
                                    uint64_t values)
{
    uint64_t *entry = &lanes->entries[place >> PLACE_BITS], before = *entry;
    *entry = before + (values << 32) + (place & PLACE_MASK) * values;
    if (!before)
        lanes->used[used++] = (uint16_t)(place >> PLACE_BITS);
    return used;
}

int distribution_add_places(struct distribution *distribution, struct distribution_lanes *lanes,
                            const uint32_t *places, const union tally_value *values,
                            enum tally_data_type type, size_t count, uint64_t ticks, size_t limit)
{
    uint32_t differences = 0, used = lanes->used_count;
    int result = 0;
    for (size_t i = 0; i < count; i++)
        differences |= places[i] ^ places[0];
    if (!differences && places[0] != NO_PLACE) {
        lanes->used_count = add_to_entry(lanes, used, places[0], count);
        return 0;
    }
    for (size_t i = 0; i < count && !result; i++) {
        if (places[i] != NO_PLACE)
            used = add_to_entry(lanes, used, places[i], 1);
        else if (tally_value_is_defined(values[i], type))
            result =
                distribution_add(distribution, tally_value_double(values[i], type), ticks, limit);
    }
    lanes->used_count = used;
    return result;
}

int distribution_fold(struct distribution *distribution, struct distribution_lanes *lanes,
                      uint64_t ticks, size_t limit)
{
    int result = 0;
    for (size_t i = 0; i < lanes->used_count; i++) {
        uint64_t *entry = &lanes->entries[lanes->used[i]];
        uint32_t key = ZERO_KEY + (lanes->used[i] ? LANE_FIRST_KEY + lanes->used[i] - 1 : 0);
        if (!result && ticks)
            result = add(distribution, key >> distribution->level, (*entry >> 32) * ticks,
                         (uint32_t)*entry * ticks, limit);
        *entry = 0;
    }
    lanes->used_count = 0;
    return result;
}

/* ---- merging --------------------------------------------------------------------------------- */

int distribution_merge(struct distribution *into, const struct distribution *from, size_t limit)
{
    int result = 0;
    if (from->level > into->level && into->capacity)
        result = rehash(into, into->capacity, from->level);
    else if (from->level > into->level)
        into->level = from->level;
    for (size_t i = 0; i < from->capacity && !result; i++)
        if (from->keys[i] != NO_BUCKET)
            result = add(into, from->keys[i] >> (into->level - from->level), from->buckets[i].ticks,
                         from->buckets[i].places, limit);
    return result;
}

/* ---- percentiles ----------------------------------------------------------------------------- */

struct filled {
    uint32_t key;
    struct bucket bucket;
};

static int compare_filled(const void *x, const void *y)
{
    const struct filled *a = x, *b = y;
    return (a->key > b->key) - (a->key < b->key);
}

/* Returns the value of a position: the inverse of the kernels. */
static double value_of(uint64_t position)
{
    uint64_t bits = position << POSITION_DROPPED;
    double value;
    bits = bits >> 63 ? bits ^ UINT64_C(1) << 63 : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Estimates the values of a bucket by the mean of their places; by the middle if the sum of the
 * places is not known, since it has wrapped around or buckets have been merged. */
static double estimate(const struct filled *filled, unsigned level)
{
    uint64_t first = (uint64_t)filled->key << (PLACE_BITS + level);
    uint64_t size = UINT64_C(1) << (PLACE_BITS + level);
    uint64_t place = filled->bucket.places / filled->bucket.ticks;
    double value = value_of(first + (level || place >= size ? size / 2 : place));
    /* The bucket of an infinite value, and of it alone. */
    return isnan(value) ? value_of(first) : value;
}

bool distribution_percentiles(const struct distribution *distribution, const unsigned *percents,
                              size_t count, double *values)
{
    struct filled filled[BUCKETS_MAX];
    uint128 total = 0, sum = 0;
    size_t size = 0, at = 0;
    for (size_t i = 0; i < distribution->capacity && size < BUCKETS_MAX; i++)
        if (distribution->keys[i] != NO_BUCKET) {
            filled[size++] = (struct filled){distribution->keys[i], distribution->buckets[i]};
            total += distribution->buckets[i].ticks;
        }
    if (!size)
        return false;
    qsort(filled, size, sizeof *filled, compare_filled);
    sum = filled[0].bucket.ticks;
    for (size_t i = 0; i < count; i++) {
        while (at + 1 < size && sum * 100 < total * percents[i])
            sum += filled[++at].bucket.ticks;
        values[i] = estimate(&filled[at], distribution->level);
    }
    return true;
}
