/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CARD_CARD_H
#define TALLY_CARD_CARD_H

/*
 * A real GPU, used by its registers alone: BAR 0, mapped by libpciaccess (docs/real-cards.md).
 *
 *     card_open(&(struct card_settings){.name = "0000:01:00.0", .writable = true}, &card, &error);
 *     struct driver_io io = card_io(card);         // for a driver
 *     card_close(card, &error);                    // puts back what was written
 *
 * Without `writable` the mapping is read-only, and nothing of the card is changed, in
 * configuration space neither. With it, each register's value is saved to a file before its first
 * write (state.h).
 *
 * Thread rule: libpciaccess has global state, so all cards of a process belong to one thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>
#include <tally/platform.h>

#include "card/sysfs.h"
#include "driver/io.h"
#include "intel/platforms.h"

struct card;

struct card_settings {
    const char *name; /* "0000:01:00.0" or "01:00.0" */
    bool writable;    /* the user allowed writes */
    bool force;       /* also while a kernel driver is bound */
    bool wake;        /* keep the device out of D3hot (power/control); needs `writable` */
    bool permanent;   /* writes of registers are not put back */
};

struct card_info {
    struct card_entry entry;
    uint64_t bytes; /* of BAR 0 */

    /* NVIDIA: BOOT_0 and what it says; NULL: an unknown chipset. */
    uint32_t boot0;
    const struct tally_chipset *chipset;

    /* Intel: by the PCI id; NULL: unknown, and without a model. */
    const struct tally_sku *sku;
    const struct intel_platform *platform;
};

/*
 * Opens a card. Returns 0, or a negative errno with one line: -EINVAL: not a PCI address; -ENODEV:
 * no such device, not a GPU of Intel or NVIDIA, asleep, or it does not respond; -EACCES: no
 * permission; -EBUSY: a kernel driver is bound, or another process writes to it.
 */
int card_open(const struct card_settings *settings, struct card **out, struct tally_error *error);

/* Puts back what was written, unless it is permanent, and frees the card; NULL is allowed. Returns
 * 0, or the first error with a message: something could not be put back (then the file of the state
 * stays), or an earlier write was dropped, because its register could not be saved. */
int card_close(struct card *card, struct tally_error *error);

const struct card_info *card_info(const struct card *card);

/* Registers and time: CLOCK_MONOTONIC. A read beyond BAR 0 returns ones. A write beyond it, of a
 * card that is not writable, or whose register cannot be saved, is dropped. */
struct driver_io card_io(struct card *card);

/* Puts back what a process that was killed has left in a file of state.h. Returns the number of
 * changes; -EBUSY: the process still runs, or a kernel driver is bound, without `force`; another
 * negative errno; each with an error. The file is removed if nothing is left to do. */
int card_restore(const char *path, bool force, struct tally_error *error);

#endif
