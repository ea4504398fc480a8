/* SPDX-License-Identifier: MIT */
#include "intel/workload_rig.h"

#include "intel/skus.h"

const char *const rig_platforms[RIG_PLATFORMS] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                                  "chv", "skl", "icl", "lkf", "tgl"};

static const struct intel_platform *platform_of(const char *name)
{
    return intel_sku_platform(intel_sku_of(tally_sku_find(name)));
}

bool rig_is_new(const char *platform)
{
    return platform_of(platform)->revision >= INTEL_BDW;
}

static bool has_map_a(const char *platform)
{
    return platform_of(platform)->revision < INTEL_HSW;
}

const uint32_t rig_flexible[7] = {0x00005004, 0x00010003, 0x00012011, 0x00015014,
                                  0x00051050, 0x00400008, 0x00008078};

void rig_start(const char *platform, void (*write)(void *context, uint32_t address, uint32_t value),
               void *context)
{
    static const uint32_t controls[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    enum intel_revision model = platform_of(platform)->revision;
    if (!rig_is_new(platform)) {
        write(context, has_map_a(platform) ? 0x2388 : 0x2714, 0x00800000);
        write(context, 0x2360, 1);
        return;
    }
    for (size_t i = 0; i < COUNT(controls); i++)
        write(context, controls[i], rig_flexible[i]);
    write(context, oa_at(model, 0x2b08), 0);
    write(context, oa_at(model, 0x2b0c), 0x100000);
    write(context, oa_at(model, 0x2b14), 0x1000000 | 7 << 3 | 2);
    write(context, oa_at(model, 0x2b10), 0x100000);
    write(context, oa_at(model, 0x2714), 0x00800000); /* OASTARTTRIG2: at once */
    write(context, oa_at(model, 0x2360), 1);
    write(context, oa_at(model, 0x2b00), 0x15);
}

static void write_unit(void *context, uint32_t address, uint32_t value)
{
    tally_oa_write32(context, address, value);
}

struct tally_oa *rig_unit(const char *platform)
{
    struct tally_error error = {0};
    struct tally_oa *unit;
    assert_int_equal(tally_oa_new(platform, &unit, &error), 0);
    if (rig_is_new(platform))
        assert_int_equal(tally_oa_set_eus(unit, sku_eus(tally_sku_find(platform))), 0);
    rig_start(platform, write_unit, unit);
    return unit;
}

uint64_t rig_peek(const struct tally_oa *unit, char letter, unsigned index)
{
    char name[8];
    uint64_t value = 0;
    snprintf(name, sizeof name, "%c%u", letter, index);
    tally_oa_peek(unit, name, &value);
    return value;
}

uint64_t rig_peek_noa(const struct tally_oa *unit, const char *platform, unsigned bit)
{
    unsigned booleans = has_map_a(platform) ? 4 : 8;
    return bit < booleans ? rig_peek(unit, 'b', bit) : rig_peek(unit, 'c', bit - booleans);
}

bool rig_init(struct rig *rig, unsigned line, const char *text, const char *platform, uint64_t hz)
{
    struct tally_error error = {0};
    *rig = (struct rig){0};
    int result = tally_workload_load_memory(text, strlen(text), "w", &rig->workload, &error);
    if (!ROW(line, result == 0, "load: %s", error.message))
        return false;
    struct tally_workload_target target = {.platform = platform, .clock_hz = hz};
    result = tally_workload_bind(rig->workload, &target, NULL, NULL, &rig->program, &error);
    if (!ROW(line, result == 0, "bind: %s", error.message))
        return false;
    tally_workload_start(rig->program, &rig->cursor);
    rig->unit = rig_unit(platform);
    return true;
}

void rig_fini(struct rig *rig)
{
    tally_oa_free(rig->unit);
    tally_workload_unbind(rig->program);
    tally_workload_free(rig->workload);
}
