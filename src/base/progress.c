/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>

#define MIB         (1024.0 * 1024.0)
#define BAR_COLUMNS 40

/* Copies a text, cut to `columns` characters and to `size` bytes including the NUL. */
static void cut_into(char *line, size_t size, const char *text, unsigned columns)
{
    snprintf(line, size < columns + (size_t)1 ? size : columns + (size_t)1, "%s", text);
}

void progress_line(char *line, size_t size, uint64_t done, uint64_t total, uint64_t elapsed_ns,
                   unsigned columns)
{
    char tail[96];
    double seconds = (double)elapsed_ns / 1e9;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    if (!total) {
        snprintf(tail, sizeof tail, "%.1f MiB  %.0f MiB/s", (double)done / MIB, rate / MIB);
        cut_into(line, size, tail, columns);
        return;
    }
    double share = done < total ? (double)done / (double)total : 1;
    double left = rate > 0 ? (double)(total - (done < total ? done : total)) / rate : 0;
    unsigned tail_size =
        (unsigned)snprintf(tail, sizeof tail, " %3.0f%%  %.1f of %.1f MiB  %.0f MiB/s  %.0f s",
                           share * 100, (double)done / MIB, (double)total / MIB, rate / MIB, left);
    unsigned bar = columns > tail_size + 12 ? columns - tail_size - 3 : 0;
    if (bar > BAR_COLUMNS)
        bar = BAR_COLUMNS;
    if (!bar || size < bar + tail_size + 3) {
        cut_into(line, size, tail + 1, columns);
        return;
    }
    unsigned filled = (unsigned)(share * bar + 0.5);
    line[0] = '[';
    memset(line + 1, '#', filled);
    memset(line + 1 + filled, '-', bar - filled);
    line[1 + bar] = ']';
    memcpy(line + 2 + bar, tail, tail_size + 1);
}
