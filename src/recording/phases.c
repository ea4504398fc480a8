/* SPDX-License-Identifier: MIT */
#include "recording/phases.h"

#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "recording/format.h"

enum {
    PHASES_START = 0, /* GPU timestamp at which the first phase began, unwrapped */
    PHASES_COUNT = 8,
    PHASES_NAME = 16, /* of the workload: char[64], NUL terminated */
    PHASES_HEAD_BYTES = PHASES_NAME + PHASES_NAME_MAX + 1
};

/* Maximum length of all phases together: 2^60 ns, so that times in them cannot overflow. */
#define TOTAL_NS_MAX (UINT64_C(1) << 60)

void phases_record_put(struct buffer *to, const struct tally_recorded_phases *phases)
{
    uint8_t bytes[PHASES_HEAD_BYTES + 8 * PHASES_MAX] = {0};
    size_t count = min_size(phases->count, PHASES_MAX);
    store_le64(bytes + PHASES_START, phases->start_ticks);
    store_le32(bytes + PHASES_COUNT, (uint32_t)count);
    memcpy(bytes + PHASES_NAME, phases->workload,
           min_size(strlen(phases->workload), PHASES_NAME_MAX));
    for (size_t i = 0; i < count; i++)
        store_le64(bytes + PHASES_HEAD_BYTES + 8 * i, phases->durations_ns[i]);
    record_put(to, TALLY_RECORD_PHASES, bytes, PHASES_HEAD_BYTES + 8 * count);
}

bool phases_record_load(struct phases_record *record, const uint8_t *payload, size_t size)
{
    uint64_t total = 0;
    *record = (struct phases_record){0};
    if (size < PHASES_HEAD_BYTES)
        return false;
    size_t count = load_le32(payload + PHASES_COUNT);
    if (!count || count > PHASES_MAX || size != PHASES_HEAD_BYTES + 8 * count)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = load_le64(payload + PHASES_HEAD_BYTES + 8 * i);
        if (!ns || ns > TOTAL_NS_MAX - total)
            return false;
        record->durations_ns[i] = ns;
        total += ns;
    }
    memcpy(record->workload, payload + PHASES_NAME, PHASES_NAME_MAX);
    record->public = (struct tally_recorded_phases){
        .workload = record->workload,
        .start_ticks = load_le64(payload + PHASES_START),
        .durations_ns = record->durations_ns,
        .count = count,
    };
    return true;
}
