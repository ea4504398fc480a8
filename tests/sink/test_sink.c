/* SPDX-License-Identifier: MIT */
/* Results written as CSV (RFC 4180), JSON Lines and tables. */
#include "sink/tests.h"

#include "sink/csv.h"

#define COUNTER(type, symbol, units, equation)                                                     \
    "<counter name=\"\" symbol_name=\"" symbol "\" data_type=\"" type "\" units=\"" units          \
    "\" equation=\"" equation "\"/>"
#define COUNT_AND_HALF                                                                             \
    COUNTER("uint64", "Count", "events", "A 1 READ")                                               \
    COUNTER("float", "Half", "percent", "A 1 READ 2 FDIV")

static void check(unsigned line, char *text, const char *expected)
{
    ROW(line, !strcmp(text, expected), "is\n%s\nexpected\n%s", text, expected);
    free(text);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static void test_csv_of_deltas(void **state)
{
    (void)state;
    struct results *results =
        results_new(COUNT_AND_HALF COUNTER("uint64", "Missing", "events", "A 36 READ"));
    check(__LINE__, written_deltas(results, &sink_csv),
          "index,start_ns,end_ns,gpu_start,gpu_end,context,reason,state,modelled,Count,Half,"
          "Missing\r\n"
          "0,,,1000,2000,0x1000,timer,ok,false,10,5,\r\n"
          "1,,,2000,3500,0xbeef000,context-switch,ok,false,15,7.5,\r\n"
          "2,,,3500,9000,idle,timer,lost,false,,,\r\n" /* no value, and never 0 */
          "3,,,9000,10000,0x1000,timer,ok,false,3,1.5,\r\n");
    results_free(results);
    ROWS_DONE();
}

static void test_csv_of_groups(void **state)
{
    (void)state;
    struct results *results = results_new(COUNT_AND_HALF);
    check(
        __LINE__, written_groups(results, &sink_csv, TALLY_BY_CONTEXT),
        "by,group,deltas,lost,gpu_start,gpu_end,duration_ns,modelled,counter,units,overall,"
        "minimum,mean,maximum,p50,p95,p99\r\n"
        "context,0x1000,2,0,1000,10000,2000,false,Count,events,13,3,6.5,10,3,10,10\r\n"
        "context,0x1000,2,0,1000,10000,2000,false,Half,percent,6.5,1.5,3.25,5,1.5,5,5\r\n"
        "context,0xbeef000,1,0,2000,3500,1500,false,Count,events,15,15,15,15,15,15,15\r\n"
        "context,0xbeef000,1,0,2000,3500,1500,false,Half,percent,7.5,7.5,7.5,"
        "7.5,7.5,7.5,7.5\r\n"
        "context,idle,0,1,3500,9000,0,false,Count,events,,,,,,,\r\n"
        "context,idle,0,1,3500,9000,0,false,Half,percent,,,,,,,\r\n"
        "total,total,3,1,1000,10000,3500,false,Count,events,28,3,10.142857142857142,15,10,15,15\r\n"
        "total,total,3,1,1000,10000,3500,false,Half,percent,14,1.5,5.071428571428571,7.5,5,7.5,7."
        "5\r\n");
    results_free(results);
    ROWS_DONE();
}

/* Splits one record by RFC 4180. Returns the number of fields, or 0 if it is malformed. */
static size_t read_record(const char **at, char fields[][64], size_t most)
{
    size_t count = 0;
    for (;;) {
        size_t size = 0;
        bool quoted = **at == '"';
        if (count == most)
            return 0;
        *at += quoted;
        for (; **at && size < 63; (*at)++) {
            if (quoted && (*at)[0] == '"' && (*at)[1] == '"')
                (*at)++;
            else if (quoted ? **at == '"' : **at == ',' || **at == '\r')
                break;
            else if (!quoted && (**at == '"' || **at == '\n'))
                return 0;
            fields[count][size++] = **at;
        }
        fields[count++][size] = '\0';
        if (quoted && *(*at)++ != '"')
            return 0;
        if (**at == ',') {
            (*at)++;
            continue;
        }
        if ((*at)[0] != '\r' || (*at)[1] != '\n')
            return 0;
        *at += 2;
        return count;
    }
}

/* With csv_safe, no text starts a formula. */
static void test_csv_without_formulas(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text, *written;
    } rows[] = {
        {__LINE__, "", ""},
        {__LINE__, "a=1", "a=1"},
        {__LINE__, "=1", "'=1"},
        {__LINE__, "+1", "'+1"},
        {__LINE__, "-1", "'-1"},
        {__LINE__, "@SUM(A1)", "'@SUM(A1)"},
        {__LINE__, "=A,\"b\"", "\"'=A,\"\"b\"\"\""},
        {__LINE__, "\t=1", "\\x09=1"},
        {__LINE__, "'=1", "'=1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer memory = {0};
        struct output *output = output_to_memory(&memory);
        assert_non_null(output);
        output->csv_safe = true;
        csv_text(output, rows[i].text);
        assert_int_equal(output_close(output, NULL), 0);
        buffer_append(&memory, "", 1);
        ROW(rows[i].line, !strcmp(memory.bytes, rows[i].written), "%s", memory.bytes);
        buffer_fini(&memory);
    }
    ROWS_DONE();
}

/* RFC 4180 section 2: fields with commas and quotes are quoted, quotes doubled. Line breaks are
 * escaped. */
static void test_csv_quoting(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *xml, *text, *written;
    } rows[] = {
        {__LINE__, "Plain", "Plain", "Plain"},
        {__LINE__, "", "", ""},
        {__LINE__, "with space", "with space", "with space"},
        {__LINE__, " around ", " around ", " around "},
        {__LINE__, "semi;colon", "semi;colon", "semi;colon"},
        {__LINE__, "a,b", "a,b", "\"a,b\""},
        {__LINE__, ",", ",", "\",\""},
        {__LINE__, "&quot;", "\"", "\"\"\"\""},
        {__LINE__, "say &quot;hi&quot;", "say \"hi\"", "\"say \"\"hi\"\"\""},
        {__LINE__, "&quot;&quot;", "\"\"", "\"\"\"\"\"\""},
        {__LINE__, "two&#10;lines", "two\\x0alines", "two\\x0alines"},
        {__LINE__, "&#13;,&#10;", "\\x0d,\\x0a", "\"\\x0d,\\x0a\""},
        {__LINE__, "=1+1", "=1+1", "=1+1"},
        {__LINE__, "caf\xc3\xa9", "caf\xc3\xa9", "caf\xc3\xa9"},
        {__LINE__, "'single'", "'single'", "'single'"},
    };
    char xml[COUNT(rows) * 200] = "";
    for (size_t i = 0; i < COUNT(rows); i++)
        sprintf(xml + strlen(xml),
                "<counter name=\"\" symbol_name=\"%s\" units=\"%s\" equation=\"A 1 READ\"/>",
                rows[i].xml, rows[i].xml);
    struct results *results = results_new(xml);

    /* The header of deltas. */
    char *text = written_deltas(results, &sink_csv);
    char fields[32][64];
    const char *at = text;
    size_t count = read_record(&at, fields, COUNT(fields));
    assert_int_equal(count, 9 + COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        char field[80];
        ROW(rows[i].line, !strcmp(fields[9 + i], rows[i].text), "reads back as \"%s\"",
            fields[9 + i]);
        snprintf(field, sizeof field, ",%s%s", rows[i].written, i + 1 < COUNT(rows) ? "," : "\r\n");
        ROW(rows[i].line, strstr(text, field) != NULL, "is not written as %s", rows[i].written);
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(read_record(&at, fields, COUNT(fields)), 9 + COUNT(rows));
    assert_int_equal(*at, '\0');
    free(text);

    /* Symbols and units in groups. */
    at = text = written_groups(results, &sink_csv, TALLY_BY_NOTHING);
    assert_int_equal(read_record(&at, fields, COUNT(fields)), 17);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(read_record(&at, fields, COUNT(fields)), 17);
        ROW(rows[i].line, !strcmp(fields[8], rows[i].text) && !strcmp(fields[9], rows[i].text),
            "reads back as \"%s\" and \"%s\"", fields[8], fields[9]);
    }
    assert_int_equal(*at, '\0');
    free(text);
    results_free(results);
    ROWS_DONE();
}

/* More counters than a sink looks up in one call. */
static void test_many_columns(void **state)
{
    (void)state;
    enum { COUNTERS = 200 };
    char *xml = calloc(COUNTERS, 200), *to = xml;
    assert_non_null(xml);
    for (int i = 0; i < COUNTERS; i++)
        to += sprintf(to,
                      "<counter name=\"\" symbol_name=\"C%d\" units=\"\" "
                      "equation=\"A 1 READ %d UADD\"/>",
                      i, i);
    struct results *results = results_new(xml);
    char *csv = written_deltas(results, &sink_csv), *json = written_deltas(results, &sink_jsonl);
    char *line = strstr(csv, "\r\n0,"), *object = strstr(json, "{\"type\":\"delta\",\"index\":0,");
    assert_true(line && object);
    for (int i = 0; i < COUNTERS; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, ",%d%s", 10 + i, i + 1 < COUNTERS ? "," : "\r\n");
        char *column = strstr(line, expected);
        ROW(__LINE__, column && column < strstr(line, "\r\n1,"), "CSV lacks %d", 10 + i);
        snprintf(expected, sizeof expected, "\"C%d\":%d%s", i, 10 + i,
                 i + 1 < COUNTERS ? "," : "}}\n");
        char *member = strstr(object, expected);
        ROW(__LINE__, member && member < strstr(object, "\"index\":1,"), "JSON lacks %s", expected);
    }
    free(csv);
    free(json);
    free(xml);
    results_free(results);
    ROWS_DONE();
}

/* ---- JSON Lines ---------------------------------------------------------------------------- */

/* Returns the end of a JSON value (RFC 8259); NULL if it is malformed. */
static const char *json_end(const char *at)
{
    if (*at == '"') {
        for (at++; *at != '"'; at++) {
            if ((unsigned char)*at < 0x20)
                return NULL;
            at += *at == '\\' && at[1];
        }
        return at + 1;
    }
    if (*at == '{' || *at == '[') {
        char close = *at == '{' ? '}' : ']';
        if (*++at == close)
            return at + 1;
        for (;; at++) {
            if (close == '}') {
                if (*at != '"' || !(at = json_end(at)) || *at++ != ':')
                    return NULL;
            }
            if (!(at = json_end(at)))
                return NULL;
            if (*at == close)
                return at + 1;
            if (*at != ',')
                return NULL;
        }
    }
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    const char *start = at;
    at += *at == '-';
    at += strspn(at, "0123456789");
    if (*at == '.')
        at += 1 + strspn(at + 1, "0123456789");
    if (*at == 'e' && at > start && (at[1] == '-' || at[1] == '+'))
        at += 2 + strspn(at + 2, "0123456789");
    return at > start && at[-1] >= '0' && at[-1] <= '9' ? at : NULL;
}

/* Checks that each line is exactly one JSON object. Returns their number. */
static size_t json_lines(unsigned line, const char *text)
{
    size_t count = 0;
    for (; *text; count++) {
        const char *end = *text == '{' ? json_end(text) : NULL;
        if (!ROW(line, end && *end == '\n', "line %zu is no JSON object: %.300s", count + 1, text))
            break;
        text = end + 1;
    }
    return count;
}

static void test_jsonl_of_deltas(void **state)
{
    (void)state;
    struct results *results =
        results_new(COUNT_AND_HALF COUNTER("uint64", "Missing", "events", "A 36 READ"));
    char *text = written_deltas(results, &sink_jsonl);
    assert_int_equal(json_lines(__LINE__, text), 1 + 4 + 1 + 1);
    /* The header describes the numbers. */
    static const char *const header[] = {
        "{\"type\":\"header\",\"tally\":\"",
        ",\"file\":\"raw \\\"file\\\"\"",
        ",\"platform\":\"skl\"",
        ",\"layout\":\"gen8/a32u40_a4u32_b8_c8\"",
        ",\"timestamp_hz\":1000000000",
        ",\"eus\":24",
        ",\"set\":\"Set\"",
        ",\"uuid\":\"G\"",
        "\"Count\":{\"name\":\"\",\"units\":\"events\",\"data_type\":\"uint64\",\"state\":\"ok\"}",
        "\"Half\":{\"name\":\"\",\"units\":\"percent\",\"data_type\":\"float\",\"state\":\"ok\"}",
        ("\"Missing\":{\"name\":\"\",\"units\":\"events\",\"data_type\":\"uint64\","
         "\"state\":\"unsupported\"}")};
    char *deltas = strchr(text, '\n') + 1;
    for (size_t i = 0; i < COUNT(header); i++) {
        const char *at = strstr(text, header[i]);
        ROW(__LINE__, at && at < deltas, "no %s in %.*s", header[i], (int)(deltas - text), text);
    }
    static const char expected[] =
        "{\"type\":\"delta\",\"index\":0,\"start_ns\":null,\"end_ns\":null,\"gpu_start\":1000,"
        "\"gpu_end\":2000,\"context\":\"0x1000\",\"reason\":\"timer\","
        "\"end_reason\":\"context-switch\",\"state\":\"ok\",\"counters\":{\"Count\":10,"
        "\"Half\":5,\"Missing\":null}}\n"
        "{\"type\":\"delta\",\"index\":1,\"start_ns\":null,\"end_ns\":null,\"gpu_start\":2000,"
        "\"gpu_end\":3500,\"context\":\"0xbeef000\",\"reason\":\"context-switch\","
        "\"end_reason\":\"timer\",\"state\":\"ok\",\"counters\":{\"Count\":15,\"Half\":7.5,"
        "\"Missing\":null}}\n"
        "{\"type\":\"delta\",\"index\":2,\"start_ns\":null,\"end_ns\":null,\"gpu_start\":3500,"
        "\"gpu_end\":9000,\"context\":\"idle\",\"reason\":\"timer\",\"end_reason\":\"timer\","
        "\"state\":\"lost\",\"counters\":{\"Count\":null,\"Half\":null,\"Missing\":null}}\n";
    ROW(__LINE__, !strncmp(deltas, expected, strlen(expected)), "is\n%s\nexpected\n%s", deltas,
        expected);
    /* Then the ledger, and the sums. */
    ROW(__LINE__,
        strstr(deltas, "{\"type\":\"loss\",\"reason\":\"not-landed\",\"records\":1,"
                       "\"after_report\":2,\"offset\":768,\"gpu_start\":3500,"
                       "\"gpu_end\":9000,") != NULL,
        "no loss in %s", deltas);
    ROW(__LINE__,
        strstr(deltas, "{\"type\":\"end\",\"reports\":5,\"lost\":1,\"missing_reports\":0,"
                       "\"lost_deltas\":1,\"pauses\":0,\"paused_ns\":0,"
                       "\"error\":null}\n") != NULL,
        "no end in %s", deltas);
    free(text);
    results_free(results);
    ROWS_DONE();
}

static void test_jsonl_of_groups(void **state)
{
    (void)state;
    struct results *results = results_new(COUNT_AND_HALF);
    results->context.fault = "cut \"here\"";
    char *text = written_groups(results, &sink_jsonl, TALLY_BY_REASON);
    assert_int_equal(json_lines(__LINE__, text), 1 + 2 + 1 + 1 + 1);
    static const char *const lines[] = {
        "\n{\"type\":\"group\",\"by\":\"reason\",\"group\":\"timer\",\"deltas\":2,\"lost\":1,"
        "\"gpu_start\":1000,\"gpu_end\":10000,\"duration_ns\":2000,\"state\":\"ok\","
        "\"counters\":{\"Count\":{\"overall\":13,\"minimum\":3,\"mean\":6.5,\"maximum\":10,"
        "\"p50\":3,\"p95\":10,\"p99\":10},"
        "\"Half\":{\"overall\":6.5,\"minimum\":1.5,\"mean\":3.25,"
        "\"maximum\":5,\"p50\":1.5,\"p95\":5,\"p99\":5}}}\n",
        "\n{\"type\":\"group\",\"by\":\"reason\",\"group\":\"context-switch\",\"deltas\":1,",
        "\n{\"type\":\"group\",\"by\":\"total\",\"group\":\"total\",\"deltas\":3,\"lost\":1,",
        ",\"error\":\"cut \\\"here\\\"\"}\n"};
    for (size_t i = 0; i < COUNT(lines); i++)
        ROW(__LINE__, strstr(text, lines[i]) != NULL, "no %s in %s", lines[i], text);
    free(text);
    text = written_groups(results, &sink_jsonl, TALLY_BY_CONTEXT);
    json_lines(__LINE__, text);
    /* A group without valid deltas has no numbers, and states why. */
    ROW(__LINE__,
        strstr(text, "\"group\":\"idle\",\"deltas\":0,\"lost\":1,\"gpu_start\":3500,"
                     "\"gpu_end\":9000,\"duration_ns\":0,\"state\":\"not counted\","
                     "\"counters\":{\"Count\":null,\"Half\":null}}\n") != NULL,
        "%s", text);
    free(text);
    results_free(results);
    ROWS_DONE();
}

/* Numbers that JSON lacks become null. */
static void test_jsonl_of_numbers_that_are_none(void **state)
{
    (void)state;
    struct results *results = results_new(
        COUNTER("float", "Infinite", "", "1e300 1e300 FMUL")
            COUNTER("float", "Nothing", "", "1e300 1e300 FMUL 1e300 1e300 FMUL FSUB")
                COUNTER("float", "Largest", "", "1e308") COUNTER("float", "Wrapped", "", "1 2 USUB")
                    COUNTER("uint64", "Whole", "", "1 3 USUB"));
    char *text = written_deltas(results, &sink_jsonl);
    json_lines(__LINE__, text);
    ROW(__LINE__, strstr(text, "\"Infinite\":null,\"Nothing\":null,\"Largest\":1e+308,") != NULL,
        "%s", text);
    ROW(__LINE__,
        strstr(text, "\"Wrapped\":18446744073709552000,"
                     "\"Whole\":18446744073709551614}}\n") != NULL,
        "%s", text);
    free(text);
    json_lines(__LINE__, text = written_groups(results, &sink_jsonl, TALLY_BY_NOTHING));
    ROW(__LINE__, strstr(text, "\"mean\":18446744073709551614,\"maximum\":18446744073709551614,"),
        "%s", text); /* not 2^64, above the maximum */
    free(text);
    results_free(results);
    ROWS_DONE();
}

/* Symbols may be of any length. */
struct long_symbol {
    unsigned line;
    size_t size;
};

static void write_long_symbol(void *closure)
{
    const struct long_symbol *row = closure;
    char *xml = malloc(row->size + 200), *symbol = malloc(row->size + 1);
    memset(symbol, 's', row->size);
    symbol[row->size] = '\0';
    sprintf(xml,
            "<counter name=\"\" symbol_name=\"%s\" units=\"\" "
            "data_type=\"float\" equation=\"1e300\"/>",
            symbol);
    struct results *results = results_new(xml);
    char *text = written_deltas(results, &sink_jsonl);
    /* Occurs five times: in the header and in four deltas, with its value if known. */
    char *at = text, *key = malloc(row->size + 60);
    unsigned found = 0;
    sprintf(key, "\"%s\":", symbol);
    for (; (at = strstr(at, key)); at++)
        found++;
    sprintf(key, "\"counters\":{\"%s\":1e+300}", symbol);
    bool right = found == 5 && strstr(text, key) && json_lines(row->line, text) == 7;
    free(text);
    text = written_deltas(results, &sink_csv);
    right = right && strstr(text, symbol);
    free(text);
    results_free(results);
    free(key);
    free(symbol);
    free(xml);
    if (!right)
        abort();
}

/*
 * The value of a key that almost fills the output's buffer must not be written past its end, and a
 * longer key must not be split.
 */
static void test_long_symbols(void **state)
{
    (void)state;
    static struct long_symbol rows[] = {
        // clang-format off
        {__LINE__, 1000},
        {__LINE__, 100000},
        {__LINE__, 256 * 1024 - 30},
        {__LINE__, 256 * 1024},
        {__LINE__, 600 * 1024},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, survives(write_long_symbol, &rows[i]),
            "a symbol of %zu bytes: crashed, or wrong text", rows[i].size);
    ROWS_DONE();
}

/* ---- tables -------------------------------------------------------------------------------- */

static void test_table_of_groups(void **state)
{
    (void)state;
    struct results *results = results_new(COUNT_AND_HALF);
    char *text = written_groups(results, &sink_table, TALLY_BY_CONTEXT);
    static const char *const parts[] = {
        "The \"set\"  Skylake",
        "\ncontext 0x1000  2 deltas, 2.000 µs\n",
        "\ncontext idle  0 deltas, 0 ns, 1 lost\n  nothing was counted\n",
        "\ntotal  3 deltas, 3.500 µs, 1 lost\n",
        "                      overall    min   mean    p50    p95    p99    max\n",
        "  Count                    28      3   10.1     10     15     15     15 events\n",
        "  Half                     14   1.50   5.07      5   7.50   7.50   7.50 %\n",
        "\nLoss ledger\n",
        "not-landed      1 after report 2, at 2.500 µs for 5.500 µs",
        "5 reports read, 1 losses, 1 deltas without values\n",
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        ROW(__LINE__, strstr(text, parts[i]) != NULL, "no \"%s\" in\n%s", parts[i], text);
    ROW(__LINE__, !strchr(text, '\033'), "colours in memory");
    free(text);
    results_free(results);
    ROWS_DONE();
}

static void test_table_of_deltas(void **state)
{
    (void)state;
    struct results *results = results_new(COUNT_AND_HALF);
    char *text = written_deltas(results, &sink_table);
    static const char *const parts[] = {
        "       0           0 ns     1.000 µs     0x1000 timer                             10     "
        "          5.00 %\n",
        "       2       2.500 µs     5.500 µs       idle timer                           lost     "
        "            lost\n",
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        ROW(__LINE__, strstr(text, parts[i]) != NULL, "no \"%s\" in\n%s", parts[i], text);
    free(text);
    results_free(results);
    ROWS_DONE();
}

/* ---- undefined values ---------------------------------------------------------------------- */

/* A quotient by 0 is written as missing, not as 0 (PC-AMB-109): of the second delta, of its context
 * and of the sum of all. */
static void test_undefined_values(void **state)
{
    (void)state;
    struct results *results =
        results_new(COUNTER("float", "Ratio", "percent", "A 1 READ A 1 READ 15 ULT FRATIO"));
    check(__LINE__, written_deltas(results, &sink_csv),
          "index,start_ns,end_ns,gpu_start,gpu_end,context,reason,state,modelled,Ratio\r\n"
          "0,,,1000,2000,0x1000,timer,ok,false,10\r\n"
          "1,,,2000,3500,0xbeef000,context-switch,ok,false,\r\n"
          "2,,,3500,9000,idle,timer,lost,false,\r\n"
          "3,,,9000,10000,0x1000,timer,ok,false,3\r\n");
    char *csv = written_groups(results, &sink_csv, TALLY_BY_CONTEXT);
    char *jsonl = written_groups(results, &sink_jsonl, TALLY_BY_CONTEXT);
    char *deltas = written_deltas(results, &sink_jsonl);
    char *table = written_groups(results, &sink_table, TALLY_BY_CONTEXT);
    char *rows = written_deltas(results, &sink_table);
    const struct {
        unsigned line;
        const char *text, *part;
    } parts[] = {
        {__LINE__, csv, ",Ratio,percent,13,3,6.5,10,3,10,10\r\n"},
        {__LINE__, csv, "context,0xbeef000,1,0,2000,3500,1500,false,Ratio,percent,,,,,,,\r\n"},
        {__LINE__, csv, "total,total,3,1,1000,10000,3500,false,Ratio,percent,,3,6.5,"},
        {__LINE__, jsonl, "\"overall\":null,\"minimum\":null,\"mean\":null,\"maximum\":null"},
        {__LINE__, jsonl, "\"overall\":null,\"minimum\":3,\"mean\":6.5"},
        {__LINE__, deltas, "\"counters\":{\"Ratio\":null}"},
        {__LINE__, table,
         "  Ratio                     -      -      -      -      -      -      - %\n"},
        {__LINE__, table,
         "  Ratio                     -      3   6.50      3     10     10     10 %\n"},
        {__LINE__, rows, " 0xbeef000 context-switch                     -\n"},
    };
    json_lines(__LINE__, jsonl);
    json_lines(__LINE__, deltas);
    for (size_t i = 0; i < COUNT(parts); i++)
        ROW(parts[i].line, strstr(parts[i].text, parts[i].part) != NULL, "no \"%s\" in\n%s",
            parts[i].part, parts[i].text);
    free(csv), free(jsonl), free(deltas), free(table), free(rows);
    results_free(results);
    ROWS_DONE();
}

/* The interval of a clock jump may begin before the first report. */
static void test_table_of_an_early_loss(void **state)
{
    (void)state;
    struct results *results = results_new(COUNT_AND_HALF);
    results->context.origin_ticks = 4000;
    char *text = written_groups(results, &sink_table, TALLY_BY_NOTHING);
    ROW(__LINE__, strstr(text, "after report 2, at -500 ns for 5.500 µs") != NULL, "%s", text);
    free(text);
    results_free(results);
    ROWS_DONE();
}

/* ---- other texts --------------------------------------------------------------------------- */

static void test_sinks_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(sink_find("table"), &sink_table);
    assert_ptr_equal(sink_find("csv"), &sink_csv);
    assert_ptr_equal(sink_find("jsonl"), &sink_jsonl);
    assert_null(sink_find("json"));
    assert_null(sink_find("CSV"));
    assert_null(sink_find(""));
}

static void test_names_of_contexts_and_groups(void **state)
{
    (void)state;
    const struct tally_recording_info skl = {.layout = tally_layout_find("skl/101")};
    const struct tally_recording_info hsw = {.layout = tally_layout_find("hsw/101")};
    char text[GROUP_TEXT_BYTES];
    static const struct {
        unsigned line;
        enum tally_group_by by;
        uint64_t key;
        const char *expected;
    } rows[] = {
        {__LINE__, TALLY_BY_NOTHING, 0, "total"},
        {__LINE__, TALLY_BY_CONTEXT, 0, "0x0"},
        {__LINE__, TALLY_BY_CONTEXT, 0xfffffffe, "0xfffffffe"},
        {__LINE__, TALLY_BY_CONTEXT, TALLY_CONTEXT_IDLE, "idle"},
        {__LINE__, TALLY_BY_CONTEXT, TALLY_KEY_OTHERS, "others"},
        {__LINE__, TALLY_BY_REASON, TALLY_REASON_TIMER, "timer"},
        {__LINE__, TALLY_BY_REASON, TALLY_REASON_MMIO_TRIGGER, "mmio-trigger"},
        {__LINE__, TALLY_BY_REASON, 0, "unknown"},
        {__LINE__, TALLY_BY_INTERVAL, 0, "0"},
        {__LINE__, TALLY_BY_INTERVAL, UINT64_C(12345678901234), "12345678901234"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_group group = {.by = rows[i].by, .key = rows[i].key};
        group_text(text, &skl, &group);
        ROW(rows[i].line, !strcmp(text, rows[i].expected), "is %s", text);
    }
    context_text(text, &hsw, TALLY_CONTEXT_IDLE); /* reports without a context */
    assert_string_equal(text, "none");
    assert_string_equal(group_by_name(TALLY_BY_NOTHING), "total");
    assert_string_equal(group_by_name(TALLY_BY_INTERVAL), "interval");
    ROWS_DONE();
}

/* A delta names all reasons of its reports. */
static void test_reasons_of_deltas(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const struct sink *sink;
        const char *expected;
    } rows[] = {
        {__LINE__, &sink_csv, ",0x1000,timer+context-switch,ok,"},
        {__LINE__, &sink_jsonl, "\"reason\":\"timer+context-switch\",\"end_reason\":\"trigger1+"},
        {__LINE__, &sink_table, " timer+context-switch "},
    };
    struct results *results = results_new(COUNT_AND_HALF);
    results->batch->reasons[0] = TALLY_REASON_TIMER | TALLY_REASON_CONTEXT_SWITCH;
    results->batch->reasons[1] = TALLY_REASON_TRIGGER_1 | TALLY_REASON_GO_TRANSITION;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = written_deltas(results, rows[i].sink);
        ROW(rows[i].line, strstr(text, rows[i].expected), "%s", text);
        free(text);
    }
    results_free(results);
    ROWS_DONE();
}

/*
 * Groups of different keys have different names, or a reader cannot tell them apart. Merged
 * reasons (OA-U11) name each of their bits.
 */
static void test_names_of_merged_reasons(void **state)
{
    (void)state;
    const struct tally_recording_info skl = {.layout = tally_layout_find("skl/101")};
    char names[128][GROUP_TEXT_BYTES];
    unsigned alike = 0;
    for (unsigned reason = 0; reason < COUNT(names); reason++) {
        const struct tally_group group = {.by = TALLY_BY_REASON, .key = reason};
        group_text(names[reason], &skl, &group);
        for (unsigned other = 0; other < reason; other++)
            alike += !strcmp(names[reason], names[other]);
    }
    ROW(__LINE__, !alike, "%u pairs of different reasons have one name, such as 1h and 9h: %s, %s",
        alike, names[1], names[9]);
    ROWS_DONE();
}

static void test_ticks_to_ns(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t hz, ticks, expected;
    } rows[] = {
        {__LINE__, 12500000, 1, 80},
        {__LINE__, 12000000, 1, 83},
        {__LINE__, 19200000, 19200000, 1000000000},
        {__LINE__, 12500000, 0, 0},
        {__LINE__, 0, 5, 0}, /* a recording without the information */
        {__LINE__, 1, UINT64_MAX, UINT64_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_recording_info info = {.recorded = {.timestamp_hz = rows[i].hz}};
        ROW(rows[i].line, ticks_to_ns(&info, rows[i].ticks) == rows[i].expected, "%" PRIu64,
            ticks_to_ns(&info, rows[i].ticks));
    }
    ROWS_DONE();
}

int test_sinks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_of_deltas),
        cmocka_unit_test(test_csv_of_groups),
        cmocka_unit_test(test_csv_quoting),
        cmocka_unit_test(test_csv_without_formulas),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_jsonl_of_deltas),
        cmocka_unit_test(test_jsonl_of_groups),
        cmocka_unit_test(test_jsonl_of_numbers_that_are_none),
        cmocka_unit_test(test_long_symbols),
        cmocka_unit_test(test_table_of_groups),
        cmocka_unit_test(test_table_of_deltas),
        cmocka_unit_test(test_undefined_values),
        cmocka_unit_test(test_table_of_an_early_loss),
        cmocka_unit_test(test_sinks_by_name),
        cmocka_unit_test(test_names_of_contexts_and_groups),
        cmocka_unit_test(test_reasons_of_deltas),
        cmocka_unit_test(test_names_of_merged_reasons),
        cmocka_unit_test(test_ticks_to_ns),
    };
    return cmocka_run_group_tests_name("sinks", tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += test_numbers();
    failed += test_output();
    failed += test_json();
    failed += test_sinks();
    failed += test_formats();
    failed += test_lists();
    failed += test_timelines();
    failed += test_protobuf();
    failed += test_parquet();
    return failed;
}
