/* SPDX-License-Identifier: MIT */
#include "testbench/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"

#define FIRST_PIECE (UINT64_C(1) << 16)
#define SHORT_NS    UINT64_C(20000000)
#define LONG_NS     UINT64_C(100000000)

int pace_run(const struct pace *pace, uint64_t total, pace_piece *piece, void *model,
             struct tally_error *error)
{
    uint64_t size = pace->step ? FIRST_PIECE : UINT64_MAX, done = 0;
    int result = 0;
    do {
        uint64_t count = min_u64(size, total - done), before = clock_ns(CLOCK_MONOTONIC);
        result = piece(model, count, error);
        uint64_t took = clock_ns(CLOCK_MONOTONIC) - before;
        done += count;
        if (took < SHORT_NS && size <= UINT64_MAX / 2)
            size *= 2;
        else if (took > LONG_NS && size > 4)
            size /= 4;
        if (result == 0 && done < total && !pace->step(pace->context, done, total))
            result =
                fail(error, -ECANCELED, "interrupted after %" PRIu64 " of %" PRIu64, done, total);
    } while (result == 0 && done < total);
    return result;
}
