/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "nvidia/programs.h"
#include "nvidia/reference.h"

const struct comparison compare_pcounter = {"pcounter", program_write, reference_run};
