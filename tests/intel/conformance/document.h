/* SPDX-License-Identifier: MIT */
/*
 * The tables of the hardware documents, written again for the tests. They share no line with the
 * model or the reference, so that a mistake in any of the three is found.
 */
#ifndef TESTS_INTEL_CONFORMANCE_DOCUMENT_H
#define TESTS_INTEL_CONFORMANCE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oa_platform { SNB, IVB, VLV, HSW, BDW, CHV, SKL, ICL, LKF, OA_PLATFORMS };

extern const char *const oa_platform_names[OA_PLATFORMS];

/* The GPUs on which the rows of a platform run: Ivy Bridge's on GT1, which has all counters. */
extern const char *const oa_sku_names[OA_PLATFORMS];

/* Registers NAME0, NAME1, ... from number `number` on, `stride` bytes apart. */
struct oa_document_register {
    const char *name;
    enum oa_platform first, last;
    uint32_t address;
    unsigned count;    /* 0: a single register without a number */
    unsigned number;   /* number of the first */
    int stride;        /* bytes between addresses */
    uint32_t writable; /* bits that read back what was written */
    uint32_t reset;
};

extern const struct oa_document_register oa_document_registers[];
extern const size_t oa_document_register_count;

/* Finds a register by name: "OACONTROL", "OASTARTTRIG2", "CEC3-0", "OAPERF_A7_UPPER". HEAD, TAIL
 * and STATUS are valid on any platform. Returns NULL if the platform lacks it. */
const struct oa_document_register *oa_document_find(const char *name, enum oa_platform platform,
                                                    uint32_t *address);

/* Returns the lowest bit of a field, or -1. TIMER and PERIOD are in OACONTROL, from Gen8 on in
 * OACTXCONTROL. */
int oa_document_field(const char *name, enum oa_platform platform);

#endif
