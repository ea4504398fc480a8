/* SPDX-License-Identifier: MIT */
/* Record mode: each packet counts what the waves say, and what is missing is reported. */
#include "testing.h"

#include <errno.h>

#include <tally/packets.h>

#include "base/bits.h"
#include "driver/perfmon/record.h"
#include "perfmon/rig.h"
#include "perfmon/tests.h"

/* ---- one recording --------------------------------------------------------------------------- */

struct recording {
    struct rig rig;
    unsigned domain; /* of the engine */
    unsigned signal_count, packet_bytes;
    char texts[PERFMON_RECORD_SIGNALS][16], stop[64];
    const char *signals[PERFMON_RECORD_SIGNALS];
    unsigned numbers[PERFMON_RECORD_SIGNALS]; /* among the rig's signals of the domain */
    struct tree stop_tree;
    bool stop_known;
    struct perfmon_record_options options;
    struct perfmon_session *session;
    struct perfmon_record *record;

    /* The present run. */
    uint64_t start, cycles;
    unsigned packets, runs, full, overflows;
    bool first;
};

static void choose(struct recording *recording, uint64_t *seed)
{
    struct rig_domain *domain = &recording->rig.domains[recording->domain];
    bool brief = tree_below(seed, 3) == 0;
    unsigned max = brief ? 4 : PERFMON_RECORD_SIGNALS;
    recording->packet_bytes = brief ? 16 : 32;
    recording->signal_count = 1 + tree_below(seed, max);
    for (unsigned i = 0; i < recording->signal_count; i++) {
        recording->numbers[i] = tree_below(seed, RIG_SIGNALS);
        snprintf(recording->texts[i], sizeof recording->texts[i], "0x%02x",
                 domain->signals[recording->numbers[i]]);
        recording->signals[i] = recording->texts[i];
    }
    recording->stop_known = tree_below(seed, 3);
    if (recording->stop_known) {
        const struct tree_options options = {domain->signals, RIG_SIGNALS, 0, true, true, 4, -1};
        tree_random(&recording->stop_tree, &options, seed);
        snprintf(recording->stop, sizeof recording->stop, "0x%02x & 0x%02x", domain->signals[0],
                 domain->signals[1]);
        recording->stop_tree = (struct tree){.nodes = {{TREE_RISE, domain->signals[0], 0, 0},
                                                       {TREE_SIGNAL, domain->signals[1], 0, 0},
                                                       {TREE_AND, 0, 0, 1}},
                                             .count = 3,
                                             .root = 2};
        snprintf(recording->stop, sizeof recording->stop, "rise(0x%02x) & 0x%02x",
                 domain->signals[0], domain->signals[1]);
    } else {
        strcpy(recording->stop, "PCOUNTER.PERIODIC");
    }
    recording->options = (struct perfmon_record_options){
        .signals = recording->signals,
        .signal_count = recording->signal_count,
        .stop = recording->stop,
        .periodic = recording->stop_known ? 0 : 1,
        .domain = (int)domain->about.number,
        .short_format = brief,
        .memory = {.address = 0x1230, .channel = 5, .object = 7, .read = rig_read_memory}};
    recording->options.memory.bytes =
        recording->packet_bytes *
        (16 + tree_below(seed, RIG_MEMORY / recording->packet_bytes - 16));
}

static void open_recording(struct recording *recording, const struct tally_chipset *chipset,
                           uint64_t *seed)
{
    struct tally_error error = {0};
    memset(recording, 0, sizeof *recording);
    rig_open(&recording->rig, chipset, seed);
    recording->rig.access_ns = tree_below(seed, 2) * tree_below(seed, 20);
    recording->domain = tree_below(seed, recording->rig.domain_count);
    choose(recording, seed);
    if (chipset->revision >= TALLY_PCOUNTER_G92 && tree_below(seed, 2))
        recording->options.memory.address = UINT64_C(0xab00001230);
    recording->options.memory.closure = &recording->rig;
    rig_set_memory(&recording->rig, recording->options.memory.address,
                   recording->options.memory.bytes);
    /* An earlier user's counters, which would cause a packet at once. */
    tally_pcounter_poke(recording->rig.engine, recording->domain, TALLY_PCOUNTER_REC0, 0xffff);
    if (perfmon_session_new(chipset, &recording->rig.io, 0, &recording->session, &error) ||
        perfmon_record_start(recording->session, &recording->options, &recording->record, &error))
        fail_msg("%s: %s", chipset->name, error.message);
    recording->start = recording->rig.domains[recording->domain].recorded[1];
    recording->first = true;
}

static void close_recording(struct recording *recording)
{
    perfmon_record_stop(recording->record);
    perfmon_session_free(recording->session);
    rig_close(&recording->rig);
}

/* Checks a packet: its counts are those of the clocks since the previous one of the run. */
static void check_packet(struct recording *recording, const uint8_t *bytes)
{
    const struct rig *rig = &recording->rig;
    uint64_t cycles = load_le(bytes, 6);
    uint64_t from = recording->start + recording->cycles, to = recording->start + cycles;
    unsigned stop = load_le16(bytes + 6);
    if (cycles <= recording->cycles)
        fail_msg("%s: %llu cycles after %llu", rig->chipset->name, (unsigned long long)cycles,
                 (unsigned long long)recording->cycles);
    for (unsigned i = 0; i < recording->signal_count; i++) {
        uint64_t right = 0;
        for (uint64_t clock = from; clock < to; clock++)
            right += rig_value(rig, recording->domain, recording->numbers[i], clock);
        if (load_le16(bytes + 8 + 2 * i) != (right < 0xffff ? right : 0xffff))
            fail_msg("%s: packet %u of run %u: count %u is %u, expected %llu", rig->chipset->name,
                     recording->packets, recording->runs, i, load_le16(bytes + 8 + 2 * i),
                     (unsigned long long)right);
    }
    uint64_t stops = rig_count(rig, recording->domain, &recording->stop_tree, from, to);
    if (recording->stop_known && !recording->first && stop != stops)
        fail_msg("%s: %u stops, expected %llu", rig->chipset->name, stop,
                 (unsigned long long)stops);
    recording->overflows += !stop;
    recording->first = false;
    recording->cycles = cycles;
    recording->packets++;
}

/* Reads once. */
static int64_t read_packets(struct recording *recording, size_t size,
                            struct perfmon_record_status *status)
{
    static uint8_t bytes[RIG_MEMORY];
    int64_t got = perfmon_record_read(recording->record, bytes, size, status);
    if (got < 0)
        return got;
    assert_true(got % recording->packet_bytes == 0 && got <= (int64_t)size);
    recording->full += status->full;
    if (status->restarted) {
        assert_true(status->lost_to_ns > status->lost_from_ns || !recording->rig.access_ns);
        assert_true(status->lost_to_ns <= tally_pcounter_now(recording->rig.engine));
        recording->runs++; /* the first run was started twice */
        recording->start = recording->rig.domains[recording->domain].recorded[recording->runs + 1];
        recording->cycles = 0;
        recording->first = true;
    }
    for (int64_t at = 0; at < got; at += recording->packet_bytes)
        check_packet(recording, bytes + at);
    return got;
}

/* Every packet that is read is right, in every run. */
static void test_random(void **state)
{
    uint64_t seed = 21;
    unsigned runs = 0, full = 0, packets = 0, overflows = 0, cases = random_cases(60);
    (void)state;
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        if (chipset->revision < TALLY_PCOUNTER_G84 || chipset->revision > TALLY_PCOUNTER_GT215)
            continue;
        for (unsigned k = 0; k < cases; k++) {
            struct recording recording;
            struct perfmon_record_status status;
            open_recording(&recording, chipset, &seed);
            for (unsigned reads = 0; reads < 12; reads++) {
                rig_run(&recording.rig, tree_below(&seed, tree_below(&seed, 6) ? 3000 : 300000));
                if (read_packets(&recording,
                                 recording.packet_bytes + tree_below(&seed, RIG_MEMORY / 2),
                                 &status) < 0)
                    fail_msg("%s: a read failed", chipset->name);
                assert_false(status.wedged || status.changed);
            }
            runs += recording.runs;
            full += recording.full;
            packets += recording.packets;
            overflows += recording.overflows;
            close_recording(&recording);
        }
    }
    if (runs < cases || !full || packets < 100 * cases || !overflows)
        fail_msg("%u restarts, %u times full, %u packets, %u by overflow", runs, full, packets,
                 overflows);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A recording of G92's domain 1 whose STOP comes every 1,024 clocks. */
static void open_periodic(struct recording *recording, uint64_t *seed)
{
    struct tally_error error = {0};
    memset(recording, 0, sizeof *recording);
    rig_open(&recording->rig, tally_chipset_find("g92"), seed);
    recording->domain = 1;
    choose(recording, seed);
    recording->stop_known = false;
    recording->packet_bytes = 32;
    recording->options.short_format = false;
    recording->options.domain = 1;
    recording->options.stop = "PCOUNTER.PERIODIC";
    recording->options.periodic = 1;
    recording->options.memory.bytes = 40 * 32;
    recording->options.memory.closure = &recording->rig;
    rig_set_memory(&recording->rig, recording->options.memory.address, 40 * 32);
    assert_int_equal(perfmon_session_new(recording->rig.chipset, &recording->rig.io, 0,
                                         &recording->session, &error),
                     0);
    assert_int_equal(
        perfmon_record_start(recording->session, &recording->options, &recording->record, &error),
        0);
    recording->start = recording->rig.domains[1].recorded[1];
}

static uint64_t clocks_ns(const struct recording *recording, unsigned clocks)
{
    return (uint64_t)clocks * recording->rig.domains[recording->domain].about.period;
}

/* The memory is full before it is read: all its packets are there, and the loss is reported. */
static void test_full(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 3;
    (void)state;
    open_periodic(&recording, &seed);
    rig_run(&recording.rig, clocks_ns(&recording, 100 * 1024));
    uint64_t before = tally_pcounter_now(recording.rig.engine);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 40 * 32);
    assert_true(status.full && !status.restarted);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 0);
    assert_true(!status.full && status.restarted);
    assert_true(status.lost_from_ns < before && status.lost_to_ns >= before);
    rig_run(&recording.rig, clocks_ns(&recording, 10 * 1024));
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 10 * 32);
    assert_true(!status.full && !status.restarted);
    close_recording(&recording);
}

/* Read in time, the memory is never full, and a restart costs little. */
static void test_restarts(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 3, lost_ns = 0;
    (void)state;
    open_periodic(&recording, &seed);
    uint64_t begin = tally_pcounter_now(recording.rig.engine);
    for (unsigned i = 0; i < 200; i++) {
        rig_run(&recording.rig, clocks_ns(&recording, 2500));
        read_packets(&recording, RIG_MEMORY, &status);
        lost_ns += status.restarted ? status.lost_to_ns - status.lost_from_ns : 0;
        assert_false(status.full);
    }
    uint64_t ns = tally_pcounter_now(recording.rig.engine) - begin;
    if (recording.runs < 5 || lost_ns > ns / 20 || recording.packets < 200 * 2500 / 1024 * 9 / 10)
        fail_msg("%u restarts, %u packets, lost %llu of %llu ns", recording.runs, recording.packets,
                 (unsigned long long)lost_ns, (unsigned long long)ns);
    close_recording(&recording);
}

/* STOPs cease while the driver waits for the last packet of a run: it begins a new one anyhow. */
static void test_silence(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 3, words[64] = {0};
    (void)state;
    open_periodic(&recording, &seed);
    perfmon_record_stop(recording.record);
    for (unsigned i = 0; i < 35; i++)
        words[(4 + i) / 2] |= UINT64_C(1) << 32 * (i % 2);
    const struct tally_wave wave = tally_wave_once(words, 4096);
    struct tally_error error = {0};
    const char *const silent[] = {"0x3c"}; /* no packets because of counters */
    const struct tally_wave none = tally_wave_constant(false);
    tally_pcounter_attach(recording.rig.engine, 1, 0x3c, &none);
    recording.options.signals = silent;
    recording.options.signal_count = 1;
    recording.signal_count = 0;
    recording.options.stop = "0x3d";
    assert_int_equal(
        perfmon_record_start(recording.session, &recording.options, &recording.record, &error), 0);
    recording.start = recording.rig.domains[1].recorded[3];
    recording.runs = 2;
    tally_pcounter_attach(recording.rig.engine, 1, 0x3d, &wave);
    rig_run(&recording.rig, clocks_ns(&recording, 4096));
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 35 * 32);
    for (unsigned i = 0; i < 2; i++) { /* the present run goes on */
        rig_run(&recording.rig, 10000000);
        assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 0);
        assert_false(status.restarted);
    }
    rig_run(&recording.rig, 100000000);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 0);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 0);
    assert_true(status.restarted && !status.full);
    close_recording(&recording);
}

/* A VM fault hangs the domain: what was written before is read, then there is an error. */
static void test_fault(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 5;
    (void)state;
    open_periodic(&recording, &seed);
    recording.rig.memory_bytes = 10 * 32;
    rig_run(&recording.rig, clocks_ns(&recording, 100 * 1024));
    assert_int_equal(read_packets(&recording, 6 * 32, &status), 6 * 32);
    assert_true(status.wedged);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 4 * 32);
    assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), -EIO);
    close_recording(&recording);
}

/* Something else changes CTRL, or sets the position back. */
static void test_changed(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 5;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        open_periodic(&recording, &seed);
        rig_run(&recording.rig, clocks_ns(&recording, 5 * 1024));
        assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), 5 * 32);
        assert_false(status.changed);
        tally_pcounter_write32(recording.rig.engine, i ? 0xa7c4 : 0xa764, i ? 1 : 0x1230);
        assert_int_equal(read_packets(&recording, RIG_MEMORY, &status), -EIO);
        assert_true(status.changed);
        close_recording(&recording);
    }
}

/* The reader of <tally/packets.h> understands the packets. */
static void test_decoded(void **state)
{
    static uint8_t bytes[RIG_MEMORY];
    struct perfmon_record_status status;
    struct tally_packets *packets;
    struct tally_packet list[64];
    struct tally_error error = {0};
    struct recording recording;
    uint64_t seed = 7;
    (void)state;
    open_periodic(&recording, &seed);
    rig_run(&recording.rig, clocks_ns(&recording, 20 * 1024));
    int64_t got = perfmon_record_read(recording.record, bytes, sizeof bytes, &status);
    assert_int_equal(got, 20 * 32);
    assert_int_equal(tally_packets_open_memory(bytes, (size_t)got, "memory", TALLY_PACKET_LONG,
                                               &packets, &error),
                     0);
    assert_int_equal(tally_packets_read(packets, list, 64, &error), 20);
    for (unsigned i = 1; i < 20; i++) {
        assert_int_equal(list[i].delta, 1024);
        assert_int_equal(list[i].stop, 1);
        assert_int_equal(list[i].state, TALLY_PACKET_OK);
    }
    tally_packets_close(packets);
    close_recording(&recording);
}

/* Registers are put back, CTRL with its packet format and period. */
static void test_restored(void **state)
{
    struct recording recording;
    uint64_t seed = 7;
    (void)state;
    open_periodic(&recording, &seed);
    uint32_t ctrl = tally_pcounter_read32(recording.rig.engine, 0xa7c4);
    assert_int_equal(ctrl & 0x00f00003, 0x00200002);
    perfmon_record_stop(recording.record);
    recording.record = NULL;
    assert_int_equal(tally_pcounter_read32(recording.rig.engine, 0xa7c4), 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(tally_pcounter_read32(recording.rig.engine, 0xa404 + 0x20 * i), 0);
    assert_int_equal(tally_pcounter_read32(recording.rig.engine, 0xa724), 0);
    close_recording(&recording);
}

/* An earlier user has left a STOP that is always true, and no limit: putting them back writes no
 * packet behind the memory, which would hang the domain. The channel is put back, too. */
static void test_restored_after_another_user(void **state)
{
    struct perfmon_record_status status;
    struct recording recording;
    uint64_t seed = 7;
    (void)state;
    for (unsigned access_ns = 0; access_ns <= 100; access_ns += 100) {
        open_periodic(&recording, &seed);
        perfmon_record_stop(recording.record);
        struct tally_pcounter *engine = recording.rig.engine;
        tally_pcounter_write32(engine, 0xa4e4, 0xffff);     /* STOP_OP */
        tally_pcounter_write32(engine, 0xa724, 0xfffffff0); /* RECORD_LIMIT */
        tally_pcounter_write32(engine, 0xa7a0, 0x12345);    /* RECORD_CHAN */
        tally_pcounter_write32(engine, 0xa7a4, 0x321);      /* RECORD_DMA */
        recording.rig.access_ns = access_ns;
        struct tally_error error = {0};
        recording.options.stop = "0";
        assert_int_equal(
            perfmon_record_start(recording.session, &recording.options, &recording.record, &error),
            0);
        assert_int_equal(perfmon_record_read(recording.record, &(char[64]){0}, 64, &status), 0);
        uint32_t before = tally_pcounter_read32(engine, 0xa6e4); /* RECORD_STATUS */
        perfmon_record_stop(recording.record);
        recording.record = NULL;
        assert_int_equal(tally_pcounter_read32(engine, 0xa6e4), before);
        assert_int_equal(tally_pcounter_read32(engine, 0xa4e4), 0xffff);
        assert_int_equal(tally_pcounter_read32(engine, 0xa7a0), 0x12345);
        assert_int_equal(tally_pcounter_read32(engine, 0xa7a4), 0x321);
        close_recording(&recording);
    }
}

static const struct {
    unsigned line;
    const char *chipset;
    const char *signals[13];
    size_t count;
    const char *stop;
    unsigned periodic;
    bool brief;
    uint64_t address;
    uint32_t bytes;
    int result;
    const char *message;
} error_rows[] = {
    {__LINE__, "g92", {"1:0x1"}, 1, "0x2", 0, false, 0x1000, 512, 0, NULL},
    {__LINE__, "g92", {"1:0x1"}, 1, "0x2", 7, true, 0xff00001000, 256, 0, NULL},
    {__LINE__,
     "g80",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     512,
     -EOPNOTSUPP,
     "G80 has no record mode"},
    {__LINE__,
     "gf100",
     {"GPC0:0x1"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     512,
     -EOPNOTSUPP,
     "GF100 has no record mode"},
    {__LINE__,
     "g92",
     {NULL},
     0,
     "1:0x2",
     0,
     false,
     0x1000,
     512,
     -EINVAL,
     "0 signals to record, expected 1 to 12"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     5,
     "0x2",
     0,
     true,
     0x1000,
     512,
     -EINVAL,
     "5 signals to record, expected 1 to 4"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "0x2",
     8,
     false,
     0x1000,
     512,
     -EINVAL,
     "PERIODIC_PERIOD 8, expected 0 to 7"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     480,
     -EINVAL,
     "480 bytes of memory for packets, expected a multiple of 32, at least 512"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     528,
     -EINVAL,
     "528 bytes of memory for packets, expected a multiple of 32"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0x1008,
     512,
     -EINVAL,
     "memory for packets at 0x1008, expected a multiple of 16, below 2^40"},
    {__LINE__,
     "g84",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0x100000000,
     512,
     -EINVAL,
     "memory for packets at 0x100000000, expected a multiple of 16, below 2^32"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "0x2",
     0,
     false,
     0xffffff00,
     512,
     -EINVAL,
     "which does not cross 4 GiB"},
    {__LINE__, "g92", {"1:0x1"}, 1, "0x2", 0, false, 0xffffffff00, 512, -EINVAL, "below 2^40"},
    {__LINE__,
     "g92",
     {"1:0x1 & 0x2"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     512,
     -ENOENT,
     "\"1:0x1 & 0x2\", expected one signal: packets count no logic"},
    {__LINE__, "g92", {"1:!0x1"}, 1, "0x2", 0, false, 0x1000, 512, -ENOENT, "expected one signal"},
    {__LINE__,
     "g92",
     {"1:last(0x1)"},
     1,
     "0x2",
     0,
     false,
     0x1000,
     512,
     -ENOENT,
     "expected one signal"},
    {__LINE__, "g92", {"1:1"}, 1, "0x2", 0, false, 0x1000, 512, -ENOENT, "expected one signal"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "2:0x2",
     0,
     false,
     0x1000,
     512,
     -ENOENT,
     "packets are of one domain: 2:0x2 is in domain 2, expected 1 as the others"},
    {__LINE__,
     "g92",
     {"1:0x1"},
     1,
     "sum(0x2, 0x3)",
     0,
     false,
     0x1000,
     512,
     -EINVAL,
     "\"sum(0x2, 0x3)\", expected an expression without sum()"},
    {__LINE__, "g92", {"1:0x1"}, 1, "0x2 &", 0, false, 0x1000, 512, -EBADMSG, "at 6: the end"},
};

static void test_errors(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(error_rows); i++) {
        const struct perfmon_record_options options = {
            .signals = error_rows[i].signals,
            .signal_count = error_rows[i].count,
            .stop = error_rows[i].stop,
            .periodic = error_rows[i].periodic,
            .short_format = error_rows[i].brief,
            .domain = ANY_DOMAIN,
            .memory = {.address = error_rows[i].address, .bytes = error_rows[i].bytes}};
        struct perfmon_session *session;
        struct perfmon_record *record = NULL;
        struct tally_error error = {0};
        struct rig rig;
        rig_open(&rig, tally_chipset_find(error_rows[i].chipset), &seed);
        assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
        unsigned writes = rig.writes;
        int result = perfmon_record_start(session, &options, &record, &error);
        ROW(error_rows[i].line,
            result == error_rows[i].result && error.code == result &&
                (!result || (strstr(error.message, error_rows[i].message) && writes == rig.writes)),
            "%d \"%s\"", result, error.message);
        perfmon_record_stop(record);
        perfmon_session_free(session);
        rig_close(&rig);
    }
    ROWS_DONE();
}

int run_record_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),   cmocka_unit_test(test_full),
        cmocka_unit_test(test_restarts), cmocka_unit_test(test_fault),
        cmocka_unit_test(test_silence),  cmocka_unit_test(test_changed),
        cmocka_unit_test(test_decoded),  cmocka_unit_test(test_restored),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_restored_after_another_user),
    };
    return cmocka_run_group_tests_name("record mode", tests, NULL, NULL);
}
