/* SPDX-License-Identifier: MIT */
/* Commands of `.pct` scripts for time and memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "testbench/pct_state.h"
#include "testbench/save.h"

static int command_latency(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t clocks;
    int result = word_number(&words->at[1], 1, UINT32_MAX, "a latency in clocks", &clocks, error);
    return result < 0 ? result : tally_pcounter_set_latency(pct->engine, (uint32_t)clocks);
}

static int run_piece(void *closure, uint64_t ticks, struct tally_error *error)
{
    struct pct *pct = closure;
    if (pct->runner)
        return pct->runner(pct->runner_context, pct->engine, ticks, error);
    tally_pcounter_run(pct->engine, ticks);
    return 0;
}

static int command_run(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t ticks;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "a number of ticks", &ticks, error);
    if (result < 0)
        return result;
    result = pace_run(&pct->pace, ticks, run_piece, pct, error);
    if (result == 0 && pct->memory.exhausted)
        return fail_memory(error, "the record buffer's memory");
    return result;
}

#define ADDRESS_MAX ((UINT64_C(1) << 40) - 1)

static int command_mem(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address, length;
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, 1 << 20, "a length", &length, error)) < 0)
        return result;
    for (uint64_t done = 0; result == 0 && done < length; done += 16) {
        uint8_t bytes[16];
        char text[40];
        unsigned count = (unsigned)min_u64(length - done, 16);
        for (unsigned i = 0; i < count; i++) { /* addresses wrap */
            memory_read(&pct->memory, (address + done + i) & ADDRESS_MAX, &bytes[i], 1);
            snprintf(text + 2 * i, 3, "%02x", bytes[i]);
        }
        result = pct_put(pct, "mem 0x%010" PRIx64 " = %s\n", (address + done) & ADDRESS_MAX, text);
    }
    return result;
}

/* Writes the bytes of a record buffer to a file, for tally decode. */
static int command_save(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address, length;
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT32_MAX, "a length", &length, error)) < 0)
        return result;
    const struct save save = {.memory = &pct->memory,
                              .address = address,
                              .length = length,
                              .last = ADDRESS_MAX,
                              .files = pct->waves.files,
                              .note = pct->waves.note,
                              .note_context = pct->waves.note_context};
    return save_to_file(&save, &words->at[3], error);
}

static int set_fault(struct pct *pct, const struct words *words, bool faults,
                     struct tally_error *error)
{
    uint64_t address;
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0)
        return result;
    result = memory_set_fault(&pct->memory, address, faults);
    return result < 0 ? fail_memory(error, "a page") : 0;
}

static int command_fault(struct pct *pct, const struct words *words, struct tally_error *error)
{
    return set_fault(pct, words, true, error);
}

static int command_unfault(struct pct *pct, const struct words *words, struct tally_error *error)
{
    return set_fault(pct, words, false, error);
}

const struct pct_command pct_memory_commands[] = {
    {"latency", "<n>", 1, 1, false, true, command_latency},
    {"run", "<n>", 1, 1, false, true, command_run},
    {"mem", "<addr> <len>", 2, 2, false, false, command_mem},
    {"save", "<addr> <len> <file>", 3, 3, false, false, command_save},
    {"fault", "<addr>", 1, 1, false, false, command_fault},
    {"unfault", "<addr>", 1, 1, false, false, command_unfault},
};
const size_t pct_memory_command_count = ARRAY_COUNT(pct_memory_commands);
