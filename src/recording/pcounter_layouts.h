/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_PCOUNTER_LAYOUTS_H
#define TALLY_RECORDING_PCOUNTER_LAYOUTS_H

#include <stdbool.h>

#include <tally/report.h>

/*
 * The reports of recorded PCOUNTER sessions, which software makes of what it reads
 * (docs/recording-format.md): family "pcounter".
 */

#define PCOUNTER_FAMILY "pcounter"

/* Maximum number of signals of a recording. Signal n is counter A n, and the clocks of its domain
 * are counter PEC n. */
#define PCOUNTER_SIGNALS_MAX 64

extern const struct tally_layout pcounter_layouts[];
extern const size_t pcounter_layout_count;

/* True if a layout has the counters of a number of signals, 1 or more. */
bool pcounter_layout_holds(const struct tally_layout *layout, size_t signals);

/* Writes a report of `count` signals, which the layout holds; reasons: enum tally_reason bits,
 * ticks: PTIMER, ns. */
void pcounter_report_store(const struct tally_layout *layout, uint8_t *report, uint64_t reasons,
                           uint64_t ticks, const uint64_t *values, const uint64_t *clocks,
                           size_t count);

/* Returns the layout of a number in recordings, as tally_layout_format() returns it; NULL: there is
 * none. */
const struct tally_layout *pcounter_layout_of_format(uint32_t format);

#endif
