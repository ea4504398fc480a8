/* SPDX-License-Identifier: MIT */
/* tally list workloads, tally list faults: what can be called by name. */
#include "cli/list_named.h"

#include <stdio.h>
#include <string.h>

#include <tally/workload.h>

#include "base/bits.h"
#include "emulation/faults/faults.h"

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
        warn("%s of the search path: %s", what, strerror(-count));
    if (count < 0)
        return exit_code_of(count);
    if (!count) {
        warn("no %s in the search path", what);
        return EXIT_FAILED;
    }
    return all->code;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static const struct list_column workload_columns[] = {
    {"name", LIST_TEXT, 1, 0, -16, "name"},     {"description", LIST_TEXT, 4, 2, 0, "description"},
    {"phases", LIST_NUMBER, 2, 1, 6, "phases"}, {"duration_ns", LIST_NUMBER, 3, 1, 12, "duration"},
    {"seed", LIST_NUMBER, 0, 0, 0, NULL},       {"file", LIST_TEXT, 0, 0, 0, NULL},
};
static const struct list_kind workload_list = LIST_KIND("workload", workload_columns);

static void put_workload(void *closure, const char *path)
{
    struct named_listing *all = closure;
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_info info;
    if (tally_workload_load(path, &workload, &error) < 0) {
        note_error(all, &error);
        return;
    }
    tally_workload_describe(workload, &info);
    char duration[32];
    snprintf(duration, sizeof duration, "%.6g ms", (double)info.duration_ns / 1e6);
    const struct list_cell cells[ARRAY_COUNT(workload_columns)] = {
        {.text = info.name},     {.text = info.description},
        {.number = info.phases}, {.number = info.duration_ns, .shown = duration},
        {.number = info.seed},   {.text = info.file},
    };
    list_row(&all->listing->list, cells);
    tally_workload_free(workload);
}

int list_workloads(struct listing *listing)
{
    struct named_listing all = {listing, EXIT_DONE};
    begin_list(listing, &workload_list);
    return end_listing(&all, tally_workload_list(put_workload, &all), "workloads");
}

/* ---- scripts of faults ----------------------------------------------------------------------- */

static const struct list_column script_columns[] = {
    {"name", LIST_TEXT, 1, 0, -16, "name"},     {"description", LIST_TEXT, 3, 2, 0, "description"},
    {"faults", LIST_NUMBER, 2, 1, 6, "faults"}, {"seed", LIST_NUMBER, 0, 0, 0, NULL},
    {"file", LIST_TEXT, 0, 0, 0, NULL},
};
static const struct list_kind script_list = LIST_KIND("faults", script_columns);

static void put_script(void *closure, const char *path)
{
    struct named_listing *all = closure;
    struct tally_error error = {0};
    struct faults_script *script;
    if (faults_load(path, &script, &error) < 0) {
        note_error(all, &error);
        return;
    }
    struct faults_info info = faults_describe(script);
    const struct list_cell cells[ARRAY_COUNT(script_columns)] = {
        {.text = info.name},   {.text = info.description}, {.number = info.faults},
        {.number = info.seed}, {.text = info.file},
    };
    list_row(&all->listing->list, cells);
    faults_script_free(script);
}

int list_faults(struct listing *listing)
{
    struct named_listing all = {listing, EXIT_DONE};
    begin_list(listing, &script_list);
    return end_listing(&all, faults_list(put_script, &all), "scripts of faults");
}
