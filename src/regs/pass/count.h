/* SPDX-License-Identifier: MIT */
/* Pass over a .def file of registers: "+1" for each row (regs/symbols.h), and for arrays what the
 * user has defined REG_ARRAY as. */

// clang-format off

#define VALUES(...)
#define VALUE(...)
#define VALUES_END
#define FIELDS(set)
#define FIELD(...)
#define CHOICE(...)
#define OTHER(...)
#define FIELDS_END
#define REG(...) +1
#ifndef REG_ARRAY
#define REG_ARRAY(...) +1
#endif

// clang-format on
