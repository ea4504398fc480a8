/* SPDX-License-Identifier: MIT */
/* The table of NVIDIA chipsets, from chipsets.def. */
#include <stdbool.h>
#include <strings.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "nvidia/pcounter/registers.h"

// clang-format off
#define UNKNOWN (-1)

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

/*
 * A row ends with the domains of the only set or, from GF100 on, with the sets: the number of GPCs
 * and partitions, the number of domains of each of them and of the hub, and the known trailer
 * bases.
 */
#define ONE_SET         0, 0, 0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
#define SETS(gpcs, partitions, gpc_domains, part_domains, hub_domains, gpc0, part0, hub, hub_base) \
    NO_DOMAINS, gpcs, partitions, gpc_domains, part_domains, hub_domains, gpc0, part0, hub, hub_base
#define FERMI_SETS(gpcs, partitions, gpc0, part0, hub, hub_base) \
    SETS(gpcs, partitions, 1, 2, 8, gpc0, part0, hub, hub_base)

#define YES             TALLY_PRESENT
#define NO              TALLY_ABSENT
#define MAYBE           TALLY_UNVERIFIED
// clang-format on

/* Positions of the chipsets in the order of the table, from 0. */
enum {
#define CHIPSET(name, ...) ORDER_##name,
#include "nvidia/chipsets.def"
#undef CHIPSET
};

static const struct tally_chipset chipsets[] = {
#define CHIPSET(name, title, remark, id, revision, ...)                                            \
    {#name, title, remark, id, ORDER_##name + 1, TALLY_PCOUNTER_##revision, __VA_ARGS__},
#include "nvidia/chipsets.def"
#undef CHIPSET
};

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
    /* Titles are the names in upper case. */
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++)
        if (!strcasecmp(chipsets[i].name, name))
            return &chipsets[i];
    return NULL;
}

/* Bit 7 is set and bits 11:8 are clear in every value from NV10 on (PC-F.2). */
static bool is_boot_value(uint32_t value)
{
    return REG_GET(PMC_BOOT_0, STEPPING, value) >= 0x80 && !REG_GET(PMC_BOOT_0, ZERO, value);
}

const struct tally_chipset *tally_chipset_from_boot0(uint32_t boot0)
{
    uint32_t value = boot0;
    /* If bit 31 is set and the value is otherwise invalid, the big-endian switch is on. */
    if (REG_GET(PMC_BOOT_0, SWAPPED, value) && !is_boot_value(value))
        value = __builtin_bswap32(value);
    if (!is_boot_value(value))
        return NULL; /* including all ones */
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++)
        if (chipsets[i].id == REG_GET(PMC_BOOT_0, ID, value))
            return &chipsets[i];
    return NULL;
}
