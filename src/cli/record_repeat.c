/* SPDX-License-Identifier: MIT */
/* tally record --repeat: the names of the recordings, and signals between them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "cli/record.h"

#define NAME   "tally"
#define SUFFIX ".i915-perf"

int repeat_parse(const struct arguments *arguments, unsigned *count)
{
    const char *text = arguments->values[OPTION_REPEAT];
    char *end;
    *count = 0;
    if (!text)
        return EXIT_DONE;
    unsigned long number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || !number || number > REPEAT_MAX)
        return usage_error("record: --repeat \"%s\", expected a number from 1 to %d", text,
                           REPEAT_MAX);
    *count = (unsigned)number;
    return EXIT_DONE;
}

bool repeat_path(char *path, size_t size, const char *output, unsigned run, unsigned count)
{
    struct stat status;
    size_t length = strlen(output);
    bool is_directory = (length && output[length - 1] == '/') ||
                        (stat(output, &status) == 0 && S_ISDIR(status.st_mode));
    const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
    int digits = snprintf(NULL, 0, "%u", count), used;
    if (!dot || dot == (slash ? slash + 1 : output) || (slash && dot < slash))
        dot = output + length;
    if (is_directory)
        used = snprintf(path, size, "%s%s" NAME "-%0*u" SUFFIX, output,
                        length && output[length - 1] == '/' ? "" : "/", digits, run);
    else
        used = snprintf(path, size, "%.*s-%0*u%s", (int)(dot - output), output, digits, run, dot);
    return used >= 0 && (size_t)used < size;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static sigset_t ending_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_COUNT(ending); i++)
        sigaddset(&set, ending[i]);
    return set;
}

void repeat_block(sigset_t *before)
{
    sigset_t set = ending_set();
    sigprocmask(SIG_BLOCK, &set, before);
}

int repeat_pending(void)
{
    const struct timespec now = {0, 0};
    sigset_t set = ending_set();
    int signal;
    do
        signal = sigtimedwait(&set, NULL, &now);
    while (signal < 0 && errno == EINTR);
    return signal > 0 ? signal : 0;
}
