/* SPDX-License-Identifier: MIT */
/*
 * The tables of the hardware document, written down once more, for the tests alone: they share no
 * line with the engine or the reference, so that a slip in one of the three is seen.
 */
#ifndef TESTS_NVIDIA_CONFORMANCE_DOCUMENT_H
#define TESTS_NVIDIA_CONFORMANCE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum revision { NV10, NV15, NV20, NV30, NV40, G84, G92, GT215, GF100, REVISIONS };

extern const char *const revision_names[REVISIONS];

/* What can be done with a register. */
enum access { RW, RO, WO };

struct document_register {
    const char *name;
    enum revision first, last;
    unsigned offset,
        domain_stride; /* from the base of the register space; 0: one for all domains */
    unsigned words;    /* of an array: SIG_STATUS */
    enum access access;
};

extern const struct document_register document_registers[];
extern const size_t document_register_count;

/* Does a revision have the register of this row? */
bool document_has(const struct document_register *row, enum revision revision);
uint32_t document_address(const struct document_register *row, enum revision revision,
                          unsigned domain, unsigned word);
/* The row of a name, or NULL. */
const struct document_register *document_find(const char *name, enum revision revision);
/* Bits that read as they were written (PCT-6). */
uint32_t document_writable(const struct document_register *row, enum revision revision,
                           unsigned domains);

unsigned document_domains(enum revision revision); /* the most that it can have */

/* Lowest bit of a field of CTRL, GCTRL or RECORD_CHAN; -1 if the revision has no such field. */
int document_field(const char *name, enum revision revision);

/* Value of MODE for NV40's value: GF100 has HALTED before SINGLE and QUAD (PC-D38). */
uint64_t document_mode(uint64_t mode, enum revision revision);

/* Index of a trailer signal at the default trailer base; -1 if the revision has no such signal. */
int document_signal(const char *name, enum revision revision);

#endif
