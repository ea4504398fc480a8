/* SPDX-License-Identifier: MIT */
/* Which metric set is recorded, and what it programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "cli/record.h"

/* Every platform has this one. */
#define USUAL_SET "RenderBasic"

static const char *const list_types[SET_LISTS] = {
    [SET_MUX] = "NOA", [SET_BOOLEAN] = "OA", [SET_FLEX] = "FLEX"};

static int open_catalog(const struct arguments *arguments, struct tally_catalog **out)
{
    *out = tally_catalog_new(arguments->values[OPTION_METRICS]);
    return *out ? EXIT_DONE : tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
}

int list_sets_of(const struct arguments *arguments, const struct gpu *gpu)
{
    struct tally_error error = {0};
    struct listing listing = {.arguments = arguments};
    const struct tally_metric_set *const *sets;
    struct tally_catalog *catalog;
    int code = open_catalog(arguments, &catalog);
    if (code != EXIT_DONE)
        return code;
    ptrdiff_t count = tally_catalog_sets(catalog, gpu->device.chipset, &sets, &error);
    if (count < 0)
        code = tell_error(&error);
    else if (count == 0) {
        fprintf(stderr, "tally: no metric sets for %s in the search path; see tally doctor\n",
                gpu->device.chipset);
        code = EXIT_NO;
    } else if ((listing.output = open_output(&(struct arguments){0}, &code))) {
        for (ptrdiff_t i = 0; i < count; i++)
            put_set(&listing, sets[i]);
        code = close_output(listing.output, code);
    }
    tally_catalog_free(catalog);
    return code;
}

static bool is_uuid(const char *text)
{
    return strlen(text) == 36 && text[8] == '-' && text[13] == '-';
}

static int find(const struct arguments *arguments, const struct gpu *gpu, struct picked_set *picked)
{
    struct tally_error error = {0};
    const char *asked = arguments->values[OPTION_SET];
    const char *symbol = asked ? asked : USUAL_SET;
    int result =
        tally_catalog_find(picked->catalog, gpu->device.chipset, is_uuid(symbol) ? symbol : NULL,
                           symbol, &picked->metrics, &error);
    return result < 0 ? tell_error(&error) : EXIT_DONE;
}

/* The kernel's lists of what the set writes on this GPU. */
static int collect(const struct gpu *gpu, struct picked_set *picked)
{
    struct tally_environment environment = {
        .platform = gpu->device.platform,
        .topology = gpu->topology,
        .timestamp_hz = gpu->info.timestamp_hz,
        .gt_min_hz = gpu->info.gt_min_hz,
        .gt_max_hz = gpu->info.gt_max_hz,
        .revision = gpu->info.revision,
    };
    picked->set = (struct set){.symbol = picked->metrics->symbol, .uuid = picked->metrics->uuid};
    for (size_t list = 0; list < SET_LISTS; list++) {
        struct tally_error error = {0};
        struct tally_register_write *writes = NULL;
        ptrdiff_t count = tally_metric_set_writes(picked->metrics, list_types[list], &environment,
                                                  &writes, &error);
        if (count < 0)
            return tell_error(&error);
        picked->writes[list] = calloc((size_t)count + 1, sizeof *picked->writes[list]);
        for (ptrdiff_t i = 0; picked->writes[list] && i < count; i++)
            picked->writes[list][i] = (struct set_write){writes[i].address, writes[i].value};
        free(writes);
        if (!picked->writes[list])
            return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
        picked->set.lists[list].writes = picked->writes[list];
        picked->set.lists[list].count = (uint32_t)count;
    }
    return EXIT_DONE;
}

int pick_set(const struct arguments *arguments, const struct gpu *gpu, struct picked_set *picked)
{
    *picked = (struct picked_set){0};
    int code = open_catalog(arguments, &picked->catalog);
    if (code == EXIT_DONE)
        code = find(arguments, gpu, picked);
    return code == EXIT_DONE ? collect(gpu, picked) : code;
}

void release_set(struct picked_set *picked)
{
    for (size_t list = 0; list < SET_LISTS; list++)
        free(picked->writes[list]);
    tally_catalog_free(picked->catalog);
}
