/* SPDX-License-Identifier: MIT */
/* The model of tally top, its figures, keys and drawing: without a terminal and without a GPU. */
#include "testing.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "view/clients.h"
#include "view/draw.h"
#include "view/evaluate.h"
#include "view/keys.h"
#include "view/model.h"
#include "view/source.h"

#define SECOND UINT64_C(1000000000)

/* ---- what devices report --------------------------------------------------------------------- */

static const struct {
    const char *symbol, *name, *units;
    bool is_rate;
} counters[] = {
    {"GpuBusy", "GPU Busy", "percent", false},
    {"EuActive", "EU Active", "percent", false},
    {"EuStall", "EU Stall", "percent", false},
    {"AvgGpuCoreFrequency", "Average Frequency", "hz", false},
    {"PsThreads", "FS Threads", "threads", true},
    {"L3ShaderThroughput", "L3 Shader Throughput", "bytes", true},
};

#define COUNTERS ARRAY_COUNT(counters)

static struct view_device_info *make_info(size_t count)
{
    struct view_device_info *info = calloc(1, sizeof *info);
    *info = (struct view_device_info){.name = strdup("sim:skl"),
                                      .title = strdup("modelled Skylake GT2"),
                                      .set = strdup("RenderBasic"),
                                      .modelled = true,
                                      .has_contexts = true,
                                      .has_rc6 = true,
                                      .period_ns = 1000000,
                                      .interval_ns = SECOND / 2,
                                      .max_hz = 1e9,
                                      .counter_count = count,
                                      .counters = calloc(count, sizeof *info->counters)};
    for (size_t i = 0; i < count; i++)
        info->counters[i] = (struct view_counter){
            .symbol = strdup(counters[i].symbol),
            .name = strdup(counters[i].name),
            .description = strdup("What it counts."),
            .units = strdup(counters[i].units),
            .group = strdup(i < 1 ? "GPU" : "EU Array"),
            .is_rate = counters[i].is_rate,
        };
    return info;
}

/* A sample from `at` half seconds on, in which each counter is `value`. */
static struct view_sample *make_sample(uint64_t at, double value)
{
    struct view_sample *sample = calloc(1, sizeof *sample + COUNTERS * sizeof(double));
    *sample = (struct view_sample){.start_ns = at * SECOND / 2,
                                   .end_ns = (at + 1) * SECOND / 2,
                                   .evaluated_ns = SECOND / 2,
                                   .has_values = true,
                                   .deltas = 500,
                                   .rc6 = (double)NAN,
                                   .reports = 501,
                                   .value_count = COUNTERS};
    for (size_t i = 0; i < COUNTERS; i++)
        sample->values[i] = value;
    return sample;
}

static struct view_sample *make_lost(uint64_t at)
{
    struct view_sample *sample = make_sample(at, (double)NAN);
    sample->has_values = false;
    sample->evaluated_ns = sample->deltas = 0;
    sample->lost = 3;
    sample->missing = 7;
    return sample;
}

static void start(struct model *model)
{
    *model = (struct model){0};
    assert_int_equal(model_add_device(model, "sim:skl"), 0);
    model_info(model, 0, make_info(COUNTERS));
}

/* ---- history --------------------------------------------------------------------------------- */

static double first_value(const void *closure, const struct view_sample *sample)
{
    (void)closure;
    return sample->values[0];
}

static void test_history_keeps_a_minute(void **state)
{
    (void)state;
    struct history history = {0};
    for (uint64_t i = 0; i < 300; i++)
        history_add(&history, make_sample(i, (double)i));
    assert_int_equal(history.count, 121); /* that end within the last 60 s */
    assert_true(history_at(&history, 0)->values[0] == 299);
    assert_null(history_at(&history, history.count));
    struct history_range range = history_range(&history, first_value, NULL);
    assert_true(range.minimum == 179 && range.maximum == 299 && fabs(range.mean - 239) < 1e-6);
    /* A recording that begins again does not continue the old graph. */
    history_add(&history, make_sample(0, 5));
    assert_int_equal(history.count, 1);
    history_clear(&history);
}

static void test_history_has_a_limit(void **state)
{
    (void)state;
    struct history history = {0};
    for (uint64_t i = 0; i < 2 * HISTORY_MAX; i++) {
        struct view_sample *sample = make_sample(0, (double)i);
        sample->start_ns = i * 1000;
        sample->end_ns = i * 1000 + 1000;
        history_add(&history, sample);
    }
    assert_int_equal(history.count, HISTORY_MAX);
    assert_true(history_at(&history, HISTORY_MAX - 1)->values[0] == HISTORY_MAX);
    history_clear(&history);
}

static void test_columns(void **state)
{
    (void)state;
    struct history history = {0};
    double values[6];
    enum history_state states[6];
    /* Ten seconds a column; a column without samples, one that is lost, one without a value. */
    for (uint64_t i = 0; i < 120; i++) {
        if (i / 20 == 1)
            continue;
        history_add(&history, i / 20 == 2   ? make_lost(i)
                              : i / 20 == 3 ? make_sample(i, (double)NAN)
                                            : make_sample(i, i % 2 ? 10.0 : 20.0));
    }
    history_columns(&history, first_value, NULL, 6, values, states);
    assert_int_equal(states[0], HISTORY_VALUE);
    assert_true(fabs(values[0] - 15) < 1e-6);
    assert_int_equal(states[1], HISTORY_NONE);
    assert_int_equal(states[2], HISTORY_LOST);
    assert_int_equal(states[3], HISTORY_UNDEFINED);
    assert_int_equal(states[5], HISTORY_VALUE);
    assert_true(fabs(values[5] - 15) < 1e-6);
    /* Longer samples weigh more. */
    struct view_sample *longer = make_sample(120, 100);
    longer->evaluated_ns = 1000 * SECOND;
    history_add(&history, longer);
    history_columns(&history, first_value, NULL, 6, values, states);
    assert_true(values[5] > 90);
    history_clear(&history);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void test_values_and_texts(void **state)
{
    (void)state;
    struct view_device_info *info = make_info(COUNTERS);
    struct view_sample *sample = make_sample(0, 50), *lost = make_lost(1);
    static const struct {
        unsigned line;
        size_t counter;
        double value;
        const char *text;
    } rows[] = {
        {__LINE__, 0, 50, "50.00 %"},
        {__LINE__, 3, 50, "50 Hz"},
        {__LINE__, 4, 100, "100/s"}, /* in half a second */
        {__LINE__, 5, 100, "100 B/s"},
    };
    char text[64];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct counter_ref counter = {info, rows[i].counter};
        counter_sample_text(text, sizeof text, &counter, sample);
        ROW(rows[i].line, counter_value(&counter, sample) == rows[i].value, "%f",
            counter_value(&counter, sample));
        ROW(rows[i].line, !strcmp(text, rows[i].text), "\"%s\"", text);
        counter_sample_text(text, sizeof text, &counter, lost);
        ROW(rows[i].line, !strcmp(text, "lost"), "\"%s\"", text);
        ROW(rows[i].line, isnan(counter_value(&counter, lost)), "a lost value is a number");
    }
    ROWS_DONE();
    sample->values[0] = (double)NAN;
    counter_sample_text(text, sizeof text, &(struct counter_ref){info, 0}, sample);
    assert_string_equal(text, "-");
    free(sample);
    free(lost);
    view_device_info_free(info);
}

static void test_figures(void **state)
{
    (void)state;
    struct view_device_info *info = make_info(COUNTERS), *small = make_info(1);
    struct view_sample *sample = make_sample(0, 50), *lost = make_lost(1);
    static const struct {
        unsigned line;
        enum figure figure;
        const char *label, *text, *of_lost, *of_small;
    } rows[] = {
        {__LINE__, FIGURE_BUSY, "GPU busy", "50.00 %", "lost", "50.00 %"},
        {__LINE__, FIGURE_EUS, "EU active", "50.0+50.0 %", "lost", "not counted"},
        {__LINE__, FIGURE_MEMORY, "L3 traffic", "100 B/s", "lost", "not counted"},
        {__LINE__, FIGURE_FREQUENCY, "Frequency", "50 Hz", "lost", "not counted"},
        {__LINE__, FIGURE_RC6, "RC6", "not known", "not known", "not known"},
    };
    char text[64];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct figure_ref figure = {info, rows[i].figure}, few = {small, rows[i].figure};
        ROW(rows[i].line, !strcmp(figure_label(&figure), rows[i].label), "%s",
            figure_label(&figure));
        figure_text(text, sizeof text, &figure, sample);
        ROW(rows[i].line, !strcmp(text, rows[i].text), "\"%s\"", text);
        figure_text(text, sizeof text, &figure, lost);
        ROW(rows[i].line, !strcmp(text, rows[i].of_lost), "lost: \"%s\"", text);
        figure_text(text, sizeof text, &few, sample);
        ROW(rows[i].line, !strcmp(text, rows[i].of_small), "small: \"%s\"", text);
        figure_text(text, sizeof text, &figure, NULL);
        ROW(rows[i].line, !strcmp(text, "-"), "no sample: \"%s\"", text);
    }
    ROWS_DONE();
    sample->rc6 = 0.25;
    figure_text(text, sizeof text, &(struct figure_ref){info, FIGURE_RC6}, sample);
    assert_string_equal(text, "25.00 %");
    info->is_recorded = true;
    figure_text(text, sizeof text, &(struct figure_ref){info, FIGURE_RC6}, sample);
    assert_string_equal(text, "not recorded");
    free(sample);
    free(lost);
    view_device_info_free(info);
    view_device_info_free(small);
}

/* ---- the model and keys ---------------------------------------------------------------------- */

/* Presses the keys of a text. Returns the last request. */
static enum keys_request press(struct model *model, const char *keys)
{
    enum keys_request request = KEYS_NOTHING;
    for (; *keys; keys++)
        request = keys_press(model,
                             *keys == '\n'     ? KEYS_ENTER
                             : *keys == '\t'   ? KEYS_TAB
                             : *keys == '\b'   ? KEYS_BACKSPACE
                             : *keys == '\033' ? KEYS_ESCAPE
                                               : (uint32_t)*keys,
                             4);
    return request;
}

static void test_selection_and_search(void **state)
{
    (void)state;
    struct model model;
    struct model_device *device = &model.devices[0];
    start(&model);
    static const struct {
        unsigned line;
        const char *keys, *selected;
    } rows[] = {
        {__LINE__, "", "GpuBusy"},
        {__LINE__, "k", "GpuBusy"},
        {__LINE__, "jj", "EuStall"},
        {__LINE__, "G", "L3ShaderThroughput"},
        {__LINE__, "j", "L3ShaderThroughput"},
        {__LINE__, "g", "GpuBusy"},
        {__LINE__, "/eu\n", "EuActive"},
        {__LINE__, "n", "EuStall"},
        {__LINE__, "N", "EuActive"},
        {__LINE__, "N", "L3ShaderThroughput"}, /* of the group "EU Array" */
        {__LINE__, "/FREQ\n", "AvgGpuCoreFrequency"},
        {__LINE__, "/nonsense\n", "AvgGpuCoreFrequency"},
        {__LINE__, "/threads\b\b\b\b\b\b\bq\n", "AvgGpuCoreFrequency"}, /* q is text here */
        {__LINE__, "/psth\033", "PsThreads"},
        {__LINE__, "h", "PsThreads"},
        {__LINE__, "j", "PsThreads"}, /* leaves the help */
        {__LINE__, "k", "AvgGpuCoreFrequency"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        press(&model, rows[i].keys);
        ROW(rows[i].line, !strcmp(device->selected, rows[i].selected), "%s", device->selected);
        if (strstr(rows[i].keys, "nonsense"))
            ROW(rows[i].line, strstr(model.message, "nonsense") != NULL, "%s", model.message);
    }
    ROWS_DONE();
    assert_int_equal(press(&model, "q"), KEYS_QUIT);
    assert_int_equal(press(&model, "s"), KEYS_SAVE);
    assert_int_equal(press(&model, "+"), KEYS_SLOWER);
    assert_int_equal(press(&model, "-"), KEYS_FASTER);
    assert_int_equal(press(&model, ">"), KEYS_LONGER_PERIOD);
    assert_int_equal(press(&model, "<"), KEYS_SHORTER_PERIOD);
    model_fini(&model);
}

static void check_order(unsigned line, const struct model *model, const char *expected)
{
    size_t *shown, count = model_counters(model, &model->devices[0], &shown);
    char text[COUNTERS + 1] = "";
    for (size_t i = 0; i < count; i++)
        text[i] = (char)('0' + shown[i]);
    ROW(line, !strcmp(text, expected), "%s", text);
    free(shown);
}

static void test_choice_and_order(void **state)
{
    (void)state;
    struct model model;
    start(&model);
    struct view_sample *sample = make_sample(0, 10);
    sample->values[1] = 90;
    sample->values[3] = (double)NAN;
    model_sample(&model, 0, sample, 1);
    check_order(__LINE__, &model, "012345");
    press(&model, "r");
    check_order(__LINE__, &model, "543210");
    press(&model, "ro"); /* by name */
    check_order(__LINE__, &model, "312405");
    press(&model, "o"); /* by load: rates are at their maximum; without a value last */
    check_order(__LINE__, &model, "451023");
    press(&model, "o");
    check_order(__LINE__, &model, "012345");
    press(&model, "c  \n"); /* the first two are hidden */
    check_order(__LINE__, &model, "2345");
    press(&model, "c");
    check_order(__LINE__, &model, "012345"); /* to choose among */
    press(&model, "aa\n");                   /* all, none */
    check_order(__LINE__, &model, "");
    press(&model, "ca\033");
    check_order(__LINE__, &model, "012345");
    ROWS_DONE();
    /* Another set of counters is shown entirely; the same one as before. */
    press(&model, "cg \n");
    model_info(&model, 0, make_info(COUNTERS));
    check_order(__LINE__, &model, "12345");
    model_info(&model, 0, make_info(2));
    check_order(__LINE__, &model, "01");
    ROWS_DONE();
    model_fini(&model);
}

static void test_pause(void **state)
{
    (void)state;
    struct model model;
    struct model_device *device = &model.devices[0];
    start(&model);
    model_sample(&model, 0, make_sample(0, 1), 1);
    assert_int_equal(press(&model, " "), KEYS_PAUSE);
    model_sample(&model, 0, make_sample(1, 2), 2);
    assert_true(model.paused);
    assert_true(history_at(model_history(&model, device), 0)->values[0] == 1);
    press(&model, " ");
    assert_false(model.paused);
    assert_true(history_at(model_history(&model, device), 0)->values[0] == 2);
    assert_int_equal(model_history(&model, device)->count, 2); /* nothing was left out */
    model_fini(&model);
}

static void test_devices(void **state)
{
    (void)state;
    struct model model;
    start(&model);
    press(&model, "v");
    assert_false(model.side_by_side);
    assert_non_null(strstr(model.message, "one device"));
    assert_int_equal(model_add_device(&model, "sim:g92"), 0);
    press(&model, "\t");
    assert_int_equal(model.current, 1);
    press(&model, "j/gpu\nc \n"); /* nothing has arrived from it */
    press(&model, "\tv");
    assert_int_equal(model.current, 0);
    assert_true(model.side_by_side);
    for (size_t i = model.device_count; i < MODEL_DEVICES_MAX; i++)
        assert_int_equal(model_add_device(&model, "x"), 0);
    assert_int_not_equal(model_add_device(&model, "x"), 0);
    model_fini(&model);
}

static void test_every_key_of_the_help_does_something(void **state)
{
    (void)state;
    const char *keys, *text;
    size_t count = 0;
    for (; keys_help(count, &keys, &text); count++)
        assert_true(*keys && *text);
    assert_true(count > 10);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Returns the characters of a canvas as ASCII; others as their low byte's place: B for blocks. */
static char *text_of(const struct canvas *canvas)
{
    char *text = calloc(1, canvas->rows * (canvas->columns + 1) + 1), *to = text;
    for (size_t row = 0; row < canvas->rows; row++) {
        for (size_t column = 0; column < canvas->columns; column++) {
            uint32_t character = canvas->cells[row * canvas->columns + column].character;
            *to++ = character < 127 ? (char)character : 'B';
        }
        *to++ = '\n';
    }
    return text;
}

static char *draw(struct model *model, size_t rows, size_t columns, bool ascii, uint64_t now_ns)
{
    struct canvas canvas = {0};
    assert_int_equal(canvas_start(&canvas, rows, columns, ascii), 0);
    draw_model(model, &canvas, now_ns);
    char *text = text_of(&canvas);
    for (size_t i = 0; ascii && i < rows * columns; i++)
        assert_in_range(canvas.cells[i].character, ' ', 126);
    canvas_fini(&canvas);
    return text;
}

/* Draws and checks that the screen has a text. */
static void check_screen(unsigned line, struct model *model, size_t rows, size_t columns,
                         const char *part)
{
    char *text = draw(model, rows, columns, true, SECOND);
    ROW(line, strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text);
    free(text);
}

/* Metric sets are searched by symbol and name, and chosen among those shown. */
static void test_metric_sets(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"RenderBasic", "Render Metrics Basic"},
                                           {"ComputeBasic", "Compute Metrics Basic"},
                                           {"L3_1", "Metric set L3_1"},
                                           {"ComputeCache", "Compute Metrics L3 Cache"}};
    struct model model;
    start(&model);
    assert_int_equal(press(&model, "m"), KEYS_LIST_SETS);
    struct model_set *sets = calloc(ARRAY_COUNT(names), sizeof *sets);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        sets[i] = (struct model_set){strdup(names[i][0]), strdup(names[i][1])};
    model_list_sets(&model, sets, ARRAY_COUNT(names), "L3_1");
    assert_string_equal(model_selected_set(&model)->symbol, "L3_1");
    check_screen(__LINE__, &model, 24, 80, "metric sets of sim:skl, which counts RenderBasic");
    check_screen(__LINE__, &model, 14, 40, " ComputeCache  Compute Metrics L3 Cache");
    keys_press(&model, KEYS_UP, 4);
    assert_string_equal(model_selected_set(&model)->symbol, "ComputeBasic");
    press(&model, "cache");
    check_screen(__LINE__, &model, 24, 80, "/cache_");
    assert_string_equal(model_selected_set(&model)->symbol, "ComputeCache");
    keys_press(&model, KEYS_UP, 4); /* the only one */
    assert_string_equal(model_selected_set(&model)->symbol, "ComputeCache");
    press(&model, "q");
    assert_null(model_selected_set(&model));
    check_screen(__LINE__, &model, 24, 80, "/cacheq_  no metric set has \"cacheq\"");
    assert_int_equal(press(&model, "\n"), KEYS_NOTHING);
    assert_int_equal(model.mode, MODE_SETS);
    press(&model, "\b\b\b\b\b\b\b");
    keys_press(&model, KEYS_HOME, 4);
    assert_string_equal(model_selected_set(&model)->symbol, "RenderBasic");
    keys_press(&model, KEYS_PAGE_DOWN, 2);
    assert_string_equal(model_selected_set(&model)->symbol, "L3_1");
    press(&model, "l3");
    keys_press(&model, KEYS_END, 4);
    assert_string_equal(model_selected_set(&model)->symbol, "ComputeCache");
    keys_press(&model, KEYS_UP, 4);
    assert_int_equal(press(&model, "\n"), KEYS_CHANGE_SET);
    assert_string_equal(model_selected_set(&model)->symbol, "L3_1");
    assert_int_equal(model.mode, MODE_NORMAL);
    model.mode = MODE_SETS;
    press(&model, "\033");
    assert_int_equal(model.mode, MODE_NORMAL);
    ROWS_DONE();
    model_fini(&model);
}

static void test_screens(void **state)
{
    (void)state;
    struct model model;
    start(&model);
    for (uint64_t i = 0; i < 30; i++)
        model_sample(&model, 0, make_sample(i, (double)i), SECOND);
    check_screen(__LINE__, &model, 24, 80, " modelled Skylake GT2  sim:skl  RenderBasic ");
    check_screen(__LINE__, &model, 24, 80, "1.000 ms / 500 ms  15.0 s ");
    check_screen(__LINE__, &model, 24, 80, "GPU busy   [####");
    check_screen(__LINE__, &model, 24, 80, " 29.00 % ");
    check_screen(__LINE__, &model, 24, 80, "29.0+29.0 %");
    check_screen(__LINE__, &model, 24, 80, "Losses     none, 501 reports");
    check_screen(__LINE__, &model, 24, 80, "FS Threads");
    check_screen(__LINE__, &model, 24, 80, "GpuBusy: What it counts.");
    check_screen(__LINE__, &model, 24, 80, "q Quit");
    check_screen(__LINE__, &model, 40, 120, "          min         mean          max");
    check_screen(__LINE__, &model, 40, 120, "     0.00 %      14.50 %      29.00 %");
    check_screen(__LINE__, &model, 10, 80, "window too small: at least 40x14");
    check_screen(__LINE__, &model, 24, 30, "window too small: at least 40~");
    model_sample(&model, 0, make_lost(30), SECOND);
    check_screen(__LINE__, &model, 24, 80, "lost ");
    check_screen(__LINE__, &model, 24, 80, "_-~=+*%x  \n"); /* a sparkline */
    check_screen(__LINE__, &model, 24, 80, "7 of 508 reports missing; 3 deltas");
    press(&model, " ");
    check_screen(__LINE__, &model, 24, 80, "PAUSED");
    press(&model, " h");
    check_screen(__LINE__, &model, 24, 80, "Space        pause the display");
    check_screen(__LINE__, &model, 24, 80, "RC6: the GPU is kept awake");
    press(&model, "hc");
    check_screen(__LINE__, &model, 24, 80, "[x] GPU Busy");
    press(&model, "\n/bus");
    check_screen(__LINE__, &model, 24, 80, " /bus_");
    ROWS_DONE();
    char *text = draw(&model, 24, 80, true, SECOND + 7 * SECOND);
    assert_non_null(strstr(text, "NO REPORT FOR 7 s"));
    free(text);
    model.devices[0].error = (struct tally_error){-19, "sim:skl: it is gone"};
    model.devices[0].ended = true;
    check_screen(__LINE__, &model, 24, 80, "sim:skl: it is gone");
    check_screen(__LINE__, &model, 24, 80, "ENDED");
    ROWS_DONE();
    model_fini(&model);
}

static void test_contexts(void **state)
{
    (void)state;
    char text[200];
    struct view_sample *sample = make_sample(0, 1);
    sample->context_count = 3;
    sample->contexts[0] = (struct view_context){UINT32_MAX, 0.5}; /* TALLY_CONTEXT_IDLE */
    sample->contexts[1] = (struct view_context){0x1000, 0.25};
    sample->contexts[2] = (struct view_context){VIEW_OTHERS, 0.25};
    draw_contexts_text(text, sizeof text, sample);
    assert_string_equal(text, "idle 50.0 %, 0x1000 25.0 %, others 25.0 %");
    draw_contexts_text(text, 20, sample);
    assert_int_equal(strlen(text), 19);
    free(sample);
}

/* Any size is drawn, in UTF-8 and ASCII, with one device and several, before and after data. */
static void test_every_size(void **state)
{
    (void)state;
    struct model model;
    start(&model);
    assert_int_equal(model_add_device(&model, "sim:g92 \xe2\x82\xac \x1b[31m \xff"), 0);
    for (unsigned step = 0; step < 4; step++) {
        for (size_t rows = 1; rows < 60; rows += 3)
            for (size_t columns = 1; columns < 200; columns += 7) {
                free(draw(&model, rows, columns, true, SECOND));
                free(draw(&model, rows, columns, false, SECOND));
            }
        if (step == 0)
            model_sample(&model, 0, make_sample(0, 1e300), SECOND);
        if (step == 1)
            press(&model, "\t");
        if (step == 2)
            model.side_by_side = true;
    }
    model_fini(&model);
}

static void test_bars(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double share, second;
        const char *bar;
    } rows[] = {
        {__LINE__, 0, 0, "[          ]"},           {__LINE__, 0.5, 0, "[#####     ]"},
        {__LINE__, 1, 0, "[##########]"},           {__LINE__, 7, 0, "[##########]"},
        {__LINE__, 0.3, 0.4, "[###::::   ]"},       {__LINE__, 0.8, 0.9, "[########::]"},
        {__LINE__, (double)NAN, 0, "[          ]"}, {__LINE__, -1, 0, "[          ]"},
        {__LINE__, 0.01, 0, "[.         ]"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct canvas canvas = {0};
        assert_int_equal(canvas_start(&canvas, 1, 12, true), 0);
        area_bar(&(struct area){&canvas, 0, 0, 1, 12}, 0, 0, 12, rows[i].share, rows[i].second);
        char *text = text_of(&canvas);
        ROW(rows[i].line, !strncmp(text, rows[i].bar, 12), "%s", text);
        free(text);
        canvas_fini(&canvas);
    }
    ROWS_DONE();
}

/* ---- evaluation ------------------------------------------------------------------------------ */

struct taken {
    struct view_device_info *info;
    size_t samples, without; /* and those without values */
    uint64_t deltas, lost, missing;
    double shares;
};

static void take_info(void *closure, struct view_device_info *info)
{
    struct taken *taken = closure;
    assert_null(taken->info);
    taken->info = info;
}

static void take_sample(void *closure, struct view_sample *sample)
{
    struct taken *taken = closure;
    assert_non_null(taken->info);
    assert_int_equal(sample->value_count, taken->info->counter_count);
    taken->samples++;
    taken->deltas += sample->deltas;
    taken->lost += sample->lost;
    taken->missing = sample->missing;
    double shares = 0;
    for (size_t i = 0; i < sample->context_count; i++) {
        shares += sample->contexts[i].share;
        assert_true(i == 0 || sample->contexts[i].share <= sample->contexts[i - 1].share);
    }
    taken->without += !sample->has_values;
    if (sample->has_values)
        assert_true(fabs(shares - 1) < 1e-9);
    else
        assert_int_equal(sample->context_count, 0); /* what had the GPU is not known */
    if (!sample->has_values)
        for (size_t i = 0; i < sample->value_count; i++)
            assert_true(isnan(sample->values[i]));
    free(sample);
}

/* The samples of a recording add up to its deltas, however the bytes arrive. */
static void test_pieces(void **state)
{
    (void)state;
    static const size_t pieces[] = {1 << 20, 4096, 97};
    char path[512], metrics[512];
    snprintf(metrics, sizeof metrics, "%s/data/metrics", source_directory());
    snprintf(path, sizeof path, "%s/data/samples/icl.i915-perf", source_directory());
    struct taken first = {0};
    for (size_t i = 0; i < ARRAY_COUNT(pieces); i++) {
        struct buffer bytes = {0};
        struct tally_error error = {0};
        struct taken taken = {0};
        struct tally_recording_options reading = {.size = sizeof reading, .live = true};
        struct tally_pipeline_options options = {.size = sizeof options,
                                                 .metrics = metrics,
                                                 .interval_ns = 100000,
                                                 .recording = &reading};
        const struct evaluator_settings settings = {.name = "icl",
                                                    .is_recorded = true,
                                                    .options = &options,
                                                    .on_info = take_info,
                                                    .on_sample = take_sample,
                                                    .closure = &taken};
        struct evaluator *evaluator;
        assert_int_equal(buffer_load(&bytes, path, 1 << 24, &error), 0);
        assert_int_equal(evaluator_new(&settings, &evaluator, &error), 0);
        for (size_t at = 0; at < bytes.size; at += pieces[i]) {
            size_t left = bytes.size - at;
            assert_int_equal(evaluator_feed(evaluator, bytes.bytes + at,
                                            left < pieces[i] ? left : pieces[i], &error),
                             0);
        }
        assert_int_equal(evaluator_feed(evaluator, NULL, 0, &error), 0);
        assert_true(taken.samples > 3 && taken.deltas > 100 && taken.lost == 2);
        assert_true(taken.without > 0);
        assert_true(taken.info->modelled && taken.info->has_contexts && taken.info->has_rc6);
        assert_string_equal(taken.info->set, "RenderBasic");
        view_device_info_free(taken.info);
        taken.info = NULL;
        if (i == 0)
            first = taken;
        assert_memory_equal(&taken, &first, sizeof taken);
        evaluator_free(evaluator);
        buffer_fini(&bytes);
    }
}

/* Which counters are shown per second. */
static void test_rates(void **state)
{
    (void)state;
    char path[512], metrics[512];
    snprintf(metrics, sizeof metrics, "%s/data/metrics", source_directory());
    snprintf(path, sizeof path, "%s/data/samples/hsw.i915-perf", source_directory());
    struct buffer bytes = {0};
    struct tally_error error = {0};
    struct taken taken = {0};
    struct tally_pipeline_options options = {
        .size = sizeof options, .metrics = metrics, .interval_ns = 5000000};
    const struct evaluator_settings settings = {.name = "hsw",
                                                .options = &options,
                                                .on_info = take_info,
                                                .on_sample = take_sample,
                                                .closure = &taken};
    struct evaluator *evaluator;
    assert_int_equal(buffer_load(&bytes, path, 1 << 24, &error), 0);
    assert_int_equal(evaluator_new(&settings, &evaluator, &error), 0);
    assert_int_equal(evaluator_feed(evaluator, bytes.bytes, bytes.size, &error), 0);
    size_t found = 0;
    for (size_t i = 0; i < taken.info->counter_count; i++) {
        const struct view_counter *counter = &taken.info->counters[i];
        static const struct {
            const char *symbol;
            bool is_rate;
        } rows[] = {
            {"GpuTime", false},      {"GpuCoreClocks", true}, {"AvgGpuCoreFrequency", false},
            {"VsThreads", true},     {"EuActive", false},     {"VsEuActivePerThread", false},
            {"SamplesWritten", true}};
        for (size_t k = 0; k < ARRAY_COUNT(rows); k++)
            if (!strcmp(rows[k].symbol, counter->symbol)) {
                assert_int_equal(counter->is_rate, rows[k].is_rate);
                found++;
            }
    }
    assert_int_equal(found, 7);
    view_device_info_free(taken.info);
    evaluator_free(evaluator);
    buffer_fini(&bytes);
}

/* ---- processes ------------------------------------------------------------------------------- */

#define FDINFO "pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\n"

static void test_fdinfo(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        bool good;
        uint64_t id, render_ns;
    } rows[] = {
        {__LINE__,
         FDINFO "drm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\ndrm-engine-render:\t9288864723 ns\n"
                "drm-engine-copy:\t2035071108 ns\n",
         true, 7, 9288864723},
        {__LINE__, "drm-engine-render: 5 ns\ndrm-client-id: 0\ndrm-pdev: 0000:00:02.0", true, 0, 5},
        {__LINE__, FDINFO "drm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n", false, 0, 0},
        {__LINE__, FDINFO "drm-client-id:\t7\ndrm-pdev:\t0000:00:02.01\ndrm-engine-render:\t1 ns\n",
         false, 0, 0},
        {__LINE__, FDINFO "drm-client-id:\t7\ndrm-pdev:\t0000:01:00.0\ndrm-engine-render:\t1 ns\n",
         false, 0, 0},
        {__LINE__, FDINFO "drm-client-id:\tx\ndrm-pdev:\t0000:00:02.0\ndrm-engine-render:\t1 ns\n",
         false, 0, 0},
        {__LINE__, FDINFO "drm-pdev:\t0000:00:02.0\ndrm-engine-render:\t1 ns\n", false, 0, 0},
        {__LINE__, "", false, 0, 0},
        {__LINE__, "drm-pdev", false, 0, 0},
        {__LINE__, "drm-pdev:", false, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct client_info info = {0};
        ROW(rows[i].line, client_parse(rows[i].text, "0000:00:02.0", &info) == rows[i].good,
            "good is %d", !rows[i].good);
        if (rows[i].good)
            ROW(rows[i].line, info.id == rows[i].id && info.render_ns == rows[i].render_ns,
                "%llu %llu", (unsigned long long)info.id, (unsigned long long)info.render_ns);
    }
    ROWS_DONE();
}

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A process as /proc shows it, with one descriptor of a DRM device. */
static void write_process(const char *proc, int pid, const char *name, int descriptor,
                          unsigned client, unsigned long render_ns)
{
    char path[512], text[256];
    snprintf(path, sizeof path, "%s/%d", proc, pid);
    mkdir(path, 0755);
    write_text(path, "comm", name);
    snprintf(path, sizeof path, "%s/%d/fd", proc, pid);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%d/fd/%d", proc, pid, descriptor);
    if (symlink("/dev/dri/renderD128", path) < 0)
        assert_int_equal(errno, EEXIST);
    snprintf(path, sizeof path, "%s/%d/fdinfo", proc, pid);
    mkdir(path, 0755);
    snprintf(text, sizeof text,
             "drm-pdev:\t0000:00:02.0\ndrm-client-id:\t%u\ndrm-engine-render:\t%lu ns\n", client,
             render_ns);
    snprintf(path, sizeof path, "%s/%d/fdinfo/%d", proc, pid, descriptor);
    write_text("", path, text);
}

static void test_processes(void **state)
{
    (void)state;
    char proc[] = "/tmp/tally-proc-XXXXXX", command[600];
    struct clients clients = {.pdev = "0000:00:02.0"};
    struct view_client shown[VIEW_CLIENTS];
    assert_non_null(mkdtemp(proc));
    write_process(proc, 123, "glxgears\n", 5, 1, 1000000000);
    write_process(proc, 124, "Xorg\n", 5, 2, 500000000);
    write_process(proc, 125, "idle\n", 5, 3, 7);
    assert_int_equal(clients_scan(&clients, proc, 10 * SECOND, shown), 0); /* no time has passed */
    write_process(proc, 123, "glxgears\n", 5, 1, 1250000000);
    write_process(proc, 124, "\x1b[2J\n", 5, 2, 1000000000);
    write_process(proc, 124, "\x1b[2J\n", 6, 2, 1000000000); /* a duplicate descriptor */
    write_process(proc, 126, "new\n", 5, 4, 1000000000);     /* it was not there before */
    assert_int_equal(clients_scan(&clients, proc, 11 * SECOND, shown), 2);
    assert_int_equal(shown[0].pid, 124);
    assert_string_equal(shown[0].name, "\\x1b[2J");
    assert_true(fabs(shown[0].share - 0.5) < 1e-9);
    assert_int_equal(shown[1].pid, 123);
    assert_true(fabs(shown[1].share - 0.25) < 1e-9);
    struct view_sample *sample = make_sample(0, 1);
    char text[200];
    sample->client_count = 2;
    memcpy(sample->clients, shown, 2 * sizeof shown[0]);
    draw_clients_text(text, sizeof text, sample);
    assert_string_equal(text, "\\x1b[2J [124] 50.0 %, glxgears [123] 25.0 %");
    free(sample);
    /* A GPU without a known address has no clients. */
    assert_int_equal(clients_scan(&(struct clients){0}, proc, SECOND, shown), 0);
    clients_start(&clients, "sim:skl");
    assert_string_equal(clients.pdev, "");
    snprintf(command, sizeof command, "rm -r %s", proc);
    assert_int_equal(system(command), 0);
}

/* Adds the samples that a source has; returns false after its end. */
static bool take_samples(struct view_source *source, uint64_t *deltas, uint64_t *end_ns,
                         struct view_sample *latest)
{
    struct view_event event;
    while (view_source_next(source, &event)) {
        bool ended = event.kind == VIEW_ENDED;
        if (ended)
            assert_int_equal(event.error.code, 0);
        if (event.kind == VIEW_SAMPLE) {
            /* Samples follow each other without a gap. */
            if (*end_ns)
                assert_int_equal(event.sample->start_ns, *end_ns);
            *end_ns = event.sample->end_ns;
            *deltas += event.sample->deltas + event.sample->lost;
            *latest = *event.sample;
        }
        view_event_fini(&event);
        if (ended)
            return false;
    }
    return true;
}

/* Each report begins and ends a delta, whatever the intervals are. */
static void test_interval_changes_drop_no_delta(void **state)
{
    (void)state;
    char metrics[512], workload[512];
    struct tally_capture_device_options device = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture_options recording = TALLY_CAPTURE_OPTIONS_INIT;
    const struct tally_recording_options reading = {.size = sizeof reading, .live = true};
    const struct tally_pipeline_options evaluation = {
        .size = sizeof evaluation, .metrics = metrics, .recording = &reading};
    struct view_source_settings settings = {
        .recording = &recording, .evaluation = &evaluation, .interval_ns = VIEW_INTERVAL_MIN_NS};
    struct view_source *source;
    struct tally_error error;
    struct view_sample latest = {0};
    uint64_t deltas = 0, end_ns = 0;
    unsigned samples = 0;
    if (!getenv("TALLY_SOURCE"))
        skip();
    snprintf(metrics, sizeof metrics, "%s/data/metrics", getenv("TALLY_SOURCE"));
    snprintf(workload, sizeof workload, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    device.workload = workload;
    recording.metrics = metrics;
    if (tally_capture_open("sim:skl", &device, &settings.capture, &error) < 0)
        fail_msg("%s", error.message);
    settings.notify = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(view_source_start(&settings, &source, &error), 0);
    for (uint64_t count, seen_ns = 0; samples < 8; seen_ns = end_ns) {
        assert_int_equal(read(settings.notify, &count, sizeof count), sizeof count);
        assert_true(take_samples(source, &deltas, &end_ns, &latest));
        if (end_ns > seen_ns)
            view_source_set_interval(source, VIEW_INTERVAL_MIN_NS * (1 + ++samples % 2));
    }
    view_source_stop(source);
    for (uint64_t count; take_samples(source, &deltas, &end_ns, &latest);)
        assert_int_equal(read(settings.notify, &count, sizeof count), sizeof count);
    assert_int_equal(deltas, latest.reports + latest.missing - 1);
    view_source_free(source);
    close(settings.notify);
    tally_capture_close(settings.capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fdinfo),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_interval_changes_drop_no_delta),
        cmocka_unit_test(test_history_keeps_a_minute),
        cmocka_unit_test(test_history_has_a_limit),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_values_and_texts),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_selection_and_search),
        cmocka_unit_test(test_choice_and_order),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_metric_sets),
        cmocka_unit_test(test_every_key_of_the_help_does_something),
        cmocka_unit_test(test_screens),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
