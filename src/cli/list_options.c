/* SPDX-License-Identifier: MIT */
/* tally list options: the options of the OA unit's model. */
#include <stdio.h>

#include "base/bits.h"
#include "cli/list_named.h"
#include "intel/oa/options.h"
#include "intel/platforms.h"

static const struct list_column option_columns[] = {
    {"name", LIST_TEXT, 1, 0, -14, "name"},
    {"platforms", LIST_TEXT, 2, 2, -51, "platforms"},
    {"meaning", LIST_TEXT, 3, 2, -80, "meaning"},
    {"reason", LIST_TEXT, 4, 2, 0, "reason"},
};
static const struct list_kind option_list = LIST_KIND("option", option_columns);

int list_options(struct listing *listing)
{
    begin_list(listing, &option_list);
    for (unsigned i = 0; i < TALLY_OA_OPTIONS; i++) {
        const struct oa_option_row *row = &oa_option_rows[i];
        char names[128] = "";
        size_t used = 0;
        for (size_t k = 0; tally_platform_at(k) && used < sizeof names; k++) {
            const struct tally_platform *info = tally_platform_at(k);
            const struct intel_platform *platform = intel_platform_of(info);
            if (!platform->oa || !row->exists(platform->oa) ||
                (listing->platform && listing->platform != info))
                continue;
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     info->name);
        }
        if (!used)
            continue;
        const struct list_cell cells[ARRAY_COUNT(option_columns)] = {
            {.text = row->name}, {.text = names}, {.text = row->meaning}, {.text = row->reason}};
        list_row(&listing->list, cells);
    }
    return EXIT_DONE;
}
