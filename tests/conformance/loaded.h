/* SPDX-License-Identifier: MIT */
/* What suite.c has read, for list.c, and what that does with it. */
#ifndef TESTS_CONFORMANCE_LOADED_H
#define TESTS_CONFORMANCE_LOADED_H

#include "conformance/suite.h"

const struct conformance_suite *loaded_suite(void);
/* In the order of the tables; NULL after the last. */
const struct conformance_case *loaded_case(unsigned i);
/* The document of a case; NULL if the suite has no such. */
const struct conformance_document *loaded_document(const struct conformance_case *row);
/* list.c: the tables in the suite's list are those of the cases, or become so. */
void conformance_list(void);

#endif
