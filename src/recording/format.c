/* SPDX-License-Identifier: MIT */
#include "recording/format.h"

#include <string.h>

#include <tally/packets.h>

#include "nvidia/pcounter/packet.h"

/* The numbers of a DEVICE_INFO record: offset in the record, offset in the struct. */
static const struct {
    uint16_t at;
    uint16_t member;
} words[] = {
    {DEVICE_INFO_DEVICE_ID, offsetof(struct tally_device_info, device_id)},
    {DEVICE_INFO_REVISION, offsetof(struct tally_device_info, revision)},
    {DEVICE_INFO_GT_MIN_HZ, offsetof(struct tally_device_info, gt_min_hz)},
    {DEVICE_INFO_GT_MAX_HZ, offsetof(struct tally_device_info, gt_max_hz)},
    {DEVICE_INFO_ENGINE_CLASS, offsetof(struct tally_device_info, engine_class)},
    {DEVICE_INFO_ENGINE_INSTANCE, offsetof(struct tally_device_info, engine_instance)},
    {DEVICE_INFO_OA_FORMAT, offsetof(struct tally_device_info, oa_format)},
};

void device_info_load(const uint8_t *payload, struct tally_device_info *out)
{
    memset(out, 0, sizeof *out);
    out->timestamp_hz = load_le64(payload + DEVICE_INFO_TIMESTAMP_HZ);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        uint32_t value = load_le32(payload + words[i].at);
        memcpy((char *)out + words[i].member, &value, sizeof value);
    }
    memcpy(out->set_name, payload + DEVICE_INFO_SET_NAME, DEVICE_INFO_SET_NAME_BYTES);
    memcpy(out->set_uuid, payload + DEVICE_INFO_SET_UUID, DEVICE_INFO_SET_UUID_BYTES);
}

void device_info_store(const struct tally_device_info *info, uint8_t *payload)
{
    memset(payload, 0, DEVICE_INFO_BYTES);
    store_le64(payload + DEVICE_INFO_TIMESTAMP_HZ, info->timestamp_hz);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        uint32_t value;
        memcpy(&value, (const char *)info + words[i].member, sizeof value);
        store_le32(payload + words[i].at, value);
    }
    /* Both texts are NUL terminated, as i915-perf-reader expects. */
    memcpy(payload + DEVICE_INFO_SET_NAME, info->set_name,
           strnlen(info->set_name, DEVICE_INFO_SET_NAME_BYTES - 1));
    memcpy(payload + DEVICE_INFO_SET_UUID, info->set_uuid,
           strnlen(info->set_uuid, DEVICE_INFO_SET_UUID_BYTES - 1));
}

void record_put(struct buffer *to, uint32_t type, const void *payload, size_t size)
{
    uint8_t header[TALLY_RECORD_HEADER_BYTES];
    static const uint8_t zeros[8];
    size_t padding = -size & 7;
    record_header_store(header, type, sizeof header + size + padding);
    buffer_append(to, header, sizeof header);
    buffer_append(to, payload, size);
    buffer_append(to, zeros, padding);
}

void ledger_put(struct buffer *to, const struct tally_loss *loss)
{
    uint8_t payload[LEDGER_BYTES] = {0};
    store_le32(payload + LEDGER_KIND, loss->kind);
    store_le32(payload + LEDGER_CLOCK, loss->clock);
    store_le64(payload + LEDGER_RECORDS, loss->records);
    store_le64(payload + LEDGER_ESTIMATED, loss->estimated);
    record_put(to, TALLY_RECORD_LEDGER, payload, sizeof payload);
}

void recording_head_put(struct buffer *to, const struct tally_device_info *info,
                        const void *topology, size_t topology_size)
{
    uint8_t version[VERSION_BYTES] = {0};
    uint8_t device[DEVICE_INFO_BYTES];
    store_le32(version, RECORDING_VERSION);
    device_info_store(info, device);
    record_put(to, TALLY_RECORD_VERSION, version, sizeof version);
    record_put(to, TALLY_RECORD_DEVICE_INFO, device, sizeof device);
    if (topology_size)
        record_put(to, TALLY_RECORD_DEVICE_TOPOLOGY, topology, topology_size);
}

bool record_has_reports(uint32_t type)
{
    return type == TALLY_RECORD_SAMPLE || type == TALLY_RECORD_PACKETS;
}

size_t record_reports(const uint8_t *record)
{
    struct record_header header = record_header_load(record);
    if (header.type != TALLY_RECORD_PACKETS || header.size < RECORD_REPORTS_BYTES)
        return header.type == TALLY_RECORD_SAMPLE;
    bool brief =
        load_le32(record + TALLY_RECORD_HEADER_BYTES + PACKETS_FORMAT) == TALLY_PACKET_SHORT;
    return (header.size - RECORD_REPORTS_BYTES) / packet_size(!brief);
}
