/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/whole.h"
#include "recording/chipset.h"
#include "recording/format.h"

#define WRITER_BYTES (256u * 1024)

struct tally_recorder {
    int fd;
    size_t used;
    uint8_t bytes[WRITER_BYTES];
};

static int write_all(int fd, const uint8_t *bytes, size_t size, size_t *done,
                     struct tally_error *error)
{
    int result = write_whole(fd, bytes, size, done);
    return result < 0 ? fail(error, result, "cannot write the recording: %s", strerror(-result))
                      : 0;
}

int tally_recorder_flush(struct tally_recorder *recorder, struct tally_error *error)
{
    size_t done;
    int result = write_all(recorder->fd, recorder->bytes, recorder->used, &done, error);
    /* Keep the unwritten bytes, so that a later flush can continue. */
    memmove(recorder->bytes, recorder->bytes + done, recorder->used - done);
    recorder->used -= done;
    return result;
}

int tally_recorder_append(struct tally_recorder *recorder, const void *records, size_t size,
                          struct tally_error *error)
{
    size_t done;
    if (WRITER_BYTES - recorder->used < size) {
        int result = tally_recorder_flush(recorder, error);
        if (result < 0)
            return result;
    }
    if (size > WRITER_BYTES)
        return write_all(recorder->fd, records, size, &done, error);
    memcpy(recorder->bytes + recorder->used, records, size);
    recorder->used += size;
    return 0;
}

int tally_recorder_write(struct tally_recorder *recorder, uint32_t type, const void *payload,
                         size_t size, struct tally_error *error)
{
    if (size > RECORD_PAYLOAD_MAX)
        return fail(error, -EMSGSIZE, "payload of %zu bytes, expected at most %d", size,
                    RECORD_PAYLOAD_MAX);
    size_t padded = (size + 7) & ~(size_t)7;
    size_t whole = TALLY_RECORD_HEADER_BYTES + padded;
    if (WRITER_BYTES - recorder->used < whole) {
        int result = tally_recorder_flush(recorder, error);
        if (result < 0)
            return result;
    }
    uint8_t *to = recorder->bytes + recorder->used;
    record_header_store(to, type, whole);
    if (size)
        memcpy(to + TALLY_RECORD_HEADER_BYTES, payload, size);
    memset(to + TALLY_RECORD_HEADER_BYTES + size, 0, padded - size);
    recorder->used += whole;
    return 0;
}

int tally_recorder_correlate(struct tally_recorder *recorder, uint64_t cpu_ns, uint64_t gpu_ticks,
                             struct tally_error *error)
{
    uint8_t payload[CORRELATION_BYTES];
    store_le64(payload + CORRELATION_CPU_NS, cpu_ns);
    store_le64(payload + CORRELATION_GPU_TICKS, gpu_ticks);
    return tally_recorder_write(recorder, TALLY_RECORD_TIMESTAMP_CORRELATION, payload,
                                sizeof payload, error);
}

/* Appends records and frees them. */
static int append_buffer(struct tally_recorder *recorder, struct buffer *records,
                         struct tally_error *error)
{
    int result = records->broken
                     ? fail_memory(error, "a record")
                     : tally_recorder_append(recorder, records->bytes, records->size, error);
    buffer_fini(records);
    return result;
}

int tally_recorder_chipset(struct tally_recorder *recorder, const char *chipset,
                           const struct tally_recorded_chipset *recorded,
                           const struct tally_recorded_signals *signals, struct tally_error *error)
{
    struct buffer records = {0};
    chipset_record_put(&records, chipset, recorded);
    signals_record_put(&records, signals);
    return append_buffer(recorder, &records, error);
}

int tally_recorder_loss(struct tally_recorder *recorder, const struct tally_loss *loss,
                        struct tally_error *error)
{
    struct buffer records = {0};
    ledger_put(&records, loss);
    return append_buffer(recorder, &records, error);
}

int recorder_new(int fd, struct tally_recorder **out, struct tally_error *error)
{
    struct tally_recorder *recorder = malloc(sizeof *recorder);
    if (!recorder)
        return fail_memory(error, "a recorder");
    recorder->fd = fd;
    recorder->used = 0;
    *out = recorder;
    return 0;
}

int tally_recorder_new(int fd, const struct tally_device_info *info, const void *topology,
                       size_t topology_size, struct tally_recorder **out, struct tally_error *error)
{
    struct tally_recorder *recorder = NULL;
    struct buffer head = {0};
    if (topology_size > RECORD_PAYLOAD_MAX)
        return fail(error, -EMSGSIZE, "payload of %zu bytes, expected at most %d", topology_size,
                    RECORD_PAYLOAD_MAX);
    int result = recorder_new(fd, &recorder, error);
    if (result < 0)
        return result;
    recording_head_put(&head, info, topology, topology_size);
    result = head.broken ? fail_memory(error, "a recorder")
                         : tally_recorder_append(recorder, head.bytes, head.size, error);
    buffer_fini(&head);
    if (result < 0) {
        tally_recorder_free(recorder);
        return result;
    }
    *out = recorder;
    return 0;
}

void tally_recorder_free(struct tally_recorder *recorder)
{
    free(recorder);
}
