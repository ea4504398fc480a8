/* SPDX-License-Identifier: MIT */
/* Deliberate sequences: what random acts would seldom bring about. */
#include "oa_programs.h"

static void enable(struct oa_program *program)
{
    program->enabled = true;
    program->resume = true;
    program->specific = oa_program_chance(program, 10);
    oa_program_write_control(program);
}

static void some_clocks(struct oa_program *program)
{
    oa_program_clocks(program, OA_PROGRAM_PICK(program, 0, 1, 1, 1, 2, 3, 5, 9, 17, 40, 64, 70));
}

/* ---- reports ------------------------------------------------------------------------------- */

/* A report in every clock over full, half full, the end of the buffer. */
static void fill(struct oa_program *program)
{
    oa_program_buffer(program);
    if (program->platform >= OA_REF_SKL && oa_program_chance(program, 40)) {
        program->oabuffer_low |= 2; /* overrun disabled */
        oa_program_write_oabuffer(program);
    }
    oa_program_report_always(program, (unsigned)oa_program_below(program, program->blocks));
    if (oa_program_chance(program, 60))
        fprintf(program->out, "linetime %u\n", (unsigned)oa_program_below(program, 3));
    if (program->platform == OA_REF_LKF && oa_program_chance(program, 50))
        oa_program_irq_setup(program);
    enable(program);
    for (uint64_t i = oa_program_between(program, 2, 12); i; i--) {
        some_clocks(program);
        oa_program_observe(program);
        if (oa_program_chance(program, 15))
            oa_program_status(program);
        if (oa_program_chance(program, 12))
            oa_program_event(program);
        if (program->platform >= OA_REF_SKL && oa_program_chance(program, 25))
            fprintf(program->out, "freq %u 7\n", (unsigned)oa_program_below(program, 512));
    }
}

/* The buffer is almost full, overrun mostly disabled; the head is moved now and then. */
static void no_room(struct oa_program *program)
{
    bool map_c = program->map == OA_REF_MAP_C;
    oa_program_buffer(program);
    program->oabuffer_low &= map_c ? 5 : 7;
    if (oa_program_chance(program, 75))
        program->oabuffer_low |= map_c ? 2 : 8;
    uint32_t size = (uint32_t)oa_program_buffer_size(program);
    uint32_t lines = (uint32_t)oa_program_below(program, 9);
    oa_program_write_head(program, program->base);
    oa_program_write_oabuffer(program);
    oa_program_write_tail(program, program->base + size - 64 * (lines + 1));
    if (oa_program_chance(program, 60))
        oa_program_report_always(program, 0);
    enable(program);
    for (uint64_t i = oa_program_between(program, 3, 9); i; i--) {
        if (program->platform >= OA_REF_SKL && oa_program_chance(program, 60))
            fprintf(program->out, "freq %u 7\n", (unsigned)oa_program_below(program, 512));
        else if (oa_program_chance(program, 40))
            oa_program_event(program);
        oa_program_clocks(program, oa_program_between(program, 1, 3));
        oa_program_rd(program, map_c ? 0x2b08 : 0x2364);
        oa_program_peek(program, "overrun");
        oa_program_peek(program, "used");
        uint32_t freed = (uint32_t)oa_program_between(program, 1, 8) * 64;
        if (oa_program_chance(program, 25))
            oa_program_write_head(program, program->base + freed);
    }
}

/* The buffer becomes half full while a reader waits for the interrupt. */
static void half_full(struct oa_program *program)
{
    if (program->platform != OA_REF_LKF) {
        fill(program);
        return;
    }
    oa_program_buffer(program);
    uint32_t half = (uint32_t)(oa_program_buffer_size(program) / 2);
    uint32_t lines = (uint32_t)oa_program_between(program, 1, 6);
    oa_program_irq_setup(program);
    oa_program_write_head(program, program->base);
    oa_program_write_tail(program, program->base + half - 64 * lines);
    oa_program_report_always(program, 0);
    enable(program);
    for (uint64_t i = oa_program_between(program, 2, 7); i; i--) {
        oa_program_clocks(program, oa_program_between(program, 1, 3));
        oa_program_rd(program, 0x190010);
        if (oa_program_chance(program, 20))
            oa_program_irq(program);
        if (oa_program_chance(program, 10))
            oa_program_wr(program, 0x2b20, oa_program_random(program));
    }
    oa_program_wr(program, 0x190070, 0x00100000);
    oa_program_rd(program, 0x190060);
}

/* Both blocks, thresholds, one report in flight for long. */
static void in_flight(struct oa_program *program)
{
    fprintf(program->out, "linetime %u\n", (unsigned)oa_program_between(program, 1, 80));
    for (unsigned block = 0; block < program->blocks; block++) {
        if (oa_program_chance(program, 50))
            oa_program_report_always(program, block);
        else
            oa_program_report_block(program, block);
    }
    enable(program);
    for (uint64_t i = oa_program_between(program, 3, 10); i; i--) {
        some_clocks(program);
        oa_program_peek(program, "inflight");
        oa_program_rd(program, program->map == OA_REF_MAP_C ? 0x2b08 : 0x2364);
        if (oa_program_chance(program, 40))
            oa_program_act(program);
        if (oa_program_chance(program, 10)) { /* the writer continues */
            program->enabled = false;
            oa_program_write_control(program);
        } else if (!program->enabled && oa_program_chance(program, 70)) {
            enable(program);
        }
    }
    fprintf(program->out, "linetime %u\n", (unsigned)OA_PROGRAM_PICK(program, 0, 0, 1, 2, 9));
}

/* Every Counter Select in turn, in the buffer and out of it. */
static void formats(struct oa_program *program)
{
    unsigned count = (unsigned)oa_program_between(program, 2, 8);
    for (unsigned i = 0; i < count; i++) {
        program->select = (program->select + 1) % 8;
        enable(program);
        if (oa_program_chance(program, 40))
            oa_program_poke_counter(program);
        oa_program_mirpc(program);
        if (oa_program_chance(program, 50))
            oa_program_clocks(program, 1);
    }
}

/* A threshold that is reached after a quiet stretch, then repeated. */
static void threshold(struct oa_program *program)
{
    uint64_t most = oa_program_chance(program, 50) ? 70 : 700;
    uint64_t after = oa_program_between(program, 1, most);
    unsigned bit = oa_program_single_event(program, after);
    unsigned block = (unsigned)oa_program_below(program, program->blocks);
    uint32_t limit = (uint32_t)oa_program_between(program, 0, 3);
    uint32_t selects = 0x11111111 * bit;
    uint32_t inverts = oa_program_chance(program, 80) ? 0x80800000 : 0x80c00000;
    bool start = oa_program_chance(program, 25);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block), limit);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 2), selects);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 3), selects);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 1), inverts);
    if (start) { /* only a disabling write ends STARTED */
        program->enabled = false;
        oa_program_write_control(program);
    }
    enable(program);
    for (uint64_t i = oa_program_between(program, 2, 6); i; i--) {
        oa_program_clocks(program, oa_program_chance(program, 50) ? after : 1);
        oa_program_peek(program, start ? "start1" : "report1");
        oa_program_peek(program, "started");
        oa_program_peek(program, "used");
    }
}

/* The timer around a transition of the watched bit. */
static void strobes(struct oa_program *program)
{
    oa_program_timer(program);
    enable(program);
    for (uint64_t i = oa_program_between(program, 1, 5); i; i--) {
        oa_program_poke_timestamp(program);
        if (oa_program_chance(program, 20))
            oa_program_poke_timestamp(program);
        uint64_t clocks = oa_program_between(program, 0, 4);
        if (program->period < 200 && oa_program_chance(program, 70))
            clocks = oa_program_below(program, 4 * program->period + 1);
        oa_program_clocks(program, clocks);
        oa_program_peek(program, "used");
        oa_program_rd(program, 0x2358);
        oa_program_rd(program, 0x235c);
        if (oa_program_chance(program, 20)) {
            oa_program_timer(program);
            oa_program_write_control(program);
        }
    }
}

/* OA_DEBUG counts at the clock, not at the event (OA-D24). */
static void debugged_event(struct oa_program *program)
{
    uint32_t bits = (uint32_t)OA_PROGRAM_PICK(program, 2, 4, 0x20, 0x66);
    bool before = oa_program_chance(program, 50);
    if (program->map == OA_REF_MAP_C)
        oa_program_wr(program, 0x2b04, before ? bits << 16 | bits : bits << 16);
    oa_program_event(program);
    if (program->platform >= OA_REF_SKL && oa_program_chance(program, 30))
        fprintf(program->out, "freq 3 %u\n", (unsigned)oa_program_below(program, 512));
    if (program->map == OA_REF_MAP_C)
        oa_program_wr(program, 0x2b04, before ? bits << 16 : bits << 16 | bits);
    oa_program_clocks(program, 1);
}

/* Several events of several kinds between two clocks, and after them none. */
static void events(struct oa_program *program)
{
    for (uint64_t i = oa_program_between(program, 1, 5); i; i--) {
        for (uint64_t count = oa_program_between(program, 1, 4); count; count--)
            oa_program_event(program);
        if (oa_program_chance(program, 30))
            oa_program_oa_debug(program);
        some_clocks(program);
        if (oa_program_chance(program, 35))
            debugged_event(program);
        oa_program_rd(program, program->map == OA_REF_MAP_C ? 0x2b10 : 0x2364);
        if (oa_program_chance(program, 15))
            oa_program_control(program);
        if (oa_program_chance(program, 10)) { /* events that are gone without trace */
            program->enabled = false;
            oa_program_write_control(program);
            oa_program_event(program);
            oa_program_clocks(program, 1);
            enable(program);
        }
    }
}

/* ---- counters ------------------------------------------------------------------------------ */

/* Counters around their ends, the overflow flag cleared in between. */
static void wraps(struct oa_program *program)
{
    for (unsigned i = 0; i < 6; i++) {
        if (oa_program_chance(program, 50))
            oa_program_status(program);
        oa_program_poke_counter(program);
        if (program->map == OA_REF_MAP_A && oa_program_chance(program, 50)) {
            unsigned b = (unsigned)oa_program_below(program, 4);
            fprintf(program->out, "poke b%u 0x7fffffff\n", b);
        }
        some_clocks(program);
        oa_program_rd(program, program->map == OA_REF_MAP_C ? 0x2b08 : 0x2364);
    }
}

/* The context filter and the stop-resume bits with counters at work. */
static void filters(struct oa_program *program)
{
    program->filter = (uint32_t)oa_program_random(program);
    program->specific = oa_program_chance(program, 85);
    if (program->map == OA_REF_MAP_C)
        oa_program_wr(program, 0x2364, program->filter);
    program->enabled = true;
    oa_program_write_control(program);
    for (unsigned i = 0; i < 6; i++) {
        oa_program_event(program);
        some_clocks(program);
        oa_program_peek(program, oa_program_chance(program, 50) ? "a0" : "b0");
    }
    if (oa_program_chance(program, 60)) {
        program->specific = false;
        oa_program_write_control(program);
    }
}

/* Occurrence and duration on short pulses, with runs of one clock. */
static void edges(struct oa_program *program)
{
    uint32_t occurrence = (uint32_t)oa_program_random(program) & 0xffff;
    oa_program_wr(program, oa_program_trigger_address(program, false, 0), occurrence << 16);
    oa_program_noa(program);
    for (unsigned i = 0; i < 4; i++) {
        oa_program_clocks(program, oa_program_chance(program, 60) ? 1 : 63);
        oa_program_observe(program);
    }
}

/* EV_Q and OUT_Q in short steps, sources changed on the way. */
static void feedback(struct oa_program *program)
{
    for (uint64_t i = oa_program_between(program, 3, 10); i; i--) {
        unsigned block = (unsigned)oa_program_below(program, program->cec_count);
        if (oa_program_chance(program, 60))
            oa_program_cec(program, block);
        oa_program_clocks(program, OA_PROGRAM_PICK(program, 1, 1, 2, 3, 64));
        oa_program_peek(program, "evq");
        fprintf(program->out, "peek b%u\n", block);
    }
}

static void quiet_event(struct oa_program *program)
{
    uint64_t after = OA_PROGRAM_PICK(program, 61, 62, 63, 64, 65, 127, 128, 200, 500, 2000);
    oa_program_single_event(program, after);
    for (unsigned i = 0; i < 3; i++) {
        oa_program_clocks(program, after + (i == 1 ? 1 : 0));
        oa_program_observe(program);
    }
}

static void eus(struct oa_program *program)
{
    for (unsigned i = 0; program->eus && i < 5; i++) {
        oa_program_eu_control(program);
        oa_program_eu(program);
        some_clocks(program);
        fprintf(program->out, "peek a%u\n", (unsigned)oa_program_between(program, 7, 20));
        fprintf(program->out, "peek occ%u\n", (unsigned)oa_program_below(program, program->eus));
    }
}

/* A trigger block whose network is one NOA bit, or any, and rarely requests reports. */
static void plain_block(struct oa_program *program, bool start, unsigned block)
{
    uint32_t selects = 0x11111111 * (uint32_t)oa_program_below(program, 16);
    uint32_t inverts = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0x400000, 0x800000, 0x800000);
    uint32_t other = (uint32_t)oa_program_random(program) & 0x7fffff;
    uint32_t edges = 1u << (16 + oa_program_below(program, 16));
    bool random = oa_program_chance(program, 30), reports = oa_program_chance(program, 10);
    inverts = (random ? other : inverts) | (uint32_t)(reports && !start) << 31;
    edges = oa_program_chance(program, 30) ? edges : 0;
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block), edges);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 1), inverts);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 2), selects);
    oa_program_wr(program, oa_program_trigger_address(program, start, 4 * block + 3), selects);
}

/* Trigger blocks whose counters are full: the NOA bits are no longer needed clock by clock,
 * however much they move. */
static void unwatched(struct oa_program *program)
{
    program->enabled = false;
    oa_program_write_control(program);
    for (unsigned block = 0; block < program->blocks; block++) {
        plain_block(program, true, block);
        plain_block(program, false, block);
    }
    if (oa_program_chance(program, 70))
        oa_program_noa(program);
    enable(program);
    for (uint64_t i = oa_program_between(program, 1, 5); i; i--) {
        oa_program_clocks(program, OA_PROGRAM_PICK(program, 0, 1, 2, 65));
        for (unsigned block = 1; block <= program->blocks; block++) {
            unsigned count = oa_program_chance(program, 20) ? 0xfc00 : 0xffff;
            fprintf(program->out, "poke start%u 0xffff\npoke report%u %u\n", block, block, count);
        }
        oa_program_clocks(program, oa_program_between(program, 1000, 2500));
        oa_program_observe(program);
        oa_program_peek(program, "started");
        oa_program_peek(program, "report1");
        fprintf(program->out, "peek b%u\n", (unsigned)oa_program_below(program, program->b_count));
        fprintf(program->out, "peek c%u\n", (unsigned)oa_program_below(program, program->c_count));
        if (oa_program_chance(program, 30))
            oa_program_act(program);
    }
}

void oa_program_scene(struct oa_program *program)
{
    static void (*const scenes[])(struct oa_program *) = {
        fill,
        half_full,
        no_room,
        in_flight,
        formats,
        threshold,
        strobes,
        events,
        wraps,
        filters,
        feedback,
        quiet_event,
        eus,
        oa_program_irq_scene,
        edges,
        unwatched,
        oa_program_oar_scene,
    };
    static void (*const own[OA_PROGRAM_PROFILES])(struct oa_program *) = {
        feedback, threshold, strobes, fill, wraps, eus, events, oa_program_irq_scene, in_flight,
    };
    uint64_t i = oa_program_below(program, sizeof scenes / sizeof *scenes);
    if (oa_program_chance(program, 35))
        own[program->profile](program);
    else
        scenes[i](program);
}
