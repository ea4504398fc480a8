/* SPDX-License-Identifier: MIT */
/* The counters of a device: copies of those of its metric set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "serve/device.h"

void counters_free(struct serve_device *device)
{
    for (size_t i = 0; i < device->counter_count; i++) {
        struct serve_counter *counter = &device->counters[i];
        free(counter->symbol);
        free(counter->name);
        free(counter->description);
        free(counter->units);
        free(counter->group);
        free(counter->equation);
        free(counter->formula);
    }
    free(device->counters);
    device->counters = NULL;
    device->counter_count = 0;
}

static bool copy_counter(struct serve_counter *to, const struct tally_counter *from)
{
    to->value = to->overall = (double)NAN;
    to->symbol = strdup(from->symbol);
    to->name = strdup(from->name);
    to->description = strdup(from->description);
    to->units = strdup(from->units);
    to->group = strdup(from->group);
    to->equation = strdup(from->equation);
    to->formula = strdup(from->formula);
    if (!to->symbol || !to->name || !to->description || !to->units || !to->group || !to->equation ||
        !to->formula)
        return false;
    series_name(to, from->semantic);
    return true;
}

bool counters_copy(struct serve_device *device, const struct tally_pipeline *pipeline)
{
    bool made;
    device->counters = calloc(pipeline->counter_count + 1, sizeof *device->counters);
    made = device->counters != NULL;
    for (size_t i = 0; made && i < pipeline->counter_count; i++) {
        device->counter_count++;
        made = copy_counter(&device->counters[i], &pipeline->set->counters[pipeline->counters[i]]);
    }
    return made;
}

bool counters_are_those(const struct serve_device *device, const struct tally_pipeline *pipeline)
{
    bool same = device->counter_count == pipeline->counter_count;
    for (size_t i = 0; same && i < device->counter_count; i++)
        same = !strcmp(device->counters[i].symbol,
                       pipeline->set->counters[pipeline->counters[i]].symbol);
    return same;
}
