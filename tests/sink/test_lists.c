/* SPDX-License-Identifier: MIT */
/* Lists in each format: every type of column, missing values, alignment. */
#include "sink/tests.h"

#include "sink/json.h"
#include "sink/lists.h"

static void put_pair(struct output *output, const void *item)
{
    output_text(output, "[1,");
    json_text(output, item);
    output_text(output, "]");
}

static const struct list_column columns[] = {
    {"name", LIST_TEXT, 2, 1, -6, "name"}, {"size", LIST_NUMBER, 1, 0, 5, "size"},
    {"gen", LIST_TENTHS, 3, 2, -4, "gen"}, {"known", LIST_BOOL, 0, 0, 0, NULL},
    {"pair", LIST_NESTED, 0, 0, 0, NULL},  {NULL, LIST_TEXT, 4, 1, 0, "remark"},
};
static const struct list_kind kind = LIST_KIND("thing", columns);
static const struct list_kind bare = {"bare", columns + 3, 2};

static const struct list_cell rows[][6] = {
    {{.text = "one"},
     {.number = 7},
     {.number = 75},
     {.number = 1},
     {.nested = put_pair, .item = "x"},
     {.text = "first"}},
    {{.text = "a, \"b\""},
     {.number = 123456, .shown = "many"},
     {.number = 120},
     {.number = 0},
     {.nested = put_pair, .item = "y"},
     {.text = ""}},
    {{.text = ""},
     {.number = UINT64_MAX},
     {.state = LIST_NULL, .shown = "-"},
     {.state = LIST_ABSENT},
     {.state = LIST_NULL},
     {.text = NULL}},
};

/* Returns the list as text; the caller frees it. */
static char *written(const struct sink_lists *sink, const struct list_kind *of, bool color)
{
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    struct list list;
    assert_non_null(output);
    output->color = color;
    list_begin(&list, output, sink, of);
    for (size_t i = 0; i < COUNT(rows); i++)
        list_row(&list, rows[i] + (of->columns - columns));
    assert_ptr_equal(list_remarks(&list), sink == &table_lists ? output : NULL);
    assert_int_equal(output_close(output, NULL), 0);
    buffer_char(&memory, '\0');
    return memory.bytes;
}

static void test_each_format(void **state)
{
    static const char plain[] = "    7 one     7.5  first\n"
                                " many a, \"b\"  12.0\n"
                                "18446744073709551615         -\n";
    char table[512], colored[512];
    snprintf(table, sizeof table, " size name    gen  remark\n%s", plain);
    snprintf(colored, sizeof colored, "\033[1m size name    gen  remark\n\033[0m%s", plain);
    const struct {
        unsigned line;
        const struct sink_lists *sink;
        const struct list_kind *kind;
        bool color;
        const char *expected;
    } cases[] = {
        {__LINE__, &table_lists, &kind, false, table},
        {__LINE__, &table_lists, &kind, true, colored},
        {__LINE__, &table_lists, &bare, false, "\n\n\n"},
        {__LINE__, &csv_lists, &kind, false,
         "name,size,gen,known,pair\r\n"
         "one,7,7.5,true,\"[1,\"\"x\"\"]\"\r\n"
         "\"a, \"\"b\"\"\",123456,12.0,false,\"[1,\"\"y\"\"]\"\r\n"
         ",18446744073709551615,,,\r\n"},
        {__LINE__, &jsonl_lists, &kind, false,
         "{\"type\":\"thing\",\"name\":\"one\",\"size\":7,\"gen\":7.5,\"known\":true,"
         "\"pair\":[1,\"x\"]}\n"
         "{\"type\":\"thing\",\"name\":\"a, \\\"b\\\"\",\"size\":123456,\"gen\":12.0,"
         "\"known\":false,\"pair\":[1,\"y\"]}\n"
         "{\"type\":\"thing\",\"name\":\"\",\"size\":18446744073709551615,\"gen\":null,"
         "\"pair\":null}\n"},
        {__LINE__, &jsonl_lists, &bare, false,
         "{\"type\":\"bare\",\"known\":true,\"pair\":[1,\"x\"]}\n"
         "{\"type\":\"bare\",\"known\":false,\"pair\":[1,\"y\"]}\n"
         "{\"type\":\"bare\",\"pair\":null}\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = written(cases[i].sink, cases[i].kind, cases[i].color);
        ROW(cases[i].line, !strcmp(text, cases[i].expected), "%s", text);
        free(text);
    }
    ROWS_DONE();
}

int test_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_format),
    };
    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
