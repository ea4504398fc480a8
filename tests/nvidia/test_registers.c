/* SPDX-License-Identifier: MIT */
/* The tables of PCOUNTER's registers, compared with those of document 001. */
#include "nvidia/tests.h"

#include <inttypes.h>

#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"

enum { MAX_ROWS = 100 };

/* A line such as "0x600+dom*0x4 (dom<8) G84- CTR_CYCLES[dom] ...". */
struct row {
    unsigned line;
    char name[32];
    uint32_t address;
    uint32_t strides[REG_DIMENSIONS], counts[REG_DIMENSIONS];
    uint32_t revisions;
};

static struct row rows[TALLY_PCOUNTER_REVISIONS][MAX_ROWS];

static unsigned revision_of(const char *name, size_t length)
{
    static const char *const names[] = {"NV10", "NV15", "NV20",  "NV30", "NV40",
                                        "G84",  "G92",  "GT215", "GF100"};
    for (unsigned i = 0; i < COUNT(names); i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return i;
    fail_msg("unknown revision %.*s", (int)length, name);
    return 0;
}

/* "all", "NV10:NV30" (without the second) or "G92-", of the revisions from `first` to `last`. */
static uint32_t parse_revisions(const char *text, unsigned first, unsigned last)
{
    size_t length = strcspn(text, ":-");
    if (strcmp(text, "all") != 0) {
        unsigned from = revision_of(text, length);
        first = from > first ? from : first;
        if (text[length] == ':') {
            unsigned end = revision_of(text + length + 1, strlen(text + length + 1));
            last = end - 1 < last ? end - 1 : last;
        }
    }
    return (2u << last) - (1u << first);
}

/* "dom*0x100" and "dom<2", for each variable. */
static void parse_dimensions(struct row *row, char *terms, const char *bounds)
{
    unsigned count = 0;
    for (char *term = strtok(terms, "+"); term; term = strtok(NULL, "+")) {
        size_t name = strcspn(term, "*");
        char bound[16];
        snprintf(bound, sizeof bound, "%.*s<", (int)name, term);
        const char *at = strstr(bounds, bound);
        assert_true(at && count < REG_DIMENSIONS);
        row->strides[count] = (uint32_t)strtoul(term + name + 1, NULL, 0);
        row->counts[count++] = (uint32_t)strtoul(at + strlen(bound), NULL, 10);
    }
}

/* Parses a row of a table; returns false behind its end. */
static bool parse(char *line, struct row *row, unsigned first, unsigned last)
{
    char terms[100] = "", bounds[100] = "", variants[32] = "all", *end;
    int used = 0;
    if (strncmp(line, "0x", 2) != 0)
        return false;
    row->address = (uint32_t)strtoul(line, &end, 16);
    if (*end == '+') {
        assert_int_equal(sscanf(end + 1, "%99s (%99[^)]) %n", terms, bounds, &used), 2);
        end += 1 + used;
    }
    if (first != TALLY_PCOUNTER_GF100) {
        assert_int_equal(sscanf(end, "%31s %n", variants, &used), 1);
        end += used;
    }
    assert_int_equal(sscanf(end, " %31[A-Z0-9_]", row->name), 1);
    parse_dimensions(row, terms, bounds);
    row->revisions = parse_revisions(variants, first, last);
    return true;
}

/* Reads the rows of the table of a register space, and returns their count. */
static size_t read_table(const char *space, unsigned first, unsigned last, struct row *out)
{
    char path[512], line[1024], title[64];
    size_t count = 0;
    bool found = false, heads = false;
    if (!shared_path(path, sizeof path, "docs/001_849838cf80f3218e.txt"))
        return 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    snprintf(title, sizeof title, "8-bit space %s ", space);
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        found = found || !strncmp(line, title, strlen(title));
        if (heads && !parse(line, &out[count], first, last))
            break;
        if (heads)
            out[count++].line = number;
        assert_true(count < MAX_ROWS);
        heads = heads || (found && !strncmp(line, "Address ", 8));
    }
    fclose(file);
    return count;
}

/* Returns the only register with a name and a revision. */
static const struct reg *find(const struct reg_map *map, const char *name, uint32_t revision)
{
    const struct reg *found = NULL;
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->regs[i].name, name) != 0 || !(map->regs[i].revisions & revision))
            continue;
        ROW(__LINE__, !found, "%s: %s twice", map->name, name);
        found = &map->regs[i];
    }
    return found;
}

static void compare(const struct reg_map *map, const struct row *row, const struct reg *reg)
{
    ROW(__LINE__, reg->offset == row->address, "document, line %u: %s at %#" PRIx32, row->line,
        row->name, reg->offset);
    for (unsigned i = 0; i < REG_DIMENSIONS; i++)
        ROW(__LINE__,
            reg->dimensions[i].count == row->counts[i] &&
                reg->dimensions[i].stride == row->strides[i],
            "document, line %u: %s, dimension %u: %u of %#" PRIx32 " bytes", row->line, row->name,
            i, reg->dimensions[i].count, reg->dimensions[i].stride);
    ROW(__LINE__, reg->reset == 0, "%s: %s resets to %#" PRIx32, map->name, reg->name, reg->reset);
}

/* Each row of the document is a register, and each register a row. */
static void test_tables(void **state)
{
    (void)state;
    static const struct {
        const char *space;
        unsigned first, last;
        size_t rows, more; /* registers of PCT-6 that the document lacks: tests/regs has them */
    } spaces[] = {
        {"nv10-pcounter", TALLY_PCOUNTER_NV10, TALLY_PCOUNTER_NV30, 27, 0},
        {"nv40-pcounter", TALLY_PCOUNTER_NV40, TALLY_PCOUNTER_GT215, 30, 0},
        {"gf100-pcounter-domain", TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100, 15, 17},
    };
    char path[512];
    NEEDS_SHARED(path, "docs/001_849838cf80f3218e.txt");
    for (size_t s = 0; s < COUNT(spaces); s++) {
        const char *space = spaces[s].space;
        size_t count = read_table(space, spaces[s].first, spaces[s].last, rows[s]);
        ROW(__LINE__, count == spaces[s].rows, "%s: %zu rows", space, count);
        for (unsigned r = spaces[s].first; r <= spaces[s].last; r++) {
            const struct reg_map *map = pcounter_registers((enum tally_pcounter_revision)r);
            size_t present = 0, registers = 0;
            assert_string_equal(map->name, space);
            for (size_t i = 0; i < count; i++) {
                const struct reg *reg = find(map, rows[s][i].name, 1u << r);
                bool wanted = rows[s][i].revisions >> r & 1;
                ROW(__LINE__, (reg != NULL) == wanted, "%s, revision %u: %s", space, r,
                    rows[s][i].name);
                present += wanted;
                if (reg && wanted)
                    compare(map, &rows[s][i], reg);
            }
            for (size_t i = 0; i < map->count; i++)
                registers += map->regs[i].revisions >> r & 1;
            ROW(__LINE__, registers == present + spaces[s].more,
                "%s, revision %u: %zu registers, %zu rows", space, r, registers, present);
        }
    }
    ROWS_DONE();
}

/* PMC: BOOT_0, interrupts, and ENABLE, which also holds PCOUNTER in reset from GF100 on. */
static void test_pmc(void **state)
{
    (void)state;
    const uint32_t all = (1u << TALLY_PCOUNTER_REVISIONS) - 1, gf100 = 1u << TALLY_PCOUNTER_GF100;
    const struct {
        const char *name;
        uint32_t address, revisions, access, reset;
    } expected[] = {{"BOOT_0", 0, all, REG_READ, 0},
                    {"INTR_HOST", 0x100, all, REG_READ, 0},
                    {"INTR_ENABLE_HOST", 0x140, all, REG_READ | REG_WRITE, 0},
                    {"ENABLE", 0x200, all & ~gf100, REG_READ | REG_WRITE, 0x10000},
                    {"ENABLE", 0x200, gf100, REG_READ | REG_WRITE, 0x10010000}};
    assert_int_equal(pmc_map.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct reg *reg = &pmc_map.regs[i];
        ROW(__LINE__,
            !strcmp(reg->name, expected[i].name) && reg->offset == expected[i].address &&
                reg->revisions == expected[i].revisions && reg->access == expected[i].access &&
                reg->reset == expected[i].reset && !reg->dimensions[0].count,
            "%s at %#" PRIx32, reg->name, reg->offset);
    }
    ROWS_DONE();
}

/* ---- indexes --------------------------------------------------------------------------------- */

static bool is_same_place(const struct reg_place *a, const struct reg_place *b)
{
    return a->reg == b->reg && (!a->reg || !memcmp(a->index, b->index, sizeof a->index));
}

/* Finds a register by searching the tables; sets *domain. */
static struct reg_place search(const struct tally_pcounter *engine, uint32_t address,
                               enum reg_access access, unsigned *domain)
{
    const struct reg_map *map = pcounter_registers(engine->revision);
    uint32_t revision = 1u << engine->revision;
    struct reg_place place = {0};
    *domain = 0;
    if (engine->revision != TALLY_PCOUNTER_GF100) {
        if (!reg_find(map, revision, engine->domain_count, address, access, &place))
            place.reg = NULL;
        else if (place.reg->dimensions[0].count)
            *domain = place.index[0];
        return place;
    }
    for (unsigned i = 0; i < engine->domain_count; i++)
        if (address - engine->domains[i].address < GF100_DOMAIN_BYTES &&
            reg_find(map, revision, 1, map->base + address - engine->domains[i].address, access,
                     &place)) {
            *domain = i;
            return place;
        }
    for (unsigned i = engine->domain_count; i-- > 0;) { /* ends with the first of the set */
        const struct domain *here = &engine->domains[i];
        uint32_t control = gf100_set_spaces[here->kind].control + here->instance * GF100_SET_BYTES;
        if (address == control) {
            place.reg = &pcounter_set_map.regs[0];
            *domain = i;
        }
    }
    if (address == PMC_ENABLE)
        reg_find(&pmc_map, revision, 1, address, access, &place);
    return place;
}

static void compare_engine(const struct tally_pcounter *engine, const char *name, uint32_t first,
                           uint32_t end)
{
    for (uint32_t address = first; address < end; address++)
        for (unsigned access = REG_READ; access <= REG_WRITE; access++) {
            unsigned domain;
            struct reg_place expected = search(engine, address, (enum reg_access)access, &domain);
            struct reg_place place = pcounter_locate(engine, address, (enum reg_access)access);
            struct pcounter_target target = pcounter_find(engine, address, (enum reg_access)access);
            ROW(__LINE__,
                is_same_place(&place, &expected) &&
                    (target.row ? target.row->reg : NULL) == expected.reg &&
                    (!target.row || target.domain == domain),
                "%s, %u domains, %s of %#" PRIx32, name, engine->domain_count,
                access == REG_READ ? "read" : "write", address);
        }
}

/* The engine's index finds the same registers as a search of the tables. */
static void test_engine_index(void **state)
{
    static const char *const chipsets[] = {"gf100", "gf108", "gf119"};
    struct tally_pcounter *engine;
    (void)state;
    for (unsigned revision = 0; revision < TALLY_PCOUNTER_GF100; revision++)
        for (unsigned domains = 1; domains <= pcounter_features[revision].domains; domains++) {
            assert_int_equal(tally_pcounter_new_bare((enum tally_pcounter_revision)revision,
                                                     domains, &engine, NULL),
                             0);
            compare_engine(engine, pcounter_features[revision].range, 0x1f0, 0x210);
            compare_engine(engine, pcounter_features[revision].range, PCOUNTER_BASE - 8,
                           PCOUNTER_BASE + PCOUNTER_SIZE + 8);
            tally_pcounter_free(engine);
        }
    for (size_t i = 0; i < COUNT(chipsets); i++) {
        assert_int_equal(tally_pcounter_new(tally_chipset_find(chipsets[i]), &engine, NULL), 0);
        compare_engine(engine, chipsets[i], 0x1f0, 0x210);
        compare_engine(engine, chipsets[i], GF100_PCOUNTER_BASE - 8,
                       GF100_PCOUNTER_BASE + GF100_PCOUNTER_SIZE + 8);
        tally_pcounter_free(engine);
    }
    ROWS_DONE();
}

/* So does that of the registers around it, which have one register at an address. */
static void test_gpu_index(void **state)
{
    (void)state;
    for (unsigned r = 0; r < TALLY_PCOUNTER_REVISIONS; r++) {
        enum tally_pcounter_revision revision = (enum tally_pcounter_revision)r;
        const struct reg_index *index = nvidia_register_index(revision);
        assert_non_null(index);
        ROW(__LINE__, !index->conflicts, "revision %u: %zu conflicts, the first at %#" PRIx32, r,
            index->conflicts, index->conflict);
        for (enum nvidia_part part = 0; part < NVIDIA_PARTS; part++) {
            const struct reg_map *map = nvidia_registers(revision, part);
            for (uint32_t at = map->base; at < map->base + map->size; at++) {
                struct reg_place expected = {0}, place = {0};
                unsigned element;
                const struct reg_row *row = reg_index_find(index, at, &element);
                bool found = reg_find(map, 1u << r, 1, at, REG_READ, &expected);
                if (!found) /* another part's may be there */
                    expected.reg = row && row->map != map ? row->reg : NULL;
                reg_index_place(index, at, &place);
                ROW(__LINE__,
                    found ? is_same_place(&place, &expected) && row->part == part
                          : place.reg == expected.reg,
                    "revision %u, %s, %#" PRIx32, r, map->name, at);
            }
        }
    }
    ROWS_DONE();
}

int test_registers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_pmc),
        cmocka_unit_test(test_engine_index),
        cmocka_unit_test(test_gpu_index),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
