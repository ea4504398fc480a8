/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_DRIVES_H
#define TALLY_EMULATION_NVIDIA_DRIVES_H

/* Which units of a workload drive which signals of PCOUNTER: the table of drives.c. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>

#include "intel/workload/units.h"

/* What a signal does with the activity of its unit. */
enum drive_kind {
    DRIVE_BUSY,     /* 1 while the unit is active */
    DRIVE_IDLE,     /* 0 while it is */
    DRIVE_REQUEST,  /* 1 while a stage is active or stalled */
    DRIVE_READY,    /* 0 while it is stalled */
    DRIVE_STALLED,  /* 1 while it is */
    DRIVE_EVENTS,   /* pulses */
    DRIVE_NO_EVENT, /* their inverse */
    DRIVE_NUMBER,   /* a bit of the number of events at each clock */
    DRIVE_LEVEL     /* a bit of the loaded threads, while a stage is active or stalled */
};

/* In place of a unit: the threads of all stages. */
#define ALL_THREADS UNITS

/* Families of chipsets: ranges in the documents' order. */
enum drive_family {
    OF_NV40,    /* NV40:G80 */
    OF_TESLA,   /* G80:GF100 */
    OF_G80,     /* G80:G200 */
    OF_G200,    /* G200:GF100 */
    OF_G80_TEX, /* G80 */
    OF_G84_TEX, /* G84:GF100 */
    OF_FERMI,   /* GF100:GF108, GF110:GF119 */
    OF_GF108,
    OF_GF119 /* GF119 on */
};

/* A selector register must have a value in some bits for the unit to drive the signal. */
struct drive_condition {
    const char *selector; /* of nvidia/selectors.def; NULL: none */
    uint32_t value, mask; /* mask 0: all fields */
};

struct drive_row {
    uint8_t family; /* enum drive_family */
    uint8_t kind;   /* enum drive_kind */
    uint8_t unit;   /* enum unit_id, or ALL_THREADS */
    uint8_t element, bit;
    uint8_t times, per; /* of an event; 0 means 1 */
    uint8_t less;       /* unit whose events are subtracted; 0: none */
    bool groups; /* one row for each group of MPC, whose byte of the selector has the value */

    /* A published name, with `element` of its group; "@" and the event that the table of signals
     * notes; or "/DOMAIN/INDEX" of a signal without one. */
    const char *signal;
    struct drive_condition conditions[2];
    const char *source;
};

extern const struct drive_row drive_rows[];
extern const size_t drive_row_count;

/* Whether a row is for a chipset. */
bool drive_row_is_of(const struct drive_row *row, const struct tally_chipset *chipset);

#endif
