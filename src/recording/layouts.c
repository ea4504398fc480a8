/* SPDX-License-Identifier: MIT */
/* The layouts of all kinds of devices. */
#include <string.h>
#include <strings.h>

#include <tally/platform.h>

#include "intel/report/layouts.h"
#include "recording/pcounter_layouts.h"

size_t tally_layout_count(void)
{
    return report_layout_count + pcounter_layout_count;
}

const struct tally_layout *tally_layout_at(size_t index)
{
    if (index < report_layout_count)
        return &report_layouts[index];
    index -= report_layout_count;
    return index < pcounter_layout_count ? &pcounter_layouts[index] : NULL;
}

static const struct tally_layout *find_in_family(const char *family, const char *format)
{
    const struct tally_layout *layout;
    for (size_t i = 0; (layout = tally_layout_at(i)); i++) {
        if (strcmp(layout->family, family) != 0)
            continue;
        if (!strcasecmp(layout->name, format) || (layout->alias && !strcmp(layout->alias, format)))
            return layout;
    }
    return NULL;
}

const struct tally_layout *tally_layout_find(const char *name)
{
    const char *slash = strchr(name, '/');
    char prefix[16];
    if (!slash || (size_t)(slash - name) >= sizeof prefix)
        return NULL;
    for (size_t i = 0; i <= (size_t)(slash - name); i++)
        prefix[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
    prefix[slash - name] = '\0';

    const struct tally_platform *platform = tally_platform_find(prefix);
    return find_in_family(platform ? platform->layout_family : prefix, slash + 1);
}
