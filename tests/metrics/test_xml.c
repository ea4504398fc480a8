/* SPDX-License-Identifier: MIT */
/* Metric-set files: their contents, and errors with their lines. */
#include "metrics/tests.h"

/* ---- contents ------------------------------------------------------------------------------ */

static const char whole_file[] =
    "<?xml version=\"1.0\"?>\n"
    "<!-- a comment -->\n"
    "<metrics version=\"1\" merge_md5=\"\">\n"
    "  <note>not ours</note>\n"
    "  <set name=\"First &amp; only\" chipset=\"SKLGT2\" symbol_name=\"First\"\n"
    "       hw_config_guid=\"" UUID "\" oa_format=\"256B\" underscore_name=\"first\">\n"
    "    <counter name=\"A &quot;name&quot;\" symbol_name=\"One\" description=\"caf\xc3\xa9\"\n"
    "             data_type=\"uint64\" units=\"events\" semantic_type=\"event\"\n"
    "             equation=\"A 1 READ\" max_equation=\"100\" availability=\"$SliceMask 1 AND\"\n"
    "             mdapi_group=\"EU Array/Vertex\" mdapi_usage_flags=\"x\"/>\n"
    "    <counter name=\"Two\" symbol_name=\"Two\" units=\"percent\" equation=\"$One &lt;&lt;\"/>\n"
    "    <counter name=\"3\" symbol_name=\"Three\" units=\"\" equation=\"\" data_type=\"float\"/>\n"
    "    <counter name=\"4\" symbol_name=\"Four\" units=\"\" equation=\"\" data_type=\"double\"/>\n"
    "    <counter name=\"5\" symbol_name=\"Five\" units=\"\" equation=\"\" data_type=\"uint32\"/>\n"
    "    <counter name=\"6\" symbol_name=\"Six\" units=\"\" equation=\"\" data_type=\"bool32\"/>\n"
    "    <register_config type=\"NOA\"><register address=\"0x9888\" value=\"7\"/>\n"
    "    </register_config><later/>\n"
    "  </set>\n"
    "</metrics>\n";

static void test_attributes_of_sets_and_counters(void **state)
{
    (void)state;
    static const char text[] =
        "<metrics>\n"
        "  <set name=\"First &amp; only\" chipset=\"SKLGT2\" symbol_name=\"First\"\n"
        "       hw_config_guid=\"" UUID "\" oa_format=\"256B\">\n"
        "    <counter name=\"A &quot;name&quot;\" symbol_name=\"One\" description=\"caf\xc3\xa9\"\n"
        "             data_type=\"uint64\" units=\"events\" semantic_type=\"event\"\n"
        "             equation=\"A 1 READ\" max_equation=\"100\" availability=\"$SliceMask\"\n"
        "             mdapi_group=\"EU Array/Vertex\" mdapi_usage_flags=\"x\"/>\n"
        "    <counter name=\"Two\" symbol_name=\"Two\" units=\"percent\" equation=\"1 2 "
        "&lt;&lt;\"/>\n"
        "    <what_comes_later name=\"x\"/>\n"
        "  </set>\n"
        "</metrics>\n";
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(text, &set);
    assert_string_equal(set->symbol, "First");
    assert_string_equal(set->name, "First & only");
    assert_string_equal(set->chipset, "SKLGT2");
    assert_string_equal(set->uuid, UUID);
    assert_string_equal(set->oa_format, "256B");
    assert_string_equal(set->file, "test.xml");
    assert_int_equal(set->line, 2);
    assert_int_equal(set->counter_count, 2);
    assert_int_equal(set->config_count, 0);

    const struct tally_counter *one = &set->counters[0], *two = &set->counters[1];
    assert_string_equal(one->symbol, "One");
    assert_string_equal(one->name, "A \"name\"");
    assert_string_equal(one->description, "caf\xc3\xa9");
    assert_string_equal(one->units, "events");
    assert_string_equal(one->semantic, "event");
    assert_string_equal(one->group, "EU Array/Vertex");
    assert_string_equal(one->equation, "A 1 READ");
    assert_string_equal(one->max_equation, "100");
    assert_string_equal(one->availability, "$SliceMask");
    assert_int_equal(one->type, TALLY_UINT64);
    assert_int_equal(one->line, 4);
    /* Absent texts are empty, never NULL. */
    assert_string_equal(two->equation, "1 2 <<");
    assert_string_equal(two->description, "");
    assert_string_equal(two->semantic, "");
    assert_string_equal(two->group, "");
    assert_string_equal(two->max_equation, "");
    assert_string_equal(two->availability, "");
    assert_int_equal(two->type, TALLY_UINT64);
    assert_int_equal(two->line, 8);
    assert_int_equal(tally_metric_set_counter(set, "One"), 0);
    assert_int_equal(tally_metric_set_counter(set, "Two"), 1);
    assert_int_equal(tally_metric_set_counter(set, "one"), -ENOENT);
    assert_int_equal(tally_metric_set_counter(set, ""), -ENOENT);
    tally_metric_file_free(file);
}

static void test_data_types(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *attribute;
        int type; /* -1: refused */
    } rows[] = {
        {__LINE__, "", TALLY_UINT64},
        {__LINE__, "data_type=\"uint64\"", TALLY_UINT64},
        {__LINE__, "data_type=\"uint32\"", TALLY_UINT64},
        {__LINE__, "data_type=\"bool32\"", TALLY_UINT64},
        {__LINE__, "data_type=\"float\"", TALLY_DOUBLE},
        {__LINE__, "data_type=\"double\"", TALLY_DOUBLE},
        {__LINE__, "data_type=\"int64\"", -1},
        {__LINE__, "data_type=\"Float\"", -1},
        {__LINE__, "data_type=\"\"", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        struct tally_metric_file *file = NULL;
        struct tally_error error = {0};
        const struct tally_metric_set *sets;
        snprintf(text, sizeof text,
                 "%s<counter name=\"\" symbol_name=\"\" units=\"\" "
                 "equation=\"\" %s/>%s",
                 SET_OPEN("SKL"), rows[i].attribute, SET_CLOSE);
        int result = tally_metric_file_load_memory(text, strlen(text), "t", &file, &error);
        if (rows[i].type < 0) {
            ROW(rows[i].line, result == -EBADMSG && mentions(error.message, "expected uint64"),
                "gives %d: %s", result, error.message);
        } else if (ROW(rows[i].line, !result, "%s", error.message)) {
            tally_metric_file_sets(file, &sets);
            ROW(rows[i].line, (int)sets->counters[0].type == rows[i].type, "type %d",
                sets->counters[0].type);
        }
        if (!result)
            tally_metric_file_free(file);
    }
    ROWS_DONE();
}

static void test_register_configs(void **state)
{
    (void)state;
    static const char text[] =
        SET_OPEN("HSW") "<register_config type=\"NOA\" availability=\"$SliceMask\" priority=\"2\">"
                        "<register type=\"NOA\" address=\"0x00009888\" value=\"0x12345678\"/>"
                        "<register address=\"39048\" value=\"4294967295\"/>"
                        "</register_config>\n"
                        "<register_config type=\"OA\"/>\n"
                        "<register_config><register address=\"0xFFFFFFFF\" value=\"0\"/>"
                        "</register_config>" SET_CLOSE;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(text, &set);
    assert_int_equal(set->config_count, 3);
    const struct tally_register_config *configs = set->configs;
    assert_string_equal(configs[0].type, "NOA");
    assert_string_equal(configs[0].availability, "$SliceMask");
    assert_int_equal(configs[0].priority, 2);
    assert_int_equal(configs[0].write_count, 2);
    assert_int_equal(configs[0].writes[0].address, 0x9888);
    assert_int_equal(configs[0].writes[0].value, 0x12345678);
    assert_int_equal(configs[0].writes[0].line, 1);
    assert_int_equal(configs[0].writes[1].address, 39048);
    assert_int_equal(configs[0].writes[1].value, UINT32_MAX);
    assert_string_equal(configs[1].type, "OA");
    assert_string_equal(configs[1].availability, "");
    assert_int_equal(configs[1].priority, 0);
    assert_int_equal(configs[1].write_count, 0);
    assert_string_equal(configs[2].type, "");
    assert_int_equal(configs[2].write_count, 1);
    assert_int_equal(configs[2].writes[0].address, UINT32_MAX);
    assert_int_equal(configs[2].writes[0].line, 3);
    tally_metric_file_free(file);
}

/* Sets do not mix; many of them, and of their counters, keep their order. */
static void test_many_sets(void **state)
{
    (void)state;
    enum { SETS = 60, COUNTERS = 50 };
    char *text = malloc(SETS * COUNTERS * 160), *to = text;
    assert_non_null(text);
    to += sprintf(to, "<metrics>");
    for (int s = 0; s < SETS; s++) {
        to += sprintf(to,
                      "<set name=\"S%d\" symbol_name=\"S%d\" chipset=\"C%d\" "
                      "hw_config_guid=\"G%d\">\n",
                      s, s, s, s);
        for (int c = 0; c < s % COUNTERS; c++)
            to += sprintf(to,
                          "<counter name=\"n%d\" symbol_name=\"s%d_%d\" units=\"u\" "
                          "equation=\"%d\"/>",
                          c, s, c, c);
        to += sprintf(to, "</set>");
    }
    to += sprintf(to, "</metrics>");
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    assert_int_equal(tally_metric_file_load_memory(text, (size_t)(to - text), "m", &file, NULL), 0);
    assert_int_equal(tally_metric_file_sets(file, &sets), SETS);
    for (int s = 0; s < SETS; s++) {
        char expected[32];
        snprintf(expected, sizeof expected, "S%d", s);
        assert_string_equal(sets[s].symbol, expected);
        assert_int_equal(sets[s].line, s + 1);
        assert_int_equal(sets[s].counter_count, s % COUNTERS);
        for (int c = 0; c < s % COUNTERS; c++) {
            snprintf(expected, sizeof expected, "s%d_%d", s, c);
            assert_string_equal(sets[s].counters[c].symbol, expected);
        }
    }
    tally_metric_file_free(file);
    tally_metric_file_free(NULL);
    free(text);
}

static void test_no_sets(void **state)
{
    (void)state;
    static const char text[] = "<metrics><counter/><register/></metrics>";
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    assert_int_equal(tally_metric_file_load_memory(text, strlen(text), "m", &file, NULL), 0);
    assert_int_equal(tally_metric_file_sets(file, &sets), 0);
    tally_metric_file_free(file);
}

/* ---- errors -------------------------------------------------------------------------------- */

#define SET_LINES "<metrics>\n<set name=\"\" symbol_name=\"\" chipset=\"\" hw_config_guid=\"\">\n"

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        const char *message;
    } rows[] = {
        {__LINE__, "", "t.xml:1: no element found"},
        {__LINE__, "\n\n \n", "t.xml:4: no element found"},
        {__LINE__, "hello", "t.xml:1: syntax error"},
        {__LINE__,
         "\x7f"
         "ELF\x02\x01\x01",
         "t.xml:1: "},
        {__LINE__, "{\"json\": 1}", "t.xml:1: "},
        {__LINE__, "<metrics>", "t.xml:1: no element found"},
        {__LINE__, "<metrics>\n<set", "t.xml:2: unclosed token"},
        {__LINE__, "<metrics>\n</set>\n</metrics>", "t.xml:2: mismatched tag"},
        {__LINE__, "<metrics></metrics><metrics></metrics>", "junk after document element"},
        {__LINE__, "<metrics a=\"1\" a=\"2\"/>", "duplicate attribute"},
        {__LINE__, "<metrics>\n\xff\xfe</metrics>", "t.xml:2: not well-formed"},
        {__LINE__, "<metrics>&undefined;</metrics>", "undefined entity"},
        {__LINE__, "<sets/>", "t.xml:1: root element <sets>, expected <metrics>"},
        {__LINE__, "\n<html>\n</html>", "t.xml:2: root element <html>, expected <metrics>"},
        {__LINE__, "<Metrics/>", "root element <Metrics>"},
        {__LINE__, "<set name=\"\"/>", "root element <set>"},
        {__LINE__,
         "<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/>",
         "root element <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>, expected <metrics>"},

        /* Attributes that must be there, each with the line of its element. */
        {__LINE__, "<metrics>\n\n<set/></metrics>",
         "t.xml:3: <set> without the attribute symbol_name"},
        {__LINE__, "<metrics><set symbol_name=\"\"/></metrics>",
         "<set> without the attribute name"},
        {__LINE__, "<metrics><set symbol_name=\"\" name=\"\"/></metrics>",
         "<set> without the attribute chipset"},
        {__LINE__, "<metrics><set symbol_name=\"\" name=\"\" chipset=\"\"/></metrics>",
         "<set> without the attribute hw_config_guid"},
        {__LINE__, SET_LINES "<counter name=\"\" units=\"\" equation=\"\"/></set></metrics>",
         "t.xml:3: <counter> without the attribute symbol_name"},
        {__LINE__,
         SET_LINES "\n<counter symbol_name=\"\" units=\"\" equation=\"\"/></set></metrics>",
         "t.xml:4: <counter> without the attribute name"},
        {__LINE__, SET_LINES "<counter symbol_name=\"\" name=\"\" equation=\"\"/></set></metrics>",
         "t.xml:3: <counter> without the attribute units"},
        {__LINE__, SET_LINES "<counter symbol_name=\"\" name=\"\" units=\"\"/></set></metrics>",
         "t.xml:3: <counter> without the attribute equation"},

        {__LINE__, SET_LINES "<set/></set></metrics>", "t.xml:3: <set> inside a <set>"},
        {__LINE__,
         SET_LINES "<counter symbol_name=\"\" name=\"\" units=\"\" equation=\"\" "
                   "data_type=\"text\"/></set></metrics>",
         "t.xml:3: data_type \"text\", expected uint64 or float"},

        /* Registers. */
        {__LINE__,
         SET_LINES "<register_config>\n<register value=\"1\"/></register_config></set></metrics>",
         "t.xml:4: <register>: expected an address and a value of 32 bits"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"1\"/></register_config></set></metrics>",
         "<register>: expected an address"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"\" value=\"1\"/></register_config></set>"
                   "</metrics>",
         "<register>: expected"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"0x1g\" value=\"1\"/></register_config>"
                   "</set></metrics>",
         "<register>: expected"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"0x100000000\" value=\"1\"/>"
                   "</register_config></set></metrics>",
         "<register>: expected"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"1\" value=\"99999999999999999999\"/>"
                   "</register_config></set></metrics>",
         "<register>: expected"},
        {__LINE__,
         SET_LINES "<register_config><register address=\"1\" value=\"-1\"/>"
                   "</register_config></set></metrics>",
         "<register>: expected"},

        /* Entities: none are needed, and they could be a bomb. */
        {__LINE__, "<!DOCTYPE metrics [\n<!ENTITY a \"aaaa\">\n]>\n<metrics/>",
         "t.xml:2: entity \"a\" declared, expected none"},
        {__LINE__,
         "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
         "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">]>"
         "<metrics>&d;</metrics>",
         "entity \"a\" declared, expected none"},
        {__LINE__, "<!DOCTYPE m [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><metrics>&f;</metrics>",
         "entity \"f\" declared"},
        {__LINE__, "<!DOCTYPE m [<!ENTITY % p \"x\">]><metrics/>", "entity \"p\" declared"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_metric_file *file = (struct tally_metric_file *)0x1;
        struct tally_error error = {0};
        size_t size = strlen(rows[i].text);
        char *exact = malloc(size ? size : 1); /* a sanitizer sees what lies behind */
        assert_non_null(exact);
        memcpy(exact, rows[i].text, size);
        int result = tally_metric_file_load_memory(exact, size, "t.xml", &file, &error);
        ROW(rows[i].line, result == -EBADMSG && error.code == -EBADMSG, "gives %d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "says \"%s\"", error.message);
        ROW(rows[i].line,
            tally_metric_file_load_memory(exact, size, "t.xml", &file, NULL) == -EBADMSG,
            "without an error");
        free(exact);
    }
    ROWS_DONE();
}

/* Cut at any byte: refused, and what was built is freed. */
static void test_truncation_at_every_byte(void **state)
{
    (void)state;
    struct tally_metric_file *file;
    size_t size = sizeof whole_file - 1;
    while (whole_file[size - 1] == '\n')
        size--;
    for (size_t cut = 0; cut < size; cut++) {
        struct tally_error error = {0};
        char *exact = malloc(cut ? cut : 1);
        assert_non_null(exact);
        memcpy(exact, whole_file, cut);
        int result = tally_metric_file_load_memory(exact, cut, "t", &file, &error);
        ROW(__LINE__, result == -EBADMSG && !strncmp(error.message, "t:", 2), "cut at %zu: %d, %s",
            cut, result, error.message);
        free(exact);
    }
    assert_int_equal(tally_metric_file_load_memory(whole_file, size, "t", &file, NULL), 0);
    tally_metric_file_free(file);
    ROWS_DONE();
}

/* Bytes changed at random: any answer, but no crash and no leak. */
static void test_damage_at_every_byte(void **state)
{
    (void)state;
    struct random rng = {15};
    unsigned loaded = 0;
    for (unsigned i = 0; i < random_cases(5000); i++) {
        char text[sizeof whole_file];
        struct tally_metric_file *file;
        memcpy(text, whole_file, sizeof text);
        for (uint64_t n = 1 + random_below(&rng, 3); n; n--)
            text[random_below(&rng, sizeof text - 1)] = random_below(&rng, 2)
                                                            ? "<>/\"&= a"[random_below(&rng, 8)]
                                                            : (char)random_next(&rng);
        if (!tally_metric_file_load_memory(text, sizeof text - 1, "t", &file, NULL)) {
            tally_metric_file_free(file);
            loaded++;
        }
    }
    assert_true(loaded > random_cases(100) && loaded < random_cases(4900));
}

/* ---- files --------------------------------------------------------------------------------- */

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    struct tally_metric_file *file;
    struct tally_error error = {0};
    assert_int_equal(tally_metric_file_load("/nonexistent/a.xml", &file, &error), -ENOENT);
    assert_non_null(strstr(error.message, "/nonexistent/a.xml"));
    assert_int_equal(error.code, -ENOENT);
    error = (struct tally_error){0};
    assert_int_equal(tally_metric_file_load("/tmp", &file, &error), -EISDIR);
    assert_non_null(strstr(error.message, "/tmp"));
    assert_int_equal(tally_metric_file_load("/tmp", &file, NULL), -EISDIR);
}

/* From a file and from memory the same; texts far longer than any buffer. */
static void test_large_file(void **state)
{
    (void)state;
    enum { LONG = 300 * 1024 };
    char path[] = "/tmp/tally-test-XXXXXX";
    int fd = mkstemp(path);
    char *text = malloc(3 * LONG), *name = malloc(LONG + 1), *to = text;
    assert_true(fd >= 0 && text && name);
    memset(name, 'n', LONG);
    name[LONG] = '\0';
    to += sprintf(to, "%s<counter symbol_name=\"X\" units=\"\" equation=\"1\" name=\"%s\"/>",
                  SET_OPEN("SKL"), name);
    to += sprintf(to, "<!-- %s -->%s", name, SET_CLOSE);
    assert_int_equal(write(fd, text, (size_t)(to - text)), to - text);
    close(fd);

    struct tally_metric_file *file, *memory;
    const struct tally_metric_set *from_file, *from_memory;
    assert_int_equal(tally_metric_file_load(path, &file, NULL), 0);
    assert_int_equal(tally_metric_file_load_memory(text, (size_t)(to - text), "m", &memory, NULL),
                     0);
    assert_int_equal(tally_metric_file_sets(file, &from_file), 1);
    assert_int_equal(tally_metric_file_sets(memory, &from_memory), 1);
    assert_string_equal(from_file->counters[0].name, name);
    assert_string_equal(from_memory->counters[0].name, name);
    assert_string_equal(from_file->file, path);
    assert_string_equal(from_memory->file, "m");
    tally_metric_file_free(file);
    tally_metric_file_free(memory);
    unlink(path);
    free(text);
    free(name);
}

int test_xml(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes_of_sets_and_counters),
        cmocka_unit_test(test_data_types),
        cmocka_unit_test(test_register_configs),
        cmocka_unit_test(test_many_sets),
        cmocka_unit_test(test_no_sets),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_truncation_at_every_byte),
        cmocka_unit_test(test_damage_at_every_byte),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_large_file),
    };
    return cmocka_run_group_tests_name("xml", tests, NULL, NULL);
}
