/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_COUNTING_H
#define TALLY_CAPTURE_COUNTING_H

#include <tally/capture.h>
#include <tally/metrics.h>

#include "base/buffer.h"
#include "driver/perfmon/perfmon.h"

/* How packets of record mode are recorded. */
struct packet_options {
    const char *stop;      /* a packet is written when this is true; NULL: once a period */
    uint64_t period_ns;    /* as requested */
    uint64_t memory_bytes; /* for packets, that the GPU writes; 0: 1 MiB */
};

#define PACKET_MEMORY_MIN      4096u
#define PACKET_MEMORY_MULTIPLE 32u /* a long packet */
#define PACKET_MEMORY_MAX      (UINT64_C(256) << 20)
#define PACKET_MEMORY_DEFAULT  (UINT64_C(1) << 20)

/* What PCOUNTER counts in a recording: the signals of a metric set, or expressions, as a plan of
 * the driver and as the record SIGNALS. */
struct counting {
    struct perfmon_plan *plan; /* NULL: an Intel GPU */
    struct tally_recorded_signals recorded;
    struct tally_recorded_signal signals[TALLY_SET_SIGNALS];
    struct tally_recorded_clock clocks[TALLY_SET_SIGNALS];
    const char *expressions[TALLY_SET_SIGNALS]; /* within the caller's texts */
    char *symbols;                              /* of expressions */

    /* Record mode. The plan counts the first expression, to measure the clock of its domain. */
    bool packets;
    struct packet_options options;
    bool short_format; /* packets have the first four counts only */
    char *stop;        /* "STOP=" and the expression, which is the last signal */
    unsigned periodic; /* PERIODIC_PERIOD, 1 to 7: once in 2^(9 + n) clocks; 0: by options.stop */
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

/* Plans to record up to 12 expressions, of one signal each and of one domain, by record mode. The
 * options outlive the result. Returns as above; -EOPNOTSUPP: the chipset has no record mode. */
int counting_of_packets(struct counting *counting, const struct tally_chipset *chipset,
                        const char *const *expressions, size_t count,
                        const struct packet_options *options, struct tally_error *error);
void counting_fini(struct counting *counting);

/* Returns the layout of the reports. */
const struct tally_layout *counting_layout(const struct counting *counting);

#endif
