/* SPDX-License-Identifier: MIT */
/*
 * Custom events and trigger networks (OA-2.2 to OA-2.4) with many settings on a random bus. The
 * expected output is computed here, step by step as in the text.
 */
#include "intel/conformance/rows.h"

#include <inttypes.h>

#include "intel/conformance/document.h"

enum { TRIALS = 40, TRIAL_CLOCKS = 24, CLOCKS = TRIALS * TRIAL_CLOCKS, BITS = 16, STEP = 3 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8; /* 24 bits */
}

/* A bus whose bits keep their value for some clocks, so that delays and edges matter. */
static void make_bus(uint16_t bus[CLOCKS], uint32_t *seed)
{
    for (unsigned k = 0; k < CLOCKS; k++) {
        uint32_t change = next_random(seed) & next_random(seed);
        bus[k] = (uint16_t)((k ? bus[k - 1] : 0) ^ change);
    }
}

static void drive_bus(FILE *out, const uint16_t bus[CLOCKS])
{
    for (unsigned bit = 0; bit < BITS; bit++) {
        fprintf(out, "noa %u pattern ", bit);
        for (unsigned k = 0; k < CLOCKS; k++)
            fputc('0' + (bus[k] >> bit & 1), out);
        fputc('\n', out);
    }
}

/* ---- custom events: OA-2.2
 * -------------------------------------------------------------------- */

struct cec {
    unsigned function, compare, source, negate, mask, delay;
    uint16_t previous_in, out_q;
};

/* Each bit of the function code is an outcome for which the function is true: 1 if the bus is
 * greater, 2 if equal, 4 if less; 3, 5, 6 and 7 combine them. */
static unsigned outcome(unsigned bus, unsigned value)
{
    return bus == value ? 2 : bus > value ? 1 : 4;
}

/* Function 0 is the exception: true if any bit of both is the same. */
static bool agree_somewhere(const struct cec *cec, unsigned bus)
{
    bool agree = false;
    for (unsigned bit = 0; bit < BITS; bit++)
        if (!(cec->mask >> bit & 1))
            agree |= (bus >> bit & 1) == (cec->compare >> bit & 1);
    return agree;
}

static bool compares(const struct cec *cec, unsigned bus)
{
    if (cec->function == 0)
        return agree_somewhere(cec, bus);
    /* A 1 in both has the effect of a 0 in both. */
    return cec->function & outcome(bus | cec->mask, cec->compare | cec->mask);
}

static unsigned cec_clock(struct cec *cecs, unsigned count, uint16_t noa, unsigned events)
{
    uint16_t outs[8];
    unsigned made = 0;
    for (unsigned n = 0; n < count; n++) {
        struct cec *cec = &cecs[n];
        const struct cec *before = &cecs[(n + count - 1) % count];
        const uint16_t sources[4] = {noa, before->out_q, (uint16_t)((noa & 0xff00) | events), 0};
        uint16_t in = sources[cec->source];
        outs[n] = (uint16_t)((in & ~cec->delay) | (cec->previous_in & cec->delay));
        outs[n] ^= (uint16_t)cec->negate;
        cec->previous_in = in;
        made |= (unsigned)compares(cec, outs[n]) << n;
    }
    for (unsigned n = 0; n < count; n++) /* after all have used the previous value */
        cecs[n].out_q = outs[n];
    return made;
}

static void program(FILE *out, struct cec *cec, unsigned n, unsigned platform, uint32_t *seed)
{
    cec->function = next_random(seed) & 7;
    cec->source = next_random(seed) & 3;
    cec->compare = next_random(seed) & 0xffff;
    cec->mask = (next_random(seed) | next_random(seed)) & 0xffff; /* masks most bits */
    cec->delay = next_random(seed) & 0xffff;
    cec->negate = platform >= BDW ? next_random(seed) & 0x7ff : 0;
    fprintf(out, "wr CEC%u-0 0x%x\nwr CEC%u-1 0x%x\n", n,
            cec->function | cec->compare << 3 | cec->source << 19 | cec->negate << 21, n,
            cec->mask | cec->delay << 16);
}

static void custom_events(FILE *out, unsigned platform)
{
    unsigned count = platform <= VLV ? 4 : 8, events = 0, clock = 0;
    uint32_t seed = 2026 + platform;
    uint16_t bus[CLOCKS];
    struct cec cecs[8] = {{0}};
    make_bus(bus, &seed);
    drive_bus(out, bus);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        for (unsigned n = 0; n < count; n++)
            program(out, &cecs[n], n, platform, &seed);
        for (unsigned k = 1; k <= TRIAL_CLOCKS; k++) {
            events = cec_clock(cecs, count, bus[clock++], events);
            if (k % STEP == 0)
                fprintf(out, "run %d\npeek evq -> 0x%x\n", STEP, events);
        }
    }
}

/* ---- trigger networks: OA-2.3, OA-2.4
 * ------------------------------------------------------------ */

struct network {
    uint32_t inverts, selects[2]; /* TRIG2; inputs 0 to 7, 8 to 15 */
    unsigned count;
};

static bool network_clock(struct network *net, uint16_t noa, unsigned taps[2])
{
    unsigned group[4], pair[2];
    for (unsigned j = 0; j < 4; j++) {
        group[j] = 1;
        for (unsigned k = 4 * j; k < 4 * j + 4; k++) {
            unsigned select = net->selects[k / 8] >> (k % 8 * 4) & 15;
            group[j] &= (noa >> select & 1u) ^ (net->inverts >> k & 1);
        }
        group[j] ^= net->inverts >> (16 + j) & 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        taps[i] = group[2 * i] & group[2 * i + 1];
        pair[i] = taps[i] ^ (net->inverts >> (20 + i) & 1);
    }
    unsigned d = (pair[0] & pair[1]) ^ (net->inverts >> 22 & 1);
    net->count += d;
    return d;
}

/* Takes inputs from two bits of the bus each, or AND would always be 0. */
static void program_network(FILE *out, struct network *net, const char *kind, uint32_t *seed)
{
    unsigned bits[2] = {next_random(seed) & 15, next_random(seed) & 15};
    net->inverts = next_random(seed) & 0x7fffff;
    if (next_random(seed) & 1)
        net->inverts &= 0x7f0000;
    net->selects[0] = net->selects[1] = 0;
    for (unsigned k = 0; k < BITS; k++)
        net->selects[k / 8] |= (uint32_t)bits[next_random(seed) & 1] << (k % 8 * 4);
    net->count = 0; /* cleared by the write */
    fprintf(out, "wr %sTRIG1 0\nwr %sTRIG2 0x%" PRIx32 "\n", kind, kind, net->inverts);
    fprintf(out, "wr %sTRIG4 0x%" PRIx32 "\nwr %sTRIG3 0x%" PRIx32 "\n", kind, net->selects[0],
            kind, net->selects[1]);
}

/* Both kinds of block 1, with taps on C counters where possible. Block 2 uses NOA 0. */
static void networks(FILE *out, unsigned platform)
{
    unsigned clock = 0, tapped = platform >= ICL ? 1 : 4, counted[2] = {0, 0}, taps[2], none[2];
    bool two = platform >= HSW;
    uint32_t seed = 4711 + platform;
    uint16_t bus[CLOCKS];
    struct network start, report;
    make_bus(bus, &seed);
    drive_bus(out, bus);
    if (two)
        fprintf(out, "csource %u tap\ncsource %u tap\n", tapped, tapped + 1);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        unsigned started = 0;
        fputs("disable\n", out);
        program_network(out, &start, "OASTART", &seed);
        program_network(out, &report, "OAREPORT", &seed);
        fputs("enable 0\n", out);
        for (unsigned k = 1; k <= TRIAL_CLOCKS; k++) {
            uint16_t noa = bus[clock++];
            started |= (unsigned)network_clock(&start, noa, none);
            started |= two ? (noa & 1u) << 1 : 0;
            network_clock(&report, noa, taps);
            for (unsigned i = 0; i < 2; i++)
                counted[i] += started ? taps[i] : 0;
            if (k % STEP)
                continue;
            fprintf(out, "run %d\npeek start1 -> %u\npeek report1 -> %u\npeek started -> %u\n",
                    STEP, start.count, report.count, started);
            if (two)
                fprintf(out, "peek c%u -> %u\npeek c%u -> %u\n", tapped, counted[0], tapped + 1,
                        counted[1]);
        }
    }
}

#define DOCUMENT  "decisions"
#define FILE_NAME "generated_logic.c"

/* clang-format off */
const struct conformance_case generated_logic_cases[] = {
    GENERATED("D06-01", "OA-2.2, OA-D6 to OA-D8", "Custom events follow functions, sources, masks, delays and inverts, in 40 settings of all blocks at once", "all", custom_events),
    GENERATED("D10-01", "OA-2.3, OA-2.4, OA-D10 to OA-D13", "Trigger networks follow selects, inverts of four stages, taps, counters and the start, in 40 settings", "all", networks),
};
/* clang-format on */
const size_t generated_logic_case_count =
    sizeof generated_logic_cases / sizeof *generated_logic_cases;
