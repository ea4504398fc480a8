/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_FAULTS_SCRIPT_H
#define TALLY_EMULATION_FAULTS_SCRIPT_H

#include "emulation/faults/faults.h"

/* What a script says, as numbers. */

enum fault_kind {
    FAULT_OVERFLOW,
    FAULT_DROP,
    FAULT_ZERO,
    FAULT_WRAP,
    FAULT_SWITCH,
    FAULT_SKEW,
    FAULT_RC6,
    FAULT_FAIL,
    FAULT_DISK_FULL,
    FAULT_KINDS
};

/* What starts a fault: a time, a report, a call, the size of the recording. */
enum fault_trigger { ON_TIME, ON_REPORT, ON_CALL, ON_BYTES, FAULT_TRIGGERS };

#define COUNTER_NAME 8

struct fault {
    uint8_t kind, trigger;

    /* When: nanoseconds, number of the report or call (from 1), bytes. The n-th of its `times` (0:
     * endless) is n * every later, and by chance up to `jitter` more. */
    uint64_t first, every, jitter, times;

    uint64_t duration_ns; /* zero, switch, rc6; 0: for good */
    uint64_t margin;      /* wrap: counts until it does */
    uint64_t ticks;       /* skew */
    uint32_t context;     /* switch */
    uint32_t request;     /* fail */
    int code;             /* fail: an errno */
    char counter[COUNTER_NAME];
    unsigned line; /* of the file */
};

struct faults_script {
    char *file, *name, *description; /* the latter two may be empty */
    uint64_t seed;
    struct fault *faults;
    size_t count;
};

/* names.c: calls and errnos by name. False: there is none. */
bool fault_call_find(const char *name, uint32_t *request);
bool fault_errno_find(const char *name, int *code);

/* Is it the same call, whatever size its struct has? */
bool fault_same_call(uint32_t a, uint32_t b);

/* The time, report or call of the n-th time of a fault (from 0), UINT64_MAX if there is none. */
uint64_t fault_when(const struct faults_script *script, size_t index, uint64_t n);

#endif
