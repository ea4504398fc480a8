/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_PLATFORMS_H
#define TALLY_INTEL_PLATFORMS_H

/*
 * The platform table: one row of capabilities per platform. Code tests capabilities and does not
 * compare platforms. A platform that behaves like another one has a row with the same capabilities.
 */

#include <stdbool.h>

#include <tally/platform.h>

#include "intel/oa/variants.h"
#include "intel/pci_layout.h"
#include "intel/revision.h"

/* How contexts reach the render engine. */
enum intel_submission {
    SUBMISSION_RING,  /* one ring for all contexts */
    SUBMISSION_PORT,  /* execution lists: four writes to one port, ELSP */
    SUBMISSION_QUEUE, /* execution lists: registers, ELSQ, and a bit that loads them */
};

enum intel_interrupts {
    INTERRUPTS_FLAT, /* groups of ISR, IMR, IIR and IER */
    INTERRUPTS_TREE, /* vectors with identities */
};

/* What the A counters count. */
enum intel_aggregates {
    AGGREGATES_SNB,      /* EUs, stages, pixels (OA-2.13) */
    AGGREGATES_IVB,      /* the same with all stages of Direct3D 11 */
    AGGREGATES_FLEXIBLE, /* A7 to A20 count what EU_PERF_CNT_CTL0 to 6 select */
    AGGREGATES_FIXED,    /* the same counters, with events that cannot be selected */
};

/* The render pipeline, and where its state is. */
enum intel_pipeline {
    PIPELINE_GEN6, /* geometry shaders stream out */
    PIPELINE_GEN7, /* tessellation, 3DSTATE_STREAMOUT */
    PIPELINE_GEN8, /* tests and blending in commands, not in memory; 3DSTATE_PS_EXTRA */
};

/* Fields of R_PWR_CLK_STATE, with which a context requests slices and subslices. */
enum intel_power_state {
    POWER_STATE_NONE,     /* the driver writes 0 */
    POWER_STATE_SLICES_3, /* slice count in 17:15 */
    POWER_STATE_SLICES_6, /* slice count in 17:12 */
};

/* The context status buffer (OA-12.1): its size, and the form of an event. */
enum intel_context_status {
    CONTEXT_STATUS_6,        /* 6 events with the switched context's id */
    CONTEXT_STATUS_12,       /* 12 of them */
    CONTEXT_STATUS_SWITCHES, /* 12 events with both contexts */
};

/* Where the hardware lays down the other registers: gpu/image.def. */
enum intel_image_form { IMAGE_BDW, IMAGE_SKL, IMAGE_ICL, IMAGE_TGL, IMAGE_FORMS };

/* Page tables: gt/pages.c. */
enum intel_page_tables {
    PAGES_GEN6, /* two levels; bits 39:32 of an address in 11:4 of an entry */
    PAGES_HSW,  /* two levels; bits 38:32 of an address in 10:4 of an entry */
    PAGES_GEN8, /* four levels */
    PAGES_CHV,  /* 32 bits of address: four directories, and two levels */
};

/* Places of OA's registers in the image of a logical context: index of the dword with the
 * register's address, which the value follows (PERF-5.2, PERF-5.4). 0: not in the image. */
struct intel_context_image {
    uint8_t form; /* enum intel_image_form */
    uint16_t oactxcontrol, flex, oar_control;
    uint8_t pages;  /* pages from the start of the image that contain them */
    bool relative;  /* MI_LOAD_REGISTER_IMM may name registers relative to the engine */
    uint8_t status; /* enum intel_context_status */
};

/* EU_PERF_CNT_CTL0 to 6, in their order in the image. */
#define FLEX_REGISTERS 7
extern const uint32_t flex_registers[FLEX_REGISTERS];

/* The context id that a filtering stream assigns to its context, and the mask of the id in reports
 * (PERF-2.11). */
struct intel_context_tag {
    uint32_t id, mask;
};

struct intel_platform {
    struct tally_platform info;

    /* Revision of the register tables; INTEL_REVISIONS: not in the tables. */
    enum intel_revision revision;

    /* ---- metrics */
    uint8_t aggregates;         /* enum intel_aggregates */
    uint8_t subslice_mask_bits; /* per slice, in the mask that equations read */
    bool sku_topology; /* the kernel's topology reply has the dimensions of the SKU, not the
                          maxima of the platform */

    /* ---- the OA unit; NULL: the platform is not modelled, and of the members below only those of
     * the command streamer are valid */
    const struct oa_variant *oa;

    /* ---- the command streamer */
    bool wide_addresses;     /* 48 bits, else 32 */
    bool corrupts_report_id; /* a refused MI_REPORT_PERF_COUNT corrupts the id of the next one */
    uint8_t submission;      /* enum intel_submission */
    const struct intel_context_image *image; /* NULL with SUBMISSION_RING */

    /* ---- the render pipeline */
    uint8_t pipeline;         /* enum intel_pipeline */
    bool kills_count_twice;   /* a kill by a pixel shader with two colors, by erratum (OA-2.13) */
    bool ps_invocations_by_4; /* PS_INVOCATION_COUNT is four times the number of invocations, by
                                 erratum (WaDividePSInvocationCountBy4 of public drivers) */
    bool hiz_passes_missed;   /* A32 counts slightly too few pixels (document 000) */

    /* ---- the GT */
    uint8_t interrupts;           /* enum intel_interrupts */
    bool steering;                /* accesses are routed to units, with steering and fuses */
    uint8_t pci;                  /* enum intel_pci_layout */
    uint8_t pages;                /* enum intel_page_tables */
    uint32_t residency_hz;        /* clock of the counters of RC6 */
    uint8_t clock_steps;          /* steps of the GT's clock in 200 MHz: frequency.h */
    bool documented_power;        /* the effects of power events are documented, or derived */
    bool documented_oa_interrupt; /* the path of the OA unit's interrupt to the CPU is documented */

    /* ---- the i915 driver */
    uint8_t ggtt_bits;          /* size of the global address space */
    bool llc;                   /* HAS_LLC */
    bool coherent_ggtt;         /* writes through the aperture are seen at once */
    bool noa_on_by_rpm_config1; /* NOA is enabled by RPM_CONFIG1[9], else GDT_CHICKEN_BITS[7] */
    uint32_t context_valid;     /* bit of the report id: its context id is valid */
    struct intel_context_tag tag;
    uint8_t power_state;    /* enum intel_power_state */
    bool client_sseu;       /* clients may change a context's slices and subslices */
    bool secure_batches;    /* EXEC_SECURE is accepted, but refused without privilege */
    bool parses_batches;    /* the kernel checks the batches of some engine */
    bool huc;               /* media engines have the HuC, a microcontroller */
    bool preempts;          /* its scheduler preempts contexts on all engines: clients may choose
                               that a context ends with its file */
    bool endless_render;    /* its driver gives batches of the render engine any time to let
                               themselves be preempted */
    bool own_gprs;          /* unprivileged batches may write CS_GPR of their own engine, not only
                               of render */
    bool filters_in_unit;   /* the OA unit filters by context: such a stream has no data of
                               other contexts and needs no privilege (PERF-2.2) */
    bool actual_frequency;  /* the driver's PMU counts the actual frequency */
    bool media_turbo;       /* the driver turns on media turbo in RP_CONTROL */
    const char *driver_row; /* Linux's table of PCI ids lacks this platform's: the symbol of the
                               device description of another one, which fits; else NULL */
};

/* Finds a modelled platform by its name in lower case; NULL if there is none. */
const struct intel_platform *intel_modelled(const char *name);

/* Returns the modelled platform at an index; NULL past the end. `perf`: counts only those for which
 * the kernel has a perf interface. */
const struct intel_platform *intel_modelled_at(size_t index, bool perf);

/* Writes their names to `text`: "snb, ivb or vlv" with ", " and " or ". Returns `text`. */
#define INTEL_NAMES_MAX 160
const char *intel_modelled_names(bool perf, const char *between, const char *last,
                                 char text[INTEL_NAMES_MAX]);

/* Returns the row of a public platform, or of a copy of it. */
const struct intel_platform *intel_platform_of(const struct tally_platform *platform);

/* Whether the kernel has a perf interface for a platform. */
static inline bool intel_has_perf(const struct intel_platform *platform)
{
    return platform->info.default_format != 0;
}

/* Returns the period of the OA timer in ticks of TIMESTAMP, for an exponent up
 * to 31: 2^(n+1), on SNB 2^(n+4) (OA-2.6). */
static inline uint64_t intel_timer_ticks(const struct intel_platform *platform, unsigned exponent)
{
    return UINT64_C(2) << (exponent + (platform->oa ? platform->oa->timer_shift : 0));
}

static inline bool intel_has_execlists(const struct intel_platform *platform)
{
    return platform->submission != SUBMISSION_RING;
}

#endif
