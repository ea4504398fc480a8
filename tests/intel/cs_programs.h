/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_CS_PROGRAMS_H
#define TESTS_INTEL_CS_PROGRAMS_H

/* Random programs for a command streamer: a ring, batches that start each other, and data. */

#include "intel/cs_reference.h"

struct program {
    struct random rng;
    unsigned version;
    enum reference_engine engine;
    bool bits;            /* data are 0 or 1, so that many are equal */
    uint32_t base;        /* of the engine's registers */
    uint32_t starts[600]; /* of commands, to jump to */
    unsigned start_count;
    struct streamer_submission submission;
};

/* Fills the memory of `r` and the submission; the engine and version are those of `r`. */
void make_program(struct program *p, struct cs_reference *r);

uint32_t program_below(struct program *p, uint32_t limit);

/* A value as programs use them: mostly small, sometimes of any magnitude. */
uint32_t program_data(struct program *p);

#endif
