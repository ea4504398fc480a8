/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CARDS_H
#define TALLY_CAPTURE_CARDS_H

#include <stdbool.h>

#include <tally/error.h>

/* Whether a device is named by its PCI address: "pci:0000:01:00.0". */
bool capture_is_card(const char *device);

/* Explains why a card is not recorded. Returns -EINVAL: no PCI address; -ENODEV: no such GPU;
 * -EOPNOTSUPP: a GPU that is not recorded without a kernel driver (docs/real-cards.md). */
int capture_refuse_card(const char *device, struct tally_error *error);

#endif
