/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_PARENT_H
#define TALLY_PRELOAD_PARENT_H

/* Returns the parent of a process; 0: it is gone. */
long parent_of(long pid);

#endif
