/* SPDX-License-Identifier: MIT */
/* MMIO accesses: their counts by outcome, and the listener. */
#include <assert.h>

#include "nvidia/pcounter/engine.h"

/* The outcomes of regs/index.h come first. */
static_assert((int)TALLY_PCOUNTER_DONE == (int)REG_DONE &&
                  (int)TALLY_PCOUNTER_UNKNOWN_REGISTER == (int)REG_UNKNOWN &&
                  (int)TALLY_PCOUNTER_READ_ONLY == (int)REG_READ_ONLY &&
                  (int)TALLY_PCOUNTER_WRITE_ONLY == (int)REG_WRITE_ONLY &&
                  (int)TALLY_PCOUNTER_RESERVED_BITS == (int)REG_RESERVED_BITS,
              "begins with the outcomes of regs/index.h");

const char *tally_pcounter_access_outcome_name(enum tally_pcounter_access_outcome outcome)
{
    static const char *const names[TALLY_PCOUNTER_OUTCOMES] = {
        [TALLY_PCOUNTER_DONE] = "done",
        [TALLY_PCOUNTER_UNKNOWN_REGISTER] = "unknown register",
        [TALLY_PCOUNTER_READ_ONLY] = "read-only",
        [TALLY_PCOUNTER_WRITE_ONLY] = "write-only",
        [TALLY_PCOUNTER_RESERVED_BITS] = "reserved bits",
        [TALLY_PCOUNTER_DISABLED] = "disabled",
    };
    return (unsigned)outcome < TALLY_PCOUNTER_OUTCOMES ? names[outcome] : NULL;
}

void tally_pcounter_set_mmio_listener(struct tally_pcounter *engine,
                                      void (*listener)(void *context,
                                                       const struct tally_pcounter_access *access),
                                      void *context)
{
    engine->mmio.listener = listener;
    engine->mmio.context = context;
}

struct tally_pcounter_mmio_stats tally_pcounter_mmio_stats(const struct tally_pcounter *engine)
{
    const uint64_t *outcomes = engine->mmio.outcomes;
    return (struct tally_pcounter_mmio_stats){
        .reads = engine->mmio.reads,
        .writes = engine->mmio.writes,
        .unknown_register = outcomes[TALLY_PCOUNTER_UNKNOWN_REGISTER],
        .read_only = outcomes[TALLY_PCOUNTER_READ_ONLY],
        .write_only = outcomes[TALLY_PCOUNTER_WRITE_ONLY],
        .reserved_bits = outcomes[TALLY_PCOUNTER_RESERVED_BITS],
        .disabled = outcomes[TALLY_PCOUNTER_DISABLED],
    };
}

void pcounter_report_access(const struct tally_pcounter *engine,
                            const struct tally_pcounter_access *access)
{
    char name[32];
    struct tally_pcounter_access named = *access;
    struct reg_place place =
        pcounter_locate(engine, access->address, access->write ? REG_WRITE : REG_READ);
    named.name = place.reg ? reg_element_name(&place, name, sizeof name) : NULL;
    engine->mmio.listener(engine->mmio.context, &named);
}

const char *pcounter_trace_line(const struct tally_pcounter *engine,
                                const struct tally_pcounter_access *access,
                                const struct reg_place *place, char text[REG_TRACE_LINE])
{
    struct reg_trace line = {
        .clock = access->tick,
        .agent = "cpu",
        .write = access->write,
        .address = access->address,
        .value = access->value,
        .place = place->reg ? place : NULL,
        .revision = pcounter_revision_bit(engine),
        .instances = engine->domain_count,
    };
    if (access->outcome != TALLY_PCOUNTER_DONE && access->outcome != TALLY_PCOUNTER_RESERVED_BITS)
        line.mark = tally_pcounter_access_outcome_name(access->outcome);
    return reg_trace_line(&line, text);
}
