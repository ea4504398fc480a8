/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_TESTS_H
#define TESTS_INTEL_TESTS_H

#include "testing.h"

#include <errno.h>

#include <inttypes.h>

#include <tally/platform.h>
#include <tally/report.h>

#include "intel/platforms.h"

/* Each file's group of tests; returns how many failed. */
int test_layouts(void);
int test_offsets(void);
int test_accumulate(void);
int test_report_id(void);
int test_platforms(void);
int test_skus(void);
int test_topology_fuses(void);
int test_topology(void);
int test_cs_commands(void);
int test_cs_places(void);
int test_cs_streamer(void);
int test_cs_batches(void);
int test_cs_waits(void);
int test_cs_random(void);
int test_cs_compare(void);
int test_gt_interrupts(void);
int test_gt_flat(void);
int test_gt_forcewake(void);
int test_gt_routing(void);
int test_gt_pci(void);
int test_gpu_host(void);
int test_gpu_pci(void);
int test_gpu_pci_random(void);
int test_gt_power(void);
int test_conformance(void);
int test_cost(void);
int test_cost_random(void);
int test_cost_files(void);
int test_gpu_work(void);
int test_gpu_frame(void);
int test_gpu_busy(void);
int test_gpu_commands(void);
int test_gpu_engines(void);
int test_gpu_status(void);
int test_gpu_errors(void);
int test_gpu_images(void);
int test_register_index(void);
int test_register_list(void);
int test_gpu_access(void);
int test_gpu_mmio(void);
int test_gpu_power(void);
int test_gpu_rc6(void);
int test_gpu_rps(void);
int test_gpu_wells(void);
int test_gpu_time(void);
int test_gpu_faults(void);
int test_gpu_loops(void);
int test_tgl(void);
int test_oa(void);
int test_oa_options(void);
int test_noa(void);
int test_metric_sets(void);
int test_testoa(void);
int test_workload(void);
int test_workload_files(void);
int test_workload_units(void);
int test_workload_array(void);

/* Slots by the documents' names. */
#define ID         TALLY_SLOT_ID
#define TIME       TALLY_SLOT_TIMESTAMP
#define TIME_UPPER TALLY_SLOT_TIMESTAMP_UPPER
#define CONTEXT    TALLY_SLOT_CONTEXT
#define TICKS      TALLY_SLOT_TICKS
#define INST_ADD   TALLY_SLOT_INSTRUCTION
#define A(n)       (TALLY_SLOT_A + (n))
#define B(n)       (TALLY_SLOT_B + (n))
#define C(n)       (TALLY_SLOT_C + (n))
#define PEC(n)     (TALLY_SLOT_PEC + (n))

/* Larger than the report of any layout. */
#define REPORT_ROOM 1152

/* The revision of the registers of a modelled platform or SKU; INTEL_REVISIONS: it is not modelled.
 */
static inline enum intel_revision revision_of(const char *platform)
{
    const struct tally_sku *sku = tally_sku_find(platform);
    const struct intel_platform *modelled = sku ? intel_modelled(sku->platform) : NULL;
    return modelled ? modelled->revision : INTEL_REVISIONS;
}

/* Returns what PS_INVOCATION_COUNT is after this many invocations: on Haswell, Broadwell and
 * Cherryview four times as many. */
static inline unsigned invocations_counted(enum intel_revision revision, unsigned invocations)
{
    return revision >= INTEL_HSW && revision <= INTEL_CHV ? 4 * invocations : invocations;
}

/* The platform that a revision is named after: the first that has it. NULL past the last. */
static inline const char *revision_name(enum intel_revision revision)
{
    const struct intel_platform *platform;
    for (size_t i = 0; (platform = intel_modelled_at(i, false)); i++)
        if (platform->revision == revision)
            return platform->info.name;
    return NULL;
}

/* Where a platform has a register that lies at an address of map C: itself, or on Gen12 OAG's
 * (PERF-5.3). OACTXCONTROL's part is OAG_OAGLBCTXCTRL's there. */
static inline uint32_t oa_at(enum intel_revision platform, uint32_t address)
{
    static const struct {
        uint32_t first, last, there;
    } moved[] = {{0x2360, 0x2360, 0x2b28}, {0x2710, 0x272c, 0xd900}, {0x2740, 0x275c, 0xd920},
                 {0x2770, 0x27ac, 0xd940}, {0x2800, 0x28fc, 0xd980}, {0x2900, 0x2910, 0xda80},
                 {0x2920, 0x293c, 0xda94}, {0x2940, 0x295c, 0xdab4}, {0x2b00, 0x2b14, 0xdaf4}};
    for (unsigned i = 0; platform >= INTEL_TGL && i < sizeof moved / sizeof *moved; i++)
        if (address >= moved[i].first && address <= moved[i].last)
            return address - moved[i].first + moved[i].there;
    return address;
}

#endif
