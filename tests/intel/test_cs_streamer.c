/* SPDX-License-Identifier: MIT */
/* What each command does to the GPU, as a log: memory "space:address=value", registers
 * "raddress=value", reports, work, and the fault that stops it. */
#include "intel/cs_machine.h"

#define D(...) {__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

#define END      0x05000000
#define USER     0x01000000 /* MI_USER_INTERRUPT */
#define GEN6TO75 "snb ivb vlv hsw"
#define GEN8TO11 "bdw chv skl bxt glk kbl cfl cnl icl lkf ehl"
#define GEN12    "tgl rkl dg1 adl"
#define GEN8ON   GEN8TO11 " " GEN12
#define GEN11ON  "icl lkf ehl " GEN12
#define IVBON    "ivb vlv hsw " GEN8ON
#define HSWON    "hsw " GEN8ON
#define ALL      GEN6TO75 " " GEN8ON

/* A register of the streamer itself, stored so that the log shows it: Gen8 on, and before. */
#define SHOW8(reg, to) 0x12000002, (reg), (to), 0
#define SHOW6(reg, to) 0x12000001, (reg), (to)

struct program {
    unsigned line;
    const char *platforms;
    bool privileged;
    uint32_t dwords[40];
    size_t count;
    const char *log;
};

/* The batch lies in PPGTT 1, where dwords 2000h to 2fffh count up: 2000h has 0, 2004h has 1, ... */
static void run_programs(const struct program *programs, size_t count)
{
    struct machine *machine = malloc(sizeof *machine);
    assert_non_null(machine);
    for (size_t i = 0; i < count; i++) {
        char names[128], *save = NULL;
        snprintf(names, sizeof names, "%s", programs[i].platforms);
        for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
            machine_init(machine, name);
            machine->quiet_contexts = true;
            for (uint32_t n = 0; n < 0x400; n++)
                machine->memory[1][0x800 + n] = n;
            machine_load(machine, 1, MACHINE_CODE, programs[i].dwords, programs[i].count);
            enum streamer_status status = machine_run_batch(machine, 1, programs[i].privileged);
            ROW(programs[i].line, !strcmp(machine->log, programs[i].log), "%s: %s\nexpected: %s",
                name, machine->log, programs[i].log);
            ROW(programs[i].line, status == STREAMER_IDLE || status == STREAMER_STOPPED,
                "%s: status %d", name, status);
        }
    }
    free(machine);
    ROWS_DONE();
}

#define RUN(programs) run_programs(programs, COUNT(programs))

static void test_reports(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, GEN6TO75, true, D(0x14000001, 0x123441, 0xcafe, END), "report 0:123440 cafe"},
        {__LINE__, GEN8ON, true, D(0x14000002, 0x123441, 0, 0xcafe, END), "report 0:123440 cafe"},
        {__LINE__, GEN6TO75, false, D(0x14000001, 0x123440, 0xcafe, END), "report 1:123440 cafe"},
        {__LINE__, GEN8ON, false, D(0x14000002, 0x123440, 0xffff8001, 0xcafe, END),
         "report 1:800100123440 cafe"},
        {__LINE__, "hsw", false, D(0x14000001, 0x123450, 0xcafe, END), "report 1:123440 cafe core"},
        {__LINE__, GEN8ON, false, D(0x14000002, 0x123450, 0, 0xcafe, END),
         "report 1:123440 cafe core"},
        /* A NOOP in a batch that is not privileged; what follows runs. */
        {__LINE__, GEN6TO75, false, D(0x14000001, 0x123441, 0xcafe, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x14000002, 0x123441, 0, 0xcafe, USER, END), "user interrupt"},
    };
    RUN(rows);
}

/* BDW and CHV: the id after an illegal report (OA-2.11, [P15B]). */
static void test_report_id_quirk(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool quirk;
        const char *log;
    } rows[] = {
        {__LINE__, "bdw", true, "report 1:100 bad corrupt; report 1:100 3"},
        {__LINE__, "chv", true, "report 1:100 bad corrupt; report 1:100 3"},
        {__LINE__, "bdw", false, "report 1:100 2; report 1:100 3"},
        {__LINE__, "skl", true, "report 1:100 2; report 1:100 3"},
        {__LINE__, "lkf", true, "report 1:100 2; report 1:100 3"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct machine *machine = malloc(sizeof *machine);
        machine_init(machine, rows[i].platform);
        machine->quiet_contexts = true;
        machine->streamer.id_quirk = rows[i].quirk;
        LOAD(machine, 1, MACHINE_CODE, 0x14000002, 0x101, 0, 0xbad, 0x14000002, 0x100, 0, 2,
             0x14000002, 0x100, 0, 3, END);
        machine_run_batch(machine, 1, false);
        ROW(rows[i].line, !strcmp(machine->log, rows[i].log), "%s", machine->log);
        ROW(rows[i].line, machine->streamer.illegal == 1, "%u illegal",
            (unsigned)machine->streamer.illegal);
        free(machine);
    }
    ROWS_DONE();
}

static void test_memory(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, GEN6TO75, true, D(0x10400002, 0, 0x3004, 0x11223344, END), "0:3004=11223344"},
        {__LINE__, GEN6TO75, false, D(0x10000003, 0, 0x3008, 1, 2, END), "1:3008=1; 1:300c=2"},
        {__LINE__, GEN8ON, true, D(0x10400002, 0x3004, 0, 0x11223344, END), "0:3004=11223344"},
        {__LINE__, GEN8ON, false, D(0x10200003, 0x3008, 0, 1, 2, END), "1:3008=1; 1:300c=2"},
        {__LINE__, GEN8ON, false, D(0x10000004, 0x3000, 0, 1, 2, 3, END),
         "1:3000=1; 1:3004=2; 1:3008=3"},
        {__LINE__, GEN6TO75, false, D(0x10400002, 0, 0x3004, 1, END), ""},
        {__LINE__, GEN8ON, false, D(0x10400002, 0x3004, 0, 1, END), ""},
        /* Copy: GGTT bits for both sides. */
        {__LINE__, GEN8ON, false, D(0x17000003, 0x3000, 0, 0x2010, 0, END), "1:3000=4"},
        {__LINE__, GEN8ON, true, D(0x17200003, 0x3000, 0, 0x2010, 0, END), "0:3000=4"},
        {__LINE__, GEN8ON, true, D(0x17400003, 0x3000, 0, 0x2010, 0, END), "1:3000=0"},
        {__LINE__, GEN8ON, false, D(0x17200003, 0x3000, 0, 0x2010, 0, END), ""},
        {__LINE__, GEN8ON, false, D(0x17400003, 0x3000, 0, 0x2010, 0, END), ""},
        /* The status page; its register moved. */
        {__LINE__, GEN6TO75, true, D(0x11000001, 0x4080, 0x5000, 0x10800001, 0xc0, 9, END),
         "0:50c0=9"},
        {__LINE__, GEN8ON, true, D(0x11000001, 0x2080, 0x5000, 0x10800002, 0xc0, 9, 8, END),
         "0:50c0=9; 0:50c4=8"},
        {__LINE__, ALL, false, D(0x10800001, 0xc0, 9, END), ""},
    };
    RUN(rows);
}

static void test_registers(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, ALL, true, D(0x11000003, 0x9888, 0x12345678, 0x2710, 1, END),
         "r9888=12345678; r2710=1"},
        {__LINE__, ALL, false, D(0x11000003, 0x9888, 0x12345678, 0x2340, 1, END), "r2340=1"},
        /* Byte write disables: those bytes keep what they read as (5a002360h). */
        {__LINE__, ALL, true, D(0x11000e01, 0x2360, 0x11223344, END), "r2360=5a002344"},
        {__LINE__, ALL, true, D(0x11000301, 0x2360, 0x11223344, END), "r2360=11222360"},
        {__LINE__, ALL, true, D(0x11000f01, 0x2360, 0x11223344, END), ""},
        /* Relative to the engine: in a command the whole offset is added (OA-10.1). */
        {__LINE__, GEN11ON, true, D(0x11080001, 0x360, 3, END), "r2360=3"},
        {__LINE__, GEN11ON, true, D(0x11080001, 0x2360, 3, END), "r4360=3"},
        {__LINE__, GEN11ON, true, D(0x14880002, 0x2360, 0x2010, 0, END), "r4360=4"},
        {__LINE__, GEN11ON, true, D(0x12080002, 0x2364, 0x3000, 0, END), "1:3000=5a004364"},
        {__LINE__, GEN11ON, true, D(0x150c0001, 0x2364, 0x2360, END), "r4360=5a004364"},
        {__LINE__, "bdw chv skl cnl", true, D(0x11080001, 0x2360, 3, END), "r2360=3"},

        {__LINE__, GEN6TO75, true, D(0x12400001, 0x2364, 0x3000, END), "0:3000=5a002364"},
        {__LINE__, GEN8ON, false, D(0x12000002, 0x2364, 0x3000, 0, END), "1:3000=5a002364"},
        {__LINE__, GEN6TO75, false, D(0x12400001, 0x2364, 0x3000, END), ""},
        {__LINE__, GEN8ON, false, D(0x12400002, 0x2364, 0x3000, 0, END), ""},
        {__LINE__, GEN11ON, false, D(0x12080002, 0x364, 0x3000, 0, END), "1:3000=5a002364"},
        /* TIMESTAMP, whose writes do nothing. */
        {__LINE__, GEN6TO75, true,
         D(0x11000001, 0x2358, 0, SHOW6(0x2358, 0x3000), SHOW6(0x235c, 0x3004), END),
         "1:3000=23456789; 1:3004=1"},
        {__LINE__, GEN8ON, false, D(SHOW8(0x2358, 0x3000), SHOW8(0x235c, 0x3004), END),
         "1:3000=23456789; 1:3004=1"},
        /* ACTHD: where it is. IPEHR: what it executes. */
        {__LINE__, GEN8ON, false,
         D(SHOW8(0x2074, 0x3000), SHOW8(0x205c, 0x3004), SHOW8(0x2068, 0x3008), END),
         "1:3000=1000; 1:3004=0; 1:3008=12000002"},
        {__LINE__, GEN6TO75, false, D(0x00412345, SHOW6(0x2094, 0x3000), END), "1:3000=12345"},

        {__LINE__, "ivb vlv hsw", true, D(0x14800001, 0x2360, 0x2010, END), "r2360=4"},
        {__LINE__, GEN8ON, false, D(0x14800002, 0x2340, 0x2010, 0, END), "r2340=4"},
        {__LINE__, GEN8ON, false, D(0x14800002, 0x2360, 0x2010, 0, END), ""},
        {__LINE__, GEN8ON, false, D(0x14c00002, 0x2340, 0x2010, 0, END), ""},
        {__LINE__, "hsw", true, D(0x15000001, 0x2364, 0x2360, END), "r2360=5a002364"},
        {__LINE__, GEN8ON, false, D(0x15000001, 0x2364, 0x2340, END), "r2340=5a002364"},
        {__LINE__, GEN11ON, true, D(0x150c0001, 0x364, 0x360, END), "r2360=5a002364"},
        {__LINE__, GEN11ON, true, D(0x15040001, 0x364, 0x2360, END), "r2360=5a002364"},
        {__LINE__, HSWON, false, D(0x15000001, 0x2364, 0x2360, END), ""},
        /* A general purpose register is two dwords. */
        {__LINE__, GEN8ON, false,
         D(0x11000003, 0x2678, 1, 0x267c, 2, SHOW8(0x2678, 0x3000), SHOW8(0x267c, 0x3004), END),
         "1:3000=1; 1:3004=2"},
        {__LINE__, "snb ivb vlv", true, D(0x11000001, 0x2600, 1, END), "r2600=1"},
    };
    RUN(rows);
}

#define ALU2(op, a, b)     ((uint32_t)(op) << 20 | (a) << 10 | (b))
#define LOADS              ALU2(0x080, 0x20, 0), ALU2(0x080, 0x21, 1)
#define GPRS(a, a1, b, b1) 0x11000007, 0x2600, (a), 0x2604, (a1), 0x2608, (b), 0x260c, (b1)
#define SHOW_R2            SHOW8(0x2610, 0x3000), SHOW8(0x2614, 0x3004)

static void test_math(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, GEN8ON, false,
         D(GPRS(0xffffffff, 1, 2, 0), 0x0d000003, LOADS, ALU2(0x100, 0, 0), ALU2(0x180, 2, 0x31),
           SHOW_R2, END),
         "1:3000=1; 1:3004=2"},
        {__LINE__, GEN8ON, false,
         D(GPRS(1, 0, 2, 0), 0x0d000003, LOADS, ALU2(0x101, 0, 0), ALU2(0x180, 2, 0x31), SHOW_R2,
           END),
         "1:3000=ffffffff; 1:3004=ffffffff"},
        /* The borrow, the carry, zero. */
        {__LINE__, GEN8ON, false,
         D(GPRS(1, 0, 2, 0), 0x0d000003, LOADS, ALU2(0x101, 0, 0), ALU2(0x180, 2, 0x33), SHOW_R2,
           END),
         "1:3000=ffffffff; 1:3004=ffffffff"},
        {__LINE__, GEN8ON, false,
         D(GPRS(2, 0, 2, 0), 0x0d000003, LOADS, ALU2(0x101, 0, 0), ALU2(0x580, 2, 0x33), SHOW_R2,
           END),
         "1:3000=ffffffff; 1:3004=ffffffff"},
        {__LINE__, GEN8ON, false,
         D(GPRS(0xffffffff, 0xffffffff, 1, 0), 0x0d000003, LOADS, ALU2(0x100, 0, 0),
           ALU2(0x180, 2, 0x33), SHOW_R2, END),
         "1:3000=ffffffff; 1:3004=ffffffff"},
        {__LINE__, GEN8ON, false,
         D(GPRS(2, 0, 2, 0), 0x0d000003, LOADS, ALU2(0x101, 0, 0), ALU2(0x180, 2, 0x32), SHOW_R2,
           END),
         "1:3000=ffffffff; 1:3004=ffffffff"},
        {__LINE__, GEN8ON, false,
         D(GPRS(0xf0, 0, 0x3c, 0), 0x0d000003, LOADS, ALU2(0x102, 0, 0), ALU2(0x180, 2, 0x31),
           SHOW_R2, END),
         "1:3000=30; 1:3004=0"},
        {__LINE__, GEN8ON, false,
         D(GPRS(0xf0, 0, 0x3c, 0), 0x0d000003, LOADS, ALU2(0x103, 0, 0), ALU2(0x180, 2, 0x31),
           SHOW_R2, END),
         "1:3000=fc; 1:3004=0"},
        {__LINE__, GEN8ON, false,
         D(GPRS(0xf0, 0, 0x3c, 0), 0x0d000003, LOADS, ALU2(0x104, 0, 0), ALU2(0x580, 2, 0x31),
           SHOW_R2, END),
         "1:3000=ffffff33; 1:3004=ffffffff"},
        /* LOADINV, LOAD0, LOAD1, NOOP. */
        {__LINE__, GEN8ON, false,
         D(GPRS(5, 0, 0, 0), 0x0d000004, ALU2(0x480, 0x20, 0), ALU2(0x081, 0x21, 0),
           ALU2(0x103, 0, 0), 0, ALU2(0x180, 2, 0x31), SHOW_R2, END),
         "1:3000=fffffffa; 1:3004=ffffffff"},
        {__LINE__, GEN8ON, false,
         D(GPRS(5, 0, 0, 0), 0x0d000003, ALU2(0x080, 0x20, 0), ALU2(0x481, 0x21, 0),
           ALU2(0x100, 0, 0), ALU2(0x180, 2, 0x31), SHOW_R2, END),
         "1:3000=4; 1:3004=0"},
        /* Logic leaves no carry: how some clients clear registers. */
        {__LINE__, GEN8ON, false,
         D(GPRS(5, 0, 0, 0), 0x0d000001, ALU2(0x102, 0, 0), ALU2(0x180, 0, 0x33),
           SHOW8(0x2600, 0x3000), END),
         "1:3000=0"},
        /* No such instruction, no such operand: where it stands. */
        {__LINE__, HSWON, false, D(0x0d000001, 0, 0x7ff00000, END),
         "command streamer rcs0 at 0x00001008 (PPGTT 1), dword 0x7ff00000: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, HSWON, false, D(0x0d000000, ALU2(0x180, 16, 0x31), END),
         "command streamer rcs0 at 0x00001004 (PPGTT 1), dword 0x18004031: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, GEN8ON, false, D(0x0d000000, ALU2(0x580, 15, 0x31), SHOW8(0x2678, 0x3000), END),
         "1:3000=ffffffff"},
        {__LINE__, HSWON, false, D(0x0d000000, ALU2(0x080, 0x20, 16), END),
         "command streamer rcs0 at 0x00001004 (PPGTT 1), dword 0x08008010: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, HSWON, false, D(0x0d000000, ALU2(0x180, 0, 0x20), END),
         "command streamer rcs0 at 0x00001004 (PPGTT 1), dword 0x18000020: a reserved value, "
         "expected "
         "a documented one"},
    };
    RUN(rows);
}

static void test_predicates(void **state)
{
    (void)state;
#define SOURCES(a, b) 0x11000003, 0x2400, (a), 0x2408, (b)
#define DRAW          0x7b000105, 4, 3, 0, 1, 0, 0
    static const struct program rows[] = {
        {__LINE__, IVBON, true, D(DRAW, END), ""},
        {__LINE__, IVBON, true, D(0x06000080, DRAW, END), "work 3DPRIMITIVE 7"}, /* TRUE */
        {__LINE__, IVBON, true, D(0x06000081, DRAW, END), ""},
        {__LINE__, IVBON, true, D(0x060000c1, DRAW, END), "work 3DPRIMITIVE 7"}, /* LOADINV */
        {__LINE__, IVBON, true, D(SOURCES(5, 5), 0x06000082, DRAW, END), "work 3DPRIMITIVE 7"},
        {__LINE__, IVBON, true, D(SOURCES(5, 6), 0x06000082, DRAW, END), ""},
        {__LINE__, IVBON, true, D(SOURCES(9, 5), 0x11000001, 0x2410, 4, 0x06000083, DRAW, END),
         "work 3DPRIMITIVE 7"},
        {__LINE__, IVBON, true, D(0x06000080, 0x06000089, DRAW, END), ""}, /* 1 AND 0 */
        {__LINE__, IVBON, true, D(0x06000080, 0x06000091, DRAW, END), "work 3DPRIMITIVE 7"},
        {__LINE__, IVBON, true, D(0x06000080, 0x06000098, DRAW, END), ""}, /* 1 XOR 1 */
        {__LINE__, IVBON, true, D(0x06000080, 0x06000001, DRAW, END), "work 3DPRIMITIVE 7"},
        {__LINE__, "hsw", true, D(0x12200001, 0x2364, 0x3000, END), ""},
        {__LINE__, "hsw", true, D(0x06000080, 0x12200001, 0x2364, 0x3000, END), "1:3000=5a002364"},
        {__LINE__, IVBON, true, D(0x06000040, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x06000040: a reserved value, "
         "expected "
         "a documented one"},
    };
    RUN(rows);
}

static void test_flushes(void **state)
{
    (void)state;
    static const struct program rows[] = {
        /* Timestamp, GGTT bit of each generation. */
        {__LINE__, "snb", true, D(0x7a000003, 0x10d000, 0x3004, 0, 0, END),
         "0:3000=23456789; 0:3004=1"},
        {__LINE__, "ivb vlv hsw", true, D(0x7a000003, 0x110d000, 0x3000, 0, 0, END),
         "0:3000=23456789; 0:3004=1"},
        {__LINE__, GEN8ON, true, D(0x7a000004, 0x110d000, 0x3000, 0, 0, 0, END),
         "0:3000=23456789; 0:3004=1"},
        {__LINE__, "ivb vlv hsw", false, D(0x7a000003, 0x10d000, 0x3000, 0, 0, END),
         "1:3000=23456789; 1:3004=1"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x10d000, 0x3000, 0, 0, 0, END),
         "1:3000=23456789; 1:3004=1"},
        /* Immediate data: a qword, or a dword in the short form. Depth count. No write. */
        {__LINE__, "ivb vlv hsw", false, D(0x7a000003, 0x4000, 0x3000, 1, 2, END),
         "1:3000=1; 1:3004=2"},
        {__LINE__, GEN6TO75, false, D(0x7a000002, 0x4000, 0x3000, 1, END), "1:3000=1"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x4000, 0x3000, 0, 1, 2, END),
         "1:3000=1; 1:3004=2"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x8000, 0x3000, 0, 1, 2, END),
         "1:3000=5a002350; 1:3004=5a002354"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x101000, 0x3000, 0, 1, 2, END), ""},
        /* The write is dropped, the interrupt comes. */
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x1004100, 0x3000, 0, 1, 2, END), "notify"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x204100, 0x30, 0, 1, 2, END), "notify"},
        /* The status pages of the engine and of the context, whose pages are at 1000h. */
        {__LINE__, GEN8ON, true,
         D(0x11000001, 0x2080, 0x5000, 0x7a000004, 0x1204100, 0x30, 0, 1, 2, END),
         "0:5030=1; 0:5034=2; notify"},
        {__LINE__, GEN8ON, true,
         D(0x11000001, 0x2080, 0x5000, 0x7a000004, 0x204100, 0x30, 0, 1, 2, END),
         "0:1030=1; 0:1034=2; notify"},
        {__LINE__, "ivb vlv hsw", true,
         D(0x11000001, 0x4080, 0x5000, 0x7a000003, 0x204100, 0x30, 1, 2, END),
         "0:5030=1; 0:5034=2; notify"},
        /* A register instead of memory. */
        {__LINE__, GEN8ON, true, D(0x7a000004, 0x800000, 0x2360, 0, 3, 0, END), "r2360=3"},
        {__LINE__, GEN8ON, false, D(0x7a000004, 0x800000, 0x2360, 0, 3, 0, END), ""},

        {__LINE__, GEN6TO75, true, D(0x13004001, 0x3004, 7, END), "0:3000=7"},
        {__LINE__, GEN6TO75, false, D(0x13004102, 0x3000, 7, 8, END), "1:3000=7; 1:3004=8; notify"},
        {__LINE__, GEN8ON, false, D(0x13004002, 0x3000, 0, 7, END), "1:3000=7"},
        {__LINE__, GEN8ON, false, D(0x13004003, 0x3000, 0, 7, 8, END), "1:3000=7; 1:3004=8"},
        {__LINE__, GEN8ON, false, D(0x1300c002, 0x3000, 0, 7, END), "1:3000=23456789; 1:3004=1"},
        {__LINE__, GEN8ON, false, D(0x1300c002, 0x3004, 0, 7, END), ""},
        {__LINE__, GEN6TO75, false, D(0x02000000, END), ""},
    };
    RUN(rows);
}

static void test_work_and_state(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, "snb", false, D(0x7b003c04, 3, 0, 1, 0, 0, END), "work 3DPRIMITIVE 6"},
        {__LINE__, IVBON, false, D(0x7b000005, 4, 3, 0, 1, 0, 0, END), "work 3DPRIMITIVE 7"},
        {__LINE__, "ivb vlv hsw", false, D(0x71050009, 0, 0, 0, 4, 0, 2, 0, 1, 0, 0, END),
         "work GPGPU_WALKER 11"},
        {__LINE__, GEN8ON, false, D(0x7105000d, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0, 1, 0, 0, END),
         "work GPGPU_WALKER 15"},
        {__LINE__, ALL, false, D(0x71000002, 0, 0, 0, END), "work MEDIA_OBJECT 4"},
        {__LINE__, ALL, false, D(0x69040000, 0x78080003, 0, 0, 0, 0, 0x79000002, 0, 0, 0, END),
         "PIPELINE_SELECT 1; 3DSTATE_VERTEX_BUFFERS 5; 3DSTATE_DRAWING_RECTANGLE 4"},
        {__LINE__, ALL, false, D(0x70000007, 0, 0, 0, 0, 0, 0, 0, 0, END), "MEDIA_VFE_STATE 9"},
    };
    RUN(rows);
}

/* Each engine has the commands of its kind, and the memory interface commands that OA-11.10 does
 * not keep for the render engine. */
static void test_commands_of_engines(void **state)
{
    (void)state;
#define NOT_ON(engine, dword, name)                                                                \
    "command streamer " engine " at 0x00001000 (PPGTT 1), dword " dword ": " name                  \
    ", expected a command that " engine " has"
    static const struct program rows[] = {
        {__LINE__, "snb/bcs0 hsw/bcs0 bdw/bcs0 icl/bcs0 tgl/bcs0", false,
         D(0x54c00006, 0, 0, 0, 0, 0, 0, 0, USER, END), "work XY_SRC_COPY_BLT 8; user interrupt"},
        {__LINE__, "snb skl", false, D(0x54c00006, 0, 0, 0, 0, 0, 0, 0, END),
         NOT_ON("rcs0", "0x54c00006", "XY_SRC_COPY_BLT")},
        {__LINE__, "ivb/vcs0 icl/vcs0", false, D(0x54c00006, 0, 0, 0, 0, 0, 0, 0, END),
         NOT_ON("vcs0", "0x54c00006", "XY_SRC_COPY_BLT")},
        {__LINE__, "snb/vcs0 bdw/vcs0 icl/vcs0 skl/vecs0", false, D(0x70000002, 0, 0, 0, END),
         "work video 4"},
        {__LINE__, "bdw/vcs0", false, D(0x68000000, 0x60000001, 0, 0, END),
         "work video (one dword) 1; work video (common) 3"},
        {__LINE__, "icl/bcs0", false, D(0x7a000004, 0, 0, 0, 0, 0, END),
         NOT_ON("bcs0", "0x7a000004", "PIPE_CONTROL")},
        {__LINE__, "hsw/bcs0", false, D(0x14000001, 0x3000, 7, END),
         NOT_ON("bcs0", "0x14000001", "MI_REPORT_PERF_COUNT")},
        {__LINE__, "bdw/bcs0", false, D(0x06000080, END),
         NOT_ON("bcs0", "0x06000080", "MI_PREDICATE")},
        {__LINE__, "icl/bcs0 tgl/vecs0", false, D(0x06000080, USER, END), "user interrupt"},
        /* An offset is relative to the engine's own base (Gen11 on): its CS_GPR 1. */
        {__LINE__, "icl/bcs0", true, D(0x11080001, 0x608, 7, 0x12000002, 0x22608, 0x3000, 0, END),
         "1:3000=7"},
        {__LINE__, "icl/vcs0", true, D(0x11080001, 0x608, 7, 0x12000002, 0x1c0608, 0x3000, 0, END),
         "1:3000=7"},
        {__LINE__, "icl/vcs2", true, D(0x11080001, 0x608, 7, 0x12000002, 0x1d0608, 0x3000, 0, END),
         "1:3000=7"},
    };
    RUN(rows);
}

static void test_privileged_commands(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, GEN6TO75, false, D(0x0c000000, 0x4000, USER, END), "user interrupt"},
        {__LINE__, ALL, false, D(0x04000000, 0x05800001, USER, END), "user interrupt"},
        /* It cannot leave its address space; what follows runs. */
        {__LINE__, GEN6TO75, false, D(0x18800000, 0x3000, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x18800001, 0x3000, 0, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x0e40c002, 5, 0x3000, 0, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x1b600002, 5, 0x3000, 0, USER, END), "user interrupt"},
    };
    RUN(rows);
}

static void test_conditional_ends(void **state)
{
    (void)state;
    static const struct program rows[] = {
        /* 2010h holds 4 */
        {__LINE__, "ivb vlv hsw", false, D(0x1b200001, 3, 0x2010, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x1b200002, 3, 0x2010, 0, USER, END), "user interrupt"},
        {__LINE__, GEN8ON, false, D(0x1b200002, 4, 0x2010, 0, USER, END), ""},
        {__LINE__, GEN8ON, false, D(0x1b200002, 5, 0x2010, 0, USER, END), ""},
        {__LINE__, GEN8ON, false, D(0x1b000002, 5, 0x2010, 0, USER, END), "user interrupt"},
        /* With the mask behind it: 4 & 5 = 4. */
        {__LINE__, "skl icl lkf", false, D(0x1b280002, 3, 0x2010, 0, USER, END), "user interrupt"},
        {__LINE__, "skl icl lkf", false, D(0x1b280002, 4, 0x2010, 0, USER, END), ""},
    };
    RUN(rows);
}

/* Gen12: all comparisons of 4 with the data, one level or all. */
static void test_conditional_comparisons(void **state)
{
    (void)state;
#define UNTIL(compare, data) 0x1b200002 | (compare) << 12, (data), 0x2010, 0, USER, END
    static const struct program rows[] = {
        {__LINE__, GEN12, false, D(UNTIL(0, 3)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(0, 4)), ""},
        {__LINE__, GEN12, false, D(UNTIL(1, 4)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(1, 5)), ""},
        {__LINE__, GEN12, false, D(UNTIL(2, 5)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(2, 4)), ""},
        {__LINE__, GEN12, false, D(UNTIL(3, 4)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(3, 3)), ""},
        {__LINE__, GEN12, false, D(UNTIL(4, 4)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(4, 3)), ""},
        {__LINE__, GEN12, false, D(UNTIL(5, 3)), "user interrupt"},
        {__LINE__, GEN12, false, D(UNTIL(5, 4)), ""},
        {__LINE__, GEN12, false, D(UNTIL(6, 4)),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x1b206002: a reserved value, "
         "expected "
         "a documented one"},
        /* Before, the field means nothing. */
        {__LINE__, GEN8TO11, false, D(UNTIL(2, 3)), "user interrupt"},
    };
    RUN(rows);
}

/* 2010h holds 4, 2014h 5, 2018h 6, 201ch 7. */
#define INLINE4(op, a, b)         0x17840003 | (op) << 8, 0x2010, 0, (a), (b)
#define INLINE8(op, a, a1, b, b1) 0x17840005 | (op) << 8 | 1 << 19, 0x2010, 0, (a), (b), (a1), (b1)
#define INLINE16(op, a, a1, a2, a3, b)                                                             \
    0x17840009 | (op) << 8 | 2 << 19, 0x2010, 0, (a), (b), (a1), 0, (a2), 0, (a3), 0
#define SHOW_R4 SHOW8(0x2620, 0x3000), SHOW8(0x2624, 0x3004)

static void test_atomics(void **state)
{
    (void)state;
#define RESERVED(dword)                                                                            \
    "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x" dword                                \
    ": a reserved value, expected a documented one"
    static const struct program rows[] = {
        /* Each operation on 4. */
        {__LINE__, GEN8ON, false, D(INLINE4(1, 0xc, 0), END), "1:2010=4"},
        {__LINE__, GEN8ON, false, D(INLINE4(2, 3, 0), END), "1:2010=7"},
        {__LINE__, GEN8ON, false, D(INLINE4(3, 6, 0), END), "1:2010=2"},
        {__LINE__, GEN8ON, false, D(INLINE4(4, 9, 0), END), "1:2010=9"},
        {__LINE__, GEN8ON, false, D(INLINE4(5, 9, 0), END), "1:2010=5"},
        {__LINE__, GEN8ON, false, D(INLINE4(6, 9, 0), END), "1:2010=3"},
        {__LINE__, GEN8ON, false, D(INLINE4(7, 9, 0), END), "1:2010=d"},
        {__LINE__, GEN8ON, false, D(INLINE4(8, 9, 0), END), "1:2010=fffffffb"},
        {__LINE__, GEN8ON, false, D(INLINE4(9, 9, 0), END), "1:2010=5"},
        {__LINE__, GEN8ON, false, D(INLINE4(10, 0xffffffff, 0), END), "1:2010=4"},
        {__LINE__, GEN8ON, false, D(INLINE4(10, 5, 0), END), "1:2010=5"},
        {__LINE__, GEN8ON, false, D(INLINE4(11, 0xffffffff, 0), END), "1:2010=ffffffff"},
        {__LINE__, GEN8ON, false, D(INLINE4(12, 0xffffffff, 0), END), "1:2010=ffffffff"},
        {__LINE__, GEN8ON, false, D(INLINE4(13, 0xffffffff, 0), END), "1:2010=4"},
        {__LINE__, GEN8ON, false, D(INLINE4(14, 4, 9), END), "1:2010=9"},
        {__LINE__, GEN8ON, false, D(INLINE4(14, 5, 9), END), "1:2010=4"},
        {__LINE__, GEN8ON, false, D(INLINE4(15, 9, 0), END), "1:2010=3"},
        /* 64 bits: 5_00000004h. */
        {__LINE__, GEN8ON, false, D(INLINE8(0x27, 0xfffffffc, 0, 0, 0), END), "1:2010=0; 1:2014=6"},
        {__LINE__, GEN8ON, false, D(INLINE8(0x28, 5, 0, 0, 0), END), "1:2010=ffffffff; 1:2014=4"},
        {__LINE__, GEN8ON, false, D(INLINE8(0x2a, 0, 0x80000000, 0, 0), END), "1:2010=4; 1:2014=5"},
        {__LINE__, GEN8ON, false, D(INLINE8(0x2c, 0, 0x80000000, 0, 0), END),
         "1:2010=0; 1:2014=80000000"},
        {__LINE__, GEN8ON, false, D(INLINE8(0x2e, 4, 5, 8, 9), END), "1:2010=8; 1:2014=9"},
        {__LINE__, GEN8ON, false, D(INLINE8(0x2e, 4, 6, 8, 9), END), "1:2010=4; 1:2014=5"},
        /* 128 bits. */
        {__LINE__, GEN8ON, false, D(INLINE16(0x4e, 4, 5, 6, 7, 9), END),
         "1:2010=9; 1:2014=0; 1:2018=0; 1:201c=0"},
        {__LINE__, GEN8ON, false, D(INLINE16(0x4e, 4, 5, 6, 8, 9), END),
         "1:2010=4; 1:2014=5; 1:2018=6; 1:201c=7"},
        /* GGTT in a batch without privilege; a GGTT one with it. */
        {__LINE__, GEN8ON, false, D(0x17c40403, 0x2010, 0, 9, 0, END), ""},
        {__LINE__, GEN8ON, true, D(0x17c40403, 0x2010, 0, 9, 0, END), "0:2010=9"},
        /* The operation's size is not the data's; there is no such operation or size. */
        {__LINE__, GEN8ON, false, D(0x17842403, 0x2010, 0, 9, 0, END), RESERVED("17842403")},
        {__LINE__, GEN8ON, false, D(0x17840003, 0x2010, 0, 9, 0, END), RESERVED("17840003")},
        {__LINE__, GEN8ON, false, D(0x17841003, 0x2010, 0, 9, 0, END), RESERVED("17841003")},
        {__LINE__, GEN8ON, false, D(0x17944703, 0x2010, 0, 9, 0, END), RESERVED("17944703")},
        {__LINE__, GEN8ON, false, D(0x179c6e03, 0x2010, 0, 9, 0, END), RESERVED("179c6e03")},
        /* After a flush: 8 bytes are dwords 3 and 4; nothing is returned. */
        {__LINE__, GEN8ON, false, D(0x17ac2403, 0x2010, 0, 9, 8, END), "1:2010=9; 1:2014=8"},
        {__LINE__, GEN8ON, false, D(0x17a50403, 0x2010, 0, 9, 0, END), RESERVED("17a50403")},
        {__LINE__, GEN8ON, false, D(0x17a00401, 0x2010, 0, END), RESERVED("17a00401")},
        {__LINE__, GEN8ON, false, D(0x17ac2e05, 0x2010, 0, 9, 0, 0, 0, END), RESERVED("17ac2e05")},
        {__LINE__, GEN8ON, false, D(0x17840403, 0x8000, 0, 9, 0, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x17840403: expected memory at "
         "0x00008000 (PPGTT 1), nothing is mapped"},
    };
    RUN(rows);
}

/* MI_ATOMIC with operands from CS_GPR0 to 3, and what it leaves in CS_GPR4 and 5. */
static void test_atomic_registers(void **state)
{
    (void)state;
#define SECONDS(c, c1, d, d1) 0x11000007, 0x2610, (c), 0x2614, (c1), 0x2618, (d), 0x261c, (d1)
#define SHOW_R5               SHOW8(0x2628, 0x3008), SHOW8(0x262c, 0x300c)
    static const struct program rows[] = {
        {__LINE__, GEN8ON, false, D(GPRS(3, 7, 0, 0), 0x17810701, 0x2010, 0, SHOW_R4, END),
         "1:2010=7; 1:3000=4; 1:3004=0"},
        {__LINE__, GEN8ON, false, D(GPRS(3, 7, 0, 0), 0x17892701, 0x2010, 0, SHOW_R4, END),
         "1:2010=7; 1:2014=c; 1:3000=4; 1:3004=5"},
        {__LINE__, GEN8ON, false, D(0x17810f01, 0x2010, 0, SHOW_R4, END),
         "1:2010=3; 1:3000=3; 1:3004=0"},
        {__LINE__, GEN8ON, false,
         D(GPRS(4, 5, 6, 7), SECONDS(1, 2, 3, 8), 0x17914e01, 0x2010, 0, SHOW_R4, SHOW_R5, END),
         "1:2010=1; 1:2014=2; 1:2018=3; 1:201c=8; 1:3000=4; 1:3004=5; 1:3008=6; 1:300c=7"},
        /* Without the flag nothing is returned. */
        {__LINE__, GEN8ON, false, D(0x17800501, 0x2010, 0, SHOW_R4, END),
         "1:2010=5; 1:3000=0; 1:3004=0"},
    };
    RUN(rows);
}

/* MI_SET_PREDICATE: until the next one nothing is executed. */
static void test_set_predicate(void **state)
{
    (void)state;
#define SET(value)           (0x00800000 | (value))
#define RESULT_2(reg, value) 0x11000001, (reg), (value)
#define UNKNOWN(dword)                                                                             \
    "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x" dword                                \
    ": a reserved value, expected a documented one"
    static const struct program rows[] = {
        {__LINE__, HSWON, true, D(SET(0), USER, END), "user interrupt"},
        {__LINE__, HSWON, true, D(SET(1), USER, SET(0), END), ""},
        {__LINE__, HSWON, true, D(SET(2), USER, SET(0), END), "user interrupt"},
        {__LINE__, "hsw", true, D(RESULT_2(0x2214, 1), SET(1), USER, SET(0), END),
         "user interrupt"},
        {__LINE__, "hsw", true, D(RESULT_2(0x2214, 1), SET(2), USER, SET(0), END), ""},
        {__LINE__, GEN8ON, true, D(RESULT_2(0x23bc, 1), SET(1), USER, SET(0), END),
         "user interrupt"},
        {__LINE__, GEN8ON, true, D(RESULT_2(0x23bc, 1), SET(2), USER, SET(0), END), ""},
        {__LINE__, GEN8ON, true, D(SET(3), USER, SET(0), END), ""},
        {__LINE__, GEN8ON, true, D(SET(4), USER, SET(0), END), "user interrupt"},
        {__LINE__, GEN8ON, true, D(0x06000080, SET(3), USER, SET(0), END), "user interrupt"},
        {__LINE__, GEN8ON, true, D(0x06000080, SET(4), USER, SET(0), END), ""},
        {__LINE__, "hsw", true, D(SET(3), USER, SET(0), END), UNKNOWN("00800003")},
        {__LINE__, GEN8ON, true, D(SET(15), USER, SET(0), USER, END), "user interrupt"},
        {__LINE__, "icl lkf", true, D(SET(11), USER, SET(12), USER, END), "user interrupt"},
        {__LINE__, "bdw skl " GEN12, true, D(SET(11), END), UNKNOWN("0080000b")},
        {__LINE__, GEN11ON, true, D(SET(5), END), UNKNOWN("00800005")},
        /* The end of the batch is a NOOP too. */
        {__LINE__, GEN8ON, true, D(SET(15), END, SET(0), USER, END), "user interrupt"},
        /* Evaluated once: its source may change. */
        {__LINE__, GEN8ON, true, D(SET(2), RESULT_2(0x23bc, 1), USER, END), "user interrupt"},
    };
    RUN(rows);
}

static void test_mailboxes(void **state)
{
    (void)state;
    static const struct program rows[] = {
        /* Registers: greater than the data. */
        {__LINE__, "snb ivb vlv", true, D(0x11000001, 0x2040, 6, 0x0b540001, 5, 0, USER, END),
         "user interrupt"},
        {__LINE__, "snb ivb vlv", true, D(0x11000001, 0x2044, 6, 0x0b560001, 5, 0, USER, END),
         "user interrupt"},
        {__LINE__, "hsw", true, D(0x11000001, 0x2048, 6, 0x0b150001, 5, 0, USER, END),
         "user interrupt"},
        {__LINE__, "snb ivb vlv", true, D(0x0b550001, 5, 0, USER, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x0b550001: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, GEN6TO75, true, D(0x0b570001, 5, 0, USER, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x0b570001: a reserved value, "
         "expected "
         "a documented one"},
        /* Memory: 2010h holds 4. */
        {__LINE__, "snb ivb vlv", false, D(0x0b100001, 3, 0x2010, USER, END), "user interrupt"},
        {__LINE__, "snb ivb vlv", false, D(0x0b000001, 9, 0x2010, USER, END), "user interrupt"},
        {__LINE__, "snb ivb vlv", false, D(0x0b200001, 9, 0x3000, END), "1:3000=9"},
        {__LINE__, "snb ivb vlv", true, D(0x0b600001, 9, 0x3000, END), "0:3000=9"},
        {__LINE__, "snb ivb vlv", false, D(0x0b600001, 9, 0x3000, USER, END), "user interrupt"},
        /* A register of another engine, as the ring's signal writes it. */
        {__LINE__, "snb ivb vlv", true, D(0x0b640001, 9, 0x22044, END), "r22044=9"},
    };
    RUN(rows);
}

static void test_events_and_heads(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, ALL, false, D(0x01800006, USER, END), "user interrupt"},
        {__LINE__, GEN6TO75, true, D(0x11000001, 0x2028, 0x001f0002, 0x01810000, USER, END),
         "user interrupt"},
        {__LINE__, GEN6TO75, true,
         D(0x11000003, 0x2028, 0x001f0002, 0x2028, 0x00020000, 0x01820000, USER, END),
         "user interrupt"},
        /* A write without its mask changes nothing. */
        {__LINE__, GEN6TO75, true, D(0x11000001, 0x2028, 0x0000001f, 0x01850000, USER, END),
         "user interrupt"},
        {__LINE__, GEN6TO75, true, D(0x01860000, USER, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x01860000: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, GEN6TO75, true, D(0x11000001, 0x4080, 0x5000, 0x03800000, END), "0:5010=0"},
        {__LINE__, GEN8ON, true, D(0x11000001, 0x2080, 0x5000, 0x03800000, END), "0:5010=0"},
        {__LINE__, GEN8ON, false, D(0x0d800000, 5, USER, END), "user interrupt"},
        {__LINE__, GEN11ON, false, D(0x0e800000, 0x20002, USER, END),
         "force wakeup 20002; user interrupt"},
        /* Cost only. */
        {__LINE__, ALL, true, D(0x0a000001, 0, 0, 0x09000000, 0, 0x09800000, 0, USER, END),
         "user interrupt"},
        {__LINE__, GEN6TO75, true, D(0x11800001, 0, 0, 0x13800001, 0, 0, USER, END),
         "user interrupt"},
        {__LINE__, GEN8ON, true, D(0x11800001, 0, 0, 0x13800002, 0, 0, 0, USER, END),
         "user interrupt"},
        {__LINE__, "hsw", false,
         D(0x15800002, 0, 0x3000, 7, 0x16000001, 0, 0, 0x16800001, 0, 0, END), "1:3000=7"},
        {__LINE__, "bdw skl cnl", false,
         D(0x15800002, 0x3000, 0, 7, 0x16000002, 0, 0, 0, 0x16800002, 0, 0, 0, 0x04800000, END),
         "1:3000=7"},
    };
    RUN(rows);
}

static void test_semaphore_on_a_register(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, "skl icl lkf", false, D(0x0e01c002, 0x5a002364, 0x2364, 0, USER, END),
         "user interrupt"},
        {__LINE__, "skl icl lkf", false, D(0x0e01d002, 0, 0x2364, 0, USER, END), "user interrupt"},
        {__LINE__, "bdw chv", false, D(0x0e01c002, 4, 0x2010, 0, USER, END), "user interrupt"},
        /* Five dwords on Gen12, in both modes; four still. */
        {__LINE__, GEN12, false, D(0x0e01c003, 0x5a002364, 0x2364, 0, 0, USER, END),
         "user interrupt"},
        {__LINE__, GEN12, false, D(0x0e01c002, 0x5a002364, 0x2364, 0, USER, END), "user interrupt"},
        {__LINE__, GEN12, false, D(0x0e004003, 4, 0x2010, 0, 0x60, USER, END), "user interrupt"},
        {__LINE__, GEN12, false, D(0x0e00c003, 4, 0x2010, 0, 0x60, USER, END), "user interrupt"},
        {__LINE__, GEN8TO11, false, D(0x0e00c003, 4, 0x2010, 0, 0, USER, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x0e00c003: MI_SEMAPHORE_WAIT of 5 "
         "dwords, expected 4"},
        {__LINE__, GEN12, false, D(0x0e00c004, 4, 0x2010, 0, 0, 0, USER, END),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x0e00c004: MI_SEMAPHORE_WAIT of 6 "
         "dwords, expected 4 to 5"},
    };
    RUN(rows);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct program rows[] = {
        {__LINE__, "hsw", false, D(0, 0x1f800000),
         "command streamer rcs0 at 0x00001004 (PPGTT 1), dword 0x1f800000: expected a command of "
         "graphics version 7.5"},
        {__LINE__, "lkf", false, D(0x20000000),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x20000000: expected a command of "
         "graphics version 11.0"},
        {__LINE__, GEN6TO75, false, D(0x14000002, 0, 0, 0),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x14000002: MI_REPORT_PERF_COUNT of "
         "4 "
         "dwords, expected 3"},
        {__LINE__, "snb", false, D(0, 0, 0x7a000000),
         "command streamer rcs0 at 0x00001008 (PPGTT 1), dword 0x7a000000: PIPE_CONTROL of 2 "
         "dwords, "
         "expected 4 to 5"},
        {__LINE__, GEN8ON, false, D(0x10000002, 0x10000, 0x1, 5),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x10000002: expected memory at "
         "0x100010000 (PPGTT 1), nothing is mapped"},
        {__LINE__, GEN8ON, true, D(0x18800001, 0xfffff000, 0xffffffff),
         "command streamer rcs0 at 0xfffffffff000 (GGTT), dword 0x00000000: expected memory at "
         "0xfffffffff000 (GGTT), nothing is mapped"},
        {__LINE__, GEN8ON, false, D(0x0e00e002, 5, 0x3000, 0),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x0e00e002: a reserved value, "
         "expected "
         "a documented one"},
        {__LINE__, ALL, false, D(0x13008002, 0x3000, 0, 0),
         "command streamer rcs0 at 0x00001000 (PPGTT 1), dword 0x13008002: a reserved value, "
         "expected "
         "a documented one"},
    };
    RUN(rows);
}

int test_cs_streamer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_report_id_quirk),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_math),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_flushes),
        cmocka_unit_test(test_work_and_state),
        cmocka_unit_test(test_commands_of_engines),
        cmocka_unit_test(test_privileged_commands),
        cmocka_unit_test(test_conditional_ends),
        cmocka_unit_test(test_conditional_comparisons),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_registers),
        cmocka_unit_test(test_set_predicate),
        cmocka_unit_test(test_mailboxes),
        cmocka_unit_test(test_events_and_heads),
        cmocka_unit_test(test_semaphore_on_a_register),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests_name("cs streamer", tests, NULL, NULL);
}
