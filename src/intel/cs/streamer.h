/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_STREAMER_H
#define TALLY_INTEL_CS_STREAMER_H

/*
 * A model of an engine's command streamer, with everything that clients of the counters use: rings,
 * nested batches, the memory interface commands of commands.h, predicates and MI_MATH. Pipeline,
 * blitter and video commands are skipped; those that start work are reported to the caller, which
 * models the work.
 *
 * struct streamer can be copied as a snapshot. The caller controls time: streamer_step() executes
 * one command and returns the clocks that it takes; the caller advances the rest of the GPU by
 * these clocks before the next step. Each command takes at least one clock, so that time advances
 * in an endless batch.
 *
 * Not modelled: prefetching and caches. The caller saves and restores the registers of contexts.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/platform.h>

#include "intel/cs/commands.h"
#include "intel/cs/engines.h"
#include "intel/symbols.h"

#define STREAMER_GPRS  CS_GPR__COUNT
#define STREAMER_PORTS 2      /* submissions that can wait for the running one */
#define STREAMER_OWN   0x800u /* size in bytes of the register range from the engine's base */

/* Address spaces are numbers: 0 is the GGTT, the others are PPGTTs defined by the caller. */
#define STREAMER_GGTT 0u

/* Returns the address of a context's first page, which is its hardware status page, in the GGTT.
 * space: the context's, as in streamer.ppgtt. */
static inline uint64_t streamer_context_page(uint32_t space)
{
    return (uint64_t)space << 12;
}

/* ---- callbacks into the rest of the GPU ------------------------------------------------------ */

struct streamer_report { /* MI_REPORT_PERF_COUNT */
    uint64_t address;    /* a multiple of 64 */
    uint32_t space;
    uint32_t id;
    bool core_mode;  /* add the core's number times the report's size to the address */
    bool id_corrupt; /* `id` is that of an earlier illegal command (see streamer.id_quirk) */
};

struct streamer_work {
    const struct cs_command *command; /* `action` is the kind of work */
    const uint32_t *dwords;           /* the first `count` of `length` dwords */
    uint32_t count, length;
    uint32_t space; /* location of the command */
    uint64_t address;
    uint32_t ppgtt; /* address space of state and surfaces: that of streamer.ppgtt */
};

enum streamer_interrupt {
    STREAMER_USER_INTERRUPT, /* MI_USER_INTERRUPT */
    STREAMER_NOTIFY,         /* PIPE_CONTROL or MI_FLUSH_DW with Notify Enable */
};

struct streamer_contexts { /* MI_SET_CONTEXT */
    bool has_old;          /* there is a context to save */
    bool inhibited;        /* the new one is not restored */
    uint32_t old_address, new_address;
};

/*
 * Any function may be NULL. Defaults: no memory is mapped, registers read 0, unprivileged batches
 * may write no register, and work is never busy.
 */
struct streamer_callbacks {
    void *closure;

    /* Access a dword of memory, at a multiple of 4. False: not mapped. */
    bool (*read32)(void *closure, uint32_t space, uint64_t address, uint32_t *out);
    bool (*write32)(void *closure, uint32_t space, uint64_t address, uint32_t value);

    /* Reads `count` consecutive dwords, as read32() would one by one. False: not all of them can be
     * read at once; then read32() is called. */
    bool (*read)(void *closure, uint32_t space, uint64_t address, uint32_t *out, uint32_t count);

    /* Access a register outside the streamer. */
    uint32_t (*mmio_read)(void *closure, uint32_t address);
    void (*mmio_write)(void *closure, uint32_t address, uint32_t value);

    /* Whether unprivileged batches may write a register (the hardware's whitelist). */
    bool (*may_write_register)(void *closure, uint32_t address);

    void (*report)(void *closure, const struct streamer_report *report);

    /* Called when the streamer switches to a context, or (`valid` false) has no context left. `id`
     * is that of the submission or, for MI_SET_CONTEXT, the logical context address. */
    void (*context_switch)(void *closure, bool valid, uint32_t id);

    /* MI_SET_CONTEXT, before context_switch(): the contexts that are saved and restored. */
    void (*set_context)(void *closure, const struct streamer_contexts *contexts);

    /* Called when a submission is done. head: the ring's head, in bytes. */
    void (*complete)(void *closure, uint32_t id, uint32_t head);

    /* MI_FORCE_WAKEUP: its second dword, which has the bits of FORCEWAKE_STATUS and above them a
     * mask. */
    void (*force_wakeup)(void *closure, uint32_t request);

    uint64_t (*timestamp)(void *closure);
    void (*interrupt)(void *closure, enum streamer_interrupt which);
    void (*work)(void *closure, const struct streamer_work *work);
    void (*state)(void *closure, const struct streamer_work *work); /* skipped command */
    void (*flush)(void *closure,
                  const struct streamer_work *work); /* PIPE_CONTROL, before it waits */

    /* Whether reported work is in progress; flushes and stalls wait for it. */
    bool (*busy)(void *closure);

    /* Called after an access to one of the streamer's own registers, and (`denied`) after a write
     * to any register that was dropped because the batch is unprivileged. */
    void (*accessed)(void *closure, bool write, uint32_t address, uint32_t value, bool denied);
};

/* ---- the state ------------------------------------------------------------------------------- */

/* What the latest step's clocks are spent with. */
enum streamer_activity {
    STREAMER_EXECUTES, /* commands, or waiting for work in progress */
    STREAMER_SWITCHES, /* a context switch */
    STREAMER_STALLS,   /* a semaphore or an event */
};

enum streamer_level { STREAMER_RING, STREAMER_BATCH, STREAMER_SECOND, STREAMER_THIRD };

/* Why the streamer stopped. */
enum streamer_fault {
    STREAMER_NO_FAULT,
    STREAMER_UNKNOWN,  /* unknown command */
    STREAMER_LENGTH,   /* invalid length */
    STREAMER_UNMAPPED, /* access to unmapped memory */
    STREAMER_RESERVED, /* reserved value in a field */
    STREAMER_NO_BATCH, /* end of a batch in the ring */
    STREAMER_NO_RING,  /* context image without a valid ring */
    STREAMER_NO_MASTER /* access to memory while the device is no bus master */
};

struct streamer_place {
    uint64_t address;
    uint32_t space;
    uint32_t privileged; /* 0 or 1; as wide as this since states are compared byte by byte */
};

/*
 * A ring to run or, if ring_size is 0, a single batch. Rings are in the GGTT and privileged;
 * ring_head and ring_tail are in bytes from the start.
 */
struct streamer_submission {
    uint32_t id;    /* context id for reports */
    uint32_t ppgtt; /* the context's address space; STREAMER_GGTT: no PPGTT */
    uint32_t ring_start, ring_head, ring_tail, ring_size;
    struct streamer_place batch;
};

struct streamer {
    const struct intel_platform *platform;
    const struct cs_engine *engine;
    uint16_t version; /* graphics version times ten */
    uint8_t slices;   /* of the SKU, for MI_SET_PREDICATE; initially of the common one */
    uint8_t own[STREAMER_OWN / 4]; /* register of each dword: see registers.c */

    /*
     * BDW and CHV: after an illegal MI_REPORT_PERF_COUNT was executed as a NOOP, the report id of
     * the next legal one may be corrupted [P15B]. If set, the next report has the illegal one's id.
     */
    bool id_quirk;

    bool stopped;        /* by STOP_RING: executes nothing */
    bool running;        /* a submission is running */
    uint32_t context_id; /* id of the running submission */
    uint32_t ppgtt;      /* current address space; set by the caller for rings used by registers */
    struct streamer_submission pending[STREAMER_PORTS];
    uint8_t pending_count;

    uint8_t level;                  /* enum streamer_level of the next command */
    uint8_t activity;               /* enum streamer_activity */
    bool has_ring, has_batch;       /* has_batch: there is a first level to return to */
    struct streamer_place batch[3]; /* next commands: see streamer_batch() */

    uint32_t ring_tail, ring_head, ring_start, ring_ctl;
    uint32_t hws_pga, bb_offset, ccid, nopid, ipehr, mi_mode;
    uint64_t acthd;
    uint64_t gpr[STREAMER_GPRS];
    uint64_t predicate_source[2], predicate_data;
    uint32_t predicate_result, predicate_result_1, predicate_result_2;
    bool predicated; /* commands but MI_SET_PREDICATE are NOOPs */
    uint32_t excc;
    uint32_t sync[3]; /* mailboxes */
    bool arbitration, suspend_flush;
    bool at_point;        /* the latest command was a preemption point */
    bool at_noop;         /* it was an MI_NOOP without an id, in a batch */
    bool flushing;        /* the flush of the current PIPE_CONTROL has begun */
    bool next_id_corrupt; /* see id_quirk */
    uint32_t corrupt_id;

    uint8_t fault; /* enum streamer_fault */
    struct streamer_place fault_place;
    uint32_t fault_dword;
    uint32_t fault_length;
    uint64_t fault_target; /* the unmapped address */
    uint32_t fault_space;

    /* Statistics, in commands. */
    uint64_t executed;       /* all commands, including the following */
    uint64_t skipped;        /* pipeline state */
    uint64_t worked;         /* commands that started work */
    uint64_t noops;          /* skipped by MI_SET_PREDICATE */
    uint64_t illegal;        /* unprivileged: executed as NOOPs or without their write */
    uint64_t illegal_writes; /* dropped register writes */
};

/* ---- use ------------------------------------------------------------------------------------- */

/* Initializes an engine's streamer to its reset state. Returns 0, or -ENODEV if the command table
 * does not have the platform, or the platform does not have the engine. */
int streamer_init(struct streamer *streamer, const struct tally_platform *platform,
                  enum cs_engine_id engine);

/* Resets the engine: as after streamer_init(), but keeps id_quirk. Clears a fault. */
void streamer_reset(struct streamer *streamer);

/*
 * Submits a ring or a batch. It starts when the submissions before it are done. If the ring is
 * already the running or the last pending one, only its tail is updated. Returns 0; -EBUSY if both
 * ports are in use; -EINVAL if the ring's size is not a multiple of 4096 up to 2 MiB, or head or
 * tail are outside the ring.
 */
int streamer_submit(struct streamer *streamer, const struct streamer_submission *submission);

/* Stops at a context image in the GGTT whose ring is missing or cannot be submitted; `dword` is the
 * context's descriptor, low half. */
void streamer_reject(struct streamer *streamer, uint64_t image, uint32_t dword);

enum streamer_status {
    STREAMER_RAN,     /* executed a command or switched contexts */
    STREAMER_WAITS,   /* waits for memory or work; retries the command after *clocks */
    STREAMER_ENDED,   /* a submission is done */
    STREAMER_IDLE,    /* nothing to do; *clocks is 0 */
    STREAMER_STOPPED, /* stopped by a fault until streamer_reset(); *clocks is 0 */
};

/* Executes one command, and sets *clocks to its execution time. */
enum streamer_status streamer_step(struct streamer *streamer,
                                   const struct streamer_callbacks *callbacks, uint32_t *clocks);

/* If at_noop is set: executes `count` more MI_NOOPs, which follow in memory; or, if it is negative,
 * takes back those that were executed last, but not the first one. */
void streamer_add_noops(struct streamer *streamer, int64_t count);

/* Returns the location of the next command in the batch of a level other than STREAMER_RING. */
static inline struct streamer_place streamer_batch(const struct streamer *streamer, unsigned level)
{
    return streamer->batch[level - STREAMER_BATCH];
}

/* Whether there is nothing to do; false after a fault. */
bool streamer_is_idle(const struct streamer *streamer);

/* Describes the fault in `error`: what, where, what was expected. Returns -EIO; 0 without a fault.
 */
int streamer_explain(const struct streamer *streamer, struct tally_error *error);

/*
 * Read or write one of the streamer's own registers: RING_TAIL, RING_HEAD, RING_START, RING_CTL,
 * ACTHD, IPEHR, NOPID, HWS_PGA, MI_MODE, CCID, TIMESTAMP, MI_PREDICATE_*, CS_GPR. Return false for
 * other addresses. Writes to read-only registers are ignored. `callbacks` is used for the timestamp
 * only, and may be NULL for other registers.
 */
bool streamer_read(const struct streamer *streamer, const struct streamer_callbacks *callbacks,
                   uint32_t address, uint32_t *out);
bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value);

/*
 * Context images (OA-12.6, OA-12.7). streamer_restore() takes over a register of the context that
 * was just loaded: a general purpose register, a predicate, the mode, or that of a batch in which
 * the context was preempted. Others are ignored.
 */
void streamer_restore(struct streamer *streamer, uint32_t address, uint32_t value);

/* Whether the running ring may be preempted before the next command: arbitration is on, and the
 * latest command was a preemption point (OA-12.8). */
bool streamer_can_suspend(const struct streamer *streamer);

/* Ends the running submission before it is done, and drops those that wait. Its registers must have
 * been saved. */
void streamer_suspend(struct streamer *streamer);

/* Returns whether MI_SET_CONTEXT has set a context, and its address. */
bool streamer_set_context(const struct streamer *streamer, uint32_t *address);

/* Returns the head of the running ring, in bytes. */
uint32_t streamer_head(const struct streamer *streamer);

#endif
