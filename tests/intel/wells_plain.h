/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_WELLS_PLAIN_H
#define TESTS_INTEL_WELLS_PLAIN_H

/* Force wake, power wells and RC6 one clock at a time, as OA-2.14, OA-4.1 and OA-14.1 to OA-14.5
 * state them, with addresses and fates of some registers in tables of its own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plain_well { PLAIN_GT, PLAIN_RENDER, PLAIN_MEDIA0, PLAIN_MEDIA1, PLAIN_WELLS };
enum plain_fate { PLAIN_SAVED, PLAIN_LOST, PLAIN_KEPT };

/* Engines, in the order in which they act. */
enum plain_engine { PLAIN_RCS0, PLAIN_BCS0, PLAIN_VCS0, PLAIN_VCS2, PLAIN_VECS0, PLAIN_ENGINES };

struct plain_row {
    uint32_t address;
    uint8_t well, fate;
    uint8_t mask; /* of bits that are compared; 0: FFh */
    uint32_t
        switch_on; /* the counters need the register to have this value, the only one written */
};

#define PLAIN_DOMAINS 5
#define PLAIN_ROWS    16

struct plain_platform {
    const char *name;
    struct {
        uint32_t request, acknowledge; /* 0: the domain is missing */
        uint8_t well;                  /* PLAIN_GT: of no other */
    } domains[PLAIN_DOMAINS];
    uint8_t engines[PLAIN_ENGINES]; /* domains that an engine's work needs; 0: it is missing */
    uint8_t wells;                  /* mask of those beside the GT's */
    uint8_t oa_well;
    bool own_rc6;      /* each well has an RC6 of its own, instead of PG_ENABLE */
    bool loses_counts; /* counters are lost, not saved */
    bool gt_by_any;    /* any awake domain reaches the GT's registers */
    bool has_firmware; /* FORCEWAKE_REQ_RENDER, FORCEWAKE_REQ_MEDIA, MI_FORCE_WAKEUP */
    struct plain_row rows[PLAIN_ROWS];
};

extern const struct plain_platform plain_platforms[];
extern const size_t plain_platform_count;

/* A register that a workaround batch or a command writes. */
struct plain_write {
    uint8_t row, value;
};

struct plain_batch {
    struct plain_write writes[2];
    unsigned count;
};

enum { PLAIN_BATCH_RENDER, PLAIN_BATCH_CONTEXT, PLAIN_BATCH_MEDIA, PLAIN_BATCHES };

/* A batch buffer: an optional MI_LOAD_REGISTER_IMM, an optional MI_FORCE_WAKEUP, and MI_NOOPs. */
struct plain_work {
    bool writes, wakes;
    struct plain_write write;
    uint32_t wake; /* masked, bits of FORCEWAKE_STATUS */
    unsigned noops;
};

struct plain_wells {
    const struct plain_platform *platform;
    unsigned latency, rc6_after, rc6_blind; /* clocks */
    struct plain_batch batches[PLAIN_BATCHES];

    struct {
        uint16_t driver, firmware; /* requests */
        bool awake;
        unsigned waking; /* clocks left */
    } domains[PLAIN_DOMAINS];
    uint8_t streamer, held;
    struct {
        struct plain_work work;
        unsigned clocks, left;
    } engines[PLAIN_ENGINES];

    uint32_t pg;             /* PG_ENABLE */
    uint32_t control, state; /* RC_CONTROL, RC_STATE */
    bool rc6, down[PLAIN_WELLS];
    uint64_t idle, well_idle[PLAIN_WELLS]; /* clocks */
    unsigned blind_left;
    uint32_t values[PLAIN_ROWS];
    uint64_t count, saved, blind; /* of A0, whose event is 1 in every clock */
};

/* Returns the value that is written to a row for a random byte. */
uint32_t wells_value(const struct plain_row *row, uint8_t value);

/* Whether a row's register can be accessed. */
bool wells_reaches(const struct plain_wells *plain, const struct plain_row *row);

bool wells_is_busy(const struct plain_wells *plain);

/* What software does. */
void wells_write(struct plain_wells *plain, unsigned row, uint8_t value);
void wells_update(struct plain_wells *plain); /* after changes of requests or configuration */
bool wells_enter_rc6(struct plain_wells *plain);
void wells_exit_rc6(struct plain_wells *plain);
void wells_submit(struct plain_wells *plain, unsigned engine, const struct plain_work *work);
void wells_reset_engine(struct plain_wells *plain, unsigned engine);
void wells_reset(struct plain_wells *plain); /* of the GT */
void wells_clock(struct plain_wells *plain);

#endif
