/* SPDX-License-Identifier: MIT */
/* The order of commands: nested batches, rings and contexts. */
#include "intel/cs_machine.h"

#include <errno.h>

#define END            0x05000000
#define USER           0x01000000 /* MI_USER_INTERRUPT */
#define COUNTED(array) array, COUNT(array)

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
        struct machine *machine = machine_new("skl");
        machine->quiet_contexts = true;
        machine->streamer.bb_offset = 4;
        machine_load(machine, 1, MACHINE_CODE, COUNTED(rows[i].code[0]));
        machine_load(machine, 1, 0x4000, COUNTED(rows[i].code[1]));
        machine_load(machine, 1, 0x5000, COUNTED(rows[i].code[2]));
        machine_run_batch(machine, 1, false);
        machine_expect(machine, rows[i].line, rows[i].log);
        free(machine);
    }
    ROWS_DONE();
}

/* Gen12 with nested batch buffers (OA-11.11): MI_MODE is written with the engine's base added. */
static void test_three_levels(void **state)
{
    (void)state;
#define MI_MODE(value) 0x11080001, 0x9c, (value)
#define NEST           MI_MODE(0x10001000)
#define END_ALL        0x1b200002, 9, 0x3000, 0 /* unless memory is above 9 */
#define END_ONE        0x1b240002, 9, 0x3000, 0
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t code[3][24]; /* at 1000h, 4000h, 5000h of PPGTT 1 */
        const char *log;
    } rows[] = {
        /* Each level returns to the one before it. */
        {__LINE__,
         "tgl",
         {{NEST, SECOND(0x4000), NOTE(1), END},
          {NOTE(2), SECOND(0x5000), NOTE(3), END},
          {NOTE(4), END}},
         "1:3000=2; 1:3000=4; 1:3000=3; 1:3000=1"},
        {__LINE__,
         "dg1/vcs2",
         {{NEST, SECOND(0x4000), NOTE(1), END},
          {NOTE(2), SECOND(0x5000), NOTE(3), END},
          {NOTE(4), END}},
         "1:3000=2; 1:3000=4; 1:3000=3; 1:3000=1"},
        /* Without bit 22, a batch of the second level stays there. */
        {__LINE__,
         "tgl/bcs0",
         {{NEST, SECOND(0x4000), NOTE(1), END}, {FIRST(0x5000), NOTE(9), END}, {NOTE(4), END}},
         "1:3000=4; 1:3000=1"},
        /* So does the first level. */
        {__LINE__, "tgl/vecs0", {{NEST, FIRST(0x4000), NOTE(9)}, {NOTE(2), END}}, "1:3000=2"},
        /* A conditional end ends all three levels, or the third. */
        {__LINE__,
         "tgl",
         {{NEST, SECOND(0x4000), NOTE(1), END},
          {SECOND(0x5000), NOTE(9), END},
          {END_ALL, NOTE(9), END}},
         ""},
        {__LINE__,
         "tgl",
         {{NEST, SECOND(0x4000), NOTE(1), END},
          {SECOND(0x5000), NOTE(2), END},
          {END_ONE, NOTE(9), END}},
         "1:3000=2; 1:3000=1"},
        /* There is no fourth level. */
        {__LINE__,
         "tgl",
         {{NEST, SECOND(0x4000), END}, {SECOND(0x5000), END}, {NOTE(4), SECOND(0x4000), END}},
         "1:3000=4; command streamer rcs0 at 0x00005010 (PPGTT 1), dword 0x18c00101: a reserved "
         "value, expected a documented one"},
        /* The mode is off at first, can be switched off, and bits without write enable stay. */
        {__LINE__,
         "tgl",
         {{SECOND(0x4000), NOTE(1), END}, {SECOND(0x5000), NOTE(9), END}, {NOTE(3), END}},
         "1:3000=3; 1:3000=1"},
        {__LINE__,
         "tgl",
         {{NEST, MI_MODE(0x10000000), SECOND(0x4000), NOTE(1), END},
          {SECOND(0x5000), NOTE(9), END},
          {NOTE(3), END}},
         "1:3000=3; 1:3000=1"},
        {__LINE__,
         "tgl",
         {{NEST, MI_MODE(0x01000000), SECOND(0x4000), NOTE(1), END},
          {SECOND(0x5000), NOTE(2), END},
          {NOTE(3), END}},
         "1:3000=3; 1:3000=2; 1:3000=1"},
        /* It is switched off in the third level: from there to the first, and to the second. */
        {__LINE__,
         "tgl/bcs0",
         {{NEST, SECOND(0x4000), NOTE(9), END},
          {SECOND(0x5000), NOTE(9), END},
          {MI_MODE(0x10000000), FIRST(0x3f00), END}},
         ""},
        {__LINE__,
         "tgl/bcs0",
         {{NEST, SECOND(0x4000), NOTE(1), END},
          {SECOND(0x5000), NOTE(9), END},
          {MI_MODE(0x10000000), SECOND(0x3f00), END}},
         "1:3000=1"},
        /* Before Gen12 the register does not exist. */
        {__LINE__,
         "icl",
         {{NEST, SECOND(0x4000), NOTE(1), END}, {SECOND(0x5000), NOTE(9), END}, {NOTE(3), END}},
         "r209c=10001000; 1:3000=3; 1:3000=1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = machine_new(rows[i].platform);
        machine->quiet_contexts = true;
        for (unsigned n = 0; n < 3; n++)
            machine_load(machine, 1, n ? 0x3000 + 0x1000 * n : MACHINE_CODE,
                         COUNTED(rows[i].code[n]));
        LOAD(machine, 1, 0x3f00, END);
        machine->may_write_all = true;
        machine_run_batch(machine, 1, true);
        machine_expect(machine, rows[i].line, rows[i].log);
        free(machine);
    }
    ROWS_DONE();
}

/* From the ring, a batch is of the first level with either value of the bit (OA-11.11). */
static void test_nesting_from_the_ring(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 2; bit++) {
        struct machine *machine = machine_new("tgl/vcs0");
        struct streamer_submission ring = {
            .id = 1, .ppgtt = 1, .ring_start = 0x2000, .ring_size = 0x1000, .ring_tail = 0x20};
        machine->quiet_contexts = true;
        LOAD(machine, 0, 0x2000, NEST, 0x18800101 | bit << 22, MACHINE_CODE, 0, USER);
        LOAD(machine, 1, MACHINE_CODE, SECOND(0x4000), NOTE(1), END);
        LOAD(machine, 1, 0x4000, SECOND(0x5000), NOTE(2), END);
        LOAD(machine, 1, 0x5000, NOTE(3), END);
        assert_int_equal(streamer_submit(&machine->streamer, &ring), 0);
        ROW(__LINE__, machine_run(machine, 100) == STREAMER_IDLE, "it ends");
        machine_expect(machine, __LINE__, "1:3000=3; 1:3000=2; 1:3000=1; user interrupt");
        /* The next context begins without. */
        ROW(__LINE__, machine->streamer.mi_mode == 0x1000, "%x", machine->streamer.mi_mode);
        assert_int_equal(streamer_submit(&machine->streamer, &ring), 0);
        machine_run(machine, 1);
        ROW(__LINE__, machine->streamer.mi_mode == 0, "%x", machine->streamer.mi_mode);
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
        struct machine *machine = machine_new(rows[i].platform);
        machine->quiet_contexts = true;
        LOAD(machine, 1, MACHINE_CODE, rows[i].start, 0x4000, USER, END);
        LOAD(machine, 1, 0x4000, END);
        machine_run_batch(machine, 1, true);
        machine_expect(machine, rows[i].line, rows[i].returns ? "user interrupt" : "");
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
        struct machine *machine = machine_new(rows[i].platform);
        struct streamer_submission ring = {
            .id = 1, .ppgtt = 1, .ring_start = 0x2000, .ring_size = 0x1000, .ring_tail = 0x10};
        machine->quiet_contexts = true;
        LOAD(machine, 0, 0x2000, rows[i].start[0], rows[i].start[1], rows[i].start[2]);
        LOAD(machine, rows[i].space, 0x4000, 0x11000001, 0x2360, 1, END);
        assert_int_equal(streamer_submit(&machine->streamer, &ring), 0);
        enum streamer_status status = machine_run(machine, 100);
        machine_expect(machine, rows[i].line, rows[i].log);
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
    struct machine *machine = machine_new("lkf");
    LOAD(machine, 1, MACHINE_CODE, FIRST(MACHINE_CODE));
    struct streamer_submission batch = {.batch = {MACHINE_CODE, 1, false}, .ppgtt = 1};
    assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
    assert_int_equal(machine_run(machine, 1001), STREAMER_RAN);
    assert_true(machine->clocks >= 1001);
    assert_int_equal(machine->streamer.executed, 1000);
    free(machine);
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
        struct machine *machine = machine_new(platforms[i]);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        set(machine, 0x2038, 0x2000);
        set(machine, 0x203c, 1); /* one page, enabled */
        LOAD(machine, 0, 0x2000, 0x0c000000, 0x0012310c, USER, 0);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        machine_expect(machine, __LINE__, "");
        set(machine, 0x2030, 0x10);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        machine_expect(machine, __LINE__, "switch 123000; user interrupt");
        ROW(__LINE__, get(machine, 0x2034) == 0x10, "head %x", get(machine, 0x2034));
        ROW(__LINE__, get(machine, 0x2180) == 0x123001, "CCID %x", get(machine, 0x2180));

        /* Across the end: a command may wrap around. */
        LOAD(machine, 0, 0x2ff8, 0x11000001, 0x9888);
        LOAD(machine, 0, 0x2000, 5, USER);
        set(machine, 0x2034, 0xff8);
        set(machine, 0x2030, 0x8);
        assert_int_equal(machine_run(machine, 10), STREAMER_IDLE);
        machine_expect(machine, __LINE__, "r9888=5; user interrupt");
        ROW(__LINE__, get(machine, 0x2034) == 0x00200008, "head %x", get(machine, 0x2034));

        /* Loading the same context again is not a switch, unless forced. */
        LOAD(machine, 0, 0x2008, 0x0c000000, 0x0012310c, 0x0c000000, 0x0012310e, 0x05000000);
        set(machine, 0x2030, 0x20);
        assert_int_equal(machine_run(machine, 10), STREAMER_STOPPED);
        machine_expect(
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

/* MI_SET_CONTEXT with the context that CCID names, unless it is forced, does nothing. */
static void test_the_same_context(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t ccid, context;
        const char *log;
    } rows[] = {
        {__LINE__, 0x00123001, 0x0012310c, ""},
        /* Other bits of CCID do not matter. */
        {__LINE__, 0x00123d0f, 0x0012310c, ""},
        {__LINE__, 0x00123d0e, 0x0012310c, "switch 123000"},
        {__LINE__, 0x00124001, 0x0012310c, "switch 123000"},
        {__LINE__, 0x00123001, 0x0012310e, "switch 123000"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = machine_new("hsw");
        LOAD(machine, 0, MACHINE_CODE, 0x0c000000, rows[i].context, END);
        struct streamer_submission batch = {.batch = {MACHINE_CODE, 0, true}};
        machine->streamer.ccid = rows[i].ccid;
        assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
        machine_run(machine, 1);
        machine->log_size = 0;
        machine->log[0] = '\0';
        machine_run(machine, 1);
        machine_expect(machine, rows[i].line, rows[i].log);
        free(machine);
    }
    ROWS_DONE();
}

static void test_contexts(void **state)
{
    (void)state;
    struct machine *machine = machine_new("lkf");
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
    machine_expect(machine, __LINE__,
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
    machine_expect(
        machine, __LINE__,
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

/* A ring that begins in the last page of the GGTT continues at 0. */
static void test_ring_across_the_end(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "hsw", "bdw/bcs0", "tgl/vecs0"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct machine *machine = machine_new(platforms[i]);
        struct streamer_submission ring = {.id = 1,
                                           .ring_start = 0xfffff000,
                                           .ring_size = 0x2000,
                                           .ring_head = 0x1ff0,
                                           .ring_tail = 0x1000};
        machine->quiet_contexts = true;
        LOAD(machine, 0, 0xff0, USER, USER);
        assert_int_equal(streamer_submit(&machine->streamer, &ring), 0);
        ROW(__LINE__, machine_run(machine, 100) == STREAMER_STOPPED, "%s", platforms[i]);
        ROW(__LINE__,
            machine->interrupts[STREAMER_USER_INTERRUPT] == 2 &&
                machine->streamer.ring_head == 0x200000 &&
                machine->streamer.fault_target == 0xfffff000,
            "%s: %s", platforms[i], machine->log);
        free(machine);
    }
    ROWS_DONE();
}

int test_cs_batches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_three_levels),
        cmocka_unit_test(test_nesting_from_the_ring),
        cmocka_unit_test(test_levels_by_generation),
        cmocka_unit_test(test_privilege_of_batches),
        cmocka_unit_test(test_an_endless_loop_takes_time),
        cmocka_unit_test(test_legacy_ring),
        cmocka_unit_test(test_ring_across_the_end),
        cmocka_unit_test(test_the_same_context),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_submissions_refused),
        cmocka_unit_test(test_no_callbacks),
    };
    return cmocka_run_group_tests_name("cs batches", tests, NULL, NULL);
}
