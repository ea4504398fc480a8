/* SPDX-License-Identifier: MIT */
/* PTIMER's alarm and clock source, messages, and PGRAPH's trigger. */
#include "nvidia/tests.h"

#include <inttypes.h>

#include "nvidia/gpu/gpu.h"

struct messages {
    unsigned count;
    uint64_t address;
    uint32_t data;
};

static bool no_read(void *closure, uint64_t address, void *data, size_t bytes)
{
    (void)closure, (void)address, (void)data, (void)bytes;
    return false;
}

static bool no_write(void *closure, uint64_t address, const void *data, size_t bytes)
{
    (void)closure, (void)address, (void)data, (void)bytes;
    return false;
}

static void hear(void *closure, uint64_t address, uint32_t data)
{
    struct messages *messages = closure;
    *messages = (struct messages){messages->count + 1, address, data};
}

static const struct nvidia_host host = {no_read, no_write, hear};

static struct nvidia_gpu *new_gpu(const char *chipset, struct messages *messages)
{
    struct tally_error error = {0};
    struct nvidia_gpu *gpu;
    if (nvidia_gpu_new(tally_chipset_find(chipset), &gpu, &error) < 0)
        fail_msg("%s", error.message);
    gpu->host = &host;
    gpu->closure = messages;
    return gpu;
}

/* Makes INTR pending: the alarm at 3200 ns. */
static void alarm_at(struct nvidia_gpu *gpu, uint32_t ns)
{
    nvidia_gpu_write32(gpu, 0x9420, ns);
    nvidia_gpu_write32(gpu, 0x9140, 1);
}

/* The alarm is raised when the time reaches it, whatever the steps. */
static void test_alarm(void **state)
{
    static const char *const chipsets[] = {"nv10", "g92", "gf100"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct messages messages = {0};
        struct nvidia_gpu *gpu = new_gpu(chipsets[i], &messages);
        alarm_at(gpu, 3200);
        nvidia_gpu_run(gpu, 3199);
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 0, "too early");
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x100) == 0, "PMC");
        nvidia_gpu_run(gpu, 1);
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 1, "INTR");
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x100) == 0x100000, "PMC");
        nvidia_gpu_write32(gpu, 0x9100, 0);
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 1, "a 0 clears it");
        nvidia_gpu_write32(gpu, 0x9140, 0);
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x100) == 0, "not enabled");
        nvidia_gpu_write32(gpu, 0x9100, 1);
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 0, "a 1 clears it");
        nvidia_gpu_write32(gpu, 0x9420, 96000);
        nvidia_gpu_run(gpu, 1000000); /* beyond it, in one step */
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 1, "INTR");
        nvidia_gpu_write32(gpu, 0x9100, 1);
        nvidia_gpu_run(gpu, 1000000000); /* 2^32 ns have not passed */
        ROW(__LINE__, nvidia_gpu_read32(gpu, 0x9100) == 0, "raised again");
        ROW(__LINE__, messages.count == 0, "a message");
        nvidia_gpu_free(gpu);
    }
    ROWS_DONE();
}

/* A message for each interrupt that is pending while they are enabled and allowed. */
static void test_messages(void **state)
{
    struct messages messages = {0};
    struct nvidia_gpu *gpu = new_gpu("g92", &messages);
    (void)state;
    nvidia_pci_write(gpu, 0x6c, 4, 0xfee00000);
    nvidia_pci_write(gpu, 0x70, 4, 1);
    nvidia_pci_write(gpu, 0x74, 2, 0x4021);
    alarm_at(gpu, 3200);
    nvidia_gpu_run(gpu, 4000);
    nvidia_pci_write(gpu, 0x6a, 2, 1);
    assert_int_equal(messages.count, 0);
    nvidia_gpu_write32(gpu, 0x140, 2); /* of software only */
    assert_int_equal(messages.count, 0);
    nvidia_gpu_write32(gpu, 0x140, 0xffffffff);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x140), 3);
    assert_int_equal(messages.count, 1);
    assert_int_equal(messages.address, UINT64_C(0x1fee00000));
    assert_int_equal(messages.data, 0x4021);

    /* No other one until software allows it. */
    nvidia_gpu_write32(gpu, 0x9100, 1);
    nvidia_gpu_write32(gpu, 0x9420, 6400);
    nvidia_gpu_run(gpu, 4000);
    assert_int_equal(messages.count, 1);
    nvidia_pci_write(gpu, 0x68, 1, 0xff);
    assert_int_equal(messages.count, 2);
    nvidia_pci_write(gpu, 0x6a, 2, 0);
    nvidia_pci_write(gpu, 0x68, 1, 0xff);
    assert_int_equal(messages.count, 2);
    nvidia_pci_write(gpu, 0x6a, 2, 1); /* still pending */
    assert_int_equal(messages.count, 3);

    /* Nothing is pending: nothing is sent. */
    nvidia_gpu_write32(gpu, 0x9100, 1);
    nvidia_pci_write(gpu, 0x68, 1, 0xff);
    assert_int_equal(messages.count, 3);
    nvidia_gpu_reset(gpu);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x140), 0);
    nvidia_gpu_free(gpu);
}

/* The crystal as clock source, as nouveau selects it: 25 MHz * 3 * 5 / 12 is 31.25 MHz. */
static void test_clock_source(void **state)
{
    struct messages messages = {0};
    struct nvidia_gpu *gpu = new_gpu("g92", &messages);
    (void)state;
    assert_int_equal(nvidia_gpu_read32(gpu, 0x101000) & 0x400040, 0x400040); /* 25 MHz */
    assert_int_equal(nvidia_gpu_read32(gpu, 0x9220), 0x10000);
    nvidia_gpu_write32(gpu, 0x9220, 2);
    nvidia_gpu_run(gpu, 1000000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x9400), 75000 * 32);
    nvidia_gpu_write32(gpu, 0x9200, 12);
    nvidia_gpu_write32(gpu, 0x9210, 5);
    nvidia_gpu_write32(gpu, 0x9400, 0);
    nvidia_gpu_run(gpu, 3000000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x9400), 3000000);
    nvidia_gpu_write32(gpu, 0x9200, 1);
    nvidia_gpu_write32(gpu, 0x9210, 1);
    nvidia_gpu_write32(gpu, 0x9220, 0x102); /* 25 MHz * 3 / 2 */
    nvidia_gpu_write32(gpu, 0x9400, 0);
    nvidia_gpu_run(gpu, 1000000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x9400), 37500 * 32);
    nvidia_gpu_free(gpu);
}

/* The trigger ends a period of quad mode in the domains whose SWAP it is, at the same time. */
static void test_trigger(void **state)
{
    struct messages messages = {0};
    struct nvidia_gpu *gpu = new_gpu("g92", &messages);
    (void)state;
    for (uint32_t domain = 1; domain < 4; domain++) {
        nvidia_gpu_write32(gpu, 0xa7c0 + 4 * domain, 1); /* CTRL: QUAD */
        nvidia_gpu_write32(gpu, 0xa4a0 + 4 * domain, 0xffff);
    }
    nvidia_gpu_write32(gpu, 0xa564, 0xef); /* SPEC_SRC: PM_TRIGGER of domains 1 and 2 */
    nvidia_gpu_write32(gpu, 0xa568, 0x8f);
    nvidia_gpu_write32(gpu, 0x400084, 0x20);
    nvidia_gpu_run(gpu, 10000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa604), 0); /* CTR_CYCLES */
    nvidia_gpu_write32(gpu, 0x400084, 0xffffffdf);
    nvidia_gpu_run(gpu, 10000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa604), 0);
    nvidia_gpu_write32(gpu, 0x400084, 0x20);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x400084), 0);
    nvidia_gpu_run(gpu, 4000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa604), 10000); /* 500 MHz */
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa608), 10000);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa684), 10000); /* CTR_EVENT */
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa60c), 0);     /* domain 3 has another SWAP */
    nvidia_gpu_write32(gpu, 0x400084, 0x20);
    nvidia_gpu_run(gpu, 2);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa604), 2000);
    nvidia_gpu_free(gpu);
}

int test_interrupts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alarm),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_clock_source),
        cmocka_unit_test(test_trigger),
    };
    return cmocka_run_group_tests_name("interrupts", tests, NULL, NULL);
}
