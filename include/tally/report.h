/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REPORT_H
#define TALLY_REPORT_H

/*
 * Reports of Intel's Observation Architecture: what the counter unit writes to memory.
 *
 * A report is a fixed number of bytes. Where each counter stands in it depends on the platform
 * and on the Counter Select field of OACONTROL: a `tally_layout` says where, as a table of fields.
 * The same table packs and unpacks, so the two cannot disagree.
 *
 * Values travel in slots: one array index for each thing that a report can hold (A7 is
 * TALLY_SLOT_A + 7 whatever the layout). Slots that a layout lacks are left alone.
 *
 * Sources: HD Graphics PRM "Performance Counter Report Formats" (SNB, IVB, VLV, HSW); CHV/BSW PRM
 * Volume 14; Lakefield PRM Volume 13; the i915 uAPI (enum drm_i915_oa_format). Each layout names
 * its own.
 *
 * All functions are pure: they keep no state, may be called from any thread, and cannot fail
 * except as stated. Layouts are static data; never free them.
 */

#include <stddef.h>
#include <stdint.h>

#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a value lives in an array of TALLY_SLOT_COUNT values. */
enum tally_slot {
    TALLY_SLOT_ID = 0,        /* RPT_ID: report id, or reason and context-valid bits */
    TALLY_SLOT_TIMESTAMP = 1, /* OA timestamp, ticks of the platform's timestamp clock */
    TALLY_SLOT_TIMESTAMP_UPPER =
        2,                      /* second TIME_STAMP cell of SNB to HSW; undefined in practice */
    TALLY_SLOT_CONTEXT = 3,     /* context id */
    TALLY_SLOT_TICKS = 4,       /* GPU ticks: render clocks */
    TALLY_SLOT_INSTRUCTION = 5, /* INST ADD of the HSW layouts 100, 110, 111 */
    TALLY_SLOT_A = 8,           /* A0 to A63: aggregating counters */
    TALLY_SLOT_B = 72,          /* B0 to B7: boolean (custom event) counters */
    TALLY_SLOT_C = 80,          /* C0 to C15: NOA counters */
    TALLY_SLOT_PEC = 96,        /* PEC0 to PEC63 or MPEC0 to MPEC7: counters of Xe-era units */
    TALLY_SLOT_RESERVED = 160,  /* reserved dwords, kept so that a report survives a round trip */
    TALLY_SLOT_COUNT = 184
};

/*
 * A run of equal fields: `count` values of `width` bits, the first at byte `offset`, each next one
 * `stride` bytes on (negative where the hardware stores a row descending). A 40-bit value keeps
 * its bits 31:0 at `offset` and its bits 39:32 in the byte at `high`, which advances by one.
 */
struct tally_field {
    uint8_t slot;    /* enum tally_slot of the first value */
    uint8_t count;   /* 1 to 64 */
    uint8_t width;   /* bits: 32, 40 or 64 */
    int8_t stride;   /* bytes: 4, 8 or -4 */
    uint16_t offset; /* bytes from the start of the report */
    uint16_t high;   /* bytes from the start of the report; used only if width is 40 */
};

enum tally_layout_flags {
    TALLY_LAYOUT_UNCONFIRMED = 1 << 0, /* part of the layout is derived, not documented */
    TALLY_LAYOUT_NOT_EXPOSED = 1 << 1, /* the i915 driver never offers it */
};

struct tally_layout {
    const char *family; /* "snb", "ivb", "hsw", "gen8", "xehp", "xe" */
    const char *name;   /* format name in lower case, as the uAPI spells it: "a45_b8_c8" */
    const char *alias;  /* Counter Select in binary, "101", or NULL where it is not unique */
    const char *source; /* document and section */
    const struct tally_field *fields;
    uint16_t field_count;
    uint16_t size_bytes; /* bytes of one report, a multiple of 64 */
    uint8_t counter_select;
    uint8_t kernel_format; /* enum drm_i915_oa_format, 0 if the kernel has none */
    uint8_t header_bits;   /* width of the header's values: 32 or 64 */
    uint8_t flags;         /* enum tally_layout_flags */
};

/* Number of layouts known; tally_layout_at() takes 0 to this minus one. */
TALLY_API size_t tally_layout_count(void);

/* A layout by position, NULL past the end. */
TALLY_API const struct tally_layout *tally_layout_at(size_t index);

/*
 * Finds a layout by "PLATFORM/FORMAT": a platform or family name ("hsw", "skl", "gen8"), a slash,
 * and a format name ("a45_b8_c8") or a Counter Select in binary ("101"). Case does not matter.
 * Returns NULL if there is none.
 */
TALLY_API const struct tally_layout *tally_layout_find(const char *name);

/*
 * Finds the layout that a platform uses for a kernel format number (enum drm_i915_oa_format, 1 to
 * 14). Returns NULL if the platform does not have it.
 */
struct tally_platform;
TALLY_API const struct tally_layout *tally_layout_for_kernel(const struct tally_platform *platform,
                                                             unsigned kernel_format);

/*
 * Reads a report. `report` holds layout->size_bytes bytes at any alignment; `slots` gets a value
 * for each field of the layout (32- and 40-bit values zero-extended); other slots keep theirs.
 */
TALLY_API void tally_report_unpack(const struct tally_layout *layout, const void *report,
                                   uint64_t slots[TALLY_SLOT_COUNT]);

/*
 * Writes a report of layout->size_bytes bytes. Every byte is written, since every byte belongs to
 * exactly one field; a value is cut to its field's width, as a counter of that width would be.
 */
TALLY_API void tally_report_pack(const struct tally_layout *layout,
                                 const uint64_t slots[TALLY_SLOT_COUNT], void *report);

/* Width in bits of a slot in a layout, 0 if the layout does not hold it. */
TALLY_API unsigned tally_layout_width(const struct tally_layout *layout, unsigned slot);

/*
 * How far a counter advanced between two reports, modulo its width: (end - start) mod 2^width
 * (PERF-4.8). `width_bits` is 1 to 64.
 */
TALLY_API uint64_t tally_counter_delta(uint64_t start, uint64_t end, unsigned width_bits);

/*
 * Adds the deltas of consecutive reports to `sums`: `reports` are `count` + 1 pointers to raw
 * reports of `layout`; each slot that counts (timestamp, ticks, A, B, C, PEC) is advanced by the
 * sum of its `count` deltas, each taken modulo the slot's width, so that any number of wraps is
 * right.
 */
TALLY_API void tally_accumulate(const struct tally_layout *layout, const uint8_t *const *reports,
                                size_t count, uint64_t sums[TALLY_SLOT_COUNT]);

/*
 * Writes a slot's name ("A7", "TIMESTAMP", "reserved3") to `name`, at most `size` bytes with the
 * NUL. Returns `name`.
 */
TALLY_API char *tally_slot_name(unsigned slot, char *name, size_t size);

/* Why a report was written: bits of the reason field (PERF-4.6). */
enum tally_reason {
    TALLY_REASON_TIMER = 1 << 0,
    TALLY_REASON_TRIGGER_1 = 1 << 1,
    TALLY_REASON_TRIGGER_2 = 1 << 2,
    TALLY_REASON_CONTEXT_SWITCH = 1 << 3,
    TALLY_REASON_GO_TRANSITION = 1 << 4,
    TALLY_REASON_CLOCK_RATIO_CHANGE = 1 << 5,
    TALLY_REASON_MMIO_TRIGGER = 1 << 6
};

/* The context id that stands for "no context": the GPU was idle, or the driver hid the id. */
#define TALLY_CONTEXT_IDLE UINT32_C(0xffffffff)

/*
 * The reason bits of a report written by the unit itself (not by MI_REPORT_PERF_COUNT), from its
 * id dword, by the platform's layout of that dword. SNB to HSW do not document theirs: there, bits
 * 11 and 12 are read as the report triggers and everything else as the timer.
 */
TALLY_API unsigned tally_report_reason(const struct tally_platform *platform, uint64_t id);

/* Name of the lowest reason bit that is set: "timer", "context-switch", ...; "unknown" if none. */
TALLY_API const char *tally_reason_name(unsigned reason);

/*
 * The context of a report: its context id if the id dword says that it is valid, else
 * TALLY_CONTEXT_IDLE. From Gen12 on the id counts without its valid bit. Platforms before Gen8
 * have no context id; the result is TALLY_CONTEXT_IDLE.
 */
TALLY_API uint32_t tally_report_context(const struct tally_platform *platform, uint64_t id,
                                        uint32_t context);

#ifdef __cplusplus
}
#endif

#endif
