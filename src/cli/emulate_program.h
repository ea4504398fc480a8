/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_EMULATE_PROGRAM_H
#define TALLY_CLI_EMULATE_PROGRAM_H

#include <stdbool.h>
#include <stdlib.h>

/* Returns why a program would see the real machine with the preloaded library, as the end of a
 * sentence: "is a static program". NULL: it has the library, or cannot be read. */
const char *emulate_why_unseen(const char *program);

#endif
