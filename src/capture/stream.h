/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_STREAM_H
#define TALLY_CAPTURE_STREAM_H

#include "capture/gpu.h"

/*
 * Opens a periodic non-blocking stream of the whole GPU, in the format gpu->info.oa_format. Returns
 * its descriptor, or an errno with a message; for -EACCES it names the sysctl or capability that is
 * missing.
 */
int stream_open(const struct gpu *gpu, uint64_t set_id, unsigned exponent,
                struct tally_error *error);

#endif
