/* SPDX-License-Identifier: MIT */
/* The interrupt tree: OA-3 and OA-8, OA-D41 to OA-D46 and example 7. */
#include "intel/tests.h"

#include <errno.h>

#include "intel/gt/interrupts.h"
#include "intel/interrupts_plain.h"
#include "intel/parts.h"

/* ---- example 7 ------------------------------------------------------------------------------- */

enum act { RD, WR, IRQ, LINE };

struct step {
    unsigned line;
    enum act act;
    uint32_t address, value; /* IRQ: class << 8 | instance, data; LINE: -, level */
};

static void run_steps(struct gt_interrupts *interrupts, const struct step *steps, size_t count)
{
    struct gt_interrupt_copy *host = &interrupts->host[0];
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        if (s->act == WR) {
            gt_interrupts_write32(host, s->address, s->value);
        } else if (s->act == IRQ) {
            int result = gt_interrupts_message(interrupts, s->address >> 8, s->address & 0xff, 0,
                                               (uint16_t)s->value);
            ROW(s->line, result == 0, "message: %d", result);
        } else if (s->act == RD) {
            uint32_t peeked = gt_interrupts_peek32(host, s->address);
            uint32_t value = gt_interrupts_read32(host, s->address);
            ROW(s->line, value == s->value && peeked == value,
                "%06" PRIx32 " reads %08" PRIx32 ", expected %08" PRIx32, s->address, value,
                s->value);
        } else {
            ROW(s->line, gt_interrupts_line(host) == s->value, "line, expected %" PRIu32, s->value);
        }
    }
}

static void test_example_7(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {__LINE__, WR, 0x19003c, 0x0000ffff},
        {__LINE__, WR, 0x1900ec, 0xffff0000},
        {__LINE__, WR, 0x190010, 0x80000000},
        {__LINE__, LINE, 0, 0},
        {__LINE__, IRQ, 0x402, GT_HALF_FULL_DATA},
        {__LINE__, LINE, 0, 1},
        {__LINE__, RD, 0x190010, 0x80000001},
        {__LINE__, WR, 0x190010, 0},
        {__LINE__, LINE, 0, 0},
        {__LINE__, RD, 0x190018, 0x00100000},
        {__LINE__, IRQ, 0x402, 3},
        {__LINE__, IRQ, 0x000, 1},
        {__LINE__, WR, 0x190070, 0x00300000},
        {__LINE__, RD, 0x190060, 0},
        {__LINE__, WR, 0x190070, 0x00100000},
        {__LINE__, RD, 0x190060, 0x80241003},
        {__LINE__, RD, 0x190070, 0x00100000},
        {__LINE__, WR, 0x190060, 0x80000000},
        {__LINE__, RD, 0x190060, 0},
        {__LINE__, RD, 0x190018, 0x00100000},
        {__LINE__, WR, 0x190018, 0x00100000},
        {__LINE__, RD, 0x190010, 0x00000001},
        {__LINE__, RD, 0x190018, 0x00100000},
        {__LINE__, WR, 0x190070, 0x00100000},
        {__LINE__, RD, 0x190060, 0x80240000},
        {__LINE__, WR, 0x190060, 0x80000000},
        {__LINE__, WR, 0x190018, 0xffffffff},
        {__LINE__, RD, 0x190010, 0},
        {__LINE__, WR, 0x1900ec, 0xffffffff},
        {__LINE__, IRQ, 0x402, 0x8000},
        {__LINE__, RD, 0x190010, 0},
        {__LINE__, WR, 0x1900ec, 0xffff0000},
        {__LINE__, WR, 0x190010, 0x80000000},
        {__LINE__, RD, 0x190010, 0x80000001},
        {__LINE__, LINE, 0, 1},
        {__LINE__, WR, 0x190018, 0xffffffff},
        {__LINE__, RD, 0x190018, 0x00100000},
    };
    struct gt_interrupts interrupts;
    gt_interrupts_reset(&interrupts);
    run_steps(&interrupts, steps, COUNT(steps));
    ROW(__LINE__, interrupts.host[0].illegal_selectors == 1, "the selector of two bits");
    ROW(__LINE__, interrupts.host[0].unserviced_clears == 1, "the last clear was not serviced");
    ROW(__LINE__, !gt_interrupts_vector(&interrupts, 0), "the scheduler enabled nothing");
    ROWS_DONE();
}

/* ---- engines --------------------------------------------------------------------------------- */

/* OA-3.1, OA-3.3 and the identities of OA-8. */
static void test_engines(void **state)
{
    (void)state;
    static const struct {
        unsigned line, engine_class, instance, dw;
        uint32_t bit, enable, enable_half, mask, half, data, identity;
    } rows[] = {
        {__LINE__, 0, 0, 0, 0, 0x30, 16, 0x90, 16, 0x0001, 0x80000001},
        {__LINE__, 1, 0, 1, 0, 0x34, 16, 0xa8, 16, 0x0001, 0x80010001},
        {__LINE__, 1, 1, 1, 1, 0x34, 16, 0xa8, 0, 0x0001, 0x80110001},
        {__LINE__, 1, 2, 1, 2, 0x34, 16, 0xac, 16, 0x0001, 0x80210001},
        {__LINE__, 1, 3, 1, 3, 0x34, 16, 0xac, 0, 0x0800, 0x80310800},
        {__LINE__, 2, 0, 1, 31, 0x34, 0, 0xd0, 16, 0x0100, 0x80020100},
        {__LINE__, 2, 1, 1, 30, 0x34, 0, 0xd0, 0, 0x0010, 0x80120010},
        {__LINE__, 3, 0, 0, 15, 0x30, 0, 0xa0, 16, 0xffff, 0x8003ffff},
        {__LINE__, 4, 0, 0, 25, 0x38, 16, 0xe8, 16, 0x8000, 0x80048000},
        {__LINE__, 4, 1, 0, 16, 0x3c, 16, 0xec, 16, 0x0020, 0x80140020},
        {__LINE__, 4, 2, 0, 20, 0x3c, 0, 0xec, 0, 0x1000, 0x80241000},
        {__LINE__, 4, 3, 0, 21, 0x38, 0, 0xe8, 0, 0x0002, 0x80340002},
        {__LINE__, 4, 4, 0, 19, 0x40, 16, 0xf0, 16, 0x4000, 0x80444000},
        {__LINE__, 4, 5, 0, 28, 0x44, 16, 0xf4, 16, 0x0008, 0x80540008},
        {__LINE__, 4, 6, 0, 31, 0x44, 0, 0xf4, 0, 0x0001, 0x80640001},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned line = rows[i].line, dw = rows[i].dw;
        uint32_t enable = rows[i].data << rows[i].enable_half;
        struct gt_interrupts interrupts;
        struct gt_interrupt_copy *host = &interrupts.host[0];
        gt_interrupts_reset(&interrupts);
        /* Writes only this unit's half of enable and mask, so that the wrong half would fail. */
        gt_interrupts_write32(host, 0x190000 + rows[i].enable, enable);
        gt_interrupts_write32(host, 0x190000 + rows[i].mask, ~(rows[i].data << rows[i].half));
        gt_interrupts_message32(&interrupts, rows[i].identity & 0x7fffffff);
        uint32_t read = gt_interrupts_read32(host, 0x190018 + 4 * dw);
        ROW(line, read == 1u << rows[i].bit, "DW%u is %08" PRIx32, dw, read);
        ROW(line, gt_interrupts_read32(host, 0x190010) == 1u << dw, "master control");
        gt_interrupts_write32(host, 0x190070 + 4 * dw, read);
        read = gt_interrupts_read32(host, 0x190060 + 4 * dw);
        ROW(line, read == rows[i].identity, "identity %08" PRIx32, read);
        ROW(line, gt_engine_find(rows[i].engine_class, rows[i].instance) == i, "engine");
    }
    assert_int_equal(COUNT(rows), GT_ENGINES);
    struct gt_interrupts interrupts;
    gt_interrupts_reset(&interrupts);
    ROW(__LINE__, gt_interrupts_message(&interrupts, 5, 0, 0, 1) == -EINVAL, "class 5");
    ROW(__LINE__, gt_interrupts_message(&interrupts, 0, 1, 0, 1) == -EINVAL, "RCS1");
    ROW(__LINE__, gt_interrupts_message(&interrupts, 1, 63, 0, 1) == -EINVAL, "VCS63");
    ROW(__LINE__, gt_interrupts_message(&interrupts, 0, 0, GT_FUNCTIONS, 1) == -EINVAL, "VF 8");
    ROWS_DONE();
}

/* ---- two interfaces, eight functions --------------------------------------------------------- */

/* The enables of host and scheduler are complements: each receives its own events. */
static void test_interfaces(void **state)
{
    (void)state;
    struct gt_interrupts interrupts;
    gt_interrupts_reset(&interrupts);
    struct gt_interrupt_copy *host = &interrupts.host[0], *other = &interrupts.host[3];
    struct gt_interrupt_copy *guc = &interrupts.guc;
    struct gt_interrupt_copy *const all[] = {host, other, guc};
    for (size_t i = 0; i < COUNT(all); i++) {
        gt_interrupts_write32(all[i], 0x190030, all[i] == guc ? 0x01000000 : 0x00010000);
        gt_interrupts_write32(all[i], 0x190034, all[i] == guc ? 0xffffffff : 0);
        gt_interrupts_write32(all[i], 0x190090, 0);
        gt_interrupts_write32(all[i], 0x1900ac, 0);
    }
    gt_interrupts_message(&interrupts, 0, 0, 3, 0x0101); /* user interrupt, context switch */
    ROW(__LINE__, !gt_interrupts_peek32(host, 0x190018), "function 0 got function 3's");
    ROW(__LINE__, gt_interrupts_peek32(other, 0x190018) == 1, "function 3's own");
    ROW(__LINE__, gt_interrupts_vector(&interrupts, 0), "vector 0");
    ROW(__LINE__, !gt_interrupts_vector(&interrupts, 1), "vector 1");
    gt_interrupts_write32(other, 0x190070, 1);
    gt_interrupts_write32(guc, 0x190070, 1);
    ROW(__LINE__, gt_interrupts_read32(other, 0x190060) == 0x98000001, "function 3's identity");
    ROW(__LINE__, gt_interrupts_read32(guc, 0x190060) == 0x98000100, "scheduler's identity");
    gt_interrupts_message(&interrupts, 1, 2, 0, 1);
    ROW(__LINE__, gt_interrupts_vector(&interrupts, 1), "vector 1");
    ROW(__LINE__, !gt_interrupts_vector(&interrupts, 2), "there is no vector 2");
    ROW(__LINE__, !gt_interrupts_peek32(host, 0x19001c), "the host left VCS to the scheduler");
    ROWS_DONE();
}

/* The reload from DW_CR is a new event (document: "Second Level Interrupt Bits"). */
static void test_events_and_levels(void **state)
{
    (void)state;
    struct gt_interrupts interrupts;
    gt_interrupts_reset(&interrupts);
    struct gt_interrupt_copy *guc = &interrupts.guc, *host = &interrupts.host[0];
    gt_interrupts_write32(guc, 0x190030, 0xffffffff);
    gt_interrupts_write32(guc, 0x190090, 0);
    gt_interrupts_write32(guc, 0x1900a0, 0);
    gt_interrupts_message(&interrupts, 0, 0, 0, 1);
    gt_interrupts_message(&interrupts, 0, 0, 0, 2);
    ROW(__LINE__, guc->dw[0].events == 1, "%" PRIu32 " events", guc->dw[0].events);
    gt_interrupts_read32(guc, 0x190018);
    gt_interrupts_message(&interrupts, 3, 0, 0, 1);
    gt_interrupts_write32(guc, 0x190070, 1);
    gt_interrupts_write32(guc, 0x190060, 0x80000000);
    gt_interrupts_write32(guc, 0x190018, 1);
    ROW(__LINE__, guc->dw[0].events == 2, "%" PRIu32 " events", guc->dw[0].events);
    ROW(__LINE__, gt_interrupts_peek32(guc, 0x190018) == 0x8000, "the reload");
    ROW(__LINE__, guc->unserviced_clears == 0, "it was serviced");

    static const unsigned levels[] = {30, 29, 16};
    gt_interrupts_write32(host, 0x190010, 0xffffffff);
    for (size_t i = 0; i < COUNT(levels); i++) {
        ROW(__LINE__, !gt_interrupts_set_level(host, levels[i], true), "bit %u", levels[i]);
        ROW(__LINE__, gt_interrupts_line(host), "bit %u", levels[i]);
        ROW(__LINE__, gt_interrupts_read32(host, 0x190010) == (0x80000000 | 1u << levels[i]),
            "bit %u", levels[i]);
        ROW(__LINE__, !gt_interrupts_set_level(host, levels[i], false), "bit %u", levels[i]);
        ROW(__LINE__, !gt_interrupts_line(host), "bit %u", levels[i]);
    }
    ROW(__LINE__, gt_interrupts_set_level(host, 0, true) == -EINVAL, "bit 0 is the tree's");
    ROW(__LINE__, gt_interrupts_set_level(host, 31, true) == -EINVAL, "bit 31 is software's");
    ROW(__LINE__, gt_interrupts_set_level(host, 32, true) == -EINVAL, "there is no bit 32");
    ROWS_DONE();
}

/* ---- compared with a simple tree ------------------------------------------------------------- */

static uint32_t random_address(struct random *rng)
{
    static const uint8_t hot[] = {0x10, 0x18, 0x1c, 0x30, 0x34, 0x38, 0x3c, 0x44, 0x60, 0x64, 0x70,
                                  0x74, 0x90, 0xa0, 0xa8, 0xac, 0xd0, 0xe8, 0xec, 0xf0, 0xf4};
    return 0x190000 + (random_below(rng, 16) ? hot[random_below(rng, sizeof hot)]
                                             : 4 * (uint32_t)random_below(rng, 0x50));
}

static uint32_t random_value(struct random *rng, const struct plain_tree *plain, uint32_t address)
{
    unsigned dw = address >> 2 & 1;
    uint32_t set = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        set |= (uint32_t)plain->units[32 * dw + bit].in_iir << bit;
    uint32_t some = (uint32_t)random_next(rng);
    switch (random_below(rng, 6)) {
    case 0:
        return some;
    case 1:
        return some & (uint32_t)random_next(rng) & (uint32_t)random_next(rng);
    case 2:
        return 1u << (some & 31);
    case 3:
        return set;
    case 4:
        return set & some;
    default: /* one of the bits that are set, as software would */
        while (set & (set - 1) && random_below(rng, 2))
            set &= set - 1;
        return set ? set & -set : 0xffffffff;
    }
}

static void test_random_sequences(void **state)
{
    (void)state;
    unsigned long identities = 0, reloads = 0;
    for (uint64_t seed = 0; seed < random_cases(1500); seed++) {
        struct random rng = random_start(seed);
        struct gt_interrupts interrupts;
        struct gt_interrupt_copy *host = &interrupts.host[5];
        struct plain_tree plain;
        gt_interrupts_reset(&interrupts);
        plain_reset(&plain);
        for (unsigned step = 0; step < 500; step++) {
            uint32_t address = random_address(&rng), a = 0, b = 0;
            uint64_t act = random_below(&rng, 3);
            if (act == 0) {
                const struct gt_engine_info *e = &gt_engines[random_below(&rng, GT_ENGINES)];
                uint16_t data = (uint16_t)(random_next(&rng) & random_next(&rng));
                gt_interrupts_message(&interrupts, e->engine_class, e->instance, 5, data);
                plain_message(&plain, e->engine_class, e->instance, 5, data);
            } else if (act == 1) {
                a = gt_interrupts_read32(host, address);
                b = plain_read(&plain, address);
                identities += a >> 31 && (address & 0xf8) == 0x60;
            } else {
                uint32_t value = random_value(&rng, &plain, address);
                uint32_t waiting = host->dw[0].collapsing | host->dw[1].collapsing;
                gt_interrupts_write32(host, address, value);
                plain_write(&plain, address, value);
                reloads += waiting && !(host->dw[0].collapsing | host->dw[1].collapsing);
            }
            bool line = gt_interrupts_line(host);
            if (!ROW(__LINE__, a == b && line == plain_line(&plain),
                     "seed %" PRIu64 ", step %u: %06" PRIx32 " is %08" PRIx32 ", plainly %08" PRIx32
                     "; lines %d, %d",
                     seed, step, address, a, b, line, plain_line(&plain)))
                break;
        }
    }
    ROW(__LINE__, identities > random_cases(1000) && reloads > random_cases(500),
        "only %lu identities, %lu reloads", identities, reloads);
    ROWS_DONE();
}

/* ---- registers ------------------------------------------------------------------------------- */

static void test_registers(void **state)
{
    (void)state;
    struct gt_interrupt_copy copy, before;
    gt_interrupt_copy_reset(&copy);
    for (uint32_t address = 0x18fff0; address < 0x190110; address++) {
        struct reg_place place;
        bool exists = reg_find(&gt_interrupts_map, INTEL_BIT(INTEL_LKF), UINT32_MAX, address,
                               REG_READ, &place);
        uint32_t value = gt_interrupts_read32(&copy, address);
        ROW(__LINE__, value == (exists ? place.reg->reset : 0), "%06" PRIx32, address);
        before = copy;
        if (!exists) {
            gt_interrupts_write32(&copy, address, 0xffffffff);
            ROW(__LINE__, !memcmp(&copy, &before, sizeof copy), "%06" PRIx32, address);
        } else if (strstr(place.reg->name, "_ENABLE") || strstr(place.reg->name, "_MASK")) {
            gt_interrupts_write32(&copy, address, 0x12345678);
            ROW(__LINE__, gt_interrupts_read32(&copy, address) == 0x12345678, "%s",
                place.reg->name);
            ROW(__LINE__,
                reg_mask(place.reg, INTEL_BIT(INTEL_LKF), UINT32_MAX, REG_WRITE) == 0xffffffff,
                "%s", place.reg->name);
        }
    }
    /* Section 6's list, and no more. */
    assert_int_equal(gt_interrupts_map.count, 1 + 2 + 6 + 2 + 2 + 9);
    ROWS_DONE();
}

int test_gt_interrupts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_7),        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_interfaces),       cmocka_unit_test(test_events_and_levels),
        cmocka_unit_test(test_random_sequences), cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests_name("gt_interrupts", tests, NULL, NULL);
}
