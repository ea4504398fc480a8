/* SPDX-License-Identifier: MIT */
/*
 * The object PERFDOM: four counters of a domain, each with up to four signals and a logic
 * operation. INIT programs them, SAMPLE ends the period in all domains, READ returns the counts of
 * the period that ended last. A session of driver/perfmon counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "driver/nouveau/device.h"

#define ENABLE (UINT32_C(1) << 31) /* of a source's register */

struct nouveau_perfdom {
    struct nvif_perfdom_v0 args;
    struct perfmon_setup setup;
};

/* ---- making ---------------------------------------------------------------------------------- */

/* Checks the signals and sources of a counter. Signal 0 need not be listed: it stands for none. */
static int check_counter(const struct nouveau_device *device, const struct nvif_perfdom_v0 *args,
                         unsigned counter)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct nouveau_signal *signal =
            nouveau_signal_find(device, args->domain, args->ctr[counter].signal[i]);
        if (args->ctr[counter].signal[i] && !signal)
            return -EINVAL;
        for (unsigned k = 0; k < SIGNAL_SOURCES; k++) {
            uint32_t number = (uint32_t)args->ctr[counter].source[i][k];
            if (args->ctr[counter].source[i][k] &&
                (!signal || !nouveau_source_find(device, signal, number)))
                return -EINVAL;
        }
    }
    return 0;
}

int nouveau_perfdom_make(struct nouveau_object *object, struct nvif_bytes *arguments)
{
    const struct nouveau_device *device = object->file->device;
    struct nvif_perfdom_v0 args;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    if (args.domain >= device->lists.domain_count)
        return -EINVAL;
    for (unsigned i = 0; i < SLOTS && !result; i++)
        result = check_counter(device, &args, i);
    if (result < 0)
        return result;
    struct nouveau_perfdom *perfdom = calloc(1, sizeof *perfdom);
    if (!perfdom)
        return -ENOMEM;
    const struct nouveau_domain *domain = &device->lists.domains[args.domain];
    *perfdom =
        (struct nouveau_perfdom){.args = args,
                                 .setup = {.domain = domain->domain,
                                           .instance = domain->instance,
                                           .counter_mode = args.mode,
                                           .slots = perfmon_slots(device->settings.chipset)}};
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        for (unsigned i = 0; i < SLOTS; i++)
            perfdom->setup.sources[slot] |= (uint32_t)args.ctr[slot].signal[i] << (8 * i);
        perfdom->setup.operations[slot] = args.ctr[slot].logic_op;
    }
    object->perfdom = perfdom;
    return 0;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Writes the register of a source: what the client has chosen in the upper half of its number, or
 * 0. */
static void set_source(const struct nouveau_device *device, const struct nouveau_signal *signal,
                       uint64_t chosen, bool on)
{
    const struct nouveau_source *source = nouveau_source_find(device, signal, (uint32_t)chosen);
    uint32_t enable = source->enable ? ENABLE : 0;
    uint32_t mask = enable | source->mask << source->shift;
    uint32_t value = on ? enable | (uint32_t)(chosen >> 32) << source->shift : 0;
    driver_write32(&device->io, source->address,
                   (driver_read32(&device->io, source->address) & ~mask) | value);
}

/* The first 0 ends the sources of a signal. */
static void set_sources(const struct nouveau_device *device, const struct nvif_perfdom_v0 *args,
                        bool on)
{
    for (unsigned i = 0; i < SLOTS * SLOTS; i++) {
        unsigned counter = i / SLOTS, input = i % SLOTS;
        const uint64_t *sources = args->ctr[counter].source[input];
        const struct nouveau_signal *signal =
            nouveau_signal_find(device, args->domain, args->ctr[counter].signal[input]);
        for (unsigned k = 0; k < SIGNAL_SOURCES && sources[k]; k++)
            set_source(device, signal, sources[k], on);
    }
}

void nouveau_perfdom_free(struct nouveau_object *object)
{
    struct nouveau_device *device = object->file->device;
    set_sources(device, &object->perfdom->args, false);
    perfmon_manual_forget(device->session, &object->perfdom->setup);
    free(object->perfdom);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* A domain that cannot be counted, as the chip does not have it, has no clocks, which READ reports.
 */
static int start(const struct nouveau_device *device, struct nouveau_perfdom *perfdom)
{
    set_sources(device, &perfdom->args, true);
    perfmon_manual_start(device->session, &perfdom->setup, NULL);
    return 0;
}

static uint32_t saturated(uint64_t count)
{
    return (uint32_t)min_u64(count, UINT32_MAX);
}

static int read_counts(const struct nouveau_device *device, const struct nouveau_perfdom *perfdom,
                       struct nvif_bytes *arguments)
{
    const struct perfmon_setup *setup = &perfdom->setup;
    struct perfmon_manual_counts counts;
    struct nvif_perfdom_read_v0 args;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    if (!perfmon_manual_read(device->session, setup->domain, setup->instance, &counts) ||
        counts.flags || !counts.clocks)
        return -EAGAIN;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        args.ctr[slot] = saturated(counts.counts[slot]);
    args.clk = saturated(counts.clocks);
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

int nouveau_perfdom_method(struct nouveau_file *file, struct nouveau_object *object, uint8_t method,
                           struct nvif_bytes *arguments)
{
    struct nouveau_device *device = file->device;
    switch (method) {
    case NVIF_PERFDOM_V0_INIT:
        return arguments->size ? -ENOSYS : start(device, object->perfdom);
    case NVIF_PERFDOM_V0_SAMPLE:
        if (arguments->size)
            return -ENOSYS;
        perfmon_manual_sample(device->session);
        return 0;
    case NVIF_PERFDOM_V0_READ:
        return read_counts(device, object->perfdom, arguments);
    default:
        return -EINVAL;
    }
}
