/* SPDX-License-Identifier: MIT */
/* PGRAPH.PM_TRIGGER, a signal of each domain that software pulses. */
#include "nvidia/gpu/gpu.h"

#define SIGNAL_NAME "PGRAPH.PM_TRIGGER"

int nvidia_trigger_signal(const struct nvidia_gpu *gpu, unsigned domain)
{
    return tally_signal_find(gpu->chipset, TALLY_DOMAIN(TALLY_SET_ONLY, domain), SIGNAL_NAME);
}

void nvidia_trigger(struct nvidia_gpu *gpu)
{
    static const uint64_t one_clock[] = {1};
    const struct tally_wave pulse = tally_wave_once(one_clock, 1);
    for (unsigned i = 0; i < tally_pcounter_domains(gpu->pcounter); i++) {
        int signal = nvidia_trigger_signal(gpu, i);
        if (signal >= 0)
            tally_pcounter_attach(gpu->pcounter, i, (unsigned)signal, &pulse);
    }
}
