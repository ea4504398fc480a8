/* SPDX-License-Identifier: MIT */
/* The output of a random program must not depend on how time is split, on snapshots, on
 * observation, or on the source of its signals' words. */
#include "nvidia/scripts.h"

#include "nvidia/pcounter/engine.h"

#define PROGRAMS 300

/* ---- splitting time ----------------------------------------------------------------------------
 */

static int run_ticks(void *context, struct tally_pcounter *engine, uint64_t ticks,
                     struct tally_error *error)
{
    (void)context, (void)error;
    for (uint64_t end = tally_pcounter_now(engine) + ticks; tally_pcounter_now(engine) < end;) {
        uint64_t clock = next_clock(engine), now = tally_pcounter_now(engine);
        if (clock > now) /* the time between clocks is one step */
            tally_pcounter_run(engine, (clock < end ? clock : end) - now);
        if (clock < end)
            tally_pcounter_run(engine, 1);
    }
    return 0;
}

static int run_pieces(void *context, struct tally_pcounter *engine, uint64_t ticks,
                      struct tally_error *error)
{
    struct random *rng = context;
    (void)error;
    while (ticks) {
        uint64_t piece = random_magnitude(rng) & 0x3ff;
        if (random_below(rng, 4) == 0)
            piece = 1 + random_next(rng) % ticks;
        if (ticks > 1u << 20 && random_below(rng, 2))
            piece = ticks >> random_below(rng, 12);
        piece = piece < ticks ? piece : ticks;
        tally_pcounter_run(engine, piece);
        ticks -= piece;
    }
    tally_pcounter_run(engine, 0);
    return 0;
}

/* Merges neighbouring runs. */
static char *merge_runs(const char *script)
{
    char *merged = NULL;
    size_t size = 0;
    uint64_t ticks = 0;
    bool pending = false;
    FILE *out = open_memstream(&merged, &size);
    while (*script) {
        size_t length = strcspn(script, "\n");
        if (!strncmp(script, "run ", 4)) {
            ticks += strtoull(script + 4, NULL, 0);
            pending = true;
        } else {
            if (pending)
                fprintf(out, "run %llu\n", (unsigned long long)ticks);
            ticks = 0, pending = false;
            fprintf(out, "%.*s\n", (int)length, script);
        }
        script += length + (script[length] == '\n');
    }
    fclose(out);
    return merged;
}

static void test_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < random_cases(PROGRAMS); seed++) {
        struct random rng = random_start(seed);
        char *script = random_script(seed), *merged = merge_runs(script);
        char *whole = play(script, NULL);
        char *ticks = play(script, &(struct player){.runner = run_ticks});
        char *pieces = play(script, &(struct player){.runner = run_pieces, .context = &rng});
        char *together = play(merged, NULL);
        ROW(__LINE__, !strcmp(whole, ticks), "program %llu in single ticks",
            (unsigned long long)seed);
        ROW(__LINE__, !strcmp(whole, pieces), "program %llu in pieces", (unsigned long long)seed);
        ROW(__LINE__, !strcmp(whole, together), "program %llu, runs merged",
            (unsigned long long)seed);
        free(script), free(merged), free(whole), free(ticks), free(pieces), free(together);
    }
    ROWS_DONE();
}

/* ---- leaps -------------------------------------------------------------------------------------
 */

#define LEAP_SIGNALS 6
#define LEAP_TICKS   20000u

/* The waves of a domain, of all kinds that workloads use, and what they are made of. */
struct leap_waves {
    uint64_t pattern[4], edges[LEAP_SIGNALS];
    struct tally_wave waves[LEAP_SIGNALS], inner[LEAP_SIGNALS];
};

static struct tally_wave random_wave(struct random *rng, struct leap_waves *waves)
{
    uint64_t length = 65 + random_below(rng, 190), part = 1 + random_below(rng, 64);
    switch (random_below(rng, 7)) {
    case 0:
        return tally_wave_pattern(waves->pattern, length);
    case 1:
        return tally_wave_rate(part, 1 + random_below(rng, 4000));
    case 2:
        return tally_wave_bursts(random_next(rng), length, part);
    case 3:
        return tally_wave_edges(waves->edges, LEAP_SIGNALS);
    case 4:
        return tally_wave_scatter(random_next(rng), (unsigned)length);
    case 5:
        return tally_wave_prng(random_next(rng), (unsigned)length);
    default:
        return tally_wave_constant(length & 1);
    }
}

static void make_waves(struct random *rng, struct leap_waves *waves)
{
    for (unsigned i = 0; i < 4; i++)
        waves->pattern[i] = random_next(rng);
    for (unsigned i = 0; i < LEAP_SIGNALS; i++)
        waves->edges[i] = (i ? waves->edges[i - 1] : 0) + 1 + random_below(rng, 900);
    for (unsigned i = 0; i < LEAP_SIGNALS; i++) {
        waves->inner[i] = random_wave(rng, waves);
        waves->waves[i] =
            random_below(rng, 3) ? waves->inner[i] : tally_wave_inverse(&waves->inner[i]);
    }
}

/* Counts the waves in quad event mode. */
static void count_waves(struct random *rng, struct tally_pcounter *engine, unsigned number,
                        const struct leap_waves *waves)
{
    struct tally_pcounter_domain domain;
    tally_pcounter_domain(engine, number, &domain);
    bool sets = domain.address;
    for (unsigned i = 0; i < LEAP_SIGNALS; i++)
        tally_pcounter_attach(engine, number, i + 1, &waves->waves[i]);
    for (unsigned input = 0; input < 4; input++) {
        uint32_t src = 0, op = random_below(rng, 2) ? 0xaaaa : (uint32_t)random_next(rng) & 0x3ffff;
        for (unsigned i = 0; i < 4; i++)
            src |= (1 + (uint32_t)random_below(rng, LEAP_SIGNALS)) << 8 * i;
        uint32_t address =
            sets ? domain.address + 0x40 + 8 * input : 0xa400 + 4 * number + 0x40 * input;
        tally_pcounter_write32(engine, address, src);
        tally_pcounter_write32(engine, address + (sets ? 4 : 0x20), op);
    }
    tally_pcounter_write32(engine, sets ? domain.address + 0x9c : 0xa7c0 + 4 * number,
                           sets ? 2 : 1);
}

/* Lets other waves of a domain drive some of its signals, which nothing looks at before. */
static void replace_waves(struct random *rng, struct tally_pcounter *engine,
                          const struct leap_waves *waves)
{
    for (unsigned i = 0; i < tally_pcounter_domains(engine); i++)
        for (unsigned signal = 1; signal <= LEAP_SIGNALS; signal++)
            if (!random_below(rng, 4))
                pcounter_attach_from(engine, i, signal,
                                     &waves[i].waves[random_below(rng, LEAP_SIGNALS)],
                                     engine->domains[i].edges);
}

/* Runs too short for leaps must give what long runs give, also if waves are replaced in between. */
static void test_leaps(void **state)
{
    static const char *const chipsets[] = {"nv40", "g92", "gf100"};
    (void)state;
    for (uint64_t seed = 0; seed < random_cases(PROGRAMS); seed++) {
        struct tally_pcounter *engines[2];
        struct leap_waves waves[TALLY_PCOUNTER_DOMAINS_TOTAL];
        uint64_t ticks = LEAP_TICKS / 4, results[2];
        for (unsigned split = 0; split < 2; split++) {
            struct random rng = random_start(seed);
            assert_int_equal(
                tally_pcounter_new(tally_chipset_find(chipsets[seed % 3]), &engines[split], NULL),
                0);
            for (unsigned i = 0; i < tally_pcounter_domains(engines[split]); i++) {
                tally_pcounter_set_clock(engines[split], i, 1 + (uint32_t)random_below(&rng, 4), 0);
                make_waves(&rng, &waves[i]);
                count_waves(&rng, engines[split], i, &waves[i]);
            }
            results[split] = 0;
            for (unsigned part = 0; part < 4; part++) {
                for (uint64_t done = 0, step = split ? 37 : ticks; done < ticks; done += step)
                    tally_pcounter_run(engines[split], step < ticks - done ? step : ticks - done);
                results[split] = results[split] * 31 + (part ? look_at(engines[split]) : 0);
                replace_waves(&rng, engines[split], waves);
            }
            results[split] = results[split] * 31 + look_at(engines[split]);
            tally_pcounter_free(engines[split]);
        }
        ROW(__LINE__, results[0] == results[1], "waves %llu", (unsigned long long)seed);
    }
    ROWS_DONE();
}

/* ---- snapshots ---------------------------------------------------------------------------------
 */

struct snapshots {
    struct random rng;
    uint64_t seed;
    unsigned taken;
};

/* Runs, restores a snapshot and runs again; then runs a copy in parallel and continues the script
 * with the copy. */
static int run_twice(void *context, struct tally_pcounter *engine, uint64_t ticks,
                     struct tally_error *error)
{
    struct snapshots *snapshots = context;
    size_t size = tally_pcounter_size(engine);
    (void)error;
    if (random_below(&snapshots->rng, 3)) {
        tally_pcounter_run(engine, ticks);
        return 0;
    }
    snapshots->taken++;
    void *before = malloc(size);
    assert_non_null(before);
    memcpy(before, engine, size);
    struct tally_pcounter *other = new_like(engine);
    assert_int_equal(tally_pcounter_copy(other, engine), 0);
    uint64_t start = look_at(engine);

    tally_pcounter_run(engine, ticks);
    uint64_t first = look_at(engine);
    ROW(__LINE__, look_at(other) == start, "program %llu: the copy moved",
        (unsigned long long)snapshots->seed);
    memcpy(engine, before, size);
    ROW(__LINE__, look_at(engine) == start, "program %llu: not as it was",
        (unsigned long long)snapshots->seed);
    uint64_t some = ticks ? random_next(&snapshots->rng) % ticks : 0;
    tally_pcounter_run(engine, some);
    tally_pcounter_run(engine, ticks - some);
    ROW(__LINE__, look_at(engine) == first, "program %llu: replayed otherwise",
        (unsigned long long)snapshots->seed);
    tally_pcounter_run(other, ticks);
    ROW(__LINE__, look_at(other) == first, "program %llu: the copy went another way",
        (unsigned long long)snapshots->seed);
    memset(engine, 0xa5, size); /* the copy must be complete; the engine belongs to the script */
    memcpy(engine, before, size);
    assert_int_equal(tally_pcounter_copy(engine, other), 0);
    tally_pcounter_free(other);
    free(before);
    return 0;
}

static void test_snapshots(void **state)
{
    (void)state;
    unsigned taken = 0, programs = random_cases(PROGRAMS);
    for (uint64_t seed = 1000; seed < 1000 + programs; seed++) {
        struct snapshots snapshots = {.rng = random_start(seed), .seed = seed};
        char *script = random_script(seed), *plain = play(script, NULL);
        char *other = play(script, &(struct player){.runner = run_twice, .context = &snapshots});
        ROW(__LINE__, !strcmp(plain, other), "program %llu prints something else",
            (unsigned long long)seed);
        taken += snapshots.taken;
        free(script), free(plain), free(other);
    }
    assert_true(taken > programs);
    ROWS_DONE();
}

/* ---- observing ---------------------------------------------------------------------------------
 */

enum { IN_PRE, IN_START, IN_EVENT, IN_STOP, IN_SETFLAG, IN_CLRFLAG };

/* Computes the inputs of a domain through the public interface: SRC and OP read back, the signals
 * of the latest clock, and saved values of the previous clock. */
struct watcher {
    uint64_t seed;
    struct {
        bool event, delayed[6][2];
    } domain[TALLY_PCOUNTER_DOMAINS_TOTAL];
    unsigned clocks;
    struct random rng;
    bool observing;
};

static uint32_t op_or_src(const struct tally_pcounter *engine, unsigned dom, unsigned input,
                          bool op)
{
    enum tally_pcounter_revision revision = tally_pcounter_revision(engine);
    struct tally_pcounter_domain about;
    tally_pcounter_domain(engine, dom, &about);
    if (revision == TALLY_PCOUNTER_GF100) /* SETFLAG and CLRFLAG have no SRC */
        return tally_pcounter_read32(
            engine, about.address +
                        (input >= IN_SETFLAG ? 0x60 + 4 * (input - 4) : 0x40 + 8 * input + 4 * op));
    if (revision < TALLY_PCOUNTER_NV40)
        return tally_pcounter_read32(engine, 0xa400 + 0x100 * dom + 8 * input + 4 * op);
    return tally_pcounter_read32(
        engine, 0xa400 + 4 * dom +
                    (input >= IN_SETFLAG ? 0x100 + 0x20 * (input - 4) : 0x40 * input + 0x20 * op));
}

static unsigned selected(const struct tally_pcounter *engine, unsigned dom, unsigned input,
                         unsigned slot)
{
    static const struct {
        uint8_t input, slot;
    } shared[2][4] = {{{IN_START, 2}, {IN_START, 3}, {IN_PRE, 0}, {IN_PRE, 1}},
                      {{IN_PRE, 2}, {IN_PRE, 3}, {IN_START, 0}, {IN_START, 1}}};
    if (input >= IN_SETFLAG && tally_pcounter_revision(engine) >= TALLY_PCOUNTER_NV30) {
        unsigned borrowed = input - IN_SETFLAG;
        input = shared[borrowed][slot].input, slot = shared[borrowed][slot].slot;
    }
    return op_or_src(engine, dom, input, false) >> (8 * slot) & 0xff;
}

/* Returns the position of the domain's own EVENT signal; 256 if there is none. */
static unsigned own_event(const struct tally_pcounter *engine, unsigned dom)
{
    struct tally_pcounter_domain about;
    tally_pcounter_domain(engine, dom, &about);
    enum tally_pcounter_revision revision = tally_pcounter_revision(engine);
    if (revision < TALLY_PCOUNTER_NV40)
        return 256;
    return about.trailer_base + (revision == TALLY_PCOUNTER_GF100 ? 0x37 : 0x17) - about.number;
}

/* Computes one input (PC-D3, PC-D4). own: the value of the domain's own EVENT signal that it uses.
 */
static bool input_value(const struct watcher *watcher, const struct tally_pcounter *engine,
                        unsigned dom, unsigned input, bool own, bool setflag)
{
    uint32_t op = op_or_src(engine, dom, input, true);
    bool chains = input == IN_EVENT || input == IN_STOP, argument[4];
    const bool *delayed = watcher->domain[dom].delayed[input];
    for (unsigned i = 0; i < 4; i++) {
        unsigned signal = selected(engine, dom, input, i);
        argument[i] =
            signal == own_event(engine, dom) ? own : tally_pcounter_signal(engine, dom, signal);
    }
    bool late = chains || tally_pcounter_revision(engine) == TALLY_PCOUNTER_GF100; /* PC-D37 */
    unsigned third = late ? 19 : 18, fourth = late ? 20 : 19;
    argument[0] = op >> 16 & 1 ? delayed[0] : argument[0];
    argument[1] = op >> 17 & 1 ? delayed[1] : argument[1];
    argument[2] = op >> third & 1 ? delayed[0] : argument[2];
    argument[3] = op >> fourth & 1 ? delayed[1] : argument[3];
    if (chains && op >> 18 & 1)
        argument[3] = setflag;
    return op >> (argument[0] | argument[1] << 1 | argument[2] << 2 | argument[3] << 3) & 1;
}

static void watch_input(struct watcher *watcher, const struct tally_pcounter *engine, unsigned dom,
                        enum tally_pcounter_value value, bool expected)
{
    uint64_t got = 2;
    if (!watcher->observing)
        return;
    assert_int_equal(tally_pcounter_peek(engine, dom, value, &got), 0);
    ROW(__LINE__, got == expected, "program %llu, tick %llu, domain %u: %s is %d",
        (unsigned long long)watcher->seed, (unsigned long long)tally_pcounter_now(engine) - 1, dom,
        tally_pcounter_value_name(value), (int)got);
}

static void watch_domain(struct watcher *watcher, const struct tally_pcounter *engine, unsigned dom)
{
    enum tally_pcounter_revision revision = tally_pcounter_revision(engine);
    struct tally_pcounter_domain about;
    bool before = watcher->domain[dom].event;
    bool early = input_value(watcher, engine, dom, IN_SETFLAG, before, false);
    bool event = input_value(watcher, engine, dom, IN_EVENT, before, early);
    bool setflag = input_value(watcher, engine, dom, IN_SETFLAG, event, false);
    tally_pcounter_domain(engine, dom, &about);
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_EVENT, event);
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_SETFLAG, setflag);
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_CLRFLAG,
                input_value(watcher, engine, dom, IN_CLRFLAG, event, false));
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_PRE,
                input_value(watcher, engine, dom, IN_PRE, event, false));
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_START,
                input_value(watcher, engine, dom, IN_START, event, false));
    watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_STOP,
                input_value(watcher, engine, dom, IN_STOP, event, setflag));
    if (revision >= TALLY_PCOUNTER_NV30) {
        unsigned swap =
            tally_pcounter_read32(engine, about.address ? about.address + 0x6c : 0xa560 + 4 * dom) &
            0xff;
        if (revision == TALLY_PCOUNTER_NV30)
            swap = about.trailer_base + 0x1d;
        else if (revision == TALLY_PCOUNTER_NV40)
            swap = about.trailer_base + 0x0f;
        watch_input(watcher, engine, dom, TALLY_PCOUNTER_IN_SWAP,
                    tally_pcounter_signal(engine, dom, swap));
    }
    watcher->domain[dom].event = event;
    for (unsigned input = 0; input < 6; input++)
        for (unsigned i = 0; i < 2; i++)
            watcher->domain[dom].delayed[input][i] =
                tally_pcounter_signal(engine, dom, selected(engine, dom, input, i));
    watcher->clocks++;
}

/* PMC.ENABLE of GF100 (PC-D36). */
static bool enabled(const struct tally_pcounter *engine)
{
    return tally_pcounter_revision(engine) < TALLY_PCOUNTER_GF100 ||
           tally_pcounter_read32(engine, 0x200) >> 28 & 1;
}

static int run_watched(void *context, struct tally_pcounter *engine, uint64_t ticks,
                       struct tally_error *error)
{
    struct watcher *watcher = context;
    (void)error;
    if (random_below(&watcher->rng, 3) ==
        0) { /* enabled and disabled: the flip-flops must be correct at once */
        watcher->observing = !watcher->observing;
        tally_pcounter_observe(engine, watcher->observing);
    }
    for (uint64_t end = tally_pcounter_now(engine) + ticks; tally_pcounter_now(engine) < end;) {
        uint64_t clock = next_clock(engine), now = tally_pcounter_now(engine);
        tally_pcounter_run(engine, clock < end ? clock + 1 - now : end - now);
        for (unsigned dom = 0; clock < end && dom < tally_pcounter_domains(engine); dom++) {
            struct tally_pcounter_domain about;
            uint64_t hung = 0;
            tally_pcounter_domain(engine, dom, &about);
            tally_pcounter_peek(engine, dom, TALLY_PCOUNTER_WEDGED, &hung);
            if (has_clock(&about, clock) && !hung && enabled(engine))
                watch_domain(watcher, engine, dom);
        }
    }
    return 0;
}

static void forget_at_reset(void *context, struct pct *pct, const char *line)
{
    struct watcher *watcher = context;
    const struct tally_pcounter *engine = pct_engine(pct);
    if (!strncmp(line, "reset", 5) || (engine && !enabled(engine)))
        memset(watcher->domain, 0, sizeof watcher->domain);
}

static void test_observe(void **state)
{
    (void)state;
    unsigned clocks = 0, programs = random_cases(PROGRAMS) / 3;
    for (uint64_t seed = 2000; seed < 2000 + programs; seed++) {
        struct watcher watcher = {.seed = seed, .rng = random_start(seed)};
        char *script = random_script(seed), *plain = play(script, NULL);
        char *watched = play(script, &(struct player){run_watched, forget_at_reset, &watcher});
        ROW(__LINE__, !strcmp(plain, watched), "program %llu prints something else",
            (unsigned long long)seed);
        clocks += watcher.clocks;
        free(script), free(plain), free(watched);
    }
    assert_true(clocks > random_cases(10000));
    ROWS_DONE();
}

/* ---- sources of words --------------------------------------------------------------------------
 */

/* A wave behind a source that checks the engine against the promises of <tally/wave.h>. */
struct trace;

struct source {
    struct source *next;
    struct trace *trace;
    struct tally_wave wave;
    unsigned domain;
    uint64_t origin; /* the domain's clock that is the wave's clock 0 */
    uint64_t calls, words[2][BLOCK_WORDS + 1];
};

struct trace {
    uint64_t seed;
    const struct tally_pcounter *engine;
    uint64_t from, to; /* ticks of the present run; the same between runs */
    struct source *sources;
    unsigned asked;
};

static const uint64_t *give_words(void *context, uint64_t first, size_t count, uint64_t *room)
{
    struct source *source = context;
    struct trace *trace = source->trace;
    struct tally_pcounter_domain about;
    tally_pcounter_domain(trace->engine, source->domain, &about);
    uint64_t clock = source->origin + first, begin = clocks_before(&about, trace->from);
    uint64_t end = clocks_before(&about, trace->to);
    bool latest = clock + 1 == begin || clock == trace->engine->domains[source->domain].latest;
    ROW(__LINE__, count >= 1 && count <= BLOCK_WORDS, "program %llu: %zu words",
        (unsigned long long)trace->seed, count);
    ROW(__LINE__, clock >= begin || (count == 1 && latest),
        "program %llu: clock %llu asked for in a run from %llu to %llu",
        (unsigned long long)trace->seed, (unsigned long long)clock, (unsigned long long)begin,
        (unsigned long long)end);
    trace->asked++;

    uint64_t inner[BLOCK_WORDS + 1], *answer = source->calls % 3 ? source->words[0] : room;
    const uint64_t *words = tally_wave_words(&source->wave, first, count, inner);
    struct random rng = random_start(++source->calls);
    for (size_t i = 0; i < count; i++) {
        uint64_t past =
            clock + 64 * i >= end ? 0 : end - (clock + 64 * i); /* bits before the end */
        if (clock < begin)
            past = i ? 0 : 1;
        uint64_t known = past >= 64 ? UINT64_MAX : ones((unsigned)past);
        answer[i] = (words[i] & known) | (random_next(&rng) & ~known);
    }
    return answer;
}

static void use_source(struct trace *trace, struct tally_pcounter *engine, unsigned dom,
                       unsigned signal)
{
    const struct attached *attached = &engine->domains[dom].waves[signal];
    if (engine->domains[dom].drivers[signal] != DRIVER_WAVE)
        return;
    struct source *source = calloc(1, sizeof *source);
    assert_non_null(source);
    source->trace = trace;
    source->wave = attached->wave;
    source->domain = dom;
    /* That of the source. The wave's is earlier if it replaced the same constant. */
    source->origin = engine->domains[dom].edges;
    source->next = trace->sources;
    trace->sources = source;
    struct tally_wave wave = tally_wave_custom(give_words, source);
    assert_int_equal(tally_pcounter_attach(engine, dom, signal, &wave), 0);
}

/* After each `sig`, replaces the attached waves by sources. */
static void wrap_waves(void *context, struct pct *pct, const char *line)
{
    int dom, first, last;
    struct trace *trace = context;
    int found = sscanf(line, "sig %i %i-%i", &dom, &first, &last);
    trace->engine = pct_engine(pct);
    if (found < 2)
        return;
    for (int signal = first; signal <= (found == 3 ? last : first); signal++)
        use_source(trace, pct_engine(pct), (unsigned)dom, (unsigned)signal);
}

static int run_traced(void *context, struct tally_pcounter *engine, uint64_t ticks,
                      struct tally_error *error)
{
    struct trace *trace = context;
    (void)error;
    trace->engine = engine;
    trace->from = tally_pcounter_now(engine);
    trace->to = trace->from + ticks;
    tally_pcounter_run(engine, ticks);
    trace->from = trace->to;
    return 0;
}

static void test_sources_of_words(void **state)
{
    (void)state;
    unsigned asked = 0, programs = random_cases(PROGRAMS);
    for (uint64_t seed = 3000; seed < 3000 + programs; seed++) {
        struct trace trace = {.seed = seed};
        char *script = random_script(seed), *plain = play(script, NULL);
        char *traced = play(script, &(struct player){run_traced, wrap_waves, &trace});
        ROW(__LINE__, !strcmp(plain, traced), "program %llu prints something else",
            (unsigned long long)seed);
        asked += trace.asked;
        for (struct source *next; trace.sources; trace.sources = next) {
            next = trace.sources->next;
            free(trace.sources);
        }
        free(script), free(plain), free(traced);
    }
    assert_true(asked > random_cases(10000));
    ROWS_DONE();
}

int test_properties(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_leaps),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_observe),
        cmocka_unit_test(test_sources_of_words),
    };
    return cmocka_run_group_tests_name("pcounter properties", tests, NULL, NULL);
}
