/* SPDX-License-Identifier: MIT */
/* Conditions of tally check. */
#include "tests.h"

#include <math.h>
#include <string.h>

#include "compare/check.h"

void test_conditions(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text, *expected; /* NULL: valid */
        const char *again;           /* check_text() of a valid one */
        enum tally_group_by by;
        bool has_place, every;
        uint64_t key;
    } rows[] = {
        {__LINE__, "EuActive > 60%", NULL, "mean(EuActive) > 60 %", 0, false, false, 0},
        {__LINE__, "  EuActive>=60  ", NULL, "mean(EuActive) >= 60", 0, false, false, 0},
        {__LINE__, "p95( EuActive )<0.5 %", NULL, "p95(EuActive) < 0.5 %", 0, false, false, 0},
        {__LINE__, "sum(A1)<=-2e3", NULL, "sum(A1) <= -2000", 0, false, false, 0},
        {__LINE__, "overall(A) > 2 G/s", NULL, "overall(A) > 2 G/s", 0, false, false, 0},
        {__LINE__, "A > 2 GiB/s in phase 2", NULL, "mean(A) > 2 GiB/s", TALLY_BY_PHASE, true, false,
         1},
        {__LINE__, "A > 2 in every phase", NULL, "mean(A) > 2", TALLY_BY_PHASE, true, true, 0},
        {__LINE__, "A>2ms in context 0x1000", NULL, "mean(A) > 2 ms", TALLY_BY_CONTEXT, true, false,
         0x1000},
        {__LINE__, "A > 2 in context idle", NULL, "mean(A) > 2", TALLY_BY_CONTEXT, true, false,
         TALLY_CONTEXT_IDLE},
        {__LINE__, "A > 2 in frame 1", NULL, "mean(A) > 2", TALLY_BY_FRAME, true, false, 0},
        {__LINE__, "A > 2 in mark two words ", NULL, "mean(A) > 2", TALLY_BY_MARK, true, false,
         TALLY_KEY_CHANGE},
        {__LINE__, "A > 2 in every mark", NULL, "mean(A) > 2", TALLY_BY_MARK, true, true, 0},
        {__LINE__, "A > 2 in mark  ",
         "total, every phase, phase 2, every context, context 0x1000, frame 3 or mark NAME", NULL,
         0, 0, 0, 0},
        {__LINE__, "A > 2 in total", NULL, "mean(A) > 2", TALLY_BY_NOTHING, true, false, 0},
        {__LINE__, "A within 5%", NULL, "mean(A) within 5 %", 0, false, false, 0},
        {__LINE__, "max(A) within +0.5 % in every context", NULL, "max(A) within +0.5 %",
         TALLY_BY_CONTEXT, true, true, 0},
        {__LINE__, "A within -5%", NULL, "mean(A) within -5 %", 0, false, false, 0},
        {__LINE__, "", "a counter, such as EuActive or p95(EuActive)", NULL, 0, 0, 0, 0},
        {__LINE__, "1A > 2", "a counter, such as EuActive or p95(EuActive)", NULL, 0, 0, 0, 0},
        {__LINE__, "p95(A > 2", "a counter and )", NULL, 0, 0, 0, 0},
        {__LINE__, "(A) > 2", "a statistic before (", NULL, 0, 0, 0, 0},
        {__LINE__, "mode(A) > 2", "overall, min, mean, p50, p95, p99, max or sum", NULL, 0, 0, 0,
         0},
        {__LINE__, "A = 2", ">, >=, <, <= or within", NULL, 0, 0, 0, 0},
        {__LINE__, "A > two", "a number", NULL, 0, 0, 0, 0},
        {__LINE__, "A > 1e999", "a number", NULL, 0, 0, 0, 0},
        {__LINE__, "A > 2 in phase 0",
         "total, every phase, phase 2, every context, context 0x1000, frame 3 or mark NAME", NULL,
         0, 0, 0, 0},
        {__LINE__, "A > 2 in phases",
         "total, every phase, phase 2, every context, context 0x1000, frame 3 or mark NAME", NULL,
         0, 0, 0, 0},
        {__LINE__, "A > 2 in total in total", "nothing more", NULL, 0, 0, 0, 0},
        {__LINE__, "A > 2 % B", "in and a place, such as in every phase", NULL, 0, 0, 0, 0},
        {__LINE__, "A within 5", "a share such as 5%, +5% or -5%", NULL, 0, 0, 0, 0},
        {__LINE__, "A within five%", "a share such as 5%, +5% or -5%", NULL, 0, 0, 0, 0},
        {__LINE__, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA > 2",
         "a counter, such as EuActive or p95(EuActive)", NULL, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct check check;
        struct buffer text = {0};
        const char *expected = check_parse(rows[i].text, &check);
        ROW(rows[i].line,
            expected && rows[i].expected ? !strcmp(expected, rows[i].expected)
                                         : expected == rows[i].expected,
            "\"%s\": %s", rows[i].text, expected ? expected : "valid");
        if (expected || rows[i].expected)
            continue;
        check_text(&text, &check);
        buffer_char(&text, '\0');
        ROW(rows[i].line, !strcmp(text.bytes, rows[i].again), "%s", text.bytes);
        ROW(rows[i].line, check.has_place == rows[i].has_place && check.every == rows[i].every,
            "place %d, every %d", check.has_place, check.every);
        ROW(rows[i].line, !check.has_place || (check.by == rows[i].by && check.key == rows[i].key),
            "by %d, key %llu", check.by, (unsigned long long)check.key);
        buffer_fini(&text);
    }
    static const struct {
        unsigned line;
        const char *text;
        double share; /* negative: invalid */
    } shares[] = {{__LINE__, "0", 0},    {__LINE__, "1%", 0.01}, {__LINE__, "0.5", 0.5},
                  {__LINE__, "100%", 1}, {__LINE__, "2", -1},    {__LINE__, "-1%", -1},
                  {__LINE__, "", -1},    {__LINE__, "%", -1},    {__LINE__, "1%%", -1},
                  {__LINE__, "nan", -1}, {__LINE__, "101%", -1}};
    for (size_t i = 0; i < COUNT(shares); i++) {
        double share = 0;
        bool valid = !share_parse(shares[i].text, &share);
        ROW(shares[i].line,
            valid ? shares[i].share >= 0 && fabs(share - shares[i].share) < 1e-12
                  : shares[i].share < 0,
            "\"%s\": %d, %g", shares[i].text, valid, share);
    }
    ROWS_DONE();
}
