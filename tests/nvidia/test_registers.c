/* SPDX-License-Identifier: MIT */
/* The tables of PCOUNTER's registers, compared with those of document 001. */
#include "nvidia/tests.h"

#include <inttypes.h>

#include "nvidia/pcounter/registers.h"

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

int test_registers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_pmc),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
