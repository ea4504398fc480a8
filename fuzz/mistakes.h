/* SPDX-License-Identifier: MIT */
/* Checks for files whose mistakes are reported by line: lint and loading must agree. */
#ifndef TALLY_FUZZ_MISTAKES_H
#define TALLY_FUZZ_MISTAKES_H

#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/error.h>

struct lint_findings {
    unsigned count, line; /* line: of the latest finding */
};

/* A findings_visit; closure is a struct lint_findings. */
static inline void add_finding(void *closure, unsigned line, const char *message)
{
    struct lint_findings *findings = closure;
    CHECK(line >= findings->line && line > 0);
    CHECK(*message && !strchr(message, '\n'));
    findings->count++;
    findings->line = line;
}

static inline void check_lint(int mistakes, const struct lint_findings *findings,
                              const struct tally_error *error)
{
    CHECK(mistakes == (int)findings->count ||
          (mistakes < 0 && error->code == mistakes && !findings->count));
}

static inline void check_load(int result, int mistakes, const struct tally_error *error)
{
    CHECK(result == error->code && (result == 0) == (mistakes == 0));
    CHECK(result == 0 || result == -EBADMSG);
}

#endif
