/* SPDX-License-Identifier: MIT */
/* Random waveforms for the inputs. */
#include "oa_programs.h"

#include <inttypes.h>

static void put_bits(struct oa_program *program, bool sparse)
{
    uint64_t length = oa_program_between(program, 1, 12);
    if (oa_program_chance(program, 15))
        length = OA_PROGRAM_PICK(program, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129);
    else if (oa_program_chance(program, 20))
        length = oa_program_between(program, 10, 150);
    unsigned percent = sparse ? 3 : (unsigned)OA_PROGRAM_PICK(program, 10, 50, 50, 90);
    for (; length; length--)
        fputc(oa_program_chance(program, percent) ? '1' : '0', program->out);
}

/* A bit waveform but const. */
static void put_bit_wave(struct oa_program *program, bool sparse)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 35) {
        fputs("pattern ", program->out);
        put_bits(program, sparse);
    } else if (r < 45) {
        fputs("once ", program->out);
        put_bits(program, sparse);
    } else if (r < 70) {
        uint64_t n = oa_program_between(program, 1, 9);
        if (sparse || oa_program_chance(program, 20))
            n = oa_program_between(program, 30, sparse ? 3000 : 300);
        if (oa_program_chance(program, 10))
            n = OA_PROGRAM_PICK(program, 63, 64, 65, 128, 1000, 0xffffffffffffffff);
        uint64_t o = oa_program_below(program, n);
        fprintf(program->out, "every %" PRIu64 " %" PRIu64, n, o);
    } else {
        uint64_t seed = oa_program_random(program);
        if (oa_program_chance(program, 15))
            seed = 0xffffffffffffffff - oa_program_below(program, 8);
        uint64_t p = OA_PROGRAM_PICK(program, 2, 16, 64, 128, 128, 192, 250, 255, 256);
        if (sparse)
            p = oa_program_between(program, 0, 3);
        else if (oa_program_chance(program, 25))
            p = oa_program_below(program, 257);
        const char *kind = oa_program_chance(program, 25) ? "scatter" : "prng";
        fprintf(program->out, "%s 0x%" PRIx64 " %" PRIu64, kind, seed, p);
    }
}

static bool want_sparse(struct oa_program *program)
{
    return oa_program_chance(program, program->quiet ? 90 : 20);
}

static void put_bit_input(struct oa_program *program)
{
    bool sparse = want_sparse(program);
    if (oa_program_chance(program, program->quiet ? 40 : 20)) {
        bool one = oa_program_chance(program, 40);
        fprintf(program->out, "const %d", one);
    } else {
        put_bit_wave(program, sparse);
    }
}

static uint64_t some_value(struct oa_program *program, uint64_t most)
{
    if (most < 100)
        return oa_program_below(program, most + 1);
    if (oa_program_chance(program, 55))
        return oa_program_below(program, 9);
    if (oa_program_chance(program, 20))
        return most - oa_program_below(program, 3);
    return oa_program_magnitude(program, 32);
}

static void put_number_input(struct oa_program *program, uint64_t most)
{
    uint64_t r = oa_program_below(program, 100);
    bool sparse = want_sparse(program);
    if (r < 20) {
        uint64_t value = some_value(program, most);
        fprintf(program->out, "const 0x%" PRIx64, value);
    } else if (r < 40) {
        uint64_t value = some_value(program, most);
        fprintf(program->out, "times %" PRIu64 " ", value);
        put_bit_wave(program, sparse);
    } else if (r < 55 && !sparse) {
        fputs("seq", program->out);
        uint64_t most_items = oa_program_chance(program, 10) ? 70 : 7;
        uint64_t items = oa_program_between(program, 1, most_items);
        for (uint64_t i = 0; i < items; i++) {
            uint64_t value = some_value(program, most);
            fprintf(program->out, "%c%" PRIu64, i ? ',' : ' ', value);
        }
    } else if (r < 75 && !sparse) {
        uint64_t seed = oa_program_random(program);
        uint64_t m = some_value(program, most);
        if (oa_program_chance(program, 60))
            m = most;
        fprintf(program->out, "uni 0x%" PRIx64 " %" PRIu64, seed, m);
    } else {
        put_bit_wave(program, sparse);
    }
}

static void put_range(struct oa_program *program, unsigned first, unsigned last)
{
    if (first == last && oa_program_chance(program, 95))
        fprintf(program->out, "%u ", first);
    else
        fprintf(program->out, "%u-%u ", first, last);
}

void oa_program_noa_range(struct oa_program *program, unsigned first, unsigned last)
{
    fputs("noa ", program->out);
    put_range(program, first, last);
    put_bit_input(program);
    fputc('\n', program->out);
}

void oa_program_noa(struct oa_program *program)
{
    unsigned first = (unsigned)oa_program_below(program, OA_REF_NOA);
    unsigned last = first;
    if (oa_program_chance(program, 30))
        last = (unsigned)oa_program_between(program, first, OA_REF_NOA - 1);
    oa_program_noa_range(program, first, last);
}

void oa_program_a(struct oa_program *program)
{
    bool map_c = program->map == OA_REF_MAP_C;
    unsigned first = (unsigned)oa_program_below(program, program->a_count);
    if (map_c && first >= 7 && first <= 20)
        first = (unsigned)OA_PROGRAM_PICK(program, 4, 6, 21, 31, 32);
    unsigned end = map_c && first < 7 ? 6 : program->a_count - 1;
    unsigned last = first;
    if (oa_program_chance(program, 35))
        last = (unsigned)oa_program_between(program, first, end);
    fputs("a ", program->out);
    put_range(program, first, last);
    put_number_input(program, 0xffffffff);
    fputc('\n', program->out);
}

static const char *const names[EU_SIGNALS] = {"fpu0", "fpu1", "send", "threads", "ff", "kind"};

/* EUs whose pipes and threads are levels of one generator, or almost; all others are constant. */
static void put_drawn_eu(struct oa_program *program, unsigned first, unsigned last)
{
    static const uint64_t most[EU_SIGNALS] = {1, 1, 1, 8, 6, 5};
    unsigned same = (unsigned)oa_program_below(program, 257);
    uint64_t seed = oa_program_magnitude(program, 64);
    const char *kind = oa_program_chance(program, 50) ? "scatter" : "prng";
    for (unsigned signal = 0; signal < EU_SIGNALS; signal++) {
        unsigned chance = (unsigned)oa_program_below(program, 257);
        uint64_t value = oa_program_below(program, most[signal] + 1);
        chance = oa_program_chance(program, 20) ? same : chance;
        seed += oa_program_chance(program, 2);
        if (oa_program_chance(program, 2)) /* another generator */
            kind = *kind == 's' ? "prng" : "scatter";
        fputs("eu ", program->out);
        put_range(program, first, last);
        fprintf(program->out, "%s ", names[signal]);
        if (signal > 3 || oa_program_chance(program, 10)) {
            fprintf(program->out, "const %" PRIu64 "\n", value);
        } else {
            if (most[signal] > 1)
                fprintf(program->out, "times %" PRIu64 " ", value);
            fprintf(program->out, "%s %" PRIu64 " %u\n", kind, seed, chance);
        }
        if (oa_program_chance(program, 2)) /* of another origin */
            oa_program_clocks(program, 1);
    }
}

void oa_program_eu(struct oa_program *program)
{
    static const uint64_t most[EU_SIGNALS] = {0, 0, 0, 8, 6, 5};
    if (!program->eus)
        return;
    unsigned first = (unsigned)oa_program_below(program, program->eus);
    unsigned last = first;
    if (oa_program_chance(program, 60)) {
        first = 0;
        last = program->eus - 1;
    } else if (oa_program_chance(program, 40)) {
        last = (unsigned)oa_program_between(program, first, program->eus - 1);
    }
    if (oa_program_chance(program, 20)) {
        put_drawn_eu(program, first, last);
        return;
    }
    unsigned signal = (unsigned)oa_program_below(program, EU_SIGNALS);
    fputs("eu ", program->out);
    put_range(program, first, last);
    fprintf(program->out, "%s ", names[signal]);
    if (most[signal])
        put_number_input(program, most[signal]);
    else
        put_bit_input(program);
    fputc('\n', program->out);
}

void oa_program_inputs(struct oa_program *program)
{
    if (oa_program_chance(program, 60))
        oa_program_noa_range(program, 0, 15);
    for (uint64_t count = oa_program_below(program, 10); count; count--)
        oa_program_noa(program);
    for (uint64_t count = oa_program_below(program, 6); count; count--)
        oa_program_a(program);
    uint64_t eus = program->profile == OA_PROGRAM_EUS ? 16 : 6;
    for (uint64_t count = program->eus ? eus : 0; count; count--)
        oa_program_eu(program);
}

unsigned oa_program_single_event(struct oa_program *program, uint64_t after)
{
    unsigned bit = (unsigned)oa_program_below(program, OA_REF_NOA);
    bool rest = oa_program_chance(program, 25);
    fprintf(program->out, "noa 0-15 const %d\n", rest);
    if (oa_program_chance(program, 50) && after < 200) {
        fprintf(program->out, "noa %u once ", bit);
        for (; after; after--)
            fputc('0', program->out);
        fputs("1\n", program->out);
    } else {
        fprintf(program->out, "noa %u every %" PRIu64 " %" PRIu64 "\n", bit, 2 * after + 1, after);
    }
    return bit;
}
