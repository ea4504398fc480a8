/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_FAULTS_FAULTS_H
#define TALLY_EMULATION_FAULTS_FAULTS_H

/*
 * Fault injection: a script (docs/faults.md) describes which faults happen in an emulated GPU,
 * when, and how often. The same script and seed give the same faults. load.c reads scripts,
 * schedule.c computes when each fault is due, apply.c injects them.
 *
 *     faults_load("lossy", &script, &error);
 *     faults_bind(script, emulation, &faults, &error); // faults at times and reports
 *     result = faults_call(faults, request);           // faults of calls: before each ioctl
 *     faults_called(faults, request, result);          // and after it
 *
 * Thread rule: as for the GPU.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "base/findings.h"

struct emulation;
struct yaml_source;

/* ---- scripts --------------------------------------------------------------------------------- */

struct faults_script;

/* Reads a script by its path or name (named.h). Returns 0; -EBADMSG with the first error and its
 * line; errors of reading. */
int faults_load(const char *name, struct faults_script **out, struct tally_error *error);

/* Reports all errors of a script by line. Returns their number, or an errno with a message: the
 * file cannot be read or is not YAML. */
int faults_lint(const char *path, findings_visit *found, void *closure, struct tally_error *error);

/* Does the one or the other with a file or bytes in memory (base/yaml.h): loads if `out` is not
 * NULL, reports all errors if `found` is not NULL. */
int faults_read(const struct yaml_source *source, struct faults_script **out, findings_visit *found,
                void *closure, struct tally_error *error);

/* Returns true if a YAML file has the keys of a script of faults, not of a workload. */
bool faults_is_script(const char *path);

/* Visits the paths of all scripts that can be named. Returns their number, or a
 * negative errno as named_list(). */
int faults_list(void (*visit)(void *closure, const char *path), void *closure);

void faults_script_free(struct faults_script *script);

/* The description of a script; valid as long as the script. */
struct faults_info {
    const char *name, *description; /* may be empty */
    const char *file;
    size_t faults;
    uint64_t seed;
};
struct faults_info faults_describe(const struct faults_script *script);

/* Returns the size in bytes at which the disk of a recording is full; UINT64_MAX: no such fault. */
uint64_t faults_disk_bytes(const struct faults_script *script);

/* ---- injection ------------------------------------------------------------------------------- */

struct faults;

/*
 * Binds a script to an emulated GPU; called by emulation_new(). Both must outlive the faults. Times
 * count from the first stream that is opened, reports from the first that is requested. Returns 0;
 * -EINVAL with a message: the platform lacks a counter, or the driver has no calls that could fail;
 * -ENOMEM.
 */
int faults_bind(const struct faults_script *script, struct emulation *emulation,
                struct faults **out, struct tally_error *error);

/* Ends all faults and frees them; accepts NULL. */
void faults_free(struct faults *faults);

/*
 * Must be called before and after each ioctl. faults_call() returns 0, or the negative errno that
 * the ioctl must fail with; faults_called() gets its result. faults may be NULL.
 */
int faults_call(struct faults *faults, uint32_t request);
void faults_called(struct faults *faults, uint32_t request, int64_t result);

/* Begins the script, with the first stream, for a driver without calls; of a call,
 * faults_called() does. faults may be NULL. */
void faults_begin(struct faults *faults);

/* Return the name of a kind of faults, by number, NULL past the end; and the number of faults of
 * this kind that have happened. */
const char *faults_kind_name(unsigned kind);
uint64_t faults_happened(const struct faults *faults, unsigned kind);

#endif
