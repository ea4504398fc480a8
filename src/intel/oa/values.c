/* SPDX-License-Identifier: MIT */
/* Internal values by name (OAT-2). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"

/* A value of the unit. */
struct value {
    void *at;
    uint8_t bytes, bits;
    bool read_only;
    uint64_t number; /* the value, if it is read-only */
};

static void store(const struct value *value, uint64_t number)
{
    number &= low_bits(value->bits);
    switch (value->bytes) {
    case 1:
        *(uint8_t *)value->at = (uint8_t)number;
        break;
    case 2:
        *(uint16_t *)value->at = (uint16_t)number;
        break;
    case 4:
        *(uint32_t *)value->at = (uint32_t)number;
        break;
    default:
        *(uint64_t *)value->at = number;
    }
}

static uint64_t load(const struct value *value)
{
    switch (value->bytes) {
    case 1:
        return *(uint8_t *)value->at;
    case 2:
        return *(uint16_t *)value->at;
    case 4:
        return *(uint32_t *)value->at;
    default:
        return *(uint64_t *)value->at;
    }
}

/* Returns the number after a prefix: 12 of "a12"; -1 if there is none. */
static int numbered(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9' ||
        (name[length] == '0' && name[length + 1]))
        return -1;
    long number = strtol(name + length, &end, 10);
    return *end || number > 99 ? -1 : (int)number;
}

static bool find_numbered(struct tally_oa *unit, const char *name, struct value *out)
{
    static const uint8_t copies[FREE_COPIES] = {4, 6, 19, 20};
    const struct oa_variant *variant = unit->variant;
    int n = numbered(name, "a");
    if (n >= 0 && intel_sku_reserves(unit->sku, (unsigned)n)) {
        *out = (struct value){.read_only = true};
        return true;
    }
    if (n >= 0 && n < variant->a_count) {
        *out = (struct value){&unit->a[n], 8, is_map_c(unit) && n < 32 ? 40 : 32, false, 0};
        return true;
    }
    if ((n = numbered(name, "b")) >= 0 && n < variant->b_count) {
        *out = (struct value){&unit->b[n], 8, 32, false, 0};
        return true;
    }
    if ((n = numbered(name, "c")) >= 0 && n < variant->c_count) {
        *out = (struct value){&unit->c[n], 8, 32, false, 0};
        return true;
    }
    n = numbered(name, "free");
    for (unsigned i = 0; i < FREE_COPIES; i++)
        if (n == copies[i] && variant->free_copies) {
            *out = (struct value){&unit->free[i], 8, 40, false, 0};
            return true;
        }
    if ((n = numbered(name, "oar_a")) >= 0 && n < OAR_A_COUNTERS && is_map_d(unit)) {
        *out = (struct value){&unit->oar.a[n], 8, n < 32 ? 40 : 32, false, 0};
        return true;
    }
    if ((n = numbered(name, "oar_b")) >= 0 && n < B_COUNTERS && is_map_d(unit)) {
        *out = (struct value){&unit->oar.b[n], 8, 32, false, 0};
        return true;
    }
    if ((n = numbered(name, "oar_c")) >= 0 && n < B_COUNTERS && is_map_d(unit)) {
        *out = (struct value){&unit->oar.c[n], 8, 32, false, 0};
        return true;
    }
    if ((n = numbered(name, "occ")) >= 0 && n < (int)unit->eus) {
        *out = (struct value){&unit->occupancy[n], 1, 3, false, 0};
        return true;
    }
    if ((n = numbered(name, "start")) >= 1 && n <= variant->block_count) {
        *out = (struct value){&unit->start[n - 1].count, 2, 16, false, 0};
        return true;
    }
    if ((n = numbered(name, "report")) >= 1 && n <= variant->block_count) {
        *out = (struct value){&unit->report[n - 1].count, 2, 16, false, 0};
        return true;
    }
    return false;
}

static bool find(struct tally_oa *unit, const char *name, struct value *out)
{
    if (find_numbered(unit, name, out))
        return true;
    if (!strcmp(name, "timestamp")) {
        *out = (struct value){&unit->timestamp, 8, 36, false, 0};
        return true;
    }
    if (!strcmp(name, "ticks") && is_map_c(unit)) {
        *out = (struct value){&unit->ticks, 4, 32, false, 0};
        return true;
    }
    const struct {
        const char *name;
        uint64_t value;
    } read_only[] = {
        {"started", (uint64_t)unit->start[0].fired | (uint64_t)unit->start[1].fired << 1},
        {"inflight", unit->flight.active},
        {"wrap", (uint64_t)unit->head_wrap | (uint64_t)unit->tail_wrap << 1},
        {"overrun", (unit->flags & FLAG_OVERRUN) != 0},
        {"used", buffer_used(unit)},
        {"evq", unit->ev_q},
    };
    for (size_t i = 0; i < ARRAY_COUNT(read_only); i++)
        if (!strcmp(name, read_only[i].name)) {
            *out = (struct value){.read_only = true, .number = read_only[i].value};
            return true;
        }
    return false;
}

int tally_oa_peek(const struct tally_oa *unit, const char *name, uint64_t *out)
{
    struct value value;
    if (!find((struct tally_oa *)(uintptr_t)unit, name, &value)) /* not modified */
        return -EINVAL;
    *out = value.read_only ? value.number : load(&value);
    return 0;
}

int tally_oa_poke(struct tally_oa *unit, const char *name, uint64_t number)
{
    struct value value;
    if (!find(unit, name, &value) || value.read_only)
        return -EINVAL;
    store(&value, number);
    unit->groups_stale = true; /* it may be the occupancy of an EU */
    return 0;
}
