/* SPDX-License-Identifier: MIT */
#include "emulation/emulation.h"

#include <linux/pci_regs.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "emulation/faults/faults.h"
#include "intel/platforms.h"

/* Start of the CPU's time with the free clock; constant, so that the same run gives the same bytes.
 */
#define FREE_START_NS UINT64_C(1000000000)

#define GRAPHICS 2u /* its PCI device */

const char *emulation_platform(size_t index, bool perf)
{
    const struct intel_platform *platform = intel_modelled_at(index, perf);
    return platform ? platform->info.name : NULL;
}

static int load_workload(struct emulation *emulation, const struct emulation_settings *settings,
                         struct tally_error *error)
{
    int result = tally_workload_load(settings->workload, &emulation->workload, error);
    struct tally_workload_target target = {.platform = settings->gpu.platform,
                                           .eus = tally_gpu_eus(emulation->gpu),
                                           .fuses = &settings->gpu.fuses};
    return result < 0 ? result
                      : tally_workload_bind(emulation->workload, &target, settings->note,
                                            settings->closure, &emulation->program, error);
}

static int load_cost(struct emulation *emulation, const struct emulation_settings *settings,
                     struct tally_error *error)
{
    int result = tally_cost_load(settings->cost, settings->gpu.platform, &emulation->cost, error);
    if (result == 0)
        tally_gpu_set_cost(emulation->gpu, emulation->cost);
    return result;
}

static int build(struct emulation *emulation, const struct emulation_settings *settings,
                 struct tally_error *error)
{
    struct tally_gpu_config config = settings->gpu;
    config.clock_gating = true; /* as on hardware: the driver disables it while it counts */
    int result = tally_gpu_new(&config, &emulation->gpu, error);
    if (result < 0)
        return result;
    emulation->sku = tally_sku_find(settings->gpu.platform);
    emulation->platform = tally_platform_find(emulation->sku->platform);
    if (settings->mmio)
        gpu_trace_start(&emulation->trace, settings->mmio, emulation->gpu);
    if (settings->cost)
        result = load_cost(emulation, settings, error);
    if (result == 0 && settings->workload)
        result = load_workload(emulation, settings, error);
    if (result == 0)
        result = emulation->driver->connect(emulation, &settings->driver, error);
    if (result == 0 && settings->faults)
        result = faults_bind(settings->faults, emulation, &emulation->faults, error);
    if (result < 0 || !settings->workload)
        return result;
    result = tally_gpu_set_workload(emulation->gpu, emulation->program);
    return result < 0 ? fail(error, result, "sim:%s does not support workload %s",
                             settings->gpu.platform, settings->workload)
                      : 0;
}

/* ---- Intel's GPUs ---------------------------------------------------------------------------- */

static uint64_t intel_now_ns(const struct emulation *emulation)
{
    return tally_gpu_now_ns(emulation->gpu);
}

static void intel_run_ns(struct emulation *emulation, uint64_t ns)
{
    tally_gpu_run_ns(emulation->gpu, ns);
}

static void intel_free(struct emulation *emulation)
{
    tally_gpu_free(emulation->gpu);
}

static uint32_t intel_pci_read(const struct emulation *emulation, unsigned offset, unsigned bytes)
{
    return tally_gpu_pci_read(emulation->gpu, GRAPHICS, offset, bytes);
}

static void intel_pci_write(struct emulation *emulation, unsigned offset, unsigned bytes,
                            uint32_t value)
{
    tally_gpu_pci_write(emulation->gpu, GRAPHICS, offset, bytes, value);
}

static struct tally_gpu_mmio_stats intel_mmio_stats(const struct emulation *emulation)
{
    return tally_gpu_mmio_stats(emulation->gpu);
}

/* Returns the address of BAR 0, which has 64 bits. */
static uint64_t intel_bar(const struct emulation *emulation)
{
    uint64_t low = intel_pci_read(emulation, PCI_BASE_ADDRESS_0, 4),
             high = intel_pci_read(emulation, PCI_BASE_ADDRESS_1, 4);
    return (low & (uint32_t)PCI_BASE_ADDRESS_MEM_MASK) | high << 32;
}

static uint64_t intel_bar_read(struct emulation *emulation, uint32_t offset, unsigned bytes)
{
    return tally_gpu_physical_read(emulation->gpu, intel_bar(emulation) + offset, bytes);
}

static void intel_bar_write(struct emulation *emulation, uint32_t offset, unsigned bytes,
                            uint64_t value)
{
    tally_gpu_physical_write(emulation->gpu, intel_bar(emulation) + offset, bytes, value);
}

static const struct emulation_model intel_model = {
    intel_now_ns,    intel_run_ns,     intel_free,     intel_pci_read,
    intel_pci_write, intel_mmio_stats, intel_bar_read, intel_bar_write};

/* ---- all ------------------------------------------------------------------------------------- */

int emulation_new(const struct emulation_settings *settings, struct emulation **out,
                  struct tally_error *error)
{
    struct emulation *emulation = calloc(1, sizeof *emulation);
    if (!emulation)
        return fail_memory(error, "a device");
    emulation->driver = settings->interface ? settings->interface : &emulation_i915;
    emulation->owner = settings->owner;
    emulation->clock = settings->clock;
    emulation->max_lag_ns = settings->max_lag_ns ? settings->max_lag_ns : UINT64_MAX;
    emulation->max_run_ns = settings->max_run_ns;
    emulation->origin_ns = FREE_START_NS;
    const struct tally_chipset *chipset = tally_chipset_find(settings->gpu.platform);
    emulation->model = chipset ? &emulation_nvidia_model : &intel_model;
    int result = chipset ? emulation_nvidia_build(emulation, settings, chipset, error)
                         : build(emulation, settings, error);
    if (result < 0) {
        emulation_free(emulation);
        return result;
    }
    emulation_start_clock(emulation);
    *out = emulation;
    return 0;
}

void emulation_free(struct emulation *emulation)
{
    if (!emulation)
        return;
    faults_free(emulation->faults);
    emulation->driver->disconnect(emulation);
    emulation->model->free(emulation);
    tally_cost_free(emulation->cost);
    tally_workload_unbind(emulation->program);
    tally_workload_free(emulation->workload);
    free(emulation);
}

uint32_t emulation_pci_read(const struct emulation *emulation, unsigned offset, unsigned bytes)
{
    return emulation->model->pci_read(emulation, offset, bytes);
}

void emulation_pci_write(struct emulation *emulation, unsigned offset, unsigned bytes,
                         uint32_t value)
{
    emulation->model->pci_write(emulation, offset, bytes, value);
}

uint64_t emulation_bar_read(struct emulation *emulation, uint32_t offset, unsigned bytes)
{
    return emulation->model->bar_read(emulation, offset, bytes);
}

void emulation_bar_write(struct emulation *emulation, uint32_t offset, unsigned bytes,
                         uint64_t value)
{
    emulation->model->bar_write(emulation, offset, bytes, value);
}

struct tally_gpu_mmio_stats emulation_mmio_stats(const struct emulation *emulation)
{
    return emulation->model->mmio_stats(emulation);
}
