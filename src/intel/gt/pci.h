/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_PCI_H
#define TALLY_INTEL_GT_PCI_H

/*
 * The PCI configuration space of the graphics device, 0:2:0, of its virtual functions, 0:2:1 and
 * on, and the registers of the host bridge, 0:0:0, that the graphics device mirrors (document: "PCI
 * Device Registers"; OA-5; data/pci/registers.csv).
 *
 *     gt_pci_init(&pci, PCI_LKF, 0x9840, 0);
 *     gt_pci_write(&pci, 2, 0, 0x10, 4, 0xffffffff);
 *     gt_pci_read(&pci, 2, 0, 0x10, 4);                   // ff000004h: 16 MiB, 64 bits
 *
 * pci.c has the registers, pci_decode.c what they enable, pci_interrupt.c MSI and INTx.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intel/pci_layout.h"

/* Devices of bus 0. */
#define GT_PCI_HOST_DEVICE     0u
#define GT_PCI_GRAPHICS_DEVICE 2u

#define GT_PCI_BYTES     0x1000u /* of a configuration space */
#define GT_PCI_MODELLED  0x360u  /* bytes that the registers occupy */
#define GT_PCI_FUNCTIONS 8u      /* of the graphics device: function 0 and its virtual functions */

/* The spaces. Virtual function n has the space GT_PCI_GRAPHICS + n and the registers of
 * GT_PCI_VIRTUAL. */
enum gt_pci_space {
    GT_PCI_HOST,
    GT_PCI_GRAPHICS,
    GT_PCI_VIRTUAL,
    GT_PCI_SPACES = GT_PCI_GRAPHICS + GT_PCI_FUNCTIONS
};

/* What a register does: the column `behaviour` of the table. */
enum gt_pci_behaviour {
    GT_PCI_FIXED,   /* reads the same value forever */
    GT_PCI_STORAGE, /* keeps what is written; the row's note says why it has no other effect */
    GT_PCI_DEVICE_ID,
    GT_PCI_REVISION,
    GT_PCI_WRITE_ONCE,
    GT_PCI_SUBSYSTEM_ID,   /* the same; firmware writes the device id */
    GT_PCI_SUBSYSTEM_COPY, /* of a virtual function: that of the device */
    GT_PCI_COMMAND,
    GT_PCI_STATUS,
    GT_PCI_GTTMMADR,
    GT_PCI_GMADR,
    GT_PCI_IOBAR,
    GT_PCI_MSAC,
    GT_PCI_GGC, /* this and the next three are the sources of mirrors; bit 0 of all but DEVEN locks
                   them */
    GT_PCI_BDSM,
    GT_PCI_DPR,
    GT_PCI_DEVEN,
    GT_PCI_GGC_MIRROR,
    GT_PCI_BDSM_MIRROR,
    GT_PCI_DEVEN_MIRROR,
    GT_PCI_VTDBAR, /* this and the next are set from the memory controller's registers */
    GT_PCI_VTDBAR_UPPER,
    GT_PCI_MSI_CONTROL,
    GT_PCI_MSI_ADDRESS,
    GT_PCI_MSI_UPPER,
    GT_PCI_MSI_DATA,
    GT_PCI_MSI_MASK,
    GT_PCI_MSI_PENDING,
    GT_PCI_DEVICE_CONTROL,
    GT_PCI_AF_CONTROL,
    GT_PCI_PM_CONTROL,
    GT_PCI_SWSMI,
    GT_PCI_SWSCI,
    GT_PCI_PASID_CONTROL,
    GT_PCI_ATS_CONTROL,
    GT_PCI_PRI_CONTROL,
    GT_PCI_PRI_STATUS,
    GT_PCI_VF_CONTROL,
    GT_PCI_VF_COUNT,
    GT_PCI_VF_OFFSET,
    GT_PCI_VF_STRIDE,
    GT_PCI_VF_PAGE_SIZE,
    GT_PCI_VF_GTTMMADR,
    GT_PCI_VF_GTTMMADR_UPPER,
    GT_PCI_BEHAVIOURS
};

/* A row of the table. The registers of a space and layout do not overlap, and ascend. */
struct gt_pci_register {
    uint16_t on;     /* PCI_ON() of its layouts */
    uint8_t device;  /* enum gt_pci_space, up to GT_PCI_VIRTUAL */
    uint16_t offset; /* bytes */
    uint8_t bytes;   /* 1 to 8 */
    const char *symbol;
    uint64_t reset;
    uint64_t firmware; /* value that firmware leaves */
    uint64_t writable; /* bits that software can write */
    uint64_t clears;   /* bits that are cleared by writing 1 */
    uint64_t keeps;    /* bits that a function level reset does not reset */
    uint8_t behaviour; /* enum gt_pci_behaviour */
    const char *name;
    const char *note; /* on its behaviour, or why it only stores */
};

extern const struct gt_pci_register gt_pci_registers[];
extern const size_t gt_pci_register_count;

/* A range that a BAR decodes. bytes 0: the layout does not have it. */
struct gt_pci_range {
    uint64_t base, bytes;
};

/* What the registers enable at present. */
struct gt_pci_state {
    bool present;            /* DEVEN does not hide the device */
    bool powered;            /* D0 */
    bool memory, io, master; /* PCICMD, in D0 */
    bool function_memory;    /* VF MSE */
    uint8_t functions;       /* number of virtual functions */
    struct gt_pci_range gttmmadr, gmadr, iobar, function_gttmmadr; /* the last: of function 1 */
};

struct gt_pci {
    uint8_t layout; /* enum intel_pci_layout */
    uint8_t spaces[GT_PCI_SPACES][GT_PCI_MODELLED];
    uint8_t written; /* bytes of the subsystem ids that firmware has written, a mask */
    uint8_t levels;  /* functions whose interrupt is high, a mask */
    struct gt_pci_state state;
};

/* After a reset. revision: for RID. */
void gt_pci_init(struct gt_pci *pci, enum intel_pci_layout layout, uint16_t device_id,
                 uint8_t revision);

/* Firmware has assigned the BARs, enabled the device, and locked GGC and BDSM. */
void gt_pci_firmware(struct gt_pci *pci);

/* ---- registers ------------------------------------------------------------------------------- */

/* Finds the register that contains a byte of a space; NULL if there is none. */
const struct gt_pci_register *gt_pci_find(enum intel_pci_layout layout, unsigned space,
                                          unsigned offset);

/* Finds the register of a space with a behaviour, the first if it has several; NULL: none. */
const struct gt_pci_register *gt_pci_with(enum intel_pci_layout layout, unsigned space,
                                          enum gt_pci_behaviour behaviour);

/* Return or set the value of such a register from the hardware's side, including read-only bits;
 * without one, 0 and no effect. */
uint64_t gt_pci_value(const struct gt_pci *pci, unsigned space, enum gt_pci_behaviour behaviour);
void gt_pci_set(struct gt_pci *pci, unsigned space, enum gt_pci_behaviour behaviour,
                uint64_t value);

/* Returns or sets a register's value. */
uint64_t gt_pci_get_register(const struct gt_pci *pci, unsigned space,
                             const struct gt_pci_register *reg);
void gt_pci_set_register(struct gt_pci *pci, unsigned space, const struct gt_pci_register *reg,
                         uint64_t value);

/* What a write demands of the GPU, a mask. */
enum gt_pci_action {
    GT_PCI_RESETS = 1,           /* the function, by function level reset */
    GT_PCI_SLEEPS = 2,           /* D0 to D3hot */
    GT_PCI_WAKES = 4,            /* D3hot to D0 */
    GT_PCI_SMI = 8,              /* calls firmware */
    GT_PCI_SCI = 16,             /* calls firmware */
    GT_PCI_FUNCTIONS_CHANGE = 32 /* virtual functions appear or disappear */
};

/*
 * Configuration accesses. bytes: 1, 2 or 4, aligned; offset: below GT_PCI_BYTES. Without a
 * register, reads return 0 and writes are ignored. For a device or function that does not exist,
 * and for other sizes and offsets, reads return all ones in `bytes` bytes (for other sizes 32) and
 * writes are ignored, as on a bus without a device. Returns from _write a mask of enum
 * gt_pci_action.
 */
uint32_t gt_pci_read(const struct gt_pci *pci, unsigned device, unsigned function, unsigned offset,
                     unsigned bytes);
unsigned gt_pci_write(struct gt_pci *pci, unsigned device, unsigned function, unsigned offset,
                      unsigned bytes, uint32_t value);

/* ---- pci_decode.c: what the registers enable --------------------------------------------------
 */

/* Updates `state` after registers have changed. */
void gt_pci_update(struct gt_pci *pci);

/* Returns the size of GMADR in bytes that a value of MSAC selects; 0 if the value is reserved. */
uint64_t gt_pci_aperture_of(const struct gt_pci_register *msac, uint64_t value);

/* Returns the virtual function that has a function number of the device; 0: none has. */
unsigned gt_pci_virtual(const struct gt_pci *pci, unsigned function);

enum gt_pci_target {
    GT_PCI_NOWHERE,
    GT_PCI_REGISTERS,          /* lower half of GTTMMADR */
    GT_PCI_PAGE_TABLE,         /* upper half */
    GT_PCI_APERTURE,           /* GMADR */
    GT_PCI_PORTS,              /* IOBAR */
    GT_PCI_FUNCTION_REGISTERS, /* lower half of a virtual function's GTTMMADR */
    GT_PCI_FUNCTION_PAGE_TABLE
};

struct gt_pci_place {
    enum gt_pci_target target;
    unsigned function; /* virtual function, or 0 */
    uint64_t offset;   /* in the target */
};

/* Finds what a memory address (`io`: an I/O port) accesses. */
struct gt_pci_place gt_pci_decode(const struct gt_pci *pci, bool io, uint64_t address);

/* ---- pci_interrupt.c ------------------------------------------------------------------------- */

/* A memory write that is an interrupt. */
struct gt_pci_message {
    uint64_t address;
    uint32_t data;
};

/* The interrupt of function 0 to 7 has the level. Returns whether a message is sent now: at a
 * rising edge, with MSI and bus master enabled in D0, unless it is masked; then it is pending. */
bool gt_pci_set_level(struct gt_pci *pci, unsigned function, bool level,
                      struct gt_pci_message *message);

/* Returns whether a pending message is sent now, because it is not masked any more. Call it after
 * writes. */
bool gt_pci_release(struct gt_pci *pci, unsigned function, struct gt_pci_message *message);

/* Returns the level of INTA#. */
bool gt_pci_intx(const struct gt_pci *pci);

#endif
