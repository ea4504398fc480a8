/* SPDX-License-Identifier: MIT */
/* tally list workloads, tally list faults: what can be called by name. */
#include "cli/list_named.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <tally/workload.h>

#include "emulation/faults/faults.h"
#include "sink/json.h"

struct named_listing {
    struct listing *listing;
    int code; /* the worst so far; a bad file does not hide the others */
};

static void note_error(struct named_listing *all, const struct tally_error *error)
{
    int code = report_error(error);
    all->code = code > all->code ? code : all->code;
}

static int end_listing(const struct named_listing *all, int count, const char *what)
{
    if (count < 0)
        return report_error(&(struct tally_error){-ENOMEM, "out of memory"});
    if (!count) {
        fprintf(stderr, "tally: no %s in the search path\n", what);
        return EXIT_FAILED;
    }
    return all->code;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static void put_workload(void *closure, const char *path)
{
    struct named_listing *all = closure;
    struct output *output = all->listing->output;
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_info info;
    if (tally_workload_load(path, &workload, &error) < 0) {
        note_error(all, &error);
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
    struct named_listing all = {listing, EXIT_DONE};
    put_heading(listing, "%-16s %6s %12s  %s\n", "name", "phases", "duration", "description");
    return end_listing(&all, tally_workload_list(put_workload, &all), "workloads");
}

/* ---- scripts of faults ----------------------------------------------------------------------- */

static void put_script(void *closure, const char *path)
{
    struct named_listing *all = closure;
    struct output *output = all->listing->output;
    struct tally_error error = {0};
    struct faults_script *script;
    if (faults_load(path, &script, &error) < 0) {
        note_error(all, &error);
        return;
    }
    struct faults_info info = faults_describe(script);
    if (all->listing->json) {
        output_text(output, "{\"type\":\"faults\",\"name\":");
        json_text(output, info.name);
        json_member(output, "description", info.description);
        output_printf(output, ",\"faults\":%zu,\"seed\":%" PRIu64, info.faults, info.seed);
        json_member(output, "file", info.file);
        output_text(output, "}\n");
    } else {
        output_printf(output, "%-16s %6zu  %s\n", info.name, info.faults, info.description);
    }
    faults_script_free(script);
}

int list_faults(struct listing *listing)
{
    struct named_listing all = {listing, EXIT_DONE};
    put_heading(listing, "%-16s %6s  %s\n", "name", "faults", "description");
    return end_listing(&all, faults_list(put_script, &all), "scripts of faults");
}
