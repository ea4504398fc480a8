/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_RECORD_H
#define TALLY_DRIVER_PERFMON_RECORD_H

/*
 * Record mode (G84 to GT21x): a domain writes a packet of counters to memory whenever STOP is 1,
 * much more often than registers could be read. <tally/packets.h> decodes the packets.
 *
 *     perfmon_record_start(session, &options, &record, &error);
 *     while ((bytes = perfmon_record_read(record, buffer, sizeof buffer, &status)) >= 0)
 *         ...
 *     perfmon_record_stop(record);
 *
 * The hardware fills the memory from its start to its end. Before the end the driver restarts it,
 * so that reading can go on for any time: the cycle counter then begins anew, what was counted
 * since the last packet is not recorded, and the status reports the time during which that was so.
 * The packets themselves show STOPs that had no packet of their own.
 *
 * One session records one domain; several sessions may record different domains at the same time. A
 * session that records has no plan.
 */

#include "driver/perfmon/perfmon.h"

struct perfmon_record;

#define PERFMON_RECORD_SIGNALS 12 /* in the short format 4 */

/* Memory that the GPU can write. */
struct perfmon_memory {
    uint64_t address; /* GPU virtual address, a multiple of 16: of 40 bits, before G92 of 32. The
                       * memory does not cross 4 GiB */
    uint32_t bytes;   /* a multiple of a packet's size (32, short 16), at least 16 packets */
    uint32_t channel; /* for RECORD_CHAN, 30 bits */
    uint16_t object;  /* DMA object, for RECORD_DMA */

    /* Copies memory from an offset on; called from perfmon_record_read(). Returns 0 or a negative
     * errno. */
    int (*read)(void *closure, uint32_t offset, void *to, size_t bytes);
    void *closure;
};

struct perfmon_record_options {
    const char *const *signals; /* expressions of one signal each: PRE_SRC[0] to EVENT_SRC[3] */
    size_t signal_count;
    const char *stop;  /* expression; a packet is written at each clock at which it is true */
    unsigned periodic; /* PERIODIC_PERIOD, 1 to 7: sets the period of PCOUNTER.PERIODIC to 2^(9 + n)
                        * clocks; 0: leaves it as it is */
    int domain;        /* TALLY_DOMAIN(), or ANY_DOMAIN: as the expressions say */
    bool short_format;
    const struct perfmon_selector *selectors; /* may be NULL */
    size_t selector_count;
    struct perfmon_memory memory;
};

/*
 * Starts recording. What the session counted before is stopped. Returns 0 and *out; -EOPNOTSUPP
 * with a message: the chipset has no record mode; -EINVAL: an option is out of range; -ENOENT: a
 * signal is not one signal, or in another domain; errors of perfmon_plan_new() and
 * perfmon_session_start(); -ENOMEM.
 */
int perfmon_record_start(struct perfmon_session *session,
                         const struct perfmon_record_options *options, struct perfmon_record **out,
                         struct tally_error *error);

/* What happened since the previous read. */
struct perfmon_record_status {
    bool restarted; /* the cycle counter has begun anew before the first of these packets */
    bool full;      /* the memory was full before it was read, so that packets were dropped */
    bool wedged;    /* a VM fault: the domain hangs until the GPU is reset (PC-D29) */
    bool changed;   /* something else wrote CTRL or RECORD_START */

    uint64_t start_ns; /* when the run of these packets began, by PTIMER */

    /* With `restarted`: the time in which packets may be missing, by PTIMER. */
    uint64_t lost_from_ns, lost_to_ns;
};

/*
 * Copies the packets that were written since the previous call: whole ones, in order, all of them
 * from one run of the cycle counter. Returns their bytes, 0 if there are none yet; -EIO once all
 * have been read of a domain that hangs or that something else has changed; an error of the
 * memory's read callback.
 */
int64_t perfmon_record_read(struct perfmon_record *record, void *to, size_t size,
                            struct perfmon_record_status *status);

/* Whether the memory is about to begin anew: the next packet is the last one, and those after it
 * are missing until perfmon_record_read() has seen it. It is then read as soon as possible. */
bool perfmon_record_is_ending(const struct perfmon_record *record);

/*
 * Returns whether the domain still counts: makes STOP always true, and waits for a packet. A domain
 * that hangs brings none, however rare its packets are. Ends the recording: nothing is read after
 * it, and packets that were not read are gone.
 */
bool perfmon_record_end(struct perfmon_record *record);

/* Leaves record mode, puts back the session's registers, and frees the record. NULL is allowed. */
void perfmon_record_stop(struct perfmon_record *record);

#endif
