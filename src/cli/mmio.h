/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_MMIO_H
#define TALLY_CLI_MMIO_H

/* tally mmio: registers of a modelled or real GPU by hand. mmio_device.c opens the device,
 * mmio_operands.c finds registers, mmio.c reads, writes and dumps, mmio_watch.c watches, and
 * mmio_histogram.c counts with PCOUNTER. */

#include <stdio.h>

#include "cli/cli.h"
#include "cli/find.h"
#include "driver/io.h"
#include "sink/lists.h"

struct card;
struct emulation;
struct mmio_model;

/* An open device. */
struct mmio {
    const struct arguments *arguments;
    const char *device; /* the operand: "sim:skl", "pci:0000:01:00.0" */
    struct found found; /* its registers; chip.name NULL: they are not known */
    const char *title;  /* of the GPU */
    bool error_words;   /* reads may return error words (PC-F.4) */
    uint64_t bytes;     /* of the register space: BAR 0 */
    struct driver_io io;
    uint64_t interval_ns, time_ns; /* of watch */
    uint32_t woken;                /* domains that --wake requested, indices into wake_domains */
    bool permanent;                /* what is written stays */

    struct card *card;           /* a real GPU, or NULL */
    struct emulation *emulation; /* a modelled one of Intel, or NULL */
    struct mmio_model *model;    /* of NVIDIA, or NULL */
    FILE *trace;                 /* --trace mmio */
};

/* Opens the device of the second operand; `permanent`: what is written stays. Prints errors;
 * returns an exit code. */
int mmio_open(const struct arguments *arguments, bool permanent, struct mmio *mmio);

/* Puts back what was written, unless it is permanent, and closes the device. Returns `code`, or
 * prints an error and returns its code. */
int mmio_close(struct mmio *mmio, int code);

/* Whether a signal has requested the end. */
bool mmio_is_stopped(void);

/* Keeps the domain of a register awake, with --wake. */
void mmio_wake(struct mmio *mmio, uint32_t address);

/* ---- operands -------------------------------------------------------------------------------- */

/* A register to access. */
struct mmio_item {
    uint32_t address;
    bool known; /* else it has only an address */
    const struct reg_map *map;
    struct reg_place place;
    unsigned domain;

    bool assigned;                 /* an operand WHERE=VALUE */
    const struct reg_field *field; /* of WHERE.FIELD=VALUE, or NULL */
    uint32_t value;                /* assigned, of the field or the register */
    uint32_t seen;                 /* what watch has read last */
};

struct mmio_items {
    struct mmio_item *rows;
    size_t count, capacity;
};

/* Adds the registers that an operand names. `blocks`: names of maps are allowed, and NULL is all
 * registers that can be read. `values`: assignments are allowed. Prints errors; returns an exit
 * code. */
int mmio_parse(struct mmio *mmio, const char *operand, bool blocks, bool values,
               struct mmio_items *out);

/* Sets mmio->found to a register. */
void mmio_select(struct mmio *mmio, const struct mmio_item *at);

/* ---- access ---------------------------------------------------------------------------------- */

/* Returns the name of a register, "-" if it is not known. */
const char *mmio_name(struct mmio *mmio, const struct mmio_item *at, char *text, size_t size);

bool mmio_is_readable(const struct mmio_item *at);

uint32_t mmio_read(struct mmio *mmio, const struct mmio_item *at);

/* Performs an assignment. Of a field, the register's other bits keep their values; of a register
 * with write enables, its bits are enabled. Returns EXIT_DONE and the value that was written; if
 * the register cannot be read, so that the other bits are not known, prints an error. */
int mmio_write(struct mmio *mmio, const struct mmio_item *at, uint32_t *written);

/* Returns what is suspicious about a value that was read, or "". */
const char *mmio_note(struct mmio *mmio, const struct mmio_item *at, uint32_t value, char *text,
                      size_t size);

/* Parses the times of watch. Prints errors; returns an exit code. */
int mmio_watch_times(struct mmio *mmio);

/* Performs assignments, and writes rows of what changes to a list of the kind mmio_watch_list.
 * Returns an exit code. */
int mmio_watch(struct mmio *mmio, const struct mmio_items *registers, struct list *list);
extern const struct list_kind mmio_watch_list;

/* Performs tally mmio histogram. Prints errors; returns an exit code. */
int mmio_histogram(struct mmio *mmio);

#endif
