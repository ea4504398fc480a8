/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_CS_REFERENCE_H
#define TESTS_INTEL_CS_REFERENCE_H

/*
 * The command streamer's MI commands, PIPE_CONTROL and 3DPRIMITIVE once more, plainly and without
 * the model's tables: bit numbers as the documents print them, one function a command. It runs one
 * batch, with its second level, on a struct machine of its own, whose streamer is not used.
 */

#include "intel/cs_machine.h"

struct reference_place {
    uint64_t address;
    uint32_t space;
    bool privileged;
};

struct cs_reference {
    struct machine machine; /* memory, other registers, the log, clocks */
    unsigned version, slices;
    unsigned level; /* 2 or 1: batches; 0: the batch has ended; -1u: nothing is left */
    bool begun;
    struct reference_place place[3];
    uint32_t ppgtt;

    uint64_t gpr[16], source[2], difference;
    uint32_t result, result_1, result_2, excc, mailbox[3];
    uint32_t bb_offset, ccid, nopid, ipehr, status_page;
    uint64_t acthd;
    bool noop;

    /* The command. */
    uint32_t dword[300], length;
    struct reference_place at;
    bool jumped;
    bool foreign; /* another pipeline or blitter command, which is not here: do not go on */

    enum streamer_fault fault;
    uint64_t fault_address;
};

/* Begins a batch at MACHINE_CODE of the space. machine.memory is the caller's to fill. */
void cs_reference_init(struct cs_reference *r, const char *platform, uint32_t space,
                       bool privileged);

/* One command. */
enum streamer_status cs_reference_step(struct cs_reference *r);

#endif
