/* SPDX-License-Identifier: MIT */
/* Pass over a .def file of registers: the enum constants of regs/symbols.h. */

// clang-format off

#define VALUES(set)
#define VALUE(set, symbol, value, text) set##__##symbol = (value),
#define VALUES_END

#define FIELDS(set)
#define FIELD(set, name, low, high, ...)            set##__##name##_LOW = (low), set##__##name##_HIGH = (high),
#define CHOICE(set, name, low, high, ...)           FIELD(set, name, low, high, )
#define FIELD_OF(set, instance, name, low, high, ...)  FIELD(set, name, low, high, )
#define CHOICE_OF(set, instance, name, low, high, ...) FIELD(set, name, low, high, )
#define OTHER(set, ...)
#define FIELDS_END

#define REG_RESET_SYMBOLS(symbol, reset) \
    symbol##__RESET_LOW = (reset) & 0xffff, symbol##__RESET_HIGH = (uint32_t)(reset) >> 16,

#define REG(...)        REG_EXPANDED(__VA_ARGS__)
#define REG_ARRAY(...)  REG_ARRAY_EXPANDED(__VA_ARGS__)
#define REG_ARRAY2(...) REG_ARRAY2_EXPANDED(__VA_ARGS__)
#define REG_ARRAY3(...) REG_ARRAY3_EXPANDED(__VA_ARGS__)

#define REG_EXPANDED(symbol, name, at, revisions, id, access, flags, reset, ...) \
    symbol = (at), REG_RESET_SYMBOLS(symbol, reset)
#define REG_ARRAY_EXPANDED(symbol, name, at, letter, count, stride, ...) \
    symbol##__COUNT = (count), symbol##__STRIDE = (stride), REG_EXPANDED(symbol, name, at, __VA_ARGS__)
#define REG_ARRAY2_EXPANDED(symbol, name, at, letter, count, stride, letter2, count2, stride2, ...) \
    symbol##__COUNT2 = (count2), symbol##__STRIDE2 = (stride2), \
    REG_ARRAY_EXPANDED(symbol, name, at, letter, count, stride, __VA_ARGS__)
#define REG_ARRAY3_EXPANDED(symbol, name, at, letter, count, stride, letter2, count2, stride2, letter3, count3, stride3, ...) \
    symbol##__COUNT3 = (count3), symbol##__STRIDE3 = (stride3), \
    REG_ARRAY2_EXPANDED(symbol, name, at, letter, count, stride, letter2, count2, stride2, __VA_ARGS__)

// clang-format on
