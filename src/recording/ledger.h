/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_LEDGER_H
#define TALLY_RECORDING_LEDGER_H

#include <tally/recording.h>

/* The loss ledger: what is missing from a recording, where, and why. */
struct ledger {
    struct tally_loss *entries;
    size_t count;
    size_t capacity;
    size_t closed; /* entries before this have ended; the others lie in the present gap */

    /* The present gap. */
    bool has_lost;     /* reports are missing */
    bool has_estimate; /* the writer has said how many */
};

#define LEDGER_ENTRIES_MAX 65536

void ledger_fini(struct ledger *ledger);

/*
 * Adds a loss. One that follows an equal one directly (no report between them) is added to it, and
 * so is everything once LEDGER_ENTRIES_MAX is reached or memory is short: the sums stay right.
 */
void ledger_add(struct ledger *ledger, const struct tally_loss *loss);

/* Are reports missing when a loss is of this kind? */
bool ledger_is_loss(enum tally_loss_kind kind);

/*
 * The report after the latest losses has arrived: their intervals end at `gpu_end`. How many
 * reports are missing is told once a gap, in the first entry that tells of lost reports, unless the
 * writer has said it.
 */
void ledger_close(struct ledger *ledger, uint64_t gpu_end, uint64_t missing);

/*
 * Lengthens the last entry by one record if it is of this kind and its records are those of the
 * reports just before `before_index`. Returns whether it was.
 */
bool ledger_extend(struct ledger *ledger, enum tally_loss_kind kind, uint64_t before_index,
                   uint64_t gpu_end);

#endif
