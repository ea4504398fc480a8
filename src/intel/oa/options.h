/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_OPTIONS_H
#define TALLY_INTEL_OA_OPTIONS_H

#include <tally/oa.h>

#include "intel/oa/variants.h"

/* A row for each option of tally_oa_set_option(). */
struct oa_option_row {
    const char *name;    /* in scripts and lists */
    const char *meaning; /* what the unit does with the option */
    const char *reason;  /* why the documents leave it open, with their decision */
    bool (*exists)(const struct oa_variant *variant);
};

extern const struct oa_option_row oa_option_rows[TALLY_OA_OPTIONS];

/* Returns the row with a name, or NULL. */
const struct oa_option_row *oa_option_find(const char *name);

#endif
