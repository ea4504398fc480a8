/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_PROGRESS_H
#define TALLY_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Formats the progress of a run over `total` bytes (0: unknown) after `elapsed_ns` as one line of
 * at most `columns` characters: a bar, the percentage, the amount, the rate and the remaining time.
 */
void progress_line(char *line, size_t size, uint64_t done, uint64_t total, uint64_t elapsed_ns,
                   unsigned columns);

#endif
