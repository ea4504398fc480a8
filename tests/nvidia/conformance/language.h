/* SPDX-License-Identifier: MIT */
/* The cases of PCOUNTER: README.md in this folder. */
#ifndef TESTS_NVIDIA_CONFORMANCE_LANGUAGE_H
#define TESTS_NVIDIA_CONFORMANCE_LANGUAGE_H

#include "conformance/suite.h"

extern const struct conformance_language pcounter_language;

/* Cases that C makes, because they are loops over registers, domains, bits. */
extern const struct conformance_case generated_register_cases[];
extern const size_t generated_register_case_count;
extern const struct conformance_case generated_input_cases[];
extern const size_t generated_input_case_count;
extern const struct conformance_case generated_signal_cases[];
extern const size_t generated_signal_case_count;

/* What is about chips, on the engine only. */
extern const struct conformance_case chip_cases[];
extern const size_t chip_case_count;

#endif
