/* SPDX-License-Identifier: MIT */
/* Recordings of record mode: packets become reports, and what is missing is noted. */
#include <errno.h>
#include <string.h>

#include <tally/packets.h>

#include "build.h"
#include "nvidia/pcounter/packet.h"
#include "recording/format.h"
#include "recording/pcounter_layouts.h"
#include "recording/reader.h"
#include "suites.h"

#define HZ       UINT64_C(500000000)
#define START_NS UINT64_C(7000000000)
#define SIGNALS  7 /* of long packets: five, one of START_SRC twice, and STOP */

static const struct tally_recorded_domain domains[] = {{1, 0, HZ}};
static const struct tally_recorded_chipset g92 = {0x092100a2, 0x0611, domains, 1};
static const struct tally_recorded_chipset no_clock = {
    0x092100a2, 0x0611, (const struct tally_recorded_domain[]){{1, 0, 0}}, 1};
static const struct tally_recorded_signal signals[] = {
    {"P0", "A", 0, 0, 0},
    {"P1", "B", 0, 0, 0},
    {"P2", "C", 0, 0, 0},
    {"P3", "D", 0, 0, 0},
    {"S0", "E", 0, 1, 0},
    {"S1", "F", 0, 1, 0},
    {"STOP", "PCOUNTER.PERIODIC", 0, 3, 0},
};
static const struct tally_recorded_signal few_signals[] = {
    {"STOP", "X", 0, 3, 0}, {"P0", "A", 0, 0, 0}, {"P1", "B", 0, 0, 0}};
static const struct tally_recorded_clock clocks[] = {{0, 1, 0}};

/* The count of a packet that is recorded as signal i; -1: STOP. */
static const int long_counts[SIGNALS] = {0, 1, 2, 3, 4, 5, -1}, short_counts[] = {-1, 0, 1};

/* ---- building -------------------------------------------------------------------------------- */

struct maker {
    struct build build;
    bool brief;
    uint32_t run;
    uint64_t start_ns, cycles, read_ns;
    struct buffer packets; /* of the record that is being made */
    uint64_t before;
};

static struct maker make_start(bool brief, const struct tally_recorded_chipset *chipset)
{
    const struct tally_recorded_signals recorded = {brief ? few_signals : signals,
                                                    brief ? 3 : SIGNALS, clocks, 1, 1};
    struct tally_device_info info = {
        .timestamp_hz = NS_PER_SECOND, .device_id = 0x0611, .oa_format = TALLY_FORMAT_SELECT};
    struct maker maker = {.build = build_empty(SKL), .brief = brief, .start_ns = START_NS};
    maker.build.layout = &pcounter_layouts[0];
    build_version(&maker.build, 1);
    build_device_info(&maker.build, &info);
    chipset_record_put(&maker.build.bytes, "g92", chipset);
    signals_record_put(&maker.build.bytes, &recorded);
    return maker;
}

static void make_fini(struct maker *maker)
{
    build_fini(&maker->build);
    buffer_fini(&maker->packets);
}

static void put_packet(struct maker *maker, const struct pcounter_packet *packet)
{
    uint8_t bytes[PACKET_LONG_BYTES];
    packet_pack(packet, !maker->brief, bytes);
    buffer_append(&maker->packets, bytes, packet_size(!maker->brief));
    maker->cycles += (packet->cycles - maker->cycles) & low_bits(PACKET_CYCLES_WIDTH);
}

/* Ends the record, whose packets are read now. */
static void put_record(struct maker *maker, uint64_t read_ns)
{
    struct buffer payload = {0};
    uint8_t head[PACKETS_BYTES] = {0};
    store_le64(head + PACKETS_START, maker->start_ns);
    store_le64(head + PACKETS_READ, read_ns);
    store_le64(head + PACKETS_BEFORE, maker->before);
    store_le32(head + PACKETS_RUN, maker->run);
    store_le32(head + PACKETS_FORMAT, maker->brief);
    buffer_append(&payload, head, sizeof head);
    buffer_append(&payload, maker->packets.bytes, maker->packets.size);
    build_record(&maker->build, TALLY_RECORD_PACKETS, payload.bytes, payload.size);
    buffer_fini(&payload);
    maker->packets.size = 0;
    maker->before = maker->cycles;
    maker->read_ns = read_ns;
}

static void put_run(struct maker *maker, uint64_t start_ns)
{
    maker->run++;
    maker->start_ns = start_ns;
    maker->cycles = maker->before = 0;
}

/* A packet of STOP after some cycles, with counts that follow from its number. */
static struct pcounter_packet packet_after(const struct maker *maker, uint64_t cycles,
                                           unsigned number)
{
    struct pcounter_packet packet = {
        .cycles = (maker->cycles + cycles) & low_bits(PACKET_CYCLES_WIDTH), .stop = 1};
    for (unsigned i = 0; i < (maker->brief ? 4 : PACKET_COUNTS); i++)
        packet.counts[i] = (uint16_t)((number * 7 + i * 13) % (cycles < 999 ? cycles + 1 : 999));
    return packet;
}

static void put_packets(struct maker *maker, unsigned count, uint64_t cycles)
{
    for (unsigned i = 0; i < count; i++) {
        struct pcounter_packet packet = packet_after(maker, cycles, i);
        put_packet(maker, &packet);
    }
}

/* ---- what is read ---------------------------------------------------------------------------- */

/* Returns the delta of a counter from report i to i + 1. */
static uint64_t delta(const struct reading *reading, size_t i, unsigned slot)
{
    uint64_t values[2][TALLY_SLOT_COUNT];
    for (size_t k = 0; k < 2; k++)
        tally_report_unpack(&pcounter_layouts[0], (uint8_t *)reading->reports.bytes + 576 * (i + k),
                            values[k]);
    return values[1][slot] - values[0][slot];
}

static uint64_t count_of(const struct pcounter_packet *packet, int index)
{
    return index < 0 ? packet->stop : packet->counts[index];
}

/* A random recording, and what each report must say. */
#define REPORTS_MAX 70000
struct expected {
    uint64_t ticks, clocks;
    struct pcounter_packet packet;
    bool start, lost;
} all[REPORTS_MAX];

static size_t make_random(struct maker *maker, struct random *rng)
{
    size_t count = 0;
    unsigned runs = 1 + (unsigned)random_below(rng, 4);
    uint64_t now = START_NS;
    for (unsigned run = 0; run < runs; run++) {
        uint64_t start = now;
        if (run) {
            now += 1 + (unsigned)random_below(rng, 100000);
            start = now;
            put_run(maker, start);
        }
        all[count++] = (struct expected){.ticks = start, .start = true, .lost = run != 0};
        for (unsigned records = 1 + (unsigned)random_below(rng, 4); records; records--) {
            unsigned packets = 1 + (unsigned)random_below(rng, (unsigned)random_below(rng, 3) ? 40
                                                               : maker->brief                 ? 4000
                                                                              : 2000);
            uint64_t from = maker->cycles, ticks[2] = {0};
            size_t first = count;
            for (unsigned i = 0; i < packets; i++) {
                uint64_t cycles = 1 + (unsigned)random_below(rng, 3000);
                struct pcounter_packet packet = packet_after(maker, cycles, (unsigned)count);
                put_packet(maker, &packet);
                all[count++] = (struct expected){.clocks = cycles, .packet = packet};
            }
            /* Read a little too early for its cycles, or later. */
            now = start + maker->cycles * 2 + (unsigned)random_below(rng, 1000);
            if (now > start + 500)
                now -= (unsigned)random_below(rng, 400);
            now = now < maker->read_ns ? maker->read_ns : now;
            for (ticks[0] = from; first < count; first++) {
                ticks[0] += all[first].clocks;
                ticks[1] = start + ticks[0] * 2 < now ? start + ticks[0] * 2 : now;
                all[first].ticks = ticks[1];
            }
            put_record(maker, now);
        }
    }
    return count;
}

static void check_reports(const struct maker *maker, const struct reading *reading, size_t count)
{
    const int *counts = maker->brief ? short_counts : long_counts;
    assert_int_equal(reading->ended, 0);
    assert_int_equal(reading->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(reading->ticks[i] == all[i].ticks);
        assert_int_equal(reading->reasons[i], all[i].start ? 0 : TALLY_REASON_TRIGGER_1);
        if (!i)
            continue;
        assert_int_equal(reading->states[i - 1], all[i].lost ? TALLY_STATE_LOST : TALLY_STATE_OK);
        for (unsigned k = 0; k < (maker->brief ? 3 : SIGNALS); k++) {
            uint64_t right = all[i].start ? 0 : count_of(&all[i].packet, counts[k]);
            if (delta(reading, i - 1, TALLY_SLOT_A + k) != right)
                fail_msg("report %zu, signal %u: not %llu", i, k, (unsigned long long)right);
            assert_true(delta(reading, i - 1, TALLY_SLOT_PEC + k) == all[i].clocks);
        }
    }
}

static void random_recordings(void **state)
{
    (void)state;
    struct random rng = random_start(14);
    for (unsigned i = random_cases(60); i; i--) {
        struct maker maker = make_start(random_below(&rng, 2), &g92);
        struct reading first, reading;
        build_correlation(&maker.build, 5000, START_NS & 0xfffffffff);
        size_t count = make_random(&maker, &rng);
        read_by(BY_MEMORY, &maker.build.bytes, NULL, &first);
        check_reports(&maker, &first, count);
        assert_int_equal(records_of(&first, TALLY_LOSS_RESTART), maker.run);
        assert_int_equal(first.totals.losses, maker.run);
        for (enum way way = BY_INDEX; way < BY_COUNT; way++) {
            read_by(way, &maker.build.bytes, NULL, &reading);
            assert_same_reading(&first, &reading);
            reading_fini(&reading);
        }
        reading_fini(&first);
        make_fini(&maker);
    }
}

/* The largest record fits a batch, after a report of the batch before. */
static void largest_record(void **state)
{
    (void)state;
    for (unsigned brief = 0; brief < 2; brief++) {
        struct maker maker = make_start(brief, &g92);
        struct reading reading;
        unsigned packets = (unsigned)(PACKETS_MAX / packet_size(!brief));
        for (unsigned i = 0; i < 3; i++) {
            put_packets(&maker, packets, 100);
            put_record(&maker, START_NS + maker.cycles * 2 + 5);
        }
        read_memory(&maker.build, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.count, 3 * packets + 1);
        reading_fini(&reading);
        make_fini(&maker);
    }
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* A recording of two packets, something, and two more; what is said of the delta in between. */
enum middle { NOTHING, SATURATED, STOP_SATURATED, EMPTY_SLOT, BAD_SLOT, SAME_CYCLES, HOLE, MIDDLE };
static const struct {
    unsigned line;
    enum middle middle;
    int kind; /* -1: nothing is missing */
    unsigned reports;
    size_t lost_delta;
} losses[] = {
    {__LINE__, NOTHING, -1, 5, 0},
    {__LINE__, SATURATED, TALLY_LOSS_OVERFLOW, 6, 2},
    {__LINE__, STOP_SATURATED, TALLY_LOSS_OVERFLOW, 6, 2},
    {__LINE__, EMPTY_SLOT, TALLY_LOSS_NOT_LANDED, 5, 2},
    {__LINE__, BAD_SLOT, TALLY_LOSS_MALFORMED, 5, 2},
    {__LINE__, SAME_CYCLES, TALLY_LOSS_MALFORMED, 5, 2},
    {__LINE__, HOLE, TALLY_LOSS_PACKETS, 6, 2},
};

static void put_middle(struct maker *maker, enum middle middle)
{
    static const uint8_t zeros[PACKET_LONG_BYTES];
    struct pcounter_packet packet = packet_after(maker, 70000, 3);
    if (middle == SATURATED)
        packet.counts[2] = PACKET_COUNT_MAX;
    if (middle == STOP_SATURATED)
        packet.stop = PACKET_STOP_MAX;
    if (middle == BAD_SLOT)
        packet.stop = 0, packet.counts[0] = 5;
    if (middle == SAME_CYCLES)
        packet.cycles = maker->cycles;
    if (middle == EMPTY_SLOT)
        buffer_append(&maker->packets, zeros, sizeof zeros);
    else if (middle == BAD_SLOT) {
        put_packet(maker, &packet);
        maker->cycles -= 70000;
    } else if (middle != NOTHING && middle != HOLE)
        put_packet(maker, &packet);
    if (middle == HOLE) {
        put_record(maker, START_NS + maker->cycles * 2);
        maker->cycles += 300;
        maker->before = maker->cycles;
    }
}

static void missing(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(losses); r++) {
        struct maker maker = make_start(false, &g92);
        struct reading reading;
        put_packets(&maker, 2, 100);
        put_middle(&maker, losses[r].middle);
        put_packets(&maker, 2, 100);
        put_record(&maker, START_NS + 1000000);
        read_memory(&maker.build, &reading);
        ROW_ASSERT(&losses[r], reading.ended == 0);
        ROW_ASSERT(&losses[r], reading.count == losses[r].reports);
        ROW_ASSERT(&losses[r], reading.loss_count == (losses[r].kind >= 0));
        for (size_t i = 0; i + 1 < reading.count; i++)
            ROW_ASSERT(&losses[r], (reading.states[i] == TALLY_STATE_LOST) ==
                                       (losses[r].kind >= 0 && i == losses[r].lost_delta));
        if (losses[r].kind >= 0)
            ROW_ASSERT(&losses[r], (int)reading.losses[0].kind == losses[r].kind);
        reading_fini(&reading);
        make_fini(&maker);
    }
}

/* The writer's entry is the only one, also for a run that begins anew. */
static void told_once(void **state)
{
    (void)state;
    struct maker maker = make_start(false, &g92);
    struct reading reading;
    put_packets(&maker, 3, 100);
    put_record(&maker, START_NS + 1000);
    ledger_put(&maker.build.bytes,
               &(struct tally_loss){
                   .kind = TALLY_LOSS_PACKETS, .records = 1, .estimated = 12, .clock = 1});
    put_run(&maker, START_NS + 20000);
    put_packets(&maker, 3, 100);
    put_record(&maker, START_NS + 21000);
    read_memory(&maker.build, &reading);
    assert_int_equal(reading.count, 8);
    assert_int_equal(reading.loss_count, 1);
    assert_int_equal(reading.losses[0].kind, TALLY_LOSS_PACKETS);
    assert_int_equal(reading.losses[0].estimated, 12);
    assert_true(reading.losses[0].gpu_start == START_NS + 600);
    assert_true(reading.losses[0].gpu_end == START_NS + 20000);
    reading_fini(&reading);
    make_fini(&maker);
}

/* The rest of a run, as a flight recorder leaves it, begins at the packet before it. */
static void rest_of_a_run(void **state)
{
    (void)state;
    struct maker maker = make_start(false, &g92);
    struct reading reading;
    maker.cycles = maker.before = (UINT64_C(1) << 48) + 1000;
    put_packets(&maker, 3, 100);
    put_record(&maker, START_NS + (UINT64_C(1) << 50));
    read_memory(&maker.build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 4);
    assert_true(reading.ticks[0] == START_NS + 2 * ((UINT64_C(1) << 48) + 1000));
    assert_true(reading.ticks[3] == reading.ticks[0] + 600);
    assert_int_equal(reading.loss_count, 0);
    assert_int_equal(delta(&reading, 0, TALLY_SLOT_PEC), 100);
    reading_fini(&reading);
    make_fini(&maker);
}

/* Without the clock's frequency, packets have the time at which they were read. */
static void no_frequency(void **state)
{
    (void)state;
    struct maker maker = make_start(false, &no_clock);
    struct reading reading;
    put_packets(&maker, 3, 100);
    put_record(&maker, START_NS + 777);
    read_memory(&maker.build, &reading);
    for (size_t i = 0; i < 4; i++)
        assert_true(reading.ticks[i] == START_NS + 777);
    reading_fini(&reading);
    make_fini(&maker);
}

/* ---- malformed records ----------------------------------------------------------------------- */

/* A valid record with one change: `bytes` at an offset of its payload, or another size. */
static const struct {
    unsigned line;
    size_t at, bytes;
    uint64_t value;
    size_t size; /* of the payload; 0: as it is */
    const char *message;
} changes[] = {
    {__LINE__, 0, 0, 0, 24, "of size 32, expected at least 40"},
    {__LINE__, 0, 0, 0, 32, "0 bytes of packets"},
    {__LINE__, 0, 0, 0, 56, "24 bytes of packets"},
    {__LINE__, PACKETS_FORMAT, 4, 2, 0, "format 2"},
    {__LINE__, PACKETS_FORMAT, 4, 1, 0, "signal 4 (S0) is not in short packets"},
    {__LINE__, PACKETS_START, 8, START_NS + 5000, 0, "ns after"},
};

static void malformed(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(changes); r++) {
        struct maker maker = make_start(false, &g92);
        struct reading reading;
        size_t at = maker.build.bytes.size;
        put_packets(&maker, 2, 100);
        put_record(&maker, START_NS + 1000);
        uint8_t *record = (uint8_t *)maker.build.bytes.bytes + at;
        for (size_t i = 0; i < changes[r].bytes; i++)
            record[TALLY_RECORD_HEADER_BYTES + changes[r].at + i] =
                (uint8_t)(changes[r].value >> 8 * i);
        if (changes[r].size) {
            maker.build.bytes.size = at + TALLY_RECORD_HEADER_BYTES + changes[r].size;
            record_header_store(record, TALLY_RECORD_PACKETS,
                                TALLY_RECORD_HEADER_BYTES + changes[r].size);
        }
        read_memory(&maker.build, &reading);
        ROW_ASSERT(&changes[r], reading.ended == -EBADMSG);
        if (!strstr(reading.error.message, changes[r].message))
            fail_msg("line %u: %s", changes[r].line, reading.error.message);
        reading_fini(&reading);
        make_fini(&maker);
    }
}

/* Counts of sessions and packets do not mix, and other GPUs have no packets. */
static void mixed(void **state)
{
    (void)state;
    uint8_t report[576];
    uint64_t zeros[SIGNALS] = {0};
    pcounter_report_store(&pcounter_layouts[0], report, 1, START_NS + 9999, zeros, zeros, SIGNALS);
    for (unsigned order = 0; order < 3; order++) {
        struct maker maker = make_start(false, &g92);
        struct reading reading;
        if (order == 2) {
            build_fini(&maker.build);
            maker.build = build_start(SKL);
        }
        if (order == 1)
            build_record(&maker.build, TALLY_RECORD_SAMPLE, report, sizeof report);
        put_packets(&maker, 2, 100);
        put_record(&maker, START_NS + 1000);
        if (order == 0)
            build_record(&maker.build, TALLY_RECORD_SAMPLE, report, sizeof report);
        read_memory(&maker.build, &reading);
        assert_int_equal(reading.ended, -EBADMSG);
        assert_non_null(strstr(reading.error.message,
                               order ? "PACKETS record at offset" : "SAMPLE record at offset"));
        assert_int_equal(reading.count, order == 0 ? 3 : order == 1);
        reading_fini(&reading);
        make_fini(&maker);
    }
}

int test_packet_records(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_recordings), cmocka_unit_test(largest_record),
        cmocka_unit_test(missing),           cmocka_unit_test(told_once),
        cmocka_unit_test(rest_of_a_run),     cmocka_unit_test(no_frequency),
        cmocka_unit_test(malformed),         cmocka_unit_test(mixed),
    };
    return cmocka_run_group_tests_name("packet records", tests, NULL, NULL);
}
