/* SPDX-License-Identifier: MIT */
/* Shared by several tests of metrics: sets from text, random GPUs, random reports. */
#include "metrics/tests.h"

struct tally_metric_file *load_text(const char *text, const struct tally_metric_set **set)
{
    struct tally_metric_file *file = NULL;
    struct tally_error error = {0};
    int result = tally_metric_file_load_memory(text, strlen(text), "test.xml", &file, &error);
    if (result < 0)
        print_error("%s\n", error.message);
    assert_int_equal(result, 0);
    assert_int_equal(tally_metric_file_sets(file, set), 1);
    return file;
}

const struct tally_platform *chipset_platform(const char *chipset)
{
    const struct tally_platform *platform;
    if (!strncasecmp(chipset, "ACM", 3))
        return tally_platform_find("dg2");
    for (size_t i = 0; (platform = tally_platform_at(i)); i++)
        if (!strncasecmp(chipset, platform->name, strlen(platform->name)))
            return platform;
    print_error("no platform for chipset %s\n", chipset);
    assert_non_null(platform);
    return NULL;
}

const struct tally_layout *full_layout(const struct tally_platform *platform)
{
    char name[32];
    snprintf(name, sizeof name, "%s/%s", platform->name, platform->version == 60 ? "011" : "101");
    const struct tally_layout *layout = tally_layout_find(name);
    assert_non_null(layout);
    return layout;
}

void random_environment(struct random *rng, const struct tally_platform *platform,
                        struct tally_environment *out)
{
    struct tally_topology *topology = &out->topology;
    *out = (struct tally_environment){
        .platform = platform,
        .timestamp_hz = 12000000 + random_below(rng, 30000000),
        .gt_min_hz = random_below(rng, 500000000),
        .gt_max_hz = 500000000 + random_below(rng, 2000000000),
        .revision = (uint32_t)random_below(rng, 16),
        .query_mode = random_below(rng, 2),
    };
    topology->slices = 1 + (uint32_t)random_below(rng, 4);
    topology->subslices = topology->slices * (1 + (uint32_t)random_below(rng, 8));
    topology->eus = topology->subslices * (1 + (uint32_t)random_below(rng, 16));
    topology->slice_mask = random_next(rng) >> 56 | 1;
    topology->subslice_mask = random_next(rng) & random_next(rng);
}

/* Returns a step of a counter: none, small, of any magnitude, or almost a complete wrap. */
static uint64_t step(struct random *rng, unsigned pace)
{
    switch (pace % 8) {
    case 0:
        return 0;
    case 1:
    case 2:
        return random_below(rng, 100000);
    case 3:
        return -random_below(rng, 1000);
    case 4:
        return random_below(rng, 4); /* divisors of 0 */
    default:
        return random_magnitude(rng);
    }
}

void random_block(struct random *rng, const struct tally_layout *layout, struct block *block)
{
    uint64_t slots[TALLY_SLOT_COUNT], before[TALLY_SLOT_COUNT] = {0};
    uint8_t pace[TALLY_SLOT_COUNT];
    unsigned alignment = (unsigned)random_below(rng, 5);
    random_bytes(rng, slots, sizeof slots);
    random_bytes(rng, pace, sizeof pace);
    memset(block->sums, 0, sizeof block->sums);
    for (size_t r = 0; r <= TALLY_BLOCK; r++) {
        uint8_t *report = block->bytes + r * REPORT_ROOM + r * alignment % 61;
        tally_report_pack(layout, slots, report);
        block->reports[r] = report;
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            unsigned width = tally_layout_width(layout, slot);
            if (r && width) {
                uint64_t delta = (slots[slot] - before[slot]) & ones(width);
                block->deltas[r - 1][slot] = delta;
                block->sums[slot] += delta;
            }
            before[slot] = slots[slot];
            slots[slot] += step(rng, pace[slot]);
        }
    }
}

bool same_value(union tally_value a, union tally_value b, enum tally_data_type type)
{
    return a.u == b.u || (type == TALLY_DOUBLE && isnan(a.f) && isnan(b.f));
}

const char *value_text(union tally_value value, enum tally_data_type type)
{
    static char texts[4][64];
    static unsigned at;
    char *text = texts[at++ % 4];
    if (type == TALLY_DOUBLE)
        snprintf(text, sizeof texts[0], "%.17g (0x%016" PRIx64 ")", value.f, value.u);
    else
        snprintf(text, sizeof texts[0], "%" PRIu64 " (0x%" PRIx64 ")", value.u, value.u);
    return text;
}

static const struct tally_field signal_fields[] = {
    {TALLY_SLOT_ID, 1, 64, 8, 0, 0},
    {TALLY_SLOT_TIMESTAMP, 1, 64, 8, 8, 0},
    {TALLY_SLOT_A, 64, 64, 8, 64, 0},
    {TALLY_SLOT_PEC, 64, 64, 8, 576, 0},
};

const struct tally_layout signal_layout = {
    .family = "test",
    .name = "a64_c64",
    .fields = signal_fields,
    .field_count = COUNT(signal_fields),
    .size_bytes = 1088,
    .header_bits = 64,
};
