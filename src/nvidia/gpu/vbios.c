/* SPDX-License-Identifier: MIT */
/*
 * The image of the ROM: what a driver needs of a VBIOS, and no code. It has the headers of a PCI
 * expansion ROM (PCI Firmware Specification), and tables at the places where nouveau expects them:
 * the BIT, an initialization script, and a DCB, the list of outputs, which is empty.
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/pcounter/engine.h"

/* Places of the parts. */
enum {
    HEADER = 0,
    POINTER_PCIR = 24,
    POINTER_DCB = 54,
    PCIR = 64,
    BIT_TABLE = 96,
    INFO = 128,
    INIT = 144,
    SCRIPTS = 160,
    DCB = 176,
    SCRIPT = 208
};

#define ROM_BLOCK 512u /* the unit of sizes of an image */

/* Opcodes of the scripts. */
enum { ZM_REG_SEQUENCE = 'X', DONE = 'q' };

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static uint8_t *put8(uint8_t *at, unsigned value)
{
    *at = (uint8_t)value;
    return at + 1;
}

static uint8_t *put16(uint8_t *at, unsigned value)
{
    store_le16(at, (uint16_t)value);
    return at + sizeof(uint16_t);
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    store_le32(at, value);
    return at + sizeof(uint32_t);
}

static void make_headers(const struct nvidia_gpu *gpu, uint8_t *rom)
{
    uint8_t *at = put(rom + HEADER, "\x55\xaa", 2);
    put8(at, NVIDIA_ROM_BYTES / ROM_BLOCK);
    put16(rom + POINTER_PCIR, PCIR);
    put16(rom + POINTER_DCB, DCB);

    at = put(rom + PCIR, "PCIR", 4);
    at = put32(at, gpu->config[0]); /* vendor and device */
    at = put16(at, 0);
    at = put16(at, 24);              /* size of this structure */
    at = put8(at, 0);                /* and its version */
    at = put(at, "\x00\x00\x03", 3); /* class */
    at = put16(at, NVIDIA_ROM_BYTES / ROM_BLOCK);
    at = put16(at, 0);
    at = put8(at, 0); /* code for x86 */
    put8(at, 0x80);   /* the last image */
}

/* An entry of the BIT: its id, version, and the size and place of its table. */
static uint8_t *put_entry(uint8_t *at, char id, unsigned size, unsigned place)
{
    at = put8(at, (unsigned)id);
    at = put8(at, 1);
    return put16(put16(at, size), place);
}

static void make_bit(const struct nvidia_gpu *gpu, uint8_t *rom)
{
    uint8_t *at = put(rom + BIT_TABLE,
                      "\xff\xb8"
                      "BIT\0\0\x01\x0c\x06\x02",
                      11);
    at = put8(at, 0);
    at = put_entry(at, 'i', 16, INFO);
    put_entry(at, 'I', 14, INIT);

    /* The version: the fourth byte is that of the generation, the third one the chipset. */
    put(rom + INFO, (const uint8_t[]){0, 0, (uint8_t)gpu->chipset->id, 0x62}, 4);
    put16(rom + INIT, SCRIPTS);
    put16(rom + SCRIPTS, SCRIPT); /* the list ends with 0 */
}

/* A DCB of version 4.0 without outputs. */
static void make_dcb(uint8_t *rom)
{
    uint8_t *at = put8(rom + DCB, 0x40);
    at = put8(at, 27); /* size of this header */
    at = put8(at, 0);  /* outputs */
    at = put8(at, 8);  /* size of one */
    at = put16(at, 0);
    put32(at, 0x4edcbdcb);
}

/*
 * The script that a driver runs on a board that no firmware has initialized. It makes
 * PGRAPH.PM_TRIGGER the SWAP of all domains: drivers rely on that without writing SPEC_SRC
 * (PC-AMB-40).
 */
static void make_script(const struct nvidia_gpu *gpu, uint8_t *rom)
{
    unsigned domains = tally_pcounter_domains(gpu->pcounter);
    uint8_t *at = put8(rom + SCRIPT, ZM_REG_SEQUENCE);
    at = put32(at, NV40_SPEC_SRC);
    at = put8(at, domains);
    for (unsigned i = 0; i < domains; i++) {
        int signal = gpu->trigger_signals[i];
        at = put32(at, REG_PUT(PCOUNTER_SPEC_SRC, SWAP, signal < 0 ? 0 : signal));
    }
    put8(at, DONE);
}

void nvidia_vbios_make(const struct nvidia_gpu *gpu, uint8_t rom[NVIDIA_ROM_BYTES])
{
    uint8_t sum = 0;
    memset(rom, 0, NVIDIA_ROM_BYTES);
    make_headers(gpu, rom);
    make_bit(gpu, rom);
    make_dcb(rom);
    make_script(gpu, rom);
    for (size_t i = 0; i < NVIDIA_ROM_BYTES - 1; i++)
        sum = (uint8_t)(sum + rom[i]);
    rom[NVIDIA_ROM_BYTES - 1] = (uint8_t)-sum; /* the bytes of an image add up to 0 */
}
