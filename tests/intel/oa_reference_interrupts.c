/* SPDX-License-Identifier: MIT */
/* The interrupt tree of lkf (OA-3; OA-D41 to OA-D45). */
#include "oa_reference.h"

/* Index of a word of enables or masks. */
enum { RENDER_COPY, VCS_VECS, GUC_SG, GPM_WGBOXPERF, CRYPTO, GUNIT_CSME };
enum {
    RCS0_MASK,
    BCS_MASK,
    VCS0_VCS1_MASK,
    VCS2_VCS3_MASK,
    VECS0_VECS1_MASK,
    GUC_SG_MASK,
    GPM_WGBOXPERF_MASK,
    CRYPTO_MASK,
    GUNIT_CSME_MASK,
};
enum { LOW = 0, HIGH = 16 };

/* OA-D42. */
static const struct engine {
    uint8_t class, instance, dw, bit;
    uint8_t enable, enable_half, mask, mask_half;
} engines[OA_REF_ENGINES] = {
    {0, 0, 0, 0, RENDER_COPY, HIGH, RCS0_MASK, HIGH},             /* RCS0 */
    {1, 0, 1, 0, VCS_VECS, HIGH, VCS0_VCS1_MASK, HIGH},           /* VCS0 */
    {1, 1, 1, 1, VCS_VECS, HIGH, VCS0_VCS1_MASK, LOW},            /* VCS1 */
    {1, 2, 1, 2, VCS_VECS, HIGH, VCS2_VCS3_MASK, HIGH},           /* VCS2 */
    {1, 3, 1, 3, VCS_VECS, HIGH, VCS2_VCS3_MASK, LOW},            /* VCS3 */
    {2, 0, 1, 31, VCS_VECS, LOW, VECS0_VECS1_MASK, HIGH},         /* VECS0 */
    {2, 1, 1, 30, VCS_VECS, LOW, VECS0_VECS1_MASK, LOW},          /* VECS1 */
    {3, 0, 0, 15, RENDER_COPY, LOW, BCS_MASK, HIGH},              /* BCS */
    {4, 0, 0, 25, GUC_SG, HIGH, GUC_SG_MASK, HIGH},               /* GuC */
    {4, 1, 0, 16, GPM_WGBOXPERF, HIGH, GPM_WGBOXPERF_MASK, HIGH}, /* GTPM */
    {4, 2, 0, 20, GPM_WGBOXPERF, LOW, GPM_WGBOXPERF_MASK, LOW},   /* WDOAPerf */
    {4, 3, 0, 21, GUC_SG, LOW, GUC_SG_MASK, LOW},                 /* SCTRG */
    {4, 4, 0, 19, CRYPTO, HIGH, CRYPTO_MASK, HIGH},               /* KCR */
    {4, 5, 0, 28, GUNIT_CSME, HIGH, GUNIT_CSME_MASK, HIGH},       /* Gunit */
    {4, 6, 0, 31, GUNIT_CSME, LOW, GUNIT_CSME_MASK, LOW},         /* CSME */
};

/* INST_CR bits of an engine that are not masked. */
static uint16_t unmasked(const struct oa_reference_interrupts *irq, unsigned index)
{
    const struct engine *engine = &engines[index];
    uint32_t mask = irq->masks[engine->mask] >> engine->mask_half & 0xffff;
    return (uint16_t)(irq->inst_cr[index] & ~mask);
}

/* OA-D45. */
static void post(struct oa_reference_interrupts *irq, unsigned index)
{
    const struct engine *engine = &engines[index];
    struct oa_reference_dw *dw = &irq->dw[engine->dw];
    if (!unmasked(irq, index))
        return;
    if (dw->locked)
        dw->cr |= UINT32_C(1) << engine->bit;
    else
        dw->iir |= UINT32_C(1) << engine->bit;
}

bool oa_reference_message(struct oa_reference *ref, unsigned class, unsigned instance,
                          uint16_t data)
{
    struct oa_reference_interrupts *irq = &ref->state.interrupts;
    for (unsigned i = 0; i < OA_REF_ENGINES; i++) {
        const struct engine *engine = &engines[i];
        if (engine->class != class || engine->instance != instance)
            continue;
        uint16_t enabled = (uint16_t)(irq->enables[engine->enable] >> engine->enable_half & data);
        if (enabled) {
            irq->inst_cr[i] |= enabled;
            post(irq, i);
        }
        return true;
    }
    return false;
}

/* OA-D41. */
static uint32_t master_levels(const struct oa_reference_interrupts *irq)
{
    return (irq->dw[0].iir ? 1u : 0) | (irq->dw[1].iir ? 2u : 0);
}

bool oa_reference_irq_line(const struct oa_reference *ref)
{
    return ref->state.interrupts.master && master_levels(&ref->state.interrupts);
}

/* ---- registers ----------------------------------------------------------------------------- */

/* OA-D43. */
static void clear_dw(struct oa_reference_interrupts *irq, unsigned index, uint32_t ones)
{
    struct oa_reference_dw *dw = &irq->dw[index];
    uint32_t cleared = dw->iir & ones;
    dw->iir &= ~ones;
    for (unsigned i = 0; i < OA_REF_ENGINES; i++)
        if (engines[i].dw == index && oa_reference_bit(cleared, engines[i].bit))
            post(irq, i);
    if (!dw->iir) {
        dw->locked = false;
        dw->iir = dw->cr;
        dw->cr = 0;
    }
}

/* OA-D44. A bit of DW_IIR always is that of an engine. */
static void write_selector(struct oa_reference_interrupts *irq, unsigned index, uint32_t value)
{
    struct oa_reference_dw *dw = &irq->dw[index];
    bool one_hot = value && !(value & (value - 1));
    dw->selector = 0;
    dw->identity = 0;
    if (!one_hot || !(dw->iir & value))
        return;
    for (unsigned i = 0; i < OA_REF_ENGINES; i++) {
        if (engines[i].dw != index || value != UINT32_C(1) << engines[i].bit)
            continue;
        uint16_t data = unmasked(irq, i);
        dw->selector = value;
        dw->identity = UINT32_C(1) << 31 | (uint32_t)engines[i].instance << 20 |
                       (uint32_t)engines[i].class << 16 | data;
        irq->inst_cr[i] = (uint16_t)(irq->inst_cr[i] & ~data);
    }
}

static void write_mask(struct oa_reference_interrupts *irq, unsigned index, uint32_t value)
{
    irq->masks[index] = value;
    for (unsigned i = 0; i < OA_REF_ENGINES; i++)
        if (engines[i].mask == index)
            post(irq, i);
}

/* Index of the mask register at an address, or OA_IRQ_MASKS. */
static unsigned mask_index(uint32_t address)
{
    static const uint32_t addresses[OA_IRQ_MASKS] = {
        [RCS0_MASK] = 0x190090,          [BCS_MASK] = 0x1900a0,
        [VCS0_VCS1_MASK] = 0x1900a8,     [VCS2_VCS3_MASK] = 0x1900ac,
        [VECS0_VECS1_MASK] = 0x1900d0,   [GUC_SG_MASK] = 0x1900e8,
        [GPM_WGBOXPERF_MASK] = 0x1900ec, [CRYPTO_MASK] = 0x1900f0,
        [GUNIT_CSME_MASK] = 0x1900f4,
    };
    unsigned i = 0;
    while (i < OA_IRQ_MASKS && addresses[i] != address)
        i++;
    return i;
}

uint32_t oa_reference_interrupt_read(struct oa_reference *ref, uint32_t address)
{
    struct oa_reference_interrupts *irq = &ref->state.interrupts;
    struct oa_reference_dw *dw = &irq->dw[address / 4 % 2]; /* 0 at multiples of 8 */
    switch (address) {
    case 0x190010:
        return (irq->master ? UINT32_C(1) << 31 : 0) | master_levels(irq);
    case 0x190018:
    case 0x19001c:
        if (dw->iir)
            dw->locked = true;
        return dw->iir;
    case 0x190060:
    case 0x190064:
        return dw->identity;
    case 0x190070:
    case 0x190074:
        return dw->selector;
    default:
        if (address >= 0x190030 && address <= 0x190044)
            return irq->enables[(address - 0x190030) / 4];
        return mask_index(address) < OA_IRQ_MASKS ? irq->masks[mask_index(address)] : 0;
    }
}

void oa_reference_interrupt_write(struct oa_reference *ref, uint32_t address, uint32_t value)
{
    struct oa_reference_interrupts *irq = &ref->state.interrupts;
    unsigned index = address / 4 % 2;
    switch (address) {
    case 0x190010:
        irq->master = value >> 31;
        break;
    case 0x190018:
    case 0x19001c:
        clear_dw(irq, index, value);
        break;
    case 0x190060:
    case 0x190064:
        if (value >> 31) {
            irq->dw[index].identity = 0;
            irq->dw[index].selector = 0;
        }
        break;
    case 0x190070:
    case 0x190074:
        write_selector(irq, index, value);
        break;
    default:
        if (address >= 0x190030 && address <= 0x190044)
            irq->enables[(address - 0x190030) / 4] = value;
        else if (mask_index(address) < OA_IRQ_MASKS)
            write_mask(irq, mask_index(address), value);
    }
}
