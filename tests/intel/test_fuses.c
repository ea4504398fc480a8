/* SPDX-License-Identifier: MIT */
/* Fuses of slices, subslices and EUs (OA-14.8, OA-14.9), and the steering of Gen8 and Gen9
 * (OA-4.6). */
#include "intel/gpu_rig.h"

#include <errno.h>

#include "base/bits.h"
#include "intel/skus.h"
#include "intel/topology.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static int parse(const char *name, const char *fuses, struct tally_gpu_config *config,
                 struct tally_topology *topology, struct tally_error *error)
{
    *config = (struct tally_gpu_config){.platform = name, .always_awake = true};
    int result = intel_fuses_parse(fuses, config, error);
    return result < 0 ? result
                      : tally_sku_fuse(tally_sku_find(name), &config->fuses, topology, error);
}

static void test_topologies(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *sku, *fuses;
        unsigned slices, subslices, eus;
        uint64_t slice_mask, subslice_mask;
    } rows[] = {
        {__LINE__, "skl/gt4", "slice=0x2", 2, 6, 48, 5, 0x1c7},
        {__LINE__, "skl/gt4", "slice=2,slice=1", 1, 3, 24, 4, 0x1c0},
        {__LINE__, "skl/gt4", "subslice=1", 3, 6, 48, 7, 0x1b6},
        {__LINE__, "skl/gt4", "subslice=1:0x5", 3, 7, 56, 7, 0x1d7},
        {__LINE__, "skl/gt4", "subslice=2:7", 2, 6, 48, 3, 0x3f},
        {__LINE__, "skl/gt4", "eu=0x80", 3, 9, 63, 7, 0x1ff},
        {__LINE__, "skl/gt4", "eu=1:0x3", 3, 9, 66, 7, 0x1ff},
        {__LINE__, "skl/gt4", "eu=1:2:255", 3, 8, 64, 7, 0x1df},
        {__LINE__, "skl/gt4", "eu=1:2:15,eu=1:2:0xf0", 3, 8, 64, 7, 0x1df},
        {__LINE__, "skl", "eu=0xFE,subslice=6", 1, 1, 1, 1, 1},
        {__LINE__, "bdw/gt1", "eu=0:1:0x21", 1, 2, 10, 1, 3},
        {__LINE__, "chv", "subslice=1", 1, 1, 8, 1, 2},
        {__LINE__, "icl", "subslice=0x81,eu=0xc0", 1, 6, 36, 1, 0x7e},
        {__LINE__, "adl/gt1", "eu=0xc", 1, 2, 28, 1, 3},
        {__LINE__, "lkf", "subslice=0xc0", 1, 6, 48, 1, 0x3f},
        {__LINE__, "tgl", "subslice=0x3e,eu=0xff00", 1, 1, 8, 1, 1},
        {__LINE__, "hsw/gt3", "eu=0x101", 2, 4, 32, 3, 0x1b},
        {__LINE__, "hsw", "eu=15", 1, 2, 12, 1, 3},
        {__LINE__, "tgl", "vdbox=4,vebox=1,l3=8", 1, 6, 96, 1, 0x3f},
        {__LINE__, "ivb", "eu=0", 1, 1, 16, 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_gpu_config config;
        struct tally_topology t = {0};
        struct tally_error error = {0};
        int result = parse(rows[i].sku, rows[i].fuses, &config, &t, &error);
        ROW(rows[i].line,
            result == 0 && t.slices == rows[i].slices && t.subslices == rows[i].subslices &&
                t.eus == rows[i].eus && t.slice_mask == rows[i].slice_mask &&
                t.subslice_mask == rows[i].subslice_mask,
            "%s: %u slices 0x%llx, %u subslices 0x%llx, %u EUs; %s", rows[i].fuses, t.slices,
            (unsigned long long)t.slice_mask, t.subslices, (unsigned long long)t.subslice_mask,
            t.eus, error.message);
        if (result < 0)
            continue;
        struct gpu_rig *rig = gpu_rig_new(rows[i].line, &config);
        struct tally_topology of_gpu = tally_gpu_topology(rig->gpu);
        ROW(rows[i].line, !memcmp(&of_gpu, &t, sizeof t), "%s: another topology", rows[i].fuses);
        ROW(rows[i].line, tally_gpu_eus(rig->gpu) == t.eus, "%u EUs", tally_gpu_eus(rig->gpu));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The units beside the slices. */
static void test_units(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *fuses;
        uint32_t vdbox, vebox, l3;
    } rows[] = {
        {__LINE__, "vdbox=4,vebox=1,l3=8", 4, 1, 8},
        {__LINE__, "l3=0x2", 0, 0, 2},
        {__LINE__, "l3=1,vdbox=1,l3=4", 1, 0, 5},
        {__LINE__, "vebox=1", 0, 1, 0},
        {__LINE__, "eu=0x3", 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_gpu_config config;
        struct tally_topology topology;
        struct tally_error error = {0};
        int result = parse("tgl", rows[i].fuses, &config, &topology, &error);
        ROW(rows[i].line,
            result == 0 && config.vdbox_disable == rows[i].vdbox &&
                config.vebox_disable == rows[i].vebox && config.l3_disable == rows[i].l3,
            "VDBOX 0x%x, VEBOX 0x%x, L3 0x%x; %s", (unsigned)config.vdbox_disable,
            (unsigned)config.vebox_disable, (unsigned)config.l3_disable, error.message);
    }
    ROWS_DONE();
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *sku, *fuses, *message;
    } rows[] = {
        // clang-format off
        {__LINE__, "skl/gt4", "slcie=1", "fuse \"slcie=1\": unknown name, expected slice ("},
        {__LINE__, "skl/gt4", "", "fuse \"\": unknown name, expected slice, subslice, eu, l3, vdbox or vebox"},
        {__LINE__, "skl/gt4", "slice=1,", "fuse \"\": unknown name"},
        {__LINE__, "skl/gt4", "slice", "fuse \"slice\": expected slice=MASK"},
        {__LINE__, "skl/gt4", "slice=", "expected slice=MASK"},
        {__LINE__, "skl/gt4", "slice=-1", "expected slice=MASK"},
        {__LINE__, "skl/gt4", "slice= 1", "expected slice=MASK"},
        {__LINE__, "skl/gt4", "slice=1x", "expected slice=MASK"},
        {__LINE__, "skl/gt4", "slice=0:1", "expected slice=MASK"},
        {__LINE__, "skl/gt4", "subslice=0:0:1", "expected subslice=[SLICE:]MASK"},
        {__LINE__, "skl/gt4", "eu=0:0:0:1", "expected eu=[SLICE:[SUBSLICE:]]MASK"},
        {__LINE__, "skl/gt4", "eu=0:0:", "expected eu=[SLICE:[SUBSLICE:]]MASK"},
        {__LINE__, "skl/gt4", "eu=0x100000000", "expected eu=[SLICE:[SUBSLICE:]]MASK"},
        {__LINE__, "skl/gt4", "slice=0x100", "mask 0x100, expected at most 0xff"},
        {__LINE__, "skl/gt4", "eu=0x10000", "mask 0x10000, expected at most 0xffff"},
        {__LINE__, "skl/gt4", "eu=3:0:1", "slice 3 of skl/gt4, expected 0 to 2"},
        {__LINE__, "skl/gt4", "eu=0:3:1", "subslice 3 of skl/gt4, expected 0 to 2"},
        {__LINE__, "skl/gt4", "slice=8", "slice_disable 0x8 of skl/gt4, expected bits of 0x7"},
        {__LINE__, "skl/gt4", "subslice=1:8", "subslice_disable 0x8 of slice 1 of skl/gt4, expected bits of 0x7"},
        {__LINE__, "skl/gt1", "eu=0:1:0x40", "eu_disable 0x40 of subslice 1 in slice 0 of skl/gt1, expected bits of 0x3f"},
        {__LINE__, "skl/gt4", "slice=7", "fuses disable all EUs of skl/gt4"},
        {__LINE__, "skl/gt4", "slice=6,eu=0:0xff", "fuses disable all EUs"},
        {__LINE__, "icl", "slice=1", "fuses disable all EUs of icl/gt2"},
        {__LINE__, "icl", "eu=0:1:1", "eu_disable 0x1 of subslice 1 in slice 0 of icl/gt2, expected 0 as in"},
        {__LINE__, "icl", "eu=0:0:1", "eu_disable 0 of subslice 1 in slice 0 of icl/gt2, expected 0x1 as in"},
        {__LINE__, "tgl", "eu=0x6", "eu_disable 0x6 of subslice 0 in slice 0 of tgl/gt2, expected pairs of EUs: 0x3 for"},
        {__LINE__, "tgl", "eu=0x4000", "expected pairs of EUs: 0xc000 for"},
        {__LINE__, "hsw", "slice=1", "slice_disable 0x1, which hsw/gt2 does not have or cannot disable"},
        {__LINE__, "hsw", "subslice=1", "subslice_disable 0x1 of slice 0, which hsw/gt2 does not have or"},
        {__LINE__, "hsw", "eu=1", "fuses leave 9 EUs in each subslice of hsw/gt2, expected 10, 8 or 6"},
        {__LINE__, "hsw", "eu=31", "fuses leave 5 EUs"},
        {__LINE__, "hsw", "eu=0:0:3", "expected 0x3 as in the subslices before it"},
        {__LINE__, "ivb", "eu=1", "fuses of slices, subslices or EUs of ivb/gt2, expected a platform that has them"},
        {__LINE__, "vlv", "eu=1", "expected a platform that has them"},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_gpu_config config;
        struct tally_topology topology;
        struct tally_error error = {0};
        int result = parse(rows[i].sku, rows[i].fuses, &config, &topology, &error);
        ROW(rows[i].line, result == -EINVAL && mentions(error.message, rows[i].message),
            "%s %s: %d %s", rows[i].sku, rows[i].fuses, result, error.message);
    }
    ROWS_DONE();
}

/* Members of the configuration that a text cannot have. */
static void test_configurations(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct tally_gpu_config config;
        const char *message;
    } rows[] = {
        {__LINE__,
         {.platform = "skl/gt4", .eus = 48, .fuses = {.slice_disable = 1}},
         "skl/gt4 with 48 EUs and fuses, expected one of them"},
        {__LINE__,
         {.platform = "skl", .fuses = {.subslice_disable = {0, 1}}},
         "subslice_disable 0x1 of slice 1, which skl/gt2 does not have"},
        {__LINE__,
         {.platform = "skl", .fuses = {.eu_disable = {{0, 0, 0, 1}}}},
         "eu_disable 0x1 of subslice 3 in slice 0, which skl/gt2 does not have"},
        {__LINE__,
         {.platform = "skl/gt4", .fuses = {.eu_disable = {{0}, {0}, {0, 0, 0x100}}}},
         "eu_disable 0x100 of subslice 2 in slice 2 of skl/gt4, expected bits of 0xff"},
        {__LINE__, {.platform = "hsw", .eus = 16}, "hsw/gt2 with 16 EUs, expected 20"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct tally_gpu *gpu = NULL;
        int result = tally_gpu_new(&rows[i].config, &gpu, &error);
        ROW(rows[i].line, result == -EINVAL && mentions(error.message, rows[i].message), "%d %s",
            result, error.message);
        if (result == 0)
            tally_gpu_free(gpu);
    }
    ROWS_DONE();
}

/* The range of the clock (OA-16.11). */
static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *sku;
        uint32_t value;
    } rows[] = {
        {__LINE__, "snb/gt1", 0x07071b},
        {__LINE__, "ivb/gt2", 0x07071b},
        {__LINE__, "hsw", 0x04041b},
        {__LINE__, "hsw/gt3", 0x04041a},
        {__LINE__, "chv", 0},
        {__LINE__, "skl", 0x060617},
        {__LINE__, "icl", 0x060616},
        {__LINE__, "tgl", 0x07071b},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_gpu_config config = {.platform = rows[i].sku, .always_awake = true};
        struct gpu_rig *rig = gpu_rig_new(rows[i].line, &config);
        uint32_t value = tally_gpu_read32(rig->gpu, 0x145998);
        ROW(rows[i].line, value == rows[i].value, "%s: %x", rows[i].sku, value);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- the plain reference --------------------------------------------------------------------- */

/* What exists, a byte each, computed from the masks. */
struct plain {
    const struct tally_sku *sku;
    unsigned version; /* of the graphics, times ten */
    bool low_power;   /* CHV */
    bool eu[3][8][16], subslice[3][8], slice[3];
    unsigned eus;
};

static void plain_init(struct plain *plain, const char *name, const struct tally_fuses *fuses)
{
    memset(plain, 0, sizeof *plain);
    plain->sku = tally_sku_find(name);
    plain->version = tally_platform_find(plain->sku->platform)->version;
    plain->low_power = !strcmp(plain->sku->platform, "chv");
    for (unsigned s = 0; s < plain->sku->slices; s++)
        for (unsigned ss = 0; ss < plain->sku->subslices; ss++)
            for (unsigned eu = 0; eu < plain->sku->subslice_eus; eu++) {
                if (fuses->slice_disable & 1 << s || fuses->subslice_disable[s] & 1 << ss ||
                    fuses->eu_disable[s][ss] & 1 << eu)
                    continue;
                plain->eu[s][ss][eu] = plain->subslice[s][ss] = plain->slice[s] = true;
                plain->eus++;
            }
}

static bool in_any_slice(const struct plain *plain, unsigned ss)
{
    return plain->subslice[0][ss] || plain->subslice[1][ss] || plain->subslice[2][ss];
}

static uint32_t bit(bool value, unsigned n)
{
    return (uint32_t)value << n;
}

/* Returns a fuse register, bit by bit as OA-14.8 and OA-4.5 describe it. */
static uint32_t plain_read(const struct plain *plain, uint32_t address)
{
    uint32_t value = 0;
    if (plain->version < 80) { /* 911Ch */
        unsigned eus = plain->eus / (plain->sku->slices * plain->sku->subslices);
        return (eus == 10 ? 0u : eus == 8 ? 1u : 2u) << 16;
    }
    if (plain->version >= 110) {
        unsigned first = 0;
        while (!plain->subslice[0][first])
            first++;
        for (unsigned n = 0; n < 8; n++)
            if (address == 0x9134)
                value |= bit(!plain->eu[0][first][plain->version >= 120 ? 2 * n : n], n);
            else if (address == 0x913c)
                value |= bit(plain->subslice[0][n] == (plain->version >= 120), n);
        return address == 0x9138 ? 1 : value;
    }
    if (address == 0x182168) {
        for (unsigned ss = 0; ss < 2; ss++)
            for (unsigned eu = 0; eu < 8; eu++)
                value |= bit(!plain->subslice[0][ss], 10 + ss) |
                         bit(!plain->eu[0][ss][eu], 16 + 8 * ss + eu);
        return value;
    }
    unsigned each = plain->version >= 90 ? 4 : 3;
    if (address == 0x9120) {
        for (unsigned s = 0; s < 3; s++)
            value |= bit(plain->slice[s], 25 + s);
        for (unsigned ss = 0; ss < each; ss++)
            value |= bit(!in_any_slice(plain, ss), (each == 4 ? 20 : 21) + ss);
        return value;
    }
    for (unsigned n = 0; n < 32; n++) {
        unsigned number = (address - 0x9134) / 4 * 32 + n, ss = number / 8;
        value |= bit(ss < 3 * each && !plain->eu[ss / each % 3][ss % each][n % 8], n);
    }
    return value;
}

static const char *const fused_skus[] = {"hsw/gt1",   "hsw/gt3", "bdw/gt1", "bdw/gt2", "bdw/gt3",
                                         "chv/2x6",   "chv/2x8", "skl/gt1", "skl/gt3", "skl/gt4",
                                         "skl/gt1.5", "skl",     "icl/gt1", "icl/gt2", "lkf/gt1.5",
                                         "rkl/gt1",   "tgl/gt1", "tgl/gt2", "adl/gt2"};

/* Draws masks that the SKU can have, mostly; the others are refused. */
static void draw_fuses(struct random *rng, const struct tally_sku *sku, struct tally_fuses *fuses)
{
    unsigned version = tally_platform_find(sku->platform)->version;
    static const uint16_t haswell[] = {0, 0x3, 0x201, 0xf, 0x2d};
    uint16_t common = (uint16_t)random_next(rng) & (uint16_t)random_next(rng);
    common &= (uint16_t)ones(sku->subslice_eus);
    if (version >= 120)
        common = (uint16_t)((common & 0x5555) * 3);
    if (version < 80)
        common = haswell[random_below(rng, COUNT(haswell))];
    memset(fuses, 0, sizeof *fuses);
    for (unsigned s = 0; s < sku->slices; s++) {
        if (version >= 80)
            fuses->subslice_disable[s] =
                (uint8_t)(random_next(rng) & random_next(rng) & ones(sku->subslices));
        for (unsigned ss = 0; ss < sku->subslices; ss++)
            fuses->eu_disable[s][ss] =
                version >= 80 && version < 110
                    ? (uint16_t)(random_next(rng) & random_next(rng) & ones(sku->subslice_eus))
                    : common;
    }
    if (version >= 80)
        fuses->slice_disable = (uint8_t)(random_next(rng) & random_next(rng) & ones(sku->slices));
}

static void check_registers(unsigned line, const struct plain *plain, struct tally_gpu *gpu)
{
    static const uint32_t gen7[] = {0x911c, 0}, chv[] = {0x182168, 0},
                          gen8[] = {0x9120, 0x9134, 0x9138, 0x913c, 0},
                          gen11[] = {0x9134, 0x9138, 0x913c, 0};
    const uint32_t *at = plain->version < 80     ? gen7
                         : plain->low_power      ? chv
                         : plain->version >= 110 ? gen11
                                                 : gen8;
    for (; *at; at++) {
        uint32_t got = tally_gpu_read32(gpu, *at), wanted = plain_read(plain, *at);
        ROW(line, got == wanted, "%s/%s: %xh is %08x, expected %08x", plain->sku->platform,
            plain->sku->name, *at, got, wanted);
    }
}

/* The kernel's reply, byte by byte. */
static void check_reply(unsigned line, const struct plain *plain, struct tally_gpu *gpu)
{
    uint8_t bytes[256] = {0};
    struct tally_topology t = tally_gpu_topology(gpu);
    size_t size = intel_topology_reply(gpu_topology(gpu), bytes, sizeof bytes);
    unsigned eu_bytes = (t.max_eus + 7) / 8, eus_at = 17 + t.max_slices;
    ROW(line, size == eus_at + (size_t)t.max_slices * t.max_subslices * eu_bytes, "%zu bytes",
        size);
    for (unsigned s = 0; s < t.max_slices; s++) {
        ROW(line, (bytes[16] >> s & 1) == plain->slice[s], "slice %u", s);
        for (unsigned ss = 0; ss < t.max_subslices; ss++) {
            ROW(line, (bytes[17 + s] >> ss & 1) == plain->subslice[s][ss], "subslice %u.%u", s, ss);
            const uint8_t *mask = bytes + eus_at + (s * t.max_subslices + ss) * eu_bytes;
            for (unsigned eu = 0; eu < t.max_eus; eu++)
                ROW(line, (mask[eu / 8] >> eu % 8 & 1) == plain->eu[s][ss][eu], "EU %u.%u.%u", s,
                    ss, eu);
        }
    }
}

/* Every subslice gets a value of its own by a write that selects none: all have it. Reads of the
 * selected instances. */
static void check_steering(unsigned line, const struct plain *plain, struct tally_gpu *gpu)
{
    bool own_multicast = plain->version >= 110;
    tally_gpu_write32(gpu, 0xe458, 0x5a);
    tally_gpu_write32(gpu, 0x7014, 0xffff0003);
    for (unsigned s = 0; s < (own_multicast ? 1u : 4u); s++)
        for (unsigned ss = 0; ss < (own_multicast ? 8u : 4u); ss++) {
            bool slice = s < 3 && plain->slice[s];
            bool subslice = s < 3 && plain->subslice[s][ss];
            tally_gpu_write32(gpu, 0xfdc, s << 26 | ss << 24);
            uint32_t got = tally_gpu_read32(gpu, 0xe458);
            ROW(line, got == (subslice ? 0x5a : 0), "%s/%s: subslice %u.%u reads %x",
                plain->sku->platform, plain->sku->name, s, ss, got);
            ROW(line,
                !strcmp(tally_gpu_outcome(gpu, 0xe458, false), subslice ? "reached" : "fused off"),
                "subslice %u.%u", s, ss);
            got = tally_gpu_read32(gpu, 0x7014);
            ROW(line, got == (slice ? 3 : 0), "slice %u reads %x", s, got);
        }
}

/* EUs have a thread in every clock; A7 counts those of row 0, A8 those with number 1, A9 those of
 * one subslice. */
static void check_array(unsigned line, const struct plain *plain, struct tally_gpu *gpu)
{
    struct tally_oa *oa = tally_gpu_oa(gpu);
    struct tally_number one = tally_number_constant(1);
    unsigned row = 0, number = 0, all = 0, eus = plain->eus;
    uint64_t a7, a8, a9;
    for (unsigned s = 0; s < 3; s++)
        for (unsigned ss = 0; ss < 8; ss++)
            for (unsigned eu = 0; eu < 16; eu++) {
                row += plain->eu[s][ss][eu] && eu % 8 < 4;
                number += plain->eu[s][ss][eu] && eu % 4 == 1;
                all += plain->eu[s][ss][eu];
            }
    for (unsigned eu = 0; eu < eus; eu++)
        ROW(line, tally_oa_drive_eu(oa, eu, TALLY_OA_FPU0, &one) == 0, "EU %u", eu);
    ROW(line, tally_oa_drive_eu(oa, eus, TALLY_OA_FPU0, &one) == -EINVAL, "EU %u", eus);
    tally_oa_write32(oa, 0xe458, 7u << 4 | 8u << 20); /* A7: FPU0, row 0; A8: FPU0, number 1 */
    tally_oa_write32(oa, 0xe558, 0);                  /* A9: FPU0 */
    enum intel_revision revision = intel_modelled(plain->sku->platform)->revision;
    tally_oa_write32(oa, oa_at(revision, 0x2360), 1);
    tally_oa_write32(oa, oa_at(revision, 0x2b00), 1);
    tally_gpu_run(gpu, 100);
    tally_oa_peek(oa, "a7", &a7);
    tally_oa_peek(oa, "a8", &a8);
    tally_oa_peek(oa, "a9", &a9);
    ROW(line, a7 == 100u * row && a8 == 100u * number && a9 == 100u * all,
        "%s/%s: A7 %llu, A8 %llu, A9 %llu; expected %u, %u, %u", plain->sku->platform,
        plain->sku->name, (unsigned long long)a7, (unsigned long long)a8, (unsigned long long)a9,
        100 * row, 100 * number, 100 * all);
}

static void test_random_masks(void **state)
{
    (void)state;
    struct random rng = random_start(1209);
    unsigned accepted = 0;
    for (unsigned i = 0; i < random_cases(2000); i++) {
        const char *name = fused_skus[i % COUNT(fused_skus)];
        struct tally_gpu_config config = {.platform = name, .always_awake = true};
        struct tally_error error = {0};
        struct plain plain;
        struct tally_gpu *gpu;
        draw_fuses(&rng, tally_sku_find(name), &config.fuses);
        plain_init(&plain, name, &config.fuses);
        int result = tally_gpu_new(&config, &gpu, &error);
        ROW(i, result == (plain.eus ? 0 : -EINVAL), "%s: %s", name, error.message);
        if (result < 0)
            continue;
        accepted++;
        ROW(i, tally_gpu_eus(gpu) == plain.eus, "%u EUs, expected %u", tally_gpu_eus(gpu),
            plain.eus);
        check_registers(i, &plain, gpu);
        check_reply(i, &plain, gpu);
        if (plain.version >= 80) {
            check_steering(i, &plain, gpu);
            check_array(i, &plain, gpu);
        }
        tally_gpu_free(gpu);
    }
    ROW(__LINE__, accepted > random_cases(2000) / 2, "%u were accepted", accepted);
    ROWS_DONE();
}

/* ---- steering -------------------------------------------------------------------------------- */

/* Ranges of Gen8 and Gen9 in which FDCh steers, and their groups. */
static void test_steered_ranges(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t address;
        const char *slice, *subslice; /* outcome, if that is fused off */
    } rows[] = {
        {__LINE__, "skl/gt4", 0x7010, "fused off", "reached"},
        {__LINE__, "skl/gt4", 0x731c, "fused off", "reached"},
        {__LINE__, "skl/gt4", 0xb020, "fused off", "reached"},
        {__LINE__, "skl/gt4", 0xb118, "fused off", "reached"},
        {__LINE__, "skl/gt4", 0xe100, "fused off", "fused off"},
        {__LINE__, "skl/gt4", 0xe65c, "fused off", "fused off"},
        {__LINE__, "skl/gt4", 0x9400, "reached", "reached"},
        {__LINE__, "skl/gt4", 0x9424, "reached", "reached"},
        {__LINE__, "skl/gt4", 0x9120, "reached", "reached"},
        {__LINE__, "skl/gt4", 0x2b00, "reached", "reached"},
        {__LINE__, "bdw/gt3", 0x7014, "fused off", "reached"},
        {__LINE__, "bdw/gt3", 0xe458, "fused off", "fused off"},
        {__LINE__, "chv", 0xe458, "fused off", "fused off"},
        {__LINE__, "hsw/gt3", 0xe100, "reached", "reached"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool hsw = !strcmp(rows[i].platform, "hsw/gt3");
        struct gpu_rig *rig = gpu_rig_new(
            rows[i].line, &(struct tally_gpu_config){.platform = rows[i].platform,
                                                     .always_awake = true,
                                                     .fuses = {.subslice_disable = {hsw ? 0 : 2}}});
        if (!hsw)
            tally_gpu_write32(rig->gpu, 0xfdc, 0x0c000000);
        const char *slice = tally_gpu_outcome(rig->gpu, rows[i].address, false);
        if (!hsw)
            tally_gpu_write32(rig->gpu, 0xfdc, 0x01000000);
        const char *subslice = tally_gpu_outcome(rig->gpu, rows[i].address, false);
        ROW(rows[i].line, !strcmp(slice, rows[i].slice) && !strcmp(subslice, rows[i].subslice),
            "%xh: %s, %s", rows[i].address, slice, subslice);
        ROW(rows[i].line, !strcmp(tally_gpu_outcome(rig->gpu, rows[i].address, true), "reached"),
            "%xh: a write is not steered", rows[i].address);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The selector keeps its fields only, resets of the GT clear it, and commands are not steered: they
 * read the first enabled instance, as the power context does. */
static void test_selector(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__,
        &(struct tally_gpu_config){.platform = "skl/gt4",
                                   .fuses = {.slice_disable = 1, .subslice_disable = {0, 1}}});
    gpu_rig_wake(rig, true);
    tally_gpu_write32(rig->gpu, 0xfdc, 0xffffffff);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xfdc), 0x0f000000);
    tally_gpu_write32(rig->gpu, 0xe458, 0x123);
    tally_gpu_write32(rig->gpu, 0x7014, 0xffff0007);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xe458), 0);
    /* MI_STORE_REGISTER_MEM of E458h and 7014h */
    PUT(rig, 0, 0x1000, 0x12000002, 0xe458, 0x2000, 0, 0x12000002, 0x7014, 0x2004, 0, 0x05000000);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(gpu_rig_peek(rig, 0, 0x2000), 0x123);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x2004), 7);
    /* RC6 saves the first enabled instance and restores all. */
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(rig->gpu), 0);
    tally_gpu_exit_rc6(rig->gpu);
    gpu_rig_wake(rig, true);
    tally_gpu_write32(rig->gpu, 0xfdc, 0x09000000); /* slice 2, subslice 1 */
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xe458), 0x123);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0x7014), 7);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    gpu_rig_wake(rig, true);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xfdc), 0);
    gpu_rig_free(rig);
}

/* Copies are for GPUs of the same fuses. */
static void test_copies(void **state)
{
    (void)state;
    struct tally_gpu_config config = {.platform = "skl", .fuses = {.eu_disable = {{1}}}};
    struct gpu_rig *from = gpu_rig_new(__LINE__, &config), *same = gpu_rig_new(__LINE__, &config);
    config.fuses.eu_disable[0][0] = 2;
    struct gpu_rig *other = gpu_rig_new(__LINE__, &config);
    assert_int_equal(tally_gpu_copy(same->gpu, from->gpu), 0);
    assert_int_equal(tally_gpu_copy(other->gpu, from->gpu), -EINVAL);
    gpu_rig_free(from);
    gpu_rig_free(same);
    gpu_rig_free(other);
}

int test_topology_fuses(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topologies),   cmocka_unit_test(test_units),
        cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_random_masks), cmocka_unit_test(test_steered_ranges),
        cmocka_unit_test(test_selector),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests_name("fuses", tests, NULL, NULL);
}
