/* SPDX-License-Identifier: MIT */
/* How many intervals or frames a recording has, without evaluating it. */
#include <errno.h>

#include "base/error.h"
#include "metrics/phases.h"
#include "pipeline/pipeline.h"

/* What has been counted so far. */
struct counting {
    const struct pipeline_groups *groups;
    struct phase_clock clock;
    bool begun;
    uint64_t origin_ticks;          /* of the first report */
    uint64_t first_ticks, last_key; /* of the first delta in the range, and of the latest one */
    uint64_t end_ticks;
    uint64_t count;
};

static uint64_t key_of(const struct counting *counting, uint64_t ticks)
{
    return counting->groups->by == TALLY_BY_FRAME
               ? phase_clock_frame(&counting->clock, ticks)
               : (ticks - counting->first_ticks) / counting->groups->interval_ticks;
}

static void count_batch(struct counting *counting, const struct tally_batch *batch)
{
    const struct pipeline_groups *groups = counting->groups;
    if (!batch->first_index)
        counting->origin_ticks = batch->gpu_ticks[0];
    struct tally_batch clipped =
        pipeline_clip(batch, counting->origin_ticks, groups->from_ticks, groups->to_ticks);
    for (size_t i = 0; i + 1 < clipped.count; i++) {
        if (!counting->begun)
            counting->first_ticks = clipped.gpu_ticks[i];
        uint64_t key = key_of(counting, clipped.gpu_ticks[i]);
        counting->count += !counting->begun || key != counting->last_key;
        counting->last_key = key;
        counting->end_ticks = clipped.gpu_ticks[i + 1];
        counting->begun = true;
    }
}

int pipeline_count_groups(struct tally_recording *recording, const struct pipeline_groups *groups,
                          uint64_t *count, uint64_t *ticks, struct tally_error *error)
{
    struct counting counting = {.groups = groups,
                                .clock = phase_clock_of_recording(tally_recording_info(recording))};
    struct tally_batch *batch = tally_batch_new();
    struct tally_error ignored;
    if (!batch)
        return fail_memory(error, "a batch");
    while (tally_recording_read(recording, batch, &ignored) > 0)
        count_batch(&counting, batch);
    tally_batch_free(batch);
    *count = counting.count;
    *ticks = counting.begun ? counting.end_ticks - counting.first_ticks : 0;
    return 0;
}
