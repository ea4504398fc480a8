/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_LEDGER_H
#define TALLY_RECORDING_LEDGER_H

#include <tally/recording.h>

/* The loss ledger: what is missing from a recording, where, and why. */
struct ledger {
    struct tally_loss *entries;
    size_t count;
    size_t capacity;
    size_t closed; /* entries before this index are complete; the others are in the current gap */

    /* The current gap. */
    bool has_lost;     /* reports are missing */
    bool has_estimate; /* the writer reported their number */

    struct tally_pause *pauses; /* which are no losses */
    size_t pause_count;
    size_t pause_capacity;
};

#define LEDGER_ENTRIES_MAX 65536

/* Adds two numbers of losses, which a file may contain: UINT64_MAX if the sum is above that. */
static inline uint64_t add_losses(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns the number of records of all entries whose kind means that values are missing. */
uint64_t ledger_losses(const struct ledger *ledger);

/* Returns the number of missing reports of these entries. */
uint64_t ledger_missing(const struct ledger *ledger);

void ledger_fini(struct ledger *ledger);

/* Adds a pause, unless there are LEDGER_ENTRIES_MAX or memory is short. */
void ledger_add_pause(struct ledger *ledger, const struct tally_pause *pause);

/*
 * Adds a loss. A loss of the same kind as the last entry, with no report in between, is added to
 * that entry. So is every loss once LEDGER_ENTRIES_MAX is reached or memory is short, so that the
 * sums stay correct.
 */
void ledger_add(struct ledger *ledger, const struct tally_loss *loss);

/* True if a loss of this kind means that the values of a delta are missing. */
bool ledger_is_loss(enum tally_loss_kind kind);

/* True if a delta of this state has no values because of a loss. */
static inline bool state_is_lost(enum tally_state state)
{
    return state == TALLY_STATE_LOST || state == TALLY_STATE_AMBIGUOUS;
}

/* True if a LEDGER record may have this kind. */
bool ledger_is_recorded(uint32_t kind);

/*
 * Completes the entries of the current gap when the report after it has arrived: their intervals
 * end at `gpu_end`. The number of missing reports is stored once per gap, in the first entry whose
 * kind means lost reports, unless the writer reported the number.
 */
void ledger_close(struct ledger *ledger, uint64_t gpu_end, uint64_t missing);

/*
 * Extends the last entry by one record if it is of this kind and its records belong to the reports
 * directly before `before_index`. Returns whether it did.
 */
bool ledger_extend(struct ledger *ledger, enum tally_loss_kind kind, uint64_t before_index,
                   uint64_t gpu_end);

#endif
