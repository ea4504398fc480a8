/* SPDX-License-Identifier: MIT */
/* `.oat` scripts that drive a whole GPU: accesses by the CPU and by the scheduler. */
#include <inttypes.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "intel/gt/routing.h"
#include "testbench/oat_state.h"

/* ---- registers ------------------------------------------------------------------------------- */

static int command_wr(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t address, value;
    int result = oat_take_address(&words->at[1], &address, error);
    if (result == 0 && (result = oat_take_value(&words->at[2], &value, error)) == 0)
        tally_gpu_write32(oat_gpu_model(oat), address, value);
    return result;
}

static int command_rd(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t address;
    int result = oat_take_address(&words->at[1], &address, error);
    if (result < 0)
        return result;
    return oat_put(oat, "rd 0x%06" PRIx32 " = 0x%08" PRIx32 "\n", address,
                   tally_gpu_read32(oat_gpu_model(oat), address));
}

static int command_read(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t address, bytes, value;
    int result = word_number(&words->at[1], 0, UINT32_MAX, "an address", &address, error);
    if (result < 0 || (result = word_number(&words->at[2], 0, 8, "bytes", &bytes, error)) < 0)
        return result;
    if (tally_gpu_read(oat_gpu_model(oat), (uint32_t)address, (unsigned)bytes, &value) < 0)
        return word_error(error, &words->at[2], "2, 4 or 8 bytes, and an address aligned to them");
    return oat_put(oat, "read 0x%06" PRIx64 " = 0x%0*" PRIx64 "\n", address, (int)bytes * 2, value);
}

static int command_outcome(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t address;
    bool write = word_is(&words->at[2], "write");
    int result = oat_take_address(&words->at[1], &address, error);
    if (result < 0)
        return result;
    if (!write && !word_is(&words->at[2], "read"))
        return word_error(error, &words->at[2], "read or write");
    for (unsigned i = 0; gt_outcome_name((enum gt_outcome)i); i++)
        results_allow(&oat->results, gt_outcome_name((enum gt_outcome)i));
    results_allow(&oat->results, tally_gpu_access_outcome_name(TALLY_GPU_NOT_DECODED));
    return oat_put(oat, "outcome 0x%06" PRIx32 " = %s\n", address,
                   tally_gpu_outcome(oat_gpu_model(oat), address, write));
}

/* "guc rd A", "guc wr A V", and the same after "function N". */
static int command_guc(struct oat *oat, const struct words *words, struct tally_error *error)
{
    bool guc = word_is(&words->at[0], "guc");
    unsigned at = guc ? 1 : 2;
    uint64_t function = 0;
    uint32_t address, value;
    int result = guc ? 0 : word_number(&words->at[1], 1, 7, "a function", &function, error);
    if (result < 0 || (result = oat_take_address(&words->at[at + 1], &address, error)) < 0)
        return result;
    if (word_is(&words->at[at], "rd") && words->count == at + 2)
        return oat_put(
            oat, "rd 0x%06" PRIx32 " = 0x%08" PRIx32 "\n", address,
            guc ? tally_gpu_scheduler_read32(oat_gpu_model(oat), address)
                : tally_gpu_function_read32(oat_gpu_model(oat), (unsigned)function, address));
    if (!word_is(&words->at[at], "wr") || words->count != at + 3)
        return word_error(error, &words->at[at], "rd <addr>, or wr <addr> <value>");
    if ((result = oat_take_value(&words->at[at + 2], &value, error)) < 0)
        return result;
    if (guc)
        tally_gpu_scheduler_write32(oat_gpu_model(oat), address, value);
    else
        tally_gpu_function_write32(oat_gpu_model(oat), (unsigned)function, address, value);
    return 0;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static int command_irq(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t engine_class, instance, data, function = 0;
    int result = word_number(&words->at[1], 0, 7, "a class", &engine_class, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, 63, "an instance", &instance, error)) < 0 ||
        (result = word_number(&words->at[3], 0, 0xffff, "16 bits of data", &data, error)) < 0)
        return result;
    if (words->count > 4 &&
        (result = word_number(&words->at[4], 0, 7, "a function", &function, error)) < 0)
        return result;
    if (tally_gpu_interrupt(oat_gpu_model(oat), (unsigned)engine_class, (unsigned)instance,
                            (unsigned)function, (uint16_t)data) < 0)
        return word_error(error, &words->at[1], "an engine's class and instance");
    return 0;
}

static int command_level(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t bit, level;
    int result = word_number(&words->at[1], 0, 31, "a bit", &bit, error);
    if (result < 0 || (result = word_number(&words->at[2], 0, 1, "a level", &level, error)) < 0)
        return result;
    return tally_gpu_set_level(oat_gpu_model(oat), (unsigned)bit, level) < 0
               ? word_error(error, &words->at[1], "30 (PCU), 29 (GU_MISC) or 16 (display)")
               : 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct oat_command oat_access_commands[] = {
    {"wr", "<addr> <value>", 2, 2, false, 0, command_wr},
    {"rd", "<addr>", 1, 1, false, 0, command_rd},
    {"read", "<addr> <bytes>", 2, 2, false, 0, command_read},
    {"outcome", "<addr> read|write", 2, 2, false, 0, command_outcome},
    {"guc", "rd <addr>|wr <addr> <value>", 2, 3, false, OAT_INTERRUPT_TREE, command_guc},
    {"function", "<n> rd <addr>|wr <addr> <value>", 3, 4, false, OAT_INTERRUPT_TREE, command_guc},
    {"irq", "<class> <instance> <data> [<function>]", 3, 4, false, OAT_INTERRUPT_TREE, command_irq},
    {"level", "<bit> 0|1", 2, 2, false, OAT_INTERRUPT_TREE, command_level},
};

const size_t oat_access_command_count = ARRAY_COUNT(oat_access_commands);
