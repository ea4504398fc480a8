/* SPDX-License-Identifier: MIT */
/*
 * Every report that the model produced was delivered or counted as lost. A recorder that stalls
 * until the kernel's buffer overflows is compared with a twin that reads the same model in time.
 */
#include "capture/tests.h"

#include "capture/recorded.h"

#define MS UINT64_C(1000000)

/* A machine on which time passes before some of the reads. */
struct slow {
    struct device inner;
    unsigned reads;
    unsigned stalls[4]; /* numbers of the delayed reads, from 1 */
    uint64_t stall_ns;
};

#define INNER(self)           (((struct slow *)(self))->inner)
#define PASS(self, call, ...) INNER(self).calls->call(INNER(self).self, __VA_ARGS__)

static int slow_open(void *self, const char *path)
{
    return PASS(self, open, path);
}

static int slow_ioctl(void *self, int fd, uint32_t request, void *argument)
{
    return PASS(self, ioctl, fd, request, argument);
}

static int slow_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    return PASS(self, poll, stream, wake, timeout_ns);
}

static int64_t slow_read(void *self, int fd, void *to, size_t bytes)
{
    struct slow *slow = self;
    slow->reads++;
    for (size_t i = 0; i < 4; i++)
        if (slow->reads == slow->stalls[i])
            emulation_run_ns(emulated_device(&slow->inner), slow->stall_ns);
    return PASS(self, read, fd, to, bytes);
}

static int slow_close(void *self, int fd)
{
    return PASS(self, close, fd);
}

static int slow_card(void *self, int fd, char *directory, size_t size)
{
    return PASS(self, card, fd, directory, size);
}

static int slow_text(void *self, const char *path, char *text, size_t size)
{
    return PASS(self, text, path, text, size);
}

static uint64_t slow_now_ns(void *self)
{
    return device_now_ns(&INNER(self));
}

static void slow_free(void *self)
{
    device_free(&INNER(self));
}

static const struct device_calls slow_calls = {
    .open = slow_open,
    .ioctl = slow_ioctl,
    .poll = slow_poll,
    .read = slow_read,
    .close = slow_close,
    .card = slow_card,
    .text = slow_text,
    .now_ns = slow_now_ns,
    .free = slow_free,
};

/* Counts the timer reports in [from, to]. */
static uint64_t timers(const struct recorded *recorded, uint64_t from, uint64_t to)
{
    uint64_t count = 0;
    for (size_t i = 0; i < recorded->count; i++)
        count += recorded->reports[i].timer && recorded->reports[i].ticks >= from &&
                 recorded->reports[i].ticks <= to;
    return count;
}

/* A report about every 2.6 us: 65,536 of them fill the kernel's buffer in 170 ms. */
#define EXPONENT 4

static const struct loss_case {
    unsigned line;
    const char *platform;
    unsigned stalls[4];
    uint64_t stall_ns;
    uint64_t min_overflows;
} cases[] = {
    {__LINE__, "hsw", {0}, 0, 0},
    {__LINE__, "hsw", {3}, 300 * MS, 1},
    {__LINE__, "hsw", {3, 9, 10, 30}, 300 * MS, 3},
    {__LINE__, "hsw", {5, 20}, 100 * MS, 0}, /* the buffer is large enough */
    {__LINE__, "bdw", {3}, 250 * MS, 1},
    {__LINE__, "skl", {3, 12}, 250 * MS, 2},
    {__LINE__, "icl", {3}, 250 * MS, 1},
};

static void check_loss(const struct loss_case *row)
{
    struct recorded twin, stalled;
    uint64_t duration = 200 * MS;
    for (size_t i = 0; i < COUNT(row->stalls); i++)
        duration += row->stalls[i] ? row->stall_ns : 0;
    struct device machine = modelled(row->platform, "contexts");
    record(&machine, EXPONENT, duration, &twin);
    device_free(&machine);
    ROW(row->line, twin.totals.missing == 0 && twin.totals.buffer_lost == 0,
        "the twin has lost %llu", (unsigned long long)twin.totals.missing);

    struct slow slow = {.inner = modelled(row->platform, "contexts"), .stall_ns = row->stall_ns};
    memcpy(slow.stalls, row->stalls, sizeof slow.stalls);
    machine = (struct device){&slow_calls, &slow};
    record(&machine, EXPONENT, duration, &stalled);
    device_free(&machine);
    ROW(row->line, stalled.totals.buffer_lost >= row->min_overflows, "%llu overflows",
        (unsigned long long)stalled.totals.buffer_lost);
    ROW(row->line, (stalled.totals.missing > 0) == (row->min_overflows > 0), "%llu missing",
        (unsigned long long)stalled.totals.missing);

    uint64_t from = stalled.reports[0].ticks, to = stalled.reports[stalled.count - 1].ticks;
    uint64_t produced = timers(&twin, from, to), delivered = timers(&stalled, from, to);
    ROW(row->line, twin.reports[twin.count - 1].ticks >= to, "the twin ends before it");
    ROW(row->line, produced == delivered + stalled.totals.missing,
        "%s: %llu produced, %llu delivered, %llu counted as missing", row->platform,
        (unsigned long long)produced, (unsigned long long)delivered,
        (unsigned long long)stalled.totals.missing);
    /* The reader of the file finds the same number. */
    if (!strcmp(row->platform, "hsw"))
        ROW(row->line, stalled.estimated == stalled.totals.missing,
            "the ledger says %llu, not %llu", (unsigned long long)stalled.estimated,
            (unsigned long long)stalled.totals.missing);
    recorded_free(&twin);
    recorded_free(&stalled);
}

static void test_losses_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_loss(&cases[i]);
    ROWS_DONE();
}

int run_stats_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses_are_counted),
    };
    return cmocka_run_group_tests_name("loss", tests, NULL, NULL);
}
