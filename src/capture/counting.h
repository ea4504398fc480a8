/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_COUNTING_H
#define TALLY_CAPTURE_COUNTING_H

#include <tally/capture.h>
#include <tally/metrics.h>

#include "base/buffer.h"
#include "driver/perfmon/perfmon.h"

/* What PCOUNTER counts in a recording: the signals of a metric set, or expressions, as a plan of
 * the driver and as the record SIGNALS. */
struct counting {
    struct perfmon_plan *plan; /* NULL: an Intel GPU */
    struct tally_recorded_signals recorded;
    struct tally_recorded_signal signals[TALLY_SET_SIGNALS];
    struct tally_recorded_clock clocks[TALLY_SET_SIGNALS];
    const char *expressions[TALLY_SET_SIGNALS]; /* within the caller's texts */
    char *symbols;                              /* of expressions */
};

/* Plan the signals of a metric set of the chipset; or expressions, each of which may have a name
 * in front: "busy=!PGRAPH.IDLE". The set and the texts must outlive the result. Return 0; -EINVAL,
 * -ENOENT and other errors of perfmon_plan_new() with a message; -ENOMEM. Call counting_fini() in
 * any case. */
int counting_of_set(struct counting *counting, const struct tally_metric_set *set, bool split,
                    struct tally_error *error);
int counting_of_expressions(struct counting *counting, const struct tally_chipset *chipset,
                            const char *const *expressions, size_t count,
                            struct tally_error *error);
void counting_fini(struct counting *counting);

/* Returns the layout of the reports. */
const struct tally_layout *counting_layout(const struct counting *counting);

#endif
