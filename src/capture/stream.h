/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_STREAM_H
#define TALLY_CAPTURE_STREAM_H

#include "capture/gpu.h"

/*
 * Opens a periodic stream of the whole GPU, which does not block, in the platform's full format.
 * Returns its descriptor, or an errno with a message that says what is missing: the sysctl or the
 * capability for -EACCES.
 */
int stream_open(const struct gpu *gpu, uint64_t set_id, unsigned exponent,
                struct tally_error *error);

#endif
