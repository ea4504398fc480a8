/* SPDX-License-Identifier: MIT */
/* The device: its power domains, its memory and its time. */
#include "driver/mmio/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "driver/domains.h"
#include "intel/cs/engines.h"

int mmio_device_new(const char *platform, const struct driver_io *io, struct mmio_device **out,
                    struct tally_error *error)
{
    const struct intel_platform *row = intel_modelled(platform);
    if (!row)
        return fail(error, -EINVAL, "%s: the driver mmio does not know its OA unit", platform);
    struct mmio_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "a device");
    *device = (struct mmio_device){.platform = row, .io = *io};
    *out = device;
    return 0;
}

void mmio_device_free(struct mmio_device *device)
{
    if (!device)
        return;
    if (device->stream)
        mmio_stream_close(device->stream);
    free(device);
}

/* ---- power ----------------------------------------------------------------------------------- */

static void request(struct mmio_device *device, uint32_t value)
{
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (wake_domain_serves(&wake_domains[i], device->platform, device->engines))
            mmio_write32(device, wake_domains[i].request, value);
}

bool mmio_is_awake(const struct mmio_device *device)
{
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (wake_domain_serves(&wake_domains[i], device->platform, device->engines) &&
            !REG_GET(FORCEWAKE_ACKNOWLEDGE, KERNEL,
                     mmio_read32(device, wake_domains[i].acknowledge)))
            return false;
    return true;
}

static bool wake(struct mmio_device *device)
{
    request(device, WAKE_REQUEST);
    for (unsigned i = 0; i < WAKE_TRIES && !mmio_is_awake(device); i++)
        mmio_sleep_ns(device, WAKE_STEP_NS);
    return mmio_is_awake(device);
}

/* Finds the engines that fuses do not disable. The fuses are in the domain of the copy engine. */
static void find_engines(struct mmio_device *device)
{
    uint32_t off = 0;
    if (device->platform->steering) {
        device->engines = 1u << CS_BCS0;
        if (wake(device))
            off = fused_off_engines(device->platform, mmio_read32(device, FUSE_GT_VDBOX_VEBOX_DIS));
        request(device, WAKE_RELEASE);
    }
    device->engines = ~off;
}

int mmio_wake_get(struct mmio_device *device, struct tally_error *error)
{
    if (device->wakes++)
        return 0;
    if (!device->engines)
        find_engines(device);
    if (wake(device))
        return 0;
    mmio_wake_put(device);
    return fail(error, -EIO, "a power domain of the GT does not acknowledge force wake");
}

void mmio_wake_put(struct mmio_device *device)
{
    if (!--device->wakes)
        request(device, WAKE_RELEASE);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint8_t *find(const struct mmio_device *device, uint32_t space, uint64_t address,
                     size_t bytes)
{
    const struct mmio_stream *stream = device->stream;
    uint64_t offset = address - BUFFER_ADDRESS;
    bool mapped = stream && !space && address >= BUFFER_ADDRESS && offset <= stream->size &&
                  bytes <= stream->size - offset;
    return mapped ? stream->bytes + offset : NULL;
}

bool mmio_memory_read(const struct mmio_device *device, uint32_t space, uint64_t address,
                      void *data, size_t bytes)
{
    const uint8_t *from = find(device, space, address, bytes);
    if (from)
        memcpy(data, from, bytes);
    return from != NULL;
}

bool mmio_memory_write(struct mmio_device *device, uint32_t space, uint64_t address,
                       const void *data, size_t bytes)
{
    uint8_t *to = find(device, space, address, bytes);
    if (to)
        memcpy(to, data, bytes);
    return to != NULL;
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t mmio_device_timestamp(struct mmio_device *device)
{
    uint32_t high, low, before;
    if (mmio_wake_get(device, NULL) < 0)
        return 0;
    high = mmio_read32(device, RING_TIMESTAMP_UDW);
    do { /* again if the upper half changes in between */
        before = high;
        low = mmio_read32(device, RING_TIMESTAMP);
        high = mmio_read32(device, RING_TIMESTAMP_UDW);
    } while (high != before);
    mmio_wake_put(device);
    return (uint64_t)high << 32 | low;
}

uint64_t mmio_device_next_ns(const struct mmio_device *device)
{
    return device->stream ? device->stream->next_check_ns : UINT64_MAX;
}
