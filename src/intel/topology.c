/* SPDX-License-Identifier: MIT */
/* Topologies of SKUs; parsing and formatting the kernel's topology reply. */
#include "intel/topology.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
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

/* The places of a reply's masks. */
struct reply {
    uint8_t *data; /* behind the header */
    uint32_t max_subslices, subslice_offset, subslice_stride, eu_offset, eu_stride;
};

/* Writes the header of a reply, and clears its masks. Returns the reply's size; `data` is NULL if
 * that is larger than `capacity`. */
static size_t start_reply(const struct tally_topology *topology, void *bytes, size_t capacity,
                          struct reply *reply)
{
    *reply = (struct reply){
        .max_subslices = topology->max_subslices,
        .subslice_offset = (topology->max_slices + 7) / 8,
        .subslice_stride = (topology->max_subslices + 7) / 8,
        .eu_stride = (topology->max_eus + 7) / 8,
    };
    reply->eu_offset = reply->subslice_offset + topology->max_slices * reply->subslice_stride;
    size_t size = TOPOLOGY_DATA + reply->eu_offset +
                  (size_t)topology->max_slices * topology->max_subslices * reply->eu_stride;
    if (size > capacity)
        return size;
    uint8_t *header = bytes;
    memset(bytes, 0, size);
    store_le16(header + TOPOLOGY_MAX_SLICES, (uint16_t)topology->max_slices);
    store_le16(header + TOPOLOGY_MAX_SUBSLICES, (uint16_t)topology->max_subslices);
    store_le16(header + TOPOLOGY_MAX_EUS, (uint16_t)topology->max_eus);
    store_le16(header + TOPOLOGY_SUBSLICE_OFFSET, (uint16_t)reply->subslice_offset);
    store_le16(header + TOPOLOGY_SUBSLICE_STRIDE, (uint16_t)reply->subslice_stride);
    store_le16(header + TOPOLOGY_EU_OFFSET, (uint16_t)reply->eu_offset);
    store_le16(header + TOPOLOGY_EU_STRIDE, (uint16_t)reply->eu_stride);
    reply->data = header + TOPOLOGY_DATA;
    return size;
}

static void set_bit(uint8_t *mask, uint32_t bit)
{
    mask[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static void set_subslice(const struct reply *reply, uint32_t slice, uint32_t subslice)
{
    set_bit(reply->data + reply->subslice_offset + slice * reply->subslice_stride, subslice);
}

static void set_eu(const struct reply *reply, uint32_t slice, uint32_t subslice, uint32_t eu)
{
    uint32_t number = slice * reply->max_subslices + subslice;
    set_bit(reply->data + reply->eu_offset + number * reply->eu_stride, eu);
}

size_t tally_topology_format(const struct tally_topology *topology, void *bytes, size_t capacity)
{
    struct reply reply;
    bool fits = topology->slices <= topology->max_slices &&
                topology->subslices <= topology->slices * topology->max_subslices &&
                topology->eus <= topology->subslices * topology->max_eus;
    bool valid = topology->slices && topology->subslices && fits;
    size_t size = start_reply(topology, bytes, valid ? capacity : 0, &reply);
    if (!reply.data)
        return size;
    /* Spread the subslices over the slices, and the EUs over the subslices, lowest numbers first.
     */
    uint32_t subslices = topology->subslices, eus = topology->eus;
    for (uint32_t s = 0; s < topology->slices && subslices; s++) {
        set_bit(reply.data, s);
        uint32_t slices_left = topology->slices - s;
        uint32_t here = (subslices + slices_left - 1) / slices_left;
        for (uint32_t ss = 0; ss < here; ss++, subslices--) {
            set_subslice(&reply, s, ss);
            uint32_t count = (eus + subslices - 1) / subslices;
            for (uint32_t eu = 0; eu < count; eu++, eus--)
                set_eu(&reply, s, ss, eu);
        }
    }
    return size;
}

size_t intel_topology_reply(const struct intel_topology *topology, void *bytes, size_t capacity)
{
    struct reply reply;
    struct tally_topology counts = intel_topology_public(topology);
    size_t size = start_reply(&counts, bytes, capacity, &reply);
    for (uint32_t s = 0; reply.data && s < INTEL_SLICES; s++) {
        if (topology->slices >> s & 1)
            set_bit(reply.data, s);
        for (uint32_t ss = 0; ss < INTEL_SUBSLICES; ss++) {
            if (topology->subslices[s] >> ss & 1)
                set_subslice(&reply, s, ss);
            for (uint32_t eu = 0; eu < 16; eu++)
                if (topology->eus[s][ss] >> eu & 1)
                    set_eu(&reply, s, ss, eu);
        }
    }
    return size;
}

/* ---- topologies of SKUs ---------------------------------------------------------------------- */

void intel_topology_of(const struct intel_sku *sku, unsigned eus, struct intel_topology *out)
{
    uint32_t each = sku->info.subslice_eus, all = sku_eus(&sku->info);
    uint32_t left = eus ? min_u32(eus, all) : all;
    uint32_t subslices = (left + each - 1) / each;
    uint32_t slices = min_u32(sku->info.slices, subslices);
    memset(out, 0, sizeof *out);
    out->sku = sku;
    out->slices = (uint8_t)low_bits(slices);
    /* Lower slices have one more if the subslices cannot be spread evenly; so have EUs. */
    for (uint32_t s = 0; s < slices; s++) {
        uint32_t behind = slices - s, here = (subslices + behind - 1) / behind;
        out->subslices[s] = (uint32_t)low_bits(here);
        for (uint32_t ss = 0; ss < here; ss++, subslices--) {
            uint32_t count = (left + subslices - 1) / subslices;
            out->eus[s][ss] = (uint16_t)low_bits(count);
            left -= count;
        }
    }
}

struct tally_topology intel_topology_public(const struct intel_topology *topology)
{
    const struct tally_sku *sku = &topology->sku->info;
    const struct intel_platform *platform = intel_sku_platform(topology->sku);
    struct tally_topology out = {
        .max_slices = platform->sku_topology ? sku->slices : platform->info.max_slices,
        .max_subslices = platform->sku_topology ? sku->subslices : platform->info.max_subslices,
        .max_eus = platform->sku_topology ? sku->subslice_eus : platform->info.max_eus,
        .slices = count_bits(topology->slices),
        .slice_mask = topology->slices,
    };
    for (uint32_t s = 0; s < INTEL_SLICES; s++) {
        out.subslices += count_bits(topology->subslices[s]);
        out.subslice_mask |= (uint64_t)topology->subslices[s] << s * platform->subslice_mask_bits;
        for (uint32_t ss = 0; ss < INTEL_SUBSLICES; ss++)
            out.eus += count_bits(topology->eus[s][ss]);
    }
    return out;
}

uint32_t intel_topology_subslices(const struct intel_topology *topology)
{
    uint64_t mask = 0;
    for (unsigned s = 0; s < INTEL_SLICES; s++)
        mask |= (uint64_t)topology->subslices[s] << s * topology->sku->info.subslices;
    return (uint32_t)mask;
}

unsigned intel_topology_places(const struct intel_topology *topology, struct eu_place *places,
                               unsigned capacity)
{
    unsigned count = 0, each = topology->sku->info.subslices;
    for (unsigned s = 0; s < INTEL_SLICES; s++)
        for (unsigned ss = 0; ss < each; ss++)
            for (unsigned eu = 0; topology->eus[s][ss] >> eu && count < capacity; eu++)
                if (topology->eus[s][ss] >> eu & 1)
                    places[count++] = (struct eu_place){(uint8_t)(s * each + ss), (uint8_t)eu};
    return count;
}

void tally_sku_topology(const struct tally_sku *sku, unsigned eus, struct tally_topology *out)
{
    struct intel_topology topology;
    intel_topology_of(intel_sku_of(sku), eus, &topology);
    *out = intel_topology_public(&topology);
}

void tally_topology_default(const struct tally_platform *platform, struct tally_topology *out)
{
    tally_sku_topology(&intel_sku_common(platform)->info, 0, out);
}
