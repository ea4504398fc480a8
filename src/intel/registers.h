/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REGISTERS_H
#define TALLY_INTEL_REGISTERS_H

/*
 * The register tables of a revision, one after another: the OA unit's, those around it
 * (NOA), those of the command streamer and of the GT. No two of them have a register at the same
 * address of a revision. Pass INTEL_BIT(revision) as revision and UINT_MAX as instances to the
 * walks of regs/regs.h; a table may hold nothing for a revision.
 */

#include <stddef.h>

#include "intel/revision.h"
#include "regs/regs.h"

/* The table of an index from 0 on; NULL after the last. revision: below INTEL_REVISIONS. */
const struct reg_map *intel_register_map(enum intel_revision revision, size_t index);

/* The table that has a register at a byte address, and which: one that has the access, if there is
 * any. NULL: there is no register. */
const struct reg_map *intel_register_find(enum intel_revision revision, uint32_t address,
                                          enum reg_access access, struct reg_place *out);

#endif
