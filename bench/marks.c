/* SPDX-License-Identifier: MIT */
/*
 * What a mark costs the program: recorded, where a thread drains the pipe as tally record does, and
 * not recorded.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tally/mark.h>

#include "bench.h"

#define RUNS  9
#define MARKS 100000

static void *drain(void *closure)
{
    char bytes[16384];
    while (read(*(int *)closure, bytes, sizeof bytes) > 0)
        continue;
    return NULL;
}

static double median_ns(void)
{
    double seconds[RUNS];
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now();
        for (unsigned i = 0; i < MARKS; i++)
            tally_mark("draw the shadows");
        seconds[run] = bench_now() - start;
    }
    return bench_median(seconds, RUNS) * 1e9 / MARKS;
}

/* Measures in a process of its own, since the environment is read once. */
static void bench_calls(const char *what, int recorded)
{
    int ends[2];
    pthread_t thread;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (recorded) {
            struct stat status;
            char text[64];
            if (pipe2(ends, O_CLOEXEC) < 0 || fstat(ends[1], &status) < 0)
                _exit(1);
            snprintf(text, sizeof text, "%d", ends[1]);
            setenv("TALLY_MARK_FD", text, 1);
            snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)status.st_dev,
                     (unsigned long long)status.st_ino);
            setenv("TALLY_MARK_ID", text, 1);
            pthread_create(&thread, NULL, drain, &ends[0]);
        } else {
            unsetenv("TALLY_MARK_FD");
        }
        if (tally_mark_enabled() != recorded)
            _exit(1);
        printf("  %-44s %8.1f ns\n", what, median_ns());
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        exit(1);
}

int main(void)
{
    puts("marks of a program");
    bench_calls("tally_mark(), recorded", 1);
    bench_calls("tally_mark(), not recorded", 0);
    return 0;
}
