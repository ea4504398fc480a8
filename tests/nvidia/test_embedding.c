/* SPDX-License-Identifier: MIT */
/* The public interface of the engine: creation, domains, signals, values, GF100's sets. */
#include "nvidia/scripts.h"

#include <tally/pcounter.h>

static struct tally_pcounter *make(const char *chipset)
{
    struct tally_pcounter *engine;
    struct tally_error error = {0};
    if (tally_pcounter_new(tally_chipset_find(chipset), &engine, &error) != 0)
        fail_msg("%s: %s", chipset, error.message);
    return engine;
}

static struct tally_pcounter *make_bare(enum tally_pcounter_revision revision, unsigned domains)
{
    struct tally_pcounter *engine;
    struct tally_error error = {0};
    if (tally_pcounter_new_bare(revision, domains, &engine, &error) != 0)
        fail_msg("%u domains: %s", domains, error.message);
    return engine;
}

/* ---- every chipset (PC-C, independent) ------------------------------------------------
 */

static const struct row {
    unsigned line;
    const char *names;
    unsigned domains;
    unsigned trailers[8];
} rows[] = {
    {__LINE__, "nv10 nv15 nv1f", 1, {0x80}},
    {__LINE__, "nv20 nv28", 2, {0xa0, 0x20}},
    {__LINE__, "nv2a nv25 nv30 nv36", 2, {0xe0, 0xe0}}, /* not published: E0h */
    {__LINE__, "nv35 nv31 nv34", 2, {0xe0, 0x20}},
    {__LINE__, "nv40 nv45 nv41 nv42 nv43 g70 g71 g73 rsx", 5, {0xe0, 0xe0, 0xe0, 0xe0, 0xe0}},
    {__LINE__, "nv44 nv44a g72 mcp61 mcp67 mcp68 mcp73", 4, {0xe0, 0xe0, 0xe0, 0xe0}},
    {__LINE__, "g80", 5, {0x20, 0xe0, 0xe0, 0x20, 0x20}},
    {__LINE__, "g84 g92 g94 g96", 8, {0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xe0}},
    {__LINE__, "g86", 8, {0x40, 0xe0, 0x80, 0x20, 0x40, 0x40, 0xa0, 0xc0}},
    {__LINE__, "g98", 8, {0x40, 0xe0, 0x80, 0x20, 0x40, 0x60, 0xa0, 0xa0}},
    {__LINE__, "g200", 8, {0x60, 0xe0, 0xe0, 0x20, 0x60, 0x60, 0xa0, 0x80}},
    {__LINE__, "mcp77 mcp79", 7, {0x80, 0xe0, 0xe0, 0x20, 0x00, 0xa0, 0xa0}},
    {__LINE__, "gt215 gt216", 8, {0xe0, 0xe0, 0xc0, 0x20, 0x60, 0x60, 0xc0, 0xe0}},
    {__LINE__, "gt218", 8, {0xe0, 0xe0, 0xc0, 0x20, 0x60, 0x60, 0xc0, 0xc0}},
    {__LINE__, "mcp89", 8, {0x80, 0xe0, 0xc0, 0x20, 0xe0, 0x60, 0xe0, 0xe0}},
};

static const struct sets_row {
    unsigned line;
    const char *name;
    unsigned gpcs, partitions, gpc0, part0; /* counts, trailer bases */
    int hub; /* the domain whose base is 40h; "probably as" is not known: C0h */
} sets_rows[] = {
    {__LINE__, "gf100", 4, 6, 0xc0, 0x40, 6},  {__LINE__, "gf104", 2, 4, 0xc0, 0x40, -1},
    {__LINE__, "gf106", 1, 3, 0xc0, 0xc0, -1}, {__LINE__, "gf114", 2, 4, 0xc0, 0x40, -1},
    {__LINE__, "gf116", 1, 3, 0xc0, 0x40, -1}, {__LINE__, "gf108", 1, 1, 0xa0, 0x20, 4},
    {__LINE__, "gf110", 4, 6, 0xc0, 0x40, 6},  {__LINE__, "gf119", 1, 1, 0xc0, 0x20, 4},
    {__LINE__, "gf117", 1, 1, 0xc0, 0xc0, -1},
};

static bool is_word_of(const char *words, const char *name)
{
    for (const char *at = words; (at = strstr(at, name)); at++)
        if ((at == words || at[-1] == ' ') && strchr(" ", at[strlen(name)]))
            return true;
    return false;
}

static void check_one_set(const struct tally_pcounter *engine, const struct row *row)
{
    struct tally_pcounter_domain domain;
    ROW(row->line, tally_pcounter_domains(engine) == row->domains, "%s: %u domains", row->names,
        tally_pcounter_domains(engine));
    for (unsigned i = 0; i < row->domains; i++) {
        assert_int_equal(tally_pcounter_domain(engine, i, &domain), 0);
        ROW(row->line, domain.trailer_base == row->trailers[i], "%s: trailer %u is %x", row->names,
            i, domain.trailer_base);
        ROW(row->line,
            domain.set == TALLY_SET_ONLY && !domain.instance && domain.number == i &&
                !domain.address && domain.period == 1 && !domain.phase,
            "%s: domain %u", row->names, i);
    }
    ROW(row->line, tally_pcounter_domain(engine, row->domains, &domain) == -EINVAL, "%s",
        row->names);
}

static void check_domain(const struct sets_row *row, const struct tally_pcounter *engine,
                         unsigned number, struct tally_pcounter_domain expected)
{
    struct tally_pcounter_domain domain;
    expected.period = 1;
    assert_int_equal(tally_pcounter_domain(engine, number, &domain), 0);
    ROW(row->line,
        domain.set == expected.set && domain.instance == expected.instance &&
            domain.number == expected.number && domain.address == expected.address &&
            domain.period == 1 && !domain.phase,
        "%s: domain %u is %u %u %u at %x", row->name, number, domain.set, domain.instance,
        domain.number, domain.address);
    ROW(row->line, domain.trailer_base == expected.trailer_base, "%s: trailer %u is %x", row->name,
        number, domain.trailer_base);
}

/* GPCs, partitions, hub, at the addresses of PC-B.2. */
static void check_sets(const struct tally_pcounter *engine, const struct sets_row *row)
{
    unsigned number = 0;
    for (unsigned i = 0; i < row->gpcs; i++)
        check_domain(row, engine, number++,
                     (struct tally_pcounter_domain){TALLY_SET_GPC, i, 0, 0x180000 + i * 0x1000,
                                                    row->gpc0, 1, 0});
    for (unsigned i = 0; i < row->partitions; i++)
        for (unsigned dom = 0; dom < 2; dom++)
            check_domain(row, engine, number++,
                         (struct tally_pcounter_domain){TALLY_SET_PART, i, dom,
                                                        0x1a0000 + i * 0x1000 + dom * 0x200,
                                                        dom ? 0xc0 : row->part0, 1, 0});
    for (unsigned dom = 0; dom < 8; dom++)
        check_domain(row, engine, number++,
                     (struct tally_pcounter_domain){TALLY_SET_HUB, 0, dom, 0x1b0000 + dom * 0x200,
                                                    (int)dom == row->hub ? 0x40 : 0xc0, 1, 0});
    ROW(row->line, tally_pcounter_domains(engine) == number, "%s: %u domains", row->name,
        tally_pcounter_domains(engine));
}

static void test_every_chipset(void **state)
{
    (void)state;
    const struct tally_chipset *chipset;
    unsigned made = 0, expected = COUNT(sets_rows);
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        struct tally_pcounter *engine = NULL;
        struct tally_error error = {0};
        int result = tally_pcounter_new(chipset, &engine, &error);
        if (chipset->presence == TALLY_ABSENT) {
            ROW(__LINE__,
                result == -ENODEV && error.code == -ENODEV && !engine &&
                    mentions(error.message, chipset->title),
                "%s: %d %s", chipset->name, result, error.message);
            ROW(__LINE__, tally_pcounter_new(chipset, &engine, NULL) == -ENODEV, "no error struct");
            continue;
        }
        if (!ROW(__LINE__, result == 0, "%s: %s", chipset->name, error.message))
            continue;
        bool known = false;
        ROW(__LINE__, tally_pcounter_revision(engine) == chipset->revision, "%s", chipset->name);
        ROW(__LINE__, tally_pcounter_now(engine) == 0, "%s: starts at 0", chipset->name);
        for (size_t k = 0; k < COUNT(rows); k++)
            if (is_word_of(rows[k].names, chipset->name))
                check_one_set(engine, &rows[k]), known = true;
        for (size_t k = 0; k < COUNT(sets_rows); k++)
            if (!strcmp(sets_rows[k].name, chipset->name))
                check_sets(engine, &sets_rows[k]), known = true;
        ROW(__LINE__, known, "%s is in no row", chipset->name);
        made++;
        tally_pcounter_free(engine);
    }
    for (size_t k = 0; k < COUNT(rows); k++) {
        expected++;
        for (const char *at = rows[k].names; (at = strchr(at, ' ')); at++)
            expected++;
    }
    ROW(__LINE__, made == expected, "%u chipsets made, %u in rows", made, expected);
    tally_pcounter_free(NULL);
    ROWS_DONE();
}

static void test_bare(void **state)
{
    (void)state;
    static const unsigned most[] = {1, 1, 2, 2, 8, 8, 8, 8, 8};
    for (unsigned revision = 0; revision < COUNT(most) + 2; revision++)
        for (unsigned domains = 0; domains < 12; domains++) {
            bool right = revision < COUNT(most) && domains && domains <= most[revision];
            struct tally_pcounter *engine = NULL;
            struct tally_error error = {0};
            int result = tally_pcounter_new_bare((enum tally_pcounter_revision)revision, domains,
                                                 &engine, &error);
            ROW(__LINE__, result == (right ? 0 : -EINVAL) && !*error.message == right,
                "revision %u, %u domains: %d %s", revision, domains, result, error.message);
            for (unsigned i = 0; right && i < domains; i++) {
                struct tally_pcounter_domain domain;
                assert_int_equal(tally_pcounter_domain(engine, i, &domain), 0);
                ROW(__LINE__, domain.trailer_base == (revision == 8 ? 0xc0 : 0xe0), "trailer");
                ROW(__LINE__, domain.address == (revision == 8 ? 0x180000 + 0x200 * i : 0),
                    "address");
            }
            tally_pcounter_free(engine);
        }
    ROWS_DONE();
}

/* Sets that cannot be made, and the message of each. */
static void test_wrong_sets(void **state)
{
    (void)state;
    // clang-format off
    static const struct {
        unsigned line, revision;
        struct tally_pcounter_set sets[9];
        size_t count;
        const char *message;
    } wrong[] = {
        {__LINE__, TALLY_PCOUNTER_REVISIONS, {{TALLY_SET_GPC, 0, 1}}, 1, "unknown PCOUNTER revision"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_GPC, 0, 1}}, 0, "no set of domains"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_GPC, 0, 0}}, 1, "0 domains; GF100- has 1 to 8"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_HUB, 0, 9}}, 1, "9 domains; GF100- has 1 to 8"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_ONLY, 0, 1}}, 1, "has sets of GPCs, partitions and the hub"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{(enum tally_domain_set)9, 0, 1}}, 1, "has sets of GPCs, partitions and the hub"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_GPC, 32, 1}}, 1, "gpc32 does not exist, the last one is gpc31"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_PART, 16, 1}}, 1, "part16 does not exist, the last one is part15"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_HUB, 1, 1}}, 1, "hub1 does not exist, the last one is hub0"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_GPC, 3, 1}, {TALLY_SET_HUB, 0, 1}, {TALLY_SET_GPC, 3, 2}}, 3, "the set is given twice"},
        {__LINE__, TALLY_PCOUNTER_GF100, {{TALLY_SET_GPC, 0, 8}, {TALLY_SET_GPC, 1, 8}, {TALLY_SET_GPC, 2, 8}, {TALLY_SET_GPC, 3, 8}, {TALLY_SET_GPC, 4, 8}, {TALLY_SET_GPC, 5, 8}, {TALLY_SET_GPC, 6, 8}, {TALLY_SET_GPC, 7, 8}, {TALLY_SET_HUB, 0, 1}}, 9, "more than 64 domains"},
        {__LINE__, TALLY_PCOUNTER_G92, {{TALLY_SET_GPC, 0, 1}}, 1, "G92:GT215 has one set of domains"},
        {__LINE__, TALLY_PCOUNTER_G92, {{TALLY_SET_ONLY, 1, 1}}, 1, "G92:GT215 has one set of domains"},
        {__LINE__, TALLY_PCOUNTER_G92, {{TALLY_SET_ONLY, 0, 1}, {TALLY_SET_ONLY, 0, 1}}, 2, "G92:GT215 has one set of domains"},
        {__LINE__, TALLY_PCOUNTER_NV15, {{TALLY_SET_ONLY, 0, 2}}, 1, "2 domains; NV15:NV20 has 1 to 1"},
    };
    // clang-format on
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct tally_pcounter *engine = NULL;
        struct tally_error error = {0};
        int result = tally_pcounter_new_sets((enum tally_pcounter_revision)wrong[i].revision,
                                             wrong[i].sets, wrong[i].count, &engine, &error);
        ROW(wrong[i].line, result == -EINVAL && !engine, "%d", result);
        ROW(wrong[i].line, strstr(error.message, wrong[i].message) != NULL, "%s", error.message);
    }
    ROWS_DONE();
}

/* Domains are numbered in the order of the sets; each has its address (PC-B.2). */
static void test_sets(void **state)
{
    (void)state;
    static const struct {
        struct tally_pcounter_set set;
        uint32_t block, control;
    } places[] = {
        {{TALLY_SET_PART, 15, 8}, 0x1af000, 0x1bde00}, {{TALLY_SET_GPC, 31, 8}, 0x19f000, 0x1bbe00},
        {{TALLY_SET_HUB, 0, 8}, 0x1b0000, 0x1be000},   {{TALLY_SET_GPC, 0, 8}, 0x180000, 0x1b8000},
        {{TALLY_SET_PART, 0, 8}, 0x1a0000, 0x1bc000},  {{TALLY_SET_GPC, 7, 7}, 0x187000, 0x1b8e00},
        {{TALLY_SET_PART, 3, 1}, 0x1a3000, 0x1bc600},  {{TALLY_SET_GPC, 1, 8}, 0x181000, 0x1b8200},
        {{TALLY_SET_GPC, 2, 8}, 0x182000, 0x1b8400},
    };
    struct tally_pcounter_set sets[COUNT(places)];
    struct tally_pcounter *engine;
    struct tally_pcounter_domain domain;
    unsigned number = 0;
    for (size_t s = 0; s < COUNT(places); s++)
        sets[s] = places[s].set;
    assert_int_equal(
        tally_pcounter_new_sets(TALLY_PCOUNTER_GF100, sets, COUNT(sets), &engine, NULL), 0);
    assert_int_equal(tally_pcounter_domains(engine), TALLY_PCOUNTER_DOMAINS_TOTAL);
    for (size_t s = 0; s < COUNT(places); s++)
        for (unsigned i = 0; i < sets[s].domains; i++, number++) {
            assert_int_equal(tally_pcounter_domain(engine, number, &domain), 0);
            ROW(__LINE__,
                domain.set == sets[s].set && domain.instance == sets[s].instance &&
                    domain.number == i && domain.address == places[s].block + 0x200 * i &&
                    domain.trailer_base == 0xc0,
                "domain %u is %u.%u.%u at %x", number, domain.set, domain.instance, domain.number,
                domain.address);
            tally_pcounter_write32(engine, domain.address + 0x60, number % 3 ? 0 : 0xffff);
            tally_pcounter_write32(engine, domain.address + 0x98, number + 1); /* THRESHOLD */
        }
    assert_int_equal(tally_pcounter_domain(engine, number, &domain), -EINVAL);
    for (size_t s = 0; s < COUNT(places); s++)
        tally_pcounter_write32(engine, places[s].control, s % 2 ? 0x21 : 0x20);
    tally_pcounter_run(engine, 3);
    for (number = 0; tally_pcounter_domain(engine, number, &domain) == 0; number++) {
        uint64_t flag = 2;
        tally_pcounter_peek(engine, number, TALLY_PCOUNTER_FLAG, &flag);
        ROW(__LINE__, flag == (number % 3 == 0), "FLAG of domain %u is %u", number, (unsigned)flag);
        ROW(__LINE__, tally_pcounter_read32(engine, domain.address + 0x98) == number + 1,
            "THRESHOLD of domain %u", number);
    }
    for (size_t s = 0; s < COUNT(places); s++)
        ROW(__LINE__, tally_pcounter_read32(engine, places[s].control) == (s % 2 ? 0x21 : 0x20),
            "DSET_CTRL at %x", places[s].control);
    ROW(__LINE__, tally_pcounter_read32(engine, 0x1b8600) == 0, "DSET_CTRL of an absent set");
    tally_pcounter_free(engine);
    ROWS_DONE();
}

/* ---- the sets of GF100 -------------------------------------------------------------------------
 */

/* EVENT and FLAG of every second set are 1: only domains of those sets receive them. */
static void test_sets_apart(void **state)
{
    (void)state;
    struct tally_pcounter *engine = make("GF100");
    struct tally_pcounter_domain domain;
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++)
        if (domain.number == 0 && domain.instance % 2 == 0) {
            tally_pcounter_write32(engine, domain.address + 0x54, 0xffff); /* EVENT_OP */
            tally_pcounter_write32(engine, domain.address + 0x60, 0xffff); /* SETFLAG_OP */
        }
    tally_pcounter_run(engine, 100);
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++)
        for (unsigned from = 0; from < 8; from++) {
            bool heard = from == 0 && domain.instance % 2 == 0;
            unsigned event = domain.trailer_base + 0x37 - from;
            ROW(__LINE__, tally_pcounter_signal(engine, i, event) == heard,
                "EVENT of %u heard by %u.%u.%u", from, domain.set, domain.instance, domain.number);
            ROW(__LINE__, tally_pcounter_signal(engine, i, event + 8) == heard,
                "FLAG of %u heard by %u.%u.%u", from, domain.set, domain.instance, domain.number);
            uint32_t status = tally_pcounter_read32(engine, domain.address + event / 32 * 4);
            ROW(__LINE__, (status >> event % 32 & 1) == heard, "SIG_STATUS of %u", i);
        }
    tally_pcounter_free(engine);
    ROWS_DONE();
}

#define ENABLE   0x200u
#define PCOUNTER 0x10000000u

static void test_pmc_enable(void **state)
{
    (void)state;
    struct tally_pcounter *engine = make("gf104"), *fresh = make("gf104");
    struct tally_wave ones_wave = tally_wave_constant(true);
    for (unsigned i = 0; i < tally_pcounter_domains(engine); i++)
        assert_int_equal(tally_pcounter_attach(engine, i, 3, &ones_wave), 0);
    assert_int_equal(tally_pcounter_read32(engine, ENABLE), PCOUNTER); /* PC-D33 */
    tally_pcounter_write32(engine, 0x180044, 0xaaaa);
    tally_pcounter_write32(engine, ENABLE, 0xffffffff); /* already enabled: no effect */
    assert_int_equal(tally_pcounter_read32(engine, 0x180044), 0xaaaa);
    tally_pcounter_run(engine, 10);
    assert_int_equal(tally_pcounter_read32(engine, 0x180000), 1 << 3);

    tally_pcounter_write32(engine, ENABLE, ~PCOUNTER);
    assert_int_equal(tally_pcounter_read32(engine, ENABLE), 0);
    struct tally_pcounter_domain domain;
    for (unsigned i = 0; tally_pcounter_domain(engine, i, &domain) == 0; i++) {
        assert_int_equal(tally_pcounter_read32(engine, domain.address + 0x44), 0xbad0da00);
        assert_int_equal(tally_pcounter_read32(engine, domain.address), 0xbad0da00);
        assert_false(tally_pcounter_signal(engine, i, 3)); /* PC-D34 */
    }
    tally_pcounter_write32(engine, 0x180044, 0x1234); /* held in reset */
    tally_pcounter_run(engine, 5);
    assert_int_equal(tally_pcounter_now(engine), 15);
    assert_false(tally_pcounter_signal(engine, 0, 3));

    tally_pcounter_write32(engine, ENABLE, PCOUNTER);
    assert_int_equal(tally_pcounter_read32(engine, 0x180044), 0);
    tally_pcounter_run(engine, 1);
    assert_true(tally_pcounter_signal(engine, 0, 3)); /* waves remain */
    tally_pcounter_free(engine);

    /* A reset enables it again (PC-D36). */
    engine = make_bare(TALLY_PCOUNTER_GF100, 3);
    tally_pcounter_write32(engine, ENABLE, 0);
    tally_pcounter_write32(engine, 0x180244, 0xaaaa);
    tally_pcounter_reset(engine);
    assert_int_equal(tally_pcounter_read32(engine, ENABLE), PCOUNTER);
    assert_int_equal(tally_pcounter_read32(engine, 0x180244), 0);
    tally_pcounter_free(engine);
    engine = make("g92"); /* from GF100 on */
    assert_int_equal(tally_pcounter_read32(engine, ENABLE), 0);
    tally_pcounter_free(engine);
    tally_pcounter_free(fresh);
}

/* No clock runs while held in reset: any number of ticks takes one step. */
static void test_long_sleep(void **state)
{
    (void)state;
    struct tally_pcounter *engine = make("gf108");
    tally_pcounter_write32(engine, ENABLE, 0);
    tally_pcounter_run(engine, UINT64_C(1) << 60);
    assert_true(tally_pcounter_now(engine) == UINT64_C(1) << 60);
    tally_pcounter_write32(engine, ENABLE, PCOUNTER);
    tally_pcounter_write32(engine, 0x180054, 0xffff);
    tally_pcounter_run(engine, 1000);
    assert_true(tally_pcounter_signal(engine, 0, 0xa0 + 0x37));
    tally_pcounter_free(engine);
}

/* ---- setting up --------------------------------------------------------------------------------
 */

static void test_clocks_and_trailers(void **state)
{
    (void)state;
    struct tally_pcounter *engine = make_bare(TALLY_PCOUNTER_G92, 2);
    struct tally_pcounter_domain domain;
    assert_int_equal(tally_pcounter_set_clock(engine, 2, 1, 0), -EINVAL);
    assert_int_equal(tally_pcounter_set_clock(engine, 0, 0, 0), -EINVAL);
    assert_int_equal(tally_pcounter_set_clock(engine, 0, 3, 3), -EINVAL);
    assert_int_equal(tally_pcounter_set_clock(engine, 0, UINT32_MAX, UINT32_MAX), -EINVAL);
    assert_int_equal(tally_pcounter_set_clock(engine, 0, UINT32_MAX, UINT32_MAX - 1), 0);
    assert_int_equal(tally_pcounter_set_clock(engine, 1, 5, 4), 0);
    for (unsigned base = 0; base < 0x200; base++)
        ROW(__LINE__,
            tally_pcounter_set_trailer(engine, 1, base) ==
                (base % 0x20 == 0 && base <= 0xe0 ? 0 : -EINVAL),
            "trailer %x", base);
    assert_int_equal(tally_pcounter_set_trailer(engine, 2, 0), -EINVAL);
    assert_int_equal(tally_pcounter_set_trailer(engine, 1, 0x40), 0);
    assert_int_equal(tally_pcounter_domain(engine, 1, &domain), 0);
    assert_true(domain.trailer_base == 0x40 && domain.period == 5 && domain.phase == 4);
    tally_pcounter_run(engine, 0); /* no time */
    assert_int_equal(tally_pcounter_set_clock(engine, 1, 6, 5), 0);
    tally_pcounter_run(engine, 1); /* time, but no clock */
    assert_int_equal(tally_pcounter_set_clock(engine, 1, 6, 5), -EBUSY);
    assert_int_equal(tally_pcounter_set_trailer(engine, 1, 0x40), -EBUSY);
    tally_pcounter_reset(engine); /* keeps the time */
    assert_int_equal(tally_pcounter_set_clock(engine, 1, 6, 5), -EBUSY);
    assert_int_equal(tally_pcounter_set_clock(engine, 1, 0, 5), -EINVAL);
    assert_int_equal(tally_pcounter_set_latency(engine, 0), -EINVAL);
    assert_int_equal(tally_pcounter_set_latency(engine, UINT32_MAX), 0);
    tally_pcounter_free(engine);

    engine = make_bare(TALLY_PCOUNTER_GF100, 1);
    assert_int_equal(tally_pcounter_set_trailer(engine, 0, 0xe0), -EINVAL);
    assert_int_equal(tally_pcounter_set_trailer(engine, 0, 0xc0), 0);
    tally_pcounter_free(engine);
    ROWS_DONE();
}

/* ---- signals -----------------------------------------------------------------------------------
 */

/* Positions that the engine drives (PCT-5, written independently): from, to. */
static const struct {
    unsigned line;
    enum tally_pcounter_revision first, last;
    unsigned from, to;
} driven[] = {
    {__LINE__, TALLY_PCOUNTER_NV10, TALLY_PCOUNTER_NV15, 0x1f, 0x1f},
    {__LINE__, TALLY_PCOUNTER_NV20, TALLY_PCOUNTER_NV30, 0x1e, 0x1f},
    {__LINE__, TALLY_PCOUNTER_NV40, TALLY_PCOUNTER_NV40, 0x0e, 0x0e},
    {__LINE__, TALLY_PCOUNTER_NV40, TALLY_PCOUNTER_GT215, 0x10, 0x1f},
    {__LINE__, TALLY_PCOUNTER_G84, TALLY_PCOUNTER_GT215, 0x0c, 0x0d},
    {__LINE__, TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100, 0x27, 0x2a},
    {__LINE__, TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100, 0x2c, 0x2c},
    {__LINE__, TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100, 0x2e, 0x2e},
    {__LINE__, TALLY_PCOUNTER_GF100, TALLY_PCOUNTER_GF100, 0x30, 0x3f},
};

static bool is_driven(enum tally_pcounter_revision revision, unsigned trailer, unsigned signal)
{
    for (size_t i = 0; i < COUNT(driven); i++)
        if (revision >= driven[i].first && revision <= driven[i].last &&
            signal >= trailer + driven[i].from && signal <= trailer + driven[i].to)
            return true;
    return false;
}

static void test_attach(void **state)
{
    (void)state;
    struct tally_wave one = tally_wave_constant(true);
    for (unsigned revision = 0; revision < TALLY_PCOUNTER_REVISIONS; revision++)
        for (unsigned trailer = 0; trailer <= (revision == 8 ? 0xc0 : 0xe0); trailer += 0x20) {
            struct tally_pcounter *engine = make_bare((enum tally_pcounter_revision)revision, 1);
            assert_int_equal(tally_pcounter_set_trailer(engine, 0, trailer), 0);
            for (unsigned signal = 0; signal < 256; signal++) {
                assert_int_equal(tally_pcounter_attach(engine, 0, signal, &one), 0);
                assert_false(tally_pcounter_signal(engine, 0, signal)); /* no clock yet (PC-D2) */
            }
            tally_pcounter_run(engine, 1);
            for (unsigned signal = 0; signal < 256; signal++)
                ROW(__LINE__,
                    tally_pcounter_signal(engine, 0, signal) !=
                        is_driven((enum tally_pcounter_revision)revision, trailer, signal),
                    "revision %u, trailer %x: signal %x", revision, trailer, signal);
            ROW(__LINE__, tally_pcounter_attach(engine, 0, 256, &one) == -EINVAL, "signal 256");
            ROW(__LINE__, tally_pcounter_attach(engine, 1, 0, &one) == -EINVAL, "domain 1");
            ROW(__LINE__, !tally_pcounter_signal(engine, 1, 0), "domain 1");
            ROW(__LINE__, !tally_pcounter_signal(engine, 0, 256), "signal 256");
            bool users = revision == TALLY_PCOUNTER_GT215;
            for (unsigned user = 0; user < 3; user++)
                ROW(__LINE__,
                    tally_pcounter_attach_user(engine, 0, 5, user) ==
                        (users && user < 2 ? 0 : -EINVAL),
                    "revision %u: USER_%u", revision, user);
            tally_pcounter_free(engine);
        }
    ROWS_DONE();
}

/* Each attachment takes effect at the next clock; until then the signal is unchanged (PC-D2). */
static void test_attach_twice(void **state)
{
    (void)state;
    struct tally_pcounter *engine = make("gt215");
    struct tally_wave wave = tally_wave_every(3, 0), zero = tally_wave_constant(false);
    tally_pcounter_write32(engine, 0xa580, 1); /* USER_0 */
    assert_int_equal(tally_pcounter_attach(engine, 0, 7, &zero), 0);
    assert_int_equal(tally_pcounter_attach(engine, 0, 7, &wave), 0);
    for (unsigned clock = 0; clock < 10; clock++) {
        tally_pcounter_run(engine, 1);
        assert_int_equal(tally_pcounter_signal(engine, 0, 7), clock % 3 == 0);
    }
    assert_true(tally_pcounter_signal(engine, 0, 7)); /* clock 9 */
    assert_int_equal(tally_pcounter_attach(engine, 0, 7, &zero), 0);
    assert_true(tally_pcounter_signal(engine, 0, 7));
    assert_int_equal(tally_pcounter_attach(engine, 0, 7, &wave), 0);
    assert_true(tally_pcounter_signal(engine, 0, 7));
    assert_int_equal(tally_pcounter_read32(engine, 0xa800), 1 << 7);
    tally_pcounter_run(engine, 2);
    assert_false(tally_pcounter_signal(engine, 0, 7));
    tally_pcounter_run(engine, 2); /* its clock 3 */
    assert_true(tally_pcounter_signal(engine, 0, 7));
    assert_int_equal(tally_pcounter_attach_user(engine, 0, 8, 0), 0);
    assert_false(tally_pcounter_signal(engine, 0, 8));
    tally_pcounter_run(engine, 1);
    assert_true(tally_pcounter_signal(engine, 0, 8));
    tally_pcounter_reset(engine);
    assert_false(tally_pcounter_signal(engine, 0, 7) || tally_pcounter_signal(engine, 0, 8));
    tally_pcounter_run(engine, 1); /* clock 6 of the wave: a reset does not restart it */
    assert_false(tally_pcounter_signal(engine, 0, 7));
    tally_pcounter_run(engine, 1);
    assert_true(tally_pcounter_signal(engine, 0, 7));
    tally_pcounter_free(engine);
}

int test_embedding(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_chipset), cmocka_unit_test(test_bare),
        cmocka_unit_test(test_wrong_sets),    cmocka_unit_test(test_sets),
        cmocka_unit_test(test_sets_apart),    cmocka_unit_test(test_pmc_enable),
        cmocka_unit_test(test_long_sleep),    cmocka_unit_test(test_clocks_and_trailers),
        cmocka_unit_test(test_attach),        cmocka_unit_test(test_attach_twice),
    };
    return cmocka_run_group_tests_name("pcounter embedding", tests, NULL, NULL);
}
