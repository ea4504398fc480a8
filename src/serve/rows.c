/* SPDX-License-Identifier: MIT */
/* The latest rows of a device: values, contexts and losses of each interval. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "serve/serve.h"
#include "sink/json.h"

uint64_t rows_now_ms(void)
{
    static _Atomic uint64_t offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME when first read */
    uint64_t now = clock_ns(CLOCK_MONOTONIC), none = 0;
    if (!atomic_load(&offset_ns))
        atomic_compare_exchange_strong(&offset_ns, &none, clock_ns(CLOCK_REALTIME) - now);
    return (now + atomic_load(&offset_ns)) / 1000000;
}

void rows_free(struct serve_history *history)
{
    free(history->values);
    free(history->rows);
    free(history->losses);
    *history = (struct serve_history){0};
}

bool rows_begin(struct serve_device *device, bool same, bool has_contexts)
{
    struct serve_history *history = &device->history;
    if (!same || has_contexts != history->has_contexts)
        rows_free(history);
    history->has_contexts = has_contexts;
    if (history->values)
        return true;
    history->values = calloc(SERVE_HISTORY * (device->counter_count + 1), sizeof *history->values);
    history->rows = calloc(SERVE_HISTORY, sizeof *history->rows);
    history->losses = calloc(SERVE_LOSSES, sizeof *history->losses);
    return history->values && history->rows && history->losses;
}

void rows_add(struct serve_device *device, const struct serve_row *row)
{
    struct serve_history *history = &device->history;
    uint64_t sequence = ++device->now.sequence;
    size_t at = sequence % SERVE_HISTORY;
    history->rows[at] = *row;
    for (size_t i = 0; i < device->counter_count; i++)
        history->values[at * device->counter_count + i] = device->counters[i].value;
    if (!history->first_sequence)
        history->first_sequence = sequence;
    if (sequence - history->first_sequence >= SERVE_HISTORY)
        history->first_sequence = sequence - SERVE_HISTORY + 1;
}

/* Adds what is known of a loss to another one, since a row has no space for more. */
static void merge(struct serve_loss *into, const struct serve_loss *loss)
{
    into->records += loss->records;
    into->reports += loss->reports;
    into->to_ms = fmax(into->to_ms, loss->to_ms);
    into->exact = into->exact && loss->exact;
}

void rows_add_loss(struct serve_device *device, const struct serve_loss *loss)
{
    struct serve_history *history = &device->history;
    struct serve_loss *losses = history->losses;
    uint64_t count = history->loss_count;
    if (count >= SERVE_ROW_LOSSES &&
        losses[(count - SERVE_ROW_LOSSES) % SERVE_LOSSES].sequence == loss->sequence) {
        merge(&losses[(count - 1) % SERVE_LOSSES], loss);
        return;
    }
    losses[count % SERVE_LOSSES] = *loss;
    history->loss_count++;
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static void put_contexts(struct output *output, const struct serve_row *row)
{
    output_text(output, ",\"contexts\":[");
    for (size_t i = 0; i < row->context_count; i++) {
        if (row->contexts[i].context == TALLY_CONTEXT_IDLE)
            output_text(output, i ? ",[\"idle\"," : "[\"idle\",");
        else
            output_printf(output, "%s[\"0x%" PRIx32 "\",", i ? "," : "", row->contexts[i].context);
        json_number(output, row->contexts[i].share);
        output_text(output, "]");
    }
    output_text(output, "]");
}

static void put_loss(struct output *output, const struct serve_loss *loss)
{
    output_printf(output, "{\"reason\":\"%s\",\"records\":%" PRIu64 ",\"from\":",
                  tally_loss_kind_name(loss->kind), loss->records);
    json_number(output, loss->from_ms);
    output_text(output, ",\"to\":");
    json_number(output, loss->to_ms);
    if (loss->reports)
        output_printf(output, ",\"reports\":%" PRIu64 ",\"exact\":%s", loss->reports,
                      loss->exact ? "true" : "false");
    output_text(output, "}");
}

/* Writes the losses of a row. They are sorted by it. */
static void put_losses(struct output *output, const struct serve_history *history,
                       uint64_t sequence)
{
    uint64_t kept = history->loss_count < SERVE_LOSSES ? history->loss_count : SERVE_LOSSES;
    uint64_t low = history->loss_count - kept, high = history->loss_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (history->losses[middle % SERVE_LOSSES].sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    bool any = false;
    for (; low < history->loss_count; low++) {
        const struct serve_loss *loss = &history->losses[low % SERVE_LOSSES];
        if (loss->sequence != sequence)
            break;
        output_text(output, any ? "," : ",\"losses\":[");
        put_loss(output, loss);
        any = true;
    }
    if (any)
        output_text(output, "]");
}

void rows_put(struct output *output, const struct serve_device *device, uint64_t sequence)
{
    const struct serve_history *history = &device->history;
    size_t at = sequence % SERVE_HISTORY;
    const struct serve_row *row = &history->rows[at];
    output_printf(output,
                  "{\"t\":%" PRIu64 ",\"from\":%" PRIu64 ",\"n\":%" PRIu64 ",\"session\":%" PRIu32
                  ",\"lost\":%" PRIu32,
                  row->to_ms, row->from_ms, sequence, row->session, row->lost);
    if (history->has_contexts)
        put_contexts(output, row);
    put_losses(output, history, sequence);
    output_text(output, ",\"v\":[");
    for (size_t i = 0; i < device->counter_count; i++) {
        output_text(output, i ? "," : "");
        json_number(output, history->values[at * device->counter_count + i]);
    }
    output_text(output, "]}");
}
