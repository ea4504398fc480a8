/* SPDX-License-Identifier: MIT */
/* Pass over a .def file of registers: tables of fields and of named values (regs/symbols.h). */

// clang-format off

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

#define VALUES(set)                     static const struct reg_value set##_values[] = {
#define VALUE(set, symbol, value, text) {value, text},
#define VALUES_END                      {0}};

#define FIELDS(set) static const struct reg_field set##_fields[] = {
#define FIELD(set, name, low, high, access, revisions, meaning) \
    {#name, low, high, access, 0, revisions, NULL, meaning},
#define CHOICE(set, name, low, high, access, revisions, values, meaning) \
    {#name, low, high, access, 0, revisions, values##_values, meaning},
#define FIELD_OF(set, instance, name, low, high, access, revisions, meaning) \
    {#name, low, high, access, instance, revisions, NULL, meaning},
#define CHOICE_OF(set, instance, name, low, high, access, revisions, values, meaning) \
    {#name, low, high, access, instance, revisions, values##_values, meaning},
#define OTHER(set, low, high, access, revisions, meaning) \
    {"OTHER", low, high, access, 0, revisions, NULL, meaning},
#define FIELDS_END {0}};

#define REG(...)
#define REG_ARRAY(...)
#define REG_ARRAY2(...)
#define REG_ARRAY3(...)

// clang-format on
