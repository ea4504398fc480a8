/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_APPEND_H
#define TALLY_CAPTURE_APPEND_H

#include "capture/file.h"

/*
 * Checks that the recording in a file can be continued: it is whole, has the same device, metric
 * set and period as the head of the new one, and its clocks go on up to `now`, the first
 * correlation point. Returns 1; 0: the file is empty; -EINVAL, with what differs; or an error of
 * reading it.
 */
int append_check(const char *path, const struct record_head *head, struct tally_correlation now,
                 struct tally_error *error);

/* Notes in the file's STREAM record that marks may follow. Returns 0 or an errno. */
int append_allow_marks(const char *path, int fd, struct tally_error *error);

#endif
