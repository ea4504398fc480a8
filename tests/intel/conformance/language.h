/* SPDX-License-Identifier: MIT */
/* The script language of the cases of the OA unit and the GT; see README.md in this folder. */
#ifndef TESTS_INTEL_CONFORMANCE_LANGUAGE_H
#define TESTS_INTEL_CONFORMANCE_LANGUAGE_H

#include "conformance/suite.h"

extern const struct conformance_language oa_language;

#endif
