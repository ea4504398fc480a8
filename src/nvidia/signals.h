/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_SIGNALS_H
#define TALLY_NVIDIA_SIGNALS_H

/* The unit signals as data/signals/make_signals.c writes them: offsets, so that nothing needs
 * relocation. */

#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>

/* The rows of one chipset; chipsets may share them. The last one has no chipset. */
struct signal_table {
    const char chipset[8];
    uint16_t first, count;
};

/* A signal, or a group of them. Texts are offsets into signal_texts. */
struct signal_row {
    uint16_t name, note;
    uint16_t alias; /* 0, or the first element's place in signal_aliases, one an element */
    uint8_t domain; /* TALLY_DOMAIN() */
    uint8_t first, last;
};

extern const struct signal_table signal_tables[];
extern const struct signal_row signal_rows[];
extern const uint16_t signal_aliases[];
extern const char signal_texts[];

#endif
