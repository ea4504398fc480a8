/* SPDX-License-Identifier: MIT */
/* Interrupts of the Lakefield PRM, for each engine; also messages, copies for virtual machines and
 * the hardware scheduler. */
#include "intel/conformance/gpu_check.h"
#include "intel/conformance/lakefield.h"

#include "intel/gt/interrupts.h"
#include "intel/parts.h"

/* ---- engines --------------------------------------------------------------------------------- */

/* The document's classes and instances, and GuC, which it omits (OA-E23); bits of the DWs and
 * halves of the registers are those of OA-3.1 and OA-3.3 (OA-U17, OA-U18). */
/* clang-format off */
static const struct {
    const char *name;
    unsigned engine_class, instance, dw, bit;
    uint32_t enable, enable_shift, mask, mask_shift; /* registers at 190000h + */
} engines[] = {
    {"RCS0", 0, 0, 0, 0, 0x30, 16, 0x90, 16},
    {"VCS0", 1, 0, 1, 0, 0x34, 16, 0xa8, 16},
    {"VCS1", 1, 1, 1, 1, 0x34, 16, 0xa8, 0},
    {"VCS2", 1, 2, 1, 2, 0x34, 16, 0xac, 16},
    {"VCS3", 1, 3, 1, 3, 0x34, 16, 0xac, 0},
    {"VECS0", 2, 0, 1, 31, 0x34, 0, 0xd0, 16},
    {"VECS1", 2, 1, 1, 30, 0x34, 0, 0xd0, 0},
    {"BCS", 3, 0, 0, 15, 0x30, 0, 0xa0, 16},
    {"GuC", 4, 0, 0, 25, 0x38, 16, 0xe8, 16},
    {"GTPM", 4, 1, 0, 16, 0x3c, 16, 0xec, 16},
    {"WDOAPerf", 4, 2, 0, 20, 0x3c, 0, 0xec, 0},
    {"SCTRG", 4, 3, 0, 21, 0x38, 0, 0xe8, 0},
    {"KCR", 4, 4, 0, 19, 0x40, 16, 0xf0, 16},
    {"Gunit", 4, 5, 0, 28, 0x44, 16, 0xf4, 16},
    {"CSME", 4, 6, 0, 31, 0x44, 0, 0xf4, 0},
};
/* clang-format on */

enum { RCS0 = 0, WDOAPERF = 10 };

static const uint32_t enables[] = {0x30, 0x34, 0x38, 0x3c, 0x40, 0x44};
static const uint32_t masks[] = {0x90, 0xa0, 0xa8, 0xac, 0xd0, 0xe8, 0xec, 0xf0, 0xf4};

static void put(FILE *body, uint32_t offset, uint32_t value)
{
    fprintf(body, "wr 0x%" PRIx32 " 0x%08" PRIx32 "\n", 0x190000 + offset, value);
}

static void expect(FILE *body, uint32_t offset, uint32_t value)
{
    fprintf(body, "rd 0x%" PRIx32 " -> 0x%08" PRIx32 "\n", 0x190000 + offset, value);
}

static void put_enables(FILE *body, uint32_t value)
{
    for (size_t i = 0; i < COUNT(enables); i++)
        put(body, enables[i], value);
}

static void put_masks(FILE *body, uint32_t value)
{
    for (size_t i = 0; i < COUNT(masks); i++)
        put(body, masks[i], value);
}

static void send(FILE *body, size_t i, uint32_t data)
{
    fprintf(body, "irq %u %u 0x%04" PRIx32 "\n", engines[i].engine_class, engines[i].instance,
            data);
}

static uint32_t identity(size_t i, uint32_t data)
{
    return 1u << 31 | engines[i].instance << 20 | engines[i].engine_class << 16 | data;
}

/* Selects an engine, reads its identity, and clears its bit. */
static void service(FILE *body, size_t i, uint32_t data)
{
    uint32_t dw = 4 * engines[i].dw;
    put(body, 0x70 + dw, 1u << engines[i].bit);
    expect(body, 0x60 + dw, identity(i, data));
    put(body, 0x60 + dw, 1u << 31);
    put(body, 0x18 + dw, 1u << engines[i].bit);
}

/* A message of each engine sets only its own bit and gives its identity. */
static void each_engine(FILE *body, unsigned platform)
{
    (void)platform;
    put_enables(body, 0xffffffff);
    put_masks(body, 0);
    for (size_t i = 0; i < COUNT(engines); i++) {
        send(body, i, 1);
        expect(body, 0x10, 1u << engines[i].dw);
        expect(body, 0x18 + 4 * engines[i].dw, 1u << engines[i].bit);
        service(body, i, 1);
        expect(body, 0x10, 0);
    }
}

static void all_at_once(FILE *body, unsigned platform)
{
    uint32_t bits[2] = {0, 0};
    (void)platform;
    put_enables(body, 0xffffffff);
    put_masks(body, 0);
    for (size_t i = 0; i < COUNT(engines); i++) {
        send(body, i, 0x8000u >> i);
        bits[engines[i].dw] |= 1u << engines[i].bit;
    }
    expect(body, 0x10, 3);
    expect(body, 0x18, bits[0]);
    expect(body, 0x1c, bits[1]);
    for (size_t i = 0; i < COUNT(engines); i++)
        service(body, i, 0x8000u >> i);
    expect(body, 0x10, 0);
}

/* Sends each of 16 interrupts of each engine. */
static void each_bit(FILE *body, unsigned platform)
{
    (void)platform;
    put_enables(body, 0xffffffff);
    put_masks(body, 0);
    for (size_t i = 0; i < COUNT(engines); i++)
        for (uint32_t bit = 1; bit < 0x10000; bit <<= 1) {
            send(body, i, bit);
            service(body, i, bit);
        }
    expect(body, 0x10, 0);
}

/* An engine's events pass only if its class, or for class Other its instance, enables them. */
static void each_enable(FILE *body, unsigned platform)
{
    (void)platform;
    put_masks(body, 0);
    for (size_t i = 0; i < COUNT(engines); i++)
        for (uint32_t bit = 1; bit < 0x10000; bit <<= 1) {
            put_enables(body, 0xffffffff);
            put(body, engines[i].enable, 0xffffu << (16 ^ engines[i].enable_shift));
            send(body, i, 0xffff);
            expect(body, 0x10, 0);
            put(body, engines[i].enable, bit << engines[i].enable_shift);
            send(body, i, 0xffff);
            service(body, i, bit);
        }
}

/* Only its half of its mask register masks an engine. */
static void each_mask(FILE *body, unsigned platform)
{
    (void)platform;
    put_enables(body, 0xffffffff);
    for (size_t i = 0; i < COUNT(engines); i++)
        for (uint32_t bit = 1; bit < 0x10000; bit <<= 1) {
            put_masks(body, 0);
            put(body, engines[i].mask, 0xffffu << engines[i].mask_shift);
            send(body, i, 0xffff);
            expect(body, 0x10, 0);
            put(body, engines[i].mask, ~(bit << engines[i].mask_shift));
            service(body, i, bit);
            put(body, engines[i].mask, 0);
            service(body, i, 0xffff & ~bit);
        }
}

/* The Enable of one instance of class Other does not affect the others. */
static void other_class(FILE *body, unsigned platform)
{
    (void)platform;
    put_masks(body, 0);
    for (size_t i = 0; i < COUNT(engines); i++) {
        if (engines[i].engine_class != 4)
            continue;
        put_enables(body, 0);
        put(body, engines[i].enable, 0xffffu << engines[i].enable_shift);
        for (size_t k = 0; k < COUNT(engines); k++)
            send(body, k, 1);
        expect(body, 0x10, 1);
        expect(body, 0x18, 1u << engines[i].bit);
        service(body, i, 1);
    }
}

static void registers(FILE *body, unsigned platform)
{
    static const uint32_t values[] = {0x12345678, 0xfffffff0, 0};
    (void)platform;
    for (size_t k = 0; k < COUNT(enables); k++)
        expect(body, enables[k], 0);
    for (size_t k = 0; k < COUNT(masks); k++)
        expect(body, masks[k], 0xffffffff);
    for (size_t v = 0; v < COUNT(values); v++) {
        for (size_t k = 0; k < COUNT(enables); k++)
            put(body, enables[k], values[v] + (uint32_t)k);
        for (size_t k = 0; k < COUNT(masks); k++)
            put(body, masks[k], values[v] - (uint32_t)k);
        for (size_t k = 0; k < COUNT(enables); k++)
            expect(body, enables[k], values[v] + (uint32_t)k);
        for (size_t k = 0; k < COUNT(masks); k++)
            expect(body, masks[k], values[v] - (uint32_t)k);
    }
}

/* Half of the buffer, for each size, 128 KiB << n. */
static void half_of_each_size(FILE *body, unsigned platform)
{
    (void)platform;
    put(body, 0x3c, 0xffff);
    put(body, 0xec, 0xffff0000);
    fputs("wr 0x2b20 0xefffffff\nalways\n", body);
    for (uint32_t n = 0; n < 8; n++) {
        uint32_t half = 0x10000u << n;
        fprintf(body, "buffer 0x1000000 %" PRIu32 "\n", n);
        fprintf(body, "wr OATAILPTR 0x%" PRIx32 "\nenable 0\nrun 1\n", 0x1000000 + half - 0x80);
        expect(body, 0x18, 0);
        fputs("run 1\ndisable\n", body);
        expect(body, 0x18, 1u << 20);
        put(body, 0x70, 1u << 20);
        expect(body, 0x60, 0x80241000);
        put(body, 0x18, 1u << 20);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct gt_interrupts tree;

static void open_copy(struct gt_interrupt_copy *copy)
{
    for (size_t i = 0; i < COUNT(enables); i++)
        gt_interrupts_write32(copy, 0x190000 + enables[i], 0xffffffff);
    for (size_t i = 0; i < COUNT(masks); i++)
        gt_interrupts_write32(copy, 0x190000 + masks[i], 0);
}

static void open_hosts(void)
{
    gt_interrupts_reset(&tree);
    for (unsigned i = 0; i < GT_FUNCTIONS; i++)
        open_copy(&tree.host[i]);
}

static void tell(size_t i, unsigned function, uint16_t data)
{
    gt_interrupts_message(&tree, engines[i].engine_class, engines[i].instance, function, data);
}

/* Services and clears an engine in a copy of the registers. Returns its identity. */
static uint32_t take(struct gt_interrupt_copy *copy, size_t i)
{
    uint32_t dw = 0x190000 + 4 * engines[i].dw, bit = 1u << engines[i].bit;
    gt_interrupts_write32(copy, dw + 0x70, bit);
    uint32_t value = gt_interrupts_read32(copy, dw + 0x60);
    gt_interrupts_write32(copy, dw + 0x60, 1u << 31);
    gt_interrupts_write32(copy, dw + 0x18, bit);
    return value;
}

/* Access the registers of a function in the GPU. */
static uint32_t read_copy(struct gpu_rig *rig, unsigned function, uint32_t address)
{
    return function ? tally_gpu_function_read32(rig->gpu, function, address)
                    : tally_gpu_read32(rig->gpu, address);
}

static void write_copy(struct gpu_rig *rig, unsigned function, uint32_t address, uint32_t value)
{
    if (function)
        tally_gpu_function_write32(rig->gpu, function, address, value);
    else
        tally_gpu_write32(rig->gpu, address, value);
}

/* Enables all virtual functions, and everything in all copies of the registers. */
static void open_functions(struct gpu_rig *rig)
{
    tally_gpu_pci_write(rig->gpu, 2, 0x330, 2, 7); /* SRIOV_NUMOFVFS */
    tally_gpu_pci_write(rig->gpu, 2, 0x328, 2, 9); /* SRIOV_CTRL: VF Enable, VF MSE */
    for (unsigned f = 0; f < GT_FUNCTIONS; f++) {
        for (size_t i = 0; i < COUNT(enables); i++)
            write_copy(rig, f, 0x190000 + enables[i], 0xffffffff);
        for (size_t i = 0; i < COUNT(masks); i++)
            write_copy(rig, f, 0x190000 + masks[i], 0);
    }
}

/* Like take(), by a function's registers in the GPU. */
static uint32_t take_in_gpu(struct gpu_rig *rig, unsigned function, size_t i)
{
    uint32_t dw = 0x190000 + 4 * engines[i].dw, bit = 1u << engines[i].bit;
    write_copy(rig, function, dw + 0x70, bit);
    uint32_t value = read_copy(rig, function, dw + 0x60);
    write_copy(rig, function, dw + 0x60, 1u << 31);
    write_copy(rig, function, dw + 0x18, bit);
    return value;
}

/* Messages by bits and by numbers come to the same bit of the same function, and no other. */
static bool message_format(struct conformance_fault *fault, struct gpu_rig *rig)
{
    open_functions(rig);
    for (size_t i = 0; i < COUNT(engines); i++)
        for (unsigned both = 0; both < 2 * GT_FUNCTIONS; both++) {
            uint32_t function = both / 2, data = 0xa500 + (uint32_t)i;
            uint32_t message = function << 27 | (identity(i, data) & INT32_MAX);
            int result = both % 2
                             ? tally_gpu_interrupt_message(rig->gpu, message)
                             : tally_gpu_interrupt(rig->gpu, engines[i].engine_class,
                                                   engines[i].instance, function, (uint16_t)data);
            HOLDS(!result, "%08" PRIx32, message);
            for (unsigned k = 0; k < GT_FUNCTIONS; k++) {
                uint32_t bits = read_copy(rig, k, 0x190018 + 4 * engines[i].dw);
                HOLDS(bits == (k == function ? 1u << engines[i].bit : 0),
                      "%08" PRIx32 ", function %u: %08" PRIx32, message, k, bits);
            }
            uint32_t value = take_in_gpu(rig, function, i);
            HOLDS(value == (message | 1u << 31), "%08" PRIx32 " is %08" PRIx32, message, value);
        }
    return true;
}

static bool reserved_bits(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const uint32_t reserved[] = {1u << 31, 1u << 30, 1u << 26, 1u << 19};
    open_functions(rig);
    for (uint32_t set = 1; set < 1u << COUNT(reserved); set++)
        for (size_t i = 0; i < COUNT(engines); i++) {
            uint32_t message = identity(i, 0x1000) & INT32_MAX, with = message;
            for (size_t k = 0; k < COUNT(reserved); k++)
                with |= set >> k & 1 ? reserved[k] : 0;
            HOLDS(!tally_gpu_interrupt_message(rig->gpu, with), "%08" PRIx32, with);
            uint32_t value = take_in_gpu(rig, 0, i);
            HOLDS(value == (message | 1u << 31), "%08" PRIx32 ": %08" PRIx32, with, value);
        }
    return true;
}

/* Classes 5 to 7 and instances that the table omits are rejected and change nothing. */
static bool no_such_engine(struct conformance_fault *fault)
{
    open_hosts();
    for (uint32_t c = 0; c < 8; c++)
        for (uint32_t i = 0; i < 64; i++) {
            bool known = false;
            for (size_t k = 0; k < COUNT(engines); k++)
                known |= engines[k].engine_class == c && engines[k].instance == i;
            int result = known ? -EINVAL : gt_interrupts_message(&tree, c, i, 0, 0xffff);
            HOLDS(result == -EINVAL, "class %" PRIu32 ", instance %" PRIu32, c, i);
        }
    HOLDS(gt_interrupts_peek32(&tree.host[0], 0x190010) == 0, "something came");
    return true;
}

/* ---- virtual machines ------------------------------------------------------------------------ */

static bool copies(struct conformance_fault *fault)
{
    open_hosts();
    for (unsigned f = 0; f < GT_FUNCTIONS; f++)
        gt_interrupts_write32(&tree.host[f], 0x190010, f % 2 ? 0x80000000 : 0);
    for (unsigned f = 0; f < GT_FUNCTIONS; f++) {
        tell(RCS0, f, (uint16_t)(1u << f));
        for (unsigned k = 0; k < GT_FUNCTIONS; k++) {
            bool has = k <= f;
            HOLDS((gt_interrupts_peek32(&tree.host[k], 0x190018) == 1) == has, "%u of %u", k, f);
            HOLDS(gt_interrupts_line(&tree.host[k]) == (has && k % 2), "line of %u", k);
        }
    }
    for (unsigned f = 0; f < GT_FUNCTIONS; f++) {
        uint32_t value = take(&tree.host[f], RCS0);
        HOLDS(value == (1u << 31 | f << 27 | 1u << f), "%u: %08" PRIx32, f, value);
        for (unsigned k = f + 1; k < GT_FUNCTIONS; k++)
            HOLDS(gt_interrupts_peek32(&tree.host[k], 0x190018) == 1, "%u was cleared", k);
    }
    return true;
}

static bool other_sources(struct conformance_fault *fault)
{
    static const unsigned bits[] = {16, 29, 30}; /* display, GU_MISC, PCU */
    gt_interrupts_reset(&tree);
    struct gt_interrupt_copy *host = &tree.host[0];
    for (size_t i = 0; i < COUNT(bits); i++) {
        gt_interrupts_set_level(host, bits[i], true);
        HOLDS(gt_interrupts_read32(host, 0x190010) == 1u << bits[i], "bit %u", bits[i]);
        HOLDS(!gt_interrupts_line(host), "not enabled");
        gt_interrupts_write32(host, 0x190010, 0x80000000);
        HOLDS(gt_interrupts_line(host), "bit %u interrupts", bits[i]);
        gt_interrupts_write32(host, 0x190010, 0);
        HOLDS(gt_interrupts_read32(host, 0x190010) == 1u << bits[i], "it is not a level");
        gt_interrupts_set_level(host, bits[i], false);
        HOLDS(gt_interrupts_read32(host, 0x190010) == 0, "bit %u stays", bits[i]);
    }
    return true;
}

/* ---- the hardware scheduler ------------------------------------------------------------------ */

static bool host_does_all(struct conformance_fault *fault)
{
    gt_interrupts_reset(&tree);
    open_copy(&tree.host[0]);
    for (size_t i = 0; i < COUNT(engines); i++) {
        tell(i, 0, 0x0101);
        HOLDS(take(&tree.host[0], i) == identity(i, 0x0101), "%s", engines[i].name);
        HOLDS(!gt_interrupts_vector(&tree, 0) && !gt_interrupts_vector(&tree, 1),
              "the scheduler enabled nothing");
    }
    return true;
}

/* Sends context switches to the scheduler, everything else to the host. */
static bool scheduler_schedules(struct conformance_fault *fault)
{
    gt_interrupts_reset(&tree);
    open_copy(&tree.host[0]);
    open_copy(&tree.guc);
    for (size_t i = 0; i < COUNT(enables); i++) {
        gt_interrupts_write32(&tree.guc, 0x190000 + enables[i], 0x01000100);
        gt_interrupts_write32(&tree.host[0], 0x190000 + enables[i], ~UINT32_C(0x01000100));
    }
    for (size_t i = 0; i < COUNT(engines); i++) {
        tell(i, 0, 0xffff);
        HOLDS(take(&tree.guc, i) == identity(i, 0x0100), "%s to the scheduler", engines[i].name);
        HOLDS(take(&tree.host[0], i) == identity(i, 0xfeff), "%s to the host", engines[i].name);
    }
    return true;
}

/* Each of 16 events of an engine is sent to the interface that enables it. */
static bool complements(struct conformance_fault *fault)
{
    for (uint32_t split = 1; split < 0x10000; split <<= 1) {
        gt_interrupts_reset(&tree);
        open_copy(&tree.host[0]);
        open_copy(&tree.guc);
        for (size_t k = 0; k < COUNT(enables); k++) {
            uint32_t both = split << 16 | split;
            gt_interrupts_write32(&tree.guc, 0x190000 + enables[k], both);
            gt_interrupts_write32(&tree.host[0], 0x190000 + enables[k], ~both);
        }
        for (uint32_t bit = 1; bit < 0x10000; bit <<= 1)
            for (size_t i = 0; i < COUNT(engines); i++) {
                tell(i, 0, (uint16_t)bit);
                bool guc = gt_interrupts_vector(&tree, engines[i].dw);
                bool host = gt_interrupts_peek32(&tree.host[0], 0x190010);
                HOLDS(guc == (bit == split) && host != guc, "%s, %04" PRIx32, engines[i].name, bit);
                HOLDS(take(guc ? &tree.guc : &tree.host[0], i) == identity(i, bit), "%s",
                      engines[i].name);
            }
    }
    return true;
}

static bool two_vectors(struct conformance_fault *fault)
{
    for (size_t i = 0; i < COUNT(engines); i++) {
        gt_interrupts_reset(&tree);
        open_copy(&tree.guc);
        tell(i, 0, 1);
        HOLDS(gt_interrupts_vector(&tree, engines[i].dw), "%s", engines[i].name);
        HOLDS(!gt_interrupts_vector(&tree, !engines[i].dw), "%s", engines[i].name);
        HOLDS(take(&tree.guc, i) == identity(i, 1), "%s", engines[i].name);
        HOLDS(!gt_interrupts_vector(&tree, engines[i].dw), "%s stays", engines[i].name);
        HOLDS(!gt_interrupts_line(&tree.host[0]), "the host's line");
    }
    return true;
}

/* Each reload from secondary storage is one more event, and does not affect the other group. */
static bool groups_apart(struct conformance_fault *fault)
{
    gt_interrupts_reset(&tree);
    struct gt_interrupt_copy *guc = &tree.guc;
    open_copy(guc);
    gt_interrupts_message(&tree, 0, 0, 0, 1);
    gt_interrupts_message(&tree, 1, 0, 0, 1);
    HOLDS(gt_interrupts_read32(guc, 0x190018) == 1, "group 0");
    gt_interrupts_message(&tree, 3, 0, 0, 1); /* pending */
    gt_interrupts_message(&tree, 1, 2, 0, 1); /* not pending */
    HOLDS(gt_interrupts_peek32(guc, 0x19001c) == 5, "group 1");
    HOLDS(guc->dw[0].events == 1 && guc->dw[1].events == 1, "events");
    HOLDS(take(guc, RCS0) == 0x80000001, "RCS0");
    HOLDS(guc->dw[0].events == 2 && guc->dw[1].events == 1, "a second event of group 0");
    HOLDS(gt_interrupts_vector(&tree, 0) && gt_interrupts_vector(&tree, 1), "both");
    return true;
}

/* The model counts what software must not do. */
static bool warnings(struct conformance_fault *fault)
{
    open_hosts();
    struct gt_interrupt_copy *host = &tree.host[0];
    gt_interrupts_message(&tree, 0, 0, 0, 1);
    gt_interrupts_message(&tree, 3, 0, 0, 1);
    gt_interrupts_write32(host, 0x190070, 0x8001);
    gt_interrupts_write32(host, 0x190070, 0x0002);
    HOLDS(host->illegal_selectors == 2, "%" PRIu32 " selectors", host->illegal_selectors);
    gt_interrupts_write32(host, 0x190018, 0x8000);
    HOLDS(host->unserviced_clears == 1, "%" PRIu32 " clears", host->unserviced_clears);
    HOLDS(take(host, RCS0) == 0x80000001 && host->unserviced_clears == 1, "that was service");
    HOLDS(host->illegal_selectors == 2, "and a good selector");
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gt_interrupts.c"
#define OVERVIEW  "Overview"
#define ENGINES   "GT Engine Interrupts"
#define SCHEDULER "Hardware Scheduler/MinIA SW Interface"
#define HOST      "Host SW Interface"
#define LOGIC     "Interrupt Aggregating Logic"
#define FIRST     "First Level Interrupt Bits"
#define SHARED    "Shared IIR, Selector"
#define ENABLES   "Enable and Mask Registers"
#define OA        "OA Interrupt Control Registers"

/* clang-format off */
const struct conformance_case gt_interrupt_cases[] = {
    CHECKED("004-INT-02", OVERVIEW, "Host software can service all interrupts while the scheduler enables and receives none", "lkf", host_does_all),
    CHECKED("004-INT-03", OVERVIEW, "Scheduling interrupts can be sent to the hardware scheduler and all others to the host", "lkf", scheduler_schedules),
    GENERATED("004-INT-04", OVERVIEW, "Each engine has 16 independent interrupt bits (OA-E23)", "lkf", each_bit),
    GENERATED("004-INT-10", ENGINES, "A message identifies its sender, for all classes and instances of the table and for GuC (OA-E23)", "lkf", each_engine),
    CHECKED("004-INT-11", ENGINES, "Classes 5 (OA-E23), 6 and 7 and the instances that the table omits do not exist", "lkf", no_such_engine),
    CHECKED_ROW("004-INT-12", ENGINES, "A message holds data in bits 15:0, class in 18:16, instance in 25:20 and virtual function in 29:27", "lkf", on_gpu, AWAKE(message_format)),
    CHECKED_ROW("004-INT-13", ENGINES, "Bits 31:30, 26 and 19 of a message are reserved and ignored", "lkf", on_gpu, AWAKE(reserved_bits)),
    CHECKED("004-INT-15", SCHEDULER, "Each of the scheduler's two vectors belongs to one group of engines", "lkf", two_vectors),
    CHECKED("004-INT-16", SCHEDULER, "The two groups are serviced independently", "lkf", groups_apart),
    CHECKED("004-INT-25", HOST, "Master Control also holds the levels of display and other units", "lkf", other_sources),
    CHECKED("004-INT-26", HOST, "INT DW and Master Control exist for each virtual machine", "lkf", copies),
    GENERATED("004-INT-30", LOGIC, "The second level has one bit for each engine, in two DWs of up to 32 bits", "lkf", all_at_once),
    GENERATED("004-INT-40", FIRST, "An event passes if its engine's Enable bit is 1, regardless of the other bits", "lkf", each_enable),
    GENERATED("004-INT-45", FIRST, "Each instance of class Other has its own Enable", "lkf", other_class),
    GENERATED("004-INT-46", FIRST, "An event passes if its instance's Mask bit is 0, regardless of the other bits", "lkf", each_mask),
    CHECKED("004-INT-69", SHARED, "The model reports invalid selectors and clearing before service", "lkf", warnings),
    GENERATED("004-INT-71", ENABLES, "All 15 Enable and Mask registers keep what is written; at reset nothing is enabled and everything is masked (OA-U18)", "lkf", registers),
    CHECKED("004-INT-73", ENABLES, "The Enables of the two interfaces are complements: each event is sent to one of them", "lkf", complements),
    GENERATED("004-OAIRQ-05", OA, "The limit is half of each buffer size, 128 KiB to 16 MiB", "lkf", half_of_each_size),
};
/* clang-format on */
const size_t gt_interrupt_case_count = COUNT(gt_interrupt_cases);
