/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_PLATFORMS_H
#define TALLY_INTEL_PLATFORMS_H

/*
 * The platform table: a row of capabilities each. Code asks for a capability by its name; nothing
 * compares platforms. A platform that is like another one is a row that says so.
 */

#include <stdbool.h>

#include <tally/platform.h>

#include "intel/oa/variants.h"
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

/* Fields of R_PWR_CLK_STATE, by which a context asks for slices and subslices. */
enum intel_power_state {
    POWER_STATE_NONE,     /* the driver writes 0 */
    POWER_STATE_SLICES_3, /* slice count in 17:15 */
    POWER_STATE_SLICES_6, /* slice count in 17:12 */
};

/* A logical context's image in memory, as far as OA goes: dwords of register addresses, whose
 * values follow (PERF-5.2, PERF-5.4). 0: the image does not hold the register. */
struct intel_context_image {
    uint16_t oactxcontrol, flex, oar_control;
    uint8_t pages; /* from its start to behind the last of these */
    bool relative; /* MI_LOAD_REGISTER_IMM may name registers relative to the engine */
};

/* The context id that a stream gives to the context it filters by, and its field in reports
 * (PERF-2.11). */
struct intel_context_tag {
    uint32_t id, mask;
};

struct intel_platform {
    struct tally_platform info;

    /* Whose rows of the register tables it has; INTEL_REVISIONS: they do not know it. */
    enum intel_revision revision;

    /* ---- metrics */
    uint8_t aggregates;         /* enum intel_aggregates */
    uint8_t subslice_mask_bits; /* per slice, in the mask that equations read */

    /* ---- the OA unit; NULL: the platform is not modelled, and what follows is not filled in,
     * except for the command streamer */
    const struct oa_variant *oa;

    /* ---- the command streamer */
    bool wide_addresses;   /* 48 bits, else 32 */
    bool spoils_report_id; /* an MI_REPORT_PERF_COUNT that is refused spoils the id of the next */
    uint8_t submission;    /* enum intel_submission */
    const struct intel_context_image *image; /* NULL with SUBMISSION_RING */

    /* ---- the GT */
    uint8_t interrupts;           /* enum intel_interrupts */
    bool steering;                /* accesses are routed by unit, with steering and fuses */
    bool pci_config;              /* the PCI configuration space is modelled */
    bool documented_power;        /* what power events keep is documented for it, or derived */
    bool documented_oa_interrupt; /* how the OA unit's interrupt gets to the CPU is documented */

    /* ---- the i915 driver */
    uint8_t ggtt_bits;          /* size of the global address space */
    bool llc;                   /* HAS_LLC */
    bool noa_on_by_rpm_config1; /* NOA is enabled by RPM_CONFIG1[9], else GDT_CHICKEN_BITS[7] */
    uint32_t context_valid;     /* bit of the report id: its context id is valid */
    struct intel_context_tag tag;
    uint8_t power_state;   /* enum intel_power_state */
    bool client_sseu;      /* clients may change a context's slices and subslices */
    bool secure_batches;   /* EXEC_SECURE is known, and refused for want of privilege */
    bool filters_in_unit;  /* the OA unit itself filters by context, so that such a stream
                              shows nothing of others and needs no privilege (PERF-2.2) */
    bool actual_frequency; /* the driver's PMU counts the actual frequency */
};

/* A platform by name, in lower case, that has a model; NULL. */
const struct intel_platform *intel_modelled(const char *name);

/* The platforms that have a model, by position; NULL past the end. `perf`: only those that the
 * kernel has a perf interface for. */
const struct intel_platform *intel_modelled_at(size_t index, bool perf);

/* Their names in one text: "snb, ivb or vlv" with ", " and " or ". Returns `text`. */
#define INTEL_NAMES_MAX 160
const char *intel_modelled_names(bool perf, const char *between, const char *last,
                                 char text[INTEL_NAMES_MAX]);

/* The capabilities behind a public row, or a copy of one. */
const struct intel_platform *intel_platform_of(const struct tally_platform *platform);

/* Does the kernel have a perf interface for it? */
static inline bool intel_has_perf(const struct intel_platform *platform)
{
    return platform->info.default_format != 0;
}

static inline bool intel_has_execlists(const struct intel_platform *platform)
{
    return platform->submission != SUBMISSION_RING;
}

/* A run of PCI device ids that share a platform and a metric-set chipset name. */
struct device_row {
    const char *platform;
    const char *chipset;
    uint16_t ids[32]; /* ends at the first 0 */
};

extern const struct device_row device_rows[];
extern const size_t device_row_count;

#endif
