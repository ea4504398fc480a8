/* SPDX-License-Identifier: MIT */
/* Flexible EU events: every encoding of the increment and both filters, on sixteen different EUs.
 */
#include "intel/conformance/rows.h"

enum { EUS = 16, SLOTS = 14, FIRST = 7, CLOCKS = 4 };

/* An EU with the same state in every clock. */
struct eu {
    unsigned fpu0, fpu1, send, threads, ff, kind;
};

/* EUs that together have every pair of pipes, every fixed function and every instruction kind. */
static const struct eu eus[EUS] = {
    {0, 0, 0, 0, 0, 0}, {1, 0, 0, 7, 1, 1}, {0, 1, 0, 7, 2, 2}, {1, 1, 0, 3, 3, 3},
    {0, 0, 1, 2, 4, 5}, {1, 0, 1, 1, 5, 4}, {0, 1, 1, 8, 6, 5}, {1, 1, 1, 5, 5, 5},
    {0, 0, 0, 4, 1, 0}, {1, 0, 0, 6, 2, 2}, {0, 1, 0, 8, 5, 3}, {1, 1, 0, 7, 6, 4},
    {0, 0, 1, 1, 1, 5}, {1, 0, 1, 7, 4, 1}, {0, 0, 0, 1, 3, 0}, {1, 1, 1, 8, 2, 1},
};

/* ---- the document's tables ----------------------------------------------------------------- */

/* Returns in how many of the first clocks the integrator, from 0, overflows. */
static unsigned pulses(const struct eu *eu)
{
    unsigned sum = 0, count = 0;
    for (unsigned clock = 0; clock < CLOCKS; clock++)
        if ((sum += eu->threads) >= 8)
            sum -= 8, count++;
    return count;
}

/* Returns in how many clocks the increment event occurs. */
static unsigned increments(const struct eu *eu, unsigned code)
{
    unsigned any = eu->fpu0 | eu->fpu1 | eu->send;
    switch (code) {
    case 0:
        return CLOCKS * eu->fpu0;
    case 1:
        return CLOCKS * eu->fpu1;
    case 2:
        return CLOCKS * eu->send;
    case 3:
        return CLOCKS * (eu->fpu0 & eu->fpu1);
    case 4:
        return CLOCKS * any;
    case 5:
        return eu->threads && !any ? CLOCKS : 0;
    case 8:
        return pulses(eu);
    default:
        return 0;
    }
}

/* Two rows of four EUs in each subslice of eight. */
static bool passes_coarse(unsigned n, unsigned code)
{
    if (code == 0)
        return true;
    if (code <= 6)
        return eus[n].ff == code;
    return code <= 8 && n / 4 % 2 == code - 7;
}

static bool passes_fine(unsigned n, unsigned code)
{
    if (code == 0)
        return true;
    if (code <= 5)
        return eus[n].kind == code;
    return code >= 7 && code <= 10 && n % 4 == code - 7;
}

/* The document's columns of filters that an increment event supports. */
static bool is_supported(unsigned increment, unsigned coarse, unsigned fine)
{
    bool number = fine >= 7 && fine <= 10, row = coarse == 7 || coarse == 8;
    if (coarse > 8 || fine > 10 || fine == 6)
        return false;
    switch (increment) {
    case 0:
    case 1:
        return fine != 5; /* a start of send on another pipe: undefined */
    case 2:
        return fine == 0 || fine == 5 || number;
    case 4:
        return (coarse == 0 || row) && (fine == 0 || fine == 5 || number);
    case 3:
    case 5:
    case 8:
        return (coarse == 0 || row) && (fine == 0 || number);
    default:
        return false;
    }
}

static unsigned expected(unsigned increment, unsigned coarse, unsigned fine)
{
    unsigned sum = 0;
    for (unsigned n = 0; n < EUS; n++)
        if (passes_coarse(n, coarse) && passes_fine(n, fine))
            sum += increments(&eus[n], increment);
    return sum;
}

/* ---- scripts ------------------------------------------------------------------------------- */

static void drive(FILE *out)
{
    fprintf(out, "eus %d\n", EUS);
    for (unsigned n = 0; n < EUS; n++) {
        fprintf(out, "eu %u fpu0 const %u\neu %u fpu1 const %u\n", n, eus[n].fpu0, n, eus[n].fpu1);
        fprintf(out, "eu %u send const %u\neu %u threads const %u\n", n, eus[n].send, n,
                eus[n].threads);
        fprintf(out, "eu %u ff const %u\neu %u kind const %u\n", n, eus[n].ff, n, eus[n].kind);
    }
    fputs("enable 5\n", out);
}

/* Writes fourteen combinations at once, to the slots from the first register on. */
struct slots {
    FILE *out;
    unsigned count, codes[SLOTS], sums[SLOTS];
};

static void flush(struct slots *slots)
{
    for (unsigned s = 0; s < SLOTS; s += 2)
        fprintf(slots->out, "wr EU_PERF_CNT_CTL%u 0x%x\n", s / 2,
                slots->codes[s] | slots->codes[s + 1] << 12);
    for (unsigned s = 0; s < slots->count; s++)
        fprintf(slots->out, "poke a%u 0\n", FIRST + s);
    for (unsigned n = 0; n < EUS; n++)
        fprintf(slots->out, "poke occ%u 0\n", n);
    fprintf(slots->out, "run %d\n", CLOCKS);
    for (unsigned s = 0; s < slots->count; s++)
        fprintf(slots->out, "peek a%u -> %u\n", FIRST + s, slots->sums[s]);
    slots->count = 0;
}

static void add(struct slots *slots, unsigned increment, unsigned coarse, unsigned fine)
{
    slots->codes[slots->count] = increment | coarse << 4 | fine << 8;
    slots->sums[slots->count++] = expected(increment, coarse, fine);
    if (slots->count == SLOTS)
        flush(slots);
}

/* Runs all combinations that the document supports, or all others. */
static void combinations(FILE *out, bool supported)
{
    struct slots slots = {.out = out, .count = 0};
    drive(out);
    for (unsigned code = 0; code < 4096; code++)
        if (is_supported(code & 15, code >> 4 & 15, code >> 8) == supported)
            add(&slots, code & 15, code >> 4 & 15, code >> 8);
    if (slots.count)
        flush(&slots);
}

static void all_supported(FILE *out, unsigned platform)
{
    (void)platform;
    combinations(out, true);
}

static void all_others(FILE *out, unsigned platform)
{
    (void)platform;
    combinations(out, false);
}

/* Every slot counts a different event: `fine` and `coarse` select one EU. */
static void slots_apart(FILE *out, unsigned platform)
{
    (void)platform;
    fprintf(out, "eus %d\nenable 5\n", EUS);
    for (unsigned s = 0; s < SLOTS; s += 2)
        fprintf(out, "wr EU_PERF_CNT_CTL%u INCREMENT=15|INCREMENT1=15\n", s / 2);
    fputs("eu 0-15 fpu1 const 1\n", out);
    for (unsigned s = 0; s < SLOTS; s++) {
        fprintf(out, "wr EU_PERF_CNT_CTL%u %s=1|%s=15\n", s / 2, s % 2 ? "INCREMENT1" : "INCREMENT",
                s % 2 ? "INCREMENT" : "INCREMENT1");
        fputs("run 3\n", out);
        for (unsigned i = 0; i < SLOTS; i++)
            fprintf(out, "peek a%u -> %u\n", FIRST + i, i == s ? 48 : 0);
        fprintf(out, "poke a%u 0\nwr EU_PERF_CNT_CTL%u INCREMENT=15|INCREMENT1=15\n", FIRST + s,
                s / 2);
    }
}

#define DOCUMENT  "002"
#define FILE_NAME "generated_flexible.c"
#define SECTION   "Flexible EU Event Counters"

/* clang-format off */
const struct conformance_case generated_flexible_cases_002[] = {
    GENERATED("002-FLEX-01", SECTION, "Every supported combination of increment event, coarse filter and fine filter counts as the tables state, on sixteen different EUs", "bdw..lkf", all_supported),
    GENERATED("002-FLEX-02", SECTION, "Unsupported combinations count in an implementation-specific manner: the model ANDs event and filters, and reserved codes count nothing (OA-D38, OA-E14, OA-E18)", "bdw..lkf", all_others),
    GENERATED("002-FLEX-03", SECTION, "EU_PERF_CNT_CTL0 to 6 each hold the events of two of A7 to A20", "bdw..lkf", slots_apart),
};
/* clang-format on */
const size_t generated_flexible_case_count_002 =
    sizeof generated_flexible_cases_002 / sizeof *generated_flexible_cases_002;
