/* SPDX-License-Identifier: MIT */
/* Interrupts before Gen11, compared as a whole with a list of sources: their bits are those of the
 * public i915 driver (I915_USER_INTERRUPT, GEN8_RCS_IRQ_SHIFT, ...). */
#include "intel/gpu_rig.h"

#include "intel/gpu/gpu.h"

enum { NO = -1, GROUPS = 3, OA = GT_ENGINES };

/* The groups' IMR; IIR and IER follow. From Gen8 on GT0, GT1 and GT3, before GT and PM. */
static uint32_t imr_of(const struct gpu_rig *rig, unsigned group)
{
    static const uint32_t gen8[GROUPS] = {0x44304, 0x44314, 0x44334},
                          gen6[GROUPS] = {0x44014, 0x44024};
    return (rig->model >= INTEL_BDW ? gen8 : gen6)[group];
}

static uint32_t master_of(const struct gpu_rig *rig)
{
    return rig->model >= INTEL_BDW ? 0x44200 : 0x4400c;
}

struct source {
    enum intel_revision first, last;
    unsigned engine, event;
    unsigned group;
    int bit;
    int master; /* bit of the master control that shows it; NO: none */
};

static const struct source sources[] = {
    // clang-format off
    {INTEL_SNB, INTEL_HSW, GT_RCS0,  GT_ENGINE_USER,   0, 0,  NO},
    {INTEL_SNB, INTEL_HSW, GT_RCS0,  GT_ENGINE_NOTIFY, 0, 4,  NO},
    {INTEL_SNB, INTEL_HSW, GT_VCS0,  GT_ENGINE_USER,   0, 12, NO},
    {INTEL_SNB, INTEL_HSW, GT_VCS0,  GT_ENGINE_NOTIFY, 0, 16, NO},
    {INTEL_SNB, INTEL_HSW, GT_BCS,   GT_ENGINE_USER,   0, 22, NO},
    {INTEL_SNB, INTEL_HSW, GT_BCS,   GT_ENGINE_NOTIFY, 0, 26, NO},
    {INTEL_HSW, INTEL_HSW, GT_VECS0, GT_ENGINE_USER,   1, 10, NO},
    {INTEL_HSW, INTEL_HSW, GT_VECS0, GT_ENGINE_NOTIFY, 1, 13, NO},
    {INTEL_IVB, INTEL_HSW, OA,       0,                0, 9,  NO},
    {INTEL_BDW, INTEL_SKL, GT_RCS0,  GT_ENGINE_USER,   0, 0,  0},
    {INTEL_BDW, INTEL_SKL, GT_RCS0,  GT_ENGINE_NOTIFY, 0, 4,  0},
    {INTEL_BDW, INTEL_SKL, GT_RCS0,  GT_ENGINE_SWITCH, 0, 8,  0},
    {INTEL_BDW, INTEL_SKL, GT_BCS,   GT_ENGINE_USER,   0, 16, 1},
    {INTEL_BDW, INTEL_SKL, GT_BCS,   GT_ENGINE_NOTIFY, 0, 20, 1},
    {INTEL_BDW, INTEL_SKL, GT_BCS,   GT_ENGINE_SWITCH, 0, 24, 1},
    {INTEL_BDW, INTEL_SKL, GT_VCS0,  GT_ENGINE_USER,   1, 0,  2},
    {INTEL_BDW, INTEL_SKL, GT_VCS0,  GT_ENGINE_NOTIFY, 1, 4,  2},
    {INTEL_BDW, INTEL_SKL, GT_VCS0,  GT_ENGINE_SWITCH, 1, 8,  2},
    {INTEL_BDW, INTEL_SKL, GT_VCS1,  GT_ENGINE_USER,   1, 16, 3},
    {INTEL_BDW, INTEL_SKL, GT_VCS1,  GT_ENGINE_NOTIFY, 1, 20, 3},
    {INTEL_BDW, INTEL_SKL, GT_VCS1,  GT_ENGINE_SWITCH, 1, 24, 3},
    {INTEL_BDW, INTEL_SKL, GT_VECS0, GT_ENGINE_USER,   2, 0,  6},
    {INTEL_BDW, INTEL_SKL, GT_VECS0, GT_ENGINE_NOTIFY, 2, 4,  6},
    {INTEL_BDW, INTEL_SKL, GT_VECS0, GT_ENGINE_SWITCH, 2, 8,  6},
    {INTEL_SNB, INTEL_HSW, GT_RCS0,  GT_ENGINE_ERROR,  0, 3,  NO},
    {INTEL_SNB, INTEL_HSW, GT_VCS0,  GT_ENGINE_ERROR,  0, 15, NO},
    {INTEL_SNB, INTEL_HSW, GT_BCS,   GT_ENGINE_ERROR,  0, 25, NO},
    {INTEL_HSW, INTEL_HSW, GT_VECS0, GT_ENGINE_ERROR,  1, 12, NO},
    {INTEL_BDW, INTEL_SKL, GT_RCS0,  GT_ENGINE_ERROR,  0, 3,  0},
    {INTEL_BDW, INTEL_SKL, GT_BCS,   GT_ENGINE_ERROR,  0, 19, 1},
    {INTEL_BDW, INTEL_SKL, GT_VCS0,  GT_ENGINE_ERROR,  1, 3,  2},
    {INTEL_BDW, INTEL_SKL, GT_VCS1,  GT_ENGINE_ERROR,  1, 19, 3},
    {INTEL_BDW, INTEL_SKL, GT_VECS0, GT_ENGINE_ERROR,  2, 3,  6},
    {INTEL_BDW, INTEL_SKL, OA,       0,                2, 28, 6},
    // clang-format on
};

static const struct source *find(const struct gpu_rig *rig, unsigned engine, unsigned event)
{
    for (size_t i = 0; i < COUNT(sources); i++)
        if (rig->model >= sources[i].first && rig->model <= sources[i].last &&
            sources[i].engine == engine && sources[i].event == event)
            return &sources[i];
    return NULL;
}

static unsigned groups_of(const struct gpu_rig *rig)
{
    return rig->model >= INTEL_BDW ? GROUPS : 2;
}

/* Each engine and event sets its bit and no other, shows in the master control while it is
 * enabled, and raises the line while the master enables it. */
static void check_source(struct gpu_rig *rig, unsigned engine, unsigned event)
{
    struct tally_gpu *gpu = rig->gpu;
    const struct source *source = find(rig, engine, event);
    uint32_t shown = source && source->master != NO ? 1u << source->master : 0;
    gt_flat_init(&gpu->flat, rig->model);
    for (unsigned g = 0; g < groups_of(rig); g++)
        tally_gpu_write32(gpu, imr_of(rig, g), 0);
    if (engine == OA)
        gt_flat_raise_half_full(&gpu->flat);
    else
        gt_flat_raise(&gpu->flat, (enum gt_engine)engine, (enum gt_engine_event)event);
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        for (unsigned g = 0; g < groups_of(rig); g++) {
            uint32_t expected = source && source->group == g ? 1u << source->bit : 0;
            uint32_t iir = tally_gpu_read32(gpu, imr_of(rig, g) + 4);
            ROW(__LINE__, iir == expected, "%s: engine %u, event %u: group %u is %08" PRIx32,
                revision_name(rig->model), engine, event, g, iir);
            tally_gpu_write32(gpu, imr_of(rig, g) + 8, enabled ? UINT32_MAX : 0);
        }
        uint32_t master = tally_gpu_read32(gpu, master_of(rig));
        ROW(__LINE__, master == (enabled ? shown : 0), "%s: engine %u, event %u: master %08" PRIx32,
            revision_name(rig->model), engine, event, master);
        tally_gpu_write32(gpu, master_of(rig), UINT32_MAX);
        ROW(__LINE__, gt_flat_line(&gpu->flat) == (enabled && source), "%s: engine %u, event %u",
            revision_name(rig->model), engine, event);
        master = tally_gpu_read32(gpu, master_of(rig));
        ROW(__LINE__, master == ((enabled ? shown : 0) | 1u << 31), "%s: master %08" PRIx32,
            revision_name(rig->model), master);
        tally_gpu_write32(gpu, master_of(rig), 0x7fffffff);
        ROW(__LINE__, !gt_flat_line(&gpu->flat), "%s: the master is off",
            revision_name(rig->model));
    }
}

static void test_sources(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_ICL; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name((enum intel_revision)p));
        for (unsigned engine = 0; engine <= OA; engine++)
            for (unsigned event = 0; event < (engine == OA ? 1 : GT_ENGINE_EVENTS); event++)
                check_source(rig, engine, event);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A write changes its register only: what the others of the groups hold stays. All bits of the
 * groups are stored, and documented, but those of VECS0 where it does not exist. */
static void test_writes(void **state)
{
    (void)state;
    enum { IMR, IIR, IER, REGISTERS };
    for (unsigned p = 0; p < INTEL_ICL; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name((enum intel_revision)p));
        for (unsigned g = 0; g < groups_of(rig); g++)
            for (unsigned r = 0; r < REGISTERS; r++) {
                struct gt_flat before, *flat = &rig->gpu->flat;
                uint32_t address = imr_of(rig, g) + 4 * r, vecs = 1u << 10 | 1u << 13;
                unsigned element;
                for (unsigned i = 0; i < GROUPS; i++)
                    flat->groups[i] = (struct gt_flat_group){0x11111111, 0x77777777, 0x22222222};
                flat->master = 1u << 31;
                before = *flat;
                tally_gpu_write32(rig->gpu, address, 0x55555555);
                struct gt_flat_group *group = &before.groups[g];
                *(r == IMR   ? &group->imr
                  : r == IIR ? &group->iir
                             : &group->ier) = r == IIR ? 0x22222222 : 0x55555555;
                ROW(__LINE__,
                    !memcmp(flat->groups, before.groups, sizeof before.groups) &&
                        flat->master == before.master,
                    "%s: a write to %05" PRIx32, revision_name(rig->model), address);
                uint32_t documented = p < INTEL_HSW && g == 1 ? ~vecs : UINT32_MAX;
                const struct reg_row *row = reg_index_find(rig->gpu->index, address, &element);
                ROW(__LINE__, row && row->documented == documented && row->writable == documented,
                    "%s: %05" PRIx32 " has bits %08" PRIx32, revision_name(rig->model), address,
                    row ? row->documented : 0);
            }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

int test_gt_flat(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_writes),
    };
    return cmocka_run_group_tests_name("gt interrupts before Gen11", tests, NULL, NULL);
}
