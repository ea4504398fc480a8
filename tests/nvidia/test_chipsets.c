/* SPDX-License-Identifier: MIT */
/* Properties of chipsets: PCOUNTER "Introduction" and "Trailer signals", PC-C, PC-AMB-01 to
 * PC-AMB-04, PC-F.2. */
#include "nvidia/tests.h"

#include <ctype.h>

/* Section C as printed, with class letters; bases are hexadecimal, one per domain, or with the name
 * of the set's domain. */
static void test_facts_of_chipsets(void **state)
{
    (void)state;
    static const struct {
        unsigned line, order, id;
        const char *title;
        char letter;
        const char *present;
        unsigned domains, gpcs, partitions;
        const char *bases;
    } rows[] = {
        // clang-format off
        {__LINE__, 1, 0x10, "NV10", 'a', "yes", 1, 0, 0, "80"},
        {__LINE__, 2, 0x15, "NV15", 'b', "yes", 1, 0, 0, "80"},
        {__LINE__, 3, 0x1a, "NV1A", 'b', "no", 0, 0, 0, ""},
        {__LINE__, 4, 0x11, "NV11", 'b', "no", 0, 0, 0, ""},
        {__LINE__, 5, 0x17, "NV17", 'b', "no", 0, 0, 0, ""},
        {__LINE__, 6, 0x1f, "NV1F", 'b', "yes", 1, 0, 0, "80"},
        {__LINE__, 7, 0x18, "NV18", 'b', "no", 0, 0, 0, ""},
        {__LINE__, 8, 0x20, "NV20", 'c', "yes", 2, 0, 0, "a0 20"},
        {__LINE__, 9, 0x2a, "NV2A", 'c', "unverified", 2, 0, 0, ""},
        {__LINE__, 10, 0x25, "NV25", 'c', "unverified", 2, 0, 0, ""},
        {__LINE__, 11, 0x28, "NV28", 'c', "yes", 2, 0, 0, "a0 20"},
        {__LINE__, 12, 0x30, "NV30", 'd', "unverified", 2, 0, 0, ""},
        {__LINE__, 13, 0x35, "NV35", 'd', "yes", 2, 0, 0, "e0 20"},
        {__LINE__, 14, 0x31, "NV31", 'd', "yes", 2, 0, 0, "e0 20"},
        {__LINE__, 15, 0x36, "NV36", 'd', "unverified", 2, 0, 0, ""},
        {__LINE__, 16, 0x34, "NV34", 'd', "yes", 2, 0, 0, "e0 20"},
        {__LINE__, 17, 0x40, "NV40", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 18, 0x45, "NV45", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 19, 0x41, "NV41", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 20, 0x42, "NV42", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 21, 0x43, "NV43", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 22, 0x44, "NV44", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 23, 0x4a, "NV44A", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 24, 0x47, "G70", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 25, 0x49, "G71", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 26, 0x4b, "G73", 'e', "yes", 5, 0, 0, ""},
        {__LINE__, 27, 0x46, "G72", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 28, 0x4e, "C51", 'e', "no", 0, 0, 0, ""},
        {__LINE__, 29, 0x4c, "MCP61", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 30, 0x67, "MCP67", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 31, 0x68, "MCP68", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 32, 0x63, "MCP73", 'e', "yes", 4, 0, 0, ""},
        {__LINE__, 33, 0x4d, "RSX", 'e', "unverified", 5, 0, 0, ""},
        {__LINE__, 34, 0x50, "G80", 'e', "yes", 5, 0, 0, "20 e0 e0 20 20"},
        {__LINE__, 35, 0x84, "G84", 'f', "yes", 8, 0, 0, "40 e0 80 20 40 40 a0 e0"},
        {__LINE__, 36, 0x86, "G86", 'f', "yes", 8, 0, 0, "40 e0 80 20 40 40 a0 c0"},
        {__LINE__, 37, 0x92, "G92", 'g', "yes", 8, 0, 0, "40 e0 80 20 40 40 a0 e0"},
        {__LINE__, 38, 0x94, "G94", 'g', "yes", 8, 0, 0, "40 e0 80 20 40 40 a0 e0"},
        {__LINE__, 39, 0x96, "G96", 'g', "yes", 8, 0, 0, "40 e0 80 20 40 40 a0 e0"},
        {__LINE__, 40, 0x98, "G98", 'g', "yes", 8, 0, 0, "40 e0 80 20 40 60 a0 a0"},
        {__LINE__, 41, 0xa0, "G200", 'g', "yes", 8, 0, 0, "60 e0 e0 20 60 60 a0 80"},
        {__LINE__, 42, 0xaa, "MCP77", 'g', "yes", 7, 0, 0, "80 e0 e0 20 00 a0 a0"},
        {__LINE__, 43, 0xac, "MCP79", 'g', "yes", 7, 0, 0, "80 e0 e0 20 00 a0 a0"},
        {__LINE__, 44, 0xa3, "GT215", 'h', "yes", 8, 0, 0, "e0 e0 c0 20 60 60 c0 e0"},
        {__LINE__, 45, 0xa5, "GT216", 'h', "yes", 8, 0, 0, "e0 e0 c0 20 60 60 c0 e0"},
        {__LINE__, 46, 0xa8, "GT218", 'h', "yes", 8, 0, 0, "e0 e0 c0 20 60 60 c0 c0"},
        {__LINE__, 47, 0xaf, "MCP89", 'h', "yes", 8, 0, 0, "80 e0 c0 20 e0 60 e0 e0"},
        {__LINE__, 48, 0xc0, "GF100", 'i', "yes", 0, 4, 6, "GPC0 c0 PART0 40 HUB6 40"},
        {__LINE__, 49, 0xc4, "GF104", 'i', "yes", 0, 2, 4, "GPC0 c0 PART0 40"},
        {__LINE__, 50, 0xc3, "GF106", 'i', "yes", 0, 1, 3, ""},
        {__LINE__, 51, 0xce, "GF114", 'i', "yes", 0, 2, 4, "GPC0 c0 PART0 40"},
        {__LINE__, 52, 0xcf, "GF116", 'i', "yes", 0, 1, 3, "GPC0 c0 PART0 40"},
        {__LINE__, 53, 0xc1, "GF108", 'i', "yes", 0, 1, 1, "GPC0 a0 PART0 20 HUB4 40"},
        {__LINE__, 54, 0xc8, "GF110", 'i', "yes", 0, 4, 6, "GPC0 c0 PART0 40 HUB6 40"},
        {__LINE__, 55, 0xd9, "GF119", 'i', "yes", 0, 1, 1, "PART0 20 HUB4 40"},
        {__LINE__, 56, 0xd7, "GF117", 'i', "yes", 0, 1, 1, ""},
        // clang-format on
    };
    static const char *const presences[] = {"yes", "no", "unverified"};
    assert_int_equal(tally_chipset_count(), COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_chipset *chipset = tally_chipset_find(rows[i].title);
        unsigned line = rows[i].line;
        if (!ROW(line, chipset != NULL, "no chipset %s", rows[i].title))
            continue;
        char bases[64] = "";
        for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++) {
            char part[16] = "";
            int base = tally_chipset_trailer_base(chipset, domain);
            if (base >= 0)
                snprintf(part, sizeof part, "%s%s%s%02x", *bases ? " " : "",
                         domain < 8 ? "" : tally_domain_name(domain), domain < 8 ? "" : " ",
                         (unsigned)base);
            strcat(bases, part);
        }
        ROW(line, !strcmp(chipset->title, rows[i].title), "title %s", chipset->title);
        ROW(line, chipset->order == rows[i].order, "order %u", chipset->order);
        ROW(line, tally_chipset_at(rows[i].order - 1) == chipset, "not at its place");
        ROW(line, chipset->id == rows[i].id, "id %02x", chipset->id);
        ROW(line, chipset->revision == (unsigned)(rows[i].letter - 'a'), "revision %u",
            chipset->revision);
        ROW(line, !strcmp(presences[chipset->presence], rows[i].present), "presence %u",
            chipset->presence);
        ROW(line, chipset->domain_count == rows[i].domains, "%u domains", chipset->domain_count);
        ROW(line, chipset->gpcs == rows[i].gpcs && chipset->partitions == rows[i].partitions,
            "%u GPCs, %u partitions", chipset->gpcs, chipset->partitions);
        ROW(line, !strcmp(bases, rows[i].bases), "bases \"%s\"", bases);
    }
    assert_null(tally_chipset_at(COUNT(rows)));
    assert_null(tally_chipset_at(SIZE_MAX));
    ROWS_DONE();
}

static void test_every_chipset_is_complete(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    unsigned revision = 0;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        const char *name = chipset->name;
        bool sets = chipset->revision == TALLY_PCOUNTER_GF100;
        for (size_t k = 0; name[k] || chipset->title[k]; k++)
            ROW(__LINE__, name[k] == tolower((unsigned char)chipset->title[k]), "%s is not %s",
                name, chipset->title);
        ROW(__LINE__, tally_chipset_find(name) == chipset, "%s is not itself", name);
        ROW(__LINE__, chipset->remark != NULL, "%s", name);
        ROW(__LINE__, chipset->revision >= revision, "%s goes back to revision %u", name,
            chipset->revision);
        revision = chipset->revision;
        ROW(__LINE__, sets == (chipset->gpcs > 0) && sets == (chipset->partitions > 0), "%s", name);
        ROW(__LINE__,
            sets == (chipset->gpc_domains > 0) && sets == (chipset->partition_domains > 0) &&
                sets == (chipset->hub_domains > 0),
            "%s: domains of its sets", name);
        ROW(__LINE__, chipset->order == i + 1, "%s: order %u", name, chipset->order);
        ROW(__LINE__, (chipset->domain_count == 0) == (sets || chipset->presence == TALLY_ABSENT),
            "%s", name);
        for (unsigned domain = 0; domain < TALLY_PCOUNTER_DOMAINS; domain++) {
            const struct tally_domain *at = &chipset->domains[domain];
            bool counted = domain < chipset->domain_count;
            ROW(__LINE__, counted || (!at->clock && at->trailer_base == -1), "%s, domain %u", name,
                domain);
            ROW(__LINE__, at->trailer_base == -1 || (at->trailer_base & ~0xe0) == 0,
                "%s, domain %u: base %x", name, domain, (unsigned)at->trailer_base);
            ROW(__LINE__, tally_chipset_has_domain(chipset, domain) == counted, "%s, domain %u",
                name, domain);
        }
        for (unsigned domain = TALLY_PCOUNTER_DOMAINS; domain < TALLY_DOMAINS + 8; domain++)
            ROW(__LINE__,
                tally_chipset_has_domain(chipset, domain) == (sets && domain < TALLY_DOMAINS),
                "%s, domain %u", name, domain);
        for (size_t k = 0; k < i; k++)
            ROW(__LINE__, tally_chipset_at(k)->id != chipset->id, "%s has the id of %s", name,
                tally_chipset_at(k)->name);
    }
    ROWS_DONE();
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name, *found;
    } rows[] = {
        {__LINE__, "g92", "g92"},     {__LINE__, "G92", "g92"},     {__LINE__, "nV1A", "nv1a"},
        {__LINE__, "gf100", "gf100"}, {__LINE__, "0x92", NULL},     {__LINE__, "92", NULL},
        {__LINE__, "", NULL},         {__LINE__, "g9", NULL},       {__LINE__, "g920", NULL},
        {__LINE__, " g92", NULL},     {__LINE__, "g92 ", NULL},     {__LINE__, "gk104", NULL},
        {__LINE__, "nv44", "nv44"},   {__LINE__, "NV44A", "nv44a"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_chipset *chipset = tally_chipset_find(rows[i].name);
        ROW(rows[i].line, !chipset == !rows[i].found, "found %s", chipset ? chipset->name : "none");
        if (chipset && rows[i].found)
            ROW(rows[i].line, !strcmp(chipset->name, rows[i].found), "found %s", chipset->name);
    }
    ROWS_DONE();
}

/* PC-AMB-02: ranges follow the canonical order, not the ids. PC-AMB-03: G80 has NV40's revision. */
static void test_revisions_are_not_in_the_order_of_ids(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        enum tally_pcounter_revision revision;
    } rows[] = {
        {__LINE__, "mcp77", TALLY_PCOUNTER_G92}, /* AAh, above GT215's A3h: no USER_TRIGGER */
        {__LINE__, "mcp79", TALLY_PCOUNTER_G92},
        {__LINE__, "gt215", TALLY_PCOUNTER_GT215},
        {__LINE__, "gt218", TALLY_PCOUNTER_GT215},
        {__LINE__, "g200", TALLY_PCOUNTER_G92},
        {__LINE__, "g80", TALLY_PCOUNTER_NV40},
        {__LINE__, "mcp67", TALLY_PCOUNTER_NV40}, /* 67h */
        {__LINE__, "nv1f", TALLY_PCOUNTER_NV15},
        {__LINE__, "nv28", TALLY_PCOUNTER_NV20},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, tally_chipset_find(rows[i].name)->revision == rows[i].revision,
            "%s: revision %u", rows[i].name, tally_chipset_find(rows[i].name)->revision);
    const struct tally_chipset *mcp77 = tally_chipset_find("mcp77"),
                               *gt215 = tally_chipset_find("gt215");
    ROW(__LINE__, mcp77->id == 0xaa && mcp77->id > gt215->id && mcp77->order < gt215->order, "ids");
    ROW(__LINE__, tally_chipset_find("nv35")->order < tally_chipset_find("nv31")->order, "NV35");
    ROWS_DONE();
}

static void test_names_of_revisions(void **state)
{
    (void)state;
    assert_string_equal(tally_pcounter_revision_name(TALLY_PCOUNTER_NV10), "NV10:NV15");
    assert_string_equal(tally_pcounter_revision_name(TALLY_PCOUNTER_NV40), "NV40:G84");
    assert_string_equal(tally_pcounter_revision_name(TALLY_PCOUNTER_G92), "G92:GT215");
    assert_string_equal(tally_pcounter_revision_name(TALLY_PCOUNTER_GF100), "GF100-");
    assert_null(tally_pcounter_revision_name(TALLY_PCOUNTER_REVISIONS));
    /* Each is named after its first chipset. */
    for (unsigned i = 0; i < TALLY_PCOUNTER_REVISIONS; i++) {
        const char *text = tally_pcounter_revision_name((enum tally_pcounter_revision)i);
        char first[8] = "";
        snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ":-"), text);
        const struct tally_chipset *chipset = tally_chipset_find(first);
        ROW(__LINE__,
            chipset && chipset->revision == i &&
                (chipset->order == 1 || tally_chipset_at(chipset->order - 2u)->revision == i - 1),
            "%s", first);
    }
    ROWS_DONE();
}

/* F.2: the boot register, in both byte orders. */
static void test_boot_values(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t boot0;
        const char *name;
    } rows[] = {
        {__LINE__, 0x092000a2, "g92"},   {__LINE__, 0xa2002009, "g92"},
        {__LINE__, 0x0a3080b1, "gt215"}, {__LINE__, 0xb180300a, "gt215"},
        {__LINE__, 0x0aa080a1, "mcp77"}, {__LINE__, 0x0c0000a3, "gf100"},
        {__LINE__, 0x050000a0, "g80"},   {__LINE__, 0x010000a1, "nv10"},
        {__LINE__, 0x020200a5, "nv20"},  {__LINE__, 0x04e000a2, "c51"},
        {__LINE__, 0x0d9100a1, "gf119"}, {__LINE__, 0xa100100d, NULL}, /* no GPU has 00h */
        {__LINE__, 0xffffffff, NULL},    {__LINE__, 0, NULL},
        {__LINE__, 0x20044001, NULL}, /* before NV10 */
        {__LINE__, 0x0e4000a1, NULL}, /* GK104 */
        {__LINE__, 0x192000a2, NULL}, /* bit 28 belongs to the id */
        {__LINE__, 0x09200022, NULL}, /* bit 7 is set in every stepping */
        {__LINE__, 0x092001a2, NULL}, /* bits 11:8 are not */
        {__LINE__, 0xbad00100, NULL},    {__LINE__, 0xbadf1000, NULL},
        {__LINE__, 0xbadf3000, NULL},    {__LINE__, 0xbad0da80, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_chipset *chipset = tally_chipset_from_boot0(rows[i].boot0);
        ROW(rows[i].line, chipset == (rows[i].name ? tally_chipset_find(rows[i].name) : NULL),
            "%08x is %s", rows[i].boot0, chipset ? chipset->name : "none");
    }
    /* Each chipset with every stepping and with device id bits, in both byte orders. */
    struct random rng = random_start(12);
    const struct tally_chipset *chipset;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        for (uint32_t stepping = 0xa0; stepping < 0xc0; stepping++) {
            uint32_t value =
                (uint32_t)chipset->id << 20 | (uint32_t)random_below(&rng, 256) << 12 | stepping;
            uint32_t swapped =
                value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
            ROW(__LINE__, tally_chipset_from_boot0(value) == chipset, "%08x", value);
            ROW(__LINE__, tally_chipset_from_boot0(swapped) == chipset, "%08x", swapped);
        }
    }
    ROWS_DONE();
}

static void test_names_of_domains(void **state)
{
    (void)state;
    for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++)
        ROW(__LINE__, tally_domain_find(tally_domain_name(domain)) == (int)domain, "%u", domain);
    assert_null(tally_domain_name(TALLY_DOMAINS));
    assert_null(tally_domain_name(UINT32_MAX));
    assert_string_equal(tally_domain_name(TALLY_DOMAIN(TALLY_SET_HUB, 6)), "HUB6");
    static const struct {
        unsigned line;
        const char *name;
        int domain;
    } rows[] = {
        {__LINE__, "0", 0},          {__LINE__, "7", 7},         {__LINE__, "8", -ENOENT},
        {__LINE__, "gpc0", 8},       {__LINE__, "Part1", 17},    {__LINE__, "HUB7", 31},
        {__LINE__, "HUB8", -ENOENT}, {__LINE__, "HUB", -ENOENT}, {__LINE__, "", -ENOENT},
        {__LINE__, "07", -ENOENT},   {__LINE__, "-1", -ENOENT},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, tally_domain_find(rows[i].name) == rows[i].domain, "%s: %d", rows[i].name,
            tally_domain_find(rows[i].name));
    ROWS_DONE();
}

int test_chipsets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_of_chipsets),
        cmocka_unit_test(test_every_chipset_is_complete),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_revisions_are_not_in_the_order_of_ids),
        cmocka_unit_test(test_names_of_revisions),
        cmocka_unit_test(test_boot_values),
        cmocka_unit_test(test_names_of_domains),
    };
    return cmocka_run_group_tests_name("chipsets", tests, NULL, NULL);
}
