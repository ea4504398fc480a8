/* SPDX-License-Identifier: MIT */
/* Files of NVIDIA's metric sets: what is read, and every mistake with its line. */
#include "metrics/tests.h"

#include <tally/chipset.h>

static const char valid[] =
    "chipsets: g80 g92:g98\n" /* line 1 */
    "signals:\n"
    "  - {symbol: IDLE, expression: PGRAPH.IDLE}\n"
    "  - symbol: ROP\n"
    "    expression: PROP.MUX[2] & PROP.MUX[3]\n" /* line 5 */
    "    domain: 2\n"
    "    select: PROP=0x16 VFETCH=1\n"
    "    chipsets: g92:g200\n"
    "  - {symbol: ROP, expression: 'PROP.MUX[2]', select: PROP=off, chipsets: g80}\n"
    "  - {symbol: HIT, expression: pc02_tex_05, chipsets: g94}\n" /* line 10 */
    "  - {symbol: MISS, expression: pc02_tex_04}\n"
    "counters:\n"
    "  - {symbol: Busy, name: GPU busy, group: GPU, units: percent, semantic: duration,\n"
    "     description: not idle, equation: 100 * (1 - IDLE / clocks(IDLE))}\n"
    "  - {symbol: Rop, name: r, group: g, units: events, description: d, equation: ROP}\n"
    "  - {symbol: Rate, name: t, group: g, units: percent, description: d,\n"
    "     equation: 100 * HIT / (HIT + Misses)}\n"
    "  - {symbol: Misses, name: m, group: g, units: events, description: d, equation: MISS}\n"
    "sets:\n"
    "  - {symbol: All, name: Everything, counters: Busy Rop Rate Misses}\n" /* line 20 */
    "  - {symbol: Texture, name: Textures, counters: Misses Rate}\n";

static struct tally_metric_file *load(const char *text)
{
    struct tally_metric_file *file = NULL;
    struct tally_error error = {0};
    int result = tally_metric_file_load_memory(text, strlen(text), "test.yaml", &file, &error);
    if (result < 0)
        print_error("%s\n", error.message);
    assert_int_equal(result, 0);
    return file;
}

static const struct tally_metric_set *find_set(const struct tally_metric_set *sets, size_t count,
                                               const char *chipset, const char *symbol)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(sets[i].chipset, chipset) && !strcmp(sets[i].symbol, symbol))
            return &sets[i];
    return NULL;
}

static void test_sets(void **state)
{
    (void)state;
    const struct tally_metric_set *sets, *set;
    struct tally_metric_file *file = load(valid);
    size_t count = tally_metric_file_sets(file, &sets);
    assert_int_equal(count, 8); /* of g80, g92, g94 and g96 */
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(sets[i].uuid, "");
        assert_string_equal(sets[i].oa_format, "");
        assert_string_equal(sets[i].file, "test.yaml");
        assert_int_equal(sets[i].config_count, 0);
    }
    assert_null(find_set(sets, count, "g98", "All")); /* g92:g98 excludes its end */

    /* g80 lacks HIT, so it lacks the counter that uses it. */
    set = find_set(sets, count, "g80", "All");
    assert_non_null(set);
    assert_string_equal(set->name, "Everything");
    assert_int_equal(set->line, 20);
    assert_int_equal(set->counter_count, 3);
    assert_int_equal(set->signal_count, 3);
    assert_string_equal(set->signals[1].expression, "PROP.MUX[2]");
    assert_int_equal(set->signals[1].domain, -1);
    assert_int_equal(set->signals[1].selector_count, 1);
    assert_int_equal(set->signals[1].selectors[0].address, 0x40be50);
    assert_int_equal(set->signals[1].selectors[0].mask, 0x8000001f);
    assert_int_equal(set->signals[1].selectors[0].value, 0); /* off: not enabled */

    set = find_set(sets, count, "g94", "All");
    assert_non_null(set);
    assert_int_equal(set->counter_count, 4);
    assert_int_equal(set->signal_count, 4);
    const struct tally_counter *busy = &set->counters[0];
    assert_string_equal(busy->symbol, "Busy");
    assert_string_equal(busy->name, "GPU busy");
    assert_string_equal(busy->group, "GPU");
    assert_string_equal(busy->units, "percent");
    assert_string_equal(busy->semantic, "duration");
    assert_string_equal(busy->description, "not idle");
    assert_string_equal(busy->formula, "100 * (1 - IDLE / clocks(IDLE))");
    assert_string_equal(busy->equation, "100 1 A 0 READ CLOCKS 0 READ FRATIO FSUB FMUL");
    assert_string_equal(busy->max_equation, "");
    assert_string_equal(busy->availability, "");
    assert_int_equal(busy->type, TALLY_DOUBLE);
    assert_int_equal(busy->line, 13);
    assert_int_equal(set->counters[1].type, TALLY_UINT64);
    assert_string_equal(set->counters[1].equation, "A 1 READ");
    assert_string_equal(set->counters[2].equation,
                        "100 A 2 READ UMUL A 2 READ $Misses UADD FRATIO");
    const struct tally_metric_signal *rop = &set->signals[1];
    assert_string_equal(rop->symbol, "ROP");
    assert_string_equal(rop->expression, "PROP.MUX[2] & PROP.MUX[3]");
    assert_int_equal(rop->domain, 2);
    assert_int_equal(rop->line, 4);
    assert_int_equal(rop->selector_count, 2);
    assert_int_equal(rop->selectors[0].address, 0x408e50);
    assert_int_equal(rop->selectors[0].mask, 0x8000001f);
    assert_int_equal(rop->selectors[0].value, 0x80000016);
    assert_int_equal(rop->selectors[1].address, 0x400c0c);
    assert_int_equal(rop->selectors[1].value, 1);

    /* A signal's number is its place among those that the set uses. */
    set = find_set(sets, count, "g94", "Texture");
    assert_non_null(set);
    assert_int_equal(set->signal_count, 2);
    assert_string_equal(set->counters[0].equation, "A 0 READ");
    assert_string_equal(set->counters[1].equation,
                        "100 A 1 READ UMUL A 1 READ $Misses UADD FRATIO");
    tally_metric_file_free(file);
}

/* Terms of a ratio, directly or through a counter, are one group; a signal and its clocks are not.
 */
static void test_groups_of_ratios(void **state)
{
    (void)state;
    static const char text[] =
        "chipsets: g92\n"
        "signals:\n"
        "  - {symbol: A, expression: a}\n"
        "  - {symbol: B, expression: b}\n"
        "  - {symbol: C, expression: c}\n"
        "  - {symbol: D, expression: d}\n"
        "  - {symbol: E, expression: e}\n"
        "  - {symbol: F, expression: f}\n"
        "  - {symbol: G, expression: g}\n"
        "counters:\n"
        "  - {symbol: a, name: n, group: g, units: u, description: d, equation: A / clocks(A)}\n"
        "  - {symbol: b, name: n, group: g, units: u, description: d, equation: B / (B + late)}\n"
        "  - {symbol: late, name: n, group: g, units: u, description: d, equation: C + 1}\n"
        "  - {symbol: d, name: n, group: g, units: u, description: d, equation: D / clocks(E)}\n"
        "  - {symbol: e, name: n, group: g, units: u, description: d, equation: E / C}\n"
        "  - {symbol: f, name: n, group: g, units: u, description: d,\n"
        "     equation: (F / clocks(F)) / a + G - B}\n"
        "sets:\n"
        "  - {symbol: All, name: n, counters: a b late d e f}\n";
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load(text);
    assert_int_equal(tally_metric_file_sets(file, &set), 1);
    assert_int_equal(set->signal_count, 7);
    const unsigned *group[7] = {0};
    for (size_t i = 0; i < 7; i++) {
        assert_true(set->signals[i].symbol[0] >= 'A' && set->signals[i].symbol[0] <= 'G');
        group[set->signals[i].symbol[0] - 'A'] = &set->signals[i].group;
    }
    assert_int_equal(*group[0], 0);
    assert_int_not_equal(*group[1], 0);
    assert_int_equal(*group[2], *group[1]); /* C with B */
    assert_int_equal(*group[4], *group[1]); /* E with C */
    assert_int_equal(*group[3], *group[1]); /* D with E */
    assert_int_equal(*group[5], 0);         /* a ratio of ratios, and a difference */
    assert_int_equal(*group[6], 0);
    tally_metric_file_free(file);
}

/* ---- mistakes ------------------------------------------------------------------------------ */

#define SIGNAL(more) "chipsets: g92\nsignals:\n  - {symbol: S, expression: a" more "}\n"
#define COUNTERS(more)                                                                             \
    "counters:\n  - {symbol: c, name: n, group: g, units: u, description: d, equation: " more "}"  \
    "\n"
#define SET(more) "sets:\n  - {symbol: t, name: n, counters: " more "}\n"
#define OTHER     "  - {symbol: o, name: n, group: g, units: u, description: d, equation: S}\n"

static const struct {
    unsigned line;
    const char *text;
    unsigned at; /* line of the mistake */
    const char *message;
} mistakes[] = {
    {__LINE__, "", 1, "empty, expected metric sets"},
    {__LINE__, "chipsets: [", 2, "while parsing"},
    {__LINE__, "a: b\n", 1, "unknown key \"a\", expected chipsets, gpus, signals, counters, sets"},
    {__LINE__, "chipsets: g92\n", 1, "no sets, expected at least one"},
    {__LINE__, "sets: []\n", 1, "no chipsets, expected names such as g92"},
    {__LINE__, "chipsets: g92\ngpus: real\n", 2,
     "gpus: \"real\", expected modelled or no such key"},
    {__LINE__, "chipsets: g29\n", 1, "unknown chipset \"g29\", expected g"},
    {__LINE__, "chipsets: g92 nv11\n", 1, "NV11 has no PCOUNTER"},
    {__LINE__, "chipsets: g92:g80\n", 1, "chipsets g92:g80: expected an earlier and a later one"},
    {__LINE__, "chipsets: 'g92:'\n", 1, "unknown chipset \"\""},
    {__LINE__, SIGNAL(", domain: 9"), 3, "domain \"9\": expected 0 to 7, or GPC, PART or HUB"},
    {__LINE__, SIGNAL(", chipsets: g93"), 3, "unknown chipset \"g93\""},
    {__LINE__, SIGNAL(", mode: b4"), 3,
     "unknown key \"mode\", expected symbol, expression, domain"},
    {__LINE__, "chipsets: g92\nsignals:\n  - {symbol: 1S, expression: a}\n", 3,
     "symbol \"1S\": expected letters, digits and _"},
    {__LINE__, "chipsets: g92\nsignals:\n  - {symbol: S}\n", 3,
     "no expression, expected one in each of the signals"},
    {__LINE__, SIGNAL("") "  - {symbol: S, expression: b}\n", 4,
     "signal S is also in line 3, expected different chipsets"},
    {__LINE__,
     SIGNAL("") COUNTERS(
         "S") "  - {symbol: S, name: n, group: g, units: u, description: d, equation: S}\n",
     6, "symbol S is also a signal's (line 3), expected another"},
    {__LINE__, SIGNAL("") COUNTERS("S") OTHER OTHER, 7, "counter o is also in line 6"},
    {__LINE__,
     SIGNAL("") "counters:\n  - {symbol: c, name: n, units: u, description: d, equation: S}\n", 5,
     "no group, expected one in each of the counters"},
    {__LINE__, SIGNAL("") COUNTERS("S +") SET("c"), 5, "c: equation: column 4: the end"},
    {__LINE__, SIGNAL("") COUNTERS("R") SET("c"), 5,
     "c: equation: column 1: unknown signal or counter \"R\""},
    {__LINE__, SIGNAL("") COUNTERS("S") SET("d"), 7, "unknown counter \"d\""},
    {__LINE__, SIGNAL("") COUNTERS("S") SET("c c"), 7, "counter c is listed twice"},
    {__LINE__, SIGNAL("") COUNTERS("S") SET("c") "  - {symbol: t, name: n, counters: c}\n", 8,
     "set t is also in line 7"},
    {__LINE__, SIGNAL("") COUNTERS("o + S") OTHER SET("c"), 5,
     "c: equation in the set t: column 1: unknown signal or counter \"o\""},
    {__LINE__, SIGNAL(", select: PRPO=1") COUNTERS("S") SET("c"), 3,
     "G92 has no selector \"PRPO\", expected PROP"},
    {__LINE__, SIGNAL(", select: PROP") COUNTERS("S") SET("c"), 3,
     "select \"PROP\": expected NAME=VALUE"},
    {__LINE__, SIGNAL(", select: PROP=") COUNTERS("S") SET("c"), 3,
     "select \"PROP=\": expected NAME=VALUE"},
    {__LINE__, SIGNAL(", select: PROP=0x20") COUNTERS("S") SET("c"), 3,
     "select PROP=0x20: expected a value of the mask 0x0000001f, or off"},
    {__LINE__, SIGNAL(", select: PROP=x") COUNTERS("S") SET("c"), 3,
     "select PROP=x: expected a value"},
    {__LINE__, SIGNAL(", select: L1=1") COUNTERS("S") SET("c"), 3, "G92 has no selector \"L1\""},
    {__LINE__,
     SIGNAL(", select: PROP=1 PROP=1 PROP=1 PROP=1 PROP=1 PROP=1 PROP=1 PROP=1 PROP=1")
         COUNTERS("S") SET("c"),
     3, "more than 8 selectors"},
    {__LINE__, SIGNAL("") COUNTERS("1 + 1") SET("c"), 7, "set t uses no signals on G92"},
    {__LINE__, "chipsets: &a g92\nsignals: *a\n", 2, "an alias, expected none"},
    {__LINE__, "chipsets: g92\nsignals: &a []\nsets: *a\n", 3, "an alias, expected none"},
    {__LINE__, "chipsets: g92\nsets: x\n", 2, "sets: expected a list"},
    {__LINE__, "chipsets: g92\nchipsets: g80\n", 2, "\"chipsets\" is given twice"},
    {__LINE__, "[]\n", 1, "expected a mapping"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        struct tally_metric_file *file = NULL;
        struct tally_error error = {0};
        const char *text = mistakes[i].text;
        char start[32];
        int result = tally_metric_file_load_memory(text, strlen(text), "a.yml", &file, &error);
        int size = snprintf(start, sizeof start, "a.yml:%u: ", mistakes[i].at);
        ROW(mistakes[i].line,
            result == -EBADMSG && !strncmp(error.message, start, (size_t)size) &&
                strstr(error.message, mistakes[i].message),
            "%d, \"%s\", expected \"%s%s\"", result, error.message, start, mistakes[i].message);
        tally_metric_file_free(result ? NULL : file);
    }
    ROWS_DONE();
}

/* A cycle is found when the set is compiled. */
static void test_cycle(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_environment environment = {.timestamp_hz = 1};
    struct tally_program *program = NULL;
    struct tally_error error = {0};
    struct tally_metric_file *file =
        load(SIGNAL("") COUNTERS("o / 2") "  - {symbol: o, name: m, group: g, units: u, "
                                          "description: d, equation: c + S}\n" SET("c o"));
    assert_int_equal(tally_metric_file_sets(file, &set), 1);
    assert_int_equal(set->counters[0].type, TALLY_DOUBLE);
    assert_int_equal(set->counters[1].type, TALLY_DOUBLE);
    assert_int_equal(tally_program_new(set, &environment, &signal_layout, &program, &error),
                     -EBADMSG);
    assert_non_null(strstr(error.message, "refers to itself"));
    tally_metric_file_free(file);
}

/* A set with 64 signals loads, one with 65 does not. */
static void test_limits(void **state)
{
    (void)state;
    for (unsigned signals = 64; signals <= 65; signals++) {
        char text[16384];
        size_t used = (size_t)snprintf(text, sizeof text, "chipsets: g92\nsignals:\n");
        for (unsigned i = 0; i < signals; i++)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  - {symbol: S%u, expression: a}\n", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "counters:\n");
        for (unsigned c = 0; c < 2; c++) {
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  - {symbol: c%u, name: n, group: g, units: u, "
                                     "description: d, equation: S0",
                                     c);
            for (unsigned i = 1 + 33 * c; i < (c ? signals : 34); i++)
                used += (size_t)snprintf(text + used, sizeof text - used, " + S%u", i);
            used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
        }
        snprintf(text + used, sizeof text - used, SET("c0 c1"));
        struct tally_metric_file *file = NULL;
        struct tally_error error = {0};
        int result = tally_metric_file_load_memory(text, strlen(text), "a.yaml", &file, &error);
        if (signals == 64) {
            assert_int_equal(result, 0);
            tally_metric_file_free(file);
        } else {
            assert_int_equal(result, -EBADMSG);
            assert_non_null(strstr(error.message, "set t uses more than 64 signals"));
        }
    }
}

/* XML files have no formulas and no signals. */
static void test_xml_sets(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file =
        load_text(SET_OPEN("SKL") U64_COUNTER("A", "A 0 READ", "") SET_CLOSE, &set);
    assert_string_equal(set->counters[0].formula, "");
    assert_int_equal(set->signal_count, 0);
    tally_metric_file_free(file);
}

int test_signal_sets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),     cmocka_unit_test(test_groups_of_ratios),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_xml_sets),
    };
    return cmocka_run_group_tests_name("signal sets", tests, NULL, NULL);
}
