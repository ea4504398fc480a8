/* SPDX-License-Identifier: MIT */
#include "driver/domains.h"

#include "intel/cs/engines.h"
#include "intel/revision.h"

#define HSW_BDW   (INTEL_BIT(INTEL_HSW) | INTEL_BIT(INTEL_BDW))
#define IVB       INTEL_BIT(INTEL_IVB)
#define SNB       INTEL_BIT(INTEL_SNB)
#define LOW_POWER (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV))
#define SKL       INTEL_BIT(INTEL_SKL)
#define GEN11     (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL)) /* and later */

/* `engines`: those that need the domain. On Gen9 and later the blitter is in the domain of the GT;
 * VLV and CHV do not have that one. */
#define ENGINE(id) (1u << CS_##id)
#define VIDEO      (ENGINE(VCS0) | ENGINE(VECS0))
#define ALL        UINT8_MAX
const struct wake_domain wake_domains[WAKE_DOMAINS] = {
    {SNB, FORCEWAKE, FORCEWAKE_ACK, ALL},
    {IVB, FORCEWAKE_GT, FORCEWAKE_ACK_GT_IVB, ALL},
    {HSW_BDW, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ALL},
    {SKL | GEN11, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ENGINE(BCS0)},
    {LOW_POWER, FORCEWAKE_RENDER_VLV, FORCEWAKE_ACK_RENDER_VLV, ENGINE(RCS0)},
    {LOW_POWER, FORCEWAKE_MEDIA_VLV, FORCEWAKE_ACK_MEDIA_VLV, VIDEO | ENGINE(BCS0)},
    {SKL | GEN11, FORCEWAKE_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9, ENGINE(RCS0)},
    {SKL, FORCEWAKE_MEDIA_GEN9, FORCEWAKE_ACK_MEDIA_GEN9, VIDEO},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 0),
     ENGINE(VCS0)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 2), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 2),
     ENGINE(VCS2)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VEBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VEBOX_GEN11, 0),
     ENGINE(VECS0)},
};

bool wake_domain_serves(const struct wake_domain *domain, const struct intel_platform *platform,
                        uint32_t engines)
{
    return domain->revisions & INTEL_BIT(platform->revision) && domain->engines & engines;
}

uint32_t fused_off_engines(const struct intel_platform *platform, uint32_t fuses)
{
    const uint32_t off[CS_CLASSES] = {
        [CS_VIDEO] = REG_GET(FUSE_GT_VDBOX_VEBOX_DIS, VDBOX_DISABLE, fuses),
        [CS_VIDEO_ENHANCE] = REG_GET(FUSE_GT_VDBOX_VEBOX_DIS, VEBOX_DISABLE, fuses)};
    uint32_t found = 0;
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = cs_engine(platform->revision, (enum cs_engine_id)id);
        if (engine && off[engine->engine_class] >> engine->instance & 1)
            found |= 1u << id;
    }
    return found;
}
