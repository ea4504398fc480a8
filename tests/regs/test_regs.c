/* SPDX-License-Identifier: MIT */
/*
 * PCOUNTER's register tables and the iteration over them. The expected rows were written again from
 * the three tables of the hardware document and from PCT-6.
 */
#include "regs/tests.h"

#include <tally/pcounter.h>

#include "nvidia/pcounter/engine.h"

/* ---- the document's tables ---------------------------------------------------------------------
 */

enum { NV10, NV15, NV20, NV30, NV40, G84, G92, GT215, GF100, REVISIONS };
enum { R = 1, W = 2, RW = 3 };

#define BITS(high, low) (0xffffffffu >> (31 - (high)) & 0xffffffffu << (low))
#define WHOLE           0xffffffffu

struct expected {
    unsigned line;
    const char *name;
    unsigned offset;
    struct {
        unsigned count, stride;
    } index[3];           /* of [dom], unless `alone` */
    unsigned first, last; /* revisions */
    unsigned access;
    uint32_t read, write; /* bits; for CTRL and OP those of every revision */
};

// clang-format off
static const struct expected nv10[] = {
    {__LINE__, "PRE_SRC", 0x400, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "PRE_OP", 0x404, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "START_SRC", 0x408, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "START_OP", 0x40c, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "EVENT_SRC", 0x410, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "EVENT_OP", 0x414, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "STOP_SRC", 0x418, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "STOP_OP", 0x41c, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "SETFLAG_SRC", 0x420, {{2, 0x100}}, NV10, NV20, RW, WHOLE, WHOLE},
    {__LINE__, "SETFLAG_OP", 0x424, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "CLRFLAG_SRC", 0x428, {{2, 0x100}}, NV10, NV20, RW, WHOLE, WHOLE},
    {__LINE__, "CLRFLAG_OP", 0x42c, {{2, 0x100}}, NV10, NV30, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "SIG_STATUS", 0x430, {{2, 0x100}, {2, 0x200}, {4, 4}}, NV10, NV30, R, WHOLE, 0},
    {__LINE__, "CTR_CYCLES", 0x600, {{2, 0x100}}, NV10, NV30, R, WHOLE, 0},
    {__LINE__, "CTR_CYCLES_HI", 0x604, {{2, 0x100}}, NV10, NV20, R, BITS(7, 0), 0},
    {__LINE__, "CTR_CYCLES_ALT", 0x608, {{2, 0x100}}, NV10, NV30, R, WHOLE, 0},
    {__LINE__, "CTR_CYCLES_ALT_HI", 0x60c, {{2, 0x100}}, NV10, NV20, R, BITS(7, 0), 0},
    {__LINE__, "CTR_EVENT", 0x610, {{2, 0x100}}, NV10, NV30, R, WHOLE, 0},
    {__LINE__, "CTR_EVENT_HI", 0x614, {{2, 0x100}}, NV10, NV20, R, BITS(7, 0), 0},
    {__LINE__, "CTR_START", 0x618, {{2, 0x100}}, NV10, NV30, R, WHOLE, 0},
    {__LINE__, "CTR_START_HI", 0x61c, {{2, 0x100}}, NV10, NV20, R, BITS(7, 0), 0},
    {__LINE__, "CTR_PRE", 0x620, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_STOP", 0x624, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "THRESHOLD", 0x628, {{2, 0x100}}, NV10, NV30, RW, WHOLE, WHOLE},
    {__LINE__, "THRESHOLD_HI", 0x62c, {{2, 0x100}}, NV10, NV20, RW, BITS(7, 0), BITS(7, 0)},
    {__LINE__, "QUAD_ACK_TRIGGER", 0x738, {{0}}, NV30, NV30, W, 0, 1},
    {__LINE__, "CTRL", 0x73c, {{0}}, NV10, NV30, RW, BITS(4, 0), BITS(2, 0)},
};

static const struct expected nv40[] = {
    {__LINE__, "PRE_SRC", 0x400, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "PRE_OP", 0x420, {{8, 4}}, NV40, NV40, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "PRE_OP", 0x420, {{8, 4}}, G84, GT215, RW, BITS(17, 0), BITS(17, 0)}, /* swaps */
    {__LINE__, "START_SRC", 0x440, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "START_OP", 0x460, {{8, 4}}, NV40, GT215, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "EVENT_SRC", 0x480, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "EVENT_OP", 0x4a0, {{8, 4}}, NV40, GT215, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "STOP_SRC", 0x4c0, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "STOP_OP", 0x4e0, {{8, 4}}, NV40, GT215, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "SETFLAG_OP", 0x500, {{8, 4}}, NV40, GT215, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "CLRFLAG_OP", 0x520, {{8, 4}}, NV40, GT215, RW, BITS(17, 0), BITS(17, 0)},
    {__LINE__, "SRC_STATUS", 0x540, {{8, 4}}, NV40, GT215, R, BITS(15, 0), 0},
    {__LINE__, "SPEC_SRC", 0x560, {{8, 4}}, NV40, GT215, RW, BITS(15, 0), BITS(15, 0)},
    {__LINE__, "USER_TRIGGER", 0x580, {{8, 4}}, GT215, GT215, W, 0, BITS(3, 0)},
    {__LINE__, "CTR_CYCLES", 0x600, {{8, 4}}, NV40, GT215, R, WHOLE, 0},
    {__LINE__, "CTR_CYCLES_ALT", 0x640, {{8, 4}}, NV40, GT215, R, WHOLE, 0},
    {__LINE__, "CTR_EVENT", 0x680, {{8, 4}}, NV40, GT215, R, WHOLE, 0},
    {__LINE__, "RECORD_ADDRESS_HIGH", 0x6a0, {{8, 4}}, G92, GT215, RW, BITS(7, 0), BITS(7, 0)},
    {__LINE__, "CTR_START", 0x6c0, {{8, 4}}, NV40, GT215, R, WHOLE, 0},
    {__LINE__, "RECORD_STATUS", 0x6e0, {{8, 4}}, G84, GT215, R, BITS(31, 4) | 1, 0},
    {__LINE__, "CTR_PRE", 0x700, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "RECORD_LIMIT", 0x720, {{8, 4}}, G84, GT215, RW, BITS(31, 4), BITS(31, 4)},
    {__LINE__, "CTR_STOP", 0x740, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "RECORD_START", 0x760, {{8, 4}}, G84, GT215, RW, BITS(31, 4), BITS(31, 4)},
    {__LINE__, "THRESHOLD", 0x780, {{8, 4}}, NV40, GT215, RW, WHOLE, WHOLE},
    {__LINE__, "RECORD_CHAN", 0x7a0, {{0}}, G84, GT215, RW, 0xbfffffff, 0xbfffffff},
    {__LINE__, "RECORD_DMA", 0x7a4, {{0}}, G84, GT215, RW, BITS(15, 0), BITS(15, 0)},
    {__LINE__, "GCTRL", 0x7a8, {{0}}, G84, GT215, RW, 0x11, 0x11},
    {__LINE__, "CTRL", 0x7c0, {{8, 4}}, NV40, GT215, RW, 0x33012973, 0x08012973},
    {__LINE__, "QUAD_ACK_TRIGGER", 0x7e0, {{8, 4}}, NV40, GT215, W, 0, 1},
    {__LINE__, "SIG_STATUS", 0x800, {{8, 0x20}, {8, 4}}, NV40, GT215, R, WHOLE, 0},
};

static const struct expected gf100[] = {
    {__LINE__, "SIG_STATUS", 0x0, {{16, 4}}, GF100, GF100, R, WHOLE, 0},
    {__LINE__, "PRE_SRC", 0x40, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "PRE_OP", 0x44, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "START_SRC", 0x48, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "START_OP", 0x4c, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "EVENT_SRC", 0x50, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "EVENT_OP", 0x54, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "STOP_SRC", 0x58, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "STOP_OP", 0x5c, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "SETFLAG_OP", 0x60, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "CLRFLAG_OP", 0x64, {{0}}, GF100, GF100, RW, BITS(20, 0), BITS(20, 0)},
    {__LINE__, "SRC_STATUS", 0x68, {{0}}, GF100, GF100, R, BITS(23, 0), 0},
    {__LINE__, "SWAP_SRC", 0x6c, {{0}}, GF100, GF100, RW, BITS(7, 0), BITS(7, 0)},
    {__LINE__, "CTR_CYCLES", 0x70, {{0}}, GF100, GF100, R, WHOLE, 0},
    {__LINE__, "CTR_CYCLES_NEXT_RO", 0x78, {{0}}, GF100, GF100, R, WHOLE, 0},
    {__LINE__, "CTR_EVENT", 0x80, {{0}}, GF100, GF100, R, WHOLE, 0},
    {__LINE__, "CTR_START", 0x88, {{0}}, GF100, GF100, R, WHOLE, 0},
    {__LINE__, "CTR_PRE", 0x8c, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_STOP", 0x90, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "SINGLE_ABORT_TRIGGER", 0x94, {{0}}, GF100, GF100, W, 0, 1},
    {__LINE__, "THRESHOLD", 0x98, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTRL", 0x9c, {{0}}, GF100, GF100, RW, 0xb3fdffff, 0x80fdffff},
    {__LINE__, "QUAD_ACK_TRIGGER", 0xa0, {{0}}, GF100, GF100, W, 0, 1},
    {__LINE__, "CTR_EVENT_NEXT", 0xa4, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_PRE_NEXT", 0xa8, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_START_NEXT", 0xac, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_STOP_NEXT", 0xb0, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "CTR_CYCLES_NEXT", 0xbc, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
    {__LINE__, "SINGLE_BEGIN_TRIGGER", 0xe0, {{0}}, GF100, GF100, W, 0, 1},
    {__LINE__, "STATE", 0xe4, {{0}}, GF100, GF100, R, 0x0fff1fbf, 0},
    {__LINE__, "USER_TRIGGER", 0xec, {{0}}, GF100, GF100, RW, BITS(7, 0), BITS(7, 0)},
    {__LINE__, "FILTER", 0x100, {{0}}, GF100, GF100, RW, WHOLE, WHOLE},
};
// clang-format on

static const struct {
    const struct expected *rows;
    size_t count;
    uint32_t base, size;
} layouts[] = {
    {nv10, COUNT(nv10), 0xa000, 0x1000},
    {nv40, COUNT(nv40), 0xa000, 0x1000},
    {gf100, COUNT(gf100), 0x180000, 0x200},
};

static unsigned layout_of(unsigned revision)
{
    return revision <= NV30 ? 0 : revision <= GT215 ? 1 : 2;
}

static unsigned most_domains(unsigned revision)
{
    return revision <= NV15 ? 1 : revision <= NV30 ? 2 : 8;
}

/* Properties that depend on the revision or on the number of domains. */
static uint32_t more_bits(const char *name, unsigned revision, unsigned domains, unsigned access)
{
    bool first_four = !strcmp(name, "PRE_OP") || !strcmp(name, "START_OP") ||
                      !strcmp(name, "SETFLAG_OP") || !strcmp(name, "CLRFLAG_OP");
    if (revision == GF100)
        return 0; /* its rows are of one revision */
    if (first_four)
        return revision >= G92 ? BITS(19, 18) : 0;
    if (!strcmp(name, "EVENT_OP") || !strcmp(name, "STOP_OP"))
        return (revision >= NV30 ? 1u << 18 : 0) | (revision >= G92 ? BITS(20, 19) : 0);
    if (!strcmp(name, "QUAD_ACK_TRIGGER"))
        return access == W && revision == NV30 && domains == 2 ? 1u << 8 : 0;
    if (strcmp(name, "CTRL") != 0)
        return 0;
    uint32_t bits = 0;
    if (revision >= NV40)
        return (revision >= G84 ? BITS(23, 20) : 0) | (revision >= G92 ? 1u << 30 : 0);
    bits |= revision >= NV15 ? 1u << 8 : 0;
    bits |= revision >= NV20 && domains == 2 ? 1u << 9 : 0;
    bits |= revision == NV30 ? 1u << 16 : 0;
    bits |= revision == NV30 && domains == 2 ? 1u << 18 : 0;
    if (access == R) {
        bits |= revision >= NV20 && domains == 2 ? BITS(6, 5) : 0;
        bits |= revision == NV30 ? BITS(25, 24) : 0;
        bits |= revision == NV30 && domains == 2 ? BITS(27, 26) : 0;
    }
    return bits;
}

/* An address of the document: up to two elements (PC-D20), CTRL first. */
struct place {
    const struct expected *row;
    char name[64];
};

static unsigned places_at(unsigned revision, unsigned domains, uint32_t offset,
                          struct place places[4])
{
    unsigned found = 0, layout = layout_of(revision);
    for (size_t i = 0; i < layouts[layout].count; i++) {
        const struct expected *row = &layouts[layout].rows[i];
        if (revision < row->first || revision > row->last)
            continue;
        unsigned counts[3];
        for (unsigned d = 0; d < 3; d++)
            counts[d] = row->index[d].count ? row->index[d].count : 1;
        if (layout < 2 && row->index[0].count && domains < counts[0])
            counts[0] = domains;
        for (unsigned a = 0; a < counts[0]; a++)
            for (unsigned b = 0; b < counts[1]; b++)
                for (unsigned c = 0; c < counts[2]; c++) {
                    if (row->offset + a * row->index[0].stride + b * row->index[1].stride +
                            c * row->index[2].stride !=
                        offset)
                        continue;
                    assert_true(found < 4);
                    struct place *place = &places[found++];
                    place->row = row;
                    int size = snprintf(place->name, sizeof place->name, "%s", row->name);
                    const unsigned index[3] = {a, b, c};
                    for (unsigned d = 0; d < 3 && row->index[d].count; d++)
                        size += snprintf(place->name + size, sizeof place->name - (size_t)size,
                                         "[%u]", index[d]);
                }
    }
    return found;
}

/* Returns the element that an access reaches. PC-D20: CTRL alone has its address; at 0xa738 a read
 * is SIG_STATUS and a write QUAD_ACK_TRIGGER. */
static const struct place *winner(const struct place *places, unsigned count, unsigned access)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(places[i].row->name, "CTRL"))
            return &places[i];
    for (unsigned i = 0; i < count; i++)
        if (places[i].row->access & access)
            return &places[i];
    return count ? &places[0] : NULL;
}

static void each_shape(void (*check)(unsigned revision, unsigned domains))
{
    for (unsigned revision = 0; revision < REVISIONS; revision++)
        for (unsigned domains = 1; domains <= most_domains(revision); domains++)
            check(revision, domains);
    ROWS_DONE();
}

/* ---- finding -----------------------------------------------------------------------------------
 */

static void check_find(unsigned revision, unsigned domains)
{
    const struct reg_map *map = pcounter_registers((enum tally_pcounter_revision)revision);
    unsigned layout = layout_of(revision);
    unsigned instances = layout == 2 ? 1 : domains; /* GF100 domains have separate registers */
    assert_int_equal(map->base, layouts[layout].base);
    assert_int_equal(map->size, layouts[layout].size);
    for (uint32_t address = map->base - 8; address < map->base + map->size + 8; address++) {
        struct place places[4];
        unsigned count = address % 4 || address < map->base || address >= map->base + map->size
                             ? 0
                             : places_at(revision, domains, address - map->base, places);
        for (unsigned access = R; access <= W; access++) {
            const struct place *expected = winner(places, count, access);
            struct reg_place place;
            char name[64] = "";
            bool found =
                reg_find(map, 1u << revision, instances, address, (enum reg_access)access, &place);
            if (found)
                reg_element_name(&place, name, sizeof name);
            ROW(expected ? expected->row->line : __LINE__,
                !strcmp(name, expected ? expected->name : ""),
                "revision %u, %u domains: %x leads to '%s', not '%s'", revision, domains, address,
                name, expected ? expected->name : "");
            if (!found || !expected)
                continue;
            ROW(expected->row->line, reg_address(map, &place) == address, "%s: address %x", name,
                reg_address(map, &place));
            ROW(expected->row->line, place.reg->access == expected->row->access, "%s: access %u",
                name, place.reg->access);
            uint32_t mask = access == R ? expected->row->read : expected->row->write;
            if (mask)
                mask |= more_bits(expected->row->name, revision, domains, access);
            uint32_t got = reg_mask(place.reg, 1u << revision, instances, (enum reg_access)access);
            ROW(expected->row->line, got == mask, "revision %u, %u domains: %s: bits %x, not %x",
                revision, domains, name, got, mask);
            ROW(expected->row->line,
                reg_storage(place.reg, 1u << revision, instances) ==
                    (reg_mask(place.reg, 1u << revision, instances, REG_READ) &
                     reg_mask(place.reg, 1u << revision, instances, REG_WRITE)),
                "%s: storage", name);
        }
    }
}

static void test_find(void **state)
{
    (void)state;
    each_shape(check_find);
}

/* Only SIG_STATUS[1][1][3] shares its address with another readable register (PC-D20). */
static void check_shared(unsigned revision, unsigned domains)
{
    for (uint32_t offset = 0; offset < layouts[layout_of(revision)].size; offset += 4) {
        struct place places[4];
        unsigned count = places_at(revision, domains, offset, places), readable = 0;
        for (unsigned i = 0; i < count; i++)
            readable += places[i].row->access & R;
        bool d20 = layout_of(revision) == 0 && domains == 2 && offset == 0x73c;
        ROW(__LINE__, readable <= 1u + d20, "revision %u, %u domains: %x", revision, domains,
            offset);
    }
}

static void test_shared(void **state)
{
    (void)state;
    each_shape(check_shared);
}

/* Every register of the table is in the document, and vice versa. */
static void test_names(void **state)
{
    (void)state;
    for (unsigned revision = 0; revision < REVISIONS; revision++) {
        const struct reg_map *map = pcounter_registers((enum tally_pcounter_revision)revision);
        unsigned layout = layout_of(revision);
        ROW(__LINE__, map->count == layouts[layout].count, "%s: %zu registers", map->name,
            map->count);
        for (size_t i = 0; i < map->count; i++) {
            const struct reg *reg = &map->regs[i];
            const struct expected *expected = NULL;
            for (size_t k = 0; k < layouts[layout].count; k++)
                if (!strcmp(reg->name, layouts[layout].rows[k].name) &&
                    reg->revisions >> layouts[layout].rows[k].first & 1)
                    expected = &layouts[layout].rows[k];
            if (!ROW(__LINE__, expected, "%s is not in the document", reg->name))
                continue;
            bool exists = revision >= expected->first && revision <= expected->last;
            ROW(expected->line, !!(reg->revisions >> revision & 1) == exists, "%s: revision %u",
                reg->name, revision);
            ROW(expected->line, reg->reset == 0, "%s: reset value (PC-D34)", reg->name);
            ROW(expected->line, reg->source && *reg->source && reg->meaning && *reg->meaning,
                "%s: where from?", reg->name);
            for (size_t k = 0; k < i; k++)
                ROW(expected->line,
                    strcmp(reg->name, map->regs[k].name) != 0 ||
                        !(reg->revisions & map->regs[k].revisions),
                    "%s is there twice", reg->name);
        }
    }
    ROWS_DONE();
}

/* Fields of one revision do not overlap, their names are unique, and their named values fit. */
static void check_fields(unsigned revision, unsigned domains)
{
    const struct reg_map *map = pcounter_registers((enum tally_pcounter_revision)revision);
    for (size_t i = 0; i < map->count; i++) {
        uint64_t taken = 0;
        const struct reg *reg = &map->regs[i];
        if (!(reg->revisions >> revision & 1))
            continue;
        for (const struct reg_field *field = reg->fields; field && field->name; field++) {
            uint64_t bits = ones(field->high + 1u) & ~ones(field->low);
            ROW(__LINE__, field->low <= field->high && field->high < 32, "%s.%s", reg->name,
                field->name);
            for (const struct reg_field *other = reg->fields; other < field; other++)
                ROW(__LINE__, strcmp(other->name, field->name) != 0, "%s.%s twice", reg->name,
                    field->name);
            if (!reg_field_exists(field, 1u << revision, domains))
                continue;
            ROW(__LINE__, !(taken & bits), "revision %u: %s.%s overlaps", revision, reg->name,
                field->name);
            taken |= bits;
            ROW(__LINE__, reg_field_get(field, (uint32_t)bits) == bits >> field->low,
                "%s.%s: its value", reg->name, field->name);
            ROW(__LINE__, !(field->access & ~reg->access), "%s.%s: access", reg->name, field->name);
            for (const struct reg_value *value = field->values; value && value->name; value++) {
                ROW(__LINE__, value->value <= bits >> field->low || field->low == field->high,
                    "%s.%s = %s", reg->name, field->name, value->name);
                ROW(__LINE__, reg_value_name(field, value->value) == value->name, "%s.%s = %s",
                    reg->name, field->name, value->name);
            }
            ROW(__LINE__, !reg_value_name(field, 0x1000), "%s.%s = 0x1000", reg->name, field->name);
        }
    }
}

static void test_fields(void **state)
{
    (void)state;
    each_shape(check_fields);
}

static void test_element_name(void **state)
{
    (void)state;
    const struct reg_map *map = pcounter_registers(TALLY_PCOUNTER_NV20);
    struct reg_place place;
    assert_true(reg_find(map, 1u << NV20, 2, 0xa738, REG_READ, &place));
    for (size_t size = 1; size < 30; size++) { /* truncated to the size, and always terminated */
        char text[32], whole[] = "SIG_STATUS[1][1][2]";
        memset(text, 'x', sizeof text);
        assert_ptr_equal(reg_element_name(&place, text, size), text);
        if (size < sizeof whole)
            whole[size - 1] = 0;
        assert_string_equal(text, whole);
        assert_int_equal(text[size], 'x');
    }
}

/* Two registers at one address: the first that supports the access, else the first. */
static void test_same_address(void **state)
{
    (void)state;
    static const struct reg regs[] = {
        {.name = "A", .offset = 8, .revisions = 1, .access = REG_WRITE},
        {.name = "B", .offset = 8, .revisions = 3, .access = REG_WRITE},
        {.name = "C", .offset = 4, .revisions = 3, .access = REG_READ, .dimensions = {{"i", 2, 4}}},
        {.name = "D", .offset = 16, .revisions = 3, .access = REG_READ},
        {.name = "E", .offset = 16, .revisions = 3, .access = REG_READ},
    };
    static const struct reg_map map = {"map", "none", 0x100, 0x18, regs, COUNT(regs), false};
    static const struct {
        unsigned line;
        uint32_t revision, address;
        enum reg_access access;
        const char *name;
    } rows[] = {
        {__LINE__, 1, 0x108, REG_WRITE, "A"},   {__LINE__, 2, 0x108, REG_WRITE, "B"},
        {__LINE__, 1, 0x108, REG_READ, "C[1]"}, {__LINE__, 1, 0x104, REG_WRITE, "C[0]"},
        {__LINE__, 1, 0x110, REG_READ, "D"},    {__LINE__, 1, 0x110, REG_WRITE, "D"},
        {__LINE__, 4, 0x108, REG_READ, ""},     {__LINE__, 1, 0x10c, REG_READ, ""},
        {__LINE__, 1, 0x118, REG_READ, ""},     {__LINE__, 1, 0xfc, REG_READ, ""},
        {__LINE__, 1, 0x109, REG_READ, ""},     {__LINE__, 1, UINT32_MAX - 3, REG_READ, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reg_place place;
        char name[16] = "";
        if (reg_find(&map, rows[i].revision, 8, rows[i].address, rows[i].access, &place))
            reg_element_name(&place, name, sizeof name);
        ROW(rows[i].line, !strcmp(name, rows[i].name), "%x is %s", rows[i].address, name);
    }
    ROWS_DONE();
}

/* ---- the engine matches the tables -------------------------------------------------------------
 */

/* Writes ones to each address, without a clock: writable bits read back, and nothing else changes.
 */
static void check_write(unsigned revision, unsigned domains)
{
    unsigned layout = layout_of(revision);
    uint32_t size = layout == 2 ? domains * 0x200 : 0x1000, base = layouts[layout].base;
    struct tally_pcounter *engine, *fresh;
    assert_int_equal(
        tally_pcounter_new_bare((enum tally_pcounter_revision)revision, domains, &engine, NULL), 0);
    assert_int_equal(
        tally_pcounter_new_bare((enum tally_pcounter_revision)revision, domains, &fresh, NULL), 0);
    for (uint32_t offset = 0; offset < size; offset += 4) {
        struct place places[4];
        uint32_t in_domain = layout == 2 ? offset % 0x200 : offset, expected = 0;
        const struct place *place =
            winner(places, places_at(revision, domains, in_domain, places), W);
        const char *name = place ? place->row->name : "";
        tally_pcounter_write32(engine, base + offset, WHOLE);
        uint32_t got = tally_pcounter_read32(engine, base + offset);
        if (place && place->row->access == RW) {
            uint32_t bits = place->row->write | more_bits(name, revision, domains, W);
            expected = bits & (place->row->read | more_bits(name, revision, domains, R));
        }
        if (!strcmp(name, "CTR_PRE") || !strcmp(name, "CTR_STOP"))
            expected = 0; /* a write sets the initial value (PC-D14) */
        ROW(place ? place->row->line : __LINE__, got == expected,
            "revision %u, %u domains: %x (%s) reads %x, not %x", revision, domains, base + offset,
            name, got, expected);
        bool thorough = domains == most_domains(revision);
        for (uint32_t other = 0; thorough && other < size; other += 4)
            if (other != offset && strcmp(name, "RECORD_START") != 0 &&
                strcmp(name, "CTR_CYCLES_NEXT") != 0) /* registers that others show */
                ROW(__LINE__, tally_pcounter_read32(engine, base + other) == 0,
                    "revision %u: writing %x changes %x", revision, base + offset, base + other);
        for (uint32_t unaligned = 1; unaligned < 4; unaligned++)
            ROW(__LINE__, tally_pcounter_read32(engine, base + offset + unaligned) == 0,
                "unaligned read at %x", base + offset + unaligned);
        tally_pcounter_reset(engine);
        ROW(__LINE__, tally_pcounter_read32(engine, base + offset) == 0, "%s after reset", name);
    }
    engine->mmio = fresh->mmio; /* counts of accesses are kept, as they are not hardware state */
    ROW(__LINE__, !memcmp(engine, fresh, tally_pcounter_size(fresh)), "reset is not power-on");
    tally_pcounter_free(engine), tally_pcounter_free(fresh);
}

static void test_write(void **state)
{
    (void)state;
    each_shape(check_write);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),         cmocka_unit_test(test_shared),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_element_name), cmocka_unit_test(test_same_address),
        cmocka_unit_test(test_write),        cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests_name("regs", tests, NULL, NULL);
}
