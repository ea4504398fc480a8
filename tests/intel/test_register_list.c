/* SPDX-License-Identifier: MIT */
/* The registers of each platform, compared with a list (register_list.def) in both directions. */
#include "intel/tests.h"

#include "intel/cs/engines.h"
#include "intel/registers.h"
#include "intel/symbols.h"

#define ALL "snb ivb vlv hsw bdw chv skl icl lkf tgl"

static const struct listed {
    unsigned line;
    const char *part, *platforms;
    uint32_t address;
    const char *name, *access;
    uint32_t reset;
    const char *fields;
} listed[] = {
#define REGISTER(...) {__LINE__, __VA_ARGS__},
#include "intel/register_list.def"
#undef REGISTER
};

/* Engines by their base. */
static const struct {
    unsigned line;
    const char *platforms, *name;
    uint32_t base;
} engines[] = {
    {__LINE__, ALL, "rcs0", 0x2000},
    {__LINE__, ALL, "bcs0", 0x22000},
    {__LINE__, "snb ivb vlv hsw bdw chv skl", "vcs0", 0x12000},
    {__LINE__, "icl lkf tgl", "vcs0", 0x1c0000},
    {__LINE__, "bdw skl", "vcs1", 0x1c000},
    {__LINE__, "icl lkf tgl", "vcs2", 0x1d0000},
    {__LINE__, "hsw bdw chv skl", "vecs0", 0x1a000},
    {__LINE__, "icl lkf tgl", "vecs0", 0x1c8000},
};

/* ---- as text --------------------------------------------------------------------------------- */

static const char *access_name(unsigned access)
{
    return access == REG_READ ? "RO" : access == REG_WRITE ? "WO" : "RW";
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void describe_fields(const struct reg *reg, enum intel_revision platform, char *text,
                            size_t size)
{
    text[0] = '\0';
    for (const struct reg_field *f = reg->fields; f && f->name; f++) {
        if (!(f->revisions & INTEL_BIT(platform)))
            continue;
        append(text, size, "%s%u", *text ? "; " : "", f->high);
        if (f->low != f->high)
            append(text, size, ":%u", f->low);
        append(text, size, " %s", f->name);
        if (f->access != reg->access)
            append(text, size, "%s",
                   f->access == REG_READ    ? " ro"
                   : f->access == REG_WRITE ? " wo"
                                            : " rw");
        for (const struct reg_value *v = f->values; v && v->name; v++)
            append(text, size, "%s%u %s", v == f->values ? " = " : ", ", v->value, v->name);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const char *part_of(const struct reg_map *map)
{
    static const char *const parts[] = {"oa", "noa", "pipeline", "status-pages"};
    for (size_t i = 0; i < COUNT(engines); i++)
        if (!strcmp(map->name, engines[i].name))
            return strcmp(map->name, "rcs0") ? "xcs" : "rcs";
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!strncmp(map->name, parts[i], strlen(parts[i])))
            return parts[i];
    return NULL;
}

static void check_register(enum intel_revision platform, const struct reg_map *map,
                           const char *part, const struct reg *reg, unsigned used[COUNT(listed)])
{
    bool engine = part[1] == 'c';
    const char *prefix = strcmp(part, "xcs") ? NULL : strchr(reg->name, '_');
    uint32_t address = engine ? reg->offset : map->base + reg->offset;
    char name[80], fields[1024];
    size_t at = 0;
    snprintf(name, sizeof name, "%s", prefix ? prefix + 1 : reg->name);
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        append(name, sizeof name, "[%u by %u]", reg->dimensions[d].count,
               reg->dimensions[d].stride);
    while (at < COUNT(listed) &&
           (strcmp(listed[at].part, part) != 0 || strcmp(listed[at].name, name) != 0 ||
            listed[at].address != address ||
            !strstr(listed[at].platforms, revision_name(platform))))
        at++;
    if (!ROW(__LINE__, at < COUNT(listed), "%s, %s: %s at %04x is not listed",
             revision_name(platform), map->name, name, address))
        return;
    used[at]++;
    describe_fields(reg, platform, fields, sizeof fields);
    ROW(listed[at].line, !strcmp(fields, listed[at].fields), "%s, %s: %s", revision_name(platform),
        reg->name, fields);
    ROW(listed[at].line,
        !strcmp(access_name(reg->access), listed[at].access) && reg->reset == listed[at].reset,
        "%s, %s: %s, reset to %x", revision_name(platform), reg->name, access_name(reg->access),
        reg->reset);
}

/* Whether the list has a register: those that are only known from the driver are in
 * test_gpu_host.c.
 */
static bool is_described(const struct reg_map *map, const struct reg *reg)
{
    return !map->has_basis || REG_BASIS(reg->flags) == REG_DOCUMENTED;
}

static void test_listed_registers(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const struct reg_map *map;
        const char *platform = revision_name((enum intel_revision)p);
        unsigned used[COUNT(listed)] = {0}, others = 0;
        for (size_t i = 0; (map = intel_register_map((enum intel_revision)p, i)); i++) {
            const char *part = part_of(map);
            others += part && !strcmp(part, "xcs");
            for (size_t n = 0; part && n < map->count; n++)
                if ((map->regs[n].revisions & INTEL_BIT(p)) && is_described(map, &map->regs[n]))
                    check_register((enum intel_revision)p, map, part, &map->regs[n], used);
        }
        for (size_t i = 0; i < COUNT(listed); i++) {
            bool xcs = !strcmp(listed[i].part, "xcs");
            unsigned wanted = !strstr(listed[i].platforms, platform) ? 0 : xcs ? others : 1;
            ROW(listed[i].line, used[i] == wanted, "%s: %s is there %u times, not %u", platform,
                listed[i].name, used[i], wanted);
        }
    }
    ROWS_DONE();
}

static void test_listed_engines(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name((enum intel_revision)p);
        unsigned there = 0, expected = 0;
        for (unsigned id = 0; id < CS_ENGINES; id++) {
            const struct cs_engine *engine =
                cs_engine((enum intel_revision)p, (enum cs_engine_id)id);
            size_t i = 0;
            if (!engine)
                continue;
            there++;
            while (i < COUNT(engines) && (strcmp(engines[i].name, engine->name) != 0 ||
                                          !strstr(engines[i].platforms, platform)))
                i++;
            if (ROW(__LINE__, i < COUNT(engines), "%s: %s is not listed", platform, engine->name))
                ROW(engines[i].line, engine->map.base == engines[i].base && engine->id == id,
                    "%s, %s: %x", platform, engine->name, engine->map.base);
        }
        for (size_t i = 0; i < COUNT(engines); i++)
            expected += strstr(engines[i].platforms, platform) != NULL;
        ROW(__LINE__, there == expected, "%s: %u engines", platform, there);
    }
    ROWS_DONE();
}

/* ---- symbols without a register -------------------------------------------------------------- */

/* R_PWR_CLK_STATE, context descriptors, context status events and images, from the public driver
 * and OA-12. */
static void test_symbols(void **state)
{
#define NUMBER(symbol, number) {__LINE__, #symbol, symbol, symbol, number, number}
#define BITS(set, field, low, high)                                                                \
    {                                                                                              \
        __LINE__, #set "." #field, set##__##field##_LOW, set##__##field##_HIGH, low, high          \
    }
    (void)state;
    // clang-format off
    static const struct {
        unsigned line;
        const char *name;
        uint32_t low, high, expected_low, expected_high;
    } symbols[] = {
        BITS(GEN8_R_PWR_CLK_STATE, ENABLE, 31, 31),
        BITS(GEN8_R_PWR_CLK_STATE, SLICE_COUNT_ENABLE, 18, 18),
        BITS(GEN8_R_PWR_CLK_STATE, SLICE_COUNT, 15, 17),
        BITS(GEN8_R_PWR_CLK_STATE, SUBSLICE_COUNT_ENABLE, 11, 11),
        BITS(GEN8_R_PWR_CLK_STATE, SUBSLICE_COUNT, 8, 10),
        BITS(GEN8_R_PWR_CLK_STATE, EU_MAX, 4, 7),
        BITS(GEN8_R_PWR_CLK_STATE, EU_MIN, 0, 3),
        BITS(GEN11_R_PWR_CLK_STATE, SLICE_COUNT, 12, 17),
        BITS(GEN8_OA_IMR, HALF_FULL, 28, 28),
        BITS(CTX_DESCRIPTOR, VALID, 0, 0),
        BITS(CTX_DESCRIPTOR, FORCE_RESTORE, 2, 2),
        BITS(CTX_DESCRIPTOR, ADDRESSING, 3, 4),
        BITS(CTX_DESCRIPTOR, PRIVILEGE, 8, 8),
        BITS(CTX_DESCRIPTOR, ADDRESS, 12, 31),
        BITS(GEN8_CTX_DESCRIPTOR_UDW, ID, 0, 20),
        BITS(GEN11_CTX_DESCRIPTOR_UDW, SW_COUNTER, 23, 28),
        BITS(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, 5, 15),
        BITS(GEN8_CTX_STATUS, LITE_RESTORE, 15, 15),
        BITS(GEN8_CTX_STATUS, COMPLETE, 4, 4),
        BITS(GEN8_CTX_STATUS, ACTIVE_IDLE, 3, 3),
        BITS(GEN8_CTX_STATUS, ELEMENT_SWITCH, 2, 2),
        BITS(GEN8_CTX_STATUS, PREEMPTED, 1, 1),
        BITS(GEN8_CTX_STATUS, IDLE_ACTIVE, 0, 0),
        BITS(GEN12_CTX_STATUS, SW_COUNTER, 26, 31),
        BITS(GEN12_CTX_STATUS, SW_ID, 15, 25),
        BITS(GEN12_CTX_STATUS, INSTANCE, 6, 11),
        BITS(GEN12_CTX_STATUS, CLASS, 3, 5),
        BITS(GEN12_CTX_STATUS, NEW_LIST, 0, 0),
        NUMBER(GEN12_CTX_SWITCH__COMPLETE, 0),
        NUMBER(GEN12_CTX_SWITCH__PREEMPTED, 5),
        BITS(GEN12_CTX_STATUS_UDW, SW_COUNTER, 26, 31),
        BITS(GEN12_CTX_STATUS_UDW, SW_ID, 15, 25),
        BITS(GEN12_CTX_STATUS_UDW, DETAIL, 0, 3),
        NUMBER(RENDER_RING_BASE, 0x2000),
        NUMBER(BLT_RING_BASE, 0x22000),
        NUMBER(GEN6_BSD_RING_BASE, 0x12000),
        NUMBER(VEBOX_RING_BASE, 0x1a000),
        NUMBER(GEN11_BSD_RING_BASE, 0x1c0000),
        NUMBER(GEN11_BSD3_RING_BASE, 0x1d0000),
        NUMBER(GEN11_VEBOX_RING_BASE, 0x1c8000),
        BITS(GEN8_CTX_CONTROL, RESTORE_INHIBIT, 0, 0),
        NUMBER(RING_INSTPM, 0x20c0),
        NUMBER(RING_EXCC, 0x2028),
        NUMBER(RING_BB_PER_CTX_PTR, 0x21c0),
        NUMBER(RING_INDIRECT_CTX, 0x21c4),
        NUMBER(RING_INDIRECT_CTX_OFFSET, 0x21c8),
        NUMBER(GEN8_RING_PDP, 0x2270),
        NUMBER(GEN8_RING_PDP__COUNT, 8),
        NUMBER(GEN8_RING_PDP__STRIDE, 4),
        NUMBER(GEN9_RPNSWREQ, 0xa008),
        NUMBER(GEN6_RC_VIDEO_FREQ, 0xa00c),
        BITS(RING_PP_DIR_BASE, OFFSET, 16, 31),
    };
    // clang-format on
#undef NUMBER
#undef BITS
    for (size_t i = 0; i < COUNT(symbols); i++)
        ROW(symbols[i].line,
            symbols[i].low == symbols[i].expected_low &&
                symbols[i].high == symbols[i].expected_high,
            "%s: %x to %x", symbols[i].name, symbols[i].low, symbols[i].high);
    ROWS_DONE();
}

int test_register_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_registers),
        cmocka_unit_test(test_listed_engines),
        cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests_name("list of registers", tests, NULL, NULL);
}
