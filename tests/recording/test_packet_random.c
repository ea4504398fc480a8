/* SPDX-License-Identifier: MIT */
/* Random record buffers, compared with a decoder that uses only the document's list of words. */
#include "record_buffer.h"

#include <inttypes.h>

#include "suites.h"

/* ---- buffers ----------------------------------------------------------------------------------
 */

static uint64_t random_step(struct random *rng)
{
    switch (random_below(rng, 12)) {
    case 0:
        return 0;
    case 1:
        return UINT64_C(0) - random_below(rng, 100000); /* back */
    case 2:
        return random_next(rng); /* anywhere */
    case 3:
        return (UINT64_C(1) << 47) - 2 + random_below(rng, 4);
    case 4:
        return 0xf000 - 2 + random_below(rng, 4);
    default:
        return 1 + random_below(rng, 100000);
    }
}

/* Values on and around the limit of every check. */
static uint16_t random_count(struct random *rng, uint64_t delta)
{
    switch (random_below(rng, 16)) {
    case 0:
        return (uint16_t)random_next(rng);
    case 1:
        return 0xffff;
    case 2:
        return (uint16_t)(0xefff + random_below(rng, 3));
    case 3:
        return (uint16_t)(delta + random_below(rng, 3) - 1);
    default:
        return (uint16_t)random_below(rng, (delta < 0xffff ? delta : 0xfffe) + 1);
    }
}

static unsigned random_stop(struct random *rng, uint64_t delta)
{
    switch (random_below(rng, 10)) {
    case 0:
        return (unsigned)random_next(rng) & 0xffff;
    case 1:
        return 0xfff;
    case 2:
        return (unsigned)(delta & 0xfff);
    case 3:
    case 4:
        return 0;
    default:
        return 1 + (unsigned)random_below(rng, 3);
    }
}

static void make_buffer(struct random *rng, bool long_format, struct buffer *bytes)
{
    uint64_t cycles = random_below(rng, 3) ? random_below(rng, 100000) : random_next(rng);
    size_t slots = random_below(rng, 300);
    bool tame = random_below(rng, 2); /* mostly valid packets, or random words */
    for (size_t i = 0; i < slots; i++) {
        uint16_t counts[12] = {0};
        uint64_t step =
            tame && random_below(rng, 8) ? 1 + random_below(rng, 70000) : random_step(rng);
        uint64_t what = random_below(rng, 40);
        for (size_t k = 0; k < 12; k++)
            counts[k] = tame && what
                            ? (uint16_t)random_below(rng, step < 0xffff ? step + 1 : 0xffff)
                            : random_count(rng, step);
        if (what == 1) {
            memset(counts, 0, sizeof counts);
            put_packet(bytes, long_format, 0, 0, counts);
            continue;
        }
        cycles += step;
        put_packet(bytes, long_format, cycles, tame && what ? 1 : random_stop(rng, step), counts);
    }
    for (uint64_t rest = random_below(rng, 4) ? 0 : random_below(rng, 32); rest; rest--)
        buffer_char(bytes, (char)random_next(rng));
}

/* ---- the reference decoder -------------------------------------------------------------------
 */

struct plain {
    uint64_t packets, unwritten, malformed, torn, runs, wraps, saturated;
    struct tally_packet decoded[400];
    bool must_be_lost[400];
};

static unsigned word(const struct buffer *bytes, size_t at)
{
    return (unsigned char)bytes->bytes[at] | (unsigned)(unsigned char)bytes->bytes[at + 1] << 8;
}

static void decode_plainly(const struct buffer *bytes, bool long_format, struct plain *out)
{
    const size_t size = long_format ? 32 : 16, counts = long_format ? 12 : 4;
    uint64_t before = 0, unwrapped = 0;
    bool gap = false;
    size_t at = 0;
    memset(out, 0, sizeof *out);
    for (; at + size <= bytes->size; at += size) {
        bool any = false;
        for (size_t i = 0; i < size; i++)
            any |= bytes->bytes[at + i] != 0;
        if (!any) {
            out->unwritten++;
            gap = true;
            continue;
        }
        uint64_t cycles = word(bytes, at) + ((uint64_t)word(bytes, at + 2) << 16) +
                          ((uint64_t)word(bytes, at + 4) << 32);
        unsigned stop = word(bytes, at + 6), largest = 0;
        for (size_t i = 0; i < counts; i++)
            if (word(bytes, at + 8 + 2 * i) > largest)
                largest = word(bytes, at + 8 + 2 * i);
        const uint64_t modulus = UINT64_C(1) << 48;
        uint64_t step = (cycles + modulus - before) % modulus;
        bool first = !out->packets;
        bool restart = !first && (step == 0 || step >= modulus / 2), follows = !first && !restart;
        bool bad = stop >= 0x1000;
        if (stop == 0 && largest < 61440)
            bad |= long_format || (follows && step < 61440);
        if (follows)
            bad |= stop > step || largest > step;
        if (bad) {
            out->malformed++;
            gap = true;
            continue;
        }
        out->runs += restart;
        out->wraps += follows && cycles < before;
        unwrapped = follows ? unwrapped + step : cycles;
        struct tally_packet *packet = &out->decoded[out->packets];
        packet->index = out->packets;
        packet->offset = at;
        packet->run = out->runs;
        packet->cycles = unwrapped;
        packet->delta = follows ? step : 0;
        packet->stop = (uint16_t)stop;
        packet->cause = stop ? TALLY_PACKET_STOP : TALLY_PACKET_OVERFLOW;
        packet->state = first     ? TALLY_PACKET_FIRST
                        : restart ? TALLY_PACKET_RESTART
                                  : TALLY_PACKET_OK;
        if (stop == 0xfff)
            packet->saturated = 0x8000;
        for (size_t i = 0; i < counts; i++) {
            packet->counts[i] = (uint16_t)word(bytes, at + 8 + 2 * i);
            if (packet->counts[i] == 0xffff)
                packet->saturated |= (uint16_t)(1u << i);
        }
        out->saturated += packet->saturated != 0;
        out->must_be_lost[out->packets] = gap && follows;
        out->packets++;
        before = cycles;
        gap = false;
    }
    out->torn = bytes->size - at;
}

static void compare(unsigned seed, const struct plain *plain, const struct packets_read *read)
{
    bool same = read->totals.packets == plain->packets && read->count == plain->packets &&
                read->totals.unwritten == plain->unwritten &&
                read->totals.malformed == plain->malformed &&
                read->totals.torn_bytes == plain->torn && read->totals.restarts == plain->runs &&
                read->totals.wraps == plain->wraps && read->totals.saturated == plain->saturated;
    if (!ROW(__LINE__, same, "seed %u: the totals differ: %" PRIu64 " packets, expected %" PRIu64,
             seed, read->totals.packets, plain->packets))
        return;
    ROW(__LINE__, losses_of(read, TALLY_LOSS_MALFORMED) == plain->malformed, "seed %u", seed);
    ROW(__LINE__, losses_of(read, TALLY_LOSS_RESTART) == plain->runs, "seed %u", seed);
    ROW(__LINE__, losses_of(read, TALLY_LOSS_SATURATED) == plain->saturated, "seed %u", seed);
    ROW(__LINE__, (read->result < 0) == (plain->malformed || plain->torn), "seed %u", seed);
    for (size_t i = 0; i < read->count; i++) {
        struct tally_packet got = read->packets[i];
        bool lost = got.state == TALLY_PACKET_LOST;
        ROW(__LINE__, lost || !plain->must_be_lost[i], "seed %u: packet %zu is not lost", seed, i);
        if (lost) /* by the period or a signal, or in between */
            got.state = TALLY_PACKET_OK;
        ROW(__LINE__, !memcmp(&got, &plain->decoded[i], sizeof got), "seed %u: packet %zu", seed,
            i);
    }
}

static void random_buffers(void **state)
{
    (void)state;
    static struct plain plain;
    uint64_t packets = 0, malformed = 0, restarts = 0;
    for (unsigned seed = 0; seed < random_cases(4000); seed++) {
        struct random rng = random_start(seed);
        bool long_format = seed & 1;
        struct buffer bytes = {0};
        struct packets_read read;
        make_buffer(&rng, long_format, &bytes);
        decode_plainly(&bytes, long_format, &plain);
        read_packets_by(FROM_MEMORY, &bytes, long_format, 1 + seed % 70, &read);
        compare(seed, &plain, &read);
        packets += plain.packets;
        malformed += plain.malformed;
        restarts += plain.runs;
        packets_read_fini(&read);
        buffer_fini(&bytes);
    }
    assert_true(packets > random_cases(100000));
    assert_true(malformed > random_cases(20000));
    assert_true(restarts > random_cases(10000));
    ROWS_DONE();
}

int test_packet_random(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_buffers)};
    return cmocka_run_group_tests_name("recording: random packets", tests, NULL, NULL);
}
