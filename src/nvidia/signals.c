/* SPDX-License-Identifier: MIT */
/*
 * The signals of a chipset: rows of data/signals/, and the trailer of every domain whose base is
 * known (PCOUNTER, "The PCOUNTER signals").
 */
#include "nvidia/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "nvidia/revisions.h"

/* ---- domains ------------------------------------------------------------------------------- */

// clang-format off
static const char domain_names[TALLY_DOMAINS][6] = {
    "0", "1", "2", "3", "4", "5", "6", "7",
    "GPC0", "GPC1", "GPC2", "GPC3", "GPC4", "GPC5", "GPC6", "GPC7",
    "PART0", "PART1", "PART2", "PART3", "PART4", "PART5", "PART6", "PART7",
    "HUB0", "HUB1", "HUB2", "HUB3", "HUB4", "HUB5", "HUB6", "HUB7",
};
// clang-format on

const char *tally_domain_name(unsigned domain)
{
    return domain < TALLY_DOMAINS ? domain_names[domain] : NULL;
}

int tally_domain_find(const char *name)
{
    for (int domain = 0; domain < TALLY_DOMAINS; domain++)
        if (!strcasecmp(domain_names[domain], name))
            return domain;
    return -ENOENT;
}

int tally_chipset_has_domain(const struct tally_chipset *chipset, unsigned domain)
{
    if (chipset->presence == TALLY_ABSENT)
        return 0;
    if (pcounter_features[chipset->revision].sets)
        return domain >= TALLY_PCOUNTER_DOMAINS && domain < TALLY_DOMAINS;
    return domain < chipset->domain_count;
}

int tally_chipset_trailer_base(const struct tally_chipset *chipset, unsigned domain)
{
    if (!tally_chipset_has_domain(chipset, domain))
        return -1;
    if (domain < TALLY_PCOUNTER_DOMAINS)
        return chipset->domains[domain].trailer_base;
    if (domain == TALLY_DOMAIN(TALLY_SET_GPC, 0))
        return chipset->gpc0_base;
    if (domain == TALLY_DOMAIN(TALLY_SET_PART, 0))
        return chipset->part0_base;
    if (chipset->hub_domain >= 0 &&
        domain == TALLY_DOMAIN(TALLY_SET_HUB, (unsigned)chipset->hub_domain))
        return chipset->hub_base;
    return -1;
}

/* ---- enumeration ---------------------------------------------------- */

/* Enumerates runs: a run is one row of unit signals, or one trailer signal. */
struct walk {
    const struct tally_chipset *chipset;
    const struct signal_row *row, *rows_end;
    unsigned domain;
    size_t trailer;
};

static struct walk start_walk(const struct tally_chipset *chipset)
{
    struct walk walk = {.chipset = chipset};
    for (const struct signal_table *table = signal_tables; table->count; table++) {
        if (strcmp(table->chipset, chipset->name) != 0)
            continue;
        walk.row = signal_rows + table->first;
        walk.rows_end = walk.row + table->count;
    }
    return walk;
}

/* Fills *out with the first signal of the next run. False at the end. */
static bool next_run(struct walk *walk, struct tally_signal *out, const struct signal_row **row)
{
    for (; walk->domain < TALLY_DOMAINS; walk->domain++, walk->trailer = 0) {
        if (walk->row < walk->rows_end && walk->row->domain == walk->domain) {
            *row = walk->row++;
            *out = (struct tally_signal){
                .name = signal_texts + (*row)->name,
                .alias = "",
                .note = signal_texts + (*row)->note,
                .domain = (*row)->domain,
                .index = (*row)->first,
                .group_first = (*row)->first,
                .group_last = (*row)->last,
            };
            return true;
        }
        int base = tally_chipset_trailer_base(walk->chipset, walk->domain);
        const struct tally_trailer *trailer =
            tally_trailer_at((enum tally_pcounter_revision)walk->chipset->revision, walk->trailer);
        if (base < 0 || !trailer)
            continue;
        walk->trailer++;
        *row = NULL;
        uint8_t index = (uint8_t)(base + trailer->offset);
        *out = (struct tally_signal){
            .name = trailer->name,
            .alias = trailer->alias,
            .note = trailer->note,
            .domain = (uint8_t)walk->domain,
            .index = index,
            .group_first = index,
            .group_last = index,
            .trailer = 1,
        };
        return true;
    }
    return false;
}

static size_t run_length(const struct tally_signal *signal)
{
    return (size_t)(signal->group_last - signal->group_first) + 1;
}

/* Changes the first signal of a run to element k of the run. */
static void take_element(struct tally_signal *signal, const struct signal_row *row, size_t k)
{
    signal->index = (uint8_t)(signal->group_first + k);
    if (row && row->alias)
        signal->alias = signal_texts + signal_aliases[row->alias + k];
}

size_t tally_signal_count(const struct tally_chipset *chipset)
{
    struct walk walk = start_walk(chipset);
    const struct signal_row *row;
    struct tally_signal signal;
    size_t count = 0;
    while (next_run(&walk, &signal, &row))
        count += run_length(&signal);
    return count;
}

size_t tally_signal_unit_count(const struct tally_chipset *chipset)
{
    size_t count = 0;
    for (struct walk walk = start_walk(chipset); walk.row < walk.rows_end; walk.row++)
        count += (size_t)(walk.row->last - walk.row->first) + 1;
    return count;
}

int tally_signal_at(const struct tally_chipset *chipset, size_t position, struct tally_signal *out)
{
    struct walk walk = start_walk(chipset);
    const struct signal_row *row;
    struct tally_signal signal;
    for (; next_run(&walk, &signal, &row); position -= run_length(&signal)) {
        if (position >= run_length(&signal))
            continue;
        take_element(&signal, row, position);
        *out = signal;
        return 0;
    }
    return -ENOENT;
}

/* ---- by name ------------------------------------------------------------------------------- */

/* Returns k of "NAME[k]" and the length of NAME, or -1 if the text ends otherwise. */
static int split_element(const char *text, size_t *name_size)
{
    size_t size = strlen(text), at = size;
    int k = 0;
    if (!size || text[--at] != ']')
        return -1;
    for (int place = 1; at && text[at - 1] >= '0' && text[at - 1] <= '9'; place *= 10) {
        if (place > 100)
            return -1; /* a domain has 256 signals */
        k += place * (text[--at] - '0');
    }
    if (!at || text[at - 1] != '[' || at == size - 1)
        return -1;
    *name_size = at - 1;
    return k;
}

/* Matches a text with the name of a run, of its elements, and their aliases. Counts the matches. */
static void match_run(const struct tally_signal *first, const struct signal_row *row,
                      const char *text, unsigned *matches, int *index)
{
    size_t name_size = 0, length = run_length(first);
    int k = split_element(text, &name_size);
    if (!strcasecmp(first->name, text)) {
        *matches += (unsigned)length;
        *index = first->group_first;
    } else if (length > 1 && k >= 0 && (size_t)k < length && strlen(first->name) == name_size &&
               !strncasecmp(first->name, text, name_size)) {
        *matches += 1;
        *index = first->group_first + k;
    }
    for (size_t i = 0; i < length; i++) {
        struct tally_signal signal = *first;
        take_element(&signal, row, i);
        if (!*signal.alias || strcasecmp(signal.alias, text) != 0)
            continue;
        *matches += 1;
        *index = signal.index;
    }
}

int tally_signal_find(const struct tally_chipset *chipset, unsigned domain, const char *name)
{
    struct walk walk = start_walk(chipset);
    const struct signal_row *row;
    struct tally_signal signal;
    unsigned matches = 0;
    int index = -ENOENT;
    if (!tally_chipset_has_domain(chipset, domain))
        return -EINVAL;
    if (!*name || strstr(name, "???"))
        return -ENOENT;
    while (next_run(&walk, &signal, &row))
        if (signal.domain == domain)
            match_run(&signal, row, name, &matches, &index);
    if (matches)
        return matches > 1 ? -ENOTUNIQ : index;
    if (tally_chipset_trailer_base(chipset, domain) >= 0)
        return -ENOENT;
    const struct tally_trailer *trailer;
    for (size_t i = 0;
         (trailer = tally_trailer_at((enum tally_pcounter_revision)chipset->revision, i)); i++)
        if (!strcasecmp(trailer->name, name) || !strcasecmp(trailer->alias, name))
            return -ENODATA;
    return -ENOENT;
}
