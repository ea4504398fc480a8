/* SPDX-License-Identifier: MIT */
/* Long runs of domains that depend on waves only, which the engine counts without looking at each
 * clock: in all domains, because a set leaps as a whole. */
#include "programs.h"

#include <inttypes.h>

/* A signal with a waveform, or one that the engine drives without another domain. */
static unsigned lone_signal(struct program *program, unsigned dom)
{
    const struct program_domain *domain = &program->domain[dom];
    unsigned base = domain->trailer;
    if (program_chance(program, 85) || program->chipset < REF_NV40)
        return domain->live[program_below(program, domain->live_count)];
    if (program->chipset == REF_GF100) /* USER, PERIODIC, the own FLAG */
        return base + (unsigned)PROGRAM_PICK(program, 0x27, 0x28, 0x2e, 0x2e, 0x3f - domain->index);
    return base + (unsigned)PROGRAM_PICK(program, 0x0d, 0x0d, 0x1f - domain->index);
}

static void put_wave(struct program *program, unsigned dom)
{
    const struct program_domain *domain = &program->domain[dom];
    unsigned signal = domain->live[program_below(program, domain->live_count)];
    uint64_t period = PROGRAM_PICK(program, 65, 128, 1000, 5000, 100000);
    fprintf(program->out, "sig %u %u ", dom, signal);
    switch (program_below(program, 4)) {
    case 0:
        fprintf(program->out, "const %u\n", (unsigned)program_below(program, 2));
        break;
    case 1:
        fprintf(program->out, "every %" PRIu64 " %" PRIu64 "\n", period,
                program_below(program, period));
        break;
    case 2:
        fprintf(program->out, "once 1\n");
        break;
    case 3:
        fputs("pattern ", program->out);
        for (unsigned i = 0, length = (unsigned)(1 + program_below(program, 300)); i < length; i++)
            fputc(program_chance(program, 50) ? '1' : '0', program->out);
        fputc('\n', program->out);
        break;
    }
}

/* Sets up a domain that imports nothing and whose FLAG does not move. */
static void set_alone(struct program *program, unsigned dom)
{
    uint64_t mode = PROGRAM_PICK(program, 0, 0, 1, 1, 1, 1, 3), counters = 0;
    if (program_chance(program, 40))
        counters = program_below(program, 5);
    for (unsigned input = IN_PRE; input < IN_COUNT; input++) {
        uint32_t src = 0;
        for (unsigned i = 0; i < 4; i++)
            src |= lone_signal(program, dom) << (8 * i);
        if (program_has_src(program, (enum reference_input)input))
            program_wr(program, program_src(program, dom, (enum reference_input)input), src);
        uint64_t op = input >= IN_SETFLAG ? PROGRAM_PICK(program, 0, 0, 0, 0xffff)
                                          : program_op_value(program) & 0x3ffff;
        program_wr(program, program_op(program, dom, (enum reference_input)input), op);
    }
    if (program->chipset >= REF_G84)
        program_wr(program, program_register(program, dom, 0, 0x560), lone_signal(program, dom));
    if (program->chipset >= REF_NV40)
        program_wr(
            program, program_ctrl(program, dom),
            program_ctrl_value(program, mode | counters << 4 | program_below(program, 3) << 21));
    else
        program_write_ctrl(program, dom, mode == 1 ? PROFILE_QUAD : PROFILE_SINGLE);
    if (mode == 0 && program_chance(program, 60)) { /* counts until STOP */
        program_wr(program, program_op(program, dom, IN_START), 0xffff);
        program_wr(program, program_op(program, dom, IN_STOP), PROGRAM_PICK(program, 0, 0, 0xaaaa));
        program_begin_single(program, dom, 0xffff);
    }
}

/* Changes what a leap may depend on for some clocks: USER, FLAG, the flip-flops of a SRC register.
 */
static void disturb(struct program *program, unsigned dom)
{
    const uint64_t clear = PROGRAM_PICK(program, 0, 0xffff), set = PROGRAM_PICK(program, 0, 0xffff);
    enum reference_input input = (enum reference_input)program_below(program, IN_STOP + 1);
    uint32_t signal = lone_signal(program, dom);
    switch (program_below(program, 3)) {
    case 0:
        if (program->chipset == REF_GF100) {
            signal = program->domain[dom].trailer + 0x27 + (unsigned)program_below(program, 4);
            program_wr(program, program_src(program, dom, input), signal * 0x01010101u);
            program_wr(program, program_op(program, dom, input), 0x1aaaa);
            program_run_clocks(program, dom, PROGRAM_PICK(program, 2, 2, 700, 1500));
        }
        program_write_user(program, dom);
        program_run_clocks(program, dom, program_below(program, 3));
        break;
    case 1:
        if (program->chipset >= REF_NV40) {
            signal = program->domain[dom].trailer + (program->chipset == REF_GF100 ? 0x3f : 0x1f) -
                     program->domain[dom].index;
            program_wr(program, program_src(program, dom, input), signal * 0x01010101u);
            program_wr(program, program_op(program, dom, input),
                       PROGRAM_PICK(program, 0xaaaa, 0x1aaaa));
        }
        program_wr(program, program_op(program, dom, IN_SETFLAG), set);
        program_wr(program, program_op(program, dom, IN_CLRFLAG), clear);
        program_run_clocks(program, dom, program_below(program, 4));
        if (program_chance(program, 50)) /* FLAG stays as it is, and was perhaps not */
            program_wr(program, program_op(program, dom, IN_SETFLAG), 0);
        program_wr(program, program_op(program, dom, IN_CLRFLAG), 0);
        break;
    default:
        program_wr(program, program_src(program, dom, input), signal * 0x01010101u);
        break;
    }
}

void program_leaps(struct program *program, unsigned dom)
{
    for (unsigned i = 0; i < program->domains; i++)
        set_alone(program, i);
    for (unsigned i = 4 + (unsigned)program_below(program, 6); i; i--) {
        unsigned other = (unsigned)program_below(program, program->domains);
        switch (program_below(program, 6)) {
        case 0:
        case 1:
            put_wave(program, other);
            break;
        case 2:
            disturb(program, other);
            break;
        case 3:
            program_acknowledge(program, other);
            break;
        case 4:
            program_gctrl(program, other);
            break;
        default:
            break;
        }
        program_run_clocks(program, dom,
                           PROGRAM_PICK(program, 1, 2, 3, 64, 65, 100, 700, 700, 1500, 4000));
        if (program_chance(program, 40))
            program_observe(program, other);
    }
    program_observe(program, dom);
}
