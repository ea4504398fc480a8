/* SPDX-License-Identifier: MIT */
/* tally list chipsets, tally list signals: NVIDIA's PCOUNTER. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cli/list.h"
#include "cli/unknown.h"
#include "nvidia/revisions.h"
#include "sink/json.h"

/* ---- which chipset and domain ---------------------------------------------------------------- */

/* Describes the valid values of --domain. */
static void describe_domains(const struct tally_chipset *chipset, char *text, size_t size)
{
    if (pcounter_features[chipset->revision].sets)
        snprintf(text, size, "GPC, PART or HUB and 0 to 7, such as GPC0");
    else if (chipset->domain_count > 1)
        snprintf(text, size, "0 to %u", chipset->domain_count - 1u);
    else
        snprintf(text, size, "0");
}

/* Whether a list is of a chipset, and of a platform, which is then its alternative. */
static const struct chipset_list {
    const char *what;
    bool needed, platform;
} chipset_lists[] = {
    {"signals", true, false},
    {"registers", true, true},
    {"sets", false, true},
    {"counters", false, true},
};

int find_chipset(struct listing *listing, const char *what)
{
    const struct chipset_list *list = NULL;
    const char *chipset = listing->arguments->values[OPTION_CHIPSET];
    const char *domain = listing->arguments->values[OPTION_DOMAIN];
    listing->domain = -1;
    for (size_t i = 0; i < ARRAY_COUNT(chipset_lists); i++)
        if (!strcmp(what, chipset_lists[i].what))
            list = &chipset_lists[i];
    if (chipset && !list)
        return usage_error("list: --chipset is only for tally list signals, registers, sets and "
                           "counters");
    if (domain && (!list || list->platform))
        return usage_error("list: --domain is only for tally list signals");
    if (list && list->platform && chipset && listing->platform)
        return usage_error("list: --chipset and --platform are mutually exclusive");
    if (!list || (!chipset && !list->needed) || (!chipset && list->platform && listing->platform))
        return EXIT_DONE;
    if (!chipset && list->platform)
        return usage_error("list: %s needs --chipset or --platform", what);
    if (!chipset)
        return usage_error("list: %s needs --chipset (see tally list chipsets)", what);
    listing->chipset = tally_chipset_find(chipset);
    if (!listing->chipset)
        return unknown_chipset(chipset);
    if (!domain || listing->chipset->presence == TALLY_ABSENT)
        return EXIT_DONE;
    listing->domain = tally_domain_find(domain);
    if (listing->domain >= 0 &&
        tally_chipset_has_domain(listing->chipset, (unsigned)listing->domain))
        return EXIT_DONE;
    char expected[64];
    describe_domains(listing->chipset, expected, sizeof expected);
    return usage_error("list: domain \"%s\", expected %s (%s)", domain, expected,
                       listing->chipset->title);
}

/* ---- chipsets ------------------------------------------------------------------------------ */

static const char *const presences[] = {
    [TALLY_PRESENT] = "yes",
    [TALLY_ABSENT] = "no",
    [TALLY_UNVERIFIED] = "unverified",
};

/* Writes the domains of a chipset that have counters or published signals. */
static void put_domains_json(struct output *output, const void *item)
{
    const struct tally_chipset *chipset = item;
    const char *comma = "";
    output_text(output, "[");
    for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++) {
        int base = tally_chipset_trailer_base(chipset, domain);
        bool counted = domain < chipset->domain_count;
        const char *clock = counted ? chipset->domains[domain].clock : NULL;
        if (!counted && base < 0)
            continue;
        output_printf(output, "%s{\"domain\":\"%s\",\"clock\":", comma, tally_domain_name(domain));
        comma = ",";
        if (clock)
            json_text(output, clock);
        else
            output_text(output, "null");
        if (base >= 0)
            output_printf(output, ",\"trailer_base\":%d}", base);
        else
            output_text(output, ",\"trailer_base\":null}");
    }
    output_text(output, "]");
}

/* Adds to a text of `size` bytes; what does not fit is cut. */
static void append(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", part);
}

/* "40 e0 80 20": a base a domain; from GF100 on "GPC0 c0, PART0 40, HUB6 40". */
static void describe_bases(const struct tally_chipset *chipset, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++) {
        char part[24];
        int base = tally_chipset_trailer_base(chipset, domain);
        if (base < 0 && domain >= chipset->domain_count)
            continue;
        if (domain >= TALLY_PCOUNTER_DOMAINS)
            snprintf(part, sizeof part, "%s%s %02x", *text ? ", " : "", tally_domain_name(domain),
                     (unsigned)base);
        else if (base >= 0)
            snprintf(part, sizeof part, "%s%02x", *text ? " " : "", (unsigned)base);
        else
            snprintf(part, sizeof part, "%s?", *text ? " " : "");
        append(text, size, part);
    }
    if (!*text)
        append(text, size, chipset->presence == TALLY_ABSENT ? "-" : "?");
}

/* "Host, Core A, Shader": the clocks, without the word, and the remark. */
static void describe_clocks(const struct tally_chipset *chipset, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned domain = 0; domain < chipset->domain_count; domain++) {
        const char *clock = chipset->domains[domain].clock ? chipset->domains[domain].clock : "?";
        const char *word = strstr(clock, " clock");
        char part[64];
        snprintf(part, sizeof part, "%s%.*s", domain ? ", " : "",
                 word ? (int)(word - clock) : (int)strlen(clock), clock);
        append(text, size, part);
        if (word)
            append(text, size, word + strlen(" clock"));
    }
    if (*chipset->remark) {
        append(text, size, *text ? "  (" : "(");
        append(text, size, chipset->remark);
        append(text, size, ")");
    }
}

/* "4", "2 ?" (unverified), "1g 2p" (GPCs and partitions) or "-". */
static void describe_domain_counts(const struct tally_chipset *chipset, char *text, size_t size)
{
    if (chipset->gpcs)
        snprintf(text, size, "%ug %up", chipset->gpcs, chipset->partitions);
    else if (chipset->domain_count)
        snprintf(text, size, "%u%s", chipset->domain_count,
                 chipset->presence == TALLY_UNVERIFIED ? " ?" : "");
    else
        snprintf(text, size, "-");
}

static const struct list_column chipset_columns[] = {
    {"name", LIST_TEXT, 1, 0, -6, "name"},
    {"title", LIST_TEXT, 0, 0, 0, NULL},
    {"id", LIST_TEXT, 2, 1, -4, "id"},
    {"order", LIST_NUMBER, 0, 0, 0, NULL},
    {"revision", LIST_TEXT, 3, 1, -11, "revision"},
    {"presence", LIST_TEXT, 4, 1, -10, "PCOUNTER"},
    {"domains", LIST_NESTED, 5, 1, -7, "domains"},
    {"gpcs", LIST_NUMBER, 0, 0, 0, NULL},
    {"partitions", LIST_NUMBER, 0, 0, 0, NULL},
    {"signals", LIST_NUMBER, 0, 0, 0, NULL},
    {"unit_signals", LIST_NUMBER, 0, 0, 0, NULL},
    {"remark", LIST_TEXT, 0, 0, 0, NULL},
    {NULL, LIST_TEXT, 6, 1, -26, "trailer bases"},
    {NULL, LIST_TEXT, 7, 1, 0, "clocks"},
};
static const struct list_kind chipset_list = LIST_KIND("chipset", chipset_columns);

static void put_chipset(struct listing *listing, const struct tally_chipset *chipset)
{
    char id[16], domains[16], bases[64], clocks[256];
    snprintf(id, sizeof id, "0x%02x", chipset->id);
    describe_domain_counts(chipset, domains, sizeof domains);
    describe_bases(chipset, bases, sizeof bases);
    describe_clocks(chipset, clocks, sizeof clocks);
    const struct list_cell cells[ARRAY_COUNT(chipset_columns)] = {
        {.text = chipset->name},
        {.text = chipset->title},
        {.text = id, .shown = id + strlen("0x")},
        {.number = chipset->order},
        {.text = tally_pcounter_revision_name((enum tally_pcounter_revision)chipset->revision)},
        {.text = presences[chipset->presence]},
        {.nested = put_domains_json, .item = chipset, .shown = domains},
        {.number = chipset->gpcs},
        {.number = chipset->partitions},
        {.number = tally_signal_count(chipset)},
        {.number = tally_signal_unit_count(chipset)},
        {.text = chipset->remark},
        {.text = bases},
        {.text = clocks},
    };
    list_row(&listing->list, cells);
}

int list_chipsets(struct listing *listing)
{
    begin_list(listing, &chipset_list);
    for (size_t i = 0; i < tally_chipset_count(); i++)
        put_chipset(listing, tally_chipset_at(i));
    struct output *remarks = list_remarks(&listing->list);
    if (remarks)
        output_text(remarks,
                    "Trailer bases are hexadecimal, one a domain; ? is not published. From GF100 "
                    "on a chip has\nsets of domains for g GPCs, p partitions and the hub; those "
                    "bases are inferred.\n");
    return EXIT_DONE;
}

/* ---- signals ------------------------------------------------------------------------------- */

static const struct list_column signal_columns[] = {
    {"chipset", LIST_TEXT, 0, 0, 0, NULL},     {"domain", LIST_TEXT, 1, 0, -6, "domain"},
    {"index", LIST_NUMBER, 2, 1, -7, "index"}, {"offset", LIST_NUMBER, 0, 0, 0, NULL},
    {"name", LIST_TEXT, 3, 1, -26, "name"},    {"element", LIST_NUMBER, 0, 0, 0, NULL},
    {"group", LIST_NESTED, 0, 0, 0, NULL},     {"alias", LIST_TEXT, 4, 1, -18, "alias"},
    {"note", LIST_TEXT, 5, 1, 0, "note"},      {"trailer", LIST_BOOL, 0, 0, 0, NULL},
};
static const struct list_kind signal_list = LIST_KIND("signal", signal_columns);

/* Writes the first and last index of a group of signals. */
static void put_group_json(struct output *output, const void *item)
{
    const struct tally_signal *signal = item;
    output_printf(output, "[%u,%u]", signal->group_first, signal->group_last);
}

static void put_signal(struct listing *listing, const struct tally_signal *signal)
{
    char index[16], name[96];
    unsigned element = (unsigned)(signal->index - signal->group_first);
    bool group = signal->group_last > signal->group_first;
    enum list_state grouped = group ? LIST_PRESENT : LIST_NULL;
    snprintf(index, sizeof index, "%02x", signal->index);
    snprintf(name, sizeof name, group ? "%s[%u]" : "%s", signal->name, element);
    const struct list_cell cells[ARRAY_COUNT(signal_columns)] = {
        {.text = listing->chipset->name},
        {.text = tally_domain_name(signal->domain)},
        {.number = signal->index, .shown = index},
        {.state = LIST_ABSENT},
        {.text = signal->name, .shown = name},
        {.number = element, .state = grouped},
        {.nested = put_group_json, .item = signal, .state = grouped},
        {.text = signal->alias},
        {.text = signal->note},
        {.number = signal->trailer},
    };
    list_row(&listing->list, cells);
}

static void put_offset(struct listing *listing, unsigned domain,
                       const struct tally_trailer *trailer)
{
    char index[16];
    snprintf(index, sizeof index, "base+%02x", trailer->offset);
    const struct list_cell cells[ARRAY_COUNT(signal_columns)] = {
        {.text = listing->chipset->name},
        {.text = tally_domain_name(domain)},
        {.state = LIST_NULL, .shown = index},
        {.number = trailer->offset},
        {.text = trailer->name},
        {.state = LIST_NULL},
        {.state = LIST_NULL},
        {.text = trailer->alias},
        {.text = trailer->note},
        {.number = true},
    };
    list_row(&listing->list, cells);
}

/* The trailer of a domain whose base is not published: offsets in place of indices. */
static void put_offsets(struct listing *listing, unsigned domain)
{
    const struct tally_trailer *trailer;
    enum tally_pcounter_revision revision =
        (enum tally_pcounter_revision)listing->chipset->revision;
    for (size_t i = 0; (trailer = tally_trailer_at(revision, i)); i++)
        put_offset(listing, domain, trailer);
}

/* Notes that no unit's signals are published: below a table, else on standard error. */
static void note_unpublished(struct listing *listing)
{
    const char *title = listing->chipset->title;
    const char *trailers =
        tally_signal_count(listing->chipset) ? "" : ", nor where the trailer of a domain begins";
    struct output *remarks = list_remarks(&listing->list);
    if (remarks)
        output_printf(remarks, "No unit's signals of %s are public%s.\n", title, trailers);
    else
        warn("no unit's signals of %s are public%s", title, trailers);
}

int list_signals(struct listing *listing)
{
    const struct tally_chipset *chipset = listing->chipset;
    struct tally_signal signal;
    if (chipset->presence == TALLY_ABSENT) {
        warn("%s has no PCOUNTER", chipset->title);
        return EXIT_FAILED;
    }
    begin_list(listing, &signal_list);
    for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++)
        if (listing->domain < 0 || signal.domain == listing->domain)
            put_signal(listing, &signal);
    for (unsigned domain = 0; domain < chipset->domain_count; domain++)
        if ((listing->domain < 0 || (unsigned)listing->domain == domain) &&
            tally_chipset_trailer_base(chipset, domain) < 0)
            put_offsets(listing, domain);
    if (!tally_signal_unit_count(chipset))
        note_unpublished(listing);
    return EXIT_DONE;
}
