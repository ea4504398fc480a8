/* SPDX-License-Identifier: MIT */
/*
 * Record mode from the interface to the reports: each packet has the counts of the waves that the
 * workload drives, and what is not in packets is in the ledger.
 */
#include "capture/tests.h"

#include <errno.h>

#include <tally/capture.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/ratio.h"
#include "driver/perfmon/chips.h"
#include "emulation/nvidia/device.h"
#include "nvidia/pcounter/packet.h"
#include "recording/format.h"
#include "recording/pcounter_layouts.h"

#define US     UINT64_C(1000)
#define MS     UINT64_C(1000000)
#define DOMAIN 1

/* ---- a recording ----------------------------------------------------------------------------- */

struct recorded {
    struct buffer bytes;
    struct tally_capture_stats stats;
    uint64_t period_ns;
    struct tally_error error;
    int result;
};

static int take(void *closure, const void *records, size_t size)
{
    buffer_append(closure, records, size);
    return 0;
}

struct request {
    const char *device;
    const char *const *expressions;
    size_t count;
    const char *stop, *faults;
    uint64_t period_ns, duration_ns, packet_bytes;
};

static struct recorded record_packets(const struct request *request)
{
    struct recorded recorded = {0};
    struct tally_capture *capture;
    struct tally_capture_device_options device = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
    char workload[600], faults[600];
    snprintf(workload, sizeof workload, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    device.workload = workload;
    device.clock = TALLY_CAPTURE_FREE;
    if (request->faults) {
        snprintf(faults, sizeof faults, "%s/%s", getenv("TALLY_SOURCE"), request->faults);
        device.faults = faults;
    }
    options.packets = true;
    options.expressions = request->expressions;
    options.expression_count = request->count;
    options.stop = request->stop;
    options.period_ns = request->period_ns;
    options.duration_ns = request->duration_ns;
    options.packet_bytes = request->packet_bytes;
    options.records = take;
    options.closure = &recorded.bytes;
    if (tally_capture_open(request->device, &device, &capture, &recorded.error) < 0)
        fail_msg("%s", recorded.error.message);
    recorded.result = tally_capture_run(capture, &options, &recorded.error);
    recorded.stats = *tally_capture_stats(capture);
    recorded.period_ns = tally_capture_info(capture)->period_ns;
    tally_capture_close(capture);
    return recorded;
}

/* ---- what the workload drives ---------------------------------------------------------------- */

/* The waves of the signals of a domain in the workload's second phase, from 0.3 to 4.3 ms. */
struct waves {
    struct nvidia_emulation *emulation;
    struct tally_wave waves[PACKET_COUNTS];
    char texts[PACKET_COUNTS][16];
    const char *expressions[PACKET_COUNTS];
    size_t count;
    uint64_t origin; /* clock at which the phase began */
};

static void find_waves(struct waves *waves, const struct tally_chipset *chipset, size_t max)
{
    struct tally_error error = {0};
    char workload[600];
    snprintf(workload, sizeof workload, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    const struct nvidia_emulation_settings settings = {
        .chipset = chipset, .workload = workload, .clock = EMULATION_FREE};
    *waves = (struct waves){0};
    if (nvidia_emulation_new(&settings, &waves->emulation, &error) < 0)
        fail_msg("%s", error.message);
    nvidia_emulation_run_ns(waves->emulation, 400 * US);
    const struct nvidia_program *program = waves->emulation->driven.program;
    assert_int_equal(waves->emulation->driven.player.phase, 1);
    waves->origin = waves->emulation->driven.player.origins[DOMAIN];
    int latest = -1;
    for (size_t i = 0; i < program->drive_count && waves->count < max; i++) {
        const struct nvidia_drive *drive = &program->drives[i];
        if (drive->domain != DOMAIN || drive->conditions || drive->signal == latest)
            continue;
        latest = drive->signal;
        snprintf(waves->texts[waves->count], sizeof waves->texts[0], "%d:0x%02x", DOMAIN,
                 drive->signal);
        waves->expressions[waves->count] = waves->texts[waves->count];
        waves->waves[waves->count++] = program->phases[1].waves[i];
    }
}

/* Returns how often a signal is 1 in `count` clocks of the domain. */
static uint64_t ones_of(const struct waves *waves, size_t signal, uint64_t first, uint64_t count)
{
    return tally_wave_count(&waves->waves[signal], first - waves->origin, count);
}

/* ---- packets --------------------------------------------------------------------------------- */

struct packet_of {
    uint64_t start_ns, before; /* of the run; cycles of the packet before it */
    uint32_t run;
    struct pcounter_packet packet;
};

static size_t packets_of(const struct recorded *recorded, struct packet_of **out)
{
    const uint8_t *bytes = (const uint8_t *)recorded->bytes.bytes;
    struct packet_of *packets = calloc(recorded->stats.reports + 1, sizeof *packets);
    size_t count = 0;
    for (size_t at = 0; at < recorded->bytes.size; at += record_header_load(bytes + at).size) {
        const uint8_t *payload = bytes + at + TALLY_RECORD_HEADER_BYTES;
        if (record_header_load(bytes + at).type != TALLY_RECORD_PACKETS)
            continue;
        bool brief = load_le32(payload + PACKETS_FORMAT);
        uint64_t before = load_le64(payload + PACKETS_BEFORE);
        for (size_t i = 0; i < record_reports(bytes + at); i++, count++) {
            packets[count] = (struct packet_of){.start_ns = load_le64(payload + PACKETS_START),
                                                .before = before,
                                                .run = load_le32(payload + PACKETS_RUN)};
            assert_true(count < recorded->stats.reports);
            packet_unpack(payload + PACKETS_BYTES + i * packet_size(!brief), !brief,
                          &packets[count].packet);
            before = packets[count].packet.cycles;
        }
    }
    assert_int_equal(count, recorded->stats.reports);
    *out = packets;
    return count;
}

static bool fits(const struct waves *waves, const struct packet_of *packet, uint64_t start)
{
    for (size_t i = 0; i < waves->count; i++)
        if (packet->packet.counts[i] !=
            ones_of(waves, i, start + packet->before, packet->packet.cycles - packet->before))
            return false;
    return true;
}

/* Returns the clock at which a run began: near its time, and so that its packets have the right
 * counts. */
static uint64_t start_of(const struct waves *waves, const struct packet_of *packets, size_t count,
                         uint64_t hz)
{
    uint64_t near = scale_u64(packets->start_ns, hz, NS_PER_SECOND);
    for (uint64_t start = near - 100; start < near + 100; start++) {
        size_t i = 0;
        while (i < count && fits(waves, &packets[i], start))
            i++;
        if (i == count)
            return start;
    }
    fail_msg("no clock near %llu", (unsigned long long)near);
    return 0;
}

static uint64_t hz_of(const struct nvidia_emulation *emulation)
{
    struct tally_pcounter_domain about;
    assert_int_equal(tally_pcounter_domain(emulation->driven.gpu->pcounter, DOMAIN, &about), 0);
    return NS_PER_SECOND * emulation->driven.gpu->ticks_per_ns / about.period;
}

/* Every chipset that has record mode: the counts of each packet are those of the waves. */
static void counts_equal_the_waves(void **state)
{
    (void)state;
    unsigned chipsets = 0;
    for (size_t c = 0; tally_chipset_at(c); c++) {
        const struct tally_chipset *chipset = tally_chipset_at(c);
        if (!perfmon_features(chipset)->record || !nvidia_pci_id(chipset))
            continue;
        struct waves waves;
        struct packet_of *packets;
        char device[32];
        find_waves(&waves, chipset, c % 2 ? 4 : PACKET_COUNTS);
        snprintf(device, sizeof device, "sim:%s", chipset->name);
        if (!waves.count) { /* its signals are not published */
            nvidia_emulation_free(waves.emulation);
            continue;
        }
        const struct request request = {.device = device,
                                        .expressions = waves.expressions,
                                        .count = waves.count,
                                        .period_ns = 1500,
                                        .duration_ns = 600 * US};
        struct recorded recorded = record_packets(&request);
        if (recorded.result < 0)
            fail_msg("%s: %s", device, recorded.error.message);
        size_t count = packets_of(&recorded, &packets);
        if (count < 100)
            fail_msg("%s: %zu packets", device, count);
        uint64_t start = start_of(&waves, packets, count, hz_of(waves.emulation));
        for (size_t i = 0; i < count; i++)
            if (!fits(&waves, &packets[i], start) || packets[i].packet.stop != 1 || packets[i].run)
                fail_msg("%s: packet %zu is not as the waves", device, i);
        assert_int_equal(recorded.stats.restarts + recorded.stats.overruns, 0);
        free(packets);
        buffer_fini(&recorded.bytes);
        nvidia_emulation_free(waves.emulation);
        chipsets++;
    }
    assert_true(chipsets >= 10);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* Checks with the reader that each gap is an entry of the ledger and a delta without values, and
 * that everything else has the right counts. Returns the entries of packets-dropped. */
static uint64_t check_gaps(const struct recorded *recorded, const struct waves *waves)
{
    struct tally_recording *recording;
    struct tally_batch *batch = tally_batch_new();
    const struct tally_loss *losses;
    struct packet_of *packets;
    uint64_t hz = hz_of(waves->emulation), dropped = 0;
    size_t count = packets_of(recorded, &packets), at = 0;
    assert_int_equal(tally_recording_open_memory(recorded->bytes.bytes, recorded->bytes.size, "r",
                                                 NULL, &recording, NULL),
                     0);
    uint64_t clocks = 0, lost = 0, before = 0;
    for (int result; (result = tally_recording_read(recording, batch, NULL)) != 0;) {
        assert_int_equal(result, 1);
        for (size_t i = 0; i + 1 < batch->count; i++) {
            lost += batch->states[i] == TALLY_STATE_LOST;
            clocks += batch->states[i] == TALLY_STATE_OK
                          ? load_le64(batch->reports[i + 1] + 16 + 8 * 32) -
                                load_le64(batch->reports[i] + 16 + 8 * 32)
                          : 0;
        }
    }
    for (size_t i = 0, end; i < count; i = end, at++) {
        for (end = i; end < count && packets[end].run == packets[i].run; end++)
            ;
        assert_int_equal(packets[i].run, at);
        uint64_t start = start_of(waves, packets + i, end - i, hz);
        assert_true(start >= before); /* runs follow each other */
        before = start + packets[end - 1].packet.cycles;
        for (size_t k = i; k < end; k++)
            if (!fits(waves, &packets[k], start))
                fail_msg("packet %zu of run %zu is not as the waves", k, at);
        clocks -= packets[end - 1].packet.cycles;
    }
    assert_int_equal(clocks, 0); /* every clock of a run is in a delta */
    size_t entries = tally_recording_losses(recording, &losses);
    for (size_t i = 0; i < entries; i++) {
        assert_int_equal(losses[i].clock, 1);
        assert_true(losses[i].kind == TALLY_LOSS_RESTART || losses[i].kind == TALLY_LOSS_PACKETS);
        dropped += losses[i].kind == TALLY_LOSS_PACKETS;
    }
    /* The latest one may be after the last packet. */
    bool ends = entries && !losses[entries - 1].gpu_end;
    assert_int_equal(entries, at - 1 + ends);
    assert_int_equal(lost, entries - ends);
    assert_int_equal(tally_recording_packets(recording).runs, at);
    assert_int_equal(tally_recording_packets(recording).packets, count);
    assert_int_equal(recorded->stats.restarts + recorded->stats.overruns, entries);
    assert_int_equal(recorded->stats.overruns, dropped);
    free(packets);
    tally_recording_close(recording);
    tally_batch_free(batch);
    return dropped;
}

/* A memory of 256 packets begins anew a few times, and with a reader that stalls it is full. */
static void gaps_are_reported(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *faults, *stop;
        uint64_t period_ns, packet_bytes;
        bool drops;
    } rows[] = {
        {__LINE__, NULL, NULL, 1500, 4096, false},
        {__LINE__, "tests/capture/stalled.yaml", NULL, 1500, 4096, true},
        {__LINE__, "tests/capture/stalled.yaml", NULL, 1500, 64 << 10, false},
        {__LINE__, NULL, "rise(PGRAPH.IDLE)", 0, 4096, true},
        {__LINE__, NULL, "PGRAPH.IDLE || !PGRAPH.IDLE", 0, 16 << 10, true},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct waves waves;
        find_waves(&waves, tally_chipset_find("g92"), 4);
        const struct request request = {.device = "sim:g92",
                                        .expressions = waves.expressions,
                                        .count = waves.count,
                                        .stop = rows[r].stop,
                                        .faults = rows[r].faults,
                                        .period_ns = rows[r].period_ns,
                                        .packet_bytes = rows[r].packet_bytes,
                                        .duration_ns = 1200 * US};
        struct recorded recorded = record_packets(&request);
        if (recorded.result < 0)
            fail_msg("line %u: %s", rows[r].line, recorded.error.message);
        uint64_t dropped = check_gaps(&recorded, &waves);
        if (!dropped != !rows[r].drops)
            fail_msg("line %u: %llu entries", rows[r].line, (unsigned long long)dropped);
        buffer_fini(&recorded.bytes);
        nvidia_emulation_free(waves.emulation);
    }
}

/* A domain that hangs brings no packets, which the ledger says. */
static void silence_is_reported(void **state)
{
    (void)state;
    static const char *const expressions[] = {"PGRAPH.IDLE"};
    const struct request request = {.device = "sim:g92",
                                    .expressions = expressions,
                                    .count = 1,
                                    .faults = "tests/capture/hung.yaml",
                                    .duration_ns = 200 * MS};
    struct recorded recorded = record_packets(&request);
    struct tally_recording *recording;
    struct tally_batch *batch = tally_batch_new();
    const struct tally_loss *losses;
    assert_int_equal(recorded.result, 0);
    assert_int_equal(tally_recording_open_memory(recorded.bytes.bytes, recorded.bytes.size, "r",
                                                 NULL, &recording, NULL),
                     0);
    while (tally_recording_read(recording, batch, NULL) > 0)
        ;
    assert_int_equal(tally_recording_losses(recording, &losses), 1);
    assert_int_equal(losses[0].kind, TALLY_LOSS_WEDGED);
    assert_true(losses[0].records >= 2);
    assert_true(recorded.stats.counts_lost == losses[0].records);
    assert_true(recorded.stats.reports > 50);
    tally_recording_close(recording);
    tally_batch_free(batch);
    buffer_fini(&recorded.bytes);
}

/* ---- options --------------------------------------------------------------------------------- */

/* The period is that of 2^10 to 2^16 clocks that is nearest. */
static void periods(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t wanted_ns, clocks;
    } rows[] = {
        {__LINE__, 1, 1024},         {__LINE__, 1706, 1024},          {__LINE__, 2550, 1024},
        {__LINE__, 2570, 2048},      {__LINE__, 10 * US, 4096},       {__LINE__, 81 * US, 32768},
        {__LINE__, 100 * US, 65536}, {__LINE__, 0 /* 1 ms */, 65536}, {__LINE__, UINT64_MAX, 65536},
    };
    static const char *const expressions[] = {"PGRAPH.IDLE"};
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        const struct request request = {.device = "sim:g92",
                                        .expressions = expressions,
                                        .count = 1,
                                        .period_ns = rows[r].wanted_ns,
                                        .duration_ns = 500 * US};
        struct recorded recorded = record_packets(&request);
        struct packet_of *packets;
        size_t count = packets_of(&recorded, &packets);
        assert_int_equal(recorded.result, 0);
        for (size_t i = 1; i < count; i++)
            if (packets[i].packet.cycles - packets[i].before != rows[r].clocks)
                fail_msg("line %u", rows[r].line);
        /* At 600 MHz, as measured. */
        uint64_t ns = rows[r].clocks * 10 / 6;
        assert_true(recorded.period_ns + 1 + ns / 1000 >= ns);
        assert_true(recorded.period_ns <= ns + 1 + ns / 1000);
        free(packets);
        buffer_fini(&recorded.bytes);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *device, *stop;
        unsigned count;
        uint64_t packet_bytes;
        const char *expression;
        int code;
        const char *message;
    } rows[] = {
        {__LINE__, "sim:nv40", NULL, 1, 0, "1:0x00", -EOPNOTSUPP, "NV40 has no record mode"},
        {__LINE__, "sim:gf100", NULL, 1, 0, "GPC0:0x01", -EOPNOTSUPP, "GF100 has no record mode"},
        {__LINE__, "sim:skl", NULL, 1, 0, "1:0x00", -EINVAL, "packets are for NVIDIA GPUs"},
        {__LINE__, "sim:g92", NULL, 0, 0, NULL, -EINVAL, "packets without expressions"},
        {__LINE__, "sim:g92", NULL, 13, 0, "1:0x01", -EINVAL, "13 expressions"},
        {__LINE__, "sim:g92", NULL, 1, 100, "1:0x01", -EINVAL, "100 bytes of memory for packets"},
        {__LINE__, "sim:g92", NULL, 1, 4097, "1:0x01", -EINVAL, "a multiple of 32"},
        {__LINE__, "sim:g92", NULL, 1, UINT64_C(1) << 40, "1:0x01", -EINVAL, "to 268435456"},
        {__LINE__, "sim:g92", NULL, 1, 0, "1:0x01 & 1:0x02", -ENOENT, "packets count no logic"},
        {__LINE__, "sim:g92", "2:0x01", 1, 0, "1:0x01", -ENOENT, "domain 2, expected 1"},
        {__LINE__, "sim:g92", "PGRAPH.NONE", 1, 0, "1:0x01", -ENOENT, "PGRAPH.NONE"},
        {__LINE__, "sim:g92", NULL, 1, 0, "STOP=1:0x01", -EINVAL, "with the name \"STOP\""},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        const char *expressions[13];
        for (unsigned i = 0; i < 13; i++)
            expressions[i] = rows[r].expression;
        const struct request request = {.device = rows[r].device,
                                        .expressions = expressions,
                                        .count = rows[r].count,
                                        .stop = rows[r].stop,
                                        .packet_bytes = rows[r].packet_bytes,
                                        .duration_ns = MS};
        struct recorded recorded = record_packets(&request);
        if (recorded.result != rows[r].code || !strstr(recorded.error.message, rows[r].message))
            fail_msg("line %u: %d, %s", rows[r].line, recorded.result, recorded.error.message);
        assert_int_equal(recorded.bytes.size, 0);
        buffer_fini(&recorded.bytes);
    }
}

int run_packets_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_the_waves),
        cmocka_unit_test(gaps_are_reported),
        cmocka_unit_test(silence_is_reported),
        cmocka_unit_test(periods),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("record mode", tests, NULL, NULL);
}
