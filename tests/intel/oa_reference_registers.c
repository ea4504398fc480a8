/* SPDX-License-Identifier: MIT */
/* MMIO registers (OAT-6). */
#include "oa_reference.h"

static bool is_map_c(const struct oa_reference *ref)
{
    return ref->map == OA_REF_MAP_C;
}

static bool is_gen9(const struct oa_reference *ref)
{
    return ref->platform >= OA_REF_SKL;
}

/* ---- trigger and CEC registers, on every map ------------------------------------------------ */

enum group { GROUP_NONE, GROUP_START, GROUP_REPORT, GROUP_CEC };

/* Which register of these groups is at an address: its group, and its index there. */
static enum group group_of(const struct oa_reference *ref, uint32_t address, unsigned *index)
{
    if (ref->map == OA_REF_MAP_A) { /* triggers against the addresses */
        *index = (address & 0xf) / 4 ^ 3;
        if (address >= 0x2370 && address <= 0x237c)
            return GROUP_REPORT;
        if (address >= 0x2380 && address <= 0x238c)
            return GROUP_START;
        *index = (address - 0x2390) / 4;
        return address >= 0x2390 && address <= 0x23ac ? GROUP_CEC : GROUP_NONE;
    }
    *index = (address - 0x2710) / 4;
    if (address >= 0x2710 && address <= 0x272c)
        return GROUP_START;
    *index = (address - 0x2740) / 4;
    if (address >= 0x2740 && address <= 0x275c)
        return GROUP_REPORT;
    *index = (address - 0x2770) / 4;
    return address >= 0x2770 && address <= 0x27ac ? GROUP_CEC : GROUP_NONE;
}

static uint32_t *group_word(struct oa_reference *ref, enum group group, unsigned index)
{
    if (group == GROUP_START)
        return &ref->state.start_trigger[index];
    if (group == GROUP_REPORT)
        return &ref->state.report_trigger[index];
    return &ref->state.cec[index / 2][index % 2];
}

static uint32_t group_mask(const struct oa_reference *ref, enum group group, unsigned index)
{
    if (group == GROUP_START && index % 4 == 0)
        return 0x0000ffff;
    if (group == GROUP_START && index % 4 == 1)
        return 0xf0ffffff;
    if (group == GROUP_REPORT && index % 4 == 1)
        return 0x80ffffff;
    if (group == GROUP_CEC && index % 2 == 0 && !is_map_c(ref))
        return 0x001fffff;
    return 0xffffffff;
}

static void write_group(struct oa_reference *ref, enum group group, unsigned index, uint32_t value)
{
    *group_word(ref, group, index) = value & group_mask(ref, group, index);
    if (index % 4 >= 2) /* only ...TRIG1, 2, 5, 6 act (OA-D12) */
        return;
    if (group == GROUP_START)
        oa_reference_clear_start_block(ref, index / 4);
    if (group == GROUP_REPORT)
        oa_reference_clear_report_block(ref, index / 4);
}

/* ---- live counters -------------------------------------------------------------------------- */

struct live {
    uint64_t *counter; /* NULL if there is no counter at the address */
    bool upper;        /* bits 39:32 */
    bool writable;
};

static struct live live_hsw(struct oa_reference_state *state, uint32_t address)
{
    struct live live = {.writable = true};
    if (address >= 0x2800 && address <= 0x28b0)
        live.counter = &state->a[(address - 0x2800) / 4];
    else if (address >= 0x28b4 && address <= 0x28d0)
        live.counter = &state->b[(address - 0x28b4) / 4];
    return live;
}

static struct live live_map_c(struct oa_reference *ref, uint32_t address)
{
    struct oa_reference_state *state = &ref->state;
    struct live live = {.writable = true};
    if (address >= 0x2800 && address <= 0x28fc) {
        live.counter = &state->a[(address - 0x2800) / 8];
        live.upper = address % 8 == 4;
    } else if (address >= 0x2900 && address <= 0x290c) {
        live.counter = &state->a[32 + (address - 0x2900) / 4];
    } else if (address == 0x2910) {
        live.counter = &state->ticks;
        live.writable = false;
    } else if (address >= 0x2920 && address <= 0x293c) {
        live.counter = &state->b[(address - 0x2920) / 4];
    } else if (address >= 0x2940 && address <= 0x295c) {
        live.counter = &state->c[(address - 0x2940) / 4];
    } else if (address >= 0x2960 && address <= 0x297c && is_gen9(ref)) {
        live.counter = &state->free[(address - 0x2960) / 8];
        live.upper = address % 8 == 4;
        live.writable = false;
    }
    return live;
}

static struct live live_of(struct oa_reference *ref, uint32_t address)
{
    if (ref->map == OA_REF_MAP_B)
        return live_hsw(&ref->state, address);
    if (ref->map == OA_REF_MAP_C)
        return live_map_c(ref, address);
    return (struct live){.counter = NULL};
}

/* OA-D20. */
static void write_live(const struct live *live, uint32_t value)
{
    if (!live->writable)
        return;
    if (live->upper)
        *live->counter = (*live->counter & 0xffffffff) | (uint64_t)(value & 0xff) << 32;
    else
        *live->counter = (*live->counter & ~UINT64_C(0xffffffff)) | value;
}

/* ---- pointers and status -------------------------------------------------------------------- */

void oa_reference_write_head(struct oa_reference *ref, uint32_t value)
{
    struct oa_reference_state *state = &ref->state;
    uint32_t head = value & ~UINT32_C(63);
    if (head < state->head) /* OA-D31 */
        state->head_wrap = !state->head_wrap;
    state->head = head;
}

void oa_reference_write_tail(struct oa_reference *ref, uint32_t value)
{
    ref->state.tail = value & ~UINT32_C(63);
    ref->state.tail_wrap = ref->state.head_wrap; /* OA-D31 */
}

void oa_reference_write_flags(struct oa_reference *ref, uint32_t value)
{
    struct oa_reference_state *state = &ref->state;
    state->counter_overflow = oa_reference_bit(value, 2);
    state->buffer_overflow = oa_reference_bit(value, 1);
    state->report_lost = oa_reference_bit(value, 0) && ref->platform != OA_REF_VLV;
}

uint32_t oa_reference_read_flags(const struct oa_reference *ref)
{
    const struct oa_reference_state *state = &ref->state;
    return (uint32_t)state->counter_overflow << 2 | (uint32_t)state->buffer_overflow << 1 |
           (uint32_t)state->report_lost;
}

static void write_oastatus1(struct oa_reference *ref, uint32_t value)
{
    oa_reference_write_tail(ref, value);
    oa_reference_write_flags(ref, value);
    ref->state.buffer_size = oa_reference_bits(value, 5, 3);
}

static void write_oastatus2(struct oa_reference *ref, uint32_t value)
{
    struct oa_reference_state *state = &ref->state;
    oa_reference_write_head(ref, value);
    if (ref->map == OA_REF_MAP_A) {
        state->memory_select = oa_reference_bit(value, 0);
        return;
    }
    if (oa_reference_bit(value, 4))
        state->tail_wrap = oa_reference_bit(value, 3);
    if (oa_reference_bit(value, 2))
        state->head_wrap = oa_reference_bit(value, 1);
}

static uint32_t read_oastatus2(const struct oa_reference *ref)
{
    const struct oa_reference_state *state = &ref->state;
    if (ref->map == OA_REF_MAP_A)
        return state->head | (uint32_t)state->memory_select;
    return state->head | (uint32_t)state->tail_wrap << 3 | (uint32_t)state->head_wrap << 1 | 1;
}

static void write_oastatus(struct oa_reference *ref, uint32_t value)
{
    ref->state.tail_wrap = oa_reference_bit(value, 17);
    ref->state.head_wrap = oa_reference_bit(value, 16);
    ref->state.overrun = oa_reference_bit(value, 3);
    oa_reference_write_flags(ref, value);
}

static uint32_t read_oastatus(const struct oa_reference *ref)
{
    const struct oa_reference_state *state = &ref->state;
    return (uint32_t)state->tail_wrap << 17 | (uint32_t)state->head_wrap << 16 |
           (uint32_t)state->overrun << 3 | oa_reference_read_flags(ref);
}

/* ---- control -------------------------------------------------------------------------------- */

void oa_reference_write_control(struct oa_reference *ref, uint32_t value)
{
    ref->state.oacontrol = is_map_c(ref) ? value & 0x1f : value;
    if (!oa_reference_bit(value, 0))
        oa_reference_disable_triggers(ref); /* OA-D12, OA-D13, OA-D14 */
}

/* Maps A and B. */
static uint32_t oabuffer_mask(const struct oa_reference *ref)
{
    switch (ref->platform) {
    case OA_REF_SNB:
        return 0xffffffc4;
    case OA_REF_IVB:
    case OA_REF_VLV:
        return 0xffffffc7;
    default: /* hsw */
        return 0xffffffcf;
    }
}

void oa_reference_write_debug(struct oa_reference *ref, uint32_t value)
{
    uint32_t changed = value >> 16;
    ref->state.oa_debug = (ref->state.oa_debug & ~changed) | (value & changed);
}

/* ---- maps A and B: other registers ----------------------------------------------------------- */

static uint32_t read_map_a_b(const struct oa_reference *ref, uint32_t address)
{
    const struct oa_reference_state *state = &ref->state;
    switch (address) {
    case 0x2360:
        return state->oacontrol;
    case 0x2364:
        return state->tail | state->buffer_size << 3 | oa_reference_read_flags(ref);
    case 0x2368:
        return read_oastatus2(ref);
    case 0x236c:
        return state->oanoaselect;
    case 0x23b0:
        if (ref->platform == OA_REF_SNB) /* write only */
            return 0;
        return state->oabuffer | (ref->platform == OA_REF_HSW && state->overrun ? 1u << 4 : 0);
    default:
        return 0;
    }
}

static void write_map_a_b(struct oa_reference *ref, uint32_t address, uint32_t value)
{
    switch (address) {
    case 0x2360:
        oa_reference_write_control(ref, value);
        break;
    case 0x2364:
        write_oastatus1(ref, value);
        break;
    case 0x2368:
        write_oastatus2(ref, value);
        break;
    case 0x236c:
        if (ref->platform == OA_REF_SNB)
            ref->state.oanoaselect = value;
        break;
    case 0x23b0:
        ref->state.oabuffer = value & oabuffer_mask(ref);
        break;
    }
}

/* ---- map C: other registers ------------------------------------------------------------------ */

/* Index of the EU_PERF_CNT_CTL register at an address, or 7. */
static unsigned eu_control_index(uint32_t address)
{
    static const uint32_t addresses[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    unsigned i = 0;
    while (i < 7 && addresses[i] != address)
        i++;
    return i;
}

static uint32_t read_map_c(struct oa_reference *ref, uint32_t address)
{
    const struct oa_reference_state *state = &ref->state;
    unsigned eu_control = eu_control_index(address);
    if (eu_control < 7)
        return state->eu_control[eu_control];
    switch (address) {
    case 0x2360:
        return state->oactxcontrol;
    case 0x2364:
        return state->oactxid;
    case 0x23b4:
        return state->oabuffer_high;
    case 0x2b00:
        return state->oacontrol;
    case 0x2b04:
        return state->oa_debug; /* stays 0 before Gen9 */
    case 0x2b08:
        return read_oastatus(ref);
    case 0x2b0c:
        return state->head;
    case 0x2b10:
        return state->tail;
    case 0x2b14:
        return state->oabuffer;
    case 0x2b20:
        return state->oa_imr;
    default:
        return ref->platform == OA_REF_LKF ? oa_reference_interrupt_read(ref, address) : 0;
    }
}

static void write_map_c(struct oa_reference *ref, uint32_t address, uint32_t value)
{
    struct oa_reference_state *state = &ref->state;
    unsigned eu_control = eu_control_index(address);
    if (eu_control < 7) {
        state->eu_control[eu_control] = value;
        return;
    }
    switch (address) {
    case 0x2360:
        state->oactxcontrol = value & 0xff;
        break;
    case 0x2364:
        state->oactxid = value;
        break;
    case 0x23b4:
        state->oabuffer_high = value;
        break;
    case 0x2b00:
        oa_reference_write_control(ref, value);
        break;
    case 0x2b04:
        if (is_gen9(ref))
            oa_reference_write_debug(ref, value);
        break;
    case 0x2b08:
        write_oastatus(ref, value);
        break;
    case 0x2b0c:
        oa_reference_write_head(ref, value);
        break;
    case 0x2b10:
        oa_reference_write_tail(ref, value);
        break;
    case 0x2b14:
        state->oabuffer = value;
        break;
    case 0x2b20:
        state->oa_imr = value;
        break;
    default:
        if (ref->platform == OA_REF_LKF)
            oa_reference_interrupt_write(ref, address, value);
        break;
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

uint32_t oa_reference_read(struct oa_reference *ref, uint32_t address)
{
    if (ref->platform >= OA_REF_TGL)
        return oa_reference_gen12_read(ref, address);
    if (address == 0x2358)
        return (uint32_t)ref->timestamp;
    if (address == 0x235c)
        return (uint32_t)(ref->timestamp >> 32);
    unsigned index;
    enum group group = group_of(ref, address, &index);
    if (group != GROUP_NONE)
        return *group_word(ref, group, index);
    struct live live = live_of(ref, address);
    if (live.counter)
        return (uint32_t)(*live.counter >> (live.upper ? 32 : 0));
    return is_map_c(ref) ? read_map_c(ref, address) : read_map_a_b(ref, address);
}

void oa_reference_write(struct oa_reference *ref, uint32_t address, uint32_t value)
{
    if (ref->platform >= OA_REF_TGL) {
        oa_reference_gen12_write(ref, address, value);
        return;
    }
    unsigned index;
    enum group group = group_of(ref, address, &index);
    struct live live = live_of(ref, address);
    if (group != GROUP_NONE)
        write_group(ref, group, index, value);
    else if (live.counter)
        write_live(&live, value);
    else if (is_map_c(ref))
        write_map_c(ref, address, value);
    else
        write_map_a_b(ref, address, value);
}
