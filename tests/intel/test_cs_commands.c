/* SPDX-License-Identifier: MIT */
/* The table of commands: consistency, search by first dword, and golden dwords as text. */
#include "intel/tests.h"

#include "base/bits.h"
#include "intel/cs/commands.h"
#include "intel/cs/symbols.h"

static const unsigned versions[] = {60, 70, 75, 80, 90, 100, 110, 120};

/* ---- the table ------------------------------------------------------------------------------- */

/* Each bit of a command belongs to at most one field of a version. */
static void check_fields(const struct cs_command *command, const struct cs_field *fields,
                         unsigned version, unsigned dwords)
{
    static uint8_t owners[65536 * 32 / 8 + 1];
    memset(owners, 0, sizeof owners);
    for (const struct cs_field *f = fields; f && f->name; f++) {
        ROW(__LINE__, f->kind != CS_FLAG || f->low == f->high, "%s: %s", command->name, f->name);
        if (version < f->first || version > f->last)
            continue;
        ROW(__LINE__, f->low <= f->high && f->high < dwords * 32 && f->high - f->low < 64,
            "%s: %s at %u:%u of %u dwords", command->name, f->name, f->high, f->low, dwords);
        for (unsigned bit = f->low; bit <= f->high && bit < 32 * 32; bit++) {
            ROW(__LINE__, !(owners[bit / 8] >> bit % 8 & 1),
                "%s, version %u: bit %u of %s is taken", command->name, version, bit, f->name);
            owners[bit / 8] |= (uint8_t)(1u << bit % 8);
            ROW(__LINE__, fields != command->fields || bit >= 32 || !(command->mask >> bit & 1),
                "%s: %s is in the opcode", command->name, f->name);
            ROW(__LINE__, fields != command->fields || bit >= command->length_bits,
                "%s: %s is in the length", command->name, f->name);
        }
    }
}

/* The first class of engines that has a command. */
static enum cs_class engine_of(const struct cs_command *command)
{
    unsigned classes = cs_classes(command, command->first);
    assert_int_not_equal(classes, 0);
    return (enum cs_class)__builtin_ctz(classes);
}

static void test_rows_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < cs_command_count; i++) {
        const struct cs_command *c = &cs_commands[i];
        uint32_t reach = c->length_bits ? (uint32_t)ones(c->length_bits) + 2 : c->min_dwords;
        ROW(__LINE__, !(c->opcode & ~c->mask), "%s: opcode outside its mask", c->name);
        ROW(__LINE__, c->first <= c->last && c->first >= CS_FIRST && c->last <= CS_LAST, "%s",
            c->name);
        ROW(__LINE__, c->clocks >= 1, "%s takes no time", c->name);
        ROW(__LINE__,
            c->min_dwords >= 1 && c->min_dwords <= c->max_dwords && c->max_dwords <= reach,
            "%s: %u to %u dwords, the field reaches %u", c->name, c->min_dwords, c->max_dwords,
            reach);
        ROW(__LINE__, !c->group_size == !c->group, "%s: group", c->name);
        ROW(__LINE__, c->source && *c->source, "%s: no document", c->name);
        /* Each row is found, and not hidden by earlier rows, which may be special cases of it. */
        ROW(__LINE__,
            cs_find(c->first, engine_of(c), c->opcode) == c ||
                cs_find(c->first, engine_of(c), c->opcode | (~c->mask & 0x00ff0000)) == c,
            "%s is never found on version %u", c->name, c->first);
        for (size_t v = 0; v < COUNT(versions); v++) {
            if (versions[v] < c->first || versions[v] > c->last)
                continue;
            check_fields(c, c->fields, versions[v], c->max_dwords);
            check_fields(c, c->group, versions[v], c->group_size);
        }
    }
    ROWS_DONE();
}

/* For any first dword the command has a length of at least one dword, or does not exist. */
static void test_any_dword(void **state)
{
    (void)state;
    struct random rng = random_start(1);
    for (unsigned i = 0; i < random_cases(200000); i++) {
        uint32_t dword = (uint32_t)random_next(&rng);
        unsigned version = versions[random_below(&rng, COUNT(versions))];
        const struct cs_command *c = cs_find_any(version, dword);
        bool known_type = dword >> 29 == 2 || dword >> 29 == 3;
        ROW(__LINE__, c || !known_type, "%08x on %u: no command", dword, version);
        ROW(__LINE__, !c || cs_length(c, dword) >= 1, "%08x: no length", dword);
        ROW(__LINE__, !c || c->opcode >> 29 == dword >> 29, "%08x is %s", dword, c->name);
    }
    ROWS_DONE();
}

/* ---- golden dwords --------------------------------------------------------------------------- */

#define D(...) {__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

#define GEN6TO75 "snb ivb vlv hsw"
#define GEN7     "ivb vlv"
#define GEN8TO11 "bdw chv skl bxt glk kbl cfl cnl icl lkf ehl"
#define GEN12    "tgl rkl dg1 adl"
#define GEN8ON   GEN8TO11 " " GEN12
#define ALL      GEN6TO75 " " GEN8ON

static const struct {
    unsigned line;
    const char *platforms;
    uint32_t dwords[16];
    size_t count;
    const char *text; /* text from the name on */
} golden[] = {
    {__LINE__, ALL, D(0x00000000), "MI_NOOP"},
    {__LINE__, ALL, D(0x00412345),
     "MI_NOOP  Identification Number Register Write Enable, Identification Number 0x012345"},
    {__LINE__, ALL, D(0x01000000), "MI_USER_INTERRUPT"},
    {__LINE__, GEN6TO75, D(0x02000004), "MI_FLUSH  Render Cache Flush Inhibit"},
    {__LINE__, "bdw chv skl bxt glk kbl cfl cnl", D(0x02000004), NULL},
    {__LINE__, "icl lkf ehl " GEN12, D(0x02001102), "MI_WAIT_FOR_EVENT_2  Display Events 0x1102"},
    {__LINE__, ALL, D(0x02800000), "MI_ARB_CHECK"},
    {__LINE__, ALL, D(0x04000001), "MI_ARB_ON_OFF  Arbitration Enable"},
    {__LINE__, ALL, D(0x04000000), "MI_ARB_ON_OFF"},
    {__LINE__, ALL, D(0x05000000), "MI_BATCH_BUFFER_END"},
    {__LINE__, ALL, D(0x05800001), "MI_SUSPEND_FLUSH  Suspend Flush"},
    {__LINE__, "snb", D(0x0600008a), NULL},
    {__LINE__, GEN7 " hsw " GEN8ON, D(0x0600008a),
     "MI_PREDICATE  Load Operation LOAD, Combine Operation AND, Compare Operation SRCS_EQUAL"},

    /* Contexts: the kernel's legacy switch. */
    {__LINE__, "snb ivb vlv", D(0x0c000000, 0x0012310d),
     "MI_SET_CONTEXT  Logical Context Address 0x00123000, Extended State Save Enable, "
     "Extended State Restore Enable, Restore Inhibit"},
    {__LINE__, "hsw", D(0x0c000000, 0x0012310e),
     "MI_SET_CONTEXT  Logical Context Address 0x00123000, Resource Streamer State Save Enable, "
     "Resource Streamer State Restore Enable, Force Restore"},
    {__LINE__, GEN8ON, D(0x0c000000, 0x00123100), NULL},

    /* OA-8. */
    {__LINE__, GEN6TO75, D(0x14000001, 0x00123441, 0x0000cafe),
     "MI_REPORT_PERF_COUNT  Memory Address 0x00123440, GTT Select GGTT, Report ID 0x0000cafe"},
    {__LINE__, GEN8ON, D(0x14000002, 0x00123441, 0x00000000, 0x0000cafe),
     "MI_REPORT_PERF_COUNT  Memory Address 0x000000123440, GTT Select GGTT, "
     "Report ID 0x0000cafe"},
    {__LINE__, "hsw", D(0x14000001, 0x00123450, 0xdeadbeef),
     "MI_REPORT_PERF_COUNT  Memory Address 0x00123440, Core Mode Enable, GTT Select PPGTT, "
     "Report ID 0xdeadbeef"},
    {__LINE__, GEN8ON, D(0x14000002, 0x00123440, 0xffffa5a5, 0xdeadbeef),
     "MI_REPORT_PERF_COUNT  Memory Address 0xa5a500123440, GTT Select PPGTT, "
     "Report ID 0xdeadbeef"},

    /* Registers. */
    {__LINE__, ALL, D(0x11000001, 0x00002360, 0x00000003),
     "MI_LOAD_REGISTER_IMM  Register Offset 0x002360, Data DWord 0x00000003"},
    {__LINE__, ALL, D(0x11000003, 0x00009888, 0x12345678, 0x00002710, 0x00000001),
     "MI_LOAD_REGISTER_IMM  Register Offset 0x009888, Data DWord 0x12345678; "
     "Register Offset 0x002710, Data DWord 0x00000001"},
    {__LINE__, ALL, D(0x11000e01, 0x00002360, 0x00000003),
     "MI_LOAD_REGISTER_IMM  Byte Write Disables 0xe; Register Offset 0x002360, "
     "Data DWord 0x00000003"},
    {__LINE__, GEN6TO75, D(0x12400001, 0x00002358, 0x00010008),
     "MI_STORE_REGISTER_MEM  Use Global GTT GGTT, Register Address 0x002358, "
     "Memory Address 0x00010008"},
    {__LINE__, GEN8ON, D(0x12000002, 0x00002358, 0x00010008, 0x00000001),
     "MI_STORE_REGISTER_MEM  Use Global GTT PPGTT, Register Address 0x002358, "
     "Memory Address 0x000100010008"},
    {__LINE__, GEN7 " hsw", D(0x14c00001, 0x00002600, 0x00011000),
     "MI_LOAD_REGISTER_MEM  Use Global GTT GGTT, Register Address 0x002600, "
     "Memory Address 0x00011000"},
    {__LINE__, "snb", D(0x14c00001, 0x00002600, 0x00011000), NULL},
    {__LINE__, GEN8ON, D(0x14c00002, 0x00002600, 0x00011000, 0x00000000),
     "MI_LOAD_REGISTER_MEM  Use Global GTT GGTT, Register Address 0x002600, "
     "Memory Address 0x000000011000"},
    {__LINE__, "hsw " GEN8ON, D(0x15000001, 0x00002358, 0x00002608),
     "MI_LOAD_REGISTER_REG  Source Register Address 0x002358, "
     "Destination Register Address 0x002608"},
    {__LINE__, "icl lkf ehl", D(0x150c0001, 0x00000358, 0x00000608),
     "MI_LOAD_REGISTER_REG  Add CS MMIO Start Offset Source, "
     "Add CS MMIO Start Offset Destination, Source Register Address 0x000358, "
     "Destination Register Address 0x000608"},
    {__LINE__, "snb ivb vlv", D(0x15000001, 0x00002358, 0x00002608), NULL},

    /* Arithmetic: the subtraction of the kernel's wait (PERF-3.5). */
    {__LINE__, "hsw " GEN8ON,
     D(0x0d000004, 0x08008001, 0x08008400, 0x10100000, 0x18000831, 0x18000c33),
     "MI_MATH  ALU Opcode LOAD, Operand 1 SRCA, Operand 2 R1; ALU Opcode LOAD, Operand 1 SRCB, "
     "Operand 2 R0; ALU Opcode SUB, Operand 1 R0, Operand 2 R0; ALU Opcode STORE, Operand 1 R2, "
     "Operand 2 ACCU; ALU Opcode STORE, Operand 1 R3, Operand 2 CF"},
    {__LINE__, "snb ivb vlv", D(0x0d000000, 0x00000000), NULL},

    /* Memory. */
    {__LINE__, GEN6TO75, D(0x10400002, 0x00000000, 0x00001004, 0x11223344),
     "MI_STORE_DATA_IMM  Use Global GTT GGTT, Address 0x00001004; Data 0x11223344"},
    {__LINE__, GEN6TO75, D(0x10000003, 0x00000000, 0x00001008, 0x11223344, 0x55667788),
     "MI_STORE_DATA_IMM  Use Global GTT PPGTT, Address 0x00001008; Data 0x11223344; "
     "Data 0x55667788"},
    {__LINE__, GEN8ON, D(0x10400002, 0x00001004, 0x00000000, 0x11223344),
     "MI_STORE_DATA_IMM  Use Global GTT GGTT, Address 0x000000001004; Data 0x11223344"},
    {__LINE__, GEN8ON, D(0x10200003, 0x00001008, 0x00000000, 0x11223344, 0x55667788),
     "MI_STORE_DATA_IMM  Use Global GTT PPGTT, Store Qword, Address 0x000000001008; "
     "Data 0x11223344; Data 0x55667788"},
    {__LINE__, ALL, D(0x10800001, 0x000000c0, 0x00000007),
     "MI_STORE_DATA_INDEX  Offset 0x0c0, Data 0x0000000000000007"},
    {__LINE__, GEN8ON, D(0x17400003, 0x00002000, 0x00000000, 0x00001000, 0x00000000),
     "MI_COPY_MEM_MEM  Use Global GTT Source GGTT, Use Global GTT Destination PPGTT, "
     "Destination Memory Address 0x000000002000, Source Memory Address 0x000000001000"},
    {__LINE__, GEN6TO75, D(0x17400003, 0, 0, 0, 0), NULL},
    {__LINE__, GEN8ON, D(0x0e40c002, 0x00000005, 0x00001000, 0x00000000),
     "MI_SEMAPHORE_WAIT  Memory Type GGTT, Wait Mode Polling, "
     "Compare Operation SAD_EQUAL_SDD, Semaphore Data Dword 0x00000005, "
     "Semaphore Address 0x000000001000"},
    {__LINE__, GEN6TO75, D(0x0e40c002, 0, 0, 0), NULL},
    {__LINE__, GEN12, D(0x0e01c003, 0x00000005, 0x00002358, 0x00000000, 0x00000060),
     "MI_SEMAPHORE_WAIT  Memory Type PPGTT, Register Poll Mode, Wait Mode Polling, "
     "Compare Operation SAD_EQUAL_SDD, Semaphore Data Dword 0x00000005, "
     "Semaphore Address 0x000000002358, Wait Token Number 0x03"},
    {__LINE__, "skl cnl lkf", D(0x0e01c002, 0x00000005, 0x00002358, 0x00000000),
     "MI_SEMAPHORE_WAIT  Memory Type PPGTT, Register Poll Mode, Wait Mode Polling, "
     "Compare Operation SAD_EQUAL_SDD, Semaphore Data Dword 0x00000005, "
     "Semaphore Address 0x000000002358"},
    {__LINE__, "snb ivb hsw bdw", D(0x0c800000, 0x00100020),
     "MI_URB_CLEAR  URB Clear Length 16, URB Address 0x0020"},
    {__LINE__, "snb ivb", D(0x0c800000, 0x20104020),
     "MI_URB_CLEAR  URB Clear Length 16, URB Address 0x0020"},
    {__LINE__, "hsw bdw", D(0x0c800000, 0x20104020),
     "MI_URB_CLEAR  URB Clear Length 8208, URB Address 0x4020"},
    {__LINE__, "skl icl lkf", D(0x0c800000), NULL},

    /* Batches. */
    {__LINE__, "snb ivb vlv", D(0x18800100, 0x00040000),
     "MI_BATCH_BUFFER_START  Address Space Indicator PPGTT, "
     "Batch Buffer Start Address 0x00040000"},
    {__LINE__, "hsw", D(0x18802100, 0x00040000),
     "MI_BATCH_BUFFER_START  Non-Privileged, Address Space Indicator PPGTT, "
     "Batch Buffer Start Address 0x00040000"},
    {__LINE__, "hsw", D(0x18c08000, 0x00040000),
     "MI_BATCH_BUFFER_START  2nd Level Batch Buffer, Predication Enable, "
     "Address Space Indicator GGTT, Batch Buffer Start Address 0x00040000"},
    {__LINE__, GEN8ON, D(0x18800101, 0x00040000, 0xffff8000),
     "MI_BATCH_BUFFER_START  Address Space Indicator PPGTT, "
     "Batch Buffer Start Address 0x800000040000"},
    {__LINE__, GEN8ON, D(0x18c18001, 0x00040000, 0x00000000),
     "MI_BATCH_BUFFER_START  2nd Level Batch Buffer, Add Offset Enable, Predication Enable, "
     "Address Space Indicator GGTT, Batch Buffer Start Address 0x000000040000"},
    {__LINE__, GEN6TO75, D(0x1b600001, 0x00000001, 0x00001000),
     "MI_CONDITIONAL_BATCH_BUFFER_END  Use Global GTT GGTT, Compare Semaphore, "
     "Compare Data Dword 0x00000001, Compare Address 0x00001000"},
    {__LINE__, GEN8TO11, D(0x1b200002, 0x00000001, 0x00001000, 0x00000000),
     "MI_CONDITIONAL_BATCH_BUFFER_END  Use Global GTT PPGTT, Compare Semaphore, "
     "Compare Data Dword 0x00000001, Compare Address 0x000000001000"},

    /* Flushes. The flags of IGT's perf test, IGT-3.4: CS stall, render target
     * flush, write timestamp. */
    {__LINE__, "hsw", D(0x7a000003, 0x0010d000, 0x00001000, 0x00000000, 0x00000000),
     "PIPE_CONTROL  Command Streamer Stall Enable, Post Sync Operation Write Timestamp, "
     "Render Target Cache Flush Enable, Destination Address Type PPGTT, Address 0x00001000, "
     "Immediate Data 0x0000000000000000"},
    {__LINE__, GEN8ON, D(0x7a000004, 0x0010d000, 0x00001000, 0x00000000, 0x00000000, 0x00000000),
     "PIPE_CONTROL  Command Streamer Stall Enable, Post Sync Operation Write Timestamp, "
     "Render Target Cache Flush Enable, Destination Address Type PPGTT, Address 0x000000001000, "
     "Immediate Data 0x0000000000000000"},
    {__LINE__, "snb", D(0x7a000003, 0x00004000, 0x00001004, 0x00000001, 0x00000002),
     "PIPE_CONTROL  Post Sync Operation Write Immediate Data, Destination Address Type GGTT, "
     "Address 0x00001000, Immediate Data 0x0000000200000001"},
    {__LINE__, "ivb vlv hsw", D(0x7a000002, 0x01004100, 0x00001004, 0x00000001),
     "PIPE_CONTROL  Post Sync Operation Write Immediate Data, Notify Enable, "
     "Destination Address Type GGTT, Address 0x00001004, Immediate Data 0x0000000000000001"},
    {__LINE__, GEN8ON, D(0x7a000004, 0x01008000, 0x00001000, 0x00000002, 0x00000001, 0x00000000),
     "PIPE_CONTROL  Post Sync Operation Write PS Depth Count, Destination Address Type GGTT, "
     "Address 0x000200001000, Immediate Data 0x0000000000000001"},
    {__LINE__, GEN6TO75, D(0x13004001, 0x00001004, 0x00000007),
     "MI_FLUSH_DW  Post-Sync Operation Write Immediate Data, Destination Address Type GGTT, "
     "Address 0x00001000, Immediate Data 0x0000000000000007"},
    {__LINE__, GEN8ON, D(0x1300c102, 0x00001000, 0x00000000, 0x00000000),
     "MI_FLUSH_DW  Post-Sync Operation Write Timestamp, Notify Enable, "
     "Destination Address Type PPGTT, Address 0x000000001000, "
     "Immediate Data 0x0000000000000000"},

    /* Work and state. */
    {__LINE__, "snb", D(0x7b003c04, 0x00000003, 0, 0x00000001, 0, 0),
     "3DPRIMITIVE  Primitive Topology Type 0x0f, Vertex Count Per Instance 3, "
     "Start Vertex Location 0, Instance Count 1"},
    {__LINE__, "ivb vlv hsw " GEN8ON, D(0x7b000105, 0x0000000f, 3, 0, 1, 0, 0),
     "3DPRIMITIVE  Predicate Enable, Primitive Topology Type 0x0f, Vertex Count Per Instance 3, "
     "Start Vertex Location 0, Instance Count 1"},
    {__LINE__, ALL, D(0x69040000), "PIPELINE_SELECT  Pipeline Selection 3D"},
    {__LINE__, ALL, D(0x680b0001), "3DSTATE_VF_STATISTICS  Statistics Enable"},
    {__LINE__, ALL, D(0x68010001), "state (one dword)"},
    {__LINE__, ALL, D(0x78080003, 0x0800000c, 0, 0, 0),
     "3DSTATE_VERTEX_BUFFERS  Vertex Buffer Index 2, Buffer Pitch 12"},
    {__LINE__, "ivb vlv hsw " GEN8ON, D(0x78080003, 0x0800400c, 0, 0, 0),
     "3DSTATE_VERTEX_BUFFERS  Vertex Buffer Index 2, Address Modify Enable, Buffer Pitch 12"},
    {__LINE__, "snb", D(0x78180000, 0xffff), "3DSTATE_SAMPLE_MASK  Sample Mask 0xf"},
    {__LINE__, "ivb hsw", D(0x78180000, 0xffff), "3DSTATE_SAMPLE_MASK  Sample Mask 0xff"},
    {__LINE__, GEN8ON, D(0x78180000, 0xffff), "3DSTATE_SAMPLE_MASK  Sample Mask 0xffff"},
    {__LINE__, "chv", D(0x78130002, 0x00100000, 0, 0),
     "3DSTATE_SF  Line Width 0, CHV Line Width 0x00100, Point Width 0"},
    {__LINE__, "ivb vlv hsw " GEN8ON, D(0x782a0000, 0x00000140),
     "3DSTATE_BINDING_TABLE_POINTERS_PS  Pointer to PS Binding Table 0x0140"},
    {__LINE__, ALL, D(0x71000002, 0, 0, 0), "MEDIA_OBJECT"},
    {__LINE__, "ivb vlv hsw", D(0x71050009, 0, 0, 0, 4, 0, 2, 0, 1, 0, 0),
     "GPGPU_WALKER  Interface Descriptor Offset 0, SIMD Size 0, Thread Depth Counter Maximum 0, "
     "Thread Height Counter Maximum 0, Thread Width Counter Maximum 0, "
     "Thread Group ID Starting X 0, Thread Group ID X Dimension 4, "
     "Thread Group ID Starting Y 0, Thread Group ID Y Dimension 2, "
     "Thread Group ID Starting Z 0, Thread Group ID Z Dimension 1"},
    {__LINE__, GEN8ON, D(0x7105000d, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0, 1, 0, 0),
     "GPGPU_WALKER  Interface Descriptor Offset 0, SIMD Size 0, Thread Depth Counter Maximum 0, "
     "Thread Height Counter Maximum 0, Thread Width Counter Maximum 0, "
     "Thread Group ID Starting X 0, Thread Group ID X Dimension 4, "
     "Thread Group ID Starting Y 0, Thread Group ID Y Dimension 2, "
     "Thread Group ID Starting Z 0, Thread Group ID Z Dimension 1"},
    {__LINE__, ALL, D(0x54c00006, 0x03cc0100, 0x00020001, 0x00400080, 0, 0, 0, 0),
     "XY_SRC_COPY_BLT  Color Depth 3, Destination X1 1, Destination Y1 2, Destination X2 128, "
     "Destination Y2 64"},
    {__LINE__, "skl kbl icl lkf", D(0x50800008, 0x04000000, 0, 0x00100020, 0, 0, 0, 0, 0, 0),
     "XY_FAST_COPY_BLT  Color Depth 4, Destination X1 0, Destination Y1 0, Destination X2 32, "
     "Destination Y2 16"},
    {__LINE__, "snb hsw bdw", D(0x50800001, 0, 0), "blit"},

    /* Commands that wait, predicate or change memory (OA-11). */
    {__LINE__, "hsw", D(0x00800002), "MI_SET_PREDICATE  Predicate Enable NOOP on Result2 set"},
    {__LINE__, GEN8ON, D(0x0080000f), "MI_SET_PREDICATE  Predicate Enable NOOP Always"},
    {__LINE__, "snb ivb vlv", D(0x00800000), NULL},
    {__LINE__, GEN6TO75, D(0x01830006),
     "MI_WAIT_FOR_EVENT  Display Events 0x0006, Condition Code Wait Select 0x3"},
    {__LINE__, GEN8ON, D(0x01830006), "MI_WAIT_FOR_EVENT  Display Events 0x030006"},
    {__LINE__, ALL, D(0x03800000), "MI_REPORT_HEAD"},
    {__LINE__, "hsw bdw skl cnl", D(0x04803010),
     "MI_URB_ATOMIC_ALLOC  URB Atomic Storage Offset 3, URB Atomic Storage Size 16"},
    {__LINE__, "snb ivb vlv icl tgl", D(0x04803010), NULL},
    {__LINE__, "ivb hsw skl tgl", D(0x07000081),
     "MI_SET_APPID  Protected Memory Application ID 0x01, Protected Memory Application ID Type"},
    {__LINE__, ALL, D(0x09080000, 0x00100020),
     "MI_LOAD_SCAN_LINES_INCL  Display Plane Select 1, Start Scan Line Number 16, "
     "End Scan Line Number 32"},
    {__LINE__, ALL, D(0x09880000, 0x00100020),
     "MI_LOAD_SCAN_LINES_EXCL  Display Plane Select 1, Start Scan Line Number 16, "
     "End Scan Line Number 32"},
    {__LINE__, "snb ivb hsw bdw", D(0x0a080001, 0x00002000, 0x00123000),
     "MI_DISPLAY_FLIP  Display Plane Select 1, Display Buffer Base Address 0x00123000"},
    {__LINE__, "icl tgl", D(0x0a002101, 0x00002000, 0x00123000),
     "MI_DISPLAY_FLIP  Display Plane Select 33, Display Buffer Base Address 0x00123000"},
    {__LINE__, "skl icl tgl", D(0x0a400501, 0x00002000, 0x00123000),
     "MI_DISPLAY_FLIP  Async Flip Indicator, Display Plane Select 5, "
     "Display Buffer Base Address 0x00123000"},
    {__LINE__, "snb ivb vlv", D(0x0b760001, 0x00000005, 0x00002044),
     "MI_SEMAPHORE_MBOX  Use Global GTT GGTT, Update Semaphore, Compare Semaphore, "
     "Compare Register, Register Select 2, Semaphore Data Dword 0x00000005, "
     "Semaphore Address 0x00002044"},
    {__LINE__, "hsw", D(0x0b010001, 0x00000005, 0),
     "MI_SEMAPHORE_MBOX  Register Select 1, Semaphore Data Dword 0x00000005"},
    {__LINE__, GEN8ON, D(0x0b010001), NULL},
    {__LINE__, "bdw skl cnl", D(0x0d810000, 0x00000abc),
     "MI_SEMAPHORE_SIGNAL  Target Engine Select 2, Target Context ID 0x00000abc"},
    {__LINE__, "icl lkf", D(0x0d840000, 0x00000abc),
     "MI_SEMAPHORE_SIGNAL  Target Engine Select 8, Target Context ID 0x00000abc"},
    {__LINE__, GEN12, D(0x0da00000, 0), "MI_SEMAPHORE_SIGNAL  Post-Sync Operation"},
    {__LINE__, "bdw skl cnl", D(0x0da10000, 0x00000abc),
     "MI_SEMAPHORE_SIGNAL  Post-Sync Operation, Target Engine Select 2, "
     "Target Context ID 0x00000abc"},
    {__LINE__, "icl lkf " GEN12, D(0x0e800000, 0x00020002),
     "MI_FORCE_WAKEUP  Force Awake 0x00020002"},
    {__LINE__, GEN6TO75 " bdw skl cnl", D(0x0e800000), NULL},
    {__LINE__, GEN6TO75, D(0x11800002, 0x00123000, 1, 2),
     "MI_UPDATE_GTT  Entry Address 0x00123000; Entry Data 0x00000001; Entry Data 0x00000002"},
    {__LINE__, GEN8ON, D(0x11800001, 0x00123000, 1),
     "MI_UPDATE_GTT  Entry Address 0x00123000; Entry Data 0x00000001"},
    {__LINE__, GEN6TO75, D(0x13c00001, 0x00123000, 0),
     "MI_CLFLUSH  Use Global GTT GGTT, Page Base Address 0x00123000"},
    {__LINE__, GEN8ON, D(0x13800002, 0x00123000, 1, 0),
     "MI_CLFLUSH  Use Global GTT PPGTT, Page Base Address 0x000100123000"},
    {__LINE__, "hsw", D(0x15800002, 0, 0x00001004, 7),
     "MI_RS_STORE_DATA_IMM  Destination Address 0x00001004; Data 0x00000007"},
    {__LINE__, "bdw skl cnl", D(0x15800002, 0x00001004, 1, 7),
     "MI_RS_STORE_DATA_IMM  Destination Address 0x000100001004; Data 0x00000007"},
    {__LINE__, "hsw", D(0x16000001, 0x40, 0x00001000),
     "MI_LOAD_URB_MEM  URB Address 0x0040, Memory Address 0x00001000"},
    {__LINE__, "bdw skl", D(0x16800002, 0x40, 0x00001000, 1),
     "MI_STORE_URB_MEM  URB Address 0x0040, Memory Address 0x000100001000"},
    {__LINE__, GEN8ON, D(0x17868403, 0x00001004, 0, 7, 0),
     "MI_ATOMIC  Memory Type PPGTT, Data Size DWORD, Inline Data, CS Stall, "
     "Atomic Opcode 0x84, Memory Address 0x000000001004; Operand 1 0x00000007, "
     "Operand 2 0x00000000"},
    {__LINE__, GEN8ON, D(0x17892701, 0x00001008, 0),
     "MI_ATOMIC  Memory Type PPGTT, Data Size QWORD, Return Data Control, "
     "Atomic Opcode 8B_ADD, Memory Address 0x000000001008"},
    {__LINE__, GEN12, D(0x1b242002, 0x00000001, 0x00001000, 0x00000000),
     "MI_CONDITIONAL_BATCH_BUFFER_END  Use Global GTT PPGTT, Compare Semaphore, "
     "End Current Batch Buffer Level, Compare Operation SAD_LESS_THAN_SDD, "
     "Compare Data Dword 0x00000001, Compare Address 0x000000001000"},

    /* No commands. */
    {__LINE__, ALL, D(0x1f800000), NULL},
    {__LINE__, ALL, D(0x20000000), NULL},
    {__LINE__, ALL, D(0x80000000), NULL},
    {__LINE__, ALL, D(0xffffffff), NULL},
};

static void test_golden_dwords(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        char names[128], *save = NULL;
        snprintf(names, sizeof names, "%s", golden[i].platforms);
        for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
            const struct tally_platform *platform = tally_platform_find(name);
            struct buffer text = {0};
            char expected[1024];
            size_t count = golden[i].text ? golden[i].count : 1;
            snprintf(expected, sizeof expected, "00001000  %08x  %s\n", golden[i].dwords[0],
                     golden[i].text ? golden[i].text : "unknown command");
            size_t done = cs_disassemble(platform, golden[i].dwords, count, 0x1000, &text);
            buffer_char(&text, '\0');
            ROW(golden[i].line, !strcmp(text.bytes, expected), "%s:\n%sexpected\n%s", name,
                text.bytes, expected);
            ROW(golden[i].line, done == (golden[i].text != NULL), "%s: %zu complete", name, done);
            buffer_fini(&text);
        }
    }
    ROWS_DONE();
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t dwords[4];
        size_t count, complete;
        const char *text;
    } rows[] = {
        {__LINE__, "hsw", D(0x14000001, 0x00123441), 0,
         "00000000  14000001  MI_REPORT_PERF_COUNT  truncated: 2 of 3 dwords\n"},
        {__LINE__, "hsw", D(0x14000002, 0, 0), 2,
         "00000000  14000002  MI_REPORT_PERF_COUNT  length 4 dwords, expected 3\n"
         "00000004  00000000  MI_NOOP\n00000008  00000000  MI_NOOP\n"},
        {__LINE__, "snb", D(0x7a000000, 0), 1,
         "00000000  7a000000  PIPE_CONTROL  length 2 dwords, expected 4 to 5\n"
         "00000004  00000000  MI_NOOP\n"},
        {__LINE__, "skl", D(0x1f800000, 0x05000000), 1,
         "00000000  1f800000  unknown command\n00000004  05000000  MI_BATCH_BUFFER_END\n"},
        {__LINE__, "dg2", D(0x00000000), 0, "00000000  00000000  unknown command\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer text = {0};
        size_t done = cs_disassemble(tally_platform_find(rows[i].platform), rows[i].dwords,
                                     rows[i].count, 0, &text);
        buffer_char(&text, '\0');
        ROW(rows[i].line, !strcmp(text.bytes, rows[i].text), "%s", text.bytes);
        ROW(rows[i].line, done == rows[i].complete, "%zu complete", done);
        buffer_fini(&text);
    }
    ROWS_DONE();
}

/* Random dwords give one line per command, and none is read past the end. */
static void test_random_dwords_as_text(void **state)
{
    (void)state;
    struct random rng = random_start(2);
    for (unsigned i = 0; i < 300; i++) {
        uint32_t *dwords = malloc(64 * sizeof *dwords);
        size_t count = random_below(&rng, 65);
        struct buffer text = {0};
        for (size_t d = 0; d < count; d++) {
            const struct cs_command *c = &cs_commands[random_below(&rng, cs_command_count)];
            dwords[d] = (uint32_t)random_magnitude(&rng);
            if (random_below(&rng, 2))
                dwords[d] =
                    (dwords[d] & ~c->mask & ~UINT32_C(0xff)) | c->opcode | (c->min_dwords - 2);
        }
        uint32_t *exact = malloc(count ? count * sizeof *exact : 1);
        memcpy(exact, dwords, count * sizeof *exact);
        size_t done =
            cs_disassemble(tally_platform_at(random_below(&rng, 16)), exact, count, 0, &text);
        ROW(__LINE__, done <= count && !text.broken && (!count || text.size), "round %u", i);
        buffer_fini(&text);
        free(exact);
        free(dwords);
    }
    ROWS_DONE();
}

/* ---- the constants --------------------------------------------------------------------------- */

/* First dwords and fields by name, compared with the documented numbers. */
static void test_symbols(void **state)
{
    const struct {
        unsigned line;
        uint32_t value, expected;
    } rows[] = {
        {__LINE__, MI_NOOP, 0},
        {__LINE__, MI_BATCH_BUFFER_END, 0x05000000},
        {__LINE__, CS_HEADER(MI_USER_INTERRUPT, 1), 0x01000000},
        {__LINE__, CS_HEADER(MI_LOAD_REGISTER_IMM, 253), 0x110000fb},
        {__LINE__, CS_HEADER(GEN8_MI_STORE_DATA_IMM, 4), 0x10000002},
        {__LINE__, CS_HEADER(GEN8_PIPE_CONTROL, 6), 0x7a000004},
        {__LINE__, CS_HEADER(XY_SRC_COPY_BLT, 8), 0x54c00006},
        {__LINE__, MI_STORE_REGISTER_MEM__DWORDS, 3},
        {__LINE__, GEN8_MI_STORE_REGISTER_MEM__DWORDS, 4},
        {__LINE__, CS_MASK(MI_STORE_DATA_IMM, USE_GLOBAL_GTT), 0x00400000},
        {__LINE__, CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, REGISTER_OFFSET), 0x007ffffc},
        {__LINE__, CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, DATA_DWORD), 0xffffffff}, /* dword 1 */
        {__LINE__, CS_PUT(PIPE_CONTROL, COMMAND_STREAMER_STALL_ENABLE, 1), 0x00100000},
        {__LINE__, CS_PUT(PIPE_CONTROL, POST_SYNC_OPERATION, 7), 0x0000c000},
        {__LINE__, CS_GET(PIPE_CONTROL, POST_SYNC_OPERATION, 0xffff7fff), 1},
        {__LINE__, CS_GET(ALU, OPCODE, 0x580ffc31), ALU_OPCODE__STOREINV},
        {__LINE__, CS_GET(ALU, OPERAND_2, 0x580ffc31), ALU_OPERAND__ACCU},
        {__LINE__, CS_DWORDS(MI_LOAD_REGISTER_IMM, 0x110010ff), 257},
        {__LINE__, CS_IS(MI_LOAD_REGISTER_IMM, 0x117fffff), 1},
        {__LINE__, CS_IS(MI_LOAD_REGISTER_IMM, 0x11800000), 0},
        {__LINE__, CS_IS(PIPE_CONTROL, 0x7a000004), 1},
        {__LINE__, CS_IS(PIPE_CONTROL, 0x7a010004), 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        ROW(rows[i].line, rows[i].value == rows[i].expected,
            "got 0x%" PRIx32 ", expected 0x%" PRIx32, rows[i].value, rows[i].expected);
    (void)state;
}

int test_cs_commands(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_sound),        cmocka_unit_test(test_any_dword),
        cmocka_unit_test(test_golden_dwords),         cmocka_unit_test(test_values_that_do_not_fit),
        cmocka_unit_test(test_random_dwords_as_text), cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests_name("cs commands", tests, NULL, NULL);
}
