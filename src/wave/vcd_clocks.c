/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include <tally/vcd.h>

int tally_vcd_clocks(const struct tally_vcd_signal *signal, uint64_t step, uint64_t **edges,
                     size_t *count)
{
    *edges = NULL;
    *count = 0;
    if (!step)
        return -EINVAL;
    if (!signal->count)
        return 0;
    if (signal->count > SIZE_MAX / sizeof **edges)
        return -ENOMEM;
    uint64_t *found = malloc(signal->count * sizeof *found);
    if (!found)
        return -ENOMEM;
    size_t used = 0;
    for (size_t i = 0; i < signal->count; i++) {
        /* The first clock that samples at or after the toggle. Two toggles before it cancel. */
        uint64_t time = signal->times[i], clock = time / step + (time % step != 0);
        if (used && found[used - 1] == clock)
            used--;
        else
            found[used++] = clock;
    }
    if (!used) {
        free(found);
        return 0;
    }
    uint64_t *fitting = realloc(found, used * sizeof *found);
    *edges = fitting ? fitting : found;
    *count = used;
    return 0;
}
