/* SPDX-License-Identifier: MIT */
/* Signals by position and by name: PCOUNTER "The PCOUNTER signals", PC-AMB-14 to PC-AMB-18,
 * PC-AMB-39. */
#include "nvidia/tests.h"

static void test_find(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *chipset, *domain, *name;
        int result;
    } rows[] = {
        // clang-format off
        /* units */
        {__LINE__, "nv10",  "0", "PGRAPH.PM_TRIGGER",     0x70}, /* PC-AMB-15: not in the trailer */
        {__LINE__, "nv15",  "0", "PTIMER_TIME_B12",       0x87},
        {__LINE__, "nv1f",  "0", "HEAD1_VBLANK",          0x87},
        {__LINE__, "nv20",  "0", "HEAD0_VBLANK",          0xaa},
        {__LINE__, "nv34",  "0", "HEAD1_VBLANK",          0xdb},
        {__LINE__, "nv31",  "0", "HEAD1_VBLANK",          0xf9},
        {__LINE__, "nv28",  "1", "HEAD0_VBLANK",          -ENOENT}, /* a signal of another domain */
        {__LINE__, "g80",   "0", "host_mem_rd",           0x1a},
        {__LINE__, "g80",   "2", "ZROP.MUX[1]",           0x6d}, /* published twice, once as ??? */
        {__LINE__, "g92",   "1", "PGRAPH.IDLE",           -1},   /* somewhere */
        {__LINE__, "gt215", "0", "PCOUNTER.USER[0]",      0x2a},
        {__LINE__, "gt215", "0", "PCOUNTER.USER[1]",      0x2b},
        {__LINE__, "gf100", "HUB6", "DISPATCH.MUX[5]",    0x06},
        {__LINE__, "gf100", "PART1", "crop.mux_a[15]",    0x0f},
        {__LINE__, "gf100", "GPC0", "GPC.UNK600.MUX",     0x6a}, /* one, not a group */
        {__LINE__, "gf116", "HUB2", "PDAEMON PM_SEL_0",   0x2c},
        {__LINE__, "gf116", "HUB2", "PDAEMON PM_SEL_2,3[1]", 0x15},
        /* groups */
        {__LINE__, "g80",   "1", "VFETCH.MUX[0]",         0x26},
        {__LINE__, "g80",   "1", "VFETCH.MUX[25]",        0x3f},
        {__LINE__, "g80",   "1", "VFETCH.MUX[26]",        -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX[]",          -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX[-1]",        -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX[0x1]",       -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX[4294967296]", -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX[1",          -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MU[1]",          -ENOENT},
        {__LINE__, "g80",   "1", "[1]",                   -ENOENT},
        {__LINE__, "g80",   "1", "]",                     -ENOENT},
        {__LINE__, "g80",   "1", "VFETCH.MUX",            -ENOTUNIQ},
        {__LINE__, "gf116", "HUB3", "PM_SEL_2,3",         -ENOTUNIQ}, /* two groups */
        {__LINE__, "gf116", "HUB3", "PM_SEL_2,3[0]",      -ENOTUNIQ},
        {__LINE__, "gf116", "HUB3", "PM_SEL_2,3[2]",      -ENOENT},
        {__LINE__, "g80",   "1", "PGRAPH.IDLE[0]",        -ENOENT}, /* no group */
        /* aliases */
        {__LINE__, "g80",   "1", "pc01_vfetch_19",        0x3f},
        {__LINE__, "g80",   "1", "PC01_VFETCH_0A",        0x30},
        {__LINE__, "g80",   "1", "pc01_zcull_02",         0x22}, /* of a ??? */
        {__LINE__, "g80",   "2", "pc02_tex_05",           0x41},
        {__LINE__, "gf100", "GPC0", "gpc00_l1_04",        0x05},
        {__LINE__, "gf100", "GPC0", "gpc00_unk400_00",    0x26},
        {__LINE__, "mcp77", "1", "pc01_vfetch_00",        -ENOENT}, /* index wrong for this chip */
        {__LINE__, "mcp89", "1", "pc01_vfetch_00",        -ENOENT},
        {__LINE__, "g80",   "1", "",                      -ENOENT},
        /* unknown meaning */
        {__LINE__, "g80",   "0", "???",                   -ENOENT},
        {__LINE__, "g80",   "1", "ZCULL.???",             -ENOENT},
        {__LINE__, "g80",   "1", "ZCULL.???[0]",          -ENOENT},
        {__LINE__, "gf100", "GPC0", "PCOUNTER.MAIN.???",  -ENOENT},
        /* trailers */
        {__LINE__, "nv10",  "0", "PCOUNTER.FLAG",         0x9f}, /* PC-AMB-16 */
        {__LINE__, "nv1f",  "0", "PCOUNTER.DOM[0].FLAG",  -ENOENT},
        {__LINE__, "nv20",  "0", "PGRAPH.PM_TRIGGER",     0xbd},
        {__LINE__, "nv20",  "1", "PCOUNTER.DOM[1].FLAG",  0x3e},
        {__LINE__, "nv35",  "0", "pcounter.dom[0].flag",  0xff},
        {__LINE__, "g80",   "3", "ZERO",                  0x2e}, /* PC-AMB-18 */
        {__LINE__, "g80",   "3", "PCOUNTER.PERIODIC",     -ENOENT}, /* PC-AMB-03 */
        {__LINE__, "g84",   "7", "ZERO",                  0xec},
        {__LINE__, "g86",   "7", "PCOUNTER.PERIODIC",     0xcd},
        {__LINE__, "g92",   "2", "PGRAPH.WRCACHE_FLUSH",  0x8e},
        {__LINE__, "g92",   "5", "PGRAPH.PM_TRIGGER",     0x4f},
        {__LINE__, "mcp77", "4", "ZERO",                  0x0c},
        {__LINE__, "mcp77", "4", "PCOUNTER.DOM[7].EVENT", 0x10},
        {__LINE__, "gt218", "7", "PCOUNTER.DOM[3].FLAG",  0xdc},
        {__LINE__, "gf100", "GPC0", "PCOUNTER.USER_0",    0xe7}, /* base c0 + 27 */
        {__LINE__, "gf108", "GPC0", "PCOUNTER.USER_0",    0xc7},
        {__LINE__, "gf100", "GPC0", "PGRAPH.PM_TRIGGER",  0xed}, /* PC-AMB-17, by alias */
        {__LINE__, "gf108", "PART0", "ZERO",              0x4f},
        {__LINE__, "gf119", "HUB4", "PCOUNTER.DOM[0].EVENT", 0x77},
        {__LINE__, "gf104", "PART0", "PCOUNTER.PAUSED",   0x6c},
        /* unpublished bases */
        {__LINE__, "nv40",  "1", "ZERO",                  -ENODATA},
        {__LINE__, "nv2a",  "0", "PGRAPH.PM_TRIGGER",     -ENODATA},
        {__LINE__, "nv40",  "1", "PCOUNTER.PERIODIC",     -ENOENT},
        {__LINE__, "gf106", "GPC0", "PCOUNTER.USER_3",    -ENODATA},
        {__LINE__, "gf100", "HUB2", "ZERO",               -ENODATA},
        {__LINE__, "gf100", "HUB2", "CTXCTL.USER[0]",     0x22},
        /* absent domains */
        {__LINE__, "nv10",  "1", "PCOUNTER.FLAG",         -EINVAL},
        {__LINE__, "g80",   "5", "ZERO",                  -EINVAL},
        {__LINE__, "mcp77", "7", "ZERO",                  -EINVAL},
        {__LINE__, "g92",   "GPC0", "ZERO",               -EINVAL},
        {__LINE__, "gf100", "0", "ZERO",                  -EINVAL},
        {__LINE__, "nv11",  "0", "PCOUNTER.FLAG",         -EINVAL},
        {__LINE__, "c51",   "0", "ZERO",                  -EINVAL},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int domain = tally_domain_find(rows[i].domain);
        int result =
            tally_signal_find(tally_chipset_find(rows[i].chipset), (unsigned)domain, rows[i].name);
        ROW(rows[i].line, rows[i].result == -1 ? result >= 0 : result == rows[i].result,
            "%s, domain %s, %s: %d", rows[i].chipset, rows[i].domain, rows[i].name, result);
    }
    ROW(__LINE__, tally_signal_find(tally_chipset_find("gf100"), TALLY_DOMAINS, "ZERO") == -EINVAL,
        "32");
    ROW(__LINE__, tally_signal_find(tally_chipset_find("g92"), UINT32_MAX, "ZERO") == -EINVAL,
        "no domain");
    ROWS_DONE();
}

/* Returns the expected result of find() for a listed signal, given how many have its name. */
static int expected_result(const struct tally_chipset *chipset, const struct tally_signal *signal)
{
    struct tally_signal other;
    unsigned same = 0;
    unsigned element = (unsigned)(signal->index - signal->group_first);
    for (size_t i = 0; tally_signal_at(chipset, i, &other) == 0; i++)
        same +=
            other.domain == signal->domain && !strcmp(other.name, signal->name) &&
            (unsigned)(other.index - other.group_first) == element &&
            (other.group_last > other.group_first) == (signal->group_last > signal->group_first);
    if (strstr(signal->name, "???"))
        return -ENOENT;
    return same > 1 ? -ENOTUNIQ : signal->index;
}

/* Each listed signal is within its domain, and is found by name and alias. */
static void test_every_signal(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    for (size_t c = 0; (chipset = tally_chipset_at(c)); c++) {
        struct tally_signal signal, before = {0};
        size_t i = 0, units = 0;
        for (; tally_signal_at(chipset, i, &signal) == 0; before = signal, i++) {
            char name[128];
            int base = tally_chipset_trailer_base(chipset, signal.domain);
            bool group = signal.group_last > signal.group_first;
            bool sets = chipset->revision == TALLY_PCOUNTER_GF100;
            snprintf(name, sizeof name, group ? "%s[%d]" : "%s", signal.name,
                     signal.index - signal.group_first);
            units += !signal.trailer;
            ROW(__LINE__, tally_chipset_has_domain(chipset, signal.domain), "%s: %u", chipset->name,
                signal.domain);
            ROW(__LINE__, !i || signal.domain >= before.domain, "%s, %s: order", chipset->name,
                name);
            ROW(__LINE__, signal.index >= signal.group_first && signal.index <= signal.group_last,
                "%s, %s: group", chipset->name, name);
            ROW(__LINE__, base < 0 || signal.index < base + (sets ? 0x40 : 0x20),
                "%s, %s: past the last signal", chipset->name, name);
            ROW(__LINE__, *signal.name && signal.alias && signal.note, "%s, %s", chipset->name,
                name);
            int expected = expected_result(chipset, &signal);
            int result = tally_signal_find(chipset, signal.domain, name);
            ROW(__LINE__, result == expected, "%s, domain %u, %s: %d, expected %d", chipset->name,
                signal.domain, name, result, expected);
            if (*signal.alias)
                ROW(__LINE__,
                    tally_signal_find(chipset, signal.domain, signal.alias) == signal.index,
                    "%s, %s", chipset->name, signal.alias);
        }
        ROW(__LINE__, tally_signal_count(chipset) == i, "%s: %zu, listed %zu", chipset->name,
            tally_signal_count(chipset), i);
        ROW(__LINE__, tally_signal_unit_count(chipset) == units, "%s: %zu, listed %zu",
            chipset->name, tally_signal_unit_count(chipset), units);
        before = signal;
        ROW(__LINE__,
            tally_signal_at(chipset, i, &signal) == -ENOENT &&
                tally_signal_at(chipset, SIZE_MAX, &signal) == -ENOENT &&
                !memcmp(&before, &signal, sizeof signal),
            "%s: past the end", chipset->name);
    }
    ROWS_DONE();
}

/* No unit's signal overlaps the trailer, and an index has one meaning, except for a known twin. */
static void test_indices_are_used_once(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    for (size_t c = 0; (chipset = tally_chipset_at(c)); c++) {
        static unsigned char seen[TALLY_DOMAINS][256];
        struct tally_signal signal;
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++) {
            unsigned times = ++seen[signal.domain][signal.index];
            bool twin = !strcmp(chipset->name, "g80") && signal.domain == 2 && signal.index == 0x6d;
            ROW(__LINE__, times <= 1u + twin, "%s, domain %u, index %02x: %s", chipset->name,
                signal.domain, signal.index, signal.name);
        }
    }
    ROWS_DONE();
}

static void test_how_many_units_have_signals(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *chipset;
        size_t units, all;
    } rows[] = {
        {__LINE__, "nv10", 2, 3},      {__LINE__, "nv11", 0, 0},      {__LINE__, "nv20", 1, 7},
        {__LINE__, "nv2a", 0, 0},      {__LINE__, "nv40", 0, 0},      {__LINE__, "c51", 0, 0},
        {__LINE__, "g80", 188, 278},   {__LINE__, "g92", 200, 360},   {__LINE__, "mcp77", 234, 374},
        {__LINE__, "gt216", 398, 558}, {__LINE__, "gf100", 219, 318}, {__LINE__, "gf104", 83, 149},
        {__LINE__, "gf106", 83, 83},   {__LINE__, "gf116", 175, 241}, {__LINE__, "gf117", 66, 66},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_chipset *chipset = tally_chipset_find(rows[i].chipset);
        ROW(rows[i].line,
            tally_signal_unit_count(chipset) == rows[i].units &&
                tally_signal_count(chipset) == rows[i].all,
            "%s: %zu and %zu", rows[i].chipset, tally_signal_unit_count(chipset),
            tally_signal_count(chipset));
    }
    ROWS_DONE();
}

static void test_trailers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum tally_pcounter_revision revision;
        size_t count;
        unsigned first, last;
    } rows[] = {
        {__LINE__, TALLY_PCOUNTER_NV10, 1, 0x1f, 0x1f},
        {__LINE__, TALLY_PCOUNTER_NV15, 1, 0x1f, 0x1f},
        {__LINE__, TALLY_PCOUNTER_NV20, 3, 0x1d, 0x1f},
        {__LINE__, TALLY_PCOUNTER_NV30, 3, 0x1d, 0x1f},
        {__LINE__, TALLY_PCOUNTER_NV40, 18, 0x0e, 0x1f},
        {__LINE__, TALLY_PCOUNTER_G84, 20, 0x0c, 0x1f},
        {__LINE__, TALLY_PCOUNTER_G92, 20, 0x0c, 0x1f},
        {__LINE__, TALLY_PCOUNTER_GT215, 20, 0x0c, 0x1f},
        {__LINE__, TALLY_PCOUNTER_GF100, 33, 0x1f, 0x3f},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_trailer *at;
        size_t count = 0;
        for (; (at = tally_trailer_at(rows[i].revision, count)); count++)
            ROW(rows[i].line, at->offset == rows[i].first + count, "offset %02x", at->offset);
        ROW(rows[i].line, count == rows[i].count, "%zu signals", count);
        ROW(rows[i].line,
            count && tally_trailer_at(rows[i].revision, count - 1)->offset == rows[i].last,
            "last offset");
    }
    assert_null(tally_trailer_at(TALLY_PCOUNTER_REVISIONS, 0));
    assert_null(tally_trailer_at(TALLY_PCOUNTER_NV10, SIZE_MAX));
    ROWS_DONE();
}

int test_signals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_every_signal),
        cmocka_unit_test(test_indices_are_used_once),
        cmocka_unit_test(test_how_many_units_have_signals),
        cmocka_unit_test(test_trailers),
    };
    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
