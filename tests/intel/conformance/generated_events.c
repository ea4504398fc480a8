/* SPDX-License-Identifier: MIT */
/* Lakefield's registers, its B counters one by one, and all combinations of flexible EU events. */
#include <string.h>

#include "intel/conformance/document.h"
#include "intel/conformance/lakefield.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* Each register keeps what is written, whatever is written to the others. */
static void hold(FILE *body, unsigned platform, const char *const *names)
{
    uint32_t address;
    for (size_t i = 0; names[i]; i++)
        fprintf(body, "wr %s 0x%x\n", names[i], 0x5a5a5a00u + (unsigned)i * 0x01010101u);
    for (size_t i = 0; names[i]; i++) {
        const struct oa_document_register *row =
            oa_document_find(names[i], (enum oa_platform)platform, &address);
        uint32_t value = 0x5a5a5a00u + (uint32_t)i * 0x01010101u;
        fprintf(body, "rd %s -> 0x%x\n", names[i], row ? value & row->writable : 0);
    }
}

static void listed_registers(FILE *body, unsigned platform)
{
    hold(body, platform, lkf_oa_listed);
}

static void other_registers(FILE *body, unsigned platform)
{
    hold(body, platform, lkf_oa_left_out);
    fputs("run 3\nrd GPU_TICKS -> 3\nwr GPU_TICKS 0\nrd GPU_TICKS -> 3\n", body);
}

/* Counters can be read and written; a write loads the counter (OA-U28). */
static void counter_registers(FILE *body, unsigned platform)
{
    (void)platform;
    for (unsigned i = 0; i < 32; i++)
        fprintf(body, "wr OAPERF_A%u 0x%x\nwr OAPERF_A%u_UPPER 0xffffff%02x\n", i, 0xa0000000 + i,
                i, 0x40 + i);
    for (unsigned i = 0; i < 8; i++)
        fprintf(body, "wr OAPERF_B%u 0x%x\nwr OAPERF_C%u 0x%x\n", i, 0xb0000000 + i, i,
                0xc0000000 + i);
    for (unsigned i = 32; i < 36; i++)
        fprintf(body, "wr OAPERF_A%u 0x%x\n", i, 0xa0000000 + i);
    for (unsigned i = 0; i < 36; i++)
        fprintf(body, "peek a%u -> 0x%llx\nrd OAPERF_A%u -> 0x%x\n", i,
                (i < 32 ? 0x100000000ull * (0x40 + i) : 0) + 0xa0000000 + i, i, 0xa0000000 + i);
    for (unsigned i = 0; i < 32; i++)
        fprintf(body, "rd OAPERF_A%u_UPPER -> 0x%x\n", i, 0x40 + i);
    for (unsigned i = 0; i < 8; i++)
        fprintf(body, "rd OAPERF_B%u -> 0x%x\nrd OAPERF_C%u -> 0x%x\n", i, 0xb0000000 + i, i,
                0xc0000000 + i);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Aggregating counters add their own events: input i is i + 1 per clock. */
static void own_events(FILE *body, unsigned platform)
{
    (void)platform;
    fputs("eus 8\neu 0-6 fpu0 const 1\n", body); /* A7 to A20: 7 per clock */
    for (unsigned i = 0; i < 36; i++)
        if (i < 7 || i > 20)
            fprintf(body, "a %u const %u\n", i, i + 1);
    fputs("enable 0\nrun 5\n", body);
    for (unsigned i = 0; i < 36; i++)
        fprintf(body, "peek a%u -> %u\n", i, 5 * (i < 7 || i > 20 ? i + 1 : 7));
}

/* B counter n counts the output of CEC block n: bit n, or bit n + 8, for n clocks of eight. */
static void own_blocks(FILE *body, unsigned platform)
{
    (void)platform;
    for (unsigned n = 0; n < 8; n++) {
        char bits[9] = "00000000";
        memset(bits, '1', n);
        fprintf(body, "noa %u pattern %s\n", 8 + n, bits);
        fprintf(body, "wr CEC%u-0 FUNCTION=1|COMPARE=0\nwr CEC%u-1 MASK=0x%x\n", n, n,
                0xffff & ~(0x100u << n));
    }
    fputs("wr OASTARTTRIG2 THRESHOLD_ENABLE=1|EVENTS=15\nwr OASTARTTRIG6 EVENTS=15\nenable 0\n",
          body);
    fputs("run 16\n", body);
    for (unsigned n = 0; n < 8; n++)
        fprintf(body, "peek b%u -> %u\n", n, 2 * n);
}

/* ---- flexible EU events ---------------------------------------------------------------------- */

enum { EUS = 8, CLOCKS = 8 };

/* State of the EUs, one character per clock: pipelines, threads, fixed function, instruction kind.
 */
static const struct {
    const char *fpu0, *fpu1, *send, *threads, *ff, *kind;
} eus[EUS] = {
    {"10110100", "01100110", "00010001", "77777777", "11111111", "12345012"},
    {"11110000", "11001100", "10101010", "33330000", "22223333", "44440000"},
    {"00000000", "00000000", "00000000", "88888888", "00000000", "00000000"},
    {"11111111", "11111111", "11111111", "12345678", "12345612", "55555555"},
    {"01010101", "00110011", "00001111", "11111111", "55555555", "11223344"},
    {"00000001", "00000010", "00000100", "60606060", "66666666", "00000555"},
    {"11111110", "01111111", "00000000", "54321012", "43434343", "33333333"},
    {"00000000", "11110000", "00001111", "00000000", "66554433", "22225555"},
};

static bool increments(unsigned eu, unsigned clock, unsigned code)
{
    bool fpu0 = eus[eu].fpu0[clock] == '1', fpu1 = eus[eu].fpu1[clock] == '1';
    bool send = eus[eu].send[clock] == '1';
    unsigned threads = (unsigned)eus[eu].threads[clock] - '0', sum = 0;
    for (unsigned k = 0; k < clock; k++)
        sum += (unsigned)eus[eu].threads[k] - '0';
    switch (code) {
    case 0:
        return fpu0;
    case 1:
        return fpu1;
    case 2:
        return send;
    case 3:
        return fpu0 && fpu1;
    case 4:
        return fpu0 || fpu1 || send;
    case 5:
        return threads && !(fpu0 || fpu1 || send);
    case 8:
        return (sum + threads) / 8 > sum / 8;
    default:
        return false;
    }
}

static bool passes(unsigned eu, unsigned clock, unsigned coarse, unsigned fine)
{
    unsigned ff = (unsigned)eus[eu].ff[clock] - '0', kind = (unsigned)eus[eu].kind[clock] - '0';
    bool by_coarse = coarse == 0   ? true
                     : coarse <= 6 ? ff == coarse
                     : coarse == 7 ? eu < 4
                                   : coarse == 8 && eu >= 4;
    bool by_fine = fine == 0 ? true : fine <= 5 ? kind == fine : fine >= 7 && eu % 4 == fine - 7;
    return by_coarse && by_fine;
}

static void drive_eus(FILE *body)
{
    fprintf(body, "eus %d\n", EUS);
    for (unsigned eu = 0; eu < EUS; eu++) {
        fprintf(body, "eu %u fpu0 pattern %s\neu %u fpu1 pattern %s\neu %u send pattern %s\n", eu,
                eus[eu].fpu0, eu, eus[eu].fpu1, eu, eus[eu].send);
        const char *const numbers[] = {eus[eu].threads, eus[eu].ff, eus[eu].kind};
        static const char *const names[] = {"threads", "ff", "kind"};
        for (unsigned i = 0; i < 3; i++) {
            fprintf(body, "eu %u %s seq", eu, names[i]);
            for (unsigned k = 0; k < CLOCKS; k++)
                fprintf(body, "%c%c", k ? ',' : ' ', numbers[i][k]);
            fputc('\n', body);
        }
    }
}

/* Runs one setting of all fourteen events for eight clocks. The integrators begin at 0. */
static void round_of(FILE *body, unsigned events[14][3])
{
    for (unsigned eu = 0; eu < EUS; eu++)
        fprintf(body, "poke occ%u 0\n", eu);
    for (unsigned i = 0; i < 14; i += 2)
        fprintf(body,
                "wr EU_PERF_CNT_CTL%u "
                "INCREMENT=%u|COARSE=%u|FINE=%u|INCREMENT1=%u|COARSE1=%u|FINE1=%u\n",
                i / 2, events[i][0], events[i][1], events[i][2], events[i + 1][0], events[i + 1][1],
                events[i + 1][2]);
    for (unsigned i = 0; i < 14; i++)
        fprintf(body, "poke a%u 0\n", 7 + i);
    fprintf(body, "run %d\n", CLOCKS);
    for (unsigned i = 0; i < 14; i++) {
        unsigned count = 0;
        for (unsigned eu = 0; eu < EUS; eu++)
            for (unsigned clock = 0; clock < CLOCKS; clock++)
                count += increments(eu, clock, events[i][0]) &&
                         passes(eu, clock, events[i][1], events[i][2]);
        fprintf(body, "peek a%u -> %u\n", 7 + i, count);
    }
}

/* All increments with all coarse and fine filters. Combinations that the document does not support
 * AND event and filters (OA-D38). */
static void combinations(FILE *body, unsigned platform)
{
    static const unsigned codes[] = {0, 1, 2, 3, 4, 5, 8, 15};
    unsigned events[14][3], used = 0;
    (void)platform;
    drive_eus(body);
    fputs("enable 0\n", body);
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        for (unsigned coarse = 0; coarse < 16; coarse++)
            for (unsigned fine = 0; fine < 16; fine++) {
                events[used][0] = codes[i];
                events[used][1] = coarse;
                events[used][2] = fine > 10 ? 6 : fine; /* 6 and those from 11 on are reserved */
                if (++used == 14)
                    round_of(body, events), used = 0;
            }
    for (unsigned i = used; i < 14; i++)
        memset(events[i], 0, sizeof events[i]);
    round_of(body, events);
}

#define DOCUMENT  "004"
#define FILE_NAME "generated_events.c"
#define REGISTERS "Performance Counter Registers"

/* clang-format off */
const struct conformance_case generated_event_cases[] = {
    GENERATED("004-REG-01", REGISTERS, "Each register of the list keeps what is written to it", "lkf", listed_registers),
    GENERATED("004-REG-02", REGISTERS, "Registers that the list omits also keep what is written, and GPU_TICKS exists and is read-only (OA-E20)", "lkf", other_registers),
    GENERATED("004-REG-03", REGISTERS, "OAPERF_A0 to A35, the upper dwords of A0 to A31 and B0 to B7 read and write the live counters", "lkf", counter_registers),
    GENERATED("004-AGG-03", "Aggregating Counters", "A0 to A35 each count their own event, A7 to A20 those of the EUs", "lkf", own_events),
    GENERATED("004-FINE-11", "Fine Event Filters", "Every combination of increment event, coarse filter and fine filter counts; unsupported ones AND event and filters (OA-D38)", "lkf", combinations),
    GENERATED("004-CEC-01", "Custom Event Counters", "Each B counter has its own custom event creation block", "lkf", own_blocks),
};
/* clang-format on */
const size_t generated_event_case_count =
    sizeof generated_event_cases / sizeof *generated_event_cases;
