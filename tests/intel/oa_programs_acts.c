/* SPDX-License-Identifier: MIT */
/* Looking, and disturbing. */
#include "oa_programs.h"

#include <inttypes.h>

/* ---- observations -------------------------------------------------------------------------- */

static void peek_counter(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 10);
    unsigned count = r < 4 ? program->a_count : r < 7 ? program->b_count : program->c_count;
    unsigned i = (unsigned)oa_program_below(program, count);
    fprintf(program->out, "peek %c%u\n", r < 4 ? 'a' : r < 7 ? 'b' : 'c', i);
}

static void peek_name(struct oa_program *program)
{
    static const char *const names[] = {"timestamp", "start1",   "report1", "report1",
                                        "started",   "inflight", "wrap",    "overrun",
                                        "used",      "used",     "evq",     "evq"};
    static const char *const map_c_names[] = {"ticks", "ticks",  "free4",
                                              "free6", "free19", "free20"};
    uint64_t r = oa_program_below(program, 100);
    if (r < 65) {
        oa_program_peek(program, names[oa_program_below(program, 12)]);
    } else if (r < 75 && program->map != OA_REF_MAP_A) {
        oa_program_peek(program, oa_program_chance(program, 50) ? "start2" : "report2");
    } else if (r < 90 && program->map == OA_REF_MAP_C) {
        bool copies = program->platform >= OA_REF_SKL && program->platform < OA_REF_TGL;
        unsigned count = copies ? 6 : 2;
        oa_program_peek(program, map_c_names[oa_program_below(program, count)]);
    } else if (program->eus) {
        fprintf(program->out, "peek occ%u\n", (unsigned)oa_program_below(program, program->eus));
    }
}

static void read_status(struct oa_program *program)
{
    if (program->map == OA_REF_MAP_C) {
        oa_program_rd(program, 0x2b08);
        oa_program_rd(program, 0x2b10);
    } else {
        oa_program_rd(program, 0x2364);
        if (program->map == OA_REF_MAP_B)
            oa_program_rd(program, 0x2368);
    }
    oa_program_peek(program, "used");
}

/* Compares a register or a counter with a value near to what it may have. */
static void expect(struct oa_program *program)
{
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    uint32_t address = oa_program_some_register(program);
    unsigned i = (unsigned)oa_program_below(program, program->a_count);
    uint64_t value = OA_PROGRAM_PICK(program, 0, 0, 1, 4, 0x40, 100);
    uint64_t far = oa_program_some_word(program);
    if (oa_program_chance(program, 50))
        fprintf(program->out, "expect 0x%" PRIx32 " ", address);
    else
        fprintf(program->out, "expect peek a%u ", i);
    if (oa_program_chance(program, 30))
        fprintf(program->out, "& 0x%" PRIx64 " ", OA_PROGRAM_PICK(program, 1, 7, 0x40, 0xfffff));
    fprintf(program->out, "%s ", operators[oa_program_below(program, 6)]);
    fprintf(program->out, "%" PRIu64 "\n", oa_program_chance(program, 80) ? value : far);
}

void oa_program_observe(struct oa_program *program)
{
    uint64_t count = oa_program_between(program, 1, 3);
    for (; count; count--) {
        uint64_t r = oa_program_below(program, 100);
        if (r < 30)
            peek_counter(program);
        else if (r < 60)
            peek_name(program);
        else if (r < 80)
            read_status(program);
        else if (r < 87)
            oa_program_rd_at(program, oa_program_some_register(program));
        else if (r < 90)
            expect(program);
        else if (r < 96)
            oa_program_mirpc(program);
        else if (program->place_count)
            fprintf(program->out, "mem 0x%" PRIx64 " 256\n",
                    program->places[oa_program_below(program, program->place_count)]);
    }
}

/* ---- events -------------------------------------------------------------------------------- */

static void freq(struct oa_program *program)
{
    unsigned slice = (unsigned)oa_program_below(program, 512);
    unsigned unslice = (unsigned)oa_program_below(program, 512);
    if (program->platform >= OA_REF_SKL)
        fprintf(program->out, "freq %u 0x%x\n", slice, unslice);
}

/* Switches an option that the platform has. */
static void option(struct oa_program *program)
{
    static const char *const names[] = {"start-holds-a", "start-halves", "no-eu-events"};
    unsigned count = program->map == OA_REF_MAP_C ? 3 : program->map == OA_REF_MAP_B ? 2 : 1;
    const char *name = names[oa_program_below(program, count)];
    bool on = oa_program_chance(program, 70);
    if (program->platform == OA_REF_SNB && oa_program_chance(program, 60))
        name = "incoherent";
    fprintf(program->out, "option %s %s\n", name, on ? "on" : "off");
}

void oa_program_event(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 25) {
        fprintf(program->out, "context 0x%" PRIx32 "\n", program->filter);
    } else if (r < 40) { /* near the filter */
        uint32_t other = UINT32_C(1) << oa_program_below(program, 32);
        fprintf(program->out, "context 0x%" PRIx32 "\n", program->filter ^ other);
    } else if (r < 50) {
        fprintf(program->out, "context 0x%" PRIx32 "\n", oa_program_some_word(program));
    } else if (r < 60) {
        fputs("context none\n", program->out);
    } else if (r < 80 && program->map == OA_REF_MAP_C) {
        bool level = oa_program_chance(program, 55);
        fprintf(program->out, "go %d\n", level);
        if (level && oa_program_chance(program, 40))
            fputs(oa_program_chance(program, 70) ? "go 0\n" : "go 0\ngo 1\n", program->out);
    } else if (r < 90) {
        freq(program);
    } else {
        option(program);
    }
}

void oa_program_oa_debug(struct oa_program *program)
{
    if (program->map != OA_REF_MAP_C)
        return;
    uint32_t bits = (uint32_t)OA_PROGRAM_PICK(program, 0x40, 0x40, 0x20, 4, 2, 0x66);
    uint32_t value = oa_program_chance(program, 60) ? bits : 0;
    uint32_t mask = bits;
    if (oa_program_chance(program, 30)) {
        value = (uint32_t)oa_program_random(program) & 0xffff;
        mask = (uint32_t)oa_program_random(program) & 0xffff;
    }
    oa_program_wr(program, 0x2b04, mask << 16 | value);
}

/* ---- pokes --------------------------------------------------------------------------------- */

void oa_program_poke_counter(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    uint64_t away = oa_program_magnitude(program, 7);
    uint64_t value = OA_PROGRAM_PICK(program, 0x80000000, 0x80000000, 0x100000000, 0x100000000,
                                     0x100000000, 0x10000000000, 0x10000000000, 0) -
                     1 - away;
    if (oa_program_chance(program, 10))
        value = oa_program_random(program);
    if (program->eus && r % 7 == 6) {
        unsigned eu = (unsigned)oa_program_below(program, program->eus);
        fprintf(program->out, "poke occ%u %" PRIu64 "\n", eu, away);
        return;
    }
    if (r < 35) {
        unsigned counter = (unsigned)oa_program_below(program, program->a_count);
        counter -= counter && counter == program->reserved_a;
        fprintf(program->out, "poke a%u", counter);
    } else if (r < 65)
        fprintf(program->out, "poke b%u", (unsigned)oa_program_below(program, program->b_count));
    else if (r < 90 || program->map != OA_REF_MAP_C)
        fprintf(program->out, "poke c%u", (unsigned)oa_program_below(program, program->c_count));
    else if (r < 93 || program->platform < OA_REF_SKL || program->platform >= OA_REF_TGL)
        fputs("poke ticks", program->out);
    else
        fprintf(program->out, "poke free%u", (unsigned)OA_PROGRAM_PICK(program, 4, 6, 19, 20));
    fprintf(program->out, " 0x%" PRIx64 "\n", value);
}

/* Just before or after a transition of the selected bit, of bit 32, or of the counter. */
void oa_program_poke_timestamp(struct oa_program *program)
{
    unsigned bit = program->tp + (program->platform == OA_REF_SNB ? 3 : 0);
    uint64_t period = bit < 36 ? UINT64_C(1) << bit : UINT64_C(1) << 36;
    uint64_t transition = period * OA_PROGRAM_PICK(program, 1, 1, 2, 3);
    if (oa_program_chance(program, 20))
        transition = OA_PROGRAM_PICK(program, 0x100000000, 0x1000000000, 0x800000000);
    uint64_t before = oa_program_below(program, 5);
    if (oa_program_chance(program, 30))
        before = oa_program_below(program, 200 / program->period + 1);
    fprintf(program->out, "poke timestamp 0x%" PRIx64 "\n", transition - before);
}

void oa_program_poke_block(struct oa_program *program)
{
    unsigned block = 1 + (unsigned)oa_program_below(program, program->blocks);
    bool report = oa_program_chance(program, 65);
    uint64_t count = oa_program_below(program, 10);
    if (oa_program_chance(program, 40))
        count = 0xffff - count;
    if (oa_program_chance(program, 10))
        count = oa_program_random(program);
    fprintf(program->out, "poke %s%u 0x%" PRIx64 "\n", report ? "report" : "start", block, count);
}

/* A write to a live counter, where there are any. */
void oa_program_live_write(struct oa_program *program)
{
    uint32_t value = oa_program_some_word(program);
    if (oa_program_chance(program, 50))
        value = 0xffffffff - (uint32_t)oa_program_below(program, 30);
    uint32_t last = program->map == OA_REF_MAP_B ? 0x28d0 : 0x297c;
    uint32_t words = (last - 0x2800) / 4 + 1;
    uint32_t address = 0x2800 + 4 * (uint32_t)oa_program_below(program, words);
    if (program->map == OA_REF_MAP_A)
        return;
    if (program->map == OA_REF_MAP_C && oa_program_chance(program, 50))
        oa_program_wr(program, address ^ 4, oa_program_random(program));
    oa_program_wr(program, address, value);
    oa_program_rd(program, address);
    oa_program_rd(program, address ^ 4);
}

/* ---- anything ------------------------------------------------------------------------------ */

static void move_pointer(struct oa_program *program)
{
    uint64_t size = oa_program_buffer_size(program);
    uint64_t lines = oa_program_below(program, 12);
    uint64_t offset = lines * 64;
    uint64_t r = oa_program_below(program, 10);
    if (r < 3)
        offset = size - 64 - offset;
    else if (r < 5)
        offset = oa_program_below(program, size / 64) * 64;
    uint32_t value = program->base + (uint32_t)offset;
    if (oa_program_chance(program, 65))
        oa_program_write_head(program, value);
    else
        oa_program_write_tail(program, value);
}

static void act_on_profile(struct oa_program *program)
{
    unsigned block = (unsigned)oa_program_below(program, program->blocks);
    switch (program->profile) {
    case OA_PROGRAM_CEC:
        oa_program_cec(program, (unsigned)oa_program_below(program, program->cec_count));
        break;
    case OA_PROGRAM_TRIGGERS:
        oa_program_report_block(program, block);
        break;
    case OA_PROGRAM_TIMER:
        oa_program_poke_timestamp(program);
        break;
    case OA_PROGRAM_BUFFER:
        move_pointer(program);
        break;
    case OA_PROGRAM_COUNTERS:
        oa_program_poke_counter(program);
        break;
    case OA_PROGRAM_EUS:
        oa_program_eu_control(program);
        break;
    case OA_PROGRAM_EVENTS:
        oa_program_event(program);
        break;
    case OA_PROGRAM_IRQ:
        oa_program_irq(program);
        break;
    default:
        oa_program_noise_write(program);
        break;
    }
}

static void instaddr(struct oa_program *program)
{
    fprintf(program->out, "instaddr 0x%" PRIx32 "\n", oa_program_some_word(program));
}

static void some_cec(struct oa_program *program)
{
    oa_program_cec(program, (unsigned)oa_program_below(program, program->cec_count));
}

static void some_start_block(struct oa_program *program)
{
    oa_program_start_block(program, (unsigned)oa_program_below(program, program->blocks));
}

static void some_report_block(struct oa_program *program)
{
    oa_program_report_block(program, (unsigned)oa_program_below(program, program->blocks));
}

/* The control bits of OABUFFER, without the pointers. */
static void oabuffer(struct oa_program *program)
{
    program->oabuffer_low ^= (uint32_t)OA_PROGRAM_PICK(program, 1, 2, 4, 4, 8);
    if (program->map == OA_REF_MAP_C) {
        program->oabuffer_low &= 7;
        if (oa_program_chance(program, 15))
            program->size_code = (uint32_t)oa_program_below(program, 8);
    }
    oa_program_write_oabuffer(program);
}

void oa_program_act(struct oa_program *program)
{
    static void (*const acts[])(struct oa_program *) = {
        oa_program_noa,
        oa_program_noa,
        oa_program_a,
        oa_program_eu,
        oa_program_csource,
        some_cec,
        some_cec,
        some_start_block,
        some_report_block,
        some_report_block,
        oa_program_eu_control,
        oa_program_control,
        oa_program_control,
        oa_program_buffer,
        oabuffer,
        move_pointer,
        move_pointer,
        oa_program_status,
        oa_program_linetime,
        oa_program_mirpc,
        oa_program_event,
        oa_program_event,
        oa_program_oa_debug,
        oa_program_poke_counter,
        oa_program_poke_counter,
        oa_program_poke_timestamp,
        oa_program_poke_block,
        oa_program_live_write,
        instaddr,
        oa_program_irq,
        oa_program_oar,
        oa_program_oar,
    };
    uint64_t count = sizeof acts / sizeof *acts;
    for (uint64_t times = oa_program_between(program, 1, 3); times; times--) {
        uint64_t i = oa_program_below(program, count);
        if (oa_program_chance(program, 30))
            act_on_profile(program);
        else
            acts[i](program);
    }
}
