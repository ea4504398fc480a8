/* SPDX-License-Identifier: MIT */
/* Cases over all logic operations: truth tables, delays, replaced arguments. */
#include "nvidia/conformance/document.h"
#include "nvidia/conformance/language.h"

enum input { PRE, START, EVENT, STOP, SETFLAG, CLRFLAG, INPUTS };

static const char *const input_names[INPUTS] = {"PRE",  "START",   "EVENT",
                                                "STOP", "SETFLAG", "CLRFLAG"};

/* Selects signals 1 to 4 as SRC[0..3] of the input. */
static void select_sources(FILE *out, enum revision revision, enum input input)
{
    if (input < SETFLAG || revision <= NV20) {
        fprintf(out, "wr %s_SRC[0] 1:2:3:4\n", input_names[input]);
    } else if (input == SETFLAG) { /* START_SRC[2], START_SRC[3], PRE_SRC[0], PRE_SRC[1] */
        fprintf(out, "wr START_SRC[0] 0:0:1:2\nwr PRE_SRC[0] 3:4\n");
    } else { /* PRE_SRC[2], PRE_SRC[3], START_SRC[0], START_SRC[1] */
        fprintf(out, "wr PRE_SRC[0] 0:0:1:2\nwr START_SRC[0] 3:4\n");
    }
}

/* Starts the process where the PRE_OP write before it does not. */
static void begin(FILE *out, enum revision revision)
{
    if (revision == GF100)
        fprintf(out, "wr CTRL[0] MODE=0\nwr SINGLE_BEGIN_TRIGGER[0] 1\n");
}

/*
 * Brings the engine to the state in which the input decides at the next clock: PRE in WAIT_PRE,
 * START in WAIT_START, EVENT and STOP in COUNTING; SETFLAG in WAIT_PRE with FLAG 0, CLRFLAG with
 * SETFLAG at 1.
 */
static void arrive(FILE *out, enum revision revision, enum input input, uint32_t op)
{
    fprintf(out, "sig 0 1-9 const 0\nreset\n");
    select_sources(out, revision, input);
    if (input == START || input == EVENT || input == STOP)
        fprintf(out, "wr PRE_OP[0] ONE\n");
    if (input == EVENT || input == STOP)
        fprintf(out, "wr START_OP[0] ONE\n");
    if (input == CLRFLAG)
        fprintf(out, "wr SETFLAG_OP[0] ONE\n");
    fprintf(out, "wr %s_OP[0] 0x%x\n", input_names[input], op);
    if (input != PRE)
        fprintf(out, "wr PRE_OP[0] %s\n", input == SETFLAG || input == CLRFLAG ? "0" : "ONE");
    begin(out, revision);
    fprintf(out, "run %d\n", input == EVENT || input == STOP ? 3 : input == START ? 2 : 1);
}

/* Checks the engine before the first clock in which the input is 1, and after it. */
static void expect(FILE *out, enum revision revision, enum input input, bool happened)
{
    const char *mode = revision == GF100 ? "MODE=0|" : "";
    static const unsigned before[] = {[PRE] = 1, [START] = 2, [STOP] = 3},
                          after[] = {[PRE] = 2, [START] = 3, [STOP] = 0};
    if (input == EVENT)
        fprintf(out, "rd CTR_EVENT[0] -> %d\n", happened);
    else if (input == SETFLAG)
        fprintf(out, "peek 0 flag -> %d\n", happened);
    else if (input == CLRFLAG)
        fprintf(out, "peek 0 flag -> %d\n", !happened);
    else
        fprintf(out, "rd CTRL[0] -> %sSINGLE_STATE=%u\n", mode,
                happened ? after[input] : before[input]);
}

/* The input becomes 1 at clock k from now. */
static void expect_at(FILE *out, enum revision revision, enum input input, unsigned k)
{
    /* FLAG becomes 1 by SETFLAG only at the first clock. */
    if (k > 0) {
        fprintf(out, "run %u\n", k);
        expect(out, revision, input, false);
    }
    fprintf(out, "run 1\n");
    expect(out, revision, input, true);
    if (input == CLRFLAG) { /* for one clock only */
        fprintf(out, "run 1\n");
        expect(out, revision, input, false);
    }
}

/* ---- truth tables ---------------------------------------------------------------------------- */

/* Signal 1 + b is bit b of the clock number, so ARG[] at clock k is index k. */
static void truth_table(FILE *out, enum revision revision, enum input input)
{
    for (unsigned i = 0; i < 16; i++) {
        arrive(out, revision, input, 1u << i);
        fprintf(out, "sig 0 1 pattern 01\nsig 0 2 pattern 0011\nsig 0 3 pattern 00001111\n"
                     "sig 0 4 pattern 0000000011111111\n");
        expect_at(out, revision, input, i);
    }
}

static void truth_pre(FILE *out, unsigned revision)
{
    truth_table(out, revision, PRE);
}

static void truth_start(FILE *out, unsigned revision)
{
    truth_table(out, revision, START);
}

static void truth_event(FILE *out, unsigned revision)
{
    truth_table(out, revision, EVENT);
}

static void truth_stop(FILE *out, unsigned revision)
{
    truth_table(out, revision, STOP);
}

static void truth_setflag(FILE *out, unsigned revision)
{
    truth_table(out, revision, SETFLAG);
}

static void truth_clrflag(FILE *out, unsigned revision)
{
    truth_table(out, revision, CLRFLAG);
}

/* ---- arguments --------------------------------------------------------------------------------
 */

/*
 * Returns the clock at which the argument has the pulse of its signal: SRC[0..3] pulse at
 * clocks 0, 2, 4, 6, so a delayed one at 1, 3; SETFLAG pulses at clock 8.
 */
static unsigned argument_clock(enum revision revision, enum input input, unsigned arg, unsigned bit)
{
    bool wide = input == EVENT || input == STOP;
    bool late = wide || revision == GF100; /* PC-D37 */
    unsigned replace2 = late ? 19 : 18, replace3 = late ? 20 : 19;
    if (arg < 2)
        return 2 * arg + (bit == 16 + arg); /* steps 3 and 4 */
    if (revision >= G92 && bit == (arg == 2 ? replace2 : replace3))
        return 2 * (arg - 2) + 1; /* steps 5 and 6 */
    if (revision >= NV30 && wide && arg == 3 && bit == 18)
        return 8; /* step 7 */
    return 2 * arg;
}

static void argument_bits(FILE *out, enum revision revision, enum input input)
{
    static const uint32_t alone[] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
    bool wide = input == EVENT || input == STOP;
    for (unsigned arg = 0; arg < 4; arg++)
        for (unsigned bit = 15; bit <= 20; bit++) { /* 15: no bit */
            arrive(out, revision, input, alone[arg] | (bit > 15 ? 1u << bit : 0));
            if (wide && revision >= NV30) /* SETFLAG is signal 9 */
                fprintf(out, "wr START_SRC[0] 0:0:9\nwr SETFLAG_OP[0] A0\n");
            if (wide && revision >= NV30 &&
                revision != GF100) /* the write aborted the process: start again */
                fprintf(out, "wr PRE_OP[0] ONE\nrun 3\n");
            fprintf(out, "sig 0 1 once 1\nsig 0 2 once 001\nsig 0 3 once 00001\n"
                         "sig 0 4 once 0000001\nsig 0 9 once 000000001\n");
            expect_at(out, revision, input, argument_clock(revision, input, arg, bit));
        }
}

static void bits_pre(FILE *out, unsigned revision)
{
    argument_bits(out, revision, PRE);
}

static void bits_start(FILE *out, unsigned revision)
{
    argument_bits(out, revision, START);
}

static void bits_event(FILE *out, unsigned revision)
{
    argument_bits(out, revision, EVENT);
}

static void bits_stop(FILE *out, unsigned revision)
{
    argument_bits(out, revision, STOP);
}

static void bits_setflag(FILE *out, unsigned revision)
{
    argument_bits(out, revision, SETFLAG);
}

static void bits_clrflag(FILE *out, unsigned revision)
{
    argument_bits(out, revision, CLRFLAG);
}

/* Sets all bits of an EVENT or STOP operation: SETFLAG has precedence over the delayed SRC[1]. */
static void precedence(FILE *out, unsigned revision)
{
    for (enum input input = EVENT; input <= STOP; input++) {
        arrive(out, revision, input, 0x1cff00);
        fprintf(out, "wr START_SRC[0] 0:0:9\nwr SETFLAG_OP[0] A0\n");
        if (revision != GF100)
            fprintf(out, "wr PRE_OP[0] ONE\nrun 3\n");
        fprintf(out, "sig 0 2 once 01\nsig 0 9 once 000000001\n");
        expect_at(out, revision, input, 8);
    }
}

/* ---- seven inputs -----------------------------------------------------------------------------
 */

static unsigned parity(unsigned value)
{
    unsigned result = 0;
    for (; value; value >>= 1)
        result ^= value & 1;
    return result;
}

/*
 * Signals 1 to 7 are the bits of the clock number. SETFLAG is the parity (6996h) of four of them,
 * and the input is the parity of the other three and SETFLAG: that of the clock number.
 */
static void seven_inputs(FILE *out, unsigned revision)
{
    (void)revision;
    static const char *const shadows[] = {[EVENT] = "sh_event", [STOP] = "sh_stop"};
    for (enum input input = EVENT; input <= STOP; input++) {
        fprintf(out,
                "reset\nwr START_SRC[0] 0:0:1:2\nwr PRE_SRC[0] 3:4\nwr SETFLAG_OP[0] 0x6996\n");
        fprintf(out, "wr %s_SRC[0] 5:6:7:0\nwr %s_OP[0] 0x46996\n", input_names[input],
                input_names[input]);
        fprintf(out, "wr CTRL[0] MODE=1\n");
        for (unsigned bit = 0; bit < 7; bit++) {
            fprintf(out, "sig 0 %u pattern ", bit + 1);
            for (unsigned k = 0; k < 2u << bit; k++)
                fputc(k >> bit & 1 ? '1' : '0', out);
            fputc('\n', out);
        }
        for (unsigned k = 0, sum = 0; k < 128; k++) {
            fprintf(out, "run 1\n");
            sum += parity(k);
            fprintf(out, "peek 0 %s -> %u\n", shadows[input], sum);
        }
    }
}

#define DOCUMENT  "pcounter"
#define FILE_NAME "generated_inputs.c"
#define SECTION   "Input selection"

/* clang-format off */
const struct conformance_case generated_input_cases[] = {
    GENERATED("LOGIC-01", SECTION, "PRE is bit ARG[0] + 2 ARG[1] + 4 ARG[2] + 8 ARG[3] of PRE_OP, for all 16 values; the arguments are PRE_SRC[0..3]", "all", truth_pre),
    GENERATED("LOGIC-02", SECTION, "START is bit ARG[0] + 2 ARG[1] + 4 ARG[2] + 8 ARG[3] of START_OP; the arguments are START_SRC[0..3]", "all", truth_start),
    GENERATED("LOGIC-03", SECTION, "EVENT is bit ARG[0] + 2 ARG[1] + 4 ARG[2] + 8 ARG[3] of EVENT_OP; the arguments are EVENT_SRC[0..3]", "all", truth_event),
    GENERATED("LOGIC-04", SECTION, "STOP is bit ARG[0] + 2 ARG[1] + 4 ARG[2] + 8 ARG[3] of STOP_OP; the arguments are STOP_SRC[0..3]", "all", truth_stop),
    GENERATED("LOGIC-05", SECTION, "SETFLAG selects a bit of SETFLAG_OP by SETFLAG_SRC; from NV30 on by START_SRC[2], START_SRC[3], PRE_SRC[0] and PRE_SRC[1]", "all", truth_setflag),
    GENERATED("LOGIC-06", SECTION, "CLRFLAG selects a bit of CLRFLAG_OP by CLRFLAG_SRC; from NV30 on by PRE_SRC[2], PRE_SRC[3], START_SRC[0] and START_SRC[1]", "all", truth_clrflag),
    GENERATED("LOGIC-07", SECTION, "PRE_OP bits 16 and 17 delay arguments 0 and 1 by one clock; bits 18 and 19 [G92-; GF100: 19 and 20] make arguments 2 and 3 the delayed PRE_SRC[0] and [1]", "all", bits_pre),
    GENERATED("LOGIC-08", SECTION, "START_OP bits 16 and 17 delay arguments 0 and 1 by one clock; bits 18 and 19 [G92-; GF100: 19 and 20] make arguments 2 and 3 the delayed START_SRC[0] and [1]", "all", bits_start),
    GENERATED("LOGIC-09", SECTION, "EVENT_OP bits 16 and 17 delay arguments 0 and 1 by one clock; bit 18 [NV30-] makes argument 3 SETFLAG of the same clock; bits 19 and 20 [G92-] select the delayed EVENT_SRC[0] and [1]", "all", bits_event),
    GENERATED("LOGIC-10", SECTION, "STOP_OP bits 16 and 17 delay arguments 0 and 1 by one clock; bit 18 [NV30-] makes argument 3 SETFLAG of the same clock; bits 19 and 20 [G92-] select the delayed STOP_SRC[0] and [1]", "all", bits_stop),
    GENERATED("LOGIC-11", SECTION, "SETFLAG_OP bits 16 to 19 [18, 19: G92-; GF100: 16, 17, 19, 20] delay SETFLAG's own arguments", "all", bits_setflag),
    GENERATED("LOGIC-12", SECTION, "CLRFLAG_OP bits 16 to 19 [18, 19: G92-; GF100: 16, 17, 19, 20] delay CLRFLAG's own arguments", "all", bits_clrflag),
    GENERATED("LOGIC-13", SECTION, "Bit 20 takes effect only if bit 18 does not select SETFLAG", "g92..gf100", precedence),
    GENERATED("LOGIC-14", SECTION, "SETFLAG as an argument allows functions of 7 inputs, such as the parity of 7 signals, over all 128 values", "nv30..gf100", seven_inputs),
};
/* clang-format on */
const size_t generated_input_case_count =
    sizeof generated_input_cases / sizeof *generated_input_cases;
