/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VCD_H
#define TALLY_VCD_H

/*
 * Value change dumps (VCD), the text format in which logic simulators save waveforms: IEEE
 * 1364-2005, 18.2, four-state. One bit of a dump can drive a signal of a modelled unit; the writer
 * makes the values of a model available to waveform viewers.
 *
 *     struct tally_vcd_signal signal;
 *     uint64_t *edges;
 *     size_t count;
 *     if (tally_vcd_read("dump.vcd", "top.unit.busy", &signal, &error) == 0 &&
 *         tally_vcd_clocks(&signal, 1, &edges, &count) == 0) {
 *         struct tally_wave busy = tally_wave_edges(edges, count);      // <tally/wave.h>
 *         ...                                   // drive a signal of a model; then free(edges)
 *     }
 *     tally_vcd_signal_fini(&signal);
 *
 * A bit is read in one pass. Memory use depends on the number of its toggles (8 bytes each) and on
 * the identifier codes of the dump, not on the size of the dump.
 *
 * Common extensions of the standard are read too: string variables and changes (`sTEXT code`), the
 * nine-valued logic of VHDL (u, w and - as x, h as 1, l as 0), nonstandard types of variables and
 * scopes. Extended dumps (18.3, $dumpports) are not supported.
 *
 * A dump that exceeds one of these limits is rejected: 1,048,576 characters per word (bits per
 * value), 65,536 characters per name including its scopes, 4,096 nested scopes, and 16,777,216
 * identifier codes of more than four characters with 268,435,456 characters in total.
 *
 * Names. A signal is named by its scopes and itself, joined by dots: "top.unit.busy". The leading
 * scopes may be left out ("unit.busy", "busy") if the rest matches one signal only; names with the
 * same identifier code are the same signal. A bit of a vector is "top.data[3]", with the index as
 * declared ([7:4] has the bits 7 to 4). The backslash of an escaped identifier may be left out.
 *
 * After an error, the changes before the fault are returned with it. A dump has no end marker: if
 * it was truncated between two lines, it reads as a shorter dump without an error.
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

/* The waveform of one bit. Times are in units of the dump's timescale. */
struct tally_vcd_signal {
    uint64_t *times;       /* when the value toggles, strictly ascending; before times[0] it is 0 */
    size_t count;          /* number of times; after times[count - 1] the value is count % 2 */
    uint64_t end;          /* last time in the dump; 0 if it has none */
    uint64_t unknown;      /* number of changes to x or z, which are read as 0 */
    uint64_t timescale_fs; /* femtoseconds per unit of time; 0: not given in the dump */
};

/*
 * Reads one bit of a dump. `path` is a file; standard input, "-", is rejected, since each signal
 * needs a pass over the dump. `name` is described above. Changes before the first time are at time
 * 0; of several changes at the same time, the net effect counts. $dumpoff sets the bit to x. A
 * variable of type event, for which a dump writes "1" at each occurrence, reads as 1 from its first
 * occurrence on.
 *
 * *out is always written and must be freed with tally_vcd_signal_fini(). After an error in the
 * changes it holds the changes before the fault, and `end` is the last time before it.
 *
 * Returns 0, or: -ENOENT (unknown file, signal or bit); -ENOTUNIQ (the name matches several
 * signals; the message names two); -EINVAL (not a bit: a vector without an index, a real or string
 * variable; or path "-"); -EBADMSG (a syntax error, with "path:line: ", or truncated); -ENOMEM;
 * errors of open(2) and read(2). May be called from any thread; calls share no state.
 */
TALLY_API int tally_vcd_read(const char *path, const char *name, struct tally_vcd_signal *out,
                             struct tally_error *error);

/* Frees the times and clears *signal. Accepts a signal that is all zero. */
TALLY_API void tally_vcd_signal_fini(struct tally_vcd_signal *signal);

/*
 * Samples a signal with a clock: sample k (k = 0, 1, ...) is the value at time k * step, after any
 * change at exactly that time. `step` is the period of the clock in units of the dump's timescale,
 * 1 or more.
 *
 * *edges is set to a strictly ascending array of *count clocks whose sample differs from that of
 * the previous clock (0 before clock 0), or to NULL if there are none. The caller frees it with
 * free(). Changes that are reverted between two samples are not seen.
 *
 * Returns 0, -EINVAL (step is 0) or -ENOMEM; then *edges is NULL and *count 0. Any thread.
 */
TALLY_API int tally_vcd_clocks(const struct tally_vcd_signal *signal, uint64_t step,
                               uint64_t **edges, size_t *count);

/* A declaration ($var) of a dump. Strings are valid until the callback returns. */
struct tally_vcd_variable {
    const char *name; /* scopes and name joined by dots, as declared, without the range */
    const char *type; /* "wire", "reg", "real", ...; cut to 31 characters */
    const char *code; /* identifier code; declarations with the same code are the same signal */
    uint64_t width;   /* bits, as declared */
    int64_t msb;      /* indices of the leftmost and rightmost bit: as declared, else width - 1
                       * and 0 */
    int64_t lsb;
    bool ranged;   /* the declaration has [msb:lsb] or [msb] */
    bool has_bits; /* can be read: not real, not a string */
};

/*
 * Calls `each` for every variable of a dump, in the order of the declarations, and stops reading
 * after them. `closure` is passed to `each`. A nonzero value from `each` ends the walk. Returns 0,
 * the nonzero value from `each`, or an error as in tally_vcd_read(). May be called from any thread.
 */
TALLY_API int tally_vcd_list(const char *path,
                             int (*each)(void *closure, const struct tally_vcd_variable *variable),
                             void *closure, struct tally_error *error);

/* ---- writing ------------------------------------------------------------------------------- */

/*
 * A writer. Call new; scope, add and upscope to declare the variables; begin; time and value for
 * the changes; finish; free. The dump has no date, so that the same calls write the same bytes.
 *
 * Calls out of this order return -EINVAL and change nothing. A write error (a full disk) is sticky:
 * all later calls return it. A writer belongs to one thread at a time.
 */
struct tally_vcd_writer;

/*
 * Creates a writer on `file`, which the caller owns and must keep open until finish. `timescale` is
 * the unit of time: 1, 10 or 100 and one of s, ms, us, ns, ps, fs, as in "1 ns" or "10ps". Returns
 * 0 and *out, to be freed with tally_vcd_writer_free(); -EINVAL (invalid timescale) or -ENOMEM.
 */
TALLY_API int tally_vcd_writer_new(FILE *file, const char *timescale, struct tally_vcd_writer **out,
                                   struct tally_error *error);

/* Frees a writer; accepts NULL. Without a call of finish before, the file is incomplete. */
TALLY_API void tally_vcd_writer_free(struct tally_vcd_writer *writer);

/*
 * scope opens a scope (a module) within the current one; upscope closes the current one. Characters
 * that the format does not allow in names (blanks, non-ASCII and control characters, a leading $)
 * are replaced by underscores; an empty name is one underscore. Returns 0, -EINVAL (after begin; no
 * open scope), -ENOMEM or a write error.
 */
TALLY_API int tally_vcd_writer_scope(struct tally_vcd_writer *writer, const char *name);
TALLY_API int tally_vcd_writer_upscope(struct tally_vcd_writer *writer);

/*
 * Declares a variable of `width` bits (1 to 64) in the current scope. *id is set to the number (0,
 * 1, ... in the order of the calls) by which later calls name it. A width above 1 is declared as
 * [width-1:0]. Returns 0, -EINVAL (after begin; invalid width), -ENOMEM or a write error.
 */
TALLY_API int tally_vcd_writer_add(struct tally_vcd_writer *writer, const char *name,
                                   unsigned width, unsigned *id);

/* Ends the declarations. All values and the time are 0. Returns 0, -EINVAL (called before) or a
 * write error. */
TALLY_API int tally_vcd_writer_begin(struct tally_vcd_writer *writer);

/*
 * Sets the time of the values that follow, in units of the timescale. It is written only if one of
 * them changes. Returns 0, -EINVAL (less than the previous time; not between begin and finish) or a
 * write error.
 */
TALLY_API int tally_vcd_writer_time(struct tally_vcd_writer *writer, uint64_t time);

/*
 * Sets a variable at the current time to the low `width` bits of `value`. Writes nothing if the
 * value stays the same. Returns 0, -EINVAL (unknown id; not between begin and finish) or a write
 * error.
 */
TALLY_API int tally_vcd_writer_value(struct tally_vcd_writer *writer, unsigned id, uint64_t value);

/*
 * Writes the last time of the dump, `end` (at least the current time), and all buffered data to the
 * file, and flushes the file. Returns 0, -EINVAL (invalid end; before begin; called before) or a
 * write error.
 */
TALLY_API int tally_vcd_writer_finish(struct tally_vcd_writer *writer, uint64_t end);

#ifdef __cplusplus
}
#endif

#endif
