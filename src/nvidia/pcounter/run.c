/* SPDX-License-Identifier: MIT */
/*
 * Advances time. A run is split into chunks in which no clock of a domain depends on a later clock
 * of another domain: domains without imports run first, then those that import from them. Domains
 * that import from each other run two clocks at a time, the delay of their synchronizers.
 */
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "nvidia/pcounter/engine.h"

/* ---- one domain ------------------------------------------------------------------------------ */

/* Starts the process of single event mode: clears the counters and FLAG (the `switch` of the
 * document). */
static void start_process(struct domain *domain, struct workspace *w)
{
    uint64_t *counters = domain->counters;
    counters[CTR_EVENT] = counters[CTR_START] = counters[CYCLES] = 0;
    counters[CTR_PRE] = domain->initial_pre;
    counters[CTR_STOP] = domain->initial_stop;
    domain->single_state = WAIT_FOR_PRE;
    w->flag[0] = 0;
}

/* Commits the outputs and inputs of the first `clocks` clocks of the block. */
static void commit_values(const struct tally_pcounter *engine, struct domain *domain,
                          const struct workspace *w, uint64_t clocks)
{
    const struct plan *plan = &domain->plan;
    uint64_t last = clocks - 1;
    unsigned flags = domain->flag_history;
    for (uint64_t clock = clocks > 3 ? clocks - 3 : 0; clock < clocks; clock++)
        flags = flags << 1 | bit_at(w->flag, clock);
    domain->flag_history = flags & 7;
    if (engine->features->shows_state && !w->replays)
        domain->event_toggle ^= count_rises(w->inputs[EVENT], domain->event, clocks) & 1;
    domain->event = bit_at(w->inputs[EVENT], last);
    domain->inputs = 0;
    for (unsigned input = 0; input < INPUTS; input++) {
        const struct operation *operation = &plan->operations[input];
        if (!plan->needs[input])
            continue;
        domain->inputs |= (uint8_t)(bit_at(w->inputs[input], last) << input);
        for (unsigned i = 0; i < operation->arity; i++) {
            const struct argument *argument = &operation->arguments[i];
            if (argument->kind != ARGUMENT_DELAYED)
                continue;
            unsigned bit = 1u << argument->slot;
            bool value = bit_at(w->signals[argument->use], last);
            domain->delays[input] = (uint8_t)((domain->delays[input] & ~bit) | (value ? bit : 0));
        }
    }
    if (plan->swap_use != NO_USE && !(w->replays && plan->mode == MODE_QUAD)) /* 0 in leaps */
        domain->inputs |= (uint8_t)(bit_at(w->signals[plan->swap_use], last) << INPUTS);
}

/* Commits what `clocks` clocks, starting with number `edge`, do to all other state. */
static void commit_time(const struct tally_pcounter *engine, struct domain *domain, uint64_t edge,
                        uint64_t clocks)
{
    uint64_t last = clocks - 1;
    if (engine->features->periodic) {
        unsigned code = domain->plan.periodic;
        bool reset = periodic_reset(engine, domain);
        uint64_t counter = domain->periodic_counter + last, period = PERIODIC_CLOCKS(code);
        domain->periodic = code && !reset && counter % period == period - 1;
        domain->periodic_counter = reset ? 0 : (uint16_t)(counter + 1);
    }
    if (REG_GET(PCOUNTER_GCTRL, RECORD_RESET, engine->gctrl)) /* in every mode (PC-D24) */
        memset(&domain->record, 0, sizeof domain->record);
    if (engine->features->users) {
        uint32_t *trigger = &domain->regs[REG_USER_TRIGGER];
        if (!domain->user_fresh || clocks > 1) /* the values are the low bits */
            *trigger &= ~user_pulses(engine->features, *trigger);
        domain->user_now = (uint8_t)user_values(engine->features, *trigger);
        domain->user_fresh = false;
    }
    domain->latest = edge + last;
    domain->seen = true;
    domain->latched = false;
    memset(domain->held_mask, 0, sizeof domain->held_mask);
}

/* Moves PERIODIC's counter, for a replay. */
static void shift_periodic(const struct tally_pcounter *engine, struct domain *domain,
                           uint64_t clocks)
{
    if (engine->features->periodic && !periodic_reset(engine, domain))
        domain->periodic_counter = (uint16_t)(domain->periodic_counter + clocks);
}

/* Returns the number of clocks of the next block, at most `left`. */
static uint64_t block_clocks(const struct domain *domain, uint64_t edge, uint64_t left,
                             bool starting)
{
    const struct plan *plan = &domain->plan;
    bool loops = plan->event_loop || plan->flag_loop;
    if (starting || (loops && domain->latched)) /* flip-flops may have values of a former SRC */
        return 1;
    uint64_t clocks = min_u64(left, BLOCK_CLOCKS);
    if (edge % 64 && clocks >= 1024) /* align with the words of the waves */
        clocks = 64 - edge % 64;
    if (domain->outgoing.busy && plan->mode != MODE_RECORD && domain->outgoing.due < clocks)
        clocks = domain->outgoing.due;
    return clocks;
}

/* Runs one block of at most `left` clocks. Returns its number of clocks, which is smaller, even 0,
 * if the domain hangs. */
static uint64_t run_block(const struct tally_pcounter *engine, struct domain *domain,
                          struct workspace *w, uint64_t left, const struct history *histories,
                          uint64_t chunk_tick, uint64_t done)
{
    const struct plan *plan = &domain->plan;
    if (domain->outgoing.busy && !domain->outgoing.due) {
        complete_packet(engine, domain);
        if (domain->hung)
            return 0;
    }
    bool inactive = domain->abort || domain->single_state == INACTIVE;
    bool starting = plan->mode == MODE_SINGLE && domain->start && inactive;
    w->clocks = block_clocks(domain, w->first_edge, left, starting);
    w->words = words_of(w->clocks);
    w->has_importers = histories != NULL;
    w->swap_now = domain->start && plan->mode == MODE_QUAD && engine->features->pre_op_swaps;
    if (domain->abort)
        domain->single_state = INACTIVE;
    domain->abort = domain->start = false;

    imports_prepare(engine, domain, histories, chunk_tick, done, w->clocks, w);
    fetch_signals(engine, domain, w);
    bool frozen = plan->mode == MODE_SINGLE && domain->single_state == INACTIVE;
    evaluate_block(domain, w, frozen);

    uint64_t clocks = w->clocks;
    if (w->replays) {
        commit_values(engine, domain, w, clocks);
        shift_periodic(engine, domain, clocks);
        return clocks;
    }
    if (starting)
        start_process(domain, w);
    else if (plan->mode == MODE_SINGLE)
        clocks = count_single(engine, domain, w);
    else if (plan->mode == MODE_QUAD)
        clocks = count_quad(engine, domain, w);
    else if (plan->mode == MODE_RECORD)
        clocks = count_record(engine, domain, w);
    if (domain->outgoing.busy && plan->mode != MODE_RECORD)
        domain->outgoing.due -= (uint32_t)clocks;
    if (clocks) {
        commit_values(engine, domain, w, clocks);
        commit_time(engine, domain, w->first_edge, clocks);
    }
    return clocks;
}

/* Copies bits [0, count) of `words` to bits [at, at + count) of `to`. */
static void append(uint64_t *to, uint64_t at, const uint64_t *words, uint64_t count)
{
    unsigned shift = at % 64;
    uint64_t *out = to + at / 64;
    if (!shift) {
        memcpy(out, words, words_of(count) * sizeof *out);
        return;
    }
    uint64_t kept = *out & low_bits(shift);
    for (size_t i = 0; i < words_of(count); i++) {
        out[i] = kept | words[i] << shift;
        kept = words[i] >> (64 - shift);
        if (64 * i + 64 - shift < count)
            out[i + 1] = kept;
    }
}

/* Appends a constant value to the history: a domain that hangs keeps its outputs (PC-D29). */
static void append_value(uint64_t *to, uint64_t at, bool value, uint64_t count)
{
    uint64_t words[BLOCK_WORDS];
    memset(words, value ? 0xff : 0, words_of(count) * sizeof *words);
    if (count)
        append(to, at, words, count);
}

/* Runs `clocks` clocks of a domain, starting with clock number `edge`. With `histories`: as part of
 * a chunk that starts at chunk_tick, recording the outputs in the history. */
static void run_domain(const struct tally_pcounter *engine, struct domain *domain,
                       struct workspace *w, uint64_t edge, uint64_t clocks,
                       struct history *histories, uint64_t chunk_tick)
{
    struct history *history = histories ? &histories[domain->number] : NULL;
    uint64_t before = history ? history->clocks : 0, done = 0;
    while (done < clocks && !domain->hung) {
        w->first_edge = edge + done;
        uint64_t ran =
            run_block(engine, domain, w, clocks - done, histories, chunk_tick, before + done);
        if (history && ran) {
            append(history->words[IMPORT_EVENT], before + done, w->inputs[EVENT], ran);
            append(history->words[IMPORT_FLAG], before + done, w->flag_signal, ran);
        }
        done += ran;
        if (!ran)
            break;
    }
    if (!history)
        return;
    history->clocks = before + clocks;
    history->alive += done;
    if (done < clocks) {
        append_value(history->words[IMPORT_EVENT], before + done, domain->event, clocks - done);
        append_value(history->words[IMPORT_FLAG], before + done, domain->flag_history >> 2 & 1,
                     clocks - done);
    }
}

/* ---- a set of domains ------------------------------------------------------------------------ */

struct set {
    struct domain *domains;
    unsigned count;
    uint8_t reach[DOMAINS]; /* domains that each one imports from, directly or indirectly */
};

static void find_reach(struct set *set)
{
    uint8_t all = (uint8_t)((1u << set->count) - 1);
    for (unsigned i = 0; i < set->count; i++)
        set->reach[i] = (set->domains[i].plan.imports[IMPORT_EVENT] |
                         set->domains[i].plan.imports[IMPORT_FLAG]) &
                        all;
    for (unsigned via = 0; via < set->count; via++)
        for (unsigned i = 0; i < set->count; i++)
            if (set->reach[i] >> via & 1)
                set->reach[i] |= set->reach[via];
}

/* Returns a mask of the domains that form a loop of imports with this one; they run together in
 * small steps. */
static uint8_t loop_of(const struct set *set, unsigned domain)
{
    uint8_t loop = (uint8_t)(1u << domain);
    for (unsigned i = 0; i < set->count; i++)
        if ((set->reach[domain] >> i & 1) && (set->reach[i] >> domain & 1))
            loop |= (uint8_t)(1u << i);
    return loop;
}

static void run_loop(const struct tally_pcounter *engine, const struct set *set, uint8_t loop,
                     struct workspace *w, struct history *histories, uint64_t from, uint64_t to)
{
    bool alone = !(loop & (loop - 1));
    for (uint64_t tick = from; tick < to;) {
        uint64_t until = to;
        for (unsigned i = 0; i < set->count && !alone; i++) {
            if (!(loop >> i & 1))
                continue;
            uint64_t third = tick_of(&set->domains[i], edges_before(&set->domains[i], tick) + 2);
            until = min_u64(third, until);
        }
        for (unsigned i = 0; i < set->count; i++) {
            struct domain *domain = &set->domains[i];
            if (!(loop >> i & 1))
                continue;
            uint64_t edge = edges_before(domain, tick);
            run_domain(engine, domain, w, edge, edges_before(domain, until) - edge, histories,
                       from);
        }
        tick = until;
    }
}

static void run_chunk(struct tally_pcounter *engine, unsigned number, const struct set *set,
                      struct workspace *w, uint64_t from, uint64_t to)
{
    struct history histories[DOMAINS];
    for (unsigned i = 0; i < set->count; i++) {
        histories[i].clocks = histories[i].alive = 0;
        histories[i].before[IMPORT_EVENT] = set->domains[i].event;
        histories[i].before[IMPORT_FLAG] = set->domains[i].flag_history >> 2 & 1;
    }
    uint8_t all = (uint8_t)((1u << set->count) - 1), done = 0;
    while (done != all)
        for (unsigned i = 0; i < set->count; i++) {
            uint8_t loop = loop_of(set, i);
            /* Within one tick no domain depends on another, and packets are in order of the domain
             * number. */
            bool waits = to - from > 1 && (set->reach[i] & ~loop & ~done);
            if ((done >> i & 1) || waits)
                continue;
            if (to - from == 1)
                loop = (uint8_t)(1u << i);
            run_loop(engine, set, loop, w, histories, from, to);
            done |= loop;
        }
    imports_sample(engine, number, histories, from, to);
}

/* Returns the number of bytes from its position on that a domain may write in `clocks` clocks. */
static uint64_t buffer_reach(const struct domain *domain, uint64_t clocks)
{
    if (domain->hung)
        return 0;
    if (!domain->valid || domain->plan.mode != MODE_RECORD)
        return domain->outgoing.busy ? PACKET_LONG_BYTES : 0;
    uint32_t limit = domain->regs[REG_RECORD_LIMIT];
    uint64_t space = limit > domain->position ? limit - domain->position : 0;
    uint64_t max = clocks * PACKET_LONG_BYTES;
    if (limit > UINT32_MAX - PACKET_LONG_BYTES) /* a packet below it may wrap past it */
        space = max;
    return min_u64(space, max) + 2 * PACKET_LONG_BYTES;
}

/* Whether two domains may write to the same memory in the next clocks. Then the order of their
 * packets matters, and they must advance tick by tick. */
static bool buffers_overlap(const struct set *set, uint64_t clocks)
{
    for (unsigned i = 0; i < set->count; i++)
        for (unsigned j = 0; j < i; j++) {
            const struct domain *a = &set->domains[i], *b = &set->domains[j];
            uint64_t reach_a = buffer_reach(a, clocks), reach_b = buffer_reach(b, clocks);
            uint32_t apart = a->position - b->position;
            if (reach_a && reach_b &&
                a->regs[REG_RECORD_ADDRESS_HIGH] == b->regs[REG_RECORD_ADDRESS_HIGH] &&
                (apart < reach_b || (uint32_t)-apart < reach_a))
                return true;
        }
    return false;
}

/* Returns the first tick, at `tick` or later, at which a domain of the set has a clock. */
static uint64_t next_edge(const struct set *set, uint64_t tick)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < set->count; i++) {
        uint64_t at = tick_of(&set->domains[i], edges_before(&set->domains[i], tick));
        first = min_u64(at, first);
    }
    return first;
}

static uint64_t clocks_between(const struct domain *domain, uint64_t from, uint64_t to)
{
    return edges_before(domain, to) - edges_before(domain, from);
}

static struct set set_of(struct tally_pcounter *engine, unsigned number)
{
    unsigned first = engine->set_first[number];
    struct set set = {&engine->domains[first], engine->set_first[number + 1] - first, {0}};
    return set;
}

/* Runs all domains of a set, whose reach is known, clock by clock. */
static void run_clocks(struct tally_pcounter *engine, unsigned number, const struct set *set,
                       struct workspace *w, uint64_t from, uint64_t to)
{
    if (set->count == 1)
        run_domain(engine, set->domains, w, edges_before(set->domains, from),
                   clocks_between(set->domains, from, to), NULL, from);
    else
        run_chunk(engine, number, set, w, from, to);
}

/* ---- leaps ----------------------------------------------------------------------------------- */

/* Clocks of the slowest domain: of the shortest leap; and before the end of a leap, on which
 * nothing depends that was before them. */
#define LEAP_CLOCKS_MIN 64u
#define SETTLE_CLOCKS   8u
#define LEAP_TICKS_MAX  (UINT64_C(1) << 48)

static uint64_t slowest_period(const struct set *set)
{
    uint64_t period = 0;
    for (unsigned i = 0; i < set->count; i++)
        period = max_u64(set->domains[i].period, period);
    return period;
}

static uint64_t fastest_period(const struct set *set)
{
    uint64_t period = UINT64_MAX;
    for (unsigned i = 0; i < set->count; i++)
        period = min_u64(set->domains[i].period, period);
    return period;
}

/* Whether two domains are on the same clock. */
static bool is_in_step(const struct domain *a, const struct domain *b)
{
    return a->period == b->period && a->phase == b->phase;
}

/* Whether all domains of a set can leap; sets their spans. */
static enum leap set_leap_possible(const struct tally_pcounter *engine, const struct set *set,
                                   uint64_t from, uint64_t to, struct leap_span *spans)
{
    enum leap all = LEAP_YES;
    for (unsigned i = 0; i < set->count && all != LEAP_NO; i++) {
        struct domain *domain = &set->domains[i];
        if (i && is_in_step(domain, domain - 1)) {
            spans[i] = spans[i - 1];
        } else {
            uint64_t edge = from == engine->tick ? domain->edges : edges_before(domain, from);
            spans[i] = (struct leap_span){edge, edges_before(domain, to) - edge, false};
        }
        enum leap one = leap_possible(engine, domain, &spans[i]);
        all = one < all ? one : all;
    }
    return all;
}

static void leap_set(struct tally_pcounter *engine, unsigned number, const struct set *set,
                     struct workspace *w, const struct leap_span *spans)
{
    for (unsigned i = 0; i < set->count; i++) {
        struct domain *domain = &set->domains[i];
        leap_domain(engine, domain, w, &spans[i]);
        commit_time(engine, domain, spans[i].edge, spans[i].clocks);
        domain->replaced_count = 0;
    }
    engine->stale[number] = true;
}

/* Exchanges the waves that have been replaced and those in their place. */
static void exchange_waves(struct domain *domain)
{
    for (unsigned i = 0; i < domain->replaced_count; i++) {
        struct attached *now = &domain->waves[domain->replaced[i].signal];
        struct attached other = domain->replaced[i].attached;
        domain->replaced[i].attached = *now;
        *now = other;
    }
}

/* Settles the leaps of a set, the last of which ended at `tick`: computes the last clocks again,
 * without counting them. */
static void settle_set(struct tally_pcounter *engine, unsigned number, struct workspace *w,
                       uint64_t tick)
{
    struct set set = set_of(engine, number);
    uint64_t from = tick - SETTLE_CLOCKS * slowest_period(&set);
    if (!engine->stale[number])
        return;
    for (unsigned i = 0; i < set.count; i++)
        shift_periodic(engine, &set.domains[i], -clocks_between(&set.domains[i], from, tick));
    for (unsigned i = 0; i < set.count; i++)
        exchange_waves(&set.domains[i]);
    w->replays = true;
    run_clocks(engine, number, &set, w, from, tick);
    w->replays = false;
    for (unsigned i = 0; i < set.count; i++) {
        exchange_waves(&set.domains[i]);
        set.domains[i].replaced_count = 0;
    }
    engine->stale[number] = false;
}

void leap_settle(struct tally_pcounter *engine)
{
    bool stale = false;
    for (unsigned set = 0; set < engine->set_count; set++)
        stale |= engine->stale[set];
    if (!stale)
        return;
    struct workspace w;
    w.kernels = wave_kernels();
    for (unsigned set = 0; set < engine->set_count; set++)
        settle_set(engine, set, &w, engine->tick);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void run_set(struct tally_pcounter *engine, unsigned number, struct workspace *w,
                    uint64_t from, uint64_t to)
{
    struct set set = set_of(engine, number);
    bool hung = true;
    for (unsigned i = 0; i < set.count; i++) {
        if (!set.domains[i].planned)
            plan_domain(engine, &set.domains[i]);
        hung &= set.domains[i].hung;
    }
    if (hung) /* until a reset */
        return;
    struct leap_span spans[DOMAINS];
    bool reached = false;
    uint64_t fastest = fastest_period(&set), slowest = slowest_period(&set);
    uint64_t chunk = (set.count == 1 ? 64 : 1) * BLOCK_CLOCKS * fastest,
             settle = SETTLE_CLOCKS * slowest;
    bool leaps = settle < chunk;
    for (uint64_t tick = from; tick < to;) {
        uint64_t until = to - tick > LEAP_TICKS_MAX ? tick + LEAP_TICKS_MAX : to;
        enum leap leap = LEAP_NO;
        if (leaps && until - tick >= LEAP_CLOCKS_MIN * slowest)
            leap = set_leap_possible(engine, &set, tick, until, spans);
        if (leap == LEAP_YES) {
            leap_set(engine, number, &set, w, spans);
            tick = until;
            continue;
        }
        if (!reached)
            find_reach(&set);
        reached = true;
        settle_set(engine, number, w, tick);
        until = to - tick > chunk ? tick + chunk : to;
        if (leap == LEAP_LATER)
            until = tick + settle;
        if (buffers_overlap(&set, BLOCK_CLOCKS)) {
            uint64_t edge = next_edge(&set, tick);
            until = edge > tick ? (edge < to ? edge : to) : tick + 1;
        }
        run_clocks(engine, number, &set, w, tick, until);
        tick = until;
    }
}

void tally_pcounter_run(struct tally_pcounter *engine, uint64_t ticks)
{
    struct workspace w;
    uint64_t from = engine->tick;
    uint64_t to = ticks > UINT64_MAX - from ? UINT64_MAX : from + ticks;
    w.kernels = wave_kernels();
    w.replays = false;
    for (unsigned set = 0; set < engine->set_count && !engine->disabled; set++)
        run_set(engine, set, &w, from, to);
    engine->tick = to;
    for (unsigned i = 0; i < engine->domain_count; i++) {
        struct domain *domain = &engine->domains[i];
        domain->edges =
            i && is_in_step(domain, domain - 1) ? (domain - 1)->edges : edges_before(domain, to);
    }
}
