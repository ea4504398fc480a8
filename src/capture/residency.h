/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RESIDENCY_H
#define TALLY_CAPTURE_RESIDENCY_H

#include <tally/capture.h>

/* Gets for how long a GPU has been in RC6, in nanoseconds, and the time of its clock. Returns 0, or
 * a negative errno: the machine does not report it. Belongs to the thread of the capture. */
int capture_rc6_ns(const struct tally_capture *capture, uint64_t *rc6_ns, uint64_t *now_ns);

#endif
