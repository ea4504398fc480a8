/* SPDX-License-Identifier: MIT */
/* The progress bar on standard error, if that is a terminal. */
#include "cli/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/ratio.h"

void progress_start(struct progress *progress, bool quiet)
{
    struct winsize window = {0};
    *progress = (struct progress){.on = !quiet && isatty(STDERR_FILENO)};
    progress->started_ns = clock_ns(CLOCK_MONOTONIC);
    progress->next_ns = progress->started_ns + NS_PER_SECOND;
    bool known = progress->on && !ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col;
    progress->columns = known ? window.ws_col : 80;
}

bool progress_due(struct progress *progress)
{
    return progress->on && clock_ns(CLOCK_MONOTONIC) >= progress->next_ns;
}

void progress_show(struct progress *progress, const char *line)
{
    fprintf(stderr, "\r\033[K%.*s", (int)progress->columns - 1, line);
    progress->shown = true;
    progress->next_ns = clock_ns(CLOCK_MONOTONIC) + NS_PER_SECOND / 10;
}

void progress_step(void *closure, uint64_t done, uint64_t total)
{
    struct progress *progress = closure;
    char line[256];
    if (!progress_due(progress))
        return;
    progress_line(line, sizeof line, done, total, clock_ns(CLOCK_MONOTONIC) - progress->started_ns,
                  progress->columns - 1);
    progress_show(progress, line);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
