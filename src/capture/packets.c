/* SPDX-License-Identifier: MIT */
#include "capture/packets.h"

#include <errno.h>
#include <string.h>

#include <tally/packets.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "nvidia/pcounter/packet.h"
#include "recording/format.h"

/* The memory is read so often that about a sixteenth to a quarter of it is used in between. */
#define FIRST_INTERVAL_NS UINT64_C(250000)
#define MIN_INTERVAL_NS   UINT64_C(20000)
#define MAX_INTERVAL_NS   UINT64_C(10000000)

/* Packets of a period are at most 2^16 clocks apart: after this time without one, the domain does
 * not count. */
#define SILENCE_NS UINT64_C(50000000)

/* At most this many reads follow each other, so that a recording of very many packets can end. */
#define READS_MAX 256

#define PERIOD_SHIFT 9u
#define PERIOD_MAX   7u

/* ---- periods --------------------------------------------------------------------------------- */

uint64_t packet_period_ns(uint64_t hz, unsigned periodic)
{
    return scale_u64(UINT64_C(1) << (PERIOD_SHIFT + periodic), NS_PER_SECOND, hz);
}

unsigned packet_period(uint64_t hz, uint64_t period_ns)
{
    unsigned best = 1;
    uint64_t nearest = UINT64_MAX;
    for (unsigned n = 1; n <= PERIOD_MAX; n++) {
        uint64_t ns = packet_period_ns(hz, n);
        uint64_t distance = ns > period_ns ? ns - period_ns : period_ns - ns;
        if (distance < nearest) {
            nearest = distance;
            best = n;
        }
    }
    return best;
}

/* ---- records --------------------------------------------------------------------------------- */

static void put_loss(struct packet_stream *packets, enum tally_loss_kind kind, uint64_t estimated)
{
    ledger_put(
        &packets->stream.records,
        &(struct tally_loss){.kind = kind, .records = 1, .estimated = estimated, .clock = 1});
}

/* Returns how many packets of a period are missing from the latest one to the start of the next
 * run; 0: unknown. */
static uint64_t missing_packets(const struct packet_stream *packets, uint64_t start_ns)
{
    uint64_t latest_ns = packets->start_ns + scale_u64(packets->cycles, NS_PER_SECOND, packets->hz);
    if (!packets->counting->periodic || start_ns <= latest_ns)
        return 0;
    return (start_ns - latest_ns) / packet_period_ns(packets->hz, packets->counting->periodic);
}

/* The cycle counter has begun anew: what was counted since the latest packet is missing. */
static void begin_run(struct packet_stream *packets, uint64_t start_ns)
{
    put_loss(packets, packets->full ? TALLY_LOSS_PACKETS : TALLY_LOSS_RESTART,
             missing_packets(packets, start_ns));
    packets->full = false;
    packets->run++;
    packets->cycles = 0;
}

static void put_packets(struct packet_stream *packets, uint8_t *payload, size_t bytes)
{
    size_t packet = packet_size(!packets->counting->short_format);
    store_le64(payload + PACKETS_START, packets->start_ns);
    store_le64(payload + PACKETS_READ, perfmon_session_time_ns(packets->session));
    store_le64(payload + PACKETS_BEFORE, packets->cycles);
    store_le32(payload + PACKETS_RUN, packets->run);
    store_le32(payload + PACKETS_FORMAT,
               packets->counting->short_format ? TALLY_PACKET_SHORT : TALLY_PACKET_LONG);
    record_put(&packets->stream.records, TALLY_RECORD_PACKETS, payload, PACKETS_BYTES + bytes);
    uint64_t mask = low_bits(PACKET_CYCLES_WIDTH);
    for (size_t at = PACKETS_BYTES; at < PACKETS_BYTES + bytes; at += packet)
        packets->cycles += (load_le64(payload + at) - packets->cycles) & mask;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Ends the stream: record mode does not go on. */
static void end_failed(struct packet_stream *packets, int result)
{
    if (packets->wedged)
        put_loss(packets, TALLY_LOSS_WEDGED, 0);
    if (packets->changed)
        put_loss(packets, TALLY_LOSS_PERIOD, 0);
    fail(&packets->stream.error, result, "record mode has ended: %s",
         packets->wedged ? "the domain cannot write to its memory, and hangs until the GPU is reset"
         : packets->changed ? "something else has changed PCOUNTER's registers"
                            : strerror(-result));
    packets->stream.due_ns = UINT64_MAX;
}

/* Reads once. Returns the bytes of packets, 0: there are none, or an errno that ended the stream.
 */
static int64_t read_once(struct packet_stream *packets)
{
    uint8_t payload[RECORD_PAYLOAD_MAX];
    struct perfmon_record_status status;
    int64_t bytes =
        perfmon_record_read(packets->record, payload + PACKETS_BYTES, PACKETS_MAX, &status);
    packets->wedged |= status.wedged;
    packets->changed |= status.changed;
    packets->full |= status.full;
    if (bytes < 0)
        return bytes;
    if (status.restarted)
        begin_run(packets, status.start_ns);
    packets->start_ns = status.start_ns;
    if (bytes)
        put_packets(packets, payload, (size_t)bytes);
    return bytes;
}

/* Sets the time of the next read, by how much of the memory was used since the previous one. */
static void set_due(struct packet_stream *packets, uint64_t used)
{
    if (used > packets->memory_bytes / 4)
        packets->interval_ns = max_u64(packets->interval_ns / 2, MIN_INTERVAL_NS);
    else if (used < packets->memory_bytes / 16)
        packets->interval_ns = min_u64(packets->interval_ns * 2, MAX_INTERVAL_NS);
    packets->stream.due_ns =
        driver_now_ns(packets->io) +
        (perfmon_record_is_ending(packets->record) ? MIN_INTERVAL_NS : packets->interval_ns);
}

/* A domain whose period brings no packets does not count. */
static void check_silence(struct packet_stream *packets, uint64_t used)
{
    uint64_t now = perfmon_session_time_ns(packets->session);
    if (used || !packets->counting->periodic) {
        packets->latest_ns = now;
    } else if (now - packets->latest_ns > SILENCE_NS) {
        put_loss(packets, TALLY_LOSS_WEDGED, 0);
        packets->latest_ns = now;
    }
}

static void act(struct sampled *stream)
{
    struct packet_stream *packets = (struct packet_stream *)stream;
    uint64_t used = 0;
    int64_t bytes = 1;
    for (unsigned i = 0; i < READS_MAX && bytes > 0; i++) {
        bytes = read_once(packets);
        used += bytes > 0 ? (uint64_t)bytes : 0;
    }
    set_due(packets, used);
    check_silence(packets, used);
    if (bytes < 0)
        end_failed(packets, (int)bytes);
}

/* A domain may hang shortly before the end, or with --stop at any time: what it did not count is
 * missing since its last packet. */
static void end(struct sampled *stream)
{
    struct packet_stream *packets = (struct packet_stream *)stream;
    if (stream->due_ns == UINT64_MAX)
        return;
    act(stream);
    bool failed = stream->due_ns == UINT64_MAX;
    stream->due_ns = UINT64_MAX;
    if (packets->full)
        put_loss(packets, TALLY_LOSS_PACKETS, 0);
    if (!failed && !perfmon_record_end(packets->record))
        put_loss(packets, TALLY_LOSS_WEDGED, 0);
}

static void stop(struct sampled *stream)
{
    perfmon_record_stop(((struct packet_stream *)stream)->record);
}

/* ---- start ----------------------------------------------------------------------------------- */

int packets_start(struct packet_stream *packets, struct perfmon_session *session,
                  const struct driver_io *io, const struct counting *counting,
                  const struct perfmon_memory *memory, uint64_t hz, struct tally_error *error)
{
    static const struct sampled_calls calls = {act, end, stop};
    const struct perfmon_record_options options = {
        .signals = counting->expressions,
        .signal_count = counting->recorded.count - 1,
        .stop = counting->expressions[counting->recorded.count - 1],
        .periodic = counting->periodic,
        .domain = counting->clocks[0].domain,
        .short_format = counting->short_format,
        .memory = *memory,
    };
    *packets = (struct packet_stream){.stream.calls = &calls,
                                      .session = session,
                                      .io = io,
                                      .counting = counting,
                                      .memory_bytes = memory->bytes,
                                      .hz = hz,
                                      .interval_ns = FIRST_INTERVAL_NS};
    int result = perfmon_record_start(session, &options, &packets->record, error);
    if (result < 0)
        return result;
    packets->start_ns = packets->latest_ns = perfmon_session_time_ns(session);
    packets->stream.due_ns = driver_now_ns(io) + packets->interval_ns;
    return 0;
}
