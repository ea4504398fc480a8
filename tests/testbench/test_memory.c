/* SPDX-License-Identifier: MIT */
/* The sparse memory, compared with an array. */
#include "testbench/tests.h"

#include "testbench/memory.h"

/* The reference: WINDOWS pieces of the 40-bit space, each some pages long. */
#define WINDOWS     40
#define WINDOW_SIZE (3 * MEMORY_PAGE)

struct plain {
    uint64_t start[WINDOWS];
    uint8_t bytes[WINDOWS][WINDOW_SIZE];
    bool faults[WINDOWS][3];
};

static void step(struct random *rng, struct memory *memory, struct plain *plain)
{
    unsigned window = (unsigned)random_below(rng, WINDOWS);
    size_t at = random_below(rng, WINDOW_SIZE),
           size = random_below(rng, 3) ? random_below(rng, 70) : random_next(rng) % 9000;
    uint64_t address = plain->start[window] + at;
    uint8_t data[9000];
    bool faults = false;
    size = at + size > WINDOW_SIZE ? WINDOW_SIZE - at : size;
    switch (random_below(rng, 5)) {
    case 0:
    case 1:
        random_bytes(rng, data, size);
        memory_write(memory, address, data, size);
        memcpy(plain->bytes[window] + at, data, size);
        break;
    case 2:
        memset(data, 0x55, sizeof data);
        memory_read(memory, address, data, size);
        ROW(__LINE__, !memcmp(data, plain->bytes[window] + at, size), "read %llx, %zu bytes",
            (unsigned long long)address, size);
        break;
    case 3:
        plain->faults[window][at / MEMORY_PAGE] = size % 3 == 0;
        ROW(__LINE__, memory_set_fault(memory, address, size % 3 == 0) == 0, "set_fault");
        break;
    default:
        for (size_t i = 0; i < size; i++)
            faults |= plain->faults[window][(at + i) / MEMORY_PAGE];
        ROW(__LINE__, memory_faults(memory, address, size) == faults, "faults %llx, %zu bytes",
            (unsigned long long)address, size);
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct random rng = random_start(seed);
        struct memory memory = {0};
        struct plain *plain = calloc(1, sizeof *plain);
        assert_non_null(plain);
        for (unsigned i = 0; i < WINDOWS; i++) { /* separate pieces, up to the end of the space */
            uint64_t piece = random_below(&rng, 1u << 20);
            plain->start[i] =
                ((uint64_t)i * (1u << 20) + piece) * 4 * MEMORY_PAGE % (UINT64_C(1) << 40);
        }
        plain->start[0] = (UINT64_C(1) << 40) - WINDOW_SIZE;
        for (unsigned i = 0; i < 4000; i++)
            step(&rng, &memory, plain);
        for (unsigned i = 0; i < WINDOWS; i++) {
            uint8_t data[WINDOW_SIZE];
            memory_read(&memory, plain->start[i], data, sizeof data);
            ROW(__LINE__, !memcmp(data, plain->bytes[i], sizeof data), "window %u", i);
        }
        assert_false(memory.exhausted);
        memory_fini(&memory);
        memory_fini(&memory); /* now empty, and can be used again */
        ROW(__LINE__, !memory_faults(&memory, 0, 100), "an empty memory faults");
        free(plain);
    }
    ROWS_DONE();
}

/* Reads and queries allocate no pages, nor does removing an absent fault. */
static void test_reads_allocate_nothing(void **state)
{
    (void)state;
    struct memory memory = {0};
    uint8_t data[64] = {1};
    for (uint64_t address = 0; address < UINT64_C(1) << 40; address += UINT64_C(1) << 30) {
        memory_read(&memory, address, data, sizeof data);
        assert_int_equal(data[63], 0);
        assert_false(memory_faults(&memory, address, sizeof data));
        assert_int_equal(memory_set_fault(&memory, address, false), 0);
        memory_write(&memory, address, data, 0);
    }
    assert_int_equal(memory.count, 0);
    memory_fini(&memory);
}

/* A fault keeps the contents of the page. */
static void test_faults_keep_contents(void **state)
{
    (void)state;
    struct memory memory = {0};
    uint8_t byte = 0x77;
    memory_write(&memory, 4095, &byte, 1);
    assert_int_equal(memory_set_fault(&memory, 17, true), 0);
    assert_true(memory_faults(&memory, 4095, 1));
    assert_false(memory_faults(&memory, 4096, 1));
    assert_true(memory_faults(&memory, 4000, 1000));
    assert_false(memory_faults(&memory, 0, 0));
    byte = 0;
    memory_read(&memory, 4095, &byte, 1);
    assert_int_equal(byte, 0x77);
    assert_int_equal(memory_set_fault(&memory, 4095, false), 0);
    assert_false(memory_faults(&memory, 0, 4096));
    memory_fini(&memory);
}

int test_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_reads_allocate_nothing),
        cmocka_unit_test(test_faults_keep_contents),
    };
    return cmocka_run_group_tests_name("testbench memory", tests, NULL, NULL);
}
