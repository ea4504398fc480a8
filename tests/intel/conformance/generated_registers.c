/* SPDX-License-Identifier: MIT */
/* Cases over all registers: their addresses and writable bits. */
#include "intel/conformance/rows.h"

#include <string.h>

#include "intel/conformance/document.h"

struct range {
    uint32_t first, last;
};

/* The address ranges of the unit's registers, and some addresses around them. */
static const struct range ranges[] = {{0x2340, 0x23fc}, {0x2700, 0x2bfc}, {0xe400, 0xe7fc}};

/* Returns the row of an address, or NULL. */
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

/* Registers whose bits take effect; they have their own cases. */
static bool acts(const struct oa_document_register *row, enum oa_platform platform)
{
    return row && ((platform == HSW && !strcmp(row->name, "OASTATUS2")) ||
                   !strcmp(row->name, "OA_DEBUG") || !strcmp(row->name, "OASTATUS"));
}

/* Returns a different value for every address. */
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

/* Writes every word of the ranges, then reads every one, three times: ones, a different value at
 * each address, 0. No clock runs in between. Ends with a reset. */
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
    GENERATED("000-REG-01", "Performance Statistics Registers", "Every register is at the document's address, exists on its projects only and keeps its writable bits; other addresses read 0; a reset restores the default values", "snb..hsw", write_all),
    GENERATED("000-REG-02", "Performance Statistics Registers", "At power-on every register has its default value", "snb..hsw", reset_values),
};
/* clang-format on */
const size_t generated_register_case_count_000 =
    sizeof generated_register_cases_000 / sizeof *generated_register_cases_000;

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case generated_register_cases_002[] = {
    GENERATED("002-REG-01", "Performance Counter Registers", "Every register is at the document's address and keeps its writable bits; other addresses read 0; a reset restores the default values", "bdw..lkf", write_all),
    GENERATED("002-REG-02", "Performance Counter Registers", "At power-on every register has its default value", "bdw..lkf", reset_values),
};
/* clang-format on */
const size_t generated_register_case_count_002 =
    sizeof generated_register_cases_002 / sizeof *generated_register_cases_002;
