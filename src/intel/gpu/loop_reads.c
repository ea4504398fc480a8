/* SPDX-License-Identifier: MIT */
/* The memory that a loop of commands reads. */
#include <string.h>

#include "base/minmax.h"
#include "intel/gpu/gpu.h"

#define PAGE_BYTES 4096u
#define PART       256u /* dwords that are read at once */

/* Whether an address is the next one of the latest range. */
static bool continues(const struct loop_reads *reads, uint32_t space, uint64_t address)
{
    const struct loop_range *range =
        &reads->ranges[reads->range_count ? reads->range_count - 1 : 0];
    return reads->range_count && range->space == space &&
           range->address + UINT64_C(4) * range->words == address;
}

void loop_reads_add(struct loop_reads *reads, uint32_t space, uint64_t address,
                    const uint32_t *words, uint32_t count)
{
    bool added = !continues(reads, space, address);
    if (reads->overflows || reads->word_count + count > LOOP_WORDS ||
        (added && reads->range_count == LOOP_RANGES)) {
        reads->overflows = true;
        return;
    }
    if (added)
        reads->ranges[reads->range_count++] = (struct loop_range){address, space, 0};
    if (words)
        memcpy(reads->words + reads->word_count, words, count * sizeof *words);
    else
        memset(reads->words + reads->word_count, 0, count * sizeof *words);
    reads->ranges[reads->range_count - 1].words += count;
    reads->word_count = (uint16_t)(reads->word_count + count);
}

/* Returns how many dwords are read at once: they are in one page. */
static uint32_t part_at(uint64_t address, uint32_t words)
{
    uint32_t left = (uint32_t)(PAGE_BYTES - address % PAGE_BYTES) / 4;
    return words < left ? (uint32_t)min_u64(words, PART) : (uint32_t)min_u64(left, PART);
}

static bool range_matches(const struct tally_gpu *gpu, const struct loop_range *range,
                          const uint32_t *words)
{
    uint32_t part[PART];
    for (uint32_t done = 0, count; done < range->words; done += count) {
        uint64_t address = range->address + UINT64_C(4) * done;
        count = part_at(address, range->words - done);
        if (!gpu_read_dwords(gpu, range->space, address, part, count) ||
            memcmp(part, words + done, count * sizeof *part) != 0)
            return false;
    }
    return true;
}

bool loop_reads_match(const struct tally_gpu *gpu, const struct loop_reads *reads)
{
    const uint32_t *words = reads->words;
    if (reads->overflows)
        return false;
    for (unsigned i = 0; i < reads->range_count; words += reads->ranges[i++].words)
        if (!range_matches(gpu, &reads->ranges[i], words))
            return false;
    return true;
}

uint32_t loop_count_zeros(const struct tally_gpu *gpu, const struct streamer_place *place,
                          uint32_t max)
{
    uint32_t part[PART], found = 0;
    for (uint32_t next = 8; found < max; next = PART) {
        uint64_t address = place->address + UINT64_C(4) * found;
        uint32_t count = part_at(address, max - found < next ? max - found : next), zeros = 0;
        if (!gpu_read_dwords(gpu, place->space, address, part, count))
            break;
        while (zeros < count && !part[zeros])
            zeros++;
        found += zeros;
        if (zeros < count)
            break;
    }
    return found;
}
