/* SPDX-License-Identifier: MIT */
/* Detects the language of a script. */
#include "testbench/script.h"

#include <assert.h>
#include <stdlib.h>

#include <tally/pcounter.h>

#include "base/bits.h"
#include "base/error.h"
#include "intel/gpu/trace.h"
#include "testbench/oat.h"
#include "testbench/oat_trace.h"
#include "testbench/pct.h"
#include "testbench/pct_trace.h"
#include "testbench/trace.h"
#include "testbench/words.h"

struct script {
    struct script_options options;
    struct pct *pct;
    struct oat *oat;
    struct trace *trace; /* NULL: no dump was requested */
};

int script_new(const struct script_options *options, struct script **out, struct tally_error *error)
{
    struct script *script = calloc(1, sizeof *script);
    if (!script)
        return fail_memory(error, "a script");
    script->options = *options;
    int result = options->dump ? trace_new(options->dump, &script->trace, error) : 0;
    if (result < 0) {
        free(script);
        return result;
    }
    *out = script;
    return 0;
}

void script_free(struct script *script)
{
    if (!script)
        return;
    trace_free(script->trace);
    pct_free(script->pct);
    oat_free(script->oat);
    free(script);
}

static int begin_pct(struct script *script, struct tally_error *error)
{
    const struct script_options *options = &script->options;
    int result = pct_new(options->output, options->output_context, &script->pct, error);
    if (result < 0)
        return result;
    pct_set_pace(script->pct, &options->pace);
    pct_set_expected(script->pct, options->expected, options->expected_context);
    if (options->files)
        pct_allow_files(script->pct, options->note, options->note_context);
    if (script->trace)
        pct_set_runner(script->pct, pct_trace_run, script->trace);
    if (options->mmio)
        pct_set_mmio_trace(script->pct, options->mmio);
    return 0;
}

static int begin_oat(struct script *script, struct tally_error *error)
{
    const struct script_options *options = &script->options;
    int result = oat_new(options->output, options->output_context, &script->oat, error);
    if (result < 0)
        return result;
    oat_set_pace(script->oat, &options->pace);
    oat_set_expected(script->oat, options->expected, options->expected_context);
    if (options->files)
        oat_allow_files(script->oat, options->note, options->note_context);
    if (options->mmio)
        oat_set_mmio_trace(script->oat, options->mmio);
    if (options->cost)
        oat_set_cost(script->oat, options->cost);
    if (script->trace)
        oat_set_runner(script->oat, oat_trace_run, script->trace);
    return 0;
}

int script_line(struct script *script, const char *line, size_t size, struct tally_error *error)
{
    struct words words;
    if (!script->pct && !script->oat) {
        int result = words_split(line, size, &words, error);
        if (result < 0 || !words.count)
            return result;
        result =
            word_is(&words.at[0], "platform") ? begin_oat(script, error) : begin_pct(script, error);
        if (result < 0)
            return result;
    }
    return script->oat ? oat_line(script->oat, line, size, error)
                       : pct_line(script->pct, line, size, error);
}

static size_t pct_outcomes(const struct tally_pcounter *engine,
                           struct reg_outcome outcomes[REG_OUTCOMES_MAX])
{
    const struct tally_pcounter_mmio_stats stats = tally_pcounter_mmio_stats(engine);
    const struct {
        enum tally_pcounter_access_outcome outcome;
        uint64_t count;
    } rows[] = {
        {TALLY_PCOUNTER_UNKNOWN_REGISTER, stats.unknown_register},
        {TALLY_PCOUNTER_READ_ONLY, stats.read_only},
        {TALLY_PCOUNTER_WRITE_ONLY, stats.write_only},
        {TALLY_PCOUNTER_RESERVED_BITS, stats.reserved_bits},
        {TALLY_PCOUNTER_DISABLED, stats.disabled},
    };
    static_assert(ARRAY_COUNT(rows) == TALLY_PCOUNTER_OUTCOMES - 1, "all outcomes but done");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        outcomes[i] = (struct reg_outcome){tally_pcounter_access_outcome_name(rows[i].outcome),
                                           rows[i].count};
    return ARRAY_COUNT(rows);
}

size_t script_outcomes(const struct script *script, struct reg_outcome outcomes[REG_OUTCOMES_MAX])
{
    if (script->oat) {
        struct tally_gpu_mmio_stats stats = oat_mmio_stats(script->oat);
        return gpu_trace_outcomes(&stats, outcomes);
    }
    const struct tally_pcounter *engine = script->pct ? pct_engine(script->pct) : NULL;
    return engine ? pct_outcomes(engine, outcomes) : 0;
}

bool script_has_gpu(const struct script *script)
{
    return script->oat && oat_has_gpu(script->oat);
}

int script_finish(struct script *script, struct tally_error *error)
{
    return script->trace ? trace_finish(script->trace, error) : 0;
}
