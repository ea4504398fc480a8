/* SPDX-License-Identifier: MIT */
/* Cases over all registers: where they are and what they keep. */
#include "intel/conformance/rows.h"

#include <string.h>

#include "intel/conformance/document.h"

struct range {
    uint32_t first, last;
};

/* Where the documents have registers of the unit, and some more. */
static const struct range ranges[] = {{0x2340, 0x23fc}, {0x2700, 0x2bfc}, {0xe400, 0xe7fc}};

/* The row of an address, or NULL. */
static const struct oa_document_register *row_at(uint32_t address, enum oa_platform platform)
{
    for (size_t i = 0; i < oa_document_register_count; i++) {
        const struct oa_document_register *row = &oa_document_registers[i];
        for (unsigned n = 0; n < (row->count ? row->count : 1); n++)
            if (platform >= row->first && platform <= row->last &&
                row->address + (uint32_t)((int)n * row->stride) == address)
                return row;
    }
    return NULL;
}

/* These have bits that act; cases of their own say how. */
static bool acts(const struct oa_document_register *row, enum oa_platform platform)
{
    return row && ((platform == HSW && !strcmp(row->name, "OASTATUS2")) ||
                   !strcmp(row->name, "OA_DEBUG") || !strcmp(row->name, "OASTATUS"));
}

/* A value of its own for every address. */
static uint32_t mark(uint32_t address, unsigned round)
{
    return round == 0 ? UINT32_MAX : round == 1 ? (address * 2654435761u) ^ (address << 7) : 0;
}

static void reset_values(FILE *out, unsigned platform)
{
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (uint32_t at = ranges[r].first; at <= ranges[r].last; at += 4) {
            const struct oa_document_register *row = row_at(at, platform);
            fprintf(out, "rd 0x%x -> 0x%x\n", at, row ? row->reset : 0);
        }
}

/* Writes every word of the ranges, then reads every one, three times: ones, values that tell
 * addresses apart, 0. No clock passes. At last a reset. */
static void write_all(FILE *out, unsigned platform)
{
    for (unsigned round = 0; round < 3; round++) {
        for (int read = 0; read < 2; read++)
            for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
                for (uint32_t at = ranges[r].first; at <= ranges[r].last; at += 4) {
                    const struct oa_document_register *row = row_at(at, platform);
                    if (acts(row, platform))
                        continue;
                    uint32_t value = mark(at, round);
                    if (read)
                        fprintf(out, "rd 0x%x -> 0x%x\n", at, row ? value & row->writable : 0);
                    else
                        fprintf(out, "wr 0x%x 0x%x\n", at, value);
                }
        if (round == 1) {
            fputs("reset\n", out);
            reset_values(out, platform);
        }
    }
}

#define DOCUMENT  "000"
#define FILE_NAME "generated_registers.c"

/* clang-format off */
const struct conformance_case generated_register_cases_000[] = {
    GENERATED("000-REG-01", "Performance Statistics Registers", "Every register is where the document says, for its projects only, and keeps the bits that it has; all other addresses read 0; a reset brings back the defaults", "snb..hsw", write_all),
    GENERATED("000-REG-02", "Performance Statistics Registers", "Default values at power-on", "snb..hsw", reset_values),
};
/* clang-format on */
const size_t generated_register_case_count_000 =
    sizeof generated_register_cases_000 / sizeof *generated_register_cases_000;

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case generated_register_cases_002[] = {
    GENERATED("002-REG-01", "Performance Counter Registers", "Every register is where the document says, and keeps the bits that it has; all other addresses read 0; a reset brings back the defaults", "bdw..lkf", write_all),
    GENERATED("002-REG-02", "Performance Counter Registers", "Default values at power-on", "bdw..lkf", reset_values),
};
/* clang-format on */
const size_t generated_register_case_count_002 =
    sizeof generated_register_cases_002 / sizeof *generated_register_cases_002;
