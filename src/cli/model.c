/* SPDX-License-Identifier: MIT */
#include "cli/model.h"

#include <stdio.h>
#include <string.h>

#include <tally/capture.h>
#include <tally/chipset.h>
#include <tally/platform.h>

#include "cli/unknown.h"

bool is_model(const char *device)
{
    return !strncmp(device, MODEL_PREFIX, strlen(MODEL_PREFIX));
}

struct search {
    const char *name;
    size_t length; /* without the SKU */
    bool found;
};

static void compare_model(void *closure, const struct tally_capture_device *device)
{
    struct search *search = closure;
    search->found |= device->modelled && strlen(device->name) == search->length &&
                     !strncmp(device->name, search->name, search->length);
}

int check_model(const char *device)
{
    struct search search = {.name = device, .length = strcspn(device, "/")};
    const char *name = device + strlen(MODEL_PREFIX);
    tally_capture_list(compare_model, &search);
    const struct tally_chipset *chipset = tally_chipset_find(name);
    if (!search.found && chipset)
        return usage_error("device \"%s\": %s has no model, expected one of tally record -d list",
                           device, chipset->title);
    if (!search.found)
        return unknown_model(device);
    if (!chipset && !tally_sku_find(name))
        return unknown_sku(name);
    return EXIT_DONE;
}

int model_option(const char *command, const struct arguments *arguments, enum option_id id,
                 const char *usual, const char **name)
{
    const char *given = arguments->values[id];
    char device[64];
    *name = usual;
    if (!given)
        return EXIT_DONE;
    if (is_model(given)) {
        *name = given + strlen(MODEL_PREFIX);
        return check_model(given);
    }
    snprintf(device, sizeof device, MODEL_PREFIX "%.50s", given);
    if (!arguments->former_name) {
        if (tally_chipset_find(given) || tally_sku_find(given))
            return usage_error("%s: device \"%s\", expected %s (see tally record -d list)", command,
                               given, device);
        return usage_error("%s: device \"%s\", expected a modelled GPU such as sim:%s (see tally "
                           "record -d list)",
                           command, given, usual);
    }
    *name = given;
    return check_model(device);
}
