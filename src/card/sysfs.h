/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CARD_SYSFS_H
#define TALLY_CARD_SYSFS_H

/* The GPUs of this machine as PCI devices, from sysfs. Nothing here touches the hardware. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#define CARD_VENDOR_INTEL  0x8086u
#define CARD_VENDOR_NVIDIA 0x10deu

/* Size of "0000:01:00.0", also with a domain of 32 bits. */
#define CARD_ADDRESS_BYTES 20

/* A PCI address. */
struct card_address {
    uint32_t domain;
    uint8_t bus, device, function;
};

struct card_entry {
    struct card_address where;
    char address[CARD_ADDRESS_BYTES]; /* "0000:01:00.0" */
    uint16_t vendor, device;
    uint32_t class_code;  /* 24 bits */
    char driver[32];      /* kernel driver that is bound; "": none */
    char power_state[16]; /* "D0", "D3hot"; "": unknown */
    uint64_t bar_bytes;   /* size of BAR 0; 0: it has no memory */
    int readable;         /* 0, or the errno of opening BAR 0 for reading */
    int writable;         /* the same for writing */
};

/* Parses "0000:01:00.0" or "01:00.0". Returns false for anything else. */
bool card_parse_address(const char *text, struct card_address *out);

/*
 * Visits the display controllers of Intel and NVIDIA by ascending address. `root` is prepended to
 * paths: "", or in tests a directory that mimics a machine. Returns their number; 0 on a machine
 * without PCI.
 */
size_t card_list(const char *root, void (*visit)(void *closure, const struct card_entry *entry),
                 void *closure);

/* Describes one device, of any kind. Returns 0; -ENODEV and an error: there is none. */
int card_describe(const char *root, const struct card_address *where, struct card_entry *out,
                  struct tally_error *error);

/* Whether the device is a display controller of Intel or NVIDIA. */
bool card_is_gpu(const struct card_entry *entry);

/* Whether the device is in D3hot or D3cold, where its registers do not respond. */
bool card_sleeps(const struct card_entry *entry);

/* Reads and writes an attribute of a device in sysfs: "power/control". Return 0 or a negative
 * errno. */
int card_get_attribute(const char *root, const char *address, const char *name, char *text,
                       size_t size);
int card_set_attribute(const char *root, const char *address, const char *name, const char *text);

/* Locks a device against other processes that lock it, of any user: its file `config`. Returns a
 * descriptor, which the caller closes to unlock; -EWOULDBLOCK: it is locked; another errno. */
int card_lock(const char *root, const char *address);

/* Why BAR 0 may not be mapped although the process has the permission. */
struct card_kernel {
    bool lockdown;       /* the kernel is locked down (secure boot) */
    bool strict;         /* CONFIG_IO_STRICT_DEVMEM, and iomem=relaxed is not given */
    bool strict_unknown; /* the kernel's configuration cannot be read */
};

struct card_kernel card_kernel(const char *root);

#endif
