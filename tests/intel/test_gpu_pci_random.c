/* SPDX-License-Identifier: MIT */
/* Random accesses to the PCI device of a GPU, compared with the plain device of pci_plain.h. */
#include "intel/tests.h"

#include "intel/gpu_rig.h"
#include "intel/pci_plain.h"

enum { STEPS = 400, REGISTER = 0x50000 /* reads 0, without wake */ };

struct run {
    struct gpu_rig *rig;
    struct pci_plain plain;
    struct random rng;
    uint64_t mmio_bytes; /* of GTTMMADR */
    unsigned step;
};

static uint32_t random_value(struct random *rng)
{
    switch (random_below(rng, 5)) {
    case 0:
        return UINT32_MAX;
    case 1:
        return 1u << random_below(rng, 32);
    case 2:
        return (uint32_t)random_below(rng, 16);
    default:
        return (uint32_t)random_next(rng);
    }
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void compare_dword(const struct run *run, unsigned device, unsigned function, unsigned at)
{
    uint32_t real = tally_gpu_pci_function_read(run->rig->gpu, device, function, at, 4);
    uint32_t plain = pci_plain_read(&run->plain, device, function, at, 4);
    ROW(run->step, real == plain, "%u.%u %03x is %08" PRIx32 ", plain %08" PRIx32, device, function,
        at, real, plain);
}

static void compare_spaces(const struct run *run)
{
    for (unsigned at = 0; at < 0x364; at += 4)
        compare_dword(run, 0, 0, at);
    for (unsigned function = 0; function < PLAIN_FUNCTIONS; function++)
        for (unsigned at = 0; at < 0x364; at += function && at >= 0xc0 ? 64 : 4)
            compare_dword(run, 2, function, at);
}

static void compare_interrupts(const struct run *run)
{
    const struct gpu_rig *rig = run->rig;
    for (unsigned n = 0; n < PLAIN_FUNCTIONS; n++)
        ROW(run->step, rig->messages[n] == run->plain.messages[n],
            "function %u: %u messages, plain %u", n, rig->messages[n], run->plain.messages[n]);
    ROW(run->step,
        rig->message_address == run->plain.address && rig->message_data == run->plain.data,
        "message %" PRIx64, rig->message_address);
    ROW(run->step, (rig->rises != rig->falls) == pci_plain_intx(&run->plain), "INTA#: %d",
        rig->rises != rig->falls);
}

static bool is_between(uint64_t address, uint64_t base, uint64_t bytes)
{
    return address - base < bytes;
}

/* Reads through each BAR. */
static void compare_decoding(const struct run *run)
{
    const struct pci_plain *plain = &run->plain;
    struct tally_gpu *gpu = run->rig->gpu;
    uint64_t mmio = pci_plain_bar(plain, 0x10), aperture = pci_plain_bar(plain, 0x18);
    uint64_t mmio_bytes = run->mmio_bytes;
    bool memory = pci_plain_memory(plain);
    ROW(run->step,
        tally_gpu_physical_read(gpu, mmio + REGISTER, 4) == (memory ? 0 : UINT32_MAX) ||
            (!memory && plain->functions),
        "register at %" PRIx64, mmio);
    ROW(run->step, tally_gpu_read32(gpu, REGISTER) == (memory ? 0 : UINT32_MAX), "register");
    if (!is_between(aperture + 0x100, mmio, mmio_bytes) && !plain->functions)
        ROW(run->step,
            tally_gpu_physical_read(gpu, aperture + 0x100, 4) == (memory ? 0x600df00d : UINT32_MAX),
            "aperture at %" PRIx64, aperture);
    if (memory) {
        ROW(run->step, tally_gpu_physical_read(gpu, mmio + mmio_bytes / 2 + 8, 8) == 0x1234567890,
            "page table");
        ROW(run->step, tally_gpu_physical_read(gpu, mmio + mmio_bytes - 4, 4) == UINT32_MAX,
            "end of the page table");
    }
    uint32_t port = (uint32_t)pci_plain_bar(plain, 0x20);
    tally_gpu_port_write(gpu, port, 4, REGISTER);
    ROW(run->step, tally_gpu_port_read(gpu, port + 4, 4) == (pci_plain_io(plain) ? 0 : UINT32_MAX),
        "port");
    for (unsigned n = 1; n <= plain->functions; n++) {
        uint64_t base = pci_plain_bar(plain, 0x344) + (n - 1) * (UINT64_C(16) << 20) + 0x190010;
        if ((memory && is_between(base, mmio, mmio_bytes)) ||
            (memory && is_between(base, aperture, pci_plain_aperture(plain))))
            continue;
        bool real = tally_gpu_physical_read(gpu, base, 4) != UINT32_MAX;
        ROW(run->step, real == pci_plain_function(plain, n), "function %u: %d", n, real);
    }
}

/* ---- actions --------------------------------------------------------------------------------- */

static void write_config(struct run *run, unsigned device, unsigned function, unsigned offset,
                         unsigned bytes, uint32_t value)
{
    tally_gpu_pci_function_write(run->rig->gpu, device, function, offset, bytes, value);
    pci_plain_write(&run->plain, device, function, offset, bytes, value);
    compare_dword(run, device, function, offset & ~3u);
    compare_interrupts(run);
}

static void write_anything(struct run *run)
{
    static const uint16_t favourites[] = {0x04, 0x10, 0x18, 0x20,  0x2c,  0x50,  0x5c,  0x60,
                                          0x78, 0xa8, 0xac, 0xb0,  0xb8,  0xd4,  0x90,  0x94,
                                          0x98, 0xe8, 0xfc, 0x104, 0x204, 0x304, 0x328, 0x330};
    bool favourite = random_below(&run->rng, 4) != 0;
    unsigned device = random_below(&run->rng, 6) ? 2 : (unsigned)random_below(&run->rng, 3);
    unsigned function =
        random_below(&run->rng, 3) ? 0 : (unsigned)random_below(&run->rng, PLAIN_FUNCTIONS);
    unsigned bytes = 1u << random_below(&run->rng, 3);
    unsigned offset = favourite ? favourites[random_below(&run->rng, COUNT(favourites))]
                                : (unsigned)random_below(&run->rng, 0x362) & ~3u;
    offset += (unsigned)random_below(&run->rng, 4 / bytes) * bytes;
    if (random_below(&run->rng, 50) == 0)
        offset |= 1; /* misaligned, for words and dwords */
    write_config(run, device, function, offset, bytes, random_value(&run->rng));
}

/* Brings the device back to work. */
static void enable(struct run *run)
{
    unsigned msi = run->plain.express ? 0xac : 0x90;
    write_config(run, 0, 0, 0x54, 4, 0x10);
    write_config(run, 2, 0, 0xd4, 1, 0);
    write_config(run, 2, 0, 0x10, 4, 0x80000000);
    write_config(run, 2, 0, 0x18, 4, 0);
    write_config(run, 2, 0, 0x1c, 4, 0x10);
    write_config(run, 2, 0, 0x04, 2, 7);
    write_config(run, 2, 0, msi + 2, 1, (uint32_t)random_below(&run->rng, 2));
    if (run->plain.functions) {
        write_config(run, 2, 0, 0x344, 4, 0x90000000);
        write_config(run, 2, 0, 0x348, 4, 0);
        write_config(run, 2, 0, 0x330, 2, (uint32_t)random_below(&run->rng, 8));
        write_config(run, 2, 0, 0x328, 2, 9);
        for (unsigned n = 1; n < PLAIN_FUNCTIONS; n++) {
            write_config(run, 2, n, 0x04, 2, 4);
            write_config(run, 2, n, 0xae, 2, 1);
            write_config(run, 2, n, 0xb0, 4, 0xfee00000 + 16 * n);
        }
    }
}

/* Changes the interrupt of the device: a source of master control. */
static void change_line(struct run *run)
{
    struct tally_gpu *gpu = run->rig->gpu;
    if (pci_plain_memory(&run->plain)) {
        tally_gpu_write32(gpu, 0x190010, 0x80000000);
        run->plain.enabled = true;
        pci_plain_level(&run->plain, 0, run->plain.source);
    }
    run->plain.source = random_below(&run->rng, 2);
    tally_gpu_set_level(gpu, 30, run->plain.source);
    pci_plain_level(&run->plain, 0, run->plain.source && run->plain.enabled);
    compare_interrupts(run);
}

/* Changes the interrupt of a virtual function: an engine's, by its master enable. */
static void change_function(struct run *run)
{
    struct tally_gpu *gpu = run->rig->gpu;
    unsigned n = 1 + (unsigned)random_below(&run->rng, 7);
    bool level = random_below(&run->rng, 2);
    bool decoded = pci_plain_function(&run->plain, n);
    tally_gpu_function_write32(gpu, n, 0x190030, 0xffff0000);
    tally_gpu_function_write32(gpu, n, 0x190090, 0);
    if (decoded)
        tally_gpu_interrupt(gpu, 0, 0, n, 1);
    tally_gpu_function_write32(gpu, n, 0x190010, level ? 0x80000000 : 0);
    if (decoded)
        pci_plain_level(&run->plain, n, level);
    compare_interrupts(run);
}

static void run_steps(struct run *run)
{
    for (run->step = 0; run->step < STEPS; run->step++) {
        switch (random_below(&run->rng, 8)) {
        case 0:
            if (random_below(&run->rng, 3) == 0)
                enable(run);
            break;
        case 1:
            if (run->plain.functions)
                change_line(run);
            break;
        case 2:
            if (run->plain.functions)
                change_function(run);
            break;
        case 3:
            compare_decoding(run);
            break;
        case 4:
            tally_gpu_run(run->rig->gpu, random_below(&run->rng, 100));
            break;
        default:
            write_anything(run);
        }
        if (run->step % 16 == 0)
            compare_spaces(run);
    }
}

static void test_random_accesses(void **state)
{
    (void)state;
    static const char *const platforms[] = {"lkf", "snb", "chv", "tgl", "hsw"};
    static const char *const like[] = {"lkf", "snb", "chv", "lkf", "snb"};
    static struct run run;
    unsigned cases = random_cases(60), resets = 0, messages = 0;
    for (unsigned i = 0; i < cases; i++) {
        unsigned p = i % COUNT(platforms);
        bool firmware = i % 3 != 0;
        const struct tally_platform *info = tally_platform_find(platforms[p]);
        run = (struct run){.rng = random_start(1000 + i),
                           .mmio_bytes = UINT64_C(1) << (!strcmp(like[p], "snb") ? 22 : 24)};
        run.rig = gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = platforms[p],
                                                                   .no_firmware = !firmware});
        pci_plain_init(&run.plain, like[p], info->example_device,
                       tally_sku_find(info->name)->pci_revision, firmware);
        PUT(run.rig, TALLY_GPU_GGTT, 0x100, 0x600df00d);
        memcpy(run.rig->page_table + 8, "\x90\x78\x56\x34\x12\0\0\0", 8);
        run_steps(&run);
        compare_spaces(&run);
        resets += run.plain.chip_resets;
        for (unsigned n = 0; n < PLAIN_FUNCTIONS; n++)
            messages += run.plain.messages[n];
        gpu_rig_free(run.rig);
    }
    if (cases > 20)
        ROW(__LINE__, resets > cases && messages > cases, "%u resets, %u messages", resets,
            messages);
    ROWS_DONE();
}

int test_gpu_pci_random(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_accesses)};
    return cmocka_run_group_tests_name("gpu_pci_random", tests, NULL, NULL);
}
