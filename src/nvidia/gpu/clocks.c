/* SPDX-License-Identifier: MIT */
/* The clocks of a GPU at work: every domain gets the period of its published clock. */
#include <string.h>

#include "base/bits.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"

enum kind { HOST, CORE, SHADER, MEMORY, VIDEO, KINDS };

static const struct {
    const char *chipset;
    uint16_t mhz[KINDS];
} rows[] = {
#define CLOCKS(chipset, ...) {#chipset, {__VA_ARGS__}},
#include "nvidia/gpu/clocks.def"
#undef CLOCKS
};

/* The beginnings of the published names of clocks (tally_domain.clock). */
static const struct {
    const char *name;
    uint8_t kind;
} names[] = {
    {"host", HOST},     {"core", CORE},     {"geometry", CORE}, {"nvclk", CORE},
    {"shader", SHADER}, {"memory", MEMORY}, {"mclk", MEMORY},   {"vdec", VIDEO},
};

/* A domain without a published name has the core clock (decided). */
static enum kind kind_of(const struct nvidia_gpu *gpu, const struct domain *domain)
{
    static const uint8_t sets[] = {
        [TALLY_SET_GPC] = CORE, [TALLY_SET_PART] = MEMORY, [TALLY_SET_HUB] = HOST};
    if (gpu->pcounter->features->sets)
        return (enum kind)sets[domain->kind];
    const char *clock = gpu->chipset->domains[domain->number].clock;
    for (size_t i = 0; clock && i < ARRAY_COUNT(names); i++)
        if (!strncasecmp(clock, names[i].name, strlen(names[i].name)))
            return (enum kind)names[i].kind;
    return CORE;
}

void nvidia_gpu_set_clocks(struct nvidia_gpu *gpu)
{
    size_t row = 0;
    while (row < ARRAY_COUNT(rows) && strcmp(rows[row].chipset, gpu->chipset->name) != 0)
        row++;
    if (row == ARRAY_COUNT(rows))
        return;
    gpu->ticks_per_ns = NVIDIA_FINE_TICKS;
    for (unsigned i = 0; i < tally_pcounter_domains(gpu->pcounter); i++) {
        unsigned mhz = rows[row].mhz[kind_of(gpu, &gpu->pcounter->domains[i])];
        unsigned ticks = NVIDIA_FINE_TICKS * 1000;
        mhz = mhz ? mhz : rows[row].mhz[CORE];
        tally_pcounter_set_clock(gpu->pcounter, i, (ticks + mhz / 2) / mhz, 0);
    }
}
