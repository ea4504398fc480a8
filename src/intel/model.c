/* SPDX-License-Identifier: MIT */
/* Names of the modelled platforms. */
#include "intel/model.h"

#include <stddef.h>
#include <string.h>

static const char *const names[INTEL_MODELS] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                                "chv", "skl", "icl", "lkf", "tgl"};

enum intel_model intel_model_find(const char *name)
{
    enum intel_model model = 0;
    while (model < INTEL_MODELS && strcmp(names[model], name) != 0)
        model++;
    return model;
}

const char *intel_model_name(enum intel_model model)
{
    return (unsigned)model < INTEL_MODELS ? names[model] : NULL;
}
