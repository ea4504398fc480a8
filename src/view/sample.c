/* SPDX-License-Identifier: MIT */
#include "view/sample.h"

#include <stdlib.h>

void view_device_info_free(struct view_device_info *info)
{
    if (!info)
        return;
    for (size_t i = 0; i < info->counter_count; i++) {
        free(info->counters[i].symbol);
        free(info->counters[i].name);
        free(info->counters[i].description);
        free(info->counters[i].units);
        free(info->counters[i].group);
    }
    free(info->counters);
    free(info->name);
    free(info->title);
    free(info->set);
    free(info);
}
