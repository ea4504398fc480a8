/* SPDX-License-Identifier: MIT */
#include "record_buffer.h"

#include <pthread.h>
#include <sys/mman.h>

#include "suites.h"

/* ---- writing packets ---------------------------------------------------------------------- */

struct unit unit_start(bool long_format, unsigned latency)
{
    return (struct unit){
        .long_format = long_format, .latency = latency, .rng = random_start(latency + 1)};
}

void unit_fini(struct unit *unit)
{
    buffer_fini(&unit->bytes);
}

void put_packet(struct buffer *bytes, bool long_format, uint64_t cycles, unsigned stop_word,
                const uint16_t counts[12])
{
    uint16_t words[16] = {(uint16_t)cycles, (uint16_t)(cycles >> 16), (uint16_t)(cycles >> 32),
                          (uint16_t)stop_word};
    for (size_t i = 0; i < 12; i++)
        words[4 + i] = counts ? counts[i] : 0;
    for (size_t i = 0; i < (long_format ? 16 : 8); i++) {
        buffer_char(bytes, (char)(words[i] & 0xff));
        buffer_char(bytes, (char)(words[i] >> 8));
    }
}

static void send(struct unit *unit)
{
    unit->lost_before = unit->lose_one_in && !random_below(&unit->rng, unit->lose_one_in);
    if (unit->lost_before) {
        unit->packets_lost++;
        unit->stops_lost += unit->stop;
        unit->clocks_lost += unit->since_sent;
    } else {
        put_packet(&unit->bytes, unit->long_format, unit->cycles, unit->stop, unit->counts);
        unit->packets_written++;
    }
    unit->since_sent = 0;
    unit->stop = 0;
    memset(unit->counts, 0, sizeof unit->counts);
    unit->busy = unit->latency;
}

void unit_clock(struct unit *unit, unsigned signals, bool stop)
{
    if (unit->busy)
        unit->busy--;
    unit->cycles = (unit->cycles + 1) & ones(48);
    unit->since_sent++;
    bool full = false;
    for (size_t i = 0; i < 12; i++) {
        if (signals >> i & 1 && unit->counts[i] < 0xffff)
            unit->counts[i]++;
        full |= unit->counts[i] >= 0xf000;
    }
    if (stop && unit->stop < 0xfff)
        unit->stop++;
    if ((unit->stop || full) && !unit->busy)
        send(unit);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void read_all_packets(struct tally_packets *reader, size_t chunk, struct packets_read *out)
{
    const struct tally_loss *losses;
    const struct tally_packet_fault *faults;
    size_t capacity = 0;
    struct tally_packet *some = calloc(chunk, sizeof *some);
    ptrdiff_t n;
    while ((n = tally_packets_read(reader, some, chunk, &out->error)) > 0) {
        assert_true((size_t)n <= chunk);
        if (out->count + (size_t)n > capacity) {
            capacity = 2 * capacity + (size_t)n;
            out->packets = realloc(out->packets, capacity * sizeof *out->packets);
            assert_non_null(out->packets);
        }
        memcpy(out->packets + out->count, some, (size_t)n * sizeof *some);
        out->count += (size_t)n;
    }
    free(some);
    out->result = (int)n;
    struct tally_packet one;
    struct tally_error again = {0};
    assert_int_equal(tally_packets_read(reader, &one, 1, &again), n);
    assert_string_equal(again.message, out->error.message);
    assert_int_equal(tally_packets_read(reader, &one, 1, NULL), n);
    out->totals = tally_packets_totals(reader);
    out->position = tally_packets_position(reader);
    out->loss_count = tally_packets_losses(reader, &losses);
    out->losses = calloc(out->loss_count + 1, sizeof *losses);
    if (out->loss_count)
        memcpy(out->losses, losses, out->loss_count * sizeof *losses);
    out->fault_count = tally_packets_faults(reader, &faults);
    for (size_t i = 0; i < out->fault_count && i < COUNT(out->faults); i++)
        memcpy(out->faults[i], faults[i].message, sizeof out->faults[i]);
    tally_packets_close(reader);
}

struct pipe_feeder {
    const struct buffer *bytes;
    int fd;
};

/* Reads in pieces of odd sizes. */
static void *feed_pipe(void *closure)
{
    struct pipe_feeder *feeder = closure;
    for (size_t done = 0; done < feeder->bytes->size;) {
        size_t left = feeder->bytes->size - done;
        ssize_t n = write(feeder->fd, feeder->bytes->bytes + done, left < 1013 ? left : 1013);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    close(feeder->fd);
    return NULL;
}

void read_packets_by(enum packets_way way, const struct buffer *bytes, bool long_format,
                     size_t chunk, struct packets_read *out)
{
    enum tally_packet_format format = long_format ? TALLY_PACKET_LONG : TALLY_PACKET_SHORT;
    struct tally_packets *reader = NULL;
    struct tally_error error = {0};
    char path[32];
    int ends[2] = {-1, -1}, result;
    pthread_t thread;
    struct pipe_feeder feeder = {.bytes = bytes};
    *out = (struct packets_read){0};
    if (way == FROM_MEMORY) {
        result =
            tally_packets_open_memory(bytes->bytes, bytes->size, "memory", format, &reader, &error);
    } else if (way == FROM_PIPE) {
        assert_int_equal(pipe(ends), 0);
        feeder.fd = ends[1];
        assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &feeder), 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        result = tally_packets_open(path, format, false, &reader, &error);
    } else {
        ends[0] = memfd_create("packets", MFD_CLOEXEC);
        assert_int_equal(write(ends[0], bytes->bytes, bytes->size), bytes->size);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        result = tally_packets_open(path, format, way == FROM_MAP, &reader, &error);
    }
    if (result < 0)
        fail_msg("%s", error.message);
    assert_int_equal(tally_packets_format(reader), format);
    assert_int_equal(tally_packets_size_bytes(reader), way == FROM_PIPE ? 0 : bytes->size);
    read_all_packets(reader, chunk, out);
    if (way == FROM_PIPE)
        pthread_join(thread, NULL);
    if (ends[0] >= 0)
        close(ends[0]);
}

void read_record_buffer(const struct buffer *bytes, bool long_format, struct packets_read *out)
{
    read_packets_by(FROM_MEMORY, bytes, long_format, 1000, out);
}

void packets_read_fini(struct packets_read *read)
{
    free(read->packets);
    free(read->losses);
}

uint64_t losses_of(const struct packets_read *read, enum tally_loss_kind kind)
{
    uint64_t records = 0;
    for (size_t i = 0; i < read->loss_count; i++)
        records += read->losses[i].kind == kind ? read->losses[i].records : 0;
    return records;
}
