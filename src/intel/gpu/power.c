/* SPDX-License-Identifier: MIT */
/*
 * RC6: the conditions for entering it, saving and restoring registers and counters, and the blind
 * spot in between (OA-2.14). Saving follows the table of gt/power.h; before Gen8, for which the
 * documents name no registers, only counters are saved.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "intel/gpu/gpu.h"

/* Registers whose writes have side effects: addresses up to Gen11, and from Gen12 on. */
enum special_register { DEBUG_AT, STATUS_AT, HEAD_AT, TAIL_AT, CONTEXT_CONTROL_AT };

static const uint32_t special_addresses[2][5] = {
    {GEN9_OA_DEBUG, GEN8_OASTATUS, GEN8_OAHEADPTR, GEN8_OATAILPTR, 0},
    {GEN12_OAG_OA_DEBUG, GEN12_OAG_OASTATUS, GEN12_OAG_OAHEADPTR, GEN12_OAG_OATAILPTR,
     RING_CONTEXT_CONTROL}};

/* ---- registers and counters, without side effects -------------------------------------------- */

static bool is_at(const struct tally_gpu *gpu, enum special_register which, uint32_t address)
{
    return address == special_addresses[is_map_d(gpu->oa)][which];
}

/* Returns the status flags with the wrap bits, which only Gen8 to Gen11 have in OASTATUS. */
static uint32_t read_status(const struct tally_oa *oa)
{
    return oa->flags | REG_PUT(GEN8_OASTATUS, HEAD_WRAP, oa->head_wrap) |
           REG_PUT(GEN8_OASTATUS, TAIL_WRAP, oa->tail_wrap);
}

static void restore_status(struct tally_oa *oa, uint32_t value)
{
    oa->flags = value & 15;
    oa->head_wrap = REG_GET(GEN8_OASTATUS, HEAD_WRAP, value);
    oa->tail_wrap = REG_GET(GEN8_OASTATUS, TAIL_WRAP, value);
}

static uint32_t read_saved(void *context, uint32_t address)
{
    struct tally_gpu *gpu = context;
    if (is_at(gpu, STATUS_AT, address))
        return read_status(gpu->oa);
    unsigned first = has_steering(gpu) ? gt_routing_first(&gpu->routing, GT_GROUP_SUBSLICE) : 0;
    uint32_t value;
    if (noa_read(&gpu->noa, address, &value))
        return value;
    return is_flexible(address) ? tally_oa_read_subslice(gpu->oa, first, address)
                                : tally_oa_read32(gpu->oa, address);
}

static void restore(void *context, uint32_t address, uint32_t value)
{
    struct tally_gpu *gpu = context;
    if (noa_owns(&gpu->noa, address))
        noa_set32(&gpu->noa, address, value);
    else if (is_at(gpu, DEBUG_AT, address))
        gpu->oa->regs[OA_DEBUG] = value;
    else if (is_at(gpu, STATUS_AT, address))
        restore_status(gpu->oa, value);
    else if (is_at(gpu, HEAD_AT, address))
        gpu->oa->head = value;
    else if (is_at(gpu, TAIL_AT, address))
        gpu->oa->tail = value;
    else if (is_at(gpu, CONTEXT_CONTROL_AT, address))
        gpu->oa->oar.context_control = value;
    else if (is_flexible(address) || tally_oa_read32(gpu->oa, address) != value)
        tally_oa_write32(gpu->oa, address, value);
}

static uint64_t *counter(struct tally_oa *oa, enum gt_counter kind, unsigned index)
{
    switch (kind) {
    case GT_COUNTER_A:
        return &oa->a[index];
    case GT_COUNTER_B:
        return &oa->b[index];
    case GT_COUNTER_C:
        return &oa->c[index];
    case GT_COUNTER_FREE:
        return &oa->free[index];
    default:
        return NULL; /* GPU_TICKS and TIMESTAMP are kept */
    }
}

static uint64_t count(void *context, enum gt_counter kind, unsigned index)
{
    const struct tally_gpu *gpu = context;
    const uint64_t *value = counter(gpu->oa, kind, index);
    return value ? *value : 0;
}

static void set_count(void *context, enum gt_counter kind, unsigned index, uint64_t value)
{
    const struct tally_gpu *gpu = context;
    uint64_t *at = counter(gpu->oa, kind, index);
    if (at)
        *at = value;
}

static struct gt_power_io power_io(struct tally_gpu *gpu)
{
    bool registers = is_map_c(gpu->oa);
    return (struct gt_power_io){
        .read = registers ? read_saved : NULL,
        .write = registers ? restore : NULL,
        .count = count,
        .set_count = set_count,
        .context = gpu,
        .narrow = !is_map_c(gpu->oa),
        .revision = (uint8_t)gpu->platform->revision,
    };
}

/* ---- entry and exit -------------------------------------------------------------------------- */

static bool is_requested(const struct tally_gpu *gpu)
{
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        if (gt_forcewake_requested(&gpu->wake, (enum gt_domain)i))
            return true;
    return false;
}

void power_enter(struct tally_gpu *gpu)
{
    if (gpu->in_rc6)
        return;
    gpu_settle(gpu);
    if (!gpu->context_lost) /* else no context has been loaded since the last RC6 */
        gpu->saved_oactxcontrol = gpu->oa->regs[OA_CTXCONTROL];
    gpu->context_lost = is_map_c(gpu->oa) && !is_map_d(gpu->oa);
    gpu->ticks = gpu->oa->ticks;
    gpu->blind_clocks_left = gpu->rc6_blind_clocks;
    gpu->in_rc6 = true;
    struct gt_power_io io = power_io(gpu);
    gt_power_down(&gpu->power, GT_EVENT_RC6, &io);
}

int tally_gpu_enter_rc6(struct tally_gpu *gpu)
{
    if (gpu->in_rc6)
        return -EALREADY;
    if (is_requested(gpu) || !noa_allows_rc6(&gpu->noa))
        return -EBUSY;
    power_enter(gpu);
    return 0;
}

void tally_gpu_exit_rc6(struct tally_gpu *gpu)
{
    struct gt_power_io io = power_io(gpu);
    if (!gpu->in_rc6)
        return;
    gt_power_up(&gpu->power, &io);
    gpu->in_rc6 = false;
    gpu->idle_clocks = 0;
    power_run_batch(gpu, TALLY_GPU_BATCH_RENDER);
}

bool tally_gpu_in_rc6(const struct tally_gpu *gpu)
{
    return gpu->in_rc6;
}

uint64_t tally_gpu_rc6_ns(const struct tally_gpu *gpu)
{
    return gpu->rc6_ns;
}

uint64_t tally_gpu_awake_clocks(const struct tally_gpu *gpu)
{
    return gpu->awake_clocks;
}

uint64_t tally_gpu_busy_ns(const struct tally_gpu *gpu)
{
    return gpu->busy_ns;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Returns the domains that must stay awake for the work in progress. */
static uint32_t domains_of_work(const struct tally_gpu *gpu)
{
    uint32_t render = GT_DOMAIN_BIT(GT_DOMAIN_GT) | GT_DOMAIN_BIT(GT_DOMAIN_RENDER);
    uint32_t domains = gpu_is_workload_active(gpu) ? render : 0;
    FOR_EACH_ENGINE (id, gpu->used)
        if (!engine_is_idle(&gpu->engines[id]))
            domains |= id == CS_RCS0 ? render : gpu_engine_domains(gpu, &gpu->engines[id]);
    return domains;
}

void power_update(struct tally_gpu *gpu)
{
    uint32_t domains = domains_of_work(gpu), changed = domains ^ gpu->held;
    for (unsigned i = 0; changed && i < GT_DOMAINS && !gpu->always_awake; i++)
        if (changed & GT_DOMAIN_BIT(i))
            gt_forcewake_hold(&gpu->wake, (enum gt_domain)i, domains & GT_DOMAIN_BIT(i));
    gpu->held = domains;
    if (!is_requested(gpu))
        return;
    gpu->idle_clocks = 0;
    tally_gpu_exit_rc6(gpu);
}

/* Whether the GT enters RC6 after enough idle clocks. */
static bool may_enter_rc6(const struct tally_gpu *gpu)
{
    return gpu->rc6_after_clocks && !gpu->in_rc6 && !is_requested(gpu) && noa_allows_rc6(&gpu->noa);
}

uint64_t power_horizon(const struct tally_gpu *gpu)
{
    if (gpu->in_rc6 && gpu->blind_clocks_left)
        return gpu->blind_clocks_left;
    if (!may_enter_rc6(gpu))
        return UINT64_MAX;
    return gpu->rc6_after_clocks - gpu->idle_clocks;
}

/* Counts the timer reports that are missing because RC6 stopped the timer's clock or lost its
 * configuration. */
static void count_missed_reports(struct tally_gpu *gpu, uint64_t clocks)
{
    uint32_t present = gpu->oa->regs[is_map_c(gpu->oa) ? OA_CTXCONTROL : OA_CONTROL];
    uint32_t before = is_map_c(gpu->oa) ? gpu->saved_oactxcontrol : timer_of_oacontrol(present);
    if (!gpu->blind_clocks_left || (is_map_c(gpu->oa) && present != before))
        gpu->oa->stats.in_rc6 += count_strobes(gpu->oa, before, clocks);
}

static void advance_in_rc6(struct tally_gpu *gpu, uint64_t clocks)
{
    count_missed_reports(gpu, clocks);
    if (!gpu->blind_clocks_left) {
        tally_oa_pause(gpu->oa, clocks);
        return;
    }
    tally_oa_run(gpu->oa, clocks);
    gpu->blind_clocks_left -= (uint32_t)clocks;
    gpu->oa->ticks = gpu->ticks;
}

void power_advance(struct tally_gpu *gpu, uint64_t clocks)
{
    if (gpu->in_rc6) {
        advance_in_rc6(gpu, clocks);
        return;
    }
    gpu_advance_oa(gpu, clocks);
    if (!may_enter_rc6(gpu))
        return;
    gpu->idle_clocks += clocks;
    if (gpu->idle_clocks >= gpu->rc6_after_clocks)
        power_enter(gpu);
}

/* ---- the blind spot -------------------------------------------------------------------------- */

uint64_t tally_gpu_blind(const struct tally_gpu *gpu, const char *name)
{
    static const struct {
        const char *prefix;
        enum gt_counter kind;
    } kinds[] = {
        {"a", GT_COUNTER_A}, {"b", GT_COUNTER_B}, {"c", GT_COUNTER_C}, {"free", GT_COUNTER_FREE}};
    static const uint8_t copied[FREE_COPIES] = {4, 6, 19, 20};
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        size_t length = strlen(kinds[i].prefix);
        char *end;
        if (strncmp(name, kinds[i].prefix, length) || name[length] < '0' || name[length] > '9')
            continue;
        unsigned long index = strtoul(name + length, &end, 10);
        for (unsigned k = 0; kinds[i].kind == GT_COUNTER_FREE && k < FREE_COPIES; k++)
            if (index == copied[k])
                return *end ? 0 : gpu->power.blind[gt_counter_place(GT_COUNTER_FREE, k)];
        if (*end || kinds[i].kind == GT_COUNTER_FREE || index >= gt_counter_count(kinds[i].kind))
            return 0;
        return gpu->power.blind[gt_counter_place(kinds[i].kind, (unsigned)index)];
    }
    return 0;
}

/* ---- workaround batches ---------------------------------------------------------------------- */

static bool covers(const struct tally_gpu *gpu, enum tally_gpu_batch batch, uint32_t address)
{
    return gt_power_batch_covers(
        gpu->platform->revision,
        batch == TALLY_GPU_BATCH_RENDER ? GT_BATCH_RENDER : GT_BATCH_CONTEXT, address);
}

size_t tally_gpu_set_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch,
                           const struct tally_gpu_register *registers, size_t count)
{
    size_t reached = 0;
    if ((unsigned)batch >= TALLY_GPU_BATCHES)
        return 0;
    gpu->batches[batch] = (struct gpu_batch){registers, count};
    for (size_t i = 0; i < count; i++)
        reached += covers(gpu, batch, registers[i].address);
    return reached;
}

void power_run_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch)
{
    gpu_settle(gpu);
    for (size_t i = 0; i < gpu->batches[batch].count; i++) {
        const struct tally_gpu_register *r = &gpu->batches[batch].registers[i];
        if (!covers(gpu, batch, r->address))
            continue;
        if (!noa_write32(&gpu->noa, r->address, r->value))
            tally_oa_write32(gpu->oa, r->address, r->value);
    }
}
