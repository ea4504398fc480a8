/* SPDX-License-Identifier: MIT */
/* Statements about chips instead of revisions, tested on engines of a chipset. */
#include "nvidia/conformance/language.h"

#include <errno.h>

#include <tally/pcounter.h>

static int make(const char *name, struct tally_pcounter **engine)
{
    struct tally_error error;
    const struct tally_chipset *chipset = tally_chipset_find(name);
    *engine = NULL;
    return chipset ? tally_pcounter_new(chipset, engine, &error) : -ENOENT;
}

static bool absent(struct conformance_fault *why, size_t count, const char *const names[])
{
    for (size_t i = 0; i < count; i++) {
        struct tally_pcounter *engine;
        int result = make(names[i], &engine);
        tally_pcounter_free(engine);
        conformance_fail(why, "%s", names[i]);
        if (result != -ENODEV)
            return false;
    }
    return true;
}

static bool none_on_some(struct conformance_fault *why)
{
    static const char *const names[] = {"nv11", "nv1a", "nv17", "nv18"};
    return absent(why, 4, names);
}

static bool none_on_c51(struct conformance_fault *why)
{
    static const char *const names[] = {"c51"};
    return absent(why, 1, names);
}

static bool on_all_others(struct conformance_fault *why)
{
    static const char *const known[] = {"nv10",  "nv15",  "nv1f",  "nv20",  "nv35", "nv40", "g80",
                                        "g84",   "g86",   "g92",   "g94",   "g96",  "g98",  "mcp73",
                                        "gt215", "gt216", "gt218", "mcp77", "gf100"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tally_pcounter *engine;
        int result = make(known[i], &engine);
        tally_pcounter_free(engine);
        conformance_fail(why, "%s", known[i]);
        if (result != 0)
            return false;
    }
    return true;
}

/* NV10:NV20 has one domain, NV20:NV40 two, NV40- up to eight. */
static bool domain_numbers(struct conformance_fault *why)
{
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        unsigned count = chipset->domain_count;
        conformance_fail(why, "%s", chipset->name);
        if (chipset->presence == TALLY_ABSENT || chipset->revision >= TALLY_PCOUNTER_GF100)
            continue;
        if (chipset->revision <= TALLY_PCOUNTER_NV15   ? count != 1
            : chipset->revision <= TALLY_PCOUNTER_NV30 ? count != 2
                                                       : count < 1 || count > 8)
            return false;
    }
    return true;
}

/* On NV10:GF100 PCOUNTER works with PMC.ENABLE (000200h) = 0. */
static bool pmc_before_gf100(struct conformance_fault *why)
{
    static const char *const names[] = {"nv10", "nv35", "nv40", "g80", "g92", "gt215"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tally_pcounter *engine;
        conformance_fail(why, "%s", names[i]);
        if (make(names[i], &engine))
            return false;
        tally_pcounter_write32(engine, 0xa400, 0x12345678); /* PRE_SRC[0] */
        tally_pcounter_write32(engine, 0x200, 0);
        bool kept = tally_pcounter_read32(engine, 0xa400) == 0x12345678;
        tally_pcounter_free(engine);
        if (!kept)
            return false;
    }
    return true;
}

/* From GF100 on bit 28 of PMC.ENABLE enables PRE_SRC of the first domain of GPC 0. */
static bool pmc_from_gf100(struct conformance_fault *why)
{
    struct tally_pcounter *engine;
    struct tally_pcounter_domain domain;
    conformance_fail(why, "%s", "gf100");
    if (make("gf100", &engine))
        return false;
    bool good = tally_pcounter_domain(engine, 0, &domain) == 0 && domain.address >= 0x180000 &&
                domain.address + 0x200 <= 0x1c0000;
    uint32_t at = domain.address + 0x40;
    tally_pcounter_write32(engine, at, 0x12345678);
    good &= tally_pcounter_read32(engine, at) == 0x12345678;
    tally_pcounter_write32(engine, 0x200, 0xefffffff); /* all but bit 28 */
    tally_pcounter_write32(engine, at, 0x12345678);
    good &= tally_pcounter_read32(engine, at) != 0x12345678;
    tally_pcounter_write32(engine, 0x200, 0x10000000); /* bit 28 alone */
    tally_pcounter_write32(engine, at, 0x87654321);
    good &= tally_pcounter_read32(engine, at) == 0x87654321;
    tally_pcounter_free(engine);
    return good;
}

/* GF100 has one set of domains for each GPC, one for each partition and one for the rest. */
static bool domain_sets(struct conformance_fault *why)
{
    const struct tally_chipset *chipset = tally_chipset_find("gf100");
    struct tally_pcounter *engine;
    unsigned in_hub = 0, gpcs = 0, partitions = 0;
    conformance_fail(why, "%s", "gf100");
    if (!chipset || make("gf100", &engine))
        return false;
    for (unsigned d = 0; d < tally_pcounter_domains(engine); d++) {
        struct tally_pcounter_domain domain;
        if (tally_pcounter_domain(engine, d, &domain))
            continue;
        in_hub += domain.set == TALLY_SET_HUB && domain.instance == 0;
        if (domain.set == TALLY_SET_GPC && domain.number == 0)
            gpcs |= 1u << domain.instance;
        if (domain.set == TALLY_SET_PART && domain.number == 0)
            partitions |= 1u << domain.instance;
    }
    tally_pcounter_free(engine);
    return in_hub >= 1 && in_hub <= 8 && gpcs == (1u << chipset->gpcs) - 1 &&
           partitions == (1u << chipset->partitions) - 1;
}

#define CHIP_ROW .document = "pcounter", .variants = "chips", .file = "chips.c", .line = __LINE__

/* clang-format off */
const struct conformance_case chip_cases[] = {
    {.id = "CHIP-01", .section = "Introduction", .says = "NV11, NV1A, NV17 and NV18 have no PCOUNTER", .check = none_on_some, CHIP_ROW},
    {.id = "CHIP-02", .section = "MMIO registers: NV40", .says = "C51 has no PCOUNTER", .check = none_on_c51, CHIP_ROW},
    {.id = "CHIP-03", .section = "Introduction", .says = "All other chips from NV10 on have PCOUNTER, MCP73 included", .check = on_all_others, CHIP_ROW},
    {.id = "CHIP-04", .section = "The PCOUNTER signals", .says = "NV10:NV20 has one domain, NV20:NV40 has two, and NV40- has up to eight", .check = domain_numbers, CHIP_ROW},
    {.id = "CHIP-05", .section = "Introduction", .says = "Before GF100 no bit of PMC.ENABLE affects PCOUNTER", .check = pmc_before_gf100, CHIP_ROW},
    {.id = "CHIP-06", .section = "Introduction", .says = "From GF100 on bit 28 of PMC.ENABLE enables PCOUNTER, whose registers are at 180000h to 1bffffh", .check = pmc_from_gf100, CHIP_ROW},
    {.id = "CHIP-07", .section = "The PCOUNTER signals", .says = "GF100 has a set of up to 8 domains for each GPC, for each partition, and for the rest of the GPU", .check = domain_sets, CHIP_ROW},
};
/* clang-format on */
const size_t chip_case_count = sizeof chip_cases / sizeof *chip_cases;
