/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_FAULTS_SCRIPT_H
#define TALLY_EMULATION_FAULTS_SCRIPT_H

#include "base/expected.h"
#include "emulation/faults/faults.h"

/* A parsed script. */

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
    FAULT_SWAP, /* from here on of NVIDIA's GPUs */
    FAULT_WEDGE,
    FAULT_STALL,
    FAULT_KINDS
};

/* What triggers a fault: a time, a report, a call, the size of the recording. */
enum fault_trigger { ON_TIME, ON_REPORT, ON_CALL, ON_BYTES, FAULT_TRIGGERS };

#define COUNTER_NAME 8

struct fault {
    uint8_t kind, trigger;

    /* When the fault happens, in units of the trigger: ns, number of the report or call (from 1),
     * or bytes. It happens `times` times (0: no limit), the n-th time (from 0) at first + n *
     * every, plus a random number from 0 to `jitter`. */
    uint64_t first, every, jitter, times;

    uint64_t duration_ns; /* zero, switch, rc6, stall; 0: no end */
    uint64_t margin;      /* wrap: counts before the wrap */
    uint64_t ticks;       /* skew */
    uint32_t context;     /* switch */
    uint32_t request;     /* fail */
    int code;             /* fail: an errno */
    int domain;           /* wedge: TALLY_DOMAIN() */
    char counter[COUNTER_NAME];
    unsigned line; /* in the file */
};

struct faults_script {
    char *file, *name, *description; /* the latter two may be empty */
    uint64_t seed;
    struct fault *faults;
    size_t count;
};

/* Whether a kind is of NVIDIA's GPUs. */
static inline bool fault_is_nvidia(unsigned kind)
{
    return kind >= FAULT_SWAP;
}

/* names.c: find a call or an errno by its name. False: unknown. */
bool fault_call_find(const char *name, uint32_t *request);
bool fault_errno_find(const char *name, int *code);

/* names.c: the end of the message for an unknown call or errno, as expected_word(). */
const char *fault_call_expected(char text[EXPECTED_BYTES], const char *name);
const char *fault_errno_expected(char text[EXPECTED_BYTES], const char *name);

/* True if two requests are the same call, independent of the size of its struct. */
bool fault_same_call(uint32_t a, uint32_t b);

/* Returns the time, report or call at which a fault happens the n-th time (from 0); UINT64_MAX:
 * never. */
uint64_t fault_when(const struct faults_script *script, size_t index, uint64_t n);

#endif
