/* SPDX-License-Identifier: MIT */
#include "capture/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/uuid.h"

#define DEFAULT_SET "RenderBasic"

static const char *const list_types[SET_LISTS] = {
    [SET_MUX] = "NOA", [SET_BOOLEAN] = "OA", [SET_FLEX] = "FLEX"};

/* Builds the kernel's register lists from the writes of the set on this GPU. */
static int collect(struct set_choice *choice, const struct gpu *gpu, struct tally_error *error)
{
    struct tally_environment environment = {
        .platform = gpu->device.platform,
        .topology = gpu->topology,
        .timestamp_hz = gpu->info.timestamp_hz,
        .gt_min_hz = gpu->info.gt_min_hz,
        .gt_max_hz = gpu->info.gt_max_hz,
        .revision = gpu->info.revision,
        .eu_threads = tally_sku_of_device(gpu->device.id)->eu_threads,
    };
    choice->set = (struct set){.symbol = choice->metrics->symbol, .uuid = choice->metrics->uuid};
    for (size_t list = 0; list < SET_LISTS; list++) {
        struct tally_register_write *writes = NULL;
        ptrdiff_t count = tally_metric_set_writes(choice->metrics, list_types[list], &environment,
                                                  &writes, error);
        if (count < 0)
            return (int)count;
        choice->writes[list] = calloc((size_t)count + 1, sizeof *choice->writes[list]);
        for (ptrdiff_t i = 0; choice->writes[list] && i < count; i++)
            choice->writes[list][i] = (struct set_write){writes[i].address, writes[i].value};
        free(writes);
        if (!choice->writes[list])
            return fail_memory(error, "a metric set");
        choice->set.lists[list].writes = choice->writes[list];
        choice->set.lists[list].count = (uint32_t)count;
    }
    return 0;
}

int set_choice_init(struct set_choice *choice, const struct gpu *gpu, const char *name,
                    const char *directory, struct tally_error *error)
{
    const char *symbol = name ? name : DEFAULT_SET;
    *choice = (struct set_choice){.catalog = tally_catalog_new(directory)};
    if (!choice->catalog)
        return fail_memory(error, "the metric sets");
    int result = tally_catalog_find(choice->catalog, gpu->device.chipset,
                                    is_uuid(symbol, strlen(symbol)) ? symbol : NULL, symbol,
                                    &choice->metrics, error);
    return result < 0 ? result : collect(choice, gpu, error);
}

void set_choice_fini(struct set_choice *choice)
{
    for (size_t list = 0; list < SET_LISTS; list++)
        free(choice->writes[list]);
    tally_catalog_free(choice->catalog);
    *choice = (struct set_choice){0};
}
