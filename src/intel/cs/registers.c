/* SPDX-License-Identifier: MIT */
/* The command streamers' own registers, and the table of engines. */
#include "intel/cs/registers.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "intel/cs/streamer.h"
#include "intel/platforms.h"
#include "intel/symbols.h"

enum own_register {
    TAIL,
    HEAD,
    START,
    CTL,
    HWS_PGA,
    ACTHD_UDW,
    IPEHR,
    ACTHD,
    NOPID,
    BB_OFFSET,
    CCID,
    SOURCE0,
    SOURCE1,
    DATA,
    RESULT,
    RESULT_1,
    RESULT_2,
    EXCC,
    MI_MODE,
    PP_DIR,
    SYNC_0,
    SYNC_1,
    SYNC_2,
    GPR,
    BB_ADDR, /* to SBB_STATE: of the batches' places */
    BB_ADDR_UDW,
    BB_STATE,
    SBB_ADDR,
    SBB_ADDR_UDW,
    SBB_STATE,
    OWN_REGISTERS,
    PORT = CS_PORTS,
    TIME = CS_TIME,
    STATUS = CS_STATUS,
    STATUS_POINTER = CS_STATUS_POINTER,
    CONTEXT_TIME = CS_CONTEXT_TIME,
    RESET = CS_RESET,
    ERRORS = CS_ERRORS,
    LISTS = CS_LISTS,
    RUNNING = CS_RUNNING,
    STORED = CS_STORED,
    MODE = CS_MODE
};

/* ---- the table ------------------------------------------------------------------------------- */

#define BIT(name) INTEL_BIT(INTEL_##name)
#define GEN6      BIT(SNB)
#define GEN7      (BIT(IVB) | BIT(VLV))
#define GEN8_9    (BIT(BDW) | BIT(CHV) | BIT(SKL))
#define GEN12_UP  BIT(TGL)
#define GEN11_UP  (BIT(ICL) | BIT(LKF) | GEN12_UP)
#define GEN8_UP   (GEN8_9 | GEN11_UP)
#define GEN75_UP  (BIT(HSW) | GEN8_UP)
#define GEN7_UP   (GEN7 | GEN75_UP)
#define ALL       (GEN6 | GEN7_UP)
#define TO_GEN75  (ALL & ~GEN8_UP)

#define TO_GEN9 (ALL & ~GEN11_UP)

#include "regs/pass/fields.h"
#include "intel/cs/registers.def"
#include "regs/pass/end.h"

#define OTHERS(revisions) ALL_OF(0, revisions)
#define RENDER(revisions) ALL_OF(revisions, 0)

#define ALL_OF(render, others)   (render)
#define OWN_NAME(render, others) render
#define REG_BASE                 RENDER_RING_BASE
#include "regs/pass/rows.h"
static const struct reg rcs0_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"
#undef ALL_OF
#undef OWN_NAME

#define ALL_OF(render, others)   (others)
#define OWN_NAME(render, others) others

#define REG_BASE   RENDER_RING_BASE
#define REG_PREFIX "BCS0_"
#include "regs/pass/rows.h"
static const struct reg bcs0_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

#define REG_BASE   RENDER_RING_BASE
#define REG_PREFIX "VCS0_"
#include "regs/pass/rows.h"
static const struct reg vcs0_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

#define REG_BASE   RENDER_RING_BASE
#define REG_PREFIX "VCS1_"
#include "regs/pass/rows.h"
static const struct reg vcs1_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

#define REG_BASE   RENDER_RING_BASE
#define REG_PREFIX "VCS2_"
#include "regs/pass/rows.h"
static const struct reg vcs2_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

#define REG_BASE   RENDER_RING_BASE
#define REG_PREFIX "VECS0_"
#include "regs/pass/rows.h"
static const struct reg vecs0_registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

/* reg.id of a status page in its own table. */
#define CS_PAGE_OF(engine) (0x200 + (engine))

#include "regs/pass/rows.h"
static const struct reg status_pages[] = {
#include "intel/cs/status_pages.def"
};
#include "regs/pass/end.h"

#define DOCUMENT "docs/reference/intel-oa-hardware.md"

const struct reg_map cs_status_pages_map = {
    .name = "status-pages",
    .document = DOCUMENT,
    .base = 0,
    .size = 0x5000,
    .regs = status_pages,
    .count = ARRAY_COUNT(status_pages),
};

/* ---- engines --------------------------------------------------------------------------------- */

#define MAP(of, at, table)                                                                         \
    {                                                                                              \
        .name = of, .document = DOCUMENT, .base = at, .size = 0x3000, .regs = table,               \
        .count = ARRAY_COUNT(table), .has_basis = true                                             \
    }
#define ENGINE(name, id, class, instance, revisions, base, registers)                              \
    {                                                                                              \
        name, id, class, instance, revisions, MAP(name, base, registers)                           \
    }

// clang-format off
static const struct cs_engine engines[] = {
    ENGINE("rcs0",  CS_RCS0,  CS_RENDER,        0, ALL,               RENDER_RING_BASE,      rcs0_registers),
    ENGINE("bcs0",  CS_BCS0,  CS_COPY,          0, ALL,               BLT_RING_BASE,         bcs0_registers),
    ENGINE("vcs0",  CS_VCS0,  CS_VIDEO,         0, TO_GEN9,           GEN6_BSD_RING_BASE,    vcs0_registers),
    ENGINE("vcs0",  CS_VCS0,  CS_VIDEO,         0, GEN11_UP,          GEN11_BSD_RING_BASE,   vcs0_registers),
    ENGINE("vcs1",  CS_VCS1,  CS_VIDEO,         1, BIT(BDW)|BIT(SKL), GEN8_BSD2_RING_BASE,   vcs1_registers),
    ENGINE("vcs2",  CS_VCS2,  CS_VIDEO,         2, GEN11_UP,          GEN11_BSD3_RING_BASE,  vcs2_registers),
    ENGINE("vecs0", CS_VECS0, CS_VIDEO_ENHANCE, 0, BIT(HSW) | GEN8_9, VEBOX_RING_BASE,       vecs0_registers),
    ENGINE("vecs0", CS_VECS0, CS_VIDEO_ENHANCE, 0, GEN11_UP,          GEN11_VEBOX_RING_BASE, vecs0_registers),
};
// clang-format on

const struct cs_engine *cs_engine_at(size_t index)
{
    return index < ARRAY_COUNT(engines) ? &engines[index] : NULL;
}

const struct cs_engine *cs_engine(enum intel_revision revision, enum cs_engine_id id)
{
    const struct cs_engine *engine;
    for (size_t i = 0; (engine = cs_engine_at(i)); i++)
        if (engine->id == id && engine->revisions & INTEL_BIT(revision))
            return engine;
    return NULL;
}

/* ---- the values ------------------------------------------------------------------------------ */

#define MEMBER(member)                                                                             \
    {                                                                                              \
        offsetof(struct streamer, member), sizeof((struct streamer *)0)->member                    \
    }

static const struct {
    size_t offset, bytes;
} members[OWN_REGISTERS] = {
    [TAIL] = MEMBER(ring_tail),
    [HEAD] = MEMBER(ring_head),
    [START] = MEMBER(ring_start),
    [CTL] = MEMBER(ring_ctl),
    [HWS_PGA] = MEMBER(hws_pga),
    [ACTHD_UDW] = MEMBER(acthd),
    [IPEHR] = MEMBER(ipehr),
    [ACTHD] = MEMBER(acthd),
    [NOPID] = MEMBER(nopid),
    [BB_OFFSET] = MEMBER(bb_offset),
    [CCID] = MEMBER(ccid),
    [SOURCE0] = MEMBER(predicate_source[0]),
    [SOURCE1] = MEMBER(predicate_source[1]),
    [DATA] = MEMBER(predicate_data),
    [RESULT] = MEMBER(predicate_result),
    [RESULT_1] = MEMBER(predicate_result_1),
    [RESULT_2] = MEMBER(predicate_result_2),
    [EXCC] = MEMBER(excc),
    [MI_MODE] = MEMBER(mi_mode),
    [PP_DIR] = MEMBER(ppgtt),
    [SYNC_0] = MEMBER(sync[0]),
    [SYNC_1] = MEMBER(sync[1]),
    [SYNC_2] = MEMBER(sync[2]),
    [GPR] = MEMBER(gpr[0]),
};

static uint32_t revision(const struct streamer *streamer)
{
    return INTEL_BIT(streamer->platform->revision);
}

static const struct reg *reg_at(const struct streamer *streamer, uint32_t address)
{
    struct reg_place place;
    return reg_find(&streamer->engine->map, revision(streamer), UINT_MAX, address, REG_READ,
                    &place) &&
                   place.reg->id < OWN_REGISTERS
               ? place.reg
               : NULL;
}

/* Returns the offset of the last element of a register. */
static uint32_t last_offset(const struct reg *reg)
{
    uint32_t offset = reg->offset;
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        offset += (reg->dimensions[d].count - 1) * reg->dimensions[d].stride;
    return offset;
}

/* Caches the register of each dword, because commands access registers often. */
void cs_registers_init(struct streamer *streamer)
{
    const struct reg_map *map = &streamer->engine->map;
    memset(streamer->own, 0, sizeof streamer->own);
    for (size_t i = 0; i < map->count; i++) {
        uint32_t last = last_offset(&map->regs[i]);
        for (uint32_t at = map->regs[i].offset; at <= last && at < STREAMER_OWN; at += 4) {
            const struct reg *reg = reg_at(streamer, map->base + at);
            streamer->own[at / 4] = (uint8_t)(reg ? reg - map->regs + 1 : 0);
        }
    }
}

/* Finds the register that commands access at an address; NULL if there is none. */
static const struct reg *find(const struct streamer *streamer, uint32_t address)
{
    const struct reg_map *map = &streamer->engine->map;
    if (address % 4)
        return NULL;
    if (address - map->base < STREAMER_OWN) {
        uint8_t own = streamer->own[(address - map->base) / 4];
        return own ? &map->regs[own - 1] : NULL;
    }
    return reg_at(streamer, address);
}

/* A register's value in a streamer: a member, and the half of it, since 64-bit members are two
 * dwords. */
struct member {
    size_t at, bytes;
    unsigned half;
};

/* `offset` is that of the address in the register's map. */
static struct member locate(const struct reg *reg, uint32_t offset)
{
    unsigned id = reg->id < OWN_REGISTERS ? reg->id : HWS_PGA; /* Gen7's status pages */
    uint32_t dword = (offset - reg->offset) / 4;
    return (struct member){
        .at = members[id].offset + dword / 2 * members[id].bytes,
        .bytes = members[id].bytes,
        .half = id == ACTHD_UDW ? 1 : dword % 2,
    };
}

static uint64_t load(const struct streamer *streamer, const struct member *member)
{
    uint64_t value = 0;
    uint32_t low;
    const char *at = (const char *)streamer + member->at;
    if (member->bytes == sizeof value) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&low, at, sizeof low);
    return low;
}

static bool is_of_batch(const struct reg *reg)
{
    return reg->id >= BB_ADDR && reg->id <= SBB_STATE;
}

/* Whether the first or second level has a batch (OA-12.7). */
static bool has_level(const struct streamer *streamer, unsigned level)
{
    if (level == STREAMER_SECOND)
        return streamer->level >= STREAMER_SECOND;
    return streamer->level == STREAMER_BATCH || (streamer->level && streamer->has_batch);
}

static uint32_t read_batch(const struct streamer *streamer, unsigned id)
{
    unsigned level = id >= SBB_ADDR ? STREAMER_SECOND : STREAMER_BATCH;
    struct streamer_place place = streamer_batch(streamer, level);
    switch (id) {
    case BB_ADDR:
    case SBB_ADDR:
        return (uint32_t)place.address | REG_PUT(RING_BBADDR, VALID, has_level(streamer, level));
    case BB_ADDR_UDW:
    case SBB_ADDR_UDW:
        return (uint32_t)(place.address >> 32);
    default:
        return REG_PUT(RING_BBSTATE, PPGTT, !place.privileged);
    }
}

static uint32_t read_member(const struct streamer *streamer, const struct reg *reg, uint32_t offset)
{
    if (is_of_batch(reg))
        return read_batch(streamer, reg->id);
    struct member member = locate(reg, offset);
    return (uint32_t)(load(streamer, &member) >> 32 * member.half);
}

static void write_member(struct streamer *streamer, const struct reg *reg, uint32_t offset,
                         uint32_t value)
{
    struct member member = locate(reg, offset);
    if (reg->id == EXCC || reg->id == MI_MODE)
        value = reg_write_masked((uint16_t)load(streamer, &member), value);
    if (reg->id == MI_MODE)
        value &= ~REG_MASK(RING_MI_MODE, MODE_IDLE);
    uint64_t whole = load(streamer, &member) & ~(UINT64_C(0xffffffff) << 32 * member.half);
    whole |= (uint64_t)value << 32 * member.half;
    uint32_t low = (uint32_t)whole;
    if (member.bytes == sizeof whole)
        memcpy((char *)streamer + member.at, &whole, sizeof whole);
    else
        memcpy((char *)streamer + member.at, &low, sizeof low);
}

/* ---- accesses by MMIO ------------------------------------------------------------------------ */

static uint32_t offset_of(const struct reg_request *request)
{
    return request->address - request->row->map->base;
}

/* Only MMIO sees MODE_IDLE: a command that reads the register is not idle, and images do not have
 * it (OA-16.4). */
static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct reg *reg = request->row->reg;
    bool idle = reg->id == MI_MODE && streamer_is_idle(context);
    return read_member(context, reg, offset_of(request)) | REG_PUT(RING_MI_MODE, MODE_IDLE, idle);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    write_member(context, request->row->reg, offset_of(request), value & request->row->writable);
}

struct reg_block cs_own_block(const struct cs_engine *engine)
{
    return (struct reg_block){
        .map = &engine->map,
        .common = {read_register, write_register},
        .end_id = OWN_REGISTERS,
    };
}

struct reg_block cs_status_page_block(const struct cs_engine *engine)
{
    return (struct reg_block){
        .map = &cs_status_pages_map,
        .common = {read_register, write_register},
        .first_id = CS_PAGE_OF(engine->id),
        .end_id = CS_PAGE_OF(engine->id) + 1,
    };
}

/* ---- context images -------------------------------------------------------------------------- */

/* Takes over a register of a batch. A valid level is the present one, if it is the highest. */
static void restore_batch(struct streamer *streamer, unsigned id, uint32_t value)
{
    unsigned level = id >= SBB_ADDR ? STREAMER_SECOND : STREAMER_BATCH;
    struct streamer_place *place = &streamer->batch[level - STREAMER_BATCH];
    if (id == BB_STATE || id == SBB_STATE) {
        bool ppgtt = REG_GET(RING_BBSTATE, PPGTT, value);
        place->space = ppgtt ? streamer->ppgtt : STREAMER_GGTT;
        place->privileged = !ppgtt;
    } else if (id == BB_ADDR_UDW || id == SBB_ADDR_UDW) {
        place->address = (uint32_t)place->address | (uint64_t)value << 32;
    } else {
        place->address =
            (place->address & ~(uint64_t)UINT32_MAX) | (value & REG_MASK(RING_BBADDR, ADDRESS));
        if (!REG_GET(RING_BBADDR, VALID, value))
            return;
        streamer->has_batch = streamer->has_batch || level == STREAMER_BATCH;
        if (streamer->level < level)
            streamer->level = (uint8_t)level;
    }
}

void streamer_restore(struct streamer *streamer, uint32_t address, uint32_t value)
{
    const struct reg *reg = find(streamer, address);
    if (!reg)
        return;
    if (is_of_batch(reg))
        restore_batch(streamer, reg->id, value);
    else if (reg->id > HWS_PGA && reg->access & REG_WRITE) /* not the ring's registers */
        streamer_write(streamer, address, value);
}

/* ---- accesses by commands -------------------------------------------------------------------- */

bool streamer_read(const struct streamer *streamer, const struct streamer_callbacks *callbacks,
                   uint32_t address, uint32_t *out)
{
    uint32_t offset = address - streamer->engine->map.base;
    uint32_t time = RING_TIMESTAMP - RENDER_RING_BASE; /* listed in the OA unit's table */
    if (offset == time || offset == time + 4) {
        uint64_t now = callbacks->timestamp ? callbacks->timestamp(callbacks->closure) : 0;
        *out = (uint32_t)(now >> (offset - time) * 8);
        return true;
    }
    const struct reg *reg = find(streamer, address);
    if (reg)
        *out = read_member(streamer, reg, offset);
    return reg;
}

bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value)
{
    uint32_t offset = address - streamer->engine->map.base;
    const struct reg *reg = find(streamer, address);
    if (offset == RING_TIMESTAMP - RENDER_RING_BASE ||
        offset == RING_TIMESTAMP - RENDER_RING_BASE + 4)
        return true; /* read-only */
    if (reg && (reg->access & REG_WRITE))
        write_member(streamer, reg, offset,
                     value & reg_mask(reg, revision(streamer), UINT_MAX, REG_WRITE));
    return reg;
}
