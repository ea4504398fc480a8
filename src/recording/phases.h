/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_PHASES_H
#define TALLY_RECORDING_PHASES_H

#include <tally/recording.h>

#include "base/buffer.h"

/* The record PHASES (docs/recording-format.md): what the workload of a modelled GPU did when. */

#define PHASES_MAX      256
#define PHASES_NAME_MAX 63

/* A loaded record, with the memory behind `public`. */
struct phases_record {
    struct tally_recorded_phases public; /* count 0: no record */
    uint64_t durations_ns[PHASES_MAX];
    char workload[PHASES_NAME_MAX + 1];
};

/* Appends a record. A longer name is cut. */
void phases_record_put(struct buffer *to, const struct tally_recorded_phases *phases);

/* Loads the payload of a record. Returns false if it is malformed; *record then has no phases. */
bool phases_record_load(struct phases_record *record, const uint8_t *payload, size_t size);

#endif
