/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_PCI_PLAIN_H
#define TESTS_INTEL_PCI_PLAIN_H

/*
 * A plain PCI device, byte by byte: what each byte of configuration space does on write, and the
 * rules between them. Written from the specifications, independently of data/pci/registers.csv and
 * src/intel/gt/pci*.c.
 */

#include <stdbool.h>
#include <stdint.h>

#define PLAIN_FUNCTIONS 8

struct pci_plain_byte {
    uint8_t reset, firmware, writable, clears, keeps;
};

enum pci_plain_space { PLAIN_HOST, PLAIN_DEVICE, PLAIN_VIRTUAL, PLAIN_SPACES = 9 };

struct pci_plain {
    /* ---- properties */
    bool has_host, express, has_mask;
    unsigned functions;                     /* virtual ones, at most */
    struct pci_plain_byte rules[3][0x1000]; /* host bridge, device, virtual function */
    uint8_t bytes[PLAIN_SPACES][0x1000];    /* of each space; function n is PLAIN_DEVICE + n */
    unsigned written;                       /* bytes 2Ch to 2Fh that were written once */
    /* ---- interrupts */
    bool source, enabled; /* of function 0 */
    bool level[PLAIN_FUNCTIONS];
    unsigned messages[PLAIN_FUNCTIONS];
    uint64_t address; /* of the latest message */
    uint32_t data;
    unsigned chip_resets;
};

/* platform: "lkf", "snb" or "chv". */
void pci_plain_init(struct pci_plain *pci, const char *platform, uint16_t device_id,
                    uint8_t revision, bool firmware);

uint32_t pci_plain_read(const struct pci_plain *pci, unsigned device, unsigned function,
                        unsigned offset, unsigned bytes);
void pci_plain_write(struct pci_plain *pci, unsigned device, unsigned function, unsigned offset,
                     unsigned bytes, uint32_t value);

/* What the device decodes. */
bool pci_plain_memory(const struct pci_plain *pci);
bool pci_plain_io(const struct pci_plain *pci);
bool pci_plain_function(const struct pci_plain *pci, unsigned function); /* its memory space */
uint64_t pci_plain_bar(const struct pci_plain *pci, unsigned offset);
uint64_t pci_plain_aperture(const struct pci_plain *pci); /* size of GMADR */

/* Changes the level of a function's interrupt. */
void pci_plain_level(struct pci_plain *pci, unsigned function, bool level);
bool pci_plain_intx(const struct pci_plain *pci);

#endif
