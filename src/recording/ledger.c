/* SPDX-License-Identifier: MIT */
#include "recording/ledger.h"

#include <stdlib.h>

#include "base/buffer.h"

void ledger_fini(struct ledger *ledger)
{
    free(ledger->entries);
    *ledger = (struct ledger){0};
}

void ledger_add(struct ledger *ledger, const struct tally_loss *loss)
{
    struct tally_loss *last = ledger->count ? &ledger->entries[ledger->count - 1] : NULL;
    bool same_place = last && last->kind == loss->kind && last->before_index == loss->before_index;

    struct tally_loss *entries = NULL;
    if (!same_place && ledger->count < LEDGER_ENTRIES_MAX) {
        entries = array_grow(ledger->entries, &ledger->capacity, ledger->count, sizeof *entries);
        if (entries)
            ledger->entries = entries;
    }
    if (entries)
        entries[ledger->count++] = *loss;
    else if (last)
        last->records += loss->records;
}

void ledger_close(struct ledger *ledger, uint64_t gpu_end, uint64_t timer_period)
{
    for (size_t i = ledger->count; i > 0; i--) {
        struct tally_loss *loss = &ledger->entries[i - 1];
        if (loss->gpu_end)
            break;
        loss->gpu_end = gpu_end;
        if (timer_period && loss->gpu_start && !loss->estimated &&
            loss->kind <= TALLY_LOSS_BUFFER) {
            uint64_t periods = (gpu_end - loss->gpu_start + timer_period / 2) / timer_period;
            loss->estimated = periods > 1 ? periods - 1 : 0;
        }
    }
}

const char *tally_loss_kind_name(enum tally_loss_kind kind)
{
    static const char *const names[] = {
        [TALLY_LOSS_REPORT] = "report-lost",       [TALLY_LOSS_BUFFER] = "buffer-lost",
        [TALLY_LOSS_AMBIGUOUS] = "ambiguous",      [TALLY_LOSS_NOT_LANDED] = "not-landed",
        [TALLY_LOSS_UNREADABLE] = "unreadable",    [TALLY_LOSS_SKIPPED] = "skipped",
    };
    return names[kind];
}

const char *tally_state_name(enum tally_state state)
{
    static const char *const names[] = {"ok", "lost", "ambiguous"};
    return names[state];
}
