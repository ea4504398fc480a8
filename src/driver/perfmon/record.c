/* SPDX-License-Identifier: MIT */
/* Record mode with memory that is used again and again. */
#include "driver/perfmon/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "driver/perfmon/session.h"
#include "nvidia/pcounter/packet.h"

/* The memory is restarted when this share of it is used. */
#define RESTART_NUMERATOR   3u
#define RESTART_DENOMINATOR 4u
#define MIN_PACKETS         16u

/* The last packets of a run are copied, so that the next run can begin before they are delivered.
 */
#define TAIL_BYTES (4 * PACKET_LONG_BYTES)

/* How long a read waits for the packet that ends a run; a later read continues, up to a time after
 * which the run is restarted in any case. */
#define END_STEPS  20u
#define END_MAX_NS UINT64_C(100000000)

/* A STOP that is always true brings a packet within two times that of writing one. */
#define ALIVE_STEPS 1000u
#define STOP_ALWAYS 0xffffu /* truth table */

enum run {
    RUN_GOING,
    RUN_ENDING, /* RECORD_LIMIT is at the start: the next packet is the last */
    RUN_ENDED,  /* the hardware writes no more */
    RUN_FAILED  /* it hangs, or something else has changed it */
};

struct perfmon_record {
    struct perfmon_session *session;
    struct session_unit *unit;
    struct perfmon_memory memory;
    uint32_t packet; /* bytes */
    enum run run;
    uint32_t read, written;              /* offsets in the memory */
    uint32_t ending_at;                  /* `written` when the run began to end */
    uint64_t ending_ns;                  /* when it did */
    uint64_t start_ns, tail_start_ns;    /* when the run, and that of the tail, began */
    uint64_t checked_ns;                 /* when the hardware was last known to write packets */
    struct perfmon_record_status status; /* not yet reported */
    uint8_t tail[TAIL_BYTES];            /* of the previous run */
    uint32_t tail_bytes;
};

static uint32_t start_address(const struct perfmon_record *record)
{
    return (uint32_t)record->memory.address;
}

/* Sets the last address at which a packet may begin. */
static void set_limit(struct perfmon_record *record, uint32_t offset)
{
    unit_write(record->session, record->unit, REG_RECORD_LIMIT, start_address(record) + offset);
}

/* Sets the position; in record mode this clears all counters. */
static void restart(struct perfmon_record *record)
{
    set_limit(record, record->memory.bytes - record->packet);
    unit_write(record->session, record->unit, REG_RECORD_START, start_address(record));
    record->read = record->written = 0;
    record->run = RUN_GOING;
    record->start_ns = record->checked_ns = perfmon_session_time_ns(record->session);
}

/* Returns the offset of the next packet. */
static uint32_t position(const struct perfmon_record *record)
{
    uint32_t value = unit_read(record->session, record->unit, REG_RECORD_STATUS);
    return (value & REG_MASK(PCOUNTER_RECORD_STATUS, POSITION)) - start_address(record);
}

/* ---- starting -------------------------------------------------------------------------------- */

static int check_options(const struct perfmon_session *session,
                         const struct perfmon_record_options *options, struct tally_error *error)
{
    const struct perfmon_memory *memory = &options->memory;
    size_t packet = packet_size(!options->short_format);
    size_t max = options->short_format ? PACKET_SHORT_COUNTS : PACKET_COUNTS;
    bool high = perfmon_register(&(struct perfmon_unit){session->chipset, 0, 0},
                                 REG_RECORD_ADDRESS_HIGH, NULL);
    uint64_t end = memory->address + memory->bytes;
    if (!session->features->record)
        return fail(error, -EOPNOTSUPP,
                    "%s has no record mode, expected a chipset from G84 to GT21x",
                    session->chipset->title);
    if (!options->signal_count || options->signal_count > max)
        return fail(error, -EINVAL, "%zu signals to record, expected 1 to %zu",
                    options->signal_count, max);
    if (options->periodic > REG_GET(NV40_CTRL, PERIODIC_PERIOD, UINT32_MAX))
        return fail(error, -EINVAL, "PERIODIC_PERIOD %u, expected 0 to 7", options->periodic);
    if (memory->bytes % packet || memory->bytes < MIN_PACKETS * packet)
        return fail(error, -EINVAL,
                    "%u bytes of memory for packets, expected a multiple of %zu, at least %zu",
                    memory->bytes, packet, MIN_PACKETS * packet);
    if (memory->address % PACKET_SHORT_BYTES || end < memory->address ||
        (end - 1) >> (high ? 40 : 32) || (end - 1) >> 32 != memory->address >> 32)
        return fail(
            error, -EINVAL,
            "memory for packets at 0x%llx, expected a multiple of 16, below 2^%d, which does "
            "not cross 4 GiB",
            (unsigned long long)memory->address, high ? 40 : 32);
    return 0;
}

/* Resolves an expression of the domain that all have; *domain is set by the first. */
static int resolve(const struct perfmon_session *session, const char *text, int *domain,
                   struct perfmon_function *function, struct tally_error *error)
{
    struct expression expression;
    int instance = ALL_INSTANCES, other = ANY_DOMAIN, wanted = *domain;
    int result = expression_parse(text, &expression, error);
    if (result)
        return result;
    result = expression_resolve(&expression, session->chipset, domain, &instance, function, error);
    instance = ALL_INSTANCES;
    if (result != -ENOENT || wanted == ANY_DOMAIN ||
        expression_resolve(&expression, session->chipset, &other, &instance, function,
                           &(struct tally_error){0}) ||
        other == wanted)
        return result;
    char domains[2][32];
    snprintf(domains[0], sizeof domains[0], "%s", tally_domain_name((unsigned)other));
    snprintf(domains[1], sizeof domains[1], "%s", tally_domain_name((unsigned)wanted));
    return fail(error, -ENOENT,
                "packets are of one domain: %.60s is in domain %s, expected %s as the others", text,
                domains[0], domains[1]);
}

/* Finds the indices of the signals, which fill PRE_SRC, START_SRC and EVENT_SRC in this order. */
static int find_signals(const struct perfmon_session *session,
                        const struct perfmon_record_options *options, int *domain,
                        uint8_t bytes[PACKET_COUNTS], struct tally_error *error)
{
    struct perfmon_function function;
    for (size_t i = 0; i < options->signal_count; i++) {
        int result = resolve(session, options->signals[i], domain, &function, error);
        if (result)
            return result;
        const struct perfmon_logic *logic = &function.logic;
        if (function.bit_count || logic->count != 1 || logic->delayed[0] || !(logic->table & 2))
            return fail(error, -ENOENT, "\"%.60s\", expected one signal: packets count no logic",
                        options->signals[i]);
        bytes[i] = logic->signals[0];
    }
    int result = resolve(session, options->stop, domain, &function, error);
    if (result)
        return result;
    int zero = perfmon_zero_signal(session->chipset, (unsigned)*domain);
    for (size_t i = options->signal_count; i < PACKET_COUNTS; i++)
        bytes[i] = (uint8_t)(zero < 0 ? 0 : zero);
    return 0;
}

/*
 * Enters record mode. Stale counters of an earlier user can cause a packet as soon as that is so
 * (PC-E15): it must go to this memory, and not be among the packets of the first run.
 */
static int enter(struct perfmon_record *record, const struct perfmon_record_options *options,
                 const uint8_t bytes[PACKET_COUNTS], uint32_t stop_source, uint32_t stop_operation,
                 struct tally_error *error)
{
    struct perfmon_session *session = record->session;
    struct session_unit *unit = record->unit;
    const struct perfmon_control *control = unit->control;
    uint32_t mask = control->short_format | (options->periodic ? control->periodic : 0);
    unit_write(session, unit, REG_STOP_OP, 0);
    unit_write(session, unit, REG_RECORD_ADDRESS_HIGH, (uint32_t)(record->memory.address >> 32));
    int result =
        session_write_setting(session, unit->addresses[REG_RECORD_DMA],
                              REG_PUT(PCOUNTER_RECORD_DMA, DMA, record->memory.object), error);
    if (result == 0)
        result = session_write_setting(session, unit->addresses[REG_RECORD_CHAN],
                                       REG_PUT(PCOUNTER_RECORD_CHAN, CHAN, record->memory.channel) |
                                           REG_MASK(PCOUNTER_RECORD_CHAN, VALID),
                                       error);
    if (result < 0)
        return result;
    restart(record);
    unit_set_mode(session, unit, control->record, PCOUNTER_CTR_MODE__SIMPLE, mask,
                  perfmon_put(control->short_format, options->short_format) |
                      perfmon_put(options->periodic ? control->periodic : 0, options->periodic));
    unit_write(session, unit, REG_PRE_SRC, load_le32(bytes));
    unit_write(session, unit, REG_START_SRC, load_le32(bytes + 4));
    unit_write(session, unit, REG_EVENT_SRC, load_le32(bytes + 8));
    unit_write(session, unit, REG_STOP_SRC, stop_source);
    driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    restart(record);
    unit_write(session, unit, REG_STOP_OP, stop_operation);
    return 0;
}

int perfmon_record_start(struct perfmon_session *session,
                         const struct perfmon_record_options *options, struct perfmon_record **out,
                         struct tally_error *error)
{
    uint8_t bytes[PACKET_COUNTS];
    uint32_t stop_source = 0, stop_operation = 0;
    struct session_unit *unit = NULL;
    int domain = options->domain, instance = ALL_INSTANCES;
    int result = check_options(session, options, error);
    if (!result)
        result = find_signals(session, options, &domain, bytes, error);
    if (!result)
        result = session_compile(session, options->stop, SLOT_STOP, &domain, &instance,
                                 &stop_source, &stop_operation, error);
    if (!result)
        result = session_take_unit(session, domain, instance, options->selectors,
                                   options->selector_count, &unit, error);
    if (result)
        return result;
    struct perfmon_record *record = calloc(1, sizeof *record);
    if (!record) {
        perfmon_session_stop(session);
        return fail_memory(error, "a recording");
    }
    record->session = session;
    record->unit = unit;
    record->memory = options->memory;
    record->packet = (uint32_t)packet_size(!options->short_format);
    result = enter(record, options, bytes, stop_source, stop_operation, error);
    if (result < 0) {
        perfmon_record_stop(record);
        return result;
    }
    *out = record;
    return 0;
}

bool perfmon_record_is_ending(const struct perfmon_record *record)
{
    return record->run == RUN_ENDING;
}

bool perfmon_record_end(struct perfmon_record *record)
{
    bool counts = false;
    restart(record);
    unit_write(record->session, record->unit, REG_STOP_OP, STOP_ALWAYS);
    for (unsigned i = 0; i < ALIVE_STEPS && !counts; i++) {
        driver_sleep_ns(&record->session->io, WAIT_STEP_NS, false);
        counts = position(record) != 0;
    }
    return counts;
}

void perfmon_record_stop(struct perfmon_record *record)
{
    if (!record)
        return;
    perfmon_session_stop(record->session);
    free(record);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Finds how far packets were written, and whether they still are. */
static void check(struct perfmon_record *record)
{
    const struct perfmon_session *session = record->session;
    uint64_t now = perfmon_session_time_ns(session);
    uint32_t value = unit_read(session, record->unit, REG_RECORD_STATUS);
    uint32_t written = (value & REG_MASK(PCOUNTER_RECORD_STATUS, POSITION)) - start_address(record);
    if (record->run == RUN_ENDED || record->run == RUN_FAILED)
        return;
    record->unit->flags = 0;
    unit_check(session, record->unit);
    if (written > record->memory.bytes || written < record->written || record->unit->flags) {
        record->status.changed = true;
        record->run = RUN_FAILED;
        return;
    }
    record->written = written;
    if (REG_GET(PCOUNTER_RECORD_STATUS, FAULT, value)) {
        record->status.wedged = true;
        record->run = RUN_FAILED;
    } else if (written == record->memory.bytes) {
        record->status.full |= record->run == RUN_GOING;
        record->run = RUN_ENDED;
    } else if (record->run == RUN_ENDING && written != record->ending_at) {
        record->run = RUN_ENDED;
    } else {
        record->checked_ns = now;
    }
}

static void begin_run(struct perfmon_record *record)
{
    uint64_t from = record->checked_ns;
    restart(record);
    record->status.restarted = true;
    record->status.lost_from_ns = from;
    record->status.lost_to_ns = record->checked_ns;
}

/*
 * Ends a run: RECORD_LIMIT makes the next packet its last one, so that none is written after the
 * position was read for the last time. A packet that is written just before the position is read
 * here is taken for an earlier one, and the run ends after END_MAX_NS.
 */
static void end_run(struct perfmon_record *record)
{
    uint32_t threshold = record->memory.bytes / RESTART_DENOMINATOR * RESTART_NUMERATOR;
    if (record->run == RUN_GOING && record->written >= threshold) {
        set_limit(record, 0);
        record->ending_at = position(record);
        record->ending_ns = record->checked_ns;
        record->run = RUN_ENDING;
    }
    for (unsigned i = 0; record->run == RUN_ENDING && i < END_STEPS; i++) {
        driver_sleep_ns(&record->session->io, WAIT_STEP_NS, false);
        check(record);
    }
    if (record->run == RUN_ENDING && record->read == record->written &&
        record->checked_ns - record->ending_ns > END_MAX_NS)
        record->run = RUN_ENDED;
}

/* Copies the packets of a run that has ended, and begins the next one. Does nothing if there are
 * too many: they are delivered first. */
static int copy_tail(struct perfmon_record *record)
{
    uint32_t bytes = record->written - record->read;
    if (record->run != RUN_ENDED || bytes > TAIL_BYTES)
        return 0;
    int result =
        bytes ? record->memory.read(record->memory.closure, record->read, record->tail, bytes) : 0;
    if (result < 0)
        return result;
    record->tail_bytes = bytes;
    record->tail_start_ns = record->start_ns;
    begin_run(record);
    return 0;
}

static int64_t deliver_tail(struct perfmon_record *record, void *to, size_t size,
                            struct perfmon_record_status *status)
{
    size_t bytes =
        record->tail_bytes < size ? record->tail_bytes : size / record->packet * record->packet;
    *status = (struct perfmon_record_status){.full = record->status.full,
                                             .start_ns = record->tail_start_ns};
    record->status.full = false;
    memcpy(to, record->tail, bytes);
    record->tail_bytes -= (uint32_t)bytes;
    memmove(record->tail, record->tail + bytes, record->tail_bytes);
    return (int64_t)bytes;
}

int64_t perfmon_record_read(struct perfmon_record *record, void *to, size_t size,
                            struct perfmon_record_status *status)
{
    if (record->tail_bytes)
        return deliver_tail(record, to, size, status);
    check(record);
    size_t bytes = record->written - record->read;
    bytes = bytes < size ? bytes : size / record->packet * record->packet;
    *status = record->status;
    status->start_ns = record->start_ns;
    if (!bytes && record->run == RUN_FAILED)
        return -EIO;
    int result = bytes ? record->memory.read(record->memory.closure, record->read, to, bytes) : 0;
    if (result < 0)
        return result;
    record->read += (uint32_t)bytes;
    memset(&record->status, 0, sizeof record->status);
    if (record->read == record->written) {
        end_run(record);
        result = copy_tail(record);
    }
    return result < 0 ? result : (int64_t)bytes;
}
