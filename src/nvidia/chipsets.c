/* SPDX-License-Identifier: MIT */
/* NVIDIA's chipsets from NV10 to GF117: PC-C. */
#include <tally/chipset.h>

#include <stdbool.h>
#include <strings.h>

#include "base/bits.h"

#define UNKNOWN (-1)
// clang-format off

/* Domains and their clocks, in families; arguments are trailer bases. */
#define NO_DOMAIN       { NULL, UNKNOWN }
#define NO_DOMAINS      0, { NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define CORE(a)         1, { { "nvclk", a }, \
    NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define CORE_MEMORY(a, b) 2, { { "nvclk", a }, { "mclk", b }, \
    NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define NV40_LARGE      5, { { "host clock", UNKNOWN }, { "core clock [PGRAPH front]", UNKNOWN }, \
    { "geometry clock [PGRAPH back] (?)", UNKNOWN }, { "shader clock", UNKNOWN }, { "memory clock", UNKNOWN }, \
    NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define NV40_TURBOCACHE 4, { { "host clock", UNKNOWN }, { "core clock [PGRAPH front]", UNKNOWN }, \
    { "shader clock", UNKNOWN }, { "memory clock", UNKNOWN }, \
    NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define NV40_IGP        4, { { "host clock", UNKNOWN }, { "core clock [PGRAPH ?]", UNKNOWN }, \
    { "core clock [shaders ?]", UNKNOWN }, { NULL, UNKNOWN }, \
    NO_DOMAIN, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define G80_DOMAINS(a, b, c, d, e) 5, { { "Host clock", a }, { "Core clock A", b }, { "Core clock B", c }, \
    { "Shader clock", d }, { "Memory clock", e }, NO_DOMAIN, NO_DOMAIN, NO_DOMAIN }
#define G84_DOMAINS(a, b, c, d, e, f, g, h) 8, { { "Host clock", a }, { "Core clock A", b }, \
    { "Core clock B", c }, { "Shader clock", d }, { "Memory clock", e }, { "Core clock C", f }, \
    { "Vdec clock", g }, { "Core clock D", h } }
#define MCP77_DOMAINS(a, b, c, d, e, f, g) 7, { { "Host clock", a }, { "Core clock A", b }, \
    { "Core clock B", c }, { "Shader clock", d }, { "Core clock C", e }, { "Vdec clock", f }, \
    { "Core clock D", g }, NO_DOMAIN }

/* What a row ends with: the only set's domains, or what is known of the sets of GF100 on. */
#define ONE_SET         0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
#define SETS(gpcs, partitions, gpc0, part0, hub, hub_base) NO_DOMAINS, gpcs, partitions, gpc0, part0, hub, hub_base

#define YES             TALLY_PRESENT
#define NO              TALLY_ABSENT
#define MAYBE           TALLY_UNVERIFIED
#define CLASS(first)    TALLY_PCOUNTER_##first

static const struct tally_chipset chipsets[] = {
/*    name     title    remark                                id    ord  revision      there  domains, by trailer base */
    { "nv10",  "NV10",  "",                                   0x10,  1, CLASS(NV10),  YES,   CORE(0x80), ONE_SET },
    { "nv15",  "NV15",  "",                                   0x15,  2, CLASS(NV15),  YES,   CORE(0x80), ONE_SET },
    { "nv1a",  "NV1A",  "IGP",                                0x1a,  3, CLASS(NV15),  NO,    NO_DOMAINS, ONE_SET },
    { "nv11",  "NV11",  "",                                   0x11,  4, CLASS(NV15),  NO,    NO_DOMAINS, ONE_SET },
    { "nv17",  "NV17",  "",                                   0x17,  5, CLASS(NV15),  NO,    NO_DOMAINS, ONE_SET },
    { "nv1f",  "NV1F",  "",                                   0x1f,  6, CLASS(NV15),  YES,   CORE(0x80), ONE_SET },
    { "nv18",  "NV18",  "",                                   0x18,  7, CLASS(NV15),  NO,    NO_DOMAINS, ONE_SET },
    { "nv20",  "NV20",  "",                                   0x20,  8, CLASS(NV20),  YES,   CORE_MEMORY(0xa0, 0x20), ONE_SET },
    { "nv2a",  "NV2A",  "Xbox",                               0x2a,  9, CLASS(NV20),  MAYBE, CORE_MEMORY(UNKNOWN, UNKNOWN), ONE_SET },
    { "nv25",  "NV25",  "probably as NV28",                   0x25, 10, CLASS(NV20),  MAYBE, CORE_MEMORY(UNKNOWN, UNKNOWN), ONE_SET },
    { "nv28",  "NV28",  "",                                   0x28, 11, CLASS(NV20),  YES,   CORE_MEMORY(0xa0, 0x20), ONE_SET },
    { "nv30",  "NV30",  "",                                   0x30, 12, CLASS(NV30),  MAYBE, CORE_MEMORY(UNKNOWN, UNKNOWN), ONE_SET },
    { "nv35",  "NV35",  "",                                   0x35, 13, CLASS(NV30),  YES,   CORE_MEMORY(0xe0, 0x20), ONE_SET },
    { "nv31",  "NV31",  "",                                   0x31, 14, CLASS(NV30),  YES,   CORE_MEMORY(0xe0, 0x20), ONE_SET },
    { "nv36",  "NV36",  "",                                   0x36, 15, CLASS(NV30),  MAYBE, CORE_MEMORY(UNKNOWN, UNKNOWN), ONE_SET },
    { "nv34",  "NV34",  "",                                   0x34, 16, CLASS(NV30),  YES,   CORE_MEMORY(0xe0, 0x20), ONE_SET },
    { "nv40",  "NV40",  "",                                   0x40, 17, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "nv45",  "NV45",  "",                                   0x45, 18, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "nv41",  "NV41",  "",                                   0x41, 19, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "nv42",  "NV42",  "",                                   0x42, 20, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "nv43",  "NV43",  "",                                   0x43, 21, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "nv44",  "NV44",  "TurboCache",                         0x44, 22, CLASS(NV40),  YES,   NV40_TURBOCACHE, ONE_SET },
    { "nv44a", "NV44A", "NV44 with AGP; domains presumed",    0x4a, 23, CLASS(NV40),  YES,   NV40_TURBOCACHE, ONE_SET },
    { "g70",   "G70",   "",                                   0x47, 24, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "g71",   "G71",   "",                                   0x49, 25, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "g73",   "G73",   "",                                   0x4b, 26, CLASS(NV40),  YES,   NV40_LARGE, ONE_SET },
    { "g72",   "G72",   "TurboCache",                         0x46, 27, CLASS(NV40),  YES,   NV40_TURBOCACHE, ONE_SET },
    { "c51",   "C51",   "other registers at a7f4h and a7f8h", 0x4e, 28, CLASS(NV40),  NO,    NO_DOMAINS, ONE_SET },
    { "mcp61", "MCP61", "IGP",                                0x4c, 29, CLASS(NV40),  YES,   NV40_IGP, ONE_SET },
    { "mcp67", "MCP67", "IGP",                                0x67, 30, CLASS(NV40),  YES,   NV40_IGP, ONE_SET },
    { "mcp68", "MCP68", "IGP",                                0x68, 31, CLASS(NV40),  YES,   NV40_IGP, ONE_SET },
    { "mcp73", "MCP73", "IGP; also registers at a7f4h, a7f8h", 0x63, 32, CLASS(NV40), YES,   NV40_IGP, ONE_SET },
    { "rsx",   "RSX",   "PlayStation 3",                      0x4d, 33, CLASS(NV40),  MAYBE, NV40_LARGE, ONE_SET },
    { "g80",   "G80",   "",                                   0x50, 34, CLASS(NV40),  YES,   G80_DOMAINS(0x20, 0xe0, 0xe0, 0x20, 0x20), ONE_SET },
    { "g84",   "G84",   "",                                   0x84, 35, CLASS(G84),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xe0), ONE_SET },
    { "g86",   "G86",   "",                                   0x86, 36, CLASS(G84),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xc0), ONE_SET },
    { "g92",   "G92",   "",                                   0x92, 37, CLASS(G92),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xe0), ONE_SET },
    { "g94",   "G94",   "",                                   0x94, 38, CLASS(G92),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xe0), ONE_SET },
    { "g96",   "G96",   "",                                   0x96, 39, CLASS(G92),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xe0), ONE_SET },
    { "g98",   "G98",   "",                                   0x98, 40, CLASS(G92),   YES,   G84_DOMAINS(0x40, 0xe0, 0x80, 0x20, 0x40, 0x60, 0xa0, 0xa0), ONE_SET },
    { "g200",  "G200",  "",                                   0xa0, 41, CLASS(G92),   YES,   G84_DOMAINS(0x60, 0xe0, 0xe0, 0x20, 0x60, 0x60, 0xa0, 0x80), ONE_SET },
    { "mcp77", "MCP77", "IGP; no memory domain",              0xaa, 42, CLASS(G92),   YES,   MCP77_DOMAINS(0x80, 0xe0, 0xe0, 0x20, 0x00, 0xa0, 0xa0), ONE_SET },
    { "mcp79", "MCP79", "IGP; no memory domain",              0xac, 43, CLASS(G92),   YES,   MCP77_DOMAINS(0x80, 0xe0, 0xe0, 0x20, 0x00, 0xa0, 0xa0), ONE_SET },
    { "gt215", "GT215", "",                                   0xa3, 44, CLASS(GT215), YES,   G84_DOMAINS(0xe0, 0xe0, 0xc0, 0x20, 0x60, 0x60, 0xc0, 0xe0), ONE_SET },
    { "gt216", "GT216", "",                                   0xa5, 45, CLASS(GT215), YES,   G84_DOMAINS(0xe0, 0xe0, 0xc0, 0x20, 0x60, 0x60, 0xc0, 0xe0), ONE_SET },
    { "gt218", "GT218", "",                                   0xa8, 46, CLASS(GT215), YES,   G84_DOMAINS(0xe0, 0xe0, 0xc0, 0x20, 0x60, 0x60, 0xc0, 0xc0), ONE_SET },
    { "mcp89", "MCP89", "IGP",                                0xaf, 47, CLASS(GT215), YES,   G84_DOMAINS(0x80, 0xe0, 0xc0, 0x20, 0xe0, 0x60, 0xe0, 0xe0), ONE_SET },
    { "gf100", "GF100", "",                                   0xc0, 48, CLASS(GF100), YES,   SETS(4, 6, 0xc0, 0x40, 6, 0x40) },
    { "gf104", "GF104", "",                                   0xc4, 49, CLASS(GF100), YES,   SETS(2, 4, 0xc0, 0x40, UNKNOWN, UNKNOWN) },
    { "gf106", "GF106", "probably as GF104",                  0xc3, 50, CLASS(GF100), YES,   SETS(1, 3, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN) },
    { "gf114", "GF114", "",                                   0xce, 51, CLASS(GF100), YES,   SETS(2, 4, 0xc0, 0x40, UNKNOWN, UNKNOWN) },
    { "gf116", "GF116", "",                                   0xcf, 52, CLASS(GF100), YES,   SETS(1, 3, 0xc0, 0x40, UNKNOWN, UNKNOWN) },
    { "gf108", "GF108", "",                                   0xc1, 53, CLASS(GF100), YES,   SETS(1, 1, 0xa0, 0x20, 4, 0x40) },
    { "gf110", "GF110", "as GF100",                           0xc8, 54, CLASS(GF100), YES,   SETS(4, 6, 0xc0, 0x40, 6, 0x40) },
    { "gf119", "GF119", "",                                   0xd9, 55, CLASS(GF100), YES,   SETS(1, 1, UNKNOWN, 0x20, 4, 0x40) },
    { "gf117", "GF117", "probably as GF119",                  0xd7, 56, CLASS(GF100), YES,   SETS(1, 1, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN) },
};
// clang-format on

size_t tally_chipset_count(void)
{
    return ARRAY_COUNT(chipsets);
}

const struct tally_chipset *tally_chipset_at(size_t index)
{
    return index < ARRAY_COUNT(chipsets) ? &chipsets[index] : NULL;
}

const struct tally_chipset *tally_chipset_find(const char *name)
{
    /* Titles are the names in capitals. */
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++)
        if (!strcasecmp(chipsets[i].name, name))
            return &chipsets[i];
    return NULL;
}

/* Bit 7 is set and bits 11:8 are clear in every value from NV10 on (PC-F.2). */
static bool is_boot_value(uint32_t value)
{
    return (value & 0xf80) == 0x80;
}

const struct tally_chipset *tally_chipset_from_boot0(uint32_t boot0)
{
    uint32_t value = boot0;
    /* Bit 31 alone, or with bits that no unswapped value has: the big-endian switch is on. */
    if (value >> 31 && !is_boot_value(value))
        value = __builtin_bswap32(value);
    if (!is_boot_value(value))
        return NULL; /* all ones, too */
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++)
        if (chipsets[i].id == field32(value, 28, 20))
            return &chipsets[i];
    return NULL;
}

const char *tally_pcounter_revision_name(enum tally_pcounter_revision revision)
{
    static const char *const names[TALLY_PCOUNTER_REVISIONS] = {
        "NV10:NV15", "NV15:NV20", "NV20:NV30",   "NV30:NV40", "NV40:G84",
        "G84:G92",   "G92:GT215", "GT215:GF100", "GF100-",
    };
    return (unsigned)revision < TALLY_PCOUNTER_REVISIONS ? names[revision] : NULL;
}
