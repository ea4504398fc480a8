/* SPDX-License-Identifier: MIT */
/* Memory full of commands, on each engine of every platform, and copies of the state while it runs.
 */
#include "intel/cs_reference.h"

#include <tally/error.h>

/* Complete commands of the engine in sequence, with operands that are mostly 0 or mapped
 * addresses; occasionally a random dword. */
static void fill(struct machine *machine, struct random *rng)
{
    const size_t end = MACHINE_BYTES / 4;
    for (unsigned space = 0; space < 2; space++)
        for (size_t at = 0; at < end;) {
            const struct cs_command *c = &cs_commands[random_below(rng, cs_command_count)];
            uint32_t any = (uint32_t)random_magnitude(rng), most = c->max_dwords - c->min_dwords;
            uint32_t length = c->min_dwords + (uint32_t)random_below(rng, most < 3 ? most + 1 : 4);
            if (machine->platform->version < c->first || machine->platform->version > c->last ||
                !(cs_classes(c, machine->platform->version) &
                  CS_CLASS_BIT(machine->streamer.engine->engine_class)))
                continue;
            uint32_t *to = &machine->memory[space][at];
            to[0] = (any & ~c->mask & ~(uint32_t)ones(c->length_bits)) | c->opcode |
                    (c->length_bits ? length - 2 : 0);
            for (uint32_t i = 1; i < length && at + i < end; i++) {
                uint64_t kind = random_below(rng, 8);
                to[i] = kind < 4   ? 0
                        : kind < 7 ? (uint32_t)random_below(rng, MACHINE_BYTES)
                                   : (uint32_t)random_magnitude(rng);
            }
            if (random_below(rng, 200) == 0)
                to[0] = any;
            at += length;
        }
}

static void start_random(struct machine *machine, struct random *rng)
{
    struct streamer_submission batch = {
        .id = (uint32_t)random_next(rng),
        .ppgtt = 1,
        .batch = {0, (uint32_t)random_below(rng, 2), random_below(rng, 2) != 0},
    };
    if (random_below(rng, 3) == 0) {
        batch.ring_size = 0x1000;
        batch.ring_start = 0;
        batch.ring_tail = (uint32_t)random_below(rng, 0x200) * 8;
    }
    machine->work_clocks = random_below(rng, 100);
    assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
}

/* machine_run() checks that each step takes time unless the streamer is stopped; a copy that is
 * made in between and then run gives the same result. */
static void test_random_memory(void **state)
{
    (void)state;
    struct machine *machine = malloc(sizeof *machine), *copy = malloc(sizeof *copy);
    struct random rng = random_start(3);
    uint64_t executed = 0, stopped = 0;
    size_t engines = cs_reference_engines();
    char name[REFERENCE_NAME];
    for (unsigned round = 0; round < random_cases(1500); round++) {
        assert_true(cs_reference_name(round % engines, name));
        machine_init(machine, name);
        machine->ticking = true;
        fill(machine, &rng);
        start_random(machine, &rng);
        machine_run(machine, (unsigned)random_below(&rng, 20));
        memcpy(copy, machine, sizeof *copy);
        copy->callbacks.closure = copy;
        enum streamer_status first = machine_run(machine, 400);
        enum streamer_status second = machine_run(copy, 400);
        copy->callbacks.closure = machine;
        ROW(__LINE__, first == second && !memcmp(copy, machine, sizeof *copy),
            "round %u: a copy diverges", round);
        struct tally_error error = {0};
        ROW(__LINE__,
            (first == STREAMER_STOPPED) == (streamer_explain(&machine->streamer, &error) != 0),
            "round %u: %s", round, error.message);
        executed += machine->streamer.executed;
        stopped += first == STREAMER_STOPPED;
    }
    ROW(__LINE__, executed > random_cases(10000), "only %u commands", (unsigned)executed);
    ROW(__LINE__, stopped > random_cases(100) && stopped < random_cases(1500), "%u stopped",
        (unsigned)stopped);
    free(machine);
    free(copy);
    ROWS_DONE();
}

/* A command whose last dword cannot be read faults at this dword, and does nothing else. */
static void test_truncated_commands(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "ivb", "hsw", "bdw", "skl", "cnl", "icl", "tgl"};
    struct machine *machine = malloc(sizeof *machine);
    uint32_t(*before)[MACHINE_BYTES / 4] = malloc(sizeof machine->memory);
    assert_non_null(machine);
    assert_non_null(before);
    for (size_t p = 0; p < COUNT(platforms); p++)
        for (size_t i = 0; i < cs_command_count; i++) {
            const struct cs_command *c = &cs_commands[i];
            unsigned version = tally_platform_find(platforms[p])->version;
            uint32_t length = c->length_bits ? c->min_dwords - 2 : 0;
            uint32_t start = MACHINE_BYTES - 4 * (c->min_dwords - 1);
            if (c->min_dwords < 2 || cs_find(version, CS_RENDER, c->opcode) != c)
                continue;
            machine_init(machine, platforms[p]);
            machine->memory[1][start / 4] = c->opcode | length;
            memcpy(before, machine->memory, sizeof machine->memory);
            struct streamer_submission batch = {
                .id = MACHINE_ID, .ppgtt = 1, .batch = {start, 1, true}};
            assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
            enum streamer_status status = machine_run(machine, 100);
            const struct streamer *s = &machine->streamer;
            ROW(__LINE__,
                status == STREAMER_STOPPED && s->fault == STREAMER_UNMAPPED &&
                    s->fault_target == MACHINE_BYTES && s->fault_place.address == start,
                "%s, %s: fault %u at %" PRIx64, platforms[p], c->name, s->fault, s->fault_target);
            ROW(__LINE__,
                !machine->register_count &&
                    !memcmp(before, machine->memory, sizeof machine->memory) && !s->worked &&
                    !s->skipped && !s->illegal && !s->executed,
                "%s, %s: was executed", platforms[p], c->name);
        }
    free(before);
    free(machine);
    ROWS_DONE();
}

int test_cs_random(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_memory),
        cmocka_unit_test(test_truncated_commands),
    };
    return cmocka_run_group_tests_name("cs random", tests, NULL, NULL);
}
