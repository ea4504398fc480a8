/* SPDX-License-Identifier: MIT */
/* Report buffers: near their end, near full, half full, near 2^32. */
#include "oa_programs.h"

#include <inttypes.h>

void oa_program_note_place(struct oa_program *program, uint64_t address)
{
    if (program->place_count < OA_PROGRAM_PLACES)
        program->places[program->place_count++] = address;
    else
        program->places[oa_program_below(program, OA_PROGRAM_PLACES)] = address;
}

uint64_t oa_program_buffer_size(const struct oa_program *program)
{
    if (program->map == OA_REF_MAP_A)
        return UINT64_C(0x4000) * (program->size_code + 1);
    return UINT64_C(0x20000) << program->size_code;
}

void oa_program_write_oabuffer(struct oa_program *program)
{
    bool map_c = program->map == OA_REF_MAP_C;
    uint32_t size = map_c ? program->size_code << 3 : 0;
    oa_program_wr(program, map_c ? 0x2b14 : 0x23b0, program->base | size | program->oabuffer_low);
}

/* Edge trigger, disabled overrun, stop and resume. */
static void some_control_bits(struct oa_program *program)
{
    static const unsigned edge_percent[2] = {20, 45};
    bool triggers = program->profile == OA_PROGRAM_TRIGGERS;
    program->oabuffer_low = 0;
    if (oa_program_chance(program, edge_percent[triggers]))
        program->oabuffer_low |= 4;
    if (oa_program_chance(program, 25))
        program->oabuffer_low |= program->map == OA_REF_MAP_C ? 2 : 8;
    uint32_t stop_resume = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 0, 0, 1, 2, 3);
    if (program->map == OA_REF_MAP_C)
        program->oabuffer_low |= stop_resume & 1;
    else
        program->oabuffer_low |= stop_resume;
    if (program->map != OA_REF_MAP_C && oa_program_chance(program, 5))
        program->oabuffer_low |= 0x30;
}

static void write_high(struct oa_program *program)
{
    program->high = 0;
    if (oa_program_chance(program, 40))
        program->high = (uint32_t)OA_PROGRAM_PICK(program, 1, 0x12, 0x7fffffff, 0xffffffff);
    oa_program_wr(program, 0x23b4, program->high);
}

static uint32_t some_base(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 25)
        return (uint32_t)OA_PROGRAM_PICK(program, 0, 0x80000, 0x1000000, 0x2000000);
    if (r < 50)
        return (uint32_t)oa_program_below(program, 256) << 24;
    if (r < 70)
        return (uint32_t)oa_program_random(program) & 0xffffffc0;
    /* Near 2^32: base + size below it, at it, above it. */
    uint64_t size = oa_program_buffer_size(program);
    uint64_t shift = oa_program_below(program, 5);
    return (uint32_t)(UINT64_C(0x100000000) - size + 64 * shift - (r < 85 ? 128 : 0)) & 0xffffffc0;
}

void oa_program_write_head(struct oa_program *program, uint32_t value)
{
    if (program->map == OA_REF_MAP_C) {
        oa_program_wr(program, 0x2b0c, value);
        return;
    }
    uint32_t low = (uint32_t)oa_program_below(program, program->map == OA_REF_MAP_B ? 32 : 2);
    if (oa_program_chance(program, 70))
        low = 0;
    oa_program_wr(program, 0x2368, value | low);
}

void oa_program_write_tail(struct oa_program *program, uint32_t value)
{
    oa_program_note_place(program, (uint64_t)program->high << 32 | value);
    if (program->map == OA_REF_MAP_C)
        oa_program_wr(program, 0x2b10, value);
    else
        oa_program_wr(program, 0x2364, value | program->size_code << 3);
}

/* So many bytes between head and tail, the tail so many lines before the end. */
static void place_pointers(struct oa_program *program)
{
    uint64_t size = oa_program_buffer_size(program);
    uint64_t lines = oa_program_below(program, 10);
    uint64_t used = 0, tail = 0;
    switch (oa_program_below(program, 7)) {
    case 0: /* empty */
        break;
    case 1: /* before half full */
    case 6:
        used = size / 2 - 64 * lines;
        break;
    case 2: /* before full */
        used = size - 64 * (lines + 1);
        break;
    case 3:
        used = (size / 2 + 64 * lines) % size;
        break;
    default:
        used = oa_program_below(program, size / 64) * 64;
        break;
    }
    switch (oa_program_below(program, 4)) {
    case 0:
        tail = used;
        break;
    case 1:
        tail = oa_program_below(program, size / 64) * 64;
        break;
    default: /* near the end of the buffer */
        tail = size - 64 * oa_program_between(program, 1, 9);
        break;
    }
    uint64_t head = tail >= used ? tail - used : tail + size - used;
    oa_program_write_head(program, (uint32_t)(program->base + head));
    oa_program_write_oabuffer(program);
    oa_program_write_tail(program, (uint32_t)(program->base + tail));
    oa_program_note_place(program, (uint64_t)program->high << 32 | program->base);
}

void oa_program_buffer(struct oa_program *program)
{
    bool map_c = program->map == OA_REF_MAP_C;
    program->size_code = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7);
    program->base = some_base(program);
    some_control_bits(program);
    if (map_c) {
        if (oa_program_chance(program, 80))
            oa_program_wr(program, 0x2b08, 0);
        write_high(program);
    }
    if (oa_program_chance(program, 85)) {
        place_pointers(program);
        return;
    }
    /* Anything; nothing is checked (OA-D36). */
    uint32_t head = (uint32_t)oa_program_random(program);
    uint32_t tail = (uint32_t)oa_program_random(program);
    oa_program_write_head(program, head & 0xffffffc0);
    oa_program_write_oabuffer(program);
    oa_program_write_tail(program, tail & 0xffffffc0);
}

/* Status flags and wrap flags, by whichever register has them. */
void oa_program_status(struct oa_program *program)
{
    uint32_t flags = (uint32_t)oa_program_below(program, 8);
    if (oa_program_chance(program, 50))
        flags = 0;
    if (program->map == OA_REF_MAP_C) {
        flags |= (uint32_t)oa_program_below(program, 2) << 3;
        flags |= (uint32_t)oa_program_below(program, 4) << 16;
        if (oa_program_chance(program, 20))
            flags |= (uint32_t)oa_program_random(program);
        oa_program_wr(program, 0x2b08, flags);
        return;
    }
    uint64_t size = oa_program_buffer_size(program);
    uint32_t tail = program->base + (uint32_t)oa_program_below(program, size / 64) * 64;
    oa_program_note_place(program, tail);
    oa_program_wr(program, 0x2364, tail | program->size_code << 3 | flags);
}

void oa_program_linetime(struct oa_program *program)
{
    uint64_t clocks = OA_PROGRAM_PICK(program, 0, 1, 1, 2, 3, 4, 7, 16, 50, 64);
    if (oa_program_chance(program, 15))
        clocks = OA_PROGRAM_PICK(program, 63, 65, 100, 128, 500, 3000, 0xffffffff);
    fprintf(program->out, "linetime %" PRIu64 "\n", clocks);
    if (oa_program_chance(program, 40))
        fprintf(program->out, "spacing %" PRIu64 "\n",
                OA_PROGRAM_PICK(program, 0, 1, 2, 2, 2, 3, 16, 17, 700));
}

void oa_program_mirpc(struct oa_program *program)
{
    uint64_t address = oa_program_random(program) & 0xffffffff;
    if (oa_program_chance(program, 20))
        address = 0xffffff00 + oa_program_below(program, 256);
    if (program->map == OA_REF_MAP_C && oa_program_chance(program, 50))
        address |= oa_program_random(program) << 32;
    if (program->map == OA_REF_MAP_C && oa_program_chance(program, 10))
        address |= UINT64_C(0xffffffffffffff00);
    uint32_t id = oa_program_some_word(program);
    fprintf(program->out, "mirpc 0x%" PRIx64 " 0x%" PRIx32 "\n", address, id);
    uint64_t back = oa_program_below(program, 240);
    address -= back < 80 ? back : address % 64;
    uint64_t length = OA_PROGRAM_PICK(program, 64, 128, 256, 256, 320, 0, 7, 273);
    fprintf(program->out, "mem 0x%" PRIx64 " %" PRIu64 "\n", address, length);
}
