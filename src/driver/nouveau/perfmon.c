/* SPDX-License-Identifier: MIT */
/*
 * The object PERFMON, of which a device has at most one: lists of domains, signals and sources.
 * Each query returns an entry, if it is not the first, and the number for the next query.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/nouveau/device.h"

#define LAST UINT8_MAX

int nouveau_perfmon_make(struct nouveau_object *object, struct nvif_bytes *arguments)
{
    struct nouveau_device *device = object->file->device;
    (void)arguments;
    if (device->perfmon)
        return -EBUSY;
    device->perfmon = object;
    return 0;
}

void nouveau_perfmon_free(struct nouveau_object *object)
{
    struct nouveau_device *device = object->file->device;
    device->perfmon = NULL;
    perfmon_session_stop(device->session);
}

/* ---- finding --------------------------------------------------------------------------------- */

static const struct nouveau_domain *find_domain(const struct nouveau_device *device, uint8_t number)
{
    return number < device->lists.domain_count ? &device->lists.domains[number] : NULL;
}

const struct nouveau_signal *nouveau_signal_find(const struct nouveau_device *device,
                                                 uint8_t domain, uint8_t signal)
{
    const struct nouveau_domain *found = find_domain(device, domain);
    return found && signal < found->signal_count && *found->signals[signal].name
               ? &found->signals[signal]
               : NULL;
}

static unsigned count_sources(const struct nouveau_signal *signal)
{
    unsigned count = 0;
    while (count < SIGNAL_SOURCES && signal->sources[count])
        count++;
    return count;
}

const struct nouveau_source *nouveau_source_find(const struct nouveau_device *device,
                                                 const struct nouveau_signal *signal,
                                                 uint32_t number)
{
    for (unsigned i = 0; i < count_sources(signal); i++)
        if (signal->sources[i] == number)
            return &device->lists.sources[number - 1];
    return NULL;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Copies a name as strncpy() does, but for the last byte, which stays. */
static void put_name(char *to, const char *name, size_t size)
{
    strncpy(to, name, size - 1);
}

static int query_domain(const struct nouveau_device *device, struct nvif_bytes *arguments)
{
    struct nvif_perfmon_query_domain_v0 args;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    size_t entry = args.iter, count = device->lists.domain_count;
    if (entry > count)
        return -EINVAL;
    if (entry) {
        const struct nouveau_domain *domain = &device->lists.domains[entry - 1];
        args.id = (uint8_t)(entry - 1);
        args.signal_nr = 0;
        for (unsigned i = 0; i < domain->signal_count; i++)
            if (*domain->signals[i].name)
                args.signal_nr++;
        args.counter_nr = SLOTS;
        put_name(args.name, domain->name, sizeof args.name);
    }
    args.iter = entry < count ? (uint8_t)(entry + 1) : LAST;
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

/* Signals without a name are skipped, but can be queried. */
static int query_signal(const struct nouveau_device *device, struct nvif_bytes *arguments)
{
    struct nvif_perfmon_query_signal_v0 args;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    const struct nouveau_domain *domain = find_domain(device, args.domain);
    unsigned entry = args.iter;
    if (!domain || entry > domain->signal_count)
        return -EINVAL;
    if (entry) {
        const struct nouveau_signal *signal = &domain->signals[entry - 1];
        if (*signal->name)
            put_name(args.name, signal->name, sizeof args.name);
        else
            snprintf(args.name, sizeof args.name, "/%s/%02x", domain->name, entry - 1);
        args.signal = (uint8_t)(entry - 1);
        args.source_nr = (uint8_t)count_sources(signal);
    }
    while (entry < domain->signal_count && !*domain->signals[entry].name)
        entry++;
    args.iter = entry < domain->signal_count ? (uint16_t)(entry + 1) : UINT16_MAX;
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

static int query_source(const struct nouveau_device *device, struct nvif_bytes *arguments)
{
    struct nvif_perfmon_query_source_v0 args;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    const struct nouveau_signal *signal = nouveau_signal_find(device, args.domain, args.signal);
    unsigned entry = args.iter, count = signal ? count_sources(signal) : 0;
    if (!signal || entry > count)
        return -EINVAL;
    if (entry) {
        const struct nouveau_source *source =
            &device->lists.sources[signal->sources[entry - 1] - 1];
        args.source = signal->sources[entry - 1];
        args.mask = source->mask;
        put_name(args.name, source->name, sizeof args.name);
    }
    args.iter = entry < count ? (uint8_t)(entry + 1) : LAST;
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

int nouveau_perfmon_method(struct nouveau_file *file, struct nouveau_object *object, uint8_t method,
                           struct nvif_bytes *arguments)
{
    (void)object;
    switch (method) {
    case NVIF_PERFMON_V0_QUERY_DOMAIN:
        return query_domain(file->device, arguments);
    case NVIF_PERFMON_V0_QUERY_SIGNAL:
        return query_signal(file->device, arguments);
    case NVIF_PERFMON_V0_QUERY_SOURCE:
        return query_source(file->device, arguments);
    default:
        return -EINVAL;
    }
}
