/* SPDX-License-Identifier: MIT */
#include "recording/chipset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tally/pcounter.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "recording/format.h"
#include "recording/pcounter_layouts.h"

void chipset_records_fini(struct chipset_records *records)
{
    free(records->domains);
    free(records->signal_memory);
    *records = (struct chipset_records){0};
}

/* ---- CHIPSET --------------------------------------------------------------------------------- */

static int load_domains(struct chipset_records *records, const uint8_t *payload, size_t count,
                        struct tally_error *error)
{
    records->domains = calloc(count + 1, sizeof *records->domains);
    if (!records->domains)
        return fail_memory(error, "the domains of a recording");
    records->chipset.domains = records->domains;
    records->chipset.domain_count = count;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = payload + CHIPSET_DOMAINS + i * CHIPSET_DOMAIN_BYTES;
        struct tally_recorded_domain *domain = &records->domains[i];
        domain->domain = load_le16(row + CHIPSET_DOMAIN_NUMBER);
        domain->instance = load_le16(row + CHIPSET_DOMAIN_INSTANCE);
        domain->hz = load_le64(row + CHIPSET_DOMAIN_HZ);
        if (!tally_chipset_has_domain(records->found, domain->domain))
            return fail(error, -EBADMSG, "domain %u, which %s does not have", domain->domain,
                        records->found->title);
    }
    return 0;
}

int chipset_record_load(struct chipset_records *records, const uint8_t *payload, size_t size,
                        struct tally_error *error)
{
    char name[CHIPSET_NAME_BYTES + 1] = "";
    if (size < CHIPSET_DOMAINS)
        return fail(error, -EBADMSG, "%zu bytes, expected at least %d", size, CHIPSET_DOMAINS);
    memcpy(name, payload + CHIPSET_NAME, CHIPSET_NAME_BYTES);
    records->found = tally_chipset_find(name);
    if (!records->found)
        return fail(error, -EBADMSG, "unknown chipset \"%s\", expected one of tally list chipsets",
                    name);
    records->chipset.boot0 = load_le32(payload + CHIPSET_BOOT0);
    records->chipset.device_id = load_le32(payload + CHIPSET_DEVICE_ID);
    uint32_t count = load_le32(payload + CHIPSET_DOMAIN_COUNT);
    if (count > TALLY_PCOUNTER_DOMAINS_TOTAL ||
        size != CHIPSET_DOMAINS + (size_t)count * CHIPSET_DOMAIN_BYTES)
        return fail(error, -EBADMSG,
                    "%zu bytes and %" PRIu32 " domains, expected %d bytes a domain",
                    size - CHIPSET_DOMAINS, count, CHIPSET_DOMAIN_BYTES);
    return load_domains(records, payload, count, error);
}

void chipset_record_put(struct buffer *to, const char *name,
                        const struct tally_recorded_chipset *chipset)
{
    uint8_t payload[CHIPSET_DOMAINS + TALLY_PCOUNTER_DOMAINS_TOTAL * CHIPSET_DOMAIN_BYTES] = {0};
    size_t count = min_size(chipset->domain_count, TALLY_PCOUNTER_DOMAINS_TOTAL);
    memcpy(payload + CHIPSET_NAME, name, min_size(strlen(name), CHIPSET_NAME_BYTES - 1));
    store_le32(payload + CHIPSET_BOOT0, chipset->boot0);
    store_le32(payload + CHIPSET_DEVICE_ID, chipset->device_id);
    store_le32(payload + CHIPSET_DOMAIN_COUNT, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        uint8_t *row = payload + CHIPSET_DOMAINS + i * CHIPSET_DOMAIN_BYTES;
        store_le16(row + CHIPSET_DOMAIN_NUMBER, chipset->domains[i].domain);
        store_le16(row + CHIPSET_DOMAIN_INSTANCE, chipset->domains[i].instance);
        store_le64(row + CHIPSET_DOMAIN_HZ, chipset->domains[i].hz);
    }
    record_put(to, TALLY_RECORD_CHIPSET, payload, CHIPSET_DOMAINS + count * CHIPSET_DOMAIN_BYTES);
}

/* ---- SIGNALS --------------------------------------------------------------------------------- */

/* The arrays of a SIGNALS record in one piece of memory. */
struct signal_memory {
    struct tally_recorded_signal signals[PCOUNTER_SIGNALS_MAX];
    struct tally_recorded_clock clocks[PCOUNTER_SIGNALS_MAX];
    char texts[PCOUNTER_SIGNALS_MAX][SIGNAL_SYMBOL_MAX + 1 + SIGNAL_EXPRESSION_MAX + 1];
};

static int load_clocks(const struct chipset_records *records, struct signal_memory *memory,
                       const uint8_t *rows, size_t count, struct tally_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows + i * SIGNALS_CLOCK_BYTES;
        struct tally_recorded_clock *clock = &memory->clocks[i];
        clock->pass = row[SIGNALS_CLOCK_PASS];
        clock->domain = row[SIGNALS_CLOCK_DOMAIN];
        clock->instance = load_le16(row + SIGNALS_CLOCK_INSTANCE);
        if (clock->pass >= records->signals.passes)
            return fail(error, -EBADMSG, "clock %zu in pass %u, expected a pass below %u", i,
                        clock->pass, records->signals.passes);
        if (!tally_chipset_has_domain(records->found, clock->domain))
            return fail(error, -EBADMSG, "clock %zu of domain %u, which %s does not have", i,
                        clock->domain, records->found->title);
    }
    return 0;
}

/* Copies a text of printable characters. Returns false if it has others. */
static bool load_text(char *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (from[i] < ' ' || from[i] > '~')
            return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

static int check_signal(const struct signal_memory *memory, size_t i, size_t clock_count,
                        struct tally_error *error)
{
    const struct tally_recorded_signal *signal = &memory->signals[i];
    if (signal->clock >= clock_count)
        return fail(error, -EBADMSG, "signal %zu with clock %u, expected one below %zu", i,
                    signal->clock, clock_count);
    if (signal->bits > SIGNAL_BITS_MAX || signal->slot >= SIGNAL_SLOTS)
        return fail(error, -EBADMSG,
                    "signal %zu has %u bits and slot %u, expected at most %d and %d", i,
                    signal->bits, signal->slot, SIGNAL_BITS_MAX, SIGNAL_SLOTS - 1);
    for (size_t before = 0; before < i; before++)
        if (!strcmp(memory->signals[before].symbol, signal->symbol))
            return fail(error, -EBADMSG, "signals %zu and %zu have the symbol \"%s\"", before, i,
                        signal->symbol);
    return 0;
}

static int load_signal(struct signal_memory *memory, size_t i, const uint8_t *payload, size_t size,
                       size_t *at, struct tally_error *error)
{
    const uint8_t *row = payload + *at;
    if (size - *at < SIGNALS_SIGNAL_BYTES)
        return fail(error, -EBADMSG, "signal %zu is cut short", i);
    size_t symbol = load_le16(row + SIGNALS_SIGNAL_SYMBOL);
    size_t expression = load_le16(row + SIGNALS_SIGNAL_EXPRESSION);
    size_t bytes = SIGNALS_SIGNAL_BYTES + ((symbol + expression + 7) & ~(size_t)7);
    if (!symbol || symbol > SIGNAL_SYMBOL_MAX || expression > SIGNAL_EXPRESSION_MAX ||
        bytes > size - *at)
        return fail(error, -EBADMSG,
                    "signal %zu has texts of %zu and %zu bytes, expected 1 to %d and 0 to %d", i,
                    symbol, expression, SIGNAL_SYMBOL_MAX, SIGNAL_EXPRESSION_MAX);
    const uint8_t *texts = row + SIGNALS_SIGNAL_BYTES;
    char *to = memory->texts[i];
    if (!load_text(to, texts, symbol) || !load_text(to + symbol + 1, texts + symbol, expression))
        return fail(error, -EBADMSG, "the texts of signal %zu are not printable", i);
    memory->signals[i] = (struct tally_recorded_signal){
        .symbol = to,
        .expression = to + symbol + 1,
        .bits = row[SIGNALS_SIGNAL_BITS],
        .clock = row[SIGNALS_SIGNAL_CLOCK],
        .slot = row[SIGNALS_SIGNAL_SLOT],
    };
    *at += bytes;
    return 0;
}

int signals_record_load(struct chipset_records *records, const uint8_t *payload, size_t size,
                        struct tally_error *error)
{
    struct tally_recorded_signals *signals = &records->signals;
    if (size < SIGNALS_CLOCKS)
        return fail(error, -EBADMSG, "%zu bytes, expected at least %d", size, SIGNALS_CLOCKS);
    size_t count = load_le16(payload + SIGNALS_COUNT);
    size_t clock_count = load_le16(payload + SIGNALS_CLOCK_COUNT);
    signals->passes = load_le16(payload + SIGNALS_PASSES);
    size_t at = SIGNALS_CLOCKS + clock_count * SIGNALS_CLOCK_BYTES;
    if (!count || count > PCOUNTER_SIGNALS_MAX || !clock_count ||
        clock_count > PCOUNTER_SIGNALS_MAX || !signals->passes ||
        signals->passes > SIGNAL_PASSES_MAX || at > size)
        return fail(error, -EBADMSG,
                    "%zu signals, %zu clocks and %u passes in %zu bytes, expected 1 to %d of each",
                    count, clock_count, signals->passes, size, PCOUNTER_SIGNALS_MAX);
    struct signal_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return fail_memory(error, "the signals of a recording");
    records->signal_memory = memory;
    int result = load_clocks(records, memory, payload + SIGNALS_CLOCKS, clock_count, error);
    for (size_t i = 0; i < count && !result; i++) {
        result = load_signal(memory, i, payload, size, &at, error);
        if (!result)
            result = check_signal(memory, i, clock_count, error);
    }
    if (!result && at != size)
        result = fail(error, -EBADMSG, "%zu bytes after the last signal", size - at);
    signals->signals = memory->signals;
    signals->count = count;
    signals->clocks = memory->clocks;
    signals->clock_count = clock_count;
    return result;
}

static void put_signal(struct buffer *to, const struct tally_recorded_signal *signal)
{
    static const uint8_t zeros[8];
    uint8_t row[SIGNALS_SIGNAL_BYTES] = {0};
    size_t symbol = min_size(strlen(signal->symbol), SIGNAL_SYMBOL_MAX);
    size_t expression = min_size(strlen(signal->expression), SIGNAL_EXPRESSION_MAX);
    row[SIGNALS_SIGNAL_BITS] = signal->bits;
    row[SIGNALS_SIGNAL_CLOCK] = signal->clock;
    row[SIGNALS_SIGNAL_SLOT] = signal->slot;
    store_le16(row + SIGNALS_SIGNAL_SYMBOL, (uint16_t)symbol);
    store_le16(row + SIGNALS_SIGNAL_EXPRESSION, (uint16_t)expression);
    buffer_append(to, row, sizeof row);
    buffer_append(to, signal->symbol, symbol);
    buffer_append(to, signal->expression, expression);
    buffer_append(to, zeros, -(symbol + expression) & 7);
}

void signals_record_put(struct buffer *to, const struct tally_recorded_signals *signals)
{
    struct buffer payload = {0};
    uint8_t head[SIGNALS_CLOCKS] = {0};
    store_le16(head + SIGNALS_COUNT, (uint16_t)signals->count);
    store_le16(head + SIGNALS_CLOCK_COUNT, (uint16_t)signals->clock_count);
    store_le16(head + SIGNALS_PASSES, (uint16_t)signals->passes);
    buffer_append(&payload, head, sizeof head);
    for (size_t i = 0; i < signals->clock_count; i++) {
        uint8_t row[SIGNALS_CLOCK_BYTES] = {0};
        row[SIGNALS_CLOCK_PASS] = signals->clocks[i].pass;
        row[SIGNALS_CLOCK_DOMAIN] = signals->clocks[i].domain;
        store_le16(row + SIGNALS_CLOCK_INSTANCE, signals->clocks[i].instance);
        buffer_append(&payload, row, sizeof row);
    }
    for (size_t i = 0; i < signals->count; i++)
        put_signal(&payload, &signals->signals[i]);
    if (!payload.broken)
        record_put(to, TALLY_RECORD_SIGNALS, payload.bytes, payload.size);
    to->broken |= payload.broken;
    buffer_fini(&payload);
}
