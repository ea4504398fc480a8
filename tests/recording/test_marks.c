/* SPDX-License-Identifier: MIT */
/* Marks, the sections and frames that they make, and pauses. */
#include "build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tally/mark.h>

#include "capture/mark_lines.h"
#include "recording/format.h"
#include "recording/marks.h"
#include "suites.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct {
    unsigned line;
    const char *text;
    bool control, valid;
    enum mark_word word;
    uint64_t cpu_ns;
    const char *name;
} texts[] = {
    {__LINE__, "mark load", false, true, MARK_WORD_MARK, 0, "load"},
    {__LINE__, "  begin \t a b \r", false, true, MARK_WORD_BEGIN, 0, "a b"},
    {__LINE__, "end x", false, true, MARK_WORD_END, 0, "x"},
    {__LINE__, "frame", false, true, MARK_WORD_FRAME, 0, ""},
    {__LINE__, "@12 frame", false, true, MARK_WORD_FRAME, 12, ""},
    {__LINE__, "@18446744073709551615 mark x", false, true, MARK_WORD_MARK, UINT64_MAX, "x"},
    {__LINE__, "@18446744073709551616 mark x", false, false, 0, 0, NULL},
    {__LINE__, "@0 mark x", false, false, 0, 0, NULL},
    {__LINE__, "@ mark x", false, false, 0, 0, NULL},
    {__LINE__, "@-1 mark x", false, false, 0, 0, NULL},
    {__LINE__, "@12mark x", false, false, 0, 0, NULL},
    {__LINE__, "mark", false, false, 0, 0, NULL},
    {__LINE__, "mark  ", false, false, 0, 0, NULL},
    {__LINE__, "frame 1", false, false, 0, 0, NULL},
    {__LINE__, "marks x", false, false, 0, 0, NULL},
    {__LINE__, "Mark x", false, false, 0, 0, NULL},
    {__LINE__, "enable", false, false, 0, 0, NULL},
    {__LINE__, "enable", true, true, MARK_WORD_ENABLE, 0, ""},
    {__LINE__, "quit", true, true, MARK_WORD_STOP, 0, ""},
    {__LINE__, "stop now", true, false, 0, 0, NULL},
    {__LINE__, "@1 stop", true, false, 0, 0, NULL},
    {__LINE__, "mark x", true, true, MARK_WORD_MARK, 0, "x"},
};

static void lines_are_parsed(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(texts); r++) {
        struct mark_line line;
        bool valid = mark_line_parse(texts[r].text, texts[r].control, &line);
        ROW_ASSERT(&texts[r], valid == texts[r].valid);
        if (!valid)
            continue;
        ROW_ASSERT(&texts[r], line.word == texts[r].word);
        ROW_ASSERT(&texts[r], line.cpu_ns == texts[r].cpu_ns);
        ROW_ASSERT(&texts[r], !strcmp(line.name, texts[r].name));
    }
}

struct taken {
    unsigned lines;
    char last[TALLY_MARK_NAME_MAX + 1];
};

static void take(void *closure, const struct mark_line *line)
{
    struct taken *taken = closure;
    taken->lines++;
    strcpy(taken->last, line->name);
}

static void long_and_unfinished_lines_are_refused(void **state)
{
    (void)state;
    struct taken taken = {0, ""};
    struct mark_lines lines = {.take = take, .closure = &taken};
    char piece[1000];
    memset(piece, 'x', sizeof piece);
    mark_lines_take(&lines, "mark ", 5);
    for (int i = 0; i < 1000; i++) /* a megabyte without a newline */
        mark_lines_take(&lines, piece, sizeof piece);
    mark_lines_take(&lines, "\nmark good\nmark ", 16);
    assert_int_equal(taken.lines, 1);
    assert_string_equal(taken.last, "good");
    assert_int_equal(lines.wrong, 1);
    mark_lines_take(&lines, "ab", 2);
    mark_lines_end(&lines);
    assert_int_equal(taken.lines, 1);
    assert_int_equal(lines.wrong, 2);
    mark_lines_take(&lines, "mark a\0b\n\n", 10);
    assert_int_equal(lines.wrong, 3);
}

static void a_long_line_does_not_reach_the_next_input(void **state)
{
    (void)state;
    struct taken taken = {0, ""};
    struct mark_lines lines = {.take = take, .closure = &taken};
    char piece[MARK_LINE_MAX + 1];
    memset(piece, 'x', sizeof piece);
    mark_lines_take(&lines, piece, sizeof piece);
    mark_lines_end(&lines);
    mark_lines_take(&lines, "mark a\n", 7);
    assert_int_equal(taken.lines, 1);
    assert_int_equal(lines.wrong, 1);
}

/* Names that are as long as possible, or longer by one character. */
static const struct {
    unsigned line;
    const char *character; /* of which the name consists, after `ascii` letters */
    size_t ascii, count, kept;
} names[] = {
    {__LINE__, "x", 0, 127, 127},           {__LINE__, "x", 0, 128, 127},
    {__LINE__, "\303\244", 1, 63, 127},     {__LINE__, "\303\244", 0, 64, 126},
    {__LINE__, "\342\202\254", 1, 42, 127}, {__LINE__, "\342\202\254", 0, 43, 126},
    {__LINE__, "\342\202\254", 2, 43, 125}, {__LINE__, "\360\237\216\256", 0, 32, 124},
};

static void make_name(char *to, size_t row)
{
    memset(to, 'n', names[row].ascii);
    to[names[row].ascii] = '\0';
    for (size_t i = 0; i < names[row].count; i++)
        strcat(to, names[row].character);
}

static void a_long_name_is_cut_between_characters(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(names); r++) {
        struct mark_line line;
        char text[300] = "mark ";
        make_name(text + 5, r);
        assert_true(mark_line_parse(text, false, &line));
        ROW_ASSERT(&names[r], strlen(line.name) == names[r].kept);
    }
}

/* The functions of <tally/mark.h>, whose lines a pipe gets. They keep errno. */
static void a_program_cuts_names_likewise(void **state)
{
    (void)state;
    int ends[2];
    struct stat status;
    char text[64];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fstat(ends[1], &status), 0);
    snprintf(text, sizeof text, "%d", ends[1]);
    setenv(MARK_FD_VARIABLE, text, 1);
    snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    setenv(MARK_ID_VARIABLE, text, 1);
    errno = EDOM;
    assert_true(tally_mark_enabled());
    assert_int_equal(errno, EDOM);
    for (size_t r = 0; r < ARRAY_COUNT(names); r++) {
        char name[300], line[300];
        struct mark_line mark;
        make_name(name, r);
        tally_mark_begin(name);
        ssize_t size = read(ends[0], line, sizeof line - 1);
        assert_true(size > 0 && line[size - 1] == '\n');
        line[size - 1] = '\0';
        assert_true(mark_line_parse(line, false, &mark));
        ROW_ASSERT(&names[r], mark.word == MARK_WORD_BEGIN && mark.cpu_ns);
        ROW_ASSERT(&names[r], strlen(mark.name) == names[r].kept);
        ROW_ASSERT(&names[r], !strncmp(mark.name, name, names[r].kept));
    }
    close(ends[0]);
    errno = EDOM;
    tally_mark_frame(); /* raises no signal */
    assert_int_equal(errno, EDOM);
    assert_false(tally_mark_enabled());
    close(ends[1]);
    unsetenv(MARK_FD_VARIABLE);
    unsetenv(MARK_ID_VARIABLE);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Marks at 1 ms, 2 ms, ... after the beginning: m mark, b begin, e end, each with a name of one
 * letter; f frame. */
static const struct {
    unsigned line;
    const char *script;
    const char *sections; /* names from each mark on; . none */
    size_t unmatched, frames;
} scripts[] = {
    {__LINE__, "ma mb ma", "aba", 0, 0},
    {__LINE__, "ba bb eb ea", "aba.", 0, 0},
    {__LINE__, "ma bb mc md eb mx", "abcdax", 0, 0},
    {__LINE__, "ba bb ea eb", "abb.", 0, 0},
    {__LINE__, "ea ma", ".a", 1, 0},
    {__LINE__, "ba ba ea ea", "aaa.", 0, 0},
    {__LINE__, "ba", "a", 1, 0},
    {__LINE__, "f ma f f", ".aaa", 0, 3},
};

static enum tally_mark_kind kind_of(char letter)
{
    return letter == 'm'   ? TALLY_MARK_POINT
           : letter == 'b' ? TALLY_MARK_BEGIN
           : letter == 'e' ? TALLY_MARK_END
                           : TALLY_MARK_FRAME;
}

#define MS UINT64_C(1000000)

static void build_marks(struct build *build, const struct tally_mark *marks, size_t count)
{
    struct buffer records = {0};
    marks_record_put(&records, marks, count);
    buffer_append(&build->bytes, records.bytes, records.size);
    buffer_fini(&records);
}

/* Builds ten seconds of correlation points, so that the clocks are known exactly, and the marks. */
static size_t build_script(struct build *build, const char *script)
{
    size_t count = 0;
    build_correlation(build, 0, 0);
    for (uint64_t s = 1; s < 5; s++)
        build_correlation(build, s * NS_PER_SECOND, s * gpus[SKL].hz);
    for (const char *at = script; *at; at += strcspn(at, " "), at += *at == ' ') {
        char name[2] = {at[0] == 'f' ? '\0' : at[1], '\0'};
        struct tally_mark mark = {kind_of(*at), name, ++count * MS, 0};
        build_marks(build, &mark, 1);
    }
    return count;
}

static const char *section_at(const struct tally_recorded_marks *marks, uint64_t ns)
{
    uint32_t section;
    uint64_t ticks = ns * gpus[SKL].hz / NS_PER_SECOND;
    assert_true(marks_section(marks, ticks, ticks + 1, &section));
    return section ? marks->names[section] : ".";
}

static void marks_make_sections(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(scripts); r++) {
        struct build build = build_start(SKL);
        struct tally_recording *recording;
        size_t count = build_script(&build, scripts[r].script);
        assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "marks",
                                                     NULL, &recording, NULL),
                         0);
        tally_recording_index(recording);
        const struct tally_recorded_marks *marks = tally_recording_info(recording)->marks;
        assert_non_null(marks);
        ROW_ASSERT(&scripts[r], marks->count == count);
        ROW_ASSERT(&scripts[r], marks->clock_ticks == 1);
        ROW_ASSERT(&scripts[r], marks->unmatched == scripts[r].unmatched);
        ROW_ASSERT(&scripts[r], marks->frames == scripts[r].frames);
        ROW_ASSERT(&scripts[r], !strcmp(section_at(marks, MS / 2), "."));
        for (size_t i = 0; i < count; i++) {
            const char expected[] = {scripts[r].sections[i], '\0'};
            ROW_ASSERT(&scripts[r], !strcmp(section_at(marks, (i + 1) * MS + MS / 2), expected));
        }
        tally_recording_close(recording);
        build_fini(&build);
    }
}

static void uncertain_times_belong_to_no_section(void **state)
{
    (void)state;
    const struct tally_mark marks[] = {{TALLY_MARK_POINT, "b", 5 * MS, 2 * MS},
                                       {TALLY_MARK_POINT, "a", 1 * MS, 0}};
    struct build build = build_start(SKL);
    struct tally_recording *recording;
    uint32_t section;
    uint64_t ms = gpus[SKL].hz / 1000;
    build_script(&build, "");
    build_marks(&build, marks, 2); /* sorted by the reader */
    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "marks", NULL,
                                                 &recording, NULL),
                     0);
    assert_null(tally_recording_info(recording)->marks); /* STREAM does not announce them */
    tally_recording_index(recording);
    const struct tally_recorded_marks *found = tally_recording_info(recording)->marks;
    assert_true(marks_section(found, 2 * ms, 3 * ms - 2, &section));
    assert_string_equal(found->names[section], "a");
    assert_false(marks_section(found, 2 * ms, 3 * ms, &section)); /* the clock's tick */
    assert_false(marks_section(found, 3 * ms, 4 * ms, &section));
    assert_false(marks_section(found, 5 * ms, 6 * ms, &section));
    assert_true(marks_section(found, 5 * ms + 1, 6 * ms, &section));
    assert_string_equal(found->names[section], "b");
    tally_recording_close(recording);
    build_fini(&build);
}

/* A mark that is sure may still be followed by one that may have been made before it. */
static void an_uncertain_mark_reaches_back_beyond_others(void **state)
{
    (void)state;
    const struct tally_mark marks[] = {{TALLY_MARK_POINT, "a", 1 * MS, 0},
                                       {TALLY_MARK_POINT, "b", 5 * MS, 0},
                                       {TALLY_MARK_POINT, "c", 6 * MS, 4 * MS}};
    static const struct {
        unsigned line;
        uint64_t from_ms, to_ms;
        const char *section; /* NULL: none */
    } rows[] = {
        {__LINE__, 0, 1, NULL}, /* the clock's tick */
        {__LINE__, 1, 2, NULL}, {__LINE__, 2, 3, NULL}, {__LINE__, 3, 4, NULL},
        {__LINE__, 4, 5, NULL}, {__LINE__, 5, 6, NULL}, {__LINE__, 7, 8, "c"},
    };
    struct build build = build_start(SKL);
    struct tally_recording *recording;
    uint32_t section;
    uint64_t ms = gpus[SKL].hz / 1000;
    build_script(&build, "");
    build_marks(&build, marks, 3);
    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "marks", NULL,
                                                 &recording, NULL),
                     0);
    tally_recording_index(recording);
    const struct tally_recorded_marks *found = tally_recording_info(recording)->marks;
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        bool certain = marks_section(found, rows[r].from_ms * ms, rows[r].to_ms * ms, &section);
        ROW_ASSERT(&rows[r], certain == (rows[r].section != NULL));
        ROW_ASSERT(&rows[r], !certain || !strcmp(found->names[section], rows[r].section));
    }
    assert_true(marks_section(found, ms + 1, 2 * ms - 1, &section));
    assert_string_equal(found->names[section], "a");
    tally_recording_close(recording);
    build_fini(&build);
}

/* ---- malformed records, and pauses -------------------------------------------------------------
 */

static void malformed_records_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t type;
        size_t size;
        uint8_t payload[24];
    } rows[] = {
        {__LINE__, TALLY_RECORD_MARKS, 8, {0}},
        {__LINE__, TALLY_RECORD_MARKS, 16, {[13] = 1}},
        {__LINE__, TALLY_RECORD_MARKS, 24, {[13] = 9}},
        {__LINE__, TALLY_RECORD_MARKS, 24, {[13] = 200}},
        {__LINE__, TALLY_RECORD_SEGMENT, 8, {2}},
        {__LINE__, TALLY_RECORD_SEGMENT, 16, {0}},
        {__LINE__, TALLY_RECORD_SEGMENT, 0, {0}},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = build_start(SKL);
        struct reading reading;
        build_record(&build, rows[r].type, rows[r].payload, rows[r].size);
        read_memory(&build, &reading);
        ROW_ASSERT(&rows[r], reading.ended == -EBADMSG);
        reading_fini(&reading);
        build_fini(&build);
    }
}

static void a_pause_is_no_loss(void **state)
{
    (void)state;
    const uint8_t segment[SEGMENT_BYTES] = {SEGMENT_PAUSED};
    struct build build = build_start(SKL);
    struct reading reading;
    build_record(&build, TALLY_RECORD_SEGMENT, segment, sizeof segment); /* before any report */
    build_reports(&build, 1000, 100, 50);
    build_record(&build, TALLY_RECORD_SEGMENT, segment, sizeof segment);
    build_reports(&build, 16000, 100, 50);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 100);
    for (size_t i = 0; i + 1 < reading.count; i++)
        assert_int_equal(reading.states[i], i == 49 ? TALLY_STATE_PAUSED : TALLY_STATE_OK);
    assert_int_equal(reading.loss_count, 0);
    assert_int_equal(reading.totals.lost_deltas, 0);
    assert_int_equal(reading.totals.pauses, 1); /* none before the first report */
    assert_int_equal(reading.totals.paused_ticks, 16000 - 1000 - 4900);
    reading_fini(&reading);
    build_fini(&build);
}

/* Of reports in another order the length of a pause is not known. */
static void a_pause_of_unsorted_reports_has_no_length(void **state)
{
    (void)state;
    const uint8_t segment[SEGMENT_BYTES] = {SEGMENT_PAUSED};
    struct tally_recording_options options = {.keep_unsorted = true};
    struct build build = build_start(SKL);
    struct reading reading;
    build_reports(&build, 100000, 100, 50);
    build_record(&build, TALLY_RECORD_SEGMENT, segment, sizeof segment);
    build_reports(&build, 1000, 100, 50);
    read_by(BY_MEMORY, &build.bytes, &options, &reading);
    assert_int_equal(reading.count, 100);
    assert_int_equal(reading.states[49], TALLY_STATE_AMBIGUOUS);
    assert_int_equal(reading.totals.paused_ticks, 0);
    assert_int_equal(reading.totals.lost_deltas, 1);
    reading_fini(&reading);
    build_fini(&build);
}

/* The recording is resumed between a strobe and its neighbour's context switch: that strobe's
 * report was discarded, and is not missing. */
static void a_strobe_of_a_pause_is_not_missing(void **state)
{
    (void)state;
    const uint8_t segment[SEGMENT_BYTES] = {SEGMENT_PAUSED};
    struct build build = build_start(SKL);
    struct reading reading;
    build_reports(&build, 1000, 100, 50);
    build_record(&build, TALLY_RECORD_SEGMENT, segment, sizeof segment);
    build_report_by(&build, 16005, TALLY_REASON_CONTEXT_SWITCH, 0x1000);
    build_reports(&build, 16100, 100, 50);
    read_memory(&build, &reading);
    assert_int_equal(reading.count, 101);
    for (size_t i = 0; i + 1 < reading.count; i++)
        assert_int_equal(reading.states[i], i == 49 ? TALLY_STATE_PAUSED : TALLY_STATE_OK);
    assert_int_equal(reading.loss_count, 0);
    reading_fini(&reading);
    build_fini(&build);
}

/* A loss that is recorded between the same reports remains one; how many reports it took is not
 * derived from the time, which has the pause. */
static void a_loss_in_a_pause_is_lost(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool loss_first;
    } rows[] = {{__LINE__, true}, {__LINE__, false}};
    const uint8_t segment[SEGMENT_BYTES] = {SEGMENT_APPENDED};
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = build_start(SKL);
        struct reading reading;
        build_reports(&build, 1000, 100, 50);
        if (rows[r].loss_first)
            build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
        build_record(&build, TALLY_RECORD_SEGMENT, segment, sizeof segment);
        if (!rows[r].loss_first)
            build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
        build_reports(&build, 16000, 100, 50);
        read_memory(&build, &reading);
        for (size_t i = 0; i + 1 < reading.count; i++)
            ROW_ASSERT(&rows[r],
                       reading.states[i] == (i == 49 ? TALLY_STATE_LOST : TALLY_STATE_OK));
        ROW_ASSERT(&rows[r], reading.totals.lost_deltas == 1);
        ROW_ASSERT(&rows[r], reading.loss_count == 1 && !reading.losses[0].estimated);
        reading_fini(&reading);
        build_fini(&build);
    }
}

int test_marks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_parsed),
        cmocka_unit_test(long_and_unfinished_lines_are_refused),
        cmocka_unit_test(a_long_line_does_not_reach_the_next_input),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
        cmocka_unit_test(a_program_cuts_names_likewise),
        cmocka_unit_test(marks_make_sections),
        cmocka_unit_test(uncertain_times_belong_to_no_section),
        cmocka_unit_test(an_uncertain_mark_reaches_back_beyond_others),
        cmocka_unit_test(malformed_records_are_refused),
        cmocka_unit_test(a_pause_is_no_loss),
        cmocka_unit_test(a_pause_of_unsorted_reports_has_no_length),
        cmocka_unit_test(a_strobe_of_a_pause_is_not_missing),
        cmocka_unit_test(a_loss_in_a_pause_is_lost),
    };
    return cmocka_run_group_tests_name("recording: marks", tests, NULL, NULL);
}
