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

/* A command's opcode in its first dword, and its generations. Those whose length changed appear
 * more than once. */
// clang-format off
static const struct header_row {
    unsigned line;
    uint32_t opcode;
    unsigned first, last;
    const char *command;
} headers[] = {
    {__LINE__, 0x00000000, 60, 120, "MI_NOOP"},
    {__LINE__, 0x00800000, 75, 120, "MI_SET_PREDICATE"},
    {__LINE__, 0x01000000, 60, 120, "MI_USER_INTERRUPT"},
    {__LINE__, 0x01800000, 60, 120, "MI_WAIT_FOR_EVENT"},
    {__LINE__, 0x02000000, 60, 75, "MI_FLUSH"},
    {__LINE__, 0x02000000, 110, 120, "MI_WAIT_FOR_EVENT_2"},
    {__LINE__, 0x02800000, 60, 120, "MI_ARB_CHECK"},
    {__LINE__, 0x03000000, 75, 120, "MI_RS_CONTROL"},
    {__LINE__, 0x03800000, 60, 120, "MI_REPORT_HEAD"},
    {__LINE__, 0x04000000, 60, 120, "MI_ARB_ON_OFF"},
    {__LINE__, 0x04800000, 75, 100, "MI_URB_ATOMIC_ALLOC"},
    {__LINE__, 0x05000000, 60, 120, "MI_BATCH_BUFFER_END"},
    {__LINE__, 0x05800000, 60, 120, "MI_SUSPEND_FLUSH"},
    {__LINE__, 0x06000000, 70, 120, "MI_PREDICATE"},
    {__LINE__, 0x06800000, 70, 120, "MI_TOPOLOGY_FILTER"},
    {__LINE__, 0x07000000, 70, 120, "MI_SET_APPID"},
    {__LINE__, 0x07800000, 75, 120, "MI_RS_CONTEXT"},
    {__LINE__, 0x09000000, 60, 120, "MI_LOAD_SCAN_LINES_INCL"},
    {__LINE__, 0x09800000, 60, 120, "MI_LOAD_SCAN_LINES_EXCL"},
    {__LINE__, 0x0a000000, 60, 120, "MI_DISPLAY_FLIP"},
    {__LINE__, 0x0b000000, 60, 75, "MI_SEMAPHORE_MBOX"},
    {__LINE__, 0x0c000000, 60, 75, "MI_SET_CONTEXT"},
    {__LINE__, 0x0c800000, 60, 80, "MI_URB_CLEAR"},
    {__LINE__, 0x0d000000, 75, 80, "MI_MATH"},
    {__LINE__, 0x0d000000, 90, 120, "MI_MATH"},
    {__LINE__, 0x0d800000, 80, 120, "MI_SEMAPHORE_SIGNAL"},
    {__LINE__, 0x0e000000, 80, 110, "MI_SEMAPHORE_WAIT"},
    {__LINE__, 0x0e000000, 120, 120, "MI_SEMAPHORE_WAIT"},
    {__LINE__, 0x0e800000, 110, 120, "MI_FORCE_WAKEUP"},
    {__LINE__, 0x10000000, 60, 75, "MI_STORE_DATA_IMM"},
    {__LINE__, 0x10000000, 80, 120, "MI_STORE_DATA_IMM"},
    {__LINE__, 0x10800000, 60, 120, "MI_STORE_DATA_INDEX"},
    {__LINE__, 0x11000000, 60, 120, "MI_LOAD_REGISTER_IMM"},
    {__LINE__, 0x11800000, 60, 75, "MI_UPDATE_GTT"},
    {__LINE__, 0x11800000, 80, 120, "MI_UPDATE_GTT"},
    {__LINE__, 0x12000000, 60, 75, "MI_STORE_REGISTER_MEM"},
    {__LINE__, 0x12000000, 80, 120, "MI_STORE_REGISTER_MEM"},
    {__LINE__, 0x13000000, 60, 75, "MI_FLUSH_DW"},
    {__LINE__, 0x13000000, 80, 120, "MI_FLUSH_DW"},
    {__LINE__, 0x13800000, 60, 75, "MI_CLFLUSH"},
    {__LINE__, 0x13800000, 80, 120, "MI_CLFLUSH"},
    {__LINE__, 0x14000000, 60, 75, "MI_REPORT_PERF_COUNT"},
    {__LINE__, 0x14000000, 80, 120, "MI_REPORT_PERF_COUNT"},
    {__LINE__, 0x14800000, 70, 75, "MI_LOAD_REGISTER_MEM"},
    {__LINE__, 0x14800000, 80, 120, "MI_LOAD_REGISTER_MEM"},
    {__LINE__, 0x15000000, 75, 120, "MI_LOAD_REGISTER_REG"},
    {__LINE__, 0x15800000, 75, 100, "MI_RS_STORE_DATA_IMM"},
    {__LINE__, 0x16000000, 75, 75, "MI_LOAD_URB_MEM"},
    {__LINE__, 0x16000000, 80, 100, "MI_LOAD_URB_MEM"},
    {__LINE__, 0x16800000, 75, 75, "MI_STORE_URB_MEM"},
    {__LINE__, 0x16800000, 80, 100, "MI_STORE_URB_MEM"},
    {__LINE__, 0x17000000, 80, 120, "MI_COPY_MEM_MEM"},
    {__LINE__, 0x17800000, 80, 120, "MI_ATOMIC"},
    {__LINE__, 0x18800000, 60, 75, "MI_BATCH_BUFFER_START"},
    {__LINE__, 0x18800000, 80, 120, "MI_BATCH_BUFFER_START"},
    {__LINE__, 0x1b000000, 60, 75, "MI_CONDITIONAL_BATCH_BUFFER_END"},
    {__LINE__, 0x1b000000, 80, 120, "MI_CONDITIONAL_BATCH_BUFFER_END"},
    {__LINE__, 0x40000000, 60, 120, "blit"},
    {__LINE__, 0x50000000, 60, 120, "COLOR_BLT"},
    {__LINE__, 0x50800000, 90, 120, "XY_FAST_COPY_BLT"},
    {__LINE__, 0x50c00000, 60, 120, "SRC_COPY_BLT"},
    {__LINE__, 0x54000000, 60, 120, "XY_COLOR_BLT"},
    {__LINE__, 0x54c00000, 60, 120, "XY_SRC_COPY_BLT"},
    {__LINE__, 0x60000000, 60, 120, "state (common)"},
    {__LINE__, 0x60000000, 60, 120, "video (common)"},
    {__LINE__, 0x61010000, 60, 120, "STATE_BASE_ADDRESS"},
    {__LINE__, 0x68000000, 60, 120, "state (one dword)"},
    {__LINE__, 0x68000000, 60, 120, "video (one dword)"},
    {__LINE__, 0x680b0000, 60, 120, "3DSTATE_VF_STATISTICS"},
    {__LINE__, 0x69040000, 60, 120, "PIPELINE_SELECT"},
    {__LINE__, 0x70000000, 60, 120, "MEDIA_VFE_STATE"},
    {__LINE__, 0x70000000, 60, 120, "state (media)"},
    {__LINE__, 0x70000000, 60, 120, "video"},
    {__LINE__, 0x70010000, 60, 120, "MEDIA_CURBE_LOAD"},
    {__LINE__, 0x70020000, 60, 120, "MEDIA_INTERFACE_DESCRIPTOR_LOAD"},
    {__LINE__, 0x70040000, 60, 120, "MEDIA_STATE_FLUSH"},
    {__LINE__, 0x71000000, 60, 120, "MEDIA_OBJECT"},
    {__LINE__, 0x71020000, 60, 120, "MEDIA_OBJECT_PRT"},
    {__LINE__, 0x71030000, 60, 120, "MEDIA_OBJECT_WALKER"},
    {__LINE__, 0x71040000, 70, 75, "GPGPU_OBJECT"},
    {__LINE__, 0x71050000, 70, 75, "GPGPU_WALKER"},
    {__LINE__, 0x71050000, 80, 120, "GPGPU_WALKER"},
    {__LINE__, 0x71060000, 80, 120, "MEDIA_OBJECT_GRPID"},
    {__LINE__, 0x78000000, 60, 120, "state (3D)"},
    {__LINE__, 0x78050000, 70, 120, "3DSTATE_DEPTH_BUFFER"},
    {__LINE__, 0x78080000, 60, 120, "3DSTATE_VERTEX_BUFFERS"},
    {__LINE__, 0x78090000, 60, 120, "3DSTATE_VERTEX_ELEMENTS"},
    {__LINE__, 0x780a0000, 60, 120, "3DSTATE_INDEX_BUFFER"},
    {__LINE__, 0x780d0000, 60, 60, "3DSTATE_VIEWPORT_STATE_POINTERS"},
    {__LINE__, 0x780d0000, 80, 120, "3DSTATE_MULTISAMPLE"},
    {__LINE__, 0x780e0000, 60, 60, "3DSTATE_CC_STATE_POINTERS"},
    {__LINE__, 0x780f0000, 60, 120, "3DSTATE_SCISSOR_STATE_POINTERS"},
    {__LINE__, 0x78100000, 60, 120, "3DSTATE_VS"},
    {__LINE__, 0x78110000, 60, 120, "3DSTATE_GS"},
    {__LINE__, 0x78120000, 60, 120, "3DSTATE_CLIP"},
    {__LINE__, 0x78130000, 60, 120, "3DSTATE_SF"},
    {__LINE__, 0x78140000, 60, 120, "3DSTATE_WM"},
    {__LINE__, 0x78180000, 60, 120, "3DSTATE_SAMPLE_MASK"},
    {__LINE__, 0x781b0000, 70, 120, "3DSTATE_HS"},
    {__LINE__, 0x781c0000, 70, 120, "3DSTATE_TE"},
    {__LINE__, 0x781d0000, 70, 120, "3DSTATE_DS"},
    {__LINE__, 0x781e0000, 70, 120, "3DSTATE_STREAMOUT"},
    {__LINE__, 0x78200000, 70, 120, "3DSTATE_PS"},
    {__LINE__, 0x78210000, 70, 120, "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP"},
    {__LINE__, 0x78240000, 70, 120, "3DSTATE_BLEND_STATE_POINTERS"},
    {__LINE__, 0x78250000, 70, 75, "3DSTATE_DEPTH_STENCIL_STATE_POINTERS"},
    {__LINE__, 0x782a0000, 70, 120, "3DSTATE_BINDING_TABLE_POINTERS_PS"},
    {__LINE__, 0x78390000, 75, 120, "3DSTATE_DX9_CONSTANTF_VS"},
    {__LINE__, 0x783a0000, 75, 120, "3DSTATE_DX9_CONSTANTF_PS"},
    {__LINE__, 0x78430000, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_VS"},
    {__LINE__, 0x78440000, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_GS"},
    {__LINE__, 0x78450000, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_HS"},
    {__LINE__, 0x78460000, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_DS"},
    {__LINE__, 0x78470000, 75, 120, "3DSTATE_BINDING_TABLE_EDIT_PS"},
    {__LINE__, 0x784b0000, 80, 120, "3DSTATE_VF_TOPOLOGY"},
    {__LINE__, 0x784d0000, 80, 120, "3DSTATE_PS_BLEND"},
    {__LINE__, 0x784e0000, 80, 120, "3DSTATE_WM_DEPTH_STENCIL"},
    {__LINE__, 0x784f0000, 80, 120, "3DSTATE_PS_EXTRA"},
    {__LINE__, 0x78500000, 80, 120, "3DSTATE_RASTER"},
    {__LINE__, 0x78520000, 80, 120, "3DSTATE_WM_HZ_OP"},
    {__LINE__, 0x79000000, 60, 120, "3DSTATE_DRAWING_RECTANGLE"},
    {__LINE__, 0x79050000, 60, 60, "3DSTATE_DEPTH_BUFFER"},
    {__LINE__, 0x790d0000, 60, 75, "3DSTATE_MULTISAMPLE"},
    {__LINE__, 0x79170000, 60, 120, "3DSTATE_SO_DECL_LIST"},
    {__LINE__, 0x79180000, 70, 120, "3DSTATE_SO_BUFFER"},
    {__LINE__, 0x7a000000, 60, 75, "PIPE_CONTROL"},
    {__LINE__, 0x7a000000, 80, 120, "PIPE_CONTROL"},
    {__LINE__, 0x7b000000, 60, 60, "3DPRIMITIVE"},
    {__LINE__, 0x7b000000, 70, 100, "3DPRIMITIVE"},
    {__LINE__, 0x7b000000, 110, 120, "3DPRIMITIVE"},
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
        ROW(headers[at].line, c->last == headers[at].last, "%s: to %u", c->name, c->last);
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
        cmocka_unit_test(test_engine_registers),
    };
    return cmocka_run_group_tests_name("cs places", tests, NULL, NULL);
}
