/* SPDX-License-Identifier: MIT */
/* Cases over all signals: status words, trailers, PERIODIC; and over the record counters. */
#include "nvidia/conformance/document.h"
#include "nvidia/conformance/language.h"

/* ---- STATUS ------------------------------------------------------------------------------------
 */

/* Sets one signal of each domain at a time: word i of SIG_STATUS shows signals 32 i to 32 i + 31.
 */
static void status_bits(FILE *out, unsigned revision)
{
    unsigned domains = document_domains(revision), plain = revision >= NV40 ? 0xc0 : 0xe0;
    fprintf(out, "domains %u\n", domains);
    for (unsigned index = 0; index < plain; index++) {
        unsigned d = index % domains;
        fprintf(out, "sig %u %u const 1\nrun 1\n", d, index);
        fprintf(out, "rd SIG_STATUS[%u][%u] -> 0x%x\n", d, index / 32, 1u << index % 32);
        fprintf(out, "rd SIG_STATUS[%u][%u] -> 0\n", d, (index / 32 + 1) % 6);
        fprintf(out, "sig %u %u const 0\nrun 1\n", d, index);
        fprintf(out, "rd SIG_STATUS[%u][%u] -> 0\n", d, index / 32);
    }
}

/* Returns the bits of SRC_STATUS that show a field of the SRC registers, 0 to 15. On GF100 PRE_SRC
 * and START_SRC also are the signals of SETFLAG in bits 16 to 19 (START_SRC[2..3], PRE_SRC[0..1])
 * and of CLRFLAG in bits 20 to 23 (PRE_SRC[2..3], START_SRC[0..1]): PC-D37. */
static unsigned shown_by(unsigned revision, unsigned field)
{
    static const unsigned also[] = {18, 19, 20, 21, 22, 23, 16, 17};
    return 1u << field | (revision == GF100 && field < 8 ? 1u << also[field] : 0);
}

/* SRC_STATUS shows each of the 16 fields of the SRC registers. */
static void src_status_bits(FILE *out, unsigned revision)
{
    static const char *const names[] = {"PRE_SRC", "START_SRC", "EVENT_SRC", "STOP_SRC"};
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (unsigned d = 0; d < domains; d++) {
        fprintf(out, "sig %u 0x5c const 1\nrun 1\n", d);
        for (unsigned bit = 0; bit < 16; bit++) {
            fprintf(out, "wr %s[%u] 0x%x\n", names[bit / 4], d, 0x5cu << bit % 4 * 8);
            fprintf(out, "rd SRC_STATUS[%u] -> 0x%x\n", d, shown_by(revision, bit));
            fprintf(out, "wr %s[%u] 0\n", names[bit / 4], d);
        }
        fprintf(out, "sig %u 0x5c const 0\nrun 1\nrd SRC_STATUS[%u] -> 0\n", d, d);
    }
}

/* Selects every signal that the outside drives by the fields of the SRC registers in turn. */
static void src_values(FILE *out, unsigned revision)
{
    static const char *const names[] = {"PRE_SRC", "START_SRC", "EVENT_SRC", "STOP_SRC"};
    unsigned all = revision == GF100 ? 0xffffff : 0xffff;
    for (unsigned index = 0; index < 0xc0; index++) {
        /* Steps 5 fields with each signal, and 1 more every 16, so that every field selects many.
         */
        unsigned field = (index * 5 + index / 16) % 16;
        fprintf(out, "sig 0 %u const 1\nwr %s[0] 0x%x\nrun 1\n", index, names[field / 4],
                index << field % 4 * 8);
        /* While signal 0 is 1, all other fields, which select signal 0, show it. */
        fprintf(out, "rd SRC_STATUS[0] -> 0x%x\n", index ? shown_by(revision, field) : all);
        fprintf(out, "sig 0 %u const 0\nwr %s[0] 0\n", index, names[field / 4]);
    }
}

/* ---- trailers ----------------------------------------------------------------------------------
 */

/* Word 7 of domain 1 of NV20:NV40 cannot be read: CTRL has its address (PC-D20). */
static bool hidden(enum revision revision, unsigned domain, unsigned word)
{
    return revision <= NV30 && domain == 1 && word == 7;
}

static void read_everywhere(FILE *out, enum revision revision, unsigned domains, unsigned own,
                            const char *own_value, const char *others_value)
{
    for (unsigned d = 0; d < domains; d++)
        fprintf(out, "rd SIG_STATUS[%u][%u] -> %s\n", d, hidden(revision, d, 7) ? 5 : 7,
                d == own ? own_value : others_value);
}

/* EVENT is 1 from clock 0 on: in its own domain at once, in the others from clock 2 on. */
static void event_signals(FILE *out, unsigned revision)
{
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (unsigned d = 0; d < domains; d++) {
        char name[24];
        snprintf(name, sizeof name, "@EVENT%u", d);
        fprintf(out, "reset\nwr EVENT_OP[%u] ONE\nrun 1\n", d);
        read_everywhere(out, revision, domains, d, name, "0");
        fprintf(out, "run 1\n");
        read_everywhere(out, revision, domains, d, name, "0");
        fprintf(out, "run 1\n");
        read_everywhere(out, revision, domains, d, name, name);
    }
}

/*
 * SETFLAG is 1 from clock s on: FLAG is 1 at s + 2 in its own domain, at s + 4 in the others. In
 * single event mode clock 0 starts the process and s is 1.
 */
static void flag_signals(FILE *out, unsigned revision)
{
    unsigned domains = document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    if (hidden(revision, domains - 1, 7)) /* moves its trailer to word 5 */
        fprintf(out, "trailer 1 0xa0\n");
    for (unsigned d = 0; d < domains; d++) {
        char name[24];
        snprintf(name, sizeof name, "@FLAG%u", d);
        fprintf(out, "reset\nwr SETFLAG_OP[%u] ONE\n", d);
        fprintf(out, "wr CTRL[%u] MODE=0\nstart %u 0\nrun 1\n", d, d);
        fprintf(out, "run 2\n"); /* s, s + 1 */
        read_everywhere(out, revision, domains, d, "0", "0");
        fprintf(out, "run 1\n"); /* s + 2 */
        read_everywhere(out, revision, domains, d, name, "0");
        fprintf(out, "run 1\n"); /* s + 3 */
        read_everywhere(out, revision, domains, d, name, "0");
        fprintf(out, "run 1\n"); /* s + 4 */
        read_everywhere(out, revision, domains, d, name, name);
    }
}

/* The trailer base of domain d is d * 20h: the same bits of a different status word. */
static void trailer_bases(FILE *out, unsigned revision)
{
    unsigned domains = revision == GF100 ? 7 : document_domains(revision);
    fprintf(out, "domains %u\n", domains);
    for (unsigned d = 0; d < domains; d++)
        fprintf(out, "trailer %u 0x%x\n", d, d * 0x20);
    fprintf(out, "wr SETFLAG_OP[0] ONE\n");
    if (revision >= NV40)
        fprintf(out, "wr EVENT_OP[0] ONE\n");
    fprintf(out, "wr CTRL[0] MODE=0\nstart 0 0\nrun 1\n");
    fprintf(out, "run 5\n"); /* FLAG: s + 2 in its own domain, s + 4 in the others */
    for (unsigned d = 0; d < domains; d++)
        for (unsigned w = 0; w < 8 && !hidden(revision, d, w); w++) {
            /* GF100: EVENT0 base + 37h, FLAG0 base + 3fh: the word after the base's. */
            uint32_t value = revision >= NV40 ? 0x80800000 : 0x80000000;
            fprintf(out, "rd SIG_STATUS[%u][%u] -> 0x%x\n", d, w,
                    w == d + (revision == GF100) ? value : 0);
        }
}

/* Drives all 256 signals from outside as 1: idle, the positions that the engine drives are 0 and
 * all others are 1. */
static void positions(FILE *out, enum revision revision, unsigned domains)
{
    /* Bits of words 6 and 7 that the engine drives. */
    static const uint32_t driven[REVISIONS][2] = {
        [NV10] = {0, 0x80000000}, /* 1f */
        [NV15] = {0, 0x80000000},
        [NV20] = {0, 0xc0000000}, /* 1e, 1f */
        [NV30] = {0, 0xc0000000},
        [NV40] = {0, 0xffff4000}, /* 0e, 10..1f */
        [G84] = {0, 0xffff3000},  /* 0c, 0d, 10..1f */
        [G92] = {0, 0xffff3000},
        [GT215] = {0, 0xffff3000},
        /* base c0: 27..2a, 2c, 2e are bits 7..a, c, e of word 7; 30..3f are bits 10..1f of it */
        [GF100] = {0, 0xffff5780},
    };
    fprintf(out, "domains %u\n", domains);
    for (unsigned d = 0; d < domains; d++)
        fprintf(out, "sig %u 0-255 const 1\n", d);
    fprintf(out, "run 1\n");
    for (unsigned d = 0; d < domains; d++)
        for (unsigned w = 0; w < 8 && !hidden(revision, d, w); w++)
            fprintf(out, "rd SIG_STATUS[%u][%u] -> 0x%x\n", d, w,
                    w < 6 ? UINT32_MAX : ~driven[revision][w - 6]);
    if (revision == GF100) /* with 256 signals words 8 to 15 are empty (PC-D2) */
        for (unsigned w = 8; w < 16; w++)
            fprintf(out, "rd SIG_STATUS[0][%u] -> 0\n", w);
}

static void trailer_positions(FILE *out, unsigned revision)
{
    positions(out, revision, document_domains(revision));
}

static void trailer_positions_of_one(FILE *out, unsigned revision)
{
    positions(out, revision, 1);
}

/* ---- PERIODIC ----------------------------------------------------------------------------------
 */

/* PRE counts PERIODIC. With period X, pulses are at clocks X - 1, 2 X - 1, ... after the reset. */
static void periods(FILE *out, unsigned revision)
{
    (void)revision;
    for (unsigned code = 1; code < 8; code++) {
        unsigned period = 0x400u << (code - 1);
        fprintf(out, "reset\nwr PRE_SRC[0] PERIODIC\nwr PRE_OP[0] A0\nrun 1\n");
        fprintf(out, "wr CTRL[0] MODE=1|PERIODIC_PERIOD=%u\n", code);
        fprintf(out, "periodic_reset 1\nrun 3\nperiodic_reset 0\n");
        fprintf(out, "run %u\nrd SIG_STATUS[0][7] -> 0\npeek 0 sh_pre -> 0\n", period - 1);
        fprintf(out, "run 1\nrd SIG_STATUS[0][7] -> @PERIODIC\npeek 0 sh_pre -> 1\n");
        fprintf(out, "run 1\nrd SIG_STATUS[0][7] -> 0\n"); /* one clock long */
        fprintf(out, "run %u\npeek 0 sh_pre -> 1\n", period - 2);
        fprintf(out, "run 1\npeek 0 sh_pre -> 2\n");
        fprintf(out, "run %u\npeek 0 sh_pre -> 100\n", 98 * period);
    }
}

/* ---- record mode -------------------------------------------------------------------------------
 */

static const char *const sources[] = {"PRE_SRC", "START_SRC", "EVENT_SRC"};

/*
 * Event counter c counts SRC signal c alone and is word 4 + c of the packet.
 * Signal 1 is 1 for 5 clocks; STOP is at clock 7, so cycles is 8.
 */
static void record_words(FILE *out, unsigned revision)
{
    (void)revision;
    for (unsigned c = 0; c < 12; c++) {
        fprintf(out, "reset\nlatency 1\nbind\nwr %s[0] 0x%x\n", sources[c / 4], 1u << c % 4 * 8);
        fprintf(out, "wr STOP_SRC[0] 4\nwr STOP_OP[0] A0\nwr CTRL[0] MODE=2\n");
        fprintf(out, "wr RECORD_LIMIT[0] 0xfffffff0\nwr RECORD_START[0] 0x%x\n", 0x1000 + c * 32);
        fprintf(out, "sig 0 1 once 0111110\nsig 0 4 once 00000001\nrun 9\n");
        fprintf(out, "mem 0x%x 32 -> words 8 0 0 1", 0x1000 + c * 32);
        for (unsigned i = 0; i < 12; i++)
            fprintf(out, " %d", i == c ? 5 : 0);
        fputc('\n', out);
    }
}

/*
 * Counter c alone reaches f000h: it is poked to effeh, and counts at every clock, so it is effffh
 * after clock 0 and f000h after clock 1, whose packet has cycles = 2 and STOP = 0.
 */
static void record_triggers(FILE *out, unsigned revision)
{
    (void)revision;
    fprintf(out, "sig 0 1 const 1\n");
    for (unsigned format = 0; format < 2; format++)
        for (unsigned c = 0; c < 12; c++) {
            unsigned at = 0x1000 + format * 0x1000 + c * 32;
            fprintf(out, "reset\nlatency 4\nbind\nwr %s[0] 0x%x\n", sources[c / 4],
                    1u << c % 4 * 8);
            fprintf(out, "wr CTRL[0] MODE=2|RECORD_FORMAT=%u\nwr RECORD_LIMIT[0] 0xfffffff0\n",
                    format);
            fprintf(out, "wr RECORD_START[0] 0x%x\npoke 0 rec%u 0xeffe\n", at, c);
            fprintf(out, "run 1\npeek 0 busy -> 0\npeek 0 rec%u -> 0xefff\n", c);
            fprintf(out, "run 1\npeek 0 busy -> 1\npeek 0 rec%u -> 0\n", c);
            fprintf(out, "run 4\npeek 0 busy -> 0\npeek 0 rec%u -> 4\n", c);
            fprintf(out, "rd RECORD_STATUS[0] -> 0x%x\n", at + (format ? 16 : 32));
            fprintf(out, "mem 0x%x 32 -> words 2 0 0 0", at);
            for (unsigned i = 0; i < 12; i++)
                fprintf(out, " %s", i == c && (i < 4 || !format) ? "0xf000" : "0");
            fputc('\n', out);
        }
}

#define DOCUMENT  "pcounter"
#define FILE_NAME "generated_signals.c"

/* clang-format off */
const struct conformance_case generated_signal_cases[] = {
    GENERATED("STATUS-01", "The STATUS registers", "Word i of SIG_STATUS shows signals 32 i to 32 i + 31 in bits 0 to 31, in every domain; on NV10:NV40 i is hi * 4 + lo", "all", status_bits),
    GENERATED("STATUS-02", "Input selection", "SRC_STATUS shows PRE_SRC signals 0-3 in bits 0-3, START_SRC in 4-7, EVENT_SRC in 8-11 and STOP_SRC in 12-15, in every domain", "nv40..gf100", src_status_bits),
    GENERATED("STATUS-03", "Input selection", "A field of a SRC register is the number of a signal of the domain", "nv40..gf100", src_values),
    GENERATED("TRAILER-01", "Trailer signals", "DOM[7..0].EVENT are signals 10h..17h [GF100: 30h..37h] of every domain; a domain's own EVENT has no delay, those of other domains are 2 clocks late", "nv40..gf100", event_signals),
    GENERATED("TRAILER-02", "Trailer signals", "FLAG is signal 1fh, DOM[1].FLAG 1eh [NV20:NV40], and DOM[7..0].FLAG 18h..1fh [NV40-] or 38h..3fh [GF100]; it is 2 clocks late in its own domain and 4 in others", "all", flag_signals),
    GENERATED("TRAILER-03", "Trailer signals", "Trailer signals have the same bits of a status word in every domain, but not necessarily of the same word", "all", trailer_bases),
    GENERATED("TRAILER-04", "Trailer signals", "The outside cannot drive the positions that each revision lists as PCOUNTER's, ZERO included, and can drive all others", "all", trailer_positions),
    GENERATED("TRAILER-05", "Trailer signals", "EVENT and FLAG of absent domains read 0 (PCT-5)", "all", trailer_positions_of_one),
    GENERATED("PERIODIC-01", "The PERIODIC signal", "PERIODIC is a pulse of one clock every 400h, 800h, ... 10000h clocks, for PERIODIC_PERIOD 1 to 7", "g84..gf100", periods),
    GENERATED("RECORD-01", "Record mode", "The 12 event counters count the PRE_SRC, START_SRC and EVENT_SRC signals 0-3 and are at 08h to 1eh of a long packet", "g84..gt215", record_words),
    GENERATED("RECORD-02", "Record mode", "Each of the 12 event counters sends a packet when it reaches f000h, with STOP 0, in both formats", "g84..gt215", record_triggers),
};
/* clang-format on */
const size_t generated_signal_case_count =
    sizeof generated_signal_cases / sizeof *generated_signal_cases;
