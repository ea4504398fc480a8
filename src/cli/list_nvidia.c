/* SPDX-License-Identifier: MIT */
/* tally list chipsets, tally list signals: NVIDIA's PCOUNTER. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cli/list.h"
#include "cli/unknown.h"
#include "nvidia/revisions.h"
#include "sink/json.h"

/* A line of a table, without the blanks that an empty last column leaves. */
__attribute__((format(printf, 2, 3))) static void put_line(struct output *output,
                                                           const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = strlen(line);
    while (size && line[size - 1] == ' ')
        size--;
    output_append(output, line, size);
    output_text(output, "\n");
}

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

int find_chipset(struct listing *listing, const char *what)
{
    bool registers = !strcmp(what, "registers"), needed = registers || !strcmp(what, "signals");
    const char *chipset = listing->arguments->values[OPTION_CHIPSET];
    const char *domain = listing->arguments->values[OPTION_DOMAIN];
    listing->domain = -1;
    if (!needed && (chipset || domain))
        return usage_error("list: --%s is only for tally list signals%s",
                           chipset ? "chipset" : "domain", chipset ? " and registers" : "");
    if (!needed || (registers && !chipset && !domain && listing->platform))
        return EXIT_DONE;
    if (registers && chipset && listing->platform)
        return usage_error("list: --chipset and --platform are mutually exclusive");
    if (registers && !chipset)
        return usage_error("list: registers needs --chipset or --platform");
    if (!chipset)
        return usage_error("list: %s needs --chipset (see tally list chipsets)", what);
    if (registers && domain)
        return usage_error("list: --domain is only for tally list signals");
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

static void put_chipset_json(struct output *output, const struct tally_chipset *chipset)
{
    output_text(output, "{\"type\":\"chipset\",\"name\":");
    json_text(output, chipset->name);
    json_member(output, "title", chipset->title);
    output_printf(output, ",\"id\":\"0x%02x\",\"order\":%u", chipset->id, chipset->order);
    json_member(output, "revision",
                tally_pcounter_revision_name((enum tally_pcounter_revision)chipset->revision));
    json_member(output, "presence", presences[chipset->presence]);
    output_text(output, ",\"domains\":[");
    const char *comma = "";
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
    output_printf(output, "],\"gpcs\":%u,\"partitions\":%u,\"signals\":%zu,\"unit_signals\":%zu",
                  chipset->gpcs, chipset->partitions, tally_signal_count(chipset),
                  tally_signal_unit_count(chipset));
    json_member(output, "remark", chipset->remark);
    output_text(output, "}\n");
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

int list_chipsets(struct listing *listing)
{
    struct output *output = listing->output;
    put_heading(listing, "%-6s %-4s %-11s %-10s %-7s %-26s %s\n", "name", "id", "revision",
                "PCOUNTER", "domains", "trailer bases", "clocks");
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        char domains[16], bases[64], clocks[256];
        if (listing->json) {
            put_chipset_json(output, chipset);
            continue;
        }
        if (chipset->gpcs)
            snprintf(domains, sizeof domains, "%ug %up", chipset->gpcs, chipset->partitions);
        else if (chipset->domain_count)
            snprintf(domains, sizeof domains, "%u%s", chipset->domain_count,
                     chipset->presence == TALLY_UNVERIFIED ? " ?" : "");
        else
            snprintf(domains, sizeof domains, "-");
        describe_bases(chipset, bases, sizeof bases);
        describe_clocks(chipset, clocks, sizeof clocks);
        put_line(output, "%-6s %-4x %-11s %-10s %-7s %-26s %s", chipset->name, chipset->id,
                 tally_pcounter_revision_name((enum tally_pcounter_revision)chipset->revision),
                 presences[chipset->presence], domains, bases, clocks);
    }
    if (!listing->json)
        output_text(output,
                    "Trailer bases are hexadecimal, one a domain; ? is not published. From GF100 "
                    "on a chip has\nsets of domains for g GPCs, p partitions and the hub; those "
                    "bases are inferred.\n");
    return EXIT_DONE;
}

/* ---- signals ------------------------------------------------------------------------------- */

static void put_signal(struct listing *listing, const struct tally_signal *signal)
{
    struct output *output = listing->output;
    bool group = signal->group_last > signal->group_first;
    unsigned element = (unsigned)(signal->index - signal->group_first);
    if (!listing->json) {
        char name[96];
        snprintf(name, sizeof name, group ? "%s[%u]" : "%s", signal->name, element);
        put_line(output, "%-6s %02x      %-26s %-18s %s", tally_domain_name(signal->domain),
                 signal->index, name, signal->alias, signal->note);
        return;
    }
    output_text(output, "{\"type\":\"signal\",\"chipset\":");
    json_text(output, listing->chipset->name);
    json_member(output, "domain", tally_domain_name(signal->domain));
    output_printf(output, ",\"index\":%u", signal->index);
    json_member(output, "name", signal->name);
    if (group)
        output_printf(output, ",\"element\":%u,\"group\":[%u,%u]", element, signal->group_first,
                      signal->group_last);
    else
        output_text(output, ",\"element\":null,\"group\":null");
    json_member(output, "alias", signal->alias);
    json_member(output, "note", signal->note);
    output_printf(output, ",\"trailer\":%s}\n", signal->trailer ? "true" : "false");
}

/* The trailer of a domain whose base is not published: offsets in place of indices. */
static void put_offsets(struct listing *listing, unsigned domain)
{
    const struct tally_trailer *trailer;
    struct output *output = listing->output;
    enum tally_pcounter_revision revision =
        (enum tally_pcounter_revision)listing->chipset->revision;
    for (size_t i = 0; (trailer = tally_trailer_at(revision, i)); i++) {
        if (!listing->json) {
            put_line(output, "%-6s base+%02x %-26s %-18s %s", tally_domain_name(domain),
                     trailer->offset, trailer->name, trailer->alias, trailer->note);
            continue;
        }
        output_text(output, "{\"type\":\"signal\",\"chipset\":");
        json_text(output, listing->chipset->name);
        json_member(output, "domain", tally_domain_name(domain));
        output_printf(output, ",\"index\":null,\"offset\":%u", trailer->offset);
        json_member(output, "name", trailer->name);
        output_text(output, ",\"element\":null,\"group\":null");
        json_member(output, "alias", trailer->alias);
        json_member(output, "note", trailer->note);
        output_text(output, ",\"trailer\":true}\n");
    }
}

int list_signals(struct listing *listing)
{
    const struct tally_chipset *chipset = listing->chipset;
    struct tally_signal signal;
    if (chipset->presence == TALLY_ABSENT) {
        fprintf(stderr, "tally: %s has no PCOUNTER\n", chipset->title);
        return EXIT_FAILED;
    }
    put_heading(listing, "%-6s %-7s %-26s %-18s %s\n", "domain", "index", "name", "alias", "note");
    for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++)
        if (listing->domain < 0 || signal.domain == listing->domain)
            put_signal(listing, &signal);
    for (unsigned domain = 0; domain < chipset->domain_count; domain++)
        if ((listing->domain < 0 || (unsigned)listing->domain == domain) &&
            tally_chipset_trailer_base(chipset, domain) < 0)
            put_offsets(listing, domain);
    if (!tally_signal_unit_count(chipset)) {
        const char *trailers =
            tally_signal_count(chipset) ? "" : ", nor where the trailer of a domain begins";
        if (listing->json)
            fprintf(stderr, "tally: no unit's signals of %s are public%s\n", chipset->title,
                    trailers);
        else
            output_printf(listing->output, "No unit's signals of %s are public%s.\n",
                          chipset->title, trailers);
    }
    return EXIT_DONE;
}
