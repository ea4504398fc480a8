/* SPDX-License-Identifier: MIT */
/*
 * The report formats as in the documents' tables. Cells are in ascending order of address, so a row
 * of the document is read from right to left: ID, TIME (two dwords from Gen6 to Gen7.5), CTX,
 * TICKS, INST, counters and ranges of them ("A4-A0"), HIGH (bits 39:32 of A0 to A31), -n: n dwords
 * of 0.
 */
#include "intel/conformance/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "intel/conformance/document.h"

enum { DWORDS = 80, COMMAND_ID = 0xcafe, COMMAND_AT = 0x10000, BUFFER_AT = 0x1000000 };

struct format {
    unsigned select, bytes;
    const char *cells;
};

/* ---- counters, each with a different value ------------------------------------------------- */

static const struct {
    unsigned a, b, c;
} counts[OA_PLATFORMS] = {{29, 4, 12}, {45, 4, 12}, {45, 4, 12}, {45, 8, 8}, {36, 8, 8},
                          {36, 8, 8},  {36, 8, 8},  {36, 8, 8},  {36, 8, 8}};

static uint64_t value_of(unsigned platform, char letter, unsigned i)
{
    uint64_t high = letter == 'A' && platform >= BDW && i < 32 ? (uint64_t)(0xe0 - 3 * i) << 32 : 0;
    return high | ((uint64_t)(letter - 'A' + 0xa) << 28 | 0x123 << 8 | (i + 1));
}

static void poke_all(FILE *out, unsigned platform)
{
    for (unsigned i = 0; i < counts[platform].a; i++)
        fprintf(out, "poke a%u 0x%" PRIx64 "\n", i, value_of(platform, 'A', i));
    for (unsigned i = 0; i < counts[platform].b; i++)
        fprintf(out, "poke b%u 0x%" PRIx64 "\n", i, value_of(platform, 'B', i));
    for (unsigned i = 0; i < counts[platform].c; i++)
        fprintf(out, "poke c%u 0x%" PRIx64 "\n", i, value_of(platform, 'C', i));
}

/* ---- contents of a report ------------------------------------------------------------------ */

struct header {
    uint32_t id, context, ticks, instruction;
    uint64_t time;
};

static unsigned put_counters(uint32_t *dwords, unsigned at, unsigned platform, const char *cell)
{
    const char *dash = strchr(cell, '-');
    int first = atoi(cell + 1), last = dash ? atoi(dash + 2) : first, step = first > last ? -1 : 1;
    for (int i = first;; i += step) {
        dwords[at++] = (uint32_t)value_of(platform, cell[0], (unsigned)i);
        if (i == last)
            return at;
    }
}

static void fill(uint32_t dwords[DWORDS], unsigned platform, const struct format *format,
                 const struct header *header)
{
    char cells[256], *save = NULL;
    unsigned at = 0;
    snprintf(cells, sizeof cells, "%s", format->cells);
    memset(dwords, 0, DWORDS * sizeof *dwords);
    for (char *cell = strtok_r(cells, " ", &save); cell; cell = strtok_r(NULL, " ", &save)) {
        if (!strcmp(cell, "ID"))
            dwords[at++] = header->id;
        else if (!strcmp(cell, "TIME") && platform <= HSW)
            dwords[at++] = (uint32_t)header->time, dwords[at++] = (uint32_t)(header->time >> 32);
        else if (!strcmp(cell, "TIME"))
            dwords[at++] = (uint32_t)header->time;
        else if (!strcmp(cell, "CTX"))
            dwords[at++] = header->context;
        else if (!strcmp(cell, "TICKS"))
            dwords[at++] = header->ticks;
        else if (!strcmp(cell, "INST"))
            dwords[at++] = header->instruction;
        else if (!strcmp(cell, "HIGH"))
            for (unsigned i = 0; i < 32; i++) /* byte i belongs to A(i) */
                dwords[at + i / 4] |= (uint32_t)(value_of(platform, 'A', i) >> 32) << (i % 4 * 8),
                    at += i == 31 ? 8 : 0;
        else if (cell[0] == '-')
            at += (unsigned)atoi(cell + 1);
        else
            at = put_counters(dwords, at, platform, cell);
    }
    /* A mistake in a row above must not produce a shorter report. */
    if (at * 4 != format->bytes)
        dwords[0] = ~dwords[0];
}

static void expect(FILE *out, uint64_t address, const uint32_t dwords[DWORDS])
{
    fprintf(out, "mem 0x%" PRIx64 " %u -> dwords", address, DWORDS * 4);
    for (unsigned i = 0; i < DWORDS; i++)
        fprintf(out, " 0x%" PRIx32, dwords[i]);
    fputc('\n', out);
}

/* Takes a report by a command, then one by the unit. Only time and ticks advance. */
static void write_format(FILE *out, unsigned platform, const struct conformance_case *row)
{
    const struct format *format = row->params;
    struct header header = {.id = COMMAND_ID,
                            .time = UINT64_C(0x912345678),
                            .instruction = 0xabcd1234,
                            .context = 0x5a5a1000,
                            .ticks = 1};
    uint32_t dwords[DWORDS];
    fprintf(out, "timestamp 1 0x912345677\ninstaddr 0x%" PRIx32 "\ncontext 0x%" PRIx32 "\nrun 1\n",
            header.instruction, header.context);
    poke_all(out, platform);
    fprintf(out, "buffer 0x%x\nalways\nenable %u\n", BUFFER_AT, format->select);
    fprintf(out, "mirpc 0x%x 0x%x\n", COMMAND_AT, COMMAND_ID);
    fill(dwords, platform, format, &header);
    expect(out, COMMAND_AT, dwords);
    fprintf(out, "run 1\nrd TAIL -> 0x%x\n", BUFFER_AT + format->bytes);
    header.ticks++; /* the clock that triggers the report */
    /* Trigger 1; from Gen8 on also context valid, and the threshold that `always` enables. */
    header.id = platform <= HSW ? 1u << 11 : 1u << 25 | 1u << 20 | 1u << 17;
    fill(dwords, platform, format, &header);
    expect(out, BUFFER_AT, dwords);
}

/* ---- Sandy Bridge to Haswell --------------------------------------------------------------- */

#define DOCUMENT  "000"
#define FILE_NAME "generated_formats.c"
#define SECTION   "Performance Counter Report Formats"

#define FORMAT(select, bytes, cells) (&(const struct format){select, bytes, cells})
#define SNB_A28                      "ID TIME A4-A0 A12-A5 A20-A13 A28-A21"
#define OLD_A28                      "ID TIME A0-A4 A5-A12 A13-A20 A21-A28"

/* clang-format off */
const struct conformance_case generated_format_cases_000[] = {
    GENERATED_ROW("000-FMT-00", SECTION, "SNB Counter Select 000 reports A0 to A12, in descending order of address (OA-E12)", "snb", write_format, FORMAT(0, 64, "ID TIME A4-A0 A12-A5")),
    GENERATED_ROW("000-FMT-01", SECTION, "SNB Counter Select 001 reports A0 to A28", "snb", write_format, FORMAT(1, 128, SNB_A28)),
    GENERATED_ROW("000-FMT-02", SECTION, "SNB Counter Select 010 reports A0 to A12, B0 to B3 in ascending order, and C0 to C11 in the reserved dwords (OA-E2)", "snb", write_format, FORMAT(2, 128, "ID TIME A4-A0 A12-A5 B0-B3 C0-C11")),
    GENERATED_ROW("000-FMT-03", SECTION, "SNB Counter Select 011 reports A0 to A28, B0 to B3 and C0 to C11 (OA-E2)", "snb", write_format, FORMAT(3, 192, SNB_A28 " B0-B3 C0-C11")),
    GENERATED_ROW("000-FMT-04", SECTION, "SNB Counter Select 100 is not listed, but reports the instruction address and C0 to C11, as a later document of the same unit does (OA-2.9)", "snb", write_format, FORMAT(4, 64, "ID TIME INST C0-C11")),
    GENERATED_ROW("000-FMT-05", SECTION, "SNB Counter Select 101 is not listed and reports a header only (OA-D29)", "snb", write_format, FORMAT(5, 64, "ID TIME -13")),
    GENERATED_ROW("000-FMT-06", SECTION, "SNB Counter Select 110 is not listed and reports a header only (OA-D29)", "snb", write_format, FORMAT(6, 64, "ID TIME -13")),
    GENERATED_ROW("000-FMT-07", SECTION, "SNB Counter Select 111 is not listed and reports a header only (OA-D29)", "snb", write_format, FORMAT(7, 64, "ID TIME -13")),
    GENERATED_ROW("000-FMT-10", SECTION, "IVB and VLV Counter Select 000 reports A0 to A12, in ascending order of address", "ivb,vlv", write_format, FORMAT(0, 64, "ID TIME A0-A4 A5-A12")),
    GENERATED_ROW("000-FMT-11", SECTION, "IVB and VLV Counter Select 001 reports A0 to A28", "ivb,vlv", write_format, FORMAT(1, 128, OLD_A28)),
    GENERATED_ROW("000-FMT-12", SECTION, "IVB and VLV Counter Select 010 reports A0 to A12, B0 to B3 and C0 to C11 (OA-E2)", "ivb,vlv", write_format, FORMAT(2, 128, "ID TIME A0-A4 A5-A12 B0-B3 C0-C11")),
    GENERATED_ROW("000-FMT-13", SECTION, "IVB and VLV Counter Select 011 reports A0 to A28, B0 to B3 and C0 to C11 (OA-E2)", "ivb,vlv", write_format, FORMAT(3, 192, OLD_A28 " B0-B3 C0-C11")),
    GENERATED_ROW("000-FMT-14", SECTION, "IVB and VLV Counter Select 100 is not listed and reports a header only (OA-D29)", "ivb,vlv", write_format, FORMAT(4, 64, "ID TIME -13")),
    GENERATED_ROW("000-FMT-15", SECTION, "IVB and VLV Counter Select 101 reports A0 to A44, B0 to B3 and C0 to C11 (OA-E2)", "ivb,vlv", write_format, FORMAT(5, 256, OLD_A28 " A29-A36 A37-A44 B0-B3 C0-C11")),
    GENERATED_ROW("000-FMT-16", SECTION, "IVB and VLV Counter Select 110 reports a header, 13 reserved dwords and A29 to A44", "ivb,vlv", write_format, FORMAT(6, 128, "ID TIME -13 A29-A36 A37-A44")),
    GENERATED_ROW("000-FMT-17", SECTION, "IVB and VLV Counter Select 111 is not listed and reports a header only (OA-D29)", "ivb,vlv", write_format, FORMAT(7, 64, "ID TIME -13")),
    GENERATED_ROW("000-FMT-20", SECTION, "HSW Counter Select 000 reports A0 to A12, in ascending order of address", "hsw", write_format, FORMAT(0, 64, "ID TIME A0-A4 A5-A12")),
    GENERATED_ROW("000-FMT-21", SECTION, "HSW Counter Select 001 reports A0 to A28", "hsw", write_format, FORMAT(1, 128, OLD_A28)),
    GENERATED_ROW("000-FMT-22", SECTION, "HSW Counter Select 010 reports A0 to A12, B0 to B7 and C0 to C7 (OA-E2)", "hsw", write_format, FORMAT(2, 128, "ID TIME A0-A4 A5-A12 B0-B7 C0-C7")),
    GENERATED_ROW("000-FMT-23", SECTION, "HSW Counter Select 011 reports A0 to A28, B0 to B7 and C0 to C7 (OA-E2)", "hsw", write_format, FORMAT(3, 192, OLD_A28 " B0-B7 C0-C7")),
    GENERATED_ROW("000-FMT-24", SECTION, "HSW Counter Select 100 reports the instruction address, B0 to B3 and C0 to C7 (OA-E2)", "hsw", write_format, FORMAT(4, 64, "ID TIME INST B0-B3 C0-C7")),
    GENERATED_ROW("000-FMT-25", SECTION, "HSW Counter Select 101 reports A0 to A44, B0 to B7 and C0 to C7 (OA-E2)", "hsw", write_format, FORMAT(5, 256, OLD_A28 " A29-A36 A37-A44 B0-B7 C0-C7")),
    GENERATED_ROW("000-FMT-26", SECTION, "HSW Counter Select 110 reports the instruction address, B0 to B3, C0 to C7 (OA-E2) and A29 to A44", "hsw", write_format, FORMAT(6, 128, "ID TIME INST B0-B3 C0-C7 A29-A36 A37-A44")),
    GENERATED_ROW("000-FMT-27", SECTION, "HSW Counter Select 111 reports the instruction address, C0, C1 to C3 in the reserved dwords (OA-E2), and B0 to B7", "hsw", write_format, FORMAT(7, 64, "ID TIME INST C0-C3 B0-B7")),
};
/* clang-format on */
const size_t generated_format_case_count_000 =
    sizeof generated_format_cases_000 / sizeof *generated_format_cases_000;

/* ---- Broadwell on -------------------------------------------------------------------------- */

#undef DOCUMENT
#undef SECTION
#define DOCUMENT "002"
#define SECTION  "Performance Counter Reporting"

#define NEW_HEAD "ID TIME CTX TICKS "

/* clang-format off */
const struct conformance_case generated_format_cases_002[] = {
    GENERATED_ROW("002-FMT-00", SECTION, "Counter Select 000 reports A7 to A18", "bdw..lkf", write_format, FORMAT(0, 64, NEW_HEAD "A7-A18")),
    GENERATED_ROW("002-FMT-01", SECTION, "Counter Select 001 is reserved and reports a header only (OA-D29)", "bdw..lkf", write_format, FORMAT(1, 64, NEW_HEAD "-12")),
    GENERATED_ROW("002-FMT-02", SECTION, "Counter Select 010 reports A7 to A18, B0 to B7 and C0 to C7", "bdw..lkf", write_format, FORMAT(2, 128, NEW_HEAD "A7-A18 B0-B7 C0-C7")),
    GENERATED_ROW("002-FMT-03", SECTION, "Counter Select 011 is reserved and reports a header only (OA-D29)", "bdw..lkf", write_format, FORMAT(3, 64, NEW_HEAD "-12")),
    GENERATED_ROW("002-FMT-04", SECTION, "Counter Select 100 is reserved and reports a header only (OA-D29)", "bdw..lkf", write_format, FORMAT(4, 64, NEW_HEAD "-12")),
    GENERATED_ROW("002-FMT-05", SECTION, "Counter Select 101 reports the low dwords of A0 to A31, A32 to A35, the high bytes of A0 to A31, B0 to B7 and C0 to C7", "bdw..lkf", write_format, FORMAT(5, 256, NEW_HEAD "A0-A35 HIGH B0-B7 C0-C7")),
    GENERATED_ROW("002-FMT-06", SECTION, "Counter Select 110 is reserved and reports a header only (OA-D29)", "bdw..lkf", write_format, FORMAT(6, 64, NEW_HEAD "-12")),
    GENERATED_ROW("002-FMT-07", SECTION, "Counter Select 111 reports C0 to C3 and B0 to B7", "bdw..lkf", write_format, FORMAT(7, 64, NEW_HEAD "C0-C3 B0-B7")),
};
/* clang-format on */
const size_t generated_format_case_count_002 =
    sizeof generated_format_cases_002 / sizeof *generated_format_cases_002;
