/* SPDX-License-Identifier: MIT */
/* Parsing and formatting the kernel's topology reply: slices, subslices and EUs. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <tally/platform.h>

#include "base/bits.h"
#include "base/error.h"
#include "intel/platforms.h"

/* Byte offsets of the eight u16 before the masks (struct drm_i915_query_topology_info). */
enum {
    TOPOLOGY_FLAGS = 0,
    TOPOLOGY_MAX_SLICES = 2,
    TOPOLOGY_MAX_SUBSLICES = 4,
    TOPOLOGY_MAX_EUS = 6,
    TOPOLOGY_SUBSLICE_OFFSET = 8,
    TOPOLOGY_SUBSLICE_STRIDE = 10,
    TOPOLOGY_EU_OFFSET = 12,
    TOPOLOGY_EU_STRIDE = 14,
    TOPOLOGY_DATA = 16,
};

static bool mask_bit(const uint8_t *mask, uint32_t bit)
{
    return mask[bit / 8] >> (bit % 8) & 1;
}

int tally_topology_parse(const struct tally_platform *platform, const void *bytes, size_t size,
                         struct tally_topology *out, struct tally_error *error)
{
    const uint8_t *header = bytes;
    if (size < TOPOLOGY_DATA)
        return fail(error, -EINVAL, "topology of %zu bytes, expected at least %d", size,
                    TOPOLOGY_DATA);

    uint32_t slices = load_le16(header + TOPOLOGY_MAX_SLICES);
    uint32_t subslices = load_le16(header + TOPOLOGY_MAX_SUBSLICES);
    uint32_t eus = load_le16(header + TOPOLOGY_MAX_EUS);
    uint32_t subslice_offset = load_le16(header + TOPOLOGY_SUBSLICE_OFFSET);
    uint32_t subslice_stride = load_le16(header + TOPOLOGY_SUBSLICE_STRIDE);
    uint32_t eu_offset = load_le16(header + TOPOLOGY_EU_OFFSET);
    uint32_t eu_stride = load_le16(header + TOPOLOGY_EU_STRIDE);
    uint64_t data_bytes = size - TOPOLOGY_DATA;

    if (slices == 0 || slices > 64 || subslices == 0 || subslices > 64 || eus == 0 || eus > 64)
        return fail(error, -EINVAL,
                    "topology of %u slices x %u subslices x %u EUs, expected 1 to 64 of each",
                    slices, subslices, eus);
    if ((slices + 7) / 8 > data_bytes)
        return fail(error, -EINVAL, "topology: slice mask is outside the %llu bytes of data",
                    (unsigned long long)data_bytes);
    if (subslice_stride * 8 < subslices ||
        subslice_offset + (uint64_t)slices * subslice_stride > data_bytes)
        return fail(error, -EINVAL, "topology: subslice masks are outside the %llu bytes of data",
                    (unsigned long long)data_bytes);
    if (eu_stride * 8 < eus || eu_offset + (uint64_t)slices * subslices * eu_stride > data_bytes)
        return fail(error, -EINVAL, "topology: EU masks are outside the %llu bytes of data",
                    (unsigned long long)data_bytes);

    const uint8_t *data = header + TOPOLOGY_DATA;
    struct tally_topology topology = {
        .max_slices = slices, .max_subslices = subslices, .max_eus = eus};
    unsigned slice_bits = intel_platform_of(platform)->subslice_mask_bits;
    for (uint32_t s = 0; s < slices; s++) {
        if (!mask_bit(data, s))
            continue;
        topology.slices++;
        topology.slice_mask |= UINT64_C(1) << s;
        for (uint32_t ss = 0; ss < subslices; ss++) {
            if (!mask_bit(data + subslice_offset + s * subslice_stride, ss))
                continue;
            topology.subslices++;
            uint32_t bit = s * slice_bits + ss;
            if (bit < 64)
                topology.subslice_mask |= UINT64_C(1) << bit;
            for (uint32_t eu = 0; eu < eus; eu++)
                topology.eus += mask_bit(data + eu_offset + (s * subslices + ss) * eu_stride, eu);
        }
    }
    *out = topology;
    return 0;
}

size_t tally_topology_format(const struct tally_topology *topology, void *bytes, size_t capacity)
{
    uint32_t subslice_offset = (topology->max_slices + 7) / 8;
    uint32_t subslice_stride = (topology->max_subslices + 7) / 8;
    uint32_t eu_offset = subslice_offset + topology->max_slices * subslice_stride;
    uint32_t eu_stride = (topology->max_eus + 7) / 8;
    size_t size = TOPOLOGY_DATA + eu_offset +
                  (size_t)topology->max_slices * topology->max_subslices * eu_stride;
    bool fits = topology->slices <= topology->max_slices &&
                topology->subslices <= topology->slices * topology->max_subslices &&
                topology->eus <= topology->subslices * topology->max_eus;
    if (size > capacity || !topology->slices || !topology->subslices || !fits)
        return size;

    uint8_t *header = bytes;
    uint8_t *data = header + TOPOLOGY_DATA;
    memset(bytes, 0, size);
    store_le16(header + TOPOLOGY_MAX_SLICES, (uint16_t)topology->max_slices);
    store_le16(header + TOPOLOGY_MAX_SUBSLICES, (uint16_t)topology->max_subslices);
    store_le16(header + TOPOLOGY_MAX_EUS, (uint16_t)topology->max_eus);
    store_le16(header + TOPOLOGY_SUBSLICE_OFFSET, (uint16_t)subslice_offset);
    store_le16(header + TOPOLOGY_SUBSLICE_STRIDE, (uint16_t)subslice_stride);
    store_le16(header + TOPOLOGY_EU_OFFSET, (uint16_t)eu_offset);
    store_le16(header + TOPOLOGY_EU_STRIDE, (uint16_t)eu_stride);

    /* Spread the subslices over the slices, and the EUs over the subslices, lowest numbers first.
     */
    uint32_t subslices = topology->subslices, eus = topology->eus;
    for (uint32_t s = 0; s < topology->slices && subslices; s++) {
        data[s / 8] |= (uint8_t)(1u << s % 8);
        uint32_t slices_left = topology->slices - s;
        uint32_t here = (subslices + slices_left - 1) / slices_left;
        for (uint32_t ss = 0; ss < here; ss++, subslices--) {
            data[subslice_offset + s * subslice_stride + ss / 8] |= (uint8_t)(1u << ss % 8);
            uint32_t count = (eus + subslices - 1) / subslices;
            uint8_t *mask = data + eu_offset + (s * topology->max_subslices + ss) * eu_stride;
            for (uint32_t eu = 0; eu < count; eu++, eus--)
                mask[eu / 8] |= (uint8_t)(1u << eu % 8);
        }
    }
    return size;
}
