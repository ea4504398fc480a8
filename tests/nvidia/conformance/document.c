/* SPDX-License-Identifier: MIT */
#include "nvidia/conformance/document.h"

#include <stdio.h>
#include <string.h>

const char *const revision_names[REVISIONS] = {"nv10", "nv15", "nv20",  "nv30", "nv40",
                                               "g84",  "g92",  "gt215", "gf100"};

/* ---- MMIO registers ------------------------------------------------------------------------ */

/* clang-format off */
const struct document_register document_registers[] = {
    /* NV10 */
    {"PRE_SRC", NV10, NV30, 0x400, 0x100, 1, RW},
    {"PRE_OP", NV10, NV30, 0x404, 0x100, 1, RW},
    {"START_SRC", NV10, NV30, 0x408, 0x100, 1, RW},
    {"START_OP", NV10, NV30, 0x40c, 0x100, 1, RW},
    {"EVENT_SRC", NV10, NV30, 0x410, 0x100, 1, RW},
    {"EVENT_OP", NV10, NV30, 0x414, 0x100, 1, RW},
    {"STOP_SRC", NV10, NV30, 0x418, 0x100, 1, RW},
    {"STOP_OP", NV10, NV30, 0x41c, 0x100, 1, RW},
    {"SETFLAG_SRC", NV10, NV20, 0x420, 0x100, 1, RW},
    {"SETFLAG_OP", NV10, NV30, 0x424, 0x100, 1, RW},
    {"CLRFLAG_SRC", NV10, NV20, 0x428, 0x100, 1, RW},
    {"CLRFLAG_OP", NV10, NV30, 0x42c, 0x100, 1, RW},
    {"SIG_STATUS", NV10, NV30, 0x430, 0x100, 8, RO},
    {"CTR_CYCLES", NV10, NV30, 0x600, 0x100, 1, RO},
    {"CTR_CYCLES_HI", NV10, NV20, 0x604, 0x100, 1, RO},
    {"CTR_CYCLES_ALT", NV10, NV30, 0x608, 0x100, 1, RO},
    {"CTR_CYCLES_ALT_HI", NV10, NV20, 0x60c, 0x100, 1, RO},
    {"CTR_EVENT", NV10, NV30, 0x610, 0x100, 1, RO},
    {"CTR_EVENT_HI", NV10, NV20, 0x614, 0x100, 1, RO},
    {"CTR_START", NV10, NV30, 0x618, 0x100, 1, RO},
    {"CTR_START_HI", NV10, NV20, 0x61c, 0x100, 1, RO},
    {"CTR_PRE", NV10, NV30, 0x620, 0x100, 1, RW},
    {"CTR_STOP", NV10, NV30, 0x624, 0x100, 1, RW},
    {"THRESHOLD", NV10, NV30, 0x628, 0x100, 1, RW},
    {"THRESHOLD_HI", NV10, NV20, 0x62c, 0x100, 1, RW},
    {"QUAD_ACK_TRIGGER", NV30, NV30, 0x738, 0, 1, WO},
    {"CTRL", NV10, NV30, 0x73c, 0, 1, RW},
    /* NV40 */
    {"PRE_SRC", NV40, GT215, 0x400, 4, 1, RW},
    {"PRE_OP", NV40, GT215, 0x420, 4, 1, RW},
    {"START_SRC", NV40, GT215, 0x440, 4, 1, RW},
    {"START_OP", NV40, GT215, 0x460, 4, 1, RW},
    {"EVENT_SRC", NV40, GT215, 0x480, 4, 1, RW},
    {"EVENT_OP", NV40, GT215, 0x4a0, 4, 1, RW},
    {"STOP_SRC", NV40, GT215, 0x4c0, 4, 1, RW},
    {"STOP_OP", NV40, GT215, 0x4e0, 4, 1, RW},
    {"SETFLAG_OP", NV40, GT215, 0x500, 4, 1, RW},
    {"CLRFLAG_OP", NV40, GT215, 0x520, 4, 1, RW},
    {"SRC_STATUS", NV40, GT215, 0x540, 4, 1, RO},
    {"SPEC_SRC", NV40, GT215, 0x560, 4, 1, RW},
    {"USER_TRIGGER", GT215, GT215, 0x580, 4, 1, WO},
    {"CTR_CYCLES", NV40, GT215, 0x600, 4, 1, RO},
    {"CTR_CYCLES_ALT", NV40, GT215, 0x640, 4, 1, RO},
    {"CTR_EVENT", NV40, GT215, 0x680, 4, 1, RO},
    {"RECORD_ADDRESS_HIGH", G92, GT215, 0x6a0, 4, 1, RW},
    {"CTR_START", NV40, GT215, 0x6c0, 4, 1, RO},
    {"RECORD_STATUS", G84, GT215, 0x6e0, 4, 1, RO},
    {"CTR_PRE", NV40, GT215, 0x700, 4, 1, RW},
    {"RECORD_LIMIT", G84, GT215, 0x720, 4, 1, RW},
    {"CTR_STOP", NV40, GT215, 0x740, 4, 1, RW},
    {"RECORD_START", G84, GT215, 0x760, 4, 1, RW},
    {"THRESHOLD", NV40, GT215, 0x780, 4, 1, RW},
    {"RECORD_CHAN", G84, GT215, 0x7a0, 0, 1, RW},
    {"RECORD_DMA", G84, GT215, 0x7a4, 0, 1, RW},
    {"GCTRL", G84, GT215, 0x7a8, 0, 1, RW},
    {"CTRL", NV40, GT215, 0x7c0, 4, 1, RW},
    {"QUAD_ACK_TRIGGER", NV40, GT215, 0x7e0, 4, 1, WO},
    {"SIG_STATUS", NV40, GT215, 0x800, 0x20, 8, RO},
    /* GF100 domain */
    {"SIG_STATUS", GF100, GF100, 0x0, 0x200, 16, RO},
    {"PRE_SRC", GF100, GF100, 0x40, 0x200, 1, RW},
    {"PRE_OP", GF100, GF100, 0x44, 0x200, 1, RW},
    {"START_SRC", GF100, GF100, 0x48, 0x200, 1, RW},
    {"START_OP", GF100, GF100, 0x4c, 0x200, 1, RW},
    {"EVENT_SRC", GF100, GF100, 0x50, 0x200, 1, RW},
    {"EVENT_OP", GF100, GF100, 0x54, 0x200, 1, RW},
    {"STOP_SRC", GF100, GF100, 0x58, 0x200, 1, RW},
    {"STOP_OP", GF100, GF100, 0x5c, 0x200, 1, RW},
    {"SETFLAG_OP", GF100, GF100, 0x60, 0x200, 1, RW},
    {"CLRFLAG_OP", GF100, GF100, 0x64, 0x200, 1, RW},
    {"SRC_STATUS", GF100, GF100, 0x68, 0x200, 1, RO},
    {"SWAP_SRC", GF100, GF100, 0x6c, 0x200, 1, RW},
    {"CTR_CYCLES", GF100, GF100, 0x70, 0x200, 1, RO},
    {"CTR_CYCLES_NEXT_RO", GF100, GF100, 0x78, 0x200, 1, RO},
    {"CTR_EVENT", GF100, GF100, 0x80, 0x200, 1, RO},
    {"CTR_START", GF100, GF100, 0x88, 0x200, 1, RO},
    {"CTR_PRE", GF100, GF100, 0x8c, 0x200, 1, RW},
    {"CTR_STOP", GF100, GF100, 0x90, 0x200, 1, RW},
    {"SINGLE_ABORT_TRIGGER", GF100, GF100, 0x94, 0x200, 1, WO},
    {"THRESHOLD", GF100, GF100, 0x98, 0x200, 1, RW},
    {"CTRL", GF100, GF100, 0x9c, 0x200, 1, RW},
    {"QUAD_ACK_TRIGGER", GF100, GF100, 0xa0, 0x200, 1, WO},
    {"CTR_EVENT_NEXT", GF100, GF100, 0xa4, 0x200, 1, RW},
    {"CTR_PRE_NEXT", GF100, GF100, 0xa8, 0x200, 1, RW},
    {"CTR_START_NEXT", GF100, GF100, 0xac, 0x200, 1, RW},
    {"CTR_STOP_NEXT", GF100, GF100, 0xb0, 0x200, 1, RW},
    {"CTR_CYCLES_NEXT", GF100, GF100, 0xbc, 0x200, 1, RW},
    {"SINGLE_BEGIN_TRIGGER", GF100, GF100, 0xe0, 0x200, 1, WO},
    {"STATE", GF100, GF100, 0xe4, 0x200, 1, RO},
    {"USER_TRIGGER", GF100, GF100, 0xec, 0x200, 1, RW},
    {"FILTER", GF100, GF100, 0x100, 0x200, 1, RW},
    /* GF100 domain set */
    {"DSET_CTRL", GF100, GF100, 0x38000, 0, 1, RW},
};
/* clang-format on */
const size_t document_register_count = sizeof document_registers / sizeof *document_registers;

bool document_has(const struct document_register *row, enum revision revision)
{
    return revision >= row->first && revision <= row->last;
}

uint32_t document_address(const struct document_register *row, enum revision revision,
                          unsigned domain, unsigned word)
{
    uint32_t base = revision == GF100 ? 0x180000 : 0xa000;
    uint32_t at = base + row->offset + domain * row->domain_stride;
    /* On NV10:NV40 the array has two parts: i = hi * 4 + lo. */
    if (row->words > 1 && revision <= NV30)
        return at + word / 4 * 0x200 + word % 4 * 4;
    return at + word * 4;
}

const struct document_register *document_find(const char *name, enum revision revision)
{
    for (size_t i = 0; i < document_register_count; i++)
        if (document_has(&document_registers[i], revision) &&
            !strcmp(document_registers[i].name, name))
            return &document_registers[i];
    return NULL;
}

unsigned document_domains(enum revision revision)
{
    return revision <= NV15 ? 1 : revision <= NV30 ? 2 : 8;
}

static uint32_t ctrl_writable(enum revision revision, bool two)
{
    switch (revision) {
    case NV10:
        return 0x7;
    case NV15:
        return 0x107;
    case NV20:
        return two ? 0x307 : 0x107;
    case NV30:
        return two ? 0x50307 : 0x10107;
    case NV40:
        return 0x12973; /* bits 0-1, 4-6, 8, 11, 13, 16 */
    case G84:
        return 0xf12973; /* and 20-23 */
    case GF100:
        return 0x80fdffff; /* bits 0-16, 18-23, 31 */
    default:
        return 0x40f12973; /* and 30 */
    }
}

uint32_t document_writable(const struct document_register *row, enum revision revision,
                           unsigned domains)
{
    static const struct {
        const char *name;
        uint32_t mask;
    } masks[] = {
        {"THRESHOLD_HI", 0xff},      {"RECORD_ADDRESS_HIGH", 0xff}, {"SPEC_SRC", 0xffff},
        {"SWAP_SRC", 0xff},          {"RECORD_START", 0xfffffff0},  {"RECORD_LIMIT", 0xfffffff0},
        {"RECORD_CHAN", 0xbfffffff}, {"RECORD_DMA", 0xffff},        {"GCTRL", 0x11},
        {"USER_TRIGGER", 0xff},      {"DSET_CTRL", 0xa0000031},
    };
    const char *op = strstr(row->name, "_OP");
    /* A write of CTR_PRE or CTR_STOP sets the initial value, a read returns the current one. */
    if (row->access != RW || !strcmp(row->name, "CTR_PRE") || !strcmp(row->name, "CTR_STOP"))
        return 0;
    if (!strcmp(row->name, "CTRL"))
        return ctrl_writable(revision, domains > 1);
    if (op &&
        (revision == GF100 || !strncmp(row->name, "EVENT", 5) || !strncmp(row->name, "STOP", 4)))
        return revision >= G92 ? 0x1fffff : revision >= NV30 ? 0x7ffff : 0x3ffff;
    if (op)
        return revision >= G92 ? 0xfffff : 0x3ffff;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        if (!strcmp(row->name, masks[i].name))
            return masks[i].mask;
    return UINT32_MAX;
}

/* ---- fields and signals -------------------------------------------------------------------- */

struct place {
    const char *name;
    enum revision first, last;
    int at;
};

static int find_place(const struct place *places, size_t count, const char *name,
                      enum revision revision)
{
    for (size_t i = 0; i < count; i++)
        if (revision >= places[i].first && revision <= places[i].last &&
            !strcmp(name, places[i].name))
            return places[i].at;
    return -1;
}

int document_field(const char *name, enum revision revision)
{
    /* clang-format off */
    static const struct place fields[] = {
        {"TVOUT_DEBUG_SEL", NV10, NV30, 0},
        {"TVOUT_DEBUG_ENABLE", NV10, NV30, 1},
        {"CTR_MODE", NV10, NV30, 2},
        {"SINGLE_STATE", NV10, NV30, 3},
        {"SINGLE_STATE1", NV20, NV30, 5},
        {"EVENT_CTR_PERIOD", NV15, NV30, 8},
        {"EVENT_CTR_PERIOD1", NV20, NV30, 9},
        {"MODE", NV30, NV30, 16},
        {"MODE1", NV30, NV30, 18},
        {"QUAD_STATE", NV30, NV30, 24},
        {"QUAD_STATE1", NV30, NV30, 26},
        {"MODE", NV40, GT215, 0},
        {"CTR_MODE", NV40, GT215, 4},
        {"EVENT_CTR_PERIOD", NV40, GT215, 8},
        {"EVENT_IMPORT_MODE", NV40, GT215, 11},
        {"FLAG_IMPORT_MODE", NV40, GT215, 13},
        {"UNK16", NV40, GT215, 16},
        {"RECORD_FORMAT", G84, GT215, 20},
        {"PERIODIC_PERIOD", G84, GT215, 21},
        {"QUAD_STATE", NV40, GT215, 24},
        {"FAULT_CLEAR", G84, GT215, 27},
        {"SINGLE_STATE", NV40, GT215, 28},
        {"UNK30", G92, GT215, 30},
        {"RECORD_RESET", G84, GT215, 0},
        {"PERIODIC_RESET", G84, GT215, 4},
        {"VALID", G84, GT215, 31},
        {"MODE", GF100, GF100, 0},
        {"CTR_MODE", GF100, GF100, 3},
        {"EVENT_CTR_PERIOD", GF100, GF100, 6},
        {"EVENT_IMPORT_MODE", GF100, GF100, 7},
        {"FLAG_IMPORT_MODE", GF100, GF100, 8},
        {"PERIODIC_PERIOD", GF100, GF100, 21},
        {"PERIODIC_RESET", GF100, GF100, 4},
        {"FLAG_NEXT", GF100, GF100, 4},
        {"FLAG_CUR", GF100, GF100, 5},
        {"EVENT_TOGGLE", GF100, GF100, 7},
        {"QUAD_STATE", GF100, GF100, 24},
        {"SINGLE_STATE", GF100, GF100, 28},
    };
    /* clang-format on */
    return find_place(fields, sizeof fields / sizeof *fields, name, revision);
}

uint64_t document_mode(uint64_t mode, enum revision revision)
{
    return revision == GF100 && mode <= 1 ? mode + 1 : mode;
}

int document_signal(const char *name, enum revision revision)
{
    /* clang-format off */
    static const struct place offsets[] = {
        {"FLAG0", NV10, NV15, 0x1f},
        {"PM_TRIGGER", NV20, NV30, 0x1d},
        {"FLAG1", NV20, NV30, 0x1e},
        {"FLAG0", NV20, NV30, 0x1f},
        {"ZERO", G84, GT215, 0x0c},
        {"PERIODIC", G84, GT215, 0x0d},
        {"WRCACHE_FLUSH", G84, GT215, 0x0e},
        {"ZERO", NV40, NV40, 0x0e},
        {"PM_TRIGGER", NV40, GT215, 0x0f},
        {"USER_0", GF100, GF100, 0x27},
        {"USER_1", GF100, GF100, 0x28},
        {"USER_2", GF100, GF100, 0x29},
        {"USER_3", GF100, GF100, 0x2a},
        {"PAUSED", GF100, GF100, 0x2c},
        {"PM_TRIGGER", GF100, GF100, 0x2d}, /* probably */
        {"PERIODIC", GF100, GF100, 0x2e},
    };
    /* clang-format on */
    int base = revision == GF100 ? 0xc0 : 0xe0, offset;
    unsigned number;
    char rest;
    offset = find_place(offsets, sizeof offsets / sizeof *offsets, name, revision);
    if (offset < 0 && revision >= NV40) {
        /* EVENT of domain 0 is 0x17, that of domain 7 0x10; FLAG is 8 higher; GF100 adds 0x20. */
        if (sscanf(name, "EVENT%u%c", &number, &rest) == 1 && number < 8)
            offset = 0x17 - (int)number;
        else if (sscanf(name, "FLAG%u%c", &number, &rest) == 1 && number < 8)
            offset = 0x1f - (int)number;
        if (offset >= 0 && revision == GF100)
            offset += 0x20;
    }
    return offset < 0 ? -1 : base + offset;
}
