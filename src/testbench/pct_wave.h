/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PCT_WAVE_H
#define TALLY_TESTBENCH_PCT_WAVE_H

#include <tally/wave.h>

#include "testbench/words.h"

/* The waveforms of `.pct` scripts (PCT-3). */

/* Memory of the script's waves, kept until the script ends. */
struct wave_store {
    uint64_t **blocks;
    size_t count, capacity;
    bool files; /* reading files is allowed */
    void (*note)(void *context, const char *text);
    void *note_context;
};

void wave_store_fini(struct wave_store *store);

/* Transfers the ownership of a block to the store. If that fails, frees the block and returns
 * -ENOMEM. */
int wave_store_keep(struct wave_store *store, uint64_t *block, struct tally_error *error);

struct wave_text {
    struct tally_wave wave;
    unsigned user; /* 1 + u for the waveform `user` u, else 0 */
};

/* Parses a waveform from word `first` on. has_user: the chipset has USER signals. period: of the
 * domain, in ticks; default step of a dump. */
int wave_parse(struct wave_store *store, const struct words *words, unsigned first, bool has_user,
               uint32_t period, struct wave_text *out, struct tally_error *error);

#endif
