/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_FORMAT_H
#define TALLY_RECORDING_FORMAT_H

#include <stdbool.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "base/buffer.h"

/* The bytes of a recording (docs/recording-format.md). */

enum {
    RECORD_TYPE = 0,
    RECORD_PAD = 4,
    RECORD_SIZE = 6,
};

/* Maximum payload that a writer puts into a record: the record size has 16 bits and is a multiple
 * of 8. */
#define RECORD_PAYLOAD_MAX 65520

#define VERSION_BYTES     8
#define RECORDING_VERSION 1

enum {
    DEVICE_INFO_TIMESTAMP_HZ = 0,
    DEVICE_INFO_DEVICE_ID = 8,
    DEVICE_INFO_REVISION = 12,
    DEVICE_INFO_GT_MIN_HZ = 16,
    DEVICE_INFO_GT_MAX_HZ = 20,
    DEVICE_INFO_ENGINE_CLASS = 24,
    DEVICE_INFO_ENGINE_INSTANCE = 28,
    DEVICE_INFO_OA_FORMAT = 32,
    DEVICE_INFO_SET_NAME = 36,
    DEVICE_INFO_SET_UUID = 292,
    DEVICE_INFO_PAD = 332,
    DEVICE_INFO_BYTES = 336,
};

#define DEVICE_INFO_SET_NAME_BYTES 256
#define DEVICE_INFO_SET_UUID_BYTES 40

enum {
    CORRELATION_CPU_NS = 0,
    CORRELATION_GPU_TICKS = 8,
    CORRELATION_BYTES = 16,
};

/* A loss reported by the writer; time and index follow from the position of the record. */
enum {
    LEDGER_KIND = 0,
    LEDGER_CLOCK = 4, /* index + 1 of the clock of a domain; 0: none */
    LEDGER_RECORDS = 8,
    LEDGER_ESTIMATED = 16,
    LEDGER_BYTES = 24,
};

/* Properties of the stream that follows. */
enum {
    STREAM_TIMER = 0, /* period of the report timer in ticks; 0: no timer, or unknown */
    STREAM_FLAGS = 8, /* STREAM_... */
    STREAM_CONTEXT = 12,
    STREAM_BYTES = 16,
};

#define STREAM_ONE_CONTEXT 1u /* reports of others were left out */
#define STREAM_MODELLED    2u /* the GPU is a model */
#define STREAM_MARKS       4u /* records of marks may follow */

/* SEGMENT: nothing was recorded between the reports before and after. */
enum {
    SEGMENT_KIND = 0, /* enum segment_kind */
    SEGMENT_BYTES = 8,
};

enum segment_kind { SEGMENT_PAUSED, SEGMENT_APPENDED, SEGMENT_KINDS };

/* CHIPSET: an NVIDIA GPU, and the frequencies of its domains. */
enum {
    CHIPSET_NAME = 0,
    CHIPSET_BOOT0 = 16,
    CHIPSET_DEVICE_ID = 20,
    CHIPSET_DOMAIN_COUNT = 24,
    CHIPSET_DOMAINS = 32, /* then a row for each domain */
    CHIPSET_DOMAIN_NUMBER = 0,
    CHIPSET_DOMAIN_INSTANCE = 2,
    CHIPSET_DOMAIN_HZ = 8,
    CHIPSET_DOMAIN_BYTES = 16,
};

#define CHIPSET_NAME_BYTES 16

/* SIGNALS: a row for each clock, then for each signal a row and its texts, padded to 8 bytes. */
enum {
    SIGNALS_COUNT = 0,
    SIGNALS_CLOCK_COUNT = 2,
    SIGNALS_PASSES = 4,
    SIGNALS_CLOCKS = 8,
    SIGNALS_CLOCK_PASS = 0,
    SIGNALS_CLOCK_DOMAIN = 1,
    SIGNALS_CLOCK_INSTANCE = 2,
    SIGNALS_CLOCK_BYTES = 8,
    SIGNALS_SIGNAL_BITS = 0,
    SIGNALS_SIGNAL_SLOT = 1,
    SIGNALS_SIGNAL_CLOCK = 2,
    SIGNALS_SIGNAL_SYMBOL = 4, /* bytes of the text */
    SIGNALS_SIGNAL_EXPRESSION = 6,
    SIGNALS_SIGNAL_BYTES = 8,
};

/* PACKETS: packets of record mode, of one run of the cycle counter. */
enum {
    PACKETS_START = 0,   /* PTIMER, ns, when the run began */
    PACKETS_READ = 8,    /* when the packets were read */
    PACKETS_BEFORE = 16, /* cycles of the run's previous packet; 0: none */
    PACKETS_RUN = 24,    /* number of the run, from 0 */
    PACKETS_FORMAT = 28, /* enum tally_packet_format */
    PACKETS_BYTES = 32,  /* then the packets */
};

/* Maximum size of the packets of a record. */
#define PACKETS_MAX (RECORD_PAYLOAD_MAX - PACKETS_BYTES)

/* A record header. The caller checks that `size` is at least 8. */
struct record_header {
    uint32_t type;
    uint32_t size;
};

static inline struct record_header record_header_load(const uint8_t *bytes)
{
    return (struct record_header){load_le32(bytes + RECORD_TYPE), load_le16(bytes + RECORD_SIZE)};
}

static inline void record_header_store(uint8_t *bytes, uint32_t type, size_t size)
{
    store_le32(bytes + RECORD_TYPE, type);
    store_le16(bytes + RECORD_PAD, 0);
    store_le16(bytes + RECORD_SIZE, (uint16_t)size);
}

/* Bytes of a record from which record_reports() knows how many it has. */
#define RECORD_REPORTS_BYTES (TALLY_RECORD_HEADER_BYTES + PACKETS_BYTES)

/* Returns whether a record type has reports, and the number of reports that a whole record has:
 * packets of record mode are reports, too. */
bool record_has_reports(uint32_t type);
size_t record_reports(const uint8_t *record);

/* Appends one record, padded as tally_recorder_write() does. size: at most RECORD_PAYLOAD_MAX. */
void record_put(struct buffer *to, uint32_t type, const void *payload, size_t size);

/* Appends a loss. */
void ledger_put(struct buffer *to, const struct tally_loss *loss);

/* Appends the first records of a recording: VERSION, DEVICE_INFO and, if topology_size is not 0,
 * DEVICE_TOPOLOGY. */
void recording_head_put(struct buffer *to, const struct tally_device_info *info,
                        const void *topology, size_t topology_size);

/* Same as tally_recorder_new(), but does not write the first records. Returns 0 or -ENOMEM. */
int recorder_new(int fd, struct tally_recorder **out, struct tally_error *error);

void device_info_load(const uint8_t *payload, struct tally_device_info *out);
void device_info_store(const struct tally_device_info *info, uint8_t *payload);

#endif
