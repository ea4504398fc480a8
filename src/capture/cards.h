/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CARDS_H
#define TALLY_CAPTURE_CARDS_H

#include <stdbool.h>

#include <tally/error.h>

#include "card/card.h"

/* Whether a device is named by its PCI address: "pci:0000:01:00.0". */
bool capture_is_card(const char *device);

/*
 * Opens a card of NVIDIA for recording, which writes its registers: `allowed` by the user; `force`:
 * also while a kernel driver is bound. Returns 0; -EINVAL: no PCI address; -ENODEV: no such GPU;
 * -EOPNOTSUPP: a GPU that is not recorded without a kernel driver (docs/real-cards.md); -EACCES:
 * not allowed; errors of card_open().
 */
int capture_open_card(const char *device, bool allowed, bool force, struct card **out,
                      struct tally_error *error);

#endif
