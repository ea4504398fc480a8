/* SPDX-License-Identifier: MIT */
/* How long the driver waits for hardware that does not answer (PERF-6.3, OA-4.2): the limit of each
 * wait, and what it does afterwards, which is to continue. */
#include <inttypes.h>

#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

/* The hardware of a rig with a register that is stuck for a number of reads. */
struct stuck {
    struct i915_hardware real;
    uint32_t address, value;
    unsigned left;    /* stuck reads to come */
    bool is_read;     /* the latest access was a stuck read */
    uint64_t slept;   /* ns after stuck reads */
    unsigned others;  /* sleeps of another length after them */
    uint64_t step_ns; /* expected length of each sleep */
};

static uint32_t stuck_read(void *closure, uint32_t address)
{
    struct stuck *stuck = closure;
    stuck->is_read = address == stuck->address && stuck->left;
    if (!stuck->is_read)
        return driver_read32(&stuck->real.io, address);
    stuck->left--;
    return stuck->value;
}

static void stuck_write(void *closure, uint32_t address, uint32_t value)
{
    struct stuck *stuck = closure;
    stuck->is_read = false;
    driver_write32(&stuck->real.io, address, value);
}

static uint64_t stuck_now(void *closure)
{
    struct stuck *stuck = closure;
    return driver_now_ns(&stuck->real.io);
}

static int stuck_sleep(void *closure, uint64_t ns, bool interruptible)
{
    struct stuck *stuck = closure;
    if (stuck->is_read) {
        stuck->slept += ns;
        stuck->others += ns != stuck->step_ns;
    }
    stuck->is_read = false;
    return driver_sleep_ns(&stuck->real.io, ns, interruptible);
}

static void stuck_reset(void *closure, const char *engine)
{
    struct stuck *stuck = closure;
    stuck->real.reset_engine(stuck->real.io.closure, engine);
}

static void test_limits(void **state)
{
    (void)state;
    enum { LIMIT = 50, MS = 1000000, US = 1000 };
    static const struct {
        unsigned line;
        const char *platform;
        bool closes; /* the wait is in close(), else in open() */
        uint32_t address, value;
        uint64_t step_ns;
    } rows[] = {
        {__LINE__, "hsw", true, 0x2360, 1, MS}, /* the unit's enable bit */
        {__LINE__, "bdw", true, 0x2b00, 1, MS},    {__LINE__, "chv", true, 0x2b00, 1, MS},
        {__LINE__, "skl", true, 0x2b00, 1, MS},    {__LINE__, "icl", true, 0x2b00, 1, MS},
        {__LINE__, "lkf", true, 0x2b00, 1, MS},    {__LINE__, "tgl", true, 0xdaf4, 1, MS},
        {__LINE__, "tgl", true, 0xceec, 1, MS},    /* invalidation of translations */
        {__LINE__, "hsw", false, 0x130044, 0, US}, /* acknowledges of force wake */
        {__LINE__, "bdw", false, 0x130044, 0, US}, {__LINE__, "chv", false, 0x1300b4, 0, US},
        {__LINE__, "chv", false, 0x1300bc, 0, US}, {__LINE__, "skl", false, 0xd84, 0, US},
        {__LINE__, "skl", false, 0xd88, 0, US},    {__LINE__, "skl", false, 0x130044, 0, US},
    };
    static const unsigned reads[] = {0, 1, LIMIT - 1, LIMIT, LIMIT + 1, 1000};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(reads); k++) {
            struct rig *rig = rig_new(rows[i].platform, NULL);
            struct stuck stuck = {.real = rig->device->hardware,
                                  .address = rows[i].address,
                                  .value = rows[i].value,
                                  .step_ns = rows[i].step_ns};
            uint64_t expected = (reads[k] < LIMIT ? reads[k] : LIMIT) * rows[i].step_ns;
            rig->device->hardware = (struct i915_hardware){
                {stuck_read, stuck_write, stuck_now, stuck_sleep, &stuck}, stuck_reset};
            stuck.left = rows[i].closes ? 0 : reads[k];
            int fd = rig_open_usual(rig, 0, 8, NULL, 0);
            ROW(rows[i].line, fd >= 0, "%s: open() gave %d", rows[i].platform, fd);
            stuck.left = rows[i].closes ? reads[k] : 0;
            rig_close(rig, fd);
            ROW(rows[i].line, stuck.slept == expected && !stuck.others,
                "%s: %#" PRIx32 " stuck for %u reads: slept %" PRIu64 " ns, expected %" PRIu64
                ", %u sleeps of another length",
                rows[i].platform, rows[i].address, reads[k], stuck.slept, expected, stuck.others);
            rig->device->hardware = stuck.real;
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

int run_wait_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
