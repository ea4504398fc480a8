/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_PCI_H
#define TALLY_INTEL_GT_PCI_H

/*
 * The PCI configuration space of Lakefield's graphics device, 0:2:0, with the two registers of the
 * host bridge, 0:0:0, that the document lists with it (document: "PCI Device Registers"; OA-5;
 * data/lkf/pci-registers.csv).
 *
 *     gt_pci_init(&pci, 0x9840);
 *     gt_pci_write(&pci, GT_PCI_GRAPHICS, 0x10, 4, 0xffffffff);
 *     gt_pci_read(&pci, GT_PCI_GRAPHICS, 0x10, 4);              // ff000004h: 16 MiB, 64 bits
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gt_pci_device { GT_PCI_HOST = 0, GT_PCI_GRAPHICS = 2 };

#define GT_PCI_BYTES 0x1000u

/* A row of the table. Registers do not overlap; those of a device are in ascending order. */
struct gt_pci_register {
    uint8_t device;  /* enum gt_pci_device */
    uint16_t offset; /* bytes */
    uint8_t bytes;   /* 1 to 8 */
    const char *symbol;
    uint64_t reset;
    uint64_t writable; /* bits that software can write */
    uint64_t clears;   /* bits that are cleared by writing 1 */
    const char *name;
};

extern const struct gt_pci_register gt_pci_registers[];
extern const size_t gt_pci_register_count;

/* Finds the register that contains a byte of a device's space; NULL if there is none. */
const struct gt_pci_register *gt_pci_find(enum gt_pci_device device, unsigned offset);

struct gt_pci {
    uint8_t spaces[2][0x360]; /* of 0:0:0 and 0:2:0 */
    uint64_t aperture_bytes;  /* size of GMADR: a power of two, 128 MiB or more; 256 MiB at first */
    uint32_t function_resets; /* function level resets requested so far (PCI Express device control
                                 bit 15); the caller resets the device when it increases */
};

/* Power-on. device_id: for example 9840h (GT2) or 9841h (GT1.5). */
void gt_pci_init(struct gt_pci *pci, uint16_t device_id);

/*
 * Configuration accesses. bytes: 1, 2 or 4, aligned; offset: below GT_PCI_BYTES. Without a
 * register, reads return 0 and writes are ignored. For other sizes, offsets and devices, reads
 * return all ones and writes are ignored, as on a bus without a device.
 *
 * Side effects of writes: the size bits of BARs are read-only, so that software can find the sizes;
 * writing 1 clears status bits; power states other than D0 and D3 are ignored; a function level
 * reset is counted, and its bit reads 0. DEVEN0 of 0:2:0 mirrors DEVEN of 0:0:0.
 */
uint32_t gt_pci_read(const struct gt_pci *pci, enum gt_pci_device device, unsigned offset,
                     unsigned bytes);
void gt_pci_write(struct gt_pci *pci, enum gt_pci_device device, unsigned offset, unsigned bytes,
                  uint32_t value);

/*
 * Sets a register from the hardware's side, including read-only bits (status bits, mirrors, pending
 * MSI, a subsystem id). offset: start of the register. Returns 0; -EINVAL if no register starts
 * there.
 */
int gt_pci_set(struct gt_pci *pci, enum gt_pci_device device, unsigned offset, uint64_t value);

/* Returns the value of the register that starts at an offset; 0 if none does. */
uint64_t gt_pci_get(const struct gt_pci *pci, enum gt_pci_device device, unsigned offset);

/* ---- BARs and capabilities ------------------------------------------------------------------- */

enum gt_pci_bar {
    GT_PCI_GTTMMADR, /* 10h: registers below 8 MiB, the page table above */
    GT_PCI_GMADR,    /* 18h: the aperture */
    GT_PCI_IOBAR,    /* 20h */
    GT_PCI_BARS
};

/* Return the base address and the size in bytes of a BAR, decoded or not. bar: below GT_PCI_BARS.
 */
uint64_t gt_pci_bar_base(const struct gt_pci *pci, enum gt_pci_bar bar);
uint64_t gt_pci_bar_bytes(const struct gt_pci *pci, enum gt_pci_bar bar);

/*
 * Finds the BAR that decodes a memory address (`io`: an I/O port). Requires that PCICMD enables the
 * space, and power state D0. Returns 0 and sets *bar and the offset in it; -ENXIO if there is none.
 */
int gt_pci_decode(const struct gt_pci *pci, bool io, uint64_t address, enum gt_pci_bar *bar,
                  uint64_t *offset);

/* Return the offset of a capability in the list from 34h (id 1 PM, 5 MSI, 9 vendor, 10h PCI
 * Express), or of an extended capability in the list from 100h (1Bh PASID, Fh ATS, 13h PRI, 10h
 * SR-IOV); 0: not present. */
unsigned gt_pci_capability(const struct gt_pci *pci, unsigned id);
unsigned gt_pci_extended_capability(const struct gt_pci *pci, unsigned id);

#endif
