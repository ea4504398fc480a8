/* SPDX-License-Identifier: MIT */
/*
 * States what it is doing, for a recording. A complete program that uses only public headers.
 *
 *     cc marks.c -o marks $(pkg-config --cflags --libs tally)
 *     tally record -d sim:skl -- ./marks
 *     tally report --by mark tally.i915-perf
 */
#include <stdio.h>
#include <time.h>

#include <tally/mark.h>

static void work(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

int main(void)
{
    tally_mark("load");
    work(100);
    tally_mark("render");
    for (int i = 0; i < 5; i++) {
        tally_mark_begin("shadows");
        work(20);
        tally_mark_end("shadows");
        work(20);
        tally_mark_frame();
    }
    puts(tally_mark_enabled() ? "recorded" : "not recorded");
    return 0;
}
