/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RECORDING_RECORD_BUFFER_H
#define TESTS_RECORDING_RECORD_BUFFER_H

#include "testing.h"

#include <tally/packets.h>

#include "base/buffer.h"

/* ---- writing packets ---------------------------------------------------------------------- */

/*
 * A simple model of record mode, one clock at a time (PC-D23 to PC-D26). Unlike a real unit it
 * reports which packets did not reach the buffer.
 */
struct unit {
    bool long_format;
    unsigned latency;
    uint64_t cycles;
    uint16_t counts[12];
    uint16_t stop;
    unsigned busy; /* clocks until the outgoing packet is written */
    struct buffer bytes;

    /* One in this many packets is lost at random; 0: none. */
    unsigned lose_one_in;
    struct random rng;
    uint64_t since_sent; /* clocks since the previous packet */
    uint64_t clocks_lost, stops_lost, packets_lost, packets_written;
    bool lost_before; /* the latest packet was lost */
};

struct unit unit_start(bool long_format, unsigned latency);
void unit_fini(struct unit *unit);

/* Runs one clock; bit i of `signals` is signal i. */
void unit_clock(struct unit *unit, unsigned signals, bool stop);

/* Appends a packet with these values. The word of STOP is written as given. */
void put_packet(struct buffer *bytes, bool long_format, uint64_t cycles, unsigned stop_word,
                const uint16_t counts[12]);

/* ---- reading -------------------------------------------------------------------------------- */

enum packets_way { FROM_MEMORY, FROM_FILE, FROM_MAP, FROM_PIPE, FROM_COUNT };

struct packets_read {
    struct tally_packet *packets;
    size_t count;
    struct tally_loss *losses;
    size_t loss_count;
    struct tally_packets_totals totals;
    uint64_t position;
    int result;
    struct tally_error error;
    char faults[4][160];
    size_t fault_count;
};

/* Reads everything, `chunk` packets at a time. */
void read_packets_by(enum packets_way way, const struct buffer *bytes, bool long_format,
                     size_t chunk, struct packets_read *out);

/* Reads from memory. */
void read_record_buffer(const struct buffer *bytes, bool long_format, struct packets_read *out);
void packets_read_fini(struct packets_read *read);

/* Return the ledger's entries and records of a kind. */
uint64_t losses_of(const struct packets_read *read, enum tally_loss_kind kind);

#endif
