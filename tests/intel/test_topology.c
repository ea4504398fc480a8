/* SPDX-License-Identifier: MIT */
/* Parsing and formatting the kernel's topology reply (PERF-1.7; subslice mask: PERF-9.2). */
#include "intel/tests.h"

#include <errno.h>

/* ---- a reply as documented ----------------------------------------------------------------- */

/* struct drm_i915_query_topology_info: eight u16, then the masks. */
struct reply {
    uint16_t flags, max_slices, max_subslices, max_eus;
    uint16_t subslice_offset, subslice_stride, eu_offset, eu_stride;
    uint8_t data[1024];
};

static struct reply make_reply(unsigned slices, unsigned subslices, unsigned eus)
{
    struct reply reply = {
        .max_slices = (uint16_t)slices,
        .max_subslices = (uint16_t)subslices,
        .max_eus = (uint16_t)eus,
    };
    reply.subslice_stride = (uint16_t)((subslices + 7) / 8);
    reply.eu_stride = (uint16_t)((eus + 7) / 8);
    reply.subslice_offset = (uint16_t)((slices + 7) / 8);
    reply.eu_offset = (uint16_t)(reply.subslice_offset + slices * reply.subslice_stride);
    return reply;
}

static size_t reply_size(const struct reply *reply)
{
    return 16u + reply->eu_offset +
           (size_t)reply->max_slices * reply->max_subslices * reply->eu_stride;
}

static void set_bit(uint8_t *mask, unsigned bit)
{
    mask[bit / 8] |= (uint8_t)(1u << bit % 8);
}

/* Adds a subslice with the EUs of a mask, and its slice. */
static void add_subslice(struct reply *reply, unsigned slice, unsigned subslice, uint64_t eus)
{
    set_bit(reply->data, slice);
    set_bit(reply->data + reply->subslice_offset + slice * reply->subslice_stride, subslice);
    for (unsigned eu = 0; eu < reply->max_eus; eu++)
        if (eus >> eu & 1)
            set_bit(reply->data + reply->eu_offset +
                        (slice * reply->max_subslices + subslice) * reply->eu_stride,
                    eu);
}

/* The bytes as the kernel lays them out, little endian. */
static size_t reply_bytes(const struct reply *reply, uint8_t *bytes)
{
    const uint16_t words[] = {reply->flags,     reply->max_slices,      reply->max_subslices,
                              reply->max_eus,   reply->subslice_offset, reply->subslice_stride,
                              reply->eu_offset, reply->eu_stride};
    for (size_t i = 0; i < COUNT(words); i++) {
        bytes[2 * i] = (uint8_t)words[i];
        bytes[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
    memcpy(bytes + 16, reply->data, sizeof reply->data);
    return reply_size(reply);
}

/* ---- reading ------------------------------------------------------------------------------- */

struct enabled {
    uint8_t slice, subslice;
    uint64_t eus;
};

static const struct topology_row {
    unsigned line;
    const char *platform;
    unsigned max_slices, max_subslices, max_eus;
    struct enabled parts[12]; /* the list ends with an entry without EUs */
    unsigned slices, subslices, eus;
    uint64_t slice_mask, subslice_mask;
} topologies[] = {
    /* SKL GT2: one slice of three, three subslices of four, 24 EUs. */
    {__LINE__, "skl", 3, 4, 8, {{0, 0, 0xff}, {0, 1, 0xff}, {0, 2, 0xff}}, 1, 3, 24, 1, 7},
    /* SKL GT2 with one EU fused off in each subslice. */
    {__LINE__, "skl", 3, 4, 8, {{0, 0, 0xfe}, {0, 1, 0xef}, {0, 2, 0x7f}}, 1, 3, 21, 1, 7},
    /* SKL GT3, GT4: PERF-9.2, three bits per slice before Gen11. */
    {__LINE__,
     "skl",
     3,
     4,
     8,
     {{0, 0, 0xff}, {0, 1, 0xff}, {0, 2, 0xff}, {1, 0, 0xff}, {1, 1, 0xff}, {1, 2, 0xff}},
     2,
     6,
     48,
     3,
     0x3f},
    {__LINE__,
     "skl",
     3,
     4,
     8,
     {{0, 0, 0xff}, {0, 2, 0xff}, {1, 1, 0xff}, {2, 0, 0xff}, {2, 2, 0x0f}},
     3,
     5,
     36,
     7,
     0x155},
    {__LINE__, "bdw", 3, 3, 8, {{1, 0, 0xff}, {1, 2, 0xff}}, 1, 2, 16, 2, 0x28},
    {__LINE__, "chv", 1, 2, 8, {{0, 0, 0xff}, {0, 1, 0x3f}}, 1, 2, 14, 1, 3},
    {__LINE__,
     "hsw",
     2,
     2,
     10,
     {{0, 0, 0x3ff}, {0, 1, 0x3ff}, {1, 0, 0x3ff}, {1, 1, 0x3fe}},
     2,
     4,
     39,
     3,
     0x1b},
    /* Eight bits per slice from Gen11 on. */
    {__LINE__,
     "icl",
     1,
     8,
     8,
     {{0, 0, 0xff}, {0, 1, 0xff}, {0, 2, 0xff}, {0, 3, 0xff}, {0, 4, 0xff}, {0, 7, 0xff}},
     1,
     6,
     48,
     1,
     0x9f},
    {__LINE__, "icl", 2, 8, 8, {{0, 0, 0xff}, {1, 0, 0xff}, {1, 7, 0xff}}, 2, 3, 24, 3, 0x8101},
    {__LINE__, "tgl", 1, 6, 16, {{0, 1, 0xffff}, {0, 5, 0xff00}}, 1, 2, 24, 1, 0x22},
    {__LINE__, "dg2", 1, 32, 16, {{0, 0, 0xffff}, {0, 31, 0xffff}}, 1, 2, 32, 1, 0x80000001},
    /* CNL is Gen10: three bits. */
    {__LINE__, "cnl", 4, 3, 8, {{0, 0, 0xff}, {3, 2, 0xff}}, 2, 2, 16, 9, 0x801},
    /* Shapes at the limit. */
    {__LINE__, "skl", 1, 1, 1, {{0, 0, 1}}, 1, 1, 1, 1, 1},
    {__LINE__, "icl", 1, 64, 64, {{0, 63, UINT64_MAX}}, 1, 1, 64, 1, UINT64_C(1) << 63},
    {__LINE__, "skl", 64, 1, 8, {{63, 0, 0xff}}, 1, 1, 8, UINT64_C(1) << 63, 0},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(topologies); i++) {
        const struct topology_row *row = &topologies[i];
        uint8_t bytes[16 + sizeof((struct reply *)0)->data];
        struct reply reply = make_reply(row->max_slices, row->max_subslices, row->max_eus);
        struct tally_topology topology;
        struct tally_error error = {0};
        for (const struct enabled *part = row->parts; part->eus; part++)
            add_subslice(&reply, part->slice, part->subslice, part->eus);
        size_t size = reply_bytes(&reply, bytes);
        int result = tally_topology_parse(tally_platform_find(row->platform), bytes, size,
                                          &topology, &error);
        if (!ROW(row->line, !result, "%s", error.message))
            continue;
        ROW(row->line,
            topology.max_slices == row->max_slices &&
                topology.max_subslices == row->max_subslices && topology.max_eus == row->max_eus,
            "shape %u x %u x %u", topology.max_slices, topology.max_subslices, topology.max_eus);
        ROW(row->line,
            topology.slices == row->slices && topology.subslices == row->subslices &&
                topology.eus == row->eus,
            "%u slices, %u subslices, %u EUs", topology.slices, topology.subslices, topology.eus);
        ROW(row->line,
            topology.slice_mask == row->slice_mask && topology.subslice_mask == row->subslice_mask,
            "masks 0x%" PRIx64 " 0x%" PRIx64, topology.slice_mask, topology.subslice_mask);
    }
    ROWS_DONE();
}

/* Subslices and EUs count only in enabled slices and subslices. */
static void test_parse_ignores_fused_off_parts(void **state)
{
    (void)state;
    struct reply reply = make_reply(3, 4, 8);
    uint8_t bytes[16 + sizeof reply.data];
    struct tally_topology topology;
    add_subslice(&reply, 0, 0, 0xff);
    add_subslice(&reply, 2, 1, 0xff);
    reply.data[0] = 1;                      /* slice 2 is disabled */
    reply.data[reply.eu_offset + 1] = 0xff; /* so is its subslice 1 */
    size_t size = reply_bytes(&reply, bytes);
    assert_int_equal(tally_topology_parse(tally_platform_find("skl"), bytes, size, &topology, NULL),
                     0);
    assert_int_equal(topology.slices, 1);
    assert_int_equal(topology.subslices, 1);
    assert_int_equal(topology.eus, 8);
    assert_int_equal(topology.slice_mask, 1);
    assert_int_equal(topology.subslice_mask, 1);
}

/* Padding after the masks (recordings pad records to 8 bytes) is ignored. */
static void test_parse_accepts_padding(void **state)
{
    (void)state;
    struct reply reply = make_reply(3, 4, 8);
    uint8_t bytes[16 + sizeof reply.data];
    struct tally_topology topology;
    add_subslice(&reply, 0, 0, 0xff);
    size_t size = reply_bytes(&reply, bytes);
    for (size_t more = 0; more < 9; more++)
        assert_int_equal(
            tally_topology_parse(tally_platform_find("skl"), bytes, size + more, &topology, NULL),
            0);
    assert_int_equal(topology.eus, 8);
}

/* ---- errors -------------------------------------------------------------------------------- */

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct reply reply; /* header only */
        size_t size;        /* of all bytes */
        const char *message;
    } rows[] = {
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 0, "topology of 0 bytes, expected at least 16"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 15, "topology of 15 bytes"},
        {__LINE__, {0, 0, 4, 8, 1, 1, 4, 1, {0}}, 64, "topology of 0 slices x 4 subslices x 8"},
        {__LINE__, {0, 65, 4, 8, 9, 1, 90, 1, {0}}, 600, "topology of 65 slices"},
        {__LINE__, {0, 3, 0, 8, 1, 1, 4, 1, {0}}, 64, "x 0 subslices x"},
        {__LINE__, {0, 3, 65, 8, 1, 9, 40, 1, {0}}, 600, "x 65 subslices x"},
        {__LINE__, {0, 3, 4, 0, 1, 1, 4, 1, {0}}, 64, "x 0 EUs, expected 1 to 64"},
        {__LINE__, {0, 3, 4, 65, 1, 1, 4, 9, {0}}, 600, "x 65 EUs"},
        {__LINE__, {0, 65535, 65535, 65535, 65535, 65535, 65535, 65535, {0}}, 64, "65535 slices"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 16, "slice mask is outside the 0 bytes"},
        {__LINE__, {0, 64, 1, 8, 8, 1, 72, 1, {0}}, 16 + 7, "slice mask is outside the 7 bytes"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 16 + 3, "subslice masks are outside the 3"},
        {__LINE__, {0, 3, 4, 8, 65535, 1, 4, 1, {0}}, 64, "subslice masks are outside the 48"},
        {__LINE__, {0, 3, 4, 8, 1, 65535, 4, 1, {0}}, 64, "subslice masks are outside"},
        {__LINE__, {0, 3, 9, 8, 1, 1, 4, 1, {0}}, 64, "subslice masks"}, /* 9 bits in a byte */
        {__LINE__, {0, 3, 4, 8, 1, 0, 4, 1, {0}}, 64, "subslice masks"}, /* no byte */
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 16 + 15, "EU masks are outside the 15 bytes"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 65535, 1, {0}}, 64, "EU masks are outside"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 65535, {0}}, 64, "EU masks are outside"},
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 0, {0}}, 64, "EU masks"},
        {__LINE__, {0, 3, 4, 9, 1, 1, 4, 1, {0}}, 64, "EU masks"},
        {__LINE__, {0, 64, 64, 64, 8, 8, 520, 8, {0}}, 1000, "EU masks are outside"},
        /* Just enough. */
        {__LINE__, {0, 3, 4, 8, 1, 1, 4, 1, {0}}, 16 + 16, NULL},
        {__LINE__, {0, 3, 4, 8, 0, 1, 3, 1, {0}}, 16 + 15, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t whole[16 + sizeof rows[i].reply.data];
        struct tally_topology topology = {.slices = 77};
        struct tally_error error = {0};
        reply_bytes(&rows[i].reply, whole);
        uint8_t *bytes = malloc(rows[i].size + 1); /* a sanitizer detects accesses past the end */
        assert_non_null(bytes);
        uint8_t *exact = realloc(bytes, rows[i].size ? rows[i].size : 1);
        assert_non_null(exact);
        memcpy(exact, whole, rows[i].size < sizeof whole ? rows[i].size : sizeof whole);
        int result = tally_topology_parse(tally_platform_find("skl"), exact, rows[i].size,
                                          &topology, &error);
        if (rows[i].message) {
            ROW(rows[i].line, result == -EINVAL && error.code == -EINVAL, "result %d", result);
            ROW(rows[i].line, mentions(error.message, rows[i].message), "says \"%s\"",
                error.message);
            ROW(rows[i].line, topology.slices == 77, "fills in what it refuses");
            ROW(rows[i].line,
                tally_topology_parse(tally_platform_find("skl"), exact, rows[i].size, &topology,
                                     NULL) == -EINVAL,
                "needs an error argument");
        } else {
            ROW(rows[i].line, result == 0, "says \"%s\"", error.message);
        }
        free(exact);
    }
    ROWS_DONE();
}

/* Random bytes are parsed or rejected, without accesses past the end. */
static void test_random_bytes(void **state)
{
    (void)state;
    struct random rng = {8};
    unsigned accepted = 0;
    for (unsigned i = 0; i < random_cases(20000); i++) {
        size_t size = random_below(&rng, 200);
        uint8_t *bytes = malloc(size ? size : 1);
        struct tally_topology topology;
        assert_non_null(bytes);
        random_bytes(&rng, bytes, size);
        for (size_t b = 0; b < 16 && b < size && i % 8; b++) /* often a plausible header */
            bytes[b] = b % 2 ? 0 : bytes[b] % 8;
        int result = tally_topology_parse(tally_platform_find("icl"), bytes, size, &topology, NULL);
        if (!result) {
            accepted++;
            assert_true(topology.slices <= topology.max_slices);
            assert_true(topology.subslices <= topology.slices * topology.max_subslices);
            assert_true(topology.eus <= topology.subslices * topology.max_eus);
            assert_int_equal(topology.slices, __builtin_popcountll(topology.slice_mask));
        }
        free(bytes);
    }
    assert_true(accepted > random_cases(100));
}

/* ---- defaults, and writing ----------------------------------------------------------------- */

static void test_defaults(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned slices, subslices, eus;
        uint64_t subslice_mask;
    } rows[] = {
        // clang-format off
        {__LINE__, "snb", 1, 1, 12, 1}, /* OA-7 */
        {__LINE__, "ivb", 1, 1, 16, 1},
        {__LINE__, "vlv", 1, 1, 4, 1},
        {__LINE__, "hsw", 1, 2, 20, 3},
        {__LINE__, "chv", 1, 2, 16, 3},
        {__LINE__, "bdw", 1, 3, 24, 7},
        {__LINE__, "skl", 1, 3, 24, 7},
        {__LINE__, "icl", 1, 8, 64, 0xff},
        {__LINE__, "lkf", 1, 8, 64, 0xff},
        {__LINE__, "tgl", 1, 6, 96, 0x3f},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_topology topology;
        tally_topology_default(tally_platform_find(rows[i].platform), &topology);
        ROW(rows[i].line,
            topology.slices == rows[i].slices && topology.subslices == rows[i].subslices &&
                topology.eus == rows[i].eus && topology.slice_mask == 1 &&
                topology.subslice_mask == rows[i].subslice_mask,
            "%s: %u slices, %u subslices, %u EUs, mask 0x%" PRIx64, rows[i].platform,
            topology.slices, topology.subslices, topology.eus, topology.subslice_mask);
    }
    ROWS_DONE();
}

static void check_round_trip(const struct tally_platform *platform,
                             const struct tally_topology *topology, unsigned line)
{
    uint8_t bytes[2048];
    struct tally_topology back;
    struct tally_error error = {0};
    memset(bytes, 0xa5, sizeof bytes);
    size_t size = tally_topology_format(topology, bytes, sizeof bytes);
    if (!ROW(line, size <= sizeof bytes, "%s: %zu bytes", platform->name, size))
        return;
    ROW(line, bytes[size] == 0xa5, "%s: wrote beyond its size", platform->name);
    int result = tally_topology_parse(platform, bytes, size, &back, &error);
    ROW(line, !result, "%s: %s", platform->name, error.message);
    ROW(line, result || !memcmp(&back, topology, sizeof back),
        "%s: %u slices, %u subslices, %u EUs became %u, %u, %u; masks 0x%" PRIx64 " 0x%" PRIx64,
        platform->name, topology->slices, topology->subslices, topology->eus, back.slices,
        back.subslices, back.eus, back.slice_mask, back.subslice_mask);
    for (size_t less = 0; less < size; less++) { /* too small: writes nothing */
        memset(bytes, 0xa5, sizeof bytes);
        ROW(line, tally_topology_format(topology, bytes, less) == size, "%s", platform->name);
        for (size_t b = 0; b <= size; b++)
            ROW(line, bytes[b] == 0xa5, "%s: wrote into %zu bytes", platform->name, less);
    }
    ROW(line, tally_topology_format(topology, NULL, 0) == size, "%s", platform->name);
}

static void test_defaults_survive_the_kernels_format(void **state)
{
    (void)state;
    const struct tally_platform *platform;
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        struct tally_topology topology;
        tally_topology_default(platform, &topology);
        ROW(__LINE__, topology.eus == platform->example_eus, "%s: %u EUs", platform->name,
            topology.eus);
        check_round_trip(platform, &topology, __LINE__);
    }
    ROWS_DONE();
}

/* Full slices, lowest first, which can be formatted without loss. */
static void test_full_topologies_survive(void **state)
{
    (void)state;
    const struct tally_platform *platform = tally_platform_find("skl");
    for (unsigned slices = 1; slices <= 3; slices++)
        for (unsigned each = 1; each <= 3; each++)
            for (unsigned eus = 1; eus <= 8; eus++) {
                struct tally_topology topology = {
                    .slices = slices,
                    .subslices = slices * each,
                    .eus = slices * each * eus,
                    .max_slices = 3,
                    .max_subslices = 4,
                    .max_eus = 8,
                    .slice_mask = ones(slices),
                };
                for (unsigned s = 0; s < slices; s++)
                    topology.subslice_mask |= ones(each) << 3 * s;
                check_round_trip(platform, &topology, __LINE__);
            }
    /* If they cannot be spread evenly, lower numbers have more. */
    const struct tally_topology uneven = {.slices = 2,
                                          .subslices = 5,
                                          .eus = 38,
                                          .max_slices = 3,
                                          .max_subslices = 4,
                                          .max_eus = 8,
                                          .slice_mask = 3,
                                          .subslice_mask = 0x1f};
    static const uint8_t masks[] = {0x03, 0x07, 0x03, 0x00, /* slices; subslices of each */
                                    0xff, 0xff, 0xff, 0x00, 0x7f, 0x7f, 0, 0, 0, 0, 0, 0};
    uint8_t bytes[16 + sizeof masks];
    check_round_trip(platform, &uneven, __LINE__);
    ROW(__LINE__, tally_topology_format(&uneven, bytes, sizeof bytes) == sizeof bytes, "size");
    ROW(__LINE__, !memcmp(bytes + 16, masks, sizeof masks), "masks of the uneven topology");
    ROWS_DONE();
}

int test_topology(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_ignores_fused_off_parts),
        cmocka_unit_test(test_parse_accepts_padding),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_defaults_survive_the_kernels_format),
        cmocka_unit_test(test_full_topologies_survive),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
