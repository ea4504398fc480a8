/* SPDX-License-Identifier: MIT */
/* The interface of an embedder: memory, latency, values; and no allocation while the engine runs.
 */
#include "nvidia/scripts.h"

#include <tally/pcounter.h>

/* ---- memory ------------------------------------------------------------------------------------
 */

#define EVENTS 64

static struct {
    struct memory_event {
        char kind; /* 'f': call of faults; 'w': call of write */
        uint64_t address;
        size_t bytes;
        uint8_t data[32];
    } events[EVENTS];
    unsigned count;
    uint64_t bad; /* the span with this byte faults */
} heard;

static int hear_faults(void *context, uint64_t address, size_t bytes)
{
    assert_ptr_equal(context, &heard);
    assert_true(heard.count < EVENTS);
    heard.events[heard.count++] = (struct memory_event){'f', address, bytes, {0}};
    return heard.bad - address < bytes;
}

static void hear_write(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    assert_ptr_equal(context, &heard);
    assert_true(heard.count < EVENTS && bytes <= 32);
    struct memory_event *event = &heard.events[heard.count++];
    *event = (struct memory_event){'w', address, bytes, {0}};
    memcpy(event->data, data, bytes);
}

static const struct tally_pcounter_memory hearing = {hear_faults, hear_write, &heard};

/* A G92 whose domains record a packet at every STOP, which is signal 2; nothing is bound yet. */
static struct tally_pcounter *recorder(unsigned domains, bool long_format, uint32_t start,
                                       uint32_t limit)
{
    struct tally_pcounter *engine;
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G92, domains, &engine, NULL), 0);
    heard.count = 0;
    heard.bad = UINT64_MAX;
    tally_pcounter_set_memory(engine, &hearing);
    for (unsigned dom = 0; dom < domains; dom++) {
        tally_pcounter_write32(engine, 0xa4c0 + 4 * dom, 2);
        tally_pcounter_write32(engine, 0xa4e0 + 4 * dom, 0xaaaa);
        tally_pcounter_write32(engine, 0xa6a0 + 4 * dom, 0x12);
        tally_pcounter_write32(engine, 0xa7c0 + 4 * dom, long_format ? 2 : 0x100002);
        tally_pcounter_write32(engine, 0xa720 + 4 * dom, limit);
        tally_pcounter_write32(engine, 0xa760 + 4 * dom, start);
    }
    return engine;
}

static void bind(struct tally_pcounter *engine)
{
    tally_pcounter_write32(engine, 0xa7a4, 1);
    tally_pcounter_write32(engine, 0xa7a0, 0x80000000);
}

static void stop_at(struct tally_pcounter *engine, unsigned dom, const uint64_t *clocks)
{
    struct tally_wave wave = tally_wave_once(clocks, 64);
    assert_int_equal(tally_pcounter_attach(engine, dom, 2, &wave), 0);
}

static void expect(unsigned line, unsigned index, char kind, uint64_t address, size_t bytes)
{
    const struct memory_event *event = &heard.events[index];
    ROW(line,
        index < heard.count && event->kind == kind && event->address == address &&
            event->bytes == bytes,
        "event %u of %u: %c %llx, %zu bytes", index, heard.count, event->kind,
        (unsigned long long)event->address, event->bytes);
}

static uint64_t value_of(const struct tally_pcounter *engine, unsigned dom,
                         enum tally_pcounter_value value)
{
    uint64_t got;
    assert_int_equal(tally_pcounter_peek(engine, dom, value, &got), 0);
    return got;
}

static void test_two_spans(void **state)
{
    (void)state;
    static const uint64_t stop = 1 << 1;
    struct tally_pcounter *engine = recorder(1, true, 0xfffffff0, 0xfffffff0);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_run(engine, 30);
    expect(__LINE__, 0, 'f', UINT64_C(0x12fffffff0), 16);
    expect(__LINE__, 1, 'f', UINT64_C(0x1200000000), 16);
    expect(__LINE__, 2, 'w', UINT64_C(0x12fffffff0), 16);
    expect(__LINE__, 3, 'w', UINT64_C(0x1200000000), 16);
    assert_int_equal(heard.count, 4);
    assert_int_equal(heard.events[2].data[0], 2); /* cycles */
    assert_int_equal(tally_pcounter_read32(engine, 0xa6e0), 0x10);
    tally_pcounter_free(engine);

    /* The second half faults: nothing is written, and the domain hangs. */
    engine = recorder(1, true, 0xfffffff0, 0xfffffff0);
    heard.bad = UINT64_C(0x120000000f);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_run(engine, 30);
    expect(__LINE__, 0, 'f', UINT64_C(0x12fffffff0), 16);
    expect(__LINE__, 1, 'f', UINT64_C(0x1200000000), 16);
    assert_int_equal(heard.count, 2);
    assert_int_equal(value_of(engine, 0, TALLY_PCOUNTER_WEDGED), 1);
    assert_int_equal(value_of(engine, 0, TALLY_PCOUNTER_BUSY), 1);
    assert_int_equal(tally_pcounter_read32(engine, 0xa6e0), 0xfffffff1);
    tally_pcounter_free(engine);

    /* A short packet ends with 4 GB: one span. */
    engine = recorder(1, false, 0xfffffff0, 0xfffffff0);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_run(engine, 30);
    expect(__LINE__, 0, 'f', UINT64_C(0x12fffffff0), 16);
    expect(__LINE__, 1, 'w', UINT64_C(0x12fffffff0), 16);
    assert_int_equal(heard.count, 2);
    assert_int_equal(tally_pcounter_read32(engine, 0xa6e0), 0);
    tally_pcounter_free(engine);
    ROWS_DONE();
}

static void test_no_callbacks(void **state)
{
    (void)state;
    static const uint64_t stop = 1;
    struct tally_pcounter_memory none = {0};
    struct tally_pcounter *engine = recorder(1, false, 0x1000, 0x2000);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_set_memory(engine, &none);
    tally_pcounter_run(engine, 30); /* nothing faults, packets are dropped */
    assert_int_equal(tally_pcounter_read32(engine, 0xa6e0), 0x1010);
    tally_pcounter_free(engine);

    engine = recorder(1, false, 0x1000, 0x2000); /* without a bind: a fault, without a callback */
    stop_at(engine, 0, &stop);
    tally_pcounter_run(engine, 30);
    assert_int_equal(heard.count, 0);
    assert_int_equal(tally_pcounter_read32(engine, 0xa6e0), 0x1001);
    tally_pcounter_free(engine);

    engine = recorder(1, false, 0x1000, 0x2000); /* created without memory */
    struct tally_pcounter *fresh;
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G92, 1, &fresh, NULL), 0);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_set_memory(engine, &none);
    assert_int_equal(tally_pcounter_copy(fresh, engine), 0);
    tally_pcounter_run(fresh, 30);
    assert_int_equal(tally_pcounter_read32(fresh, 0xa6e0), 0x1010);
    tally_pcounter_free(engine), tally_pcounter_free(fresh);
}

/* A packet sent at clock n completes at the start of clock n + latency (PC-D25), in any mode. */
static void test_latency(void **state)
{
    (void)state;
    static const uint64_t stop = 1 << 5;
    for (unsigned latency = 1; latency < 70; latency++)
        for (unsigned cut = 0; cut < 2; cut++) {
            struct tally_pcounter *engine = recorder(1, false, 0x1000, 0x2000);
            bind(engine);
            stop_at(engine, 0, &stop);
            assert_int_equal(tally_pcounter_set_latency(engine, latency), 0);
            tally_pcounter_run(engine, 6);
            assert_int_equal(value_of(engine, 0, TALLY_PCOUNTER_BUSY), 1);
            tally_pcounter_set_latency(engine, 1000); /* for packets from now on */
            if (cut)
                tally_pcounter_write32(engine, 0xa7c0, latency % 4);
            tally_pcounter_run(engine, latency - 1);
            ROW(__LINE__, heard.count == 0, "latency %u: too early", latency);
            tally_pcounter_run(engine, 1);
            ROW(__LINE__, heard.count == 2, "latency %u: too late", latency);
            ROW(__LINE__, value_of(engine, 0, TALLY_PCOUNTER_BUSY) == 0, "latency %u", latency);
            tally_pcounter_free(engine);
        }
    /* The longest latency: the packet is still outgoing after many blocks of clocks. */
    struct tally_pcounter *engine = recorder(1, false, 0x1000, 0x2000);
    bind(engine);
    stop_at(engine, 0, &stop);
    tally_pcounter_set_latency(engine, UINT32_MAX);
    tally_pcounter_run(engine, 100000);
    assert_int_equal(value_of(engine, 0, TALLY_PCOUNTER_BUSY), 1);
    assert_int_equal(heard.count, 0);
    tally_pcounter_free(engine);
    ROWS_DONE();
}

/* Two domains write to the same address: packets are ordered by time, then by domain. */
static void test_order(void **state)
{
    (void)state;
    static const uint64_t stops[2] = {1 << 0 | 1 << 9 | 1 << 20, 1 << 3 | 1 << 6 | 1 << 20};
    static const uint8_t order[] = {0, 1, 1, 0, 0, 1};
    struct tally_pcounter *engine = recorder(2, false, 0x1000, 0x2000);
    bind(engine);
    tally_pcounter_set_latency(engine, 1);
    for (unsigned dom = 0; dom < 2; dom++)
        stop_at(engine, dom, &stops[dom]);
    struct tally_wave one = tally_wave_constant(true); /* domain 1 is different */
    assert_int_equal(tally_pcounter_attach(engine, 1, 7, &one), 0);
    tally_pcounter_write32(engine, 0xa404, 7);
    tally_pcounter_run(engine, 40);
    assert_int_equal(heard.count, 12);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(heard.events[2 * i].kind, 'f');
        assert_int_equal(heard.events[2 * i + 1].kind, 'w');
        ROW(__LINE__, !!heard.events[2 * i + 1].data[8] == order[i], "packet %u", i);
    }
    tally_pcounter_free(engine);
    ROWS_DONE();
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Widths (PCT-2): of NV10 to NV20, NV30 to NV40, G84 to GT215, GF100. */
static const struct {
    unsigned line;
    const char *names;
    uint8_t widths[4];
    bool counter;
} values[] = {
    {__LINE__, "cycles event start", {40, 32, 32, 32}, true},
    {__LINE__, "pre stop", {32, 32, 32, 32}, true},
    {__LINE__, "sh_cycles sh_event sh_start sh_pre sh_stop", {0, 32, 32, 32}, true},
    {__LINE__, "rec_cycles", {0, 0, 48, 0}, true},
    {__LINE__, "rec_stop", {0, 0, 12, 0}, true},
    {__LINE__,
     "rec0 rec1 rec2 rec3 rec4 rec5 rec6 rec7 rec8 rec9 rec10 rec11",
     {0, 0, 16, 0},
     true},
    {__LINE__, "flag", {1, 1, 1, 1}, false},
    {__LINE__, "valid busy wedged", {0, 0, 1, 0}, false},
    {__LINE__, "in_setflag in_clrflag in_pre in_start in_event in_stop", {1, 1, 1, 1}, false},
    {__LINE__, "in_swap", {0, 1, 1, 1}, false},
    {__LINE__, "single_state", {2, 2, 2, 2}, false},
    {__LINE__, "quad_state", {0, 2, 2, 2}, false},
    {__LINE__, "position", {0, 0, 32, 0}, false},
};

/* Returns the row of the value at this index; the enumeration has the order of the rows. */
static size_t value_row(unsigned value, const char *name)
{
    unsigned at = 0;
    for (size_t i = 0; i < COUNT(values); i++) {
        char names[128], *rest = names;
        snprintf(names, sizeof names, "%s", values[i].names);
        for (char *word; (word = strsep(&rest, " ")); at++)
            if (at == value) {
                ROW(values[i].line, name && !strcmp(word, name), "value %u is %s, not %s", value,
                    name, word);
                return i;
            }
    }
    fail_msg("value %u (%s) is in no row", value, name);
    return 0;
}

static void test_values(void **state)
{
    (void)state;
    static const uint8_t classes[] = {0, 0, 0, 1, 1, 2, 2, 2, 3};
    for (unsigned revision = 0; revision < COUNT(classes); revision++) {
        struct tally_pcounter *engine;
        enum tally_pcounter_revision of = (enum tally_pcounter_revision)revision;
        assert_int_equal(tally_pcounter_new_bare(of, 1, &engine, NULL), 0);
        for (unsigned v = 0; v < TALLY_PCOUNTER_VALUES; v++) {
            enum tally_pcounter_value value = (enum tally_pcounter_value)v;
            size_t row = value_row(v, tally_pcounter_value_name(value));
            unsigned line = values[row].line, width = values[row].widths[classes[revision]];
            uint64_t got = 77;
            ROW(line, tally_pcounter_value_width(of, value) == width, "revision %u: %s", revision,
                tally_pcounter_value_name(value));
            ROW(line, tally_pcounter_peek(engine, 0, value, &got) == (width ? 0 : -EINVAL),
                "revision %u: peek %s", revision, tally_pcounter_value_name(value));
            ROW(line, got == (width ? 0 : 77), "revision %u: %s is 0 at power-on", revision,
                tally_pcounter_value_name(value));
            ROW(line, tally_pcounter_peek(engine, 1, value, &got) == -EINVAL, "domain 1");
            ROW(line, tally_pcounter_poke(engine, 1, value, 0) == -EINVAL, "domain 1");
            uint64_t before = look_at(engine);
            bool can = width && values[row].counter;
            ROW(line, tally_pcounter_poke(engine, 0, value, UINT64_MAX) == (can ? 0 : -EINVAL),
                "revision %u: poke %s", revision, tally_pcounter_value_name(value));
            if (can) {
                assert_int_equal(tally_pcounter_peek(engine, 0, value, &got), 0);
                ROW(line, got == ones(width), "%s is %llx", tally_pcounter_value_name(value),
                    (unsigned long long)got);
                tally_pcounter_poke(engine, 0, value, 0);
            }
            ROW(line, look_at(engine) == before, "poking %s changes something else",
                tally_pcounter_value_name(value));
        }
        tally_pcounter_free(engine);
    }
    ROW(__LINE__, !tally_pcounter_value_name(TALLY_PCOUNTER_VALUES), "past the last name");
    ROW(__LINE__, !tally_pcounter_value_name((enum tally_pcounter_value) - 1), "before the first");
    ROW(__LINE__, !tally_pcounter_value_width(TALLY_PCOUNTER_REVISIONS, TALLY_PCOUNTER_FLAG),
        "no such revision");
    ROWS_DONE();
}

static void test_copy_shapes(void **state)
{
    (void)state;
    static const struct tally_pcounter_set sets[] = {{TALLY_SET_GPC, 0, 1}, {TALLY_SET_GPC, 1, 2}};
    static const struct tally_pcounter_set same[] = {{TALLY_SET_GPC, 0, 1}, {TALLY_SET_PART, 1, 2}};
    static const struct tally_pcounter_set cut[] = {{TALLY_SET_GPC, 0, 2}, {TALLY_SET_GPC, 1, 1}};
    struct tally_pcounter *engines[7];
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G92, 8, &engines[0], NULL), 0);
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G92, 7, &engines[1], NULL), 0);
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G84, 8, &engines[2], NULL), 0);
    assert_int_equal(tally_pcounter_new(tally_chipset_find("gf108"), &engines[3], NULL), 0);
    assert_int_equal(tally_pcounter_new_sets(TALLY_PCOUNTER_GF100, sets, 2, &engines[4], NULL), 0);
    assert_int_equal(tally_pcounter_new_sets(TALLY_PCOUNTER_GF100, same, 2, &engines[5], NULL), 0);
    assert_int_equal(tally_pcounter_new_sets(TALLY_PCOUNTER_GF100, cut, 2, &engines[6], NULL), 0);
    for (unsigned i = 0; i < COUNT(engines); i++)
        for (unsigned k = 0; k < COUNT(engines); k++)
            assert_int_equal(tally_pcounter_copy(engines[i], engines[k]), i == k ? 0 : -EINVAL);
    for (unsigned i = 0; i < COUNT(engines); i++)
        tally_pcounter_free(engines[i]);
}

/* ---- accesses ----------------------------------------------------------------------------------
 */

struct access_row {
    unsigned line;
    char kind; /* 'r' or 'w' */
    uint32_t address, value;
    const char *name; /* NULL: no register */
    uint32_t reserved;
    enum tally_pcounter_access_outcome outcome;
};

/* What the listener expects next; `seen` counts. */
static struct {
    const struct access_row *row;
    uint64_t tick;
    unsigned seen;
} expected;

static void check_access(void *context, const struct tally_pcounter_access *access)
{
    const struct access_row *row = expected.row;
    expected.seen++;
    ROW(row->line, context == &expected, "another context");
    ROW(row->line, access->tick == expected.tick, "tick %llu", (unsigned long long)access->tick);
    ROW(row->line, access->address == row->address && access->write == (row->kind == 'w'), "%c %x",
        access->write ? 'w' : 'r', access->address);
    ROW(row->line, access->value == row->value, "value %08x", access->value);
    ROW(row->line, access->reserved == row->reserved, "reserved bits %08x", access->reserved);
    ROW(row->line, access->outcome == row->outcome, "%s",
        tally_pcounter_access_outcome_name(access->outcome));
    ROW(row->line,
        row->name ? access->name && !strcmp(access->name, row->name) : access->name == NULL, "%s",
        access->name ? access->name : "no register");
}

/* Makes the accesses of the rows and compares the counts. */
static void check_accesses(struct tally_pcounter *engine, const struct access_row *rows,
                           size_t count)
{
    uint64_t counts[TALLY_PCOUNTER_OUTCOMES] = {0}, reads = 0;
    tally_pcounter_set_mmio_listener(engine, check_access, &expected);
    expected.seen = 0;
    for (size_t i = 0; i < count; i++) {
        expected.row = &rows[i];
        expected.tick = tally_pcounter_now(engine);
        counts[rows[i].outcome]++;
        if (rows[i].kind == 'w')
            tally_pcounter_write32(engine, rows[i].address, rows[i].value);
        else
            ROW(rows[i].line, tally_pcounter_read32(engine, rows[i].address) == rows[i].value,
                "the value read");
        reads += rows[i].kind == 'r';
        ROW(rows[i].line, expected.seen == i + 1, "%u calls", expected.seen);
        tally_pcounter_run(engine, 3);
    }
    tally_pcounter_reset(engine); /* keeps the listener and the counts */
    struct tally_pcounter_mmio_stats stats = tally_pcounter_mmio_stats(engine);
    assert_int_equal(stats.reads, reads);
    assert_int_equal(stats.writes, count - reads);
    assert_int_equal(stats.unknown_register, counts[TALLY_PCOUNTER_UNKNOWN_REGISTER]);
    assert_int_equal(stats.read_only, counts[TALLY_PCOUNTER_READ_ONLY]);
    assert_int_equal(stats.write_only, counts[TALLY_PCOUNTER_WRITE_ONLY]);
    assert_int_equal(stats.reserved_bits, counts[TALLY_PCOUNTER_RESERVED_BITS]);
    assert_int_equal(stats.disabled, counts[TALLY_PCOUNTER_DISABLED]);
    tally_pcounter_set_mmio_listener(engine, NULL, NULL);
    tally_pcounter_read32(engine, rows[0].address);
    assert_int_equal(expected.seen, count);
    assert_int_equal(tally_pcounter_mmio_stats(engine).reads, reads + 1);
}

static void test_accesses(void **state)
{
    (void)state;
    static const struct access_row nv30[] = {
        {__LINE__, 'w', 0xa738, 0x101, "QUAD_ACK_TRIGGER", 0x100, TALLY_PCOUNTER_RESERVED_BITS},
        {__LINE__, 'w', 0xa738, 0x1, "QUAD_ACK_TRIGGER", 0, TALLY_PCOUNTER_DONE},
        {__LINE__, 'r', 0xa738, 0, "QUAD_ACK_TRIGGER", 0, TALLY_PCOUNTER_WRITE_ONLY},
        {__LINE__, 'w', 0xa420, 1, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER},
        {__LINE__, 'w', 0xa500, 1, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER}, /* domain 1 */
    };
    static const struct access_row g84[] = {
        {__LINE__, 'w', 0xa7c4, 0xf0000001, "CTRL[1]", 0xc0000000, TALLY_PCOUNTER_RESERVED_BITS},
        {__LINE__, 'r', 0xa7c4, 0x01, "CTRL[1]", 0, TALLY_PCOUNTER_DONE},
        {__LINE__, 'w', 0xa484, 0xffffffff, "EVENT_SRC[1]", 0, TALLY_PCOUNTER_DONE},
        {__LINE__, 'w', 0xa424, 0x1c0001, "PRE_OP[1]", 0x1c0000, TALLY_PCOUNTER_RESERVED_BITS},
        {__LINE__, 'w', 0xa488, 1, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER}, /* domain 2 */
        {__LINE__, 'r', 0xa580, 0, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER}, /* from GT215 on */
        {__LINE__, 'r', 0xa7e0, 0, "QUAD_ACK_TRIGGER[0]", 0, TALLY_PCOUNTER_WRITE_ONLY},
        {__LINE__, 'w', 0xa604, 7, "CTR_CYCLES[1]", 0, TALLY_PCOUNTER_READ_ONLY},
        {__LINE__, 'w', 0xa760, 0x1008, "RECORD_START[0]", 8, TALLY_PCOUNTER_RESERVED_BITS},
        {__LINE__, 'r', 0xfffffffc, 0, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER},
        {__LINE__, 'w', 0x200, 0, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER},
    };
    static const struct access_row gf108[] = {
        {__LINE__, 'r', 0x200, 1u << 28, "ENABLE", 0, TALLY_PCOUNTER_DONE},
        {__LINE__, 'w', 0x1b0040, 5, "PRE_SRC", 0, TALLY_PCOUNTER_DONE},
        {__LINE__, 'w', 0x180200, 5, NULL, 0, TALLY_PCOUNTER_UNKNOWN_REGISTER},
        {__LINE__, 'w', 0x200, 1, "ENABLE", 0, TALLY_PCOUNTER_DONE}, /* another engine's bit */
        {__LINE__, 'r', 0x1b0040, 0xbad0da00, "PRE_SRC", 0, TALLY_PCOUNTER_DISABLED},
        {__LINE__, 'w', 0x1b0040, 5, "PRE_SRC", 0, TALLY_PCOUNTER_DISABLED},
        {__LINE__, 'r', 0x200, 0, "ENABLE", 0, TALLY_PCOUNTER_DONE},
    };
    struct tally_pcounter *engine;
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_NV30, 1, &engine, NULL), 0);
    check_accesses(engine, nv30, COUNT(nv30));
    tally_pcounter_free(engine);
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G84, 2, &engine, NULL), 0);
    check_accesses(engine, g84, COUNT(g84));
    tally_pcounter_free(engine);
    assert_int_equal(tally_pcounter_new(tally_chipset_find("gf108"), &engine, NULL), 0);
    check_accesses(engine, gf108, COUNT(gf108));
    tally_pcounter_free(engine);
    assert_string_equal(tally_pcounter_access_outcome_name(TALLY_PCOUNTER_DISABLED), "disabled");
    assert_null(tally_pcounter_access_outcome_name(TALLY_PCOUNTER_OUTCOMES));
    ROWS_DONE();
}

/* ---- no allocation while it runs ----------------------------------------------------------------
 */

/* tests/meson.build wraps these at link time. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static unsigned long allocations;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

static int run_counted(void *context, struct tally_pcounter *engine, uint64_t ticks,
                       struct tally_error *error)
{
    unsigned long *most = context, before = allocations;
    struct tally_pcounter_memory none = {0};
    uint64_t value = 0;
    size_t size = tally_pcounter_size(engine);
    (void)error;
    uint8_t *kept = malloc(size);
    assert_non_null(kept);
    assert_int_equal(allocations, before + 1); /* the wrapper counts */
    memcpy(kept, engine, size);
    before = allocations;
    tally_pcounter_set_memory(engine, &none); /* the script's own memory does allocate */
    tally_pcounter_run(engine, ticks);
    tally_pcounter_observe(engine, true);
    tally_pcounter_write32(engine, 0xa400, 0x01020304);
    tally_pcounter_write32(engine, 0x180040, 0x01020304);
    tally_pcounter_run(engine, ticks < 1000 ? ticks : 1000);
    value += look_at(engine);
    tally_pcounter_reset(engine);
    *most = allocations - before > *most ? allocations - before : *most;
    memcpy(engine, kept, size);
    free(kept);
    tally_pcounter_run(engine, ticks);
    return value == 1 ? -EIO : 0;
}

static void test_no_allocation(void **state)
{
    (void)state;
    unsigned long most = 0;
    for (uint64_t seed = 4000; seed < 4000 + random_cases(100); seed++) {
        char *script = random_script(seed);
        free(play(script, &(struct player){.runner = run_counted, .context = &most}));
        free(script);
    }
    assert_int_equal(most, 0);
}

/* Inputs that the mode does not use are valid from the next clock on, and only while observed. */
static void test_observed_inputs(void **state)
{
    (void)state;
    struct tally_pcounter *engine;
    uint64_t value = 2;
    assert_int_equal(tally_pcounter_new_bare(TALLY_PCOUNTER_G92, 1, &engine, NULL), 0);
    tally_pcounter_write32(engine, 0xa520, 0xffff); /* CLRFLAG_OP: always */
    tally_pcounter_run(engine, 100);
    tally_pcounter_observe(engine, true);
    tally_pcounter_run(engine, 100);
    assert_int_equal(tally_pcounter_peek(engine, 0, TALLY_PCOUNTER_IN_CLRFLAG, &value), 0);
    assert_int_equal(value, 1);
    tally_pcounter_free(engine);
}

int test_callbacks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_spans),       cmocka_unit_test(test_no_callbacks),
        cmocka_unit_test(test_latency),         cmocka_unit_test(test_order),
        cmocka_unit_test(test_values),          cmocka_unit_test(test_copy_shapes),
        cmocka_unit_test(test_accesses),        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_observed_inputs),
    };
    return cmocka_run_group_tests_name("pcounter callbacks", tests, NULL, NULL);
}
