/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_SAVE_H
#define TALLY_TESTBENCH_SAVE_H

#include "testbench/memory.h"
#include "testbench/script.h"
#include "testbench/words.h"

/* What the command `save` writes to a file. */
struct save {
    const struct memory *memory;
    uint64_t address, length;
    uint64_t last;     /* highest address of the space; the next one is 0 */
    bool files;        /* the script may write files */
    script_note *note; /* receives a note if a file is replaced; may be NULL */
    void *note_context;
};

/* Writes the bytes to a file, in the format of tally decode. name: its path, from the current
 * directory. Returns 0 or a negative errno with a message. */
int save_to_file(const struct save *save, const struct word *name, struct tally_error *error);

#endif
