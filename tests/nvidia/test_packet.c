/* SPDX-License-Identifier: MIT */
/* The packet of record mode: every bit at its documented place, encoded and decoded. */
#include "nvidia/tests.h"

#include "nvidia/pcounter/packet.h"

/* The document's list of words, from 0x00 on. */
static void plain_pack(const struct pcounter_packet *packet, bool long_format, uint8_t bytes[32])
{
    uint16_t words[16] = {
        (uint16_t)packet->cycles,
        (uint16_t)(packet->cycles >> 16),
        (uint16_t)(packet->cycles >> 32),
        packet->stop & 0xfff,
        packet->counts[0],
        packet->counts[1],
        packet->counts[2],
        packet->counts[3],
        packet->counts[4],
        packet->counts[5],
        packet->counts[6],
        packet->counts[7],
        packet->counts[8],
        packet->counts[9],
        packet->counts[10],
        packet->counts[11],
    };
    for (size_t i = 0; i < (long_format ? 16 : 8); i++) {
        bytes[2 * i] = (uint8_t)words[i];
        bytes[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
}

static struct pcounter_packet random_packet(struct random *rng)
{
    struct pcounter_packet packet = {
        .cycles = random_next(rng) & ones(48),
        .stop = (uint16_t)random_below(rng, 0x1000),
    };
    for (size_t i = 0; i < PACKET_COUNTS; i++)
        packet.counts[i] = (uint16_t)random_next(rng);
    return packet;
}

static void round_trips(void **state)
{
    (void)state;
    struct random rng = random_start(1);
    for (unsigned i = 0; i < random_cases(20000); i++) {
        bool long_format = i & 1;
        size_t size = long_format ? 32 : 16;
        struct pcounter_packet packet = random_packet(&rng), back;
        uint8_t bytes[40], expected[32];
        memset(bytes, 0xa5, sizeof bytes);
        packet_pack(&packet, long_format, bytes);
        plain_pack(&packet, long_format, expected);
        assert_int_equal(packet_size(long_format), size);
        assert_memory_equal(bytes, expected, size);
        for (size_t k = size; k < sizeof bytes; k++)
            assert_int_equal(bytes[k], 0xa5);
        memset(&back, 0x5a, sizeof back);
        assert_int_equal(packet_unpack(bytes, long_format, &back), 0);
        assert_int_equal(back.cycles, packet.cycles);
        assert_int_equal(back.stop, packet.stop);
        for (size_t k = 0; k < PACKET_COUNTS; k++)
            assert_int_equal(back.counts[k], k < 4 || long_format ? packet.counts[k] : 0);
    }
}

/* Values that are too wide do not change other fields. */
static void wide_values(void **state)
{
    (void)state;
    struct pcounter_packet packet = {.cycles = UINT64_MAX, .stop = 0xffff}, back;
    uint8_t bytes[32];
    packet_pack(&packet, true, bytes);
    assert_int_equal(packet_unpack(bytes, true, &back), 0);
    assert_int_equal(back.cycles, ones(48));
    assert_int_equal(back.stop, 0xfff);
    packet.cycles = UINT64_C(1) << 48;
    packet.stop = 0x1000;
    packet_pack(&packet, true, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
}

/* Bits 12-15 of the STOP word are returned and are not part of the counter. */
static void stop_word(void **state)
{
    (void)state;
    for (unsigned word = 0; word < 0x10000; word++) {
        uint8_t bytes[32] = {[6] = (uint8_t)word, [7] = (uint8_t)(word >> 8)};
        struct pcounter_packet packet;
        assert_int_equal(packet_unpack(bytes, word & 1, &packet), word & 0xf000);
        assert_int_equal(packet.stop, word & 0xfff);
        assert_int_equal(packet.cycles, 0);
    }
}

/* Each field separately, at the place in the table and in the document. */
static void fields(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned offset, width;
        const char *name;
    } rows[PACKET_FIELDS] = {
        {__LINE__, 0x00, 48, "CYCLES"},       {__LINE__, 0x06, 12, "STOP"},
        {__LINE__, 0x08, 16, "PRE_SRC[0]"},   {__LINE__, 0x0a, 16, "PRE_SRC[1]"},
        {__LINE__, 0x0c, 16, "PRE_SRC[2]"},   {__LINE__, 0x0e, 16, "PRE_SRC[3]"},
        {__LINE__, 0x10, 16, "START_SRC[0]"}, {__LINE__, 0x12, 16, "START_SRC[1]"},
        {__LINE__, 0x14, 16, "START_SRC[2]"}, {__LINE__, 0x16, 16, "START_SRC[3]"},
        {__LINE__, 0x18, 16, "EVENT_SRC[0]"}, {__LINE__, 0x1a, 16, "EVENT_SRC[1]"},
        {__LINE__, 0x1c, 16, "EVENT_SRC[2]"}, {__LINE__, 0x1e, 16, "EVENT_SRC[3]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct packet_field *field = &packet_fields[i];
        ROW(rows[i].line, field->offset == rows[i].offset, "offset 0x%x", field->offset);
        ROW(rows[i].line, field->width == rows[i].width, "width %u", field->width);
        ROW(rows[i].line, !strcmp(field->name, rows[i].name), "%s", field->name);
        for (unsigned bit = 0; bit < rows[i].width; bit++) {
            uint8_t bytes[32] = {0};
            struct pcounter_packet packet;
            bytes[rows[i].offset + bit / 8] = (uint8_t)(1u << bit % 8);
            packet_unpack(bytes, true, &packet);
            uint64_t value = i == PACKET_FIELD_CYCLES ? packet.cycles
                             : i == PACKET_FIELD_STOP ? packet.stop
                                                      : packet.counts[i - PACKET_FIELD_COUNT];
            ROW(rows[i].line, value == UINT64_C(1) << bit, "bit %u", bit);
        }
    }
    ROWS_DONE();
}

int test_packet(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(wide_values),
        cmocka_unit_test(stop_word),
        cmocka_unit_test(fields),
    };
    return cmocka_run_group_tests_name("nvidia: packet", tests, NULL, NULL);
}
