/* SPDX-License-Identifier: MIT */
/* Random programs of power wells, force wake, RC6 and work of engines against the plain version. */
#include "intel/gpu_rig.h"
#include "intel/wells_plain.h"

#define BATCH(engine) (0x8000u + 0x1000u * (engine))

static const char *const engine_names[PLAIN_ENGINES] = {"rcs0", "bcs0", "vcs0", "vcs2", "vecs0"};
static const char *const well_names[PLAIN_WELLS] = {"gt", "render", "media0", "media1"};

struct trial {
    struct gpu_rig *rig;
    struct plain_wells plain;
    struct random rng;
    struct tally_gpu_register batches[PLAIN_BATCHES][2];
    unsigned seed, act;
};

static unsigned below(struct trial *trial, unsigned limit)
{
    return (unsigned)(random_next(&trial->rng) >> 32) % limit;
}

static unsigned row_count(const struct trial *trial)
{
    unsigned count = 0;
    while (count < PLAIN_ROWS && trial->plain.platform->rows[count].address)
        count++;
    return count;
}

static struct plain_write some_write(struct trial *trial)
{
    unsigned row = below(trial, row_count(trial));
    return (struct plain_write){(uint8_t)row, (uint8_t)below(trial, 256)};
}

static uint32_t value_of(const struct trial *trial, const struct plain_write *write)
{
    return wells_value(&trial->plain.platform->rows[write->row], write->value);
}

/* ---- acts ------------------------------------------------------------------------------------ */

static void set_batches(struct trial *trial)
{
    static const enum tally_gpu_batch batches[PLAIN_BATCHES] = {
        [PLAIN_BATCH_RENDER] = TALLY_GPU_BATCH_RENDER,
        [PLAIN_BATCH_CONTEXT] = TALLY_GPU_BATCH_CONTEXT,
        [PLAIN_BATCH_MEDIA] = TALLY_GPU_BATCH_MEDIA};
    for (unsigned b = 0; b < PLAIN_BATCHES; b++) {
        struct plain_batch *batch = &trial->plain.batches[b];
        batch->count = below(trial, 3);
        for (unsigned i = 0; i < batch->count; i++) {
            batch->writes[i] = some_write(trial);
            trial->batches[b][i] = (struct tally_gpu_register){
                trial->plain.platform->rows[batch->writes[i].row].address,
                value_of(trial, &batch->writes[i])};
        }
        tally_gpu_set_batch(trial->rig->gpu, batches[b], trial->batches[b], batch->count);
    }
}

static void request(struct trial *trial)
{
    static const uint16_t bits[] = {1, 1, 1, 2, 0x8000};
    unsigned d = below(trial, PLAIN_DOMAINS);
    uint16_t bit = bits[below(trial, COUNT(bits))];
    bool on = below(trial, 2);
    if (!trial->plain.platform->domains[d].request)
        return;
    tally_gpu_write32(trial->rig->gpu, trial->plain.platform->domains[d].request,
                      (uint32_t)bit << 16 | (on ? bit : 0));
    trial->plain.domains[d].driver = (uint16_t)(on ? trial->plain.domains[d].driver | bit
                                                   : trial->plain.domains[d].driver & ~bit);
    wells_update(&trial->plain);
}

/* A bit of FORCEWAKE_REQ_RENDER, or of a media engine in FORCEWAKE_REQ_MEDIA. */
static void request_by_firmware(struct trial *trial)
{
    static const uint16_t bits[PLAIN_DOMAINS] = {0, 1, 1, 4, 0x100};
    unsigned d = 1 + below(trial, PLAIN_DOMAINS - 1);
    bool on = below(trial, 3) == 0;
    if (!trial->plain.platform->has_firmware)
        return;
    tally_gpu_write32(trial->rig->gpu, d == 1 ? 0xa27c : 0xa274,
                      (uint32_t)bits[d] << 16 | (on ? bits[d] : 0));
    trial->plain.domains[d].firmware = on;
    wells_update(&trial->plain);
}

/* A register of RC6 or CPD, which is in the GT. */
static void write_power(struct trial *trial, uint32_t address, uint32_t *at, uint32_t value)
{
    tally_gpu_write32(trial->rig->gpu, address, value);
    if (!wells_reaches(&trial->plain, &(struct plain_row){.well = PLAIN_GT}))
        return;
    *at = value;
    wells_update(&trial->plain);
}

static void configure_power(struct trial *trial)
{
    unsigned which = below(trial, 4), value = below(trial, 4);
    if (which >= 2 && !trial->plain.platform->own_rc6)
        write_power(trial, 0xa210, &trial->plain.pg, value);
    else if (which % 2)
        write_power(trial, 0xa094, &trial->plain.state, value ? 0x40000 : 0);
    else
        write_power(trial, 0xa090, &trial->plain.control, value ? 0 : 0x80000000);
}

static void submit(struct trial *trial)
{
    unsigned e = below(trial, PLAIN_ENGINES), count = 0;
    struct plain_work work = {.writes = below(trial, 2),
                              .write = some_write(trial),
                              .wakes = trial->plain.platform->has_firmware && below(trial, 4) == 0,
                              .wake = below(trial, 8) << 16 | below(trial, 3),
                              .noops = below(trial, 150)};
    uint32_t dwords[256];
    if (!trial->plain.platform->engines[e] || trial->plain.engines[e].left)
        return;
    if (work.writes) {
        dwords[count++] = 0x11000001; /* MI_LOAD_REGISTER_IMM */
        dwords[count++] = trial->plain.platform->rows[work.write.row].address;
        dwords[count++] = value_of(trial, &work.write);
    }
    if (work.wakes) {
        dwords[count++] = 0x0e800000; /* MI_FORCE_WAKEUP */
        dwords[count++] = work.wake;
    }
    for (unsigned i = 0; i < work.noops; i++)
        dwords[count++] = 0;
    dwords[count++] = 0x05000000; /* MI_BATCH_BUFFER_END */
    gpu_rig_put(trial->rig, TALLY_GPU_GGTT, BATCH(e), dwords, count);
    ROW(__LINE__,
        tally_gpu_engine_submit(trial->rig->gpu, engine_names[e], 1, TALLY_GPU_GGTT, BATCH(e),
                                true) == 0,
        "%s seed %u: %s", trial->plain.platform->name, trial->seed, engine_names[e]);
    wells_submit(&trial->plain, e, &work);
}

static void reset(struct trial *trial)
{
    unsigned e = below(trial, PLAIN_ENGINES);
    if (below(trial, 4) == 0) {
        tally_gpu_reset(trial->rig->gpu, TALLY_GPU_RESET_GT);
        wells_reset(&trial->plain);
    } else if (trial->plain.platform->engines[e]) {
        tally_gpu_engine_reset(trial->rig->gpu, engine_names[e]);
        wells_reset_engine(&trial->plain, e);
        wells_update(&trial->plain);
    }
}

static void run(struct trial *trial)
{
    unsigned clocks = below(trial, 3) ? below(trial, 40) : below(trial, 400);
    tally_gpu_run(trial->rig->gpu, clocks);
    for (unsigned i = 0; i < clocks; i++)
        wells_clock(&trial->plain);
}

static void write_row(struct trial *trial)
{
    struct plain_write write = some_write(trial);
    tally_gpu_write32(trial->rig->gpu, trial->plain.platform->rows[write.row].address,
                      value_of(trial, &write));
    wells_write(&trial->plain, write.row, write.value);
}

static void act(struct trial *trial)
{
    switch (below(trial, 24)) {
    case 0:
        ROW(__LINE__, (tally_gpu_enter_rc6(trial->rig->gpu) == 0) == wells_enter_rc6(&trial->plain),
            "%s seed %u: RC6", trial->plain.platform->name, trial->seed);
        break;
    case 1:
        tally_gpu_exit_rc6(trial->rig->gpu);
        wells_exit_rc6(&trial->plain);
        break;
    case 2:
        if (below(trial, 3) == 0)
            reset(trial);
        break;
    case 3:
    case 4:
        configure_power(trial);
        break;
    case 5:
        request_by_firmware(trial);
        break;
    case 6:
    case 7:
        submit(trial);
        break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
        request(trial);
        break;
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
        run(trial);
        break;
    default:
        write_row(trial);
        break;
    }
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void compare_power(struct trial *trial)
{
    const struct plain_wells *plain = &trial->plain;
    struct tally_gpu *gpu = trial->rig->gpu;
    const char *name = plain->platform->name;
    unsigned seed = trial->seed, i = trial->act;
    ROW(__LINE__, tally_gpu_in_rc6(gpu) == plain->rc6, "%s seed %u act %u: RC6", name, seed, i);
    ROW(__LINE__, tally_gpu_is_idle(gpu) != wells_is_busy(plain), "%s seed %u act %u: idle", name,
        seed, i);
    for (unsigned w = 0; w < PLAIN_WELLS; w++)
        if (w == PLAIN_GT || plain->platform->wells >> w & 1)
            ROW(__LINE__, tally_gpu_well_is_down(gpu, well_names[w]) == plain->down[w],
                "%s seed %u act %u: well %s is %s", name, seed, i, well_names[w],
                plain->down[w] ? "up" : "down");
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++) {
        uint32_t expected = plain->domains[d].awake ? plain->domains[d].driver : 0;
        if (plain->platform->domains[d].acknowledge)
            ROW(__LINE__,
                tally_gpu_read32(gpu, plain->platform->domains[d].acknowledge) == expected,
                "%s seed %u act %u: domain %u", name, seed, i, d);
    }
}

static void compare(struct trial *trial)
{
    const struct plain_wells *plain = &trial->plain;
    const char *name = plain->platform->name;
    compare_power(trial);
    for (unsigned r = 0; r < row_count(trial); r++) {
        const struct plain_row *row = &plain->platform->rows[r];
        uint32_t value = tally_gpu_read32(trial->rig->gpu, row->address);
        uint32_t expected = wells_reaches(plain, row) ? plain->values[r] : 0;
        ROW(__LINE__, (value & (row->mask ? row->mask : 0xff)) == expected,
            "%s seed %u act %u: %06" PRIx32 " is %" PRIx32 ", not %" PRIx32, name, trial->seed,
            trial->act, row->address, value, expected);
    }
    uint64_t count = gpu_rig_value(trial->rig, "a0"),
             blind = tally_gpu_blind(trial->rig->gpu, "a0");
    ROW(__LINE__, count == plain->count, "%s seed %u act %u: A0 is %" PRIu64 ", not %" PRIu64, name,
        trial->seed, trial->act, count, plain->count);
    ROW(__LINE__, blind == plain->blind, "%s seed %u act %u: %" PRIu64 " lost, not %" PRIu64, name,
        trial->seed, trial->act, blind, plain->blind);
}

static void run_trial(const struct plain_platform *platform, unsigned seed)
{
    static const unsigned after[] = {0, 1, 30, 100, 100, 300};
    struct trial trial = {.rng = random_start(seed), .seed = seed};
    trial.plain = (struct plain_wells){.platform = platform};
    trial.plain.latency = below(&trial, 2) ? 0 : below(&trial, 30);
    trial.plain.rc6_after = after[below(&trial, COUNT(after))];
    trial.plain.rc6_blind = below(&trial, 2) ? 0 : below(&trial, 60);
    trial.rig = gpu_rig_new(__LINE__,
                            &(struct tally_gpu_config){.platform = platform->name,
                                                       .wake_clocks = trial.plain.latency,
                                                       .rc6_after_clocks = trial.plain.rc6_after,
                                                       .rc6_blind_clocks = trial.plain.rc6_blind});
    struct tally_number one = tally_number_constant(1);
    tally_oa_drive_a(tally_gpu_oa(trial.rig->gpu), 0, &one);
    set_batches(&trial);
    unsigned before = rows_failed; /* the acts after a difference differ, too */
    for (trial.act = 0; trial.act < 250 && rows_failed == before; trial.act++) {
        act(&trial);
        compare(&trial);
    }
    gpu_rig_free(trial.rig);
}

static void test_random_wells(void **state)
{
    (void)state;
    for (size_t p = 0; p < plain_platform_count; p++)
        for (unsigned seed = 0; seed < random_cases(100); seed++)
            run_trial(&plain_platforms[p], seed);
    ROWS_DONE();
}

int test_gpu_wells(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_wells)};
    return cmocka_run_group_tests_name("gpu: wells", tests, NULL, NULL);
}
