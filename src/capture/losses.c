/* SPDX-License-Identifier: MIT */
#include "capture/losses.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"

int losses_start(struct losses *losses, const struct record_head *head)
{
    struct record_head whole = *head;
    whole.one_context = false;
    *losses = (struct losses){.batch = tally_batch_new()};
    record_head_put(&losses->bytes, &whole);
    return losses->batch && !losses->bytes.broken ? 0 : -ENOMEM;
}

void losses_fini(struct losses *losses)
{
    tally_recording_close(losses->recording);
    tally_batch_free(losses->batch);
    buffer_fini(&losses->bytes);
    *losses = (struct losses){0};
}

static ptrdiff_t read_bytes(void *closure, void *to, size_t size)
{
    struct losses *losses = closure;
    size_t count = min_size(size, losses->bytes.size - losses->taken);
    if (!count)
        return -EAGAIN;
    memcpy(to, losses->bytes.bytes + losses->taken, count);
    losses->taken += count;
    return (ptrdiff_t)count;
}

/* Opens the recording if the first report is there. Otherwise what was read is read again. */
static bool open_recording(struct losses *losses)
{
    const struct tally_recording_options options = {.size = sizeof options, .live = true};
    if (losses->recording)
        return true;
    int result = tally_recording_open_stream(read_bytes, losses, "", &options, &losses->recording,
                                             &losses->error);
    if (result == -EAGAIN) {
        losses->taken = 0;
        losses->error = (struct tally_error){0};
    }
    losses->ended = result < 0 && result != -EAGAIN;
    return result == 0;
}

void losses_take(struct losses *losses, const void *records, size_t size)
{
    int result;
    if (losses->ended)
        return;
    buffer_append(&losses->bytes, records, size);
    losses->ended = losses->bytes.broken;
    if (losses->ended)
        fail_memory(&losses->error, "records of which reports are missing");
    if (losses->ended || !open_recording(losses))
        return;
    do
        result = tally_recording_read(losses->recording, losses->batch, &losses->error);
    while (result > 0);
    losses->ended = result != -EAGAIN;
    if (!losses->ended)
        losses->error = (struct tally_error){0};
    losses->bytes.size = losses->taken = 0;
}

uint64_t losses_missing(const struct losses *losses)
{
    return losses->recording ? tally_recording_totals(losses->recording).missing : 0;
}
