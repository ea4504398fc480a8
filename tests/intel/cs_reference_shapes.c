/* SPDX-License-Identifier: MIT */
/* The commands by number: names, versions, lengths, times, and which engine has them. */
#include "intel/cs_reference.h"

#define ALONE 0, 0, 1 /* no groups */

// clang-format off
static const struct reference_shape shapes[] = {
    {0x00, "MI_NOOP",                         60, 120,  0, 1, 1,     1, ALONE},
    {0x01, "MI_SET_PREDICATE",                75, 120,  0, 1, 1,     1, ALONE},
    {0x02, "MI_USER_INTERRUPT",               60, 120,  0, 1, 1,     2, ALONE},
    {0x03, "MI_WAIT_FOR_EVENT",               60, 120,  0, 1, 1,     8, ALONE},
    {0x04, "MI_FLUSH",                        60,  75,  0, 1, 1,     8, ALONE},
    {0x04, "MI_WAIT_FOR_EVENT_2",            110, 120,  0, 1, 1,     8, ALONE},
    {0x05, "MI_ARB_CHECK",                    60, 120,  0, 1, 1,     1, ALONE},
    {0x06, "MI_RS_CONTROL",                   75, 120,  0, 1, 1,     1, ALONE},
    {0x07, "MI_REPORT_HEAD",                  60, 120,  0, 1, 1,     4, ALONE},
    {0x08, "MI_ARB_ON_OFF",                   60, 120,  0, 1, 1,     1, ALONE},
    {0x09, "MI_URB_ATOMIC_ALLOC",             75, 100,  0, 1, 1,     2, ALONE},
    {0x0a, "MI_BATCH_BUFFER_END",             60, 120,  0, 1, 1,     4, ALONE},
    {0x0b, "MI_SUSPEND_FLUSH",                60, 120,  0, 1, 1,     1, ALONE},
    {0x0c, "MI_PREDICATE",                    70, 120,  0, 1, 1,     2, ALONE},
    {0x0d, "MI_TOPOLOGY_FILTER",              70, 120,  0, 1, 1,     1, ALONE},
    {0x0e, "MI_SET_APPID",                    70, 120,  0, 1, 1,     1, ALONE},
    {0x0f, "MI_RS_CONTEXT",                   75, 120,  0, 1, 1,     1, ALONE},
    {0x12, "MI_LOAD_SCAN_LINES_INCL",         60, 120,  6, 2, 2,     4, ALONE},
    {0x13, "MI_LOAD_SCAN_LINES_EXCL",         60, 120,  6, 2, 2,     4, ALONE},
    {0x14, "MI_DISPLAY_FLIP",                 60, 120,  8, 3, 4,     8, ALONE},
    {0x16, "MI_SEMAPHORE_MBOX",               60,  75,  8, 3, 3,     8, ALONE},
    {0x18, "MI_SET_CONTEXT",                  60,  75,  8, 2, 2,    64, ALONE},
    {0x19, "MI_URB_CLEAR",                    60,  80,  8, 2, 2,     8, ALONE},
    {0x1a, "MI_MATH",                         75,  80,  6, 2, 65,    1, 1, 1, 1},
    {0x1a, "MI_MATH",                         90, 120,  8, 2, 257,   1, 1, 1, 1},
    {0x1b, "MI_SEMAPHORE_SIGNAL",             80, 120,  8, 2, 2,     4, ALONE},
    {0x1c, "MI_SEMAPHORE_WAIT",               80, 110,  8, 4, 4,     8, ALONE},
    {0x1c, "MI_SEMAPHORE_WAIT",              120, 120,  8, 4, 5,     8, ALONE},
    {0x1d, "MI_FORCE_WAKEUP",                110, 120,  8, 2, 2,     4, ALONE},
    {0x20, "MI_STORE_DATA_IMM",               60,  75,  6, 4, 5,     4, 1, 3, 1},
    {0x20, "MI_STORE_DATA_IMM",               80, 120, 10, 4, 1025,  4, 1, 3, 1},
    {0x21, "MI_STORE_DATA_INDEX",             60, 120,  8, 3, 4,     4, ALONE},
    {0x22, "MI_LOAD_REGISTER_IMM",            60, 120,  8, 3, 257,   2, 2, 1, 2},
    {0x23, "MI_UPDATE_GTT",                   60,  75,  8, 3, 257,   4, 1, 2, 1},
    {0x23, "MI_UPDATE_GTT",                   80, 120, 10, 3, 1025,  4, 1, 2, 1},
    {0x24, "MI_STORE_REGISTER_MEM",           60,  75,  8, 3, 3,     8, ALONE},
    {0x24, "MI_STORE_REGISTER_MEM",           80, 120,  8, 4, 4,     8, ALONE},
    {0x26, "MI_FLUSH_DW",                     60,  75,  6, 3, 4,     8, ALONE},
    {0x26, "MI_FLUSH_DW",                     80, 120,  6, 4, 5,     8, ALONE},
    {0x27, "MI_CLFLUSH",                      60,  75, 10, 3, 1025,  8, ALONE},
    {0x27, "MI_CLFLUSH",                      80, 120, 10, 4, 1025,  8, ALONE},
    {0x28, "MI_REPORT_PERF_COUNT",            60,  75,  6, 3, 3,     8, ALONE},
    {0x28, "MI_REPORT_PERF_COUNT",            80, 120,  6, 4, 4,     8, ALONE},
    {0x29, "MI_LOAD_REGISTER_MEM",            70,  75,  8, 3, 3,    16, ALONE},
    {0x29, "MI_LOAD_REGISTER_MEM",            80, 120,  8, 4, 4,    16, ALONE},
    {0x2a, "MI_LOAD_REGISTER_REG",            75, 120,  8, 3, 3,     4, ALONE},
    {0x2b, "MI_RS_STORE_DATA_IMM",            75, 100,  8, 4, 4,     4, 1, 3, 1},
    {0x2c, "MI_LOAD_URB_MEM",                 75,  75,  8, 3, 3,     8, ALONE},
    {0x2c, "MI_LOAD_URB_MEM",                 80, 100,  8, 4, 4,     8, ALONE},
    {0x2d, "MI_STORE_URB_MEM",                75,  75,  8, 3, 3,     8, ALONE},
    {0x2d, "MI_STORE_URB_MEM",                80, 100,  8, 4, 4,     8, ALONE},
    {0x2e, "MI_COPY_MEM_MEM",                 80, 120,  8, 5, 5,    16, ALONE},
    {0x2f, "MI_ATOMIC",                       80, 120,  8, 3, 11,   16, ALONE},
    {0x31, "MI_BATCH_BUFFER_START",           60,  75,  8, 2, 2,     8, ALONE},
    {0x31, "MI_BATCH_BUFFER_START",           80, 120,  8, 3, 3,     8, ALONE},
    {0x36, "MI_CONDITIONAL_BATCH_BUFFER_END", 60,  75,  8, 3, 3,    16, ALONE},
    {0x36, "MI_CONDITIONAL_BATCH_BUFFER_END", 80, 120,  8, 4, 4,    16, ALONE},
    {NUMBER_PIPE_CONTROL, "PIPE_CONTROL",     60,  75,  8, 4, 5,     8, ALONE},
    {NUMBER_PIPE_CONTROL, "PIPE_CONTROL",     80, 120,  8, 6, 6,     8, ALONE},
    {NUMBER_3DPRIMITIVE, "3DPRIMITIVE",       60,  60,  8, 6, 6,     4, ALONE},
    {NUMBER_3DPRIMITIVE, "3DPRIMITIVE",       70, 100,  8, 7, 7,     4, ALONE},
    {NUMBER_3DPRIMITIVE, "3DPRIMITIVE",      110, 120,  8, 7, 10,    4, ALONE},
    {NUMBER_COLOR_BLT, "COLOR_BLT",           60, 120,  8, 2, 257,   4, ALONE},
    {NUMBER_VIDEO, "video (common)",          60, 120,  8, 2, 257,   4, ALONE},
};
// clang-format on

const struct reference_shape *reference_shape_of(unsigned version, unsigned number)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (shapes[i].number == number && version >= shapes[i].first && version <= shapes[i].last)
            return &shapes[i];
    return NULL;
}

/* MI commands of the render engine only (OA-11.10). */
static bool is_render_only(unsigned version, unsigned number)
{
    switch (number) {
    case 0x06: /* MI_RS_CONTROL */
    case 0x09: /* MI_URB_ATOMIC_ALLOC */
    case 0x0d: /* MI_TOPOLOGY_FILTER */
    case 0x0f: /* MI_RS_CONTEXT */
    case 0x18: /* MI_SET_CONTEXT */
    case 0x19: /* MI_URB_CLEAR */
    case 0x27: /* MI_CLFLUSH */
    case 0x28: /* MI_REPORT_PERF_COUNT */
    case 0x2b: /* MI_RS_STORE_DATA_IMM */
    case 0x2c: /* MI_LOAD_URB_MEM */
    case 0x2d: /* MI_STORE_URB_MEM */
        return true;
    case 0x04: /* MI_FLUSH, then MI_WAIT_FOR_EVENT_2 */
        return version <= 75;
    case 0x0c: /* MI_PREDICATE */
        return version < 110;
    case 0x1a: /* MI_MATH */
        return version < 80;
    default:
        return false;
    }
}

const struct reference_shape *reference_shape_on(unsigned version, enum reference_engine engine,
                                                 unsigned number)
{
    bool has;
    if (number == NUMBER_PIPE_CONTROL || number == NUMBER_3DPRIMITIVE)
        has = engine == REFERENCE_RCS;
    else if (number == NUMBER_COLOR_BLT)
        has = engine == REFERENCE_BCS;
    else if (number == NUMBER_VIDEO)
        has = engine == REFERENCE_VCS || engine == REFERENCE_VECS;
    else
        has = engine == REFERENCE_RCS || !is_render_only(version, number);
    return has ? reference_shape_of(version, number) : NULL;
}

unsigned reference_number_of(enum reference_engine engine, uint32_t dword)
{
    bool video = engine == REFERENCE_VCS || engine == REFERENCE_VECS;
    if (dword >> 29 == 0)
        return dword >> 23;
    if (dword >> 16 == 0x7a00)
        return NUMBER_PIPE_CONTROL;
    if (dword >> 16 == 0x7b00)
        return NUMBER_3DPRIMITIVE;
    if (dword >> 22 == 0x140)
        return NUMBER_COLOR_BLT;
    return video && dword >> 27 == 0xc ? NUMBER_VIDEO : NUMBER_NONE;
}
