/* SPDX-License-Identifier: MIT */
/*
 * Packets of record mode as reports: their counts are added up, so that the delta of two reports is
 * a packet. A run of the cycle counter begins with a report of the moment at which it was started.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tally/packets.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "recording/pcounter_layouts.h"
#include "recording/reader.h"
#include "recording/slots.h"

#define SLOT_OF_STOP    3u
#define SOURCES_OF_SLOT 4u

/* A PACKETS record. */
struct packets_record {
    uint64_t start_ns, read_ns, before;
    uint32_t run;
    bool long_format;
    const uint8_t *packets;
    size_t count;
    uint64_t offset; /* of the record in the input */
};

/* Checks that the signals are counts of packets: at most four of each slot, of short packets those
 * of PRE_SRC, and one of STOP. */
static bool check_signals(struct tally_recording *recording, const struct packets_record *record)
{
    const struct tally_recorded_signals *signals = recording->info.signals;
    unsigned seen[SIGNAL_SLOTS] = {0};
    for (size_t i = 0; i < signals->count; i++) {
        unsigned slot = signals->signals[i].slot;
        unsigned max = slot == SLOT_OF_STOP               ? 1
                       : slot == 0 || record->long_format ? SOURCES_OF_SLOT
                                                          : 0;
        if (!signals->signals[i].bits && seen[slot]++ < max)
            continue;
        fail(&recording->fault, -EBADMSG,
             "%s: PACKETS record at offset 0x%" PRIx64 ": signal %zu (%s) is not in %s packets",
             recording->path, record->offset, i, signals->signals[i].symbol,
             record->long_format ? "long" : "short");
        return false;
    }
    return true;
}

static bool load(struct tally_recording *recording, const uint8_t *record, uint64_t offset,
                 struct packets_record *out)
{
    uint32_t size = record_header_load(record).size;
    const uint8_t *payload = record + TALLY_RECORD_HEADER_BYTES;
    if (size < RECORD_REPORTS_BYTES || !recording->info.signals ||
        (recording->totals.reports && !recording->runs.begun)) {
        fail(&recording->fault, -EBADMSG,
             "%s: PACKETS record at offset 0x%" PRIx64 " of size %u, expected at least %d, in a "
             "recording of an NVIDIA GPU without SAMPLE records",
             recording->path, offset, size, RECORD_REPORTS_BYTES);
        return false;
    }
    uint32_t format = load_le32(payload + PACKETS_FORMAT), bytes = size - RECORD_REPORTS_BYTES;
    *out = (struct packets_record){
        .start_ns = load_le64(payload + PACKETS_START),
        .read_ns = load_le64(payload + PACKETS_READ),
        .before = load_le64(payload + PACKETS_BEFORE),
        .run = load_le32(payload + PACKETS_RUN),
        .long_format = format != TALLY_PACKET_SHORT,
        .packets = payload + PACKETS_BYTES,
        .offset = offset,
    };
    size_t packet = packet_size(out->long_format);
    out->count = bytes / packet;
    if (format <= TALLY_PACKET_SHORT && out->count && !(bytes % packet) &&
        out->start_ns <= out->read_ns)
        return check_signals(recording, out);
    fail(&recording->fault, -EBADMSG,
         "%s: PACKETS record at offset 0x%" PRIx64 ": format %" PRIu32 ", %" PRIu32
         " bytes of packets, read %" PRIu64 " ns after %" PRIu64
         " ns, expected format 0 or 1, whole packets, and a time that is not earlier",
         recording->path, offset, format, bytes, out->read_ns, out->start_ns);
    return false;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Returns the frequency of the domain's clock when the recording began; 0: unknown. */
static uint64_t clock_hz(const struct tally_recording_info *info)
{
    const struct tally_recorded_clock *clock = &info->signals->clocks[0];
    for (size_t i = 0; i < info->chipset->domain_count; i++)
        if (info->chipset->domains[i].domain == clock->domain &&
            info->chipset->domains[i].instance == clock->instance)
            return info->chipset->domains[i].hz;
    return 0;
}

/* Returns the time of a packet: by its cycles, but not after it was read. Without a frequency, all
 * were written when they were read. */
static uint64_t time_of(const struct tally_recording *recording,
                        const struct packets_record *record, uint64_t cycles)
{
    uint64_t hz = clock_hz(&recording->info), time = record->read_ns;
    uint64_t passed = record->read_ns - record->start_ns;
    if (hz)
        time = record->start_ns + min_u64(passed, scale_u64(cycles, NS_PER_SECOND, hz));
    return max_u64(time, recording->totals.reports ? recording->last_ticks : 0);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Adds a report of the counts so far. */
static bool put(struct tally_recording *recording, struct batch *batch, unsigned reasons,
                uint64_t time, uint64_t offset)
{
    const struct packet_runs *runs = &recording->runs;
    const struct tally_layout *layout = recording->info.layout;
    const struct tally_recorded_signals *signals = recording->info.signals;
    uint64_t values[PCOUNTER_SIGNALS_MAX], clocks[PCOUNTER_SIGNALS_MAX];
    unsigned seen[SIGNAL_SLOTS] = {0};
    if (!batch->made && !(batch->made = malloc((BATCH_REPORTS + 1) * layout->size_bytes))) {
        fail(&recording->fault, -ENOMEM, "%s: out of memory for reports of packets",
             recording->path);
        return false;
    }
    /* The n-th signal of a slot is the count of the n-th source. */
    for (size_t i = 0; i < signals->count; i++) {
        unsigned slot = signals->signals[i].slot, source = seen[slot]++;
        values[i] =
            slot == SLOT_OF_STOP ? runs->stop : runs->counts[SOURCES_OF_SLOT * slot + source];
        clocks[i] = runs->clocks;
    }
    uint8_t *report = batch->made + batch->public.count * layout->size_bytes;
    pcounter_report_store(layout, report, reasons, time, values, clocks, signals->count);
    return walk_report(recording, batch, report, offset);
}

/* Begins a run, or continues one whose records before are not in the input: at its latest packet.
 * What was counted in between is missing. */
static bool begin(struct tally_recording *recording, struct batch *batch,
                  const struct packets_record *record)
{
    struct packet_runs *runs = &recording->runs;
    if (runs->begun && !recording->loss_pending)
        walk_loss(recording, record->run == runs->run ? TALLY_LOSS_PACKETS : TALLY_LOSS_RESTART,
                  record->offset);
    runs->totals.runs += !runs->begun || record->run != runs->run;
    runs->begun = true;
    runs->run = record->run;
    runs->start_ns = record->start_ns;
    runs->cycles = record->before;
    return put(recording, batch, 0, time_of(recording, record, record->before), record->offset);
}

static void add_up(struct packet_runs *runs, const struct slot *slot)
{
    const struct pcounter_packet *packet = &slot->packet;
    for (size_t i = 0; i < PACKET_COUNTS; i++)
        runs->counts[i] += packet->counts[i];
    runs->stop += packet->stop;
    runs->clocks += slot->delta;
    runs->cycles += slot->delta;
    runs->totals.packets++;
    runs->totals.overflows += !packet->stop;
    runs->totals.merged += packet->stop > 1 ? packet->stop - 1u : 0;
}

/* Adds the report of a packet, or notes why there is none. */
static bool take(struct tally_recording *recording, struct batch *batch,
                 const struct packets_record *record, size_t i)
{
    struct packet_runs *runs = &recording->runs;
    size_t size = packet_size(record->long_format);
    uint64_t before = runs->cycles & low_bits(PACKET_CYCLES_WIDTH);
    uint64_t offset = record->offset + RECORD_REPORTS_BYTES + i * size;
    struct slot slot;
    slot_examine(record->packets + i * size, record->long_format, &before, &slot);
    if (slot.kind != SLOT_PACKET || slot.restart) {
        walk_loss(recording,
                  slot.kind == SLOT_UNWRITTEN ? TALLY_LOSS_NOT_LANDED : TALLY_LOSS_MALFORMED,
                  offset);
        return true;
    }
    if (packet_is_saturated(&slot.packet))
        walk_losses(recording,
                    &(struct tally_loss){
                        .kind = TALLY_LOSS_OVERFLOW, .records = 1, .offset = offset, .clock = 1});
    add_up(runs, &slot);
    return put(recording, batch, slot.packet.stop ? TALLY_REASON_TRIGGER_1 : TALLY_REASON_TRIGGER_2,
               time_of(recording, record, runs->cycles), offset);
}

bool walk_packets(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                  uint64_t offset)
{
    struct packet_runs *runs = &recording->runs;
    struct packets_record record;
    if (!load(recording, bytes, offset, &record))
        return false;
    runs->totals.is_short = !record.long_format;
    if (!runs->begun || record.run != runs->run || record.before != runs->cycles)
        if (!begin(recording, batch, &record))
            return false;
    for (size_t i = 0; i < record.count; i++)
        if (!take(recording, batch, &record, i))
            return false;
    return true;
}
