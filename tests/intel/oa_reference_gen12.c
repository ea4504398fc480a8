/* SPDX-License-Identifier: MIT */
/*
 * Gen12: where the unit's registers lie, and the counters of the running context (PERF-5.3,
 * PERF-5.4; IGT-3.4). Everything else is as on lkf.
 */
#include "oa_reference.h"

/* ---- OAR ------------------------------------------------------------------------------------ */

bool oa_reference_oar_shows(const struct oa_reference *ref)
{
    const struct oa_reference_oar *oar = &ref->state.oar;
    return oa_reference_bit(oar->control, 0) && oa_reference_bit(oar->context_control, 8);
}

bool oa_reference_oar_counts(const struct oa_reference *ref)
{
    return oa_reference_oar_shows(ref) && oa_reference_bit(ref->state.oar.resume, 0) &&
           ref->context_active;
}

/* ---- stored registers ----------------------------------------------------------------------- */

/* Returns a register that keeps what is written, except absent bits; NULL for other registers. */
static uint32_t *stored(struct oa_reference_state *state, uint32_t address, uint32_t *mask)
{
    static const uint32_t eu_controls[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    *mask = 0xffffffff;
    for (unsigned i = 0; i < 7; i++)
        if (address == eu_controls[i])
            return &state->eu_control[i];
    if (address >= 0xd940 && address <= 0xd97c && address % 4 == 0)
        return &state->cec[(address - 0xd940) / 8][address / 4 % 2];
    if (address >= 0xdc00 && address <= 0xdc3c && address % 4 == 0)
        return &state->scec[(address - 0xdc00) / 8][address / 4 % 2];
    switch (address) {
    case 0x2360:
        *mask = 0xff;
        return &state->oar.resume;
    case 0x2960:
        *mask = 0xf;
        return &state->oar.control;
    case 0x2968:
        *mask = 7;
        return &state->oar.status;
    case 0x2b20:
        return &state->oa_imr;
    case 0x2b28:
        *mask = 0xff;
        return &state->oactxcontrol;
    case 0x2b2c:
        return &state->pess;
    case 0xdb08:
        return &state->oabuffer;
    case 0xdc40:
        return &state->spctr;
    case 0xdc44:
        return &state->aggregate_debug;
    default:
        return NULL;
    }
}

/* A trigger register of the start group, or of the report group. */
static uint32_t *trigger(struct oa_reference_state *state, uint32_t address, bool *report,
                         unsigned *index)
{
    if (address < 0xd900 || address > 0xd93c || address % 4)
        return NULL;
    *report = address >= 0xd920;
    *index = (address - (*report ? 0xd920 : 0xd900)) / 4;
    return *report ? &state->report_trigger[*index] : &state->start_trigger[*index];
}

static void write_trigger(struct oa_reference *ref, uint32_t *word, bool report, unsigned index,
                          uint32_t value)
{
    static const uint32_t start_masks[4] = {0x0000ffff, 0xf0ffffff, 0xffffffff, 0xffffffff};
    static const uint32_t report_masks[4] = {0xffffffff, 0x80ffffff, 0xffffffff, 0xffffffff};
    *word = value & (report ? report_masks : start_masks)[index % 4];
    if (index % 4 >= 2) /* OA-D12 */
        return;
    if (report)
        oa_reference_clear_report_block(ref, index / 4);
    else
        oa_reference_clear_start_block(ref, index / 4);
}

/* ---- live counters -------------------------------------------------------------------------- */

/* The A counters from an address on, low and high dwords, then A32 to A35. */
static uint64_t *live_a(uint64_t *a, uint32_t first, uint32_t address, bool *upper)
{
    if (address >= first && address < first + 256) {
        *upper = address % 8 == 4;
        return &a[(address - first) / 8];
    }
    if (address >= first + 256 && address < first + 272)
        return &a[32 + (address - first - 256) / 4];
    return NULL;
}

static uint64_t *live(struct oa_reference_state *state, uint32_t address, bool *upper)
{
    uint64_t *counter;
    *upper = false;
    if (address % 4)
        return NULL;
    if ((counter = live_a(state->a, 0xd980, address, upper)) ||
        (counter = live_a(state->oar.a, 0x2800, address, upper)))
        return counter;
    if (address >= 0xda94 && address <= 0xdab0)
        return &state->b[(address - 0xda94) / 4];
    if (address >= 0xdab4 && address <= 0xdad0)
        return &state->c[(address - 0xdab4) / 4];
    if (address >= 0x2920 && address <= 0x293c)
        return &state->oar.b[(address - 0x2920) / 4];
    if (address >= 0x2940 && address <= 0x295c)
        return &state->oar.c[(address - 0x2940) / 4];
    return NULL;
}

/* ---- all ------------------------------------------------------------------------------------ */

uint32_t oa_reference_gen12_read(struct oa_reference *ref, uint32_t address)
{
    struct oa_reference_state *state = &ref->state;
    uint32_t mask, *word;
    uint64_t *counter;
    unsigned index;
    bool flag;
    if ((word = stored(state, address, &mask)) || (word = trigger(state, address, &flag, &index)))
        return *word;
    if ((counter = live(state, address, &flag)))
        return (uint32_t)(*counter >> (flag ? 32 : 0));
    switch (address) {
    case 0x2244:
        return state->oar.context_control;
    case 0x2358:
        return (uint32_t)ref->timestamp;
    case 0x235c:
        return (uint32_t)(ref->timestamp >> 32);
    case 0xda90:
        return (uint32_t)state->ticks;
    case 0xdaf4:
        return state->oacontrol;
    case 0xdaf8:
        return state->oa_debug;
    case 0xdafc:
        return oa_reference_read_flags(ref);
    case 0xdb00:
        return state->head;
    case 0xdb04:
        return state->tail;
    default:
        return 0;
    }
}

void oa_reference_gen12_write(struct oa_reference *ref, uint32_t address, uint32_t value)
{
    struct oa_reference_state *state = &ref->state;
    uint32_t mask, *word, changed = value >> 16;
    uint64_t *counter;
    unsigned index;
    bool flag;
    if ((word = stored(state, address, &mask))) {
        *word = value & mask;
        return;
    }
    if ((word = trigger(state, address, &flag, &index))) {
        write_trigger(ref, word, flag, index, value);
        return;
    }
    if ((counter = live(state, address, &flag))) { /* OA-D20 */
        *counter = flag ? (*counter & 0xffffffff) | (uint64_t)(value & 0xff) << 32
                        : (*counter & ~UINT64_C(0xffffffff)) | value;
        return;
    }
    switch (address) {
    case 0x2244:
        state->oar.context_control = (state->oar.context_control & ~changed) | (value & changed);
        break;
    case 0xdaf4:
        oa_reference_write_control(ref, value & ~2u); /* no own context to count */
        break;
    case 0xdaf8:
        oa_reference_write_debug(ref, value);
        break;
    case 0xdafc: /* neither wraps nor the overrun */
        oa_reference_write_flags(ref, value);
        break;
    case 0xdb00:
        oa_reference_write_head(ref, value);
        break;
    case 0xdb04:
        oa_reference_write_tail(ref, value);
        break;
    }
}
