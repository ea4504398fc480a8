/* SPDX-License-Identifier: MIT */
/* Cases over all registers: their addresses, their writable bits, the effect of a write. */
#include "nvidia/conformance/document.h"
#include "nvidia/conformance/language.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 0x2000 / 4
}; /* words of the register space from its base on; GF100 has more, all empty */

struct map {
    uint32_t base;
    unsigned words;
    uint32_t keeps[WORDS]; /* writable bits */
    const struct document_register *row[WORDS];
};

static void make_map(struct map *map, enum revision revision, unsigned domains)
{
    memset(map, 0, sizeof *map);
    map->base = revision == GF100 ? 0x180000 : 0xa000;
    map->words = revision == GF100 ? WORDS : 0x1000 / 4;
    for (size_t i = 0; i < document_register_count; i++) {
        const struct document_register *row = &document_registers[i];
        for (unsigned d = 0; d < (row->domain_stride ? domains : 1); d++)
            for (unsigned w = 0; document_has(row, revision) && w < row->words; w++) {
                unsigned at = (document_address(row, revision, d, w) - map->base) / 4;
                if (at >= map->words)
                    continue; /* DSET_CTRL, tested by DSET-01 */
                map->keeps[at] |= document_writable(row, revision, domains);
                /* CTRL and QUAD_ACK_TRIGGER are at SIG_STATUS[1][1][3] and [2] (PC-D20). */
                if (!map->row[at] || row->access != RO)
                    map->row[at] = row;
            }
    }
}

/* RECORD_STATUS shows the value of RECORD_START, CTR_CYCLES_NEXT_RO that of CTR_CYCLES_NEXT; all of
 * GF100's USER_TRIGGER can be read. */
static uint32_t shown(const struct map *map, unsigned at, uint32_t written)
{
    if (map->row[at] && !strcmp(map->row[at]->name, "CTR_CYCLES_NEXT_RO"))
        return written;
    if (map->row[at] && !strcmp(map->row[at]->name, "RECORD_STATUS"))
        return written & 0xfffffff0;
    return written & map->keeps[at];
}

/* Returns a different value for every address and bit position. */
static uint32_t mark(unsigned at, unsigned round)
{
    return (uint32_t)((at * 2654435761u) ^ (round * 0x9e3779b9u) ^ (at << 7));
}

/*
 * Writes every word of the register space, then reads every one, three times: ones, a different
 * value at each address, and 0. No clock runs in between, so status and counters are 0.
 */
static void write_all(FILE *out, enum revision revision, unsigned domains)
{
    struct map *map = malloc(sizeof *map);
    if (!map)
        return;
    make_map(map, revision, domains);
    fprintf(out, "domains %u\n", domains);
    for (unsigned round = 0; round < 3; round++) {
        uint32_t start_of[8] = {0}; /* RECORD_START, which RECORD_STATUS shows, of domain d */
        for (unsigned at = 0; at < map->words; at++) {
            uint32_t value = round == 0 ? UINT32_MAX : round == 1 ? mark(at, round) : 0;
            if (map->row[at] && !strcmp(map->row[at]->name, "RECORD_START"))
                start_of[at & 7] = value;
            fprintf(out, "wr 0x%x 0x%x\n", map->base + at * 4, value);
        }
        for (unsigned at = 0; at < map->words; at++) {
            uint32_t value = round == 0 ? UINT32_MAX : round == 1 ? mark(at, round) : 0;
            if (map->row[at] && !strcmp(map->row[at]->name, "RECORD_STATUS"))
                value = start_of[at & 7];
            if (map->row[at] && !strcmp(map->row[at]->name, "CTR_CYCLES_NEXT_RO") && round == 1)
                value = mark(at + (0xbc - 0x78) / 4, round);
            fprintf(out, "rd 0x%x -> 0x%x\n", map->base + at * 4, shown(map, at, value));
        }
    }
    fprintf(out, "wr 0x%x 0xffffffff\nrd 0x%x -> 0\n", map->base - 4, map->base - 4);
    uint32_t end = revision == GF100 ? 0x1c0000 : 0xb000;
    for (uint32_t at = end - 4; at <= end; at += 4)
        fprintf(out, "wr 0x%x 0xffffffff\nrd 0x%x -> 0\n", at, at);
    free(map);
}

static void most_domains(FILE *out, unsigned revision)
{
    write_all(out, revision, document_domains(revision));
}

static void one_domain(FILE *out, unsigned revision)
{
    write_all(out, revision, 1);
}

static void five_domains(FILE *out, unsigned revision)
{
    write_all(out, revision, 5);
}

/* Counters keep the values that were poked, whatever is written to them. */
static void read_only(FILE *out, unsigned revision)
{
    static const struct {
        const char *name, *reg;
        uint32_t value;
    } counters[] = {
        {"cycles", "CTR_CYCLES", 0x11223344}, {"cycles", "CTR_CYCLES_ALT", 0x11223344},
        {"event", "CTR_EVENT", 0x55667788},   {"start", "CTR_START", 0x99aabbcc},
        {"pre", "CTR_PRE", 0x01020304},       {"stop", "CTR_STOP", 0xfffefdfc},
    };
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (unsigned d = 0; d < domains; d++) {
        for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
            /* 0x5a in the high 8 bits of the counters that have them (nv10..nv20). */
            bool wide = revision <= NV20 && i < 4;
            fprintf(out, "poke %u %s 0x%s%08x\n", d, counters[i].name, wide ? "5a" : "",
                    counters[i].value);
            fprintf(out, "wr %s[%u] 0x12345678\n", counters[i].reg, d);
            fprintf(out, "rd %s[%u] -> 0x%x\n", counters[i].reg, d, counters[i].value);
            if (wide)
                fprintf(out, "wr %s_HI[%u] 0xff\nrd %s_HI[%u] -> 0x5a\n", counters[i].reg, d,
                        counters[i].reg, d);
        }
    }
}

/* Returns whether a write of the register aborts the process: any OP except PRE_OP, any SRC, any
 * CTR, THRESHOLD and CTRL. */
static bool aborts(const char *name)
{
    size_t length = strlen(name);
    bool source = length > 4 && !strcmp(name + length - 4, "_SRC");
    bool operation = length > 3 && !strcmp(name + length - 3, "_OP");
    return source || (operation && strcmp(name, "PRE_OP") != 0) || !strncmp(name, "CTR_", 4) ||
           !strncmp(name, "THRESHOLD", 9) || !strcmp(name, "CTRL");
}

static void write_one(FILE *out, const struct document_register *row, enum revision revision,
                      unsigned domain, unsigned word)
{
    uint32_t at = document_address(row, revision, domain, word);
    bool abort = aborts(row->name);
    if (row->words > 1 && (at == 0xa738 || at == 0xa73c) && revision <= NV30)
        return;                                              /* PC-D20; tested by REG-07 */
    fprintf(out, "reset\nwr PRE_OP[%u] 0\nrun 1\n", domain); /* PRE is never 1 */
    const char *state = domain && revision <= NV30 ? "SINGLE_STATE1=1" : "SINGLE_STATE=1";
    fprintf(out, "rd CTRL[%u] -> %s\n", domain, state);
    fprintf(out, "wr 0x%x 0\nrd CTRL[%u] -> %s\nrun 1\n", at, domain,
            state); /* changes at the next clock */
    if (abort)
        state = "0";
    fprintf(out, "rd CTRL[%u] -> %s\n", domain, state);
}

static void each_aborts(FILE *out, unsigned revision)
{
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (size_t i = 0; i < document_register_count; i++)
        for (unsigned d = 0; document_has(&document_registers[i], revision) && d < domains; d++)
            for (unsigned w = 0; w < document_registers[i].words; w++)
                write_one(out, &document_registers[i], revision, d, w);
}

/* On GF100 no register write ends the process, but SINGLE_ABORT_TRIGGER with bit 0 set. Writes 0 to
 * every register, and ones to those whose value does not disturb the process. */
static void none_aborts(FILE *out, unsigned revision)
{
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (size_t i = 0; i < document_register_count; i++) {
        const struct document_register *row = &document_registers[i];
        bool ctrl = !strcmp(row->name, "CTRL"), quiet = ctrl || !strcmp(row->name, "PRE_OP") ||
                                                        !strcmp(row->name, "SINGLE_ABORT_TRIGGER");
        for (unsigned d = 0; document_has(row, revision) && d < domains; d++) {
            uint32_t at = document_address(row, revision, d, 0);
            fprintf(out, "reset\nwr CTRL[%u] MODE=0\nstart %u 0\nrun 1\n", d, d);
            fprintf(out, "wr 0x%x %s\nrun 1\n", at, ctrl ? "MODE=0" : "0");
            fprintf(out, "rd CTRL[%u] -> MODE=0|SINGLE_STATE=1\n", d);
            if (!quiet)
                fprintf(out, "wr 0x%x 0xffffffff\nrun 1\nrd CTRL[%u] -> MODE=0|SINGLE_STATE=1\n",
                        at, d);
        }
    }
}

#define DOCUMENT  "pcounter"
#define FILE_NAME "generated_registers.c"

/* clang-format off */
const struct conformance_case generated_register_cases[] = {
    GENERATED("REG-01", "MMIO registers: NV10", "Every register of the NV10 table is at its address, exists on its variants only and keeps its writable bits; all other addresses read 0", "nv10..nv30", most_domains),
    GENERATED("REG-02", "MMIO registers: NV40", "Every register of the NV40 table, for all eight domains, is at its address, exists on its variants only and keeps its writable bits", "nv40..gt215", most_domains),
    GENERATED("REG-03", "MMIO registers: GF100", "Every register of the GF100 table, for domains 200h apart, is at its address and keeps its writable bits", "gf100", most_domains),
    GENERATED("REG-04", "The PCOUNTER signals", "Registers of absent domains do not exist: one domain", "all", one_domain),
    GENERATED("REG-05", "The PCOUNTER signals", "Registers of absent domains do not exist: five of eight domains", "nv40..gf100", five_domains),
    GENERATED("REG-06", "Counters", "The low and high parts of a counter return its current value; writes never change it, and CTR_CYCLES_ALT is a copy of CTR_CYCLES", "nv10..gt215", read_only),
    GENERATED("ABORT-01", "Single event mode", "A write to a SRC, CTR, THRESHOLD or CTRL register, or to an OP register other than PRE_OP, ends the process at the next clock; a write to any other register does not", "nv10..gt215", each_aborts),
    GENERATED("ABORT-02", "Single event mode", "On GF100 no register write ends the process, except one to SINGLE_ABORT_TRIGGER (PC-D39)", "gf100", none_aborts),
};
/* clang-format on */
const size_t generated_register_case_count =
    sizeof generated_register_cases / sizeof *generated_register_cases;
