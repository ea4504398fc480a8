/* SPDX-License-Identifier: MIT */
/* Interrupts: those of PMC, as messages (MSI). */
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/registers.h"

uint32_t nvidia_interrupts(const struct nvidia_gpu *gpu)
{
    return REG_PUT(PMC_INTR_HOST, PTIMER, (gpu->timer.intr & gpu->timer.intr_en) != 0);
}

static uint32_t config(const struct nvidia_gpu *gpu, uint32_t offset)
{
    return gpu->config[offset / sizeof gpu->config[0]];
}

void nvidia_interrupts_update(struct nvidia_gpu *gpu)
{
    if (gpu->disarmed || !gpu->host || !nvidia_interrupts(gpu) ||
        !REG_GET(PMC_INTR_EN_HOST, HARDWARE, gpu->intr_enable) ||
        !REG_GET(PPCI_MSI, ENABLE, config(gpu, PPCI_OFFSET(PPCI_MSI))))
        return;
    gpu->disarmed = true;
    uint64_t high = config(gpu, PPCI_OFFSET(PPCI_MSI_ADDRESS_HIGH));
    gpu->host->message(gpu->closure, high << 32 | config(gpu, PPCI_OFFSET(PPCI_MSI_ADDRESS)),
                       config(gpu, PPCI_OFFSET(PPCI_MSI_DATA)));
}

void nvidia_interrupts_rearm(struct nvidia_gpu *gpu)
{
    gpu->disarmed = false;
    nvidia_interrupts_update(gpu);
}
