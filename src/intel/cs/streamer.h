/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_STREAMER_H
#define TALLY_INTEL_CS_STREAMER_H

/*
 * The render command streamer, as far as counter clients use it: rings, batches and their nesting,
 * the memory interface commands of commands.h, predicates and MI_MATH. Pipeline and blitter
 * commands are skipped by their length; those that start work are reported to the caller, which
 * models the work.
 *
 * struct streamer is plain: it has no pointers, so that a copy is a snapshot. Time is the caller's:
 * streamer_step() executes one command and returns the clocks that it takes, and the caller runs
 * the rest of the GPU for that many clocks before the next step. Each command costs at least one
 * clock, so that time passes in a batch that loops.
 *
 * What is not modelled: parsing ahead, caches, and context images apart from the ring registers
 * (CS_GPR and the predicate keep their values over a context switch; the kernel's own batches save
 * and restore what they use).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/platform.h>

#include "intel/cs/commands.h"
#include "intel/symbols.h"

#define STREAMER_BASE  RENDER_RING_BASE /* of the render ring's registers */
#define STREAMER_GPRS  CS_GPR__COUNT
#define STREAMER_PORTS 2      /* submissions that wait behind the running one */
#define STREAMER_OWN   0x800u /* bytes from STREAMER_BASE on in which its registers lie, but one */

/* Address spaces are numbers: 0 is the GGTT, others are the caller's PPGTTs. */
#define STREAMER_GGTT 0u

/* ---- callbacks into the rest of the GPU ------------------------------------------------------ */

struct streamer_report { /* MI_REPORT_PERF_COUNT */
    uint64_t address;    /* a multiple of 64 */
    uint32_t space;
    uint32_t id;
    bool core_mode;  /* the address is to be offset by the core's number times the report's size */
    bool id_corrupt; /* `id` is the one of an illegal command before (see id_quirk) */
};

struct streamer_work {
    const struct cs_command *command; /* its `action` says which kind */
    const uint32_t *dwords;           /* the first `count` of `length` */
    uint32_t count, length;
    uint32_t space; /* where the command lies */
    uint64_t address;
};

enum streamer_interrupt {
    STREAMER_USER_INTERRUPT, /* MI_USER_INTERRUPT */
    STREAMER_NOTIFY,         /* PIPE_CONTROL or MI_FLUSH_DW with Notify Enable */
};

/*
 * Functions that are NULL do nothing and return 0 or false: nothing is mapped, no register may be
 * written, nothing is busy.
 */
struct streamer_world {
    void *closure;

    /* A dword of memory, at a multiple of 4. False: not mapped. */
    bool (*read32)(void *closure, uint32_t space, uint64_t address, uint32_t *out);
    bool (*write32)(void *closure, uint32_t space, uint64_t address, uint32_t value);

    /* Registers other than the streamer's own. */
    uint32_t (*mmio_read)(void *closure, uint32_t address);
    void (*mmio_write)(void *closure, uint32_t address, uint32_t value);

    /* May a batch that is not privileged write it (the hardware's whitelist)? */
    bool (*may_write_register)(void *closure, uint32_t address);

    void (*report)(void *closure, const struct streamer_report *report);

    /* The streamer begins to run a context, or (`valid` false) has none left. The id is the one of
     * the submission; with MI_SET_CONTEXT, the logical context address. */
    void (*context_switch)(void *closure, bool valid, uint32_t id);

    /* A submission is done: its id, and where its ring's head stands. */
    void (*complete)(void *closure, uint32_t id, uint32_t head);

    /* MI_FORCE_WAKEUP: its second dword, which has the bits of FORCEWAKE_STATUS and above them a
     * mask. */
    void (*force_wakeup)(void *closure, uint32_t request);

    uint64_t (*timestamp)(void *closure);
    void (*interrupt)(void *closure, enum streamer_interrupt which);
    void (*work)(void *closure, const struct streamer_work *work);
    void (*state)(void *closure, const struct streamer_work *work); /* what is skipped */

    /* True while reported work is in progress: flushes and stalls wait for it. */
    bool (*busy)(void *closure);

    /* An access was made to a register of the streamer's own, or, `denied`, a write to any register
     * was not made, since the batch is not privileged. */
    void (*accessed)(void *closure, bool write, uint32_t address, uint32_t value, bool denied);
};

/* ---- the state ------------------------------------------------------------------------------- */

enum streamer_level { STREAMER_RING, STREAMER_BATCH, STREAMER_SECOND };

/* Why it stopped. */
enum streamer_fault {
    STREAMER_NO_FAULT,
    STREAMER_UNKNOWN,  /* no such command on this platform */
    STREAMER_LENGTH,   /* a length that the command cannot have */
    STREAMER_UNMAPPED, /* memory that is not mapped */
    STREAMER_RESERVED, /* a reserved value in a field */
    STREAMER_NO_BATCH, /* the end of a batch in the ring */
    STREAMER_NO_RING,  /* a context image without a ring that can be run */
};

struct streamer_place {
    uint64_t address;
    uint32_t space;
    bool privileged;
};

/*
 * What to run: a ring, or if ring_size is 0 one batch. Ring addresses are in the GGTT, ring_head
 * and ring_tail bytes from its start; a ring is always privileged.
 */
struct streamer_submission {
    uint32_t id;    /* of the context, as reports are to show it */
    uint32_t ppgtt; /* its address space; STREAMER_GGTT: it has none and shares the GGTT */
    uint32_t ring_start, ring_head, ring_tail, ring_size;
    struct streamer_place batch;
};

struct streamer {
    const struct intel_platform *platform;
    uint16_t version;              /* of the platform, times ten: of the command tables */
    uint8_t slices;                /* for MI_SET_PREDICATE */
    uint8_t own[STREAMER_OWN / 4]; /* which register a dword is: see registers.c */

    /*
     * BDW and CHV: after an illegal MI_REPORT_PERF_COUNT was turned into a NOOP, the report id of
     * the next legal one may be corrupted [P15B]. With this set, it is the illegal one's.
     */
    bool id_quirk;

    bool running;        /* a submission */
    uint32_t context_id; /* of the submission */
    uint32_t ppgtt;      /* its address space; for a ring that registers drive, set by the caller */
    struct streamer_submission pending[STREAMER_PORTS];
    uint8_t pending_count;

    uint8_t level; /* enum streamer_level: where the next command is */
    bool has_ring, has_batch;
    struct streamer_place batch, second;

    uint32_t ring_tail, ring_head, ring_start, ring_ctl;
    uint32_t hws_pga, bb_offset, ccid, nopid, ipehr;
    uint64_t acthd;
    uint64_t gpr[STREAMER_GPRS];
    uint64_t predicate_source[2], predicate_data;
    uint32_t predicate_result, predicate_result_1, predicate_result_2;
    bool predicated; /* commands but MI_SET_PREDICATE are NOOPs */
    uint32_t excc;
    uint32_t rvsync, rvesync, rbsync; /* mailboxes */
    bool arbitration, suspend_flush;
    bool id_spoiled; /* see id_quirk */
    uint32_t spoiled_id;

    uint8_t fault; /* enum streamer_fault */
    struct streamer_place fault_place;
    uint32_t fault_dword;
    uint32_t fault_length;
    uint64_t fault_target; /* the address that is not mapped */
    uint32_t fault_space;

    /* What happened, in commands. */
    uint64_t executed;
    uint64_t skipped;        /* of them, pipeline state */
    uint64_t worked;         /* of them, those that started work */
    uint64_t noops;          /* of them, those of MI_SET_PREDICATE */
    uint64_t illegal;        /* of them, NOOPs, or without their write, for want of privilege */
    uint64_t illegal_writes; /* register writes that were dropped */
};

/* ---- use ------------------------------------------------------------------------------------- */

/* At reset. Returns 0, or -ENODEV if the platform's streamer is not in the table. */
int streamer_init(struct streamer *streamer, const struct tally_platform *platform);

/* The engine's reset: as after init, but it keeps id_quirk. Ends a fault. */
void streamer_reset(struct streamer *streamer);

/*
 * Submits a context, or one batch. It starts when those before it are done; a ring that is running
 * already, or waits last, only gets its new tail. Returns 0; -EBUSY if both ports are taken;
 * -EINVAL if the ring's size is not a multiple of 4096 up to 2 MiB, or head or tail lie outside.
 */
int streamer_submit(struct streamer *streamer, const struct streamer_submission *submission);

/* Stops at a context image in the GGTT whose ring is missing or cannot be submitted; `dword` is the
 * context's descriptor, low half. */
void streamer_reject(struct streamer *streamer, uint64_t image, uint32_t dword);

enum streamer_status {
    STREAMER_RAN,     /* a command, or changed contexts */
    STREAMER_WAITS,   /* for memory or for work: the same command again, in so many clocks */
    STREAMER_ENDED,   /* a submission is done */
    STREAMER_IDLE,    /* there is nothing to do; no clocks */
    STREAMER_STOPPED, /* at a fault; no clocks, until streamer_reset() */
};

/* Executes one command. *clocks is what it takes. */
enum streamer_status streamer_step(struct streamer *streamer, const struct streamer_world *world,
                                   uint32_t *clocks);

/* Has it nothing to do? Not at a fault. */
bool streamer_is_idle(const struct streamer *streamer);

/* One line about the fault: what, where, what was expected. Returns -EIO, or 0 if there is none. */
int streamer_explain(const struct streamer *streamer, struct tally_error *error);

/*
 * The streamer's own registers, for the GT's routing: RING_TAIL, RING_HEAD, RING_START, RING_CTL,
 * ACTHD, IPEHR, NOPID, HWS_PGA, CCID, TIMESTAMP, MI_PREDICATE_*, CS_GPR. False if the address is
 * none of them; read-only registers ignore writes. `world` is used for the timestamp
 * only, and may be NULL for other registers.
 */
bool streamer_read(const struct streamer *streamer, const struct streamer_world *world,
                   uint32_t address, uint32_t *out);
bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value);

#endif
