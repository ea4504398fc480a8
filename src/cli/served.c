/* SPDX-License-Identifier: MIT */
#include "cli/served.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int write_unknown(const struct arguments *arguments, const struct vm_server *server)
{
    const char *path = arguments->values[OPTION_UNKNOWN];
    struct tally_error error;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!path)
        return EXIT_DONE;
    if (file)
        vm_server_write_unknown(server, file);
    bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        fail(&error, -EIO, "%s: %s", path, strerror(errno));
        return report_error(&error);
    }
    return EXIT_DONE;
}

void warn_lost_time(const char *command, const struct vm_server_stats *stats)
{
    if (stats->lost_ns)
        fprintf(stderr,
                "tally: %s: the model was slower than the clock: the GPU lost %" PRIu64 " ms\n",
                command, stats->lost_ns / 1000000);
}

int parse_server_clock(const char *command, const char *text, enum vm_clock *clock)
{
    bool is_guest = text && !strcmp(text, "guest");
    if (text && !is_guest && strcmp(text, "wall") != 0)
        return usage_error("%s: --clock %s, expected wall or guest", command, text);
    *clock = is_guest ? VM_CLOCK_GUEST : VM_CLOCK_WALL;
    return EXIT_DONE;
}
