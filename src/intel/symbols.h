/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_SYMBOLS_H
#define TALLY_INTEL_SYMBOLS_H

/*
 * Symbols of Intel's registers: addresses, fields, reset and named values (regs/symbols.h).
 */

#include "regs/symbols.h"

enum {
#include "regs/pass/symbols.h"
#include "intel/oa/registers/fields.def"
#include "intel/oa/registers/map_ab.def"
#include "intel/oa/registers/map_c.def"
#include "intel/oa/registers/map_d.def"
#include "intel/oa/noa.def"
#include "intel/cs/registers.def"
#include "intel/cs/status_pages.def"
#include "intel/gpu/pipeline.def"
#include "intel/gpu/rc6.def"
#include "intel/gpu/rps.def"
#include "intel/gt/forcewake.def"
#include "intel/gt/interrupts.def"
#include "intel/gt/interrupts_flat.def"
#include "intel/gt/routing.def"
#include "intel/gt/units.def"
#include "intel/gt/fuses.def"
#include "intel/gt/host.def"
#include "intel/gt/sideband.def"
#include "intel/gt/sideband_units.def"
#include "intel/gpu/reset.def"
#include "intel/gt/steering.def"
#include "intel/report/id.def"
#include "intel/unlisted.def"
#include "regs/pass/end.h"
};

#endif
