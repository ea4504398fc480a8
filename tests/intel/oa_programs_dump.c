/* SPDX-License-Identifier: MIT */
/* All registers, all names, and the dump at the end of a script. */
#include "oa_programs.h"

#include <inttypes.h>

enum {
    ON_SNB = 1,
    ON_MAP_A = 2,
    ON_MAP_B = 4,
    ON_MAP_C = 8,
    ON_GEN9 = 16,
    ON_LKF = 32,
    ON_GEN12 = 64,
    ON_ALL = ON_MAP_A | ON_MAP_B | ON_MAP_C | ON_GEN12,
};

static const struct {
    uint32_t first, last;
    unsigned on;
} ranges[] = {
    {0x2358, 0x235c, ON_ALL},
    {0x2360, 0x2360, ON_ALL},
    {0x2364, 0x2364, ON_ALL},
    {0x2368, 0x2368, ON_MAP_A | ON_MAP_B},
    {0x236c, 0x236c, ON_SNB},
    {0x2370, 0x23ac, ON_MAP_A},
    {0x23b0, 0x23b0, ON_MAP_A | ON_MAP_B},
    {0x23b4, 0x23b4, ON_MAP_C},
    {0x2710, 0x272c, ON_MAP_B | ON_MAP_C},
    {0x2740, 0x275c, ON_MAP_B | ON_MAP_C},
    {0x2770, 0x27ac, ON_MAP_B | ON_MAP_C},
    {0x2800, 0x28d0, ON_MAP_B},
    {0x2800, 0x2910, ON_MAP_C},
    {0x2920, 0x295c, ON_MAP_C},
    {0x2960, 0x297c, ON_GEN9},
    {0x2b00, 0x2b00, ON_MAP_C},
    {0x2b04, 0x2b04, ON_GEN9},
    {0x2b08, 0x2b14, ON_MAP_C},
    {0x2b20, 0x2b20, ON_MAP_C | ON_GEN12},
    {0xe458, 0xe45c, ON_MAP_C | ON_GEN12},
    {0xe558, 0xe55c, ON_MAP_C | ON_GEN12},
    {0xe658, 0xe65c, ON_MAP_C | ON_GEN12},
    {0xe758, 0xe758, ON_MAP_C | ON_GEN12},
    {0x190010, 0x190010, ON_LKF},
    {0x190018, 0x19001c, ON_LKF},
    {0x190030, 0x190044, ON_LKF},
    {0x190060, 0x190064, ON_LKF},
    {0x190070, 0x190074, ON_LKF},
    {0x190090, 0x190090, ON_LKF},
    {0x1900a0, 0x1900a0, ON_LKF},
    {0x1900a8, 0x1900ac, ON_LKF},
    {0x1900d0, 0x1900d0, ON_LKF},
    {0x1900e8, 0x1900f4, ON_LKF},
    {0x2244, 0x2244, ON_GEN12},
    {0x2800, 0x2910, ON_GEN12},
    {0x2920, 0x2968, ON_GEN12},
    {0x2b28, 0x2b2c, ON_GEN12},
    {0xd900, 0xdad4, ON_GEN12},
    {0xdaf4, 0xdb08, ON_GEN12},
    {0xdc00, 0xdc48, ON_GEN12},
};
enum { RANGES = sizeof ranges / sizeof *ranges };

static unsigned maps_of(const struct oa_program *program)
{
    if (program->map == OA_REF_MAP_A)
        return ON_MAP_A | (program->platform == OA_REF_SNB ? ON_SNB : 0);
    if (program->map == OA_REF_MAP_B)
        return ON_MAP_B;
    if (program->platform >= OA_REF_TGL)
        return ON_GEN12;
    return ON_MAP_C | (program->platform >= OA_REF_SKL ? ON_GEN9 : 0) |
           (program->platform == OA_REF_LKF ? ON_LKF : 0);
}

/* A register of this platform mostly, else one of another, its neighbour, or anything. */
uint32_t oa_program_some_register(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 4)
        return (uint32_t)oa_program_random(program) & 0xfffffffc;
    unsigned i;
    do
        i = (unsigned)oa_program_below(program, RANGES);
    while (r < 90 && !(ranges[i].on & maps_of(program)));
    uint32_t offset = (uint32_t)oa_program_below(program, ranges[i].last - ranges[i].first + 4);
    uint32_t address = ranges[i].first + (offset & 0xfffffffc);
    return r < 95 ? address : address - 4;
}

void oa_program_noise_write(struct oa_program *program)
{
    uint32_t address = oa_program_some_register(program);
    uint32_t value = oa_program_some_word(program);
    uint64_t r = oa_program_below(program, 10);
    bool gen12 = program->platform >= OA_REF_TGL, map_c = program->map == OA_REF_MAP_C;
    bool control = address == (gen12 ? 0xdaf4 : map_c ? 0x2b00 : 0x2360);
    if (control && r < 9) {
        oa_program_control(program);
        return;
    }
    if (r < 7 || program->profile == OA_PROGRAM_NOISE)
        oa_program_wr_at(program, address, value);
    if (r < 8)
        oa_program_rd_at(program, address);
}

static void dump_names(struct oa_program *program, const char *prefix, unsigned first,
                       unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        fprintf(program->out, "peek %s%u\n", prefix, i);
}

static void dump_peeks(struct oa_program *program)
{
    static const char *const names[] = {"timestamp", "started", "inflight", "wrap",
                                        "overrun",   "used",    "evq"};
    static const char *const gen9_names[] = {"free4", "free6", "free19", "free20"};
    dump_names(program, "a", 0, program->a_count);
    dump_names(program, "b", 0, program->b_count);
    dump_names(program, "c", 0, program->c_count);
    dump_names(program, "start", 1, program->blocks);
    dump_names(program, "report", 1, program->blocks);
    dump_names(program, "occ", 0, program->eus);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        oa_program_peek(program, names[i]);
    if (program->map == OA_REF_MAP_C)
        oa_program_peek(program, "ticks");
    bool copies = program->platform >= OA_REF_SKL && program->platform < OA_REF_TGL;
    for (unsigned i = 0; copies && i < 4; i++)
        oa_program_peek(program, gen9_names[i]);
    if (program->platform == OA_REF_LKF)
        oa_program_peek(program, "irq");
    if (program->platform < OA_REF_TGL)
        return;
    dump_names(program, "oar_a", 0, OA_REF_OAR_A);
    dump_names(program, "oar_b", 0, OA_REF_B);
    dump_names(program, "oar_c", 0, OA_REF_B);
}

void oa_program_dump(struct oa_program *program)
{
    dump_peeks(program);
    for (unsigned i = 0; i < RANGES; i++)
        for (uint32_t address = ranges[i].first; address <= ranges[i].last; address += 4)
            if (ranges[i].on & maps_of(program))
                oa_program_rd_at(program, address);
    unsigned length = oa_program_chance(program, 15) ? 40000 : 1024;
    for (unsigned i = 0; i < program->place_count; i++) {
        fprintf(program->out, "mem 0x%" PRIx64 " %u\n", program->places[i] - 128, length);
        length = 1024;
    }
}
