/* SPDX-License-Identifier: MIT */
/* The .pct language: errors and their messages, commands, the order of setup. */
#include "testbench/tests.h"

#include "testbench/pct.h"

struct printed {
    char text[4096];
    size_t size;
    int fails; /* not 0: the output's error */
};

static int put_text(void *context, const char *text, size_t size)
{
    struct printed *printed = context;
    if (printed->fails)
        return printed->fails;
    assert_true(printed->size + size < sizeof printed->text);
    memcpy(printed->text + printed->size, text, size);
    printed->size += size;
    printed->text[printed->size] = 0;
    return 0;
}

/* Runs lines up to the first invalid one; returns its result. */
static int run_lines(struct pct *pct, const char *text, struct tally_error *error)
{
    int result = 0;
    while (*text && result == 0) {
        size_t length = strcspn(text, "\n");
        result = pct_line(pct, text, length, error);
        text += length + (text[length] == '\n');
    }
    return result;
}

static struct pct *start(struct printed *printed, const char *lines)
{
    struct tally_error error = {0};
    struct pct *pct;
    *printed = (struct printed){0};
    assert_int_equal(pct_new(put_text, printed, &pct, &error), 0);
    if (run_lines(pct, lines, &error) != 0)
        fail_msg("%s: %s", lines, error.message);
    return pct;
}

/* ---- invalid lines -----------------------------------------------------------------------------
 */

#define NAMES_OF_SRC                                                                               \
    "a value (only PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC and similar registers take names of "   \
    "signals)"
#define CLASSES "nv10, nv15, nv20, nv30, nv40, g84, g92, gt215, gf100"
#define MAX_64  "18446744073709551615"
#define OVER_64 "18446744073709551616"

// clang-format off
static const struct {
    unsigned line;
    const char *before, *wrong, *message;
} wrong[] = {
    /* words */
    {__LINE__, "", "frob", "'frob', expected wr or another command (chipset, sig, wr, rd, run, ...)"},
    {__LINE__, "", "Chipset nv10", "'Chipset', expected chipset or another command (chipset, sig, wr, rd, run, ...)"},
    {__LINE__, "", "a-word-of-more-than-forty-seven-characters-is-cut-here", "'a-word-of-more-than-forty-seven-characters-is-c...', expected domains or another command (chipset, sig, wr, rd, run, ...)"},
    {__LINE__, "", "rd 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "more than 16 words"},
    {__LINE__, "", "rd \x7f", "byte 0x7f at column 4, expected ASCII text"},
    {__LINE__, "", "rd\v1", "byte 0x0b at column 3, expected ASCII text"},
    {__LINE__, "", "\xc3\xa9 # too", "byte 0xc3 at column 1, expected ASCII text"},
    {__LINE__, "", "chipset nv1\xff", "byte 0xff at column 12, expected ASCII text"},
    /* number of words */
    {__LINE__, "", "chipset", "chipset takes: chipset <name>"},
    {__LINE__, "", "chipset nv10 nv15", "chipset takes: chipset <name>"},
    {__LINE__, "chipset g92", "domains", "domains takes: domains <n> [<set>]"},
    {__LINE__, "chipset g92", "clock 0", "clock takes: clock <dom> <period> [<phase>]"},
    {__LINE__, "chipset g92", "clock 0 1 0 0", "clock takes: clock <dom> <period> [<phase>]"},
    {__LINE__, "chipset g92", "trailer 0", "trailer takes: trailer <dom> <base>"},
    {__LINE__, "chipset g92", "sig 0 1", "sig takes: sig <dom> <signal>[-<last>] <waveform>"},
    {__LINE__, "chipset g92", "sig 0 1 const 1 1 1 1", "sig takes: sig <dom> <signal>[-<last>] <waveform>"},
    {__LINE__, "chipset g92", "latency", "latency takes: latency <n>"},
    {__LINE__, "chipset g92", "wr 0", "wr takes: wr <addr> <value>"},
    {__LINE__, "chipset g92", "rd", "rd takes: rd <addr>"},
    {__LINE__, "chipset g92", "run", "run takes: run <n>"},
    {__LINE__, "chipset g92", "run 1 2", "run takes: run <n>"},
    {__LINE__, "chipset g92", "mem 0", "mem takes: mem <addr> <len>"},
    {__LINE__, "chipset g92", "fault", "fault takes: fault <addr>"},
    {__LINE__, "chipset g92", "unfault 0 0", "unfault takes: unfault <addr>"},
    {__LINE__, "chipset g92", "poke 0 pre", "poke takes: poke <dom> <name> <value>"},
    {__LINE__, "chipset g92", "peek 0", "peek takes: peek <dom> <name>"},
    {__LINE__, "chipset g92", "reset 1", "reset takes: reset"},
    /* the order of setup */
    {__LINE__, "", "domains 1", "domains before chipset, expected chipset first"},
    {__LINE__, "", "run 1", "run before chipset, expected chipset first"},
    {__LINE__, "", "reset", "reset before chipset, expected chipset first"},
    {__LINE__, "chipset g92", "chipset g92", "chipset: chipset given twice"},
    {__LINE__, "chipset g92\nrun 0", "chipset g92", "chipset: chipset given twice"},
    {__LINE__, "chipset g92\nclock 0 2", "domains 2", "domains: domains given twice, or not right after chipset"},
    {__LINE__, "chipset g92\ndomains 2", "domains 2", "domains: domains given twice, or not right after chipset"},
    {__LINE__, "chipset g92\ntrailer 0 0", "domains 2", "domains: domains given twice, or not right after chipset"},
    {__LINE__, "chipset g92\nlatency 1", "domains 2", "domains is a setup command, expected before all others"},
    {__LINE__, "chipset g92\nrun 0", "clock 0 1", "clock is a setup command, expected before all others"},
    {__LINE__, "chipset g92\nsig 0 1 const 1", "trailer 0 0", "trailer is a setup command, expected before all others"},
    /* setup */
    {__LINE__, "", "chipset nv99", "chipset: 'nv99', expected a chipset such as " CLASSES},
    {__LINE__, "", "chipset 0x92", "chipset: '0x92', expected a chipset such as " CLASSES},
    {__LINE__, "", "chipset nv11", "chipset: NV11 has no PCOUNTER"},
    {__LINE__, "", "chipset C51", "chipset: C51 has no PCOUNTER"},
    {__LINE__, "chipset g94", "domains 1", "domains: G94 has a fixed number of domains, expected one of " CLASSES},
    {__LINE__, "chipset nv15", "domains 2", "domains: '2', expected a number of domains, 1 to 1"},
    {__LINE__, "chipset nv30", "domains 3", "domains: '3', expected a number of domains, 1 to 2"},
    {__LINE__, "chipset nv40", "domains 9", "domains: '9', expected a number of domains, 1 to 8"},
    {__LINE__, "chipset nv40", "domains 0", "domains: '0', expected a number of domains, 1 to 8"},
    {__LINE__, "chipset g92", "domains 1 gpc0", "domains: G92:GT215 has one set of domains, expected no name of a set"},
    {__LINE__, "chipset gf100", "domains 1 gpc32", "domains: 'gpc32', expected a set of domains: gpc0 to gpc31, part0 to part15 or hub"},
    {__LINE__, "chipset gf100", "domains 1 gpc00", "domains: 'gpc00', expected a set of domains: gpc0 to gpc31, part0 to part15 or hub"},
    {__LINE__, "chipset gf100", "domains 1 hub0", "domains: 'hub0', expected a set of domains: gpc0 to gpc31, part0 to part15 or hub"},
    {__LINE__, "chipset gf100", "domains 9 hub", "domains: '9', expected a number of domains, 1 to 8"},
    {__LINE__, "chipset gf100\ndomains 1 hub", "domains 2 hub", "domains: 'hub', expected another set, which has no domains yet"},
    {__LINE__, "chipset gf100\ndomains 1", "domains 1 gpc0", "domains: 'gpc0', expected another set, which has no domains yet"},
    {__LINE__, "chipset gf100\ndomains 1 part3\ndomains 1", "domains 2", "domains: domains given twice, expected the name of another set"},
    {__LINE__, "chipset gf100\ndomains 8 gpc0\ndomains 8 gpc1\ndomains 8 gpc2\ndomains 8 gpc3\ndomains 8 gpc4\ndomains 8 gpc5\ndomains 8 gpc6\ndomains 7 gpc7", "domains 2 hub", "domains: '2', expected 1 domains at most, 64 in all"},
    {__LINE__, "chipset gf100\ndomains 1 hub\nclock 0 2", "domains 1 gpc1", "domains: domains given twice, or not right after chipset"},
    {__LINE__, "chipset nv40\ndomains 2", "clock 2 1", "clock: '2', expected a domain, 0 to 1"},
    {__LINE__, "chipset nv40", "clock 1 1", "clock: '1', expected a domain, 0 to 0"},
    {__LINE__, "chipset nv40", "clock 0 0", "clock: '0', expected a period in ticks, 1 to 0xffffffff"},
    {__LINE__, "chipset nv40", "clock 0 0x100000000", "clock: '0x100000000', expected a period in ticks, 1 to 0xffffffff"},
    {__LINE__, "chipset nv40", "clock 0 5 5", "clock: '5', expected a phase below the period, 0 to 4"},
    {__LINE__, "chipset nv40", "trailer 0 0x10", "trailer: '0x10', expected a multiple of 0x20, at most 0xe0"},
    {__LINE__, "chipset nv40", "trailer 0 256", "trailer: '256', expected a trailer base, 0 to 255"},
    {__LINE__, "chipset gf100", "trailer 0 0xe0", "trailer: '0xe0', expected a multiple of 0x20, at most 0xc0"},
    /* numbers */
    {__LINE__, "chipset g92", "run x", "run: 'x', expected a number of ticks"},
    {__LINE__, "chipset g92", "run -1", "run: '-1', expected a number of ticks"},
    {__LINE__, "chipset g92", "run +1", "run: '+1', expected a number of ticks"},
    {__LINE__, "chipset g92", "run 0x", "run: '0x', expected a number of ticks"},
    {__LINE__, "chipset g92", "run 1a", "run: '1a', expected a number of ticks"},
    {__LINE__, "chipset g92", "run 0xg", "run: '0xg', expected a number of ticks"},
    {__LINE__, "chipset g92", "run " OVER_64, "run: '" OVER_64 "', expected a number of ticks"},
    {__LINE__, "chipset g92", "run 0x10000000000000000", "run: '0x10000000000000000', expected a number of ticks"},
    {__LINE__, "chipset g92", "latency 0", "latency: '0', expected a latency in clocks, 1 to 0xffffffff"},
    {__LINE__, "chipset g92", "latency 0x100000000", "latency: '0x100000000', expected a latency in clocks, 1 to 0xffffffff"},
    /* registers */
    {__LINE__, "chipset g92", "rd 0xa401", "rd: '0xa401', expected an address that is a multiple of 4"},
    {__LINE__, "chipset g92", "wr 2 0", "wr: '2', expected an address that is a multiple of 4"},
    {__LINE__, "chipset g92", "rd PRE_SRC", "rd: 'PRE_SRC', expected an address"},
    {__LINE__, "chipset g92", "wr 0xa400 0x100000000", "wr: '0x100000000', expected a 32-bit value, 0 to 0xffffffff"},
    {__LINE__, "chipset g92", "wr 0xa420 ZERO", "wr: 'ZERO', expected " NAMES_OF_SRC},
    {__LINE__, "chipset g92", "wr 0xa420 1,2", "wr: '1,2', expected " NAMES_OF_SRC},
    {__LINE__, "chipset g92", "wr 0xa404 ZERO", "wr: 'ZERO', expected " NAMES_OF_SRC},
    {__LINE__, "chipset g92", "wr 0x10000a400 ZERO", "wr: 'ZERO', expected " NAMES_OF_SRC},
    {__LINE__, "chipset g92", "wr 0xa400 1,2,3,4,5", "wr: '1,2,3,4,5', expected at most four signals"},
    {__LINE__, "chipset g92", "wr 0xa400 1,2,3,4,", "wr: '1,2,3,4,', expected at most four signals"},
    {__LINE__, "chipset g92", "wr 0xa400 1,256", "wr: '256', expected a signal, 0 to 255"},
    {__LINE__, "chipset g92", "wr 0xa400 1,", "wr: '', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset g92", "wr 0xa400 ,1", "wr: '', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset g92", "wr 0xa400 FROB", "wr: 'FROB', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset g92\ndomains 2", "wr 0xa404 TPC.GEOM.MUX", "wr: 'TPC.GEOM.MUX', expected one signal; this name is a group's, or not unique: NAME[element], or its number"},
    /* signals and waveforms */
    {__LINE__, "chipset g92", "sig 0 256 const 1", "sig: '256', expected a signal, 0 to 255"},
    {__LINE__, "chipset g92", "sig 1 0 const 1", "sig: '1', expected a domain, 0 to 0"},
    {__LINE__, "chipset g92", "sig 0 0-256 const 1", "sig: '256', expected a signal, 0 to 255"},
    {__LINE__, "chipset g92", "sig 0 9-8 const 1", "sig: '9-8', expected an ascending range"},
    {__LINE__, "chipset g92", "sig 0 9- const 1", "sig: '', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset g92", "sig 0 -9 const 1", "sig: '-9', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset g92", "sig 0 1-2-3 const 1", "sig: '2-3', expected a signal, 0 to 255"},
    {__LINE__, "chipset g92", "sig 0 ??? const 1", "sig: '\?\?\?', expected a signal, 0 to 255 or a name of g92's domain 0"},
    {__LINE__, "chipset nv15", "sig 0 HOST_MEM_WR const 1", "sig: 'HOST_MEM_WR', expected a signal, 0 to 255 or a name of nv15's domain 0"},
    {__LINE__, "chipset g92", "sig 0 1 sine 1", "sig: 'sine', expected a waveform (const, pattern, once, every, prng, ...)"},
    {__LINE__, "chipset g92", "sig 0 1 const 2", "sig: '2', expected a value, 0 to 1"},
    {__LINE__, "chipset g92", "sig 0 1 const", "sig: const takes: const 0|1"},
    {__LINE__, "chipset g92", "sig 0 1 const 1 1", "sig: const takes: const 0|1"},
    {__LINE__, "chipset g92", "sig 0 1 every 1", "sig: every takes: every <n> <o>"},
    {__LINE__, "chipset g92", "sig 0 1 prng 1", "sig: prng takes: prng <seed> <p>"},
    {__LINE__, "chipset g92", "sig 0 1 bursts 1 2", "sig: bursts takes: bursts <seed> <frame> <length>"},
    {__LINE__, "chipset g92", "sig 0 1 pattern 012", "sig: '2' at bit 2, expected a string of 0 and 1"},
    {__LINE__, "chipset g92", "sig 0 1 once x", "sig: 'x' at bit 0, expected a string of 0 and 1"},
    {__LINE__, "chipset g92", "sig 0 1 pattern # 01", "sig: pattern takes: pattern <bits>"},
    {__LINE__, "chipset g92", "sig 0 1 every 0 0", "sig: '0', expected a period of 1 or more"},
    {__LINE__, "chipset g92", "sig 0 1 every 4 4", "sig: '4', expected a phase below the period, 0 to 3"},
    {__LINE__, "chipset g92", "sig 0 1 every " MAX_64 " " MAX_64, "sig: '" MAX_64 "', expected a phase below the period, 0 to 0xfffffffffffffffe"},
    {__LINE__, "chipset g92", "sig 0 1 prng -1 5", "sig: '-1', expected a seed"},
    {__LINE__, "chipset g92", "sig 0 1 prng 1 257", "sig: '257', expected a chance of 256, 0 to 256"},
    {__LINE__, "chipset g92", "sig 0 1 bursts 1 0 0", "sig: '0', expected a frame of 1 clock or more"},
    {__LINE__, "chipset g92", "sig 0 1 bursts x 1 0", "sig: 'x', expected a seed"},
    {__LINE__, "chipset g92", "sig 0 1 bursts 1 5 6", "sig: '6', expected a length of at most the frame, 0 to 5"},
    {__LINE__, "chipset g92", "sig 0 1 user 0", "sig: user is for gt215 (gf100 has USER in its trailer)"},
    {__LINE__, "chipset gf100", "sig 0 1 user 0", "sig: user is for gt215 (gf100 has USER in its trailer)"},
    {__LINE__, "chipset gt215", "sig 0 1 user 2", "sig: '2', expected a USER signal, 0 to 1"},
    {__LINE__, "chipset g92\ndomains 2", "sig 1 host_mem_wr const 1", "sig: 'host_mem_wr', expected a signal, 0 to 255 or a name of g92's domain 1"},
    /* memory */
    {__LINE__, "chipset g92", "mem 0x10000000000 1", "mem: '0x10000000000', expected a 40-bit address, 0 to 0xffffffffff"},
    {__LINE__, "chipset g92", "mem 0 0x100001", "mem: '0x100001', expected a length, 0 to 0x100000"},
    {__LINE__, "chipset g92", "fault 0x10000000000", "fault: '0x10000000000', expected a 40-bit address, 0 to 0xffffffffff"},
    {__LINE__, "chipset g92", "unfault x", "unfault: 'x', expected a 40-bit address, 0 to 0xffffffffff"},
    /* values */
    {__LINE__, "chipset g92", "peek 0 frob", "peek: 'frob', expected the name of a value (cycles, sh_event, rec0, flag, ...)"},
    {__LINE__, "chipset g92", "peek 0 CYCLES", "peek: 'CYCLES', expected the name of a value (cycles, sh_event, rec0, flag, ...)"},
    {__LINE__, "chipset g92", "peek 1 flag", "peek: '1', expected a domain, 0 to 0"},
    {__LINE__, "chipset nv40", "peek 0 rec0", "peek: 'rec0', expected a value that nv40 has"},
    {__LINE__, "chipset gf100", "peek 0 rec_cycles", "peek: 'rec_cycles', expected a value that gf100 has"},
    {__LINE__, "chipset nv44", "peek 0 valid", "peek: 'valid', expected a value that nv44 has"},
    {__LINE__, "chipset g92", "poke 0 flag 1", "poke: 'flag', expected a counter; this can only be peeked at"},
    {__LINE__, "chipset g92", "poke 0 position 1", "poke: 'position', expected a counter; this can only be peeked at"},
    {__LINE__, "chipset nv20", "poke 0 sh_pre 1", "poke: 'sh_pre', expected a value that nv20 has"},
    {__LINE__, "chipset g92", "poke 0 pre x", "poke: 'x', expected a value"},
};
// clang-format on

/* An invalid line gives an error and changes nothing: the script can continue. */
static void test_wrong_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct printed printed;
        struct tally_error error = {0};
        struct pct *pct = start(&printed, wrong[i].before);
        int result = pct_line(pct, wrong[i].wrong, strlen(wrong[i].wrong), &error);
        ROW(wrong[i].line, result == -EINVAL && error.code == -EINVAL, "%s: %d", wrong[i].wrong,
            result);
        ROW(wrong[i].line, !strcmp(error.message, wrong[i].message), "%s: %s", wrong[i].wrong,
            error.message);
        ROW(wrong[i].line, pct_line(pct, wrong[i].wrong, strlen(wrong[i].wrong), NULL) == -EINVAL,
            "%s: without an error struct", wrong[i].wrong);
        if (!*wrong[i].before)
            ROW(wrong[i].line, run_lines(pct, "chipset g84\n", &error) == 0, "%s: and then: %s",
                wrong[i].wrong, error.message);
        ROW(wrong[i].line, run_lines(pct, "run 1\npeek 0 flag\n", &error) == 0, "%s: and then: %s",
            wrong[i].wrong, error.message);
        ROW(wrong[i].line, printed.size == strlen("peek 0 flag = 0x000000000000\n"),
            "%s: printed %s", wrong[i].wrong, printed.text);
        pct_free(pct);
    }
    ROWS_DONE();
}

/* ---- valid lines -------------------------------------------------------------------------------
 */

#define RD(address, value) "rd 0x00" address " = 0x" value "\n"

// clang-format off
static const struct {
    unsigned line;
    const char *script, *output;
} right[] = {
    /* words */
    {__LINE__, "", ""},
    {__LINE__, "\n  \t \r\n# a comment\n#\n \t# another\nchipset g92#at once\n", ""},
    {__LINE__, "chipset\t \tg92\r\n\t rd \t0xa400 \t\r\n", RD("a400", "00000000")},
    {__LINE__, "chipset g92\nrd 0xa400 # \xc3\xa9 \x01 in comments", RD("a400", "00000000")},
    {__LINE__, "chipset g92\nwr 41984 0X0000000000000000000aB\nrd 0xA400\nrd 0xa4\n", "rd 0x00a400 = 0x000000ab\nrd 0x0000a4 = 0x00000000\n"},
    {__LINE__, "chipset g92\nwr 0xa400 00012\nrd 0xa400\n", RD("a400", "0000000c")},
    {__LINE__, "chipset g92\nrd 0xfffffffffffffffc\nwr 0x10000a400 1\nrd 0xa400\n", "rd 0xfffffffffffffffc = 0x00000000\n" RD("a400", "00000000")},
    {__LINE__, "chipset g92\nwr 0xa400 0xffffffff\nrd 0xa400\n", RD("a400", "ffffffff")},
    /* setup: domains is 1 by default; setup may be omitted */
    {__LINE__, "chipset g92\nclock 0 0xffffffff 0xfffffffe\nrun 0xfffffffe\nrd 0xa404\n", RD("a404", "00000000")},
    {__LINE__, "chipset gf100\ndomains 1 part3\ndomains 2\nwr 0x180240 7\nrd 0x180240\nrd 0x180440\n", "rd 0x180240 = 0x00000007\nrd 0x180440 = 0x00000000\n"},
    {__LINE__, "chipset g92\ndomains 8\ntrailer 7 0\nclock 7 2 1\ntrailer 7 0x20\nclock 7 3\nrun 1\n", ""},
    {__LINE__, "chipset nv10\npoke 0 event 0x1ffffffffff\npeek 0 event\n", "peek 0 event = 0x00ffffffffff\n"},
    {__LINE__, "chipset g92\npoke 0 rec_stop " MAX_64 "\npeek 0 rec_stop\n", "peek 0 rec_stop = 0x000000000fff\n"},
    /* signals: numbers, ranges, names */
    {__LINE__, "chipset g92\nsig 0 0-31 const 1\nsig 0 3-0x3 const 0\nrun 1\nrd 0xa800\n", RD("a800", "fffffff7")},
    {__LINE__, "chipset g92\nsig 0 0-3 prng 0xffffffffffffffff 128\nsig 0 8 prng 0 128\nsig 0 9 prng 1 128\nsig 0 10 prng 2 128\nsig 0 11 prng 0xffffffffffffffff 128\nrun 4\nrd 0xa800\n", RD("a800", "00000d0b")},
    {__LINE__, "chipset g92\nwr 0xa400 HOST_MEM_WR,ZERO,0x12\nrd 0xa400\n", RD("a400", "0012ec04")},
    {__LINE__, "chipset g92\nwr 0xa560 ZERO\nrd 0xa560\n", RD("a560", "000000ec")},
    {__LINE__, "chipset g92\nsig 0 host_mem_wr const 1\nrun 1\nrd 0xa800\n", RD("a800", "00000010")},
    {__LINE__, "chipset g92\ndomains 2\nwr 0xa404 TPC.GEOM.MUX[6]\nrd 0xa404\n", RD("a404", "00000006")},
    {__LINE__, "chipset g92\ndomains 2\nwr 0xa404 PCOUNTER.DOM[0].FLAG,PCOUNTER.DOM[1].EVENT\nrd 0xa404\n", RD("a404", "0000f6ff")},
    /* waveforms */
    {__LINE__, "chipset g92\nsig 0 1 bursts 1 " MAX_64 " 0\nsig 0 2 bursts 1 1 1\nsig 0 3 every 1 0\nrun 3\nrd 0xa800\n", RD("a800", "0000000c")},
    {__LINE__, "chipset gt215\nsig 0 1 user 0\nsig 0 2 user 1\nwr 0xa580 2\nrun 1\nrd 0xa800\n", RD("a800", "00000004")},
    /* memory */
    {__LINE__, "chipset g92\nmem 0xfffffffff8 17\nmem 5 0\n", "mem 0xfffffffff8 = 00000000000000000000000000000000\nmem 0x0000000008 = 00\n"},
    /* chipsets of the table: their own domains and trailers */
    {__LINE__, "chipset g94\nclock 7 3 2\nsig 7 1 const 1\nrun 3\nrd 0xa8e0\n", RD("a8e0", "00000002")},
    {__LINE__, "chipset NV28\nwr 0xa500 1\nrd 0xa500\n", RD("a500", "00000001")},
    {__LINE__, "chipset gf104\nwr 0x1b0e44 0xfffff\nrd 0x1b0e44\nwr 0x200 0\nrd 0x1b0e44\n", "rd 0x1b0e44 = 0x000fffff\nrd 0x1b0e44 = 0xbad0da00\n"},
    {__LINE__, "chipset gf100\nrd 0x200\n", "rd 0x000200 = 0x10000000\n"},
};
// clang-format on

static void test_right_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        struct printed printed = {0};
        struct tally_error error = {0};
        struct pct *pct = start(&printed, "");
        int result = run_lines(pct, right[i].script, &error);
        ROW(right[i].line, result == 0, "%s", error.message);
        ROW(right[i].line, !strcmp(printed.text, right[i].output), "printed %s", printed.text);
        pct_free(pct);
    }
    ROWS_DONE();
}

/* Names of trailer signals follow the script's own trailer base. */
static void test_moved_trailer(void **state)
{
    (void)state;
    struct printed printed;
    struct pct *pct = start(&printed, "chipset g92\ntrailer 0 0x20\n"
                                      "wr 0xa400 1,2,pcounter.periodic,zero\nrd 0xa400\n");
    assert_string_equal(printed.text, RD("a400", "2c2d0201"));
    pct_free(pct);
}

/* A NUL does not end a line: it is a byte that is not text. */
static void test_nul(void **state)
{
    (void)state;
    struct printed printed;
    struct tally_error error = {0};
    struct pct *pct = start(&printed, "chipset g92\n");
    assert_int_equal(pct_line(pct, "rd 0xa400\0", 10, &error), -EINVAL);
    assert_string_equal(error.message, "byte 0x00 at column 10, expected ASCII text");
    assert_int_equal(pct_line(pct, "rd 0xa400 # \0", 13, &error), 0);
    assert_int_equal(pct_line(pct, "\0", 1, &error), -EINVAL);
    assert_int_equal(pct_line(pct, NULL, 0, &error), 0);
    /* The line is not terminated: bytes after its size are ignored. */
    assert_int_equal(pct_line(pct, "rd 0xa400junk", 9, &error), 0);
    assert_string_equal(printed.text, RD("a400", "00000000") RD("a400", "00000000"));
    pct_free(pct);
}

static void test_long_line(void **state)
{
    (void)state;
    const size_t bits = 10 * 1000 * 1000, head = strlen("sig 0 1 pattern ");
    struct printed printed;
    struct tally_error error = {0};
    struct pct *pct = start(&printed, "chipset g92\nwr 0xa400 1\nwr 0xa420 0xaaaa\nwr 0xa7c0 1\n");
    char *line = malloc(head + bits);
    assert_non_null(line);
    memcpy(line, "sig 0 1 pattern ", head);
    memset(line + head, '0', bits);
    line[head + bits - 1] = '1';
    line[head + 12345] = '1';
    assert_int_equal(pct_line(pct, line, head + bits, &error), 0);
    assert_int_equal(run_lines(pct, "run 20000000\npeek 0 sh_pre\n", &error), 0);
    assert_string_equal(printed.text, "peek 0 sh_pre = 0x000000000004\n");
    line[head + bits / 2] = '2';
    assert_int_equal(pct_line(pct, line, head + bits, &error), -EINVAL);
    assert_string_equal(error.message, "sig: '2' at bit 5000000, expected a string of 0 and 1");
    memset(line, 'x', head + bits); /* as a command, and as a name */
    assert_int_equal(pct_line(pct, line, head + bits, &error), -EINVAL);
    memcpy(line, "wr 0xa400 ", 10);
    assert_int_equal(pct_line(pct, line, head + bits, &error), -EINVAL);
    free(line);
    pct_free(pct);
}

/* ---- hooks -------------------------------------------------------------------------------------
 */

static void test_output_fails(void **state)
{
    (void)state;
    static const char *const lines[] = {"rd 0xa400", "peek 0 flag", "mem 0 17"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct printed printed;
        struct tally_error error = {0};
        struct pct *pct = start(&printed, "chipset g92\nrun 3\n");
        printed.fails = -ENOSPC;
        ROW(__LINE__, pct_line(pct, lines[i], strlen(lines[i]), &error) == -ENOSPC, "%s", lines[i]);
        ROW(__LINE__, pct_line(pct, lines[i], strlen(lines[i]), NULL) == -ENOSPC, "%s", lines[i]);
        pct_free(pct);
    }
    ROWS_DONE();
}

static int note_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
                    struct tally_error *error)
{
    uint64_t *asked = context;
    (void)error;
    *asked += ticks;
    tally_pcounter_run(engine, 1);
    return ticks == 77 ? -ETIME : 0;
}

static void test_runner(void **state)
{
    (void)state;
    struct printed printed;
    struct tally_error error = {0};
    uint64_t asked = 0;
    struct pct *pct = start(&printed, "chipset g92\n");
    assert_null(pct_engine(pct));
    pct_set_runner(pct, note_run, &asked);
    assert_int_equal(run_lines(pct, "run 0\nrun " MAX_64 "\nrun 5", &error), 0);
    assert_int_equal(asked, 4);
    assert_int_equal(tally_pcounter_now(pct_engine(pct)), 3);
    assert_int_equal(run_lines(pct, "run 77", &error), -ETIME);
    pct_set_runner(pct, NULL, NULL);
    assert_int_equal(run_lines(pct, "run 7", &error), 0);
    assert_int_equal(tally_pcounter_now(pct_engine(pct)), 11);
    pct_free(pct);
    pct_free(NULL);
}

int test_pct(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_lines),   cmocka_unit_test(test_right_lines),
        cmocka_unit_test(test_moved_trailer), cmocka_unit_test(test_nul),
        cmocka_unit_test(test_long_line),     cmocka_unit_test(test_output_fails),
        cmocka_unit_test(test_runner),
    };
    return cmocka_run_group_tests_name("pct", tests, NULL, NULL);
}
