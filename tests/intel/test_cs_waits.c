/* SPDX-License-Identifier: MIT */
/* Commands that wait: semaphores, flushes, and the kernel's wait loop. */
#include "intel/cs_machine.h"

#define END            0x05000000
#define USER           0x01000000 /* MI_USER_INTERRUPT */
#define COUNTED(array) array, COUNT(array)

static void test_semaphores(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned compare;
        bool below, equal,
            above; /* whether it continues if memory is below, equal to, above the data */
    } rows[] = {
        {__LINE__, 0, false, false, true}, {__LINE__, 1, false, true, true},
        {__LINE__, 2, true, false, false}, {__LINE__, 3, true, true, false},
        {__LINE__, 4, false, true, false}, {__LINE__, 5, true, false, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (uint32_t memory = 4; memory <= 6; memory++) {
            bool passes = memory < 5 ? rows[i].below : memory == 5 ? rows[i].equal : rows[i].above;
            struct machine *machine = machine_new("bdw");
            machine->quiet_contexts = true;
            machine->memory[1][0x3000 / 4] = memory;
            LOAD(machine, 1, MACHINE_CODE, 0x0e008002 | rows[i].compare << 12, 5, 0x3000, 0, USER,
                 END);
            struct streamer_submission batch = {.batch = {MACHINE_CODE, 1, false}, .ppgtt = 1};
            assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
            enum streamer_status status = machine_run(machine, 50);
            ROW(rows[i].line, status == (passes ? STREAMER_IDLE : STREAMER_WAITS), "%u: status %d",
                memory, status);
            machine_expect(machine, rows[i].line, passes ? "user interrupt" : "");
            /* Another agent writes memory: the batch continues. */
            machine->memory[1][0x3000 / 4] = rows[i].below ? 4 : rows[i].equal ? 5 : 6;
            status = machine_run(machine, 50);
            ROW(rows[i].line, status == STREAMER_IDLE, "%u: status %d", memory, status);
            machine_expect(machine, rows[i].line, passes ? "" : "user interrupt");
            free(machine);
        }
    }
    ROWS_DONE();
}

/* Stalls wait for work, other commands do not; a context is unloaded after its work. */
static void test_work_under_way(void **state)
{
    (void)state;
#define DRAW 0x7b000005, 4, 3, 0, 1, 0, 0
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t code[20];
        bool waits;
    } rows[] = {
        {__LINE__, "hsw", {DRAW, USER, END}, false},
        {__LINE__, "hsw", {DRAW, 0x7a000003, 0x1000, 0, 0, 0, USER, END}, false},
        {__LINE__, "hsw", {DRAW, 0x7a000003, 0x100000, 0, 0, 0, USER, END}, true},
        {__LINE__, "hsw", {DRAW, 0x7a000003, 0x100, 0, 0, 0, USER, END}, true},
        {__LINE__, "hsw", {DRAW, 0x02000000, USER, END}, true},
        {__LINE__, "hsw", {DRAW, 0x0c000000, 0x4000, USER, END}, true},
        {__LINE__, "skl", {DRAW, 0x7a000004, 0x100000, 0, 0, 0, 0, USER, END}, true},
        {__LINE__, "skl", {DRAW, 0x7a000004, 0xc000, 0x3000, 0, 0, 0, USER, END}, true},
        {__LINE__, "skl", {DRAW, 0x13000002, 0, 0, 0, USER, END}, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = machine_new(rows[i].platform);
        machine->work_clocks = 5000;
        machine_load(machine, 1, MACHINE_CODE, COUNTED(rows[i].code));
        struct streamer_submission batch = {.batch = {MACHINE_CODE, 1, true}, .ppgtt = 1};
        assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
        while (!strstr(machine->log, "user interrupt") && machine_run(machine, 1) != STREAMER_IDLE)
            ;
        ROW(rows[i].line, (machine->clocks >= 5000) == rows[i].waits, "after %u clocks",
            (unsigned)machine->clocks);
        machine_run(machine, 100000);
        ROW(rows[i].line, machine->clocks >= 5000 && strstr(machine->log, "done 0"), "%u: %s",
            (unsigned)machine->clocks, machine->log);
        free(machine);
    }
    ROWS_DONE();
}

/*
 * The wait loop of the kernel's configuration batch (PERF-3.5): it saves the registers it uses,
 * reads the timestamp, subtracts until the difference is large enough (ADD to the complement of the
 * delay carries), starts again if the timestamp's 32 bits wrap, and restores the registers.
 */
struct code {
    uint32_t dwords[512];
    uint32_t count;
    bool wide; /* Gen8 on: addresses of two dwords */
};

static void emit(struct code *code, uint32_t dword)
{
    code->dwords[code->count++] = dword;
}

static void emit_each(struct code *code, const uint32_t *dwords, size_t count)
{
    while (count--)
        emit(code, *dwords++);
}

#define EMIT(code, ...)                                                                            \
    emit_each(code, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

/* Before Gen8 the dword of 0 after a command of three is a NOOP, as in the kernel's batch. */
static void emit_memory(struct code *code, uint32_t command, uint32_t reg, uint32_t address)
{
    EMIT(code, command | (code->wide ? 2 : 1), reg, address, 0);
}

static void emit_jump(struct code *code, uint32_t address)
{
    EMIT(code, 0x18808000 | (code->wide ? 1 : 0), address, 0);
}

#define GPR(n)        (0x2600u + 8 * (n))
#define ALU(op, a, b) ((uint32_t)(op) << 20 | (a) << 10 | (b))
enum { START, NOW, DELTA, JUMP, TARGET, USED };

static void emit_wait(struct code *code, uint32_t base, uint64_t delay)
{
    uint64_t complement = UINT64_MAX - delay;
    for (uint32_t i = 0; i < 2 * USED; i++)
        emit_memory(code, 0x12400000, GPR(0) + 4 * i, base + 0x800 + 4 * i);
    emit_memory(code, 0x12400000, 0x241c, base + 0x840);
    uint32_t over = base + 4 * code->count;
    EMIT(code, 0x11000001, GPR(START) + 4, 0, 0x15000001, 0x2358, GPR(START));
    uint32_t again = base + 4 * code->count;
    EMIT(code, 0x11000001, GPR(NOW) + 4, 0, 0x15000001, 0x2358, GPR(NOW));
    EMIT(code, 0x0d000004, ALU(0x080, 0x20, NOW), ALU(0x080, 0x21, START), ALU(0x101, 0, 0),
         ALU(0x180, DELTA, 0x31), ALU(0x180, JUMP, 0x33));
    EMIT(code, 0x15000001, GPR(JUMP), 0x241c);
    emit_jump(code, over);
    EMIT(code, 0x11000003, GPR(TARGET), (uint32_t)complement, GPR(TARGET) + 4,
         (uint32_t)(complement >> 32));
    EMIT(code, 0x0d000003, ALU(0x080, 0x20, DELTA), ALU(0x080, 0x21, TARGET), ALU(0x100, 0, 0),
         ALU(0x580, JUMP, 0x33));
    EMIT(code, 0x02800000, 0x15000001, GPR(JUMP), 0x241c);
    emit_jump(code, again);
    for (uint32_t i = 0; i < 2 * USED; i++)
        emit_memory(code, 0x14c00000, GPR(0) + 4 * i, base + 0x800 + 4 * i);
    emit_memory(code, 0x14c00000, 0x241c, base + 0x840);
    emit(code, END);
}

static void test_kernel_wait(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint64_t from, delay, most; /* ticks; the streamer's clock is the timestamp's here */
    } rows[] = {
        {__LINE__, "hsw", 0x1000, 6250, 6250 + 2000},
        {__LINE__, "bdw", 0x1000, 6250, 6250 + 2000},
        {__LINE__, "skl", 0x123456789, 6000, 6000 + 2000},
        {__LINE__, "lkf", 0, 9600, 9600 + 2000},
        /* The low half wraps meanwhile: the wait starts again. */
        {__LINE__, "skl", 0xfffff000, 6000, 0x1000 + 6000 + 2000},
        {__LINE__, "hsw", 0x1fffff000, 6250, 0x1000 + 6250 + 2000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = machine_new(rows[i].platform);
        struct code code = {.wide = machine->platform->version >= 80};
        struct streamer *cs = &machine->streamer;
        emit_wait(&code, 0x4000, rows[i].delay);
        assert_true(code.count < COUNT(code.dwords));
        machine_load(machine, 0, 0x4000, code.dwords, code.count);
        /* A configuration, then the chain to the wait. */
        LOAD(machine, 0, MACHINE_CODE, 0x11000001, 0x9888, 1, 0x18800000 | code.wide, 0x4000, 0);
        machine->ticking = true;
        machine->timestamp = rows[i].from;
        for (unsigned r = 0; r < STREAMER_GPRS; r++)
            cs->gpr[r] = UINT64_C(0x0101010101010101) * r;
        struct streamer before = *cs;
        enum streamer_status status = machine_run_batch(machine, STREAMER_GGTT, true);
        uint64_t took = machine->timestamp - rows[i].from;
        ROW(rows[i].line, status == STREAMER_IDLE, "%s", machine->log + machine->log_size - 200);
        ROW(rows[i].line, took >= rows[i].delay && took <= rows[i].most, "%" PRIu64 " ticks", took);
        ROW(rows[i].line,
            !memcmp(cs->gpr, before.gpr, sizeof cs->gpr) &&
                cs->predicate_result_1 == before.predicate_result_1,
            "registers were not put back");
        ROW(rows[i].line, machine->register_count == 1 && machine->registers[0].value == 1,
            "the configuration is missing");
        free(machine);
    }
    ROWS_DONE();
}

int test_cs_waits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_semaphores),
        cmocka_unit_test(test_work_under_way),
        cmocka_unit_test(test_kernel_wait),
    };
    return cmocka_run_group_tests_name("cs waits", tests, NULL, NULL);
}
