/* SPDX-License-Identifier: MIT */
/* The writer: its bytes, its refusals, and what the reader makes of what it wrote. */
#include "wave/dumps.h"

#include <errno.h>
#include <inttypes.h>

struct written {
    char *bytes;
    size_t size;
    FILE *file;
    struct tally_vcd_writer *writer;
};

static void start(struct written *written, const char *timescale)
{
    struct tally_error error = {0};
    written->file = open_memstream(&written->bytes, &written->size);
    assert_non_null(written->file);
    assert_int_equal(tally_vcd_writer_new(written->file, timescale, &written->writer, &error), 0);
}

static void finish(struct written *written, uint64_t end)
{
    assert_int_equal(tally_vcd_writer_finish(written->writer, end), 0);
    tally_vcd_writer_free(written->writer);
    fclose(written->file);
}

/* Everything at once, byte for byte. */
static void bytes(void **state)
{
    (void)state;
    static const char expected[] =
        "$version Tally $end\n"
        "$timescale 10 ns $end\n"
        "$scope module top $end\n"
        "$var wire 1 ! clk $end\n"
        "$scope module a_unit $end\n"
        "$var wire 8 \" data [7:0] $end\n"
        "$var wire 64 # wide [63:0] $end\n"
        "$upscope $end\n"
        "$var wire 1 $ _end $end\n"
        "$upscope $end\n"
        "$enddefinitions $end\n"
        "#0\n$dumpvars\n1!\nb0 \"\nb0 #\n0$\n$end\n"
        "#5\n0!\nb101 \"\n"
        "#18446744073709551614\n"
        "b1111111111111111111111111111111111111111111111111111111111111111 #\n"
        "1$\n0$\n"
        "#18446744073709551615\n";
    unsigned clk, data, wide, end;
    struct written w;
    start(&w, "10ns");
    assert_int_equal(tally_vcd_writer_scope(w.writer, "top"), 0);
    assert_int_equal(tally_vcd_writer_add(w.writer, "clk", 1, &clk), 0);
    assert_int_equal(tally_vcd_writer_scope(w.writer, "a unit"), 0);
    assert_int_equal(tally_vcd_writer_add(w.writer, "data", 8, &data), 0);
    assert_int_equal(tally_vcd_writer_add(w.writer, "wide", 64, &wide), 0);
    assert_int_equal(tally_vcd_writer_upscope(w.writer), 0);
    assert_int_equal(tally_vcd_writer_add(w.writer, "$end", 1, &end), 0);
    assert_int_equal(clk, 0);
    assert_int_equal(end, 3);
    assert_int_equal(tally_vcd_writer_begin(w.writer), 0);
    /* At time 0 the last value counts. */
    assert_int_equal(tally_vcd_writer_value(w.writer, data, 9), 0);
    assert_int_equal(tally_vcd_writer_time(w.writer, 0), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, clk, 1), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, data, 0x100), 0);
    /* A time at which nothing changes is not written. */
    assert_int_equal(tally_vcd_writer_time(w.writer, 3), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, clk, 3), 0);
    assert_int_equal(tally_vcd_writer_time(w.writer, 5), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, clk, 2), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, data, 0xf05), 0);
    assert_int_equal(tally_vcd_writer_time(w.writer, UINT64_MAX - 1), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, wide, UINT64_MAX), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, end, 1), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, end, 0), 0);
    finish(&w, UINT64_MAX);
    assert_string_equal(w.bytes, expected);
    free(w.bytes);
}

/* Nothing happens: still a whole dump. */
static void nothing(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t end;
        const char *expected;
    } rows[] = {
        {__LINE__, 0, "$enddefinitions $end\n#0\n$dumpvars\n0!\n$end\n"},
        {__LINE__, 7, "$enddefinitions $end\n#0\n$dumpvars\n0!\n$end\n#7\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned id;
        struct written w;
        start(&w, "1 s");
        assert_int_equal(tally_vcd_writer_add(w.writer, "a", 1, &id), 0);
        assert_int_equal(tally_vcd_writer_begin(w.writer), 0);
        finish(&w, rows[i].end);
        ROW(rows[i].line, strstr(w.bytes, rows[i].expected), "%s", w.bytes);
        ROW(rows[i].line, strlen(strstr(w.bytes, "$endd")) == strlen(rows[i].expected), "more");
        free(w.bytes);
    }
    ROWS_DONE();
}

/* Names, as they are written and found again. */
static void names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name, *declared;
        unsigned width;
    } rows[] = {
        {__LINE__, "plain", "plain", 1},
        {__LINE__, "two words", "two_words", 1},
        {__LINE__, "", "_", 1},
        {__LINE__, "\t\n\x7f\x01", "____", 1},
        {__LINE__, "$var", "_var", 1},
        {__LINE__, "a$b", "a$b", 1},
        {__LINE__, "\xc3\xa4h", "__h", 1},
        {__LINE__, "data[3]", "data[3]", 1},
        {__LINE__, "data[3]", "data[3]", 8},
        {__LINE__, "a.b", "a.b", 2},
        {__LINE__, "\\esc", "\\esc", 3},
        {__LINE__, "x[7:0]", "x[7:0]", 8},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned id;
        char name[64];
        struct written w;
        start(&w, "100 fs");
        assert_int_equal(tally_vcd_writer_scope(w.writer, rows[i].name), 0);
        assert_int_equal(tally_vcd_writer_add(w.writer, rows[i].name, rows[i].width, &id), 0);
        assert_int_equal(tally_vcd_writer_begin(w.writer), 0);
        assert_int_equal(tally_vcd_writer_time(w.writer, 4), 0);
        assert_int_equal(tally_vcd_writer_value(w.writer, id, UINT64_MAX), 0);
        finish(&w, 9);
        snprintf(name, sizeof name, rows[i].width > 1 ? "%s.%s[%u]" : "%s.%s", rows[i].declared,
                 rows[i].declared, rows[i].width - 1);
        struct dump dump = dump_read_all(rows[i].line, w.bytes, w.size, name);
        ROW(rows[i].line, dump.result == 0, "%s: %s\n%s", name, dump.error.message, w.bytes);
        ROW(rows[i].line, dump.signal.count == 1 && dump.signal.end == 9, "toggles");
        ROW(rows[i].line, dump.signal.timescale_fs == 100, "timescale");
        dump_fini(&dump);
        free(w.bytes);
    }
    ROWS_DONE();
}

/* Calls that are refused, and that change nothing. */
static void refused(void **state)
{
    (void)state;
    static const char *const scales[] = {
        "",      "1",     "ns",      "2 ns",      "1 ns ",
        " 1 ns", "1 min", "1000 ns", "1 ns $end", "18446744073709551617 s"};
    struct tally_error error = {0};
    struct tally_vcd_writer *writer;
    unsigned id = 77;
    for (size_t i = 0; i < COUNT(scales); i++) {
        ROW(__LINE__, tally_vcd_writer_new(stderr, scales[i], &writer, &error) == -EINVAL, "%s",
            scales[i]);
        ROW(__LINE__, !writer && mentions(error.message, "expected 1, 10 or 100 and s, ms"), "%s",
            error.message);
    }
    tally_vcd_writer_free(NULL);
    struct written w;
    start(&w, "1 ns");
    assert_int_equal(tally_vcd_writer_upscope(w.writer), -EINVAL);
    assert_int_equal(tally_vcd_writer_add(w.writer, "a", 0, &id), -EINVAL);
    assert_int_equal(tally_vcd_writer_add(w.writer, "a", 65, &id), -EINVAL);
    assert_int_equal(id, 77);
    assert_int_equal(tally_vcd_writer_time(w.writer, 1), -EINVAL);
    assert_int_equal(tally_vcd_writer_finish(w.writer, 1), -EINVAL);
    assert_int_equal(tally_vcd_writer_scope(w.writer, "open"), 0);
    assert_int_equal(tally_vcd_writer_add(w.writer, "a", 1, &id), 0);
    assert_int_equal(tally_vcd_writer_value(w.writer, id, 1), -EINVAL);
    assert_int_equal(tally_vcd_writer_begin(w.writer), 0);
    assert_int_equal(tally_vcd_writer_begin(w.writer), -EINVAL);
    assert_int_equal(tally_vcd_writer_scope(w.writer, "late"), -EINVAL);
    assert_int_equal(tally_vcd_writer_upscope(w.writer), -EINVAL);
    assert_int_equal(tally_vcd_writer_add(w.writer, "late", 1, &id), -EINVAL);
    assert_int_equal(tally_vcd_writer_value(w.writer, 1, 1), -EINVAL);
    assert_int_equal(tally_vcd_writer_value(w.writer, UINT32_MAX, 1), -EINVAL);
    assert_int_equal(tally_vcd_writer_time(w.writer, 8), 0);
    assert_int_equal(tally_vcd_writer_time(w.writer, 7), -EINVAL);
    assert_int_equal(tally_vcd_writer_value(w.writer, id, 1), 0);
    assert_int_equal(tally_vcd_writer_finish(w.writer, 7), -EINVAL);
    assert_int_equal(tally_vcd_writer_finish(w.writer, 8), 0);
    assert_int_equal(tally_vcd_writer_finish(w.writer, 9), -EINVAL);
    assert_int_equal(tally_vcd_writer_value(w.writer, id, 0), -EINVAL);
    assert_int_equal(tally_vcd_writer_time(w.writer, 9), -EINVAL);
    tally_vcd_writer_free(w.writer);
    fclose(w.file);
    assert_non_null(strstr(w.bytes, "$scope module open $end\n$var wire 1 ! a $end\n$upscope $end\n"
                                    "$enddefinitions $end\n#0\n$dumpvars\n0!\n$end\n#8\n1!\n"));
    free(w.bytes);
    ROWS_DONE();
}

/* A full disk is reported by all later calls. */
static void full_disk(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        print_message("skipped: there is no /dev/full here\n");
        skip();
    }
    struct tally_error error = {0};
    struct tally_vcd_writer *writer;
    unsigned id;
    for (unsigned round = 0; round < 2; round++) {
        int result = 0;
        assert_int_equal(tally_vcd_writer_new(full, "1 ns", &writer, &error), 0);
        assert_int_equal(tally_vcd_writer_add(writer, "a", 1, &id), 0);
        assert_int_equal(tally_vcd_writer_begin(writer), 0);
        for (uint64_t time = 1; round && time < 1000000 && !result; time++) {
            result = tally_vcd_writer_time(writer, time);
            if (!result)
                result = tally_vcd_writer_value(writer, id, time & 1);
        }
        if (!round)
            result = tally_vcd_writer_finish(writer, 5);
        assert_int_equal(result, -ENOSPC);
        assert_int_equal(tally_vcd_writer_value(writer, id, 0), -ENOSPC);
        assert_int_equal(tally_vcd_writer_time(writer, UINT64_MAX), -ENOSPC);
        assert_int_equal(tally_vcd_writer_finish(writer, UINT64_MAX), -ENOSPC);
        assert_int_equal(tally_vcd_writer_scope(writer, "a"), -ENOSPC);
        tally_vcd_writer_free(writer);
        clearerr(full);
    }
    fclose(full);
}

/* ---- there and back ------------------------------------------------------------------------ */

enum { VARIABLES = 12, STEPS = 300 };

struct wave {
    unsigned widths[VARIABLES];
    uint64_t times[STEPS];
    uint64_t values[STEPS][VARIABLES];
};

static void make_wave(struct wave *wave, struct random *random)
{
    uint64_t time = random_below(random, 2) ? 0 : random_magnitude(random) >> 2;
    for (unsigned v = 0; v < VARIABLES; v++)
        wave->widths[v] = random_below(random, 2) ? 1 : 1 + (unsigned)random_below(random, 64);
    for (unsigned s = 0; s < STEPS; s++) {
        wave->times[s] = time;
        time += random_below(random, 50) ? 1 + random_below(random, 30)
                                         : 1 + (random_magnitude(random) >> 12);
        for (unsigned v = 0; v < VARIABLES; v++)
            wave->values[s][v] =
                s && random_below(random, 3) ? wave->values[s - 1][v] : random_magnitude(random);
    }
}

static void write_wave(struct written *w, const struct wave *wave, uint64_t end,
                       struct random *random)
{
    start(w, "1 ps");
    unsigned ids[VARIABLES];
    char name[16];
    for (unsigned v = 0; v < VARIABLES; v++) {
        snprintf(name, sizeof name, "m%u", v);
        assert_int_equal(tally_vcd_writer_scope(w->writer, name), 0);
        assert_int_equal(tally_vcd_writer_add(w->writer, "v", wave->widths[v], &ids[v]), 0);
        if (random_below(random, 2))
            assert_int_equal(tally_vcd_writer_upscope(w->writer), 0);
    }
    assert_int_equal(tally_vcd_writer_begin(w->writer), 0);
    for (unsigned s = 0; s < STEPS; s++) {
        assert_int_equal(tally_vcd_writer_time(w->writer, wave->times[s]), 0);
        for (unsigned v = 0; v < VARIABLES; v++) {
            /* Sometimes by way of another value at the same time. */
            if (random_below(random, 4) == 0)
                assert_int_equal(tally_vcd_writer_value(w->writer, ids[v], random_next(random)), 0);
            assert_int_equal(tally_vcd_writer_value(w->writer, ids[v], wave->values[s][v]), 0);
        }
    }
    finish(w, end);
}

struct full_names {
    unsigned count;
    char names[VARIABLES][128];
};

static int note_name(void *closure, const struct tally_vcd_variable *variable)
{
    struct full_names *names = closure;
    snprintf(names->names[names->count++], 128, "%s", variable->name);
    return 0;
}

static void there_and_back(void **state)
{
    (void)state;
    static struct wave wave;
    for (uint64_t seed = 1; seed <= random_cases(40); seed++) {
        struct random random = random_start(seed);
        struct full_names names = {0};
        struct vcd_text text;
        struct tally_error error = {0};
        make_wave(&wave, &random);
        uint64_t end = wave.times[STEPS - 1] + random_below(&random, 2);
        struct written w;
        write_wave(&w, &wave, end, &random);
        vcd_text_from_memory(&text, "dump", w.bytes, w.size, 0, &error);
        assert_int_equal(vcd_list_text(&text, note_name, &names), 0);
        assert_int_equal(names.count, VARIABLES);
        for (unsigned v = 0; v < VARIABLES; v++) {
            unsigned bit = (unsigned)random_below(&random, wave.widths[v]);
            char name[160];
            snprintf(name, sizeof name, wave.widths[v] > 1 ? "%s[%u]" : "%s", names.names[v], bit);
            struct dump dump = dump_read(w.bytes, w.size, name, random_below(&random, 3) * 50, 0);
            assert_int_equal(dump.result, 0);
            assert_int_equal(dump.signal.end, end);
            assert_int_equal(dump.signal.unknown, 0);
            size_t count = 0;
            uint64_t value = 0;
            for (unsigned s = 0; s < STEPS; s++) {
                if ((wave.values[s][v] >> bit & 1) == value)
                    continue;
                value = !value;
                assert_true(count < dump.signal.count);
                assert_int_equal(dump.signal.times[count++], wave.times[s]);
            }
            assert_int_equal(count, dump.signal.count);
            dump_fini(&dump);
        }
        free(w.bytes);
    }
}

/* As many variables as need codes of four characters, each of which is found. */
static void many_variables(void **state)
{
    (void)state;
    enum { MANY = 850000 };
    struct written w;
    start(&w, "1 ns");
    unsigned id;
    char name[32];
    for (unsigned v = 0; v < MANY; v++) {
        snprintf(name, sizeof name, "v%u", v);
        assert_int_equal(tally_vcd_writer_add(w.writer, name, 1, &id), 0);
        assert_int_equal(id, v);
    }
    assert_int_equal(tally_vcd_writer_begin(w.writer), 0);
    static const unsigned some[] = {0, 93, 94, 8929, 8930, 839513, 839514, MANY - 1};
    for (size_t i = 0; i < COUNT(some); i++) {
        assert_int_equal(tally_vcd_writer_time(w.writer, 10 + i), 0);
        assert_int_equal(tally_vcd_writer_value(w.writer, some[i], 1), 0);
    }
    finish(&w, 100);
    for (size_t i = 0; i < COUNT(some); i++) {
        snprintf(name, sizeof name, "v%u", some[i]);
        struct dump dump = dump_read(w.bytes, w.size, name, i & 1 ? 65536 : 0, 0);
        if (dump.result)
            print_error("%s\n", dump.error.message);
        assert_int_equal(dump.result, 0);
        assert_int_equal(dump.signal.count, 1);
        assert_int_equal(dump.signal.times[0], 10 + i);
        dump_fini(&dump);
    }
    free(w.bytes);
}

int test_vcd_write(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),          cmocka_unit_test(nothing),
        cmocka_unit_test(names),          cmocka_unit_test(refused),
        cmocka_unit_test(full_disk),      cmocka_unit_test(there_and_back),
        cmocka_unit_test(many_variables),
    };
    return cmocka_run_group_tests_name("wave: writing dumps", tests, NULL, NULL);
}
