/* SPDX-License-Identifier: MIT */
/* PGRAPH.PM_TRIGGER, a signal of each domain that software pulses. */
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"

#define SIGNAL_NAME "PGRAPH.PM_TRIGGER"

static int find_signal(const struct nvidia_gpu *gpu, unsigned domain)
{
    const struct trailer *trailer = gpu->pcounter->features->trailer;
    for (size_t i = 0; i < trailer->count; i++) /* also where the base is not published */
        if (trailer->signals[i].source == TRAILER_PM_TRIGGER)
            return gpu->pcounter->domains[domain].trailer + trailer->signals[i].published.offset;
    return tally_signal_find(gpu->chipset, TALLY_DOMAIN(TALLY_SET_ONLY, domain), SIGNAL_NAME);
}

void nvidia_trigger_init(struct nvidia_gpu *gpu)
{
    for (unsigned i = 0; i < tally_pcounter_domains(gpu->pcounter); i++)
        gpu->trigger_signals[i] = (int16_t)find_signal(gpu, i);
}

void nvidia_trigger(struct nvidia_gpu *gpu)
{
    static const uint64_t one_clock[] = {1};
    const struct tally_wave pulse = tally_wave_once(one_clock, 1);
    for (unsigned i = 0; i < tally_pcounter_domains(gpu->pcounter); i++) {
        int signal = gpu->trigger_signals[i];
        if (signal >= 0)
            tally_pcounter_attach(gpu->pcounter, i, (unsigned)signal, &pulse);
    }
}
