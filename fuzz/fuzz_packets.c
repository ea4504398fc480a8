/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a record buffer; the first byte selects the format. Checks that every slot is
 * a packet, unwritten or malformed, that the totals and the ledger are consistent, and that packing
 * a packet restores its bytes.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/packets.h>

#include "nvidia/pcounter/packet.h"

static void check_packet(const struct tally_packet *packet, const struct tally_packet *before,
                         const uint8_t *data, bool long_format)
{
    uint8_t bytes[PACKET_LONG_BYTES];
    struct pcounter_packet fields = {.cycles = packet->cycles, .stop = packet->stop};
    memcpy(fields.counts, packet->counts, sizeof fields.counts);
    packet_pack(&fields, long_format, bytes);
    CHECK(!memcmp(bytes, data + packet->offset, packet_size(long_format)));
    CHECK(packet->cause == (packet->stop ? TALLY_PACKET_STOP : TALLY_PACKET_OVERFLOW));
    if (!before) {
        CHECK(packet->state == TALLY_PACKET_FIRST && !packet->index && !packet->run);
        return;
    }
    CHECK(packet->state != TALLY_PACKET_FIRST);
    CHECK(packet->index == before->index + 1);
    CHECK(packet->offset > before->offset);
    if (packet->state == TALLY_PACKET_RESTART) {
        CHECK(packet->run == before->run + 1 && !packet->delta);
        return;
    }
    CHECK(packet->run == before->run);
    CHECK(packet->delta && packet->cycles == before->cycles + packet->delta);
    CHECK(packet->stop <= packet->delta);
    for (size_t i = 0; i < TALLY_PACKET_COUNTS; i++) {
        CHECK(packet->counts[i] <= packet->delta);
        CHECK((packet->saturated >> i & 1) == (packet->counts[i] == PACKET_COUNT_MAX));
    }
}

static void check_totals(const struct tally_packets *reader, size_t size, size_t slot,
                         uint64_t lost)
{
    const struct tally_loss *losses;
    const struct tally_packet_fault *faults;
    struct tally_packets_totals totals = tally_packets_totals(reader);
    size_t count = tally_packets_losses(reader, &losses);
    size_t fault_count = tally_packets_faults(reader, &faults);
    uint64_t records[TALLY_LOSS_MALFORMED + 1] = {0}, missing = 0, cycles = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tally_loss *loss = &losses[i];
        CHECK(*tally_loss_kind_name(loss->kind));
        CHECK(loss->before_index >= before && loss->before_index <= totals.packets);
        CHECK(loss->offset < size && loss->records);
        before = loss->before_index;
        records[loss->kind] += loss->records;
        missing += loss->kind == TALLY_LOSS_MISSING ? loss->estimated : 0;
        cycles += loss->kind == TALLY_LOSS_CYCLES ? loss->estimated : 0;
    }
    CHECK((totals.packets + totals.unwritten + totals.malformed) * slot + totals.torn_bytes ==
          size);
    CHECK(totals.torn_bytes < slot);
    CHECK(tally_packets_position(reader) == size);
    CHECK(records[TALLY_LOSS_MALFORMED] == totals.malformed);
    CHECK(records[TALLY_LOSS_RESTART] == totals.restarts);
    CHECK(records[TALLY_LOSS_SATURATED] == totals.saturated);
    CHECK(records[TALLY_LOSS_NOT_LANDED] <= totals.unwritten);
    CHECK(records[TALLY_LOSS_UNREADABLE] == (totals.torn_bytes != 0));
    CHECK(missing == totals.missing && cycles == totals.lost_cycles);
    CHECK(totals.lost_deltas == lost);
    CHECK(!totals.missing || totals.period_cycles);
    CHECK(!totals.lost_cycles || totals.always_on);
    CHECK(totals.merged <= totals.stops);
    for (size_t i = 0; i < fault_count; i++)
        CHECK(*faults[i].message && faults[i].offset < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size--)
        return 0;
    enum tally_packet_format format = *data & 1 ? TALLY_PACKET_LONG : TALLY_PACKET_SHORT;
    size_t slot = tally_packet_size(format), capacity = 1 + (*data >> 1) % 8;
    struct tally_packets *reader;
    struct tally_packet packets[8], before;
    struct tally_error error = {0};
    uint64_t seen = 0, lost = 0;
    ptrdiff_t n;
    data++;
    int result = tally_packets_open_memory(data, size, "packets", format, &reader, &error);
    CHECK(result == 0);
    while ((n = tally_packets_read(reader, packets, capacity, &error)) > 0) {
        for (ptrdiff_t i = 0; i < n; i++, seen++) {
            check_packet(&packets[i], seen ? &before : NULL, data, format == TALLY_PACKET_LONG);
            before = packets[i];
            lost += before.state == TALLY_PACKET_LOST || before.state == TALLY_PACKET_RESTART;
        }
    }
    struct tally_packets_totals totals = tally_packets_totals(reader);
    CHECK(totals.packets == seen);
    CHECK(n == (totals.malformed || totals.torn_bytes ? -EBADMSG : 0));
    CHECK(n == error.code);
    check_totals(reader, size, slot, lost);
    tally_packets_close(reader);
    return 0;
}
