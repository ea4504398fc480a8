/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REPORT_H
#define TALLY_REPORT_H

/*
 * Reports of Intel's Observation Architecture: what the counter unit writes to memory.
 *
 *     const struct tally_layout *layout = tally_layout_find("hsw/a45_b8_c8");
 *     uint64_t slots[TALLY_SLOT_COUNT] = {0};
 *     tally_report_unpack(layout, report, slots);      // layout->size_bytes bytes
 *     uint64_t a7 = slots[TALLY_SLOT_A + 7];
 *
 * A report has a fixed size. The offset of each counter depends on the platform and on the Counter
 * Select field of OACONTROL; `struct tally_layout` describes it as a table of fields. Packing and
 * unpacking use the same table.
 *
 * Unpacked values are stored in slots: an array with one element for each value that any report can
 * hold. A7 is at index TALLY_SLOT_A + 7 in every layout. Slots that a layout does not have are not
 * written.
 *
 * Sources: HD Graphics PRM "Performance Counter Report Formats" (SNB, IVB, VLV, HSW); CHV/BSW PRM
 * Volume 14; Lakefield PRM Volume 13; the i915 uAPI (enum drm_i915_oa_format). The `source` of each
 * layout names its document.
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

/* Indexes of an array of TALLY_SLOT_COUNT values. */
enum tally_slot {
    TALLY_SLOT_ID = 0,        /* RPT_ID: report id, or reason and context-valid bits */
    TALLY_SLOT_TIMESTAMP = 1, /* OA timestamp, ticks of the platform's timestamp clock */
    TALLY_SLOT_TIMESTAMP_UPPER =
        2,                      /* upper dword of SNB to HSW's TIME_STAMP; undefined in practice */
    TALLY_SLOT_CONTEXT = 3,     /* context id */
    TALLY_SLOT_TICKS = 4,       /* GPU ticks: render clocks */
    TALLY_SLOT_INSTRUCTION = 5, /* INST ADD of the HSW layouts 100, 110, 111 */
    TALLY_SLOT_A = 8,           /* A0 to A63: aggregating counters */
    TALLY_SLOT_B = 72,          /* B0 to B7: boolean (custom event) counters */
    TALLY_SLOT_C = 80,          /* C0 to C15: NOA counters */
    TALLY_SLOT_PEC = 96,        /* PEC0 to PEC63 or MPEC0 to MPEC7: counters of Xe-era units */
    TALLY_SLOT_RESERVED = 160,  /* reserved dwords, so that unpacking and packing preserve them */
    TALLY_SLOT_COUNT = 184
};

/*
 * A run of equal fields: `count` values of `width` bits, the first at byte `offset`, each of the
 * others `stride` bytes after the previous one (negative where the hardware stores them in
 * descending order). A 40-bit value has its bits 31:0 at `offset` and its bits 39:32 in the byte at
 * `high`, which advances by one.
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
    TALLY_LAYOUT_NOT_EXPOSED = 1 << 1, /* the i915 driver does not offer it */
};

/* The layout of a report format. Static data. */
struct tally_layout {
    const char *family; /* "snb", "ivb", "hsw", "gen8", "xehp", "xe", "pcounter" */
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

/* Returns the number of layouts. */
TALLY_API size_t tally_layout_count(void);

/* Returns the layout at an index below tally_layout_count(); NULL for other indexes. */
TALLY_API const struct tally_layout *tally_layout_at(size_t index);

/*
 * Finds a layout by "PLATFORM/FORMAT": a platform or family name ("hsw", "skl", "gen8"), a slash,
 * and a format name ("a45_b8_c8") or a Counter Select in binary ("101"). Case does not matter.
 * Returns NULL if there is none.
 */
TALLY_API const struct tally_layout *tally_layout_find(const char *name);

/* In recordings, the number of a layout that the kernel does not number is this plus its Counter
 * Select (docs/recording-format.md). */
#define TALLY_FORMAT_SELECT UINT32_C(0x54000000)

/*
 * Finds the layout that a platform uses for a format number: the kernel's (enum drm_i915_oa_format,
 * 1 to 14), or TALLY_FORMAT_SELECT plus a Counter Select. Returns NULL if the platform does not
 * have it.
 */
struct tally_platform;
TALLY_API const struct tally_layout *tally_layout_for_kernel(const struct tally_platform *platform,
                                                             unsigned kernel_format);

/* Returns the number of a layout in recordings, for tally_layout_for_kernel(): kernel_format, or
 * TALLY_FORMAT_SELECT plus counter_select if the kernel has none. */
TALLY_API uint32_t tally_layout_format(const struct tally_layout *layout);

/* Returns the layout with all counters of a platform: the kernel's default or, for platforms that
 * the kernel does not support, the largest. */
TALLY_API const struct tally_layout *tally_layout_default(const struct tally_platform *platform);

/*
 * Unpacks a report of layout->size_bytes bytes, at any alignment. Writes the slot of each field of
 * the layout (32- and 40-bit values are zero-extended); other slots keep their values.
 */
TALLY_API void tally_report_unpack(const struct tally_layout *layout, const void *report,
                                   uint64_t slots[TALLY_SLOT_COUNT]);

/*
 * Packs slots into a report of layout->size_bytes bytes, at any alignment. Writes all bytes. Values
 * are truncated to the width of their fields.
 */
TALLY_API void tally_report_pack(const struct tally_layout *layout,
                                 const uint64_t slots[TALLY_SLOT_COUNT], void *report);

/* Returns the width in bits of a slot in a layout; 0 if the layout does not have the slot. */
TALLY_API unsigned tally_layout_width(const struct tally_layout *layout, unsigned slot);

/*
 * Returns the delta of a counter between two reports: (end - start) mod 2^width_bits (PERF-4.8).
 * `width_bits` is 1 to 64.
 */
TALLY_API uint64_t tally_counter_delta(uint64_t start, uint64_t end, unsigned width_bits);

/*
 * Accumulates the deltas of consecutive reports. `reports` are `count` + 1 pointers to raw reports
 * of `layout`. Adds to each counting slot of `sums` (timestamp, ticks, A, B, C, PEC) the sum of its
 * `count` deltas, each modulo the slot's width: a counter may wrap around once between two reports.
 */
TALLY_API void tally_accumulate(const struct tally_layout *layout, const uint8_t *const *reports,
                                size_t count, uint64_t sums[TALLY_SLOT_COUNT]);

/*
 * Writes the name of a slot ("A7", "TIME_STAMP", "reserved3") to `name`, truncated to `size` bytes
 * including the NUL. Returns `name`.
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

/* Context id of a report without one: the GPU was idle, or the driver has hidden the id. */
#define TALLY_CONTEXT_IDLE UINT32_C(0xffffffff)

/*
 * Returns the reasons (enum tally_reason, a set of bits) of a report that the OA unit has written
 * by itself, not for MI_REPORT_PERF_COUNT. `id` is its RPT_ID, which is undocumented for SNB to
 * HSW: there, bits 11 and 12 are the report triggers, and a report without them is a timer report.
 * `platform` NULL: the report of an NVIDIA GPU, whose RPT_ID is the set of reasons.
 */
TALLY_API unsigned tally_report_reason(const struct tally_platform *platform, uint64_t id);

/* Returns the name of the lowest reason bit that is set: "timer", "context-switch", ...; "unknown"
 * if none is. */
TALLY_API const char *tally_reason_name(unsigned reason);

/*
 * Returns the context id of a report: `context` if the context-valid bit of its RPT_ID, `id`, is
 * set, else TALLY_CONTEXT_IDLE. From Gen12 on the valid bit is ignored. Before Gen8 reports have no
 * context id, nor have those of NVIDIA GPUs (`platform` NULL): always TALLY_CONTEXT_IDLE.
 */
TALLY_API uint32_t tally_report_context(const struct tally_platform *platform, uint64_t id,
                                        uint32_t context);

#ifdef __cplusplus
}
#endif

#endif
