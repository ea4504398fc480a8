/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>

#define MIB (1024.0 * 1024.0)

void progress_line(char *line, size_t size, uint64_t done, uint64_t total, uint64_t elapsed_ns,
                   unsigned columns)
{
    char tail[80];
    double seconds = (double)elapsed_ns / 1e9;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    if (!total) {
        snprintf(line, size, "%.1f MiB  %.0f MiB/s", (double)done / MIB, rate / MIB);
        return;
    }
    double share = done < total ? (double)done / (double)total : 1;
    double left = rate > 0 ? (double)(total - (done < total ? done : total)) / rate : 0;
    int tail_size =
        snprintf(tail, sizeof tail, " %3.0f%%  %.1f of %.1f MiB  %.0f MiB/s  %.0f s", share * 100,
                 (double)done / MIB, (double)total / MIB, rate / MIB, left);
    unsigned room = columns > (unsigned)tail_size + 12 ? columns - (unsigned)tail_size - 3 : 0;
    if (room > 40)
        room = 40;
    if (!room || size < room + (unsigned)tail_size + 3) {
        snprintf(line, size, "%s", tail + 1);
        return;
    }
    unsigned filled = (unsigned)(share * room + 0.5);
    line[0] = '[';
    memset(line + 1, '#', filled);
    memset(line + 1 + filled, '-', room - filled);
    line[1 + room] = ']';
    memcpy(line + 2 + room, tail, (size_t)tail_size + 1);
}
