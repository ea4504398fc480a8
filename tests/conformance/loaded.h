/* SPDX-License-Identifier: MIT */
/* The cases that suite.c has read, for list.c. */
#ifndef TESTS_CONFORMANCE_LOADED_H
#define TESTS_CONFORMANCE_LOADED_H

#include "conformance/suite.h"

const struct conformance_suite *loaded_suite(void);
/* Case i in the order of the tables; NULL after the last. */
const struct conformance_case *loaded_case(unsigned i);
/* The document of a case; NULL if the suite does not have it. */
const struct conformance_document *loaded_document(const struct conformance_case *row);
/* Finds out where the test of a case is: declared, or by running its scripts in the machine. */
enum conformance_where conformance_where(unsigned i);
/* list.c: compares the tables of the suite's list with the cases; with TALLY_REWRITE writes them.
 */
void conformance_list(void);

#endif
