/* SPDX-License-Identifier: MIT */
/* `.oat` scripts: the commands for a GPU's engines (docs/oat.md, "gpu"). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "base/error.h"
#include "testbench/oat_state.h"

#define ENGINE_NAME 16

/* Reads the name of an engine; the message lists those of the GPU. */
static int take_engine(const struct oat *oat, const struct word *word, char name[ENGINE_NAME],
                       struct tally_error *error)
{
    const char *engine;
    char list[64] = "";
    word_text(word, name, ENGINE_NAME);
    for (size_t i = 0; (engine = tally_gpu_engine(oat_gpu_model(oat), i)); i++) {
        if (!strcmp(engine, name))
            return 0;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", engine);
    }
    return word_error(error, word, "an engine of the GPU: %s", list);
}

static int command_submit(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t id, address;
    uint32_t space;
    bool privileged = words->count > 4 && word_is(&words->at[4], "privileged");
    unsigned engine_at = privileged ? 5 : 4;
    char engine[ENGINE_NAME] = "rcs0";
    int result = word_number(&words->at[1], 0, UINT32_MAX, "a context id", &id, error);
    if (result < 0 || (result = oat_take_space(&words->at[2], &space, error)) < 0 ||
        (result = word_number(&words->at[3], 0, UINT64_MAX, "an address", &address, error)) < 0)
        return result;
    if (words->count > engine_at + 1)
        return word_error(error, &words->at[4], "privileged");
    if (words->count > engine_at &&
        (result = take_engine(oat, &words->at[engine_at], engine, error)) < 0)
        return result;
    return tally_gpu_engine_submit(oat_gpu_model(oat), engine, (uint32_t)id, space, address,
                                   privileged) < 0
               ? fail(error, -EINVAL, "two submissions are pending already")
               : 0;
}

static int command_ppgtt(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t space;
    int result = oat_take_space(&words->at[1], &space, error);
    if (result == 0)
        tally_gpu_set_ppgtt(oat_gpu_model(oat), space);
    return result;
}

static int command_fault(struct oat *oat, const struct words *words, struct tally_error *error)
{
    struct tally_error why;
    (void)words, (void)error;
    return oat_put(oat, "fault = %s\n",
                   tally_gpu_fault(oat_gpu_model(oat), &why) < 0 ? why.message : "none");
}

static int command_busy(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char engine[ENGINE_NAME];
    int result = take_engine(oat, &words->at[1], engine, error);
    if (result < 0)
        return result;
    return oat_put(oat, "busy %s = %" PRIu64 " ns\n", engine,
                   tally_gpu_engine_busy_ns(oat_gpu_model(oat), engine));
}

static int command_reset(struct oat *oat, const struct words *words, struct tally_error *error)
{
    static const char *const names[] = {"engine", "gt", "chip"};
    unsigned what = TALLY_GPU_RESET_GT;
    char engine[ENGINE_NAME] = "rcs0";
    int result = 0;
    if (words->count > 1)
        for (what = 0; what < ARRAY_COUNT(names) && !word_is(&words->at[1], names[what]);)
            what++;
    if (what == ARRAY_COUNT(names) || (words->count > 2 && what != TALLY_GPU_RESET_ENGINE))
        return word_error(error, &words->at[1], "engine [NAME], gt or chip");
    if (words->count > 2 && (result = take_engine(oat, &words->at[2], engine, error)) < 0)
        return result;
    if (what == TALLY_GPU_RESET_ENGINE)
        return tally_gpu_engine_reset(oat_gpu_model(oat), engine);
    tally_gpu_reset(oat_gpu_model(oat), (enum tally_gpu_reset)what);
    return 0;
}

const struct oat_command oat_engine_commands[] = {
    {"submit", "<id> <space> <addr> [privileged] [<engine>]", 3, 5, false, 0, command_submit},
    {"ppgtt", "<space>", 1, 1, false, 0, command_ppgtt},
    {"fault", "", 0, 0, false, 0, command_fault},
    {"busy", "<engine>", 1, 1, false, 0, command_busy},
    {"reset", "[engine [<name>]|gt|chip]", 0, 2, false, 0, command_reset},
};

const size_t oat_engine_command_count = ARRAY_COUNT(oat_engine_commands);
