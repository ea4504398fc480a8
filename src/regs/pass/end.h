/* SPDX-License-Identifier: MIT */
/* Ends a pass over a .def file of registers (regs/symbols.h). Included repeatedly, so it has no
 * include guard. */
#undef VALUES
#undef VALUE
#undef VALUES_END
#undef FIELDS
#undef FIELD
#undef CHOICE
#undef OTHER
#undef FIELD_OF
#undef CHOICE_OF
#undef FIELDS_END
#undef REG
#undef REG_ARRAY
#undef REG_ARRAY2
#undef REG_ARRAY3
#undef WHOLE_fields
#undef REG_EXPANDED
#undef REG_ARRAY_EXPANDED
#undef REG_ARRAY2_EXPANDED
#undef REG_ARRAY3_EXPANDED
#undef REG_RESET_SYMBOLS
#undef REG_BASE
#undef REG_PREFIX
#undef REG_ROWS
#undef RW
#undef RO
#undef WO
