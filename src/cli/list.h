/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_LIST_H
#define TALLY_CLI_LIST_H

#include <tally/chipset.h>
#include <tally/platform.h>

#include "cli/cli.h"
#include "sink/lists.h"
#include "sink/sink.h"

/* What the lists of tally list have in common. */
struct listing {
    const struct arguments *arguments;
    struct output *output;
    const struct sink *sink;
    struct list list;
    const struct tally_platform *platform; /* --platform, or NULL */
    const struct tally_chipset *chipset;   /* --chipset, or NULL */
    int domain;                            /* --domain, or -1 */
};

/* Returns the index-th name of what can be listed, or NULL past the end. */
const char *list_name_at(size_t index);

/* Prepares a listing by --format and --platform. Prints errors; returns an exit code. */
int listing_init(struct listing *listing, const struct arguments *arguments);

/* Starts a list of this kind in the format of --format. */
void begin_list(struct listing *listing, const struct list_kind *kind);

/* Parses --chipset and --domain, which some lists need. Prints errors; returns an exit code. */
int find_chipset(struct listing *listing, const char *what);

/* A row for a metric set, in a list of the kind `set_list`. */
struct tally_metric_set;
extern const struct list_kind set_list;
void put_set(struct listing *listing, const struct tally_metric_set *set);

int list_chipsets(struct listing *listing);
int list_signals(struct listing *listing);

#endif
