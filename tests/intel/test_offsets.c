/* SPDX-License-Identifier: MIT */
/*
 * Offsets of all values in reports, transcribed from the documents and not from the product's
 * tables: [O13] HD Graphics PRM "Performance Counter Report Formats" (docs 000, line 147 on) and
 * PERF-4; errata OA-E2, OA-E12, OA-E21.
 */
#include "intel/tests.h"

/* ---- pictures ------------------------------------------------------------------------------ */

/*
 * The tables of [O13] as printed: a line of eight dwords, the highest address on the left
 * (OA-2.9: "the rightmost column is the lowest address"). TS is the clock, TU the second cell of
 * TIME_STAMP, IA is INST ADD, R is reserved.
 */
static const struct picture {
    unsigned line;
    const char *layout;
    const char *rows[9];
} pictures[] = {
    /* OA-E12: SNB's rows descend, as printed. */
    {__LINE__, "snb/000", {"A0 A1 A2 A3 A4 TU TS ID", "A5 A6 A7 A8 A9 A10 A11 A12"}},
    {__LINE__,
     "snb/001",
     {"A0 A1 A2 A3 A4 TU TS ID", "A5 A6 A7 A8 A9 A10 A11 A12", "A13 A14 A15 A16 A17 A18 A19 A20",
      "A21 A22 A23 A24 A25 A26 A27 A28"}},
    /* OA-E2: C counters are printed "Reserved" and are written; [P10] has their order. */
    {__LINE__,
     "snb/010",
     {"A0 A1 A2 A3 A4 TU TS ID", "A5 A6 A7 A8 A9 A10 A11 A12", "C3 C2 C1 C0 B3 B2 B1 B0",
      "C11 C10 C9 C8 C7 C6 C5 C4"}},
    {__LINE__,
     "snb/011",
     {"A0 A1 A2 A3 A4 TU TS ID", "A5 A6 A7 A8 A9 A10 A11 A12", "A13 A14 A15 A16 A17 A18 A19 A20",
      "A21 A22 A23 A24 A25 A26 A27 A28", "C3 C2 C1 C0 B3 B2 B1 B0", "C11 C10 C9 C8 C7 C6 C5 C4"}},
    {__LINE__, "snb/100", {"C3 C2 C1 C0 IA TU TS ID", "C11 C10 C9 C8 C7 C6 C5 C4"}}, /* [P10] */

    {__LINE__, "ivb/000", {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5"}},
    {__LINE__,
     "ivb/001",
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21"}},
    {__LINE__,
     "ivb/010", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "C3 C2 C1 C0 B3 B2 B1 B0",
      "C11 C10 C9 C8 C7 C6 C5 C4"}},
    {__LINE__,
     "ivb/011", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21", "C3 C2 C1 C0 B3 B2 B1 B0", "C11 C10 C9 C8 C7 C6 C5 C4"}},
    {__LINE__,
     "ivb/101", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21", "A36 A35 A34 A33 A32 A31 A30 A29",
      "A44 A43 A42 A41 A40 A39 A38 A37", "C3 C2 C1 C0 B3 B2 B1 B0", "C11 C10 C9 C8 C7 C6 C5 C4"}},
    {__LINE__,
     "ivb/110",
     {"R R R R R TU TS ID", "R R R R R R R R", "A36 A35 A34 A33 A32 A31 A30 A29",
      "A44 A43 A42 A41 A40 A39 A38 A37"}},
    {__LINE__, "vlv/000", {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5"}},

    {__LINE__, "hsw/000", {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5"}},
    {__LINE__,
     "hsw/001",
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21"}},
    {__LINE__,
     "hsw/010", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "B7 B6 B5 B4 B3 B2 B1 B0",
      "C7 C6 C5 C4 C3 C2 C1 C0"}},
    {__LINE__,
     "hsw/011", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21", "B7 B6 B5 B4 B3 B2 B1 B0", "C7 C6 C5 C4 C3 C2 C1 C0"}},
    {__LINE__,
     "hsw/100",
     {"B3 B2 B1 B0 IA TU TS ID", "C7 C6 C5 C4 C3 C2 C1 C0"}}, /* OA-E2, OA-E3 */
    {__LINE__,
     "hsw/101", /* OA-E2 */
     {"A4 A3 A2 A1 A0 TU TS ID", "A12 A11 A10 A9 A8 A7 A6 A5", "A20 A19 A18 A17 A16 A15 A14 A13",
      "A28 A27 A26 A25 A24 A23 A22 A21", "A36 A35 A34 A33 A32 A31 A30 A29",
      "A44 A43 A42 A41 A40 A39 A38 A37", "B7 B6 B5 B4 B3 B2 B1 B0", "C7 C6 C5 C4 C3 C2 C1 C0"}},
    {__LINE__,
     "hsw/110", /* OA-E2, OA-E3 */
     {"B3 B2 B1 B0 IA TU TS ID", "C7 C6 C5 C4 C3 C2 C1 C0", "A36 A35 A34 A33 A32 A31 A30 A29",
      "A44 A43 A42 A41 A40 A39 A38 A37"}},
    {__LINE__,
     "hsw/111",
     {"C3 C2 C1 C0 IA TU TS ID", "B7 B6 B5 B4 B3 B2 B1 B0"}}, /* OA-E2, OA-E3 */
};

/* The slot of a cell's name; -1: reserved. */
static int cell_slot(const char *cell)
{
    int number = atoi(cell + 1);
    if (!strcmp(cell, "ID"))
        return ID;
    if (!strcmp(cell, "TS"))
        return TIME;
    if (!strcmp(cell, "TU"))
        return TIME_UPPER;
    if (!strcmp(cell, "IA"))
        return INST_ADD;
    if (!strcmp(cell, "R"))
        return -1;
    return cell[0] == 'A' ? A(number) : cell[0] == 'B' ? B(number) : C(number);
}

/* In a report with a single non-zero dword, only the slot of that cell has a value. */
static void check_cell(const struct picture *picture, const struct tally_layout *layout,
                       unsigned dword, const char *cell)
{
    uint8_t report[REPORT_ROOM] = {0};
    uint64_t slots[TALLY_SLOT_COUNT] = {0};
    int expected = cell_slot(cell);
    memcpy(report + 4 * dword, "\x04\x03\x02\xe1", 4);
    tally_report_unpack(layout, report, slots);
    for (int slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
        bool here = expected < 0 ? slot >= TALLY_SLOT_RESERVED && slots[slot] : slot == expected;
        uint64_t value = here ? 0xe1020304 : 0;
        ROW(picture->line, slots[slot] == value, "%s dword %u (%s): slot %d is 0x%" PRIx64,
            picture->layout, dword, cell, slot, slots[slot]);
    }
}

static void test_pictures_of_the_manual(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(pictures); p++) {
        const struct tally_layout *layout = tally_layout_find(pictures[p].layout);
        unsigned rows = 0;
        if (!ROW(pictures[p].line, layout != NULL, "no layout %s", pictures[p].layout))
            continue;
        for (; pictures[p].rows[rows]; rows++) {
            char text[128], *at = NULL;
            unsigned column = 0;
            snprintf(text, sizeof text, "%s", pictures[p].rows[rows]);
            for (char *cell = strtok_r(text, " ", &at); cell; cell = strtok_r(NULL, " ", &at))
                check_cell(&pictures[p], layout, 8 * rows + 7 - column++, cell);
            ROW(pictures[p].line, column == 8, "row %u of the picture has %u cells", rows, column);
        }
        ROW(pictures[p].line, layout->size_bytes == 32 * rows, "%u bytes", layout->size_bytes);
    }
    ROWS_DONE();
}

/* ---- byte offsets -------------------------------------------------------------------------- */

/* `high`: byte of bits 39:32, of 40-bit values only. */
static const struct offset {
    unsigned line;
    const char *layout;
    unsigned slot;
    unsigned byte;
    unsigned width;
    unsigned high;
} offsets[] = {
    /* Gen6 to Gen7.5 again, by number (OA-2.9). */
    {__LINE__, "snb/000", ID, 0, 32, 0},
    {__LINE__, "snb/000", TIME, 4, 32, 0},
    {__LINE__, "snb/000", TIME_UPPER, 8, 32, 0},
    {__LINE__, "snb/000", A(4), 12, 32, 0}, /* OA-E12: dw3..dw7 = A4..A0 */
    {__LINE__, "snb/000", A(0), 28, 32, 0},
    {__LINE__, "snb/000", A(12), 32, 32, 0}, /* OA-E12: dw8..dw15 = A12..A5 */
    {__LINE__, "snb/000", A(5), 60, 32, 0},
    {__LINE__, "snb/001", A(20), 64, 32, 0},
    {__LINE__, "snb/001", A(13), 92, 32, 0},
    {__LINE__, "snb/001", A(28), 96, 32, 0},
    {__LINE__, "snb/001", A(21), 124, 32, 0},
    {__LINE__, "snb/010", B(0), 64, 32, 0}, /* B and C ascend on SNB too */
    {__LINE__, "snb/010", C(0), 80, 32, 0},
    {__LINE__, "snb/010", C(11), 124, 32, 0},
    {__LINE__, "snb/011", A(21), 124, 32, 0},
    {__LINE__, "snb/011", B(3), 140, 32, 0},
    {__LINE__, "snb/011", C(11), 188, 32, 0},
    {__LINE__, "snb/100", INST_ADD, 12, 32, 0},
    {__LINE__, "snb/100", C(11), 60, 32, 0},
    {__LINE__, "ivb/000", A(0), 12, 32, 0},
    {__LINE__, "ivb/001", A(28), 124, 32, 0},
    {__LINE__, "ivb/010", B(0), 64, 32, 0},
    {__LINE__, "ivb/011", C(4), 160, 32, 0},
    {__LINE__, "ivb/101", A(44), 188, 32, 0},
    {__LINE__, "vlv/101", B(0), 192, 32, 0},
    {__LINE__, "vlv/101", C(11), 252, 32, 0},
    {__LINE__, "ivb/110", A(29), 64, 32, 0},
    {__LINE__, "ivb/110", A(44), 124, 32, 0},
    {__LINE__, "hsw/000", A(12), 60, 32, 0},
    {__LINE__, "hsw/001", A(13), 64, 32, 0},
    {__LINE__, "hsw/010", C(7), 124, 32, 0},
    {__LINE__, "hsw/011", B(0), 128, 32, 0},
    {__LINE__, "hsw/011", C(0), 160, 32, 0},
    {__LINE__, "hsw/100", INST_ADD, 12, 32, 0},
    {__LINE__, "hsw/100", B(3), 28, 32, 0},
    {__LINE__, "hsw/100", C(0), 32, 32, 0},
    {__LINE__, "hsw/101", A(0), 12, 32, 0}, /* OA-8, report offsets */
    {__LINE__, "hsw/101", A(44), 188, 32, 0},
    {__LINE__, "hsw/101", B(0), 192, 32, 0},
    {__LINE__, "hsw/101", C(0), 224, 32, 0},
    {__LINE__, "hsw/101", C(7), 252, 32, 0},
    {__LINE__, "hsw/110", A(29), 64, 32, 0}, /* OA-2.9: not 60, as one test table has it */
    {__LINE__, "hsw/110", A(44), 124, 32, 0},
    {__LINE__, "hsw/111", C(3), 28, 32, 0},
    {__LINE__, "hsw/111", B(0), 32, 32, 0}, /* OA-2.9: not 28 */
    {__LINE__, "hsw/111", B(7), 60, 32, 0},

    /* PERF-4.3. */
    {__LINE__, "gen8/000", ID, 0, 32, 0},
    {__LINE__, "gen8/000", TIME, 4, 32, 0},
    {__LINE__, "gen8/000", CONTEXT, 8, 32, 0},
    {__LINE__, "gen8/000", TICKS, 12, 32, 0},
    {__LINE__, "gen8/000", A(7), 16, 32, 0}, /* OA-8; PERF-10: 16, not 12 */
    {__LINE__, "gen8/000", A(18), 60, 32, 0},
    {__LINE__, "gen8/010", A(7), 16, 32, 0},
    {__LINE__, "gen8/010", A(18), 60, 32, 0},
    {__LINE__, "gen8/010", B(0), 64, 32, 0},
    {__LINE__, "gen8/010", C(0), 96, 32, 0},
    {__LINE__, "gen8/010", C(7), 124, 32, 0},
    {__LINE__, "gen8/101", ID, 0, 32, 0},
    {__LINE__, "gen8/101", TIME, 4, 32, 0},
    {__LINE__, "gen8/101", CONTEXT, 8, 32, 0},
    {__LINE__, "gen8/101", TICKS, 12, 32, 0},
    {__LINE__, "gen8/101", A(0), 16, 40, 160}, /* OA-8 */
    {__LINE__, "gen8/101", A(1), 20, 40, 161},
    {__LINE__, "gen8/101", A(23), 108, 40, 183},
    {__LINE__, "gen8/101", A(31), 140, 40, 191},
    {__LINE__, "gen8/101", A(32), 144, 32, 0},
    {__LINE__, "gen8/101", A(35), 156, 32, 0},
    {__LINE__, "gen8/101", B(0), 192, 32, 0},
    {__LINE__, "gen8/101", B(7), 220, 32, 0},
    {__LINE__, "gen8/101", C(0), 224, 32, 0},
    {__LINE__, "gen8/101", C(7), 252, 32, 0},
    {__LINE__, "gen8/111", CONTEXT, 8, 32, 0}, /* OA-E21 */
    {__LINE__, "gen8/111", TICKS, 12, 32, 0},
    {__LINE__, "gen8/111", C(0), 16, 32, 0},
    {__LINE__, "gen8/111", C(3), 28, 32, 0},
    {__LINE__, "gen8/111", B(0), 32, 32, 0},
    {__LINE__, "gen8/111", B(7), 60, 32, 0},
    {__LINE__, "skl/a32u40_a4u32_b8_c8", A(31), 140, 40, 191},
    {__LINE__, "tgl/a32u40_a4u32_b8_c8", A(32), 144, 32, 0},

    /* OA-4.3, the OAR variant; OA-4.4: A36 and A37 in the byte slots of A0-A3 and A24-A27. */
    {__LINE__, "xehp/oar_a32u40_a4u32_b8_c8", A(0), 16, 40, 160},
    {__LINE__, "xehp/oar_a32u40_a4u32_b8_c8", A(24), 112, 40, 184},
    {__LINE__, "xehp/oar_a32u40_a4u32_b8_c8", A(35), 156, 32, 0},
    {__LINE__, "xehp/oar_a32u40_a4u32_b8_c8", C(7), 252, 32, 0},
    {__LINE__, "dg2/101", CONTEXT, 8, 32, 0},
    {__LINE__, "dg2/101", TICKS, 12, 32, 0},
    {__LINE__, "dg2/101", A(0), 16, 32, 0},
    {__LINE__, "dg2/101", A(3), 28, 32, 0},
    {__LINE__, "dg2/101", A(4), 32, 40, 164},
    {__LINE__, "dg2/101", A(5), 36, 40, 165},
    {__LINE__, "dg2/101", A(23), 108, 40, 183},
    {__LINE__, "dg2/101", A(24), 112, 32, 0},
    {__LINE__, "dg2/101", A(27), 124, 32, 0},
    {__LINE__, "dg2/101", A(28), 128, 40, 188},
    {__LINE__, "dg2/101", A(31), 140, 40, 191},
    {__LINE__, "dg2/101", A(32), 144, 32, 0},
    {__LINE__, "dg2/101", A(35), 156, 32, 0},
    {__LINE__, "mtl/101", A(36), 160, 32, 0},
    {__LINE__, "mtl/101", A(37), 184, 32, 0},
    {__LINE__, "mtl/101", B(0), 192, 32, 0},
    {__LINE__, "mtl/101", C(0), 224, 32, 0},

    /* OA-4.5: header of 64-bit values, then the media and PEC bodies. */
    {__LINE__, "mtl/001", ID, 0, 64, 0},
    {__LINE__, "mtl/001", TIME, 8, 64, 0},
    {__LINE__, "mtl/001", CONTEXT, 16, 32, 0},
    {__LINE__, "mtl/001", TICKS, 24, 64, 0},
    {__LINE__, "mtl/001", PEC(0), 32, 64, 0},
    {__LINE__, "mtl/001", PEC(7), 88, 64, 0},
    {__LINE__, "mtl/001", B(0), 96, 32, 0},
    {__LINE__, "mtl/001", B(7), 124, 32, 0},
    {__LINE__, "mtl/001", C(0), 128, 32, 0},
    {__LINE__, "mtl/001", C(7), 156, 32, 0},
    {__LINE__, "mtl/010", TIME, 8, 64, 0},
    {__LINE__, "mtl/010", TICKS, 24, 64, 0},
    {__LINE__, "mtl/010", PEC(0), 32, 32, 0},
    {__LINE__, "mtl/010", PEC(7), 60, 32, 0},
    {__LINE__, "mtl/010", B(0), 64, 32, 0},
    {__LINE__, "mtl/010", C(0), 96, 32, 0},
    {__LINE__, "mtl/010", C(7), 124, 32, 0},
    {__LINE__, "xe/pec64u64", ID, 0, 64, 0},
    {__LINE__, "xe/pec64u64", TIME, 8, 64, 0},
    {__LINE__, "xe/pec64u64", CONTEXT, 16, 64, 0}, /* PERF-4.6: the qword at 16 */
    {__LINE__, "xe/pec64u64", TICKS, 24, 64, 0},
    {__LINE__, "xe/pec64u64", PEC(0), 32, 64, 0},
    {__LINE__, "xe/pec64u64", PEC(63), 536, 64, 0},
    {__LINE__, "xe/pec64u64_b8_c8", PEC(63), 536, 64, 0},
    {__LINE__, "xe/pec64u64_b8_c8", B(0), 544, 32, 0},
    {__LINE__, "xe/pec64u64_b8_c8", C(0), 576, 32, 0},
    {__LINE__, "xe/pec64u64_b8_c8", C(7), 604, 32, 0},
    {__LINE__, "xe/pec64u32", PEC(0), 32, 32, 0},
    {__LINE__, "xe/pec64u32", PEC(63), 284, 32, 0},
    {__LINE__, "xe/pec32u64_g1", PEC(0), 32, 64, 0},
    {__LINE__, "xe/pec32u64_g1", PEC(31), 280, 64, 0},
    {__LINE__, "xe/pec32u64_g2", PEC(31), 280, 64, 0},
    {__LINE__, "xe/pec32u32_g1", PEC(31), 156, 32, 0},
    {__LINE__, "xe/pec32u32_g2", PEC(0), 32, 32, 0},
    {__LINE__, "xe/pec36u64_g1_32_g2_4", PEC(0), 32, 64, 0},
    {__LINE__, "xe/pec36u64_g1_32_g2_4", PEC(35), 312, 64, 0},
    {__LINE__, "xe/pec36u64_g1_4_g2_32", PEC(35), 312, 64, 0},
    {__LINE__, "xe/oac_a24u64_b8_c8", A(0), 32, 64, 0},
    {__LINE__, "xe/oac_a24u64_b8_c8", A(28), 160, 64, 0},
    {__LINE__, "xe/oac_a24u64_b8_c8", A(35), 216, 64, 0},
    {__LINE__, "xe/oac_a24u64_b8_c8", B(0), 224, 32, 0},
    {__LINE__, "xe/oac_a24u64_b8_c8", C(0), 256, 32, 0},
    {__LINE__, "xe/oac_a22u32_r2u32_b8_c8", A(0), 32, 32, 0},
    {__LINE__, "xe/oac_a22u32_r2u32_b8_c8", A(21), 116, 32, 0},
    {__LINE__, "xe/oac_a22u32_r2u32_b8_c8", B(0), 128, 32, 0},
    {__LINE__, "xe/oac_a22u32_r2u32_b8_c8", C(7), 188, 32, 0},

    {__LINE__, "pcounter/a32_c32", ID, 0, 64, 0},
    {__LINE__, "pcounter/a32_c32", TIME, 8, 64, 0},
    {__LINE__, "pcounter/a32_c32", A(0), 16, 64, 0},
    {__LINE__, "pcounter/a32_c32", A(31), 264, 64, 0},
    {__LINE__, "pcounter/a32_c32", PEC(0), 272, 64, 0},
    {__LINE__, "pcounter/a32_c32", PEC(31), 520, 64, 0},
    {__LINE__, "pcounter/a64_c64", TIME, 8, 64, 0},
    {__LINE__, "pcounter/a64_c64", A(63), 520, 64, 0},
    {__LINE__, "pcounter/a64_c64", PEC(0), 528, 64, 0},
    {__LINE__, "pcounter/a64_c64", PEC(63), 1032, 64, 0},
};

/* Packing this one value changes exactly its bytes, lowest first; unpacking reads them back. */
static void test_byte_offsets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        const struct offset *row = &offsets[i];
        const struct tally_layout *layout = tally_layout_find(row->layout);
        if (!ROW(row->line, layout != NULL, "no layout %s", row->layout))
            continue;
        uint64_t slots[TALLY_SLOT_COUNT] = {0}, back[TALLY_SLOT_COUNT] = {0};
        uint8_t report[REPORT_ROOM] = {0}, expected[REPORT_ROOM] = {0};
        slots[row->slot] = UINT64_C(0x88a7b6c5d4e3f291); /* more bits than most fields have */
        static const uint8_t bytes[] = {0x91, 0xf2, 0xe3, 0xd4, 0xc5, 0xb6, 0xa7, 0x88};
        memcpy(expected + row->byte, bytes, row->width == 64 ? 8 : 4);
        if (row->width == 40)
            expected[row->high] = bytes[4];
        tally_report_pack(layout, slots, report);
        for (unsigned b = 0; b < REPORT_ROOM; b++)
            ROW(row->line, report[b] == expected[b], "%s slot %u: byte %u is %02x, expected %02x",
                row->layout, row->slot, b, report[b], expected[b]);
        tally_report_unpack(layout, report, back);
        ROW(row->line, back[row->slot] == (slots[row->slot] & ones(row->width)),
            "%s slot %u: read back as 0x%" PRIx64, row->layout, row->slot, back[row->slot]);
        ROW(row->line, tally_layout_width(layout, row->slot) == row->width, "%s slot %u: width %u",
            row->layout, row->slot, tally_layout_width(layout, row->slot));
    }
    ROWS_DONE();
}

/* Every layout has a row, and no values other than those of its rows. */
static void test_no_layout_is_left_out(void **state)
{
    (void)state;
    const struct tally_layout *layout;
    for (size_t l = 0; (layout = tally_layout_at(l)); l++) {
        bool named = false;
        for (size_t i = 0; i < COUNT(offsets); i++)
            named |= tally_layout_find(offsets[i].layout) == layout;
        ROW(__LINE__, named, "no row for %s/%s", layout->family, layout->name);
    }
    ROWS_DONE();
}

/* All counters of each layout, "A0-12", with their widths. */
static void test_contents_of_layouts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *layout;
        unsigned first, last, width; /* the only slots from A to PEC with this width */
    } rows[] = {
        {__LINE__, "hsw/000", A(0), A(12), 32},
        {__LINE__, "hsw/001", A(0), A(28), 32},
        {__LINE__, "ivb/110", A(29), A(44), 32},
        {__LINE__, "gen8/000", A(7), A(18), 32},
        {__LINE__, "gen8/101", A(0), A(31), 40},
        {__LINE__, "xe/pec64u64", PEC(0), PEC(63), 64},
        {__LINE__, "xe/pec64u32", PEC(0), PEC(63), 32},
        {__LINE__, "xe/pec32u64_g2", PEC(0), PEC(31), 64},
        {__LINE__, "xe/pec32u32_g1", PEC(0), PEC(31), 32},
        {__LINE__, "xe/pec36u64_g1_4_g2_32", PEC(0), PEC(35), 64},
        {__LINE__, "mtl/001", PEC(0), PEC(7), 64},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_layout *layout = tally_layout_find(rows[i].layout);
        for (unsigned slot = TALLY_SLOT_A; slot < TALLY_SLOT_RESERVED; slot++) {
            bool inside = slot >= rows[i].first && slot <= rows[i].last;
            ROW(rows[i].line, (tally_layout_width(layout, slot) == rows[i].width) == inside,
                "%s slot %u: width %u", rows[i].layout, slot, tally_layout_width(layout, slot));
        }
    }
    ROWS_DONE();
}

int test_offsets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures_of_the_manual),
        cmocka_unit_test(test_byte_offsets),
        cmocka_unit_test(test_no_layout_is_left_out),
        cmocka_unit_test(test_contents_of_layouts),
    };
    return cmocka_run_group_tests_name("offsets", tests, NULL, NULL);
}
