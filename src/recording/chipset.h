/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_CHIPSET_H
#define TALLY_RECORDING_CHIPSET_H

#include <tally/chipset.h>
#include <tally/recording.h>

#include "base/buffer.h"

/* The records CHIPSET and SIGNALS (docs/recording-format.md), which are in recordings of NVIDIA
 * GPUs only. */

#define SIGNAL_SYMBOL_MAX     63
#define SIGNAL_EXPRESSION_MAX 255
#define SIGNAL_PASSES_MAX     64
#define SIGNAL_BITS_MAX       6
#define SIGNAL_SLOTS          4

/* Loaded records. The loaders allocate `domains`, and the arrays and texts of `signals`. */
struct chipset_records {
    const struct tally_chipset *found; /* NULL: no CHIPSET record */
    struct tally_recorded_chipset chipset;
    struct tally_recorded_signals signals; /* count 0: no SIGNALS record */
    struct tally_recorded_domain *domains;
    void *signal_memory;
};

/*
 * Load the payload of a record; the second one is loaded after the first. Return 0; -EBADMSG and a
 * message that begins with "record ..."; -ENOMEM. Call chipset_records_fini() in any case.
 */
int chipset_record_load(struct chipset_records *records, const uint8_t *payload, size_t size,
                        struct tally_error *error);
int signals_record_load(struct chipset_records *records, const uint8_t *payload, size_t size,
                        struct tally_error *error);
void chipset_records_fini(struct chipset_records *records);

/* Append a record. Texts of signals that are longer than SIGNAL_..._MAX are cut. */
void chipset_record_put(struct buffer *to, const char *name,
                        const struct tally_recorded_chipset *chipset);
void signals_record_put(struct buffer *to, const struct tally_recorded_signals *signals);

#endif
