/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_PROGRESS_H
#define TALLY_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * One line that tells how far a run over `total` bytes has come (0: not known) after `elapsed_ns`,
 * in at most `columns` characters: a bar, the share, the amount, the rate and the time left.
 */
void progress_line(char *line, size_t size, uint64_t done, uint64_t total, uint64_t elapsed_ns,
                   unsigned columns);

#endif
