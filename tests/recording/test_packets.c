/* SPDX-License-Identifier: MIT */
/* Record buffers: the documents' examples, damage, and equal results of all ways to read. */
#include "record_buffer.h"

#include <errno.h>
#include <inttypes.h>

#include "suites.h"

static void hex(struct buffer *bytes, const char *text)
{
    for (unsigned value; *text; text += 2) {
        assert_int_equal(sscanf(text, "%2x", &value), 1);
        buffer_char(bytes, (char)value);
    }
}

/* ---- examples of the documents --------------------------------------------------------------- */

#define NONE UINT64_MAX

static const struct {
    unsigned line;
    bool long_format;
    const char *bytes;
    struct {
        uint64_t cycles, delta;
        unsigned stop, pre0;
        enum tally_packet_cause cause;
    } packets[6];
    uint64_t merged;
} examples[] = {
    /* Testbench notes, example 3: STOP at 3, 4, 5 and 8, latency 3. */
    {__LINE__,
     false,
     "04000000000001000400000000000000"
     "07000000000002000300000000000000",
     {{4, NONE, 1, 4, TALLY_PACKET_STOP}, {7, 3, 2, 3, TALLY_PACKET_STOP}},
     1},
    /* Worked example 9: PRE_SRC[0] always 1, STOP at 7 and 15. */
    {__LINE__,
     true,
     "0800000000000100080000000000000000000000000000000000000000000000"
     "1000000000000100080000000000000000000000000000000000000000000000",
     {{8, NONE, 1, 8, TALLY_PACKET_STOP}, {16, 8, 1, 8, TALLY_PACKET_STOP}},
     0},
    /* The same without STOP: a packet after 61440 cycles. */
    {__LINE__,
     true,
     "00f000000000000000f000000000000000000000000000000000000000000000",
     {{61440, NONE, 0, 0xf000, TALLY_PACKET_OVERFLOW}},
     0},
    /* Worked example 10: STOP every tick, latency 1, short: five packets. */
    {__LINE__,
     false,
     "01000000000001000000000000000000"
     "02000000000001000000000000000000"
     "03000000000001000000000000000000"
     "04000000000001000000000000000000"
     "05000000000001000000000000000000",
     {{1, NONE, 1, 0, TALLY_PACKET_STOP},
      {2, 1, 1, 0, TALLY_PACKET_STOP},
      {3, 1, 1, 0, TALLY_PACKET_STOP},
      {4, 1, 1, 0, TALLY_PACKET_STOP},
      {5, 1, 1, 0, TALLY_PACKET_STOP}},
     0},
    /* Worked example 11: STOP at 0, 1 and 2, latency 3. */
    {__LINE__,
     true,
     "0100000000000100000000000000000000000000000000000000000000000000"
     "0400000000000200000000000000000000000000000000000000000000000000",
     {{1, NONE, 1, 0, TALLY_PACKET_STOP}, {4, 3, 2, 0, TALLY_PACKET_STOP}},
     1},
};

static void documents(void **state)
{
    (void)state;
    for (size_t e = 0; e < COUNT(examples); e++) {
        struct buffer bytes = {0};
        struct packets_read read;
        hex(&bytes, examples[e].bytes);
        size_t size = examples[e].long_format ? 32 : 16, count = bytes.size / size;
        read_record_buffer(&bytes, examples[e].long_format, &read);
        ROW(examples[e].line, read.result == 0, "%s", read.error.message);
        ROW(examples[e].line, read.loss_count == 0, "%zu losses", read.loss_count);
        ROW(examples[e].line, read.totals.merged == examples[e].merged, "merged");
        if (!ROW(examples[e].line, read.count == count, "%zu packets", read.count))
            continue;
        for (size_t i = 0; i < count; i++) {
            const struct tally_packet *got = &read.packets[i];
            bool first = examples[e].packets[i].delta == NONE;
            ROW(examples[e].line, got->index == i && got->offset == i * size, "place of %zu", i);
            ROW(examples[e].line, got->cycles == examples[e].packets[i].cycles,
                "packet %zu: %" PRIu64 " cycles", i, got->cycles);
            ROW(examples[e].line, got->delta == (first ? 0 : examples[e].packets[i].delta),
                "packet %zu: delta %" PRIu64, i, got->delta);
            ROW(examples[e].line, got->stop == examples[e].packets[i].stop, "packet %zu: STOP %u",
                i, got->stop);
            ROW(examples[e].line, got->counts[0] == examples[e].packets[i].pre0,
                "packet %zu: PRE_SRC[0] %u", i, got->counts[0]);
            ROW(examples[e].line, got->cause == examples[e].packets[i].cause, "cause of %zu", i);
            ROW(examples[e].line, got->state == (first ? TALLY_PACKET_FIRST : TALLY_PACKET_OK),
                "state of %zu", i);
        }
        packets_read_fini(&read);
        buffer_fini(&bytes);
    }
    ROWS_DONE();
}

/* The tests' simple model must agree with the worked examples before it can be a reference. */
static void unit_agrees(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool long_format;
        unsigned latency, signals, clocks;
        uint64_t stops; /* one bit per clock */
        size_t example;
    } rows[] = {
        {__LINE__, false, 3, 1, 9, 0x138, 0}, {__LINE__, true, 1, 1, 16, 0x8080, 1},
        {__LINE__, true, 1, 1, 61440, 0, 2},  {__LINE__, false, 1, 0, 5, 0x1f, 3},
        {__LINE__, true, 3, 0, 5, 0x7, 4},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct unit unit = unit_start(rows[r].long_format, rows[r].latency);
        struct buffer expected = {0};
        for (unsigned i = 0; i < rows[r].clocks; i++)
            unit_clock(&unit, rows[r].signals, i < 64 && rows[r].stops >> i & 1);
        hex(&expected, examples[rows[r].example].bytes);
        ROW(rows[r].line,
            unit.bytes.size == expected.size &&
                !memcmp(unit.bytes.bytes, expected.bytes, expected.size),
            "%zu bytes", unit.bytes.size);
        buffer_fini(&expected);
        unit_fini(&unit);
    }
    ROWS_DONE();
}

/* ---- damage --------------------------------------------------------------------------------- */

static const uint16_t few[12] = {100, 7, 0, 99, 100, 1, 2, 3, 4, 5, 6, 100};

/* An impossible packet, or other bytes, between two packets of a regular sequence. */
static const struct {
    unsigned line;
    bool long_format;
    unsigned delta;
    unsigned stop_word;
    uint16_t counts[12];
    const char *fault; /* NULL: a valid packet */
} slots[] = {
    {__LINE__, true, 100, 1, {100}, NULL},
    {__LINE__, true, 100, 0x1001, {0}, "bits 12-15 of the STOP word are 0x1, expected 0"},
    {__LINE__, true, 100, 0xf001, {0}, "bits 12-15 of the STOP word are 0xf, expected 0"},
    {__LINE__, false, 100, 0x8000, {0}, "bits 12-15 of the STOP word are 0x8, expected 0"},
    {__LINE__,
     true,
     100,
     1,
     {101},
     "PRE_SRC[0] is 101 after 100 cycles, expected at most one per cycle"},
    {__LINE__, true, 100, 1, {[11] = 101}, "EVENT_SRC[3] is 101 after 100 cycles"},
    {__LINE__, true, 100, 1, {[3] = 99, [4] = 500, [5] = 600}, "START_SRC[0] is 500 after 100"},
    {__LINE__, false, 100, 1, {[3] = 101}, "PRE_SRC[3] is 101 after 100 cycles"},
    {__LINE__, true, 100, 101, {0}, "STOP is 101 after 100 cycles, expected at most one per cycle"},
    {__LINE__, true, 100, 100, {0}, NULL},
    {__LINE__,
     true,
     70000,
     0,
     {0xefff, 1},
     "STOP is 0 and the largest count 0xefff, expected one of 0xf000 or more"},
    {__LINE__, true, 70000, 0, {0xf000}, NULL},
    {__LINE__, true, 70000, 0, {[11] = 0xf000}, NULL},
    {__LINE__, true, 70000, 0, {[11] = 0xffff}, NULL},
    {__LINE__, true, 0xf000 - 1, 0, {0xf000}, "PRE_SRC[0] is 61440 after 61439 cycles"},
    {__LINE__, false, 70000, 0, {0xefff}, NULL}, /* one of the eight counters that a short packet
                                                    lacks */
    {__LINE__, false, 0xf000, 0, {0}, NULL},
    {__LINE__,
     false,
     0xefff,
     0,
     {0},
     "STOP is 0 after 61439 cycles, in which no count can reach 0xf000"},
};

static void damage(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(slots); s++) {
        const bool long_format = slots[s].long_format, bad = slots[s].fault;
        struct buffer bytes = {0};
        struct packets_read read;
        char place[32];
        size_t size = long_format ? 32 : 16;
        /* No signal is always 1 and STOP has no period, so nothing else is found. */
        put_packet(&bytes, long_format, 1000, 1, few);
        put_packet(&bytes, long_format, 1000 + slots[s].delta, slots[s].stop_word, slots[s].counts);
        put_packet(&bytes, long_format, 200000, 1, few);
        read_record_buffer(&bytes, long_format, &read);
        unsigned line = slots[s].line;
        ROW(line, read.result == (bad ? -EBADMSG : 0), "result %d", read.result);
        ROW(line, read.count == 3u - bad, "%zu packets", read.count);
        ROW(line, read.totals.malformed == bad, "malformed");
        ROW(line, losses_of(&read, TALLY_LOSS_MALFORMED) == bad, "ledger");
        ROW(line, mentions(read.error.message, slots[s].fault), "%s", read.error.message);
        ROW(line, read.packets[read.count - 1].state == (bad ? TALLY_PACKET_LOST : TALLY_PACKET_OK),
            "state after it");
        ROW(line, read.packets[read.count - 1].delta == 199000u - (bad ? 0 : slots[s].delta),
            "delta after it");
        if (bad) {
            snprintf(place, sizeof place, "packet at offset 0x%zx: ", size);
            ROW(line, mentions(read.error.message, place), "%s", read.error.message);
            ROW(line,
                mentions(read.error.message, long_format ? "pcounter/long" : "pcounter/short"),
                "%s", read.error.message);
            ROW(line, mentions(read.faults[0], slots[s].fault), "%s", read.faults[0]);
            ROW(line, read.losses[0].offset == size && read.losses[0].before_index == 1, "place");
            ROW(line, read.losses[0].gpu_start == 1000 && read.losses[0].gpu_end == 200000, "time");
        }
        packets_read_fini(&read);
        buffer_fini(&bytes);
    }
    ROWS_DONE();
}

/* A truncated last packet, of every length. */
static void torn(void **state)
{
    (void)state;
    for (unsigned long_format = 0; long_format < 2; long_format++) {
        size_t size = long_format ? 32 : 16;
        for (size_t rest = 0; rest < size; rest++) {
            for (unsigned whole = 0; whole < 3; whole++) {
                struct buffer bytes = {0};
                struct packets_read read;
                for (unsigned i = 0; i < whole; i++)
                    put_packet(&bytes, long_format, 1000 * (i + 1), 1, few);
                for (size_t i = 0; i < rest; i++)
                    buffer_char(&bytes, 0);
                read_record_buffer(&bytes, long_format, &read);
                assert_int_equal(read.count, whole);
                assert_int_equal(read.totals.torn_bytes, rest);
                assert_int_equal(read.position, whole * size + rest);
                assert_int_equal(read.result, rest ? -EBADMSG : 0);
                assert_int_equal(losses_of(&read, TALLY_LOSS_UNREADABLE), rest != 0);
                char expected[128];
                snprintf(expected, sizeof expected,
                         "offset 0x%zx: truncated: %zu byte%s, expected %zu", whole * size, rest,
                         rest == 1 ? "" : "s", size);
                assert_true(mentions(read.error.message, rest ? expected : NULL));
                packets_read_fini(&read);
                buffer_fini(&bytes);
            }
        }
    }
}

/* Many faults: the first is reported, with their number. */
static void many_faults(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct packets_read read;
    put_packet(&bytes, true, 1000, 1, few);
    for (unsigned i = 0; i < 100; i++)
        put_packet(&bytes, true, 2000 + i, 0x2001 + i, few);
    put_packet(&bytes, true, 5000, 1, few);
    buffer_char(&bytes, 1);
    read_record_buffer(&bytes, true, &read);
    assert_int_equal(read.count, 2);
    assert_int_equal(read.totals.malformed, 100);
    assert_int_equal(read.fault_count, 64);
    assert_int_equal(read.loss_count, 2); /* consecutive losses are one entry */
    assert_int_equal(read.losses[0].records, 100);
    assert_non_null(strstr(read.error.message, "offset 0x20: bits 12-15 of the STOP word are 0x2"));
    assert_non_null(strstr(read.error.message, ", and 100 more; is the layout correct?"));
    packets_read_fini(&read);
    buffer_fini(&bytes);
}

/* ---- slots that are not written ------------------------------------------------------------ */

static void unwritten(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned before, between, after;
        uint64_t losses;
    } rows[] = {
        {__LINE__, 0, 0, 0, 0}, {__LINE__, 3, 0, 0, 0},       {__LINE__, 0, 0, 9, 0},
        {__LINE__, 0, 2, 0, 2}, {__LINE__, 5, 1, 7, 1},       {__LINE__, 5000, 0, 0, 0},
        {__LINE__, 1, 1, 1, 1}, {__LINE__, 0, 9000, 3, 9000}, {__LINE__, 0, 0, 20000, 0},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        for (unsigned long_format = 0; long_format < 2; long_format++) {
            const size_t size = long_format ? 32 : 16;
            static const uint16_t zeros[12];
            struct buffer bytes = {0};
            struct packets_read read;
            for (unsigned i = 0; i < rows[r].before; i++)
                put_packet(&bytes, long_format, 0, 0, zeros);
            put_packet(&bytes, long_format, 1000, 1, few);
            for (unsigned i = 0; i < rows[r].between; i++)
                put_packet(&bytes, long_format, 0, 0, zeros);
            put_packet(&bytes, long_format, 2000, 1, few);
            for (unsigned i = 0; i < rows[r].after; i++)
                put_packet(&bytes, long_format, 0, 0, zeros);
            read_record_buffer(&bytes, long_format, &read);
            ROW(rows[r].line, read.result == 0, "%s", read.error.message);
            ROW(rows[r].line,
                read.totals.unwritten == rows[r].before + rows[r].between + rows[r].after,
                "%" PRIu64 " unwritten", read.totals.unwritten);
            ROW(rows[r].line, losses_of(&read, TALLY_LOSS_NOT_LANDED) == rows[r].losses, "ledger");
            ROW(rows[r].line, read.loss_count == (rows[r].losses != 0), "entries");
            ROW(rows[r].line,
                !read.loss_count || read.losses[0].offset == (rows[r].before + 1) * size, "offset");
            if (ROW(rows[r].line, read.count == 2, "%zu packets", read.count))
                ROW(rows[r].line,
                    read.packets[1].offset == (rows[r].before + 1 + rows[r].between) * size,
                    "offset of the second");
            packets_read_fini(&read);
            buffer_fini(&bytes);
        }
    }
    ROWS_DONE();
}

/* ---- equal results of all ways --------------------------------------------------------------- */

static void ways(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 7, 1024, 100000};
    for (unsigned long_format = 0; long_format < 2; long_format++) {
        struct unit unit = unit_start(long_format, 3);
        unit.lose_one_in = 50;
        for (unsigned i = 0; i < 900000; i++) {
            unit_clock(&unit, 1, i % 100 == 99);
            if (i == 300000)
                unit.cycles = 0;
        }
        unit.bytes.bytes[32 * 4100 + 7] = 0x70;
        unit.bytes.size -= 3;
        struct packets_read expected;
        read_record_buffer(&unit.bytes, long_format, &expected);
        assert_int_equal(expected.result, -EBADMSG);
        assert_true(expected.count > 8000 && expected.loss_count > 100);
        for (enum packets_way way = 0; way < FROM_COUNT; way++) {
            for (size_t r = 0; r < COUNT(capacities); r++) {
                struct packets_read read;
                read_packets_by(way, &unit.bytes, long_format, capacities[r], &read);
                assert_int_equal(read.result, expected.result);
                assert_int_equal(read.count, expected.count);
                assert_memory_equal(read.packets, expected.packets,
                                    read.count * sizeof *read.packets);
                assert_int_equal(read.loss_count, expected.loss_count);
                assert_memory_equal(read.losses, expected.losses,
                                    read.loss_count * sizeof *read.losses);
                assert_memory_equal(&read.totals, &expected.totals, sizeof read.totals);
                assert_int_equal(read.position, unit.bytes.size);
                packets_read_fini(&read);
            }
        }
        packets_read_fini(&expected);
        unit_fini(&unit);
    }
}

static void empty(void **state)
{
    (void)state;
    const struct buffer bytes = {0};
    for (enum packets_way way = 0; way < FROM_COUNT; way++) {
        struct packets_read read;
        read_packets_by(way, &bytes, true, 10, &read);
        assert_int_equal(read.result, 0);
        assert_int_equal(read.count, 0);
        assert_int_equal(read.loss_count, 0);
        packets_read_fini(&read);
    }
}

static void cannot_open(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *path;
        int code, read_code;
        const char *message;
    } rows[] = {
        {__LINE__, "/no/such/buffer", -ENOENT, 0, "/no/such/buffer: cannot open: "},
        {__LINE__, "/tmp", -EISDIR, 0, "/tmp: is a directory"},
        {__LINE__, "/dev/null", 0, 0, NULL},
        {__LINE__, "/proc/self/mem", 0, -EIO, "/proc/self/mem: cannot read at offset 0x0: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_packets *reader = NULL;
        struct tally_error error = {0};
        struct tally_packet packet;
        int result = tally_packets_open(rows[i].path, TALLY_PACKET_LONG, i & 1, &reader, &error);
        ROW(rows[i].line, result == rows[i].code && error.code == result, "%d", result);
        if (!result) {
            ROW(rows[i].line, !strcmp(tally_packets_path(reader), rows[i].path), "path");
            ptrdiff_t n = tally_packets_read(reader, &packet, 1, &error);
            ROW(rows[i].line, n == rows[i].read_code, "read %td", n);
            tally_packets_close(reader);
        }
        ROW(rows[i].line, mentions(error.message, rows[i].message), "%s", error.message);
    }
    tally_packets_close(NULL);
    ROWS_DONE();
}

/* A capacity of 0 is not the end of the input. */
static void no_capacity(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct tally_packets *reader;
    struct tally_packet packet;
    put_packet(&bytes, true, 1000, 1, few);
    assert_int_equal(tally_packets_open_memory(bytes.bytes, bytes.size, "memory", TALLY_PACKET_LONG,
                                               &reader, NULL),
                     0);
    assert_int_equal(tally_packets_read(reader, NULL, 0, NULL), 0);
    assert_int_equal(tally_packets_read(reader, &packet, 1, NULL), 1);
    assert_int_equal(tally_packets_read(reader, NULL, 0, NULL), 0);
    assert_int_equal(tally_packets_read(reader, &packet, 1, NULL), 0);
    tally_packets_close(reader);
    buffer_fini(&bytes);
}

static void names(void **state)
{
    (void)state;
    enum tally_packet_format format;
    for (unsigned i = TALLY_PACKET_LONG; i <= TALLY_PACKET_SHORT; i++) {
        const char *name = tally_packet_format_name((enum tally_packet_format)i);
        assert_int_equal(tally_packet_format_find(name, &format), 0);
        assert_int_equal(format, i);
    }
    assert_int_equal(tally_packet_format_find("pcounter", &format), -ENOENT);
    assert_int_equal(tally_packet_format_find("pcounter/longer", &format), -ENOENT);
    assert_int_equal(tally_packet_size(TALLY_PACKET_LONG), 32);
    assert_int_equal(tally_packet_size(TALLY_PACKET_SHORT), 16);
    assert_int_equal(tally_packet_counts(TALLY_PACKET_LONG), 12);
    assert_int_equal(tally_packet_counts(TALLY_PACKET_SHORT), 4);
    assert_string_equal(tally_packet_count_name(0), "PRE_SRC[0]");
    assert_string_equal(tally_packet_count_name(11), "EVENT_SRC[3]");
    assert_string_equal(tally_packet_cause_name(TALLY_PACKET_OVERFLOW), "overflow");
    assert_string_equal(tally_packet_state_name(TALLY_PACKET_RESTART), "restart");
    assert_string_equal(tally_loss_kind_name(TALLY_LOSS_MISSING), "missing");
    assert_string_equal(tally_loss_kind_name(TALLY_LOSS_CYCLES), "cycles-lost");
    assert_string_equal(tally_loss_kind_name(TALLY_LOSS_SATURATED), "saturated");
    assert_string_equal(tally_loss_kind_name(TALLY_LOSS_RESTART), "restart");
    assert_string_equal(tally_loss_kind_name(TALLY_LOSS_MALFORMED), "malformed");
}

int test_packets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),   cmocka_unit_test(unit_agrees), cmocka_unit_test(damage),
        cmocka_unit_test(torn),        cmocka_unit_test(many_faults), cmocka_unit_test(unwritten),
        cmocka_unit_test(ways),        cmocka_unit_test(empty),       cmocka_unit_test(cannot_open),
        cmocka_unit_test(no_capacity), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("recording: packets", tests, NULL, NULL);
}
