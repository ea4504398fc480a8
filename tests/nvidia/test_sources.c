/* SPDX-License-Identifier: MIT */
/*
 * The published tables (data/pcounter-signals of the documents' folder, see its README), row by
 * row with the library: nothing is missing, changed or added.
 */
#include "nvidia/tests.h"

#define COLUMNS 10

/* Checks a source's row; failures print the source and the line. */
static const char *source;
#define SOURCE_ROW(line, condition, ...)                                                           \
    ((condition) ? row_passed() : row_failed(source, (line), __VA_ARGS__))

/* Splits a CSV line into fields, in place. */
static size_t split(char *line, char *fields[COLUMNS])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < COLUMNS;) {
        if (*at == '"') {
            fields[count++] = ++at;
            at = strchr(at, '"'); /* no field of these files contains a quote */
            assert_non_null(at);
            *at++ = '\0';
            at = *at ? at + 1 : NULL;
        } else {
            fields[count++] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
    }
    return count;
}

/* What to do with a row of a file. */
typedef void row_check(unsigned line, char *fields[COLUMNS]);

static void each_row(const char *name, size_t columns, size_t rows, row_check *check)
{
    char path[1024], relative[128], line[1024], *fields[COLUMNS];
    snprintf(relative, sizeof relative, "data/pcounter-signals/%s", name);
    NEEDS_SHARED(path, relative);
    FILE *file = fopen(path, "r");
    unsigned number = 1;
    source = name;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* the header */
    while (fgets(line, sizeof line, file)) {
        number++;
        if (SOURCE_ROW(number, split(line, fields) == columns, "not %zu fields", columns))
            check(number, fields);
    }
    fclose(file);
    ROW(__LINE__, number == rows + 1, "%s: %u rows", name, number - 1);
}

/* ---- a chipset's signals, queried once ------------------------------------------------------- */

static struct listed {
    const struct tally_chipset *chipset;
    size_t count, rows; /* signals; rows of the sources that match one */
    size_t unit_rows;   /* of these, rows of units */
    struct tally_signal *signals;
    bool *used; /* by a row of any source */
} listed[64];

static struct listed *list_of(const struct tally_chipset *chipset)
{
    struct listed *list = &listed[chipset->order];
    if (list->chipset)
        return list;
    list->chipset = chipset;
    list->count = tally_signal_count(chipset);
    list->signals = calloc(list->count + 1, sizeof *list->signals);
    list->used = calloc(list->count + 1, sizeof *list->used);
    assert_non_null(list->signals);
    assert_non_null(list->used);
    for (size_t i = 0; i < list->count; i++)
        assert_int_equal(tally_signal_at(chipset, i, &list->signals[i]), 0);
    return list;
}

static void free_lists(void)
{
    for (size_t i = 0; i < COUNT(listed); i++) {
        free(listed[i].signals);
        free(listed[i].used);
    }
    memset(listed, 0, sizeof listed);
}

/* Calls `check` for each chipset of a text as "GF100 GF104 (also ...)". */
static void each_chipset(unsigned line, char *fields[COLUMNS],
                         void (*check)(unsigned line, const struct tally_chipset *chipset,
                                       char *fields[COLUMNS]))
{
    char text[256], *at = NULL;
    snprintf(text, sizeof text, "%s", fields[0]);
    text[strcspn(text, "(")] = '\0';
    if (!strncmp(text, "GK104", 5))
        return; /* only for comparison */
    if (!strncmp(text, "GF1xx", 5))
        snprintf(text, sizeof text, "GF100 GF104 GF106 GF108 GF110 GF114 GF116 GF117 GF119");
    for (char *name = strtok_r(text, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        const struct tally_chipset *chipset = tally_chipset_find(name);
        if (SOURCE_ROW(line, chipset != NULL, "chipset %s", name))
            check(line, chipset, fields);
    }
}

/* ---- signals ------------------------------------------------------------------------------- */

static void check_signal_of(unsigned line, const struct tally_chipset *chipset,
                            char *fields[COLUMNS])
{
    struct listed *list = list_of(chipset);
    const char *clock = fields[2], *name = fields[4], *notes = fields[5];
    int domain = tally_domain_find(fields[1]);
    unsigned index = (unsigned)strtoul(fields[3], NULL, 16), found = 0;
    unsigned element = 0, first = index, last = index;
    bool trailer = !strncmp(notes, "trailer, ", 9);
    const char *group = strstr(notes, "element ");
    if (group) {
        char dash;
        if (sscanf(group, "element %u of %x%c%x", &element, &first, &dash, &last) != 4) {
            first = index - element; /* "MPC GROUP n": groups of four wires */
            last = first + 3;
            SOURCE_ROW(line, !strncmp(name, "MPC GROUP ", 10), "group of %s", name);
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct tally_signal *signal = &list->signals[i];
        if (signal->domain != domain || signal->index != index || strcmp(signal->name, name) != 0)
            continue;
        found++;
        list->used[i] = true;
        SOURCE_ROW(line, signal->trailer == trailer, "%s: trailer %u", name, signal->trailer);
        SOURCE_ROW(line, signal->group_first == first && signal->group_last == last,
                   "%s: group %02x-%02x", name, signal->group_first, signal->group_last);
        SOURCE_ROW(line, index == first + element, "%s: element %u", name, element);
        bool told = *notes && !trailer && (!group || strchr(notes, ';'));
        SOURCE_ROW(line, trailer || told == (*signal->note != '\0'), "%s: \"%s\" is \"%s\"", name,
                   notes, signal->note);
    }
    SOURCE_ROW(line, found == 1, "%s, domain %s, %02x %s: found %u times", chipset->name, fields[1],
               index, name, found);
    if (domain >= 0 && domain < chipset->domain_count)
        SOURCE_ROW(line, !strcmp(chipset->domains[domain].clock, clock), "%s, domain %d: clock %s",
                   chipset->name, domain, chipset->domains[domain].clock);
    list->rows++;
    list->unit_rows += !trailer;
}

static void check_signal(unsigned line, char *fields[COLUMNS])
{
    each_chipset(line, fields, check_signal_of);
}

/* Marks the signals of a domain with an index. */
static void use(const struct tally_chipset *chipset, const char *domain, unsigned index)
{
    struct listed *list = list_of(chipset);
    for (size_t i = 0; i < list->count; i++)
        if (list->signals[i].domain == tally_domain_find(domain) && list->signals[i].index == index)
            list->used[i] = true;
}

static void use_signal_of(unsigned line, const struct tally_chipset *chipset, char *fields[COLUMNS])
{
    (void)line;
    use(chipset, fields[1], (unsigned)strtoul(fields[3], NULL, 16));
}

static void use_signal(unsigned line, char *fields[COLUMNS])
{
    each_chipset(line, fields, use_signal_of);
}

/* The sources of START and EVENT, of GF117 as of GF119. */
static void use_event_of(unsigned line, const struct tally_chipset *chipset, char *fields[COLUMNS])
{
    (void)line;
    for (unsigned source_field = 4; source_field <= 6; source_field += 2) {
        const char *text = fields[source_field];
        for (size_t at = 2; *text && at + 2 <= strlen(text); at += 2) {
            char byte[3] = {text[at], text[at + 1], '\0'};
            use(chipset, fields[2], (unsigned)strtoul(byte, NULL, 16));
        }
    }
}

static void use_event(unsigned line, char *fields[COLUMNS])
{
    bool gf119 = !strncmp(fields[0], "GF119", 5), gf100 = !strncmp(fields[0], "GF100", 5);
    each_chipset(line, fields, use_event_of);
    if (gf119 || gf100)
        use_event_of(line, tally_chipset_find(gf119 ? "gf117" : "gf106"), fields);
}

/* Returns whether a source uses the signal, or another element of its group. */
static bool is_used(const struct listed *list, const struct tally_signal *signal)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->used[i] && list->signals[i].domain == signal->domain &&
            list->signals[i].index >= signal->group_first &&
            list->signals[i].index <= signal->group_last)
            return true;
    return false;
}

/* Fermi's units that envytools does not publish are those of nouveau's tables and of the vendor's
 * events. */
static void check_others(const struct listed *list, size_t others)
{
    size_t found = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->signals[i].trailer)
            ROW(__LINE__, is_used(list, &list->signals[i]), "%s: %s, %02x is of no source",
                list->chipset->name, list->signals[i].name, list->signals[i].index);
    for (size_t i = 0; i < list->count; i++)
        found += !list->signals[i].trailer;
    ROW(__LINE__, found == list->unit_rows + others, "%s: %zu units, %zu published",
        list->chipset->name, found, list->unit_rows);
}

static void test_each_published_signal(void **state)
{
    (void)state;
    static const struct {
        const char *chipset;
        size_t others;
    } rows[] = {
        {"gf100", 18}, {"gf104", 83}, {"gf106", 83}, {"gf108", 47}, {"gf110", 83},
        {"gf114", 83}, {"gf116", 83}, {"gf117", 66}, {"gf119", 66},
    };
    const struct tally_chipset *chipset;
    free_lists();
    each_row("nv10-nv40.csv", 6, 48, check_signal);
    each_row("g80-gf100.csv", 6, 5438, check_signal);
    each_row("fermi.csv", 6, 557, check_signal);
    each_row("fermi-nouveau.csv", 6, 93, use_signal);
    each_row("events-fermi.csv", 10, 208, use_event);
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        struct listed *list = list_of(chipset);
        /* One more trailer: by the chipset table GF110's hub is that of GF100. */
        size_t presumed = strcmp(chipset->name, "gf110") != 0 ? 0 : 33;
        size_t others = 0;
        for (size_t k = 0; k < COUNT(rows); k++)
            if (!strcmp(rows[k].chipset, chipset->name))
                others = rows[k].others;
        ROW(__LINE__, list->rows + presumed + others == list->count, "%s: %zu of %zu",
            chipset->name, list->rows, list->count);
        check_others(list, others);
    }
    free_lists();
    ROWS_DONE();
}

/* ---- NV40:G80, whose trailers have no base ------------------------------------------------------
 */

static void check_relative_of(unsigned line, const struct tally_chipset *chipset,
                              char *fields[COLUMNS])
{
    unsigned domain = (unsigned)tally_domain_find(fields[1]), found = 0;
    unsigned offset = (unsigned)strtoul(fields[3] + strlen("base+"), NULL, 16);
    const char *clock = chipset->domains[domain].clock;
    const struct tally_trailer *trailer;
    SOURCE_ROW(line, tally_chipset_has_domain(chipset, domain), "%s lacks domain %u", chipset->name,
               domain);
    SOURCE_ROW(line, clock ? !strcmp(clock, fields[2]) : !strncmp(fields[2], "unknown", 7),
               "%s, domain %u: clock %s", chipset->name, domain, clock ? clock : "none");
    SOURCE_ROW(line, tally_signal_find(chipset, domain, fields[4]) == -ENODATA, "%s: %s",
               chipset->name, fields[4]);
    for (size_t i = 0;
         (trailer = tally_trailer_at((enum tally_pcounter_revision)chipset->revision, i)); i++)
        found += trailer->offset == offset && !strcmp(trailer->name, fields[4]);
    SOURCE_ROW(line, found == 1, "%s: %s at base+%02x", chipset->name, fields[4], offset);
}

static void check_relative(unsigned line, char *fields[COLUMNS])
{
    static char families[][2][64] = {
        {"NV40 (no TurboCache)", "nv40 nv41 nv42 nv43 nv45 g70 g71 g73 rsx"},
        {"NV40 (TurboCache, not IGP)", "nv44 g72 nv44a"},
        {"NV40 IGP", "mcp61 mcp67 mcp68 mcp73"},
    };
    size_t f = 0;
    while (f < COUNT(families) && strcmp(fields[0], families[f][0]) != 0)
        f++;
    if (!SOURCE_ROW(line, f < COUNT(families), "family %s", fields[0]))
        return;
    fields[0] = families[f][1];
    each_chipset(line, fields, check_relative_of);
}

static void test_each_relative_trailer(void **state)
{
    (void)state;
    each_row("nv40-g80.csv", 6, 234, check_relative);
    ROWS_DONE();
}

/* ---- trailers ------------------------------------------------------------------------------ */

static void check_offset(unsigned line, char *fields[COLUMNS])
{
    static const struct {
        const char *text;
        enum tally_pcounter_revision first, last;
    } classes[] = {
        {"NV10:NV20", TALLY_PCOUNTER_NV10, TALLY_PCOUNTER_NV15},
        {"NV20:NV40", TALLY_PCOUNTER_NV20, TALLY_PCOUNTER_NV30},
        {"NV40:G84", TALLY_PCOUNTER_NV40, TALLY_PCOUNTER_NV40},
        {"G84:GF100", TALLY_PCOUNTER_G84, TALLY_PCOUNTER_GT215},
        {"GF100-", TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100},
    };
    unsigned offset = (unsigned)strtoul(fields[1] + strlen("base+0x"), NULL, 16), known = 0;
    for (size_t c = 0; c < COUNT(classes); c++) {
        if (strcmp(fields[0], classes[c].text) != 0)
            continue;
        known++;
        for (unsigned r = classes[c].first; r <= (unsigned)classes[c].last; r++) {
            const struct tally_trailer *trailer;
            unsigned found = 0;
            for (size_t i = 0; (trailer = tally_trailer_at((enum tally_pcounter_revision)r, i));
                 i++)
                found += trailer->offset == offset && !strcmp(trailer->name, fields[2]);
            SOURCE_ROW(line, found == 1, "revision %u: %s at %02x", r, fields[2], offset);
        }
    }
    SOURCE_ROW(line, known == 1, "class %s", fields[0]);
}

static void test_each_trailer_offset(void **state)
{
    (void)state;
    each_row("trailer-offsets.csv", 4, 75, check_offset);
    ROWS_DONE();
}

static void check_base_of(unsigned line, const struct tally_chipset *chipset, char *fields[COLUMNS])
{
    unsigned domain = (unsigned)tally_domain_find(fields[1]);
    int base = (int)strtol(fields[3], NULL, 16);
    SOURCE_ROW(line, tally_chipset_trailer_base(chipset, domain) == base, "%s, domain %s: base %x",
               chipset->name, fields[1], (unsigned)tally_chipset_trailer_base(chipset, domain));
    int size = chipset->revision == TALLY_PCOUNTER_GF100 ? 0x40 : 0x20;
    SOURCE_ROW(line, base + size == (int)strtol(fields[6], NULL, 10), "%s signals", fields[6]);
}

static void check_base(unsigned line, char *fields[COLUMNS])
{
    each_chipset(line, fields, check_base_of);
}

static void test_each_trailer_base(void **state)
{
    (void)state;
    each_row("trailers.csv", 9, 129, check_base);
    ROWS_DONE();
}

/* ---- nouveau's names ------------------------------------------------------------------------- */

static size_t aliases_found;

static void check_alias_of(unsigned line, const struct tally_chipset *chipset,
                           char *fields[COLUMNS])
{
    struct listed *list = list_of(chipset);
    int domain = tally_domain_find(fields[1]);
    unsigned index = (unsigned)strtoul(fields[3], NULL, 16), known = 0, found = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct tally_signal *signal = &list->signals[i];
        if (signal->domain != domain || signal->index != index || signal->trailer)
            continue;
        known++;
        found += !strcmp(signal->alias, fields[4]) || !strcmp(signal->name, fields[4]);
    }
    SOURCE_ROW(line, found == (known > 0), "%s, domain %s, %02x: %s found %u times", chipset->name,
               fields[1], index, fields[4], found);
    if (known)
        SOURCE_ROW(line, tally_signal_find(chipset, (unsigned)domain, fields[4]) == (int)index,
                   "%s: %s", chipset->name, fields[4]);
    aliases_found += found;
}

static void check_alias(unsigned line, char *fields[COLUMNS])
{
    each_chipset(line, fields, check_alias_of);
}

/* Names of Linux's nouveau that the tables above lack, with the signals of the vendor's events that
 * have them (g84.c, nv50.c, gt200.c). */
static void check_linux_names(const struct tally_chipset *chipset, size_t *count)
{
    static const struct {
        const char *alias, *note;
    } rows[] = {
        {"pc01_gr_idle", ""},
        {"pc01_strmout_00", "event stream_out_busy[0]"},
        {"pc01_strmout_01", "event stream_out_busy[1]"},
        {"pc01_trast_00", "event setup_primitive_count"},
        {"pc01_trast_01", "event setup_point_count[0]"},
        {"pc01_trast_02", "event setup_line_count[0]"},
        {"pc01_trast_03", "event setup_triangle_count[0]"},
        {"pc01_trast_04", "event setup_*_count[1]"},
        {"pc01_trast_05", "event setup_*_count[2]"},
        {"pc01_vattr_00", "event geom_primitive_out_count"},
        {"pc01_vattr_01", "event geom_vertex_out_count"},
        {"pc01_unk00", "event setup_primitive_culled_count"},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        int index = tally_signal_find(chipset, 1, rows[r].alias);
        struct tally_signal signal;
        for (size_t i = 0; index >= 0 && tally_signal_at(chipset, i, &signal) == 0; i++) {
            if (signal.domain != 1 || signal.index != index)
                continue;
            ++*count;
            ROW(__LINE__, !strcmp(signal.note, rows[r].note), "%s: %s is \"%s\"", chipset->name,
                rows[r].alias, signal.note);
        }
    }
}

static void test_each_name_of_nouveau(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    size_t aliases = 0, linux_names = 0;
    free_lists();
    aliases_found = 0;
    each_row("g80-gf100-nouveau.csv", 6, 220, check_alias);
    each_row("fermi-nouveau.csv", 6, 93, check_alias);
    for (size_t c = 0; (chipset = tally_chipset_at(c)); c++) {
        struct listed *list = list_of(chipset);
        for (size_t i = 0; i < list->count; i++) {
            const struct tally_signal *signal = &list->signals[i];
            bool named =
                !strncmp(signal->name, "gpc00_", 6) || !strncmp(signal->name, "part00_", 7);
            aliases += (*signal->alias || named) && !signal->trailer;
        }
        check_linux_names(chipset, &linux_names);
    }
    ROW(__LINE__, linux_names == 11 * 12, "%zu names of Linux", linux_names);
    ROW(__LINE__, aliases == aliases_found + linux_names, "%zu aliases, %zu published", aliases,
        aliases_found + linux_names);
    free_lists();
    ROWS_DONE();
}

int test_sources(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_published_signal), cmocka_unit_test(test_each_relative_trailer),
        cmocka_unit_test(test_each_trailer_offset),   cmocka_unit_test(test_each_trailer_base),
        cmocka_unit_test(test_each_name_of_nouveau),
    };
    return cmocka_run_group_tests_name("sources", tests, NULL, NULL);
}
