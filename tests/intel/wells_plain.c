/* SPDX-License-Identifier: MIT */
#include "intel/wells_plain.h"

/* ---- platforms ------------------------------------------------------------------------------- */

// clang-format off
#define GT     PLAIN_GT
#define RENDER PLAIN_RENDER
#define MEDIA0 PLAIN_MEDIA0
#define MEDIA1 PLAIN_MEDIA1
#define SAVED  PLAIN_SAVED
#define LOST   PLAIN_LOST
#define KEPT   PLAIN_KEPT

#define GEN11_DOMAINS \
    .domains = {{0xa188, 0x130044, GT}, {0xa278, 0x0d84, RENDER}, {0xa540, 0x0d50, MEDIA0}, \
                {0xa548, 0x0d58, MEDIA1}, {0xa560, 0x0d70, MEDIA0}}, \
    .engines = {3, 1, 4, 8, 16}, .wells = 14, .has_firmware = true
#define GEN11_ROWS \
    {0x9840, GT, LOST, 0, 0}, {0x2710, GT, SAVED, 0, 0}, {0x2b04, GT, LOST, 0x20, 0}, \
    {0x2360, RENDER, LOST, 0, 1}, {0x2b00, GT, SAVED, 0, 0x15}, \
    {0xe100, RENDER, SAVED, 0, 0}, {0xe180, RENDER, LOST, 0, 0}, {0xb118, RENDER, SAVED, 0, 0}, \
    {0x9524, RENDER, SAVED, 0, 0}, {0xb008, RENDER, SAVED, 0, 0}, {0xe458, RENDER, SAVED, 0, 0}, \
    {0x1c3f10, MEDIA0, LOST, 0, 0}, {0x1ca01c, MEDIA0, LOST, 1, 0}, {0x1d3f18, MEDIA1, LOST, 0, 0}, \
    {0x1c0600, MEDIA0, KEPT, 0, 0}

const struct plain_platform plain_platforms[] = {
    {.name = "vlv",
     .domains = {{0, 0, GT}, {0x1300b0, 0x1300b4, RENDER}, {0x1300b8, 0x1300bc, MEDIA0}},
     .engines = {2, 4, 4, 0, 0}, .wells = 6, .oa_well = RENDER, .own_rc6 = true, .loses_counts = true, .gt_by_any = true,
     .rows = {{0x2360, RENDER, LOST, 0, 1}, {0x238c, RENDER, LOST, 0, 0}, {0x2390, RENDER, LOST, 0, 0},
              {0x7010, RENDER, SAVED, 0, 0}, {0xe100, RENDER, SAVED, 0, 0}, {0xe4f4, RENDER, SAVED, 0, 0},
              {0x9400, GT, KEPT, 0, 0}, {0x12040, MEDIA0, KEPT, 0, 0}}},
    {.name = "chv",
     .domains = {{0, 0, GT}, {0x1300b0, 0x1300b4, RENDER}, {0x1300b8, 0x1300bc, MEDIA0}},
     .engines = {2, 4, 4, 0, 4}, .wells = 6, .oa_well = RENDER, .own_rc6 = true, .gt_by_any = true,
     .rows = {{0x2360, RENDER, LOST, 0, 1}, {0x2b00, RENDER, SAVED, 0, 0x15}, {0x2710, RENDER, SAVED, 0, 0},
              {0x7014, RENDER, SAVED, 0, 0}, {0xe100, RENDER, SAVED, 0, 0}, {0xb118, RENDER, SAVED, 0, 0},
              {0xe180, RENDER, LOST, 0, 0}, {0xe458, RENDER, SAVED, 0, 0}, {0x9840, GT, LOST, 0, 0},
              {0x12600, MEDIA0, KEPT, 0, 0}, {0x1a600, MEDIA0, KEPT, 0, 0}}},
    {.name = "skl",
     .domains = {{0xa188, 0x130044, GT}, {0xa278, 0x0d84, RENDER}, {0xa270, 0x0d88, MEDIA0}},
     .engines = {3, 1, 4, 0, 4}, .wells = 6, .oa_well = GT, .gt_by_any = true,
     .rows = {{0x2360, RENDER, LOST, 0, 1}, {0x2b00, GT, SAVED, 0, 0x15}, {0x2710, GT, SAVED, 0, 0},
              {0x2b04, GT, LOST, 0x20, 0}, {0x9840, GT, LOST, 0, 0}, {0xe180, RENDER, LOST, 0, 0},
              {0xe100, RENDER, SAVED, 0, 0}, {0xb118, RENDER, SAVED, 0, 0}, {0xb008, RENDER, SAVED, 0, 0},
              {0x731c, RENDER, SAVED, 0, 0}, {0xe558, RENDER, SAVED, 0, 0},
              {0x12600, MEDIA0, KEPT, 0, 0}, {0x1a600, MEDIA0, KEPT, 0, 0}}},
    {.name = "icl", GEN11_DOMAINS, .rows = {GEN11_ROWS}},
    {.name = "lkf", GEN11_DOMAINS, .rows = {GEN11_ROWS}},
    {.name = "tgl", GEN11_DOMAINS,
     .rows = {{0x2b28, GT, SAVED, 0, 1}, {0xdaf4, GT, SAVED, 0, 0x15}, {0xd900, GT, SAVED, 0, 0},
              {0x2960, RENDER, LOST, 0x0e, 0}, {0x9840, GT, LOST, 0, 0}, {0xe100, RENDER, SAVED, 0, 0},
              {0xb118, RENDER, SAVED, 0, 0}, {0x94dc, RENDER, SAVED, 0, 0}, {0xe458, RENDER, SAVED, 0, 0},
              {0x1c3f10, MEDIA0, LOST, 0, 0}, {0x1ca01c, MEDIA0, LOST, 1, 0}, {0x1d3f18, MEDIA1, LOST, 0, 0},
              {0x1d0600, MEDIA1, KEPT, 0, 0}}},
};
// clang-format on

const size_t plain_platform_count = sizeof plain_platforms / sizeof *plain_platforms;

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t wells_value(const struct plain_row *row, uint8_t value)
{
    uint8_t mask = row->mask ? row->mask : 0xff;
    return row->switch_on ? row->switch_on : (uint32_t)mask << 16 | (value & mask);
}

static void set_row(struct plain_wells *plain, const struct plain_write *write)
{
    const struct plain_row *row = &plain->platform->rows[write->row];
    plain->values[write->row] = wells_value(row, write->value) & (row->mask ? row->mask : 0xff);
}

bool wells_reaches(const struct plain_wells *plain, const struct plain_row *row)
{
    bool any = row->well == PLAIN_GT && plain->platform->gt_by_any;
    bool video = row->address >= 0x1c0000 && row->address < 0x1c8000; /* VDBOX0, not VEBOX0 */
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++)
        if (plain->domains[d].awake && !(video && d == 4) &&
            (any || plain->platform->domains[d].well == row->well))
            return true;
    return false;
}

static bool counts(const struct plain_wells *plain)
{
    for (unsigned r = 0; r < PLAIN_ROWS; r++)
        if (plain->values[r] != (plain->platform->rows[r].switch_on & 0xff) &&
            plain->platform->rows[r].switch_on)
            return false;
    return true;
}

static void lose(struct plain_wells *plain, unsigned well)
{
    for (unsigned r = 0; r < PLAIN_ROWS; r++)
        if (plain->platform->rows[r].well == well && plain->platform->rows[r].fate == PLAIN_LOST)
            plain->values[r] = 0;
}

/* Writes the registers of a workaround batch that are in a well. */
static void run_batch(struct plain_wells *plain, unsigned batch, unsigned well)
{
    for (unsigned i = 0; i < plain->batches[batch].count; i++)
        if (plain->platform->rows[plain->batches[batch].writes[i].row].well == well)
            set_row(plain, &plain->batches[batch].writes[i]);
}

/* ---- wells ----------------------------------------------------------------------------------- */

static bool is_requested(const struct plain_wells *plain, unsigned domain)
{
    static const uint8_t streamer[PLAIN_DOMAINS] = {0, 2, 1, 4, 1};
    return plain->platform->domains[domain].request &&
           (plain->domains[domain].driver || plain->domains[domain].firmware ||
            (plain->streamer & streamer[domain]) || (plain->held >> domain & 1));
}

static bool is_any_requested(const struct plain_wells *plain, unsigned well)
{
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++)
        if ((well == PLAIN_GT || plain->platform->domains[d].well == well) &&
            is_requested(plain, d))
            return true;
    return false;
}

static bool is_any_awake(const struct plain_wells *plain, unsigned well)
{
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++)
        if (plain->platform->domains[d].well == well && plain->domains[d].awake)
            return true;
    return false;
}

static bool allows_rc6(const struct plain_wells *plain)
{
    return !(plain->control >> 31) || plain->state;
}

/* Whether a well may go down; *delay: after how many clocks. */
static bool may_go_down(const struct plain_wells *plain, unsigned well, uint64_t *delay)
{
    *delay = plain->platform->own_rc6 ? plain->rc6_after : 0;
    if (plain->platform->own_rc6)
        return plain->rc6_after && allows_rc6(plain);
    return plain->pg >> (well != PLAIN_RENDER) & 1;
}

static void save(struct plain_wells *plain, unsigned well)
{
    plain->down[well] = true;
    if (well == plain->platform->oa_well)
        plain->saved = plain->platform->loses_counts ? 0 : plain->count;
}

static void power_up(struct plain_wells *plain, unsigned well)
{
    plain->well_idle[well] = 0;
    if (!plain->down[well])
        return;
    plain->down[well] = false;
    lose(plain, well);
    if (well == plain->platform->oa_well) {
        plain->blind = plain->platform->loses_counts ? 0 : plain->count - plain->saved;
        plain->count = plain->saved;
    }
    if (well != PLAIN_GT)
        run_batch(plain, well == PLAIN_RENDER ? PLAIN_BATCH_RENDER : PLAIN_BATCH_MEDIA, well);
}

static void update_wells(struct plain_wells *plain)
{
    for (unsigned well = PLAIN_RENDER; well < PLAIN_WELLS; well++) {
        uint64_t delay;
        bool stays = !may_go_down(plain, well, &delay);
        if (!(plain->platform->wells >> well & 1))
            continue;
        if (plain->down[well]) {
            if (stays || is_any_awake(plain, well))
                power_up(plain, well);
        } else if (stays || is_any_requested(plain, well)) {
            plain->well_idle[well] = 0;
        } else if (plain->well_idle[well] >= delay) {
            save(plain, well);
            lose(plain, well);
            if (well == plain->platform->oa_well)
                plain->count = plain->saved;
        }
    }
}

/* ---- RC6 ------------------------------------------------------------------------------------- */

static void enter(struct plain_wells *plain)
{
    plain->blind_left = plain->down[plain->platform->oa_well] ? 0 : plain->rc6_blind;
    plain->rc6 = true;
    for (unsigned well = PLAIN_GT; well < PLAIN_WELLS; well++)
        if ((well == PLAIN_GT || plain->platform->wells >> well & 1) && !plain->down[well])
            save(plain, well);
}

bool wells_enter_rc6(struct plain_wells *plain)
{
    if (plain->rc6 || is_any_requested(plain, PLAIN_GT) || !allows_rc6(plain))
        return false;
    enter(plain);
    return true;
}

void wells_exit_rc6(struct plain_wells *plain)
{
    if (!plain->rc6)
        return;
    plain->rc6 = false;
    plain->idle = 0;
    power_up(plain, PLAIN_GT);
    update_wells(plain);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void update_domain(struct plain_wells *plain, unsigned d)
{
    if (!is_requested(plain, d)) {
        plain->domains[d].awake = false;
        plain->domains[d].waking = 0;
    } else if (plain->held >> d & 1) { /* the hardware itself does not wait */
        plain->domains[d].awake = true;
        plain->domains[d].waking = 0;
    } else if (!plain->domains[d].awake && !plain->domains[d].waking) {
        plain->domains[d].waking = plain->latency;
        plain->domains[d].awake = !plain->latency;
    }
}

void wells_update(struct plain_wells *plain)
{
    plain->held = 0;
    for (unsigned e = 0; e < PLAIN_ENGINES; e++)
        plain->held |= plain->engines[e].left ? plain->platform->engines[e] : 0;
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++)
        update_domain(plain, d);
    if (is_any_requested(plain, PLAIN_GT)) {
        plain->idle = 0;
        wells_exit_rc6(plain);
    }
    if (!plain->rc6)
        update_wells(plain);
}

void wells_write(struct plain_wells *plain, unsigned row, uint8_t value)
{
    if (!wells_reaches(plain, &plain->platform->rows[row]))
        return;
    set_row(plain, &(struct plain_write){(uint8_t)row, value});
    wells_update(plain);
}

void wells_reset_engine(struct plain_wells *plain, unsigned engine)
{
    static const struct {
        uint32_t address;
        uint8_t engine;
    } own[] = {{0x12040, PLAIN_VCS0},
               {0x12600, PLAIN_VCS0},
               {0x1a600, PLAIN_VECS0},
               {0x1c0600, PLAIN_VCS0},
               {0x1d0600, PLAIN_VCS2}};
    plain->engines[engine].left = 0;
    for (unsigned r = 0; r < PLAIN_ROWS; r++)
        for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
            if (own[i].engine == engine && plain->platform->rows[r].address == own[i].address)
                plain->values[r] = 0;
}

void wells_reset(struct plain_wells *plain)
{
    *plain =
        (struct plain_wells){.platform = plain->platform,
                             .latency = plain->latency,
                             .rc6_after = plain->rc6_after,
                             .rc6_blind = plain->rc6_blind,
                             .batches = {plain->batches[0], plain->batches[1], plain->batches[2]}};
    wells_update(plain);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A switch to a context takes 64 clocks, MI_LOAD_REGISTER_IMM and MI_FORCE_WAKEUP 4, MI_NOOP 1,
 * MI_BATCH_BUFFER_END 4, and the end of a context 8. */
void wells_submit(struct plain_wells *plain, unsigned engine, const struct plain_work *work)
{
    plain->engines[engine].work = *work;
    plain->engines[engine].clocks = plain->engines[engine].left =
        64 + (work->writes ? 4u : 0u) + (work->wakes ? 4u : 0u) + work->noops + 4 + 8;
    wells_update(plain);
}

static void step(struct plain_wells *plain, unsigned engine)
{
    const struct plain_work *work = &plain->engines[engine].work;
    unsigned at = plain->engines[engine].clocks - plain->engines[engine].left;
    if (!plain->engines[engine].left)
        return;
    for (unsigned well = PLAIN_RENDER; at == 0 && engine == PLAIN_RCS0 && well < PLAIN_WELLS;
         well++)
        if (!plain->down[well])
            run_batch(plain, PLAIN_BATCH_CONTEXT, well);
    if (at == 64 && work->writes)
        wells_write(plain, work->write.row, work->write.value);
    if (at == (work->writes ? 68 : 64) && work->wakes)
        plain->streamer =
            (uint8_t)((plain->streamer & ~(work->wake >> 16)) | (work->wake & work->wake >> 16));
    wells_update(plain);
}

bool wells_is_busy(const struct plain_wells *plain)
{
    bool busy = false;
    for (unsigned e = 0; e < PLAIN_ENGINES; e++)
        busy |= plain->engines[e].left != 0;
    return busy;
}

static void wait_for_rc6(struct plain_wells *plain)
{
    if (!plain->down[plain->platform->oa_well])
        plain->count += counts(plain);
    if (plain->rc6_after && !is_any_requested(plain, PLAIN_GT) && allows_rc6(plain) &&
        ++plain->idle >= plain->rc6_after)
        enter(plain);
    for (unsigned well = PLAIN_RENDER; well < PLAIN_WELLS && !plain->rc6; well++)
        plain->well_idle[well] += !is_any_requested(plain, well);
    if (!plain->rc6)
        update_wells(plain);
}

void wells_clock(struct plain_wells *plain)
{
    bool woken = false;
    for (unsigned e = 0; e < PLAIN_ENGINES; e++)
        step(plain, e);
    wells_update(plain);
    if (!plain->rc6) {
        wait_for_rc6(plain);
    } else if (plain->blind_left) {
        plain->blind_left--;
        plain->count += counts(plain);
    }
    for (unsigned d = 0; d < PLAIN_DOMAINS; d++)
        if (plain->domains[d].waking && !--plain->domains[d].waking)
            plain->domains[d].awake = woken = true;
    if (woken)
        wells_update(plain);
    for (unsigned e = 0; e < PLAIN_ENGINES; e++)
        plain->engines[e].left -= plain->engines[e].left != 0;
}
