/* SPDX-License-Identifier: MIT */
#ifndef TALLY_COMPARE_DIFFERENCES_H
#define TALLY_COMPARE_DIFFERENCES_H

#include "compare/compare.h"

/* Checks that recordings can be grouped: -EINVAL with *error if they have no phases. */
int differences_check(const struct comparison *comparison, enum tally_group_by by,
                      struct tally_error *error);

/* Appends what differs about the recordings of both sides, the most important first: losses, then
 * what they are of, then the frequency of the GPU. Returns 0 or -ENOMEM. */
int differences_find(struct comparison *comparison, struct tally_error *error);

#endif
