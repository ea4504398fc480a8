/* SPDX-License-Identifier: MIT */
/*
 * First dwords and the places of fields, by generation: a list of its own, so that no row of the
 * commands' tables can move, get lost or exist on another generation unnoticed. Taken from the
 * public descriptions of the commands by Mesa (Gen6 to Gen12), and where those have none, from the
 * PRMs. Addresses are 48 bits wide from Gen8 on; Mesa gives 64, of which the rest is their sign.
 */
#include "intel/tests.h"

#include "intel/cs/commands.h"

static const unsigned versions[] = {60, 70, 75, 80, 90, 100, 110, 120};

/* A command's opcode in the bits of its first dword from `shift` on, its generations, what it does,
 * its length and execution time. Those whose length changed appear more than once. */
// clang-format off
#define ALONE           0, 0, 0
#define GROUP(...)      __VA_ARGS__ /* clocks, first dword, dwords */
#define STATE_OF(...)   CS_STATE, CS_FREE, __VA_ARGS__, 2, ALONE
#define STATE           STATE_OF(8, 2, 257)
#define LONG_STATE      STATE_OF(16, 2, 65537)

static const struct header_row {
    unsigned line;
    uint32_t opcode;
    unsigned shift, first, last;
    const char *command;
    enum cs_action action;
    enum cs_privilege privilege;
    unsigned length_bits, min, max, clocks, group_clocks, group_at, group_size;
} headers[] = {
    {__LINE__, 0x00000000, 23, 60, 120, "MI_NOOP", CS_NOOP, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x00800000, 23, 75, 120, "MI_SET_PREDICATE", CS_SET_PREDICATE, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x01000000, 23, 60, 120, "MI_USER_INTERRUPT", CS_INTERRUPT, CS_FREE, 0, 1, 1, 2, ALONE},
    {__LINE__, 0x01800000, 23, 60, 120, "MI_WAIT_FOR_EVENT", CS_WAIT_FOR_EVENT, CS_FREE, 0, 1, 1, 8, ALONE},
    {__LINE__, 0x02000000, 23, 60, 75, "MI_FLUSH", CS_FLUSH, CS_FREE, 0, 1, 1, 8, ALONE},
    {__LINE__, 0x02000000, 23, 110, 120, "MI_WAIT_FOR_EVENT_2", CS_WAIT_FOR_EVENT, CS_FREE, 0, 1, 1, 8, ALONE},
    {__LINE__, 0x02800000, 23, 60, 120, "MI_ARB_CHECK", CS_ARBITRATION_CHECK, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x03000000, 23, 75, 120, "MI_RS_CONTROL", CS_NO_EFFECT, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x03800000, 23, 60, 120, "MI_REPORT_HEAD", CS_REPORT_HEAD, CS_FREE, 0, 1, 1, 4, ALONE},
    {__LINE__, 0x04000000, 23, 60, 120, "MI_ARB_ON_OFF", CS_ARBITRATION, CS_PRIVILEGED, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x04800000, 23, 75, 100, "MI_URB_ATOMIC_ALLOC", CS_NO_EFFECT, CS_FREE, 0, 1, 1, 2, ALONE},
    {__LINE__, 0x05000000, 23, 60, 120, "MI_BATCH_BUFFER_END", CS_BATCH_END, CS_FREE, 0, 1, 1, 4, ALONE},
    {__LINE__, 0x05800000, 23, 60, 120, "MI_SUSPEND_FLUSH", CS_SUSPEND_FLUSH, CS_PRIVILEGED, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x06000000, 23, 70, 120, "MI_PREDICATE", CS_PREDICATE, CS_FREE, 0, 1, 1, 2, ALONE},
    {__LINE__, 0x06800000, 23, 70, 120, "MI_TOPOLOGY_FILTER", CS_NO_EFFECT, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x07000000, 23, 70, 120, "MI_SET_APPID", CS_NO_EFFECT, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x07800000, 23, 75, 120, "MI_RS_CONTEXT", CS_NO_EFFECT, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x09000000, 23, 60, 120, "MI_LOAD_SCAN_LINES_INCL", CS_NO_EFFECT, CS_FREE, 6, 2, 2, 4, ALONE},
    {__LINE__, 0x09800000, 23, 60, 120, "MI_LOAD_SCAN_LINES_EXCL", CS_NO_EFFECT, CS_FREE, 6, 2, 2, 4, ALONE},
    {__LINE__, 0x0a000000, 23, 60, 120, "MI_DISPLAY_FLIP", CS_NO_EFFECT, CS_PRIVILEGED, 8, 3, 4, 8, ALONE},
    {__LINE__, 0x0b000000, 23, 60, 75, "MI_SEMAPHORE_MBOX", CS_SEMAPHORE_MBOX, CS_PPGTT_ONLY, 8, 3, 3, 8, ALONE},
    {__LINE__, 0x0c000000, 23, 60, 75, "MI_SET_CONTEXT", CS_SET_CONTEXT, CS_PRIVILEGED, 8, 2, 2, 64, ALONE},
    {__LINE__, 0x0c800000, 23, 60, 80, "MI_URB_CLEAR", CS_NO_EFFECT, CS_FREE, 8, 2, 2, 8, ALONE},
    {__LINE__, 0x0d000000, 23, 75, 80, "MI_MATH", CS_MATH, CS_FREE, 6, 2, 65, 1, GROUP(1, 1, 1)},
    {__LINE__, 0x0d000000, 23, 90, 120, "MI_MATH", CS_MATH, CS_FREE, 8, 2, 257, 1, GROUP(1, 1, 1)},
    {__LINE__, 0x0d800000, 23, 80, 120, "MI_SEMAPHORE_SIGNAL", CS_SEMAPHORE_SIGNAL, CS_FREE, 8, 2, 2, 4, ALONE},
    {__LINE__, 0x0e000000, 23, 80, 110, "MI_SEMAPHORE_WAIT", CS_SEMAPHORE_WAIT, CS_PPGTT_ONLY, 8, 4, 4, 8, ALONE},
    {__LINE__, 0x0e000000, 23, 120, 120, "MI_SEMAPHORE_WAIT", CS_SEMAPHORE_WAIT, CS_PPGTT_ONLY, 8, 4, 5, 8, ALONE},
    {__LINE__, 0x0e800000, 23, 110, 120, "MI_FORCE_WAKEUP", CS_FORCE_WAKEUP, CS_FREE, 8, 2, 2, 4, ALONE},
    {__LINE__, 0x10000000, 23, 60, 75, "MI_STORE_DATA_IMM", CS_STORE_DATA, CS_PPGTT_ONLY, 6, 4, 5, 4, GROUP(1, 3, 1)},
    {__LINE__, 0x10000000, 23, 80, 120, "MI_STORE_DATA_IMM", CS_STORE_DATA, CS_PPGTT_ONLY, 10, 4, 1025, 4, GROUP(1, 3, 1)},
    {__LINE__, 0x10800000, 23, 60, 120, "MI_STORE_DATA_INDEX", CS_STORE_INDEX, CS_PRIVILEGED, 8, 3, 4, 4, ALONE},
    {__LINE__, 0x11000000, 23, 60, 120, "MI_LOAD_REGISTER_IMM", CS_LOAD_IMMEDIATE, CS_FREE, 8, 3, 257, 2, GROUP(2, 1, 2)},
    {__LINE__, 0x11800000, 23, 60, 75, "MI_UPDATE_GTT", CS_NO_EFFECT, CS_PRIVILEGED, 8, 3, 257, 4, GROUP(1, 2, 1)},
    {__LINE__, 0x11800000, 23, 80, 120, "MI_UPDATE_GTT", CS_NO_EFFECT, CS_PRIVILEGED, 10, 3, 1025, 4, GROUP(1, 2, 1)},
    {__LINE__, 0x12000000, 23, 60, 75, "MI_STORE_REGISTER_MEM", CS_STORE_REGISTER, CS_WRITE_PPGTT, 8, 3, 3, 8, ALONE},
    {__LINE__, 0x12000000, 23, 80, 120, "MI_STORE_REGISTER_MEM", CS_STORE_REGISTER, CS_WRITE_PPGTT, 8, 4, 4, 8, ALONE},
    {__LINE__, 0x13000000, 23, 60, 75, "MI_FLUSH_DW", CS_FLUSH_DW, CS_WRITE_PPGTT, 6, 3, 4, 8, ALONE},
    {__LINE__, 0x13000000, 23, 80, 120, "MI_FLUSH_DW", CS_FLUSH_DW, CS_WRITE_PPGTT, 6, 4, 5, 8, ALONE},
    {__LINE__, 0x13800000, 23, 60, 75, "MI_CLFLUSH", CS_NO_EFFECT, CS_PPGTT_ONLY, 10, 3, 1025, 8, ALONE},
    {__LINE__, 0x13800000, 23, 80, 120, "MI_CLFLUSH", CS_NO_EFFECT, CS_PPGTT_ONLY, 10, 4, 1025, 8, ALONE},
    {__LINE__, 0x14000000, 23, 60, 75, "MI_REPORT_PERF_COUNT", CS_REPORT, CS_PPGTT_ONLY, 6, 3, 3, 8, ALONE},
    {__LINE__, 0x14000000, 23, 80, 120, "MI_REPORT_PERF_COUNT", CS_REPORT, CS_PPGTT_ONLY, 6, 4, 4, 8, ALONE},
    {__LINE__, 0x14800000, 23, 70, 75, "MI_LOAD_REGISTER_MEM", CS_LOAD_MEMORY, CS_PPGTT_ONLY, 8, 3, 3, 16, ALONE},
    {__LINE__, 0x14800000, 23, 80, 120, "MI_LOAD_REGISTER_MEM", CS_LOAD_MEMORY, CS_PPGTT_ONLY, 8, 4, 4, 16, ALONE},
    {__LINE__, 0x15000000, 23, 75, 120, "MI_LOAD_REGISTER_REG", CS_LOAD_REGISTER, CS_FREE, 8, 3, 3, 4, ALONE},
    {__LINE__, 0x15800000, 23, 75, 100, "MI_RS_STORE_DATA_IMM", CS_STORE_DATA, CS_FREE, 8, 4, 4, 4, GROUP(1, 3, 1)},
    {__LINE__, 0x16000000, 23, 75, 75, "MI_LOAD_URB_MEM", CS_NO_EFFECT, CS_FREE, 8, 3, 3, 8, ALONE},
    {__LINE__, 0x16000000, 23, 80, 100, "MI_LOAD_URB_MEM", CS_NO_EFFECT, CS_FREE, 8, 4, 4, 8, ALONE},
    {__LINE__, 0x16800000, 23, 75, 75, "MI_STORE_URB_MEM", CS_NO_EFFECT, CS_FREE, 8, 3, 3, 8, ALONE},
    {__LINE__, 0x16800000, 23, 80, 100, "MI_STORE_URB_MEM", CS_NO_EFFECT, CS_FREE, 8, 4, 4, 8, ALONE},
    {__LINE__, 0x17000000, 23, 80, 120, "MI_COPY_MEM_MEM", CS_COPY_MEMORY, CS_PPGTT_ONLY, 8, 5, 5, 16, ALONE},
    {__LINE__, 0x17800000, 23, 80, 120, "MI_ATOMIC", CS_ATOMIC, CS_PPGTT_ONLY, 8, 3, 11, 16, GROUP(0, 3, 2)},
    {__LINE__, 0x18800000, 23, 60, 75, "MI_BATCH_BUFFER_START", CS_BATCH_START, CS_PPGTT_ONLY, 8, 2, 2, 8, ALONE},
    {__LINE__, 0x18800000, 23, 80, 120, "MI_BATCH_BUFFER_START", CS_BATCH_START, CS_PPGTT_ONLY, 8, 3, 3, 8, ALONE},
    {__LINE__, 0x1b000000, 23, 60, 75, "MI_CONDITIONAL_BATCH_BUFFER_END", CS_CONDITIONAL_END, CS_PPGTT_ONLY, 8, 3, 3, 16, ALONE},
    {__LINE__, 0x1b000000, 23, 80, 120, "MI_CONDITIONAL_BATCH_BUFFER_END", CS_CONDITIONAL_END, CS_PPGTT_ONLY, 8, 4, 4, 16, ALONE},
    {__LINE__, 0x40000000, 29, 60, 120, "blit", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x50000000, 22, 60, 120, "COLOR_BLT", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x50800000, 22, 90, 120, "XY_FAST_COPY_BLT", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x50c00000, 22, 60, 120, "SRC_COPY_BLT", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x54000000, 22, 60, 120, "XY_COLOR_BLT", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x54c00000, 22, 60, 120, "XY_SRC_COPY_BLT", CS_BLIT, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x60000000, 27, 60, 120, "state (common)", STATE},
    {__LINE__, 0x60000000, 27, 60, 120, "video (common)", CS_VIDEO_WORK, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x61010000, 16, 60, 120, "STATE_BASE_ADDRESS", STATE},
    {__LINE__, 0x68000000, 27, 60, 120, "state (one dword)", CS_STATE, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x68000000, 27, 60, 120, "video (one dword)", CS_VIDEO_WORK, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x680b0000, 16, 60, 120, "3DSTATE_VF_STATISTICS", CS_STATE, CS_FREE, 0, 1, 1, 2, ALONE},
    {__LINE__, 0x69040000, 16, 60, 120, "PIPELINE_SELECT", CS_STATE, CS_FREE, 0, 1, 1, 1, ALONE},
    {__LINE__, 0x70000000, 16, 60, 120, "MEDIA_VFE_STATE", LONG_STATE},
    {__LINE__, 0x70000000, 27, 60, 120, "state (media)", LONG_STATE},
    {__LINE__, 0x70000000, 27, 60, 120, "video", CS_VIDEO_WORK, CS_FREE, 12, 2, 4097, 4, ALONE},
    {__LINE__, 0x70010000, 16, 60, 120, "MEDIA_CURBE_LOAD", LONG_STATE},
    {__LINE__, 0x70020000, 16, 60, 120, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", LONG_STATE},
    {__LINE__, 0x70040000, 16, 60, 120, "MEDIA_STATE_FLUSH", LONG_STATE},
    {__LINE__, 0x71000000, 16, 60, 120, "MEDIA_OBJECT", CS_MEDIA, CS_FREE, 16, 2, 65537, 4, ALONE},
    {__LINE__, 0x71020000, 16, 60, 120, "MEDIA_OBJECT_PRT", CS_MEDIA, CS_FREE, 16, 2, 65537, 4, ALONE},
    {__LINE__, 0x71030000, 16, 60, 120, "MEDIA_OBJECT_WALKER", CS_MEDIA, CS_FREE, 16, 2, 65537, 4, ALONE},
    {__LINE__, 0x71040000, 16, 70, 75, "GPGPU_OBJECT", CS_GPGPU, CS_FREE, 8, 2, 257, 4, ALONE},
    {__LINE__, 0x71050000, 16, 70, 75, "GPGPU_WALKER", CS_GPGPU, CS_FREE, 8, 11, 11, 4, ALONE},
    {__LINE__, 0x71050000, 16, 80, 120, "GPGPU_WALKER", CS_GPGPU, CS_FREE, 8, 15, 15, 4, ALONE},
    {__LINE__, 0x71060000, 16, 80, 120, "MEDIA_OBJECT_GRPID", CS_MEDIA, CS_FREE, 16, 2, 65537, 4, ALONE},
    {__LINE__, 0x78000000, 27, 60, 120, "state (3D)", STATE},
    {__LINE__, 0x78050000, 16, 70, 120, "3DSTATE_DEPTH_BUFFER", STATE},
    {__LINE__, 0x78080000, 16, 60, 120, "3DSTATE_VERTEX_BUFFERS", CS_STATE, CS_FREE, 8, 2, 257, 2, GROUP(0, 1, 4)},
    {__LINE__, 0x78090000, 16, 60, 120, "3DSTATE_VERTEX_ELEMENTS", STATE},
    {__LINE__, 0x780a0000, 16, 60, 120, "3DSTATE_INDEX_BUFFER", STATE},
    {__LINE__, 0x780d0000, 16, 60, 60, "3DSTATE_VIEWPORT_STATE_POINTERS", STATE},
    {__LINE__, 0x780d0000, 16, 80, 120, "3DSTATE_MULTISAMPLE", STATE},
    {__LINE__, 0x780e0000, 16, 60, 60, "3DSTATE_CC_STATE_POINTERS", STATE},
    {__LINE__, 0x780f0000, 16, 60, 120, "3DSTATE_SCISSOR_STATE_POINTERS", STATE},
    {__LINE__, 0x78100000, 16, 60, 120, "3DSTATE_VS", STATE},
    {__LINE__, 0x78110000, 16, 60, 120, "3DSTATE_GS", STATE},
    {__LINE__, 0x78120000, 16, 60, 120, "3DSTATE_CLIP", STATE},
    {__LINE__, 0x78130000, 16, 60, 120, "3DSTATE_SF", STATE},
    {__LINE__, 0x78140000, 16, 60, 120, "3DSTATE_WM", STATE},
    {__LINE__, 0x78180000, 16, 60, 120, "3DSTATE_SAMPLE_MASK", STATE},
    {__LINE__, 0x781b0000, 16, 70, 120, "3DSTATE_HS", STATE},
    {__LINE__, 0x781c0000, 16, 70, 120, "3DSTATE_TE", STATE},
    {__LINE__, 0x781d0000, 16, 70, 120, "3DSTATE_DS", STATE},
    {__LINE__, 0x781e0000, 16, 70, 120, "3DSTATE_STREAMOUT", STATE},
    {__LINE__, 0x78200000, 16, 70, 120, "3DSTATE_PS", STATE},
    {__LINE__, 0x78210000, 16, 70, 120, "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP", STATE},
    {__LINE__, 0x78240000, 16, 70, 120, "3DSTATE_BLEND_STATE_POINTERS", STATE},
    {__LINE__, 0x78250000, 16, 70, 75, "3DSTATE_DEPTH_STENCIL_STATE_POINTERS", STATE},
    {__LINE__, 0x782a0000, 16, 70, 120, "3DSTATE_BINDING_TABLE_POINTERS_PS", STATE},
    {__LINE__, 0x78390000, 16, 75, 120, "3DSTATE_DX9_CONSTANTF_VS", CS_STATE, CS_FREE, 11, 2, 2049, 2, ALONE},
    {__LINE__, 0x783a0000, 16, 75, 120, "3DSTATE_DX9_CONSTANTF_PS", CS_STATE, CS_FREE, 11, 2, 2049, 2, ALONE},
    {__LINE__, 0x78430000, 16, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_VS", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x78440000, 16, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_GS", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x78450000, 16, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_HS", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x78460000, 16, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_DS", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x78470000, 16, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_PS", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x784b0000, 16, 80, 120, "3DSTATE_VF_TOPOLOGY", STATE},
    {__LINE__, 0x784d0000, 16, 80, 120, "3DSTATE_PS_BLEND", STATE},
    {__LINE__, 0x784e0000, 16, 80, 120, "3DSTATE_WM_DEPTH_STENCIL", STATE},
    {__LINE__, 0x784f0000, 16, 80, 120, "3DSTATE_PS_EXTRA", STATE},
    {__LINE__, 0x78500000, 16, 80, 120, "3DSTATE_RASTER", STATE},
    {__LINE__, 0x78520000, 16, 80, 120, "3DSTATE_WM_HZ_OP", STATE},
    {__LINE__, 0x78600000, 18, 120, 120, "3DSTATE_SO_BUFFER_INDEX", STATE},
    {__LINE__, 0x79000000, 16, 60, 120, "3DSTATE_DRAWING_RECTANGLE", STATE},
    {__LINE__, 0x79050000, 16, 60, 60, "3DSTATE_DEPTH_BUFFER", STATE},
    {__LINE__, 0x790d0000, 16, 60, 75, "3DSTATE_MULTISAMPLE", STATE},
    {__LINE__, 0x79170000, 16, 60, 120, "3DSTATE_SO_DECL_LIST", CS_STATE, CS_FREE, 9, 2, 513, 2, ALONE},
    {__LINE__, 0x79180000, 16, 70, 120, "3DSTATE_SO_BUFFER", STATE},
    {__LINE__, 0x7a000000, 16, 60, 75, "PIPE_CONTROL", CS_PIPE_CONTROL, CS_WRITE_PPGTT, 8, 4, 5, 8, ALONE},
    {__LINE__, 0x7a000000, 16, 80, 120, "PIPE_CONTROL", CS_PIPE_CONTROL, CS_WRITE_PPGTT, 8, 6, 6, 8, ALONE},
    {__LINE__, 0x7b000000, 16, 60, 60, "3DPRIMITIVE", CS_PRIMITIVE, CS_FREE, 8, 6, 6, 4, ALONE},
    {__LINE__, 0x7b000000, 16, 70, 100, "3DPRIMITIVE", CS_PRIMITIVE, CS_FREE, 8, 7, 7, 4, ALONE},
    {__LINE__, 0x7b000000, 16, 110, 120, "3DPRIMITIVE", CS_PRIMITIVE, CS_FREE, 8, 7, 10, 4, ALONE},
};

static const struct place_row {
    unsigned line;
    const char *command, *field;
    unsigned first, last;
    unsigned dword, low, high;
} places[] = {
#define PLACE(...) {__LINE__, __VA_ARGS__},
#include "intel/cs_places.def"
#undef PLACE
};
// clang-format on

static bool is_version(unsigned version)
{
    for (size_t i = 0; i < COUNT(versions); i++)
        if (versions[i] == version)
            return true;
    return false;
}

static bool covers(unsigned first, unsigned last, unsigned version)
{
    return version >= first && version <= last;
}

static void check_header(const struct cs_command *c, const struct header_row *row)
{
    ROW(row->line, c->last == row->last, "%s: to %u", c->name, c->last);
    ROW(row->line, c->mask == UINT32_MAX << row->shift, "%s: mask %08" PRIx32, c->name, c->mask);
    ROW(row->line, c->action == row->action && c->privilege == row->privilege,
        "%s: action %u, privilege %u", c->name, c->action, c->privilege);
    ROW(row->line,
        c->length_bits == row->length_bits && c->min_dwords == row->min &&
            c->max_dwords == row->max,
        "%s: %u to %u dwords by %u bits", c->name, c->min_dwords, c->max_dwords, c->length_bits);
    ROW(row->line,
        c->clocks == row->clocks && c->group_clocks == row->group_clocks &&
            c->group_at == row->group_at && c->group_size == row->group_size,
        "%s: %u clocks, groups of %u, %u, %u", c->name, c->clocks, c->group_clocks, c->group_at,
        c->group_size);
}

static void test_headers(void **state)
{
    bool used[COUNT(headers)] = {false};
    (void)state;
    for (size_t i = 0; i < cs_command_count; i++) {
        const struct cs_command *c = &cs_commands[i];
        size_t at = 0;
        while (at < COUNT(headers) &&
               (used[at] || strcmp(headers[at].command, c->name) != 0 ||
                headers[at].first != c->first || headers[at].opcode != c->opcode))
            at++;
        if (!ROW(__LINE__, at < COUNT(headers), "%s, %08" PRIx32 " from %u on: not expected",
                 c->name, c->opcode, c->first))
            continue;
        used[at] = true;
        check_header(c, &headers[at]);
    }
    for (size_t i = 0; i < COUNT(headers); i++)
        ROW(headers[i].line, used[i], "%s is missing", headers[i].command);
    ROWS_DONE();
}

/* Marks the row of a field on each version that has both, and compares the place. */
static void check_places(const struct cs_command *command, const struct cs_field *fields,
                         unsigned (*used)[COUNT(versions)])
{
    for (const struct cs_field *f = fields; f && f->name; f++) {
        ROW(__LINE__, is_version(f->first) && is_version(f->last), "%s, %s: versions %u to %u",
            command->name, f->name, f->first, f->last);
        for (size_t v = 0; v < COUNT(versions); v++) {
            if (!covers(command->first, command->last, versions[v]) ||
                !covers(f->first, f->last, versions[v]))
                continue;
            size_t at = 0;
            while (at < COUNT(places) && (!covers(places[at].first, places[at].last, versions[v]) ||
                                          strcmp(places[at].command, command->name) != 0 ||
                                          strcmp(places[at].field, f->name) != 0))
                at++;
            if (!ROW(__LINE__, at < COUNT(places), "%s, %s, version %u: not expected",
                     command->name, f->name, versions[v]))
                continue;
            used[at][v]++;
            ROW(places[at].line,
                f->low == places[at].dword * 32 + places[at].low &&
                    f->high == places[at].dword * 32 + places[at].high,
                "%s, %s, version %u: bits %u to %u", command->name, f->name, versions[v], f->low,
                f->high);
        }
    }
}

static void test_places(void **state)
{
    static unsigned used[COUNT(places)][COUNT(versions)];
    (void)state;
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < cs_command_count; i++) {
        check_places(&cs_commands[i], cs_commands[i].fields, used);
        check_places(&cs_commands[i], cs_commands[i].group, used);
    }
    for (size_t i = 0; i < COUNT(places); i++)
        for (size_t v = 0; v < COUNT(versions); v++) {
            bool wanted = covers(places[i].first, places[i].last, versions[v]);
            ROW(places[i].line, used[i][v] == wanted, "%s, %s, version %u: %u times",
                places[i].command, places[i].field, versions[v], used[i][v]);
        }
    ROWS_DONE();
}

/* ---- named values ---------------------------------------------------------------------------- */

#define MEMORY   "0 PPGTT, 1 GGTT"
#define POSTSYNC "0 No Write, 1 Write Immediate Data, 2 Write PS Depth Count, 3 Write Timestamp"
#define COMPARES                                                                                   \
    "0 SAD_GREATER_THAN_SDD, 1 SAD_GREATER_THAN_OR_EQUAL_SDD, 2 SAD_LESS_THAN_SDD, "               \
    "3 SAD_LESS_THAN_OR_EQUAL_SDD, 4 SAD_EQUAL_SDD, 5 SAD_NOT_EQUAL_SDD"
#define OPERANDS                                                                                   \
    "0 R0, 1 R1, 2 R2, 3 R3, 4 R4, 5 R5, 6 R6, 7 R7, 8 R8, 9 R9, 10 R10, 11 R11, 12 R12, 13 R13, " \
    "14 R14, 15 R15, 32 SRCA, 33 SRCB, 49 ACCU, 50 ZF, 51 CF"
/* Names of values, by command and field; the field's rows of all generations are alike. */
static const struct {
    unsigned line;
    const char *command, *field, *values;
} named[] = {
    // clang-format off
    {__LINE__, "MI_SET_PREDICATE", "Predicate Enable", "0 NOOP Never, 1 NOOP on Result2 clear, 2 NOOP on Result2 set, 3 NOOP on Result clear, 4 NOOP on Result set, 5 Execute when one slice enabled, 6 Execute when two slices enabled, 7 Execute when three slices enabled, 11 NOOP in RenderCS, 12 NOOP in PositionCS, 15 NOOP Always"},
    {__LINE__, "MI_PREDICATE", "Load Operation", "0 KEEP, 2 LOAD, 3 LOADINV"},
    {__LINE__, "MI_PREDICATE", "Combine Operation", "0 SET, 1 AND, 2 OR, 3 XOR"},
    {__LINE__, "MI_PREDICATE", "Compare Operation", "0 TRUE, 1 FALSE, 2 SRCS_EQUAL, 3 DELTAS_EQUAL"},
    {__LINE__, "MI_SEMAPHORE_MBOX", "Use Global GTT", MEMORY},
    {__LINE__, "MI_MATH", "ALU Opcode", "0 NOOP, 128 LOAD, 1152 LOADINV, 129 LOAD0, 1153 LOAD1, 256 ADD, 257 SUB, 258 AND, 259 OR, 260 XOR, 384 STORE, 1408 STOREINV"},
    {__LINE__, "MI_MATH", "Operand 1", OPERANDS},
    {__LINE__, "MI_MATH", "Operand 2", OPERANDS},
    {__LINE__, "MI_SEMAPHORE_WAIT", "Memory Type", MEMORY},
    {__LINE__, "MI_SEMAPHORE_WAIT", "Wait Mode", "0 Signal, 1 Polling"},
    {__LINE__, "MI_SEMAPHORE_WAIT", "Compare Operation", COMPARES},
    {__LINE__, "MI_STORE_DATA_IMM", "Use Global GTT", MEMORY},
    {__LINE__, "MI_STORE_REGISTER_MEM", "Use Global GTT", MEMORY},
    {__LINE__, "MI_FLUSH_DW", "Post-Sync Operation", POSTSYNC},
    {__LINE__, "MI_FLUSH_DW", "Destination Address Type", MEMORY},
    {__LINE__, "MI_CLFLUSH", "Use Global GTT", MEMORY},
    {__LINE__, "MI_REPORT_PERF_COUNT", "GTT Select", MEMORY},
    {__LINE__, "MI_LOAD_REGISTER_MEM", "Use Global GTT", MEMORY},
    {__LINE__, "MI_COPY_MEM_MEM", "Use Global GTT Source", MEMORY},
    {__LINE__, "MI_COPY_MEM_MEM", "Use Global GTT Destination", MEMORY},
    {__LINE__, "MI_ATOMIC", "Memory Type", MEMORY},
    {__LINE__, "MI_ATOMIC", "Data Size", "0 DWORD, 1 QWORD, 2 OCTWORD"},
    {__LINE__, "MI_ATOMIC", "Atomic Opcode", "1 4B_AND, 2 4B_OR, 3 4B_XOR, 4 4B_MOVE, 5 4B_INC, 6 4B_DEC, 7 4B_ADD, 8 4B_SUB, 9 4B_RSUB, 10 4B_IMAX, 11 4B_IMIN, 12 4B_UMAX, 13 4B_UMIN, 14 4B_CMPWR, 15 4B_PREDEC, 33 8B_AND, 34 8B_OR, 35 8B_XOR, 36 8B_MOVE, 37 8B_INC, 38 8B_DEC, 39 8B_ADD, 40 8B_SUB, 41 8B_RSUB, 42 8B_IMAX, 43 8B_IMIN, 44 8B_UMAX, 45 8B_UMIN, 46 8B_CMPWR, 47 8B_PREDEC, 78 16B_CMPWR"},
    {__LINE__, "MI_BATCH_BUFFER_START", "Address Space Indicator", "0 GGTT, 1 PPGTT"},
    {__LINE__, "MI_CONDITIONAL_BATCH_BUFFER_END", "Use Global GTT", MEMORY},
    {__LINE__, "MI_CONDITIONAL_BATCH_BUFFER_END", "Compare Operation", COMPARES},
    {__LINE__, "PIPE_CONTROL", "Post Sync Operation", POSTSYNC},
    {__LINE__, "PIPE_CONTROL", "Destination Address Type", MEMORY},
    {__LINE__, "PIPELINE_SELECT", "Pipeline Selection", "0 3D, 1 Media, 2 GPGPU"},
    // clang-format on
};

static void test_values(void **state)
{
    bool used[COUNT(named)] = {false};
    (void)state;
    for (size_t i = 0; i < cs_command_count; i++)
        for (unsigned group = 0; group < 2; group++) {
            const struct cs_command *c = &cs_commands[i];
            for (const struct cs_field *f = group ? c->group : c->fields; f && f->name; f++) {
                char text[1024];
                size_t at = 0, length = 0;
                text[0] = '\0';
                for (const struct reg_value *v = f->values; v && v->name; v++)
                    length += (size_t)snprintf(text + length, sizeof text - length, "%s%u %s",
                                               length ? ", " : "", v->value, v->name);
                while (at < COUNT(named) && (strcmp(named[at].command, c->name) != 0 ||
                                             strcmp(named[at].field, f->name) != 0))
                    at++;
                ROW(__LINE__,
                    (at < COUNT(named)) == (f->values != NULL) &&
                        !f->values == (f->kind != CS_NAMED),
                    "%s, %s", c->name, f->name);
                if (at == COUNT(named))
                    continue;
                used[at] = true;
                ROW(named[at].line, !strcmp(text, named[at].values), "%s, %s: %s", c->name, f->name,
                    text);
            }
        }
    for (size_t i = 0; i < COUNT(named); i++)
        ROW(named[i].line, used[i], "%s, %s is missing", named[i].command, named[i].field);
    ROWS_DONE();
}

/* Fields of the engines' registers are in the register, and do not overlap on a revision. */
static void test_engine_registers(void **state)
{
    (void)state;
    const struct cs_engine *engine;
    for (size_t e = 0; (engine = cs_engine_at(e)); e++)
        for (size_t i = 0; i < engine->map.count; i++) {
            const struct reg *reg = &engine->map.regs[i];
            for (const struct reg_field *f = reg->fields; f && f->name; f++) {
                ROW(__LINE__, f->low <= f->high && f->high < 32, "%s, %s.%s: %u to %u",
                    engine->name, reg->name, f->name, f->low, f->high);
                for (const struct reg_field *other = reg->fields; other < f; other++)
                    ROW(__LINE__,
                        !(f->revisions & other->revisions) || f->low > other->high ||
                            f->high < other->low,
                        "%s, %s: %s and %s", engine->name, reg->name, f->name, other->name);
            }
        }
    ROWS_DONE();
}

int test_cs_places(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_engine_registers),
    };
    return cmocka_run_group_tests_name("cs places", tests, NULL, NULL);
}
