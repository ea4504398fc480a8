/* SPDX-License-Identifier: MIT */
/* MMIO: what reads compose, and what writes do beside being stored (oa-testbench.md section 6). */
#include "base/bits.h"
#include "intel/oa/unit.h"

#define POINTER_BITS (~UINT32_C(63))

static bool find(const struct tally_oa *unit, uint32_t address, enum reg_access access,
                 struct reg_place *place)
{
    enum intel_revision revision = unit->platform->revision;
    return reg_find(oa_registers(revision), INTEL_BIT(revision), 1, address, access, place);
}

/* Number of an element: its row's first one, and the index. CEC registers alternate in pairs. */
static unsigned element(const struct reg_place *place)
{
    unsigned index = place->reg->dimensions[0].count ? place->index[0] : 0;
    bool pairs = place->reg->id == OA_CEC || place->reg->id == OA_SCEC;
    return place->reg->flags + (pairs ? 2 * index : index);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t read_status(const struct tally_oa *unit)
{
    if (is_map_d(unit)) /* what became of the wraps and of Overrun is not seen */
        return unit->flags & 7;
    if (is_map_c(unit))
        return unit->flags | (uint32_t)unit->head_wrap << 16 | (uint32_t)unit->tail_wrap << 17;
    return unit->tail | unit->size_code << 3 | (unit->flags & 7);
}

static uint32_t read_status2(const struct tally_oa *unit)
{
    if (unit->variant->wraps_in_status2)
        return unit->head | (uint32_t)unit->tail_wrap << 3 | (uint32_t)unit->head_wrap << 1 | 1;
    return unit->head | unit->ggtt;
}

uint32_t tally_oa_read32(const struct tally_oa *unit, uint32_t address)
{
    struct reg_place place;
    if (!find(unit, address, REG_READ, &place) || !(place.reg->access & REG_READ))
        return 0;
    unsigned n = element(&place);
    switch ((enum oa_register)place.reg->id) {
    case OA_STATUS:
        return read_status(unit);
    case OA_STATUS2:
        return read_status2(unit);
    case OA_HEADPTR:
        return unit->head;
    case OA_TAILPTR:
        return unit->tail;
    case OA_TIMESTAMP_LOW:
        return (uint32_t)unit->timestamp;
    case OA_TIMESTAMP_HIGH:
        return (uint32_t)(unit->timestamp >> 32);
    case OA_GPU_TICKS:
        return unit->ticks;
    case OA_PERF_A:
        return (uint32_t)unit->a[n];
    case OA_PERF_A_UPPER:
        return (uint32_t)(unit->a[n] >> 32);
    case OA_PERF_B:
        return (uint32_t)unit->b[n];
    case OA_PERF_C:
        return (uint32_t)unit->c[n];
    case OA_EU_CTL:
        return unit->flex[0][n];
    case OA_FREE:
        return (uint32_t)unit->free[n];
    case OA_FREE_UPPER:
        return (uint32_t)(unit->free[n] >> 32);
    case OAR_CONTROL:
        return unit->oar.control;
    case OAR_STATUS:
        return unit->oar.flags;
    case OAR_CTXCONTROL:
        return unit->oar.ctxcontrol;
    case OAR_CONTEXT_CONTROL:
        return unit->oar.context_control;
    case OAR_PERF_A:
        return (uint32_t)unit->oar.a[n];
    case OAR_PERF_A_UPPER:
        return (uint32_t)(unit->oar.a[n] >> 32);
    case OAR_PERF_B:
        return (uint32_t)unit->oar.b[n];
    case OAR_PERF_C:
        return (uint32_t)unit->oar.c[n];
    case OA_BUFFER:
        return unit->regs[OA_BUFFER] |
               (unit->variant->overrun_in_buffer && (unit->flags & FLAG_OVERRUN) ? 1u << 4 : 0);
    default:
        return unit->regs[place.reg->id + n];
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A head below the present one means that software has come around (D31). */
static void write_head(struct tally_oa *unit, uint32_t value)
{
    uint32_t head = value & POINTER_BITS;
    if (head < unit->head)
        unit->head_wrap = !unit->head_wrap;
    unit->head = head;
}

static void write_tail(struct tally_oa *unit, uint32_t value)
{
    unit->tail = value & POINTER_BITS;
    unit->tail_wrap = unit->head_wrap;
}

static void write_status(struct tally_oa *unit, uint32_t value)
{
    if (is_map_d(unit)) {
        unit->flags = (unit->flags & FLAG_OVERRUN) | (value & 7);
        return;
    }
    if (is_map_c(unit)) {
        unit->flags = value & 15;
        unit->head_wrap = value >> 16 & 1;
        unit->tail_wrap = value >> 17 & 1;
        return;
    }
    write_tail(unit, value);
    unit->size_code = value >> 3 & 7;
    unit->flags = (unit->flags & FLAG_OVERRUN) | (value & (unit->variant->tells_lost ? 7u : 6u));
}

static void write_status2(struct tally_oa *unit, uint32_t value)
{
    write_head(unit, value);
    if (!unit->variant->wraps_in_status2) {
        unit->ggtt = value & 1;
        return;
    }
    if (value >> 4 & 1)
        unit->tail_wrap = value >> 3 & 1;
    if (value >> 2 & 1)
        unit->head_wrap = value >> 1 & 1;
}

static void write_control(struct tally_oa *unit, uint32_t value)
{
    unit->regs[OA_CONTROL] = value;
    if (value & 1)
        return;
    for (unsigned i = 0; i < 2; i++) /* D12 to D14 */
        unit->start[i] = unit->report[i] = (struct trigger_block){0};
}

/* The first two registers of a block clear its counter (D12). */
static void write_trigger(struct tally_oa *unit, enum oa_register id, unsigned n)
{
    struct trigger_block *blocks = id == OA_START_TRIG ? unit->start : unit->report;
    if (n % 4 < 2)
        blocks[n / 4].count = 0;
}

/* Bits 31:16 say which of 15:0 change. */
static uint32_t masked_write(uint32_t before, uint32_t value)
{
    return (before & ~(value >> 16)) | (value & (value >> 16));
}

static void set_low(uint64_t *counter, uint32_t value)
{
    *counter = (*counter & ~UINT64_C(0xffffffff)) | value;
}

static void set_high(uint64_t *counter, uint32_t value)
{
    *counter = (*counter & UINT64_C(0xffffffff)) | (uint64_t)(value & 0xff) << 32;
}

void tally_oa_write32(struct tally_oa *unit, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(unit, address, REG_WRITE, &place) || !(place.reg->access & REG_WRITE))
        return;
    uint32_t mask = reg_mask(place.reg, INTEL_BIT(unit->platform->revision), 1, REG_WRITE);
    unsigned n = element(&place);
    switch ((enum oa_register)place.reg->id) {
    case OA_STATUS:
        write_status(unit, value);
        return;
    case OA_STATUS2:
        write_status2(unit, value);
        return;
    case OA_HEADPTR:
        write_head(unit, value);
        return;
    case OA_TAILPTR:
        write_tail(unit, value);
        return;
    case OA_CONTROL:
        write_control(unit, value & mask);
        return;
    case OA_DEBUG:
        unit->regs[OA_DEBUG] = masked_write(unit->regs[OA_DEBUG], value);
        return;
    case OAR_CONTROL:
        unit->oar.control = value & mask;
        return;
    case OAR_STATUS:
        unit->oar.flags = value & mask;
        return;
    case OAR_CTXCONTROL:
        unit->oar.ctxcontrol = value & mask;
        return;
    case OAR_CONTEXT_CONTROL:
        unit->oar.context_control = masked_write(unit->oar.context_control, value);
        return;
    case OA_EU_CTL:
        tally_oa_write_subslices(unit, UINT32_MAX, address, value);
        return;
    case OA_PERF_A: /* D20 */
        set_low(&unit->a[n], value);
        return;
    case OA_PERF_A_UPPER:
        set_high(&unit->a[n], value);
        return;
    case OAR_PERF_A:
        set_low(&unit->oar.a[n], value);
        return;
    case OAR_PERF_A_UPPER:
        set_high(&unit->oar.a[n], value);
        return;
    case OAR_PERF_B:
        unit->oar.b[n] = value;
        return;
    case OAR_PERF_C:
        unit->oar.c[n] = value;
        return;
    case OA_PERF_B:
        unit->b[n] = value;
        return;
    case OA_PERF_C:
        unit->c[n] = value;
        return;
    case OA_START_TRIG:
    case OA_REPORT_TRIG:
        write_trigger(unit, (enum oa_register)place.reg->id, n);
        break;
    default:
        break;
    }
    unit->regs[place.reg->id + n] = value & mask;
}

/* ---- steering -------------------------------------------------------------------------------- */

void tally_oa_write_subslices(struct tally_oa *unit, uint32_t subslices, uint32_t address,
                              uint32_t value)
{
    struct reg_place place;
    if (!find(unit, address, REG_WRITE, &place) || place.reg->id != OA_EU_CTL)
        return;
    for (unsigned i = 0; i < unit->variant->subslices; i++)
        if (subslices >> i & 1)
            unit->flex[i][element(&place)] = value;
}

uint32_t tally_oa_read_subslice(const struct tally_oa *unit, unsigned subslice, uint32_t address)
{
    struct reg_place place;
    if (subslice >= unit->variant->subslices || !find(unit, address, REG_READ, &place) ||
        place.reg->id != OA_EU_CTL)
        return 0;
    return unit->flex[subslice][element(&place)];
}
