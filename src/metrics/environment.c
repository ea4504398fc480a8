/* SPDX-License-Identifier: MIT */
/* The $Variables of equations: a table of names with the source of each value. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "metrics/equation.h"

#define AT(member) offsetof(struct tally_environment, member)

enum variable_kind { U64, U32, THREADS, QUERY_MODE };

/* PERF-9.2. The second block has the names that files for Xe GPUs use. */
static const struct variable {
    const char *name;
    enum variable_kind kind;
    size_t at;
} variables[] = {
    {"$GpuTimestampFrequency", U64, AT(timestamp_hz)},
    {"$GpuMinFrequency", U64, AT(gt_min_hz)},
    {"$GpuMaxFrequency", U64, AT(gt_max_hz)},
    {"$EuCoresTotalCount", U32, AT(topology.eus)},
    {"$EuSlicesTotalCount", U32, AT(topology.slices)},
    {"$EuSubslicesTotalCount", U32, AT(topology.subslices)},
    {"$EuThreadsCount", THREADS, 0},
    {"$SliceMask", U64, AT(topology.slice_mask)},
    {"$SubsliceMask", U64, AT(topology.subslice_mask)},
    {"$SkuRevisionId", U32, AT(revision)},
    {"$QueryMode", QUERY_MODE, 0},

    {"$DualSubsliceMask", U64, AT(topology.subslice_mask)},
    {"$XeCoreMask", U64, AT(topology.subslice_mask)},
    {"$XeCoreTotalCount", U32, AT(topology.subslices)},
    {"$VectorEngineTotalCount", U32, AT(topology.eus)},
    {"$VectorEngineThreadsCount", THREADS, 0},
};

/*
 * Parses $GtSliceN and $GtSliceNXeCoreM (N and M below 64), the variables that are 1 if a slice or
 * a core is enabled. *core is -1 for a slice. Returns false if the name has another form.
 */
static bool parse_gt_slice(const char *name, unsigned long *slice, long *core)
{
    char *end;
    if (strncmp(name, "$GtSlice", 8) != 0 || name[8] < '0' || name[8] > '9')
        return false;
    *slice = strtoul(name + 8, &end, 10);
    *core = -1;
    if (*end == '\0')
        return *slice < 64;
    if (strncmp(end, "XeCore", 6) != 0 || end[6] < '0' || end[6] > '9')
        return false;
    *core = strtol(end + 6, &end, 10);
    return *end == '\0' && *slice < 64 && *core >= 0 && *core < 64;
}

bool variable_known(const char *name)
{
    unsigned long slice;
    long core;
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++)
        if (!strcmp(variables[i].name, name))
            return true;
    return strlen(name) < sizeof((struct node *)0)->variable && parse_gt_slice(name, &slice, &core);
}

int tally_environment_get(const struct tally_environment *environment, const char *name,
                          uint64_t *out)
{
    unsigned long slice;
    long core;
    if (parse_gt_slice(name, &slice, &core)) {
        const struct tally_topology *topology = &environment->topology;
        *out = topology->slice_mask >> slice & 1;
        if (core >= 0) {
            /* The mask has a fixed number of bits per slice: 4 on MTL. */
            uint64_t bit = slice * 4 + (unsigned long)core;
            *out = bit < 64 ? topology->subslice_mask >> bit & 1 : 0;
        }
        return 0;
    }
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
        const struct variable *variable = &variables[i];
        const char *at = (const char *)environment + variable->at;
        uint32_t word;
        if (strcmp(variable->name, name) != 0)
            continue;
        switch (variable->kind) {
        case U64:
            memcpy(out, at, sizeof *out);
            break;
        case U32:
            memcpy(&word, at, sizeof word);
            *out = word;
            break;
        case THREADS:
            *out = environment->eu_threads;
            if (!*out && environment->platform)
                *out = environment->platform->eu_threads;
            break;
        case QUERY_MODE:
            *out = environment->query_mode;
            break;
        }
        return 0;
    }
    return -ENOENT;
}

void tally_environment_of(const struct tally_recording_info *info, struct tally_environment *out)
{
    const struct tally_sku *sku = tally_sku_of_device(info->device.id);
    *out = (struct tally_environment){
        .platform = info->device.platform,
        .topology = info->topology,
        .timestamp_hz = info->recorded.timestamp_hz,
        .gt_min_hz = info->recorded.gt_min_hz,
        .gt_max_hz = info->recorded.gt_max_hz,
        .revision = info->recorded.revision,
        .eu_threads = sku ? sku->eu_threads : 0,
    };
}

void tally_environment_of_sku(const struct tally_sku *sku, struct tally_environment *out)
{
    const struct tally_platform *platform = tally_platform_find(sku->platform);
    *out = (struct tally_environment){
        .platform = platform,
        .timestamp_hz = platform->timestamp_hz,
        .gt_min_hz = sku->gt_min_mhz * UINT64_C(1000000),
        .gt_max_hz = sku->gt_max_mhz * UINT64_C(1000000),
        .eu_threads = sku->eu_threads,
    };
    tally_sku_topology(sku, 0, &out->topology);
}

void tally_environment_default(const struct tally_platform *platform, struct tally_environment *out)
{
    tally_environment_of_sku(tally_sku_find(platform->name), out);
}
