/* SPDX-License-Identifier: MIT */
/* Creates, copies, resets and connects a GPU. */
#include "intel/gpu/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "intel/registers.h"

#define REPORT_LINE_CLOCKS 2 /* assumed: 32 bytes a clock (OA-D47) */

/* ---- creation -------------------------------------------------------------------------------- */

static int check_properties(const struct tally_gpu *gpu, const struct tally_gpu_config *config,
                            struct tally_error *error)
{
    static const struct tally_fuses none;
    char name[SKU_NAME_BYTES];
    unsigned each = gpu->sku->info.subslice_eus, all = sku_eus(&gpu->sku->info);
    bool array = gpu->platform->oa->subslices;
    intel_sku_name(gpu->sku, name);
    if (config->eus && memcmp(&config->fuses, &none, sizeof none) != 0)
        return fail(error, -EINVAL, "%s with %u EUs and fuses, expected one of them", name,
                    config->eus);
    if (array && config->eus && (gpu->eus % each || gpu->eus < each || gpu->eus > all))
        return fail(error, -EINVAL, "%s with %u EUs, expected a multiple of %u, at most %u", name,
                    gpu->eus, each, all);
    if (!array && config->eus && gpu->eus != all)
        return fail(error, -EINVAL, "%s with %u EUs, expected %u: the EU count is that of the SKU",
                    name, gpu->eus, all);
    if (gpu->timestamp_hz > gpu->full_clock_hz)
        return fail(error, -EINVAL, "a clock of %u Hz, expected at least TIMESTAMP's %u Hz",
                    gpu->full_clock_hz, gpu->timestamp_hz);
    return 0;
}

/* Fuses can disable existing banks and engines only (OA-14.7). */
static int check_fuses(const struct tally_gpu *gpu, const struct tally_gpu_config *config,
                       struct tally_error *error)
{
    const struct {
        const char *name;
        uint32_t value, possible;
    } fuses[] = {{"l3_disable", config->l3_disable, REG_MASK(FUSE_GT_L3_DISABLE, L3_DISABLE)},
                 {"vdbox_disable", config->vdbox_disable, GT_VDBOXES},
                 {"vebox_disable", config->vebox_disable, GT_VEBOXES}};
    for (size_t i = 0; i < ARRAY_COUNT(fuses); i++) {
        if (fuses[i].value && !has_steering(gpu))
            return fail(error, -EINVAL, "%s %#x of %s, expected a platform with fuses (Gen11 on)",
                        fuses[i].name, fuses[i].value, gpu->platform->info.name);
        if (fuses[i].value & ~fuses[i].possible)
            return fail(error, -EINVAL, "%s %#x, expected bits of %#x", fuses[i].name,
                        fuses[i].value, fuses[i].possible);
    }
    if (config->l3_disable == fuses[0].possible)
        return fail(error, -EINVAL, "l3_disable %#x disables all L3 banks, expected one or more",
                    config->l3_disable);
    return 0;
}

static int set_topology(struct tally_gpu *gpu, const struct tally_gpu_config *config,
                        struct tally_error *error)
{
    if (!config->eus) {
        int result = intel_topology_fuse(gpu->sku, &config->fuses, &gpu->topology, error);
        gpu->eus = result == 0 ? intel_topology_public(&gpu->topology).eus : 0;
        return result;
    }
    gpu->eus = config->eus; /* see check_properties() */
    intel_topology_of(gpu->sku, gpu->eus, &gpu->topology);
    return 0;
}

static int set_properties(struct tally_gpu *gpu, const struct tally_gpu_config *config,
                          struct tally_error *error)
{
    const char *name = config->platform ? config->platform : "";
    gpu->sku = intel_sku_modelled(name, "GPU", error);
    if (!gpu->sku)
        return -EINVAL;
    gpu->platform = intel_sku_platform(gpu->sku);
    const struct tally_sku *info = &gpu->sku->info;
    gpu->index = intel_register_index(gpu->platform->revision);
    gpu->missing = intel_sku_missing_engine(gpu->sku);
    if (!gpu->index)
        return fail_memory(error, "the registers of a GPU");
    int result = set_topology(gpu, config, error);
    if (result < 0)
        return result;
    gpu->timestamp_hz =
        config->timestamp_hz ? config->timestamp_hz : gpu->platform->info.timestamp_hz;
    gpu->full_clock_hz = config->clock_hz ? config->clock_hz : (uint32_t)info->gt_max_mhz * 1000000;
    gpu->always_awake = config->always_awake;
    gpu->clock_gating = config->clock_gating;
    gpu->wells = gt_wells(gpu->platform->revision);
    gpu->oa_well = (uint8_t)gt_oa_well(gpu->platform->revision);
    gpu->rc6_after_clocks = config->rc6_after_clocks;
    gpu->rc6_blind_clocks = config->rc6_blind_clocks;
    result = check_properties(gpu, config, error);
    return result < 0 ? result : check_fuses(gpu, config, error);
}

static void init_routing(struct tally_gpu *gpu, const struct tally_gpu_config *config)
{
    struct gt_routing *routing = &gpu->routing;
    gt_routing_init(routing, gpu->sku->info.subslices);
    gt_routing_fuse(routing, gpu->platform->revision, &gpu->topology);
    routing->l3_disable = (uint8_t)config->l3_disable;
    routing->vdbox_disable |= (uint8_t)config->vdbox_disable;
    routing->vebox_disable |= (uint8_t)config->vebox_disable;
    if (gpu->missing)
        routing->vdbox_disable |= (uint8_t)(1u << gpu->missing->instance);
    gpu->wake.present &= gt_routing_present(routing);
}

static void init_parts(struct tally_gpu *gpu, const struct tally_gpu_config *config)
{
    gt_forcewake_init(&gpu->wake, gpu->platform->revision, config->wake_clocks);
    if (has_steering(gpu))
        init_routing(gpu, config);
    if (gpu->always_awake)
        gt_forcewake_hold(&gpu->wake, GT_DOMAINS, true);
    gt_pci_init(&gpu->pci, (enum intel_pci_layout)gpu->platform->pci,
                config->device_id ? config->device_id : gpu->sku->info.device_id,
                gpu->sku->info.pci_revision);
    if (!config->no_firmware)
        gt_pci_firmware(&gpu->pci);
    gt_interrupts_reset(&gpu->interrupts);
    gt_flat_init(&gpu->flat, gpu->platform->revision);
    gt_power_init(&gpu->power);
    noa_init(&gpu->noa, gpu->platform->revision);
    gt_units_init(&gpu->units, gpu->platform->revision);
    gt_fuses_init(&gpu->fuses, gpu->platform->revision, &gpu->topology);
    if (has_steering(gpu))
        gt_fuses_alias(&gpu->fuses, &gpu->routing);
    gt_steering_init(&gpu->steering, gpu->platform->revision, &gpu->topology);
    gt_host_init(&gpu->host, gpu->platform->revision);
    gt_sideband_init(&gpu->sideband, gpu->platform->revision);
    gating_init(gpu);
    gpu_engines_init(gpu);
    gpu_pipeline_reset(gpu);
    if (gpu->oa->variant->subslices)
        oa_set_topology(gpu->oa, &gpu->topology);
    gpu_set_clock(gpu, gpu->full_clock_hz);
    gpu_connect_oa(gpu);
    gpu_drive_clock(gpu);
}

int tally_gpu_new(const struct tally_gpu_config *config, struct tally_gpu **out,
                  struct tally_error *error)
{
    struct tally_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return fail_memory(error, "a GPU");
    char name[SKU_NAME_BYTES];
    int result = set_properties(gpu, config, error);
    if (result == 0)
        result = tally_oa_new(intel_sku_name(gpu->sku, name), &gpu->oa, error);
    if (result < 0) {
        free(gpu);
        return result;
    }
    tally_oa_set_spacing(gpu->oa, REPORT_LINE_CLOCKS);
    init_parts(gpu, config);
    *out = gpu;
    return 0;
}

void tally_gpu_free(struct tally_gpu *gpu)
{
    if (gpu)
        tally_oa_free(gpu->oa);
    free(gpu);
}

int tally_gpu_copy(struct tally_gpu *to, const struct tally_gpu *from)
{
    struct tally_oa *oa = to->oa;
    struct tally_gpu_bus bus = to->bus;
    struct tally_gpu_faults faults = to->faults;
    void (*listener)(void *, const struct tally_gpu_access *) = to->listener;
    void *listener_context = to->listener_context;
    bool listener_of_unknown = to->listener_of_unknown;
    void (*fault_listener)(void *, const struct tally_error *) = to->fault_listener;
    void *fault_context = to->fault_context;
    if (to->sku != from->sku ||
        memcmp(to->topology.eus, from->topology.eus, sizeof to->topology.eus) != 0 ||
        to->timestamp_hz != from->timestamp_hz || to->full_clock_hz != from->full_clock_hz)
        return -EINVAL;
    *to = *from;
    to->oa = oa;
    to->bus = bus;
    to->faults = faults;
    to->listener = listener;
    to->listener_context = listener_context;
    to->listener_of_unknown = listener_of_unknown;
    to->fault_listener = fault_listener;
    to->fault_context = fault_context;
    tally_oa_copy(to->oa, from->oa);
    gpu_connect_oa(to);
    return 0;
}

struct tally_oa *tally_gpu_oa(struct tally_gpu *gpu)
{
    return gpu->oa;
}

struct tally_topology tally_gpu_topology(const struct tally_gpu *gpu)
{
    return intel_topology_public(&gpu->topology);
}

const struct intel_topology *gpu_topology(const struct tally_gpu *gpu)
{
    return &gpu->topology;
}

unsigned tally_gpu_eus(const struct tally_gpu *gpu)
{
    return gpu->eus;
}

/* ---- connections ----------------------------------------------------------------------------- */

void tally_gpu_set_bus(struct tally_gpu *gpu, const struct tally_gpu_bus *bus)
{
    gpu->bus = *bus;
}

void tally_gpu_set_cost(struct tally_gpu *gpu, const struct tally_cost *cost)
{
    gpu->cost = cost;
}

void tally_gpu_set_hypervisor(struct tally_gpu *gpu,
                              uint32_t (*read)(void *context, uint32_t address), void *context)
{
    gpu->routing.hypervisor_read = read;
    gpu->routing.hypervisor_context = context;
}

int tally_gpu_set_mchbar(struct tally_gpu *gpu, uint32_t address, unsigned bytes, uint64_t value)
{
    int result =
        has_steering(gpu) ? gt_routing_set_mchbar(&gpu->routing, address, bytes, value) : -EINVAL;
    if (result == 0)
        gpu_mirror_mchbar(gpu);
    return result;
}

/* ---- resets ---------------------------------------------------------------------------------- */

static void reset_gt(struct tally_gpu *gpu)
{
    tally_oa_reset(gpu->oa);
    gt_forcewake_reset(&gpu->wake);
    gt_routing_reset(&gpu->routing);
    gt_steering_reset(&gpu->steering);
    gt_interrupts_reset(&gpu->interrupts);
    gt_flat_init(&gpu->flat, gpu->platform->revision);
    gt_power_init(&gpu->power); /* discards the power context */
    noa_reset(&gpu->noa);
    gt_units_init(&gpu->units, gpu->platform->revision);
    gt_host_reset(&gpu->host, false);
    gating_init(gpu);
    gpu_set_clock(gpu, gpu->clock_hz);
    gpu->in_rc6 = false;
    gpu->context_lost = false; /* OACTXCONTROL keeps its reset value */
    gpu->idle_clocks = 0;
    memset(gpu->well_idle, 0, sizeof gpu->well_idle);
    gpu->events[0] = gpu->events[1] = 0;
}

void tally_gpu_reset(struct tally_gpu *gpu, enum tally_gpu_reset what)
{
    gpu_engine_reset(gpu, gpu_render(gpu));
    for (unsigned id = 0; id < CS_ENGINES && what != TALLY_GPU_RESET_ENGINE; id++)
        gpu_engine_reset(gpu, &gpu->engines[id]);
    if (what != TALLY_GPU_RESET_ENGINE)
        reset_gt(gpu);
    if (what == TALLY_GPU_RESET_CHIP) {
        tally_oa_poke(gpu->oa, "timestamp", 0);
        gt_host_reset(&gpu->host, true);
        rc6_init(gpu);
        rps_init(gpu);
        gt_sideband_init(&gpu->sideband, gpu->platform->revision);
        gpu_set_clock(gpu, gpu->cursor.program ? gpu->clock_hz : rps_clock_hz(gpu));
        gpu->io_index = 0;
    }
    if (gpu->powerless) /* still */
        gpu_lose_wake(gpu, true);
    power_update(gpu);
    gpu_notify(gpu);
}
