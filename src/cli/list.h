/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_LIST_H
#define TALLY_CLI_LIST_H

#include <tally/chipset.h>
#include <tally/platform.h>

#include "cli/cli.h"

/* What the listings of tally list have in common. */
struct listing {
    const struct arguments *arguments;
    struct output *output;
    bool json;
    const struct tally_platform *platform; /* --platform, or NULL */
    const struct tally_chipset *chipset;   /* --chipset, or NULL */
    int domain;                            /* --domain, or -1 */
};

/* A line in bold above a table; nothing in JSON Lines. */
void put_heading(struct listing *listing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Parses --chipset and --domain, which some lists need. Prints errors; returns an exit code. */
int find_chipset(struct listing *listing, const char *what);

/* One line, or object, for a metric set. */
struct tally_metric_set;
void put_set(struct listing *listing, const struct tally_metric_set *set);

int list_chipsets(struct listing *listing);
int list_signals(struct listing *listing);

#endif
