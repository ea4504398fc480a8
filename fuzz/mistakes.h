/* SPDX-License-Identifier: MIT */
/* What is promised of all files whose mistakes are told by line: as lint tells, so does loading. */
#ifndef TALLY_FUZZ_MISTAKES_H
#define TALLY_FUZZ_MISTAKES_H

#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/error.h>

struct told {
    unsigned count, line; /* of the last */
};

/* A findings_visit; closure is the told. */
static inline void tell(void *closure, unsigned line, const char *message)
{
    struct told *told = closure;
    PROMISE(line >= told->line && line > 0);
    PROMISE(*message && !strchr(message, '\n'));
    told->count++;
    told->line = line;
}

static inline void promise_linted(int mistakes, const struct told *told,
                                  const struct tally_error *error)
{
    PROMISE(mistakes == (int)told->count ||
            (mistakes < 0 && error->code == mistakes && !told->count));
}

static inline void promise_loaded(int result, int mistakes, const struct tally_error *error)
{
    PROMISE(result == error->code && (result == 0) == (mistakes == 0));
    PROMISE(result == 0 || result == -EBADMSG);
}

#endif
