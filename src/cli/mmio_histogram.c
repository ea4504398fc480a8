/* SPDX-License-Identifier: MIT */
/* tally mmio histogram: how often something lasted, or happened, for long enough, by PCOUNTER's
 * single event mode. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tally/sink.h>

#include "base/error.h"
#include "cli/input.h"
#include "cli/list.h"
#include "cli/mmio.h"
#include "driver/perfmon/histogram.h"

#define FIRST_THRESHOLD    5 /* operands: histogram DEVICE START STOP EVENT THRESHOLD... */
#define THRESHOLDS_MAX     256
#define PERIODS            1000
#define DEFAULT_TIMEOUT_NS UINT64_C(1000000000)

enum {
    BIN_THRESHOLD,
    BIN_REACHED,
    BIN_PERIODS,
    BIN_SHARE,
    BIN_EVENTS,
    BIN_CLOCKS,
    BIN_NOTE,
    BIN_COLUMNS
};

static const struct list_column columns[BIN_COLUMNS] = {
    [BIN_THRESHOLD] = {"threshold", LIST_NUMBER, 1, 2, 10, "threshold"},
    [BIN_REACHED] = {"reached", LIST_NUMBER, 2, 2, 8, "reached"},
    [BIN_PERIODS] = {"periods", LIST_NUMBER, 3, 2, 8, "periods"},
    [BIN_SHARE] = {NULL, LIST_TEXT, 4, 2, 7, "share"},
    [BIN_EVENTS] = {"last_events", LIST_NUMBER, 5, 2, 12, "last events"},
    [BIN_CLOCKS] = {"last_clocks", LIST_NUMBER, 6, 2, 12, "last clocks"},
    [BIN_NOTE] = {"note", LIST_TEXT, 7, 2, 0, "note"},
};
static const struct list_kind histogram_list = LIST_KIND("threshold", columns);

/* The last run of a command that a signal has ended was not long enough for its own fault. */
static const char *note_of(const struct perfmon_bin *bin, bool last, const char *flags)
{
    if (bin->flags != PERFMON_STUCK)
        return flags;
    if (!bin->periods && !bin->last_cycles)
        return "not begun in time";
    return last && mmio_is_stopped() ? "interrupted" : "not ended in time";
}

static void put_bin(struct list *list, const struct perfmon_bin *bin, bool last)
{
    char share[16] = "", flags[PERFMON_FLAGS_TEXT];
    if (bin->periods)
        snprintf(share, sizeof share, "%.1f %%", 100 * (double)bin->reached / (double)bin->periods);
    perfmon_flags_text(bin->flags, flags);
    const struct list_cell cells[BIN_COLUMNS] = {
        [BIN_THRESHOLD] = {.number = bin->threshold},
        [BIN_REACHED] = {.number = bin->reached},
        [BIN_PERIODS] = {.number = bin->periods},
        [BIN_SHARE] = {.text = share},
        [BIN_EVENTS] = {.number = bin->last_events},
        [BIN_CLOCKS] = {.number = bin->last_cycles},
        [BIN_NOTE] = {.text = note_of(bin, last, flags),
                      .state = bin->flags ? LIST_PRESENT : LIST_NULL},
    };
    list_row(list, cells);
}

static int parse_thresholds(const struct arguments *arguments, uint64_t *thresholds, size_t *count)
{
    *count = 0;
    for (size_t i = FIRST_THRESHOLD; i < arguments->operand_count; i++) {
        const char *text = arguments->operands[i];
        char *end;
        errno = 0;
        if (*count == THRESHOLDS_MAX)
            return usage_error("mmio: histogram: more than %d thresholds", THRESHOLDS_MAX);
        thresholds[*count] = strtoull(text, &end, 0);
        if (errno || end == text || *end || *text == '-')
            return usage_error("mmio: histogram: threshold \"%s\", expected a number", text);
        ++*count;
    }
    return *count ? EXIT_DONE
                  : usage_error("mmio: histogram expects START STOP EVENT THRESHOLD...; see tally "
                                "help mmio");
}

/* Runs until a signal; *taken is the number of bins that were filled. */
static int take(struct mmio *mmio, const uint64_t *thresholds, size_t count,
                struct perfmon_bin *bins, size_t *taken, struct tally_error *error)
{
    char *const *operands = mmio->arguments->operands;
    const struct perfmon_histogram_options options = {
        .start = operands[2],
        .stop = operands[3],
        .event = operands[4],
        .domain = ANY_DOMAIN,
        .instance = ALL_INSTANCES,
        .periods = PERIODS,
        .timeout_ns = mmio->time_ns == UINT64_MAX ? DEFAULT_TIMEOUT_NS : mmio->time_ns};
    struct perfmon_session *session;
    int result = perfmon_session_new(mmio->found.chip.chipset, &mmio->io, 0, &session, error);
    if (result)
        return result;
    for (*taken = 0; !result && *taken < count && !mmio_is_stopped(); *taken += !result)
        result = perfmon_histogram(session, &options, &thresholds[*taken], 1, &bins[*taken], error);
    perfmon_session_free(session);
    return result;
}

int mmio_histogram(struct mmio *mmio)
{
    uint64_t thresholds[THRESHOLDS_MAX];
    struct perfmon_bin bins[THRESHOLDS_MAX] = {{0}};
    struct tally_error error = {0};
    struct list list;
    size_t count, taken = 0;
    const struct sink *sink = choose_format(mmio->arguments, "table", TALLY_RENDER_LISTS);
    int code = !sink ? EXIT_USAGE : parse_thresholds(mmio->arguments, thresholds, &count);
    if (code == EXIT_DONE)
        code = mmio_watch_times(mmio);
    if (code == EXIT_DONE && !mmio->found.chip.chipset)
        code = usage_error("mmio: histogram: %s has no PCOUNTER, expected a GPU of NVIDIA such as "
                           "sim:g92",
                           mmio->device);
    if (code != EXIT_DONE)
        return code;
    if (take(mmio, thresholds, count, bins, &taken, &error) < 0)
        return report_error(&error);
    struct output *output = open_output(mmio->arguments, &code);
    if (!output)
        return code;
    list_begin(&list, output, sink->lists, &histogram_list);
    for (size_t i = 0; i < taken; i++)
        put_bin(&list, &bins[i], i + 1 == taken);
    return close_output(output, code);
}
