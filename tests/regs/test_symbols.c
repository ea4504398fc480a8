/* SPDX-License-Identifier: MIT */
/* The expansions of a .def file: constants, tables of fields, rows of registers (regs/symbols.h).
 */
#include "regs/tests.h"

#include <limits.h>

#include "regs/regs.h"
#include "regs/symbols.h"

enum {
#include "regs/pass/symbols.h"
#include "regs/sample.def"
#include "regs/pass/end.h"
};

#include "regs/pass/fields.h"
#include "regs/sample.def"
#include "regs/pass/end.h"

#define REG_BASE 0x1000
#include "regs/pass/rows.h"
static const struct reg rows[] = {
#include "regs/sample.def"
};
#include "regs/pass/end.h"

/* ---- constants ------------------------------------------------------------------------------- */

#define SAME(expression, expected)                                                                 \
    _Static_assert((uint64_t)(expression) == (uint64_t)(expected), #expression)

SAME(BASKET, 0x1000);
SAME(REG_RESET(BASKET), 0xfedcba98);
SAME(REG_RESET(COUNTER), 0);
SAME(FRUIT__PEAR, 5);
SAME(REG_MASK(BASKET, FULL), 1);
SAME(REG_MASK(BASKET, FIRST), 0xe);
SAME(REG_MASK(BASKET, TOP), 0x80000000);
SAME(REG_MASK(WORD, ALL), 0xffffffff);
SAME(REG_WIDTH(BASKET, THIRD), 3);
SAME(REG_WIDTH(WORD, ALL), 32);
SAME(REG_GET(BASKET, FIRST, 0xfffffff7), 3);
SAME(REG_GET(BASKET, TOP, 0x80000000), 1);
SAME(REG_GET(WORD, ALL, 0xfedcba98), 0xfedcba98);
SAME(REG_GET_NTH(BASKET, FIRST, 0, 0x3aa), 5);
SAME(REG_GET_NTH(BASKET, FIRST, 1, 0x3aa), 2);
SAME(REG_GET_NTH(BASKET, FIRST, 2, 0x3aa), 7);
SAME(REG_PUT(BASKET, FIRST, 5), 0xa);
SAME(REG_PUT(BASKET, FIRST, 13), 0xa); /* bit 3 is truncated */
SAME(REG_PUT(BASKET, TOP, 1), 0x80000000);
SAME(REG_SET(BASKET, FIRST, 0xffffffff, 2), 0xfffffff5);
SAME(REG_SET(BASKET, TOP, 0xffffffff, 0), 0x7fffffff);
SAME(REG_MASKED(BASKET, FIRST, 1), 0x000e0002);
SAME(ROW__COUNT, 4);
SAME(ROW__STRIDE, 8);
SAME(REG_ELEMENT(ROW, 3), 0x1028);
SAME(REG_LAST(ROW), 0x1028);
SAME(PLANE__COUNT2, 3);
SAME(CUBE__STRIDE, 0x80);
SAME(CUBE__STRIDE2, 0x10);
SAME(CUBE__STRIDE3, 4);

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct reg_map map = {
    "sample", "here", 0x1000, 0x1000, rows, sizeof rows / sizeof *rows, false};

static void check_field(unsigned line, const struct reg_field *field, struct reg_field expected)
{
    ROW(line, !strcmp(field->name, expected.name), "%s", field->name);
    ROW(line, field->low == expected.low && field->high == expected.high, "%s: %u to %u",
        field->name, field->low, field->high);
    ROW(line,
        field->access == expected.access && field->instance == expected.instance &&
            field->revisions == expected.revisions && field->values == expected.values,
        "%s: access, instance, revisions or values", field->name);
}

static void check_place(unsigned line, uint32_t address, const char *name)
{
    struct reg_place place;
    char text[64];
    bool found = reg_find(&map, 2, UINT_MAX, address, REG_READ, &place);
    ROW(line, found == (name != NULL), "%#x", address);
    if (found && name)
        ROW(line, !strcmp(reg_element_name(&place, text, sizeof text), name), "%#x is %s", address,
            text);
    if (found)
        ROW(line, reg_address(&map, &place) == address, "%#x comes back as %#x", address,
            reg_address(&map, &place));
}

void test_symbols(void **state)
{
    (void)state;
    check_field(__LINE__, &rows[0].fields[0],
                (struct reg_field){"FULL", 0, 0, REG_READ, 0, 3, 0, 0});
    check_field(__LINE__, &rows[0].fields[1],
                (struct reg_field){"FIRST", 1, 3, REG_READ_WRITE, 0, 1, FRUIT_values, 0});
    check_field(__LINE__, &rows[0].fields[2],
                (struct reg_field){"SECOND", 4, 6, REG_READ_WRITE, 1, 3, 0, 0});
    check_field(__LINE__, &rows[0].fields[3],
                (struct reg_field){"THIRD", 7, 9, REG_WRITE, 2, 3, FRUIT_values, 0});
    check_field(__LINE__, &rows[0].fields[5],
                (struct reg_field){"OTHER", 16, 30, REG_READ_WRITE, 0, 3, 0, 0});
    ROW(__LINE__, !rows[0].fields[7].name, "the end of the fields is missing");
    ROW(__LINE__, !strcmp(reg_value_name(&rows[0].fields[1], FRUIT__PEAR), "a pear"), "names");
    ROW(__LINE__, rows[0].id == 7 && rows[0].flags == 9 && rows[0].reset == REG_RESET(BASKET),
        "id, flags or reset");
    ROW(__LINE__, !strcmp(rows[0].meaning, "a basket") && !strcmp(rows[0].source, "here 1"),
        "texts");
    ROW(__LINE__, rows[1].access == REG_READ && !rows[1].fields && rows[1].revisions == 2,
        "COUNT: access, fields or revisions");

    check_place(__LINE__, BASKET, "BASKET");
    check_place(__LINE__, COUNTER, "COUNT");
    check_place(__LINE__, COUNTER + 4, NULL);
    check_place(__LINE__, REG_ELEMENT(ROW, 2), "ROW[2]");
    check_place(__LINE__, REG_LAST(ROW) + 8, NULL);
    check_place(__LINE__, REG_ELEMENT(PLANE, 1) + 2 * PLANE__STRIDE2, "PLANE[1][2]");
    check_place(__LINE__, REG_ELEMENT(CUBE, 1) + CUBE__STRIDE2 + 2 * CUBE__STRIDE3,
                "CUBE[1][1][2]");
    ROWS_DONE();
}
