/* SPDX-License-Identifier: MIT */
/*
 * Pass over a .def file of registers: rows of struct reg (regs/symbols.h). Include
 * regs/pass/fields.h and the .def file first: the rows refer to its tables. Define REG_BASE if the
 * map's base is not 0, and REG_PREFIX, a string, if the names in the map have a prefix. A .def file
 * that several maps include can test REG_ROWS: each map needs the rows, but a symbol can be defined
 * only once.
 */

// clang-format off

#define REG_ROWS

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

#ifndef REG_BASE
#define REG_BASE 0
#endif
#ifndef REG_PREFIX
#define REG_PREFIX
#endif

#define WHOLE_fields NULL

#define VALUES(set)
#define VALUE(...)
#define VALUES_END
#define FIELDS(set)
#define FIELD(...)
#define CHOICE(...)
#define FIELD_OF(...)
#define CHOICE_OF(...)
#define OTHER(...)
#define FIELDS_END

#define REG(...)        REG_EXPANDED(__VA_ARGS__)
#define REG_ARRAY(...)  REG_ARRAY_EXPANDED(__VA_ARGS__)
#define REG_ARRAY2(...) REG_ARRAY2_EXPANDED(__VA_ARGS__)
#define REG_ARRAY3(...) REG_ARRAY3_EXPANDED(__VA_ARGS__)

#define REG_EXPANDED(symbol, name, at, revisions, id, access, flags, reset, set, meaning, source) \
    {REG_PREFIX name, (at)-REG_BASE, {{0}}, revisions, id, access, flags, reset, set##_fields, meaning, source},
#define REG_ARRAY_EXPANDED(symbol, name, at, letter, count, stride, \
                           revisions, id, access, flags, reset, set, meaning, source) \
    {REG_PREFIX name, (at)-REG_BASE, {{#letter, count, stride}}, \
     revisions, id, access, flags, reset, set##_fields, meaning, source},
#define REG_ARRAY2_EXPANDED(symbol, name, at, letter, count, stride, letter2, count2, stride2, \
                            revisions, id, access, flags, reset, set, meaning, source) \
    {REG_PREFIX name, (at)-REG_BASE, {{#letter, count, stride}, {#letter2, count2, stride2}}, \
     revisions, id, access, flags, reset, set##_fields, meaning, source},
#define REG_ARRAY3_EXPANDED(symbol, name, at, letter, count, stride, letter2, count2, stride2, letter3, count3, stride3, \
                            revisions, id, access, flags, reset, set, meaning, source) \
    {REG_PREFIX name, (at)-REG_BASE, {{#letter, count, stride}, {#letter2, count2, stride2}, {#letter3, count3, stride3}}, \
     revisions, id, access, flags, reset, set##_fields, meaning, source},

// clang-format on
