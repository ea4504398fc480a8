/* SPDX-License-Identifier: MIT */
/* The driver that only uses registers on plain memory for registers, with a clock that a test sets:
 * each access from opening to closing, and each limit of time to the nanosecond. */
#include "driver/tests.h"

#include <errno.h>

#include "base/bits.h"
#include "driver/mmio/mmio.h"
#include "driver/mmio_rig.h"

#define BUFFER  UINT64_C(0x1000000)
#define MAX_LOG 200

struct plain {
    uint32_t values[0x40000 / 4]; /* registers by address */
    uint64_t now, slept;
    unsigned naps, calls; /* sleeps of some time, and of none */
    uint32_t stuck_at;    /* a register that always reads as 1; 0: none */
    bool asleep;
    uint32_t address[MAX_LOG], value[MAX_LOG];
    size_t writes;
};

/* Force wake is acknowledged at once, unless the GT is `asleep`; the domains are those of Gen6 to
 * Gen12 (public i915 driver). */
static bool is_acknowledge(uint32_t address)
{
    static const uint32_t list[] = {0x130040, 0x130044, 0x130090, 0x1300b0, 0x1300b4, 0xd84, 0xd88,
                                    0xd50,    0xd54,    0xd58,    0xd5c,    0xd70,    0xd74};
    for (size_t i = 0; i < COUNT(list); i++)
        if (list[i] == address)
            return true;
    return false;
}

static uint32_t plain_read(void *closure, uint32_t address)
{
    struct plain *plain = closure;
    if (is_acknowledge(address))
        return !plain->asleep;
    if (plain->stuck_at && address == plain->stuck_at)
        return 1;
    return plain->values[address / 4 % COUNT(plain->values)];
}

static void plain_write(void *closure, uint32_t address, uint32_t value)
{
    struct plain *plain = closure;
    assert_true(plain->writes < MAX_LOG);
    plain->address[plain->writes] = address;
    plain->value[plain->writes++] = value;
    /* Translations are invalidated at once. */
    plain->values[address / 4 % COUNT(plain->values)] = address == 0xceec ? 0 : value;
}

static uint64_t plain_now(void *closure)
{
    return ((struct plain *)closure)->now;
}

static int plain_sleep(void *closure, uint64_t ns, bool interruptible)
{
    (void)interruptible;
    struct plain *plain = closure;
    plain->slept += ns;
    plain->now += ns;
    plain->naps += ns > 0;
    plain->calls += ns == 0;
    return 0;
}

struct rig {
    struct plain *plain;
    struct mmio_device *device;
    struct mmio_stream *stream;
    const struct tally_layout *layout;
};

static struct rig rig_new(const char *platform)
{
    struct rig rig = {.plain = calloc(1, sizeof *rig.plain)};
    assert_non_null(rig.plain);
    rig.plain->now = 1000;
    struct driver_io io = {plain_read, plain_write, plain_now, plain_sleep, rig.plain};
    assert_int_equal(mmio_device_new(platform, &io, &rig.device, NULL), 0);
    rig.layout = mmio_rig_layout(intel_modelled(platform));
    return rig;
}

static int rig_open(struct rig *rig, uint32_t exponent, uint32_t buffer_bytes)
{
    static const struct mmio_register set[] = {{0x2390, 3}};
    struct mmio_stream_options options = {.layout = rig->layout,
                                          .exponent = exponent,
                                          .buffer_bytes = buffer_bytes,
                                          .registers = set,
                                          .register_count = 1};
    return mmio_stream_open(rig->device, &options, &rig->stream, NULL);
}

static void rig_free(struct rig *rig)
{
    mmio_device_free(rig->device);
    free(rig->plain);
}

/* Sets the time, and lets the driver do what is due. */
static void at_ns(const struct rig *rig, uint64_t ns)
{
    rig->plain->now = ns;
    mmio_device_tick(rig->device);
}

/* SNB's tail, which shares its register with the buffer's size and the status. */
static void set_tail(const struct rig *rig, uint32_t offset, uint32_t status)
{
    rig->plain->values[0x2364 / 4] = (uint32_t)BUFFER + offset + status;
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct write {
    uint32_t address, value;
};

static const struct write snb[] = {
    {0xa18c, 0x10001},    {0xa094, 0x0},        {0xa090, 0xaaaa5555}, {0x9400, 0x2aaa55d5},
    {0x9400, 0x2aab55d5}, {0x2360, 0x0},        {0x2390, 0x3},        {0x2368, 0x1000001},
    {0x23b0, 0x1000000},  {0x2364, 0x1000038},  {0x2360, 0x3ad},      {0x2360, 0x0},
    {0x9400, 0x2aaa55d5}, {0x9400, 0x2aaa5555}, {0xa090, 0x2aaa5555}, {0xa094, 0x2aaa5555},
    {0xa18c, 0x10000},
};
static const struct write ivb[] = {
    {0xa188, 0x10001},    {0xa094, 0x0},        {0xa090, 0xaaaa5555}, {0x9424, 0x2aaa5554},
    {0x9400, 0x2aaa55d5}, {0x2360, 0x0},        {0x2390, 0x3},        {0x2368, 0x1000001},
    {0x23b0, 0x1000000},  {0x2364, 0x1000038},  {0x2360, 0x3b5},      {0x2360, 0x0},
    {0x9400, 0x2aaa5555}, {0x9424, 0x2aaa5555}, {0xa090, 0x2aaa5555}, {0xa094, 0x2aaa5555},
    {0xa188, 0x10000},
};
static const struct write hsw[] = {
    {0xa188, 0x10001},    {0xa094, 0x0},        {0xa090, 0xaaaa5555}, {0x9424, 0x2aaa5554},
    {0x9400, 0x2aaa55d5}, {0x2360, 0x0},        {0x2390, 0x3},        {0x2368, 0x1000001},
    {0x23b0, 0x1000000},  {0x2364, 0x1000038},  {0x2360, 0x3b5},      {0x2360, 0x0},
    {0x9840, 0x2aaa5555}, {0x9400, 0x2aaa5555}, {0x9424, 0x2aaa5555}, {0xa090, 0x2aaa5555},
    {0xa094, 0x2aaa5555}, {0xa188, 0x10000},
};
static const struct write bdw[] = {
    {0xa188, 0x10001},    {0x2b00, 0x0},     {0x2390, 0x3},       {0x2b08, 0x0},
    {0x2b0c, 0x1000000},  {0x23b4, 0x0},     {0x2b14, 0x1000039}, {0x2b10, 0x1000000},
    {0x2360, 0x3b},       {0x2364, 0x0},     {0x2b00, 0x15},      {0x2b00, 0x0},
    {0x9840, 0x2aaa5555}, {0xa188, 0x10000},
};
static const struct write skl[] = {
    {0xa188, 0x10001},    {0xa278, 0x10001},   {0xa270, 0x10001},   {0x2b04, 0x620060},
    {0x2b00, 0x0},        {0x2390, 0x3},       {0x2b08, 0x0},       {0x2b0c, 0x1000000},
    {0x23b4, 0x0},        {0x2b14, 0x1000039}, {0x2b10, 0x1000000}, {0x2360, 0x3b},
    {0x2364, 0x0},        {0x2b00, 0x15},      {0x2b00, 0x0},       {0x2b04, 0x620040},
    {0x9840, 0x2aaa5555}, {0xa188, 0x10000},   {0xa278, 0x10000},   {0xa270, 0x10000},
};
static const struct write icl[] = {
    {0xa188, 0x10001},   {0xa188, 0x10000},   {0xa188, 0x10001},   {0xa278, 0x10001},
    {0xa540, 0x10001},   {0xa548, 0x10001},   {0xa560, 0x10001},   {0xfdc, 0xaaaa5555},
    {0x2b04, 0x620060},  {0x2b00, 0x0},       {0x2390, 0x3},       {0x2b08, 0x0},
    {0x2b0c, 0x1000000}, {0x23b4, 0x0},       {0x2b14, 0x1000039}, {0x2b10, 0x1000000},
    {0x2360, 0x3b},      {0x2364, 0x0},       {0x2b00, 0x15},      {0x2b00, 0x0},
    {0x2b04, 0x620040},  {0xfdc, 0x2aaa5555}, {0xd04, 0x2aaa5555}, {0xa188, 0x10000},
    {0xa278, 0x10000},   {0xa540, 0x10000},   {0xa548, 0x10000},   {0xa560, 0x10000},
};
static const struct write tgl[] = {
    {0xa188, 0x10001},   {0xa188, 0x10000},    {0xa188, 0x10001},   {0xa278, 0x10001},
    {0xa540, 0x10001},   {0xa548, 0x10001},    {0xa560, 0x10001},   {0xfdc, 0xaaaa5555},
    {0xdaf8, 0x620060},  {0x8718, 0x6aaa5555}, {0xdaf4, 0x0},       {0xceec, 0x1},
    {0x2390, 0x3},       {0xdafc, 0x0},        {0xdb00, 0x1000000}, {0xdb08, 0x1000039},
    {0xdb04, 0x1000000}, {0x2b28, 0x3b},       {0xdaf4, 0x15},      {0xdaf4, 0x0},
    {0xceec, 0x1},       {0x8718, 0x2aaa5555}, {0xdaf8, 0x620040},  {0xfdc, 0x2aaa5555},
    {0xd04, 0x2aaa5555}, {0xa188, 0x10000},    {0xa278, 0x10000},   {0xa540, 0x10000},
    {0xa548, 0x10000},   {0xa560, 0x10000},
};

/* Each write from opening to closing: docs/mmio-driver.md says what they are for. */
static void test_all_writes(void **state)
{
    (void)state;
    static const struct {
        const char *platform;
        const struct write *writes;
        size_t count;
    } rows[] = {{"snb", snb, COUNT(snb)}, {"ivb", ivb, COUNT(ivb)}, {"hsw", hsw, COUNT(hsw)},
                {"bdw", bdw, COUNT(bdw)}, {"skl", skl, COUNT(skl)}, {"icl", icl, COUNT(icl)},
                {"tgl", tgl, COUNT(tgl)}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig = rig_new(rows[i].platform);
        for (size_t k = 0; k < COUNT(rig.plain->values); k++)
            rig.plain->values[k] = 0x2aaa5555; /* what closing restores */
        rig.plain->values[0x9140 / 4] = 0;     /* no video engine is fused off */
        assert_int_equal(rig_open(&rig, 14, 0), 0);
        mmio_stream_close(rig.stream);
        ROW(__LINE__, rig.plain->writes == rows[i].count, "%s: %zu writes", rows[i].platform,
            rig.plain->writes);
        for (size_t k = 0; k < rig.plain->writes && k < rows[i].count; k++)
            ROW(__LINE__,
                rig.plain->address[k] == rows[i].writes[k].address &&
                    rig.plain->value[k] == rows[i].writes[k].value,
                "%s, write %zu: %xh = %xh", rows[i].platform, k, (unsigned)rig.plain->address[k],
                (unsigned)rig.plain->value[k]);
        rig_free(&rig);
    }
    ROWS_DONE();
}

/* The codes of the sizes: bits 5:3 of OASTATUS1 or OABUFFER. */
static void test_sizes(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 8; code++) {
        struct rig small = rig_new("snb"), large = rig_new("hsw");
        assert_int_equal(rig_open(&small, 14, 16384 * (code + 1)), 0);
        ROW(__LINE__, small.plain->values[0x2364 / 4] == BUFFER + (code << 3), "snb: %u", code);
        assert_int_equal(rig_open(&large, 14, 131072u << code), 0);
        ROW(__LINE__, large.plain->values[0x2364 / 4] == BUFFER + (code << 3), "hsw: %u", code);
        rig_free(&small);
        rig_free(&large);
    }
    ROWS_DONE();
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void test_waits(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t stuck_at;
        bool asleep;
        int result;
        unsigned naps, calls;
        uint64_t ns;
    } rows[] = {
        {__LINE__, "snb", 0, false, 0, 1, 1, 500000},
        {__LINE__, "snb", 0, true, -EIO, 50, 0, 50000},       /* 50 times 1 us */
        {__LINE__, "snb", 0x2360, false, 0, 51, 1, 50500000}, /* 50 times 1 ms */
        {__LINE__, "tgl", 0xdaf4, false, 0, 51, 1, 50500000},
        {__LINE__, "tgl", 0xceec, false, 0, 51, 1, 50500000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig = rig_new(rows[i].platform);
        rig.plain->stuck_at = rows[i].stuck_at;
        rig.plain->asleep = rows[i].asleep;
        int result = rig_open(&rig, 14, 0);
        ROW(rows[i].line,
            result == rows[i].result && rig.plain->naps == rows[i].naps &&
                rig.plain->calls == rows[i].calls && rig.plain->slept == rows[i].ns,
            "%s: %d after %u + %u waits, %u ns", rows[i].platform, result, rig.plain->naps,
            rig.plain->calls, (unsigned)rig.plain->slept);
        rig_free(&rig);
    }
    ROWS_DONE();
}

/* The buffer is looked at eight times before it is full: from every 100 us to every 5 ms. SNB's
 * timer: 2^(n + 4) times 80 ns; 128 KiB hold 682 reports of 192 bytes, 16 KiB 85. */
static void test_poll_periods(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t exponent, buffer_bytes;
        uint64_t ns;
    } rows[] = {
        {__LINE__, 0, 16384, 100000},
        {__LINE__, 0, 131072, 109120},
        {__LINE__, 1, 131072, 218240},
        {__LINE__, 5, 131072, 3491840},
        {__LINE__, 6, 131072, 5000000},
        {__LINE__, 6, 16384, 870400},
        {__LINE__, MMIO_NO_TIMER, 131072, 5000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig = rig_new("snb");
        assert_int_equal(rig_open(&rig, rows[i].exponent, rows[i].buffer_bytes), 0);
        uint64_t first = mmio_device_next_ns(rig.device) - rig.plain->now;
        ROW(rows[i].line, first == rows[i].ns, "period of %u ns", (unsigned)first);
        at_ns(&rig, rig.plain->now + first - 1);
        ROW(rows[i].line, mmio_device_next_ns(rig.device) == rig.plain->now + 1, "too early");
        at_ns(&rig, rig.plain->now + 1 + 3 * first + 7); /* late: the grid stays */
        ROW(rows[i].line, mmio_device_next_ns(rig.device) == rig.plain->now + first - 7, "late");
        rig_free(&rig);
    }
    ROWS_DONE();
}

/* Checks how old the newest report must be: with its header in memory 100 us, without 20 ms. */
static void check_age(bool landed, uint64_t age_ns)
{
    for (uint64_t early = 0; early < 2; early++) {
        struct rig rig = rig_new("snb");
        assert_int_equal(rig_open(&rig, 0, 0), 0); /* looks every 100 us */
        uint64_t since = mmio_device_next_ns(rig.device) + 20000000 + 99999;
        set_tail(&rig, rig.layout->size_bytes, 0);
        if (landed)
            assert_true(mmio_memory_write(rig.device, 0, BUFFER, "report", 6));
        at_ns(&rig, since);
        ROW(__LINE__, !mmio_stream_poll(rig.stream), "a new report is old");
        at_ns(&rig, since + age_ns - early);
        ROW(__LINE__, mmio_stream_poll(rig.stream) == !early, "%u ns, %u early: %s",
            (unsigned)age_ns, (unsigned)early, early ? "complete" : "not complete");
        rig_free(&rig);
    }
}

static void test_ages(void **state)
{
    (void)state;
    check_age(true, 100000);
    check_age(false, 20000000);
    ROWS_DONE();
}

/* With more than half of a buffer behind it nothing waits for a report whose header is missing. */
static void test_half_a_buffer(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct rig rig = rig_new("snb");
        assert_int_equal(rig_open(&rig, 0, 131072), 0);
        set_tail(&rig, 65536 + more * rig.layout->size_bytes, 0);
        at_ns(&rig, mmio_device_next_ns(rig.device));
        ROW(__LINE__, mmio_stream_poll(rig.stream) == more, "%u more", more);
        rig_free(&rig);
    }
    ROWS_DONE();
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A report that was read has no first words in its lines any more; the rest stays. */
static void test_what_is_forgotten(void **state)
{
    (void)state;
    struct rig rig = rig_new("snb");
    uint8_t ones[512], zeros[8] = {0}, found[1024];
    memset(ones, 0xff, sizeof ones);
    assert_int_equal(rig_open(&rig, 0, 0), 0);
    assert_int_equal(rig.layout->size_bytes, 192);
    assert_true(mmio_memory_write(rig.device, 0, BUFFER, ones, 384));
    set_tail(&rig, 384, 0);
    at_ns(&rig, mmio_device_next_ns(rig.device)); /* the second one has begun: the first is there */
    assert_int_equal(mmio_stream_read(rig.stream, found, sizeof found), 8 + 192);
    assert_memory_equal(found + 8, ones, 192);
    assert_true(mmio_memory_read(rig.device, 0, BUFFER, found, 384));
    for (unsigned at = 0; at < 384; at += 64) {
        ROW(__LINE__, !memcmp(found + at, at < 192 ? zeros : ones, 8), "line at %u", at);
        ROW(__LINE__, !memcmp(found + at + 8, ones, 56), "rest of the line at %u", at);
    }
    ROW(__LINE__, rig.plain->values[0x2368 / 4] == BUFFER + 192 + 1, "head %xh",
        (unsigned)rig.plain->values[0x2368 / 4]);
    rig_free(&rig);
    ROWS_DONE();
}

/* The records of losses have the kernel's types: 2 for reports, 3 for the buffer, which is empty
 * afterwards. OASTATUS1 has Report Lost in bit 0, Buffer Overflow in bit 1. */
static void test_losses(void **state)
{
    (void)state;
    for (uint32_t type = 2; type <= 3; type++) {
        struct rig rig = rig_new("snb");
        uint8_t found[64], words[8];
        assert_int_equal(rig_open(&rig, 0, 0), 0);
        assert_true(mmio_memory_write(rig.device, 0, BUFFER + 4096, "words...", 8));
        set_tail(&rig, 0, type - 1);
        unsigned calls = rig.plain->calls;
        int64_t size = mmio_stream_read(rig.stream, found, sizeof found);
        ROW(__LINE__,
            size == 8 && load_le32(found) == type && load_le16(found + 4) == 0 &&
                load_le16(found + 6) == 8,
            "%u: record of %d bytes", type, (int)size);
        assert_true(mmio_memory_read(rig.device, 0, BUFFER + 4096, words, 8));
        ROW(__LINE__, (load_le32(words) != 0) == (type == 2), "%u: the buffer", type);
        ROW(__LINE__, rig.plain->calls - calls == type - 2, "%u: accounts", type);
        ROW(__LINE__, mmio_stream_read(rig.stream, found, sizeof found) == -EAGAIN, "again");
        rig_free(&rig);
    }
    ROWS_DONE();
}

int run_mmio_times_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_writes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_poll_periods),
        cmocka_unit_test(test_ages),
        cmocka_unit_test(test_half_a_buffer),
        cmocka_unit_test(test_what_is_forgotten),
        cmocka_unit_test(test_losses),
    };
    return cmocka_run_group_tests_name("mmio times", tests, NULL, NULL);
}
