/* SPDX-License-Identifier: MIT */
/* MMIO: the three layouts, what each register stores, and what a write does at once. */
#include "reference.h"

/* ---- layouts ------------------------------------------------------------------------------- */

enum name {
    NO_REGISTER,
    SRC,
    OP,
    SIG_STATUS,
    SRC_STATUS,
    SPEC_SRC,
    SWAP_SRC,
    USER_TRIGGER,
    COUNTER,
    COUNTER_HI,
    THRESHOLD,
    THRESHOLD_HI,
    RECORD_ADDRESS_HIGH,
    RECORD_STATUS,
    RECORD_LIMIT,
    RECORD_START,
    RECORD_CHAN,
    RECORD_DMA,
    GCTRL,
    CTRL,
    QUAD_ACK,
    SINGLE_ABORT,
    SINGLE_BEGIN,
    NEXT,
    NEXT_RO,
    STATE,
    FILTER,
    DSET_CTRL,
    PMC_ENABLE,
};

/* `index` is the input of SRC and OP, the counter of COUNTER and NEXT, the word of SIG_STATUS, the
 * domain set of DSET_CTRL. */
struct location {
    enum name name;
    unsigned dom, index;
};

/* One register a domain, at `offset + dom * stride` of its layout. */
struct row {
    unsigned offset;
    enum name name;
    unsigned index;
    enum reference_chipset first, last;
};

/* clang-format off */
static const struct row nv10_rows[] = { /* stride 0x100 */
    {0x400, SRC, IN_PRE, REF_NV10, REF_NV30},
    {0x404, OP, IN_PRE, REF_NV10, REF_NV30},
    {0x408, SRC, IN_START, REF_NV10, REF_NV30},
    {0x40c, OP, IN_START, REF_NV10, REF_NV30},
    {0x410, SRC, IN_EVENT, REF_NV10, REF_NV30},
    {0x414, OP, IN_EVENT, REF_NV10, REF_NV30},
    {0x418, SRC, IN_STOP, REF_NV10, REF_NV30},
    {0x41c, OP, IN_STOP, REF_NV10, REF_NV30},
    {0x420, SRC, IN_SETFLAG, REF_NV10, REF_NV20},
    {0x424, OP, IN_SETFLAG, REF_NV10, REF_NV30},
    {0x428, SRC, IN_CLRFLAG, REF_NV10, REF_NV20},
    {0x42c, OP, IN_CLRFLAG, REF_NV10, REF_NV30},
    {0x600, COUNTER, CTR_CYCLES, REF_NV10, REF_NV30},
    {0x604, COUNTER_HI, CTR_CYCLES, REF_NV10, REF_NV20},
    {0x608, COUNTER, CTR_CYCLES, REF_NV10, REF_NV30}, /* CTR_CYCLES_ALT */
    {0x60c, COUNTER_HI, CTR_CYCLES, REF_NV10, REF_NV20},
    {0x610, COUNTER, CTR_EVENT, REF_NV10, REF_NV30},
    {0x614, COUNTER_HI, CTR_EVENT, REF_NV10, REF_NV20},
    {0x618, COUNTER, CTR_START, REF_NV10, REF_NV30},
    {0x61c, COUNTER_HI, CTR_START, REF_NV10, REF_NV20},
    {0x620, COUNTER, CTR_PRE, REF_NV10, REF_NV30},
    {0x624, COUNTER, CTR_STOP, REF_NV10, REF_NV30},
    {0x628, THRESHOLD, 0, REF_NV10, REF_NV30},
    {0x62c, THRESHOLD_HI, 0, REF_NV10, REF_NV20},
};

static const struct row nv40_rows[] = { /* stride 4 */
    {0x400, SRC, IN_PRE, REF_NV40, REF_GT215},
    {0x420, OP, IN_PRE, REF_NV40, REF_GT215},
    {0x440, SRC, IN_START, REF_NV40, REF_GT215},
    {0x460, OP, IN_START, REF_NV40, REF_GT215},
    {0x480, SRC, IN_EVENT, REF_NV40, REF_GT215},
    {0x4a0, OP, IN_EVENT, REF_NV40, REF_GT215},
    {0x4c0, SRC, IN_STOP, REF_NV40, REF_GT215},
    {0x4e0, OP, IN_STOP, REF_NV40, REF_GT215},
    {0x500, OP, IN_SETFLAG, REF_NV40, REF_GT215},
    {0x520, OP, IN_CLRFLAG, REF_NV40, REF_GT215},
    {0x540, SRC_STATUS, 0, REF_NV40, REF_GT215},
    {0x560, SPEC_SRC, 0, REF_NV40, REF_GT215},
    {0x580, USER_TRIGGER, 0, REF_GT215, REF_GT215},
    {0x600, COUNTER, CTR_CYCLES, REF_NV40, REF_GT215},
    {0x640, COUNTER, CTR_CYCLES, REF_NV40, REF_GT215}, /* CTR_CYCLES_ALT */
    {0x680, COUNTER, CTR_EVENT, REF_NV40, REF_GT215},
    {0x6a0, RECORD_ADDRESS_HIGH, 0, REF_G92, REF_GT215},
    {0x6c0, COUNTER, CTR_START, REF_NV40, REF_GT215},
    {0x6e0, RECORD_STATUS, 0, REF_G84, REF_GT215},
    {0x700, COUNTER, CTR_PRE, REF_NV40, REF_GT215},
    {0x720, RECORD_LIMIT, 0, REF_G84, REF_GT215},
    {0x740, COUNTER, CTR_STOP, REF_NV40, REF_GT215},
    {0x760, RECORD_START, 0, REF_G84, REF_GT215},
    {0x780, THRESHOLD, 0, REF_NV40, REF_GT215},
    {0x7c0, CTRL, 0, REF_NV40, REF_GT215},
    {0x7e0, QUAD_ACK, 0, REF_NV40, REF_GT215},
};

static const struct row gf100_rows[] = { /* in the block of a domain */
    {0x40, SRC, IN_PRE, REF_GF100, REF_GF100},
    {0x44, OP, IN_PRE, REF_GF100, REF_GF100},
    {0x48, SRC, IN_START, REF_GF100, REF_GF100},
    {0x4c, OP, IN_START, REF_GF100, REF_GF100},
    {0x50, SRC, IN_EVENT, REF_GF100, REF_GF100},
    {0x54, OP, IN_EVENT, REF_GF100, REF_GF100},
    {0x58, SRC, IN_STOP, REF_GF100, REF_GF100},
    {0x5c, OP, IN_STOP, REF_GF100, REF_GF100},
    {0x60, OP, IN_SETFLAG, REF_GF100, REF_GF100},
    {0x64, OP, IN_CLRFLAG, REF_GF100, REF_GF100},
    {0x68, SRC_STATUS, 0, REF_GF100, REF_GF100},
    {0x6c, SWAP_SRC, 0, REF_GF100, REF_GF100},
    {0x70, COUNTER, CTR_CYCLES, REF_GF100, REF_GF100},
    {0x78, NEXT_RO, CTR_CYCLES, REF_GF100, REF_GF100},
    {0x80, COUNTER, CTR_EVENT, REF_GF100, REF_GF100},
    {0x88, COUNTER, CTR_START, REF_GF100, REF_GF100},
    {0x8c, COUNTER, CTR_PRE, REF_GF100, REF_GF100},
    {0x90, COUNTER, CTR_STOP, REF_GF100, REF_GF100},
    {0x94, SINGLE_ABORT, 0, REF_GF100, REF_GF100},
    {0x98, THRESHOLD, 0, REF_GF100, REF_GF100},
    {0x9c, CTRL, 0, REF_GF100, REF_GF100},
    {0xa0, QUAD_ACK, 0, REF_GF100, REF_GF100},
    {0xa4, NEXT, CTR_EVENT, REF_GF100, REF_GF100},
    {0xa8, NEXT, CTR_PRE, REF_GF100, REF_GF100},
    {0xac, NEXT, CTR_START, REF_GF100, REF_GF100},
    {0xb0, NEXT, CTR_STOP, REF_GF100, REF_GF100},
    {0xbc, NEXT, CTR_CYCLES, REF_GF100, REF_GF100},
    {0xe0, SINGLE_BEGIN, 0, REF_GF100, REF_GF100},
    {0xe4, STATE, 0, REF_GF100, REF_GF100},
    {0xec, USER_TRIGGER, 0, REF_GF100, REF_GF100},
    {0x100, FILTER, 0, REF_GF100, REF_GF100},
};
/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Looks an offset up in a table; the domain may be one that does not exist. */
static struct location find_row(const struct reference *ref, const struct row *rows, size_t count,
                                unsigned stride, unsigned offset)
{
    for (unsigned dom = 0; dom < ref->domains; dom++)
        for (size_t i = 0; i < count; i++)
            if (rows[i].offset + dom * stride == offset && ref->chipset >= rows[i].first &&
                ref->chipset <= rows[i].last)
                return (struct location){rows[i].name, dom, rows[i].index};
    return (struct location){NO_REGISTER, 0, 0};
}

static struct location find_nv10(const struct reference *ref, unsigned offset, bool write)
{
    /* Both lie where SIG_STATUS[1][1] has its words 2 and 3 (PC-D20). */
    if (offset == 0x73c)
        return (struct location){CTRL, 0, 0};
    if (offset == 0x738 && write && ref->chipset == REF_NV30)
        return (struct location){QUAD_ACK, 0, 0};
    for (unsigned dom = 0; dom < ref->domains; dom++)
        for (unsigned hi = 0; hi < 2; hi++)
            for (unsigned lo = 0; lo < 4; lo++)
                if (offset == 0x430 + dom * 0x100 + hi * 0x200 + lo * 4)
                    return (struct location){SIG_STATUS, dom, hi * 4 + lo};
    return find_row(ref, nv10_rows, COUNT_OF(nv10_rows), 0x100, offset);
}

static struct location find_nv40(const struct reference *ref, unsigned offset)
{
    if (ref->chipset >= REF_G84 && offset == 0x7a0)
        return (struct location){RECORD_CHAN, 0, 0};
    if (ref->chipset >= REF_G84 && offset == 0x7a4)
        return (struct location){RECORD_DMA, 0, 0};
    if (ref->chipset >= REF_G84 && offset == 0x7a8)
        return (struct location){GCTRL, 0, 0};
    if (offset >= 0x800 && offset < 0x800 + ref->domains * 0x20)
        return (struct location){SIG_STATUS, (offset - 0x800) / 0x20, offset % 0x20 / 4};
    return find_row(ref, nv40_rows, COUNT_OF(nv40_rows), 4, offset);
}

static struct location find_gf100(const struct reference *ref, uint64_t address)
{
    if (address == 0x200)
        return (struct location){PMC_ENABLE, 0, 0};
    for (unsigned i = 0; i < ref->set_count; i++)
        if (address == ref->set[i].address)
            return (struct location){DSET_CTRL, 0, i};
    for (unsigned dom = 0; dom < ref->domains; dom++) {
        const struct reference_domain *domain = &ref->domain[dom];
        uint64_t block = ref->set[domain->set].domain_block + domain->index * 0x200;
        if (address < block || address >= block + 0x200)
            continue;
        unsigned offset = (unsigned)(address - block);
        if (offset < 0x40)
            return (struct location){SIG_STATUS, dom, offset / 4};
        for (size_t i = 0; i < COUNT_OF(gf100_rows); i++)
            if (gf100_rows[i].offset == offset)
                return (struct location){gf100_rows[i].name, dom, gf100_rows[i].index};
    }
    return (struct location){NO_REGISTER, 0, 0};
}

static struct location find_register(const struct reference *ref, uint64_t address, bool write)
{
    if (ref->chipset == REF_GF100)
        return find_gf100(ref, address);
    if (address >= 0xa000 && address < 0xb000) {
        unsigned offset = (unsigned)(address - 0xa000);
        return ref->chipset <= REF_NV30 ? find_nv10(ref, offset, write) : find_nv40(ref, offset);
    }
    return (struct location){NO_REGISTER, 0, 0};
}

/* ---- bits (PCT-6) ----------------------------------------------------------- */

static uint32_t low_bits(unsigned count)
{
    return (UINT32_C(1) << count) - 1;
}

static uint32_t op_mask(const struct reference *ref, unsigned input)
{
    bool wide = input == IN_EVENT || input == IN_STOP || ref->chipset == REF_GF100;
    if (ref->chipset >= REF_G92)
        return low_bits(wide ? 21 : 20);
    return low_bits(wide && ref->chipset >= REF_NV30 ? 19 : 18);
}

static uint32_t ctrl_mask(const struct reference *ref)
{
    uint32_t mask;
    if (ref->chipset <= REF_NV30) {
        bool two = ref->domains == 2;
        mask = 0x7;
        if (ref->chipset >= REF_NV15)
            mask |= 1u << 8;
        if (ref->chipset >= REF_NV20 && two)
            mask |= 1u << 9;
        if (ref->chipset == REF_NV30)
            mask |= 1u << 16;
        if (ref->chipset == REF_NV30 && two)
            mask |= 1u << 18;
        return mask;
    }
    if (ref->chipset == REF_GF100)
        return low_bits(17) | low_bits(6) << 18 | UINT32_C(1) << 31;
    mask = 0x3 | 0x7 << 4 | 1u << 8 | 1u << 11 | 1u << 13 | 1u << 16;
    if (ref->chipset >= REF_G84)
        mask |= 0xfu << 20;
    if (ref->chipset >= REF_G92)
        mask |= 1u << 30;
    return mask;
}

/* ---- reads --------------------------------------------------------------------------------- */

static uint32_t read_ctrl(const struct reference *ref, unsigned dom)
{
    uint32_t value;
    if (ref->chipset >= REF_NV40) {
        const struct reference_state *state = &ref->domain[dom].state;
        return state->ctrl | (uint32_t)state->quad << 24 | (uint32_t)state->single << 28;
    }
    value = ref->shared.ctrl;
    for (unsigned i = 0; i < ref->domains; i++) {
        value |= (uint32_t)ref->domain[i].state.single << (3 + 2 * i);
        value |= (uint32_t)ref->domain[i].state.quad << (24 + 2 * i);
    }
    return value;
}

static uint32_t read_sig_status(const struct reference_state *state, unsigned word)
{
    uint32_t value = 0;
    if (word >= REF_SIGNALS / 32)
        return 0; /* PC-D2 */
    for (unsigned i = 0; i < 32; i++)
        value |= (uint32_t)state->signals[32 * word + i] << i;
    return value;
}

/* Signals of the latest clock, selected by the registers of now (PC-D2). */
static uint32_t read_src_status(const struct reference *ref, const struct reference_state *state)
{
    uint32_t value = 0;
    unsigned inputs = ref->chipset == REF_GF100 ? 6 : 4; /* PC-D37 */
    for (unsigned i = 0; i < 4 * inputs; i++) /* PRE, START, EVENT, STOP, SETFLAG, CLRFLAG */
        value |= (uint32_t)reference_source(ref, state, (enum reference_input)(i / 4), i % 4) << i;
    return value;
}

/* PC-D41. */
static uint32_t read_state(const struct reference *ref, const struct reference_state *state)
{
    uint32_t value = state->single | (uint32_t)state->quad << 2;
    value |= (uint32_t)state->flag << 4 | (uint32_t)state->flag_before << 5;
    value |= (uint32_t)state->event_toggle << 7;
    value |= (uint32_t)state->signals[state->swap_src] << 12;
    for (unsigned i = 0; i < 4; i++) {
        value |= (uint32_t)reference_source(ref, state, IN_EVENT, i) << (8 + i);
        value |= (uint32_t)reference_source(ref, state, IN_STOP, i) << (16 + i);
    }
    for (unsigned i = 0; i < 2; i++) {
        value |= (uint32_t)reference_source(ref, state, IN_PRE, 2 + i) << (20 + i);
        value |= (uint32_t)reference_source(ref, state, IN_START, 2 + i) << (22 + i);
    }
    value |= (uint32_t)state->inputs[IN_EVENT] << 24 | (uint32_t)state->inputs[IN_PRE] << 25;
    value |= (uint32_t)state->inputs[IN_START] << 26 | (uint32_t)state->inputs[IN_STOP] << 27;
    return value;
}

uint32_t reference_read(const struct reference *ref, uint64_t address)
{
    struct location at = find_register(ref, address, false);
    const struct reference_state *state = &ref->domain[at.dom].state;
    if (ref->shared.disabled && at.name != NO_REGISTER && at.name != PMC_ENABLE)
        return 0xbad0da00; /* PC-D36 */
    switch (at.name) {
    case NO_REGISTER:
    case QUAD_ACK:
    case SINGLE_ABORT:
    case SINGLE_BEGIN:
        return 0;
    case SRC:
        return state->src[at.index];
    case OP:
        return state->op[at.index];
    case SIG_STATUS:
        return read_sig_status(state, at.index);
    case SRC_STATUS:
        return read_src_status(ref, state);
    case SPEC_SRC:
        return state->spec_src;
    case SWAP_SRC:
        return state->swap_src;
    case USER_TRIGGER:
        return ref->chipset == REF_GF100 ? state->user | (uint32_t)state->user_pulse << 4 : 0;
    case COUNTER:
        return (uint32_t)state->visible[at.index];
    case COUNTER_HI:
        return (uint32_t)(state->visible[at.index] >> 32);
    case THRESHOLD:
        return (uint32_t)state->threshold;
    case THRESHOLD_HI:
        return (uint32_t)(state->threshold >> 32);
    case RECORD_ADDRESS_HIGH:
        return state->record_address_high;
    case RECORD_STATUS:
        return state->record_position | state->record_fault;
    case RECORD_LIMIT:
        return state->record_limit;
    case RECORD_START:
        return state->record_start;
    case RECORD_CHAN:
        return ref->shared.record_chan;
    case RECORD_DMA:
        return ref->shared.record_dma;
    case GCTRL:
        return ref->shared.gctrl;
    case CTRL:
        return read_ctrl(ref, at.dom);
    case NEXT:
    case NEXT_RO:
        return (uint32_t)state->shadow[at.index];
    case STATE:
        return read_state(ref, state);
    case FILTER:
        return state->filter;
    case DSET_CTRL:
        return ref->set[at.index].ctrl;
    case PMC_ENABLE:
        return ref->shared.disabled ? 0 : UINT32_C(1) << 28;
    }
    return 0;
}

/* ---- writes -------------------------------------------------------------------------------- */

/* PC-D9, PC-D39. */
static void write_config(const struct reference *ref, struct reference_state *state)
{
    if (ref->chipset != REF_GF100)
        state->abort = true;
}

/* PC-D36: a 0 is a reset that leaves the bit 0. */
static void write_pmc_enable(struct reference *ref, uint32_t value)
{
    bool enabled = value >> 28 & 1;
    if (!enabled && !ref->shared.disabled)
        reference_reset(ref);
    ref->shared.disabled = !enabled;
}

static void write_ctrl(struct reference *ref, unsigned dom, uint32_t value)
{
    struct reference_state *state = &ref->domain[dom].state;
    if (ref->chipset >= REF_NV40) {
        state->ctrl = value & ctrl_mask(ref);
        write_config(ref, state);
        if (value >> 27 & 1)
            state->record_fault = false; /* FAULT_CLEAR, and the domain stays hung */
        return;
    }
    ref->shared.ctrl = value & ctrl_mask(ref);
    for (unsigned i = 0; i < ref->domains; i++)
        write_config(ref, &ref->domain[i].state);
}

static void acknowledge(struct reference_state *state)
{
    state->quad = state->quad == OVERFLOW ? VALID : EMPTY;
}

/* PC-D17. */
static void write_quad_ack(struct reference *ref, unsigned dom, uint32_t value)
{
    if (ref->chipset == REF_NV30) {
        for (unsigned i = 0; i < ref->domains; i++)
            if (value >> (8 * i) & 1)
                acknowledge(&ref->domain[i].state);
    } else if (value & 1) {
        acknowledge(&ref->domain[dom].state);
    }
}

static void write_user_trigger(const struct reference *ref, struct reference_state *state,
                               uint32_t value)
{
    unsigned signals = ref->chipset == REF_GF100 ? 4 : 2;
    state->user = (uint8_t)(value & low_bits(signals));
    state->user_pulse = (uint8_t)(value >> signals & low_bits(signals));
    state->user_clocks = 0;
}

/* PC-D28. */
static void write_record_start(const struct reference *ref, unsigned dom,
                               struct reference_state *state, uint32_t value)
{
    state->record_start = state->record_position = value & ~UINT32_C(0xf);
    state->record_valid = true;
    if (reference_mode(ref, dom) == MODE_RECORD)
        reference_clear_record_counters(state);
}

/* PC-D29: the bind wants a DMA object. */
static void write_record_chan(struct reference_shared *shared, uint32_t value)
{
    shared->record_chan = value & (low_bits(30) | UINT32_C(1) << 31);
    if (value >> 31 && shared->dma_written)
        shared->bound = true;
}

void reference_write(struct reference *ref, uint64_t address, uint32_t value)
{
    struct location at = find_register(ref, address, true);
    struct reference_state *state = &ref->domain[at.dom].state;
    if (ref->shared.disabled && at.name != PMC_ENABLE)
        return;
    switch (at.name) {
    case NO_REGISTER:
    case SIG_STATUS:
    case SRC_STATUS:
    case RECORD_STATUS:
    case NEXT_RO:
    case STATE:
        break;
    case SRC:
        state->src[at.index] = value;
        write_config(ref, state);
        break;
    case OP:
        state->op[at.index] = value & op_mask(ref, at.index);
        if (at.index != IN_PRE)
            write_config(ref, state);
        else if (ref->chipset != REF_GF100)
            state->begin = true;
        break;
    case SINGLE_BEGIN:
        state->begin |= value & 1;
        break;
    case SINGLE_ABORT:
        state->abort |= value & 1;
        break;
    case NEXT:
        state->shadow[at.index] = value;
        break;
    case FILTER:
        state->filter = value;
        break;
    case DSET_CTRL:
        ref->set[at.index].ctrl = value & (1u | 1u << 4 | 1u << 5 | 1u << 29 | 1u << 31);
        break;
    case PMC_ENABLE:
        write_pmc_enable(ref, value);
        break;
    case SPEC_SRC:
        state->spec_src = value & 0xffff;
        write_config(ref, state);
        break;
    case SWAP_SRC:
        state->swap_src = value & 0xff;
        break;
    case USER_TRIGGER:
        write_user_trigger(ref, state, value);
        break;
    case COUNTER:
        if (at.index == CTR_PRE)
            state->pre_initial = value;
        if (at.index == CTR_STOP)
            state->stop_initial = value;
        write_config(ref, state);
        break;
    case COUNTER_HI:
        write_config(ref, state);
        break;
    case THRESHOLD:
        state->threshold = (state->threshold & ~(uint64_t)UINT32_MAX) | value;
        write_config(ref, state);
        break;
    case THRESHOLD_HI:
        state->threshold = (state->threshold & UINT32_MAX) | (uint64_t)(value & 0xff) << 32;
        write_config(ref, state);
        break;
    case RECORD_ADDRESS_HIGH:
        state->record_address_high = value & 0xff;
        break;
    case RECORD_LIMIT:
        state->record_limit = value & ~UINT32_C(0xf);
        break;
    case RECORD_START:
        write_record_start(ref, at.dom, state, value);
        break;
    case RECORD_CHAN:
        write_record_chan(&ref->shared, value);
        break;
    case RECORD_DMA:
        ref->shared.record_dma = value & 0xffff;
        ref->shared.dma_written = true;
        break;
    case GCTRL:
        ref->shared.gctrl = value & 0x11;
        break;
    case CTRL:
        write_ctrl(ref, at.dom, value);
        break;
    case QUAD_ACK:
        write_quad_ack(ref, at.dom, value);
        break;
    }
}
