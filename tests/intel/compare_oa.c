/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "intel/oa_programs.h"
#include "intel/oa_reference.h"

const struct comparison compare_oa = {"oa", oa_program_write, oa_reference_run};
