/* SPDX-License-Identifier: MIT */
/* MMIO: handlers of the registers, and accesses to them (OAT-6). */
#include <limits.h>
#include <stdatomic.h>

#include "base/bits.h"
#include "intel/oa/unit.h"
#include "regs/index.h"

#define POINTER_BITS REG_MASK(OA_POINTER, POINTER)

static enum oa_register id_of(const struct reg_request *request)
{
    return (enum oa_register)request->row->reg->id;
}

/* Returns the number of an element: the number of the row's first element (`flags`) plus the index.
 * CECn-0 and CECn-1 alternate. */
static unsigned element(const struct reg_request *request)
{
    bool pairs = id_of(request) == OA_CEC || id_of(request) == OA_SCEC;
    return request->row->reg->flags + (pairs ? 2 * request->element : request->element);
}

/* Returns the value of a register whose bits 31:16 are write enables for bits 15:0. */
static uint32_t masked_write(uint32_t before, uint32_t value)
{
    return reg_write_masked(before, value);
}

/* ---- stored words ---------------------------------------------------------------------------- */

static uint32_t read_stored(void *context, const struct reg_request *request)
{
    const struct tally_oa *unit = context;
    return unit->regs[id_of(request) + element(request)];
}

static void write_stored(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    unit->regs[id_of(request) + element(request)] = value & request->row->writable;
}

static void write_control(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    unit->regs[OA_CONTROL] = value & request->row->writable;
    if (value & 1)
        return;
    /* Disabling clears block counters, fired states, previous triggers (OA-D12 to OA-D14). */
    for (unsigned i = 0; i < 2; i++)
        unit->start[i] = unit->report[i] = (struct trigger_block){0};
}

static void write_debug(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    (void)request;
    unit->regs[OA_DEBUG] = masked_write(unit->regs[OA_DEBUG], value);
}

/* The first two registers of a block clear its counter (OA-D12). */
static void write_trigger(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    struct trigger_block *blocks = id_of(request) == OA_START_TRIG ? unit->start : unit->report;
    unsigned n = element(request);
    if (n % 4 < 2)
        blocks[n / 4].count = 0;
    write_stored(context, request, value);
}

/* On HSW OABUFFER contains the Overrun status. */
static uint32_t read_buffer(void *context, const struct reg_request *request)
{
    const struct tally_oa *unit = context;
    (void)request;
    return unit->regs[OA_BUFFER] | (unit->variant->overrun_in_buffer && (unit->flags & FLAG_OVERRUN)
                                        ? REG_MASK(GEN7_OABUFFER, OVERRUN)
                                        : 0);
}

/* ---- status and pointers --------------------------------------------------------------------- */

static uint32_t read_status(void *context, const struct reg_request *request)
{
    const struct tally_oa *unit = context;
    (void)request;
    if (is_map_d(unit)) /* without wrap bits and Overrun */
        return unit->flags & 7;
    if (is_map_c(unit))
        return unit->flags | REG_PUT(GEN8_OASTATUS, HEAD_WRAP, unit->head_wrap) |
               REG_PUT(GEN8_OASTATUS, TAIL_WRAP, unit->tail_wrap);
    return unit->tail | REG_PUT(GEN7_OASTATUS1, BUFFER_SIZE, unit->size_code) | (unit->flags & 7);
}

/* A head below the old one means that software wrapped around (OA-D31). */
static void set_head(struct tally_oa *unit, uint32_t value)
{
    uint32_t head = value & POINTER_BITS;
    if (head < unit->head)
        unit->head_wrap = !unit->head_wrap;
    unit->head = head;
}

static void set_tail(struct tally_oa *unit, uint32_t value)
{
    unit->tail = value & POINTER_BITS;
    unit->tail_wrap = unit->head_wrap;
}

static void write_status(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    (void)request;
    if (is_map_d(unit)) {
        unit->flags = (unit->flags & FLAG_OVERRUN) | (value & 7);
        return;
    }
    if (is_map_c(unit)) {
        unit->flags = value & 15;
        unit->head_wrap = REG_GET(GEN8_OASTATUS, HEAD_WRAP, value);
        unit->tail_wrap = REG_GET(GEN8_OASTATUS, TAIL_WRAP, value);
        return;
    }
    set_tail(unit, value);
    unit->size_code = REG_GET(GEN7_OASTATUS1, BUFFER_SIZE, value);
    unit->flags =
        (unit->flags & FLAG_OVERRUN) | (value & (unit->variant->has_report_lost ? 7u : 6u));
}

static uint32_t read_status2(void *context, const struct reg_request *request)
{
    const struct tally_oa *unit = context;
    (void)request;
    if (unit->variant->wraps_in_status2)
        return unit->head | REG_PUT(GEN7_OASTATUS2, TAIL_WRAP, unit->tail_wrap) |
               REG_PUT(GEN7_OASTATUS2, HEAD_WRAP, unit->head_wrap) |
               REG_PUT(GEN7_OASTATUS2, GGTT, 1);
    return unit->head | unit->ggtt;
}

static void write_status2(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    (void)request;
    set_head(unit, value);
    if (!unit->variant->wraps_in_status2) {
        unit->ggtt = value & 1;
        return;
    }
    if (REG_GET(GEN7_OASTATUS2, TAIL_WRAP_MASK, value))
        unit->tail_wrap = REG_GET(GEN7_OASTATUS2, TAIL_WRAP, value);
    if (REG_GET(GEN7_OASTATUS2, HEAD_WRAP_MASK, value))
        unit->head_wrap = REG_GET(GEN7_OASTATUS2, HEAD_WRAP, value);
}

static uint32_t read_head(void *context, const struct reg_request *request)
{
    (void)request;
    return ((const struct tally_oa *)context)->head;
}

static void write_head(void *context, const struct reg_request *request, uint32_t value)
{
    (void)request;
    set_head(context, value);
}

static uint32_t read_tail(void *context, const struct reg_request *request)
{
    (void)request;
    return ((const struct tally_oa *)context)->tail;
}

static void write_tail(void *context, const struct reg_request *request, uint32_t value)
{
    (void)request;
    set_tail(context, value);
}

/* ---- time and counters ----------------------------------------------------------------------- */

static uint64_t *counter(struct tally_oa *unit, const struct reg_request *request)
{
    unsigned n = element(request);
    switch (id_of(request)) {
    case OA_PERF_A:
    case OA_PERF_A_UPPER:
        return &unit->a[n];
    case OA_PERF_B:
        return &unit->b[n];
    case OA_PERF_C:
        return &unit->c[n];
    case OA_FREE:
    case OA_FREE_UPPER:
        return &unit->free[n];
    case OAR_PERF_A:
    case OAR_PERF_A_UPPER:
        return &unit->oar.a[n];
    case OAR_PERF_B:
        return &unit->oar.b[n];
    case OAR_PERF_C:
        return &unit->oar.c[n];
    default:
        return &unit->timestamp;
    }
}

static uint32_t read_counter_low(void *context, const struct reg_request *request)
{
    return (uint32_t)*counter(context, request);
}

static uint32_t read_counter_high(void *context, const struct reg_request *request)
{
    return (uint32_t)(*counter(context, request) >> 32);
}

/* A write loads the counter, even while it counts (OA-D20, OA-U28). */
static void write_counter_low(void *context, const struct reg_request *request, uint32_t value)
{
    uint64_t *at = counter(context, request);
    *at = (*at & ~UINT64_C(0xffffffff)) | value;
}

static void write_counter_high(void *context, const struct reg_request *request, uint32_t value)
{
    uint64_t *at = counter(context, request);
    *at = (*at & UINT64_C(0xffffffff)) | (uint64_t)(value & 0xff) << 32;
}

/* B and C counters have 32 bits. */
static void write_counter32(void *context, const struct reg_request *request, uint32_t value)
{
    *counter(context, request) = value;
}

static uint32_t read_ticks(void *context, const struct reg_request *request)
{
    (void)request;
    return ((const struct tally_oa *)context)->ticks;
}

/* ---- replicated registers of the subslices --------------------------------------------------- */

static uint32_t read_eu_control(void *context, const struct reg_request *request)
{
    const struct tally_oa *unit = context;
    return request->instance < unit->variant->subslices
               ? unit->flex[request->instance][element(request)]
               : 0;
}

static void write_eu_control(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_oa *unit = context;
    for (unsigned i = 0; i < unit->variant->subslices; i++) {
        uint32_t *control = &unit->flex[i][element(request)];
        if (!(request->instances >> i & 1) || *control == value)
            continue;
        *control = value;
        unit->groups_stale = true;
    }
}

/* ---- OAR ------------------------------------------------------------------------------------- */

static uint32_t *oar_word(struct tally_oa *unit, const struct reg_request *request)
{
    switch (id_of(request)) {
    case OAR_CONTROL:
        return &unit->oar.control;
    case OAR_STATUS:
        return &unit->oar.flags;
    case OAR_CTXCONTROL:
        return &unit->oar.ctxcontrol;
    default:
        return &unit->oar.context_control;
    }
}

static uint32_t read_oar(void *context, const struct reg_request *request)
{
    return *oar_word(context, request);
}

static void write_oar(void *context, const struct reg_request *request, uint32_t value)
{
    *oar_word(context, request) = value & request->row->writable;
}

static void write_oar_masked(void *context, const struct reg_request *request, uint32_t value)
{
    uint32_t *word = oar_word(context, request);
    *word = masked_write(*word, value);
}

/* ---- the handlers ---------------------------------------------------------------------------- */

/* NULL: the common handler, or read-only. */
static const struct reg_handler special[] = {
    [OA_CONTROL] = {NULL, write_control},
    [OA_DEBUG] = {NULL, write_debug},
    [OA_BUFFER] = {read_buffer, NULL},
    [OA_START_TRIG] = {NULL, write_trigger},
    [OA_REPORT_TRIG] = {NULL, write_trigger},
    [OA_EU_CTL] = {read_eu_control, write_eu_control},
    [OA_STATUS] = {read_status, write_status},
    [OA_STATUS2] = {read_status2, write_status2},
    [OA_HEADPTR] = {read_head, write_head},
    [OA_TAILPTR] = {read_tail, write_tail},
    [OA_TIMESTAMP_LOW] = {read_counter_low, NULL},
    [OA_TIMESTAMP_HIGH] = {read_counter_high, NULL},
    [OA_GPU_TICKS] = {read_ticks, NULL},
    [OA_PERF_A] = {read_counter_low, write_counter_low},
    [OA_PERF_A_UPPER] = {read_counter_high, write_counter_high},
    [OA_PERF_B] = {read_counter_low, write_counter32},
    [OA_PERF_C] = {read_counter_low, write_counter32},
    [OA_FREE] = {read_counter_low, NULL},
    [OA_FREE_UPPER] = {read_counter_high, NULL},
    [OAR_CONTROL] = {read_oar, write_oar},
    [OAR_STATUS] = {read_oar, write_oar},
    [OAR_CTXCONTROL] = {read_oar, write_oar},
    [OAR_CONTEXT_CONTROL] = {read_oar, write_oar_masked},
    [OAR_PERF_A] = {read_counter_low, write_counter_low},
    [OAR_PERF_A_UPPER] = {read_counter_high, write_counter_high},
    [OAR_PERF_B] = {read_counter_low, write_counter32},
    [OAR_PERF_C] = {read_counter_low, write_counter32},
};

struct reg_block oa_block(enum intel_revision revision)
{
    return (struct reg_block){
        .map = oa_registers(revision),
        .common = {read_stored, write_stored},
        .special = special,
        .special_count = ARRAY_COUNT(special),
    };
}

/* Built when the first unit of a revision is created, and kept. */
const struct reg_index *oa_index(enum intel_revision revision)
{
    static struct reg_index *_Atomic indexes[INTEL_REVISIONS];
    struct reg_index *built = atomic_load_explicit(&indexes[revision], memory_order_acquire);
    if (built)
        return built;
    struct reg_block block = oa_block(revision);
    return reg_index_publish(&indexes[revision], reg_index_new(&(struct reg_part){&block, 0}, 1,
                                                               INTEL_BIT(revision), UINT_MAX));
}

/* ---- access ---------------------------------------------------------------------------------- */

static uint32_t read_instance(const struct tally_oa *unit, unsigned instance, uint32_t address)
{
    struct reg_request request = {.address = address, .instance = instance};
    request.row = reg_index_find(unit->index, address, &request.element);
    return reg_check_read(request.row) == REG_DONE
               ? request.row->handler.read((void *)unit, &request)
               : 0;
}

static void write_instances(struct tally_oa *unit, uint32_t instances, uint32_t address,
                            uint32_t value)
{
    struct reg_request request = {.address = address, .instances = instances};
    request.row = reg_index_find(unit->index, address, &request.element);
    if (request.row && (request.row->reg->access & REG_WRITE))
        request.row->handler.write(unit, &request, value);
}

uint32_t tally_oa_read32(const struct tally_oa *unit, uint32_t address)
{
    return read_instance(unit, 0, address);
}

void tally_oa_write32(struct tally_oa *unit, uint32_t address, uint32_t value)
{
    write_instances(unit, UINT32_MAX, address, value);
}

/* ---- steering -------------------------------------------------------------------------------- */

static bool is_replicated(const struct tally_oa *unit, uint32_t address)
{
    unsigned n;
    const struct reg_row *row = reg_index_find(unit->index, address, &n);
    return row && row->reg->id == OA_EU_CTL;
}

void tally_oa_write_subslices(struct tally_oa *unit, uint32_t subslices, uint32_t address,
                              uint32_t value)
{
    if (is_replicated(unit, address))
        write_instances(unit, subslices, address, value);
}

uint32_t tally_oa_read_subslice(const struct tally_oa *unit, unsigned subslice, uint32_t address)
{
    return is_replicated(unit, address) ? read_instance(unit, subslice, address) : 0;
}
