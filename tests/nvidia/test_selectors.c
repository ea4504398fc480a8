/* SPDX-License-Identifier: MIT */
/* The table of selector registers: consistent, and as the published table has them. */
#include "nvidia/tests.h"

#include "nvidia/selectors.h"

/* A chipset has one register of a name, and one name of a register. */
static void test_rows(void **state)
{
    (void)state;
    const struct nvidia_selector *selector, *other;
    const struct tally_chipset *chipset;
    for (size_t i = 0; (selector = nvidia_selector_at(i)); i++) {
        ROW((unsigned)i, tally_chipset_find(selector->first), "%s: %s", selector->name,
            selector->first);
        ROW((unsigned)i, !*selector->end || tally_chipset_find(selector->end), "%s: %s",
            selector->name, selector->end);
        ROW((unsigned)i, selector->mask && !(selector->mask & selector->enable) && *selector->unit,
            "%s: mask %08x, enable %08x", selector->name, selector->mask, selector->enable);
        size_t chipsets = 0;
        for (size_t c = 0; (chipset = tally_chipset_at(c)); c++) {
            if (!nvidia_selector_has(selector, chipset))
                continue;
            chipsets++;
            ROW((unsigned)i, nvidia_selector_find(chipset, selector->name) == selector, "%s of %s",
                selector->name, chipset->name);
            for (size_t k = 0; (other = nvidia_selector_at(k)); k++)
                ROW((unsigned)i,
                    k == i || !nvidia_selector_has(other, chipset) ||
                        other->address != selector->address,
                    "%s and %s of %s", selector->name, other->name, chipset->name);
        }
        ROW((unsigned)i, chipsets > 0, "%s has no chipset", selector->name);
    }
    ROWS_DONE();
}

static void test_find(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *chipset, *name;
        uint32_t address; /* 0: none */
    } rows[] = {
        {__LINE__, "g80", "PROP", 0x40be50},
        {__LINE__, "g98", "prop", 0x408e50},
        {__LINE__, "g200", "PROP", 0x408750},
        {__LINE__, "mcp89", "PROP", 0x408750},
        {__LINE__, "gf100", "PROP", 0},
        {__LINE__, "nv40", "PROP", 0},
        {__LINE__, "g80", "TEX.FB", 0},
        {__LINE__, "gf116", "PBFB", 0x10f100},
        {__LINE__, "gf108", "PBFB", 0x110100},
        {__LINE__, "gf110", "PBFB", 0x10f100},
        {__LINE__, "gf117", "PBFB", 0x110100},
        {__LINE__, "gf110", "PMFB.SUBP", 0},
        {__LINE__, "gf119", "PMFB.SUBP", 0x14125c},
        {__LINE__, "g92", "", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct nvidia_selector *selector =
            nvidia_selector_find(tally_chipset_find(rows[i].chipset), rows[i].name);
        uint32_t address = selector ? selector->address : 0;
        ROW(rows[i].line, address == rows[i].address, "%s of %s is %06x", rows[i].name,
            rows[i].chipset, address);
    }
    ROWS_DONE();
}

/* Returns the chipset that a group of nouveau's sources is of. */
static const struct tally_chipset *chipset_of(const char *group)
{
    static const char *const names[][2] = {
        {"nv50_", "g80"},    {"g84_", "g84"},     {"gt200_", "g200"},
        {"gt215_", "gt215"}, {"gf100_", "gf100"}, {"gf117_", "gf119"},
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strncmp(group, names[i][0], strlen(names[i][0])))
            return tally_chipset_find(names[i][1]);
    return NULL; /* Kepler */
}

/* The fields of nouveau's table are in the masks of the registers. */
static void test_published_fields(void **state)
{
    (void)state;
    char path[1024], line[512];
    unsigned number = 1, checked = 0;
    NEEDS_SHARED(path, "data/pcounter-signals/mux-sources.csv");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char group[64], source[128], enable[16];
        uint32_t address, mask;
        unsigned shift;
        number++;
        assert_int_equal(sscanf(line, "%63[^,],%127[^,],%x,%x,%u,%15[^,\n]", group, source,
                                &address, &mask, &shift, enable),
                         6);
        const struct tally_chipset *chipset = chipset_of(group);
        const struct nvidia_selector *selector, *found = NULL;
        for (size_t i = 0; chipset && (selector = nvidia_selector_at(i)); i++)
            if (selector->address == address && nvidia_selector_has(selector, chipset))
                found = selector;
        if (!chipset || !ROW(number, found != NULL, "%s of %s", source, chipset->name))
            continue;
        checked++;
        ROW(number, !(mask << shift & ~found->mask), "%s: %08x is not in %08x", source,
            mask << shift, found->mask);
        ROW(number, found->enable == (!strcmp(enable, "bit31") ? 1u << 31 : 0), "%s: enable %08x",
            source, found->enable);
    }
    fclose(file);
    assert_int_equal(checked, 34); /* all but those of Kepler */
    ROWS_DONE();
}

int test_selectors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_published_fields),
    };
    return cmocka_run_group_tests_name("selectors", tests, NULL, NULL);
}
