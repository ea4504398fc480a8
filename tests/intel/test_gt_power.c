/* SPDX-License-Identifier: MIT */
/* State that power-down and resets keep: OA-1.6, OA-2.7, OA-2.14, OA-D46; and the maps of gt/. */
#include "intel/tests.h"

#include <errno.h>

#include "intel/gt/gt.h"
#include "intel/gt/power.h"
#include "intel/gt/units.h"
#include "intel/registers.h"

/* ---- an embedder ----------------------------------------------------------------------------- */

#define WORDS (0x1d4000 / 4)

struct machine {
    uint32_t words[WORDS];
    uint64_t counters[GT_COUNTERS];
    unsigned outside; /* accesses outside the table */
};

static uint32_t read_word(void *context, uint32_t address)
{
    struct machine *machine = context;
    machine->outside += address >= 4 * WORDS || !gt_power_find(INTEL_LKF, address) ||
                        gt_power_find(INTEL_LKF, address)->model ||
                        gt_power_find(INTEL_LKF, address)->counter != GT_COUNTER_KINDS;
    return machine->words[address / 4 % WORDS];
}

static void write_word(void *context, uint32_t address, uint32_t value)
{
    struct machine *machine = context;
    read_word(context, address);
    machine->words[address / 4 % WORDS] = value;
}

static uint64_t count(void *context, enum gt_counter kind, unsigned index)
{
    return ((struct machine *)context)->counters[gt_counter_place(kind, index)];
}

static void set_count(void *context, enum gt_counter kind, unsigned index, uint64_t value)
{
    ((struct machine *)context)->counters[gt_counter_place(kind, index)] = value;
}

static struct machine machine, before;

static const struct gt_power_io io = {read_word, write_word, count,    set_count,
                                      &machine,  false,      INTEL_LKF};

static void fill(void)
{
    memset(&machine, 0, sizeof machine);
    for (uint32_t i = 0; i < WORDS; i++)
        machine.words[i] = 0x5a000000 | i;
    for (unsigned i = 0; i < GT_COUNTERS; i++)
        machine.counters[i] = 1000 + i;
    before = machine;
}

/* The group of the counters of a kind; NULL: none. */
static const struct gt_power_group *counter_group(unsigned kind)
{
    size_t count;
    const struct gt_power_group *groups = gt_power_groups(INTEL_LKF, &count);
    for (size_t i = 0; i < count; i++)
        if (groups[i].counter == kind)
            return &groups[i];
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A platform's groups share no register; checks how many registers RC6 saves. */
static void check_groups(enum intel_revision platform, unsigned expected)
{
    unsigned saved = 0;
    size_t count;
    const struct gt_power_group *groups = gt_power_groups(platform, &count);
    for (size_t i = 0; i < count; i++) {
        const struct gt_power_group *g = &groups[i];
        for (const struct gt_power_span *s = g->spans; s->first; s++) {
            ROW(__LINE__, s->first <= s->last && s->first % 4 == 0 && s->last % 4 == 0, "%s",
                g->name);
            for (uint32_t at = s->first; at <= s->last; at += 4)
                ROW(__LINE__,
                    gt_power_find(platform, at) == g && gt_power_find(platform, at + 3) == g,
                    "%s: %05" PRIx32 " is also another's", g->name, at);
            if (g->counter == GT_COUNTER_KINDS)
                saved += g->down == GT_RETENTION_SAVED ? (s->last - s->first) / 4 + 1 : 0;
        }
    }
    ROW(__LINE__, saved == expected && saved <= GT_POWER_REGISTERS, "%u saved registers", saved);
}

static void test_the_table(void **state)
{
    (void)state;
    /* The OA unit's, and the units of slices, subslices and L3 banks. */
    static const unsigned sizes[INTEL_REVISIONS] = {
        [INTEL_SNB] = 0,          [INTEL_IVB] = 3,       [INTEL_VLV] = 3,
        [INTEL_HSW] = 4 + 32 + 3, [INTEL_BDW] = 46 + 8,  [INTEL_CHV] = 46 + 8,
        [INTEL_SKL] = 46 + 45,    [INTEL_ICL] = 46 + 53, [INTEL_LKF] = 46 + 53,
        [INTEL_TGL] = 65 + 53,
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        check_groups((enum intel_revision)p, sizes[p]);
    unsigned place = 0;
    for (unsigned kind = 0; kind < GT_COUNTER_KINDS; kind++)
        for (unsigned i = 0; i < gt_counter_count((enum gt_counter)kind); i++, place++)
            ROW(__LINE__, gt_counter_place((enum gt_counter)kind, i) == place, "kind %u", kind);
    ROW(__LINE__, place == GT_COUNTERS, "%u counters", place);
    ROW(__LINE__, gt_counter_count(GT_COUNTER_KINDS) == 0, "no such kind");
    ROW(__LINE__, gt_counter_width(GT_COUNTER_A, 31) == 40, "A31");
    ROW(__LINE__, gt_counter_width(GT_COUNTER_A, 32) == 32, "A32");
    ROW(__LINE__, gt_counter_width(GT_COUNTER_A, 45) == 0, "A45");
    ROW(__LINE__, gt_counter_width(GT_COUNTER_TIMESTAMP, 0) == 36, "TIMESTAMP");
    ROW(__LINE__, !gt_event_name(GT_EVENTS) && gt_event_name(GT_EVENT_CHIP_RESET), "names");
    ROW(__LINE__, !strcmp(gt_retention_name(GT_RETENTION_UNSTATED), "unstated"), "names");
    ROW(__LINE__, !gt_retention_name((enum gt_retention)(GT_RETENTION_UNSTATED + 1)), "names");
    ROWS_DONE();
}

/* Fates in the order of enum gt_event: K, L, S, C, U as gt_retention_name() begins. */
static void test_retention(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address;
        const char *retention;
    } rows[] = {
        {__LINE__, 0x02800, "skkkll"},  {__LINE__, 0x028fc, "skkkll"}, /* A31_UPPER */
        {__LINE__, 0x0290c, "skkkll"},                                 /* A35 */
        {__LINE__, 0x02910, "kkkkll"},                                 /* GPU_TICKS */
        {__LINE__, 0x02914, "uuuuuu"},  {__LINE__, 0x02920, "skkkll"},
        {__LINE__, 0x0295c, "skkkll"},  {__LINE__, 0x0297c, "skkkll"},
        {__LINE__, 0x02358, "kkkkkl"}, /* TIMESTAMP */
        {__LINE__, 0x0235f, "kkkkkl"},  {__LINE__, 0x02360, "cckkll"},
        {__LINE__, 0x02364, "cckkll"},  {__LINE__, 0x02368, "uuuuuu"},
        {__LINE__, 0x023b4, "sskkll"},  {__LINE__, 0x02710, "skkkll"},
        {__LINE__, 0x0275c, "skkkll"},  {__LINE__, 0x027ac, "skkkll"},
        {__LINE__, 0x027b0, "uuuuuu"},  {__LINE__, 0x02b00, "skkkll"},
        {__LINE__, 0x02b04, "lkkkll"}, /* OA_DEBUG */
        {__LINE__, 0x02b08, "skkkll"},  {__LINE__, 0x02b14, "skkkll"},
        {__LINE__, 0x02b18, "uuuuuu"},  {__LINE__, 0x02b20, "skkkll"},
        {__LINE__, 0x0e458, "sskkll"},  {__LINE__, 0x0e65c, "sskkll"},
        {__LINE__, 0x0e758, "sskkll"},  {__LINE__, 0x0e75c, "uuuuuu"},
        {__LINE__, 0x09888, "lkkkll"},  {__LINE__, 0x0e180, "llkkll"},
        {__LINE__, 0x09140, "kkkkkk"},  {__LINE__, 0x00fdc, "kkkkll"},
        {__LINE__, 0x07010, "sskkll"},  {__LINE__, 0x0b118, "sskkll"},  /* units of slices, L3 */
        {__LINE__, 0x1c3f10, "lklkll"}, {__LINE__, 0x1d3f18, "lklkll"}, /* and of media */
        {__LINE__, 0x190010, "kkkkll"}, {__LINE__, 0x0a278, "kkkkll"},
        {__LINE__, 0, "uuuuuu"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned e = 0; e < GT_EVENTS; e++) {
            const char *name =
                gt_retention_name(gt_power_retention(INTEL_LKF, (enum gt_event)e, rows[i].address));
            ROW(rows[i].line, name[0] == rows[i].retention[e], "%s: %s",
                gt_event_name((enum gt_event)e), name);
        }
    ROWS_DONE();
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Compares all registers and counters with what a well's loss of power does; `meanwhile`: counts
 * between power-down and power-up. */
static void check_after(unsigned line, enum gt_well well, uint64_t meanwhile)
{
    for (uint32_t at = 0; at < 4 * WORDS; at += 4) {
        const struct gt_power_group *g = gt_power_find(INTEL_LKF, at);
        uint32_t was = before.words[at / 4], is = machine.words[at / 4];
        bool lost = g && !g->model && g->counter == GT_COUNTER_KINDS && g->well == well &&
                    (g->down == GT_RETENTION_LOST || g->down == GT_RETENTION_CONTEXT);
        ROW(line,
            is == (!lost          ? was
                   : at == 0x2b20 ? 0xffffffff
                                  : 0),
            "%05" PRIx32 " is %" PRIx32, at, is);
    }
    for (unsigned kind = 0; kind < GT_COUNTER_KINDS; kind++) {
        const struct gt_power_group *g = counter_group(kind);
        for (unsigned i = 0; i < gt_counter_count((enum gt_counter)kind); i++) {
            unsigned place = gt_counter_place((enum gt_counter)kind, i);
            bool saved = g->well == well && g->down == GT_RETENTION_SAVED;
            uint64_t expected = before.counters[place] + (saved ? 0 : meanwhile);
            ROW(line, machine.counters[place] == expected, "counter %u of kind %u: %" PRIu64, i,
                kind, machine.counters[place]);
        }
    }
    ROW(line, machine.outside == 0, "%u accesses outside the table", machine.outside);
}

static void test_power_down_and_up(void **state)
{
    (void)state;
    for (unsigned w = GT_WELL_GT; w < GT_WELLS; w++) {
        struct gt_power power, snapshot;
        enum gt_well well = (enum gt_well)w;
        gt_power_init(&power);
        fill();
        ROW(__LINE__, gt_power_up(&power, well, &io) == -EALREADY, "it is not down");
        ROW(__LINE__, !gt_power_down(&power, well, &io), "down");
        ROW(__LINE__, gt_power_is_down(&power, well), "well %u", w);
        ROW(__LINE__, !memcmp(&machine, &before, sizeof machine), "going down changes nothing");
        ROW(__LINE__, gt_power_down(&power, well, &io) == -EALREADY, "it is down");
        /* The blind spot; registers without power lose their values. */
        for (unsigned i = 0; i < GT_COUNTERS; i++)
            machine.counters[i] += 77;
        for (uint32_t at = 0; at < 4 * WORDS; at += 4) {
            const struct gt_power_group *g = gt_power_find(INTEL_LKF, at);
            if (g && g->well == well && g->down == GT_RETENTION_SAVED &&
                g->counter == GT_COUNTER_KINDS)
                machine.words[at / 4] = 0xdeadbeef;
        }
        snapshot = power;
        ROW(__LINE__, !gt_power_up(&snapshot, well, &io), "up");
        check_after(__LINE__, well, 77);
        for (unsigned kind = 0; kind < GT_COUNTER_KINDS; kind++) {
            const struct gt_power_group *g = counter_group(kind);
            bool saved = g->well == well && g->down == GT_RETENTION_SAVED;
            for (unsigned i = 0; i < gt_counter_count((enum gt_counter)kind); i++) {
                unsigned place = gt_counter_place((enum gt_counter)kind, i);
                /* The balance: counted = kept + blind. */
                ROW(__LINE__, snapshot.blind[place] == (saved ? 77 : 0), "%" PRIu64,
                    snapshot.blind[place]);
            }
        }
    }
    ROWS_DONE();
}

/* What a well loses is lost at once; saved registers wait for the restore. Wells are saved one by
 * one: the places of another well's registers stay. */
static void test_losing(void **state)
{
    (void)state;
    struct gt_power power;
    gt_power_init(&power);
    fill();
    gt_power_down(&power, GT_WELL_RENDER, &io);
    gt_power_lose(&power, GT_WELL_RENDER, &io);
    check_after(__LINE__, GT_WELL_RENDER, 0);
    machine.words[0xe458 / 4] = machine.words[0xb118 / 4] = 0;
    gt_power_down(&power, GT_WELL_GT, &io);
    machine.words[0x2710 / 4] = 0;
    ROW(__LINE__, !gt_power_up(&power, GT_WELL_GT, &io), "GT up");
    ROW(__LINE__, machine.words[0x2710 / 4] == before.words[0x2710 / 4], "restored");
    ROW(__LINE__, machine.words[0xe458 / 4] == 0, "render is down");
    ROW(__LINE__, !gt_power_up(&power, GT_WELL_RENDER, &io), "render up");
    ROW(__LINE__,
        machine.words[0xe458 / 4] == before.words[0xe458 / 4] &&
            machine.words[0xb118 / 4] == before.words[0xb118 / 4],
        "restored");
    ROWS_DONE();
}

/* A counter that wraps in the blind spot. */
static void test_blind_spot_wraps(void **state)
{
    (void)state;
    struct gt_power power;
    gt_power_init(&power);
    fill();
    unsigned a0 = gt_counter_place(GT_COUNTER_A, 0), b7 = gt_counter_place(GT_COUNTER_B, 7);
    machine.counters[a0] = 0xfffffffff0;
    machine.counters[b7] = 0xfffffff0;
    gt_power_down(&power, GT_WELL_GT, &io);
    machine.counters[a0] = machine.counters[b7] = 0x10;
    gt_power_up(&power, GT_WELL_GT, &io);
    ROW(__LINE__, power.blind[a0] == 0x20 && power.blind[b7] == 0x20, "blind");
    ROW(__LINE__, machine.counters[a0] == 0xfffffffff0 && machine.counters[b7] == 0xfffffff0,
        "restored");
    ROWS_DONE();
}

/* The wells of addresses: document 004 (LKF), and the force wake ranges of the public driver. */
static void test_wells(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum intel_revision revision;
        uint32_t address;
        unsigned well;
    } rows[] = {
        {__LINE__, INTEL_LKF, 0x2360, GT_WELL_RENDER},
        {__LINE__, INTEL_LKF, 0x2b00, GT_WELL_GT},
        {__LINE__, INTEL_LKF, 0x0fdc, GT_WELL_NONE},
        {__LINE__, INTEL_LKF, 0x1c8000, GT_WELL_MEDIA},
        {__LINE__, INTEL_LKF, 0x1d0000, GT_WELL_MEDIA1},
        {__LINE__, INTEL_LKF, 0x190010, GT_WELL_NONE},
        {__LINE__, INTEL_TGL, 0x2b00, GT_WELL_GT},
        {__LINE__, INTEL_TGL, 0x2a00, GT_WELL_RENDER}, /* OAR */
        {__LINE__, INTEL_SKL, 0x26ff, GT_WELL_RENDER},
        {__LINE__, INTEL_SKL, 0x2700, GT_WELL_GT},
        {__LINE__, INTEL_SKL, 0x8130, GT_WELL_MEDIA},
        {__LINE__, INTEL_SKL, 0x12000, GT_WELL_MEDIA},
        {__LINE__, INTEL_SKL, 0x14000, GT_WELL_GT},
        {__LINE__, INTEL_SKL, 0x40000, GT_WELL_NONE},
        {__LINE__, INTEL_CHV, 0x2b00, GT_WELL_RENDER},
        {__LINE__, INTEL_CHV, 0x1a000, GT_WELL_MEDIA},
        {__LINE__, INTEL_VLV, 0x2360, GT_WELL_RENDER},
        {__LINE__, INTEL_VLV, 0x22000, GT_WELL_MEDIA},
        {__LINE__, INTEL_VLV, 0x9400, GT_WELL_GT},
        {__LINE__, INTEL_HSW, 0x2360, GT_WELL_GT},
        {__LINE__, INTEL_BDW, 0x12000, GT_WELL_GT},
        {__LINE__, INTEL_SNB, 0x40000, GT_WELL_NONE},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, gt_well_at(rows[i].revision, rows[i].address) == rows[i].well, "%d",
            gt_well_at(rows[i].revision, rows[i].address));
    /* Each group is in the well of its registers, except VLV's beyond the ranges of its wells. */
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        size_t count;
        const struct gt_power_group *groups = gt_power_groups((enum intel_revision)p, &count);
        for (size_t g = 0; g < count; g++)
            for (const struct gt_power_span *s = groups[g].spans; s->first; s++)
                for (uint32_t at = s->first; at <= s->last; at += 4)
                    ROW(__LINE__,
                        p == INTEL_VLV || groups[g].well == GT_WELL_NONE ||
                            gt_well_at((enum intel_revision)p, at) == groups[g].well,
                        "%s of %s: %05" PRIx32, groups[g].name, revision_name(p), at);
    }
    ROWS_DONE();
}

/* Counters before Haswell are lost, those of VLV with render's well; later ones are saved. */
static void test_counter_groups(void **state)
{
    (void)state;
    static const unsigned kinds[] = {GT_COUNTER_A, GT_COUNTER_B, GT_COUNTER_C};
    for (unsigned p = 0; p < INTEL_HSW; p++) {
        size_t count;
        const struct gt_power_group *groups = gt_power_groups((enum intel_revision)p, &count);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            unsigned found = 0, well = p == INTEL_VLV ? GT_WELL_RENDER : GT_WELL_GT;
            for (size_t i = 0; i < count; i++)
                found += groups[i].counter == kinds[k] && groups[i].well == well &&
                         groups[i].down == GT_RETENTION_LOST;
            ROW(__LINE__, found == 1, "%s: counters %zu are in %u groups", revision_name(p), k,
                found);
        }
    }
    ROWS_DONE();
}

/* The same, of whole platforms: the ranges that a well serves, from the public i915 driver's force
 * wake tables, and at both ends of each the addresses outside. Others before Gen11 are the GT's. */
static void test_well_ranges(void **state)
{
    (void)state;
    static const struct {
        enum intel_revision revision;
        unsigned well;
        uint32_t ranges[20][2];
    } rows[] = {
        // clang-format off
        {INTEL_VLV, GT_WELL_RENDER,
         {{0x2000, 0x3fff}, {0x5000, 0x7fff}, {0xb000, 0x11fff}, {0x2e000, 0x2ffff}}},
        {INTEL_VLV, GT_WELL_MEDIA, {{0x12000, 0x13fff}, {0x22000, 0x23fff}, {0x30000, 0x3ffff}}},
        {INTEL_CHV, GT_WELL_RENDER,
         {{0x2000, 0x3fff}, {0x5200, 0x7fff}, {0x8300, 0x84ff}, {0xb000, 0xb47f}, {0xe000, 0xe7ff}}},
        {INTEL_CHV, GT_WELL_MEDIA,
         {{0x8800, 0x88ff}, {0xd000, 0xd7ff}, {0x12000, 0x13fff}, {0x1a000, 0x1bfff},
          {0x1e800, 0x1e9ff}, {0x30000, 0x37fff}}},
        {INTEL_SKL, GT_WELL_RENDER,
         {{0x2000, 0x26ff}, {0x3000, 0x3fff}, {0x5200, 0x7fff}, {0x8140, 0x815f}, {0x8300, 0x84ff},
          {0x8c00, 0x8cff}, {0xb000, 0xb47f}, {0xe000, 0xe8ff}, {0x24400, 0x247ff}}},
        {INTEL_SKL, GT_WELL_MEDIA,
         {{0x8130, 0x813f}, {0x8800, 0x89ff}, {0xd000, 0xd7ff}, {0x12000, 0x13fff},
          {0x1a000, 0x1e9ff}, {0x30000, 0x3ffff}}},
        // clang-format on
    };
    for (unsigned p = 0; p < INTEL_ICL; p++)
        for (uint32_t at = 0; at < 0x40100; at += 4) {
            unsigned well = at < 0x40000 ? GT_WELL_GT : GT_WELL_NONE;
            for (size_t i = 0; i < COUNT(rows); i++)
                for (size_t k = 0; rows[i].revision == p && rows[i].ranges[k][1]; k++)
                    if (at >= rows[i].ranges[k][0] && at <= rows[i].ranges[k][1])
                        well = rows[i].well;
            ROW(__LINE__, gt_well_at((enum intel_revision)p, at) == well,
                "%s: %05" PRIx32 " in %d, expected %u", revision_name(p), at,
                gt_well_at((enum intel_revision)p, at), well);
        }
    /* Render and its media slices, where CPD or a well's own RC6 exists. */
    static const uint8_t wells[INTEL_REVISIONS] = {
        [INTEL_VLV] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA,
        [INTEL_CHV] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA,
        [INTEL_SKL] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA,
        [INTEL_ICL] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA | 1 << GT_WELL_MEDIA1,
        [INTEL_LKF] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA | 1 << GT_WELL_MEDIA1,
        [INTEL_TGL] = 1 << GT_WELL_RENDER | 1 << GT_WELL_MEDIA | 1 << GT_WELL_MEDIA1,
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        ROW(__LINE__, gt_wells((enum intel_revision)p) == wells[p], "%s: wells %#x",
            revision_name(p), (unsigned)gt_wells((enum intel_revision)p));
    ROWS_DONE();
}

/* "DFD Configuration Restore" of the document. */
static void test_batches(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address;
        bool render, media, context;
    } rows[] = {
        {__LINE__, 0xe180, true, false, true},     {__LINE__, 0x9888, false, false, false},
        {__LINE__, 0x9840, false, false, false},   {__LINE__, 0x0d04, false, false, false},
        {__LINE__, 0xe458, true, false, true},     {__LINE__, 0x1c0800, false, true, true},
        {__LINE__, 0x1d0800, false, true, true},   {__LINE__, 0x1c4800, false, false, false},
        {__LINE__, 0x190010, false, false, false}, {__LINE__, 0x0000, false, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t at = rows[i].address;
        ROW(rows[i].line, gt_power_batch_covers(INTEL_LKF, GT_BATCH_RENDER, at) == rows[i].render,
            "render");
        ROW(rows[i].line, gt_power_batch_covers(INTEL_LKF, GT_BATCH_MEDIA, at) == rows[i].media,
            "media");
        ROW(rows[i].line, gt_power_batch_covers(INTEL_LKF, GT_BATCH_CONTEXT, at) == rows[i].context,
            "context");
        ROW(rows[i].line, !gt_power_batch_covers(INTEL_LKF, GT_BATCHES, at), "none");
    }
    ROWS_DONE();
}

/* ---- all register tables of gt/ -------------------------------------------------------------- */

static void test_maps(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t address;
        const char *map, *name; /* NULL: none */
    } rows[] = {
        {__LINE__, "lkf", 0x190010, "lkf-interrupts", "GFX_MSTR_INTR"},
        {__LINE__, "lkf", 0x1900ec, "lkf-interrupts", "GPM_WGBOXPERF_INTR_MASK"},
        {__LINE__, "skl", 0x190010, NULL, NULL},
        {__LINE__, "lkf", 0x00a548, "forcewake", "FORCEWAKE_VDBOX[2]"},
        {__LINE__, "snb", 0x00a18c, "forcewake", "FORCEWAKE"},
        {__LINE__, "ivb", 0x130040, "forcewake", "FORCEWAKE_ACK_GT"},
        {__LINE__, "hsw", 0x130040, "host", "LCPLL_CTL"},
        {__LINE__, "skl", 0x130040, NULL, NULL},
        {__LINE__, "lkf", 0x000fdc, "lkf-steering-fuses", "MGSR_STEERING"},
        {__LINE__, "lkf", 0x00913c, "lkf-steering-fuses", "FUSE_GT_SS_DIS"},
        {__LINE__, "lkf", 0x002b00, "oa-map-c", "OACONTROL"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reg_place place;
        char name[64];
        enum intel_revision platform = revision_of(rows[i].platform);
        const struct reg_map *map =
            intel_register_find(platform, rows[i].address, REG_READ, &place);
        if (!rows[i].map) {
            ROW(rows[i].line, !map, "%s has it", rows[i].platform);
            continue;
        }
        if (ROW(rows[i].line, map && !strcmp(map->name, rows[i].map), "map"))
            ROW(rows[i].line, !strcmp(reg_element_name(&place, name, sizeof name), rows[i].name),
                "%s", name);
    }
    for (size_t m = 0; m < gt_map_count; m++) {
        const struct reg_map *map = gt_maps[m];
        bool masked = !strcmp(map->name, gt_units_map.name); /* UNIT_MASKED_WRITE */
        uint32_t end = 0;
        for (size_t i = 0; i < map->count; i++) {
            uint32_t last = map->regs[i].offset;
            for (unsigned d = 0; d < REG_DIMENSIONS; d++)
                last += map->regs[i].dimensions[d].count ? (map->regs[i].dimensions[d].count - 1) *
                                                               map->regs[i].dimensions[d].stride
                                                         : 0;
            end = last + 4 > end ? last + 4 : end;
        }
        ROW(__LINE__, map->base % 4 == 0 && map->size % 4 == 0 && end <= map->size,
            "%s: %#" PRIx32 " bytes from %#" PRIx32 ", registers up to %#" PRIx32, map->name,
            map->size, map->base, end);
        for (size_t i = 0; i < map->count; i++) {
            const struct reg *reg = &map->regs[i];
            ROW(__LINE__, reg->name && reg->meaning && reg->source && reg->revisions, "%s %zu",
                map->name, i);
            ROW(__LINE__, masked || map->has_basis || !reg->flags, "%s has flags", reg->name);
            uint32_t seen[INTEL_REVISIONS] = {0};
            for (const struct reg_field *f = reg->fields; f && f->name; f++) {
                uint32_t bits = (uint32_t)ones(f->high - f->low + 1u) << f->low;
                ROW(__LINE__, f->low <= f->high && f->high < 32, "%s.%s", reg->name, f->name);
                for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
                    uint32_t here = f->revisions & INTEL_BIT(p) ? bits : 0;
                    ROW(__LINE__, !(seen[p] & here), "%s.%s overlaps", reg->name, f->name);
                    seen[p] |= here;
                }
            }
        }
    }
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        ROW(__LINE__, revision_name((enum intel_revision)p) != NULL, "no platform has %u", p);
    ROWS_DONE();
}

int test_gt_power(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table),
        cmocka_unit_test(test_retention),
        cmocka_unit_test(test_power_down_and_up),
        cmocka_unit_test(test_losing),
        cmocka_unit_test(test_wells),
        cmocka_unit_test(test_blind_spot_wraps),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_well_ranges),
        cmocka_unit_test(test_counter_groups),
        cmocka_unit_test(test_maps),
    };
    return cmocka_run_group_tests_name("gt_power", tests, NULL, NULL);
}
