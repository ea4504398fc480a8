/* SPDX-License-Identifier: MIT */
#include "perfmon/rig.h"

#include "testing.h"

#include "base/bits.h"

/* Addresses as the documents have them. */
#define TIME_LOW    0x9400u
#define TIME_HIGH   0x9410u
#define TRIGGER     0x400084u
#define TRIGGER_BIT 0x20u

/* ---- waves ----------------------------------------------------------------------------------- */

static uint64_t splitmix(uint64_t seed, uint64_t m)
{
    uint64_t z = seed + (m + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A signal's value at a clock (PCT-3, "prng"); 0 before the first. */
static bool wave_value(const struct rig_domain *domain, unsigned i, uint64_t clock)
{
    return (splitmix(domain->seeds[i], clock / 8) >> 8 * (clock % 8) & 0xff) < domain->chances[i];
}

bool rig_value(const struct rig *rig, unsigned domain, unsigned i, uint64_t clock)
{
    return wave_value(&rig->domains[domain], i, clock);
}

static void set_values(const struct rig_domain *domain, bool values[256], uint64_t clock, bool any)
{
    for (unsigned i = 0; i < RIG_SIGNALS; i++)
        values[domain->signals[i]] = any && wave_value(domain, i, clock);
}

uint64_t rig_count(const struct rig *rig, unsigned number, const struct tree *tree, uint64_t from,
                   uint64_t to)
{
    const struct rig_domain *domain = &rig->domains[number];
    bool now[256] = {false}, before[256] = {false};
    uint64_t sum = 0;
    for (uint64_t clock = from; clock < to; clock++) {
        set_values(domain, now, clock, true);
        set_values(domain, before, clock - 1, clock > 0);
        sum += tree_value(tree, now, before);
    }
    return sum;
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t rig_clocks(const struct rig *rig, unsigned domain)
{
    const struct tally_pcounter_domain *about = &rig->domains[domain].about;
    uint64_t now = tally_pcounter_now(rig->engine);
    return now > about->phase ? (now - about->phase - 1) / about->period + 1 : 0;
}

void rig_run(struct rig *rig, uint64_t ns)
{
    tally_pcounter_run(rig->engine, ns);
}

static uint64_t now_ns(void *closure)
{
    return tally_pcounter_now(((struct rig *)closure)->engine);
}

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    (void)interruptible;
    rig_run(closure, ns);
    return 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool is_engine(const struct rig *rig, uint32_t address)
{
    if (rig->chipset->revision < TALLY_PCOUNTER_GF100)
        return address >= 0xa000 && address < 0xb000;
    return (address >= 0x180000 && address < 0x1c0000) || address == 0x200;
}

static uint32_t *selector(struct rig *rig, uint32_t address)
{
    for (unsigned i = 0; i < rig->selector_count; i++)
        if (rig->selector_addresses[i] == address)
            return &rig->selectors[i];
    assert_true(rig->selector_count < RIG_SELECTORS);
    rig->selector_addresses[rig->selector_count] = address;
    rig->selectors[rig->selector_count] = 0x5a5a5a5a;
    return &rig->selectors[rig->selector_count++];
}

static uint32_t read_top(const struct rig *rig, uint32_t address)
{
    if (rig->no_top)
        return 0xbad00100;
    switch (address) {
    case 0x22430:
        return rig->chipset->gpcs;
    case 0x22438:
        return rig->chipset->partitions;
    case 0x22504:
        return rig->gpcs_disabled & 0x5555;
    case 0x22584:
        return rig->gpcs_disabled & 0xaaaa;
    case 0x22548:
        return rig->partitions_disabled & 0x5555;
    default:
        return rig->partitions_disabled & 0xaaaa;
    }
}

static uint32_t read32(void *closure, uint32_t address)
{
    struct rig *rig = closure;
    rig->reads++;
    if (rig->hook)
        rig->hook(rig, address, false);
    rig_run(rig, rig->access_ns);
    if (is_engine(rig, address))
        return tally_pcounter_read32(rig->engine, address);
    if (address == TIME_LOW)
        return (uint32_t)tally_pcounter_now(rig->engine);
    if (address == TIME_HIGH)
        return (uint32_t)(tally_pcounter_now(rig->engine) >> 32);
    if (address >= 0x22000 && address < 0x23000)
        return read_top(rig, address);
    return *selector(rig, address);
}

void rig_trigger(struct rig *rig)
{
    static const uint64_t one[] = {1};
    const struct tally_wave pulse = tally_wave_once(one, 1);
    for (unsigned i = 0; i < rig->domain_count; i++) {
        struct rig_domain *domain = &rig->domains[i];
        unsigned offset = rig->chipset->revision < TALLY_PCOUNTER_NV40 ? 0x1d : 0x0f;
        tally_pcounter_attach(rig->engine, i, domain->about.trailer_base + offset, &pulse);
        domain->swapped = rig_clocks(rig, i);
    }
}

static void note_start(struct rig_domain *domain, uint64_t clock)
{
    domain->started = clock;
    uint64_t *first = &domain->starts[domain->starts[0] != UINT64_MAX];
    if (*first == UINT64_MAX)
        *first = clock;
}

/* Notes at which clock a write to a domain's register takes effect. */
static void note_write(struct rig *rig, uint32_t address, uint32_t value)
{
    enum tally_pcounter_revision revision = tally_pcounter_revision(rig->engine);
    for (unsigned i = 0; i < rig->domain_count; i++) {
        struct rig_domain *domain = &rig->domains[i];
        uint64_t clock = rig_clocks(rig, i);
        if (revision < TALLY_PCOUNTER_NV40) {
            if (address == 0xa404 + 0x100 * i)
                note_start(domain, clock);
            if (address == 0xa624 + 0x100 * i)
                domain->aborted = clock;
        } else if (revision < TALLY_PCOUNTER_GF100) {
            bool quad = (tally_pcounter_read32(rig->engine, 0xa7c0 + 4 * i) & 3) == 1;
            if (address == 0xa420 + 4 * i && revision >= TALLY_PCOUNTER_G84 && quad)
                domain->swapped = clock;
            if (address == 0xa420 + 4 * i && !quad)
                note_start(domain, clock);
            if (address == 0xa760 + 4 * i)
                domain->recorded[domain->recorded_count++ % RIG_RUNS] = clock;
        } else if (address == domain->about.address + 0xec && (value & 0x11) == 0x11) {
            domain->swapped = clock;
        } else if (address == domain->about.address + 0xe0) {
            note_start(domain, clock);
        }
    }
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    struct rig *rig = closure;
    rig->writes++;
    if (rig->hook)
        rig->hook(rig, address, true);
    rig_run(rig, rig->access_ns);
    if (is_engine(rig, address)) {
        note_write(rig, address, value);
        tally_pcounter_write32(rig->engine, address, value);
        return;
    }
    rig->pgraph_writes += address >= 0x400000 && address < 0x420000;
    if (address != TRIGGER)
        *selector(rig, address) = value;
    else if ((value & TRIGGER_BIT) && !rig->no_trigger)
        rig_trigger(rig);
}

size_t rig_registers(const struct rig *rig, uint32_t *values)
{
    size_t count = 0;
    uint32_t first = rig->chipset->revision < TALLY_PCOUNTER_GF100 ? 0xa000 : 0x180000;
    uint32_t last = rig->chipset->revision < TALLY_PCOUNTER_GF100 ? 0xb000 : 0x1c0000;
    for (uint32_t address = first; address < last; address += 4)
        values[count++] = tally_pcounter_read32(rig->engine, address);
    return count;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int memory_faults(void *context, uint64_t address, size_t bytes)
{
    const struct rig *rig = context;
    return address < rig->memory_address ||
           address + bytes > rig->memory_address + rig->memory_bytes;
}

static void memory_write(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct rig *rig = context;
    memcpy(rig->memory + (address - rig->memory_address), data, bytes);
}

void rig_set_memory(struct rig *rig, uint64_t address, uint32_t bytes)
{
    const struct tally_pcounter_memory memory = {memory_faults, memory_write, rig};
    assert_true(bytes <= RIG_MEMORY);
    rig->memory_address = address;
    rig->memory_bytes = bytes;
    tally_pcounter_set_memory(rig->engine, &memory);
}

int rig_read_memory(void *closure, uint32_t offset, void *to, size_t bytes)
{
    const struct rig *rig = closure;
    assert_true(offset + bytes <= rig->memory_bytes);
    memcpy(to, rig->memory + offset, bytes);
    return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void make_signals(struct rig *rig, unsigned number, uint64_t *seed)
{
    static const unsigned chances[] = {0, 2, 30, 128, 128, 220, 256};
    struct rig_domain *domain = &rig->domains[number];
    unsigned base = domain->about.trailer_base;
    for (unsigned i = 0; i < RIG_SIGNALS;) {
        uint8_t signal = (uint8_t)(base ? tree_below(seed, base) : 0x40 + tree_below(seed, 0xc0));
        if (memchr(domain->signals, signal, i))
            continue;
        domain->signals[i] = signal;
        domain->seeds[i] = 1000 * number + tree_below(seed, 1000);
        domain->chances[i] = chances[tree_below(seed, ARRAY_COUNT(chances))];
        const struct tally_wave wave = tally_wave_prng(domain->seeds[i], domain->chances[i]);
        assert_int_equal(tally_pcounter_attach(rig->engine, number, signal, &wave), 0);
        i++;
    }
}

void rig_open(struct rig *rig, const struct tally_chipset *chipset, uint64_t *seed)
{
    struct tally_error error = {0};
    *rig = (struct rig){.chipset = chipset, .io = {read32, write32, now_ns, sleep_ns, rig}};
    if (tally_pcounter_new(chipset, &rig->engine, &error))
        fail_msg("%s: %s", chipset->name, error.message);
    rig->domain_count = tally_pcounter_domains(rig->engine);
    assert_true(rig->domain_count <= RIG_DOMAINS);
    for (unsigned i = 0; i < rig->domain_count; i++) {
        uint32_t period = 1 + tree_below(seed, 5);
        tally_pcounter_set_clock(rig->engine, i, period, tree_below(seed, period));
        tally_pcounter_domain(rig->engine, i, &rig->domains[i].about);
        rig->domains[i].starts[0] = rig->domains[i].starts[1] = UINT64_MAX;
        make_signals(rig, i, seed);
    }
}

void rig_close(struct rig *rig)
{
    tally_pcounter_free(rig->engine);
}

unsigned rig_find(const struct rig *rig, unsigned domain, unsigned instance)
{
    for (unsigned i = 0; i < rig->domain_count; i++) {
        const struct tally_pcounter_domain *about = &rig->domains[i].about;
        if (TALLY_DOMAIN(about->set, about->number) == domain && about->instance == instance)
            return i;
    }
    fail_msg("no domain %u of instance %u", domain, instance);
    return 0;
}
