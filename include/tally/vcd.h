/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VCD_H
#define TALLY_VCD_H

/*
 * Value change dumps (VCD), the text format in which logic simulators write what their signals did:
 * IEEE 1364-2005, 18.2, four-state. One bit of a dump can drive a signal of a modelled unit; the
 * writer shows any value of a model in a wave viewer.
 *
 * Reading takes one pass and constant memory for one bit, whatever the size of the dump: what is
 * kept are the toggles of that bit (8 bytes each) and the identifier codes of the dump.
 *
 * Beyond the standard, what dumpers in use write is read too: string variables and changes
 * (`sTEXT code`), the nine-valued logic of VHDL (u, w and - as x, h as 1, l as 0), types of
 * variables and scopes that the standard does not have. Extended dumps (18.3, $dumpports) are not.
 *
 * Limits, beyond which a dump is refused: words of 1,048,576 characters (a value of so many bits),
 * names of 65,536 with their scopes, 4,096 scopes within each other, and of identifier codes longer
 * than four characters 16,777,216 with 268,435,456 characters in all.
 *
 * Names. A signal is named by its scopes and itself, joined by dots: "top.unit.busy". Any end of
 * that which starts at a dot ("unit.busy", "busy") is enough where it fits one signal only; names
 * that stand for the same identifier code are one signal. A bit of a vector is "top.data[3]", with
 * the index as declared ([7:4] has the bits 7 to 4). The backslash of an escaped identifier may be
 * left out.
 *
 * What was readable before a fault in a dump is returned with the error. A dump has no mark of its
 * end: one that was cut off between two of its lines reads as a shorter one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tally/error.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ------------------------------------------------------------------------------- */

/* What one bit did. Times are in units of the dump's timescale. */
struct tally_vcd_signal {
    uint64_t *times;       /* when the value toggles, strictly ascending; before times[0] it is 0 */
    size_t count;          /* of times: after times[count - 1] the value is count % 2 */
    uint64_t end;          /* the last time in the dump; 0 if it has none */
    uint64_t unknown;      /* changes to x or z, which are read as 0 */
    uint64_t timescale_fs; /* femtoseconds in a unit of time; 0: the dump does not say */
};

/*
 * Reads one bit of a dump. `path` is a file (standard input, "-", is refused: the next signal
 * would need another pass); `name` is as described above. Changes before the first time are at
 * time 0; several at one time count by their net effect. $dumpoff makes the bit x. An event, of
 * which a dump says "1" whenever it occurs, reads as 1 from its first occurrence on.
 *
 * *out is written in any case and is to be given to tally_vcd_signal_fini(). After an error in the
 * changes it holds what stands before the fault, and `end` is the last time before it.
 *
 * Returns 0, or: -ENOENT (there is no such file, signal or bit); -ENOTUNIQ (the name fits several
 * signals; the message names two); -EINVAL (not a bit: a vector without an index, a real or string
 * variable; or path "-"); -EBADMSG (not as 18.2 has it, with "path:line: "; or truncated);
 * -ENOMEM; errors of open(2) and read(2).
 * Any thread; calls do not share anything.
 */
TALLY_API int tally_vcd_read(const char *path, const char *name, struct tally_vcd_signal *out,
                             struct tally_error *error);

/* Frees the times and makes *signal all zero. A signal that is all zero is fine. */
TALLY_API void tally_vcd_signal_fini(struct tally_vcd_signal *signal);

/*
 * The signal as a clocked circuit sees it that samples it in each clock: in clock k (k = 0, 1, ...)
 * it takes the value at time k * step, a change exactly at that time included. `step` is the period
 * of the clock in units of the dump's timescale, 1 or more.
 *
 * *edges becomes the clocks whose sample differs from that of the clock before (before clock 0:
 * 0), strictly ascending, *count long; NULL if there is none. Free it with free(). What changes and
 * changes back between two samples is not seen.
 *
 * Returns 0, -EINVAL (step is 0) or -ENOMEM; then *edges is NULL and *count 0. Any thread.
 */
TALLY_API int tally_vcd_clocks(const struct tally_vcd_signal *signal, uint64_t step,
                               uint64_t **edges, size_t *count);

/* A declaration ($var) of a dump. Strings live until the callback returns. */
struct tally_vcd_variable {
    const char *name; /* scopes and name joined by dots, as declared, without the range */
    const char *type; /* "wire", "reg", "real", ...; at most 31 characters of it */
    const char *code; /* the identifier code; declarations with the same are the same signal */
    uint64_t width;   /* bits, as declared */
    int64_t msb;      /* index of the leftmost and rightmost bit: as declared, else width - 1, 0 */
    int64_t lsb;
    bool ranged;   /* the declaration has [msb:lsb] or [msb] */
    bool has_bits; /* it can be read: not real, not a string */
};

/*
 * Calls `each` for every variable of a dump, in the order of the declarations, and reads no
 * further than them. `closure` is handed through. A value other than 0 from `each` ends the walk
 * and is returned.
 * Returns 0, what `each` returned, or an error as tally_vcd_read() has them. Any thread.
 */
TALLY_API int tally_vcd_list(const char *path,
                             int (*each)(void *closure, const struct tally_vcd_variable *variable),
                             void *closure, struct tally_error *error);

/* ---- writing ------------------------------------------------------------------------------- */

/*
 * A writer: new; scope, add, upscope for each variable; begin; then time and value as time goes
 * by; finish; free. The dump has no date, so that the same calls write the same bytes.
 *
 * Calls out of this order return -EINVAL and change nothing. An error of writing (a full disk)
 * stays: all later calls return it. A writer belongs to one thread at a time.
 */
struct tally_vcd_writer;

/*
 * A writer on `file`, which stays the caller's and must stay open until finish. `timescale` is
 * what a unit of time is: 1, 10 or 100 and one of s, ms, us, ns, ps, fs, as in "1 ns" or "10ps".
 * Returns 0 and *out, to be freed with tally_vcd_writer_free(); -EINVAL (a timescale that the
 * format does not have), -ENOMEM.
 */
TALLY_API int tally_vcd_writer_new(FILE *file, const char *timescale, struct tally_vcd_writer **out,
                                   struct tally_error *error);

/* Frees; accepts NULL. What was not finished is not whole in the file. */
TALLY_API void tally_vcd_writer_free(struct tally_vcd_writer *writer);

/*
 * Opens a scope (a module) within the one that is open; closes the innermost. Characters of names
 * that the format does not hold (blanks, all but printable ASCII, a $ in front) become underscores;
 * an empty name is one underscore.
 * Returns 0, -EINVAL (after begin; no scope is open), -ENOMEM or an error of writing.
 */
TALLY_API int tally_vcd_writer_scope(struct tally_vcd_writer *writer, const char *name);
TALLY_API int tally_vcd_writer_upscope(struct tally_vcd_writer *writer);

/*
 * Declares a variable in the open scope: `width` is 1 to 64 bits; *id (0, 1, ... in the order of
 * the calls) names it in later calls. A width above 1 is declared as [width-1:0].
 * Returns 0, -EINVAL (after begin, width), -ENOMEM or an error of writing.
 */
TALLY_API int tally_vcd_writer_add(struct tally_vcd_writer *writer, const char *name,
                                   unsigned width, unsigned *id);

/* Ends the declarations. All values are 0, and the time is 0. Returns 0, -EINVAL (called before)
 * or an error of writing. */
TALLY_API int tally_vcd_writer_begin(struct tally_vcd_writer *writer);

/*
 * Sets the time of the values that follow, in units of the timescale. It is written only if one of
 * them changes. Returns 0, -EINVAL (less than the time before; not between begin and finish), or
 * an error of writing.
 */
TALLY_API int tally_vcd_writer_time(struct tally_vcd_writer *writer, uint64_t time);

/*
 * Gives a variable its value at the present time: its low `width` bits, the others are ignored.
 * What is not a change costs a comparison and writes nothing.
 * Returns 0, -EINVAL (no such id; not between begin and finish) or an error of writing.
 */
TALLY_API int tally_vcd_writer_value(struct tally_vcd_writer *writer, unsigned id, uint64_t value);

/*
 * Writes the end, which is the last time of the dump (not less than the present time), and all that
 * is buffered, to the file, and flushes that. Returns 0, -EINVAL (end; before begin; called before)
 * or an error of writing.
 */
TALLY_API int tally_vcd_writer_finish(struct tally_vcd_writer *writer, uint64_t end);

#ifdef __cplusplus
}
#endif

#endif
