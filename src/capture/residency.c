/* SPDX-License-Identifier: MIT */
#include "capture/residency.h"

#include <errno.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "capture/capture.h"
#include "emulation/emulation.h"

/* The kernel's file, in milliseconds: its first name, and that of the first tile. */
static const char *const files[] = {"power/rc6_residency_ms", "gt/gt0/rc6_residency_ms"};

int capture_rc6_ns(const struct tally_capture *capture, uint64_t *rc6_ns, uint64_t *now_ns)
{
    const struct gpu *gpu = &capture->gpu;
    if (gpu->chipset)
        return -ENODATA;
    *now_ns = device_now_ns(&capture->machine);
    if (capture->emulation) {
        *rc6_ns = tally_gpu_rc6_ns(capture->emulation->gpu);
        return 0;
    }
    int result = -ENOENT;
    for (size_t i = 0; *gpu->card && result < 0 && i < ARRAY_COUNT(files); i++) {
        char path[sizeof gpu->card + 32];
        snprintf(path, sizeof path, "%s/%s", gpu->card, files[i]);
        result = device_number(&capture->machine, path, rc6_ns);
    }
    if (result == 0)
        *rc6_ns *= NS_PER_SECOND / 1000;
    return result;
}
