/* SPDX-License-Identifier: MIT */
/* Reads PCOUNTER record buffers: consecutive packets, and losses between them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/packets.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "recording/ledger.h"
#include "recording/source.h"
#include "recording/steady.h"

#define FAULTS_MAX 64

/* Slots in memory at a time. After each slot that is processed, STEADY_AHEAD more are available,
 * except at the end of the input. */
#define WINDOW_SLOTS (STEADY_WINDOW + STEADY_AHEAD)

struct tally_packets {
    struct source source;
    char *path;
    enum tally_packet_format format;
    bool long_format;
    size_t slot_bytes;

    uint8_t window[WINDOW_SLOTS * PACKET_LONG_BYTES];
    size_t have, at; /* bytes in the window; offset of the next slot in it */
    uint64_t offset; /* offset of the next slot in the input */
    bool at_end;
    bool end_noted;

    /* The previous packet. */
    bool has_before;
    uint64_t before;      /* its cycle count, 48 bits */
    uint64_t cycles;      /* its cycle count, unwrapped */
    uint64_t hole;        /* unwritten slots since that packet */
    uint64_t hole_offset; /* offset of the first of them */
    uint64_t unreadable;  /* malformed slots since that packet */

    struct stop_clock clock;
    uint16_t always_on;
    uint64_t distances[STEADY_WINDOW];

    struct ledger ledger;
    struct tally_packets_totals totals;
    struct tally_packet_fault faults[FAULTS_MAX];
    size_t fault_count;
    struct tally_error error; /* returned when all packets have been delivered */
};

/* ---- names --------------------------------------------------------------------------------- */

static const char *const format_names[] = {
    [TALLY_PACKET_LONG] = "pcounter/long",
    [TALLY_PACKET_SHORT] = "pcounter/short",
};

const char *tally_packet_format_name(enum tally_packet_format format)
{
    return format_names[format];
}

int tally_packet_format_find(const char *name, enum tally_packet_format *out)
{
    for (unsigned i = 0; i < ARRAY_COUNT(format_names); i++) {
        if (!strcmp(format_names[i], name)) {
            *out = (enum tally_packet_format)i;
            return 0;
        }
    }
    return -ENOENT;
}

size_t tally_packet_size(enum tally_packet_format format)
{
    return packet_size(format == TALLY_PACKET_LONG);
}

size_t tally_packet_counts(enum tally_packet_format format)
{
    return format == TALLY_PACKET_LONG ? PACKET_COUNTS : PACKET_SHORT_COUNTS;
}

const char *tally_packet_count_name(size_t count)
{
    return packet_fields[PACKET_FIELD_COUNT + count].name;
}

const char *tally_packet_cause_name(enum tally_packet_cause cause)
{
    static const char *const names[] = {"stop", "overflow"};
    return names[cause];
}

const char *tally_packet_state_name(enum tally_packet_state state)
{
    static const char *const names[] = {"ok", "lost", "first", "restart"};
    return names[state];
}

/* ---- opening ------------------------------------------------------------------------------- */

static struct tally_packets *make_reader(const char *path, enum tally_packet_format format)
{
    struct tally_packets *packets = calloc(1, sizeof *packets);
    if (!packets)
        return NULL;
    packets->source.fd = -1;
    packets->format = format;
    packets->long_format = format == TALLY_PACKET_LONG;
    packets->slot_bytes = tally_packet_size(format);
    packets->path = strdup(path);
    if (!packets->path) {
        free(packets);
        return NULL;
    }
    return packets;
}

int tally_packets_open(const char *path, enum tally_packet_format format, bool map,
                       struct tally_packets **out, struct tally_error *error)
{
    struct tally_packets *packets = make_reader(path, format);
    if (!packets)
        return fail_memory(error, "a record buffer");
    int result = source_open(&packets->source, path, map, error);
    if (result < 0) {
        tally_packets_close(packets);
        return result;
    }
    *out = packets;
    return 0;
}

int tally_packets_open_memory(const void *bytes, size_t size, const char *name,
                              enum tally_packet_format format, struct tally_packets **out,
                              struct tally_error *error)
{
    struct tally_packets *packets = make_reader(name, format);
    if (!packets)
        return fail_memory(error, "a record buffer");
    source_open_memory(&packets->source, size ? bytes : "", size);
    *out = packets;
    return 0;
}

void tally_packets_close(struct tally_packets *packets)
{
    if (!packets)
        return;
    source_close(&packets->source);
    ledger_fini(&packets->ledger);
    free(packets->path);
    free(packets);
}

/* ---- the ledger ---------------------------------------------------------------------------- */

static void note(struct tally_packets *packets, enum tally_loss_kind kind, uint64_t records,
                 uint64_t offset, uint64_t estimated)
{
    struct tally_loss loss;
    memset(&loss, 0,
           sizeof loss); /* including the padding, so that equal losses have equal bytes */
    loss.kind = kind;
    loss.records = records;
    loss.before_index = packets->totals.packets;
    loss.offset = offset;
    loss.gpu_start = packets->has_before ? packets->cycles : 0;
    loss.estimated = estimated;
    ledger_add(&packets->ledger, &loss);
}

/* Stores a fault. The first one is reported at the end of the input. */
static void keep_fault(struct tally_packets *packets, const char *message)
{
    if (packets->fault_count < FAULTS_MAX) {
        struct tally_packet_fault *fault = &packets->faults[packets->fault_count++];
        fault->offset = packets->offset;
        snprintf(fault->message, sizeof fault->message, "%s", message);
    }
}

static void take_malformed(struct tally_packets *packets, const struct slot *slot)
{
    char message[sizeof packets->faults->message];
    note(packets, TALLY_LOSS_MALFORMED, 1, packets->offset, 0);
    packets->totals.malformed++;
    packets->unreadable++;
    if (packets->fault_count < FAULTS_MAX) {
        slot_fault_text(slot, packets->long_format, message, sizeof message);
        keep_fault(packets, message);
    }
}

static void take_unwritten(struct tally_packets *packets)
{
    packets->totals.unwritten++;
    if (!packets->hole++)
        packets->hole_offset = packets->offset;
}

/* ---- regularities -------------------------------------------------------------------------- */

static void learn(struct tally_packets *packets, size_t slots_max, struct steady_result *found)
{
    size_t slots = (packets->have - packets->at) / packets->slot_bytes;
    steady_learn(packets->window + packets->at, min_size(slots, slots_max), packets->long_format,
                 packets->distances, found);
}

static void adopt_period(struct tally_packets *packets, const struct steady_result *found)
{
    struct tally_packets_totals *totals = &packets->totals;
    totals->period_changes +=
        totals->period_cycles && !steady_near(found->period, totals->period_cycles);
    totals->period_cycles = found->period;
    totals->period_votes = found->votes;
    totals->period_distances = found->distances;
    packets->clock = (struct stop_clock){.period = found->period, .jitters = found->jitters};
}

/* Called at the start of a run, and later until both period and signals are found. */
static void learn_run(struct tally_packets *packets)
{
    struct steady_result found;
    if (packets->clock.period && packets->always_on)
        return;
    learn(packets, STEADY_WINDOW, &found);
    if (!packets->clock.period && found.period)
        adopt_period(packets, &found);
    if (!packets->always_on)
        packets->always_on = found.always_on;
    packets->totals.always_on |= packets->always_on;
}

/*
 * Returns the number of packets missing before this one. If the packet contradicts the period but
 * the next packets have another one, adopts that period and returns 0.
 */
static uint64_t missing_before(struct tally_packets *packets, const struct slot *slot,
                               uint64_t cycles)
{
    bool early;
    uint64_t missing = stop_clock_take(&packets->clock, cycles, slot->packet.stop, &early);
    if (missing || early) {
        struct steady_result found;
        learn(packets, STEADY_AHEAD, &found);
        if (found.period && !steady_near(found.period, packets->clock.period)) {
            adopt_period(packets, &found);
            stop_clock_take(&packets->clock, cycles, slot->packet.stop, &early);
            return 0;
        }
    }
    /* Unreadable slots are not missing. */
    uint64_t explained = packets->hole + packets->unreadable;
    return missing > explained ? missing - explained : 0;
}

/* Returns the number of cycles before this packet that no packet covers. */
static uint64_t cycles_lost_before(struct tally_packets *packets, const struct slot *slot,
                                   uint64_t missing)
{
    if (!packets->always_on || packets->hole || packets->unreadable)
        return 0;
    uint64_t deficit = steady_deficit(slot, packets->always_on);
    if (!deficit)
        return 0;
    struct steady_result found;
    learn(packets, STEADY_AHEAD, &found);
    if (found.packets >= STEADY_AHEAD / 4) { /* has the signal changed its behaviour? */
        packets->always_on &= found.often_on;
        deficit = packets->always_on ? steady_deficit(slot, packets->always_on) : 0;
    }
    /* If no STOP is missing, the missing packet is an overflow packet, which covers at least 0xf000
     * cycles. */
    bool all_stops = packets->clock.period && packets->clock.anchored && !missing;
    return all_stops && deficit < PACKET_COUNT_FULL ? 0 : deficit;
}

/* ---- packets ------------------------------------------------------------------------------- */

static uint64_t start_run(struct tally_packets *packets, const struct slot *slot)
{
    uint64_t cycles = slot->packet.cycles;
    bool early;
    packets->clock = (struct stop_clock){0};
    packets->always_on = 0;
    learn_run(packets);
    stop_clock_take(&packets->clock, cycles, slot->packet.stop, &early);
    return cycles;
}

/* Sets *cycles to the packet's unwrapped time and adds losses before the packet to the ledger. */
static enum tally_packet_state follow(struct tally_packets *packets, const struct slot *slot,
                                      uint64_t *cycles)
{
    struct tally_packets_totals *totals = &packets->totals;
    if (!packets->has_before) {
        totals->first_cycles = *cycles = start_run(packets, slot);
        return TALLY_PACKET_FIRST;
    }
    if (slot->restart) {
        note(packets, TALLY_LOSS_RESTART, 1, packets->offset, 0);
        totals->restarts++;
        totals->lost_deltas++;
        *cycles = start_run(packets, slot);
        return TALLY_PACKET_RESTART;
    }
    *cycles = packets->cycles + slot->delta;
    totals->wraps += slot->packet.cycles < packets->before;
    uint64_t missing = missing_before(packets, slot, *cycles);
    uint64_t lost_cycles = cycles_lost_before(packets, slot, missing);
    if (packets->hole)
        note(packets, TALLY_LOSS_NOT_LANDED, packets->hole, packets->hole_offset, 0);
    if (missing)
        note(packets, TALLY_LOSS_MISSING, 1, packets->offset, missing);
    if (lost_cycles)
        note(packets, TALLY_LOSS_CYCLES, 1, packets->offset, lost_cycles);
    totals->missing += missing;
    totals->lost_cycles += lost_cycles;
    if (!packets->hole && !packets->unreadable && !missing && !lost_cycles)
        return TALLY_PACKET_OK;
    totals->lost_deltas++;
    return TALLY_PACKET_LOST;
}

/* Returns a mask of the saturated counters. Consecutive packets with saturated counters share one
 * ledger entry. */
static uint16_t take_saturated(struct tally_packets *packets, const struct slot *slot,
                               uint64_t cycles)
{
    struct tally_packets_totals *totals = &packets->totals;
    unsigned mask = slot->packet.stop == PACKET_STOP_MAX ? TALLY_PACKET_STOP_SATURATED : 0;
    for (unsigned i = 0; i < PACKET_COUNTS && slot->largest == PACKET_COUNT_MAX; i++) {
        bool saturated = slot->packet.counts[i] == PACKET_COUNT_MAX;
        mask |= (unsigned)saturated << i;
        totals->saturated_counts[i] += saturated;
    }
    totals->saturated += mask != 0;
    if (mask && !ledger_extend(&packets->ledger, TALLY_LOSS_SATURATED, totals->packets, cycles))
        note(packets, TALLY_LOSS_SATURATED, 1, packets->offset, 0);
    return (uint16_t)mask;
}

static void add_up(struct tally_packets_totals *totals, const struct tally_packet *packet)
{
    totals->packets++;
    totals->overflows += packet->cause == TALLY_PACKET_OVERFLOW;
    totals->stops += packet->stop;
    totals->merged += packet->stop > 1 ? packet->stop - 1u : 0;
    totals->last_cycles = packet->cycles;
    for (size_t i = 0; i < TALLY_PACKET_COUNTS; i++)
        if (packet->counts[i] > totals->maxima[i])
            totals->maxima[i] = packet->counts[i];
    if (packet->state != TALLY_PACKET_OK)
        return;
    totals->counted_cycles += packet->delta;
    for (size_t i = 0; i < TALLY_PACKET_COUNTS; i++)
        totals->sums[i] += packet->counts[i];
}

static void take_packet(struct tally_packets *packets, const struct slot *slot,
                        struct tally_packet *out)
{
    uint64_t cycles;
    out->index = packets->totals.packets;
    out->offset = packets->offset;
    out->state = (uint16_t)follow(packets, slot, &cycles);
    out->run = packets->totals.restarts;
    out->cycles = cycles;
    out->delta = slot->has_delta ? slot->delta : 0;
    out->stop = slot->packet.stop;
    out->cause = slot->packet.stop ? TALLY_PACKET_STOP : TALLY_PACKET_OVERFLOW;
    memcpy(out->counts, slot->packet.counts, sizeof out->counts);
    out->saturated = take_saturated(packets, slot, cycles);
    if (packets->ledger.closed < packets->ledger.count)
        ledger_close(&packets->ledger, cycles, 0);
    add_up(&packets->totals, out);
    packets->cycles = cycles;
    packets->has_before = true;
    packets->before = slot->packet.cycles;
    packets->hole = packets->unreadable = 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Copies up to `size` bytes of the source to `to`. Returns less than `size` only at the end of the
 * input. */
static size_t take_bytes(struct tally_packets *packets, uint8_t *to, size_t size)
{
    struct source *source = &packets->source;
    size_t done = 0;
    if (source->bytes) {
        done = source_peek_at(source, source->position, to, size);
        source->position += done;
        source_drop(source);
        return done;
    }
    while (done < size) {
        ptrdiff_t n = source_read(source, to + done, size - done);
        if (n < 0)
            fail(&packets->error, (int)n, "%s: cannot read at offset 0x%" PRIx64 ": %s",
                 packets->path, source->position, strerror((int)-n));
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

static void fill_window(struct tally_packets *packets)
{
    size_t left = packets->have - packets->at;
    size_t wanted = WINDOW_SLOTS * packets->slot_bytes - left;
    memmove(packets->window, packets->window + packets->at, left);
    size_t got = take_bytes(packets, packets->window + left, wanted);
    packets->at_end = got < wanted;
    packets->have = left + got;
    packets->at = 0;
    if (packets->has_before)
        learn_run(packets);
}

/* Handles the end of the input: incomplete bytes, and the error message for the first fault. */
static void note_end(struct tally_packets *packets)
{
    const struct tally_packets_totals *totals = &packets->totals;
    const char *name = tally_packet_format_name(packets->format);
    size_t torn = packets->have - packets->at;
    packets->end_noted = true;
    packets->totals.torn_bytes = torn;
    if (torn || packets->error.code)
        note(packets, TALLY_LOSS_UNREADABLE, 1, packets->offset, 0);
    if (torn && !packets->error.code) {
        char message[sizeof packets->faults->message];
        snprintf(message, sizeof message, "truncated: %zu byte%s, expected %zu", torn,
                 torn == 1 ? "" : "s", packets->slot_bytes);
        keep_fault(packets, message);
    }
    if (packets->error.code || !packets->fault_count)
        return;
    uint64_t others = totals->malformed + (torn != 0) - 1;
    char more[96] = "";
    if (others)
        snprintf(more, sizeof more, ", and %" PRIu64 " more%s", others,
                 totals->malformed > totals->packets ? "; is the layout correct?" : "");
    fail(&packets->error, -EBADMSG, "%s: %s packet at offset 0x%" PRIx64 ": %s%s", packets->path,
         name, packets->faults[0].offset, packets->faults[0].message, more);
}

ptrdiff_t tally_packets_read(struct tally_packets *packets, struct tally_packet *out,
                             size_t capacity, struct tally_error *error)
{
    const size_t size = packets->slot_bytes;
    size_t count = 0;
    while (count < capacity) {
        if (packets->have - packets->at < STEADY_AHEAD * size && !packets->at_end)
            fill_window(packets);
        if (packets->have - packets->at < size)
            break;
        struct slot slot;
        slot_examine(packets->window + packets->at, packets->long_format,
                     packets->has_before ? &packets->before : NULL, &slot);
        if (slot.kind == SLOT_PACKET)
            take_packet(packets, &slot, &out[count++]);
        else if (slot.kind == SLOT_UNWRITTEN)
            take_unwritten(packets);
        else
            take_malformed(packets, &slot);
        packets->at += size;
        packets->offset += size;
    }
    if (count || !capacity)
        return (ptrdiff_t)count;
    if (!packets->end_noted)
        note_end(packets);
    if (packets->error.code && error)
        *error = packets->error;
    return packets->error.code;
}

/* ---- properties ---------------------------------------------------------------------------- */

const char *tally_packets_path(const struct tally_packets *packets)
{
    return packets->path;
}

enum tally_packet_format tally_packets_format(const struct tally_packets *packets)
{
    return packets->format;
}

uint64_t tally_packets_size_bytes(const struct tally_packets *packets)
{
    return packets->source.size;
}

uint64_t tally_packets_position(const struct tally_packets *packets)
{
    return packets->offset + packets->totals.torn_bytes;
}

size_t tally_packets_losses(const struct tally_packets *packets, const struct tally_loss **out)
{
    *out = packets->ledger.entries;
    return packets->ledger.count;
}

size_t tally_packets_faults(const struct tally_packets *packets,
                            const struct tally_packet_fault **out)
{
    *out = packets->faults;
    return packets->fault_count;
}

struct tally_packets_totals tally_packets_totals(const struct tally_packets *packets)
{
    return packets->totals;
}
