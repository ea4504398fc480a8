/* SPDX-License-Identifier: MIT */
#include "driver/domains.h"

#include <string.h>

#include "intel/cs/engines.h"
#include "intel/cs/streamer.h"
#include "intel/gt/forcewake.h"
#include "intel/gt/power.h"
#include "intel/gt/routing.h"
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
#define VIDEO      (ENGINE(VCS0) | ENGINE(VCS1) | ENGINE(VECS0))
#define ALL        UINT8_MAX
const struct wake_domain wake_domains[WAKE_DOMAINS] = {
    {SNB, FORCEWAKE, FORCEWAKE_ACK, ALL, GT_DOMAIN_GT},
    {IVB, FORCEWAKE_GT, FORCEWAKE_ACK_GT_IVB, ALL, GT_DOMAIN_GT},
    {HSW_BDW, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ALL, GT_DOMAIN_GT},
    {SKL | GEN11, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ENGINE(BCS0), GT_DOMAIN_GT},
    {LOW_POWER, FORCEWAKE_RENDER_VLV, FORCEWAKE_ACK_RENDER_VLV, ENGINE(RCS0), GT_DOMAIN_RENDER},
    {LOW_POWER, FORCEWAKE_MEDIA_VLV, FORCEWAKE_ACK_MEDIA_VLV, VIDEO | ENGINE(BCS0),
     GT_DOMAIN_MEDIA},
    {SKL | GEN11, FORCEWAKE_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9, ENGINE(RCS0), GT_DOMAIN_RENDER},
    {SKL, FORCEWAKE_MEDIA_GEN9, FORCEWAKE_ACK_MEDIA_GEN9, VIDEO, GT_DOMAIN_MEDIA},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 0),
     ENGINE(VCS0), GT_DOMAIN_VDBOX0},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 2), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 2),
     ENGINE(VCS2), GT_DOMAIN_VDBOX0 + 2},
    {GEN11, REG_ELEMENT(FORCEWAKE_VEBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VEBOX_GEN11, 0),
     ENGINE(VECS0), GT_DOMAIN_VEBOX0},
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

/* ---- which domain a register needs ----------------------------------------------------------- */

static uint32_t present_domains(const struct intel_platform *platform)
{
    uint32_t present = 0;
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (wake_domains[i].revisions & INTEL_BIT(platform->revision))
            present |= GT_DOMAIN_BIT(wake_domains[i].domain);
    return present;
}

static const struct cs_engine *engine_at(const struct intel_platform *platform, uint32_t address)
{
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = cs_engine(platform->revision, (enum cs_engine_id)id);
        if (engine && address - engine->map.base < STREAMER_OWN)
            return engine;
    }
    return NULL;
}

/* The domains of an engine in its own well (OA-4.1): the row that serves it. */
static uint32_t engine_domains(const struct intel_platform *platform,
                               const struct cs_engine *engine)
{
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (wake_domain_serves(&wake_domains[i], platform, ENGINE(RCS0) << engine->id))
            return GT_DOMAIN_BIT(wake_domains[i].domain);
    return 0;
}

/* From Gen11 on, ranges have domains. Those of the VEBOX are also accessible by the VDBOX's. */
static uint32_t range_domains(const struct intel_platform *platform, uint32_t address)
{
    static const uint32_t of_wake[] = {
        [GT_WAKE_NONE] = 0,
        [GT_WAKE_AON] = 0,
        [GT_WAKE_GTI] = GT_DOMAIN_BIT(GT_DOMAIN_GT),
        [GT_WAKE_RENDER] = GT_DOMAIN_BIT(GT_DOMAIN_RENDER),
        [GT_WAKE_MEDIA0] = GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0),
        [GT_WAKE_MEDIA2] = GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + 2),
    };
    const struct gt_range *range = gt_range_on(platform->revision, address);
    if (!range)
        return 0;
    bool vebox = !strncmp(range->section, "gtyvebox", strlen("gtyvebox"));
    return of_wake[range->wake] | (vebox ? GT_DOMAIN_BIT(GT_DOMAIN_VEBOX0) : 0);
}

/* Before Gen11, registers of an engine in its own well need its domain, others that of their well.
 */
static uint32_t gt_domains_at(const struct intel_platform *platform, uint32_t address)
{
    enum gt_well well = gt_well_at(platform->revision, address);
    const struct cs_engine *engine = engine_at(platform, address);
    if (platform->steering)
        return range_domains(platform, address);
    if (well == GT_WELL_NONE)
        return 0;
    if (engine && gt_well_at(platform->revision, engine->map.base) == well)
        return engine_domains(platform, engine);
    return gt_well_domains(well);
}

uint32_t wake_domains_at(const struct intel_platform *platform, uint32_t address)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, platform->revision, 0);
    if (gt_forcewake_owns(&wake, address))
        return 0;
    uint32_t needed = gt_domains_at(platform, address) & present_domains(platform), found = 0;
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if ((wake_domains[i].revisions & INTEL_BIT(platform->revision)) &&
            (needed & GT_DOMAIN_BIT(wake_domains[i].domain)))
            found |= 1u << i;
    return found;
}

/* ---- by hand --------------------------------------------------------------------------------- */

bool wake_domain_is_awake(const struct wake_domain *domain, const struct driver_io *io)
{
    return driver_read32(io, domain->acknowledge) & UINT16_MAX;
}

/* SNB has one bit, which is the kernel's. */
void wake_domain_request(const struct wake_domain *domain, const struct driver_io *io, bool wake)
{
    driver_write32(io, domain->request,
                   domain->revisions & SNB ? REG_PUT(FORCEWAKE, KERNEL, wake)
                                           : REG_MASKED(FORCEWAKE_REQUEST, USER, wake));
    for (unsigned i = 0; wake && i < WAKE_TRIES && !wake_domain_is_awake(domain, io); i++)
        driver_sleep_ns(io, WAKE_STEP_NS, false);
}
