/* SPDX-License-Identifier: MIT */
/* What a set programs on a GPU: its configs by type, availability and priority. */
#include "metrics/tests.h"

#define WRITE(address, value)      "<register address=\"" address "\" value=\"" value "\"/>"
#define CONFIG(attributes, writes) "<register_config " attributes ">" writes "</register_config>"

static const char *const all = SET_OPEN("SKL")
    CONFIG("type=\"NOA\" availability=\"$SliceMask 2 AND\" priority=\"2\"", WRITE("0x9888", "1"))
        CONFIG("type=\"NOA\" availability=\"$SkuRevisionId 5 ULT\" priority=\"1\"",
               WRITE("0x9888", "2")
                   WRITE("0x9888", "3")) CONFIG("type=\"NOA\" priority=\"1\"", WRITE("0x9840", "4"))
            CONFIG("type=\"NOA\"", WRITE("0x9888", "5")) CONFIG("type=\"OA\"", WRITE("0x2710", "6"))
                CONFIG("type=\"EMPTY\"", "") SET_CLOSE;

static const struct {
    unsigned line;
    const char *type;
    uint64_t slice_mask;
    uint32_t revision;
    size_t count;
    uint32_t values[5];
} rows[] = {
    {__LINE__, "NOA", 3, 0, 5, {5, 2, 3, 4, 1}},
    {__LINE__, "NOA", 1, 0, 4, {5, 2, 3, 4}},
    {__LINE__, "NOA", 3, 5, 3, {5, 4, 1}},
    {__LINE__, "NOA", 1, 9, 2, {5, 4}},
    {__LINE__, "OA", 0, 0, 1, {6}},
    {__LINE__, "FLEX", 0, 0, 0, {0}},
    {__LINE__, "EMPTY", 0, 0, 0, {0}},
};

static void test_writes(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(all, &set);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_environment environment = {.platform = tally_platform_find("skl"),
                                                .topology.slice_mask = rows[i].slice_mask,
                                                .revision = rows[i].revision};
        struct tally_register_write *writes;
        struct tally_error error = {0};
        ptrdiff_t count = tally_metric_set_writes(set, rows[i].type, &environment, &writes, &error);
        ROW(rows[i].line, count == (ptrdiff_t)rows[i].count, "%td writes", count);
        for (ptrdiff_t k = 0; k < count && k < (ptrdiff_t)rows[i].count; k++)
            ROW(rows[i].line, writes[k].value == rows[i].values[k], "write %td is %" PRIu32, k,
                writes[k].value);
        ROW(rows[i].line, count || !writes, "a list of nothing");
        free(writes);
    }
    tally_metric_file_free(file);
    ROWS_DONE();
}

static void test_availabilities_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        const char *message;
    } bad[] = {
        {__LINE__,
         SET_OPEN("SKL") CONFIG("type=\"OA\" availability=\"$SliceMask AND\"", WRITE("1", "1"))
             SET_CLOSE,
         "register_config availability"},
        {__LINE__,
         SET_OPEN("SKL") CONFIG("type=\"OA\" availability=\"A 0 READ\"", WRITE("1", "1")) SET_CLOSE,
         "reads a counter, expected $Variables and numbers"},
        {__LINE__,
         SET_OPEN("SKL") U64_COUNTER("X", "1", "")
             CONFIG("type=\"OA\" availability=\"$X\"", WRITE("1", "1")) SET_CLOSE,
         "Test register_config availability"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct tally_metric_set *set;
        struct tally_metric_file *file = load_text(bad[i].text, &set);
        struct tally_environment environment = {.platform = tally_platform_find("skl")};
        struct tally_register_write *writes;
        struct tally_error error = {0};
        ptrdiff_t count = tally_metric_set_writes(set, "OA", &environment, &writes, &error);
        ROW(bad[i].line, count == -EBADMSG, "%td", count);
        ROW(bad[i].line, mentions(error.message, bad[i].message), "\"%s\"", error.message);
        tally_metric_file_free(file);
    }
    ROWS_DONE();
}

int test_registers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_availabilities_that_cannot_be),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
