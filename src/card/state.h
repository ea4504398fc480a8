/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CARD_STATE_H
#define TALLY_CARD_STATE_H

/*
 * What was changed on a card, in a file, so that it can be put back even after the process was
 * killed. The file is a log of lines: the first describes card and boot, each other one a register
 * (or a setting of the kernel) and what it was. A line is written before the change that it is
 * about, so a line that is incomplete belongs to no change.
 *
 *     tally-state 1 0000:01:00.0 10de:0611 4242 fb1c9bd7-...  format, card, PCI id, process, boot
 *     w 00a7c4 48f12973 00000000      register, bits that are put back, their value
 *     m 00a278 00000002 00000000      the same of a register with write enables in bits 31:16
 *     c 000004 0000ffff 00000400      PCI configuration space
 *     p auto                          sysfs: power/control
 *
 * The file is in /run for root, else in $XDG_RUNTIME_DIR; it has mode 0600, and is locked while a
 * process uses the card.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "card/sysfs.h"

enum state_kind { STATE_REGISTER, STATE_MASKED, STATE_CONFIG, STATE_POWER, STATE_KINDS };

struct state_entry {
    uint8_t kind; /* enum state_kind */
    uint32_t address, mask, value;
    char text[8]; /* of STATE_POWER */
};

#define STATE_BOOT_BYTES 40
#define STATE_PATH_BYTES 256

struct state {
    char path[STATE_PATH_BYTES];
    char card[CARD_ADDRESS_BYTES];
    uint16_t vendor, device;
    long process;                /* that wrote it */
    char boot[STATE_BOOT_BYTES]; /* of the machine: its boot_id */
    struct state_entry *entries; /* oldest first */
    size_t count, capacity;
    int fd; /* locked; -1: none */
};

/*
 * Creates the file of a card and locks it. Returns 0; -EBUSY and an error: another process uses the
 * card, or the changes of a process that was killed have not been put back; another negative errno
 * and an error. After 0 the caller ends with state_remove() or state_close().
 */
int state_create(struct state *state, const char *card, uint16_t vendor, uint16_t device,
                 struct tally_error *error);

/* Appends an entry, unless all of its bits are already there. Returns 0, or a negative errno and an
 * error: then the change must not be made. */
int state_add(struct state *state, const struct state_entry *entry, struct tally_error *error);

/* Removes the file: everything was put back. */
void state_remove(struct state *state);

/* Closes the file, and keeps it. */
void state_close(struct state *state);

/* ---- after a process was killed -------------------------------------------------------------- */

/* Visits the paths of all files that this user may have left, and returns their number. */
size_t state_list(void (*visit)(void *closure, const char *path), void *closure);

/* Opens and locks a file; state->card is "" if nothing was changed. Returns 0; -EBUSY: its process
 * still runs; -EPERM: it is not this user's own; -EBADMSG: malformed; each with an error. */
int state_open(struct state *state, const char *path, struct tally_error *error);

/* Parses the text of a file. Returns 0, or -EBADMSG and an error with the line. The caller frees
 * state->entries in both cases. */
int state_parse(struct state *state, const char *text, size_t size, struct tally_error *error);

/* Whether the machine has not restarted since. */
bool state_is_current(const struct state *state);

#endif
