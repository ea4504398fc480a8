/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_REPORTS_H
#define TALLY_SINK_REPORTS_H

#include <tally/recording.h>

#include "sink/output.h"

/* Writers for the raw fields of reports (tally decode). */

/* The counters of a layout: all slots except the header, reserved dwords last. */
struct report_fields {
    const struct tally_recording_info *info;
    unsigned slots[TALLY_SLOT_COUNT];
    size_t slot_count;
};

/* One unpacked report. */
struct raw_report {
    uint64_t index;
    uint64_t time; /* unwrapped, ticks */
    const char *reason, *context;
    const uint64_t *slots;
};

struct sink_reports {
    void (*begin)(struct output *output, const struct report_fields *fields);
    void (*put)(struct output *output, const struct report_fields *fields,
                const struct raw_report *report);
};

extern const struct sink_reports table_reports, csv_reports, jsonl_reports;

#endif
