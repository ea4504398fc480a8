/* SPDX-License-Identifier: MIT */
/*
 * The tables of the hardware documents, written down once more, for the tests alone: they share no
 * line with the model or the reference, so that a slip in one of the three is seen.
 */
#ifndef TESTS_INTEL_CONFORMANCE_DOCUMENT_H
#define TESTS_INTEL_CONFORMANCE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oa_platform { SNB, IVB, VLV, HSW, BDW, CHV, SKL, ICL, LKF, OA_PLATFORMS };

extern const char *const oa_platform_names[OA_PLATFORMS];

/* Registers of one name and a number: NAME0, NAME1 ... from `number` on, `stride` apart. */
struct oa_document_register {
    const char *name;
    enum oa_platform first, last;
    uint32_t address;
    unsigned count;    /* 0: one, whose name has no number */
    unsigned number;   /* of the first */
    int stride;        /* of addresses */
    uint32_t writable; /* bits that read as they were written */
    uint32_t reset;
};

extern const struct oa_document_register oa_document_registers[];
extern const size_t oa_document_register_count;

/* A register by name: "OACONTROL", "OASTARTTRIG2", "CEC3-0", "OAPERF_A7_UPPER"; with HEAD, TAIL and
 * STATUS for those of any platform. NULL if the platform has none such. */
const struct oa_document_register *oa_document_find(const char *name, enum oa_platform platform,
                                                    uint32_t *address);

/* Lowest bit of a field, or -1. TIMER and PERIOD are in OACONTROL, from Gen8 on in OACTXCONTROL. */
int oa_document_field(const char *name, enum oa_platform platform);

#endif
