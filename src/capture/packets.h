/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_PACKETS_H
#define TALLY_CAPTURE_PACKETS_H

#include "capture/counting.h"
#include "capture/sampled.h"
#include "driver/perfmon/record.h"

/*
 * A stream of the packets that a domain writes to memory in record mode: reads the memory before it
 * is full, and makes PACKETS and LEDGER records (docs/recording-format.md).
 */
struct packet_stream {
    struct sampled stream;
    struct perfmon_session *session;
    struct perfmon_record *record;
    const struct driver_io *io;
    const struct counting *counting;
    uint64_t memory_bytes, hz;
    uint64_t interval_ns; /* between two reads of the memory */
    bool wedged, changed; /* why record mode will end */
    bool full;            /* packets were dropped, which the next LEDGER record says */

    /* The present run of the cycle counter. */
    uint32_t run;
    uint64_t start_ns;
    uint64_t cycles;    /* of the latest packet, unwrapped */
    uint64_t latest_ns; /* when a packet was last read, or the recording or a silence began */
};

/*
 * Chooses the period of PCOUNTER.PERIODIC that is nearest to a time: n, 1 to 7, for 2^(9 + n)
 * clocks; hz: of the domain's clock, not 0. packet_period_ns() returns its duration.
 */
unsigned packet_period(uint64_t hz, uint64_t period_ns);
uint64_t packet_period_ns(uint64_t hz, unsigned periodic);

/*
 * Starts record mode with memory that the GPU can write; hz: of the domain's clock when the
 * recording begins. The arguments must remain valid until sampled_stop(). Returns 0, or an error of
 * perfmon_record_start().
 */
int packets_start(struct packet_stream *packets, struct perfmon_session *session,
                  const struct driver_io *io, const struct counting *counting,
                  const struct perfmon_memory *memory, uint64_t hz, struct tally_error *error);

#endif
