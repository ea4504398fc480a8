/* SPDX-License-Identifier: MIT */
#include "capture/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/uuid.h"

#define DEFAULT_SET        "RenderBasic"
#define DEFAULT_NVIDIA_SET "Overview"

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

static int find_set(struct set_choice *choice, const struct gpu *gpu,
                    const struct set_wanted *wanted, struct tally_error *error)
{
    const char *symbol = wanted->name ? wanted->name : DEFAULT_SET;
    choice->catalog = tally_catalog_new(wanted->directory);
    if (!choice->catalog)
        return fail_memory(error, "the metric sets");
    if (gpu->chipset && !wanted->name)
        return 0; /* plan_default() */
    return tally_catalog_find(choice->catalog, gpu->device.chipset,
                              is_uuid(symbol, strlen(symbol)) ? symbol : NULL, symbol,
                              &choice->metrics, error);
}

static int fail_for_models(const struct gpu *gpu, const struct tally_metric_set *set,
                           struct tally_error *error)
{
    return fail(error, -ENOENT,
                "metric set %s of %s is for modelled GPUs only, as no unit's signals of it are "
                "public, expected expressions over signals, such as 1:0xc8",
                set->symbol, tally_device_title(&gpu->device));
}

/* Plans a set of an NVIDIA chipset. Returns -EINVAL if the driver cannot count it. */
static int plan_set(struct set_choice *choice, const struct gpu *gpu,
                    const struct tally_metric_set *set, bool split, struct tally_error *error)
{
    choice->metrics = set;
    int result = counting_of_set(&choice->counting, set, split, error);
    if (result == 0 && gpu->driver->try_counting)
        result = gpu->driver->try_counting(gpu, &choice->counting, error);
    return result;
}

/* Plans the default set of an NVIDIA chipset: DEFAULT_NVIDIA_SET, or the first one that the driver
 * can count. */
static int plan_default(struct set_choice *choice, const struct gpu *gpu, bool split, bool modelled,
                        struct tally_error *error)
{
    const struct tally_metric_set *const *sets;
    ptrdiff_t count = tally_catalog_sets(choice->catalog, gpu->device.chipset, &sets, error);
    if (count < 0)
        return (int)count;
    if (!count)
        return fail(error, -ENOENT,
                    "%s has no metric sets, as no unit's signals of it are public, expected "
                    "expressions over signals, such as 1:0xc8",
                    tally_device_title(&gpu->device));
    ptrdiff_t preferred = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        if (!strcmp(sets[i]->symbol, DEFAULT_NVIDIA_SET))
            preferred = i;
    if (sets[preferred]->modelled && !modelled)
        return fail_for_models(gpu, sets[preferred], error);
    int result = plan_set(choice, gpu, sets[preferred], split, error);
    for (ptrdiff_t i = 0; i < count && result == -EINVAL && gpu->driver->try_counting; i++) {
        if (i == preferred)
            continue;
        counting_fini(&choice->counting);
        result = plan_set(choice, gpu, sets[i], split, error);
    }
    return result;
}

/* Plans what PCOUNTER counts. */
static int plan(struct set_choice *choice, const struct gpu *gpu, const struct set_wanted *wanted,
                struct tally_error *error)
{
    int result;
    if (wanted->packets)
        result = counting_of_packets(&choice->counting, gpu->device.nvidia, wanted->expressions,
                                     wanted->expression_count, wanted->packets, error);
    else if (wanted->expression_count)
        result = counting_of_expressions(&choice->counting, gpu->device.nvidia, wanted->expressions,
                                         wanted->expression_count, error);
    else if (wanted->name && choice->metrics->modelled && !wanted->modelled)
        result = fail_for_models(gpu, choice->metrics, error);
    else if (wanted->name)
        result = counting_of_set(&choice->counting, choice->metrics, wanted->split_ratios, error);
    else
        result = plan_default(choice, gpu, wanted->split_ratios, wanted->modelled, error);
    choice->set = (struct set){.symbol = choice->metrics ? choice->metrics->symbol : "",
                               .uuid = "",
                               .counting = &choice->counting};
    return result;
}

int set_choice_init(struct set_choice *choice, const struct gpu *gpu,
                    const struct set_wanted *wanted, struct tally_error *error)
{
    *choice = (struct set_choice){0};
    if (wanted->expression_count && wanted->name)
        return fail(error, -EINVAL, "a metric set and expressions, expected one of them");
    if ((wanted->expression_count || wanted->split_ratios || wanted->packets) && !gpu->chipset)
        return fail(error, -EINVAL,
                    "expressions, split_ratios and packets are for NVIDIA GPUs, and %s is not one",
                    tally_device_title(&gpu->device));
    if (wanted->packets && !wanted->expression_count)
        return fail(error, -EINVAL, "packets without expressions, expected signals to record");
    int result = wanted->expression_count ? 0 : find_set(choice, gpu, wanted, error);
    if (result < 0)
        return result;
    return gpu->chipset ? plan(choice, gpu, wanted, error) : collect(choice, gpu, error);
}

void set_choice_fini(struct set_choice *choice)
{
    for (size_t list = 0; list < SET_LISTS; list++)
        free(choice->writes[list]);
    counting_fini(&choice->counting);
    tally_catalog_free(choice->catalog);
    *choice = (struct set_choice){0};
}
