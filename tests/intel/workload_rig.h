/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_WORKLOAD_RIG_H
#define TESTS_INTEL_WORKLOAD_RIG_H

#include "intel/tests.h"

#include <tally/oa.h>
#include <tally/platform.h>
#include <tally/workload.h>

/* A unit that is driven by a workload, for tests. */

#define RIG_PLATFORMS 10
extern const char *const rig_platforms[RIG_PLATFORMS];

/* Typical values of EU_PERF_CNT_CTL0 to 6 in public sets (PERF-4.10), with the occupancy as the
 * last event. */
extern const uint32_t rig_flexible[7];

/* Gen8 on. */
bool rig_is_new(const char *platform);

/* Programs an OA unit so that everything counts from the next clock on. */
void rig_start(const char *platform, void (*write)(void *context, uint32_t address, uint32_t value),
               void *context);

/* Creates a unit, of a platform or a SKU ("ivb/gt1"), that counts everything: A, B and C run, with
 * a report at every context switch. */
struct tally_oa *rig_unit(const char *platform);

/* Return an A, B or C counter; the counter of a NOA bit (OA-2.1). */
uint64_t rig_peek(const struct tally_oa *unit, char letter, unsigned index);
uint64_t rig_peek_noa(const struct tally_oa *unit, const char *platform, unsigned bit);

struct rig {
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_workload_cursor cursor;
    struct tally_oa *unit;
};

/* Fails the row and returns false if the text is not a workload for the platform. */
bool rig_init(struct rig *rig, unsigned line, const char *text, const char *platform, uint64_t hz);
void rig_fini(struct rig *rig);

/* HEAD and TAIL around activities make a workload with one phase of one millisecond. */
#define HEAD "name: w\ndescription: d\nseed: 7\nphases:\n  - {duration: 1 ms, context: 1, does: ["
#define TAIL "]}\n"

#define RATE(unit)  "{unit: " unit ", rate: 0.5/clock}"
#define SHARE(unit) "{unit: " unit ", share: 0.25}"

#endif
