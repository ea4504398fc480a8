/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REVISION_H
#define TALLY_INTEL_REVISION_H

/*
 * Revisions of the register tables, each named after the first platform that has it. Rows of a
 * table have a mask of revisions; several platforms may share a revision (struct intel_platform in
 * intel/platforms.h). Do not compare revisions: other differences between platforms are
 * capabilities.
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
