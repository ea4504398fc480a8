/* SPDX-License-Identifier: MIT */
/* What reads return when there is no register to read (PC-F.4). */
#include "nvidia/gpu/errors.h"

#include <stddef.h>

#include "base/bits.h"

/* The more specific rows first. */
static const struct {
    uint32_t value, mask;
    const char *meaning;
} words[] = {
    {0xbad00100, 0xffffff00, "error word: no such register"},
    {0xbad0da00, 0xffffff00, "error word: the engine is disabled in PMC.ENABLE"},
    {0xbad0fb00, 0xffffff00, "error word: a problem of memory"},
    {0xbadf1000, 0xffffffff, "error word: the access was refused"},
    {0xbadf1100, 0xffffffff, "error word: no target at this address"},
    {0xbadf1200, 0xffffffff, "error word: the target is disabled in PMC.ENABLE"},
    {0xbadf1300, 0xffffffff, "error word: the target is disabled in PRING"},
    {0xbadf3000, 0xffffffff, "error word: the GPC or partition is not initialised"},
    {0xbadf5000, 0xffffffff, "error word of unknown meaning, seen on registers of PCOUNTER"},
    {0xbad00000, 0xfff00000, "error word of unknown meaning"},
};

const char *nvidia_error_word(uint32_t value)
{
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if ((value & words[i].mask) == words[i].value)
            return words[i].meaning;
    return NULL;
}
