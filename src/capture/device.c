/* SPDX-License-Identifier: MIT */
#include "capture/device.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int device_number(const struct device *device, const char *path, uint64_t *out)
{
    char text[32], *end;
    int result = device->calls->text(device->self, path, text, sizeof text);
    if (result < 0)
        return result;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return isdigit((unsigned char)text[0]) && !*end && !errno ? 0 : -EINVAL;
}

void device_free(struct device *device)
{
    if (device->calls)
        device->calls->free(device->self);
    *device = (struct device){0};
}
