/* SPDX-License-Identifier: MIT */
#include "recording/ledger.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buffer.h"

static const struct {
    const char *name;
    bool lost;     /* values of the delta are missing */
    bool recorded; /* in LEDGER records */
} rows[] = {
    [TALLY_LOSS_REPORT] = {"report-lost", true, true},
    [TALLY_LOSS_BUFFER] = {"buffer-lost", true, true},
    [TALLY_LOSS_AMBIGUOUS] = {"ambiguous", false, true},
    [TALLY_LOSS_NOT_LANDED] = {"not-landed", true, true},
    [TALLY_LOSS_UNREADABLE] = {"unreadable", false, true},
    [TALLY_LOSS_SKIPPED] = {"skipped", false, true},
    [TALLY_LOSS_MISSING] = {"missing", true, false},
    [TALLY_LOSS_CYCLES] = {"cycles-lost", false, false},
    [TALLY_LOSS_SATURATED] = {"saturated", false, false},
    [TALLY_LOSS_RESTART] = {"restart", true, true},
    [TALLY_LOSS_MALFORMED] = {"malformed", true, false},
    [TALLY_LOSS_CLOCK] = {"clock-jump", false, false},
    [TALLY_LOSS_UNWRITTEN] = {"unwritten", true, true},
    [TALLY_LOSS_OVERFLOW] = {"counter-overflow", true, true},
    [TALLY_LOSS_PERIOD] = {"period-lost", true, true},
    [TALLY_LOSS_WEDGED] = {"domain-wedged", true, true},
    [TALLY_LOSS_PACKETS] = {"packets-dropped", true, true},
};

void ledger_fini(struct ledger *ledger)
{
    free(ledger->entries);
    free(ledger->pauses);
    *ledger = (struct ledger){0};
}

void ledger_add_pause(struct ledger *ledger, const struct tally_pause *pause)
{
    if (ledger->pause_count == LEDGER_ENTRIES_MAX)
        return;
    struct tally_pause *pauses =
        array_grow(ledger->pauses, &ledger->pause_capacity, ledger->pause_count, sizeof *pauses);
    if (!pauses)
        return;
    ledger->pauses = pauses;
    pauses[ledger->pause_count++] = *pause;
}

void ledger_add(struct ledger *ledger, const struct tally_loss *loss)
{
    struct tally_loss *last = ledger->count ? &ledger->entries[ledger->count - 1] : NULL;
    bool in_gap = ledger->closed < ledger->count;
    bool same_place = in_gap && last->kind == loss->kind && last->clock == loss->clock;

    struct tally_loss *entries = NULL;
    if (!same_place && ledger->count < LEDGER_ENTRIES_MAX) {
        entries = array_grow(ledger->entries, &ledger->capacity, ledger->count, sizeof *entries);
        if (entries)
            ledger->entries = entries;
    }
    if (entries) {
        entries[ledger->count++] = *loss;
    } else if (last) {
        last->records = add_losses(last->records, loss->records);
        last->estimated = add_losses(last->estimated, loss->estimated);
        last->exact &= loss->exact;
        if (!in_gap) { /* no free entry: extend the last one to the end of this gap */
            ledger->closed--;
            last->gpu_end = 0;
        }
    }
    ledger->has_lost |= ledger_is_loss(loss->kind);
    ledger->has_estimate |= loss->estimated != 0;
}

bool ledger_is_loss(enum tally_loss_kind kind)
{
    return rows[kind].lost;
}

uint64_t ledger_losses(const struct ledger *ledger)
{
    uint64_t losses = 0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger_is_loss(ledger->entries[i].kind))
            losses = add_losses(losses, ledger->entries[i].records);
    return losses;
}

uint64_t ledger_missing(const struct ledger *ledger)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger_is_loss(ledger->entries[i].kind))
            missing = add_losses(missing, ledger->entries[i].estimated);
    return missing;
}

void ledger_close(struct ledger *ledger, uint64_t gpu_end, uint64_t missing)
{
    if (!ledger->has_lost || ledger->has_estimate)
        missing = 0;
    for (; ledger->closed < ledger->count; ledger->closed++) {
        struct tally_loss *loss = &ledger->entries[ledger->closed];
        loss->gpu_end = gpu_end;
        if (ledger_is_loss(loss->kind) || ledger->closed + 1 == ledger->count) {
            loss->estimated = add_losses(loss->estimated, missing);
            missing = 0;
        }
    }
    ledger->has_lost = false;
    ledger->has_estimate = false;
}

bool ledger_extend(struct ledger *ledger, enum tally_loss_kind kind, uint64_t before_index,
                   uint64_t gpu_end)
{
    struct tally_loss *last = ledger->count ? &ledger->entries[ledger->count - 1] : NULL;
    if (!last || last->kind != kind || last->before_index + last->records != before_index)
        return false;
    last->records++;
    last->gpu_end = gpu_end;
    return true;
}

const char *tally_loss_kind_name(enum tally_loss_kind kind)
{
    return rows[kind].name;
}

bool ledger_is_recorded(uint32_t kind)
{
    return kind < ARRAY_COUNT(rows) && rows[kind].recorded;
}

const char *tally_state_name(enum tally_state state)
{
    static const char *const names[] = {"ok", "lost", "ambiguous", "paused"};
    return names[state];
}
