/* SPDX-License-Identifier: MIT */
/*
 * RC6 and power wells: the conditions for going down, saving and restoring registers and counters,
 * and the blind spot in between (OA-2.14, OA-14.1). Saving follows the table of gt/power.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/gpu/gpu.h"

/* Registers whose writes have side effects: addresses of maps A and B, C, and D. */
enum special_register {
    BUFFER_AT,
    STATUS1_AT,
    STATUS2_AT,
    DEBUG_AT,
    STATUS_AT,
    HEAD_AT,
    TAIL_AT,
    CONTEXT_CONTROL_AT,
    SPECIAL
};

static const uint32_t special_addresses[3][SPECIAL] = {
    {[BUFFER_AT] = GEN7_OABUFFER, [STATUS1_AT] = GEN7_OASTATUS1, [STATUS2_AT] = GEN7_OASTATUS2},
    {[DEBUG_AT] = GEN9_OA_DEBUG,
     [STATUS_AT] = GEN8_OASTATUS,
     [HEAD_AT] = GEN8_OAHEADPTR,
     [TAIL_AT] = GEN8_OATAILPTR},
    {[DEBUG_AT] = GEN12_OAG_OA_DEBUG,
     [STATUS_AT] = GEN12_OAG_OASTATUS,
     [HEAD_AT] = GEN12_OAG_OAHEADPTR,
     [TAIL_AT] = GEN12_OAG_OATAILPTR,
     [CONTEXT_CONTROL_AT] = RING_CONTEXT_CONTROL}};

/* ---- registers and counters, without side effects -------------------------------------------- */

/* Returns the row of an address; SPECIAL: writes have no side effects. */
static enum special_register special_at(const struct tally_oa *oa, uint32_t address)
{
    const uint32_t *addresses = special_addresses[is_map_d(oa) ? 2 : is_map_c(oa)];
    unsigned i = 0;
    while (i < SPECIAL && addresses[i] != address)
        i++;
    return (enum special_register)i;
}

/* Returns the status flags with the wrap bits, which only Gen8 to Gen11 have in OASTATUS. */
static uint32_t read_status(const struct tally_oa *oa)
{
    return oa->flags | REG_PUT(GEN8_OASTATUS, HEAD_WRAP, oa->head_wrap) |
           REG_PUT(GEN8_OASTATUS, TAIL_WRAP, oa->tail_wrap);
}

/* The first enabled instance is saved (document 004: "General rules"). */
static unsigned first_instance(const struct tally_gpu *gpu, uint32_t address)
{
    if (!has_steering(gpu))
        return gt_steering_first(&gpu->steering, gt_steering_group(&gpu->steering, address));
    const struct gt_range *range = gt_range_on(gpu->platform->revision, address);
    return range ? gt_routing_first(&gpu->routing, (enum gt_group)range->group) : 0;
}

static uint32_t read_saved(void *context, uint32_t address)
{
    struct tally_gpu *gpu = context;
    if (special_at(gpu->oa, address) == STATUS_AT)
        return read_status(gpu->oa);
    unsigned first = first_instance(gpu, address);
    uint32_t value;
    if (gt_units_own(&gpu->units, address))
        return gt_units_get(&gpu->units, first, address);
    if (noa_read(&gpu->noa, address, &value))
        return value;
    return is_flexible(address) ? tally_oa_read_subslice(gpu->oa, first, address)
                                : tally_oa_read32(gpu->oa, address);
}

static void restore_special(struct tally_oa *oa, enum special_register which, uint32_t value)
{
    switch (which) {
    case BUFFER_AT: /* the status in it is restored with OASTATUS1 */
        oa->regs[OA_BUFFER] = value & ~REG_MASK(GEN7_OABUFFER, OVERRUN);
        break;
    case STATUS1_AT:
        oa->tail = value & REG_MASK(GEN7_OASTATUS1, TAIL);
        oa->size_code = REG_GET(GEN7_OASTATUS1, BUFFER_SIZE, value);
        oa->flags = value ? (oa->flags & FLAG_OVERRUN) | (value & 7) : 0;
        break;
    case STATUS2_AT:
        oa->head = value & REG_MASK(OA_POINTER, POINTER);
        oa->ggtt = value & 1;
        oa->tail_wrap = oa->variant->wraps_in_status2 && REG_GET(GEN7_OASTATUS2, TAIL_WRAP, value);
        oa->head_wrap = oa->variant->wraps_in_status2 && REG_GET(GEN7_OASTATUS2, HEAD_WRAP, value);
        break;
    case DEBUG_AT:
        oa->regs[OA_DEBUG] = value;
        break;
    case STATUS_AT:
        oa->flags = value & 15;
        oa->head_wrap = REG_GET(GEN8_OASTATUS, HEAD_WRAP, value);
        oa->tail_wrap = REG_GET(GEN8_OASTATUS, TAIL_WRAP, value);
        break;
    case HEAD_AT:
        oa->head = value;
        break;
    case TAIL_AT:
        oa->tail = value;
        break;
    default:
        oa->oar.context_control = value;
        break;
    }
}

static void restore(void *context, uint32_t address, uint32_t value)
{
    struct tally_gpu *gpu = context;
    enum special_register special = special_at(gpu->oa, address);
    if (gt_units_own(&gpu->units, address))
        gt_units_set(&gpu->units, UINT32_MAX, address, value);
    else if (noa_owns(&gpu->noa, address))
        noa_set32(&gpu->noa, address, value);
    else if (special != SPECIAL)
        restore_special(gpu->oa, special, value);
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
    return (struct gt_power_io){
        .read = read_saved,
        .write = restore,
        .count = count,
        .set_count = set_count,
        .context = gpu,
        .narrow = !is_map_c(gpu->oa),
        .revision = (uint8_t)gpu->platform->revision,
    };
}

/* ---- workaround batches ---------------------------------------------------------------------- */

static const uint8_t gt_batch_of[TALLY_GPU_BATCHES] = {
    [TALLY_GPU_BATCH_RENDER] = GT_BATCH_RENDER,
    [TALLY_GPU_BATCH_CONTEXT] = GT_BATCH_CONTEXT,
    [TALLY_GPU_BATCH_MEDIA] = GT_BATCH_MEDIA,
};

static bool covers(const struct tally_gpu *gpu, enum tally_gpu_batch batch, uint32_t address)
{
    return gt_power_batch_covers(gpu->platform->revision, (enum gt_batch)gt_batch_of[batch],
                                 address);
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

/* Writes the registers of a batch whose wells are in a mask of 1 << enum gt_well. */
static void run_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch, uint32_t wells)
{
    gpu_settle(gpu);
    for (size_t i = 0; i < gpu->batches[batch].count; i++) {
        const struct tally_gpu_register *r = &gpu->batches[batch].registers[i];
        if (!covers(gpu, batch, r->address) ||
            !(wells >> gt_well_at(gpu->platform->revision, r->address) & 1))
            continue;
        gpu_write_inside(gpu, r->address, r->value);
    }
}

void power_run_context_batch(struct tally_gpu *gpu)
{
    run_batch(gpu, TALLY_GPU_BATCH_CONTEXT, ~(uint32_t)gpu->power.down);
}

/* ---- wells ----------------------------------------------------------------------------------- */

#define FOR_EACH_WELL(well, mask)                                                                  \
    for (unsigned well = GT_WELL_GT; well < GT_WELLS; well++)                                      \
        if ((mask) >> well & 1)

static bool is_any(const struct tally_gpu *gpu, unsigned well,
                   bool (*test)(const struct gt_forcewake *wake, enum gt_domain domain))
{
    uint32_t domains = gt_well_domains((enum gt_well)well) & gpu->wake.present;
    for (; domains; domains &= domains - 1)
        if (test(&gpu->wake, (enum gt_domain)__builtin_ctz(domains)))
            return true;
    return false;
}

/* Saves the power context of a well. The context's OACTXCONTROL stays with the context. */
static void save_well(struct tally_gpu *gpu, unsigned well)
{
    struct gt_power_io io = power_io(gpu);
    if (is_map_c(gpu->oa) && !is_map_d(gpu->oa) &&
        well == (unsigned)gt_power_find(gpu->platform->revision, GEN8_OACTXCONTROL)->well) {
        if (!gpu->context_lost) /* else no context has been loaded since it was down */
            gpu->saved_oactxcontrol = gpu->oa->regs[OA_CTXCONTROL];
        gpu->context_lost = true;
    }
    gt_power_down(&gpu->power, (enum gt_well)well, &io);
}

static void well_up(struct tally_gpu *gpu, unsigned well)
{
    struct gt_power_io io = power_io(gpu);
    gpu_settle(gpu);
    gpu->well_idle[well] = 0;
    if (gt_power_up(&gpu->power, (enum gt_well)well, &io) == 0 && well != GT_WELL_GT)
        run_batch(gpu, well == GT_WELL_RENDER ? TALLY_GPU_BATCH_RENDER : TALLY_GPU_BATCH_MEDIA,
                  1u << well);
}

static void well_down(struct tally_gpu *gpu, unsigned well)
{
    struct gt_power_io io = power_io(gpu);
    gpu_settle(gpu);
    save_well(gpu, well);
    gt_power_lose(&gpu->power, (enum gt_well)well, &io);
}

/* Powers wells up or down, after a change or when time has passed. */
static void update_wells(struct tally_gpu *gpu)
{
    FOR_EACH_WELL(well, gpu->wells)
    {
        uint64_t delay = gpu->rc6.well_delay[well];
        if (gt_power_is_down(&gpu->power, (enum gt_well)well)) {
            if (delay == RC6_NEVER || is_any(gpu, well, gt_forcewake_awake))
                well_up(gpu, well);
        } else if (delay == RC6_NEVER || is_any(gpu, well, gt_forcewake_requested)) {
            gpu->well_idle[well] = 0;
        } else if (gpu->well_idle[well] >= delay) {
            well_down(gpu, well);
        }
    }
}

/* Returns the well with a name; GT_WELL_NONE: the GPU does not have it. */
static enum gt_well find_well(const struct tally_gpu *gpu, const char *name)
{
    static const char *const names[GT_WELLS] = {[GT_WELL_GT] = "gt",
                                                [GT_WELL_RENDER] = "render",
                                                [GT_WELL_MEDIA] = "media0",
                                                [GT_WELL_MEDIA1] = "media1"};
    for (unsigned well = GT_WELL_GT; well < GT_WELLS && names[well]; well++)
        if (!strcmp(names[well], name) && (well == GT_WELL_GT || gpu->wells >> well & 1))
            return (enum gt_well)well;
    return GT_WELL_NONE;
}

bool tally_gpu_has_well(const struct tally_gpu *gpu, const char *name)
{
    return find_well(gpu, name) != GT_WELL_NONE;
}

bool tally_gpu_well_is_down(const struct tally_gpu *gpu, const char *name)
{
    return gt_power_is_down(&gpu->power, find_well(gpu, name));
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
    gpu->ticks = gpu->oa->ticks;
    gpu->blind_clocks_left =
        gt_power_is_down(&gpu->power, (enum gt_well)gpu->oa_well) ? 0 : gpu->rc6_blind_clocks;
    gpu->in_rc6 = true;
    gpu->rc6.state = (uint8_t)rc6_state(gpu);
    FOR_EACH_WELL(well, gpu->wells | 1u << GT_WELL_GT)
    if (!gt_power_is_down(&gpu->power, (enum gt_well)well))
        save_well(gpu, well);
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
    if (!gpu->in_rc6)
        return;
    gpu->in_rc6 = false;
    gpu->idle_clocks = 0;
    well_up(gpu, GT_WELL_GT);
    update_wells(gpu);
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

/* Whether idle clocks count towards RC6. */
static bool may_enter_rc6(const struct tally_gpu *gpu)
{
    bool possible = gpu->rc6.delay != RC6_NEVER || gpu->rc6.evaluates;
    return possible && !gpu->in_rc6 && !is_requested(gpu);
}

void power_update(struct tally_gpu *gpu)
{
    uint32_t domains = domains_of_work(gpu), changed = domains ^ gpu->held;
    for (unsigned i = 0; changed && i < GT_DOMAINS && !gpu->always_awake; i++)
        if (changed & GT_DOMAIN_BIT(i))
            gt_forcewake_hold(&gpu->wake, (enum gt_domain)i, domains & GT_DOMAIN_BIT(i));
    gpu->held = domains;
    if (is_requested(gpu)) {
        gpu->idle_clocks = 0;
        tally_gpu_exit_rc6(gpu);
    } else if (gpu->rc6.delay == 0) {
        power_enter(gpu);
    }
    if (gpu->wells && !gpu->in_rc6)
        update_wells(gpu);
}

uint64_t power_horizon(const struct tally_gpu *gpu)
{
    uint64_t clocks = min_u64(gt_forcewake_horizon(&gpu->wake), rc6_horizon(gpu));
    clocks = min_u64(clocks, rps_horizon(gpu));
    if (gpu->in_rc6)
        return gpu->blind_clocks_left ? min_u64(clocks, gpu->blind_clocks_left) : clocks;
    if (may_enter_rc6(gpu))
        clocks = min_u64(clocks, gpu->rc6.delay - min_u64(gpu->idle_clocks, gpu->rc6.delay));
    FOR_EACH_WELL(well, gpu->wells)
    {
        uint64_t delay = gpu->rc6.well_delay[well];
        if (delay != RC6_NEVER && delay > gpu->well_idle[well] &&
            !gt_power_is_down(&gpu->power, (enum gt_well)well) &&
            !is_any(gpu, well, gt_forcewake_requested))
            clocks = min_u64(clocks, delay - gpu->well_idle[well]);
    }
    return clocks;
}

/* Counts the timer reports that are missing because the timer's clock is stopped, or RC6 has lost
 * its configuration. */
static void count_missed_reports(struct tally_gpu *gpu, uint64_t clocks, bool stopped)
{
    uint32_t present = gpu->oa->regs[is_map_c(gpu->oa) ? OA_CTXCONTROL : OA_CONTROL];
    uint32_t before = !is_map_c(gpu->oa)  ? timer_of_oacontrol(present)
                      : gpu->context_lost ? gpu->saved_oactxcontrol
                                          : present;
    if (stopped || (is_map_c(gpu->oa) && present != before))
        gpu->oa->stats.in_rc6 += count_strobes(gpu->oa, before, clocks);
}

static void advance_in_rc6(struct tally_gpu *gpu, uint64_t clocks)
{
    count_missed_reports(gpu, clocks, !gpu->blind_clocks_left);
    if (!gpu->blind_clocks_left) {
        tally_oa_pause(gpu->oa, clocks);
        return;
    }
    tally_oa_run(gpu->oa, clocks);
    gpu->blind_clocks_left -= (uint32_t)clocks;
    gpu->oa->ticks = gpu->ticks;
}

static void advance_without_clock(struct tally_gpu *gpu, uint64_t clocks)
{
    gpu_settle(gpu);
    count_missed_reports(gpu, clocks, true);
    tally_oa_pause(gpu->oa, clocks);
}

/* Adds idle time to the wells that may go down, which are not requested. */
static void advance_wells(struct tally_gpu *gpu, uint64_t clocks)
{
    FOR_EACH_WELL(well, gpu->wells)
    if (!is_any(gpu, well, gt_forcewake_requested))
        gpu->well_idle[well] += clocks;
    update_wells(gpu);
}

void power_advance(struct tally_gpu *gpu, uint64_t clocks)
{
    if (gpu->rc6.evaluates)
        rc6_advance(gpu, clocks, !is_requested(gpu));
    if (gpu->in_rc6) {
        advance_in_rc6(gpu, clocks);
        return;
    }
    if (gating_stops_oa(gpu))
        advance_without_clock(gpu, clocks);
    else
        gpu_advance_oa(gpu, clocks);
    if (may_enter_rc6(gpu)) {
        gpu->idle_clocks += clocks;
        if (gpu->idle_clocks >= gpu->rc6.delay)
            power_enter(gpu);
    }
    if (gpu->wells && !gpu->in_rc6)
        advance_wells(gpu, clocks);
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
