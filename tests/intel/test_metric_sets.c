/* SPDX-License-Identifier: MIT */
/* Metric sets can be programmed: each write reaches a register and is stored unchanged. */
#include "intel/metric_rig.h"

static struct metric_rig rig;

/* Totals of a file of sets. */
struct sums {
    size_t sets;
    size_t of[LANDINGS];
};

/* Sees every write. */
typedef void witness(const struct tally_register_write *write, enum landing landing, void *closure);

static const char *const landing_names[LANDINGS] = {"OA",   "flexible", "NOA",
                                                    "port", "GT",       "nowhere"};

/* Each group of a set may write certain registers only (PERF-3.4). */
static bool belongs(const char *type, enum landing landing)
{
    if (!strcmp(type, "NOA"))
        return landing == LANDED_NOA || landing == LANDED_PORT;
    return landing == (!strcmp(type, "OA") ? LANDED_OA : LANDED_FLEX);
}

static void program(const char *path, const struct tally_metric_set *set, witness *saw,
                    void *closure, struct sums *sums)
{
    bool has_noa = false;
    rig_reset(&rig);
    for (size_t c = 0; c < set->config_count; c++) {
        const struct tally_register_config *config = &set->configs[c];
        has_noa |= !strcmp(config->type, "NOA") && config->write_count;
        for (size_t w = 0; w < config->write_count; w++) {
            const struct tally_register_write *write = &config->writes[w];
            enum landing landing = rig_write(&rig, write);
            sums->of[landing]++;
            if (saw)
                saw(write, landing, closure);
            ROW(__LINE__, belongs(config->type, landing),
                "%s:%u: %s: 0x%08" PRIx32 " to 0x%06" PRIx32 " landed %s", path, write->line,
                set->symbol, write->value, write->address, landing_names[landing]);
        }
    }
    /* OA-1.3: a set that uses the network enables it. */
    ROW(__LINE__, !has_noa || noa_is_on(&rig.noa), "%s: %s leaves NOA off", path, set->symbol);
    sums->sets++;
}

/* Programs every set of a file, each into a unit after reset. */
static struct sums program_file(const char *path, enum intel_revision platform, witness *saw,
                                void *closure)
{
    struct sums sums = {0};
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    struct tally_error error = {0};
    assert_int_equal(tally_metric_file_load(path, &file, &error), 0);
    size_t count = tally_metric_file_sets(file, &sets);
    rig_open(&rig, platform);
    for (size_t i = 0; i < count; i++)
        program(path, &sets[i], saw, closure, &sums);
    rig_close(&rig);
    tally_metric_file_free(file);
    return sums;
}

/* The number of writes of each file, counted independently. docs/metric-sets.md has the same
 * numbers. */
struct expected {
    unsigned line;
    enum intel_revision platform;
    const char *name;
    size_t sets, oa, flex, noa, port;
};

static const struct expected public_sets[] = {
    {__LINE__, INTEL_HSW, "hsw", 6, 102, 0, 200, 0},
    {__LINE__, INTEL_BDW, "bdw", 24, 402, 142, 86, 2895},
    {__LINE__, INTEL_CHV, "chv", 14, 225, 91, 39, 1296},
    {__LINE__, INTEL_SKL, "sklgt2", 22, 303, 127, 54, 1578},
    {__LINE__, INTEL_SKL, "sklgt3", 21, 293, 115, 28, 1125},
    {__LINE__, INTEL_SKL, "sklgt4", 21, 293, 115, 28, 1179},
    {__LINE__, INTEL_ICL, "icl", 20, 209, 93, 38, 1665},
    {__LINE__, INTEL_LKF, "lkf", 19, 204, 84, 38, 1572},
    {__LINE__, INTEL_TGL, "tglgt1", 23, 278, 131, 46, 1187},
    {__LINE__, INTEL_TGL, "tglgt2", 26, 392, 149, 52, 1827},
    {__LINE__, INTEL_TGL, "rkl", 23, 278, 131, 46, 1161},
    {__LINE__, INTEL_TGL, "dg1", 26, 376, 149, 52, 1889},
    {__LINE__, INTEL_TGL, "adl", 26, 392, 149, 52, 1770},
};
#define PUBLIC COUNT(public_sets)

static void check_file(const char *directory, const struct expected *row)
{
    char path[640];
    snprintf(path, sizeof path, "%s/oa-%s.xml", directory, row->name);
    struct sums sums = program_file(path, row->platform, NULL, NULL);
    ROW(row->line,
        sums.sets == row->sets && sums.of[LANDED_OA] == row->oa &&
            sums.of[LANDED_FLEX] == row->flex && sums.of[LANDED_NOA] == row->noa &&
            sums.of[LANDED_PORT] == row->port && !sums.of[LANDED_GT] && !sums.of[LANDED_NOWHERE],
        "%s: %zu sets, %zu writes to OA, %zu flexible, %zu NOA, %zu to its ports, %zu GT, %zu "
        "nowhere",
        path, sums.sets, sums.of[LANDED_OA], sums.of[LANDED_FLEX], sums.of[LANDED_NOA],
        sums.of[LANDED_PORT], sums.of[LANDED_GT], sums.of[LANDED_NOWHERE]);
}

static void test_public_sets(void **state)
{
    (void)state;
    char directory[512];
    NEEDS_SHARED(directory, "data/oa-metrics");
    for (size_t i = 0; i < PUBLIC; i++)
        check_file(directory, &public_sets[i]);
    ROWS_DONE();
}

static void test_own_sets(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {__LINE__, INTEL_SNB, "snb", 2, 4, 0, 0, 0},  {__LINE__, INTEL_IVB, "ivb", 2, 4, 0, 0, 0},
        {__LINE__, INTEL_VLV, "vlv", 2, 4, 0, 0, 0},  {__LINE__, INTEL_HSW, "hsw", 2, 8, 0, 0, 0},
        {__LINE__, INTEL_BDW, "bdw", 2, 4, 14, 0, 0}, {__LINE__, INTEL_CHV, "chv", 2, 4, 14, 0, 0},
        {__LINE__, INTEL_SKL, "skl", 2, 4, 14, 0, 0}, {__LINE__, INTEL_ICL, "icl", 2, 4, 14, 0, 0},
        {__LINE__, INTEL_LKF, "lkf", 2, 4, 14, 0, 0}, {__LINE__, INTEL_TGL, "tgl", 2, 4, 14, 0, 0},
        {__LINE__, INTEL_TGL, "rkl", 2, 4, 14, 0, 0}, {__LINE__, INTEL_TGL, "dg1", 2, 4, 14, 0, 0},
        {__LINE__, INTEL_TGL, "adl", 2, 4, 14, 0, 0},
    };
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/metrics", source_directory());
    for (size_t i = 0; i < COUNT(rows); i++)
        check_file(directory, &rows[i]);
    struct paths files = list_files(directory, ".xml");
    ROW(__LINE__, files.count == COUNT(rows), "%zu files in %s", files.count, directory);
    free(files.paths);
    ROWS_DONE();
}

/* Writes that the rig must report as not landed. */
static void test_writes_to_nowhere(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum intel_revision platform;
        uint32_t address, value;
        enum landing expected;
    } rows[] = {
        {__LINE__, INTEL_HSW, 0x9840, 0x80, LANDED_NOA},
        {__LINE__, INTEL_HSW, 0x9888, 0x80, LANDED_PORT},
        {__LINE__, INTEL_HSW, 0x2770, 0x0007ffff, LANDED_OA},
        {__LINE__, INTEL_HSW, 0x2770, 0x0027ffff, LANDED_NOWHERE}, /* CEC0-0[31:21]: MBZ (OA-1.4) */
        {__LINE__, INTEL_BDW, 0x2770, 0x0027ffff, LANDED_OA},
        {__LINE__, INTEL_HSW, 0xe458, 0, LANDED_NOWHERE}, /* Gen8 on */
        {__LINE__, INTEL_BDW, 0xe458, 0, LANDED_FLEX},
        {__LINE__, INTEL_HSW, 0x0d04, 0, LANDED_NOWHERE},
        {__LINE__, INTEL_CHV, 0x0d04, 0, LANDED_NOWHERE},
        {__LINE__, INTEL_CHV, 0x182300, 5, LANDED_NOA},
        {__LINE__, INTEL_SKL, 0x182300, 5, LANDED_NOWHERE},
        {__LINE__, INTEL_SKL, 0x9884, 0, LANDED_NOWHERE},
        {__LINE__, INTEL_SKL, 0x986c, 0, LANDED_NOWHERE}, /* NOA_DATA: read-only */
        {__LINE__, INTEL_SKL, 0x2910, 0, LANDED_NOWHERE}, /* GPU_TICKS: read-only */
        {__LINE__, INTEL_SKL, 0x2772, 0, LANDED_NOWHERE}, /* unaligned */
        {__LINE__, INTEL_ICL, 0xd900, 0, LANDED_NOWHERE}, /* where Gen12 has triggers */
        {__LINE__, INTEL_ICL, 0xa278, 0, LANDED_GT},
        {__LINE__, INTEL_TGL, 0xd900, 0, LANDED_OA},
        {__LINE__, INTEL_TGL, 0x2710, 0, LANDED_NOWHERE}, /* OAG */
        {__LINE__, INTEL_TGL, 0xdc40, 0xff0000, LANDED_OA},
        {__LINE__, INTEL_TGL, 0xdc48, 0, LANDED_NOWHERE}, /* XeHP on */
        {__LINE__, INTEL_TGL, 0xe180, 0, LANDED_NOWHERE},
        {__LINE__, INTEL_TGL, 0x9884, 0x80, LANDED_PORT},
        {__LINE__, INTEL_TGL, 0x0d04, 0x200, LANDED_NOA},
        {__LINE__, INTEL_SNB, 0x2710, 0, LANDED_NOWHERE}, /* map A */
        {__LINE__, INTEL_SNB, 0x238c, 0, LANDED_OA},
        {__LINE__, INTEL_SNB, 0x9888, 0, LANDED_NOWHERE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_register_write write = {rows[i].address, rows[i].value, rows[i].line};
        rig_open(&rig, rows[i].platform);
        enum landing landing = rig_write(&rig, &write);
        ROW(rows[i].line, landing == rows[i].expected, "landed %s", landing_names[landing]);
        rig_close(&rig);
    }
    ROWS_DONE();
}

/* ---- the list of registers ------------------------------------------------------------------- */

/* An address that public sets write, and its name on their platforms. */
struct use {
    uint32_t address, first; /* the register's first element */
    char name[48];
    enum landing landing;
    size_t writes[PUBLIC];
};

struct uses {
    struct use of[512];
    size_t count, column;
    enum intel_revision platform;
};

static void note_use(const struct tally_register_write *write, enum landing landing, void *closure)
{
    struct uses *uses = closure;
    struct reg_place place;
    size_t i = 0;
    const char *name = "nothing";
    uint32_t first = write->address;
    if (intel_register_find(uses->platform, write->address, REG_WRITE, &place)) {
        name = place.reg->name;
        first = place.reg->offset;
    }
    while (i < uses->count && (uses->of[i].address != write->address ||
                               strcmp(uses->of[i].name, name) || uses->of[i].landing != landing))
        i++;
    if (i == uses->count) {
        assert_true(uses->count < COUNT(uses->of));
        struct use *use = &uses->of[uses->count++];
        *use = (struct use){.address = write->address, .first = first, .landing = landing};
        snprintf(use->name, sizeof use->name, "%s", name);
    }
    uses->of[i].writes[uses->column]++;
}

static int by_address(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* One line for all elements of a register, under the first one. */
static void put_register(FILE *out, const struct uses *uses, size_t first)
{
    static const char *const takers[LANDINGS] = {"counter unit", "EU counters", "kept",
                                                 "port",         "GT",          "nothing"};
    const struct use *use = &uses->of[first], *last = use;
    size_t addresses = 0, writes[PUBLIC] = {0};
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *other = &uses->of[i];
        if (strcmp(other->name, use->name) != 0 || other->first != use->first ||
            other->landing != use->landing)
            continue;
        if (i < first)
            return;
        addresses++;
        last = other;
        for (size_t f = 0; f < PUBLIC; f++)
            writes[f] += other->writes[f];
    }
    fprintf(out, "| %s | %05" PRIx32, use->name, use->address);
    if (addresses > 1)
        fprintf(out, " to %05" PRIx32 ", %zu", last->address, addresses);
    fprintf(out, " | %s |", takers[use->landing]);
    for (size_t f = 0; f < PUBLIC; f++)
        writes[f] ? fprintf(out, " %zu |", writes[f]) : fputs(" |", out);
    fputc('\n', out);
}

static void put_heading(FILE *out, const char *before, unsigned columns)
{
    fprintf(out, "\n%s", before);
    for (size_t f = 0; f < PUBLIC; f++)
        fprintf(out, " %s |", public_sets[f].name);
    fprintf(out, "\n|");
    for (size_t f = 0; f < columns + PUBLIC; f++)
        fputs(f < columns ? " --- |" : " ---: |", out);
    fputc('\n', out);
}

static void put_sums(FILE *out, const struct sums *sums)
{
    static const char *const takers[LANDINGS] = {"writes to the counter unit",
                                                 "to EU counters",
                                                 "to registers that keep them",
                                                 "to NOA ports",
                                                 "to GT",
                                                 "without effect"};
    put_heading(out, "| |", 1);
    fputs("| sets |", out);
    for (size_t f = 0; f < PUBLIC; f++)
        fprintf(out, " %zu |", sums[f].sets);
    fputc('\n', out);
    for (enum landing landing = 0; landing < LANDINGS; landing++) {
        fprintf(out, "| %s |", takers[landing]);
        for (size_t f = 0; f < PUBLIC; f++)
            fprintf(out, " %zu |", sums[f].of[landing]);
        fputc('\n', out);
    }
}

static void test_document(void **state)
{
    (void)state;
    static struct uses uses;
    struct sums sums[PUBLIC];
    char directory[512], *table;
    size_t size;
    NEEDS_SHARED(directory, "data/oa-metrics");
    for (size_t f = 0; f < PUBLIC; f++) {
        char path[640];
        snprintf(path, sizeof path, "%s/oa-%s.xml", directory, public_sets[f].name);
        uses.column = f;
        uses.platform = public_sets[f].platform;
        sums[f] = program_file(path, uses.platform, note_use, &uses);
    }
    qsort(uses.of, uses.count, sizeof *uses.of, by_address);
    FILE *out = open_memstream(&table, &size);
    assert_non_null(out);
    put_sums(out, sums);
    put_heading(out, "| register | address, how many | accepted by |", 3);
    for (size_t i = 0; i < uses.count; i++)
        put_register(out, &uses, i);
    fputc('\n', out);
    fclose(out);
    check_document("docs/metric-sets.md", table);
    free(table);
    ROWS_DONE();
}

int test_metric_sets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_sets),
        cmocka_unit_test(test_public_sets),
        cmocka_unit_test(test_writes_to_nowhere),
        cmocka_unit_test(test_document),
    };
    return cmocka_run_group_tests_name("metric sets", tests, NULL, NULL);
}
