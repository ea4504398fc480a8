/* SPDX-License-Identifier: MIT */
#include "intel/pci_plain.h"

#include <string.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Describes `bytes` bytes of a space. */
static void rule(struct pci_plain *pci, unsigned space, unsigned offset, unsigned bytes,
                 uint64_t reset, uint64_t firmware, uint64_t writable, uint64_t clears,
                 uint64_t keeps)
{
    for (unsigned i = 0; i < bytes; i++)
        pci->rules[space][offset + i] = (struct pci_plain_byte){
            (uint8_t)(reset >> 8 * i), (uint8_t)(firmware >> 8 * i), (uint8_t)(writable >> 8 * i),
            (uint8_t)(clears >> 8 * i), (uint8_t)(keeps >> 8 * i)};
}

#define FIXED(space, offset, bytes, value) rule(pci, space, offset, bytes, value, value, 0, 0, 0)
#define SOFTWARE(offset, bytes, mask)      rule(pci, PLAIN_DEVICE, offset, bytes, 0, 0, mask, 0, 0)

static void describe_header(struct pci_plain *pci, uint16_t device_id, uint8_t revision)
{
    FIXED(PLAIN_DEVICE, 0x00, 4, (uint32_t)device_id << 16 | 0x8086);
    rule(pci, PLAIN_DEVICE, 0x04, 2, 0, 7, 0x407, 0, 0);
    FIXED(PLAIN_DEVICE, 0x08, 4, 0x03000000 | revision);
    rule(pci, PLAIN_DEVICE, 0x2c, 4, 0, (uint32_t)device_id << 16 | 0x8086, UINT32_MAX, 0,
         UINT32_MAX);
    rule(pci, PLAIN_DEVICE, 0x3c, 1, 0, 11, 0xff, 0, 0);
    FIXED(PLAIN_DEVICE, 0x3d, 1, 1);
    rule(pci, PLAIN_DEVICE, 0x20, 4, 1, 0x4001, 0xffc0, 0, 0);
    rule(pci, PLAIN_DEVICE, 0xe0, 2, 0, 0, 0xffff, 0, 0xffff);
    rule(pci, PLAIN_DEVICE, 0xe4, 4, 0, 0, UINT32_MAX, 0, UINT32_MAX);
    rule(pci, PLAIN_DEVICE, 0xe8, 2, 0, 0, 0xffff, 0, 0xffff);
    rule(pci, PLAIN_DEVICE, 0xfc, 4, 0, 0, UINT32_MAX, 0, UINT32_MAX);
    rule(pci, PLAIN_DEVICE, 0xd4, 2, 0, 0, 3, 0, 0);
    FIXED(PLAIN_DEVICE, 0xd2, 2, 0x22);
}

static void describe_snb(struct pci_plain *pci)
{
    rule(pci, PLAIN_HOST, 0x50, 2, 0, 0x209, 0x43fb, 0, 0);
    rule(pci, PLAIN_DEVICE, 0x06, 2, 0x90, 0x90, 0, 0xf900, 0);
    rule(pci, PLAIN_DEVICE, 0x10, 8, 4, 0xc0000004, ~UINT64_C(0x3fffff), 0, 0);
    rule(pci, PLAIN_DEVICE, 0x18, 8, 12, 0xd000000c, ~UINT64_C(0x7ffffff), 0, 0);
    FIXED(PLAIN_DEVICE, 0x34, 1, 0x90);
    rule(pci, PLAIN_DEVICE, 0x62, 1, 2, 2, 6, 0, 0xff);
    FIXED(PLAIN_DEVICE, 0x90, 2, 0xd005);
    SOFTWARE(0x92, 2, 0x71);
    SOFTWARE(0x94, 4, 0xfffffffc);
    SOFTWARE(0x98, 2, 0xffff);
    FIXED(PLAIN_DEVICE, 0xa4, 4, 0x03060013);
    SOFTWARE(0xa8, 1, 1);
    FIXED(PLAIN_DEVICE, 0xd0, 2, 0xa401);
}

static void describe_chv(struct pci_plain *pci)
{
    rule(pci, PLAIN_DEVICE, 0x06, 2, 0x10, 0x10, 0, 0xf900, 0);
    rule(pci, PLAIN_DEVICE, 0x10, 8, 4, 0xc0000004, ~UINT64_C(0xffffff), 0, 0);
    rule(pci, PLAIN_DEVICE, 0x18, 8, 12, 0xd000000c, ~UINT64_C(0xfffffff), 0, 0);
    FIXED(PLAIN_DEVICE, 0x34, 1, 0xd0);
    rule(pci, PLAIN_DEVICE, 0x50, 2, 0, 0x309, 0x43fb, 0, 0xffff);
    rule(pci, PLAIN_DEVICE, 0x5c, 4, 0, 0x7c000001, 0xfff00001, 0, UINT32_MAX);
    FIXED(PLAIN_DEVICE, 0x90, 2, 0xb005);
    SOFTWARE(0x92, 2, 0x71);
    SOFTWARE(0x94, 4, 0xfffffffc);
    SOFTWARE(0x98, 2, 0xffff);
    FIXED(PLAIN_DEVICE, 0xb0, 4, 0x00070009);
    FIXED(PLAIN_DEVICE, 0xd0, 2, 0x9001);
}

static void describe_lkf(struct pci_plain *pci, uint16_t device_id, uint8_t revision)
{
    rule(pci, PLAIN_HOST, 0x50, 2, 0, 0x1c1, 0xffc7, 0, 0);
    rule(pci, PLAIN_DEVICE, 0x06, 2, 0x10, 0x10, 0, 0xf900, 0);
    rule(pci, PLAIN_DEVICE, 0x10, 8, 4, 0xc0000004, ~UINT64_C(0xffffff), 0, 0);
    rule(pci, PLAIN_DEVICE, 0x18, 8, 12, 0xd000000c, ~UINT64_C(0x7ffffff), 0, 0);
    FIXED(PLAIN_DEVICE, 0x34, 1, 0x40);
    FIXED(PLAIN_DEVICE, 0x40, 4, 0x010c7009);
    rule(pci, PLAIN_DEVICE, 0x60, 4, 0x10000, 0x10000, 0x1f0000, 0, UINT32_MAX);
    FIXED(PLAIN_DEVICE, 0x70, 4, 0x0092ac10);
    FIXED(PLAIN_DEVICE, 0x74, 4, 0x10008000);
    rule(pci, PLAIN_DEVICE, 0x78, 2, 0, 0, 0xffff, 0, 0xe0);
    rule(pci, PLAIN_DEVICE, 0x7a, 2, 0, 0, 0, 15, 0);
    FIXED(PLAIN_DEVICE, 0xac, 2, 0xd005);
    rule(pci, PLAIN_DEVICE, 0xae, 2, 0x100, 0x100, 0x71, 0, 0);
    SOFTWARE(0xb0, 4, 0xfffffffc);
    SOFTWARE(0xb4, 2, 0xffff);
    SOFTWARE(0xb8, 4, 1);
    FIXED(PLAIN_DEVICE, 0xd0, 2, 1);
    FIXED(PLAIN_DEVICE, 0x100, 4, 0x2001001b);
    FIXED(PLAIN_DEVICE, 0x104, 2, 0x1400);
    SOFTWARE(0x106, 2, 1);
    FIXED(PLAIN_DEVICE, 0x200, 4, 0x3001000f);
    SOFTWARE(0x206, 2, 0x801f);
    FIXED(PLAIN_DEVICE, 0x300, 4, 0x32010013);
    SOFTWARE(0x304, 2, 1);
    rule(pci, PLAIN_DEVICE, 0x306, 2, 0x100, 0x100, 0, 3, 0);
    FIXED(PLAIN_DEVICE, 0x308, 4, 0x8000);
    SOFTWARE(0x30c, 4, UINT32_MAX);
    FIXED(PLAIN_DEVICE, 0x320, 4, 0x10010);
    SOFTWARE(0x328, 2, 9);
    rule(pci, PLAIN_DEVICE, 0x32a, 2, 0, 0, 0, 1, 0);
    FIXED(PLAIN_DEVICE, 0x32c, 4, 0x70007);
    SOFTWARE(0x330, 2, 7);
    FIXED(PLAIN_DEVICE, 0x334, 4, 0x10001);
    FIXED(PLAIN_DEVICE, 0x33a, 2, device_id);
    FIXED(PLAIN_DEVICE, 0x33c, 4, 0x553);
    rule(pci, PLAIN_DEVICE, 0x340, 4, 1, 1, 0x553, 0, 0);
    rule(pci, PLAIN_DEVICE, 0x344, 8, 4, 4, ~UINT64_C(0xffffff), 0, 0);
    rule(pci, PLAIN_DEVICE, 0x34c, 8, 12, 12, ~UINT64_C(0x1fffffff), 0, 0);
    FIXED(PLAIN_VIRTUAL, 0x00, 4, UINT32_MAX);
    rule(pci, PLAIN_VIRTUAL, 0x04, 2, 0, 0, 4, 0, 0);
    rule(pci, PLAIN_VIRTUAL, 0x06, 2, 0x10, 0x10, 0, 0xf900, 0);
    FIXED(PLAIN_VIRTUAL, 0x08, 4, 0x03000000 | revision);
    FIXED(PLAIN_VIRTUAL, 0x34, 1, 0x70);
    FIXED(PLAIN_VIRTUAL, 0x70, 4, 0x0092ac10);
    FIXED(PLAIN_VIRTUAL, 0x74, 4, 0x10008000);
    rule(pci, PLAIN_VIRTUAL, 0x78, 2, 0, 0, 0x8000, 0, 0);
    rule(pci, PLAIN_VIRTUAL, 0x7a, 2, 0, 0, 0, 15, 0);
    FIXED(PLAIN_VIRTUAL, 0xac, 2, 5);
    rule(pci, PLAIN_VIRTUAL, 0xae, 2, 0x100, 0x100, 0x71, 0, 0);
    rule(pci, PLAIN_VIRTUAL, 0xb0, 4, 0, 0, 0xfffffffc, 0, 0);
    rule(pci, PLAIN_VIRTUAL, 0xb4, 2, 0, 0, 0xffff, 0, 0);
    rule(pci, PLAIN_VIRTUAL, 0xb8, 4, 0, 0, 1, 0, 0);
}

static unsigned kind_of(unsigned space)
{
    return space < PLAIN_VIRTUAL ? space : PLAIN_VIRTUAL;
}

void pci_plain_init(struct pci_plain *pci, const char *platform, uint16_t device_id,
                    uint8_t revision, bool firmware)
{
    memset(pci, 0, sizeof *pci);
    describe_header(pci, device_id, revision);
    pci->has_host = strcmp(platform, "chv") != 0;
    pci->express = pci->has_mask = !strcmp(platform, "lkf");
    pci->functions = pci->express ? 7 : 0;
    if (pci->has_host) {
        rule(pci, PLAIN_HOST, 0x54, 4, 0x10, 0x10, UINT32_MAX, 0, 0);
        rule(pci, PLAIN_HOST, 0x5c, 4, 0, 0, 0xff5, 0, 0);
        rule(pci, PLAIN_HOST, 0xb0, 4, 0, 0x7c000001, 0xfff00001, 0, 0);
    }
    if (!strcmp(platform, "snb"))
        describe_snb(pci);
    else if (!pci->has_host)
        describe_chv(pci);
    else
        describe_lkf(pci, device_id, revision);
    for (unsigned space = 0; space < PLAIN_SPACES; space++)
        for (unsigned at = 0; at < 0x1000; at++) {
            const struct pci_plain_byte *byte = &pci->rules[kind_of(space)][at];
            pci->bytes[space][at] =
                firmware && space < PLAIN_VIRTUAL ? byte->firmware : byte->reset;
        }
    pci->written = firmware ? 15 : 0;
}

/* ---- state ----------------------------------------------------------------------------------- */

static uint64_t number(const struct pci_plain *pci, unsigned space, unsigned offset, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)pci->bytes[space][offset + i] << 8 * i;
    return value;
}

static bool is_present(const struct pci_plain *pci)
{
    return !pci->has_host || (pci->bytes[PLAIN_HOST][0x54] & 0x10);
}

static bool works(const struct pci_plain *pci)
{
    return is_present(pci) && (pci->bytes[PLAIN_DEVICE][0xd4] & 3) == 0;
}

static unsigned existing(const struct pci_plain *pci)
{
    return pci->functions && (pci->bytes[PLAIN_DEVICE][0x328] & 1)
               ? pci->bytes[PLAIN_DEVICE][0x330] & 7u
               : 0;
}

bool pci_plain_memory(const struct pci_plain *pci)
{
    return works(pci) && (pci->bytes[PLAIN_DEVICE][4] & 2);
}

bool pci_plain_io(const struct pci_plain *pci)
{
    return works(pci) && (pci->bytes[PLAIN_DEVICE][4] & 1);
}

bool pci_plain_function(const struct pci_plain *pci, unsigned function)
{
    return works(pci) && function && function <= existing(pci) &&
           (pci->bytes[PLAIN_DEVICE][0x328] & 8);
}

uint64_t pci_plain_bar(const struct pci_plain *pci, unsigned offset)
{
    return number(pci, PLAIN_DEVICE, offset, offset == 0x20 ? 4 : 8) & ~UINT64_C(15);
}

uint64_t pci_plain_aperture(const struct pci_plain *pci)
{
    if (!pci->has_host)
        return UINT64_C(256) << 20;
    unsigned field = pci->express ? pci->bytes[PLAIN_DEVICE][0x62] & 31u
                                  : pci->bytes[PLAIN_DEVICE][0x62] >> 1 & 3u;
    return (UINT64_C(128) << 20) * (field + 1);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static unsigned msi_at(const struct pci_plain *pci)
{
    return pci->express ? 0xac : 0x90;
}

static void send(struct pci_plain *pci, unsigned function)
{
    unsigned at = msi_at(pci);
    pci->messages[function]++;
    pci->address = number(pci, PLAIN_DEVICE + function, at + 4, 4);
    pci->data = (uint32_t)number(pci, PLAIN_DEVICE + function, at + 8, 2);
}

/* Whether the function sends messages now, and whether they are masked. */
static bool can_send(const struct pci_plain *pci, unsigned function)
{
    return works(pci) && (pci->bytes[PLAIN_DEVICE + function][4] & 4) &&
           (pci->bytes[PLAIN_DEVICE + function][msi_at(pci) + 2] & 1);
}

static bool is_masked(const struct pci_plain *pci, unsigned function)
{
    return pci->has_mask && (pci->bytes[PLAIN_DEVICE + function][0xb8] & 1);
}

void pci_plain_level(struct pci_plain *pci, unsigned function, bool level)
{
    bool rises = level && !pci->level[function];
    pci->level[function] = level;
    if (function == 0)
        pci->bytes[PLAIN_DEVICE][6] = (uint8_t)((pci->bytes[PLAIN_DEVICE][6] & ~8) | level << 3);
    if (!level && pci->has_mask)
        pci->bytes[PLAIN_DEVICE + function][0xbc] = 0;
    if (!rises || !can_send(pci, function))
        return;
    if (is_masked(pci, function))
        pci->bytes[PLAIN_DEVICE + function][0xbc] = 1;
    else
        send(pci, function);
}

bool pci_plain_intx(const struct pci_plain *pci)
{
    return works(pci) && pci->level[0] && !(pci->bytes[PLAIN_DEVICE][5] & 4) &&
           !(pci->bytes[PLAIN_DEVICE][msi_at(pci) + 2] & 1);
}

/* ---- resets ---------------------------------------------------------------------------------- */

static void reset_space(struct pci_plain *pci, unsigned space)
{
    for (unsigned at = 0; at < 0x1000; at++) {
        const struct pci_plain_byte *byte = &pci->rules[kind_of(space)][at];
        pci->bytes[space][at] =
            (uint8_t)((byte->reset & ~byte->keeps) | (pci->bytes[space][at] & byte->keeps));
    }
}

static void reset_virtual(struct pci_plain *pci)
{
    for (unsigned n = 1; n <= pci->functions; n++) {
        reset_space(pci, PLAIN_DEVICE + n);
        pci_plain_level(pci, n, false);
    }
}

static void reset_chip(struct pci_plain *pci)
{
    pci->source = pci->enabled = false;
    pci->chip_resets++;
    for (unsigned n = 0; n <= pci->functions; n++)
        pci_plain_level(pci, n, false);
}

static void reset_device(struct pci_plain *pci)
{
    reset_space(pci, PLAIN_DEVICE);
    reset_virtual(pci);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static unsigned space_of(const struct pci_plain *pci, unsigned device, unsigned function)
{
    if (device == 0 && function == 0 && pci->has_host)
        return PLAIN_HOST;
    if (device == 2 && is_present(pci) && function <= existing(pci))
        return PLAIN_DEVICE + function;
    return PLAIN_SPACES;
}

static bool is_valid(unsigned offset, unsigned bytes)
{
    return offset < 0x1000 && (bytes == 1 || bytes == 2 || bytes == 4) && offset % bytes == 0;
}

static uint8_t read_byte(const struct pci_plain *pci, unsigned space, unsigned at)
{
    unsigned bdsm = pci->express ? 0xc0 : 0x5c;
    if (space == PLAIN_DEVICE && pci->has_host) {
        if (at == 0x50 || at == 0x51 || (at >= 0x54 && at < 0x58))
            return pci->bytes[PLAIN_HOST][at];
        if (at >= bdsm && at < bdsm + 4)
            return pci->bytes[PLAIN_HOST][0xb0 + at - bdsm];
    }
    if (space > PLAIN_DEVICE && at >= 0x2c && at < 0x30)
        return pci->bytes[PLAIN_DEVICE][at];
    return pci->bytes[space][at];
}

uint32_t pci_plain_read(const struct pci_plain *pci, unsigned device, unsigned function,
                        unsigned offset, unsigned bytes)
{
    unsigned space = space_of(pci, device, function);
    uint32_t value = 0;
    if (!is_valid(offset, bytes))
        return UINT32_MAX;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)(space == PLAIN_SPACES ? 0xff : read_byte(pci, space, offset + i))
                 << 8 * i;
    return value;
}

/* Whether bit 0 of a byte locks the byte. */
static bool is_locked(const struct pci_plain *was, unsigned space, unsigned at)
{
    unsigned ggc = was->has_host ? PLAIN_HOST : PLAIN_DEVICE;
    if (space == ggc && (at == 0x50 || at == 0x51))
        return was->bytes[space][0x50] & 1;
    if (space == PLAIN_HOST && at >= 0xb0 && at < 0xb4)
        return was->bytes[space][0xb0] & 1;
    if (space == ggc && at >= 0x5c && at < 0x60)
        return was->bytes[space][0x5c] & 1;
    return false;
}

/* Returns the bits of a byte that a write changes, by the state before it. */
static uint8_t writable(const struct pci_plain *was, unsigned space, unsigned at)
{
    const uint8_t *device = was->bytes[PLAIN_DEVICE];
    uint8_t mask = was->rules[kind_of(space)][at].writable;
    if (is_locked(was, space, at))
        return 0;
    if (space != PLAIN_DEVICE)
        return mask;
    if (at >= 0x2c && at < 0x30)
        return was->written >> (at - 0x2c) & 1 ? 0 : mask;
    if (at >= 0x18 && at < 0x20)
        return mask & (uint8_t)(~(pci_plain_aperture(was) - 1) >> 8 * (at - 0x18));
    if (!was->express)
        return mask;
    if ((at == 0x106 || at == 0x206) && (device[0x207] & 0x80))
        return 0;
    if ((at == 0x330 || (at >= 0x340 && at < 0x344)) && (device[0x328] & 1))
        return 0;
    return mask;
}

/* What the device does once its bytes are written. */
static void take_effect(struct pci_plain *pci, const struct pci_plain *was)
{
    uint8_t *now = pci->bytes[PLAIN_DEVICE];
    const uint8_t *old = was->bytes[PLAIN_DEVICE];
    unsigned field = (unsigned)(pci_plain_aperture(pci) / (UINT64_C(128) << 20)) - 1;
    if (pci->has_host && (field & (field + 1)))
        now[0x62] = old[0x62];
    for (unsigned i = 0; i < 8; i++) /* GMADR above its size */
        now[0x18 + i] &= (uint8_t)((~(pci_plain_aperture(pci) - 1) | 15) >> 8 * i);
    if ((now[0xd4] & 3) == 1 || (now[0xd4] & 3) == 2)
        now[0xd4] = old[0xd4];
    if (pci->express) {
        now[0x307] = (uint8_t)((now[0x307] & ~1) | !(now[0x304] & 1));
        if ((now[0x328] ^ old[0x328]) & 1)
            reset_virtual(pci);
    }
    if (!(old[0xd4] & 3) && (now[0xd4] & 3))
        reset_chip(pci);
    if ((old[0xd4] & 3) && !(now[0xd4] & 3)) {
        reset_device(pci);
        reset_chip(pci);
    }
    if (pci->express ? now[0x79] & 0x80 : pci->has_host && (now[0xa8] & 1)) {
        reset_device(pci);
        reset_chip(pci);
    }
    for (unsigned n = 1; n <= pci->functions; n++)
        if (pci->bytes[PLAIN_DEVICE + n][0x79] & 0x80) {
            reset_space(pci, PLAIN_DEVICE + n);
            pci_plain_level(pci, n, false);
        }
    for (unsigned n = 0; n <= existing(pci); n++)
        if (pci->has_mask && pci->bytes[PLAIN_DEVICE + n][0xbc] && !is_masked(pci, n) &&
            can_send(pci, n)) {
            pci->bytes[PLAIN_DEVICE + n][0xbc] = 0;
            send(pci, n);
        }
}

void pci_plain_write(struct pci_plain *pci, unsigned device, unsigned function, unsigned offset,
                     unsigned bytes, uint32_t value)
{
    static struct pci_plain was;
    unsigned space = space_of(pci, device, function);
    if (!is_valid(offset, bytes) || space == PLAIN_SPACES)
        return;
    was = *pci;
    for (unsigned i = 0; i < bytes; i++) {
        unsigned at = offset + i;
        uint8_t mask = writable(&was, space, at), byte = (uint8_t)(value >> 8 * i);
        uint8_t clears = pci->rules[kind_of(space)][at].clears;
        pci->bytes[space][at] =
            (uint8_t)(((was.bytes[space][at] & ~mask) | (byte & mask)) & ~(byte & clears));
        if (space == PLAIN_DEVICE && at >= 0x2c && at < 0x30)
            pci->written |= 1u << (at - 0x2c);
    }
    take_effect(pci, &was);
}
