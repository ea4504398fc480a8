/* SPDX-License-Identifier: MIT */
#ifndef TALLY_ADVICE_ADVICE_H
#define TALLY_ADVICE_ADVICE_H

/*
 * What limits a GPU: rules (data/advice/, docs/advice.md) judge the counters of a group. A rule has
 * conditions over overall values, what they mean, and a source. The first rule that holds gives the
 * verdict. A rule whose counters the set does not have cannot hold; it is listed with what it
 * lacks.
 *
 *     advice_load("skl", &rules, &error);
 *     advice_judge(rules, program, group, statistics, &verdict);
 *     advice_rules_free(rules);
 *
 * Thread rule: rules do not change after loading, and may be used by several threads.
 */

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>
#include <tally/summary.h>

#include "base/buffer.h"
#include "base/findings.h"

struct advice_rules;
struct yaml_source;

/* Finds the rules of a platform ("skl") in the search path. Returns 0; -ENOENT: no file of the
 * search path has rules for it; -EBADMSG with the first mistake and its line; -ENOMEM. */
int advice_load(const char *platform, struct advice_rules **out, struct tally_error *error);

/* Loads rules if `out` is not NULL, reports all mistakes by line if `found` is not NULL. Returns as
 * yaml_read(). */
int advice_read(const struct yaml_source *source, struct advice_rules **out, findings_visit *found,
                void *closure, struct tally_error *error);

/* True if a YAML file has the keys of rules. */
bool advice_is(const char *path);

void advice_rules_free(struct advice_rules *rules);

/* A rule. The texts belong to the rules. */
struct advice_rule {
    const char *name;   /* "textures" */
    const char *limit;  /* what limits: "texture sampling" */
    const char *says;   /* what that means, a sentence */
    const char *when;   /* the conditions, as in the file */
    const char *source; /* where the rule comes from */
    unsigned line;      /* in the file */
};

/* The judgment of a group. {0} is empty; advice_verdict_fini() frees it. */
struct advice_verdict {
    const struct advice_rule *rule; /* the first that holds; NULL: none */
    struct buffer numbers;          /* its conditions with their values: "EuStall 78.0 % >= 50" */
    struct buffer unchecked;        /* rules before it that could not be checked, with what they
                                     * lack: "sampler (no SamplersBusy)", separated by "; " */
};

/*
 * Judges a group of a summary with the statistics of a program's set. Fills in *verdict, whose
 * buffers are emptied first. Returns 0 or -ENOMEM.
 */
int advice_judge(const struct advice_rules *rules, const struct tally_program *program,
                 const struct tally_group *group, const struct tally_statistic *statistics,
                 struct advice_verdict *verdict);

void advice_verdict_fini(struct advice_verdict *verdict);

#endif
