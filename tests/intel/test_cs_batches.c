/* SPDX-License-Identifier: MIT */
/* The order of commands: nested batches, rings, contexts, waits, and the kernel's wait loop. */
#include "intel/cs_machine.h"

#include <errno.h>

#define END            0x05000000
#define USER           0x01000000 /* MI_USER_INTERRUPT */
#define COUNTED(array) array, COUNT(array)

static struct machine *new_machine(const char *platform)
{
    struct machine *machine = malloc(sizeof *machine);
    assert_non_null(machine);
    machine_init(machine, platform);
    return machine;
}

static void expect_log(struct machine *machine, unsigned line, const char *log)
{
    ROW(line, !strcmp(machine->log, log), "%s: %s\nexpected: %s", machine->platform->name,
        machine->log, log);
    machine->log_size = 0;
    machine->log[0] = '\0';
}

/* A store of `value` to 3000h of the PPGTT, Gen8 on. */
#define NOTE(value) 0x10000002, 0x3000, 0, (value)
#define FIRST(to)   0x18800101, (to), 0 /* PPGTT, first level */
#define SECOND(to)  0x18c00101, (to), 0

/* ---- batches in batches ---------------------------------------------------------------------- */

static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t code[3][24]; /* at 1000h, 4000h, 5000h of PPGTT 1 */
        const char *log;
    } rows[] = {
        /* A chain does not return. */
        {__LINE__, {{NOTE(1), FIRST(0x4000), NOTE(2), END}, {NOTE(3), END}}, "1:3000=1; 1:3000=3"},
        /* A second level batch returns. */
        {__LINE__,
         {{NOTE(1), SECOND(0x4000), NOTE(2), END}, {NOTE(3), END}},
         "1:3000=1; 1:3000=3; 1:3000=2"},
        /* Twice. */
        {__LINE__,
         {{SECOND(0x4000), SECOND(0x4000), NOTE(2), END}, {NOTE(3), END}},
         "1:3000=3; 1:3000=3; 1:3000=2"},
        /* The second level chains: a third level does not exist. */
        {__LINE__,
         {{SECOND(0x4000), NOTE(1), END}, {NOTE(2), SECOND(0x5000), NOTE(9), END}, {NOTE(3), END}},
         "1:3000=2; 1:3000=3; 1:3000=1"},
        /* A first level batch from the second level replaces the first. */
        {__LINE__,
         {{SECOND(0x4000), NOTE(9), END}, {NOTE(2), FIRST(0x5000), NOTE(9), END}, {NOTE(3), END}},
         "1:3000=2; 1:3000=3"},
        /* A conditional end (3000h holds 2) ends all levels (OA-11.3). */
        {__LINE__,
         {{NOTE(2), SECOND(0x4000), NOTE(1), END}, {0x1b200002, 2, 0x3000, 0, NOTE(9), END}},
         "1:3000=2"},
        /* Predicated jumps: MI_PREDICATE_RESULT_1 is 0, then 1. */
        {__LINE__, {{0x18808101, 0x4000, 0, NOTE(1), END}, {NOTE(2), END}}, "1:3000=1"},
        {__LINE__,
         {{0x11000001, 0x241c, 0xffffffff, 0x18808101, 0x4000, 0, NOTE(1), END}, {NOTE(2), END}},
         "1:3000=2"},
        /* BB_OFFSET is added. */
        {__LINE__, {{0x18810101, 0x4000, 0, END}, {END, NOTE(2), END}}, "1:3000=2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = new_machine("skl");
        machine->quiet_contexts = true;
        machine->streamer.bb_offset = 4;
        machine_load(machine, 1, MACHINE_CODE, COUNTED(rows[i].code[0]));
        machine_load(machine, 1, 0x4000, COUNTED(rows[i].code[1]));
        machine_load(machine, 1, 0x5000, COUNTED(rows[i].code[2]));
        machine_run_batch(machine, 1, false);
        expect_log(machine, rows[i].line, rows[i].log);
        free(machine);
    }
    ROWS_DONE();
}

/* Second levels exist from HSW on; before, bit 22 is ignored. */
static void test_levels_by_generation(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t start; /* of the batch at 4000h */
        bool returns;
    } rows[] = {
        {__LINE__, "snb", 0x18c00100, false}, {__LINE__, "ivb", 0x18c00100, false},
        {__LINE__, "vlv", 0x18c00100, false}, {__LINE__, "hsw", 0x18c00100, true},
        {__LINE__, "hsw", 0x18800100, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = new_machine(rows[i].platform);
        machine->quiet_contexts = true;
        LOAD(machine, 1, MACHINE_CODE, rows[i].start, 0x4000, USER, END);
        LOAD(machine, 1, 0x4000, END);
        machine_run_batch(machine, 1, true);
        expect_log(machine, rows[i].line, rows[i].returns ? "user interrupt" : "");
        free(machine);
    }
    ROWS_DONE();
}

/* A batch has the privilege it was started with, and never more than its caller. */
static void test_privilege_of_batches(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t start[3];
        uint32_t space;
        const char *log;
    } rows[] = {
        /* In the ring, at the GGTT's 4000h or the PPGTT's: LRI of a register of no whitelist. */
        {__LINE__, "snb", {0x18800000, 0x4000}, 0, "r2360=1"},
        {__LINE__, "snb", {0x18800100, 0x4000}, 1, ""},
        {__LINE__, "ivb", {0x18800100, 0x4000}, 1, ""},
        {__LINE__, "hsw", {0x18800100, 0x4000}, 1, "r2360=1"},
        {__LINE__, "hsw", {0x18802100, 0x4000}, 1, ""},
        {__LINE__, "hsw", {0x18800000, 0x4000}, 0, "r2360=1"},
        /* A second level batch of the ring returns to it. */
        {__LINE__, "hsw", {0x18c00000, 0x4000}, 0, "r2360=1"},
        {__LINE__, "skl", {0x18c00001, 0x4000, 0}, 0, "r2360=1"},
        {__LINE__, "bdw", {0x18800001, 0x4000, 0}, 0, "r2360=1"},
        {__LINE__, "bdw", {0x18800101, 0x4000, 0}, 1, ""},
        {__LINE__, "lkf", {0x18800101, 0x4000, 0}, 1, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = new_machine(rows[i].platform);
        struct streamer_submission ring = {
            .id = 1, .ppgtt = 1, .ring_start = 0x2000, .ring_size = 0x1000, .ring_tail = 0x10};
        machine->quiet_contexts = true;
        LOAD(machine, 0, 0x2000, rows[i].start[0], rows[i].start[1], rows[i].start[2]);
        LOAD(machine, rows[i].space, 0x4000, 0x11000001, 0x2360, 1, END);
        assert_int_equal(streamer_submit(&machine->streamer, &ring), 0);
        enum streamer_status status = machine_run(machine, 100);
        expect_log(machine, rows[i].line, rows[i].log);
        ROW(rows[i].line, status == STREAMER_IDLE, "status %d", status);
        ROW(rows[i].line, machine->streamer.illegal_writes == !*rows[i].log, "%u dropped",
            (unsigned)machine->streamer.illegal_writes);
        free(machine);
    }
    ROWS_DONE();
}

/* A batch that jumps to itself: time passes, one command per step. */
static void test_an_endless_loop_takes_time(void **state)
{
    (void)state;
    struct machine *machine = new_machine("lkf");
    LOAD(machine, 1, MACHINE_CODE, FIRST(MACHINE_CODE));
    struct streamer_submission batch = {.batch = {MACHINE_CODE, 1, false}, .ppgtt = 1};
    assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
    assert_int_equal(machine_run(machine, 1001), STREAMER_RAN);
    assert_true(machine->clocks >= 1001);
    assert_int_equal(machine->streamer.executed, 1000);
    free(machine);
}

/* ---- waits ----------------------------------------------------------------------------------- */

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
            struct machine *machine = new_machine("bdw");
            machine->quiet_contexts = true;
            machine->memory[1][0x3000 / 4] = memory;
            LOAD(machine, 1, MACHINE_CODE, 0x0e008002 | rows[i].compare << 12, 5, 0x3000, 0, USER,
                 END);
            struct streamer_submission batch = {.batch = {MACHINE_CODE, 1, false}, .ppgtt = 1};
            assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
            enum streamer_status status = machine_run(machine, 50);
            ROW(rows[i].line, status == (passes ? STREAMER_IDLE : STREAMER_WAITS), "%u: status %d",
                memory, status);
            expect_log(machine, rows[i].line, passes ? "user interrupt" : "");
            /* Another agent writes memory: the batch continues. */
            machine->memory[1][0x3000 / 4] = rows[i].below ? 4 : rows[i].equal ? 5 : 6;
            status = machine_run(machine, 50);
            ROW(rows[i].line, status == STREAMER_IDLE, "%u: status %d", memory, status);
            expect_log(machine, rows[i].line, passes ? "" : "user interrupt");
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
        struct machine *machine = new_machine(rows[i].platform);
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
        struct machine *machine = new_machine(rows[i].platform);
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

/* ---- rings and contexts ---------------------------------------------------------------------- */

static void set(struct machine *machine, uint32_t address, uint32_t value)
{
    assert_true(streamer_write(&machine->streamer, address, value));
}

static uint32_t get(struct machine *machine, uint32_t address)
{
    uint32_t value = 0;
    assert_true(streamer_read(&machine->streamer, &machine->callbacks, address, &value));
    return value;
}

/* RING_TAIL starts execution; HEAD follows and counts wraps. */
static void test_legacy_ring(void **state)
{
    (void)state;
    const char *platforms[] = {"snb", "ivb", "vlv", "hsw"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct machine *machine = new_machine(platforms[i]);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        set(machine, 0x2038, 0x2000);
        set(machine, 0x203c, 1); /* one page, enabled */
        LOAD(machine, 0, 0x2000, 0x0c000000, 0x0012310c, USER, 0);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        expect_log(machine, __LINE__, "");
        set(machine, 0x2030, 0x10);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        expect_log(machine, __LINE__, "switch 123000; user interrupt");
        ROW(__LINE__, get(machine, 0x2034) == 0x10, "head %x", get(machine, 0x2034));
        ROW(__LINE__, get(machine, 0x2180) == 0x123001, "CCID %x", get(machine, 0x2180));

        /* Across the end: a command may wrap around. */
        LOAD(machine, 0, 0x2ff8, 0x11000001, 0x9888);
        LOAD(machine, 0, 0x2000, 5, USER);
        set(machine, 0x2034, 0xff8);
        set(machine, 0x2030, 0x8);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        expect_log(machine, __LINE__, "r9888=5; user interrupt");
        ROW(__LINE__, get(machine, 0x2034) == 0x00200008, "head %x", get(machine, 0x2034));

        /* Loading the same context again is not a switch, unless forced. */
        LOAD(machine, 0, 0x2008, 0x0c000000, 0x0012310c, 0x0c000000, 0x0012310e, 0x05000000);
        set(machine, 0x2030, 0x20);
        assert_int_equal(machine_run(machine, 10), STREAMER_STOPPED);
        expect_log(
            machine, __LINE__,
            "switch 123000; command streamer rcs0 at 0x00002018 (GGTT), dword 0x05000000: the "
            "end of a batch in the ring, expected it in a batch");
        streamer_reset(&machine->streamer);
        ROW(__LINE__, machine_run(machine, 10) == STREAMER_IDLE && get(machine, 0x203c) == 0,
            "not reset");
        free(machine);
    }
    ROWS_DONE();
}

static void test_contexts(void **state)
{
    (void)state;
    struct machine *machine = new_machine("lkf");
    struct streamer *cs = &machine->streamer;
    struct streamer_submission a = {
        .id = 0xa, .ppgtt = 1, .ring_start = 0x2000, .ring_size = 0x1000, .ring_tail = 0x18};
    struct streamer_submission b = {
        .id = 0xb, .ppgtt = 2, .ring_start = 0x3000, .ring_size = 0x1000, .ring_tail = 0x18};
    struct streamer_submission c = {.id = 0xc, .ppgtt = 2, .batch = {0x4000, 2, false}};
    LOAD(machine, 0, 0x2000, FIRST(0x4000), USER, 0, 0, USER, 0);
    LOAD(machine, 0, 0x3000, FIRST(0x4000), 0, 0, 0);
    LOAD(machine, 1, 0x4000, NOTE(1), END);
    LOAD(machine, 2, 0x4000, NOTE(2), END);

    /* Two in turn with full ports, then idle. */
    assert_int_equal(streamer_submit(cs, &a), 0);
    assert_int_equal(streamer_submit(cs, &b), 0);
    assert_int_equal(streamer_submit(cs, &c), -EBUSY);
    assert_int_equal(machine_run(machine, 100), STREAMER_IDLE);
    expect_log(machine, __LINE__,
               "switch a; 1:3000=1; user interrupt; done a at 18; switch b; "
               "2:3000=2; done b at 18; leave b");

    /* More work for a waiting and for the running ring only moves the tail. */
    LOAD(machine, 0, 0x2018, USER, 0, USER, 0);
    a.ring_head = 0x18;
    a.ring_tail = 0x20;
    assert_int_equal(streamer_submit(cs, &a), 0);
    assert_int_equal(machine_run(machine, 1), STREAMER_RAN);
    a.ring_tail = 0x28;
    assert_int_equal(streamer_submit(cs, &a), 0);
    b.ring_head = b.ring_tail = 0x18;
    assert_int_equal(streamer_submit(cs, &b), 0);
    LOAD(machine, 0, 0x3018, USER, 0);
    b.ring_tail = 0x20;
    assert_int_equal(streamer_submit(cs, &b), 0);
    assert_int_equal(streamer_submit(cs, &c), 0);
    assert_int_equal(machine_run(machine, 100), STREAMER_IDLE);
    expect_log(machine, __LINE__,
               "switch a; user interrupt; user interrupt; done a at 28; switch b; user interrupt; "
               "done b at 20; switch c; 2:3000=2; done c at 0; leave c");
    ROWS_DONE();
    free(machine);
}

static void test_submissions_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct streamer_submission what;
        int result;
    } rows[] = {
        {__LINE__, {.ring_size = 0x1000}, 0},
        {__LINE__, {.ring_size = 0x200000}, 0},
        {__LINE__, {.ring_size = 0x201000}, -EINVAL},
        {__LINE__, {.ring_size = 0x800}, -EINVAL},
        {__LINE__, {.ring_size = 0x1000, .ring_tail = 0xff8}, 0},
        {__LINE__, {.ring_size = 0x1000, .ring_tail = 0x1000}, -EINVAL},
        {__LINE__, {.ring_size = 0x1000, .ring_tail = 4}, -EINVAL},
        {__LINE__, {.ring_size = 0x1000, .ring_head = 0x1000}, -EINVAL},
        {__LINE__, {.ring_size = 0x1000, .ring_head = 2}, -EINVAL},
        {__LINE__, {.ring_size = 0x1000, .ring_start = 0x800}, -EINVAL},
    };
    struct streamer cs;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(streamer_init(&cs, tally_platform_find("bdw"), CS_RCS0), 0);
        int result = streamer_submit(&cs, &rows[i].what);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
    }
    /* A ring that was enabled by registers has precedence. */
    assert_int_equal(streamer_init(&cs, tally_platform_find("snb"), CS_RCS0), 0);
    assert_true(streamer_write(&cs, 0x203c, 1));
    assert_int_equal(streamer_submit(&cs, &rows[0].what), -EBUSY);
    assert_int_equal(streamer_init(&cs, tally_platform_find("dg2"), CS_RCS0), -ENODEV);
    ROWS_DONE();
}

/* Without any callback nothing is mapped, so the streamer stops immediately. */
static void test_no_callbacks(void **state)
{
    (void)state;
    static const struct streamer_callbacks nothing;
    struct streamer cs;
    uint32_t clocks, value;
    assert_int_equal(streamer_init(&cs, tally_platform_find("icl"), CS_RCS0), 0);
    struct streamer_submission batch = {.batch = {0, 0, true}};
    assert_int_equal(streamer_submit(&cs, &batch), 0);
    assert_int_equal(streamer_step(&cs, &nothing, &clocks), STREAMER_RAN);
    assert_int_equal(streamer_step(&cs, &nothing, &clocks), STREAMER_STOPPED);
    assert_int_equal(cs.fault, STREAMER_UNMAPPED);
    assert_true(streamer_read(&cs, &nothing, 0x2358, &value));
    assert_false(streamer_read(&cs, &nothing, 0x2360, &value));
    assert_false(streamer_write(&cs, 0x2032, 0));
}

int test_cs_batches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_levels_by_generation),
        cmocka_unit_test(test_privilege_of_batches),
        cmocka_unit_test(test_an_endless_loop_takes_time),
        cmocka_unit_test(test_semaphores),
        cmocka_unit_test(test_work_under_way),
        cmocka_unit_test(test_kernel_wait),
        cmocka_unit_test(test_legacy_ring),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_submissions_refused),
        cmocka_unit_test(test_no_callbacks),
    };
    return cmocka_run_group_tests_name("cs batches", tests, NULL, NULL);
}
