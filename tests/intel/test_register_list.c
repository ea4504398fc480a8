/* SPDX-License-Identifier: MIT */
/* The registers of each platform, compared with a list (register_list.def) in both directions. */
#include "intel/tests.h"

#include "intel/cs/engines.h"
#include "intel/registers.h"

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
                if (map->regs[n].revisions & INTEL_BIT(p))
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

int test_register_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_registers),
        cmocka_unit_test(test_listed_engines),
    };
    return cmocka_run_group_tests_name("list of registers", tests, NULL, NULL);
}
