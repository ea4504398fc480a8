/* SPDX-License-Identifier: MIT */
/* tally list workloads. */
#include "cli/workloads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <tally/workload.h>

#include "sink/json.h"

struct workload_listing {
    struct listing *listing;
    int code; /* the worst so far; a bad file does not hide the others */
};

static void put_workload(void *closure, const char *path)
{
    struct workload_listing *all = closure;
    struct output *output = all->listing->output;
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_info info;
    if (tally_workload_load(path, &workload, &error) < 0) {
        int code = tell_error(&error);
        all->code = code > all->code ? code : all->code;
        return;
    }
    tally_workload_describe(workload, &info);
    if (all->listing->json) {
        output_text(output, "{\"type\":\"workload\",\"name\":");
        json_text(output, info.name);
        json_member(output, "description", info.description);
        output_printf(output, ",\"phases\":%zu,\"duration_ns\":%" PRIu64 ",\"seed\":%" PRIu64,
                      info.phases, info.duration_ns, info.seed);
        json_member(output, "file", info.file);
        output_text(output, "}\n");
    } else {
        output_printf(output, "%-16s %6zu %9.6g ms  %s\n", info.name, info.phases,
                      (double)info.duration_ns / 1e6, info.description);
    }
    tally_workload_free(workload);
}

int list_workloads(struct listing *listing)
{
    struct workload_listing all = {listing, EXIT_DONE};
    put_heading(listing, "%-16s %6s %12s  %s\n", "name", "phases", "duration", "description");
    int count = tally_workload_list(put_workload, &all);
    if (count < 0)
        return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
    if (!count) {
        fprintf(stderr, "tally: no workloads in the search path\n");
        return EXIT_NO;
    }
    return all.code;
}
