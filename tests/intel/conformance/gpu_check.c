/* SPDX-License-Identifier: MIT */
#include "intel/conformance/gpu_check.h"

#include "intel/conformance/document.h"
#include "intel/conformance/language.h"

bool on_gpu(struct conformance_fault *fault, const struct conformance_case *row)
{
    const struct gpu_check *params = row->params;
    bool good = true;
    for (unsigned p = 0; good && p < OA_PLATFORMS; p++) {
        struct tally_gpu_config config = params->config;
        if (!case_covers(&oa_language, row->variants, p))
            continue;
        config.platform = oa_platform_names[p];
        struct gpu_rig *rig = gpu_rig_new(row->line, &config);
        good = params->check(fault, rig);
        gpu_rig_free(rig);
    }
    return good;
}
