/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REVISION_H
#define TALLY_INTEL_REVISION_H

/*
 * Revisions of the register tables, each named after the first platform that had it. The rows of a
 * table hold masks of them; several platforms may share one (struct intel_platform in
 * intel/platforms.h). Their order means nothing: what else sets platforms apart is a capability.
 */
enum intel_revision {
    INTEL_SNB,
    INTEL_IVB,
    INTEL_VLV,
    INTEL_HSW,
    INTEL_BDW,
    INTEL_CHV,
    INTEL_SKL,
    INTEL_ICL,
    INTEL_LKF,
    INTEL_TGL,
    INTEL_REVISIONS
};

#define INTEL_BIT(revision) (1u << (revision))

#endif
