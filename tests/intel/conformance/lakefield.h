/* SPDX-License-Identifier: MIT */
/*
 * The two tables of ranges and of registers in the Lakefield PRM, Volume 13, as printed, with
 * scanning errors repaired (OA-4.4, OA-5, OA-E28). They were written from the document, not from
 * data/lkf/, which the model uses.
 */
#ifndef TESTS_INTEL_CONFORMANCE_LAKEFIELD_H
#define TESTS_INTEL_CONFORMANCE_LAKEFIELD_H

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "intel/conformance/rows.h"
#include "testing.h"

/* "Wake Target": nothing printed, INF / COH, GTI, RENDER, MEDIA0, MEDIA2. */
enum lkf_wake { W_NONE, W_AON, W_GTI, W_RENDER, W_MEDIA0, W_MEDIA2 };

/* "Replication Group Type". */
enum lkf_group { G_NONE, G_SLICE, G_SUBSLICE, G_L3BANK };

/* A row of the "Force Wake and Steering Table". */
struct lkf_range {
    uint32_t first, last, bytes;
    const char *section, *unit;
    enum lkf_wake wake;
    enum lkf_group group;
    uint8_t count;             /* "Inst. Count"; 0: not printed */
    uint8_t slices, subslices; /* "Steering": sliceid[0..1], subslice[0..3]; 0: not printed */
};

enum { LKF_RANGES = 170, LKF_PCI_REGISTERS = 79 };

extern const struct lkf_range lkf_ranges[LKF_RANGES];

/* A row of "PCI Device Registers"; the first two are of device 0:0:0. */
struct lkf_pci_register {
    uint16_t offset;
    const char *symbol, *name;
};

extern const struct lkf_pci_register lkf_pci_registers[LKF_PCI_REGISTERS];

/* The first list of "Performance Counter Registers", without the two counters whose addresses are
 * unknown (OA-U14), and the registers that it omits (OA-E20). Names of document.c, ending with
 * NULL. The pointers precede OASTATUS, whose wrap flags their writes set (OA-D31). */
extern const char *const lkf_oa_listed[];
extern const char *const lkf_oa_left_out[];

#endif
